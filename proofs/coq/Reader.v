(* From JSON to certificates: claims, and what is to show them. Whatever is read here is only what a file says: whether it
   is true is for the checkers, whose theorems are about the records that are made here. *)
From Coq Require Import ZArith QArith String List Bool.
From Shufflecert Require Import Texts Json ReadClaims ReadProofs Spec SpecColumns SpecNumbers SpecPresence SpecThreshold SpecAny.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope Z_scope.

(* ---- certificates ---- *)
Inductive numbered_kept := NumberKept (c : number) | ColumnsKept (w : wide) (entries : list entry).
(* Of one of several runs: delta(log t) of it is at most d, at these (t, d), and what shows it; or the pairs of laws of what
   it keeps, as they are. *)
Inductive run_kept :=
| RowsAt (points : list (Q * Q * rows_kept))
| AnyAt (points : list (Q * Q * (any_claim * Q * Z)))
| NumberedAt (curves : list (list (Q * Q) * numbered_kept))
| RowsAsTheyAre (k : rows_kept)
| NumberedAsTheyAre (k : numbered_kept).
Inductive run_broken :=
| PairOfRows (c : crowd) (p : pair_told) (n : names)
| PairOfNumber (c : number) (x y : option Z)
| PairOfColumns (w : wide) (p : pair_told).
Inductive certificate :=
| KeptByRows (k : rows_kept)
| BrokenByRows (k : rows_broken)
| KeptByAny (c : any_claim) (step : Q) (cells : Z)
| BrokenByOne (local : exponent) (share : Q) (c : crowd) (p : pair_told) (t : threshold) (n : names)
| KeptByNumber (c : number)
| BrokenByNumber (c : number) (x y : option Z)
| KeptByColumns (w : wide) (entries : list entry)
| BrokenByColumns (w : wide) (p : pair_told)
| KeptByRuns (runs : list (run_kept * Z)) (same : bool) (eps : exponent) (delta : Q) (lattices : list (Q * Z))
| BrokenByRuns (runs : list (run_broken * Z)) (same : bool) (eps : exponent) (delta : Q) (lattices : list (Q * Z)).

(* ---- rows ---- *)
Definition read_rows (seen : told) (a : around) (eps : exponent) (delta : Q) (proved : bool) (v : json) : read certificate :=
  let! ct := read_crowd seen a eps delta in
  if proved then let! k := read_rows_kept (fst ct) (snd ct) v in Good (KeptByRows k)
  else let! k := read_rows_broken (fst ct) (snd ct) v in Good (BrokenByRows k).

(* ---- any randomizer ---- *)
Definition read_private (seen : told) : read (exponent * Q) :=
  let! l := fields "claim.each" ["private"] ["private"] (each_told seen) in
  let! given := values "claim.private" (the "private" l) in
  match given with
  | [local; share] =>
      let! local := exponent_in "claim.private" local in
      let! share := probability "claim.private" share in
      Good (local, share)
  | _ => bad "claim.private" "EPS, RATIONAL"
  end.
Definition read_any (seen : told) (eps : exponent) (delta : Q) (v : json) : read (any_claim * Q * Z) :=
  let! private := read_private seen in
  let! l := fields "because" ["grid"] ["grid"] v in
  let! grid := read_grid "because.grid" ["step"; "cells"; "tilt"] (the "grid" l) in
  Good ({| any_local := fst private; any_share := snd private; any_users := Z.to_pos (users_told seen); any_eps := eps;
           any_delta := delta |}, grid_by grid, grid_cells grid).
