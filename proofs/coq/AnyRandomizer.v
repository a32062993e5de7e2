(* The bound for all eps0-private randomizers: splitting and convex order, as in CERTIFICATE.md. *)
From Coq Require Import Reals QArith Qreals List Lra Lia Psatz Permutation.
From Shufflecert Require Import Spec SpecCount SpecBlanket Sums Blanket.
Import ListNotations.
Local Open Scope R_scope.

(* ---- convex functions ---- *)
Definition convex (h : R -> R) := forall x y t, 0 <= t <= 1 -> h (t * x + (1 - t) * y) <= t * h x + (1 - t) * h y.
Lemma convex_shift h v : convex h -> convex (fun s => h (v + s)).
Proof.
  intros H x y t T. cbv beta. replace (v + (t * x + (1 - t) * y)) with (t * (v + x) + (1 - t) * (v + y)) by ring.
    now apply H.
Qed.
Lemma convex_excess : convex (fun s => Rmax s 0).
Proof.
  intros x y t T. pose proof (Rmax_l x 0). pose proof (Rmax_r x 0). pose proof (Rmax_l y 0). pose proof (Rmax_r y 0).
  apply Rmax_lub; nra.
Qed.
Lemma convex_chord h a b x y m : convex h -> 0 <= a -> 0 <= b -> a * x + b * y = (a + b) * m ->
  (a + b) * h m <= a * h x + b * h y.
Proof.
  intros H A B M. destruct (Req_dec (a + b) 0) as [Z|N].
  - assert (a = 0 /\ b = 0) as [-> ->] by lra. lra.
  - assert (P : 0 < a + b) by lra. set (t := a / (a + b)).
    assert (T : t * (a + b) = a) by (unfold t; field; lra).
    assert (T01 : 0 <= t <= 1) by (split; apply Rmult_le_reg_r with (a + b); lra).
    assert (X : forall u v, (a + b) * (t * u + (1 - t) * v) = a * u + b * v).
    { intros u v. replace ((a + b) * (t * u + (1 - t) * v)) with (t * (a + b) * u + (a + b - t * (a + b)) * v) by ring.
      rewrite T. ring. }
    replace m with (t * x + (1 - t) * y) by (apply Rmult_eq_reg_l with (a + b); [now rewrite X|exact N]).
    rewrite <- X. apply Rmult_le_compat_l; [lra|now apply H].
Qed.

Lemma sum_zero {A} (l : list A) : sum (fun _ => 0) l = 0.
Proof. induction l as [|a l IH]; [reflexivity|]. rewrite sum_cons, IH. ring. Qed.

(* ---- means of sums of draws ---- *)
Definition weighs (L : list (R * R)) := forall o, In o L -> 0 <= snd o.
Lemma draw_le L g h : weighs L -> (forall v, g v <= h v) -> draw L g <= draw L h.
Proof. intros W H. apply sum_le. intros o I. apply Rmult_le_compat_l; [now apply W|apply H]. Qed.
Lemma draw_two L g h a b : draw L (fun v => a * g v + b * h v) = a * draw L g + b * draw L h.
Proof. unfold draw. rewrite <- !sum_scale, <- sum_plus. apply sum_ext. intros. ring. Qed.
Lemma mean_of_le L n : weighs L -> forall g h, (forall s, g s <= h s) -> mean_of_sum L n g <= mean_of_sum L n h.
Proof. intros W. induction n as [|n IH]; intros g h H; cbn [mean_of_sum]; [apply H|]. apply draw_le; auto. Qed.
Lemma mean_of_two L n a b : forall g h,
  mean_of_sum L n (fun s => a * g s + b * h s) = a * mean_of_sum L n g + b * mean_of_sum L n h.
Proof.
  induction n as [|n IH]; intros g h; cbn [mean_of_sum]; [reflexivity|]. rewrite <- draw_two. unfold draw.
  apply sum_ext. intros o _. f_equal. apply IH.
