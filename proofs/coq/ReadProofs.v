(* From JSON to what is to show a claim about rows: trees of cuts with blocks of users, a pair and an event. *)
From Coq Require Import ZArith QArith String List Bool.
From Shufflecert Require Import Texts Json ReadClaims Spec SpecPresence SpecThreshold.
From Shufflecert Require Check Presence Powers.
Export Powers(pair_told, from_told, to_told, others_told, Build_pair_told).
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope Z_scope.

(* ---- trees ---- *)
(* A step, so many cells, and above which place. *)
Record grid := { grid_by : Q; grid_cells : Z; grid_above : option Z }.
(* Users by input, how many are left open, and whose place the user who changes has (None: of one left open). *)
Record block := { block_users : list (nat * Z); block_open : Z; block_place : option nat; block_grid : option grid }.
Inductive node := Cut (input : nat) (most : Z) | AsEach | AsCorner | AsBlock (b : block).
(* A pair of inputs and its tree; the number after the last input is that nobody is there. *)
Record entry := { goes_from : nat; goes_to : nat; nodes : list node }.

Definition read_grid (place : string) (keys : list string) (v : json) : read grid :=
  let! l := fields place keys ["step"; "cells"; "tilt"] v in
  let! step := positive_rational (place ++ ".step") (the "step" l) in
  let! tilt := rational (place ++ ".tilt") (the "tilt" l) in
  expect Z.pos (Qden tilt) <? Qnum tilt at (place ++ ".tilt") of "more than 1";
  let! cells := integer (place ++ ".cells") 1 most_cells (the "cells" l) in
  let! above := read_option (integer (place ++ ".above") 1 most_cells) (value_of "above" l) in
  Good {| grid_by := step; grid_cells := cells; grid_above := above |}.
Definition read_block (place : string) (inputs : labels) (v : json) : read block :=
  let! l := fields place ["users"; "open"; "place"; "grid"] ["users"; "open"; "place"] v in
  let! users := multiset (place ++ ".users") inputs (the "users" l) in
  let! left_open := integer (place ++ ".open") 0 most_of_all (the "open" l) in
  let at_ := place ++ ".place" in
  let! spot := match the "place" l with Null => Good None | v => let! x := known at_ inputs v in Good (Some x) end in
  expect match spot with None => 0 <? left_open | Some x => existsb (fun o => Nat.eqb (fst o) x) users end at at_
    of "who is in the block";
  let! grid := read_option (read_grid (place ++ ".grid") ["step"; "cells"; "tilt"; "above"]) (value_of "grid" l) in
  Good {| block_users := users; block_open := left_open; block_place := spot; block_grid := grid |}.
(* A tree in preorder, of which so many parts are still to come; blocks are of the shuffled view. *)
Fixpoint read_nodes (place : string) (inputs : labels) (blocks : bool) (left : Z) (l : list json) (found : list node) :
    read (list node) :=
  match l with
  | [] => if left =? 0 then Good (rev_append found []) else bad place "one whole tree"
  | v :: l =>
      if left <=? 0 then bad place "one whole tree" else
      match v with
      | Values [x; most] =>
          let! x := known place inputs x in
          let! most := integer place 0 most_of_all most in
          read_nodes place inputs blocks (left + 1) l (Cut x most :: found)
      | Values _ => bad place "a cut [LABEL, most]"
      | Object _ =>
          expect blocks at place of "a block in the shuffled view only";
          let! b := read_block place inputs v in
          read_nodes place inputs blocks (left - 1) l (AsBlock b :: found)
      | _ =>
          let! w := word place ["each"; "corner"] v in
          read_nodes place inputs blocks (left - 1) l ((if String.eqb w "each" then AsEach else AsCorner) :: found)
      end
  end.
Definition read_tree (place : string) (inputs : labels) (blocks : bool) (v : json) : read (list node) :=
  let! l := values place v in read_nodes place inputs blocks 1 l [].
