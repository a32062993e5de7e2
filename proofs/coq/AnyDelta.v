(* The bound for all (eps0, delta0)-private randomizers, as in ANY_RANDOMIZER.md: what exceeds the ratio e^eps0 is cut off,
   with one new output for the mass that is missing, and the others are moved above the blanket. *)
From Coq Require Import Reals QArith Qreals List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec SpecCount SpecBlanket Sums Blanket AnyRandomizer.
Import ListNotations.
Local Open Scope R_scope.

Definition part (x : R) : R := Rmax x 0.
Lemma part_ok x : 0 <= part x /\ x <= part x.
Proof. split; [apply Rmax_r|apply Rmax_l]. Qed.
Lemma sum_minus {A} (f g : A -> R) l : sum (fun a => f a - g a) l = sum f l - sum g l.
Proof. rewrite (sum_ext _ (fun a => f a + -1 * g a)) by (intros; ring). rewrite sum_plus, sum_scale. ring. Qed.

(* ---- laws of mass 1, and tests ---- *)
Section Tests.
Context {Y : Type} (ys : list Y).
Definition of_mass_1 (w : Y -> R) := (forall y, 0 <= w y) /\ sum w ys = 1.
Lemma over_between ws g : Forall of_mass_1 ws -> (forall t, 0 <= g t <= 1) -> 0 <= over ys ws g <= 1.
Proof.
  intros W G. assert (P : Forall positive ws) by (eapply Forall_impl; [|exact W]; intros w H; exact (proj1 H)).
  assert (O : over ys ws (fun _ => 1) = 1).
  { rewrite over_one. clear P. induction W as [|w ws [_ W] _ IH]; [reflexivity|]. cbn [fold_right]. rewrite W, IH. ring. }
  split.
  - rewrite <- (Rmult_0_l (over ys ws (fun _ => 1))), <- over_scale. apply over_le; [exact P|]. intros t _. specialize (G t). lra.
  - rewrite <- O. apply over_le; [exact P|]. intros t _. apply G.
Qed.
Lemma moved_over d ws ws' : 0 <= d -> Forall2 (fun w w' => of_mass_1 w /\ of_mass_1 w' /\ sum (fun y => part (w y - w' y)) ys <= d) ws ws' ->
  forall g, (forall t, 0 <= g t <= 1) -> over ys ws g <= over ys ws' g + INR (length ws) * d.
