(* A noise law between two integers: a walk along its ratios, and geometric series for what lies outside. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount Sums Exp Check Noise Total Gain.
Import ListNotations.
Local Open Scope Z_scope.

(* from k on, the last one first, with u <= x Pr[X = k] <= v; then u' <= x Pr[X = k + 1] <= v', and so on *)
Fixpoint walk (X : noise) (fuel : nat) (k u v : Z) (acc : ends) : ends :=
  match fuel with
  | O => (u, v) :: acc
  | S f => let a := up X k in let b := down X k in walk X f (k + 1) (u * a / b) (ceil (v * a) b) ((u, v) :: acc)
  end.
Definition beyond (u : Z) (ratio : Z * Z) : Z := ceil (u * fst ratio) (snd ratio - fst ratio).
(* x times the law on lo, ..., lo + len, and an upper end of x times its probability outside *)
Definition window (X : noise) (lo : Z) (len : nat) (start : Z) : ends * Z :=
  let l := walk X len lo start start [] in
  (rev_append l [], beyond start (falls_down X lo) + beyond (snd (hd (0, 0) l)) (falls_up X (lo + Z.of_nat len))).
Definition below_one (ratio : Z * Z) : bool := (0 <=? fst ratio) && (fst ratio <? snd ratio).
Definition window_stands (X : noise) (lo : Z) (len : nat) (start : Z) : bool :=
  proper_noise X && (0 <? start) && inside X lo && inside X (lo + Z.of_nat len) && below_one (falls_down X lo) &&
  below_one (falls_up X (lo + Z.of_nat len)).

Local Open Scope R_scope.
Fixpoint steps (X : noise) (fuel : nat) (k u v : Z) : ends :=
  (u, v) :: match fuel with
    | O => []
    | S f => steps X f (k + 1) (u * up X k / down X k) (ceil (v * up X k) (down X k))
    end.
Lemma walk_steps X fuel : forall k u v acc, walk X fuel k u v acc = rev (steps X fuel k u v) ++ acc.
Proof.
  induction fuel as [|f IH]; intros k u v acc; [reflexivity|]. cbn [walk steps rev]. rewrite IH, <- app_assoc.
  reflexivity.
Qed.

Lemma prob_pos X k : proper_noise X = true -> inside X k = true -> 0 < prob X k.
Proof.
  intros P I. pose proof (proper_is X P) as N. destruct X as [n p|lam|r p|q]; cbn [inside prob is_noise] in *.
  - rewrite I. unfold Binomial.C. repeat apply Rmult_lt_0_compat; try (apply pow_lt; lra); [apply INR_fact_lt_0|].
    apply Rinv_0_lt_compat, Rmult_lt_0_compat; apply INR_fact_lt_0.
  - rewrite I. apply Rdiv_lt_0_compat; [|apply INR_fact_lt_0]. apply Rmult_lt_0_compat; [apply exp_pos|apply pow_lt;
    lra].
  - rewrite I. repeat apply Rmult_lt_0_compat; [apply rising_pos; lra|apply exp_pos|apply pow_lt; lra].
  - apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|apply pow_lt; lra].
Qed.
Lemma inside_between X a b k : inside X a = true -> inside X b = true -> (a <= k <= b)%Z -> inside X k = true.
Proof. destruct X; cbn [inside]; intros; decide_all; try (apply andb_true_intro; split); try apply Z.leb_le; auto;
  lia. Qed.

(* ---- geometric series ---- *)
Section Falls.
Variables (f : Z -> R) (F0 : forall k, 0 <= f k) (a b : Z) (A0 : (0 <= a)%Z) (AB : (a < b)%Z).
Lemma series_up K : (forall k, (K <= k)%Z -> f (k + 1)%Z * IZR b <= f k * IZR a) -> forall m,
  isum f (K + 1) m * IZR (b - a) <= f K * IZR a.
Proof.
  intros H m. apply IZR_le in A0 as A. apply IZR_lt in AB as B. rewrite minus_IZR.
  assert (S : isum f (K + 1) m * IZR b <= (f K + isum f (K + 1) m - f (K + Z.of_nat m)%Z) * IZR a).
  { induction m as [|m IH]; [unfold isum; cbn; rewrite Z.add_0_r; lra|]. rewrite isum_last.
    replace (K + 1 + Z.of_nat m)%Z with (K + Z.of_nat m + 1)%Z by lia.
    replace (K + Z.of_nat (S m))%Z with (K + Z.of_nat m + 1)%Z by lia.
    specialize (H (K + Z.of_nat m)%Z ltac:(lia)). lra. }
  pose proof (Rmult_le_pos _ _ (F0 (K + Z.of_nat m)) A). lra.
