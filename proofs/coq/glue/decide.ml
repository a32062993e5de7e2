(* A verdict. "accepted" is said only where a `check...` returned true, of the claim that was checked, of which a theorem
   speaks; the other three verdicts rest on this file. *)
open Checked
open Hints
module List = Json.List
open Words

(* accepted: what is claimed, and what the theorem says *)
type verdict = Accepted of string * string | Rejected of string | Undecided of string | Malformed of string

let messages names = List.length names.messages_called
let by theorem words = Printf.sprintf "by theorem %s of proofs/coq/%s" theorem words

let too_many () = raise (Too_much (Printf.sprintf "more than %d users, who are spelled out" most_users))
let many_users (claim : claim) = claim.sees = Shuffled && List.length claim.rows > 1 && claim.users > most_users
let few_users claim = if many_users claim then too_many ()
(* Whether all inputs are alike: then the others are one dataset, and none is spelled out. *)
let one_class claim sizes =
  List.length (classes_of (List.map (fun r -> normal (row_poly sizes.key_bits sizes.unit_of r)) (core claim).rows)) = 1
(* Sizes, where the rows are a randomizer's and not too many or too long. *)
let ready claim names =
  let found = sizes claim (messages names) in
  if not (valid found.unit_of claim.rows) then
    Json.bad "claim.randomizer.rows: expected weights above 0 that sum to exactly 1";
  begun (table_work claim found (messages names)) most_table;
  found

(* Whether the proof is one of the claim, and whether the pair has this gap: theorems `check_crowd_sound`,
   `check_crowd_false_sound`. *)
let own_unit crowd = List.fold_left lcm Big.one (List.concat_map (List.map (fun (_, p) -> p.qden)) crowd.each)
let kept crowd sizes proof = check_crowd crowd (own_unit crowd) sizes.unit_of proof
(* Whether delta is at least 1: then there is nothing to say of any pair. *)
let certain crowd sizes judge = Big.leb crowd.crowd_delta.qden crowd.crowd_delta.qnum && judge crowd sizes Certain
let broken crowd sizes pair gap = check_crowd_false crowd (own_unit crowd) sizes.unit_of pair gap
let proved names crowd = Accepted ("PROVED: " ^ of_crowd names crowd, by "check_crowd_sound" "Presence.v the claim is true")
let refuted names crowd words =
  Accepted ("REFUTED: " ^ of_crowd names crowd, by "check_crowd_false_sound" "Presence.v the claim is false: " ^ words)

(* Whether all renamings that a proof lists are such. *)
let renamed claim symmetries sizes =
  begun (symmetries_work claim symmetries) most_table;
  symmetries_hold claim sizes symmetries
let no_renaming = Rejected "because.renamings: one is none"

(* The claim for an end of e^eps. *)
let turned claim side hint = match claim.eps with
  | Of _ -> let qnum, qden = side claim.eps hint.precise in { claim with eps = Log { qnum; qden } }
  | Log _ -> claim

(* All datasets, or those of a pair with such `others`: `check` of hints in turn, and what is `wrong` with one. *)
let enumerated ?others claim sizes first check wrong accepted =
    let single = List.length claim.rows = 1 and one = others <> None in
    let all, few = if single then (0., 0.) else work ~one claim sizes first in
    let all = if one && many_users claim then infinity (* who are not spelled out *) else all in
    let last = max ((2 * first) + 128) (if one then first + steep claim.eps else 0) in
    let bits = [ first; first + 32; last ] in
    let line, boxes = match others with
      | _ when all <= small_work -> None, 0
      | Some others ->
        let line = line_beside (polys_of (core claim) sizes) others last in
        line, if line = None then 0 else 1
      | None ->
        let line = steps_of claim sizes in
        line, match line with Some line -> most_boxes claim line last | None -> 0 in
    let alone = one || one_class claim sizes in
    let boxed = boxes >= if alone then 1 else 20 in
    if not boxed then begin
      if one then few_users claim;
      begun (Float.min all few) most_work
    end;
    let decided = match claim.eps with Of q -> Big.equal q.qnum Big.zero | Log _ -> true in
    let rounds = match line with
      | Some line when boxed ->
        List.map (fun b -> by_boxes claim.eps claim.users line boxes (if alone then b else coarse claim) b) bits
      | _ -> List.map (rounded claim.eps claim.users) bits in
    let rec by_turns otherwise = function
      | [] -> otherwise ()
      | hint :: more ->
        if check [ hint ] then accepted ()
        else match wrong hint with
          | Some why -> Rejected why
          | None -> by_turns otherwise more in
    let exactly () =
      by_turns (fun () -> Undecided "too few bits: 32768 bits of e^eps do not decide")
        (List.map (exact claim.eps) (if decided then [ 64 ] else [ first + 32; 512; 2048; 8192; 32768 ])) in
    let at_last () =
      if all <= most_work then exactly ()
      else Undecided "with rounded weights it is not borne out, and exactly it is too much work" in
    if all <= Float.max few small_work then exactly ()
    else if not (boxed || few <= most_work) then at_last ()
    else if one then by_turns at_last rounds
    else if check rounds then accepted ()
    else at_last ()
let first_bits claim = 40 + bits_between claim.delta
let unless shown why = if shown then None else Some why

(* Whether the best event of counts modulo a power of 2 exceeds delta, where counts themselves are on no line. *)
let told_by_few_bits crowd sizes pair =
  let claim = claim_of crowd in
  let first = first_bits claim and others = others_of claim pair and table = core claim in
  let one_by_one = if many_users claim then infinity else
    let all, few = work ~one:true claim sizes first in Float.min all few in
  if one_by_one <= small_work || line_beside (polys_of table sizes) others first <> None then false else
  let fewer = narrow claim sizes others (first - 24) in
  match line_beside ~longest:most_users ~worth:one_by_one (polys_of table fewer) others (first + 32) with
  | None -> false
  | Some line ->
    let shown = List.map (fun b -> by_boxes claim.eps claim.users line 1 b b) [ first; first + 32 ] in
    broken crowd fewer pair (BestEvent (fewer, shown))
(* Whether, where delta is 0, as many of one message as there can be, or as few, tell that it is exceeded. *)
let alone_work = 1e5  (* from where it is tried whether one user keeps a claim without the others *)
let renaming_steps = 100.  (* to see what one renaming makes of one pair *)
let topmost_bits = [ 64; 512 ]  (* of e^eps, where chances of the highest sum are compared *)
let told_by_one_message crowd sizes pair =
  let claim = claim_of crowd and unit = sizes.unit_of in
  let shown threshold bits = broken crowd sizes pair (Topmost (threshold, unit, precision claim.eps bits)) in
  claim.sees = Shuffled && Big.equal claim.delta.qnum Big.zero &&
  match steepest claim unit pair with
  | Some threshold -> List.exists (shown threshold) topmost_bits
  | None -> false
let not_above = "because.pair: its delta(eps) is not above delta"
(* Whether an event of a pair, or its best one, is seen not to exceed delta, with all that this hint leaves out. *)
let too_little ?event (claim : claim) polys d pair { precise; fine; cut; fast; _ } =
  let z, unit = from_below claim.eps precise in
  let v = law_of polys d precise fine cut fast (others_of claim pair) in
  let at y = beside fast (List.nth polys y) v.low in
  let p = at pair.from_told and q = at pair.to_told in
  let most = match event with
    | None -> Tail.stick unit z p q Big.zero
    | Some event -> Big.sub (Big.mul unit (weight_in event p)) (Big.mul z (weight_in event q)) in
  let most = Big.mul (Big.add most (Big.mul unit (Big.mul d v.lost))) claim.delta.qden in
  Big.leb most (Big.mul (Big.mul claim.delta.qnum (Big.mul v.scale d)) unit)
(* An event of a pair: `gap` makes the program's of sizes and hints; `why` unless it `holds` at an end of e^eps. *)
let on_event ?event crowd sizes pair names gap holds why words =
  let claim = claim_of crowd in
  let polys = polys_of (core claim) sizes in
  enumerated ~others:(others_of claim pair) claim sizes (first_bits claim) (fun hints -> broken crowd sizes pair (gap sizes hints))
    (fun hint ->
      if hint.rounded then unless (not (too_little ?event claim polys sizes.unit_of pair hint)) why
      else unless (holds (turned claim from_below hint) sizes pair hint) why)
    (fun () -> refuted names crowd words)

(* The best event of a pair. *)
let decide_pair crowd pair sizes names =
  let words = "the named pair's delta(eps) exceeds delta" in
  if told_by_one_message crowd sizes pair || told_by_few_bits crowd sizes pair then refuted names crowd words else
  on_event crowd sizes pair names (fun sizes hints -> BestEvent (sizes, hints)) pair_exceeds not_above words

(* An event whose outcomes are listed. *)
let decide_outcomes crowd pair outcomes sizes names =
  let event = among (listed_keys (claim_of crowd) sizes outcomes) in
  on_event ~event crowd sizes pair names (fun sizes hints -> Listed (outcomes, sizes, hints))
    (fun claim sizes p hint -> event_holds claim sizes p outcomes hint)
    "because.event: P(event) - e^eps Q(event) is not above delta" "the listed event of the named pair exceeds delta"

(* Covers that differ from pair to pair: compositions one by one, corners, fewer users, blocks of users. *)
let decide_pairwise ?(judge = kept) crowd symmetries sent entries names =
  let table = claim_of crowd in
  let sizes = ready table names in
  let used = if table.sees = Shuffled then symmetries else [] in
  if used = [] && not (renamed table symmetries sizes) then no_renaming else begin
    let claim = Checked.core table in
    let d = sizes.unit_of in
    let polys = List.map (fun r -> normal (row_poly sizes.key_bits d r)) claim.rows in
    let line = steps_of claim sizes and first = max 32 (coarse claim + 24) in
    let pairs = List.map (fun (one : entry) -> (one.goes_from, one.goes_to)) entries in
    begun (renaming_steps *. float_of_int (List.length used) *. float_of_int (List.length entries)) most_table;
    let entries, stays, ups, moved = Blocks.by_renamings entries used in
    let groups = if List.exists (fun (one : entry) -> one.nodes <> [ AsEach ]) entries then []
      else
        let kinds = List.map stays entries in
        List.map (fun by -> (float_of_int (List.length (List.filter (( = ) by) kinds)), float_of_int (List.length by)))
          (List.sort_uniq compare kinds) in
    let all, few = work ~groups claim sizes first and shared = Blocks.shared claim (List.length crowd.each) sizes polys sent in
    let decided = match claim.eps with Of q -> Big.equal q.qnum Big.zero | Log _ -> true in
    let false_at corners many round =
      let r = prepare polys d many round in
      let z, unit = from_above claim.eps round.prec_of in
      List.exists (fun (pairs, m) ->
        let v = law_at r m [] r.nobody_yet in
        List.exists (fun (i, j) ->
          let gap = Tail.stick unit z (one_more polys i v.low) (one_more polys j v.low) Big.zero in
          let gap = Big.sub gap (Big.mul z (Big.mul d v.lost)) in
          Big.ltb (Big.mul (Big.mul claim.delta.qnum (Big.mul v.scale d)) unit) (Big.mul gap claim.delta.qden)) pairs)
        corners in
    let block = function AsBlock _ -> true | _ -> false in
    let undecided = Undecided "because: a bound, with these hints, is above delta" in
    (* What the user sends who changes may keep it without the others. *)
    let alone () =
      let nobody = Here (Fewer (List.map (fun _ -> Big.zero) shared.classes)) and prec = precision claim.eps (first + 64) in
      let tree = { goes = pairs; tree_of = [ nobody ] } in
      judge crowd sizes (Trees (sizes, [], 0, [ prec ], prec, Array.to_list shared.sure, [ tree ], [], [])) in
    let rec go tried = function
      | [] -> undecided
      | (bits, affordable) :: more ->
        let trees = Blocks.covers ~kept:stays shared entries bits in
        if certain crowd sizes judge then (if renamed table used sizes then proved names crowd else no_renaming) else
        let leaves = Blocks.corners shared trees in
        let corners = List.concat_map (fun (pairs, m) -> match m with Some m -> [ (pairs, m) ] | None -> []) leaves in
        let one_by_one = List.length corners < List.length leaves in
        let users m = List.fold_left Big.add Big.one m in
        let most = List.fold_left (fun most (_, m) -> let k = users m in if Big.ltb most k then k else most) Big.one corners in
        let spelled = { claim with users = Big.to_int most } in
        let exactly, about = work ~one:true spelled sizes first in
        let times x = x *. float_of_int (List.length corners) in
        let along = if line <> None then line else plane polys spelled.users (List.length corners) (times about) in
        let looks = match line with Some line -> most_boxes spelled line first | None -> most_looks spelled sizes in
        let wide = List.length corners > looks && all > small_work && few > most_work in
        if wide && (line <> None || along = None) then Undecided "too much work: many wide boxes"
        else begin
          if one_by_one then (few_users table; begun (Float.min all few) most_work);
          few_users spelled;
          let hint = by_boxes claim.eps spelled.users (Option.value along ~default:(Big.one, -1)) 0 bits bits in
          let many = List.fold_left (fun m (_, ks) -> List.fold_left (fun m k -> max m (Big.numbits k)) m ks) 0 corners in
          let exactly, about = if one_by_one then Float.max (times exactly) all, few else times exactly, times about in
          let exact_too = leaves <> [] && exactly <= Float.max about affordable in
          if affordable > small_work && exact_too = tried then undecided else
          let only = exact_too && (exactly <= about || (one_by_one && corners = [])) in
          let rounds = if leaves = [] || only then [] else hint.rounds in
          let ties = if exact_too then [ hint.precise ] else [] in
          let proof = Trees (sizes, rounds, many, ties, precision claim.eps (bits + 64), Array.to_list shared.sure, trees, ups, moved) in
          let least () = { crowd with crowd_eps = (turned claim from_above hint).eps } in
          if judge crowd sizes proof then proved names crowd
          else if not (renamed table used sizes) then no_renaming
          else if List.exists (false_at corners many) rounds then Rejected "because: exceeded for the corner of a box"
          else if exact_too && not (List.exists (fun one -> List.exists block one.nodes) entries) &&
              (decided || not (judge (least ()) sizes proof)) then
            Rejected "because: delta(eps) is above delta for a pair, or for the corner of a box"
          else go exact_too more
        end in
    if groups <> [] && judge == kept && Float.min all few > alone_work && alone () then
      (if renamed table used sizes then proved names crowd else no_renaming)
    else try go false [ (first, small_work); (first + 64, small_work); (first + 64, most_work) ] with Blocks.No_block -> Rejected "because: no block in a box"
  end

(* All neighbouring datasets: where there are renamings, of pairs that these do not move to others. *)
let decide_each ?(judge = kept) crowd symmetries names =
  let claim = claim_of crowd in
  let sizes = ready claim names in
  if (symmetries <> [] || judge == kept) && claim.sees = Shuffled && List.length claim.rows > 1 && steps_of claim sizes = None then
    let entry (goes_from, goes_to) = { goes_from; goes_to; nodes = [ AsEach ] } in
    let sent = List.map (fun _ -> []) claim.rows in
    decide_pairwise ~judge crowd symmetries sent (List.map entry (all_moves (List.length claim.rows))) names
  else if not (renamed claim symmetries sizes) then no_renaming
  else if certain crowd sizes judge then proved names crowd
  else let () = if not (one_class claim sizes) then few_users claim in
  enumerated claim sizes (first_bits claim) (fun hints -> judge crowd sizes (AllDatasets (sizes, symmetries, hints)))
    (fun hint -> unless (upper_holds (Checked.core (turned claim from_above hint)) sizes hint)
      "because: delta(eps) is above delta for a pair")
    (fun () -> proved names crowd)

(* What rows keep: all at once where there is nothing to say of any pair, else pair by pair. *)
let decide_rows ?judge { crowd_kept; symmetries_told; proof_told; names_told } = match proof_told with
  | EachPair -> decide_each ?judge crowd_kept symmetries_told names_told
  | ByEntries (sure, entries) -> decide_pairwise ?judge crowd_kept symmetries_told sure entries names_told

(* What the first of these hints says that says anything. *)
let with_hints hints says =
  let rec go = function
    | [] -> Undecided "because: the probabilities of the noise, to as many digits as are tried, do not tell delta(eps) from delta"
    | hint :: more -> match says (hint ()) with Some found -> found | None -> go more in
  go hints
(* A number that is seen with noise: accepted by theorems `check_number_sound`, `check_number_false_sound`. *)
let decide_number claim ends =
  let claimed = of_number claim and tried = finer claim.number_eps claim.number_delta in
  let says hint = match ends with
    | None when check_number claim hint ->
      Some (Accepted ("PROVED: " ^ claimed, by "check_number_sound" "Shifts.v the claim is true"))
    | None when number_exceeded claim hint -> Some (Rejected "because: delta(eps) is above delta")
    | Some (x, y) when check_number_false claim hint x y ->
      Some (Accepted ("REFUTED: " ^ claimed, by "check_number_false_sound" "Shifts.v the claim is false"))
    | Some (x, y) when number_not_exceeded claim hint x y -> Some (Rejected not_above)
    | _ -> None in
  with_hints (List.map (fun fine () -> number_hint ?ends claim fine) tried) says

(* Whether a pair's threshold event is shown to exceed delta, by `check` of ever more bits. *)
let on_threshold ?highest (claim : claim) sizes pair threshold check accepted =
    let d = sizes.unit_of in
    let alone = match highest with  (* of a delta of 0 the highest sum may be enough *)
      | Some shown when Big.equal claim.delta.qnum Big.zero -> List.exists (fun bits -> shown pair (precision claim.eps bits)) topmost_bits
      | _ -> false in
    if alone then accepted () else
    let first = max 32 (40 + Big.numbits claim.delta.qden - Big.numbits claim.delta.qnum) in
    let tried = [ first; 2 * first; max (8 * first) (first + steep claim.eps) ] in
    let polys = List.map (fun r -> normal (row_by (weighed threshold.weights) d r)) claim.rows in
    let line = line_beside ~longest:10_000 polys pair.others_told (List.nth tried 2) in
    if line = None then begin
      few_users claim;
      begun (threshold_work claim threshold (List.map fst pair.others_told)) most_work
    end;
    let event k = Big.ltb threshold.above k in
    let rec go = function
      | [] -> Undecided "so many bits do not decide"
      | bits :: more ->
        let hint = match line with
          | Some line -> by_boxes claim.eps claim.users line 0 bits bits
          | None -> rounded claim.eps claim.users bits in
        if check pair hint then accepted ()
        else if too_little ~event claim polys d pair hint then
          Rejected "because.event: P(event) - e^eps Q(event) is not above delta"
        else go more in
    go tried
let decide_threshold crowd pair threshold sizes names =
  let claim = claim_of crowd in
  let check pair { precise; fine; cut; fast; _ } =
    broken crowd sizes pair (Above (threshold, sizes.unit_of, precise, fine, cut, fast)) in
  let highest pair precise = broken crowd sizes pair (Topmost (threshold, sizes.unit_of, precise)) in
  on_threshold ~highest claim sizes pair threshold check (fun () ->
    refuted names crowd "the named pair's threshold event exceeds delta")

(* Any randomizer: accepted by theorems `check_any_sound` and `check_one_sound`. *)
let decide_any ?(judge = check_any) claim step cells =
  let rec go = function
    | [] -> Undecided "because: the bound for all randomizers, with these hints, is above delta"
    | more :: rest ->
      match any_way claim step cells more with
      | None -> Undecided "because: too few cells for one step, or too much work"
      | Some way ->
        let bits = Big.to_int way.bits_of + 64 in
        let a = precision claim.any_local bits and b = precision claim.any_eps bits in
        let both = if a.halvings > b.halvings then a else b in
        if judge claim both way then Accepted ("PROVED: " ^ of_any claim, by "check_any_sound" "CheckAny.v the claim is \
          true of every randomizer with finitely many outputs")
        else go rest in
  go [ 0; 32 ]
exception Less_private
let decide_one local share crowd pair threshold names =
  let claim = claim_of crowd in
  let sizes = ready claim names in
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
  try
    let hint = private_at [ 64; 512; 2048; 8192 ] in
    let check pair { precise; fine; cut; fast; _ } =
      check_one local share claim pair threshold sizes hint precise fine cut fast in
    on_threshold claim sizes pair threshold check (fun () ->
      Accepted ("REFUTED: " ^ of_one local share claim, by "check_one_sound" "CheckAny.v the randomizer of the \
        evidence is as private as is claimed, and its threshold event exceeds delta"))
  with Less_private -> Rejected "because.rows: less private than claimed of all"

(* Independent columns, by the two in which inputs differ: accepted by theorems `check_columns_sound` and
   `check_columns_false_sound`. *)
let one_bucket claim size = match claim.draws, size, claim.added_law with
  | OneOf (held, other), Some buckets, Some added when claim.column_users = 1 && (not claim.arriving) && claim.shown_from = None ->
    let is k = function Finite [ (j, w) ] -> Big.equal j (Big.of_int k) && Big.equal w.qnum w.qden | _ -> false in
    let law i = List.nth claim.number_laws i in
    (match law added with
     | Noise (DiscreteLaplace _ as noise_of) when is 1 (law held) && is 0 (law other) ->
       Some { noise_of; buckets; histogram_eps = claim.columns_eps; histogram_delta = claim.columns_delta }
     | _ -> None)
  | _ -> None
let column_trees entries =
  let node = function
    | Cut (x, most) -> Split (x, most)
    | AsEach -> Here Each
    | _ -> Here Corner in
  List.map (fun one -> ((one.goes_from, one.goes_to), List.map node one.nodes)) entries
let columns_hints claim = List.map (fun fine () -> columns_hint claim fine) (finer claim.columns_eps claim.columns_delta)
let decide_columns ({ of_columns_said = claim; size_said = size; _ } as wide) entries =
  let trees = column_trees entries in
  let accepted theorem words = Accepted ("PROVED: " ^ of_columns wide, by theorem words) in
  let bits = List.hd (finer claim.columns_eps claim.columns_delta) + 24 in
  match one_bucket claim size with
  | Some h when check_pure_histogram h (precision claim.columns_eps bits) ->
    accepted "check_pure_histogram_sound" "Pure.v the claim is true"
  | _ ->
    with_hints (columns_hints claim) (fun hint ->
      if check_columns claim size hint trees then Some (accepted "check_columns_sound" "Columns.v the claim is true")
      else if List.exists (bound_exceeded claim size hint) trees then Some (Rejected "because: delta(eps) is above delta for a pair")
      else None)
let decide_broken_columns ({ of_columns_said = claim; size_said = size; _ } as wide) pair =
  with_hints (columns_hints claim) (fun hint ->
    if check_columns_false claim size hint pair then
      Some (Accepted ("REFUTED: " ^ of_columns wide, by "check_columns_false_sound" "Columns.v the claim is false"))
    else if not_exceeded claim size hint pair then Some (Rejected not_above)
    else None)

(* Several runs, each by dots on its curve or by its pairs: accepted by theorem `check_runs_sound`. *)
let by_trees { crowd_kept = crowd; symmetries_told = symmetries; proof_told; names_told = names } bits =
  let table = claim_of crowd and inputs = List.length crowd.each in
  let sizes = ready table names and claim = Checked.core table in
  if not (renamed table symmetries sizes) then None else begin
    let each (goes_from, goes_to) = { goes_from; goes_to; nodes = [ AsEach ] } in
    let sent, entries = match proof_told with
      | ByEntries (sent, entries) -> (sent, entries)
      | EachPair -> (List.map (fun _ -> []) table.rows, List.map each (all_changes crowd.changes inputs)) in
    let polys = List.map (fun r -> normal (row_poly sizes.key_bits sizes.unit_of r)) claim.rows in
    let shared = Blocks.shared claim inputs sizes polys sent in
    match Blocks.covers ~single:true shared entries bits with
    | exception Blocks.No_block -> None
    | trees ->
      let corners = List.map snd (Blocks.corners shared trees) in
      let one_by_one = List.exists (fun m -> m = None) corners in
      if one_by_one then begin
        few_users table;
        let all, few = work claim sizes bits in
        begun (Float.min all few) most_work
      end;
      let users = function Some m -> List.fold_left Big.add Big.one m | None -> Big.zero in
      let most = List.fold_left (fun most m -> Big.max most (users m)) Big.one corners in
      let most = if one_by_one then claim.users else Big.to_int most in
      few_users { claim with users = most };
      let hint = by_boxes claim.eps most (Option.value (steps_of claim sizes) ~default:(Big.one, -1)) 0 bits bits in
      let longest many k = max many (Big.numbits k) in
      let many = List.fold_left (fun many m -> List.fold_left longest many (Option.value m ~default:[])) 0 corners in
      Some (ByTrees (own_unit crowd, sizes, List.hd hint.rounds, many, Array.to_list shared.sure, trees))
  end
(* What is seen of a run: a kind, and its words. *)
type run = Crowd_of of crowd * names | Number_of of number | Wide_of of wide | Any_of of any_claim
let kind_of = function
  | Crowd_of (crowd, _) -> OfRows crowd
  | Number_of claim -> OfNumbers claim
  | Wide_of { of_columns_said; size_said; _ } -> OfColumns (of_columns_said, size_said)
  | Any_of claim -> OfAny claim
let changes_in = function
  | Crowd_of (crowd, names) -> neighbours names crowd
  | Number_of claim -> one_changes claim.arrives
  | Wide_of { of_columns_said; _ } -> one_changes of_columns_said.arriving
  | Any_of _ -> one_changes false
let seen_in = function
  | Crowd_of (crowd, names) -> seen_of_crowd names crowd
  | Number_of claim -> seen_of_number claim
  | Wide_of wide -> seen_of_columns wide
  | Any_of claim -> seen_of_any claim
let runs_in_words runs claim =
  of_runs (changes_in (fst (List.hd runs))) (List.map (fun (one, times) -> (seen_in one, times)) runs) claim
(* Of what a claim about several runs is true. *)
let true_of_runs claim =
  if not (List.exists (fun (kind, _) -> match kind with OfAny _ -> true | _ -> false) claim.kinds) then "the claim is true"
  else if claim.same_pairs then "the claim is true of every randomizer with finitely many outputs"
  else "the claim is true of all randomizers with finitely many outputs, each run's its own"
let seen_of_rows { crowd_kept; names_told; _ } = Crowd_of (crowd_kept, names_told)
let seen_of_numbered = function NumberKept claim -> Number_of claim | ColumnsKept (wide, _) -> Wide_of wide
let seen_of_run = function
  | RowsAt ((_, k) :: _) | RowsAsTheyAre k -> seen_of_rows k
  | AnyAt ((_, ((claim, _), _)) :: _) -> Any_of claim
  | NumberedAt ((_, k) :: _) | NumberedAsTheyAre k -> seen_of_numbered k
  | RowsAt [] | AnyAt [] | NumberedAt [] -> assert false
(* How a number, or columns, are known, to about so many bits. *)
let way_of one fine = match one with
  | NumberKept claim -> OnShifts (number_hint claim fine)
  | ColumnsKept (wide, entries) -> InTrees (columns_hint wide.of_columns_said fine, column_trees entries)
(* How many pairs of laws a number has, or columns. *)
let pairs_of = function
  | NumberKept claim -> 2. *. shifts_of claim
  | ColumnsKept ({ of_columns_said = claim; columns_inputs; _ }, entries) ->
    let inputs = List.length columns_inputs.in_turn in
    let every = multisets (float_of_int (claim.column_users - 1)) (float_of_int inputs) in
    let node sum one = sum +. match one with AsEach -> every | _ -> 1. in
    List.fold_left (fun sum one -> List.fold_left node sum one.nodes) 0. entries
let decide_runs runs same runs_eps runs_delta grids =
  let times = List.fold_left (fun sum (_, times) -> Big.add sum times) Big.zero runs in
  let plans = lattice_plans grids runs_eps runs_delta times in
  let plan = List.hd plans in
  let pairs most = function NumberedAsTheyAre one, _ -> most *. pairs_of one | _ -> most in
  products_work (List.nth plans (List.length plans - 1)) times (List.fold_left pairs 1. runs);
  let seen = List.map (fun (part, times) -> (seen_of_run part, times)) runs in
  let claim = { kinds = List.map (fun (one, times) -> (kind_of one, times)) seen; same_pairs = same; runs_eps; runs_delta } in
  (* The proof of a point; unless it is looked at here it is looked at with the runs. *)
  let last_of job =
    let last = ref None in
    match job (fun found -> last := Some found) with Accepted _ -> !last | _ -> None in
  let rows_point look (at, k) = last_of (fun keep ->
    decide_rows k ~judge:(fun crowd sizes because ->
      keep { at_points = [ at ]; shown_by = ForRows (own_unit crowd, sizes.unit_of, because) };
      not look || kept crowd sizes because)) in
  let any_point look (at, ((claim, step), cells)) = last_of (fun keep ->
    decide_any claim step cells ~judge:(fun claim prec way ->
      keep { at_points = [ at ]; shown_by = ForAny (prec, way) };
      not look || check_any claim prec way)) in
  let curve look (at_points, one) =
    let least = 40 + List.fold_left (fun most (_, d) -> max most (bits_between d)) 0 at_points in
    let found = { at_points; shown_by = ForEnds (way_of one (if look then 4 * least else least)) } in
    if not look || check_points (kind_of (seen_of_numbered one)) found then Some found else None in
  (* Points of which all datasets are gone through exactly are one: their renamings have been looked at one by one. Those
     without renamings need no look of their own, unless what is known has to be sure. *)
  let enumerated_in = function { shown_by = ForRows (_, _, AllDatasets (_, _, [ hint ])); _ } -> not hint.rounded | _ -> false in
  let proofs_of look proof_of alike points =
    let add found point = Option.bind found (fun proofs -> match proofs with
      | last :: more when enumerated_in last ->
        let more_at at_points = Some ({ last with at_points = at_points @ last.at_points } :: more) in
        (match alike point with
         | Some at when not look -> more_at [ at ]
         | _ -> Option.bind (proof_of look point) (fun one ->
             if enumerated_in one then more_at one.at_points else Some (one :: proofs)))
      | _ -> Option.map (fun one -> one :: proofs) (proof_of look point)) in
    Option.map List.rev (List.fold_left add (Some []) points) in
  let plain (at, k) = if k.symmetries_told = [] && k.proof_told = EachPair then Some at else None in
  let by_points points proof_of alike found =
    let far, dots = dots_of plan points in
    Some (fun look -> Option.map (fun proofs -> ByPoints (proofs, far, dots)) (proofs_of look proof_of alike found)) in
  let hint = function
    | NumberedAsTheyAre one ->
      let found = ByEnds (way_of one (Big.to_int plan.bits0)) in
      Some (fun _ -> Some found)
    | RowsAsTheyAre k -> Option.map (fun found _ -> Some found) (by_trees k (Big.to_int plan.bits0 - 12))
    | RowsAt found -> by_points (List.map fst found) rows_point plain found
    | AnyAt found -> by_points (List.map fst found) any_point (fun _ -> None) found
    | NumberedAt found -> by_points (List.concat_map fst found) curve (fun _ -> None) found in
  let hints = List.map (fun (part, _) -> hint part) runs in
  let of_points = List.exists (fun (part, _) -> match part with NumberedAsTheyAre _ | RowsAsTheyAre _ -> false | _ -> true) runs in
  let rec go = function
    | [] -> Undecided "because.lattices: with these hints the bound is above delta"
    | look :: more ->
      let parts = List.map (fun hint -> (Option.get hint) look) hints in
      if List.exists (fun one -> one = None) parts then Undecided "because.runs: a point is not shown"
      else if check_runs claim plans (precision runs_eps (Big.to_int plan.sharp)) (List.map Option.get parts) then
        Accepted ("PROVED: " ^ runs_in_words seen claim, by "check_runs_sound" ("CheckRuns.v " ^ true_of_runs claim))
      else go more in
  if List.exists (fun hint -> hint = None) hints then Rejected "because.runs: a renaming is none, or there is no block in a box"
  else go (if not of_points then [ false ] else if Big.leb runs_delta.qden runs_delta.qnum then [ true ] else [ false; true ])

(* Several runs, by a pair of neighbours of each: accepted by theorem `check_runs_false_sound`. *)
let decide_broken_runs runs same runs_eps runs_delta grids =
  let plans = lattice_plans grids runs_eps runs_delta (List.fold_left (fun sum (_, times) -> Big.add sum times) Big.zero runs) in
  let bits = Big.to_int (List.hd plans).bits0 in
  let pair narrowed = function
    | PairOfNumber (claim, x, y) -> OfEnds (OfShift (number_hint ~ends:(x, y) claim bits, x, y))
    | PairOfColumns (wide, p) ->
      OfEnds (OfColumn (columns_hint wide.of_columns_said bits, p))
    | PairOfRows (crowd, p, names) ->
      let claim = claim_of crowd in
      let sizes = ready claim names in
      let users = (Checked.core claim).users in
      let sizes = if narrowed then narrow claim sizes p.others_told (16 + bits_between runs_delta) else sizes in
      let one_by_one = if many_users claim then infinity else
          let all, few = work ~one:true claim sizes bits in Float.min all few in
      let worth = Float.max one_by_one small_work in
      let h = match line_beside ~longest:most_users ~worth (polys_of (core claim) sizes) (others_of claim p) bits with
        | Some line -> by_boxes claim.eps users line 0 bits bits
        | None ->
          few_users claim;
          begun one_by_one most_work;
          rounded claim.eps users bits in
      OfTwo (own_unit crowd, sizes, p, h.precise, h.fine, h.cut, h.fast) in
  let seen = function
    | PairOfRows (crowd, _, names) -> Crowd_of (crowd, names)
    | PairOfNumber (claim, _, _) -> Number_of claim
    | PairOfColumns (wide, _) -> Wide_of wide in
  let seen = List.map (fun (one, times) -> (seen one, times)) runs in
  let claim = { kinds = List.map (fun (one, times) -> (kind_of one, times)) seen; same_pairs = same; runs_eps; runs_delta } in
  let shown narrowed =
    let pairs = List.map (fun (one, _) -> pair narrowed one) runs in
    List.exists (fun plan -> check_runs_false claim plan (precision runs_eps (Big.to_int plan.sharp)) pairs) plans in
  let rows = List.exists (function PairOfRows _, _ -> true | _ -> false) runs in
  if (rows && shown true) || shown false then
    Accepted ("REFUTED: " ^ runs_in_words seen claim, by "check_runs_false_sound" "CheckRunsFalse.v the claim is false")
  else Undecided "because.lattices: with these hints what is shown is not above delta"

(* A pair of neighbours and an event: false where what the user sends who changes, without the others, is. *)
let decide_broken_rows { crowd_broken = crowd; pair_broken = pair; gap_told; names_broken = names } =
  let claim = claim_of crowd in
  let sizes = ready claim names in
  let polys = polys_of (core claim) sizes and alone = { pair with others_told = [] } in
  if too_little claim polys sizes.unit_of alone (exact claim.eps 64) then Rejected not_above
  else match gap_told with
    | OnBestEvent -> decide_pair crowd pair sizes names
    | OnOutcomes outcomes -> decide_outcomes crowd pair outcomes sizes names
    | OnThreshold threshold -> decide_threshold crowd pair threshold sizes names

let decide = function
  | KeptByRows k -> decide_rows k
  | BrokenByRows k -> decide_broken_rows k
  | BrokenByOne (local, share, crowd, pair, threshold, names) -> decide_one local share crowd pair threshold names
  | KeptByAny (claim, step, cells) -> decide_any claim step cells
  | KeptByColumns (wide, entries) -> decide_columns wide entries
  | BrokenByColumns (wide, pair) -> decide_broken_columns wide pair
  | KeptByNumber claim -> decide_number claim None
  | BrokenByNumber (claim, x, y) -> decide_number claim (Some (x, y))
  | KeptByRuns (runs, same, eps, delta, grids) -> decide_runs runs same eps delta grids
  | BrokenByRuns (runs, same, eps, delta, grids) -> decide_broken_runs runs same eps delta grids
let one tree = decide (Certificate.read tree)

let decided job =
  try job () with
  | Json.Malformed why -> Malformed why
  | Certificate.Not_covered why -> Undecided why
  | Too_much why | Failure why -> Undecided ("too much work: " ^ why)
  | Stack_overflow | Out_of_memory -> Undecided "too much work: no room for it"

let rank = function Accepted _ -> 0 | Undecided _ -> 1 | Rejected _ -> 2 | Malformed _ -> 3
(* The verdict that is worst of a file's certificates, and what is accepted of all. *)
let of_file tree = match Certificate.certificates tree with
  | [ only ] when only == tree -> one tree
  | trees ->
    let found = List.map (fun tree -> decided (fun () -> one tree)) trees in
    let at i = function
      | Accepted _ as all -> all
      | Rejected why -> Rejected (Printf.sprintf "[%d]: %s" i why)
      | Undecided why -> Undecided (Printf.sprintf "[%d]: %s" i why)
      | Malformed why -> Malformed (Printf.sprintf "[%d]: %s" i why) in
    let worse a b = if rank b > rank a then b else a in
    let worst = List.fold_left worse (Accepted ("", "")) (List.mapi at found) in
    if rank worst > 0 then worst
    else begin
      let said = function Accepted (claimed, theorem) -> claimed ^ ": " ^ theorem | _ -> "" in
      match List.rev_map said found with
      | last :: rest -> (match List.rev rest with
        | [] -> List.hd found
        | rest -> Accepted (String.concat " | " rest ^ " | " ^ last, ""))
      | [] -> assert false
    end

let words = function
  | Accepted (all, "") -> "accepted: " ^ all
  | Accepted (claimed, theorem) -> "accepted: " ^ claimed ^ ": " ^ theorem
  | Rejected why -> "rejected: " ^ why
  | Undecided why -> "undecided: " ^ why
  | Malformed why -> "malformed: " ^ why

(* The verdict on a file. *)
let verdict data = decided (fun () -> of_file (Json.parse data))
