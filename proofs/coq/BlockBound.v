(* The bound of the block lemma from laws that are known in part: S from below, P but for what is lost, Q from below.
    *)
From Coq Require Import Reals ZArith List Lra Lia Psatz.
From Shufflecert Require Import Spec SpecCount SpecBlanket Sums AnyRandomizer Grid GridSum.
Import ListNotations.
Local Open Scope R_scope.

Lemma sum_map {A B} (f : B -> R) (g : A -> B) l : sum f (map g l) = sum (fun a => f (g a)) l.
Proof. induction l as [|a l IH]; [reflexivity|]. cbn [map]. now rewrite !sum_cons, IH. Qed.

Section Draws.
Context {V : Type} (zs : list V) (S : V -> R) (S0 : forall v, In v zs -> 0 <= S v) (S1 : sum S zs = 1).
Let of_ (m : V -> R) := map (fun v => (m v, S v)) zs.
Lemma draw_of m h : draw (of_ m) h = sum (fun v => S v * h (m v)) zs.
Proof. unfold draw, of_. now rewrite sum_map. Qed.
Lemma of_weighs m : weighs (of_ m).
Proof. intros o I. apply in_map_iff in I as (v & <- & I). now apply S0. Qed.
Lemma mean_of_one m n k : mean_of_sum (of_ m) n (fun _ => k) = k.
Proof.
  induction n as [|n IH]; cbn [mean_of_sum]; [reflexivity|]. rewrite draw_of.
  rewrite (sum_ext _ (fun v => k * S v)) by (intros; rewrite IH; ring). rewrite sum_scale, S1. ring.
Qed.
(* what lower values of a draw take away *)
Lemma cost m m' n : forall x, mean_of_sum (of_ m) n (fun t => Rmax (x + t) 0) <=
  mean_of_sum (of_ m') n (fun t => Rmax (x + t) 0) + INR n * sum (fun v => S v * Rmax (m v - m' v) 0) zs.
