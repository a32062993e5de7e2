(* A claim of versions 1 to 8 in words. *)
open Checked

open Words

(* ---- numbers ---- *)
let shown text =
  let n = String.length text in
  if n <= 80 then text
  else Printf.sprintf "%s...%s (%d characters with SHA-256 %s)" (String.sub text 0 20) (String.sub text (n - 20) 20) n
    (sha256 text)
let whole q = if Big.equal q.qden Big.one then Big.to_string q.qnum
  else Big.to_string q.qnum ^ "/" ^ Big.to_string q.qden
let rational q = shown (whole q)
let exponent = function Of q -> rational q | Log q -> shown ("log(" ^ whole q ^ ")")
(* An end of an interval: over a power of ten it is a decimal. *)
let ending q =
  let below = Big.to_string q.qden in
  let places = String.length below - 1 in
  if below <> "1" ^ String.make places '0' then rational q
  else begin
    let digits = Big.to_string q.qnum in
    let padded = String.make (max 0 (places + 1 - String.length digits)) '0' ^ digits in
    let n = String.length padded - places in
    shown (String.sub padded 0 n ^ if places = 0 then "" else "." ^ String.sub padded n places)
  end

let digest names rows =
  let out = Buffer.create 65536 in
  let add = Buffer.add_string out in
  let place = ref 0 in
  let output (sent, p) =
    add {|{"p":"|}; add (whole p); add {|","send":|};
    listed out (fun m -> quoted out names.messages.(m)) sent;
    add "}" in
  let row outputs =
    add {|{"input":|}; quoted out names.inputs.(!place); add {|,"outputs":|};
    incr place;
    listed out output outputs;
    add "}" in
  add {|{"rows":|};
  listed out row rows;
  add "}";
  sha256 (Buffer.contents out)

(* ---- claims ---- *)
let randomizer names rows =
  Printf.sprintf "randomizer of %d inputs with SHA-256 %s" (List.length rows) (digest names rows)
let promise eps delta = Printf.sprintf "eps = %s, delta = %s" (exponent eps) (rational delta)
let of_claim names (c : claim) =
  Printf.sprintf "n = %d, adjacency = replace, view = %s, %s, %s" c.users (view c.sees) (promise c.eps c.delta)
    (randomizer names c.rows)
let noise = function
  | Binomial (n, p) -> Printf.sprintf "Bin(%s, %s)" (Big.to_string n) (rational p)
  | Poisson lam -> Printf.sprintf "Poisson(%s)" (rational lam)
  | NegativeBinomial (r, p) -> Printf.sprintf "NB(%s, %s)" (rational r) (rational p)
  | DiscreteLaplace q -> Printf.sprintf "discrete Laplace noise with q = %s" (rational q)
let of_count c =
  Printf.sprintf "a count + %s, sensitivity = %s, adjacency = replace, %s" (noise c.law_of)
    (Big.to_string c.sensitivity) (promise c.count_eps c.count_delta)
let of_histogram c =
  Printf.sprintf "a histogram of %s buckets, to each + %s, adjacency = replace, %s" (Big.to_string c.buckets)
    (noise c.noise_of) (promise c.histogram_eps c.histogram_delta)
let of_any c =
  Printf.sprintf "any randomizer with finitely many outputs and local eps = %s, n = %s, adjacency = replace, view = \
    shuffled, %s" (exponent c.any_local) (Big.to_string c.any_users) (promise c.any_eps c.any_delta)
let of_one names local share (c : claim) =
  Printf.sprintf "not every randomizer with local eps = %s, local delta = %s: %s" (exponent local) (rational share)
    (of_claim names c)