Qed.
Lemma series_down K : (forall k, (k < K)%Z -> f k * IZR b <= f (k + 1)%Z * IZR a) -> forall m,
  isum f (K - Z.of_nat m) m * IZR (b - a) <= f K * IZR a.
Proof.
  intros H m. apply IZR_le in A0 as A. apply IZR_lt in AB as B. rewrite minus_IZR.
  assert (S : isum f (K - Z.of_nat m) m * IZR b <= (f K + isum f (K - Z.of_nat m) m - f (K - Z.of_nat m)%Z) * IZR a).
  { induction m as [|m IH]; [unfold isum; cbn; rewrite Z.sub_0_r; lra|]. rewrite isum_first.
    specialize (H (K - Z.of_nat (S m))%Z ltac:(lia)).
    replace (K - Z.of_nat (S m) + 1)%Z with (K - Z.of_nat m)%Z in * by lia. lra. }
  pose proof (Rmult_le_pos _ _ (F0 (K - Z.of_nat m)) A). lra.
Qed.
Lemma beyond_ok u y S : (0 <= u)%Z -> y <= IZR u -> S * IZR (b - a) <= y * IZR a -> S <= IZR (beyond u (a, b)).
Proof.
  intros U Y H. assert (D : (0 < b - a)%Z) by lia. pose proof (div_up (u * a) _ D) as C. unfold beyond. cbn [fst snd].
  apply IZR_lt in D as D'. apply IZR_le in A0 as A. rewrite mult_IZR in C.
  apply Rmult_le_reg_r with (IZR (b - a)); [exact D'|]. nra.
Qed.
End Falls.

Section Window.
Variables (X : noise) (lo : Z) (len : nat) (start : Z) (W : window_stands X lo len start = true).
Let f := prob X.
Let last := (lo + Z.of_nat len)%Z.
Definition x_of : R := IZR start / f lo.
Let x := x_of.
Definition cut (k : Z) : R := if ((lo <=? k) && (k <=? last))%Z then f k else 0.

Lemma stands : proper_noise X = true /\ (0 < start)%Z /\ inside X lo = true /\ inside X last = true /\
  below_one (falls_down X lo) = true /\ below_one (falls_up X last) = true.
Proof.
  pose proof W as H. unfold window_stands in H. repeat (apply andb_prop in H as [H ?]). apply Z.ltb_lt in H4.
  repeat split; assumption.
Qed.
Lemma f0 k : 0 <= f k.
Proof. apply prob_nonneg, proper_is, stands. Qed.
Lemma x_pos : 0 < x.
Proof.
  destruct stands as (P & W0 & I & _). apply Rdiv_lt_0_compat; [apply IZR_lt; lia|now apply prob_pos].
Qed.
Lemma x_lo : x * f lo = IZR start.
Proof. destruct stands as (P & W0 & I & _). pose proof (prob_pos X lo P I). unfold x, x_of, f. field. lra. Qed.
Lemma cut_between k : 0 <= cut k <= f k.
Proof. unfold cut. pose proof (f0 k). destruct (_ && _); lra. Qed.

Lemma steps_ok fuel : forall k u v, (lo <= k)%Z -> (k + Z.of_nat fuel = last)%Z -> (0 <= u)%Z ->
  IZR u <= x * f k <= IZR v -> encl x cut k (steps X fuel k u v) /\
  exists y, hd (0%Z, 0%Z) (rev (steps X fuel k u v)) = y /\ x * f last <= IZR (snd y).
Proof.
  destruct stands as (P & _ & I & J & _). pose proof x_pos as X0.
  assert (C : forall k, (lo <= k <= last)%Z -> cut k = f k).
  { intros k [A B]. unfold cut. apply Z.leb_le in A, B. now rewrite A, B. }
  induction fuel as [|n IH]; intros k u v L E U H; cbn [steps].
  - split.
    + cbn [encl fst snd]. rewrite C by lia. split; [exact H|]. intros i Hi. unfold cut.
      destruct (Z.leb_spec i last); [lia|]. now rewrite andb_false_r.
    + cbn. eexists. split; [reflexivity|]. replace last with k by lia. apply H.
  - destruct (up_down_pos X k P) as [A B]; try (apply (inside_between X lo last); auto; lia).
    pose proof (prob_ratio X k (proper_is X P)) as R. fold f in R. apply IZR_lt in B as B'. apply IZR_le in A as A'.
    destruct (IH (k + 1)%Z (u * up X k / down X k)%Z (ceil (v * up X k) (down X k))) as (En & y & Hy & Ly).
    + lia.
    + lia.
    + apply Z.div_pos; nia.
    + split; apply Rmult_le_reg_r with (IZR (down X k)); auto; rewrite ?Rmult_assoc, R, <- ?Rmult_assoc.
      * eapply Rle_trans; [now apply div_down|]. rewrite mult_IZR. apply Rmult_le_compat_r; lra.
      * eapply Rle_trans; [|now apply div_up]. rewrite mult_IZR. apply Rmult_le_compat_r; lra.
    + split; [cbn [encl fst snd]; rewrite C by lia; split; [exact H|exact En]|].
      exists y. split; [|exact Ly]. cbn [rev]. rewrite <- Hy.
      destruct (rev (steps X n (k + 1) _ _)) eqn:Z; [|reflexivity].
      apply (f_equal (@length _)) in Z. rewrite rev_length in Z. destruct n; discriminate.
Qed.
Let us := fst (window X lo len start).
Let T := IZR (snd (window X lo len start)).
Theorem window_encl : encl x cut lo us.
Proof.
  destruct stands as (P & W0 & I & _).
  unfold us, window. cbn [fst]. rewrite walk_steps, app_nil_r, rev_append_rev, rev_involutive, app_nil_r.
  apply steps_ok; auto; try lia. rewrite x_lo. lra.
Qed.
Lemma below_before k : (k < lo)%Z -> cut k = 0.
Proof. intros H. unfold cut. destruct (Z.leb_spec lo k); [lia|reflexivity]. Qed.
Theorem outside l : NoDup l -> x * sum (fun k => f k - cut k) l <= T.
Proof.
  destruct stands as (P & W0 & I & J & D & U). pose proof x_pos as X0.
  unfold below_one in D, U. apply andb_prop in D as [D1 D2], U as [U1 U2].
  apply Z.leb_le in D1, U1. apply Z.ltb_lt in D2, U2.
  intros HL. assert (G : sum (fun k => f k - cut k) l <= T / x).
  2: { apply Rmult_le_compat_l with (r := x) in G; [|lra]. replace (x * (T / x)) with T in G by (field; lra). exact G. }
  assert (N0 : forall k, 0 <= f k - cut k) by (intros k; pose proof (cut_between k); lra).
  destruct (in_run l) as (N & HN & IN). set (M := Z.max N (Z.max (Z.abs lo) (Z.abs last))).
  apply Rle_trans with (isum (fun k => f k - cut k) (- M) (Z.to_nat (2 * M + 1))); [apply sum_incl; auto; apply IN;
    lia|].
  assert (LL : (lo <= last)%Z) by (unfold last; lia).
  set (m1 := Z.to_nat (lo + M)). set (m3 := Z.to_nat (M - last)).
  replace (Z.to_nat (2 * M + 1)) with (m1 + (S len + m3))%nat by (unfold m1, m3, last in *; lia).
  rewrite !isum_app. replace (- M + Z.of_nat m1)%Z with lo by (unfold m1; lia).
  replace (lo + Z.of_nat (S len))%Z with (last + 1)%Z by (unfold last; lia).
  assert (Z2 : isum (fun k => f k - cut k) lo (S len) = 0).
  { unfold isum. transitivity (sum (fun _ : Z => 0) (run lo (S len))).
    - apply sum_ext. intros k K. apply run_in in K. unfold cut. destruct (Z.leb_spec lo k), (Z.leb_spec k last);
        unfold last in *; try lia. cbn. ring.
    - generalize (run lo (S len)). intros r. induction r as [|k r IHr]; [reflexivity|]. rewrite sum_cons, IHr. ring. }
  assert (Z1 : isum (fun k => f k - cut k) (- M) m1 = isum f (lo - Z.of_nat m1) m1).
  { replace (- M)%Z with (lo - Z.of_nat m1)%Z by (unfold m1; lia). apply sum_ext. intros k K. apply run_in in K.
    rewrite below_before by lia. ring. }
  assert (Z3 : isum (fun k => f k - cut k) (last + 1) m3 = isum f (last + 1) m3).
  { apply sum_ext. intros k K. apply run_in in K. unfold cut. destruct (Z.leb_spec k last); [lia|].
    rewrite andb_false_r. ring. }
  rewrite Z1, Z2, Z3. apply Rmult_le_reg_l with x; [exact X0|]. replace (x * (T / x)) with T by (field; lra).
  rewrite !Rmult_plus_distr_l, Rmult_0_r, Rplus_0_l. unfold T, window. cbn [snd]. rewrite plus_IZR.
  apply Rplus_le_compat.
  - rewrite (surjective_pairing (falls_down X lo)). apply beyond_ok with (y := IZR start); auto; [lia|lra|].
    rewrite <- x_lo, !Rmult_assoc. apply Rmult_le_compat_l; [lra|].
    apply series_down; auto; [apply f0|]. intros k K. now apply falls_down_ok.
  - rewrite walk_steps, app_nil_r. destruct (steps_ok len lo start start) as (_ & y & -> & Y); try lia;
      [rewrite x_lo; lra|].
    fold last. rewrite (surjective_pairing (falls_up X last)). apply beyond_ok with (y := x * f last); auto.
    + apply le_IZR. eapply Rle_trans; [|exact Y]. apply Rmult_le_pos; [lra|apply f0].
    + rewrite !Rmult_assoc. apply Rmult_le_compat_l; [lra|]. apply series_up; auto; [apply f0|].
      intros k K. now apply falls_up_ok.
Qed.
(* x between two integers *)
Theorem x_between : IZR (all_of fst us) <= x <= IZR (all_of snd us) + T.
Proof.
  destruct stands as (P & _). pose proof x_pos as X0. pose proof (prob_total X (proper_is X P)) as Z1.
  destruct (all_of_ok x cut us lo window_encl) as [L U]. split.
  - eapply Rle_trans; [exact L|]. rewrite <- (Rmult_1_r x) at 2. apply Rmult_le_compat_l; [lra|].
    eapply Rle_trans; [apply sum_le; intros k _; apply cut_between|]. apply (total_above _ _ _ Z1), run_nodup.
  - assert (B : 1 <= (IZR (all_of snd us) + T) / x).
    { apply (total_least _ _ _ Z1). intros l HL. fold f.
      assert (SF : sum f l = sum (fun k => f k - cut k) l + sum cut l) by (rewrite <- sum_plus; apply sum_ext; intros;
        ring).
      assert (C : sum cut l <= isum cut lo (length us)).
      { assert (Len : length us = S len).
        { unfold us, window. cbn [fst]. rewrite walk_steps, app_nil_r, rev_append_rev, rev_involutive, app_nil_r.
          clear. generalize start at 1 as u. generalize start as v. generalize lo as k.
          induction len as [|n IH]; intros k v u; cbn [steps length]; [reflexivity|]. now rewrite IH. }
        rewrite Len.
        assert (E : sum cut l = sum cut (filter (fun k => (lo <=? k) && (k <=? last))%Z l)).
        { clear. induction l as [|k l IH]; [reflexivity|]. cbn [filter]. rewrite sum_cons, IH. unfold cut at 1.
          destruct (_ && _) eqn:B; [rewrite sum_cons; f_equal; unfold cut; now rewrite B|ring]. }
        rewrite E. apply sum_incl; [apply cut_between|now apply NoDup_filter|]. intros k K.
        apply filter_In in K as [_ K]. apply andb_prop in K as [K1 K2]. apply Z.leb_le in K1, K2. apply run_in.
        unfold last in K2. lia. }
      pose proof (outside l HL). rewrite SF. apply Rmult_le_reg_l with x; [exact X0|].
      replace (x * ((IZR (all_of snd us) + T) / x)) with (IZR (all_of snd us) + T) by (field; lra). nra. }
    apply Rmult_le_compat_l with (r := x) in B; [|lra].
    replace (x * ((IZR (all_of snd us) + T) / x)) with (IZR (all_of snd us) + T) in B by (field; lra). lra.
Qed.
End Window.
