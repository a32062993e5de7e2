(* Two laws on the integers that are enclosed on a window: what their best event gains, from above and from below. *)
From Coq Require Import Reals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount Sums.
Import ListNotations.
Local Open Scope Z_scope.

(* Both ends of x times a probability, one pair for each integer from some first one on *)
Definition ends := list (Z * Z).
(* sum of max(a f(p) - b g(q), 0): f and g choose an end *)
Fixpoint gain (f g : Z * Z -> Z) (a b : Z) (ps qs : ends) (acc : Z) : Z :=
  match ps, qs with
  | p :: ps, q :: qs => gain f g a b ps qs (acc + Z.max (a * f p - b * g q) 0)
  | p :: ps, [] => gain f g a b ps [] (acc + Z.max (a * f p) 0)
  | [], _ => acc
  end.
Fixpoint pad (j : nat) (us : ends) : ends := match j with O => us | S j => pad j ((0, 0) :: us) end.
Definition all_of (f : Z * Z -> Z) (us : ends) : Z := fold_left (fun acc u => acc + f u) us 0.

Local Open Scope R_scope.
Fixpoint encl (x : R) (F : Z -> R) (k : Z) (us : ends) : Prop :=
  match us with
  | [] => forall i, (k <= i)%Z -> F i = 0
  | u :: us => IZR (fst u) <= x * F k <= IZR (snd u) /\ encl x F (k + 1) us
  end.

Lemma pad_encl x F j k us : (forall i, (k - Z.of_nat j <= i < k)%Z -> F i = 0) -> encl x F k us ->
  encl x F (k - Z.of_nat j) (pad j us).
Proof.
  revert k us. induction j as [|j IH]; intros k us H E; cbn [pad].
  - now replace (k - Z.of_nat 0)%Z with k by lia.
  - replace (k - Z.of_nat (S j))%Z with (k - 1 - Z.of_nat j)%Z by lia. apply IH; [intros; apply H; lia|].
    cbn [encl fst snd]. rewrite (H (k - 1)%Z) by lia. replace (k - 1 + 1)%Z with k by lia. split; [lra|exact E].
Qed.
Lemma encl_shift x F k j us : encl x F k us -> encl x (fun i => F (i - j)%Z) (k + j) us.
Proof.
  revert k. induction us as [|u us IH]; intros k H; cbn [encl] in *.
  - intros i Hi. apply H. lia.
  - replace (k + j - j)%Z with k by lia. destruct H as [U H]. split; [exact U|].
    replace (k + j + 1)%Z with (k + 1 + j)%Z by lia. now apply IH.
Qed.

Lemma gain_from f g a b ps : forall qs acc, gain f g a b ps qs acc = (gain f g a b ps qs 0 + acc)%Z.
Proof.
  induction ps as [|p ps IH]; intros qs acc; destruct qs as [|q qs]; cbn [gain]; try lia.
  - rewrite IH, (IH [] (0 + _)%Z). lia.
  - rewrite IH, (IH qs (0 + _)%Z). lia.
Qed.
Lemma gain_nonneg f g a b ps : forall qs, (0 <= gain f g a b ps qs 0)%Z.
Proof.
  induction ps as [|p ps IH]; intros qs; destruct qs as [|q qs]; cbn [gain]; try lia;
    rewrite gain_from; [specialize (IH [])|specialize (IH qs)]; lia.
Qed.
Lemma IZR_max a : IZR (Z.max a 0) = Rmax (IZR a) 0.
Proof.
  destruct (Z.max_spec a 0) as [[L ->]|[L ->]].
  - apply IZR_lt in L. now rewrite Rmax_right by lra.
  - apply IZR_le in L. now rewrite Rmax_left by lra.
Qed.
Lemma Rmax_mono a b : a <= b -> Rmax a 0 <= Rmax b 0.
Proof. intros. apply Rmax_case; [|apply Rmax_r]. eapply Rle_trans; [eassumption|apply Rmax_l]. Qed.
Lemma Rmax_scale x a : 0 <= x -> x * Rmax a 0 = Rmax (x * a) 0.
Proof.
  intros H. unfold Rmax. destruct (Rle_dec a 0), (Rle_dec (x * a) 0); try nra.
Qed.

Section Two.
Variables (x : R) (X0 : 0 < x) (a b : Z) (A0 : (0 <= a)%Z) (B0 : (0 <= b)%Z).
Definition over (P Q : Z -> R) k := Rmax (IZR a * P k - IZR b * Q k) 0.
Lemma over_nonneg P Q k : 0 <= over P Q k.
Proof. apply Rmax_r. Qed.
Lemma gain_high P Q ps : (forall k, 0 <= Q k) -> forall k qs, encl x P k ps -> encl x Q k qs -> forall len,
  x * isum (over P Q) k len <= IZR (gain snd fst a b ps qs 0).
