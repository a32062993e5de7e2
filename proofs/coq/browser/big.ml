(* Coq's Z as JavaScript's BigInt: every function is a stub in big.js. *)
type t
external of_int : int -> t = "big_of_int"
external add : t -> t -> t = "big_add"
external sub : t -> t -> t = "big_sub"
external mul : t -> t -> t = "big_mul"
external neg : t -> t = "big_neg"
external div : t -> t -> t = "big_div"
external modulo : t -> t -> t = "big_mod"
external pow : t -> t -> t = "big_pow"
external compare : t -> t -> int = "big_compare"
external equal : t -> t -> bool = "big_equal"
external leb : t -> t -> bool = "big_leb"
external ltb : t -> t -> bool = "big_ltb"
external max : t -> t -> t = "big_max"
external to_int : t -> int = "big_to_int"
external of_string : string -> t = "big_of_string"
external to_string : t -> string = "big_to_string"
external numbits : t -> int = "big_numbits"
let zero = of_int 0
let one = of_int 1
let two = of_int 2
let twice x = add x x
let twice_and_one x = add (add x x) one
let case z pos n x = if equal x zero then z () else if ltb zero x then pos x else n (neg x)
let positive_case odd even o p =
  if equal p one then o () else
  let q = div p two in if equal (modulo p two) zero then even q else odd q