(* ---- pairs ---- *)
Definition ends_spelled (start goal : nat) : string := number_of_it start ++ "," ++ number_of_it goal.
(* Every pair has an entry, and none has two: there are so many pairs, which are told apart from others. *)
Definition every_pair_once (many : Z) (good : nat -> nat -> bool) (l : list entry) : bool :=
  (Z.of_nat (length l) =? many) && forallb (fun o => good (goes_from o) (goes_to o)) l &&
  all_differ (map (fun o => ends_spelled (goes_from o) (goes_to o)) l).

(* ---- rows, PROVED ---- *)
(* EachPair: there is nothing to say of any pair; else what is sent for sure, and an entry for each pair. *)
Inductive rows_proof := EachPair | ByEntries (sure : list (list (nat * Z))) (entries : list entry).
Record rows_kept := { crowd_kept : crowd; symmetries_told : list symmetry; proof_told : rows_proof; names_told : names }.
(* Whether each output has so many of these messages at least. *)
Definition surely (law : row) (sent : list (nat * Z)) : bool :=
  forallb (fun o => forallb (fun mk => snd mk <=? fold_left (fun n m => if Nat.eqb m (fst mk) then n + 1 else n) (fst o) 0) sent) law.
(* What is sent for sure by each input, and by whoever is not there: nothing. *)
Definition read_known (c : crowd) (t : named_table) (v : option json) : read (list (list (nat * Z))) :=
  let place := "because.known" in
  let! l := match v with None => Good [] | Some v => members place v end in
  let laws := laws_of c in
  let of_input := table_from (combine (in_turn (input_names t)) laws) in
  let! sent := read_all (fun o =>
    let! _ := known_at place (input_names t) (fst o) in
    let! sent := multiset place (message_names t) (snd o) in
    expect match look_up of_input (fst o) with Some law => surely law sent | None => true end at place
      of "what is always sent";
    Good (fst o, sent)) l in
  let by_label := table_from sent in
  let sure := map (fun x => match look_up by_label x with Some sent => sent | None => [] end) (in_turn (input_names t)) in
  Good (sure ++ map (fun _ => []) (skipn (length sure) laws))%list.

