(* Runs of numbers and of columns: what is seen of neighbours, by laws of numbers that are known from below. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool Permutation.
From Shufflecert Require Import Spec SpecCount SpecColumns Sums Poly Numbers Made Beside Below TwoColumns Columns Shifts.
From Shufflecert Require SpecNumbers SpecRuns Powers.
Import ListNotations.
Local Open Scope R_scope.

(* How they are known: the hints of a number; those of columns, and trees. *)
Inductive way := OnShifts (h : number_hint) | InTrees (h : columns_hint) (trees : list (nat * nat * tree)).
Definition way_said (k : SpecRuns.kind) (w : way) : bool :=
  match k, w with
  | SpecRuns.OfNumbers c, OnShifts h => number_known c h
  | SpecRuns.OfColumns c _, InTrees h _ => columns_known c h
  | _, _ => false
  end.
(* Whether the columns of all pairs of neighbours pass. *)
Definition passes (k : SpecRuns.kind) (w : way) (test : ends_of -> ends_of -> bool) : bool :=
  match k, w with
  | SpecRuns.OfNumbers c, OnShifts h => number_known c h && all_shifts c h (fun e => test e one_column)
  | SpecRuns.OfColumns c size, InTrees h trees => all_pass c size h trees test
  | _, _ => false
  end.
Lemma way_said_ok k w : way_said k w = true -> SpecRuns.kind_said k.
Proof.
  destruct k as [c|c|c d|c], w as [h|h trees]; cbn [way_said SpecRuns.kind_said]; try discriminate; intros H.
  - apply (number_parts c h H).
  - destruct (known_parts c h H) as (_ & LS & _). now apply said.
Qed.
Lemma passes_said k w test : passes k w test = true -> way_said k w = true.
Proof.
  destruct k as [c|c|c d|c], w as [h|h trees]; cbn [passes way_said]; try discriminate; intros H; [now apply andb_prop in H|].
  now apply all_pass_ok in H.
Qed.
(* what is seen of a number *)
Lemma number_seen_mass c h xs : number_known c h = true -> is_mass (SpecRuns.number_seen c xs).
Proof. intros K. apply (seen_mass c), (noise_mass c h K). Qed.
Lemma back_number c x y : SpecNumbers.number_neighbours c x y -> SpecNumbers.number_neighbours c y x.
Proof. intros (A & B & N & R). repeat split; auto. intros E. destruct (R E); auto. Qed.
Lemma back_columns c n xs ys : neighbours c n xs ys -> neighbours c n ys xs.
Proof.
  intros (l & x & y & r & -> & -> & L & N & A & I). exists l, y, x, r. repeat split; auto.
  - destruct (arriving c); tauto.
  - intros i J. apply I. rewrite !in_app_iff in *. tauto.
Qed.
Theorem way_laws k w s P Q : way_said k w = true -> SpecRuns.is_seen k s -> SpecRuns.pairs_of s P Q ->
  is_mass P /\ is_mass Q /\ SpecRuns.pairs_of s Q P.
Proof.
  destruct k as [c|c|c d|c], w as [h|h trees]; cbn [way_said SpecRuns.is_seen]; try discriminate; intros K ->.
  - intros (l & x & y & r & O & N & -> & ->). split; [now apply (number_seen_mass c h)|split; [now apply (number_seen_mass c h)|]].
    exists l, y, x, r. auto using back_number.
  - intros (n & wide & xs & ys & S & N & -> & ->). split; [|split]; try (apply jointly_mass, (all_columns_mass c h K)).
    exists n, wide, ys, xs. split; [exact S|split; [|auto]]. destruct N as [N|(-> & N)]; [left; now apply back_columns|now right].
Qed.
(* a law of numbers by itself, where it is within beside nothing *)
Lemma not_alone (p q : Z -> R) z K : within p q z K -> within (beside_it p (point 0)) (beside_it q (point 0)) z K.
Proof.
  apply (beside Z.eq_dec Z.eq_dec (fun k n => (k, n)) (point 0)).
  - apply point_mass.
  - intros V D. apply mass_sum; [apply point_mass|exact D].
  - reflexivity.
  - reflexivity.
  - intros [k n]. left. now exists k, n.
Qed.
Lemma made_within f (p q : Z -> R) z K : is_mass p -> is_mass q -> 0 <= z -> within p q z K -> within (made_by f p) (made_by f q) z K.
Proof. intros P Q Z0 W. apply alone. apply made_first; try apply point_mass; auto. now apply not_alone. Qed.
Theorem passes_ok k w test s P Q : passes k w test = true -> SpecRuns.is_seen k s -> SpecRuns.pairs_of s P Q ->
  P = Q \/ exists e1 e2, test e1 e2 = true /\ forall z K, 0 <= z -> promised e1 e2 z K -> within P Q z K.
Proof.
  destruct k as [c|c|c d|c], w as [h|h trees]; cbn [passes SpecRuns.is_seen]; try discriminate; intros H ->.
  - apply andb_prop in H as [KN H]. intros (l & x & y & r & O & N & -> & ->). right.
    destruct (all_shifts_ok c h KN _ l r x y H O N) as (e & a & i & j & T & X & Y & W). exists e, one_column. split; [exact T|].
    intros z K Z0 PR. set (s := (fold_right Z.add 0 (l ++ r) + a)%Z).
    rewrite (seen_moved c h KN _ s i), (seen_moved c h KN _ s j) by (unfold s; rewrite !add_all_app; lia).
    apply made_within; [apply (seen_mass c), (noise_mass c h KN)..|exact Z0|now apply W].
  - intros (n & wide & xs & ys & S & [N|(-> & _)] & -> & ->); [|now left]. exact (proj2 (all_pass_ok c d h trees test H) n wide xs ys S N).
Qed.

(* ---- one pair: how it is known where it does not keep what is claimed ---- *)
Inductive one_pair := OfShift (h : number_hint) (x y : option Z) | OfColumn (h : columns_hint) (p : Powers.pair_told).
Definition ends_found (k : SpecRuns.kind) (q : one_pair) : option (ends_of * option ends_of) :=
  match k, q with
  | SpecRuns.OfNumbers c, OfShift h x y => match seen_ends c h x y with Some e => Some (e, None) | None => None end
  | SpecRuns.OfColumns c size, OfColumn h p => pair_ends c size h p
  | _, _ => None
  end.
