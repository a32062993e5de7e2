(* Connecting the dots: a pair whose curve is above that of all neighbours, from a few points of the latter. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount SpecRuns Poly Exp Check Kron Sums Pairs Lattice.
Import ListNotations.
Local Open Scope Z_scope.

(* delta is at most `height_of` where e^eps is `at_ratio`; the pair made of dots has `weight_of` of P at this ratio of P to Q. *)
Record dot := { at_ratio : Q; height_of : Q; weight_of : Z }.
(* powers of two, the highest first, with the step's powers there and there below 0, both from below *)
Definition ladder := list (Z * (Z * Z)).
(* a weight of P, and its ratio to Q's as a fraction *)
Definition atom := (Z * (Z * Z))%type.
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
Definition dots_stand (far : Z) (ds : list dot) : bool :=
  (0 <=? far) && rising 0 ds && (unit <=? held far ds 0) &&
  forallb (fun d => (0 <=? weight_of d) &&
    (Qnum (height_of d) * unit <=? held far ds (at_ratio d) * QDen (height_of d))) ds.
Fixpoint squares (n : nat) (s up down : Z) (acc : ladder) : ladder :=
  match n with O => acc | S n => squares n (2 * s) (up * up / one) (down * down / one) ((s, (up, down)) :: acc) end.
Definition powers_at : ladder :=
  squares (Z.to_nat (Z.log2 (most p) + 1)) 1 (top p * one / bottom p) (bottom p * one / top p) [].
(* the first place that is above a ratio a/b; `a` is over 2^sharp, as `w` is, the power at k *)
Fixpoint rise (o : Z) (t : ladder) (a b k w : Z) (best : option (Z * Z)) : option (Z * Z) :=
  match t with
  | [] => best
  | (s, (up, _)) :: t =>
      let v := w * up / o in if a <=? v * b then rise o t a b k w (Some (k + s, v)) else rise o t a b (k + s) v best
  end.
Fixpoint fall (o : Z) (t : ladder) (a b k w : Z) : option (Z * Z) :=
  match t with
  | [] => Some (k, w)
  | (s, (_, down)) :: t => let v := w * down / o in if a <=? v * b then fall o t a b (k - s) v else fall o t a b k w
  end.
Definition rung (t : ladder) (a b : Z) : option (Z * Z) :=
  let o := one in if a <=? o * b then fall o t a b 0 o else rise o t a b 0 o None.
(* the same, where the last place that was found often is it again *)
Definition rung_again (last : Z * Z) (t : ladder) (a b : Z) : option (Z * Z) :=
  let r := snd last in if (a <=? r * b) && (r * bottom p / top p * b <? a) then Some last else rung t a b.
(* each atom between that place and the one before; what is above all places, or where Q has nothing, goes to infinity *)
Fixpoint put_on (t : ladder) (last : Z * Z) (l : list atom) (far : Z) (acc : poly) : Z * poly :=
  match l with
  | [] => (far, acc)
  | (w, (a, b)) :: l =>
      match rung_again last t (a * one) b with
      | None => put_on t last l (far + w) acc
      | Some (k, r) =>
          let low := w * Z.min one ((r * b - a * one) * bottom p / (a * (top p - bottom p))) / one in
          put_on t (k, r) l far ((k - 1, low) :: (k, w - low) :: acc)
      end
  end.
Definition start (t : ladder) (far : Z) (l : list atom) : option lattice :=
  let '(far, f) := put_on t (0, one) l far [] in
  match normal f with
  | [] => Some {| level := 0; first := 0; cells := []; beyond := far |}
  | (k, w) :: f => match dense 1 k (Z.to_nat (4 * most p + 4)) ((k, w) :: f) [] with
      | Some l => if natural l then Some (within p 64 {| level := 0; first := k; cells := l; beyond := far |}) else None
      | None => None
      end
  end.
Definition atom_of (d : dot) : atom := (weight_of d, (Qnum (at_ratio d), QDen (at_ratio d))).

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
    split; [exact X|]. specialize (H0 d J). apply andb_prop in H0 as [H0 _]. apply Z.leb_le in H0. split; [|exact H0].
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
Notation g := (G0 p).
Definition is_power (o : Z * Z) := (0 <= snd o)%Z /\ IZR (snd o) <= powerRZ g (fst o) * I.
Definition all_rungs (t : ladder) := Forall (fun o => is_power (fst o, fst (snd o)) /\ is_power (- fst o, snd (snd o))%Z) t.
Lemma power_times k w s v : is_power (k, w) -> is_power (s, v) -> is_power (k + s, w * v / one)%Z.
Proof.
  intros [W0 W1] [V0 V1]. cbn [fst snd] in *. pose proof (one_pos p F) as O1. pose proof (I_pos p F) as I0. fold I in I0.
  pose proof (G0_big p F) as HG. split; cbn [fst snd]; [apply div_nonneg; nia|].
  pose proof (div_low (w * v) one O1) as D. rewrite mult_IZR in D. fold I in D. rewrite powerRZ_add by lra. apply IZR_le in W0, V0.
  pose proof (power_pos g k HG). pose proof (power_pos g s HG). apply Rmult_le_reg_r with I; [assumption|]. eapply Rle_trans; [exact D|].
  replace (powerRZ g k * powerRZ g s * I * I) with ((powerRZ g k * I) * (powerRZ g s * I)) by ring. now apply Rmult_le_compat.
Qed.
Lemma squares_ok n : forall s u v acc, is_power (s, u) -> is_power (- s, v)%Z -> all_rungs acc -> all_rungs (squares n s u v acc).
Proof.
  induction n as [|n IH]; intros s u v acc A B R; cbn [squares]; [exact R|]. apply IH.
  - replace (2 * s)%Z with (s + s)%Z by lia. now apply power_times.
  - replace (- (2 * s))%Z with (- s + - s)%Z by lia. now apply power_times.
  - now constructor.
Qed.
Lemma powers_at_ok : all_rungs powers_at.
Proof.
  pose proof (plan_ok p F) as (B & _). pose proof (one_pos p F) as O1. apply squares_ok; [| |constructor].
  - split; cbn [fst snd]; [apply div_nonneg; nia|]. pose proof (div_low (top p * one) (bottom p) ltac:(lia)) as D. rewrite mult_IZR in D. fold I in D.
    assert (b0 : 0 < IZR (bottom p)) by (apply IZR_lt; lia). rewrite powerRZ_1. apply Rmult_le_reg_r with (IZR (bottom p)); [assumption|].
    eapply Rle_trans; [exact D|]. right. unfold G0. field. lra.
  - split; cbn [fst snd]; [apply div_nonneg; nia|]. pose proof (div_low (bottom p * one) (top p) ltac:(lia)) as D. rewrite mult_IZR in D. fold I in D.
    assert (b0 : 0 < IZR (bottom p)) by (apply IZR_lt; lia). assert (t0 : 0 < IZR (top p)) by (apply IZR_lt; lia).
    change (powerRZ g (- (1))) with (/ (g * 1)). apply Rmult_le_reg_r with (IZR (top p)); [assumption|].
    eapply Rle_trans; [exact D|]. right. unfold G0. field. lra.
Qed.
Lemma rise_ok t a b : all_rungs t -> forall k w best k' w', is_power (k, w) -> rise one t a b k w best = Some (k', w') ->
  best = Some (k', w') \/ is_power (k', w') /\ (a <= w' * b)%Z.
Proof.
  induction 1 as [|[s [u d]] t [A _] R IH]; intros k w best k' w' P; cbn [rise]; [auto|]. cbn [fst snd] in A. pose proof (power_times _ _ _ _ P A) as Q.
  destruct (Z.leb_spec a (w * u / one * b)) as [L|_]; intros E; [|exact (IH _ _ _ _ _ Q E)].
  destruct (IH _ _ _ _ _ P E) as [[= <- <-]|H]; auto.
Qed.
Lemma fall_ok t a b : all_rungs t -> forall k w k' w', is_power (k, w) -> (a <= w * b)%Z -> fall one t a b k w = Some (k', w') ->
  is_power (k', w') /\ (a <= w' * b)%Z.
Proof.
  induction 1 as [|[s [u d]] t [_ A] R IH]; intros k w k' w' P L; cbn [fall]; [now intros [= <- <-]|]. cbn [fst snd] in A.
  pose proof (power_times _ _ _ _ P A) as Q. destruct (Z.leb_spec a (w * d / one * b)) as [M|_]; intros E; [exact (IH _ _ _ _ Q M E)|exact (IH _ _ _ _ P L E)].
Qed.
Lemma one_power : is_power (0, one)%Z.
Proof. split; cbn [fst snd]; [pose proof (one_pos p F); lia|]. change (powerRZ g 0) with 1. fold I. lra. Qed.
Lemma rung_ok last t a b k w : is_power last -> all_rungs t -> rung_again last t a b = Some (k, w) ->
  is_power (k, w) /\ (a <= w * b)%Z.
Proof.
  intros PL R. pose proof one_power as P0. unfold rung_again. cbv zeta. destruct (_ && _) eqn:C.
  { intros [= ->]. apply andb_prop in C as [C _]. apply Z.leb_le in C. now split. }
  unfold rung. cbv zeta. destruct (Z.leb_spec a (one * b)) as [L|_]; intros E; [exact (fall_ok t a b R _ _ _ _ P0 L E)|].
  destruct (rise_ok t a b R _ _ _ _ _ P0 E) as [|H]; [discriminate|exact H].
Qed.
Definition at_atom (u v : R) (o : atom) : R := IZR (fst o) * Rmax (u - v * (IZR (snd (snd o)) / IZR (fst (snd o)))) 0.
Definition stands (o : atom) := (0 <= fst o)%Z /\ (0 < fst (snd o))%Z /\ (0 <= snd (snd o))%Z.
Lemma split_ok w a b k r u v : stands (w, (a, b)) -> is_power (k, r) -> (a * one <= r * b)%Z -> 0 <= u -> 0 <= v ->
  let low := (w * Z.min one ((r * b - a * one) * bottom p / (a * (top p - bottom p))) / one)%Z in
  at_atom u v (w, (a, b)) <= IZR low * at_place g u v (k - 1) + IZR (w - low) * at_place g u v k.
Proof.
  intros (W0 & A0 & B0) (R0 & R1) GA HU HV. cbn [fst snd] in *. pose proof (one_pos p F) as O1. pose proof (I_pos p F) as I0. fold I in I0.
  pose proof (G0_big p F) as HG. pose proof (plan_ok p F) as (TB & _).
  set (share := Z.min one ((r * b - a * one) * bottom p / (a * (top p - bottom p)))). set (low := (w * share / one)%Z). cbv zeta.
  assert (S0 : (0 <= share <= one)%Z).
  { unfold share. pose proof (div_nonneg ((r * b - a * one) * bottom p) (a * (top p - bottom p)) ltac:(nia) ltac:(nia)). lia. }
  assert (L0 : (0 <= low)%Z) by (apply div_nonneg; nia).
  assert (L1 : (low <= w)%Z) by (apply Z.div_le_upper_bound; nia).
  pose proof (div_low (w * share) one O1) as D1. fold low I in D1. rewrite mult_IZR in D1. fold I in D1.
  assert (D2 : IZR share * (IZR a * (IZR (top p) - IZR (bottom p))) <= (IZR r * IZR b - IZR a * I) * IZR (bottom p)).
  { unfold I. rewrite <- !mult_IZR, <- !minus_IZR, <- !mult_IZR. apply IZR_le.
    assert (M0 : (0 < a * (top p - bottom p))%Z) by nia. set (m := (a * (top p - bottom p))%Z) in *.
    pose proof (Z.mul_div_le ((r * b - a * one) * bottom p) m M0). pose proof (Z.le_min_r one ((r * b - a * one) * bottom p / m)).
    fold share in H0. nia. }
  apply IZR_lt in A0. apply IZR_le in W0, L0, L1, B0. destruct S0 as [S0 S1]. apply IZR_le in S0, S1. fold I in S1.
  unfold at_atom, at_place. cbn [fst snd]. rewrite minus_IZR. pose proof (power_pos g (- k) HG) as XP.
  replace (- (k - 1))%Z with (- k + 1)%Z by lia. rewrite powerRZ_add, powerRZ_1 by lra. set (X := powerRZ g (- k)) in *.
  pose proof (Rmax_l (u - v * (X * g)) 0). pose proof (Rmax_r (u - v * (X * g)) 0).
  pose proof (Rmax_l (u - v * X) 0). pose proof (Rmax_r (u - v * X) 0).
  rewrite Rmax_scaled by assumption. apply Rmax_lub; [|nra].
  apply Rle_trans with (IZR low * (u - v * (X * g)) + (IZR w - IZR low) * (u - v * X)); [|nra].
  set (t := IZR b / IZR a).
  assert (KEY : X * (IZR low * (g - 1) + IZR w) <= IZR w * t).
  { assert (PX : powerRZ g k = / X) by (unfold X; now rewrite powerRZ_neg', Rinv_inv). rewrite PX in R1.
    set (bt := IZR (bottom p)) in *. set (tp := IZR (top p)) in *.
    assert (BT : 0 < bt < tp) by (unfold bt, tp; split; apply IZR_lt; lia).
    assert (GE : g - 1 = (tp - bt) / bt) by (unfold G0; fold tp bt; field; lra).
    assert (S2 : IZR share * (g - 1) <= IZR r * t - I).
    { rewrite GE. unfold t. apply Rmult_le_reg_r with (IZR a * bt); [nra|].
      replace (IZR share * ((tp - bt) / bt) * (IZR a * bt)) with (IZR share * (IZR a * (tp - bt))) by (field; lra).
      replace ((IZR r * (IZR b / IZR a) - I) * (IZR a * bt)) with ((IZR r * IZR b - IZR a * I) * bt) by (field; lra). exact D2. }
    assert (S3 : IZR low * (g - 1) * I <= IZR w * (IZR r * t - I)).
    { apply Rle_trans with (IZR w * IZR share * (g - 1)); [|nra].
      replace (IZR low * (g - 1) * I) with (IZR low * I * (g - 1)) by ring. apply Rmult_le_compat_r; lra. }
    assert (T0 : 0 <= t) by (unfold t; apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
    apply Rmult_le_reg_r with (/ X * I); [apply Rmult_lt_0_compat; [now apply Rinv_0_lt_compat|assumption]|].
    replace (X * (IZR low * (g - 1) + IZR w) * (/ X * I)) with (IZR low * (g - 1) * I + IZR w * I) by (field; lra).
    apply Rle_trans with (IZR w * (IZR r * t)); [lra|]. rewrite Rmult_assoc. apply Rmult_le_compat_l; [assumption|].
    rewrite (Rmult_comm (IZR r)). now apply Rmult_le_compat_l. }
  assert (v * (X * (IZR low * (g - 1) + IZR w)) <= v * (IZR w * t)) by (apply Rmult_le_compat_l; assumption).
  nra.
Qed.
Lemma put_on_ok t u v : all_rungs t -> 0 <= u -> 0 <= v -> forall l last far acc far' f, is_power last ->
  put_on t last l far acc = (far', f) ->
  (0 <= far)%Z -> Forall stands l -> (0 <= far')%Z /\
  IZR far * u + SpecCount.sum (at_atom u v) l + eval (at_place g u v) acc <= IZR far' * u + eval (at_place g u v) f.
Proof.
  intros R HU HV. induction l as [|[w [a b]] l IH]; intros last far acc far' f PL; cbn [put_on].
  - intros [= <- <-] F0 _. split; [exact F0|]. cbn. lra.
  - intros E F0 S. inversion_clear S as [|? ? S1 S2]. pose proof S1 as (W0 & A0 & B0). cbn [fst snd] in W0, A0, B0. rewrite sum_cons.
    destruct (rung_again last t (a * one) b) as [[k r]|] eqn:RU.
    + destruct (rung_ok last t _ _ _ _ PL R RU) as [P L].
      destruct (IH _ _ _ _ _ P E F0 S2) as [F1 LE]. split; [exact F1|]. eapply Rle_trans; [|exact LE]. cbn [eval].
      pose proof (split_ok w a b k r u v S1 P L HU HV) as SP. cbv zeta in SP. lra.
    + destruct (IH _ _ _ _ _ PL E ltac:(lia) S2) as [F1 LE]. split; [exact F1|]. eapply Rle_trans; [|exact LE]. rewrite plus_IZR.
      unfold at_atom at 1. cbn [fst snd]. apply IZR_le in W0, B0. apply IZR_lt in A0.
      assert (0 <= IZR b / IZR a) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
      assert (Rmax (u - v * (IZR b / IZR a)) 0 <= u) by (apply Rmax_lub; nra). nra.
Qed.
Theorem start_ok t far l x : all_rungs t -> (0 <= far)%Z -> Forall stands l -> start t far l = Some x -> fit x /\
  forall u v, 0 <= u -> 0 <= v -> (IZR far * u + SpecCount.sum (at_atom u v) l) / U <= curve (atoms_of p x) u v.
Proof.
  intros R F0 S. unfold start. destruct (put_on t (0, one)%Z l far []) as [far' f] eqn:PO. pose proof (U_pos p F) as U0. fold U in U0.
  assert (F1 : (0 <= far')%Z) by now destruct (put_on_ok t 0 0 R (Rle_refl 0) (Rle_refl 0) l _ far [] far' f one_power PO F0 S).
  assert (KEY : forall u v, 0 <= u -> 0 <= v -> (IZR far * u + SpecCount.sum (at_atom u v) l) / U <=
    (IZR far' * u + eval (at_place g u v) (normal f)) / U).
  { intros u v HU HV. rewrite eval_normal. destruct (put_on_ok t u v R HU HV l _ far [] far' f one_power PO F0 S) as [_ LE]. cbn [eval] in LE.
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra]. }
  destruct (normal f) as [|[k w] f1].
  - intros [= <-]. split; [split; [constructor|exact F1]|]. intros u v HU HV. rewrite atoms_height by assumption.
    eapply Rle_trans; [now apply KEY|]. unfold height, sums. cbn [beyond level first cells along eval]. fold U. lra.
  - destruct (dense 1 k _ ((k, w) :: f1) []) as [c|] eqn:D; [|discriminate]. destruct (natural c) eqn:N; [|discriminate].
    intros EX. apply dense_ok in D as (c' & EL & D). cbn [rev app] in EL. subst c'.
    assert (NL : natural_cells c).
    { apply Forall_forall. intros i J. unfold natural in N. rewrite forallb_forall in N. now apply Z.leb_le, N. }
    destruct (within_ok p F 64 {| level := 0; first := k; cells := c; beyond := far' |} (conj NL F1)) as [W1 W2].
    remember (within p 64 {| level := 0; first := k; cells := c; beyond := far' |}) as y eqn:EY. clear EY. injection EX as <-.
    split; [exact W1|]. intros u v HU HV. eapply Rle_trans; [now apply KEY|].
    eapply Rle_trans; [|apply (lower_below p F _ _ W2 u v HU HV)]. rewrite atoms_height by assumption.
    unfold height, sums. cbn [beyond level first cells G]. fold U. rewrite D. apply Rle_refl.
Qed.
(* the pair that dots make *)
Lemma dots_atoms far ds : dots_stand far ds = true -> (0 <= far)%Z /\ Forall stands (map atom_of ds) /\
  forall u v, 0 <= u -> curve (dot_atoms far ds) u v = (IZR far * u + SpecCount.sum (at_atom u v) (map atom_of ds)) / U.
Proof.
  intros DS. unfold dots_stand in DS. do 3 (apply andb_prop in DS as [DS ?]).
  apply Z.leb_le in DS. apply rising_ok in H1. rewrite Q2R_0 in H1. rewrite forallb_forall in H.
  assert (ST : forall d, In d ds -> (0 <= weight_of d)%Z /\ (0 < Qnum (at_ratio d))%Z).
  { intros d J. assert (X : 0 < Q2R (at_ratio d)) by (eapply rises_above; [exact H1|]; apply in_map_iff; eauto).
    specialize (H d J). apply andb_prop in H as [H _]. apply Z.leb_le in H. split; [exact H|].
    rewrite Q2R_frac in X. apply lt_IZR. pose proof (den_pos (at_ratio d)). apply Rmult_lt_reg_r with (/ IZR (QDen (at_ratio d)));
      [now apply Rinv_0_lt_compat|]. now rewrite Rmult_0_l. }
  split; [exact DS|]. split.
  - apply Forall_forall. intros o J. apply in_map_iff in J as (d & <- & J). destruct (ST d J). now repeat split.
  - intros u v HU. pose proof (U_pos p F) as U0. fold U in U0. unfold dot_atoms, breaks, curve. rewrite sum_cons, !sum_map_of. cbn [fst snd].
    rewrite Rmult_0_r, Rminus_0_r, Rmax_left by lra. unfold Rdiv at 3. rewrite Rmult_plus_distr_r, (Rmult_comm (SpecCount.sum _ _)), <- sum_scale.
    f_equal; [unfold Rdiv; ring|]. apply sum_ext. intros d J. destruct (ST d J) as [_ N0]. apply IZR_lt in N0.
    unfold at_atom, atom_of. cbn [fst snd]. rewrite Q2R_frac. pose proof (den_pos (at_ratio d)).
    replace (/ (IZR (Qnum (at_ratio d)) / IZR (QDen (at_ratio d)))) with (IZR (QDen (at_ratio d)) / IZR (Qnum (at_ratio d))) by (field; lra).
    unfold Rdiv. ring.
Qed.
End Plan.