Qed.
Lemma mean_of_convex L n h : weighs L -> convex h -> convex (fun v => mean_of_sum L n (fun s => h (v + s))).
Proof.
  intros W H x y t T. cbv beta. rewrite <- mean_of_two. apply mean_of_le; [exact W|]. intros s.
  replace (t * x + (1 - t) * y + s) with (t * (x + s) + (1 - t) * (y + s)) by ring. now apply H.
Qed.
(* the convex order of draws is that of their sums *)
Theorem convex_order L M : weighs L -> weighs M -> (forall h, convex h -> draw L h <= draw M h) ->
  forall n h, convex h -> mean_of_sum L n h <= mean_of_sum M n h.
Proof.
  intros WL WM H n. induction n as [|n IH]; intros h C; cbn [mean_of_sum]; [lra|].
  apply Rle_trans with (draw M (fun v => mean_of_sum L n (fun s => h (v + s)))).
  - apply H. now apply mean_of_convex.
  - apply draw_le; [exact WM|]. intros v. apply IH. now apply convex_shift.
Qed.
Lemma mean_excess_nonneg n L : weighs L -> 0 <= mean_excess n L.
Proof.
  intros W. unfold mean_excess. destruct n as [|n]; [cbn; rewrite Rmax_left by apply Rle_refl; unfold Rdiv;
    rewrite Rmult_0_l; lra|].
  apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat, lt_0_INR; lia].
  assert (Z : mean_of_sum L (S n) (fun s => 0 * s + 0 * s) = 0) by (rewrite mean_of_two; ring).
  eapply Rle_trans; [right; symmetry; exact Z|]. apply mean_of_le; [exact W|]. intros s. pose proof (Rmax_r s 0). lra.
Qed.

(* ---- two laws within a factor E, and one draw ---- *)
Section Splitting.
Context {Y : Type} (ys : list Y) (E a : R) (E1 : 1 < E) (A1 : 1 <= a <= E) (u v : Y -> R).
Hypotheses (U0 : forall y, 0 <= u y) (V0 : forall y, 0 <= v y) (U1 : sum u ys = 1) (V1 : sum v ys = 1)
  (UV : forall y, In y ys -> u y <= E * v y) (VU : forall y, In y ys -> v y <= E * u y).
Definition larger y := Rmax (u y) (v y) / E.
Definition gain_of y := (u y - a * v y) / larger y.
Let s y := Rmax (u y - v y) 0 / (E - 1).
Let s' y := Rmax (v y - u y) 0 / (E - 1).
Let p := sum s ys.
Let G := sum larger ys.
Let M := E * (1 - a).
Lemma larger_pos y : 0 <= larger y.
Proof. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; lra]. pose proof (Rmax_l (u y) (v y)). specialize (U0 y).
  lra. Qed.
