(* Noise whose ratios are bounded, by a discrete Laplace law, keeps delta 0: no window is walked. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount SpecHistogram Sums Exp Check Noise Total.
Import ListNotations.
Local Open Scope Z_scope.

(* e^eps is at least q^-2 *)
Definition ratio_stands (X : noise) (e : exponent) (p : precision) : bool :=
  match X with
  | DiscreteLaplace q =>
      let z := from_below e p in
      good e && fits e p && (0 <? Qnum q) && (Qnum q <? QDen q) && (snd z * (QDen q * QDen q) <=? fst z * (Qnum q * Qnum q))
  | _ => false
  end.
(* one unit moves: two numbers change by 1 *)
Definition check_pure_histogram (c : histogram) (p : precision) : bool :=
  ratio_stands (noise_of c) (histogram_eps c) p && (0 <=? Qnum (histogram_delta c)) && (2 <=? buckets c).

Local Open Scope R_scope.
Lemma ratio_ok X e p : ratio_stands X e p = true -> exists q, X = DiscreteLaplace q /\ 0 < Q2R q < 1 /\ 0 <= value e /\
  1 <= value e * Q2R q ^ 2.
Proof.
  destruct X as [n0 p0|lam|r p0|q]; try discriminate. intros H. exists q. split; [reflexivity|]. unfold ratio_stands in H.
  do 4 (apply andb_prop in H as [H ?]). apply Z.leb_le in H0. pose proof (from_below_ok _ _ H H3) as [Z0 ZA].
  pose proof (above_0_ok _ H2) as Q0. pose proof (below_1_ok _ H1) as Q1. split; [lra|].
  apply IZR_le in H0. rewrite !mult_IZR, <- (frac q) in H0. pose proof (den_pos q) as D. set (d := IZR (QDen q)) in *. set (x := Q2R q) in *.
  assert (K : IZR (snd (from_below e p)) <= IZR (fst (from_below e p)) * x ^ 2).
  { apply Rmult_le_reg_r with (d * d); [now apply Rmult_lt_0_compat|]. cbn [pow]. lra. }
  assert (L : IZR (fst (from_below e p)) * x ^ 2 <= value e * IZR (snd (from_below e p)) * x ^ 2) by (apply Rmult_le_compat_r; [apply pow_le; lra|exact ZA]).
  assert (G : 1 <= value e * x ^ 2) by (apply Rmult_le_reg_l with (IZR (snd (from_below e p))); [exact Z0|lra]).
  split; [|exact G]. assert (0 < x ^ 2) by (apply pow_lt; lra). nra.
Qed.
Section Laplace.
Variables (q : Q) (Q01 : 0 < Q2R q < 1).
Let X := DiscreteLaplace q.
Lemma laplace_nonneg k : 0 <= prob X k.
Proof.
  cbn [prob X]. apply Rmult_le_pos; [|apply pow_le; lra]. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
Qed.
Lemma laplace_ratio j z k i : 0 <= z -> 1 <= z * Q2R q ^ j -> (Z.abs i <= Z.of_nat j)%Z -> prob X k <= z * prob X (k + i).
Proof.
  intros Z0 Z1 I. cbn [prob X]. set (w := (1 - Q2R q) / (1 + Q2R q)).
  assert (W : 0 <= w) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
  assert (P : Q2R q ^ (Z.abs_nat k + j) <= Q2R q ^ Z.abs_nat (k + i)).
  { assert (L : (Z.abs_nat (k + i) <= Z.abs_nat k + j)%nat) by lia. set (m := Z.abs_nat (k + i)) in *.
    replace (Z.abs_nat k + j)%nat with (m + (Z.abs_nat k + j - m))%nat by lia. rewrite pow_add.
    assert (0 < Q2R q ^ m) by (apply pow_lt; lra). assert (Q2R q ^ (Z.abs_nat k + j - m) <= 1); [|nra].
    clear - Q01. induction (Z.abs_nat k + j - m)%nat as [|n IH]; cbn [pow]; [lra|]. assert (0 <= Q2R q ^ n) by (apply pow_le; lra). nra. }
  rewrite pow_add in P. assert (0 <= Q2R q ^ Z.abs_nat k) by (apply pow_le; lra).
  set (a := Q2R q ^ Z.abs_nat k) in *. set (b := Q2R q ^ j) in *. set (d := Q2R q ^ Z.abs_nat (k + i)) in *.
  assert (a <= z * d); [|nra]. apply Rle_trans with (z * (a * b)); [nra|]. now apply Rmult_le_compat_l.
Qed.
End Laplace.

(* a sum over all outcomes is at most z times another, where each term is *)
Lemma total_ratio {A} (f g : A -> R) z a b : 0 <= z -> (forall k, f k <= z * g k) -> total f a -> total g b -> a <= z * b.
Proof.
  intros Z0 H [_ LA] [UB _]. apply LA. intros y (l & ND & ->).
  apply Rle_trans with (z * sum g l).
  - clear - H. induction l as [|k l IH]; [cbn; lra|]. rewrite !sum_cons. specialize (H k). lra.
  - apply Rmult_le_compat_l; [exact Z0|]. apply UB. now exists l.
Qed.
Lemma delta_0 d : (0 <=? Qnum d)%Z = true -> 0 <= Q2R d.
Proof.
  intros H. apply Z.leb_le, IZR_le in H. rewrite Q2R_frac. apply Rmult_le_pos; [exact H|left; apply Rinv_0_lt_compat, den_pos].
Qed.
Section Two.
Variables (q : Q) (Q01 : 0 < Q2R q < 1) (z : R) (Z0 : 0 <= z) (Z2 : 1 <= z * Q2R q ^ 2).
Local Notation X := (DiscreteLaplace q).
Lemma likely_nonneg cs : forall ks, 0 <= likely X cs ks.
Proof.
  induction cs as [|c cs IH]; intros [|k ks]; cbn [likely]; try lra. apply Rmult_le_pos; [apply laplace_nonneg, Q01|apply IH].
Qed.
(* by a factor of 1/q for each number that changes by 1 *)
Let r := / Q2R q.
Lemma r_ok : 0 <= r /\ 1 <= r * Q2R q ^ 1 /\ r * r <= z.
Proof.
  assert (Q0 : 0 < Q2R q) by lra. assert (RQ : r * Q2R q = 1) by (unfold r; field; lra).
  assert (R0 : 0 < r) by (now apply Rinv_0_lt_compat). cbn [pow] in *. rewrite !Rmult_1_r in *. split; [lra|split; [lra|]].
  assert (r * r * 1 <= r * r * (z * (Q2R q * Q2R q))) by (apply Rmult_le_compat_l; nra).
  replace (r * r * (z * (Q2R q * Q2R q))) with (z * ((r * Q2R q) * (r * Q2R q))) in H by ring. rewrite RQ in H. lra.
Qed.
Lemma likely_after l cs ds w : 0 <= w -> (forall ks, likely X cs ks <= w * likely X ds ks) ->
  forall ks, likely X (l ++ cs) ks <= w * likely X (l ++ ds) ks.
Proof.
  intros W H. induction l as [|c l IH]; intros ks; [apply H|]. destruct ks as [|k ks]; cbn [app likely]; [lra|].
  specialize (IH ks). pose proof (laplace_nonneg q Q01 (k - c)). nra.
Qed.
Lemma likely_one c d cs ds w : (Z.abs (c - d) <= 1)%Z -> 0 <= w -> (forall ks, likely X cs ks <= w * likely X ds ks) ->
  forall ks, likely X (c :: cs) ks <= r * w * likely X (d :: ds) ks.
Proof.
  intros I W H ks. destruct r_ok as (R0 & R1 & _). destruct ks as [|k ks]; cbn [likely]; [lra|].
  pose proof (laplace_ratio q Q01 1 r (k - c) (c - d) R0 R1 ltac:(lia)) as L. replace (k - c + (c - d))%Z with (k - d)%Z in L by lia.
  specialize (H ks). pose proof (likely_nonneg ds ks). pose proof (likely_nonneg cs ks).
  pose proof (laplace_nonneg q Q01 (k - c)). pose proof (laplace_nonneg q Q01 (k - d)).
  apply Rle_trans with (prob X (k - c) * (w * likely X ds ks)); [now apply Rmult_le_compat_l|].
  replace (r * w * (prob X (k - d) * likely X ds ks)) with (r * prob X (k - d) * (w * likely X ds ks)) by ring.
  apply Rmult_le_compat_r; [nra|exact L].
Qed.
Lemma likely_moved cs ds ks : unit_moves cs ds -> likely X cs ks <= z * likely X ds ks.
Proof.
  intros (l & a & m & b & e & H). destruct r_ok as (R0 & _ & RZ).
  assert (G : forall c c' d d', (Z.abs (c - c') <= 1)%Z -> (Z.abs (d - d') <= 1)%Z ->
    likely X (l ++ c :: m ++ d :: e) ks <= z * likely X (l ++ c' :: m ++ d' :: e) ks).
  { intros c c' d d' C D. apply Rle_trans with (r * (r * 1) * likely X (l ++ c' :: m ++ d' :: e) ks).
    - apply likely_after; [nra|]. apply likely_one; [exact C|nra|]. apply likely_after; [nra|].
      apply likely_one; [exact D|lra|]. intros. lra.
    - apply Rmult_le_compat_r; [apply likely_nonneg|lra]. }
  destruct H as [[-> ->]|[-> ->]]; apply G; lia.
Qed.
End Two.
Theorem check_pure_histogram_sound c p : check_pure_histogram c p = true -> is_law (noise_of c) /\ (2 <= buckets c)%Z /\
  histogram_private (noise_of c) (buckets c) (value (histogram_eps c)) (Q2R (histogram_delta c)).
Proof.
  unfold check_pure_histogram. intros H. apply andb_prop in H as [H B]. apply andb_prop in H as [H D]. apply delta_0 in D.
  apply Z.leb_le in B. destruct (ratio_ok _ _ _ H) as (q & -> & Q01 & V & R).
  split; [left; exact Q01|split; [exact B|]]. intros cs ds E a b _ M PA PB.
  assert (a <= value (histogram_eps c) * b); [|lra].
  apply (total_ratio (fun ks => if E ks then likely (DiscreteLaplace q) cs ks else 0)
    (fun ks => if E ks then likely (DiscreteLaplace q) ds ks else 0)); [exact V| |exact PA|exact PB].
  intros ks. destruct (E ks); [|lra]. now apply (likely_moved q Q01 _ R).
Qed.
