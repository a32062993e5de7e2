(* What stands for the functions of Texts.v, which say what is meant. Trusted. *)
type 'a table = (string, 'a) Hashtbl.t  (* made once, and not changed *)
let table_from rows =
  let table = Hashtbl.create 64 in
  List.iter (fun (x, value) -> if not (Hashtbl.mem table x) then Hashtbl.add table x value) rows;
  table
let no_case _ _ = assert false  (* no table is taken apart *)
let look_up = Hashtbl.find_opt
let different texts =
  let seen = Hashtbl.create 64 in
  let is_new x = if Hashtbl.mem seen x then false else (Hashtbl.add seen x (); true) in
  List.rev (List.fold_left (fun found x -> if is_new x then x :: found else found) [] texts)

let is_digit c = c >= '0' && c <= '9'
let count f s =
  let found = ref 0 in
  String.iter (fun c -> if f c then incr found) s;
  !found
let natural_in most s =
  let n = String.length s in
  let good = n > 0 && Big.leb (Big.of_int n) most && count is_digit s = n && (n = 1 || s.[0] <> '0') in
  if good then Some (Big.of_string s) else None
let rest s i = String.sub s i (String.length s - i)
let at_slash s = match String.index_opt s '/' with
  | None -> (s, None)
  | Some i -> (String.sub s 0 i, Some (rest s (i + 1)))
let after_minus s = if s <> "" && s.[0] = '-' then Some (rest s 1) else None
let in_log s =
  let n = String.length s in
  if n >= 5 && String.sub s 0 4 = "log(" && s.[n - 1] = ')' then Some (String.sub s 4 (n - 5)) else None
let code_points s = Big.of_int (count (fun c -> Char.code c land 0xc0 <> 0x80) s)