Lemma split_of y h : In y ys -> convex h -> 0 <= larger y - s y - s' y /\
  larger y * h (gain_of y) <= s y * h (E - a) + s' y * h (1 - a * E) + (larger y - s y - s' y) * h M.
Proof.
  intros I C. pose proof (UV y I). pose proof (VU y I). pose proof (U0 y). pose proof (V0 y).
  assert (IE : 0 < / E) by (apply Rinv_0_lt_compat; lra).
  assert (LE : larger y * E = Rmax (u y) (v y)) by (unfold larger; field; lra).
  assert (SE : s y * (E - 1) = Rmax (u y - v y) 0) by (unfold s; field; lra).
  assert (SE' : s' y * (E - 1) = Rmax (v y - u y) 0) by (unfold s'; field; lra).
  pose proof (larger_pos y) as L0.
  assert (LG : larger y * gain_of y = u y - a * v y).
  { unfold gain_of. destruct (Req_dec (larger y) 0) as [Z|N]; [|field; exact N].
    rewrite Z, Rmult_0_l in *. pose proof (Rmax_l (u y) (v y)). pose proof (Rmax_r (u y) (v y)). nra. }
  unfold M. destruct (Rle_dec (v y) (u y)) as [L|L].
  - rewrite Rmax_left in LE by lra. rewrite Rmax_left in SE by lra. rewrite Rmax_right in SE' by lra.
    assert (S0 : s' y = 0) by nra. rewrite S0 in *.
    assert (T : (larger y - s y) * (E * (E - 1)) = E * v y - u y).
    { replace ((larger y - s y) * (E * (E - 1))) with ((larger y * E) * (E - 1) - (s y * (E - 1)) * E) by ring.
        rewrite LE, SE. ring. }
    assert (T0 : 0 <= larger y - s y) by (assert (0 < E * (E - 1)) by nra; nra).
    assert (S1 : 0 <= s y) by nra. split; [lra|].
    pose proof (convex_chord h (s y) (larger y - s y) (E - a) (E * (1 - a)) (gain_of y) C S1 T0) as CH.
    replace (s y + (larger y - s y)) with (larger y) in CH by ring. rewrite LG in CH.
    assert (Q : s y * (E - a) + (larger y - s y) * (E * (1 - a)) = u y - a * v y).
    { replace (s y * (E - a) + (larger y - s y) * (E * (1 - a))) with ((larger y * E) * (1 - a) + a * (s y * (E - 1)))
        by ring.
      rewrite LE, SE. ring. }
    specialize (CH Q). lra.
  - rewrite Rmax_right in LE by lra. rewrite Rmax_right in SE by lra. rewrite Rmax_left in SE' by lra.
    assert (S0 : s y = 0) by nra. rewrite S0 in *.
    assert (T : (larger y - s' y) * (E * (E - 1)) = E * u y - v y).
    { replace ((larger y - s' y) * (E * (E - 1))) with ((larger y * E) * (E - 1) - (s' y * (E - 1)) * E) by ring.
        rewrite LE, SE'. ring. }
    assert (T0 : 0 <= larger y - s' y) by (assert (0 < E * (E - 1)) by nra; nra).
    assert (S1 : 0 <= s' y) by nra. split; [lra|].
    pose proof (convex_chord h (s' y) (larger y - s' y) (1 - a * E) (E * (1 - a)) (gain_of y) C S1 T0) as CH.
    replace (s' y + (larger y - s' y)) with (larger y) in CH by ring. rewrite LG in CH.
    assert (Q : s' y * (1 - a * E) + (larger y - s' y) * (E * (1 - a)) = u y - a * v y).
    { replace (s' y * (1 - a * E) + (larger y - s' y) * (E * (1 - a))) with ((larger y * E) * (1 - a) - s' y * (E -
        1)) by ring.
      rewrite LE, SE'. ring. }
    specialize (CH Q). lra.
Qed.
Lemma halves : sum s' ys = p.
Proof.
  assert (H : sum (fun y => s y + -1 * s' y) ys = 0).
  { rewrite (sum_ext _ (fun y => / (E - 1) * (u y + -1 * v y))).
    - rewrite sum_scale, sum_plus, sum_scale, U1, V1. ring.
    - intros y _. unfold s, s'.
      replace (Rmax (u y - v y) 0) with (u y - v y + Rmax (v y - u y) 0);
        [field; lra|unfold Rmax; destruct (Rle_dec _ _), (Rle_dec _ _); lra]. }
  rewrite sum_plus, sum_scale in H. fold p in H. lra.
Qed.
Lemma mass : G * E = 1 + p * (E - 1).
Proof.
  assert (H : sum (fun y => E * larger y) ys = sum (fun y => v y + (E - 1) * s y) ys).
  { apply sum_ext. intros y _. unfold larger, s.
    replace (E * (Rmax (u y) (v y) / E)) with (Rmax (u y) (v y)) by (field; lra).
    replace ((E - 1) * (Rmax (u y - v y) 0 / (E - 1))) with (Rmax (u y - v y) 0) by (field; lra).
    unfold Rmax. destruct (Rle_dec _ _), (Rle_dec _ _); lra. }
  rewrite sum_plus, !sum_scale, V1 in H. unfold G, p. lra.
Qed.
Lemma p_small : 0 <= G - p - p.
Proof.
  unfold G. rewrite <- halves at 2. unfold p.
  replace (sum larger ys - sum s ys - sum s' ys) with (sum (fun y => larger y + (-1 * s y + -1 * s' y)) ys)
    by (rewrite !sum_plus, !sum_scale; ring).
  apply Rle_trans with (sum (fun _ : Y => 0) ys).
  - rewrite sum_zero. lra.
  - apply sum_le. intros y I. destruct (split_of y (fun _ => 0) I); [|lra]. intros x z t _. lra.
Qed.
Theorem one_draw h : convex h ->
  draw ((0, 1 - G) :: map (fun y => (gain_of y, larger y)) ys) h <= draw (any_loss E a) h.
Proof.
  intros C. unfold draw. rewrite sum_cons, sum_map. cbn [fst snd].
  assert (S : sum (fun y => larger y * h (gain_of y)) ys <= p * h (E - a) + p * h (1 - a * E) + (G - p - p) * h M).
  { apply Rle_trans with (sum (fun y => h (E - a) * s y + (h (1 - a * E) * s' y + h M * (larger y + (-1 * s y + -1 *
      s' y)))) ys).
    - apply sum_le. intros y I. destruct (split_of y h I C) as [_ H]. lra.
    - rewrite !sum_plus, !sum_scale, !sum_plus, !sum_scale, halves. fold p G. right. ring. }
  unfold any_loss. rewrite !sum_cons. cbn [fst snd]. change (sum _ []) with 0.
  pose proof p_small as PS. pose proof mass as GE.
  set (hA := h (E - a)) in *. set (hB := h (1 - a * E)) in *. set (hM := h M) in *.
  pose proof (convex_chord h (a * E - 1) (E - a) (E - a) (1 - a * E) 0 C ltac:(nra) ltac:(lra) ltac:(ring)) as C0.
  pose proof (convex_chord h (E - 1) (a * (E - 1)) (E - a) (1 - a * E) M C ltac:(lra) ltac:(nra)
    ltac:(unfold M; ring)) as CM.
  fold hA hB in C0, CM. fold hM in CM. set (h0 := h 0) in *.
  assert (K : (E - 1) * h0 + (E + 1) * hM <= E * (hA + hB)).
  { apply Rmult_le_reg_l with ((1 + a) * (E - 1)); [nra|].
    replace ((1 + a) * (E - 1) * ((E - 1) * h0 + (E + 1) * hM)) with
      ((E - 1) * ((a * E - 1 + (E - a)) * h0) + (E + 1) * ((E - 1 + a * (E - 1)) * hM)) by ring.
    replace ((1 + a) * (E - 1) * (E * (hA + hB))) with
      ((E - 1) * ((a * E - 1) * hA + (E - a) * hB) + (E + 1) * ((E - 1) * hA + a * (E - 1) * hB)) by ring.
    apply Rplus_le_compat; apply Rmult_le_compat_l; lra. }
  assert (IE : / (E + 1) * (E + 1) = 1) by (field; lra). set (i := / (E + 1)) in *.
  assert (II : (E - 1) / (E + 1) = 1 - 2 * i) by (unfold i; field; lra). rewrite II.
  assert (e0 : 0 <= i - p) by nra.
  assert (D : E * (1 - G) = E - 1 - p * (E - 1)) by lra.
  assert (D2 : E * (G - p - p) = (E + 1) * (i - p)) by nra.
  assert (Q : 0 <= (i - p) * (E * (hA + hB) - ((E - 1) * h0 + (E + 1) * hM))) by (apply Rmult_le_pos; lra).
  assert (G1 : G = p + p + (E + 1) * (i - p) / E) by (apply Rmult_eq_reg_l with E; [field_simplify; [|lra]|lra]; nra).
  apply Rle_trans with ((1 - G) * h0 + (p * hA + p * hB + (G - p - p) * hM)); [lra|].
  apply Rmult_le_reg_l with E; [lra|].
  replace (E * ((1 - G) * h0 + (p * hA + p * hB + (G - p - p) * hM))) with
    (E * (1 - G) * h0 + E * p * (hA + hB) + E * (G - p - p) * hM) by ring.
  rewrite D, D2.
  replace (E * (i * hA + (i * hB + ((1 - 2 * i) * h0 + 0)))) with
    (E * i * (hA + hB) + E * (1 - 2 * i) * h0) by ring.
  assert (X : E * (1 - 2 * i) * h0 = ((E - 1 - p * (E - 1)) - (E - 1) * (i - p)) * h0).
  { f_equal. assert (i * E = 1 - i) by lra. lra. }
  rewrite X. lra.
Qed.
End Splitting.

(* ---- randomizers ---- *)
Section Finite.
Context {X Y : Type} (same : forall y y' : Y, {y = y'} + {y <> y'}) (outputs : list Y) (K : X -> Y -> R).
Hypothesis (HK : laws outputs K).
Definition shown (E : list Y -> bool) t : R := if E t then 1 else 0.
Lemma chance_over xs : forall E, chance outputs K xs E = over outputs (map K xs) (shown E).
Proof.
  induction xs as [|x xs IH]; intros E; [reflexivity|]. cbn [chance map over]. apply sum_ext. intros y _.
    now rewrite IH.
Qed.
Lemma difference u v z ws g : over outputs (u :: ws) g - z * over outputs (v :: ws) g =
  over outputs ((fun y => u y - z * v y) :: ws) g.
Proof.
  cbn [over]. replace (sum (fun y => (u y - z * v y) * over outputs ws (fun t => g (y :: t))) outputs) with
    (sum (fun y => u y * over outputs ws (fun t => g (y :: t)) +
      - z * (v y * over outputs ws (fun t => g (y :: t)))) outputs) by (apply sum_ext; intros; ring).
  rewrite sum_plus, sum_scale. ring.
Qed.
Lemma densities z x x' y : local_private outputs K z 0 -> In y outputs -> K x y <= z * K x' y.
Proof.
  intros H I. specialize (H (fun y' => if same y y' then true else false) x x'). rewrite Rplus_0_r in H.
  assert (N : exists k, 0 < k /\ forall x, of_set outputs K (fun y' => if same y y' then true else false) x = k * K x
    y).
  { clear H. unfold of_set. revert I. clear HK. induction outputs as [|o l IH]; [intros []|intros [->|I]].
    - destruct (in_dec same y l) as [I|N].
      + destruct (IH I) as (k & k0 & Hk). exists (1 + k). split; [lra|]. intros w. rewrite sum_cons, Hk.
        destruct (same y y); [ring|contradiction].
      + exists 1. split; [lra|]. intros w. rewrite sum_cons. destruct (same y y); [|contradiction].
        replace (sum _ l) with 0; [ring|]. symmetry. clear -N. induction l as [|o l IH]; [reflexivity|].
        rewrite sum_cons, IH by (intros I; apply N; now right). destruct (same y o) as [->|]; [|ring].
        exfalso. apply N. now left.
    - destruct (IH I) as (k & k0 & Hk). destruct (same y o) as [->|D] eqn:S.
      + exists (1 + k). split; [lra|]. intros w. rewrite sum_cons, Hk, S. ring.
      + exists k. split; [exact k0|]. intros w. rewrite sum_cons, Hk, S. ring. }
  destruct N as (k & k0 & Hk). rewrite !Hk in H. nra.
Qed.
Theorem any_randomizer n E a : 1 <= a -> local_private outputs K E 0 ->
  shuffle_private outputs K n a (any_bound n E a).
Proof.
  intros A1 P l x x' r T Len BT. rewrite !chance_over, !map_app. cbn [map].
  assert (B : blind_to_order (shown T)) by (intros s t Q; unfold shown; now rewrite (BT s t Q)).
  assert (T01 : forall t, 0 <= shown T t <= 1) by (intros t; unfold shown; destruct (T t); lra).
  rewrite !over_middle, difference by exact B. rewrite <- map_app.
  destruct (HK x) as [X0 X1], (HK x') as [X0' X1'].
  assert (UV : forall x x' y, In y outputs -> K x y <= E * K x' y) by (intros; now apply densities).
  assert (E1 : 1 <= E).
  { specialize (P (fun _ => true) x x). unfold of_set in P. change (sum (fun y => K x y) outputs) with (sum (K x)
      outputs) in P.
    rewrite X1 in P. lra. }
  destruct (Rlt_le_dec a E) as [AE|AE].
  - assert (EE : 1 < E) by lra.
    set (c := larger E (K x) (K x')). set (lo := gain_of E a (K x) (K x')).
    assert (CW : forall w y, In y outputs -> c y <= K w y).
    { intros w y I. unfold c, larger. apply Rmult_le_reg_r with E; [lra|]. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      rewrite (Rmult_comm _ E). apply Rmax_lub; now apply UV. }
    assert (C0 : positive c) by (intros y; unfold c; apply (larger_pos E EE (K x) (K x') X0)).
    pose proof (blanket_of outputs c C0 (fun y => K x y - a * K x' y) lo (fun _ => 0) (fun _ => Rle_refl 0)) as BL.
    assert (F : forall y, In y outputs -> K x y - a * K x' y - c y * lo y <= 0).
    { intros y I. unfold lo, gain_of. fold c. destruct (Req_dec (c y) 0) as [Z|N]; [|right; field; exact N].
      assert (K x y <= 0). { assert (c y * E = Rmax (K x y) (K x' y)) by (unfold c, larger; field; lra).
        pose proof (Rmax_l (K x y) (K x' y)). nra. }
      specialize (X0' y). rewrite Z. nra. }
    specialize (BL F (map K (l ++ r)) (shown T)).
    assert (G1 : sum c outputs <= 1) by (rewrite <- X1; apply sum_le; auto).
    specialize (BL G1 ltac:(apply Forall_forall; intros w Iw; apply in_map_iff in Iw as (i & <- & _); split;
      [apply HK|apply CW]) B T01).
    eapply Rle_trans; [exact BL|].
    rewrite sum_zero, Rplus_0_l, map_length. replace (S (length (l ++ r))) with n by (rewrite <- Len, !app_length;
      cbn; lia).
    unfold any_bound, mean_excess. apply Rmult_le_compat_r.
    + destruct n as [|n]; [rewrite app_length in Len; cbn in Len; lia|].
      left. apply Rinv_0_lt_compat, lt_0_INR. lia.
    + apply convex_order; [| | |apply convex_excess].
      * intros o [<-|I]; [cbn; lra|]. apply in_map_iff in I as (y & <- & _). apply C0.
      * intros o I. assert (0 < / (E + 1)) by (apply Rinv_0_lt_compat; lra).
        destruct I as [<-|[<-|[<-|[]]]]; cbn [snd]; try lra. apply Rmult_le_pos; lra.
      * intros h C. apply one_draw; auto. lra.
  - apply Rle_trans with 0.
    + cbn [over]. apply Rle_trans with (sum (fun _ : Y => 0) outputs).
      * apply sum_le. intros y I. specialize (UV x x' y I). specialize (X0' y).
        set (o := over _ _ _). assert (K x y - a * K x' y <= 0) by nra. assert (0 <= o); [|nra].
        unfold o. rewrite <- (Rmult_0_l (over outputs (map K (l ++ r)) (fun _ => 1))), <- over_scale.
        apply over_le; [|intros t _; specialize (T01 (y :: t)); lra].
        apply Forall_forall. intros w Iw. apply in_map_iff in Iw as (i & <- & _). intros q. apply HK.
      * rewrite sum_zero. lra.
    + apply mean_excess_nonneg. intros o I. assert (0 < / (E + 1)) by (apply Rinv_0_lt_compat; lra).
      destruct I as [<-|[<-|[<-|[]]]]; cbn [snd]; try lra. apply Rmult_le_pos; lra.
Qed.
End Finite.
