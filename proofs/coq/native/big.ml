(* Coq's Z as Zarith's. *)
type t = Z.t
let zero = Z.zero
let one = Z.one
let neg = Z.neg
let twice x = Z.shift_left x 1
let twice_and_one x = Z.succ (Z.shift_left x 1)
let add = Z.add
let sub = Z.sub
let mul = Z.mul
let max = Z.max
let compare = Z.compare
let equal = Z.equal
let leb = Z.leq
let ltb = Z.lt
let two = Z.of_int 2
let pow x n =
  if Z.sign n < 0 then Z.zero else if Z.equal x two then Z.shift_left Z.one (Z.to_int n) else Z.pow x (Z.to_int n)
(* a power of two is divided by in a shift *)
let is_shift b = Z.gt b Z.one && Z.trailing_zeros b = Z.numbits b - 1
let div a b =
  if is_shift b then Z.shift_right a (Z.numbits b - 1) else if Z.sign b = 0 then Z.zero else Z.fdiv a b
let modulo a b =
  if is_shift b then Z.extract a 0 (Z.numbits b - 1) else if Z.sign b = 0 then a else Z.sub a (Z.mul b (Z.fdiv a b))
let of_int = Z.of_int
let to_int x = if Z.fits_int x then Z.to_int x else failwith "a number is too large"
let of_string = Z.of_string
let to_string = Z.to_string
let case zero pos neg z =
  let s = Z.sign z in if s = 0 then zero () else if s > 0 then pos z else neg (Z.neg z)
let positive_case odd even one p =
  if Z.equal p Z.one then one () else
  let q = Z.shift_right p 1 in if Z.is_even p then even q else odd q
let numbits = Z.numbits