Proof.
  intros D. induction 1 as [|w w' ws ws' (W & W' & M) F IH]; intros g G; [cbn; lra|]. cbn [over length].
  assert (F1 : Forall of_mass_1 ws') by (clear - F; induction F as [|? ? ? ? (_ & H & _)]; constructor; auto).
  rewrite S_INR. apply Rle_trans with (sum (fun y => w y * over ys ws' (fun t => g (y :: t)) + INR (length ws) * d * w y) ys).
  - apply sum_le. intros y _. pose proof (IH (fun t => g (y :: t)) (fun t => G _)). pose proof (proj1 W y). nra.
  - rewrite sum_plus, sum_scale, (proj2 W).
    assert (X : sum (fun y => w y * over ys ws' (fun t => g (y :: t))) ys <=
      sum (fun y => w' y * over ys ws' (fun t => g (y :: t)) + part (w y - w' y)) ys).
    { apply sum_le. intros y _. pose proof (over_between ws' (fun t => g (y :: t)) F1 (fun t => G _)). destruct (part_ok (w y - w' y)). nra. }
    rewrite sum_plus in X. lra.
Qed.
End Tests.

(* ---- equal masses ---- *)
Section Cut.
Context {Y : Type} (ys : list Y) (E : R) (E1 : 1 < E).
Lemma lowered (p q : Y -> R) : (forall y, 0 <= p y) -> (forall y, p y <= E * q y) -> (forall y, q y <= E * p y) -> sum p ys <= sum q ys ->
  exists q', (forall y, p y / E <= q' y <= q y) /\ sum q' ys = sum p ys.
Proof.
  intros P PQ QP M. assert (PE : forall y, p y / E <= q y).
  { intros y. apply Rmult_le_reg_r with E; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. specialize (PQ y). lra. }
  assert (S : sum (fun y => p y / E) ys = sum p ys / E).
  { unfold Rdiv. rewrite (Rmult_comm (sum p ys)), <- sum_scale. apply sum_ext. intros. ring. }
  assert (M0 : 0 <= sum p ys) by (apply sum_nonneg; exact P).
  assert (ME : sum p ys / E <= sum p ys).
  { apply Rmult_le_reg_r with E; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. nra. }
  destruct (Req_dec (sum q ys - sum p ys / E) 0) as [Z|N].
  - exists q. split; [intros y; split; [apply PE|lra]|]. lra.
  - set (k := (sum p ys - sum p ys / E) / (sum q ys - sum p ys / E)).
    assert (D : 0 < sum q ys - sum p ys / E) by lra.
    assert (K : k * (sum q ys - sum p ys / E) = sum p ys - sum p ys / E) by
      (unfold k, Rdiv at 1; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra; reflexivity).
    assert (K01 : 0 <= k <= 1) by (split; apply Rmult_le_reg_r with (sum q ys - sum p ys / E); lra).
    exists (fun y => p y / E + k * (q y - p y / E)). split.
    + intros y. specialize (PE y). set (e := p y / E) in *. nra.
    + rewrite sum_plus, sum_scale, sum_minus, S, K. ring.
Qed.
Lemma cut_to_equal (u v : Y -> R) s : (forall y, 0 <= u y) -> (forall y, 0 <= v y) -> sum u ys = 1 -> sum v ys = 1 ->
  sum (fun y => part (u y - E * v y)) ys <= s -> sum (fun y => part (v y - E * u y)) ys <= s ->
  exists p q, (forall y, 0 <= p y <= u y) /\ (forall y, 0 <= q y <= v y) /\ (forall y, p y <= E * q y) /\ (forall y, q y <= E * p y) /\
    sum p ys = sum q ys /\ 1 - s <= sum p ys <= 1.
Proof.
  intros U V U1 V1 SU SV. set (p := fun y => Rmin (u y) (E * v y)). set (q := fun y => Rmin (v y) (E * u y)).
  assert (MU : sum p ys = 1 - sum (fun y => part (u y - E * v y)) ys).
  { rewrite <- U1, <- sum_minus. apply sum_ext. intros y _. unfold p, part, Rmin, Rmax. destruct (Rle_dec _ _), (Rle_dec _ _); lra. }
  assert (MV : sum q ys = 1 - sum (fun y => part (v y - E * u y)) ys).
  { rewrite <- V1, <- sum_minus. apply sum_ext. intros y _. unfold q, part, Rmin, Rmax. destruct (Rle_dec _ _), (Rle_dec _ _); lra. }
  assert (N : forall (f : Y -> R), 0 <= sum (fun y => part (f y)) ys) by (intros f; apply sum_nonneg; intros; apply part_ok).
  pose proof (N (fun y => u y - E * v y)). pose proof (N (fun y => v y - E * u y)).
  assert (UP : forall x, 0 <= x -> x <= E * x /\ E * x <= E * (E * x)).
  { intros x X. assert (x <= E * x) by nra. split; [assumption|]. apply Rmult_le_compat_l; lra. }
  assert (P0 : forall y, 0 <= p y <= u y).
  { intros y. specialize (U y). specialize (V y). unfold p, Rmin. destruct (Rle_dec _ _); nra. }
  assert (Q0 : forall y, 0 <= q y <= v y).
  { intros y. specialize (U y). specialize (V y). unfold q, Rmin. destruct (Rle_dec _ _); nra. }
  assert (PQ : forall y, p y <= E * q y).
  { intros y. specialize (U y). specialize (V y). pose proof (UP (u y) U). pose proof (UP (v y) V). unfold p, q, Rmin.
    destruct (Rle_dec _ _), (Rle_dec _ _); lra. }
  assert (QP : forall y, q y <= E * p y).
  { intros y. specialize (U y). specialize (V y). pose proof (UP (u y) U). pose proof (UP (v y) V). unfold p, q, Rmin.
    destruct (Rle_dec _ _), (Rle_dec _ _); lra. }
  assert (DE : forall x, x / E * E = x) by (intros; field; lra).
  destruct (Rle_dec (sum p ys) (sum q ys)) as [L|L].
  - destruct (lowered p q (fun y => proj1 (P0 y)) PQ QP L) as (q' & B & S). exists p, q'. split; [exact P0|]. split.
    { intros y. specialize (B y). pose proof (P0 y). pose proof (Q0 y). specialize (DE (p y)). split; [|lra].
      apply Rmult_le_reg_r with E; nra. }
    split; [intros y; specialize (B y); specialize (DE (p y)); nra|]. split; [intros y; specialize (B y); specialize (QP y); lra|]. lra.
  - destruct (lowered q p (fun y => proj1 (Q0 y)) QP PQ ltac:(lra)) as (p' & B & S). exists p', q. split.
    { intros y. specialize (B y). pose proof (P0 y). pose proof (Q0 y). specialize (DE (q y)). split; [|lra].
      apply Rmult_le_reg_r with E; nra. }
    split; [exact Q0|]. split; [intros y; specialize (B y); specialize (PQ y); lra|].
    split; [intros y; specialize (B y); specialize (DE (q y)); nra|]. lra.
Qed.
(* a law that is moved above c *)
Lemma moved_above (c w : Y -> R) d : (forall y, 0 <= c y) -> sum c ys < 1 -> of_mass_1 ys w -> sum (fun y => part (c y - w y)) ys <= d ->
  exists w', of_mass_1 ys w' /\ (forall y, c y <= w' y) /\ sum (fun y => part (w y - w' y)) ys <= d /\ sum (fun y => part (w' y - w y)) ys <= d.
Proof.
  intros C G [W W1] D. set (m := sum (fun y => part (c y - w y)) ys) in *.
  assert (M0 : 0 <= m) by (apply sum_nonneg; intros; apply part_ok).
  assert (PW : sum (fun y => part (w y - c y)) ys = 1 - sum c ys + m).
  { unfold m. rewrite <- W1. transitivity (sum (fun y => (w y - c y) + part (c y - w y)) ys).
    - apply sum_ext. intros y _. unfold part, Rmax. destruct (Rle_dec _ _), (Rle_dec _ _); lra.
    - rewrite sum_plus, sum_minus. ring. }
  set (r := (1 - sum c ys) / (1 - sum c ys + m)).
  assert (R : r * (1 - sum c ys + m) = 1 - sum c ys) by (unfold r; field; lra).
  assert (R01 : 0 <= r <= 1) by (split; apply Rmult_le_reg_r with (1 - sum c ys + m); lra).
  exists (fun y => c y + r * part (w y - c y)). split; [split|split; [|split]].
  - intros y. destruct (part_ok (w y - c y)). specialize (C y). nra.
  - rewrite sum_plus, sum_scale, PW, R. ring.
  - intros y. destruct (part_ok (w y - c y)). nra.
  - apply Rle_trans with (sum (fun y => (1 - r) * part (w y - c y)) ys).
    + apply sum_le. intros y _. unfold part, Rmax. destruct (Rle_dec (w y - c y) 0), (Rle_dec _ _); nra.
    + rewrite sum_scale, PW. nra.
  - apply Rle_trans with (sum (fun y => part (c y - w y)) ys); [|exact D].
    apply sum_le. intros y _. unfold part, Rmax. destruct (Rle_dec (w y - c y) 0), (Rle_dec (c y - w y) 0), (Rle_dec _ _); nra.
Qed.
End Cut.

(* ---- one new output ---- *)
Section One.
Context {Y : Type} (ys : list Y).
Definition more_outputs : list (option Y) := None :: map Some ys.
Definition lift (h : R) (w : Y -> R) (o : option Y) : R := match o with Some y => w y | None => h end.
Definition is_new (o : option Y) : bool := match o with None => true | _ => false end.
Definition somes (t : list (option Y)) : list Y := flat_map (fun o => match o with Some y => [y] | None => [] end) t.
Definition lift_test (g : list Y -> R) (t : list (option Y)) : R := if existsb is_new t then 0 else g (somes t).
Lemma lift_sum h w : sum (lift h w) more_outputs = h + sum w ys.
Proof. unfold more_outputs. rewrite sum_cons, sum_map. reflexivity. Qed.
Lemma lift_sum_of (F : option Y -> R) : sum F more_outputs = F None + sum (fun y => F (Some y)) ys.
Proof. unfold more_outputs. rewrite sum_cons, sum_map. reflexivity. Qed.
Lemma lift_test_some g t : lift_test g (map Some t) = g t.
Proof.
  unfold lift_test. replace (existsb is_new (map Some t)) with false by (induction t; [reflexivity|assumption]).
  f_equal. induction t as [|y t IH]; [reflexivity|]. cbn. unfold somes in IH. now rewrite IH.
Qed.
Lemma lift_over ws : forall g, over more_outputs (map (lift 0) ws) g = over ys ws (fun t => g (map Some t)).
Proof.
  induction ws as [|w ws IH]; intros g; [reflexivity|]. cbn [map over]. rewrite lift_sum_of. cbn [lift]. rewrite Rmult_0_l, Rplus_0_l.
  apply sum_ext. intros y _. now rewrite IH.
Qed.
Lemma lift_first h f ws g : over more_outputs (lift h f :: map (lift 0) ws) (lift_test g) = over ys (f :: ws) g.
Proof.
  cbn [over]. rewrite lift_sum_of. cbn [lift]. rewrite lift_over.
  rewrite (over_ext ys ws (fun t => lift_test g (None :: map Some t)) (fun _ => 0 * 1)) by (intros; unfold lift_test; cbn; ring).
  rewrite over_scale, Rmult_0_l, Rmult_0_r, Rplus_0_l. apply sum_ext. intros y _. rewrite lift_over. f_equal. apply over_ext.
  intros t. exact (lift_test_some g (y :: t)).
Qed.
Lemma lift_blind g : blind_to_order g -> blind_to_order (lift_test g).
Proof.
  intros B s t P. unfold lift_test. replace (existsb is_new s) with (existsb is_new t).
  - destruct (existsb is_new t); [reflexivity|]. apply B. unfold somes. now apply Permutation_flat_map.
  - destruct (existsb is_new s) eqn:S.
    + apply existsb_exists in S as (o & I & N). apply existsb_exists. exists o. split; [now apply (Permutation_in o P)|exact N].
    + destruct (existsb is_new t) eqn:T; [|reflexivity]. apply existsb_exists in T as (o & I & N).
      assert (existsb is_new s = true); [|congruence]. apply existsb_exists. exists o. split; [now apply (Permutation_in o (Permutation_sym P))|exact N].
Qed.
Lemma lift_01 g : (forall t, 0 <= g t <= 1) -> forall t, 0 <= lift_test g t <= 1.
Proof. intros G t. unfold lift_test. destruct (existsb _ _); [lra|apply G]. Qed.
End One.

Section Finite.
Context {X Y : Type} (outputs : list Y) (K : X -> Y -> R) (HK : laws outputs K) (E a s : R) (A1 : 1 <= a) (S0 : 0 <= s)
  (P : local_private outputs K E s).
Lemma exceeds z x x' : E <= z -> sum (fun y => part (K x y - z * K x' y)) outputs <= s.
Proof.
  intros L. specialize (P (fun y => if Rlt_dec (z * K x' y) (K x y) then true else false) x x'). unfold of_set in P.
  apply Rle_trans with (sum (fun y => if (if Rlt_dec (z * K x' y) (K x y) then true else false) then K x y else 0) outputs -
    E * sum (fun y => if (if Rlt_dec (z * K x' y) (K x y) then true else false) then K x' y else 0) outputs); [|lra].
  rewrite <- sum_scale, <- sum_minus. apply sum_le. intros y _. pose proof (proj1 (HK x') y). unfold part.
  destruct (Rlt_dec _ _); [rewrite Rmax_left by lra; nra|rewrite Rmax_right by lra; lra].
Qed.
Lemma rows_1 xs : Forall (of_mass_1 outputs) (map K xs).
Proof. apply Forall_forall. intros w I. apply in_map_iff in I as (x & <- & _). apply HK. Qed.
Lemma beyond_any n : E <= a -> shuffle_private outputs K n a s.
Proof.
  intros L l x x' r T Len BT. rewrite !chance_over, !map_app. cbn [map].
  assert (B : blind_to_order (shown T)) by (intros t t' Q; unfold shown; now rewrite (BT t t' Q)).
  assert (T01 : forall t, 0 <= shown T t <= 1) by (intros t; unfold shown; destruct (T t); lra).
  rewrite !over_middle, difference by exact B. rewrite <- map_app. cbn [over].
  eapply Rle_trans; [|exact (exceeds a x x' L)]. apply sum_le. intros y _.
  pose proof (over_between outputs (map K (l ++ r)) (fun t => shown T (y :: t)) (rows_1 _) (fun t => T01 _)).
  destruct (part_ok (K x y - a * K x' y)). nra.
Qed.
Theorem any_with_delta n : a < E -> shuffle_private outputs K n a (any_bound n E a + s * (1 + 3 * (1 + a) * (INR n - 1) / E)).
Proof.
  intros AE l x x' r T Len BT. assert (E1 : 1 < E) by lra. rewrite !chance_over, !map_app. cbn [map].
  assert (B : blind_to_order (shown T)) by (intros t t' Q; unfold shown; now rewrite (BT t t' Q)).
  assert (T01 : forall t, 0 <= shown T t <= 1) by (intros t; unfold shown; destruct (T t); lra).
  rewrite !over_middle, difference by exact B. rewrite <- map_app. set (xs := l ++ r) in *.
  assert (NL : INR n = INR (length xs) + 1).
  { rewrite <- Len, <- S_INR. f_equal. unfold xs. rewrite !app_length. cbn. lia. }
  destruct (HK x) as [X0 X1], (HK x') as [X0' X1'].
  destruct (cut_to_equal outputs E E1 (K x) (K x') s X0 X0' X1 X1' (exceeds E x x' (Rle_refl E)) (exceeds E x' x (Rle_refl E)))
    as (p & q & P0 & Q0 & PQ & QP & PM & PS).
  set (h := 1 - sum p outputs). assert (H0 : 0 <= h <= s) by (unfold h; lra).
  set (g := shown T) in *. set (zs := more_outputs outputs). set (u := lift h p). set (v := lift h q).
  (* what is cut off *)
  assert (STEP1 : over outputs ((fun y => K x y - a * K x' y) :: map K xs) g <= over outputs ((fun y => p y - a * q y) :: map K xs) g + s).
  { cbn [over]. apply Rle_trans with (sum (fun y => (p y - a * q y) * over outputs (map K xs) (fun t => g (y :: t)) + (K x y - p y)) outputs).
    - apply sum_le. intros y _. pose proof (over_between outputs (map K xs) (fun t => g (y :: t)) (rows_1 _) (fun t => T01 _)).
      specialize (P0 y). specialize (Q0 y). set (o := over _ _ _) in *.
      assert ((K x y - p y) * o <= (K x y - p y) * 1) by (apply Rmult_le_compat_l; lra).
      assert (0 <= a * (K x' y - q y) * o) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra.
    - rewrite sum_plus, sum_minus, X1. unfold h in H0. lra. }
  (* with the new output *)
  assert (STEP2 : over outputs ((fun y => p y - a * q y) :: map K xs) g =
    over zs (u :: map (lift 0) (map K xs)) (lift_test g) - a * over zs (v :: map (lift 0) (map K xs)) (lift_test g)).
  { unfold u, v, zs. rewrite !lift_first. now rewrite <- difference. }
  assert (U0 : forall o, 0 <= u o) by (intros [y|]; cbn; [apply P0|lra]).
  assert (V0 : forall o, 0 <= v o) by (intros [y|]; cbn; [apply Q0|lra]).
  assert (U1 : sum u zs = 1) by (unfold u, zs; rewrite lift_sum; unfold h; ring).
  assert (V1 : sum v zs = 1) by (unfold v, zs; rewrite lift_sum; unfold h; rewrite PM; ring).
  assert (UV : forall o, In o zs -> u o <= E * v o) by (intros [y|] _; cbn; [apply PQ|nra]).
  assert (VU : forall o, In o zs -> v o <= E * u o) by (intros [y|] _; cbn; [apply QP|nra]).
  set (c := larger E u v). set (lo := gain_of E a u v).
  assert (CE : forall o, c o * E = Rmax (u o) (v o)) by (intros o; unfold c, larger; field; lra).
  assert (C0 : forall o, 0 <= c o) by (intros o; apply (larger_pos E E1 u v U0)).
  assert (G1 : sum c zs < 1).
  { assert (sum c zs * E <= 2 - sum c zs); [|pose proof (sum_nonneg c zs C0); nra].
    assert (XX : sum (fun o => E * c o + c o) zs <= sum (fun o => u o + v o) zs).
    { apply sum_le. intros o I. specialize (UV o I). specialize (VU o I). specialize (CE o). pose proof (C0 o).
      pose proof (Rmax_l (u o) (v o)). unfold Rmax in CE. destruct (Rle_dec (u o) (v o)); nra. }
    rewrite !sum_plus, sum_scale, U1, V1 in XX. lra. }
  (* the others are moved above the blanket *)
  set (d := 3 * s / E). assert (D0 : 0 <= d) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
  assert (MO : forall w, In w (map (lift 0) (map K xs)) -> exists w', of_mass_1 zs w /\ of_mass_1 zs w' /\ (forall o, c o <= w' o) /\
    sum (fun o => part (w o - w' o)) zs <= d /\ sum (fun o => part (w' o - w o)) zs <= d).
  { intros w I. rewrite map_map in I. apply in_map_iff in I as (i & <- & _). destruct (HK i) as [W0 W1].
    assert (WM : of_mass_1 zs (lift 0 (K i))).
    { split; [intros [y|]; cbn; [apply W0|lra]|]. unfold zs. rewrite lift_sum, W1. ring. }
    destruct (moved_above zs c (lift 0 (K i)) d C0 G1 WM) as (w' & M1 & M2 & M3 & M4); [|exists w'; auto].
    unfold zs. rewrite lift_sum_of. cbn [lift]. unfold d.
    assert (CN : c None = h / E).
    { unfold c, larger, u, v. cbn [lift]. unfold Rmax. destruct (Rle_dec h h); reflexivity. }
    assert (PN : part (c None - 0) = h / E).
    { rewrite CN, Rminus_0_r. apply Rmax_left. apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]. }
    rewrite PN.
    assert (XX : sum (fun y => part (c (Some y) - K i y)) outputs <= sum (fun y => / E * (part (K x y - E * K i y) + part (K x' y - E * K i y))) outputs).
    { apply sum_le. intros y _. apply Rmult_le_reg_l with E; [lra|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
      destruct (part_ok (K x y - E * K i y)), (part_ok (K x' y - E * K i y)). specialize (P0 y). specialize (Q0 y).
      specialize (CE (Some y)). unfold part at 1. rewrite (Rmult_comm E). unfold u, v in CE. cbn [lift] in CE.
      unfold Rmax in *. destruct (Rle_dec (p y) (q y)), (Rle_dec (c (Some y) - K i y) 0); nra. }
    rewrite sum_scale, sum_plus in XX. pose proof (exceeds E x i (Rle_refl E)). pose proof (exceeds E x' i (Rle_refl E)).
    assert (IE : 0 < / E) by (apply Rinv_0_lt_compat; lra). unfold Rdiv. nra. }
  assert (MW : exists ws, Forall2 (fun w w' => of_mass_1 zs w /\ of_mass_1 zs w' /\ sum (fun o => part (w o - w' o)) zs <= d) (map (lift 0) (map K xs)) ws /\
    Forall2 (fun w w' => of_mass_1 zs w /\ of_mass_1 zs w' /\ sum (fun o => part (w o - w' o)) zs <= d) ws (map (lift 0) (map K xs)) /\
    Forall (fun w => sum w zs = 1 /\ forall o, In o zs -> c o <= w o) ws).
  { clear - MO. induction (map (lift 0) (map K xs)) as [|w ws IH]; [exists []; repeat split; constructor|].
    destruct IH as (ws' & A & B & C); [intros; apply MO; now right|]. destruct (MO w (or_introl eq_refl)) as (w' & M1 & M2 & M3 & M4 & M5).
    exists (w' :: ws'). split; [constructor; auto|]. split; [constructor; auto|]. constructor; [split; [apply M2|auto]|exact C]. }
  destruct MW as (ws & MA & MB & MC).
  assert (LW : length ws = length xs).
  { transitivity (length (map (lift 0) (map K xs))); [|now rewrite !map_length]. clear - MA.
    revert MA. generalize (map (lift 0) (map K xs)). intros vs MA. induction MA as [|? ? ? ? _ _ IH]; [reflexivity|]. cbn. now rewrite IH. }
  pose proof (lift_01 g T01) as G01.
  assert (GO : forall w, (forall o, 0 <= w o) -> sum w zs = 1 -> forall vs vs', Forall2 (fun w w' => of_mass_1 zs w /\ of_mass_1 zs w' /\ sum (fun o => part (w o - w' o)) zs <= d) vs vs' ->
    over zs (w :: vs) (lift_test g) <= over zs (w :: vs') (lift_test g) + INR (length vs) * d).
  { intros w W0 W1 vs vs' F. cbn [over]. apply Rle_trans with (sum (fun o => w o * over zs vs' (fun t => lift_test g (o :: t)) + INR (length vs) * d * w o) zs).
    - apply sum_le. intros o _. pose proof (moved_over zs d vs vs' D0 F (fun t => lift_test g (o :: t)) (fun t => G01 _)). specialize (W0 o). nra.
    - rewrite sum_plus, sum_scale, W1. lra. }
  pose proof (GO u U0 U1 _ _ MA) as GU. pose proof (GO v V0 V1 _ _ MB) as GV. rewrite !map_length, ?LW in *.
  (* the blanket *)
  assert (F : forall o, In o zs -> u o - a * v o - c o * lo o <= 0).
  { intros o I. unfold lo, gain_of. fold c. destruct (Req_dec (c o) 0) as [Z|N]; [|right; field; exact N].
    specialize (CE o). pose proof (Rmax_l (u o) (v o)). specialize (V0 o). assert (c o * E = 0) by (rewrite Z; ring).
    assert (0 <= a * v o) by (apply Rmult_le_pos; lra). rewrite Z, Rmult_0_l. lra. }
  pose proof (blanket_of zs c C0 (fun o => u o - a * v o) lo (fun _ => 0) (fun _ => Rle_refl 0) F ws (lift_test g) ltac:(lra) MC (lift_blind g B) G01) as BL.
  rewrite sum_zero, Rplus_0_l, LW in BL. replace (S (length xs)) with n in BL by (apply INR_eq; rewrite S_INR; exact NL).
  assert (BB : mean_excess n ((0, 1 - sum c zs) :: map (fun y => (lo y, c y)) zs) <= any_bound n E a).
  { unfold any_bound, mean_excess. pose proof (pos_INR (length xs)). apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
    apply convex_order; [| | |apply convex_excess].
    - intros o [<-|I]; [cbn [snd]; lra|]. apply in_map_iff in I as (y & <- & _). apply C0.
    - intros o I. assert (0 < / (E + 1)) by (apply Rinv_0_lt_compat; lra).
      destruct I as [<-|[<-|[<-|[]]]]; cbn [snd]; try lra. apply Rmult_le_pos; lra.
    - intros f C. apply one_draw; auto. lra. }
  assert (DF : over zs ((fun o => u o - a * v o) :: ws) (lift_test g) = over zs (u :: ws) (lift_test g) - a * over zs (v :: ws) (lift_test g)).
  { symmetry. apply difference. }
  rewrite NL. replace (s * (1 + 3 * (1 + a) * (INR (length xs) + 1 - 1) / E)) with (s + (1 + a) * (INR (length xs) * d)) by (unfold d; field; lra).
  set (k := INR (length xs) * d) in *. apply Rmult_le_compat_l with (r := a) in GV; [|lra]. lra.
Qed.
End Finite.