(* Moves of inputs, as a list and as a table by the numbers' decimals, and moves of messages. *)
Record renaming := { moves_of_inputs : list (nat * nat); moved_to : table nat; moves_of_messages : list (nat * nat) }.
Definition moved (r : renaming) (x : nat) : nat := match look_up (moved_to r) (number_of_it x) with Some y => y | None => x end.
Definition read_permutation (place : string) (names : labels) (v : json) : read (list (nat * nat)) :=
  let! l := members place v in
  let! moves := read_all (fun o => let! x := known_at place names (fst o) in let! y := known place names (snd o) in Good (x, y)) l in
  let goals := map (fun m => number_of_it (snd m)) moves in
  let starts := table_from (map (fun m => (number_of_it (fst m), tt)) moves) in
  expect all_differ goals && forallb (fun y => is_there (look_up starts y)) goals at place of "a permutation of its keys";
  Good moves.
Definition read_renaming (t : named_table) (v : json) : read renaming :=
  let place := "because.renamings" in
  let! l := fields place ["inputs"; "messages"] ["inputs"; "messages"] v in
  let! s := read_permutation (place ++ ".inputs") (input_names t) (the "inputs" l) in
  let! t := read_permutation (place ++ ".messages") (message_names t) (the "messages" l) in
  Good {| moves_of_inputs := s; moved_to := table_from (map (fun m => (number_of_it (fst m), snd m)) s);
          moves_of_messages := t |}.
(* The same node of a tree, where inputs have other names. *)
Definition renamed_node (r : renaming) (n : node) : node :=
  match n with
  | Cut x most => Cut (moved r x) most
  | AsBlock b => AsBlock {| block_users := map (fun o => (moved r (fst o), snd o)) (block_users b); block_open := block_open b;
      block_place := option_map (moved r) (block_place b); block_grid := block_grid b |}
  | leaf => leaf
  end.

(* The number of an input, or that after the last one. *)
Definition read_end (place : string) (c : crowd) (t : named_table) (v : json) : read nat :=
  match v, changes c with
  | Null, (AddRemove | Deletion _) => Good (length (in_turn (input_names t)))
  | _, _ => known place (input_names t) v
  end.
Definition moves_there (c : crowd) : nat -> nat -> bool := Presence.moves_so (changes c) (length (each c)).
(* An entry as it is written: with a tree of its own, or that of the one before it with this number, by this renaming. *)
Inductive written := Own (e : entry) | Again (start goal : nat) (as_ by_ : Z).
Definition by_numbers {A} (l : list A) : table A := table_from (combine (map number_of_it (seq 0 (length l))) l).
Definition at_number {A} (t : table A) (i : Z) : option A := look_up t (decimal i).
Definition read_written (c : crowd) (t : named_table) (renamings : table renaming) (i : nat) (v : json) : read written :=
  let place := th "because.pairs" i in
  let! l := members place v in
  let linked := there_is "same as" l in
  let keys := if linked then ["from"; "to"; "same as"; "by"] else ["from"; "to"; "tree"; "up to"] in
  let! l := fields place keys (if linked then keys else ["from"; "to"; "tree"]) v in
  let! a := read_end (place ++ ".from") c t (the "from" l) in
  let! b := read_end (place ++ ".to") c t (the "to" l) in
  if linked then
    let! j := integer (place ++ ".same as") 0 most_of_all (the "same as" l) in
    let! k := integer (place ++ ".by") 0 most_of_all (the "by" l) in
    Good (Again a b j k)
  else
    let! tree := read_tree (place ++ ".tree") (input_names t) (is_shuffled c) (the "tree" l) in
    let at_ := place ++ ".up to" in
    let! up_to := match value_of "up to" l with None => Good [] | Some v => values at_ v end in
    let! _ := read_all (fun v =>
      let! k := integer at_ 0 most_of_all v in
      match at_number renamings k with
      | None => bad at_ "renamings that are listed"
      | Some r =>
          if Nat.eqb (moved r a) a && Nat.eqb (moved r b) b then Good tt else bad at_ "renamings that leave from and to"
      end) up_to in
    Good (Own {| goes_from := a; goes_to := b; nodes := tree |}).
Definition read_again (all : table written) (renamings : table renaming) (i : nat) (w : written) : read entry :=
  let place := th "because.pairs" i in
  match w with
  | Own e => Good e
  | Again a b j k =>
      match (if j <? Z.of_nat i then at_number all j else None), at_number renamings k with
      | Some (Own e), Some r =>
          if Nat.eqb (moved r (goes_from e)) a && Nat.eqb (moved r (goes_to e)) b
          then Good {| goes_from := a; goes_to := b; nodes := map (renamed_node r) (nodes e) |}
          else bad place "a pair that the renaming moves to it"
      | Some (Again _ _ _ _), Some _ => bad place "a pair that the renaming moves to it"
      | _, _ => bad place "an entry before it, by a renaming"
      end
  end.

Definition all_each (e : entry) : bool := match nodes e with [AsEach] => true | _ => false end.
Definition read_rows_kept (c : crowd) (t : named_table) (v : json) : read rows_kept :=
  let! l := fields "because" ["renamings"; "known"; "pairs"] ["pairs"] v in
  let! sure := read_known c t (value_of "known" l) in
  let! given := match value_of "renamings" l with None => Good [] | Some v => values "because.renamings" v end in
  let! renamings := read_all (read_renaming t) given in
  let by_number := by_numbers renamings in
  let! given := values "because.pairs" (the "pairs" l) in
  let! all := read_each (read_written c t by_number) given in
  let! entries := read_each (read_again (by_numbers all) by_number) all in
  let replaced := Presence.replaced c in
  let m := Z.of_nat (length (each c)) in
  expect every_pair_once (if replaced then m * (m - 1) else 2 * m) (moves_there c) entries at "because.pairs"
    of "every ordered pair, once";
  Good {| crowd_kept := c;
          symmetries_told := map (fun r => {| inputs := moves_of_inputs r; messages := moves_of_messages r |}) renamings;
          proof_told := if replaced && (negb (is_shuffled c) || forallb all_each entries) then EachPair else ByEntries sure entries;
          names_told := names_of t |}.

(* ---- REFUTED ---- *)
Definition read_others (inputs : labels) (users : Z) (v : json) : read (list (nat * Z)) :=
  let place := "because.pair.others" in
  let! counts := multiset place inputs v in
  expect fold_left (fun sum o => sum + snd o) counts 0 =? users - 1 at place of "honest - 1 inputs";
  Good counts.
Definition read_pair (c : crowd) (t : named_table) (v : json) : read pair_told :=
  let place := "because.pair" in
  let shuffled := is_shuffled c in
  let keys := if shuffled then ["from"; "to"; "others"] else ["from"; "to"] in
  let! l := fields place keys keys v in
  let! a := read_end (place ++ ".from") c t (the "from" l) in
  let! b := read_end (place ++ ".to") c t (the "to" l) in
  expect moves_there c a b at (place ++ ".to") of "another input than from, or that nobody is there";
  let! counts := if shuffled then read_others (input_names t) (Z.of_nat (honest c)) (the "others" l) else Good [] in
  Good {| from_told := a; to_told := b; others_told := counts |}.
Definition read_threshold (t : named_table) (v : json) : read threshold :=
  let! l := fields "because.event" ["weights"; "above"] ["weights"; "above"] v in
  let place := "because.event.weights" in
  let! given := members place (the "weights" l) in
  let! found := read_all (fun o =>
    let! _ := known_at place (message_names t) (fst o) in let! w := signed place (snd o) in Good (fst o, w)) given in
  let by_label := table_from found in
  let! above := signed "because.event.above" (the "above" l) in
  Good {| weights := map (fun x => match look_up by_label x with Some w => w | None => 0 end) (in_turn (message_names t));
          above := above |}.
(* In the order of the messages' numbers. *)
Definition in_turns (counts : list (nat * Z)) : list (nat * Z) :=
  map (fun o => (Z.to_nat (fst o), snd o)) (Check.normal (map (fun o => (Z.of_nat (fst o), snd o)) counts)).
Definition read_outcome (local : bool) (t : named_table) (v : json) : read outcome :=
  let place := "because.event" in
  if local then
    let! l := values place v in let! sent := read_all (known place (message_names t)) l in Good (Tuple sent)
  else let! counts := multiset place (message_names t) v in Good (Counts (in_turns counts)).
Definition outcome_spelled (o : outcome) : string :=
  match o with
  | Tuple sent => spelled_numbers sent
  | Counts counts => String.concat "," (map (fun o => number_of_it (fst o) ++ ":" ++ decimal (snd o)) counts)
  end.
(* The best event of the pair, or one whose outcomes are listed, or that of a threshold. *)
Inductive rows_gap := OnBestEvent | OnOutcomes (found : list outcome) | OnThreshold (t : threshold).
Record rows_broken := { crowd_broken : crowd; pair_broken : pair_told; gap_told : rows_gap; names_broken : names }.
Definition read_gap (c : crowd) (t : named_table) (v : option json) : read rows_gap :=
  let place := "because.event" in
  match v with
  | None => Good OnBestEvent
  | Some v =>
      let! e := members place v in
      if there_is "outcomes" e then
        let! e := fields place ["outcomes"] ["outcomes"] v in
        let! given := values place (the "outcomes" e) in
        let local := match shown_as c with Local => true | _ => false end in
        let! found := read_all (read_outcome local t) given in
        expect all_differ (map outcome_spelled found) at place of "outcomes that differ";
        Good (OnOutcomes found)
      else
        let! threshold := read_threshold t v in
        match shown_as c with
        | Shuffled => Good (OnThreshold threshold)
        | _ => bad place "outcomes, outside the shuffled view"
        end
  end.
Definition read_rows_broken (c : crowd) (t : named_table) (v : json) : read rows_broken :=
  let! l := fields "because" ["pair"; "event"] ["pair"] v in
  let! p := read_pair c t (the "pair" l) in
  let! gap := read_gap c t (value_of "event" l) in
  Good {| crowd_broken := c; pair_broken := p; gap_told := gap; names_broken := names_of t |}.