Proof.
  set (C := sum _ zs). induction n as [|n IH]; intros x; [cbn; lra|].
  change (draw (of_ m) (fun v => mean_of_sum (of_ m) n (fun s => Rmax (x + (v + s)) 0)) <=
    draw (of_ m') (fun v => mean_of_sum (of_ m') n (fun s => Rmax (x + (v + s)) 0)) + INR (Datatypes.S n) * C).
  rewrite !draw_of, S_INR.
  apply Rle_trans with (sum (fun v => S v * mean_of_sum (of_ m') n (fun s => Rmax (x + (m' v + s)) 0) +
    (S v * Rmax (m v - m' v) 0 + (INR n * C) * S v)) zs).
  - apply sum_le. intros v I. pose proof (S0 v I) as P0.
    rewrite <- (Rmult_comm (S v) (INR n * C)), <- !Rmult_plus_distr_l. apply Rmult_le_compat_l; [exact P0|].
    apply Rle_trans with (mean_of_sum (of_ m) n (fun t => Rmax (x + m v + t) 0)).
    { apply mean_of_le; [apply of_weighs|]. intros s. rewrite Rplus_assoc. lra. }
    eapply Rle_trans; [apply IH|]. rewrite <- Rplus_assoc. apply Rplus_le_compat_r.
    set (k := Rmax (m v - m' v) 0).
    apply Rle_trans with (mean_of_sum (of_ m') n (fun s => 1 * Rmax (x + (m' v + s)) 0 + 1 * k)).
    + apply mean_of_le; [apply of_weighs|]. intros s. unfold k. pose proof (Rmax_l (m v - m' v) 0).
      pose proof (Rmax_r (m v - m' v) 0). pose proof (Rmax_l (x + (m' v + s)) 0).
      pose proof (Rmax_r (x + (m' v + s)) 0). apply Rmax_lub; lra.
    + rewrite (mean_of_two (of_ m') n 1 1 (fun s => Rmax (x + (m' v + s)) 0) (fun _ => k)), mean_of_one. lra.
  - rewrite !sum_plus, sum_scale, S1. fold C. lra.
Qed.

Variables (P Q s e d : V -> R) (keep : V -> bool) (z : R).
Hypotheses (SS : forall v, In v zs -> s v <= S v) (K : forall v, In v zs -> keep v = true -> 0 < s v)
  (E : forall v, In v zs -> P v - z * Q v <= e v + d v) (d0 : forall v, In v zs -> 0 <= d v).
Definition lower v := if keep v then e v / S v else 0.
Lemma lower_order g : rising g -> draw (of_ lower) g <=
  sum (fun v => if keep v then s v * g (e v / s v) else 0) zs + (1 - sum (fun v => if keep v then s v else 0) zs) * g
      0.
Proof.
  intros (C & _ & G0). rewrite draw_of.
  apply Rle_trans with (sum (fun v => (if keep v then s v * g (e v / s v) else 0) + (g 0 * S v +
    - g 0 * (if keep v then s v else 0))) zs).
  - apply sum_le. intros v I. unfold lower. destruct (keep v) eqn:Kv; [|lra].
    pose proof (K v I Kv) as P0. pose proof (SS v I) as L.
    pose proof (convex_chord g (s v) (S v - s v) (e v / s v) 0 (e v / S v) C ltac:(lra) ltac:(lra)
      ltac:(field; lra)) as CH.
    replace (s v + (S v - s v)) with (S v) in CH by ring. lra.
  - rewrite !sum_plus, !sum_scale, S1. right. ring.
Qed.
Theorem known_in_part N : (0 < N)%nat ->
  sum (fun v => if Rlt_dec 0 (S v) then 0 else Rmax (P v - z * Q v) 0) zs +
  mean_excess N (map (fun v => ((P v - z * Q v) / S v, S v)) zs) <=
  sum (fun v => if keep v then 0 else Rmax (e v) 0) zs + sum d zs + mean_excess N (of_ lower).
Proof.
  intros N0. apply lt_INR in N0 as N1. cbn [INR] in N1. unfold mean_excess.
  set (m := fun v => (P v - z * Q v) / S v). fold (of_ m).
  pose proof (cost m lower N 0) as C. set (cs := sum _ zs) in C.
  assert (X : forall L, mean_of_sum L N (fun t => Rmax (0 + t) 0) = mean_of_sum L N (fun t => Rmax t 0)).
  { clear. induction N as [|n IH]; intros L; cbn [mean_of_sum]; [now rewrite Rplus_0_l|].
    unfold draw. apply sum_ext. intros o _. f_equal. clear IH. induction n as [|n IH] in |- *; [cbn; now rewrite
        Rplus_0_l|].
    assert (Y : forall n g h, (forall t, g t = h t) -> mean_of_sum L n g = mean_of_sum L n h).
    { clear. induction n as [|n IH]; intros g h H; cbn [mean_of_sum]; [apply H|]. unfold draw. apply sum_ext.
      intros o _. f_equal. apply IH. intros. apply H. }
    apply Y. intros t. now rewrite Rplus_0_l. }
  rewrite !X in C.
  assert (D : sum (fun v => if Rlt_dec 0 (S v) then 0 else Rmax (P v - z * Q v) 0) zs + cs <=
    sum (fun v => if keep v then 0 else Rmax (e v) 0) zs + sum d zs).
  { unfold cs. rewrite <- !sum_plus. apply sum_le. intros v I. pose proof (S0 v I) as P0. pose proof (E v I) as Ev.
    pose proof (d0 v I) as Dv. pose proof (SS v I) as L. unfold lower, m.
    pose proof (Rmax_l (e v) 0). pose proof (Rmax_r (e v) 0).
    destruct (Rlt_dec 0 (S v)) as [Y|Y].
    - assert (W : forall x y, S v * Rmax (x / S v - y) 0 = Rmax (x - S v * y) 0).
      { intros x y. rewrite <- RmaxRmult by lra. rewrite Rmult_0_r. f_equal. field. lra. }
      rewrite W, Rplus_0_l. destruct (keep v).
      + apply Rmax_lub; [|lra]. replace (S v * (e v / S v)) with (e v) by (field; lra). lra.
      + apply Rmax_lub; lra.
    - replace (S v) with 0 by lra. rewrite Rmult_0_l, Rplus_0_r. destruct (keep v) eqn:Kv.
      + pose proof (K v I Kv). lra.
      + apply Rmax_lub; lra. }
  apply Rle_trans with (sum (fun v => if Rlt_dec 0 (S v) then 0 else Rmax (P v - z * Q v) 0) zs +
    (mean_of_sum (of_ lower) N (fun t => Rmax t 0) + INR N * cs) / INR N).
  - apply Rplus_le_compat_l. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact C].
  - replace ((mean_of_sum (of_ lower) N (fun t => Rmax t 0) + INR N * cs) / INR N) with
      (mean_of_sum (of_ lower) N (fun t => Rmax t 0) / INR N + cs) by (field; lra). lra.
Qed.
End Draws.
