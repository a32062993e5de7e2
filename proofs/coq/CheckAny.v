(* The checker of certificates about any randomizer, and the theorems about it. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Kron.
From Shufflecert Require Import Spec SpecCount SpecBlanket SpecThreshold SpecAny Sums Exp Check Powers Kernel Threshold
  AnyRandomizer AnyDelta Grid GridSum.
Import ListNotations.
Local Open Scope Z_scope.

Definition draws_of (E a : Z * Z) : list ((Z * Z) * (Z * Z)) :=
  let '(e, e') := E in let '(x, x') := a in
  [((e * x' - x * e', e' * x'), (e', e + e')); ((e' * x' - x * e, e' * x'), (e', e + e')); ((0, 1), (e - e', e + e'))].
(* whether e^eps >= e^eps0, where both bounds are 0 *)
Definition no_less (e local : exponent) (E a : Z * Z) : bool :=
  match e, local with Of p, Of q => Qle_bool q p | _, _ => false end || (fst E * snd a <=? fst a * snd E).
(* What delta0 adds: delta0 (1 + 3 (1 + a) (n - 1) / E), E from below and a from above. *)
Definition added_share (c : any_claim) (E a : Z * Z) : Z * Z :=
  let '(e, e') := E in let '(x, x') := a in
  (Qnum (any_share c) * (e * x' + 3 * (x' + x) * (Z.pos (any_users c) - 1) * e'), QDen (any_share c) * (e * x')).
Definition check_any (c : any_claim) (p : precision) (h : way) : bool :=
  let E := from_above (any_local c) p in let a := from_below (any_eps c) p in
  let '(s, t) := added_share c (from_below (any_local c) p) (from_above (any_eps c) p) in
  good (any_local c) && good (any_eps c) && fits (any_local c) p && fits (any_eps c) p && (0 <=? Qnum (any_delta c)) &&
  (0 <=? Qnum (any_share c)) && Qle_bool (any_share c) (any_delta c) && (0 <? fst (from_below (any_local c) p)) &&
  (no_less (any_eps c) (any_local c) E a ||
   way_stands h (draws_of E a) &&
   let '(u, w) := excess_end h (draws_of E a) (any_users c) in
   ((u * t + s * (Z.pos (any_users c) * w)) * QDen (any_delta c) <=?
     Qnum (any_delta c) * (Z.pos (any_users c) * w * t))).
Definition alone (local : exponent) (share : Q) (c : claim) : claim :=
  {| rows := rows c; sees := Shuffled; users := 1; eps := local; delta := share |}.
Definition check_one (local : exponent) (share : Q) (c : claim) (p : pair_told) (t : threshold) (s : sizes) (h : hint)
    (prec : precision) (fine cut : Z) (fast : option (Kron.line * nat)) : bool :=
  upper_holds (alone local share c) s h && check_threshold c p t (unit_of s) prec fine cut fast.

Local Open Scope R_scope.
Theorem check_one_sound local share c p t s h prec fine cut fast : check_one local share c p t s h prec fine cut fast = true ->
  one_true local share c (spelled_out p) t.
Proof.
  unfold check_one. intros H. apply andb_prop in H as [U T]. split.
  - exact (upper_sound (alone local share c) s h U).
  - exact (check_threshold_sound _ _ _ _ _ _ _ _ T).
Qed.

(* the bound rises with E and falls with a *)
Section Order.
Variables (a : R) (A1 : 1 <= a).
Lemma draw_any E b h : draw (any_loss E b) h = / (E + 1) * h (E - b) + / (E + 1) * h (1 - b * E) + (E - 1) / (E + 1) *
  h 0.
Proof. unfold draw, any_loss. cbn. ring. Qed.
Lemma weighs_any E b : 1 <= E -> weighs (any_loss E b).
Proof.
  intros E1 o I. assert (0 < / (E + 1)) by (apply Rinv_0_lt_compat; lra).
  destruct I as [<-|[<-|[<-|[]]]]; cbn [snd]; try lra. apply Rmult_le_pos; lra.
