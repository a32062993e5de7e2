(* How much work there is, and hints for `Checked.check` and `Checked.check_count`. Nothing here can make a false
   certificate pass: what is computed with a bad hint is refused by the check itself. *)
open Checked

let most_work = 2e10       (* products of small integers, some hundred million a second *)
let small_work = 3e6      (* so little is done exactly at once *)
let most_users = 2_000_000
let most_bits = 5e8       (* of a common denominator *)

let two k = Big.pow (Big.of_int 2) (Big.of_int k)
let to_float q = float_of_string (Big.to_string q)
let ratio q = to_float (Big.div (Big.mul q.qnum (two 60)) q.qden) /. to_float (two 60)

(* ---- sizes ---- *)
let rec gcd a b = if Big.equal b Big.zero then a else gcd b (Big.modulo a b)
let lcm a b = Big.div (Big.mul a b) (gcd a b)
let bits_of x = float_of_int (Big.numbits x)

let sizes claim messages =
  let weights = List.concat_map (List.map (fun (_, p) -> p.qden)) claim.rows in
  let many = List.fold_left (fun sum d -> sum +. bits_of d) 0. (List.sort_uniq Big.compare weights) in
  if many *. many > most_bits then None
  else begin
    let longest = longest claim.rows in
    let seen = if claim.sees = Shuffled then Big.mul (Big.of_int claim.users) longest else longest in
    let key_bits = Big.of_int (1 + Big.numbits seen) in
    Some { key_bits; base = Big.of_int (messages + 2); unit_of = List.fold_left lcm Big.one weights }
  end

(* ---- how much work: guesses, which decide nothing but what is tried ---- *)
let rec choose n k = if k <= 0. then 1. else Float.min 1e18 (choose n (k -. 1.) *. (n -. k +. 1.) /. k)
let multisets size kinds = choose (size +. kinds -. 1.) (Float.min size (kinds -. 1.))

(* (of the exact road, of the rounded one with so many bits) *)
let work claim sizes bits =
  let core = core claim in
  let polys = List.map (fun r -> normal (row_poly sizes.key_bits sizes.unit_of r)) core.rows in
  let classes = List.sort_uniq compare (List.mapi (fun y _ -> rep polys y) polys) in
  let n = float_of_int core.users and kinds = float_of_int (List.length classes) in
  let inputs = float_of_int (List.length polys) in
  let keys = List.sort_uniq Big.compare (List.concat_map (List.map fst) polys) in
  (* of each message: the most that a user sends, and the largest variance of how many a user sends *)
  let most = Hashtbl.create 16 and spread = Hashtbl.create 16 in
  let get table m = Option.value (Hashtbl.find_opt table m) ~default:0. in
  let note row =
    let moments = Hashtbl.create 16 in
    let output (send, p) =
      let counts = Hashtbl.create 4 in
      List.iter (fun m -> Hashtbl.replace counts m (1. +. get counts m)) send;
      Hashtbl.iter (fun m k ->
        let mean, square = Option.value (Hashtbl.find_opt moments m) ~default:(0., 0.) in
        Hashtbl.replace moments m (mean +. (ratio p *. k), square +. (ratio p *. k *. k));
        Hashtbl.replace most m (Float.max k (get most m))) counts in
    List.iter output row;
    Hashtbl.iter (fun m (mean, square) ->
      Hashtbl.replace spread m (Float.max (square -. (mean *. mean)) (get spread m))) moments in
  List.iter note core.rows;
  let box width = Hashtbl.fold (fun m k size -> Float.min 1e18 (size *. (1. +. width m k))) most 1. in
  let kinds_of_keys = float_of_int (List.length keys) in
  let outcomes = Float.min (box (fun _ k -> n *. k)) (multisets n kinds_of_keys) in
  let narrow = Float.min outcomes (box (fun m k -> Float.min (n *. k) (40. *. (k +. sqrt (n *. get spread m))))) in
  let step = float_of_int (List.fold_left (fun m f -> max m (List.length f)) 1 polys) in
  let leaves = multisets (n -. 1.) kinds in
  let each = (leaves *. inputs *. (inputs +. step)) +. ((leaves +. n) *. step *. (1. +. log n)) in
  let price bits = 1. +. (bits /. 200.) in
  (each *. outcomes *. price (n *. bits_of sizes.unit_of), 2.5 *. each *. narrow *. price (float_of_int bits))

