(* A verdict. "accepted" is said only where `check` returned true, of which the theorem
   `check_sound` speaks, and of the claim that was checked; the other three verdicts rest on this file. *)
open Checked
open Hints
module List = Json.List
open Words

(* accepted: what is claimed, and what the theorem says *)
type verdict = Accepted of string * string | Rejected of string | Undecided of string | Malformed of string

(* Whether it is false: with e^eps rounded to the side that helps it, exact arithmetic does not bear it out. *)
let refuted claim evidence sizes hint =
  let turned side = match claim.eps with
    | Of _ -> let qnum, qden = side claim.eps hint.precise in { claim with eps = Log { qnum; qden } }
    | Log _ -> claim in
  let below = turned from_below and above = turned from_above in
  match evidence with
  | Proved (_, None) -> Some "a listed symmetry is none"
  | Refuted (p, event) ->
    if event_holds below sizes p event hint then None
    else Some "evidence.event: P(event) - e^eps Q(event) is not above delta"
  | Proved (symmetries, Some ((p, lower), upper)) ->
    if not (symmetries_hold claim sizes symmetries) then Some "evidence.symmetries: one is none"
    else if not (lower_holds { below with delta = lower } sizes p hint) then
      Some "evidence.worst.delta.lower: the pair does not reach it"
    else if not (upper_holds (Checked.core { above with delta = smaller upper claim.delta }) sizes hint) then
      Some "claim.delta or evidence.worst.delta.upper: exceeded by a pair"
    else None

let messages names = Array.length names.messages
let by theorem words = Printf.sprintf "by theorem %s of proofs/coq/%s" theorem words

