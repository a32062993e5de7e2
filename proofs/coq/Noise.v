(* The four noise laws: probabilities that sum to 1, their ratios, and how fast they fall. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount Sums Exp Check.
Import ListNotations.
Local Open Scope Z_scope.

(* Pr[k + 1] / Pr[k] = up X k / down X k *)
Definition up (X : noise) (k : Z) : Z :=
  match X with
  | Binomial n p => (n - k) * Qnum p
  | Poisson lam => Qnum lam
  | NegativeBinomial r p => Qnum p * (k * QDen r + Qnum r)
  | DiscreteLaplace q => if 0 <=? k then Qnum q else QDen q
  end.
Definition down (X : noise) (k : Z) : Z :=
  match X with
  | Binomial n p => (k + 1) * (QDen p - Qnum p)
  | Poisson lam => (k + 1) * QDen lam
  | NegativeBinomial r p => QDen p * QDen r * (k + 1)
  | DiscreteLaplace q => if 0 <=? k then QDen q else Qnum q
  end.
Definition proper_noise (X : noise) : bool :=
  match X with
  | Binomial n p => (0 <=? n) && (0 <? Qnum p) && (Qnum p <? QDen p)
  | Poisson lam => 0 <? Qnum lam
  | NegativeBinomial r p => (0 <? Qnum r) && (0 <? Qnum p) && (Qnum p <? QDen p)
  | DiscreteLaplace q => (0 <? Qnum q) && (Qnum q <? QDen q)
  end.
(* where the ratios are to be used *)
Definition inside (X : noise) (k : Z) : bool :=
  match X with
  | Binomial n _ => (0 <=? k) && (k <=? n)
  | DiscreteLaplace _ => true
  | _ => 0 <=? k
  end.
(* From k on the law falls at least by this ratio in every step up, or down. Where the first is not below the second
   there is none. *)
Definition falls_up (X : noise) (k : Z) : Z * Z :=
  match X with
  | NegativeBinomial r p => if Qnum r <? QDen r then (Qnum p, QDen p) else (up X k, down X k)
  | _ => (up X k, down X k)
  end.
Definition falls_down (X : noise) (k : Z) : Z * Z :=
  match X with
  | DiscreteLaplace q => if k <=? 0 then (Qnum q, QDen q) else (1, 1)
  | _ => if k <=? 0 then (0, 1) else (down X (k - 1), up X (k - 1))
  end.

Local Open Scope R_scope.
Lemma above_0_ok q : (0 <? Qnum q)%Z = true -> 0 < Q2R q.
Proof. intros H. apply Z.ltb_lt, IZR_lt in H. rewrite Q2R_frac. apply Rdiv_lt_0_compat; [lra|apply den_pos]. Qed.
Lemma below_1_ok q : (Qnum q <? QDen q)%Z = true -> Q2R q < 1.
Proof.
  intros H. apply Z.ltb_lt, IZR_lt in H. rewrite Q2R_frac. pose proof (den_pos q).
  apply Rmult_lt_reg_r with (IZR (QDen q)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
Lemma proper_is X : proper_noise X = true -> is_noise X.
Proof.
  destruct X; cbn [proper_noise is_noise]; intros H; repeat (apply andb_prop in H as [H ?]); repeat split;
    auto using above_0_ok, below_1_ok. now apply Z.leb_le.
Qed.

Lemma rising_pos r k : 0 < r -> 0 < rising r k.
Proof.
  intros H. induction k as [|k IH]; cbn [rising];
    [lra|]. pose proof (pos_INR k). pose proof (lt_0_INR (S k) ltac:(lia)).
  apply Rdiv_lt_0_compat; [nra|lra].
Qed.
Lemma prob_nonneg X k : is_noise X -> 0 <= prob X k.
Proof.
  destruct X; cbn [is_noise prob]; intros H.
  - destruct (_ && _); [|lra]. unfold Binomial.C. repeat apply Rmult_le_pos; try (apply pow_le; lra).
    + apply pos_INR.
    + left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; apply INR_fact_lt_0.
  - destruct (_ <=? _)%Z; [|lra]. left. apply Rdiv_lt_0_compat; [|apply INR_fact_lt_0].
    apply Rmult_lt_0_compat; [apply exp_pos|apply pow_lt; lra].
  - destruct (_ <=? _)%Z; [|lra]. left. repeat apply Rmult_lt_0_compat; [apply rising_pos; lra|apply exp_pos|].
    apply pow_lt; lra.
  - left. apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|apply pow_lt; lra].
Qed.

(* ---- ratios ---- *)
Lemma frac q : Q2R q * IZR (QDen q) = IZR (Qnum q).
Proof. rewrite Q2R_frac. pose proof (den_pos q). field. lra. Qed.
Lemma to_nat_succ k : (0 <= k)%Z -> Z.to_nat (k + 1) = S (Z.to_nat k).
Proof. lia. Qed.
Lemma INR_to_nat k : (0 <= k)%Z -> INR (Z.to_nat k) = IZR k.
Proof. intros. rewrite INR_IZR_INZ. f_equal. lia. Qed.
Theorem prob_ratio X k : is_noise X -> prob X (k + 1) * IZR (down X k) = prob X k * IZR (up X k).
Proof.
  destruct X as [n p|lam|r p|q]; cbn [is_noise prob up down]; intros H.
  - pose proof (frac p) as F. pose proof (den_pos p).
    destruct (Z.leb_spec 0 (k + 1)), (Z.leb_spec (k + 1) n), (Z.leb_spec 0 k), (Z.leb_spec k n); try lia; cbn [andb];
      try ring.
    + rewrite to_nat_succ by lia. set (N := Z.to_nat n). set (i := Z.to_nat k).
      assert (Hi : (i < N)%nat) by (unfold i, N; lia).
      replace (N - i)%nat with (S (N - S i)) by lia. unfold Binomial.C. replace (N - i)%nat with (S (N - S i)) by lia.
      rewrite !fact_simpl, !mult_INR, !mult_IZR, minus_IZR, plus_IZR, minus_IZR, <- F. cbn [pow].
      replace (IZR n - IZR k) with (INR (S (N - S i))).
      2: { rewrite <- minus_IZR, <- INR_to_nat by lia. f_equal. unfold N, i. lia. }
      replace (IZR k + 1) with (INR (S i)) by (rewrite S_INR; unfold i; rewrite INR_to_nat by lia; reflexivity).
      pose proof (INR_fact_lt_0 i). pose proof (INR_fact_lt_0 (N - S i)).
      pose proof (lt_0_INR (S i) ltac:(lia)). pose proof (lt_0_INR (S (N - S i)) ltac:(lia)).
      field. lra.
    + replace k with (-1)%Z by lia. rewrite Z.mul_0_l. ring.
    + replace k with n by lia. rewrite Z.sub_diag, Z.mul_0_l. ring.
  - pose proof (frac lam) as F. destruct (Z.leb_spec 0 (k + 1)), (Z.leb_spec 0 k); try lia; try ring.
    + rewrite to_nat_succ, fact_simpl, mult_INR, mult_IZR, <- F by lia. cbn [pow].
      replace (IZR (k + 1)) with (INR (S (Z.to_nat k))) by (rewrite <- to_nat_succ, INR_to_nat; auto; lia).
      pose proof (INR_fact_lt_0 (Z.to_nat k)). pose proof (lt_0_INR (S (Z.to_nat k)) ltac:(lia)). field. lra.
    + replace k with (-1)%Z by lia. rewrite Z.mul_0_l. ring.
  - pose proof (frac r) as F. pose proof (frac p) as G.
    destruct (Z.leb_spec 0 (k + 1)), (Z.leb_spec 0 k); try lia; try ring.
    + rewrite to_nat_succ by lia. cbn [rising pow]. rewrite !mult_IZR.
      replace (IZR (k + 1)) with (INR (S (Z.to_nat k))) by (rewrite <- to_nat_succ, INR_to_nat; auto; lia).
      rewrite plus_IZR, mult_IZR, <- F, <- G, (INR_to_nat k) by lia.
      pose proof (lt_0_INR (S (Z.to_nat k)) ltac:(lia)). field. lra.
    + replace k with (-1)%Z by lia. change (-1 + 1)%Z with 0%Z. rewrite Z.mul_0_r. ring.
  - pose proof (frac q) as F. pose proof (den_pos q).
    destruct (Z.leb_spec 0 k).
    + replace (Z.abs_nat (k + 1)) with (S (Z.abs_nat k)) by lia. cbn [pow]. rewrite <- F. field. lra.
    + replace (Z.abs_nat k) with (S (Z.abs_nat (k + 1))) by lia. cbn [pow]. rewrite <- F. field. lra.
Qed.
Lemma up_down_pos X k : proper_noise X = true -> inside X k = true -> inside X (k + 1) = true ->
  (0 <= up X k)%Z /\ (0 < down X k)%Z.
Proof.
  destruct X as [n p|lam|r p|q]; cbn [proper_noise inside up down]; intros P I J;
    repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H as [H ?] end;
    repeat match goal with H : (_ <? _)%Z = true |- _ => apply Z.ltb_lt in H | H : (_ <=? _)%Z = true |- _ => apply
    Z.leb_le in H end; try (destruct (Z.leb_spec 0 k)); split; nia.
Qed.

(* f (k + 1) <= (u / v) f k, by a ratio that is no larger *)
Lemma ratio_le f g x y u v : 0 <= f -> (0 < y)%Z -> (0 < v)%Z -> (x * v <= u * y)%Z -> g * IZR y = f * IZR x ->
  g * IZR v <= f * IZR u.
Proof.
  intros Hf Hy Hv L E. apply IZR_lt in Hy, Hv. apply IZR_le in L. rewrite !mult_IZR in L.
  apply Rmult_le_reg_r with (IZR y); [exact Hy|].
  replace (g * IZR v * IZR y) with (g * IZR y * IZR v) by ring. rewrite E.
  replace (f * IZR x * IZR v) with (f * (IZR x * IZR v)) by ring.
  replace (f * IZR u * IZR y) with (f * (IZR u * IZR y)) by ring. now apply Rmult_le_compat_l.
Qed.
Lemma cross x v u y p c : (0 <= p)%Z -> (0 <= c)%Z -> (x * v <= u * y)%Z -> (x * p * (v * c) <= u * p * (y * c))%Z.
Proof.
  intros Hp Hc H. replace (x * p * (v * c))%Z with (x * v * (p * c))%Z by ring.
  replace (u * p * (y * c))%Z with (u * y * (p * c))%Z by ring. apply Z.mul_le_mono_nonneg_r; nia.
Qed.
Lemma cross' x v u y p c : (0 <= p)%Z -> (0 <= c)%Z -> (x * v <= u * y)%Z -> (p * x * (c * v) <= p * u * (c * y))%Z.
Proof. intros. rewrite !(Z.mul_comm p), !(Z.mul_comm c). now apply cross. Qed.
Ltac decide_all := repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H as [H ?] end;
    repeat match goal with H : (_ <? _)%Z = true |- _ => apply Z.ltb_lt in H | H : (_ <=? _)%Z = true |- _ => apply
    Z.leb_le in H end.
Lemma below_0 X k : (k < 0)%Z -> match X with DiscreteLaplace _ => False | _ => True end -> prob X k = 0.
Proof. destruct X; cbn [prob]; intros H T; try contradiction; destruct (Z.leb_spec 0 k); try lia; reflexivity. Qed.
Theorem falls_up_ok X K k : proper_noise X = true -> inside X K = true ->
  (fst (falls_up X K) < snd (falls_up X K))%Z -> (K <= k)%Z ->
  prob X (k + 1) * IZR (snd (falls_up X K)) <= prob X k * IZR (fst (falls_up X K)).
Proof.
  intros P I S L. pose proof (prob_ratio X k (proper_is X P)) as E. pose proof (prob_nonneg X k (proper_is X P)) as N.
  destruct X as [n p|lam|r p|q]; cbn [falls_up fst snd up down inside proper_noise] in *; decide_all.
  - destruct (Z_le_gt_dec (k + 1) n) as [G|G].
    + eapply ratio_le; [exact N| | | |exact E]; try nia. apply cross; nia.
    + assert (Z0 : prob (Binomial n p) (k + 1) = 0).
      { cbn [prob]. destruct (Z.leb_spec (k + 1) n); [lia|]. now rewrite andb_false_r. }
      rewrite Z0, Rmult_0_l. apply Rmult_le_pos; [exact N|]. apply IZR_le. nia.
  - eapply ratio_le; [exact N| | | |exact E]; [nia|nia|]. apply Z.mul_le_mono_nonneg_l; [lia|].
    apply Z.mul_le_mono_nonneg_r; lia.
  - assert (0 < QDen p * QDen r * (k + 1))%Z by nia. assert (0 < QDen p * QDen r * (K + 1))%Z by nia.
    destruct (Z.ltb_spec (Qnum r) (QDen r)); cbn [fst snd] in *.
    + apply (ratio_le _ _ _ _ _ _ N) with (4 := E); [lia|lia|].
      apply Z.le_trans with (Qnum p * QDen p * (k * QDen r + Qnum r))%Z; [lia|].
      apply Z.le_trans with (Qnum p * QDen p * (QDen r * (k + 1)))%Z; [apply Z.mul_le_mono_nonneg_l; nia|lia].
    + apply (ratio_le _ _ _ _ _ _ N) with (4 := E); [lia|lia|].
      apply Z.le_trans with (Qnum p * QDen p * QDen r * ((k * QDen r + Qnum r) * (K + 1)))%Z; [lia|].
      apply Z.le_trans with (Qnum p * QDen p * QDen r * ((K * QDen r + Qnum r) * (k + 1)))%Z; [|lia].
      apply Z.mul_le_mono_nonneg_l; nia.
  - destruct (Z.leb_spec 0 K); cbn [fst snd] in *; [|lia].
    destruct (Z.leb_spec 0 k); [|lia]. eapply ratio_le; [exact N| | | |exact E]; nia.
Qed.
Theorem falls_down_ok X K k : proper_noise X = true -> inside X K = true ->
  (fst (falls_down X K) < snd (falls_down X K))%Z -> (k < K)%Z ->
  prob X k * IZR (snd (falls_down X K)) <= prob X (k + 1) * IZR (fst (falls_down X K)).
Proof.
  intros P I S L. pose proof (prob_ratio X k (proper_is X P)) as E. symmetry in E.
  pose proof (prob_nonneg X (k + 1) (proper_is X P)) as N.
  destruct X as [n p|lam|r p|q].
  4: { cbn [falls_down up down proper_noise] in *. decide_all. destruct (Z.leb_spec K 0); cbn [fst snd] in *; [|lia].
    destruct (Z.leb_spec 0 k); [lia|]. lra. }
  all: destruct (Z_lt_le_dec k 0) as [Hk|Hk].
  1,3,5: rewrite (below_0 _ k Hk), Rmult_0_l by exact Logic.I; apply Rmult_le_pos; [exact N|]; apply IZR_le;
      cbn [falls_down inside proper_noise up down] in *; decide_all; destruct (Z.leb_spec K 0); cbn [fst snd] in *;
      nia.
  all: cbn [falls_down fst snd up down inside proper_noise] in *; decide_all;
    destruct (Z.leb_spec K 0); try lia; cbn [fst snd] in *.
  - eapply ratio_le; [exact N| | | |exact E]; try nia. apply cross; nia.
  - eapply ratio_le; [exact N| | | |exact E]; [nia|nia|]. apply Z.mul_le_mono_nonneg_r; [lia|].
    apply Z.mul_le_mono_nonneg_r; lia.
  - destruct (Z_lt_le_dec (Qnum r) (QDen r)) as [R|R].
    { exfalso. assert (0 <= (K - 1) * QDen r + Qnum r < QDen r * K)%Z by nia.
      assert (Qnum p * ((K - 1) * QDen r + Qnum r) <= QDen p * ((K - 1) * QDen r + Qnum r))%Z by nia.
      replace (QDen p * QDen r * (K - 1 + 1))%Z with (QDen p * (QDen r * K))%Z in S by ring. nia. }
    assert (0 < Qnum p * (k * QDen r + Qnum r))%Z by nia. assert (0 < Qnum p * ((K - 1) * QDen r + Qnum r))%Z by nia.
    apply (ratio_le _ _ _ _ _ _ N) with (4 := E); [lia|lia|].
    apply Z.le_trans with (Qnum p * QDen p * QDen r * (((K - 1) * QDen r + Qnum r) * (k + 1)))%Z; [lia|].
    apply Z.le_trans with (Qnum p * QDen p * QDen r * ((k * QDen r + Qnum r) * (K - 1 + 1)))%Z; [|lia].
    apply Z.mul_le_mono_nonneg_l; nia.
Qed.
