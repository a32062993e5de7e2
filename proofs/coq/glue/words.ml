(* A claim in words, from the record that the theorem is about; of a randomizer the digest of its rows, written anew. *)
open Checked

(* ---- SHA-256 (FIPS 180-4), in hexadecimal ---- *)
let constants = Array.map int_of_string (Array.of_list (String.split_on_char ' ' (String.concat " " [
  "0x428a2f98 0x71374491 0xb5c0fbcf 0xe9b5dba5 0x3956c25b 0x59f111f1 0x923f82a4 0xab1c5ed5";
  "0xd807aa98 0x12835b01 0x243185be 0x550c7dc3 0x72be5d74 0x80deb1fe 0x9bdc06a7 0xc19bf174";
  "0xe49b69c1 0xefbe4786 0x0fc19dc6 0x240ca1cc 0x2de92c6f 0x4a7484aa 0x5cb0a9dc 0x76f988da";
  "0x983e5152 0xa831c66d 0xb00327c8 0xbf597fc7 0xc6e00bf3 0xd5a79147 0x06ca6351 0x14292967";
  "0x27b70a85 0x2e1b2138 0x4d2c6dfc 0x53380d13 0x650a7354 0x766a0abb 0x81c2c92e 0x92722c85";
  "0xa2bfe8a1 0xa81a664b 0xc24b8b70 0xc76c51a3 0xd192e819 0xd6990624 0xf40e3585 0x106aa070";
  "0x19a4c116 0x1e376c08 0x2748774c 0x34b0bcb5 0x391c0cb3 0x4ed8aa4a 0x5b9cca4f 0x682e6ff3";
  "0x748f82ee 0x78a5636f 0x84c87814 0x8cc70208 0x90befffa 0xa4506ceb 0xbef9a3f7 0xc67178f2" ])))
let start = Array.map int_of_string
  [| "0x6a09e667"; "0xbb67ae85"; "0x3c6ef372"; "0xa54ff53a"; "0x510e527f"; "0x9b05688c"; "0x1f83d9ab"; "0x5be0cd19" |]
(* Words of 32 bits, in integers of 63 or, in a browser, of 32. *)
let mask = int_of_string "0xffffffff"
let rotate x k = ((x lsr k) lor (x lsl (32 - k))) land mask
let sha256 text =
  let n = String.length text in
  let blocks = (n + 72) / 64 in
  let padded = Bytes.make (64 * blocks) '\000' in
  Bytes.blit_string text 0 padded 0 n;
  Bytes.set padded n '\x80';
  let rec length_at at left = if left > 0 then begin  (* of the text, in bits *)
    Bytes.set padded at (Char.chr (left land 255));
    length_at (at - 1) (left lsr 8)
  end in
  length_at ((64 * blocks) - 1) (8 * n);
  let w = Array.make 64 0 and h = Array.copy start in
  for block = 0 to blocks - 1 do
    for i = 0 to 15 do
      let byte k = Char.code (Bytes.get padded ((64 * block) + (4 * i) + k)) in
      w.(i) <- (byte 0 lsl 24) lor (byte 1 lsl 16) lor (byte 2 lsl 8) lor byte 3
    done;
    for i = 16 to 63 do
      let a = w.(i - 15) and b = w.(i - 2) in
      let s0 = rotate a 7 lxor rotate a 18 lxor (a lsr 3) and s1 = rotate b 17 lxor rotate b 19 lxor (b lsr 10) in
      w.(i) <- (w.(i - 16) + s0 + w.(i - 7) + s1) land mask
    done;
    let v = Array.copy h in
    for i = 0 to 63 do
      let e = v.(4) and a = v.(0) in
      let choice = (e land v.(5)) lxor (lnot e land mask land v.(6)) in
      let s1 = rotate e 6 lxor rotate e 11 lxor rotate e 25 in
      let one = (v.(7) + s1 + choice + constants.(i) + w.(i)) land mask in
      let most = (a land v.(1)) lxor (a land v.(2)) lxor (v.(1) land v.(2)) in
      let two = ((rotate a 2 lxor rotate a 13 lxor rotate a 22) + most) land mask in
      Array.blit v 0 v 1 7;
      v.(4) <- (v.(4) + one) land mask;
      v.(0) <- (one + two) land mask
    done;
    Array.iteri (fun i x -> h.(i) <- (h.(i) + x) land mask) v
  done;
  let half x = Printf.sprintf "%04x%04x" ((x lsr 16) land 0xffff) (x land 0xffff) in
  String.concat "" (Array.to_list (Array.map half h))

(* ---- numbers ---- *)
let whole q = if Big.equal q.qden Big.one then Big.to_string q.qnum
  else Big.to_string q.qnum ^ "/" ^ Big.to_string q.qden
