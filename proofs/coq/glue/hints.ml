(* How much work there is, and hints for `Checked.check` and `Checked.check_count`. Nothing here can make a false
   certificate pass: what is computed with a bad hint is refused by the check itself. *)
open Checked
module List = Json.List
let ( @ ) = Json.( @ )

let most_work = 2e10       (* products of small integers, some hundred million a second *)
let small_work = 3e6      (* so little is done exactly at once *)
let most_users = 2_000_000
let most_bits = 5e8       (* of a common denominator *)

let most_table = 2e9      (* comparisons of rows and of outputs, before any of the above *)

exception Too_much of string
let begun estimate most =
  if not (estimate <= most) then
    raise (Too_much (Printf.sprintf "estimate %.0e, at most %.0e is begun" estimate most))

let two k = Big.pow (Big.of_int 2) (Big.of_int k)
(* from its first 60 bits *)
let to_float q =
  let rest = Big.numbits q - 60 in
  if rest <= 0 then float_of_string (Big.to_string q)
  else Float.ldexp (float_of_string (Big.to_string (Big.div q (two rest)))) rest
let ratio q = to_float (Big.div (Big.mul q.qnum (two 60)) q.qden) /. to_float (two 60)

(* ---- sizes ---- *)
let rec gcd a b = if Big.equal b Big.zero then a else gcd b (Big.modulo a b)
let lcm a b = Big.div (Big.mul a b) (gcd a b)
let bits_of x = float_of_int (Big.numbits x)

let sizes claim messages =
  let weights = List.concat_map (List.map (fun (_, p) -> p.qden)) claim.rows in
  let many = List.fold_left (fun sum d -> sum +. bits_of d) 0. (List.sort_uniq Big.compare weights) in
  if many *. many > most_bits then raise (Too_much "the denominators are long");
  let longest = longest claim.rows in
  let seen = if claim.sees = Shuffled then Big.mul (Big.of_int claim.users) longest else longest in
  let key_bits = Big.of_int (max 1 (Big.numbits seen)) in
  { key_bits; base = Big.of_int (messages + 2); unit_of = List.fold_left lcm Big.one weights }

(* To read the rows as polynomials, to sort their terms, and to compare them with each other. *)
let table_work claim sizes messages =
  let float_length l = float_of_int (List.length l) in
  let inputs = float_length claim.rows and outputs = List.map float_length claim.rows in
  let sum = List.fold_left (+.) 0. in
  let all = sum outputs and most = List.fold_left Float.max 1. outputs in
  let sent = sum (List.map (fun r -> sum (List.map (fun (s, _) -> float_length s) r)) claim.rows) in
  let positions = match claim.sees with Local -> to_float (longest claim.rows) | _ -> 1. in  (* at which messages are told apart *)
  let words = 1. +. (positions *. float_of_int messages *. bits_of (two (Big.to_int sizes.key_bits)) /. 64.) in
  let sorted = all *. log (2. +. all) *. words in
  (sent *. words) +. sorted +. (inputs *. inputs *. (inputs +. most))
(* To try the symmetries, each on all rows. *)
let symmetries_work claim symmetries =
  let float_length l = float_of_int (List.length l) in
  let each r = List.fold_left (fun sum (s, _) -> sum +. 10. +. float_length s) 0. r in
  let rows = 2. *. List.fold_left (fun sum r -> sum +. each r) 0. claim.rows in
  let inputs = float_length claim.rows in
  List.fold_left (fun sum s ->
    let i = float_length s.inputs and m = float_length s.messages in
    sum +. (m *. m) +. (inputs *. (i +. inputs)) +. (rows *. (1. +. m))) 0. symmetries
(* ---- how much work: guesses, which decide nothing but what is tried ---- *)
let choose n k =
  let rec go found i = if i > k || found >= 1e18 then Float.min 1e18 found else go (found *. (n -. i +. 1.) /. i) (i +. 1.) in
  go 1. 1.
let multisets size kinds = choose (size +. kinds -. 1.) (Float.min size (kinds -. 1.))

