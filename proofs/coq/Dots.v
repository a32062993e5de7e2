(* Connecting the dots: a pair whose curve is above that of all neighbours, from a few points of the latter. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount SpecRuns Poly Exp Check Kron Sums Pairs Lattice.
Import ListNotations.
Local Open Scope Z_scope.

(* delta is at most `height_of` where e^eps is `at_ratio`; the pair made of dots has `weight_of` of P at this ratio of P to Q,
   which the lattice has between `place_of` and the place after it. *)
Record dot := { at_ratio : Q; height_of : Q; weight_of : Z; place_of : Z }.
Section Plan.
Variable p : plan.
Notation one := (one p). Notation unit := (unit p).
(* the curve of these dots at a ratio, over 2^bits, from below *)
Definition held (far : Z) (ds : list dot) (at0 : Q) : Z :=
  fold_left (fun acc d => let n := Qnum (at_ratio d) * QDen at0 in let m := Qnum at0 * QDen (at_ratio d) in
    if m <? n then acc + weight_of d * (n - m) / n else acc) ds far.
Fixpoint rising (least : Q) (ds : list dot) : bool :=
  match ds with
  | [] => true
  | d :: ds => (Qnum least * QDen (at_ratio d) <? Qnum (at_ratio d) * QDen least) && rising (at_ratio d) ds
  end.
Definition gap_of (d : dot) : Z :=
  power_low p (place_of d + 1) * QDen (at_ratio d) - Qnum (at_ratio d) * one.
Definition split (d : dot) : poly :=
  let share := Z.min one (gap_of d * bottom p / (Qnum (at_ratio d) * (top p - bottom p))) in
  let low := weight_of d * share / one in [(place_of d, low); (place_of d + 1, weight_of d - low)].
Definition dots_stand (far : Z) (ds : list dot) : bool :=
  (0 <=? far) && rising 0 ds && (unit <=? held far ds 0) &&
  forallb (fun d => (0 <=? weight_of d) && (0 <=? gap_of d) &&
    (Qnum (height_of d) * unit <=? held far ds (at_ratio d) * QDen (height_of d))) ds.
Definition start (far : Z) (places : nat) (ds : list dot) : option lattice :=
  match normal (flat_map split ds) with
  | [] => Some {| level := 0; first := 0; cells := []; beyond := far |}
  | (k, w) :: f => match dense 1 k places ((k, w) :: f) [] with
      | Some l => if natural l then Some (within p 64 {| level := 0; first := k; cells := l; beyond := far |}) else None
      | None => None
      end
  end.

Local Open Scope R_scope.
(* ---- a convex curve lies below its chords ---- *)
Definition line_curve (c : R) (bs : list (R * R)) t : R := c + SpecCount.sum (fun o => fst o * Rmax (1 - t * / snd o) 0) bs.
Fixpoint rises (a : R) (ts : list R) := match ts with [] => True | t :: ts => a < t /\ rises t ts end.
Lemma rises_above ts : forall a t, rises a ts -> In t ts -> a < t.
Proof.
  induction ts as [|b ts IH]; intros a t; [intros _ []|]. intros [H R] [<-|J]; [exact H|]. specialize (IH b t R J). lra.
Qed.
Lemma straight c bs a b t : (forall w s, In (w, s) bs -> 0 < s /\ (s <= a \/ b <= s)) -> a <= t <= b ->
  (b - a) * line_curve c bs t = (b - t) * line_curve c bs a + (t - a) * line_curve c bs b.
Proof.
  intros H T. unfold line_curve. induction bs as [|[w s] bs IH]; [cbn; ring|]. rewrite !sum_cons. cbn [fst snd].
  specialize (IH (fun w s J => H w s (or_intror J))). destruct (H w s (or_introl eq_refl)) as [S0 [L|L]].
  - assert (E : forall x, s <= x -> Rmax (1 - x * / s) 0 = 0).
    { intros x X. apply Rmax_right. assert (1 <= x * / s); [|lra]. apply Rmult_le_reg_r with s; [assumption|].
      rewrite Rmult_assoc, Rinv_l; lra. }
    rewrite !E by lra. lra.
  - assert (E : forall x, x <= s -> Rmax (1 - x * / s) 0 = 1 - x * / s).
    { intros x X. apply Rmax_left. assert (x * / s <= 1); [|lra]. apply Rmult_le_reg_r with s; [assumption|].
      rewrite Rmult_assoc, Rinv_l; lra. }
    rewrite !E by lra. nra.
Qed.
Lemma chords (D : R -> R) c bs : (forall a b t, a <= t <= b -> (b - a) * D t <= (b - t) * D a + (t - a) * D b) ->
  (forall a b, a <= b -> D b <= D a) -> (forall w s, In (w, s) bs -> 0 < s /\ 0 <= w) ->
  forall ts a, rises a ts -> D a <= line_curve c bs a -> (forall t, In t ts -> D t <= line_curve c bs t) ->
  (forall w s, In (w, s) bs -> s <= a \/ In s ts) -> forall t, a <= t -> D t <= line_curve c bs t.
Proof.
  intros CV AN BS. induction ts as [|b ts IH]; intros a RI A TS BR t T.
  - assert (E : forall x, a <= x -> line_curve c bs x = c).
    { intros x X. unfold line_curve. rewrite (sum_ext _ (fun _ => 0 * 0)); [rewrite sum_scale; ring|]. intros [w s] J. cbn [fst snd].
      destruct (BR w s J) as [S|[]]. destruct (BS w s J) as [S0 _]. rewrite Rmax_right; [ring|].
      assert (1 <= x * / s); [|lra]. apply Rmult_le_reg_r with s; [assumption|]. rewrite Rmult_assoc, Rinv_l; lra. }
    rewrite E in A by lra. rewrite E by assumption. specialize (AN a t T). lra.
  - destruct RI as [AB RI]. destruct (Rle_dec t b) as [L|L].
    + assert (ST : forall w s, In (w, s) bs -> 0 < s /\ (s <= a \/ b <= s)).
      { intros w s J. split; [apply (BS w s J)|]. destruct (BR w s J) as [S|[<-|S]]; [now left|right; lra|right].
        left. eapply rises_above; eauto. }
      pose proof (straight c bs a b t ST (conj T L)) as E. pose proof (CV a b t (conj T L)) as X.
      pose proof (TS b (or_introl eq_refl)) as B. apply Rmult_le_reg_l with (b - a); [lra|]. rewrite E. nra.
    + apply (IH b RI); auto; [apply TS; now left|intros s J; apply TS; now right| |lra].
      intros w s J. destruct (BR w s J) as [S|[<-|S]]; [left; lra|left; lra|now right].
Qed.
(* The same of a pair of laws. *)
Theorem under_chords {A} (P Q : A -> R) c bs ts : (forall y, 0 <= P y) -> (forall y, 0 <= Q y) ->
  (forall l, NoDup l -> SpecCount.sum P l <= 1) -> 0 <= c -> (forall w s, In (w, s) bs -> 0 < s /\ 0 <= w /\ In s ts) -> rises 0 ts ->
  1 <= line_curve c bs 0 -> (forall t, In t ts -> keeps P Q t (line_curve c bs t)) ->
  under P Q (curve ((c, 0) :: map (fun o => (fst o, / snd o)) bs)).
Proof.
  intros HP HQ P1 C0 BS RI L0 K u v l HU HV N.
  assert (E : forall u v, 0 <= u -> curve ((c, 0) :: map (fun o => (fst o, / snd o)) bs) u v =
    c * u + SpecCount.sum (fun o => fst o * Rmax (u - v * / snd o) 0) bs).
  { intros u0 v0 H. unfold curve. rewrite sum_cons, sum_map_of. cbn [fst snd]. rewrite Rmult_0_r, Rminus_0_r, Rmax_left by lra. reflexivity. }
  rewrite E by assumption. destruct (Rle_lt_or_eq_dec 0 u HU) as [U|<-].
  2:{ apply Rle_trans with 0.
    - rewrite (sum_ext _ (fun _ => 0 * 0)); [rewrite sum_scale; lra|]. intros y _. specialize (HQ y). rewrite Rmax_right by nra. ring.
    - rewrite Rmult_0_r, Rplus_0_l. clear - BS. induction bs as [|[w s] bs IH]; [cbn; lra|]. rewrite sum_cons. cbn [fst snd].
      destruct (BS w s (or_introl eq_refl)) as (_ & W & _). pose proof (Rmax_r (0 - v * / s) 0).
      specialize (IH (fun w s J => BS w s (or_intror J))). nra. }
  set (D := fun t => SpecCount.sum (fun y => Rmax (P y - t * Q y) 0) l).
  assert (M : D (v / u) <= line_curve c bs (v / u)).
  { apply (chords D c bs) with (ts := ts) (a := 0); auto.
    - intros a b t T. unfold D. rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros y _.
      rewrite !Rmax_scaled by lra. apply Rmax_lub.
      + replace ((b - a) * (P y - t * Q y)) with ((b - t) * (P y - a * Q y) + (t - a) * (P y - b * Q y)) by ring.
        apply Rplus_le_compat; apply Rmax_l.
      + pose proof (Rmax_r ((b - t) * (P y - a * Q y)) 0). pose proof (Rmax_r ((t - a) * (P y - b * Q y)) 0). lra.
    - intros a b AB. unfold D. apply sum_le. intros y _. specialize (HQ y). apply Rle_max_compat_r. nra.
    - intros w s J. destruct (BS w s J) as (? & ? & _). auto.
    - unfold D. eapply Rle_trans; [|exact L0]. eapply Rle_trans; [|apply (P1 l N)]. apply sum_le. intros y _.
      specialize (HP y). rewrite Rmult_0_l, Rminus_0_r, Rmax_left by lra. lra.
    - intros t J. exact (K t J l N).
    - intros w s J. right. apply (BS w s J).
    - apply Rmult_le_pos; [assumption|]. left. now apply Rinv_0_lt_compat. }
  apply Rle_trans with (u * D (v / u)).
  - unfold D. rewrite <- sum_scale. right. apply sum_ext. intros y _. rewrite Rmax_scaled by lra. f_equal. field. lra.
  - eapply Rle_trans; [apply Rmult_le_compat_l; [assumption|exact M]|]. right. unfold line_curve. rewrite Rmult_plus_distr_l, <- sum_scale.
    f_equal; [ring|]. apply sum_ext. intros o _. rewrite <- Rmult_assoc, (Rmult_comm u), Rmult_assoc. f_equal.
    rewrite Rmax_scaled by lra. f_equal. unfold Rdiv.
    replace (u * (1 - v * / u * / snd o)) with (u - v * / snd o * (u * / u)) by ring. rewrite Rinv_r by lra. ring.
Qed.

Hypothesis F : plan_fits p = true.
Let I : R := IZR one.
Let U : R := IZR unit.
Definition breaks (ds : list dot) : list (R * R) := map (fun d => (IZR (weight_of d) / U, Q2R (at_ratio d))) ds.
Definition dot_atoms (far : Z) (ds : list dot) : atoms :=
  (IZR far / U, 0) :: map (fun o => (fst o, / snd o)) (breaks ds).
Lemma held_ok far ds at0 : (forall d, In d ds -> (0 < Qnum (at_ratio d))%Z /\ (0 <= weight_of d)%Z) -> (0 <= Qnum at0)%Z ->
  IZR (held far ds at0) <= line_curve (IZR far / U) (breaks ds) (Q2R at0) * U.
Proof.
  intros H A0. pose proof (U_pos p F) as U0. fold U in U0. unfold held, line_curve. rewrite Rmult_plus_distr_r.
  replace (IZR far / U * U) with (IZR far) by (field; lra). revert far.
  induction ds as [|d ds IH]; intros far; cbn [fold_left breaks map]; [cbn; lra|]. rewrite sum_cons. cbn [fst snd].
  destruct (H d (or_introl eq_refl)) as [N0 W0].
  eapply Rle_trans; [apply IH; intros; apply H; now right|]. clear IH. fold (breaks ds).
  rewrite Rmult_plus_distr_r, <- Rplus_assoc. apply Rplus_le_compat_r.
  replace (IZR (weight_of d) / U * Rmax (1 - Q2R at0 * / Q2R (at_ratio d)) 0 * U) with
    (IZR (weight_of d) * Rmax (1 - Q2R at0 * / Q2R (at_ratio d)) 0) by (field; lra).
  apply IZR_le in W0. destruct (Z.ltb_spec (Qnum at0 * QDen (at_ratio d)) (Qnum (at_ratio d) * QDen at0)) as [L|L].
  - set (n := (Qnum (at_ratio d) * QDen at0)%Z) in *. set (m := (Qnum at0 * QDen (at_ratio d))%Z) in *.
    assert (NP : (0 < n)%Z) by (unfold n; nia).
    pose proof (div_low (weight_of d * (n - m)) n NP) as D. rewrite mult_IZR, minus_IZR in D. rewrite plus_IZR.
    apply Rplus_le_compat_l. apply Rle_trans with (IZR (weight_of d) * (1 - Q2R at0 * / Q2R (at_ratio d))).
    + apply IZR_lt in NP. apply Rmult_le_reg_r with (IZR n); [assumption|]. eapply Rle_trans; [exact D|]. right.
      rewrite !Q2R_frac. unfold n, m. rewrite !mult_IZR. apply IZR_lt in N0. pose proof (den_pos at0). pose proof (den_pos (at_ratio d)).
      field. lra.
    + apply Rmult_le_compat_l; [assumption|apply Rmax_l].
  - pose proof (Rmax_r (1 - Q2R at0 * / Q2R (at_ratio d)) 0). nra.
Qed.
Lemma rising_ok ds : forall q, rising q ds = true -> rises (Q2R q) (map (fun d => Q2R (at_ratio d)) ds).
Proof.
  induction ds as [|d ds IH]; intros q; cbn [rising map rises]; [auto|]. intros H. apply andb_prop in H as [H K].
  split; [|now apply IH]. apply Z.ltb_lt in H. apply Qlt_Rlt. unfold Qlt. exact H.
Qed.
Lemma Q2R_0 : Q2R 0 = 0. Proof. unfold Q2R. cbn. ring. Qed.
Theorem dots_under {A} (P Q : A -> R) far ds : dots_stand far ds = true -> (forall y, 0 <= P y) -> (forall y, 0 <= Q y) ->
  (forall l, NoDup l -> SpecCount.sum P l <= 1) ->
  (forall d, In d ds -> keeps P Q (Q2R (at_ratio d)) (Q2R (height_of d))) -> under P Q (curve (dot_atoms far ds)).
Proof.
  unfold dots_stand. intros H HP HQ P1 K. do 3 (apply andb_prop in H as [H ?]). apply Z.leb_le in H, H1.
  pose proof (U_pos p F) as U0. fold U in U0. apply rising_ok in H2. rewrite Q2R_0 in H2. rewrite forallb_forall in H0.
  assert (POS : forall d, In d ds -> 0 < Q2R (at_ratio d) /\ (0 < Qnum (at_ratio d))%Z /\ (0 <= weight_of d)%Z).
  { intros d J. assert (X : 0 < Q2R (at_ratio d)) by (eapply rises_above; [exact H2|]; apply in_map_iff; eauto).
    split; [exact X|]. specialize (H0 d J). do 2 (apply andb_prop in H0 as [H0 ?]). apply Z.leb_le in H0. split; [|exact H0].
    rewrite Q2R_frac in X. apply lt_IZR. pose proof (den_pos (at_ratio d)). apply Rmult_lt_reg_r with (/ IZR (QDen (at_ratio d)));
      [now apply Rinv_0_lt_compat|]. now rewrite Rmult_0_l. }
  assert (PW : forall d, In d ds -> (0 < Qnum (at_ratio d))%Z /\ (0 <= weight_of d)%Z) by (intros d J; apply (POS d J)).
  unfold dot_atoms. apply under_chords with (ts := map (fun d => Q2R (at_ratio d)) ds); auto.
  - apply IZR_le in H. apply Rmult_le_pos; [assumption|]. left. now apply Rinv_0_lt_compat.
  - intros w s J. apply in_map_iff in J as (d & [= <- <-] & J). destruct (POS d J) as (X & _ & W). split; [exact X|].
    split; [|apply in_map_iff; eauto]. apply IZR_le in W. apply Rmult_le_pos; [assumption|]. left. now apply Rinv_0_lt_compat.
  - pose proof (held_ok far ds 0 PW ltac:(cbn; lia)) as HO. rewrite Q2R_0 in HO. apply IZR_le in H1. fold U in H1. nra.
  - intros t J. apply in_map_iff in J as (d & <- & J). specialize (H0 d J). apply andb_prop in H0 as [_ HT]. apply Z.leb_le in HT.
    destruct (POS d J) as (X & X0 & _). pose proof (held_ok far ds (at_ratio d) PW ltac:(lia)) as HO.
    intros l N. eapply Rle_trans; [exact (K d J l N)|]. apply IZR_le in HT. rewrite !mult_IZR in HT. fold U in HT.
    rewrite Q2R_frac. pose proof (den_pos (height_of d)). apply Rmult_le_reg_r with (IZR (QDen (height_of d)) * U); [nra|].
    replace (IZR (Qnum (height_of d)) / IZR (QDen (height_of d)) * (IZR (QDen (height_of d)) * U)) with
      (IZR (Qnum (height_of d)) * U) by (field; lra). nra.
Qed.

(* ---- onto the lattice ---- *)
Lemma powerRZ_twice g n : 1 < g -> powerRZ g (Zpos n~0) = powerRZ g (Zpos n) * powerRZ g (Zpos n).
Proof. intros. rewrite <- powerRZ_add by lra. f_equal. lia. Qed.
Lemma powerRZ_more g n : 1 < g -> powerRZ g (Zpos n~1) = powerRZ g (Zpos n) * powerRZ g (Zpos n) * g.
Proof.
  intros. rewrite <- powerRZ_add by lra. replace (Zpos n~1) with (Zpos n + Zpos n + 1)%Z by lia. rewrite powerRZ_add by lra.
  now rewrite powerRZ_1.
Qed.
Lemma low_power_ok n : (0 <= low_power p n)%Z /\ IZR (low_power p n) <= powerRZ (G0 p) (Zpos n) * I.
Proof.
  pose proof (one_pos p F) as O1. pose proof (I_pos p F) as I0. fold I in I0. pose proof (G0_big p F) as HG.
  destruct (low_step_ok p F 0) as [L0 L1]. fold I in L1. cbn [G] in L1.
  induction n as [n [N1 N2]|n [N1 N2]|]; cbn [low_power].
  - rewrite powerRZ_more by assumption. pose proof (power_pos (G0 p) (Zpos n) HG) as PP. set (w := powerRZ _ _) in *.
    set (a := low_power p n) in *. set (s := low_step p 0) in *.
    assert (S1 : (0 <= a * a / one)%Z) by (apply div_nonneg; nia). split; [apply div_nonneg; nia|].
    pose proof (div_low (a * a) one O1) as D1. pose proof (div_low (a * a / one * s) one O1) as D2.
    rewrite mult_IZR in D1, D2. fold I in D1, D2. apply IZR_le in N1, L0, S1.
    assert (IZR (a * a / one) <= w * w * I).
    { apply Rmult_le_reg_r with I; [assumption|]. eapply Rle_trans; [exact D1|].
      replace (w * w * I * I) with ((w * I) * (w * I)) by ring. nra. }
    apply Rmult_le_reg_r with I; [assumption|]. eapply Rle_trans; [exact D2|].
    replace (w * w * G0 p * I * I) with ((w * w * I) * (G0 p * I)) by ring. apply Rmult_le_compat; lra.
  - rewrite powerRZ_twice by assumption. pose proof (power_pos (G0 p) (Zpos n) HG) as PP. set (w := powerRZ _ _) in *.
    set (a := low_power p n) in *. split; [apply div_nonneg; nia|].
    pose proof (div_low (a * a) one O1) as D1. rewrite mult_IZR in D1. fold I in D1. apply IZR_le in N1.
    apply Rmult_le_reg_r with I; [assumption|]. eapply Rle_trans; [exact D1|].
    replace (w * w * I * I) with ((w * I) * (w * I)) by ring. nra.
  - split; [exact L0|]. rewrite powerRZ_1. exact L1.
Qed.
Lemma high_power_ok n : powerRZ (G0 p) (Zpos n) * I <= IZR (high_power p n).
Proof.
  pose proof (one_pos p F) as O1. pose proof (I_pos p F) as I0. fold I in I0. pose proof (G0_big p F) as HG.
  pose proof (high_step_ok p F 0) as L1. fold I in L1. cbn [G] in L1.
  induction n as [n N2|n N2|]; cbn [high_power].
  - rewrite powerRZ_more by assumption. pose proof (power_pos (G0 p) (Zpos n) HG) as PP. set (w := powerRZ _ _) in *.
    set (a := high_power p n) in *. set (s := high_step p 0) in *.
    pose proof (ceil_high (a * a) one O1) as D1. pose proof (ceil_high (ceil (a * a) one * s) one O1) as D2.
    rewrite mult_IZR in D1, D2. fold I in D1, D2. assert (0 < w * I) by nra. assert (0 < w * w * I) by nra.
    assert (w * w * I <= IZR (ceil (a * a) one)).
    { apply Rmult_le_reg_r with I; [assumption|]. eapply Rle_trans; [|exact D1].
      replace (w * w * I * I) with ((w * I) * (w * I)) by ring. nra. }
    apply Rmult_le_reg_r with I; [assumption|]. eapply Rle_trans; [|exact D2].
    replace (w * w * G0 p * I * I) with ((w * w * I) * (G0 p * I)) by ring. apply Rmult_le_compat; nra.
  - rewrite powerRZ_twice by assumption. pose proof (power_pos (G0 p) (Zpos n) HG) as PP. set (w := powerRZ _ _) in *.
    set (a := high_power p n) in *. pose proof (ceil_high (a * a) one O1) as D1. rewrite mult_IZR in D1. fold I in D1.
    assert (0 < w * I) by nra. apply Rmult_le_reg_r with I; [assumption|]. eapply Rle_trans; [|exact D1].
    replace (w * w * I * I) with ((w * I) * (w * I)) by ring. nra.
  - rewrite powerRZ_1. exact L1.
Qed.
Lemma power_low_ok n : IZR (power_low p n) <= powerRZ (G0 p) n * I.
Proof.
  pose proof (one_pos p F) as O1. pose proof (I_pos p F) as I0. fold I in I0. pose proof (G0_big p F) as HG.
  destruct n as [|n|n]; cbn [power_low].
  - change (powerRZ (G0 p) 0) with 1. fold I. lra.
  - apply low_power_ok.
  - pose proof (high_power_ok n) as H1. pose proof (power_pos (G0 p) (Zpos n) HG) as PP.
    assert (HP : (0 < high_power p n)%Z) by (apply lt_IZR; nra).
    pose proof (div_low (one * one) (high_power p n) HP) as D. rewrite mult_IZR in D. fold I in D.
    change (Zneg n) with (- Zpos n)%Z. rewrite powerRZ_neg'. set (w := powerRZ _ _) in *.
    apply Rmult_le_reg_r with (w * I); [nra|]. replace (/ w * I * (w * I)) with (I * I) by (field; lra).
    assert (V : 0 <= IZR (one * one / high_power p n)) by (apply IZR_le, div_nonneg; nia). nra.
Qed.
Lemma split_ok d u v : (0 < Qnum (at_ratio d))%Z -> (0 <= weight_of d)%Z -> (0 <= gap_of d)%Z -> 0 <= u -> 0 <= v ->
  IZR (weight_of d) * Rmax (u - v * / Q2R (at_ratio d)) 0 <= eval (at_place (G0 p) u v) (split d).
Proof.
  intros N0 W0 GA HU HV. pose proof (one_pos p F) as O1. pose proof (I_pos p F) as I0. fold I in I0. pose proof (G0_big p F) as HG.
  pose proof (plan_ok p F) as (B & _). unfold split. set (n := Qnum (at_ratio d)) in *. set (j := place_of d).
  set (share := Z.min one (gap_of d * bottom p / (n * (top p - bottom p)))). set (low := (weight_of d * share / one)%Z).
  cbn [eval].
  assert (S0 : (0 <= share <= one)%Z) by (unfold share; pose proof (div_nonneg (gap_of d * bottom p) (n * (top p - bottom p)) ltac:(nia) ltac:(nia)); lia).
  assert (L0 : (0 <= low)%Z) by (apply div_nonneg; nia).
  assert (L1 : (low <= weight_of d)%Z) by (apply Z.div_le_upper_bound; nia).
  pose proof (div_low (weight_of d * share) one O1) as D1. fold low I in D1. rewrite mult_IZR in D1. fold I in D1.
  assert (D2 : IZR share * (IZR n * (IZR (top p) - IZR (bottom p))) <= IZR (gap_of d) * IZR (bottom p)).
  { rewrite <- minus_IZR, <- !mult_IZR. apply IZR_le. pose proof (Z.mul_div_le (gap_of d * bottom p) (n * (top p - bottom p)) ltac:(nia)).
    unfold share. nia. }
  apply IZR_lt in N0. apply IZR_le in W0, L0, L1, GA. destruct S0 as [S0 S1]. apply IZR_le in S0, S1. fold I in S1.
  rewrite minus_IZR. pose proof (power_pos (G0 p) (- (j + 1)) HG) as XP.
  assert (EJ : powerRZ (G0 p) (- j) = powerRZ (G0 p) (- (j + 1)) * G0 p).
  { replace (- j)%Z with (- (j + 1) + 1)%Z by lia. rewrite powerRZ_add by lra. now rewrite powerRZ_1. }
  unfold at_place. rewrite EJ. set (X := powerRZ (G0 p) (- (j + 1))) in *.
  set (t := Q2R (at_ratio d)).
  assert (T : t = IZR n / IZR (QDen (at_ratio d))) by apply Q2R_frac.
  assert (T0 : 0 < t). { rewrite T. pose proof (den_pos (at_ratio d)). apply Rmult_lt_0_compat; [assumption|now apply Rinv_0_lt_compat]. }
  pose proof (Rmax_l (u - v * (X * G0 p)) 0). pose proof (Rmax_r (u - v * (X * G0 p)) 0).
  pose proof (Rmax_l (u - v * X) 0). pose proof (Rmax_r (u - v * X) 0).
  rewrite Rmax_scaled by assumption. apply Rmax_lub; [|nra].
  apply Rle_trans with (IZR low * (u - v * (X * G0 p)) + (IZR (weight_of d) - IZR low) * (u - v * X)); [|nra].
  assert (KEY : X * (IZR low * (G0 p - 1) + IZR (weight_of d)) <= IZR (weight_of d) * / t).
  { (* the power that is known from below *)
    pose proof (power_low_ok (j + 1)) as PL. assert (PX : powerRZ (G0 p) (j + 1) = / X).
    { unfold X. rewrite powerRZ_neg', Rinv_inv. reflexivity. }
    rewrite PX in PL. unfold gap_of in D2. fold n j in D2. rewrite minus_IZR, !mult_IZR in D2. fold I in D2.
    set (L := IZR (power_low p (j + 1))) in *. set (m := IZR (QDen (at_ratio d))) in *.
    assert (M0 : 0 < m) by apply den_pos. set (b := IZR (bottom p)) in *. set (a := IZR (top p)) in *.
    assert (B0 : 0 < b < a) by (unfold a, b; split; apply IZR_lt; lia).
    assert (GE : G0 p - 1 = (a - b) / b) by (unfold G0; fold a b; field; lra).
    assert (S2 : IZR share * (G0 p - 1) <= L / t - I).
    { rewrite GE, T. apply Rmult_le_reg_r with (IZR n * b); [nra|].
      replace (IZR share * ((a - b) / b) * (IZR n * b)) with (IZR share * (IZR n * (a - b))) by (field; lra).
      replace ((L / (IZR n / m) - I) * (IZR n * b)) with ((L * m - IZR n * I) * b) by (field; lra). lra. }
    assert (S3 : IZR low * (G0 p - 1) * I <= IZR (weight_of d) * (L / t - I)).
    { apply Rle_trans with (IZR (weight_of d) * IZR share * (G0 p - 1)); [|nra].
      replace (IZR low * (G0 p - 1) * I) with (IZR low * I * (G0 p - 1)) by ring. apply Rmult_le_compat_r; lra. }
    apply Rmult_le_reg_r with (/ X * I); [apply Rmult_lt_0_compat; [now apply Rinv_0_lt_compat|assumption]|].
    replace (X * (IZR low * (G0 p - 1) + IZR (weight_of d)) * (/ X * I)) with
      (IZR low * (G0 p - 1) * I + IZR (weight_of d) * I) by (field; lra).
    apply Rle_trans with (IZR (weight_of d) * (L / t)); [lra|].
    replace (IZR (weight_of d) * / t * (/ X * I)) with (IZR (weight_of d) * ((/ X * I) * / t)) by ring.
    apply Rmult_le_compat_l; [assumption|]. unfold Rdiv. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact PL]. }
  assert (v * (X * (IZR low * (G0 p - 1) + IZR (weight_of d))) <= v * (IZR (weight_of d) * / t)) by (apply Rmult_le_compat_l; assumption).
  nra.
Qed.
Lemma eval_join g f h : eval g (f ++ h) = eval g f + eval g h.
Proof. induction f as [|[k w] f IH]; cbn [app eval]; [ring|]. rewrite IH. ring. Qed.
Definition placed (d : dot) := (0 < Qnum (at_ratio d))%Z /\ (0 <= weight_of d)%Z /\ (0 <= gap_of d)%Z.
Lemma dots_placed far ds : dots_stand far ds = true -> (0 <= far)%Z /\ forall d, In d ds -> placed d.
Proof.
  intros DS. unfold dots_stand in DS. do 3 (apply andb_prop in DS as [DS ?]).
  apply Z.leb_le in DS. apply rising_ok in H1. rewrite Q2R_0 in H1. rewrite forallb_forall in H. split; [exact DS|].
  intros d J. assert (X : 0 < Q2R (at_ratio d)) by (eapply rises_above; [exact H1|]; apply in_map_iff; eauto).
  specialize (H d J). do 2 (apply andb_prop in H as [H ?]). apply Z.leb_le in H, H3. repeat split; auto.
  rewrite Q2R_frac in X. apply lt_IZR. pose proof (den_pos (at_ratio d)). apply Rmult_lt_reg_r with (/ IZR (QDen (at_ratio d)));
    [now apply Rinv_0_lt_compat|]. now rewrite Rmult_0_l.
Qed.
Theorem start_ok far places ds x : (0 <= far)%Z -> (forall d, In d ds -> placed d) -> start far places ds = Some x ->
  fit x /\ below (curve (dot_atoms far ds)) (curve (atoms_of p x)).
Proof.
  intros DS POS. pose proof (U_pos p F) as U0. fold U in U0.
  assert (KEY : forall u v, 0 <= u -> 0 <= v -> curve (dot_atoms far ds) u v <=
    (IZR far * u + eval (at_place (G0 p) u v) (normal (flat_map split ds))) / U).
  { intros u v HU HV. rewrite eval_normal. unfold dot_atoms, curve. rewrite sum_cons, sum_map_of. cbn [fst snd].
    rewrite Rmult_0_r, Rminus_0_r, Rmax_left by lra. unfold Rdiv at 2. rewrite Rmult_plus_distr_r.
    apply Rplus_le_compat; [right; unfold Rdiv; ring|]. unfold breaks. rewrite sum_map_of. cbn [fst snd].
    induction ds as [|d l IH]; cbn [flat_map].
    - cbn. lra.
    - rewrite sum_cons. rewrite eval_join, Rmult_plus_distr_r. apply Rplus_le_compat; [|apply IH; intros; apply POS; now right].
      destruct (POS d (or_introl eq_refl)) as (X & W & GA). pose proof (split_ok d u v X W GA HU HV) as S.
      unfold Rdiv. replace (IZR (weight_of d) * / U * Rmax (u - v * / Q2R (at_ratio d)) 0) with
        (IZR (weight_of d) * Rmax (u - v * / Q2R (at_ratio d)) 0 * / U) by ring.
      apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact S]. }
  unfold start. destruct (normal (flat_map split ds)) as [|[k w] f] eqn:E.
  - intros [= <-]. split; [split; [constructor|exact DS]|]. intros u v HU HV. rewrite atoms_height by assumption.
    eapply Rle_trans; [now apply KEY|]. unfold height, sums. cbn [beyond level first cells along eval]. fold U. lra.
  - destruct (dense 1 k places ((k, w) :: f) []) as [l|] eqn:D; [|discriminate]. destruct (natural l) eqn:N; [|discriminate].
    intros EX. apply dense_ok in D as (r & EL & D). cbn [rev app] in EL. subst r.
    assert (NL : natural_cells l).
    { apply Forall_forall. intros c J. unfold natural in N. rewrite forallb_forall in N. now apply Z.leb_le, N. }
    destruct (within_ok p F 64 {| level := 0; first := k; cells := l; beyond := far |} (conj NL DS)) as [W1 W2].
    remember (within p 64 {| level := 0; first := k; cells := l; beyond := far |}) as y eqn:EY. clear EY. injection EX as <-.
    split; [exact W1|]. intros u v HU HV. eapply Rle_trans; [now apply KEY|].
    eapply Rle_trans; [|apply (lower_below p F _ _ W2 u v HU HV)]. rewrite atoms_height by assumption.
    unfold height, sums. cbn [beyond level first cells G]. fold U. rewrite D. apply Rle_refl.
Qed.
End Plan.
