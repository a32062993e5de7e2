(* From JSON to the program's certificates, which it reads itself: Reader.v says what is one. Trusted. *)
open Checked
module List = Json.List

exception Not_covered of string

let read tree = match read_certificate tree with
  | Good found -> found
  | Not (Malformed (place, expected)) -> Json.bad (place ^ ": expected " ^ expected)
  | Not (NoTheorem about) -> raise (Not_covered ("no theorem yet for " ^ about))

let need condition expected = if not condition then Json.bad ("file: expected " ^ expected)
let rec height tree =
  let above most x = max most (1 + height x) in
  match tree with
  | Values l -> List.fold_left above 1 l
  | Object l -> List.fold_left (fun most (_, x) -> above most x) 1 l
  | _ -> 1
(* The trees of a file's certificates. *)
let certificates tree =
  need (height tree <= 100) "nesting at most 100 deep";
  match tree with
  | Values all ->
    need (all <> [] && List.compare_length_with all 100_000 <= 0) "1 to 100000 certificates";
    all
  | one -> [ one ]
