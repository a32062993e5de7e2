(* Each noise law's probabilities, as SpecCount.v writes them, sum to 1. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount Sums Exp Noise.
Import ListNotations.
Local Open Scope R_scope.

Definition width (N : nat) := (2 * N + 1)%nat.
Lemma total_of_runs f t : (forall k, 0 <= f k) -> (forall N, isum f (- Z.of_nat N) (width N) <= t) ->
  (forall e, 0 < e -> exists N, t - e <= isum f (- Z.of_nat N) (width N)) -> total f t.
Proof.
  intros H A B. split.
  - intros y (l & D & ->). apply (run_bounds f t H); auto. intros N HN.
    replace N with (Z.of_nat (Z.to_nat N)) at 1 by lia.
    replace (Z.to_nat (2 * N + 1)) with (width (Z.to_nat N)) by (unfold width; lia). apply A.
  - intros b Hb. apply le_epsilon. intros e He. destruct (B e He) as (N & L).
    assert (isum f (- Z.of_nat N) (width N) <= b); [|lra]. apply Hb.
    exists (run (- Z.of_nat N) (width N)). split; [apply run_nodup|reflexivity].
Qed.
Lemma wider f N : isum f (- Z.of_nat (S N)) (width (S N)) =
  f (- Z.of_nat (S N))%Z + isum f (- Z.of_nat N) (width N) + f (Z.of_nat (S N)).
Proof.
  replace (width (S N)) with (S (S (width N))) by (unfold width; lia). rewrite isum_first, isum_last.
  replace (- Z.of_nat (S N) + 1)%Z with (- Z.of_nat N)%Z by lia.
  replace (- Z.of_nat N + Z.of_nat (width N))%Z with (Z.of_nat (S N)) by (unfold width; lia). ring.
Qed.
Lemma from_0 f N : (forall k, (k < 0)%Z -> f k = 0) ->
  isum f (- Z.of_nat N) (width N) = sum_f_R0 (fun i => f (Z.of_nat i)) N.
Proof.
  intros H. induction N as [|N IH]; [change (f 0%Z + 0 = f 0%Z);
    ring|]. rewrite wider, IH, H by lia. cbn [sum_f_R0]. ring.
Qed.
Lemma total_of_series f t : (forall k, 0 <= f k) -> (forall k, (k < 0)%Z -> f k = 0) ->
  infinite_sum (fun i => f (Z.of_nat i)) t -> total f t.
Proof.
  intros H Z C. apply total_of_runs; auto.
  - intros N. rewrite from_0 by auto. apply sum_incr; auto.
  - intros e He. destruct (C e He) as (N & B). exists N. rewrite from_0 by auto. specialize (B N (le_n N)).
    unfold R_dist in B. apply Rabs_def2 in B. lra.
Qed.

Lemma binomial_total n p : is_noise (Binomial n p) -> total (prob (Binomial n p)) 1.
Proof.
  intros N. pose proof N as [Hn Hp]. apply total_of_series; [intros; now apply prob_nonneg| |].
  - intros k Hk. now apply below_0.
  - intros e He. exists (Z.to_nat n). intros m Hm. replace (sum_f_R0 _ m) with 1; [unfold R_dist;
    rewrite Rminus_diag_eq, Rabs_R0; auto|].
    induction Hm as [|m Hm IH].
    + transitivity ((Q2R p + (1 - Q2R p)) ^ Z.to_nat n); [replace (Q2R p + (1 - Q2R p)) with 1 by ring;
      now rewrite pow1|].
      rewrite binomial. apply sum_eq. intros i Hi. cbn [prob].
      destruct (Z.leb_spec 0 (Z.of_nat i)); [|lia]. destruct (Z.leb_spec (Z.of_nat i) n); [|lia]. cbn [andb].
      now rewrite Nat2Z.id.
    + cbn [sum_f_R0]. rewrite <- IH. cbn [prob]. destruct (Z.leb_spec (Z.of_nat (S m)) n); [lia|].
      rewrite andb_false_r. ring.
Qed.
Lemma poisson_total lam : is_noise (Poisson lam) -> total (prob (Poisson lam)) 1.
Proof.
  intros N. apply total_of_series; [intros; now apply prob_nonneg| |].
  - intros k Hk. now apply below_0.
  - assert (C : infinite_sum (fun i => / INR (fact i) * Q2R lam ^ i) (exp (Q2R lam))).
    { unfold exp. destruct (exist_exp (Q2R lam)) as [y Y]. exact Y. }
    assert (E : exp (- Q2R lam) * exp (Q2R lam) = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
    pose proof (exp_pos (- Q2R lam)) as P0. intros e He. destruct (C (e / exp (- Q2R lam))) as (M & B);
      [now apply Rdiv_lt_0_compat|].
    exists M. intros m Hm. specialize (B m Hm). unfold R_dist in *.
    replace (sum_f_R0 (fun i => prob (Poisson lam) (Z.of_nat i)) m) with (exp (- Q2R lam) * sum_f_R0 (fun i => / INR
      (fact i) * Q2R lam ^ i) m).
    2: { rewrite scal_sum. apply sum_eq. intros i _. cbn [prob]. destruct (Z.leb_spec 0 (Z.of_nat i)); [|lia].
      rewrite Nat2Z.id. pose proof (INR_fact_lt_0 i). field. lra. }
    rewrite <- E, <- Rmult_minus_distr_l, Rabs_mult, (Rabs_right (exp (- Q2R lam))) by lra.
    apply Rmult_lt_reg_r with (/ exp (- Q2R lam)); [now apply Rinv_0_lt_compat|].
    replace (exp (- Q2R lam) * Rabs (sum_f_R0 (fun i => / INR (fact i) * Q2R lam ^ i) m - exp (Q2R lam)) * / exp (- Q2R
      lam))
      with (Rabs (sum_f_R0 (fun i => / INR (fact i) * Q2R lam ^ i) m - exp (Q2R lam))) by (field; lra). exact B.
Qed.
Lemma laplace_total q : is_noise (DiscreteLaplace q) -> total (prob (DiscreteLaplace q)) 1.
Proof.
  intros N. pose proof N as Hq. cbn [is_noise] in Hq. set (x := Q2R q) in *.
  assert (F : forall N, isum (prob (DiscreteLaplace q)) (- Z.of_nat N) (width N) = 1 - 2 * x ^ S N / (1 + x)).
  { induction N0 as [|M IH].
    - change ((1 - x) / (1 + x) * 1 + 0 = 1 - 2 * (x * 1) / (1 + x)). field. lra.
    - rewrite wider, IH. cbn [prob]. fold x. replace (Z.abs_nat (- Z.of_nat (S M))) with (S M) by lia.
      replace (Z.abs_nat (Z.of_nat (S M))) with (S M) by lia. cbn [pow]. field. lra. }
  apply total_of_runs; [intros; now apply prob_nonneg| |].
  - intros M. rewrite F. assert (0 <= 2 * x ^ S M / (1 + x)); [|lra]. apply Rmult_le_pos; [|left;
    apply Rinv_0_lt_compat; lra].
    pose proof (pow_lt x (S M)). lra.
  - intros e He. destruct (pow_lt_1_zero x ltac:(rewrite Rabs_right; lra) (e / 2) ltac:(lra)) as (M & B).
    exists M. rewrite F. specialize (B (S M) ltac:(lia)). pose proof (pow_lt x (S M) ltac:(lra)).
    rewrite Rabs_right in B by lra. assert (2 * x ^ S M / (1 + x) <= e); [|lra].
    apply Rmult_le_reg_r with (1 + x); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

(* ---- Newton's binomial series, (1 - p)^r times its first N terms, by the mean value theorem ---- *)
Section Newton.
Variables (r p : R) (Hr : 0 < r) (Hp : 0 < p < 1).
Fixpoint newton (N : nat) (x : R) : R :=
  match N with O => Rpower (1 - x) r | S N => newton N x + Rpower (1 - x) r * (rising r (S N) * x ^ S N) end.
Definition slope N x := - (Rpower (1 - x) r / (1 - x) * ((INR N + r) * rising r N * x ^ N)).
Lemma power_derive x : x < 1 -> derivable_pt_lim (fun x => Rpower (1 - x) r) x (- (r * (Rpower (1 - x) r / (1 - x)))).
Proof.
  intros Hx. replace (- (r * (Rpower (1 - x) r / (1 - x)))) with (r * Rpower (1 - x) (r - 1) * (0 - 1)).
  - apply (derivable_pt_lim_comp (fun x => 1 - x) (fun u => Rpower u r)).
    + apply (derivable_pt_lim_minus (fct_cte 1) id); [apply derivable_pt_lim_const|apply derivable_pt_lim_id].
    + apply derivable_pt_lim_power. lra.
  - unfold Rminus at 2. rewrite Rpower_plus, Rpower_Ropp, Rpower_1 by lra. field. lra.
Qed.
Lemma newton_derive N x : x < 1 -> derivable_pt_lim (newton N) x (slope N x).
Proof.
  intros Hx. induction N as [|N IH].
  - replace (slope 0 x) with (- (r * (Rpower (1 - x) r / (1 - x)))); [now apply power_derive|].
    unfold slope. cbn. ring.
  - apply (derivable_pt_lim_ext (newton N + (fun x => Rpower (1 - x) r) * (mult_real_fct (rising r (S N)) (fun x => x ^
    S N)))%F).
    { intros t. reflexivity. }
    replace (slope (S N) x) with (slope N x + (- (r * (Rpower (1 - x) r / (1 - x))) * (rising r (S N) * x ^ S N) +
      Rpower (1 - x) r * (rising r (S N) * (INR (S N) * x ^ N)))).
    + apply derivable_pt_lim_plus; [exact IH|].
      apply (derivable_pt_lim_mult (fun x => Rpower (1 - x) r) (mult_real_fct (rising r (S N)) (fun x => x ^ S N)));
        [now apply power_derive|].
      apply derivable_pt_lim_scal. replace N with (pred (S N)) at 2 by reflexivity. apply derivable_pt_lim_pow.
    + unfold slope. cbn [rising pow]. pose proof (lt_0_INR (S N) ltac:(lia)). rewrite (S_INR N) in *. field. lra.
Qed.
Lemma rest_0 : forall e, 0 < e -> exists N, (INR N + r) * rising r N * p ^ S N < e.
Proof.
  set (a := fun N => (INR N + r) * rising r N * p ^ S N). set (y := (1 + p) / 2).
  assert (A0 : forall N, 0 < a N).
  { intros N. pose proof (pos_INR N). pose proof (rising_pos r N Hr). pose proof (pow_lt p (S N) ltac:(lra)).
    unfold a. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra. }
  destruct (archimed_cor1 ((1 - p) / (2 * p * r))) as (M & M1 & M2).
  { apply Rdiv_lt_0_compat; [lra|]. apply Rmult_lt_0_compat; lra. }
  assert (ST : forall N, (M <= N)%nat -> a (S N) <= y * a N).
  { intros N HN. assert (M0 : 0 < INR M) by (apply lt_0_INR; lia). assert (LN : INR M <= INR N) by (apply le_INR; lia).
    assert (MM : 2 * p * r < (1 - p) * INR M).
    { apply Rmult_lt_reg_r with (/ INR M * / (2 * p * r)); [apply Rmult_lt_0_compat; apply Rinv_0_lt_compat; nra|].
      replace (2 * p * r * (/ INR M * / (2 * p * r))) with (/ INR M) by (field; lra).
      replace ((1 - p) * INR M * (/ INR M * / (2 * p * r))) with ((1 - p) / (2 * p * r)) by (field; lra). exact M1. }
    replace (a (S N)) with (a N * (p * (INR (S N) + r) / INR (S N))).
    2: { unfold a. cbn [rising pow]. pose proof (lt_0_INR (S N) ltac:(lia)). rewrite (S_INR N) in *. field. lra. }
    rewrite Rmult_comm. apply Rmult_le_compat_r; [left; apply A0|].
    pose proof (lt_0_INR (S N) ltac:(lia)). apply Rmult_le_reg_r with (INR (S N)); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. unfold y. rewrite S_INR in *. nra. }
  assert (G : forall i, a (M + i)%nat <= y ^ i * a M).
  { induction i as [|i IH]; [rewrite Nat.add_0_r; cbn; lra|]. rewrite Nat.add_succ_r. eapply Rle_trans; [apply ST;
    lia|].
    cbn [pow]. rewrite Rmult_assoc. apply Rmult_le_compat_l; [unfold y; lra|exact IH]. }
  intros e He. destruct (pow_lt_1_zero y ltac:(unfold y; rewrite Rabs_right; lra) (e / a M)) as (i & B).
  { apply Rdiv_lt_0_compat; [lra|apply A0]. }
  exists (M + i)%nat. eapply Rle_lt_trans; [apply G|]. specialize (B i (le_n i)). pose proof (A0 M).
  rewrite Rabs_right in B by (left; apply pow_lt; unfold y; lra).
  apply Rmult_lt_reg_r with (/ a M); [now apply Rinv_0_lt_compat|]. rewrite Rmult_assoc, Rinv_r; lra.
Qed.
Lemma newton_near N : 1 - (INR N + r) * rising r N * p ^ S N / (1 - p) <= newton N p <= 1.
Proof.
  destruct (MVT_cor2 (newton N) (slope N) 0 p) as (c & E & Hc); [lra|intros; apply newton_derive; lra|].
  assert (Z : newton N 0 = 1).
  { clear E. induction N as [|M IH]; cbn [newton]; [|rewrite IH; cbn [pow]; ring]. unfold Rpower.
    rewrite Rminus_0_r, ln_1, Rmult_0_r. apply exp_0. }
  rewrite Z, Rminus_0_r in E. unfold slope in E.
  assert (P1 : 0 < Rpower (1 - c) r <= 1).
  { unfold Rpower. split; [apply exp_pos|]. pose proof (ln_increasing (1 - c) 1 ltac:(lra) ltac:(lra)) as L.
    rewrite ln_1 in L. left. pose proof (exp_increasing (r * ln (1 - c)) 0 ltac:(nra)) as X. rewrite exp_0 in X.
      exact X. }
  assert (P2 : 0 < / (1 - c) <= / (1 - p)).
  { split; [apply Rinv_0_lt_compat; lra|]. apply Rinv_le_contravar; lra. }
  set (k := (INR N + r) * rising r N) in *. assert (K : 0 <= k).
  { unfold k. pose proof (pos_INR N). pose proof (rising_pos r N Hr). nra. }
  assert (P3 : 0 <= c ^ N <= p ^ N) by (split; [apply pow_le; lra|apply pow_incr; lra]).
  set (u := Rpower (1 - c) r) in *. set (v := / (1 - c)) in *. set (v' := / (1 - p)) in *.
  assert (U : 0 <= u * v <= v') by nra. unfold Rdiv in E. fold v in E. unfold Rdiv. fold v'. cbn [pow].
  assert (W : 0 <= k * c ^ N <= k * p ^ N) by nra.
  assert (X : 0 <= u * v * (k * c ^ N) <= v' * (k * p ^ N)) by nra. nra.
Qed.
End Newton.
Lemma newton_is r p N : newton (Q2R r) N (Q2R p) = sum_f_R0 (fun i => prob (NegativeBinomial r p) (Z.of_nat i)) N.
Proof.
  induction N as [|N IH].
  { change (Rpower (1 - Q2R p) (Q2R r) = 1 * Rpower (1 - Q2R p) (Q2R r) * 1). ring. }
  cbn [newton sum_f_R0]. rewrite IH. f_equal. cbn [prob].
  destruct (Z.leb_spec 0 (Z.of_nat (S N))); [|lia]. rewrite Nat2Z.id. ring.
Qed.
Lemma negative_binomial_total r p : is_noise (NegativeBinomial r p) -> total (prob (NegativeBinomial r p)) 1.
Proof.
  intros N. pose proof N as [Hr Hp]. assert (B0 : forall k, (k < 0)%Z -> prob (NegativeBinomial r p) k = 0) by (intros;
    now apply below_0).
  apply total_of_runs; [intros; now apply prob_nonneg| |].
  - intros M. rewrite from_0, <- newton_is by auto. now apply newton_near.
  - intros e He. destruct (rest_0 (Q2R r) (Q2R p) Hr Hp (e * (1 - Q2R p))) as (M & B); [nra|]. exists M.
    rewrite from_0, <- newton_is by auto. destruct (newton_near (Q2R r) (Q2R p) Hr Hp M) as [L _].
    eapply Rle_trans; [|exact L]. apply Rplus_le_compat_l, Ropp_le_contravar.
    apply Rmult_le_reg_r with (1 - Q2R p); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Theorem prob_total X : is_noise X -> total (prob X) 1.
Proof.
  destruct X; [apply binomial_total|apply poisson_total|apply negative_binomial_total|apply laplace_total].
Qed.
(* so every event has a probability, and only one *)
Theorem Pr_count_exists X s E : is_noise X -> exists! a, Pr_count X s E a.
Proof.
  intros N. destruct (total_exists (fun k => if E (s + k)%Z then prob X k else 0) 1) as [a A].
  - intros l D. eapply Rle_trans; [apply sum_le|apply (total_above _ _ l (prob_total X N) D)].
    intros k _. pose proof (prob_nonneg X k N). cbv beta. destruct (E _); lra.
  - exists a. split; [exact A|]. intros b B. eapply total_unique; eauto.
Qed.
