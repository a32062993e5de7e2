(* Certificates of versions 1 to 8, as far as there are theorems. It goes with them. *)
open Checked
open Hints
module List = Json.List
open Old_words
open Decide

(* Whether it is false: with e^eps rounded to the side that helps it, exact arithmetic does not bear it out. *)
let refuted claim evidence sizes hint =
  let below = turned claim from_below hint and above = turned claim from_above hint in
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
    enumerated claim sizes first (check claim evidence sizes) (refuted claim evidence sizes) (fun () -> accepted)

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

let verdict data = match Old_certificate.read data with
  | Enumeration (claim, evidence, names) -> decide claim evidence names
  | Threshold (claim, pair, threshold, names) -> decide_threshold ~said:of_claim claim pair threshold names
  | Cover (claim, tree, names) -> decide_cover ~said:of_claim claim [] tree names
  | Blanket (claim, step, cells, names) -> decide_blanket ~said:of_claim claim [] step cells names
  | Any (claim, step, cells) -> decide_any ~said:of_any claim step cells
  | One (local, share, claim, pair, threshold, names) ->
    decide_one ~said:(of_one names) local share claim pair threshold names
  | Histogram (c, verdict, lower, upper) -> decide_count ~histogram:c (as_count c) verdict lower upper
  | Count (count, verdict, lower, upper) -> decide_count count verdict lower upper