(* ---- precision ---- *)
let precision eps bits =
  let rec halvings h q = if Big.leb q.qnum (Big.mul q.qden (two h)) then h else halvings (h + 1) q in
  let h = match eps with Of q -> halvings 0 q | Log _ -> 0 in
  let extra = 4 + int_of_float (sqrt (float_of_int bits)) in
  { halvings = h + extra; terms = (bits / extra) + 8; bits = Big.of_int (bits + h + extra + 40) }
let exact eps bits = { precise = precision eps bits; rounded = false; fine = Big.zero; cut = Big.zero }
(* Weights over 2^fine, so that n users' rounding and what is cut off stay below 2^-bits. *)
let rounded eps users bits =
  let log_n = Big.numbits (Big.of_int users) in
  let fine = bits + (2 * log_n) + 24 in
  let precise = precision eps (bits + 24) in
  { precise; rounded = true; fine = Big.of_int fine; cut = two (fine - bits - log_n - 11) }

(* How many bits are likely to tell a claim from a false one. *)
let likely claim evidence =
  let bits q = if Big.ltb Big.zero q.qnum then max 0 (Big.numbits q.qden - Big.numbits q.qnum + 2) else 0 in
  match evidence with
  | Proved (_, Some ((_, a), b)) ->
    bits { qnum = Big.sub (Big.mul b.qnum a.qden) (Big.mul a.qnum b.qden); qden = Big.mul a.qden b.qden }
  | _ -> 40 + bits claim.delta

(* ---- counts: how far to walk along a binomial law ---- *)
let most_steps = 2e7

let walk count bits =
  let n = to_float count.noise_n and a = count.noise_p.qnum and b = count.noise_p.qden in
  let c = Big.sub b a in
  let scale = two 60 in
  let p = to_float (Big.div (Big.mul a scale) b) /. to_float scale in
  let sigma = sqrt (n *. p *. (1. -. p)) in
  let far = (sigma *. (2. +. sqrt (1.4 *. float_of_int (bits + 32)))) +. float_of_int (bits + 64) in
  let precise = precision count.count_eps (bits + 64) in
  let z, unit = from_below count.count_eps precise in
  let least k l = if Big.leb k l then k else l in
  (* the last place where X + 1 is at most e^eps as likely as X *)
  let start a c =
    Big.div (Big.mul z (Big.mul (Big.add count.noise_n Big.one) a)) (Big.add (Big.mul c unit) (Big.mul z a)) in
  let steps a start =
    let mode = Big.div (Big.mul (Big.add count.noise_n Big.one) a) b in
    let far = Big.of_string (Printf.sprintf "%.0f" far) in
    let gap = Big.max Big.zero (Big.sub start mode) in
    (Big.max Big.zero (least far (Big.sub count.noise_n start)), Big.max Big.zero (least (Big.add gap far) start)) in
  let up = start a c and down = start c a in
  let (u, d), (u', d') = (steps a up, steps c down) in
  let all = List.fold_left Big.add Big.zero [ u; d; u'; d' ] in
  if to_float all > most_steps then None
  else
    let log = Big.numbits all in
    Some { exponent_bits = precise; weight_bits = Big.of_int (bits + 64 + (2 * log)); start_up = up; start_down = down;
      steps_up = Big.to_int u; steps_down = Big.to_int d; steps_up' = Big.to_int u'; steps_down' = Big.to_int d' }