Definition read_any_broken (seen : told) (eps : exponent) (delta : Q) (v : json) : read certificate :=
  let! private := read_private seen in
  let! l := fields "because" ["rows"; "pair"; "event"] ["rows"; "pair"] v in
  let! t := read_table "because.rows" (the "rows" l) in
  let n := users_told seen in
  let c := {| each := rows_of t; takes := 1; changes := Replace; shown_as := Shuffled; all_users := n;
              honest := Z.to_nat n; crowd_eps := eps; crowd_delta := delta |} in
  let! p := read_pair c t (the "pair" l) in
  let beyond := Not (NoTheorem "any randomizer, refuted by more than a threshold") in
  match value_of "event" l with
  | None => beyond
  | Some v =>
      let! e := members "because.event" v in
      if there_is "outcomes" e then beyond else
      let! threshold := read_threshold t v in
      Good (BrokenByOne (fst private) (snd private) c p threshold (names_of t))
  end.

(* ---- numbers and columns ---- *)
(* What he holds who changes, in both datasets: a number, or nothing. *)
Definition read_held (comes : bool) (v : json) : read (option Z) :=
  match v with
  | Null => if comes then Good None else let! _ := text "because.pair" v in Good None
  | _ => let! k := signed "because.pair" v in Good (Some k)
  end.
Definition read_ends (c : number) (v : json) : read (option Z * option Z) :=
  let place := "because.pair" in
  let! l := fields place ["from"; "to"] ["from"; "to"] v in
  let! x := read_held (arrives c) (the "from" l) in
  let! y := read_held (arrives c) (the "to" l) in
  let inside o := match o with Some k => (0 <=? k) && (k <=? largest c) | None => true end in
  let apart := match x, y with
    | Some j, Some k => negb (arrives c) && negb (j =? k)
    | None, None => false
    | _, _ => arrives c
    end in
  expect inside x && inside y && apart at place of "neighbours";
  Good (x, y).
(* The number of an input; who is not there is as one on another column. *)
Definition read_column_end (place : string) (w : wide) (v : json) : read nat :=
  let comes := arriving (of_columns_said w) in
  match v with
  | Null => if comes then Good 1%nat else known place (columns_inputs w) v
  | Text s => expect negb comes || String.eqb s "a" at place of "a or null"; known_at place (columns_inputs w) s
  | _ => if comes then bad place "a or null" else known place (columns_inputs w) v
  end.
Definition read_column_entry (w : wide) (i : nat) (v : json) : read entry :=
  let place := th "because.pairs" i in
  let! l := fields place ["from"; "to"; "tree"] ["from"; "to"; "tree"] v in
  let! a := read_column_end place w (the "from" l) in
  let! b := read_column_end place w (the "to" l) in
  let! tree := read_tree (place ++ ".tree") (columns_inputs w) false (the "tree" l) in
  Good {| goes_from := a; goes_to := b; nodes := tree |}.
Definition read_column_entries (w : wide) (v : json) : read (list entry) :=
  let! l := fields "because" ["pairs"] ["pairs"] v in
  let! given := values "because.pairs" (the "pairs" l) in
  let! entries := read_each (read_column_entry w) given in
  let m := Z.of_nat (length (in_turn (columns_inputs w))) in
  let good a b := if first_pair_alone w then Nat.eqb a 0 && Nat.eqb b 1 else negb (Nat.eqb a b) in
  expect every_pair_once (if first_pair_alone w then 1 else m * (m - 1)) good entries at "because.pairs"
    of "every ordered pair, once";
  Good entries.
Definition read_column_pair (w : wide) (v : json) : read pair_told :=
  let place := "because.pair" in
  let! l := fields place ["from"; "to"; "others"] ["from"; "to"; "others"] v in
  let! a := read_column_end place w (the "from" l) in
  let! b := read_column_end place w (the "to" l) in
  expect negb (Nat.eqb a b) at place of "neighbours";
  let! counts := read_others (columns_inputs w) (Z.of_nat (column_users (of_columns_said w))) (the "others" l) in
  Good {| from_told := a; to_told := b; others_told := counts |}.