Qed.
Lemma any_wider E F h : a <= E -> E <= F -> convex h -> draw (any_loss E a) h <= draw (any_loss F a) h.
Proof.
  intros AE [EF|<-] C; [|lra]. rewrite !draw_any.
  assert (K : forall A x y, 0 < A -> A * x <= A * y -> x <= y) by (intros; nra).
  assert (FA : 0 < F - a) by lra. assert (FB : 0 < a * F - 1) by nra.
  pose proof (convex_chord h (E - a) (F - E) (F - a) 0 (E - a) C ltac:(lra) ltac:(lra) ltac:(ring)) as S1.
  pose proof (convex_chord h (a * E - 1) (a * (F - E)) (1 - a * F) 0 (1 - a * E) C ltac:(nra) ltac:(nra) ltac:(ring))
    as S2.
  pose proof (convex_chord h (a * F - 1) (F - a) (F - a) (1 - a * F) 0 C ltac:(lra) ltac:(lra) ltac:(ring)) as S3.
  set (hA := h (E - a)) in *. set (hB := h (1 - a * E)) in *. set (gA := h (F - a)) in *.
    set (gB := h (1 - a * F)) in *.
  set (h0 := h 0) in *.
  apply (K ((E + 1) * (F + 1) * (F - a) * (a * F - 1))).
  { repeat apply Rmult_lt_0_compat; lra. }
  assert (P1 : 0 <= (F + 1) * (a * F - 1)) by (apply Rmult_le_pos; lra).
  assert (P2 : 0 <= (F + 1) * (F - a)) by (apply Rmult_le_pos; lra).
  assert (P3 : 0 <= (a + 1) * (F - E)) by (apply Rmult_le_pos; lra).
  apply Rmult_le_compat_l with (r := (F + 1) * (a * F - 1)) in S1; [|exact P1].
  apply Rmult_le_compat_l with (r := (F + 1) * (F - a)) in S2; [|exact P2].
  apply Rmult_le_compat_l with (r := (a + 1) * (F - E)) in S3; [|exact P3].
  replace ((E + 1) * (F + 1) * (F - a) * (a * F - 1) * (/ (E + 1) * hA + / (E + 1) * hB + (E - 1) / (E + 1) * h0)) with
    ((F + 1) * (F - a) * (a * F - 1) * (hA + hB + (E - 1) * h0)) by (field; lra).
  replace ((E + 1) * (F + 1) * (F - a) * (a * F - 1) * (/ (F + 1) * gA + / (F + 1) * gB + (F - 1) / (F + 1) * h0)) with
    ((E + 1) * (F - a) * (a * F - 1) * (gA + gB + (F - 1) * h0)) by (field; lra).
  lra.
Qed.
Lemma any_less E b h : 1 <= E -> b <= a -> (forall x y, x <= y -> h x <= h y) ->
  draw (any_loss E a) h <= draw (any_loss E b) h.
Proof.
  intros E1 BA M. rewrite !draw_any. assert (0 < / (E + 1)) by (apply Rinv_0_lt_compat; lra).
  apply Rplus_le_compat_r, Rplus_le_compat; (apply Rmult_le_compat_l; [lra|]); apply M; nra.
Qed.
Lemma any_zero n E : 1 <= E -> E <= a -> any_bound n E a <= 0.
Proof.
  intros E1 EA. unfold any_bound, mean_excess. destruct n as [|n].
  { cbn. rewrite Rmax_left by lra. unfold Rdiv. rewrite Rmult_0_l. lra. }
  assert (N : 0 < / INR (S n)) by (apply Rinv_0_lt_compat, lt_0_INR; lia).
  assert (Z : forall m x, x <= 0 -> mean_of_sum (any_loss E a) m (fun s => Rmax (x + s) 0) <= 0).
  { induction m as [|m IH]; intros x X; cbn [mean_of_sum]; [rewrite Rplus_0_r, Rmax_right by lra; lra|].
    assert (Y : forall v, v <= 0 -> mean_of_sum (any_loss E a) m (fun s => Rmax (x + (v + s)) 0) <= 0).
    { intros v V. eapply Rle_trans; [|apply (IH (x + v)); lra]. apply mean_of_le; [now apply weighs_any|].
      intros s. rewrite Rplus_assoc. lra. }
    rewrite draw_any. pose proof (Y (E - a) ltac:(lra)). pose proof (Y (1 - a * E) ltac:(nra)).
      pose proof (Y 0 ltac:(lra)).
    assert (0 < / (E + 1)) by (apply Rinv_0_lt_compat; lra).
    assert (0 <= (E - 1) / (E + 1)) by (apply Rmult_le_pos; lra). nra. }
  specialize (Z (S n) 0 (Rle_refl 0)).
  assert (Q : mean_of_sum (any_loss E a) (S n) (fun s => Rmax s 0) <= 0).
  { eapply Rle_trans; [|exact Z]. apply mean_of_le; [now apply weighs_any|]. intros s. rewrite Rplus_0_l. lra. }
  unfold Rdiv. nra.