(* A number as JSON; of a long one its first and last characters, how many it has, and a digest. *)
let number text =
  let n = String.length text in
  if n <= 80 then "\"" ^ text ^ "\""
  else Printf.sprintf "\"%s...%s of %d characters with SHA-256 %s\"" (String.sub text 0 20) (String.sub text (n - 20) 20) n
    (sha256 text)
let rational q = number (whole q)
let exponent = function Of q -> rational q | Log q -> number ("log(" ^ whole q ^ ")")

(* ---- rows, as JSON with sorted keys and no space, in ASCII ---- *)
let quoted out text =
  let n = String.length text in
  let byte i = Char.code text.[i] land 63 in
  let unicode c = Buffer.add_string out (Printf.sprintf "\\u%04x" c) in
  Buffer.add_char out '"';
  let rec go i =
    if i < n then begin
      let c = Char.code text.[i] in
      let size = if c < 0x80 then 1 else if c < 0xe0 then 2 else if c < 0xf0 then 3 else 4 in
      (match text.[i] with
       | '"' -> Buffer.add_string out "\\\""
       | '\\' -> Buffer.add_string out "\\\\"
       | '\n' -> Buffer.add_string out "\\n"
       | '\r' -> Buffer.add_string out "\\r"
       | '\t' -> Buffer.add_string out "\\t"
       | '\b' -> Buffer.add_string out "\\b"
       | '\012' -> Buffer.add_string out "\\f"
       | ' ' .. '~' -> Buffer.add_char out text.[i]
       | _ when size = 1 -> unicode c
       | _ when size = 2 -> unicode (((c land 31) lsl 6) lor byte (i + 1))
       | _ when size = 3 -> unicode (((c land 15) lsl 12) lor (byte (i + 1) lsl 6) lor byte (i + 2))
       | _ ->
         let found = ((c land 7) lsl 18) lor (byte (i + 1) lsl 12) lor (byte (i + 2) lsl 6) lor byte (i + 3) in
         let rest = found - 0x10000 in
         unicode (0xd800 lor (rest lsr 10));
         unicode (0xdc00 lor (rest land 0x3ff)));
      go (i + size)
    end in
  go 0;
  Buffer.add_char out '"'
let listed out item all =
  Buffer.add_char out '[';
  List.iteri (fun i x -> if i > 0 then Buffer.add_char out ','; item x) all;
  Buffer.add_char out ']'