Definition pair_alone (place : string) (v : json) : read json := let! l := fields place ["pair"] ["pair"] v in Good (the "pair" l).
Definition read_numbered_kept (seen : told) (a : around) (eps : exponent) (delta : Q) (v : json) : read numbered_kept :=
  if String.eqb (kind_of seen) "up to" then
    let! c := read_number seen a eps delta in
    let! _ := fields "because" [] [] v in
    Good (NumberKept c)
  else
    let! w := read_columns seen a eps delta in
    let! entries := read_column_entries w v in
    Good (ColumnsKept w entries).
Definition read_numbered (seen : told) (a : around) (eps : exponent) (delta : Q) (proved : bool) (v : json) :
    read certificate :=
  if proved then
    let! k := read_numbered_kept seen a eps delta v in
    Good (match k with NumberKept c => KeptByNumber c | ColumnsKept w entries => KeptByColumns w entries end)
  else if String.eqb (kind_of seen) "up to" then
    let! c := read_number seen a eps delta in
    let! v := pair_alone "because" v in
    let! ends := read_ends c v in
    Good (BrokenByNumber c (fst ends) (snd ends))
  else
    let! w := read_columns seen a eps delta in
    let! v := pair_alone "because" v in
    let! p := read_column_pair w v in
    Good (BrokenByColumns w p).

(* ---- several runs ---- *)
Definition no_eps : exponent := Log 1.
Definition read_point (place : string) (v : json) : read (Q * Q * json) :=
  let! l := values place v in
  match l with
  | [t; d; proof] =>
      let! t := rational place t in
      let! d := probability place d in
      if Qnum t <? Z.pos (Qden t) then bad place "t of at least 1" else Good (t, d, proof)
  | _ => bad place "[t, d, PROOF]"
  end.
(* Points that one proof shows are together, where they follow each other. *)
Fixpoint together_onto (l : list (Q * Q * json)) (last : string) (some : list (Q * Q)) (proof : json)
    (found : list (list (Q * Q) * json)) : list (list (Q * Q) * json) :=
  match l with
  | [] => rev_append ((rev_append some [], proof) :: found) []
  | (td, other) :: l =>
      let s := spelled other in
      if String.eqb s last then together_onto l last (td :: some) proof found
      else together_onto l s [td] other ((rev_append some [], proof) :: found)
  end.
Definition read_rows_at (c : crowd) (t : named_table) (o : Q * Q * json) : read (Q * Q * rows_kept) :=
  let! k := read_rows_kept (at_point c (fst (fst o)) (snd (fst o))) t (snd o) in Good (fst o, k).
Definition read_run_kept (place : string) (seen : told) (same : bool) (a : around) (v : json) : read run_kept :=
  let rows := String.eqb (kind_of seen) "rows" in
  let private := String.eqb (kind_of seen) "private" in
  let! l := members place v in
  if there_is "points" l then
    let! l := fields place ["points"] ["points"] v in
    let! given := values place (the "points" l) in
    let! points := read_all (read_point (place ++ ".points")) given in
    match points with
    | [] => bad place "a point"
    | (td, proof) :: more =>
        if private then
          let! found := read_all (fun o =>
            let! k := read_any seen (Log (fst (fst o))) (snd (fst o)) (snd o) in Good (fst o, k)) points in
          Good (AnyAt found)
        else if rows then
          let! ct := read_crowd seen a no_eps 1 in
          let! found := read_all (read_rows_at (fst ct) (snd ct)) points in
          Good (RowsAt found)
        else
          let! found := read_all (fun o => let! k := read_numbered_kept seen a no_eps 1 (snd o) in Good (fst o, k))
            (together_onto more (spelled proof) [td] proof []) in
          Good (NumberedAt found)
    end
  else
    expect same && negb private at place of "points, where pairs differ from run to run";
    if rows then
      let! ct := read_crowd seen a no_eps 1 in
      let! k := read_rows_kept (fst ct) (snd ct) v in
      Good (RowsAsTheyAre k)
    else let! k := read_numbered_kept seen a no_eps 1 v in Good (NumberedAsTheyAre k).
