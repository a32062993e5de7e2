(* Binomial noise with p = 0 or p = 1: a number that is added and known, so delta(eps) is 1. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount Sums Check.
Import ListNotations.
Local Open Scope Z_scope.

Definition at_one (q : Q) : bool := Qnum q =? QDen q.
Definition check_still (c : count) (v : verdict) (lower upper : Q) : bool :=
  match law_of c with
  | Binomial n p => (0 <=? n) && ((Qnum p =? 0) || at_one p)
  | _ => false
  end && (1 <=? sensitivity c) && good (count_eps c) && (Qnum lower <=? QDen lower) && (QDen upper <=? Qnum upper) &&
  match v with PROVED => QDen (count_delta c) <=? Qnum (count_delta c) | REFUTED =>
    Qnum (count_delta c) <? QDen (count_delta c) end.

Local Open Scope R_scope.
Lemma at_least_one q : (QDen q <=? Qnum q)%Z = true -> 1 <= Q2R q.
Proof.
  intros H. apply Z.leb_le, IZR_le in H. rewrite Q2R_frac. pose proof (den_pos q).
  apply Rmult_le_reg_r with (IZR (QDen q)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
Lemma at_most_one q : (Qnum q <=? QDen q)%Z = true -> Q2R q <= 1.
Proof.
  intros H. apply Z.leb_le, IZR_le in H. rewrite Q2R_frac. pose proof (den_pos q).
  apply Rmult_le_reg_r with (IZR (QDen q)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
Lemma below_one q : (Qnum q <? QDen q)%Z = true -> Q2R q < 1.
Proof.
  intros H. apply Z.ltb_lt, IZR_lt in H. rewrite Q2R_frac. pose proof (den_pos q).
  apply Rmult_lt_reg_r with (IZR (QDen q)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
Definition point (k0 k : Z) : R := if (k =? k0)%Z then 1 else 0.
Lemma still_point n p : (0 <= n)%Z -> Q2R p = 0 \/ Q2R p = 1 -> exists k0, forall k, prob (Binomial n p) k = point k0 k.
Proof.
  intros N [P|P]; cbn [prob]; rewrite P.
  - exists 0%Z. intros k. unfold point. destruct (Z.leb_spec 0 k), (Z.leb_spec k n), (Z.eqb_spec k 0); cbn [andb];
      try lia; auto.
    + subst. cbn [Z.to_nat]. unfold Binomial.C. rewrite Nat.sub_0_r, pow_O, Rminus_0_r, pow1. cbn [fact INR].
      field. apply INR_fact_neq_0.
    + rewrite (pow_i (Z.to_nat k)) by lia. ring.
  - exists n. intros k. unfold point. destruct (Z.leb_spec 0 k), (Z.leb_spec k n), (Z.eqb_spec k n); cbn [andb];
      try lia; auto.
    + subst. unfold Binomial.C. rewrite Nat.sub_diag, pow_O, pow1. cbn [fact INR]. field. apply INR_fact_neq_0.
    + replace (1 - 1) with 0 by ring. rewrite (pow_i (Z.to_nat n - Z.to_nat k)) by lia. ring.
Qed.
Lemma sum_zero {A} (l : list A) (f : A -> R) : (forall k, f k = 0) -> sum f l = 0.
Proof. intros H. unfold sum. induction l as [|k l IH]; [reflexivity|]. cbn [fold_right]. rewrite H, IH. ring. Qed.
Lemma sum_point (f : Z -> R) k0 l : (forall k, k <> k0 -> f k = 0) -> 0 <= f k0 <= 1 -> NoDup l -> sum f l <= 1.
Proof.
  intros H B. unfold sum. induction 1 as [|k l N ND IH]; [simpl; lra|]. cbn [fold_right].
  destruct (Z.eq_dec k k0) as [->|D]; [|rewrite (H k D); lra].
  replace (fold_right (fun a rest => f a + rest) 0 l) with 0; [lra|]. clear - H N.
  induction l as [|j l IH]; [reflexivity|].
  cbn [fold_right]. rewrite <- IH, (H j); [ring|intros ->; apply N; now left|intros I; apply N; now right].
Qed.
Theorem check_still_sound c v lower upper : check_still c v lower upper = true -> count_true c v lower upper.
Proof.
  unfold check_still, count_true. intros H. do 5 (apply andb_prop in H as [H ?]). apply Z.leb_le in H4.
  destruct (law_of c) as [n p| | |] eqn:L; try discriminate. apply andb_prop in H as [N P]. apply Z.leb_le in N.
  assert (P' : Q2R p = 0 \/ Q2R p = 1).
  { rewrite Q2R_frac. pose proof (den_pos p). apply orb_prop in P as [P|P]; apply Z.eqb_eq in P;
      rewrite P; [left|right].
    - unfold Rdiv. ring.
    - field. lra. }
  destruct (still_point n p N P') as (k0 & K).
  set (z := value (count_eps c)).
  assert (Z0 : 0 < z). { unfold z, value. destruct (count_eps c) as [q|q]; [apply exp_pos|]. cbn [good] in H3.
    apply Z.leb_le in H3. rewrite Q2R_frac. pose proof (den_pos q). apply Rdiv_lt_0_compat; [apply IZR_lt; lia|lra]. }
  assert (Up : forall d, 1 <= d -> count_private (Binomial n p) (sensitivity c) z d).
  { intros d D s t E a b _ [_ A] [B _].
    assert (A1 : a <= 1).
    { apply A. intros y (l & ND & ->). apply (sum_point _ k0); auto; intros; rewrite K; unfold point.
      - destruct (E _); [|reflexivity]. destruct (Z.eqb_spec k k0); [contradiction|reflexivity].
      - rewrite Z.eqb_refl. destruct (E _); lra. }
    assert (B1 : 0 <= b) by (apply B; exists []; split; [constructor|reflexivity]). nra. }
  assert (Low : exists s t E a b, near (sensitivity c) s t /\ Pr_count (Binomial n p) s E a /\
    Pr_count (Binomial n p) t E b /\ a - z * b = 1).
  { exists 0%Z, 1%Z, (fun k => (k =? k0)%Z), 1, 0. split; [unfold near; lia|]. split; [|split; [|ring]]; split.
    - intros y (l & ND & ->). apply (sum_point _ k0); auto; intros; rewrite K; unfold point; rewrite Z.add_0_l.
      + destruct (Z.eqb_spec k k0); [contradiction|reflexivity].
      + rewrite Z.eqb_refl. lra.
    - intros y Y. apply Y. exists [k0]. split; [repeat constructor; intros []|]. unfold sum. cbn [fold_right].
      rewrite K. unfold point. rewrite Z.add_0_l, Z.eqb_refl. ring.
    - intros y (l & ND & ->). right. apply sum_zero. intros k. rewrite K. unfold point.
      destruct (Z.eqb_spec (1 + k) k0), (Z.eqb_spec k k0); try reflexivity; lia.
    - intros y Y. apply Y. exists []. split; [constructor|reflexivity]. }
  split; [right; split; [exact N|exact P']|]. split; [apply Up; now apply at_least_one|].
  destruct Low as (s & t & E & a & b & NR & A & B & G). split.
  - exists s, t, E, a, b. repeat split; auto; try apply NR; try apply A; try apply B. rewrite G. now apply at_most_one.
  - destruct v; [apply Up; now apply at_least_one|]. exists s, t, E, a, b.
    repeat split; auto; try apply NR; try apply A; try apply B. rewrite G. now apply below_one.
Qed.