(* Sizes, where the rows are a randomizer's and not too many or too long. *)
let ready claim names =
  let found = sizes claim (messages names) in
  if not (valid found.unit_of claim.rows) then
    Json.bad "claim.randomizer.rows: expected weights above 0 that sum to exactly 1";
  begun (table_work claim found (messages names)) most_table;
  found
let few_users claim = if claim.users > most_users then raise (Too_much (Printf.sprintf "more than %d users" most_users))

let decide claim evidence names =
    let sizes = ready claim names in
    let single = List.length claim.rows = 1 in
    if claim.sees = Shuffled && not single then few_users claim;
    let evidence = evidence () in
    (match evidence with Proved (symmetries, _) -> begun (symmetries_work claim symmetries) most_table | Refuted _ -> ());
    let claimed verdict = verdict ^ ": " ^ of_claim names claim and sound = by "check_sound" "Kernel.v " in
    let accepted = match evidence with
      | Proved (_, None) -> Accepted (claimed "PROVED", sound ^ "there are no neighbours, and so the claim is true")
      | Proved (_, Some ((_, lower), upper)) -> Accepted (claimed "PROVED", Printf.sprintf "%sthe claim is true, the \
          named pair's delta(eps) is at least %s, and that of all pairs at most %s" sound (ending lower) (ending upper))
      | Refuted _ -> Accepted (claimed "REFUTED", sound ^ "the claim is false: the listed event of the named pair \
          exceeds delta") in
    let first = max 32 (likely claim evidence) in
    let all, few = if single then (0., 0.) else work claim sizes first in
    let line = if all <= small_work then None else steps_of claim sizes in
    let boxes = match line with Some line -> most_boxes claim line ((2 * first) + 128) | None -> 0 in
    if boxes < 20 then begun (Float.min all few) most_work;
    begin
      let decided = match claim.eps with Of q -> Big.equal q.qnum Big.zero | Log _ -> true in
      let bits = [ first; first + 32; (2 * first) + 128 ] in
      let rounds = match line with
        | Some line when boxes >= 20 -> List.map (by_boxes claim.eps claim.users line boxes (coarse claim)) bits
        | _ -> List.map (rounded claim.eps claim.users) bits in
      let rec exactly = function
        | [] -> Undecided "too few bits: 32768 bits of e^eps do not decide"
        | bits :: more ->
          let hint = exact claim.eps bits in
          if check claim evidence sizes [ hint ] then accepted
          else match refuted claim evidence sizes hint with
            | Some why -> Rejected why
            | None -> exactly more in
      let exactly () = exactly (if decided then [ 64 ] else [ first + 32; 512; 2048; 8192; 32768 ]) in
      if all <= Float.max few small_work then exactly ()
      else if (boxes >= 20 || few <= most_work) && check claim evidence sizes rounds then accepted
      else if all <= most_work then exactly ()
      else Undecided "with rounded weights it is not borne out, and exactly it is too much work"
    end

(* Covers: accepted by theorem `check_tree_sound`. *)
let decide_cover claim tree names =
    let sizes = ready claim names in
    let first = max 32 (coarse claim + 24) in
    let line = steps_of claim sizes in
    let single = List.length claim.rows = 1 in
    let all = if single then 0. else fst (work claim sizes first) in
    let looks = match line with
      | Some line -> most_boxes claim line first
      | None -> most_looks claim sizes in
    if (List.length tree + 1) / 2 > looks && not single then Undecided "too much work: many wide boxes"
    else begin
      let d = sizes.unit_of in
      let polys = List.map (fun r -> normal (row_poly sizes.key_bits d r)) claim.rows in
      let total = Big.sub (Big.of_int claim.users) Big.one in
      (* whether it is false: some corner exceeds it, by the other ends of the same sums *)
      let false_at round many =
        let r = prepare polys d many round in
        let z, unit = from_above claim.eps round.prec_of in
        let exceeds m =
          let v = law_at r m [] r.nobody_yet in
          let most = Big.mul (Big.mul claim.delta.qnum (Big.mul v.scale d)) unit in
          let pair i j =
            let gap = Tail.stick unit z (one_more polys i v.low) (one_more polys j v.high) Big.zero in
            let gap = Big.sub gap (Big.mul z (Big.mul d v.lost)) in
            i <> j && Big.ltb most (Big.mul gap claim.delta.qden) in
          let inputs = List.mapi (fun i _ -> i) polys in
          List.exists (fun i -> List.exists (pair i) inputs) inputs in
        let place x = Tail.position (rep polys x) (classes_of polys) in
        not (by_cuts place (fun m -> not (exceeds m)) total tree [ all_within total polys ]) in
      let rec go = function
        | [] -> Undecided "so many bits do not decide"
        | bits :: more ->
          let line = Option.value line ~default:(Big.one, -1) in
          let hint = by_boxes claim.eps claim.users line 0 bits bits in
          let many = if single then 0 else match hint.fast with Some (_, many) -> many | None -> 0 in
          let ties = if all <= small_work then [ hint.precise ] else [] in
          if check_tree claim sizes hint.rounds many ties tree then
            Accepted ("PROVED: " ^ of_claim names claim, by "check_tree_sound" "Kernel.v the claim is true")
          else if List.exists (fun round -> false_at round many) hint.rounds then
            Rejected "evidence.cover: exceeded for the corner of a box"
          else go more in
      go [ first; first + 64; 4 * first ]
    end

(* Counts and histograms: accepted by theorems `check_count_sound` and `check_histogram_sound`. *)
let decide_count ?histogram count verdict lower upper =
  let qnum = Big.sub (Big.mul upper.qnum lower.qden) (Big.mul lower.qnum upper.qden) in
  let between = { qnum; qden = Big.mul upper.qden lower.qden } in
  let size q = Big.numbits q.qden - Big.numbits q.qnum in
  let apart = Big.ltb Big.zero between.qnum in
  let relative = if apart then max 0 (size between - size upper) else 200 in
  let absolute = max 0 (if apart then size between else size upper + 200) in
  let below q = { qnum = Big.mul q.qnum (Big.sub (two 80) Big.one); qden = Big.mul q.qden (two 80) } in
  let rows = histogram <> None in
  let claimed, sound, check, lower_end, upper_end = match histogram with
    | None ->
      of_count count, by "check_count_sound" "CountKernel.v ", check_count count, lower_end count, upper_end count
    | Some c ->
      of_histogram c, by "check_histogram_sound" "Histogram.v ", check_histogram c, histogram_lower c, histogram_upper c in
  let counted =
    let claimed, is = if verdict = PROVED then "PROVED: " ^ claimed, "true" else "REFUTED: " ^ claimed, "false" in
    Accepted (claimed, Printf.sprintf "%sthe claim is %s, and the largest delta(eps) lies in [%s, %s]" sound is
      (ending lower) (ending upper)) in
  let rec go = function
    | [] -> Undecided "so many bits do not decide"
    | more_bits :: more ->
      match walk ~rows count (absolute + more_bits) (relative + more_bits) with
      | None -> Undecided "too much work: the law is too wide to walk along"
      | Some hint ->
        if check verdict lower upper hint then counted
        else if lower_end hint upper true then Rejected "evidence.delta.upper: delta(eps) is above"
        else if upper_end hint (below lower) then Rejected "evidence.delta.lower: delta(eps) is below"
        else if verdict = PROVED && lower_end hint count.count_delta true then Rejected "claim.delta: exceeded"
        else if verdict = REFUTED && upper_end hint count.count_delta then Rejected "claim.delta: kept"
        else go more in
  match count.law_of with
  | Binomial (_, p) when Big.equal p.qnum Big.zero || Big.equal p.qnum p.qden ->
    if rows then raise (Certificate.Not_covered "a histogram whose noise is a known number");
    let hint =
      { exponent_bits = precision count.count_eps 64; window_from = Big.zero; wide = 0; weight_bits = Big.zero } in
    if check verdict lower upper hint then counted
    else Rejected "evidence.delta or claim.delta: delta(eps) is 1"
  | _ -> go [ 16; 128 + absolute ]

(* Thresholds: accepted by theorem `check_threshold_sound`, or by that of a check that says more. *)
let decide_threshold ?by_check claim pair threshold names =
    let sizes = ready claim names in
    few_users claim;
    let all = threshold_work claim threshold in
    begun all most_work;
    let pair = pair () in
    let check, accepted = match by_check with
      | Some f -> f sizes
      | None -> check_threshold, Accepted ("REFUTED: " ^ of_claim names claim, by "check_threshold_sound"
          "Threshold.v the claim is false: the named pair's threshold event exceeds delta") in
    let d = sizes.unit_of in
    let polys = List.map (fun r -> normal (row_by (weighed threshold.weights) d r)) claim.rows in
    let line = steps_of_polys polys in
    begin
      (* whether it is false: the other ends of the same sums *)
      let false_at { precise; fine; cut; fast; _ } =
        let z, unit = from_below claim.eps precise in
        let v = law_of0 polys d precise fine cut fast pair.others in
        let event k = Big.ltb threshold.above k in
        let p = Big.add (weight_in event (one_more polys pair.from v.high)) (Big.mul d v.lost) in
        let q = weight_in event (one_more polys pair.to0 v.low) in
        let gap = Big.mul (Big.sub (Big.mul unit p) (Big.mul z q)) claim.delta.qden in
        Big.leb gap (Big.mul (Big.mul claim.delta.qnum (Big.mul v.scale d)) unit) in
      let first = max 32 (40 + Big.numbits claim.delta.qden - Big.numbits claim.delta.qnum) in
      let rec go = function
        | [] -> Undecided "so many bits do not decide"
        | bits :: more ->
          let hint = match line with
            | Some line -> by_boxes claim.eps claim.users line 0 bits bits
            | None -> rounded claim.eps claim.users bits in
          if check claim pair threshold d hint.precise hint.fine hint.cut hint.fast then accepted
          else if false_at hint then Rejected "evidence.threshold: P(event) - e^eps Q(event) is not above delta"
          else go more in
      go [ first; 2 * first; 8 * first ]
    end

(* Blankets: accepted by theorem `check_blanket_sound`. *)
let decide_blanket claim step cells names =
    let sizes = ready claim names in
    if List.fold_left (fun sum row -> sum + List.length row) 0 claim.rows > most_outputs then
      raise (Too_much (Printf.sprintf "more than %d outputs" most_outputs));
    begun (blanket_work claim) most_table;
    let rec go = function
      | [] -> Undecided "evidence.blanket: the bound, with these hints, is above delta"
      | more :: rest ->
        match blanket_way claim step cells more sizes.unit_of with
        | None -> Undecided "evidence.blanket: too few cells for one step, or too much work"
        | Some way ->
          let precise = precision claim.eps (Big.to_int way.bits_of + 64) in
          if check_blanket claim sizes.unit_of precise way then
            Accepted ("PROVED: " ^ of_claim names claim, by "check_blanket_sound" "CheckBlanket.v the claim is true, \
              and so is that the blanket's bound is at most delta for every pair of inputs")
          else go rest in
    go [ 0; 64 ]

(* Any randomizer: accepted by theorems `check_any_sound` and `check_one_sound`. *)
let decide_any claim step cells =
  let rec go = function
    | [] -> Undecided "evidence.blanket: the bound for all randomizers, with these hints, is above delta"
    | more :: rest ->
      match any_way claim step cells more with
      | None -> Undecided "evidence.blanket: too few cells for one step, or too much work"
      | Some way ->
        let bits = Big.to_int way.bits_of + 64 in
        let a = precision claim.any_local bits and b = precision claim.any_eps bits in
        let both = if a.halvings > b.halvings then a else b in
        if check_any claim both way then Accepted ("PROVED: " ^ of_any claim, by "check_any_sound" "CheckAny.v the claim is \
          true of every randomizer with finitely many outputs")
        else go rest in
  go [ 0; 64 ]
exception Less_private
let decide_one local share claim pair threshold names =
  let by_check sizes =
    (* every pair of inputs, with ever more bits *)
    let inputs = float_of_int (List.length claim.rows) in
    let most = List.fold_left (fun m r -> max m (List.length r)) 1 claim.rows in
    begun (400. *. inputs *. inputs *. float_of_int most) most_table;
    let rec private_at = function
      | [] -> raise (Certificate.Not_covered "too few bits: 8192 bits of e^local do not decide")
      | bits :: more ->
        let hint = exact local bits in
        if upper_holds (alone local share claim) sizes hint then hint
        else begin
          let qnum, qden = from_above local hint.precise in
          if not (upper_holds (alone (Log { qnum; qden }) share claim) sizes hint) then raise Less_private;
          private_at more
        end in
    let hint = private_at [ 64; 512; 2048; 8192 ] in
    (fun claim pair threshold _ -> check_one local share claim pair threshold sizes hint),
    Accepted ("REFUTED: " ^ of_one names local share claim, by "check_one_sound" "CheckAny.v the randomizer of the \
      evidence is as private as is claimed, and its threshold event exceeds delta") in
  try decide_threshold ~by_check claim pair threshold names
  with Less_private -> Rejected "evidence.randomizer: less private than claim.mechanism says"

let verdict data =
  try
    match Certificate.read data with
    | Enumeration (claim, evidence, names) -> decide claim evidence names
    | Threshold (claim, pair, threshold, names) -> decide_threshold claim pair threshold names
    | Cover (claim, tree, names) -> decide_cover claim tree names
    | Blanket (claim, step, cells, names) -> decide_blanket claim step cells names
    | Any (claim, step, cells) -> decide_any claim step cells
    | One (local, share, claim, pair, threshold, names) -> decide_one local share claim pair threshold names
    | Histogram (c, verdict, lower, upper) -> decide_count ~histogram:c (as_count c) verdict lower upper
    | Count (count, verdict, lower, upper) -> decide_count count verdict lower upper
  with
  | Json.Malformed why -> Malformed why
  | Certificate.Not_covered why -> Undecided why
  | Too_much why | Failure why -> Undecided ("too much work: " ^ why)
  | Stack_overflow | Out_of_memory -> Undecided "too much work: no room for it"

let words = function
  | Accepted (claimed, theorem) -> "accepted: " ^ claimed ^ ": " ^ theorem
  | Rejected why -> "rejected: " ^ why
  | Undecided why -> "undecided: " ^ why
  | Malformed why -> "malformed: " ^ why