Qed.
End Order.
Theorem check_any_sound c p h : check_any c p h = true -> any_true c.
Proof.
  unfold check_any. destruct (added_share _ _ _) as [s t] eqn:SH. intros H. apply andb_prop in H as [H0 H].
  apply andb_prop in H0 as [H0 E0]. apply andb_prop in H0 as [H0 SD]. apply andb_prop in H0 as [H0 S0].
  apply andb_prop in H0 as [G H0]. apply andb_prop in G as [G FE]. apply andb_prop in G as [G FL].
  apply andb_prop in G as [GL GE]. apply Z.ltb_lt, IZR_lt in E0. apply Qle_bool_iff, Qle_Rle in SD.
  set (E := value (any_local c)). set (a := value (any_eps c)). set (n := Pos.to_nat (any_users c)).
  pose proof (value_1 _ GL) as E1. pose proof (value_1 _ GE) as A1. fold E in E1. fold a in A1.
  apply Z.leb_le, IZR_le in S0. assert (D0 : 0 <= Q2R (any_share c)).
  { rewrite Q2R_frac. apply Rmult_le_pos; [exact S0|left; apply Rinv_0_lt_compat, den_pos]. }
  intros X Y same outputs K HK HL. fold E in HL. fold a n.
  destruct (Rlt_le_dec a E) as [AE|AE].
  2: { intros l x x' r T Len BT. eapply Rle_trans; [exact (beyond_any outputs K HK E a (Q2R (any_share c)) HL n AE l x x' r T Len BT)|exact SD]. }
  enough (B : any_bound n E a + Q2R (any_share c) * (1 + 3 * (1 + a) * (INR n - 1) / E) <= Q2R (any_delta c)).
  { intros l x x' r T Len BT. eapply Rle_trans; [exact (any_with_delta outputs K HK E a (Q2R (any_share c)) A1 D0 HL n AE l x x' r T Len BT)|exact B]. }
  clear outputs K HK HL same X Y.
  pose proof (from_below_ok _ _ GL FL) as [ed EL]. pose proof (from_above_ok _ _ GE FE) as [Ad AU]. fold E in EL. fold a in AU.
  destruct (from_below (any_local c) p) as [e1 e1'], (from_above (any_eps c) p) as [x1 x1']. cbn [fst snd added_share] in *.
  apply (f_equal fst) in SH as S1. apply (f_equal snd) in SH as S2. cbn [fst snd] in S1, S2. subst s t. clear SH.
  pose proof (from_above_ok _ _ GL FL) as [Ed EB]. pose proof (from_below_ok _ _ GE FE) as [ad AB]. fold E in EB.
    fold a in AB.
  destruct (from_above (any_local c) p) as [e e'] eqn:FA, (from_below (any_eps c) p) as [x x'] eqn:FB. cbn [fst snd]
    in *.
  apply orb_prop in H as [H|H].
  - exfalso. unfold no_less in H. apply orb_prop in H as [H|H].
    + unfold E, a in AE. destruct (any_eps c) as [q|q], (any_local c) as [r|r]; try discriminate. cbn [value] in AE.
      apply Qle_bool_iff, Qle_Rle in H. destruct H as [H|H]; [apply exp_increasing in H; lra|rewrite H in AE; lra].
    + cbn [fst snd] in H. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR in H.
      assert (E * IZR e' * IZR x' <= a * IZR x' * IZR e') by nra.
      assert (0 < (E - a) * (IZR e' * IZR x')) by (apply Rmult_lt_0_compat; [lra|nra]). lra.
  - apply andb_prop in H as [ST H].
    assert (DOM : forall g, rising g -> draw (any_loss E a) g <= draw (map value_of (draws_of (e, e') (x, x'))) g).
    { intros g (C & M & _). set (F := IZR e / IZR e'). set (b := IZR x / IZR x').
      assert (EF : E <= F) by (unfold F; apply Rmult_le_reg_r with (IZR e'); [lra|]; unfold Rdiv;
        rewrite Rmult_assoc, Rinv_l; lra).
      assert (BA : b <= a) by (unfold b; apply Rmult_le_reg_r with (IZR x'); [lra|]; unfold Rdiv;
        rewrite Rmult_assoc, Rinv_l; lra).
      eapply Rle_trans; [apply (any_wider a A1 E F); auto; lra|].
      eapply Rle_trans; [apply (any_less a F b); auto; lra|]. right. rewrite draw_any.
      assert (e0 : 0 < IZR e) by (assert (IZR e = F * IZR e') by (unfold F; field; lra); nra).
      unfold draws_of, draw, value_of. cbn [map fst snd]. rewrite !sum_cons. cbn [fst snd]. change (sum _ []) with 0.
      rewrite !minus_IZR, !plus_IZR, !mult_IZR.
      replace ((IZR e * IZR x' - IZR x * IZR e') / (IZR e' * IZR x')) with (F - b) by (unfold F, b; field; lra).
      replace ((IZR e' * IZR x' - IZR x * IZR e) / (IZR e' * IZR x')) with (1 - b * F) by (unfold F, b; field; lra).
      replace (0 / 1) with 0 by field.
      replace (IZR e' / (IZR e + IZR e')) with (/ (F + 1)) by (unfold F; field; lra).
      replace ((IZR e - IZR e') / (IZR e + IZR e')) with ((F - 1) / (F + 1)) by (unfold F; field; lra). ring. }
    pose proof (excess_end_ok h _ ST (any_loss E a) (any_users c) (weighs_any E a E1) DOM) as B.
    destruct (way_parts h _ ST) as (_ & S2 & W0 & _).
    assert (WP : (0 < snd (excess_end h (draws_of (e, e') (x, x')) (any_users c)))%Z) by (cbn [excess_end excess_on snd]; nia).
    destruct (excess_end h (draws_of (e, e') (x, x')) (any_users c)) as [u w]. cbn [fst snd] in *.
    apply Z.leb_le, IZR_le in H. rewrite !mult_IZR in H. apply IZR_lt in WP.
    unfold any_bound, mean_excess. fold n in B.
    assert (NN : INR n = IZR (Z.pos (any_users c))) by (rewrite INR_IZR_INZ; unfold n; now rewrite positive_nat_Z). rewrite !NN.
    set (m := mean_of_sum _ _ _) in *. set (N := IZR (Z.pos (any_users c))) in *. assert (N0 : 1 <= N) by (apply IZR_le; lia).
    pose proof (den_pos (any_delta c)) as DP. pose proof (den_pos (any_share c)) as SP.
    assert (MW : m * IZR w <= IZR u) by (apply Rmult_le_compat_r with (r := IZR w) in B; [|lra]; unfold Rdiv in B;
      rewrite Rmult_assoc, Rinv_l in B; lra).
    repeat (rewrite plus_IZR in H || rewrite mult_IZR in H || rewrite minus_IZR in H). fold N in H.
    set (sh := Q2R (any_share c)) in *. assert (SH : IZR (Qnum (any_share c)) = sh * IZR (QDen (any_share c))).
    { unfold sh. rewrite Q2R_frac. field. lra. }
    set (g := 1 + 3 * (1 + IZR x1 / IZR x1') * (N - 1) * (IZR e1' / IZR e1)).
    assert (SG : IZR (Qnum (any_share c)) * (IZR e1 * IZR x1' + 3 * (IZR x1' + IZR x1) * (N - 1) * IZR e1') =
      sh * g * (IZR (QDen (any_share c)) * (IZR e1 * IZR x1'))) by (rewrite SH; unfold g; field; lra).
    rewrite SG in H. set (t := IZR (QDen (any_share c)) * (IZR e1 * IZR x1')) in *.
    assert (T0 : 0 < t) by (unfold t; repeat apply Rmult_lt_0_compat; lra).
    assert (GG : 1 + 3 * (1 + a) * (N - 1) / E <= g).
    { unfold g. apply Rplus_le_compat_l. unfold Rdiv at 1. apply Rmult_le_compat.
      - apply Rmult_le_pos; lra.
      - left. apply Rinv_0_lt_compat. lra.
      - apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; [lra|]. apply Rplus_le_compat_l.
        apply Rmult_le_reg_r with (IZR x1'); [exact Ad|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. exact AU.
      - apply Rmult_le_reg_r with (E * IZR e1); [apply Rmult_lt_0_compat; lra|].
        replace (/ E * (E * IZR e1)) with (IZR e1) by (field; lra).
        replace (IZR e1' / IZR e1 * (E * IZR e1)) with (E * IZR e1') by (field; lra). exact EL. }
    apply Rle_trans with (m / N + sh * g); [apply Rplus_le_compat_l; now apply Rmult_le_compat_l|].
    rewrite (Q2R_frac (any_delta c)). set (dn := IZR (Qnum (any_delta c))) in *. set (dd := IZR (QDen (any_delta c))) in *.
    assert (K0 : 0 < N * IZR w * t * dd) by (repeat apply Rmult_lt_0_compat; lra).
    apply Rmult_le_reg_r with (N * IZR w * t * dd); [exact K0|].
    replace (dn / dd * (N * IZR w * t * dd)) with (dn * (N * IZR w * t)) by (field; lra).
    eapply Rle_trans; [|exact H].
    replace ((m / N + sh * g) * (N * IZR w * t * dd)) with ((m * IZR w * t + sh * g * t * (N * IZR w)) * dd) by (field; lra).
    apply Rmult_le_compat_r; [lra|]. apply Rplus_le_compat_r. apply Rmult_le_compat_r; lra.
Qed.