let get table m = Option.value (Hashtbl.find_opt table m) ~default:0.
(* The threshold of a pair, of one message's count or of minus that, whose highest sum has the largest ratio. *)
let steepest (claim : claim) unit pair =
  let rows = Array.of_list claim.rows in
  let count sign m sent = sign * List.length (List.filter (( = ) m) sent) in
  let top sign m row = List.fold_left (fun most (sent, _) -> max most (count sign m sent)) min_int rows.(row) in
  let weight (w : q) = Big.mul w.qnum (Big.div unit w.qden) in
  let chance sign m top row =
    List.fold_left (fun sum (sent, w) -> if count sign m sent = top then Big.add sum (weight w) else sum) Big.zero rows.(row) in
  let start = pair.from_told and goal = pair.to_told in
  let messages = List.sort_uniq compare (List.concat_map fst (rows.(start) @ rows.(goal))) in
  let look ((most_p, most_q, _) as best) (m, sign) =
    let high = top sign m start in
    let p = chance sign m high start and q = chance sign m high goal in
    if top sign m goal <= high && Big.ltb (Big.mul q most_p) (Big.mul p most_q) then (p, q, Some (m, sign, high)) else best in
  let _, _, found = List.fold_left look (Big.one, Big.one, None) (List.concat_map (fun m -> [ (m, 1); (m, -1) ]) messages) in
  let threshold (m, sign, high) =
    let others sum (x, k) = Big.add sum (Big.mul k (Big.of_int (top sign m x))) in
    { weights = List.init (m + 1) (fun i -> Big.of_int (if i = m then sign else 0));
      above = List.fold_left others (Big.of_int (high - 1)) pair.others_told } in
  Option.map threshold found
(* Of each message: how often a row sends it at most, and the variance of that. *)
let sent_by row =
  let sums = Hashtbl.create 16 in
  let output (send, p) =
    let counts = Hashtbl.create 4 in
    List.iter (fun m -> Hashtbl.replace counts m (1. +. get counts m)) send;
    Hashtbl.iter (fun m k ->
      let most, mean, square = Option.value (Hashtbl.find_opt sums m) ~default:(0., 0., 0.) in
      Hashtbl.replace sums m (Float.max most k, mean +. (ratio p *. k), square +. (ratio p *. k *. k))) counts in
  List.iter output row;
  Hashtbl.fold (fun m (most, mean, square) found -> (m, (most, Float.max 0. (square -. (mean *. mean)))) :: found) sums []
(* Messages whose counts tell those of all others in what is sent: as many as it has directions, modulo a prime. *)
let most_told = 1e6
let prime = 32749
let telling rows =
  let sent = List.concat_map (List.map fst) rows in
  let messages = Array.of_list (List.sort_uniq compare (List.concat sent)) in
  let many = Array.length messages in
  if float_of_int (List.length sent) *. (float_of_int many ** 2.) > most_told then Array.to_list messages
  else begin
    let counts send = Array.map (fun m -> List.length (List.filter (fun k -> k = m) send)) messages in
    let modulo x = ((x mod prime) + prime) mod prime in
    let rec power x k = if k = 0 then 1 else
      let half = power (x * x mod prime) (k / 2) in
      if k mod 2 = 1 then half * x mod prime else half in
    let first = match sent with [] -> [||] | one :: _ -> counts one in
    let rec find i left = if i = many then None else if left.(i) <> 0 then Some i else find (i + 1) left in
    let add basis one =
      let left = Array.mapi (fun i k -> modulo (k - first.(i))) (counts one) in
      let less left (at, by) = let x = left.(at) in Array.mapi (fun i k -> modulo (k - (x * by.(i)))) left in
      let left = List.fold_left less left (List.rev basis) in
      match find 0 left with
      | None -> basis
      | Some at -> (at, Array.map (fun k -> k * power left.(at) (prime - 2) mod prime) left) :: basis in
    List.rev_map (fun (at, _) -> messages.(at)) (List.fold_left add [] sent)
  end
(* Of each message of `telling`: how often a user sends it at most, and the largest variance of that. *)
let reaches rows =
  let each = List.map sent_by rows in
  let reach message =
    let found = List.map (fun row -> Option.value (List.assoc_opt message row) ~default:(0., 0.)) each in
    List.fold_left (fun (most, spread) (k, v) -> (Float.max most k, Float.max spread v)) (0., 0.) found in
  List.map reach (telling rows)
(* How many multisets so many users send at most, of so many kinds; `most` of each message that tells others. *)
let outcomes_of rows users most kinds =
  let box = List.fold_left (fun box k -> box *. (1. +. (users *. k))) 1. most in
  let sent = users *. to_float (longest rows) in
  let sums = multisets sent (1. +. float_of_int (List.length most)) in
  Float.min (Float.min 1e18 box) (Float.min (multisets users kinds) sums)
(* Counts by fewer bits each, where those that then seem the same are so to about 2^-bits: a pair may show less. *)
let narrow claim sizes others bits = match claim.sees with
  | Shuffled ->
    let rows = Array.of_list (List.map sent_by claim.rows) and spread = Hashtbl.create 16 in
    let add n (m, (_, variance)) = Hashtbl.replace spread m (get spread m +. (to_float n *. variance)) in
    List.iter (fun (x, n) -> List.iter (add n) rows.(x)) others;
    let most = Array.fold_left (List.fold_left (fun most (_, (k, _)) -> Float.max most k)) 0. rows in
    let variance = Hashtbl.fold (fun _ -> Float.max) spread 0. in
    let wide = (2. *. most) +. sqrt (8. *. log 2. *. float_of_int bits *. variance) in
    let few = Big.of_int (Big.numbits (Big.of_int (int_of_float wide))) in
    { sizes with key_bits = (if Big.leb few sizes.key_bits then few else sizes.key_bits) }
  | _ -> sizes

(* Where all laws lie on a line: the step between their keys, and how many steps the longest has. *)
let steps_of_polys ?(longest = 100) polys =
  let spans = List.filter_map (function
    | [] -> None
    | (first, _) :: rest -> Some (List.map (fun (k, _) -> Big.sub k first) rest)) polys in
  let step = List.fold_left gcd Big.zero (List.concat spans) in
  let step = if Big.equal step Big.zero then Big.one else step in
  let most = List.fold_left Big.max Big.zero (List.concat spans) in
  let span = Big.div most step in
  if Big.leb span (Big.of_int longest) then Some (step, Big.to_int span) else None
(* Of all pairs, or of so many in each group with so many renamings: (of the exact road, of the rounded one with so many bits) *)
let work ?(one = false) ?(groups = []) claim sizes bits =
  let core = core claim in
  let polys = List.map (fun r -> normal (row_poly sizes.key_bits sizes.unit_of r)) core.rows in
  let classes = List.sort_uniq compare (List.mapi (fun y _ -> rep polys y) polys) in
  let n = float_of_int core.users and kinds = float_of_int (List.length classes) in
  let inputs = float_of_int (List.length polys) in
  let keys = List.sort_uniq Big.compare (List.concat_map (List.map fst) polys) in
  let reach = reaches core.rows in
  let on_line = match steps_of_polys ~longest:max_int polys with
    | Some (_, span) -> (n *. float_of_int span) +. 1.
    | None -> infinity in
  let outcomes = Float.min on_line (outcomes_of core.rows n (List.map fst reach) (float_of_int (List.length keys))) in
  let wide (k, v) = Float.min (n *. k) (40. *. (k +. sqrt (n *. v))) in
  let narrow = Float.min outcomes (List.fold_left (fun size one -> size *. (1. +. wide one)) 1. reach) in
  let step = float_of_int (List.fold_left (fun m f -> max m (List.length f)) 1 polys) in
  let leaves = if one then 1. else multisets (n -. 1.) kinds in
  let group (each, left_out) (pairs, ups) =
    let some = if ups = 0. then leaves else Float.max (multisets (n -. 2.) kinds) (leaves /. (1. +. ups)) in
    let each = each +. (some *. (pairs +. (Float.min inputs (2. *. pairs) *. step))) +. ((some +. n) *. step *. (1. +. log n)) in
    (each, left_out +. (20. *. leaves *. ups *. n)) in
  let each, left_out = List.fold_left group (0., 0.) (if groups = [] then [ (inputs *. inputs, 0.) ] else groups) in
  let price bits = 1. +. (bits /. 200.) in
  let exactly = each *. outcomes *. price (n *. bits_of sizes.unit_of) and few = 2.5 *. each *. narrow *. price (float_of_int bits) in
  (exactly +. left_out, few +. left_out)

(* A threshold's, user by user: n steps along what the sum of the weights of the others spreads over, by their deviation. *)
let rows_of others = List.filteri (fun x _ -> List.mem x others)
let threshold_work claim threshold others =
  let laws = List.map (List.map (fun (sent, p) -> (to_float (weighed threshold.weights sent), ratio p))) (rows_of others claim.rows) in
  let sums = List.concat_map (List.map fst) laws in
  let mean f law = List.fold_left (fun sum (x, p) -> sum +. (f x *. p)) 0. law in
  let square law = let at = mean Fun.id law in mean (fun x -> (x -. at) *. (x -. at)) law in
  let square = List.fold_left (fun most law -> Float.max most (square law)) 0. laws in
  let most = List.fold_left (fun m s -> Float.max m (Float.abs s)) 1. sums in
  let n = float_of_int claim.users and kinds = Float.max 1. (float_of_int (List.length (List.sort_uniq compare sums))) in
  let wide = Float.min (2. *. n *. most) (80. *. (sqrt (n *. square) +. most)) in
  n *. Float.min wide (multisets n kinds) *. kinds *. 4.

(* ---- precision ---- *)
let precision eps bits =
  let rec halvings h q = if Big.leb q.qnum (Big.mul q.qden (two h)) then h else halvings (h + 1) q in
  let h = match eps with Of q -> halvings 0 q | Log _ -> 0 in
  let extra = 4 + int_of_float (sqrt (float_of_int bits)) in
  { halvings = h + extra; terms = (bits / extra) + 8; bits = Big.of_int (bits + h + extra + 40) }
let exact eps bits =
  { precise = precision eps bits; rounded = false; fine = Big.zero; cut = Big.zero; fast = None; rounds = [];
    boxes = Big.zero }
(* Weights over 2^fine, so that n users' rounding and what is cut off stay below 2^-bits. *)
let rounded eps users bits =
  let log_n = Big.numbits (Big.of_int users) in
  let fine = bits + (2 * log_n) + 24 in
  let precise = precision eps (bits + 24) in
  { precise; rounded = true; fine = Big.of_int fine; cut = two (fine - bits - log_n - 11); fast = None; rounds = [];
    boxes = Big.zero }

let polys_of (claim : claim) sizes = List.map (fun r -> normal (row_poly sizes.key_bits sizes.unit_of r)) claim.rows
let steps_of claim sizes = steps_of_polys (polys_of (core claim) sizes)
(* The same as rounded, by powers and boxes; the first look at each box takes fewer bits. *)
let by_boxes eps users (step, span) boxes coarse bits =
  let many = Big.numbits (Big.of_int users) in
  let places = if span < 0 then 0
    else if users < 1_000_000_000 / (span + 1) then (users * span) + 2
    else 1_000_000_000 in
  let round bits =
    let { precise; fine; cut; _ } = rounded eps users bits in
    { prec_of = precise; fine_of = fine; cut_of = cut; line_of = { apart = step; places } } in
  let last = round bits in
  let rounds = List.map round (List.filter (fun few -> few < bits) [ coarse ]) @ [ last ] in
  { (rounded eps users bits) with fast = Some (last.line_of, many); rounds; boxes = Big.of_int boxes }

(* How many bits a number near 0 begins with. *)
let bits_between q = if Big.ltb Big.zero q.qnum then max 0 (Big.numbits q.qden - Big.numbits q.qnum + 2) else 0

(* 64 bits and those of e^eps, by which what is lost is multiplied. *)
let steep eps =
  let above, unit = from_above eps (precision eps 64) in
  64 + Big.numbits above - Big.numbits unit
(* To how many bits laws are known, one after the other: at last below delta times e^-eps. *)
let finer eps delta =
  let first = 40 + bits_between delta in
  [ first; first + 64; first + 128; 4 * first; max (16 * first) (first + steep eps) ]

(* Of the law of users on one input, by powers, which are so wide: long products. *)
let powers_price wide bits =
  500. *. (wide +. 100.) *. (1. +. (float_of_int bits /. 200.)) *. (Float.max 1. (wide /. 1e4) ** 0.6)
(* Of the law of so many others on each input, where it is on a line. *)
let counts_work polys others (step, _) bits =
  let one (x, n) = match List.nth polys x with
    | [] -> 0.
    | (first, _) :: _ as f ->
      let qden = List.fold_left (fun sum (_, w) -> Big.add sum w) Big.zero f in
      let law = List.map (fun (k, qnum) -> (to_float (Big.div (Big.sub k first) step), ratio { qnum; qden })) f in
      let sum g = List.fold_left (fun sum (x, p) -> sum +. (g x *. p)) 0. law in
      let mean = sum Fun.id and most = List.fold_left (fun most (x, _) -> Float.max most x) 0. law in
      let spread = to_float n *. sum (fun x -> (x -. mean) *. (x -. mean)) in
      powers_price (Float.min (to_float n *. most) (12. *. (most +. sqrt spread))) bits in
  List.fold_left (fun sum o -> sum +. one o) 0. others
(* The line that the others' outcomes are on, where their law by powers is no more work than is begun, or worth. *)
let line_beside ?longest ?(worth = most_work) polys others bits =
  match steps_of_polys ?longest (List.map (fun (x, _) -> List.nth polys x) others) with
  | Some line when counts_work polys others line bits <= Float.min worth most_work -> Some line
  | _ -> None

(* How many boxes are looked at, at most: each is worth some powers of laws so wide. *)
let most_boxes claim (_, span) bits =
  let n = float_of_int claim.users and span = float_of_int (1 + span) in
  let wide = if span > 1. then Float.min (n *. span) (12. *. span *. (1. +. sqrt n)) else 1. in
  int_of_float (Float.min 1e6 (most_work /. powers_price wide bits))
(* Keys in a plane as if they were on a line, with room for all between them, unless that is long, or no less work. *)
let most_plane = 4_000_000 and most_planes = 2e7  (* of places; of those in all boxes *)
let plane polys users boxes worth = match steps_of_polys ~longest:(most_plane / users) polys with
  | Some (_, span) as line when float_of_int boxes *. float_of_int users *. float_of_int span <= Float.min most_planes (worth /. 100.) -> line
  | _ -> None
(* The same where outcomes do not lie on a line. *)
let most_looks claim sizes =
  let keys = List.concat_map (fun r -> List.map fst (normal (row_poly sizes.key_bits sizes.unit_of r))) claim.rows in
  let kinds = float_of_int (List.length (List.sort_uniq Big.compare keys)) in
  let most = List.map fst (reaches claim.rows) in
  let outcomes = outcomes_of claim.rows (float_of_int claim.users) most kinds in
  int_of_float (Float.min 1e6 (most_work /. (100. *. ((outcomes *. outcomes) +. 100.))))
(* How many tell most of the others from it. *)
let coarse claim =
  let d = claim.delta in
  20 + if Big.ltb Big.zero d.qnum then max 0 (Big.numbits d.qden - Big.numbits d.qnum) else 20

(* ---- counts: from where to where to walk along a noise law ---- *)
let most_steps = 2e6
let most_merged = 5e10   (* of long powers; twice as many where one direction is looked at *)
let most_gains = 1e8      (* steps for all shifts up to the sensitivity *)

(* The place where the law is largest, or next to it. *)
let mode = function
  | Binomial (n, p) -> Big.div (Big.mul (Big.add n Big.one) p.qnum) p.qden
  | Poisson lam -> Big.div lam.qnum lam.qden
  | NegativeBinomial (r, p) ->
    let above = Big.sub r.qnum r.qden in
    if Big.ltb above Big.zero then Big.zero
    else Big.div (Big.mul p.qnum above) (Big.mul r.qden (Big.sub p.qden p.qnum))
  | DiscreteLaplace _ -> Big.zero

(* So many bits have its parameters: what a step multiplies by. *)
let digits law =
  let of_q q = bits_of q.qnum +. bits_of q.qden in
  match law with
  | Binomial (n, p) -> bits_of n +. of_q p
  | Poisson q | DiscreteLaplace q -> of_q q
  | NegativeBinomial (r, p) -> of_q r +. of_q p

(* The least number of steps in this direction after which the law has fallen by so many bits, or is at its end. *)
let reach law from sign bits =
  let most = most_steps /. (1. +. (digits law /. 1000.)) in
  let log_2 x = Float.log x /. Float.log 2. in
  let quotient k = to_float (up law k) /. to_float (down law k) in
  let rec go steps fallen =
    if float_of_int steps > most then None
    else
      let at = Big.add from (Big.of_int (sign * steps)) in
      let next = Big.add at (Big.of_int sign) in
      if fallen > bits || not (inside law next) then Some steps
      else go (steps + 1) (fallen -. (float_of_int sign *. log_2 (quotient (if sign > 0 then at else next)))) in
  go 0 0.

(* ---- columns ---- *)
let most_places = 1_000_000
(* How a bell is known: so many steps from its middle, until it has fallen by some more bits. *)
let bell_hint bell fine =
  let bits = float_of_int fine +. 16. in
  let steps = match bell with
    | Gaussian v -> sqrt (2. *. log 2. *. bits *. (to_float v.qnum /. to_float v.qden)) +. 2.
    | Bounded (q, bound) ->
      let r = Float.min (ratio q) (1. -. 1e-12) in
      Float.min (to_float bound) ((bits /. -.(log (if r > 0. then r else 0x1p-60) /. log 2.)) +. 2.) in
  if not (steps <= most_steps) then raise (Too_much "a law is too wide to walk along");
  let steps = int_of_float steps in
  let unit = fine + 16 + (2 * Big.numbits (Big.of_int steps)) in
  let half = match bell with
    | Gaussian v -> Of { qnum = v.qden; qden = Big.mul (Big.of_int 2) v.qnum }
    | Bounded _ -> Of { qnum = Big.zero; qden = Big.one } in
  Around (steps, two unit, precision half (unit + 16))
(* How a law of numbers is known from below, to about so many bits. *)
(* How many numbers are known of a law at most, and between which; Too_much where that is too many of a sum. *)
let rec extent law hint = match law, hint with
  | _, Walk (lo, wide, _) -> float_of_int (wide + 1), to_float lo, to_float lo +. float_of_int wide
  | _, Around (steps, _, _) -> float_of_int ((2 * steps) + 1), -.float_of_int steps, float_of_int steps
  | Finite p, _ ->
    let places = List.map (fun (k, _) -> to_float k) p in
    float_of_int (List.length p), List.fold_left Float.min infinity places, List.fold_left Float.max neg_infinity places
  | Mod (m, one), Parts (_, hints) -> let many, _, _ = extent one (List.hd hints) in many, 0., to_float m
  | Mixture parts, Parts (_, hints) ->
    List.fold_left2 (fun (many, low, high) (_, one) hint ->
      let m, l, h = extent one hint in many +. m, Float.min low l, Float.max high h) (0., infinity, neg_infinity) parts hints
  | Sum parts, Parts (_, hints) ->
    let many, low, high = List.fold_left2 (fun (many, low, high) one hint ->
      let m, l, h = extent one hint in many *. m, low +. l, high +. h) (1., 0., 0.) parts hints in
    let found = Float.min many (high -. low +. 1.) in
    begun found 1e6;
    found, low, high
  | _ -> infinity, neg_infinity, infinity
let rec law_hint fine = function
  | Noise law when no_noise law <> None -> Walk (Big.zero, 0, Big.one)  (* which is known as it is *)
  | Noise (Binomial (n, p)) when not (Big.ltb (Big.of_int (4 * fine)) (Big.mul n (Big.of_int (Big.numbits p.qden)))) ->
    Walk (Big.zero, Big.to_int n, Big.pow (Big.sub p.qden p.qnum) n)
  | Noise law ->
    let at = mode law and bits = float_of_int fine +. 8. in
    (match reach law at (-1) bits, reach law at 1 bits with
     | Some left, Some right ->
       let wide = left + right in
       Walk (Big.sub at (Big.of_int left), wide, two (fine + (2 * Big.numbits (Big.of_int wide))))
     | _ -> raise (Too_much "a law is too wide to walk along"))
  | Bell bell -> bell_hint bell fine
  | Mod (_, one) -> Parts (Big.one, [ law_hint fine one ])
  | Finite p -> Parts (List.fold_left (fun unit (_, w) -> lcm unit w.qden) Big.one p, [])
  | Sum parts as law -> let found = Parts (Big.one, List.map (law_hint fine) parts) in ignore (extent law found); found
  | Mixture parts ->
    let hints = List.map (fun (_, one) -> law_hint fine one) parts in
    let unit (w, one) hint = Big.mul w.qden (snd (low_of most_places (Big.of_int fine) one hint)) in
    let units = List.map2 unit parts hints in
    let whole = List.fold_left lcm Big.one units in
    let long = Big.mul (List.fold_left Big.max Big.one units) (two fine) in
    Parts ((if Big.numbits whole <= 4 * fine then whole else long), hints)
(* How far sums of n draws by a law are apart, of which none has less than 2^-bits: Chernoff's bound, about. *)
let reached n bits law =
  let sum = List.fold_left (+.) 0. in
  let least = List.fold_left (fun least (k, _) -> if Big.ltb k least then k else least) (fst (List.hd law)) law in
  let whole = Big.max Big.one (List.fold_left (fun sum (_, w) -> Big.add sum w) Big.zero law) in
  let places = List.map (fun (k, w) -> (to_float (Big.sub k least), ratio { qnum = w; qden = whole })) law in
  let span = List.fold_left (fun most (x, _) -> Float.max most x) 1. places in
  let mean = sum (List.map (fun (x, p) -> x *. p) places) in
  let at t =
    let more = sum (List.map (fun (x, p) -> p *. Float.expm1 (t *. (x -. mean))) places) in
    ((n *. Float.log1p more) +. (bits *. log 2.)) /. Float.abs t in
  let side sign = List.fold_left Float.min infinity (List.init 19 (fun k -> at (sign *. Float.ldexp 1. (k - 9) /. span))) in
  Float.min (n *. span) (side 1. +. side (-1.))
(* Too_much where the sum of n draws by each of these is too wide: what is below 2^(-4 fine) is not kept. *)
let spread_work lows n fine =
  let bits = float_of_int fine in
  let each = function
    | [] -> 1.
    | law -> if n > 1. then reached n (4. *. bits) law else float_of_int (List.length law) in
  let wide = List.fold_left (fun most law -> Float.max most (each law)) 1. lows in
  begun (wide *. bits *. (1. +. (log n /. log 2.)) *. sqrt (wide *. bits)) 1e12;
  wide
(* How many shifts of a number are looked at. *)
let shifts_of claim = if largest_worst claim then 1. else to_float claim.largest
(* Whether what noise shows where it may be merged is computed exactly: then no law of a number is walked along. *)
let sides_known claim ends =
  let shifted = match ends with Some (x, y) -> not (Big.equal (brings x) (brings y)) | None -> true in
  shifted && largest_worst claim && match claim.once_added with
  | Some (Noise x) when two_sides x Big.one <> None ->
    let most = to_float claim.largest in
    (match x with DiscreteLaplace _ -> most | _ -> 1.) *. ((most *. digits x) ** 1.5) <= most_merged *. (if ends = None then 1. else 2.)
  | _ -> false
(* `ends`: what the user holds who changes, of a pair. *)
let number_hint ?ends claim fine =
  let law = Option.value ~default:(Finite [ (Big.zero, { qnum = Big.one; qden = Big.one }) ]) in
  let each = law claim.each_adds and once = law claim.once_added in
  let hint = if sides_known claim ends then fun _ -> Parts (Big.one, []) else law_hint fine in
  let by_each = hint each and by_once = hint once in
  let low law hint = fst (low_of most_places (Big.of_int fine) law hint) in
  let wide = Float.max (spread_work [ low each by_each ] (float_of_int claim.number_users) fine)
    (spread_work [ low once by_once ] 1. fine) in
  begun (shifts_of claim *. (wide +. to_float claim.largest) *. (1. +. (float_of_int fine /. 1000.))) most_gains;
  { number_places = most_places; number_fine = Big.of_int fine; by_each; by_once; number_bits = precision claim.number_eps (fine + 64) }
let columns_hint claim fine =
  let by_law = List.map (law_hint fine) claim.number_laws in
  let lows = List.map2 (fun law hint -> fst (low_of most_places (Big.of_int fine) law hint)) claim.number_laws by_law in
  ignore (spread_work lows (float_of_int claim.column_users) fine);
  { places_of = most_places; fine_bits = Big.of_int fine; by_law; eps_bits = precision claim.columns_eps (fine + 64) }

(* ---- sums of draws on a grid: its weights over 2^bits, and how much may be clipped at each step ---- *)
let most_placed = 5e6  (* places of a grid *)
let close = 14            (* bits below delta, of what clipping and rounding may add; 32 more where that is too much *)
let log_2 x = int_of_float (Float.ceil (Float.log (Float.max 1. x) /. Float.log 2.))
(* How the law of a sum of draws on a grid is known, to so many bits: the sum is at most `largest`. *)
let grid_way bits step cells largest =
  let room = 6 + Big.numbits cells and price = 2 + log_2 largest in
  { grid_step = (step.qnum, step.qden); bits_of = Big.of_int (bits + price + room); clip_at = two room }
(* How many places of a grid a sum of draws takes, where these span so much and have this mean square. *)
let places draws (span, square) bits step =
  let n = to_float draws in
  let tails = 2. *. Float.sqrt (float_of_int (2 * (bits + 40))) in
  Float.min (n *. span) (tails *. (Float.sqrt (n *. square) +. span)) /. ratio step

let any_way claim step cells more =
  let above = from_above claim.any_local (precision claim.any_local 64)
  and below = from_below claim.any_eps (precision claim.any_eps 64) in
  let e = ratio { qnum = fst above; qden = snd above } and a = ratio { qnum = fst below; qden = snd below } in
  let square = ((e *. e) +. (a *. a *. e *. e)) /. (e +. 1.) in
  let span = (e -. 1.) *. (a +. 1.) in
  let bits = close + more + Big.numbits claim.any_delta.qden - Big.numbits claim.any_delta.qnum in
  let found = grid_way (max bits 1) step cells (to_float claim.any_users *. e) in
  let few = places claim.any_users (e +. (a *. e), square) bits step < most_placed && span /. ratio step < to_float cells in
  let summed = not (no_less claim.any_eps claim.any_local above below) in  (* else there is nothing to sum *)
  if (few || not summed) && Big.to_int found.bits_of <= 100_000 then Some found else None

(* ---- several runs ---- *)
let grain = 26 and sharp = 128 and room = 32  (* bits of weights beyond delta's and cells; of a step's powers; below delta, dropped *)
let most_cells = Big.pow (Big.of_int 2) (Big.of_int 18)
let less a b = Big.ltb (Big.mul a.qnum b.qden) (Big.mul b.qnum a.qden)
(* On the finest of these lattices, with ever more cells. *)
let lattice_plans grids eps delta times =
  let z, unit = from_above eps (precision eps 64) and small = if Big.equal delta.qnum Big.zero then 64
    else max 0 (Big.numbits delta.qden - Big.numbits delta.qnum) in
  let three (_, cells) = Big.max cells (Big.of_int 3) in  (* what is on both sides of 1 has three, at every step *)
  let many = List.sort_uniq Big.compare (List.map three grids) in
  let cells = Big.numbits (List.nth many (List.length many - 1)) in
  let bits = grain + cells + small + (2 * Big.numbits times) + snd (Float.frexp (ratio { qnum = z; qden = unit })) in
  let least = List.fold_left (fun least (step, _) -> if less step least then step else least) (fst (List.hd grids)) grids in
  List.iter (fun cells -> begun (to_float cells) (to_float most_cells)) many;
  List.map (fun most -> { top = least.qnum; bottom = least.qden; bits0 = Big.of_int bits; sharp = Big.of_int sharp; most;
    room = Big.div (Big.mul delta.qnum (two (bits - room))) (Big.mul delta.qden times) }) many

(* Too_much where so many pairs, of more than two, are too many to be composed. *)
let products_work plan times pairs =
  let size = to_float plan.most *. to_float plan.bits0 /. 32. in
  begun ((pairs -. 2.) *. (2. +. float_of_int (Big.numbits times)) *. (size ** 1.6)) most_work

(* Fractions, in lowest terms. *)
let fraction a b = let g = gcd a b in { qnum = Big.div a g; qden = Big.div b g }
let minus x y = fraction (Big.sub (Big.mul x.qnum y.qden) (Big.mul y.qnum x.qden)) (Big.mul x.qden y.qden)
let product x y = fraction (Big.mul x.qnum y.qnum) (Big.mul x.qden y.qden)
let over x y = fraction (Big.mul x.qnum y.qden) (Big.mul x.qden y.qnum)  (* y > 0 *)
let up_to x = Big.neg (Big.div (Big.neg x.qnum) x.qden)
(* The pair whose curve is the lower convex hull of the points, their mirrors and (0, 1). *)
let dots_of plan points =
  let whole = { qnum = Big.one; qden = Big.one } and nothing = { qnum = Big.zero; qden = Big.one } in
  let unit = { qnum = Big.pow (Big.of_int 2) plan.bits0; qden = Big.one } in
  let both (t, d) =
    let back = over whole t in
    [ (fraction t.qnum t.qden, d); (back, minus whole (product back (minus whole d))) ] in
  let order (x, y) (u, v) = if less x u then -1 else if less u x then 1 else if less y v then -1 else if less v y then 1 else 0 in
  let rec turned = function  (* what lies above the line from before to after goes *)
    | (x1, y1) :: (x0, y0) :: rest, (x, y) when
        not (less (product (minus y1 y0) (minus x x1)) (product (minus y y1) (minus x1 x0))) -> turned ((x0, y0) :: rest, (x, y))
    | hull, one -> one :: hull in
  let add hull (x, y) = if less y (snd (List.hd hull)) then turned (hull, (x, y)) else hull in
  let hull = List.rev (List.fold_left add [ (nothing, whole) ] (List.sort order (List.concat_map both points))) in
  let rec falls = function
    | (x, v) :: ((u, y) :: _ as rest) -> over (minus v y) (minus u x) :: falls rest
    | _ -> [ nothing ] in
  let rec dots hull falls = match hull, falls with
    | (x, y) :: hull, before :: (after :: _ as falls) ->
      { at_ratio = x; height_of = y; weight_of = up_to (product unit (product x (minus before after))) } :: dots hull falls
    | _ -> [] in
  let found = dots (List.tl hull) (falls hull) in
  let (last, height), near = match List.rev hull with
    | last :: (near, _) :: _ -> (last, near)
    | _ -> ((nothing, whole), nothing) in
  let far = up_to (product unit height) and more = Big.of_int (List.length found + 2) in
  if dots_stand plan far found then (far, found)
  else if less nothing height then (Big.add far more, found)
  else begin  (* for all that was rounded down, without any mass where there was none *)
    let wider = up_to (over (product { nothing with qnum = more } last) (minus last near)) in
    (far, List.mapi (fun i d -> if i + 1 < List.length found then d else { d with weight_of = Big.add d.weight_of wider }) found)
  end