let digest names rows =
  let out = Buffer.create 65536 in
  let add = Buffer.add_string out in
  let messages = Array.of_list names.messages_called in
  let output (sent, p) =
    add {|{"p":"|}; add (whole p); add {|","send":|};
    listed out (fun m -> quoted out messages.(m)) sent;
    add "}" in
  let row (input, outputs) =
    add {|{"input":|}; quoted out input; add {|,"outputs":|};
    listed out output outputs;
    add "}" in
  listed out row (List.combine names.inputs_called rows);
  sha256 (Buffer.contents out)

(* ---- claims ---- *)
let view = function Shuffled -> "shuffled" | Preshuffle -> "preshuffle" | Local -> "local"
let claimed ?(neighbours = "replace") eps delta seen =
  Printf.sprintf "eps = %s, delta = %s, neighbours: %s; 1 time seen: {%s}" (exponent eps) (rational delta) neighbours seen
let labelled text =
  let out = Buffer.create 64 in
  quoted out text;
  Buffer.contents out
let neighbours names c = match c.changes with
  | Replace -> "replace"
  | AddRemove -> "add-remove"
  | Deletion weights ->
    let inputs = Array.of_list names.inputs_called in
    let weight (x, w) = labelled inputs.(x) ^ ": " ^ rational w in
    {|{"deletion": {|} ^ String.concat ", " (List.map weight weights) ^ "}}"
let seen_of_crowd names c =
  let honest = if Big.equal (Big.of_int c.honest) c.all_users then "" else Printf.sprintf {|, "honest": %d|} c.honest in
  let takes = if Big.equal c.takes.qnum c.takes.qden then "" else {|, "take part": |} ^ rational c.takes in
  Printf.sprintf
    {|"users": %s%s%s, "view": "%s", "each": {"rows": %d rows with SHA-256 %s}|} (Big.to_string c.all_users) honest takes
    (view c.shown_as) (List.length c.each) (digest names c.each)
let of_crowd names c = claimed ~neighbours:(neighbours names c) c.crowd_eps c.crowd_delta (seen_of_crowd names c)
let noise = function
  | Binomial (n, p) -> Printf.sprintf {|{"law": "binomial", "n": %s, "p": %s}|} (Big.to_string n) (rational p)
  | Poisson lam -> Printf.sprintf {|{"law": "poisson", "lam": %s}|} (rational lam)
  | NegativeBinomial (r, p) ->
    Printf.sprintf {|{"law": "negative binomial", "r": %s, "p": %s}|} (rational r) (rational p)
  | DiscreteLaplace q -> Printf.sprintf {|{"law": "discrete Laplace", "q": %s}|} (rational q)
let rec number_law = function
  | Noise x -> noise x
  | Bell (Gaussian v) -> Printf.sprintf {|{"law": "discrete Gaussian", "variance": %s}|} (rational v)
  | Bell (Bounded (q, bound)) ->
    Printf.sprintf {|{"law": "discrete Laplace", "q": %s, "bound": %s}|} (rational q) (Big.to_string bound)
  | Mod (by, one) -> Printf.sprintf {|{"law": "mod", "by": %s, "of": %s}|} (Big.to_string by) (number_law one)
  | Finite p ->
    let share (k, w) = Printf.sprintf {|"%s": %s|} (Big.to_string k) (rational w) in
    {|{"law": "finite", "p": {|} ^ String.concat ", " (List.map share p) ^ "}}"
  | Sum parts -> {|{"law": "sum", "of": [|} ^ String.concat ", " (List.map number_law parts) ^ "]}"
  | Mixture parts ->
    let part (w, one) = Printf.sprintf "[%s, %s]" (rational w) (number_law one) in
    {|{"law": "mixture", "of": [|} ^ String.concat ", " (List.map part parts) ^ "]}"
(* Several runs: how neighbours differ, what is seen in each and how often. *)
let of_runs around runs claim =
  let run (seen, times) =
    Printf.sprintf "; %s time%s seen: {%s}" (Big.to_string times) (if Big.equal times Big.one then "" else "s") seen in
  Printf.sprintf "eps = %s, delta = %s, neighbours: %s, data: %s%s" (exponent claim.runs_eps) (rational claim.runs_delta) around
    (if claim.same_pairs then "same" else "any") (String.concat "" (List.map run runs))
let one_changes comes = if comes then "add-remove" else "replace"
(* A number from 0 to the largest, of every user, with noise. *)
let seen_of_number c =
  let law key = function Some one -> Printf.sprintf {|, "%s": %s|} key (number_law one) | None -> "" in
  let shown = match c.shown_mod with Some m -> Printf.sprintf {|, "shown": {"mod": %s}|} (Big.to_string m) | None -> "" in
  Printf.sprintf {|"users": %d, "each": {"up to": %s%s}%s%s|} c.number_users (Big.to_string c.largest) (law "plus" c.each_adds)
    (law "added" c.once_added) shown
let of_number c = claimed ~neighbours:(one_changes c.arrives) c.number_eps c.number_delta (seen_of_number c)
(* Independent columns. *)
let seen_of_columns { of_columns_said = c; size_said; columns_inputs; _ } =
  let laws = Array.of_list (List.map number_law c.number_laws) in
  let each = match c.draws with
    | Table rows ->
      let row input numbers = Printf.sprintf "%s: [%s]" (labelled input)
        (String.concat ", " (List.map (Array.get laws) numbers)) in
      {|"columns": {|} ^ String.concat ", " (List.map2 row columns_inputs.in_turn rows) ^ "}"
    | OneOf (held, other) ->
      let many = match size_said with Some d -> Big.to_string d | None -> {|"any number"|} in
      Printf.sprintf {|"one of": %s, "held": %s, "other": %s|} many laws.(held) laws.(other) in
  let added = match c.added_law with Some i -> {|, "added": |} ^ laws.(i) | None -> "" in
  let shown = match c.shown_from with Some k -> Printf.sprintf {|, "shown": {"from": %s}|} (Big.to_string k) | None -> "" in
  Printf.sprintf {|"users": %d, "each": {%s}%s%s|} c.column_users each added shown
let of_columns ({ of_columns_said = c; _ } as wide) =
  claimed ~neighbours:(one_changes c.arriving) c.columns_eps c.columns_delta (seen_of_columns wide)
(* Any randomizer with a local eps and delta. *)
let privately local share users = Printf.sprintf {|"users": %s, "each": {"private": [%s, %s]}|} users (exponent local) (rational share)
let seen_of_any c = privately c.any_local c.any_share (Big.to_string c.any_users)
let of_any c = claimed c.any_eps c.any_delta (seen_of_any c)
(* The claim about all randomizers that one of them refutes. *)
let of_one local share (c : claim) = claimed c.eps c.delta (privately local share (string_of_int c.users))