Proof.
  intros HQ. apply IZR_le in A0 as A. apply IZR_le in B0 as B.
  induction ps as [|p ps IH]; intros k qs EP EQ len.
  - cbn [gain encl] in *. assert (Z : isum (over P Q) k len = 0); [|rewrite Z; lra].
    unfold isum. transitivity (sum (fun _ : Z => 0) (run k len)).
    + apply sum_ext. intros i I. apply run_in in I. unfold over. rewrite EP by lia. apply Rmax_right.
      specialize (HQ i). nra.
    + generalize (run k len). intros l. induction l as [|i l IHl]; [reflexivity|]. rewrite sum_cons, IHl. ring.
  - destruct len as [|len].
    { change (isum (over P Q) k 0) with 0. rewrite Rmult_0_r. apply IZR_le, gain_nonneg. }
    rewrite isum_first. cbn [encl] in EP. destruct EP as [[_ U] EP]. rewrite Rmult_plus_distr_l.
    destruct qs as [|q qs]; cbn [gain]; rewrite gain_from, plus_IZR, Z.add_0_l, IZR_max, Rplus_comm;
      apply Rplus_le_compat.
    + apply IH; auto. intros i Hi. apply EQ. lia.
    + unfold over. rewrite (Rmax_scale x) by lra. apply Rmax_mono. cbn [encl] in EQ. rewrite EQ, mult_IZR by lia. nra.
    + destruct EQ as [_ EQ]. apply IH; auto.
    + destruct EQ as [[L _] EQ]. unfold over. rewrite (Rmax_scale x) by lra. apply Rmax_mono.
      rewrite minus_IZR, !mult_IZR. nra.
Qed.
Lemma gain_low P Q ps : forall k qs, encl x P k ps -> encl x Q k qs -> exists len,
  IZR (gain fst snd a b ps qs 0) <= x * isum (over P Q) k len.
Proof.
  apply IZR_le in A0 as A. apply IZR_le in B0 as B.
  induction ps as [|p ps IH]; intros k qs EP EQ.
  - exists O. unfold isum. cbn. lra.
  - cbn [encl] in EP. destruct EP as [[U _] EP]. destruct qs as [|q qs].
    + destruct (IH (k + 1)%Z [] EP) as (len & L); [intros i Hi; apply EQ; lia|]. exists (S len).
      cbn [gain]. rewrite gain_from, plus_IZR, Z.add_0_l, IZR_max, isum_first, Rmult_plus_distr_l, Rplus_comm.
      apply Rplus_le_compat; [|exact L]. unfold over. rewrite (Rmax_scale x) by lra. apply Rmax_mono.
      cbn [encl] in EQ. rewrite EQ, mult_IZR by lia. nra.
    + destruct EQ as [[_ V] EQ]. destruct (IH (k + 1)%Z qs EP EQ) as (len & L). exists (S len).
      cbn [gain]. rewrite gain_from, plus_IZR, Z.add_0_l, IZR_max, isum_first, Rmult_plus_distr_l, Rplus_comm.
      apply Rplus_le_compat; [|exact L]. unfold over. rewrite (Rmax_scale x) by lra. apply Rmax_mono.
      rewrite minus_IZR, !mult_IZR. nra.
Qed.
Lemma all_of_from f us : forall acc, fold_left (fun acc u => (acc + f u)%Z) us acc = (all_of f us + acc)%Z.
Proof.
  unfold all_of. induction us as [|u us IH]; intros acc; cbn [fold_left]; [lia|]. rewrite IH, (IH (0 + f u)%Z). lia.
Qed.
Lemma all_of_cons (f : Z * Z -> Z) u us : all_of f (u :: us) = (f u + all_of f us)%Z.
Proof. unfold all_of at 1. cbn [fold_left]. rewrite all_of_from. lia. Qed.
Lemma all_of_ok F us : forall k, encl x F k us ->
  IZR (all_of fst us) <= x * isum F k (length us) <= IZR (all_of snd us).
Proof.
  induction us as [|u us IH]; intros k E; [unfold isum, all_of; cbn; lra|]. destruct E as [U E].
  cbn [length]. rewrite isum_first, !all_of_cons, !plus_IZR. specialize (IH _ E). lra.
Qed.
End Two.

