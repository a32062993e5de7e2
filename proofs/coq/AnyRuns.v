(* Any randomizer in one of several runs: what is seen of its neighbouring datasets are laws, as near as is shown of one run. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Permutation.
From Shufflecert Require Import Spec SpecCount SpecBlanket SpecAny SpecRuns Sums Blanket AnyRandomizer Numbers Pairs.
Import ListNotations.
Local Open Scope R_scope.

(* ---- one of all that look the same ---- *)
Lemma put_swap a b s : put a (put b s) = put b (put a s).
Proof.
  induction s as [|k s IH]; cbn [put].
  - destruct (Nat.leb_spec a b), (Nat.leb_spec b a); try reflexivity; try lia. assert (a = b) by lia. now subst.
  - destruct (Nat.leb_spec b k), (Nat.leb_spec a k); cbn [put];
      repeat match goal with |- context [Nat.leb ?x ?y] => destruct (Nat.leb_spec x y) end;
      try lia; try reflexivity; try (now rewrite IH).
    assert (a = b) by lia. now subst.
Qed.
Lemma in_order_perm s t : Permutation s t -> in_order s = in_order t.
Proof.
  unfold in_order. induction 1; cbn [fold_right]; [reflexivity|now rewrite IHPermutation|apply put_swap|congruence].
Qed.

(* ---- over all that users may put out ---- *)
Fixpoint tuples (ys : list nat) n : list (list nat) :=
  match n with O => [[]] | S n => flat_map (fun y => map (cons y) (tuples ys n)) ys end.
Lemma over_ext_in ys ws : forall g h, (forall t, In t (tuples ys (length ws)) -> g t = h t) -> over ys ws g = over ys ws h.
Proof.
  induction ws as [|w ws IH]; intros g h E; cbn [over]; [apply E; now left|]. apply sum_ext. intros y I. f_equal.
  apply IH. intros t J. apply E. cbn [length tuples]. apply in_flat_map. exists y. split; [exact I|now apply in_map].
Qed.
Section Seen.
Context {X : Type} (many : nat) (K : X -> nat -> R).
Hypothesis HK : laws (seq 0 many) K.
Notation ys := (seq 0 many).
Definition is_seen_as (y t : list nat) : bool := if list_eq_dec Nat.eq_dec y (in_order t) then true else false.
Definition in_these (l : list (list nat)) (t : list nat) : bool := existsb (fun y => is_seen_as y t) l.
Lemma in_these_ok l t : in_these l t = true <-> In (in_order t) l.
Proof.
  unfold in_these, is_seen_as. rewrite existsb_exists. split.
  - intros (y & I & E). destruct (list_eq_dec Nat.eq_dec y (in_order t)); [now subst|discriminate].
  - intros I. exists (in_order t). split; [exact I|]. now destruct (list_eq_dec Nat.eq_dec _ _).
Qed.
Lemma sum_outputs xs l : NoDup l -> sum (outputs_seen many K xs) l = chance ys K xs (in_these l).
Proof.
  intros N. unfold outputs_seen. rewrite chance_over. induction N as [|y l NI N IH].
  - cbn [sum fold_right]. rewrite (over_ext _ _ _ (fun _ => 0 * 0)) by (intros; unfold AnyRandomizer.shown; cbn; ring).
    rewrite over_scale. ring.
  - rewrite sum_cons, IH, chance_over, <- over_plus. apply over_ext. intros t. unfold AnyRandomizer.shown. fold (is_seen_as y t).
    unfold in_these at 2. cbn [existsb]. fold (in_these l t). unfold is_seen_as.
    destruct (list_eq_dec Nat.eq_dec y (in_order t)) as [->|]; cbn [orb]; [|ring].
    destruct (in_these l t) eqn:O; [apply in_these_ok in O; contradiction|ring].
Qed.
Lemma all_outputs xs : over ys (map K xs) (fun _ => 1) = 1.
Proof. rewrite over_one. induction xs as [|x xs IH]; [reflexivity|]. cbn [map fold_right]. rewrite IH, (proj2 (HK x)). ring. Qed.
Lemma outputs_weigh xs : Forall (Blanket.positive) (map K xs).
Proof. apply Forall_forall. intros w I. apply in_map_iff in I as (x & <- & _). intros y. apply HK. Qed.
Lemma outputs_mass xs : is_mass (outputs_seen many K xs).
Proof.
  split.
  - intros y. unfold outputs_seen. rewrite chance_over, <- (Rmult_0_l (over ys (map K xs) (fun _ => 1))), <- over_scale.
    apply over_le; [apply outputs_weigh|]. intros t _. unfold AnyRandomizer.shown. destruct (list_eq_dec _ _ _); lra.
  - split.
    + intros s (l & N & ->). rewrite sum_outputs, chance_over by exact N. rewrite <- (all_outputs xs).
      apply over_le; [apply outputs_weigh|]. intros t _. unfold AnyRandomizer.shown. destruct (in_these l t); lra.
    + intros b B. destruct (once (map in_order (tuples ys (length (map K xs))))) as (l & N & J). apply B. exists l. split; [exact N|].
      rewrite sum_outputs, chance_over, <- (all_outputs xs) by exact N. apply over_ext_in. intros t I. unfold AnyRandomizer.shown.
      replace (in_these l t) with true; [reflexivity|]. symmetry. apply in_these_ok, J. now apply in_map.
Qed.
End Seen.

Theorem any_both_ways c P Q : pairs_of (of_any c) P Q -> is_mass P /\ is_mass Q /\ pairs_of (of_any c) Q P.
Proof.
  intros (X & many & K & l & x & x' & r & HK & HL & L & -> & ->).
  split; [now apply outputs_mass|split; [now apply outputs_mass|]].
  exists X, many, K, l, x', x, r. repeat split; auto; try apply HK. rewrite app_length in *. exact L.
Qed.
(* the claim of one run *)
Definition any_at (c : any_claim) (t d : Q) : any_claim :=
  {| any_local := any_local c; any_share := any_share c; any_users := any_users c; any_eps := Log t; any_delta := d |}.
Theorem any_keeps c t d P Q : any_true (any_at c t d) -> pairs_of (of_any c) P Q -> keeps P Q (Q2R t) (Q2R d).
Proof.
  intros T (X & many & K & l & x & x' & r & HK & HL & L & -> & ->). apply keeps_by_sets. intros m N.
  rewrite !sum_outputs by exact N. apply (T X nat Nat.eq_dec (seq 0 many) K HK HL l x x' r (in_these m) L).
  intros s u S. unfold in_these, is_seen_as. now rewrite (in_order_perm s u S).
Qed.