(* A pair of neighbours of one of the runs. *)
Definition read_run_broken (place : string) (seen : told) (a : around) (v : json) : read run_broken :=
  let! given := pair_alone place v in
  if String.eqb (kind_of seen) "private" then bad place "no private users"
  else if String.eqb (kind_of seen) "rows" then
    let! ct := read_crowd seen a no_eps 1 in
    let! p := read_pair (fst ct) (snd ct) given in
    Good (PairOfRows (fst ct) p (names_of (snd ct)))
  else if String.eqb (kind_of seen) "up to" then
    let! c := read_number seen a no_eps 1 in
    let! ends := read_ends c given in
    Good (PairOfNumber c (fst ends) (snd ends))
  else
    let! w := read_columns seen a no_eps 1 in
    let! p := read_column_pair w given in
    Good (PairOfColumns w p).
Definition read_lattice (i : nat) (v : json) : read (Q * Z) :=
  let place := th "because.lattices" i in
  let! l := fields place ["step"; "cells"] ["step"; "cells"] v in
  let! step := rational (place ++ ".step") (the "step" l) in
  expect Z.pos (Qden step) <? Qnum step at (place ++ ".step") of "more than 1";
  let! cells := integer (place ++ ".cells") 2 (2 ^ 24) (the "cells" l) in
  Good (step, cells).
Definition read_runs (c : told_claim) (same proved : bool) (v : json) : read certificate :=
  let! l := fields "because" ["runs"; "lattices"] ["runs"; "lattices"] v in
  let! given := values "because.lattices" (the "lattices" l) in
  let! grids := read_each read_lattice given in
  expect not_empty grids at "because.lattices" of "a lattice";
  let! parts := values "because.runs" (the "runs" l) in
  let runs := runs_told c in
  expect Nat.eqb (length parts) (length runs) at "because.runs" of "a part for each of the claim's runs";
  let each_of {A} (f : string -> told -> json -> read A) (i : nat) (o : told * Z * json) : read (A * Z) :=
    let! found := f (th "because.runs" i) (fst (fst o)) (snd o) in Good (found, snd (fst o)) in
  let both := combine runs parts in
  if proved then
    let! found := read_each (each_of (fun place seen v => read_run_kept place seen same (around_told c) v)) both in
    Good (KeptByRuns found same (eps_told c) (delta_told c) grids)
  else
    let! found := read_each (each_of (fun place seen v => read_run_broken place seen (around_told c) v)) both in
    Good (BrokenByRuns found same (eps_told c) (delta_told c) grids).

Definition read_certificate (v : json) : read certificate :=
  let! l := fields "file" ["format"; "note"; "claim"; "verdict"; "because"] ["format"; "claim"; "verdict"; "because"] v in
  let! _ := word "format" ["shufflecert certificate"] (the "format" l) in
  let! _ := match value_of "note" l with None => Good "" | Some v => text "note" v end in
  let! verdict := word "verdict" ["PROVED"; "REFUTED"] (the "verdict" l) in
  let proved := String.eqb verdict "PROVED" in
  let! c := read_claim (the "claim" l) in
  let because := the "because" l in
  match same_told c, runs_told c with
  | Some same, _ => read_runs c same proved because
  | None, (seen, _) :: _ =>
      let eps := eps_told c in
      let delta := delta_told c in
      if String.eqb (kind_of seen) "rows" then read_rows seen (around_told c) eps delta proved because
      else if String.eqb (kind_of seen) "private" then
        if proved then
          let! found := read_any seen eps delta because in
          Good (KeptByAny (fst (fst found)) (snd (fst found)) (snd found))
        else read_any_broken seen eps delta because
      else read_numbered seen (around_told c) eps delta proved because
  | None, [] => bad "claim.runs" "a run"
  end.