(* P = P' on the window, and P - P' is what lies outside; likewise Q. *)
Section Pair.
Variables (x : R) (X0 : 0 < x) (P Q P' Q' : Z -> R) (lo : Z) (ps qs : ends) (T : R).
Hypotheses (P1 : forall k, 0 <= P' k <= P k) (Q1 : forall k, 0 <= Q' k <= Q k)
  (PE : encl x P' lo ps) (QE : encl x Q' lo qs) (PB : forall k, (k < lo)%Z -> P' k = 0)
  (PT : forall l, NoDup l -> x * sum (fun k => P k - P' k) l <= T)
  (QT : forall l, NoDup l -> x * sum (fun k => Q k - Q' k) l <= T).
Theorem pair_upper z zn zd : (0 <= zn)%Z -> (0 < zd)%Z -> IZR zn <= z * IZR zd -> forall l, NoDup l ->
  x * IZR zd * sum (excess P Q z) l <= IZR (gain snd fst zd zn ps qs 0) + IZR zd * T.
Proof.
  intros N D LZ l HL. apply IZR_lt in D as D'. apply IZR_le in N as N'.
  assert (W : forall l, NoDup l -> sum (over zd zn P' Q') l <= IZR (gain snd fst zd zn ps qs 0) / x).
  { intros m HM. apply (run_bounds (over zd zn P' Q')); auto; [intros; apply over_nonneg|]. intros M HM0.
    destruct (Z_le_gt_dec (- M) lo) as [G|G].
    - set (i := Z.to_nat (Z.min (lo + M) (2 * M + 1))).
      replace (Z.to_nat (2 * M + 1)) with (i + (Z.to_nat (2 * M + 1) - i))%nat by (unfold i; lia). rewrite isum_app.
      assert (Z0 : isum (over zd zn P' Q') (- M) i = 0).
      { unfold isum. transitivity (sum (fun _ : Z => 0) (run (- M) i)).
        - apply sum_ext. intros k I. apply run_in in I. unfold over. rewrite PB by (unfold i in I; lia).
          apply Rmax_right. specialize (Q1 k). nra.
        - generalize (run (- M) i). intros r. induction r as [|k r IHr]; [reflexivity|]. rewrite sum_cons, IHr. ring. }
      rewrite Z0, Rplus_0_l. destruct (Z_le_gt_dec (lo + M) (2 * M + 1)) as [K|K].
      + replace (- M + Z.of_nat i)%Z with lo by (unfold i; lia).
        apply Rmult_le_reg_l with x; [exact X0|]. replace (x * (IZR (gain snd fst zd zn ps qs 0) / x)) with
          (IZR (gain snd fst zd zn ps qs 0)) by (field; lra).
        apply gain_high; auto; [lia|intros; now apply Q1].
      + replace (Z.to_nat (2 * M + 1) - i)%nat with O by (unfold i; lia).
        change (isum _ _ 0) with 0.
        apply Rmult_le_pos; [apply IZR_le, gain_nonneg|left; now apply Rinv_0_lt_compat].
    - assert (L : isum (over zd zn P' Q') (- M) (Z.to_nat (2 * M + 1)) <=
        isum (over zd zn P' Q') lo (Z.to_nat (- M - lo) + Z.to_nat (2 * M + 1))).
      { rewrite isum_app. replace (lo + Z.of_nat (Z.to_nat (- M - lo)))%Z with (- M)%Z by lia.
        assert (0 <= isum (over zd zn P' Q') lo (Z.to_nat (- M - lo))); [|lra].
        apply sum_nonneg. intros. apply over_nonneg. }
      eapply Rle_trans; [exact L|]. apply Rmult_le_reg_l with x; [exact X0|].
      replace (x * (IZR (gain snd fst zd zn ps qs 0) / x)) with (IZR (gain snd fst zd zn ps qs 0)) by (field; lra).
      apply gain_high; auto; [lia|intros; now apply Q1]. }
  assert (S : IZR zd * sum (excess P Q z) l <= sum (over zd zn P' Q') l + IZR zd * sum (fun k => P k - P' k) l).
  { rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros k _. unfold excess, over.
    pose proof (Rmax_l (IZR zd * P' k - IZR zn * Q' k) 0). pose proof (Rmax_r (IZR zd * P' k - IZR zn * Q' k) 0).
    specialize (P1 k). specialize (Q1 k). unfold Rmax at 1. destruct (Rle_dec _ 0); [nra|].
    assert (z * Q k * IZR zd >= IZR zn * Q' k) by nra. nra. }
  specialize (W l HL). specialize (PT l HL).
  apply Rle_trans with (x * sum (over zd zn P' Q') l + IZR zd * (x * sum (fun k => P k - P' k) l)); [nra|].
  apply Rplus_le_compat; [|nra]. apply Rmult_le_compat_l with (r := x) in W; [|lra].
  replace (x * (IZR (gain snd fst zd zn ps qs 0) / x)) with (IZR (gain snd fst zd zn ps qs 0)) in W by (field; lra).
  exact W.
Qed.
Theorem pair_lower z zn zd : (0 <= zn)%Z -> (0 < zd)%Z -> z * IZR zd <= IZR zn -> exists l, NoDup l /\
  IZR (gain fst snd zd zn ps qs 0) - IZR zn * T <= x * IZR zd * sum (excess P Q z) l.
Proof.
  intros N D LZ. apply IZR_lt in D as D'. apply IZR_le in N as N'.
  destruct (gain_low x X0 zd zn ltac:(lia) N P' Q' ps lo qs PE QE) as (len & L).
  exists (run lo len). split; [apply run_nodup|].
  assert (S : sum (over zd zn P' Q') (run lo len) <= IZR zd * sum (excess P Q z) (run lo len) +
    IZR zn * sum (fun k => Q k - Q' k) (run lo len)).
  { rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros k _. unfold excess, over.
    pose proof (Rmax_l (P k - z * Q k) 0). pose proof (Rmax_r (P k - z * Q k) 0).
    specialize (P1 k). specialize (Q1 k). unfold Rmax at 1. destruct (Rle_dec _ 0); [nra|].
    assert (z * Q k * IZR zd <= IZR zn * Q k) by nra. nra. }
  specialize (QT (run lo len) (run_nodup lo len)). unfold isum in L. nra.
Qed.
End Pair.
