(* Laws of numbers: independent draws are added in any order, and whoever adds a draw that is the same on both sides
   learns nothing from it. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool Permutation.
From Shufflecert Require Blanket.
From Shufflecert Require Import Spec SpecCount SpecColumns Sums Gain Beside.
Import ListNotations.
Local Open Scope R_scope.

Lemma series_total {A} (f : A -> R) : (forall l, NoDup l -> sum f l <= 1) -> total f (series f).
Proof.
  intros H. unfold series. destruct (completeness _ _ _) as [t [U L]]. cbn [proj1_sig]. split.
  - intros y (l & D & ->). apply U. exists l. split; [exact D|]. rewrite Rmin_right; auto.
  - intros b B. apply L. intros y (l & D & ->). eapply Rle_trans; [apply Rmin_r|]. apply B. now exists l.
Qed.
(* probabilities of all outcomes *)
Definition is_mass {A} (m : A -> R) := (forall k, 0 <= m k) /\ total m 1.
Lemma mass_sum {A} (m : A -> R) l : is_mass m -> NoDup l -> sum m l <= 1.
Proof. intros [_ T]. now apply total_above. Qed.
Lemma mass_one {A} (m : A -> R) k : is_mass m -> m k <= 1.
Proof.
  intros M. pose proof (mass_sum m [k] M) as H. cbn in H. rewrite Rplus_0_r in H. apply H. constructor; [easy|constructor].
Qed.
Lemma mass_near {A} (m : A -> R) e : is_mass m -> 0 < e -> exists l, NoDup l /\ 1 - e < sum m l.
Proof. intros [_ T]. now apply total_near. Qed.
Lemma mass_of {A} (m : A -> R) : (forall k, 0 <= m k) -> (forall l, NoDup l -> sum m l <= 1) ->
  (forall e, 0 < e -> exists l, NoDup l /\ 1 - e <= sum m l) -> is_mass m.
Proof.
  intros N U L. split; [exact N|]. split.
  - intros y (l & D & ->). now apply U.
  - intros b B. apply le_epsilon. intros e E. destruct (L e E) as (l & D & S). assert (sum m l <= b); [|lra].
    apply B. now exists l.
Qed.
Lemma point_mass j : is_mass (point j).
Proof.
  apply mass_of.
  - intros k. unfold point. destruct (k =? j)%Z; lra.
  - intros l D. apply (sum_point _ j); auto; intros; unfold point; [|rewrite Z.eqb_refl; lra].
    destruct (Z.eqb_spec k j); [contradiction|reflexivity].
  - intros e E. exists [j]. split; [constructor; [easy|constructor]|]. cbn. unfold point. rewrite Z.eqb_refl. lra.
Qed.

Lemma sum_const_mul {A} (f : A -> R) l c : sum f l * c = sum (fun a => f a * c) l.
Proof. rewrite Rmult_comm, <- sum_scale. apply sum_ext. intros. ring. Qed.
Lemma shift_nodup i (l : list Z) : NoDup l -> NoDup (map (fun k => (k - i)%Z) l).
Proof. intros H. apply FinFun.Injective_map_NoDup; auto. intros a b. lia. Qed.
Lemma shift_sum f l i : sum (fun k => f (k - i)%Z) l = sum f (map (fun k => (k - i)%Z) l).
Proof. now rewrite sum_map. Qed.

Section Two.
Variables (f g : Z -> R) (F : is_mass f) (G : is_mass g).
Lemma plus_terms k l : NoDup l -> sum (fun i => f i * g (k - i)%Z) l <= 1.
Proof.
  intros D. eapply Rle_trans; [|apply (mass_sum f l F D)]. apply sum_le. intros i _.
  pose proof (mass_one g (k - i)%Z G). pose proof (proj1 F i). nra.
Qed.
Lemma plus_total k : total (fun i => f i * g (k - i)%Z) (plus_draw f g k).
Proof. apply series_total. intros. now apply plus_terms. Qed.
Lemma plus_above k l : NoDup l -> sum (fun i => f i * g (k - i)%Z) l <= plus_draw f g k.
Proof. apply total_above, plus_total. Qed.
Lemma plus_nonneg k : 0 <= plus_draw f g k.
Proof. exact (plus_above k [] (NoDup_nil _)). Qed.
Lemma plus_near e ks : 0 < e -> exists J, NoDup J /\
  forall k, In k ks -> plus_draw f g k <= sum (fun i => f i * g (k - i)%Z) J + e.
Proof.
  intros E. induction ks as [|k ks (J & D & H)]; [exists []; split; [constructor|intros k []]|].
  destruct (total_near _ _ e (plus_total k) E) as (L & DL & HL). destruct (sum_union Z.eq_dec J L D DL) as (U & DU & IJ & IL).
  exists U. split; [exact DU|].
  assert (N : forall k i, 0 <= f i * g (k - i)%Z) by (intros; apply Rmult_le_pos; [apply F|apply G]).
  intros j [<-|I].
  - pose proof (sum_incl _ L (N k) DL U IL). lra.
  - pose proof (sum_incl _ J (N j) D U IJ). specialize (H j I). lra.
Qed.
End Two.
Lemma sum_at_most (f g : Z -> R) e l : 0 < e -> (forall k, In k l -> f k <= g k + e / (INR (length l) + 1)) ->
  sum f l <= sum g l + e.
Proof.
  intros E H. pose proof (pos_INR (length l)) as L0. eapply Rle_trans; [apply sum_le; exact H|]. rewrite sum_plus.
  apply Rplus_le_compat_l. rewrite <- (Rmult_1_l (e / _)).
  assert (S : forall c (m : list Z), sum (fun _ => c) m = INR (length m) * c).
  { clear. intros c m. induction m as [|a m IH]; [cbn; ring|]. rewrite sum_cons, IH. cbn [length]. rewrite S_INR. ring. }
  rewrite S. apply Rmult_le_reg_r with (INR (length l) + 1); [lra|]. field_simplify; nra.
Qed.
Lemma small n e : 0 < e -> 0 < e / (INR n + 1).
Proof. intros. pose proof (pos_INR n). apply Rdiv_lt_0_compat; lra. Qed.

Lemma plus_mass f g : is_mass f -> is_mass g -> is_mass (plus_draw f g).
Proof.
  intros F G. apply mass_of; [now apply plus_nonneg| |].
  - intros l D. apply le_epsilon. intros e E.
    destruct (plus_near f g F G _ l (small (length l) e E)) as (J & DJ & H).
    eapply Rle_trans; [apply (sum_at_most _ _ e l E H)|]. apply Rplus_le_compat_r.
    rewrite Blanket.sum_swap. eapply Rle_trans; [|apply (mass_sum f J F DJ)]. apply sum_le. intros i _.
    rewrite sum_scale, shift_sum. pose proof (mass_sum g _ G (shift_nodup i l D)). pose proof (proj1 F i). nra.
  - intros e E. destruct (mass_near f (e / 2) F ltac:(lra)) as (I & DI & SI).
    destruct (mass_near g (e / 2) G ltac:(lra)) as (J & DJ & SJ).
    set (l := nodup Z.eq_dec (map (fun ij => (fst ij + snd ij)%Z) (list_prod I J))).
    assert (D : NoDup l) by apply NoDup_nodup. exists l. split; [exact D|].
    apply Rle_trans with (sum (fun k => sum (fun i => f i * g (k - i)%Z) I) l).
    2: { apply sum_le. intros k _. now apply plus_above. }
    rewrite Blanket.sum_swap. apply Rle_trans with (sum (fun i => f i * sum g J) I).
    + rewrite <- sum_const_mul. pose proof (mass_sum f I F DI). pose proof (mass_sum g J G DJ).
      pose proof (sum_nonneg f I (proj1 F)). pose proof (sum_nonneg g J (proj1 G)). nra.
    + apply sum_le. intros i Ii. rewrite sum_scale. apply Rmult_le_compat_l; [apply F|]. rewrite shift_sum.
      apply sum_incl; [apply G|exact DJ|]. intros j Ij. apply in_map_iff. exists (i + j)%Z. split; [lia|].
      apply nodup_In, in_map_iff. exists (i, j). split; [reflexivity|now apply in_prod].
Qed.
Lemma plus_swap_le f g r k : is_mass f -> is_mass g -> is_mass r ->
  plus_draw f (plus_draw g r) k <= plus_draw g (plus_draw f r) k.
Proof.
  intros F G R. pose proof (plus_mass g r G R) as GR. pose proof (plus_mass f r F R) as FR.
  apply (total_least _ _ _ (plus_total f _ F GR k)). intros I DI. apply le_epsilon. intros e E.
  destruct (plus_near g r G R e (map (fun i => (k - i)%Z) I) E) as (J & DJ & H).
  apply Rle_trans with (sum (fun i => f i * sum (fun j => g j * r (k - i - j)%Z) J + f i * e) I).
  { apply sum_le. intros i Ii. rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [apply F|]. apply H.
    apply in_map_iff. now exists i. }
  rewrite sum_plus. apply Rplus_le_compat.
  2: { rewrite <- sum_const_mul. pose proof (mass_sum f I F DI). nra. }
  rewrite (sum_ext _ (fun i => sum (fun j => f i * (g j * r (k - i - j)%Z)) J)) by (intros; now rewrite sum_scale).
  rewrite Blanket.sum_swap. eapply Rle_trans; [|exact (plus_above g _ G FR k J DJ)]. apply sum_le. intros j _.
  rewrite (sum_ext _ (fun i => g j * (f i * r (k - j - i)%Z))).
  - rewrite sum_scale. apply Rmult_le_compat_l; [apply G|]. now apply plus_above.
  - intros i _. replace (k - i - j)%Z with (k - j - i)%Z by lia. ring.
Qed.
Lemma plus_swap f g r k : is_mass f -> is_mass g -> is_mass r ->
  plus_draw f (plus_draw g r) k = plus_draw g (plus_draw f r) k.
Proof. intros. apply Rle_antisym; now apply plus_swap_le. Qed.
Lemma plus_0 f k : is_mass f -> plus_draw (point 0) f k = f k.
Proof.
  intros F. apply (total_unique (fun i => point 0 i * f (k - i)%Z)); [exact (plus_total _ _ (point_mass 0) F k)|].
  assert (Z0 : forall i l, ~ In i l -> sum (fun j => point i j * f (k - j)%Z) l = 0).
  { intros i l. induction l as [|j l IH]; intros N; [reflexivity|]. rewrite sum_cons, IH by (cbn in N; tauto). unfold point.
    destruct (Z.eqb_spec j i) as [->|]; [exfalso; apply N; now left|ring]. }
  split.
  - intros y (l & D & ->). pose proof (proj1 F k). induction D as [|j l N D IH]; [cbn; lra|]. rewrite sum_cons.
    unfold point at 1. destruct (Z.eqb_spec j 0) as [->|]; [|lra]. rewrite Z0 by exact N. rewrite Z.sub_0_r. lra.
  - intros b B. apply B. exists [0%Z]. split; [constructor; [easy|constructor]|]. cbn. unfold point. cbn. rewrite Z.sub_0_r. ring.
Qed.
(* draws in any order *)
Definition drawn_all (ms : list (Z -> R)) (base : Z -> R) := fold_right plus_draw base ms.
Lemma all_mass ms base : Forall is_mass ms -> is_mass base -> is_mass (drawn_all ms base).
Proof. intros M B. induction M as [|m ms H M IH]; [exact B|]. now apply plus_mass. Qed.
Lemma plus_ext f g g' k : (forall k, g k = g' k) -> plus_draw f g k = plus_draw f g' k.
Proof. intros H. unfold plus_draw. f_equal. apply FunctionalExtensionality.functional_extensionality. intros i. now rewrite H. Qed.
Lemma all_perm ms ns : Permutation ms ns -> Forall is_mass ms -> forall base, is_mass base ->
  forall k, drawn_all ms base k = drawn_all ns base k.
Proof.
  induction 1 as [|m ms ns P IH|m n ms|ms ns os P IH Q IH']; intros M base B k.
  - reflexivity.
  - inversion_clear M. cbn [drawn_all fold_right]. apply plus_ext. intros. now apply IH.
  - inversion_clear M as [|? ? A M']. inversion_clear M'. apply plus_swap; auto. now apply all_mass.
  - rewrite IH by auto. apply IH'; [|exact B]. eapply Permutation_Forall; eauto.
Qed.

(* A draw that is the same on both sides, in one of two columns *)
Definition beside_it {A} (p : Z -> R) (s : A -> R) (o : Z * A) := p (fst o) * s (snd o).
Lemma fewer {A} (r p p' : Z -> R) (s s' : A -> R) z d : is_mass r -> is_mass p -> is_mass p' -> is_mass s -> is_mass s' ->
  0 <= z -> within (beside_it p s) (beside_it p' s') z d ->
  within (beside_it (plus_draw r p) s) (beside_it (plus_draw r p') s') z d.
Proof.
  intros R P P' S S' Z0 W l D. apply le_epsilon. intros e E.
  destruct (plus_near r p R P _ (map fst l) (small (length l) e E)) as (J & DJ & H).
  assert (X : forall o, In o l -> excess (beside_it (plus_draw r p) s) (beside_it (plus_draw r p') s') z o <=
    sum (fun j => r j * excess (beside_it p s) (beside_it p' s') z ((fst o - j)%Z, snd o)) J + e / (INR (length l) + 1)).
  { intros [k a] I. pose proof (H k ltac:(now apply (in_map fst) in I)) as Hk. cbn [fst snd].
    pose proof (plus_above r p' R P' k J DJ) as Lk. pose proof (proj1 S a) as S0. pose proof (mass_one s a S) as S1.
    pose proof (proj1 S' a) as S0'. pose proof (small (length l) e E) as E0.
    assert (N : 0 <= sum (fun j => r j * excess (beside_it p s) (beside_it p' s') z ((k - j)%Z, a)) J).
    { apply sum_nonneg. intros j. apply Rmult_le_pos; [apply R|apply Rmax_r]. }
    unfold excess at 1. apply Rmax_lub; [|lra]. unfold beside_it at 1 2. cbn [fst snd].
    assert (Q : sum (fun j => r j * p (k - j)%Z) J * s a - z * (sum (fun j => r j * p' (k - j)%Z) J * s' a) <=
      sum (fun j => r j * excess (beside_it p s) (beside_it p' s') z ((k - j)%Z, a)) J).
    { rewrite !sum_const_mul, <- sum_scale. unfold Rminus. rewrite <- (Rmult_1_l (sum (fun a0 => z * _) J)).
      rewrite Ropp_mult_distr_l, <- sum_scale, <- sum_plus. apply sum_le. intros j _. unfold excess, beside_it. cbn [fst snd].
      pose proof (proj1 R j). pose proof (Rmax_l (p (k - j)%Z * s a - z * (p' (k - j)%Z * s' a)) 0). nra. }
    assert (z * (sum (fun j => r j * p' (k - j)%Z) J * s' a) <= z * (plus_draw r p' k * s' a)).
    { apply Rmult_le_compat_l; [exact Z0|]. now apply Rmult_le_compat_r. }
    set (e' := e / (INR (length l) + 1)) in *. set (u := sum (fun j => r j * p (k - j)%Z) J) in *. nra. }
  eapply Rle_trans; [apply sum_le; exact X|]. rewrite sum_plus.
  rewrite sum_const. apply Rplus_le_compat.
  - rewrite Blanket.sum_swap. apply Rle_trans with (sum (fun j => r j * d) J).
    + apply sum_le. intros j _. rewrite sum_scale. apply Rmult_le_compat_l; [apply R|].
      rewrite <- (sum_map (excess (beside_it p s) (beside_it p' s') z) (fun o => ((fst o - j)%Z, snd o))). apply W.
      apply FinFun.Injective_map_NoDup; [|exact D]. intros [a1 b1] [a2 b2] Q. cbn in Q. injection Q as Q1 Q2. f_equal; [lia|exact Q2].
    + rewrite <- sum_const_mul. pose proof (mass_sum r J R DJ). pose proof (sum_nonneg r J (proj1 R)).
      assert (0 <= d) by exact (W [] (NoDup_nil _)). nra.
  - pose proof (pos_INR (length l)). apply Rmult_le_reg_r with (INR (length l) + 1); [lra|]. field_simplify; nra.
Qed.

(* ---- what is known from below, on finitely many outcomes ---- *)
Section Known.
Context {A : Type} (same : forall a b : A, {a = b} + {a <> b}).
Variables (P Q lp lq : A -> R) (W : list A) (z : R).
Hypotheses (MP : is_mass P) (MQ : is_mass Q) (LP : forall a, 0 <= lp a <= P a) (LQ : forall a, 0 <= lq a <= Q a)
  (DW : NoDup W) (Z0 : 0 <= z).
Lemma kept_apart (E : A -> bool) (f : A -> R) l : sum f (filter E l) + sum f (filter (fun a => negb (E a)) l) = sum f l.
Proof. induction l as [|a l IH]; [cbn; ring|]. cbn [filter]. destruct (E a); cbn [negb]; rewrite !sum_cons; lra. Qed.
Lemma event_sum (E : A -> bool) f l : sum f (filter E l) = sum (fun a => if E a then f a else 0) l.
Proof. induction l as [|a l IH]; [reflexivity|]. cbn [filter]. rewrite sum_cons, <- IH. destruct (E a); rewrite ?sum_cons; ring. Qed.
Theorem within_known : within P Q z (1 - sum lp W + sum (excess lp lq z) W).
Proof.
  intros l D. set (E := fun a => if Rlt_dec (z * Q a) (P a) then true else false). set (l1 := filter E l).
  assert (D1 : NoDup l1) by now apply NoDup_filter.
  assert (S1 : sum (excess P Q z) l = sum P l1 - z * sum Q l1).
  { unfold l1. rewrite !event_sum, <- sum_scale. unfold Rminus. rewrite <- (Rmult_1_l (sum (fun a => z * _) l)).
    rewrite Ropp_mult_distr_l, <- sum_scale, <- sum_plus. apply sum_ext. intros a _. unfold excess, E.
    destruct (Rlt_dec (z * Q a) (P a)); [rewrite Rmax_left by lra|rewrite Rmax_right by lra]; ring. }
  set (In1 := fun a => if in_dec same a l1 then true else false).
  assert (SP : sum P l1 + sum lp (filter (fun a => negb (In1 a)) W) <= 1).
  { eapply Rle_trans; [apply Rplus_le_compat_l, (sum_le _ P); intros; apply LP|]. rewrite <- sum_app. apply mass_sum; [exact MP|].
    apply nodup_app; [exact D1|now apply NoDup_filter|]. intros a I J. apply filter_In in J as [_ J]. unfold In1 in J.
    destruct (in_dec same a l1); [discriminate|contradiction]. }
  assert (SQ : sum lq (filter In1 W) <= sum Q l1).
  { eapply Rle_trans; [apply (sum_le _ Q); intros; apply LQ|]. apply sum_incl; [apply MQ|now apply NoDup_filter|].
    intros a I. apply filter_In in I as [_ I]. unfold In1 in I. destruct (in_dec same a l1); [assumption|discriminate]. }
  pose proof (kept_apart In1 lp W) as K.
  assert (X : sum lp (filter In1 W) - z * sum lq (filter In1 W) <= sum (excess lp lq z) W).
  { rewrite !event_sum, <- sum_scale. unfold Rminus. rewrite <- (Rmult_1_l (sum (fun a => z * _) W)).
    rewrite Ropp_mult_distr_l, <- sum_scale, <- sum_plus. apply sum_le. intros a _. unfold excess.
    pose proof (Rmax_l (lp a - z * lq a) 0). pose proof (Rmax_r (lp a - z * lq a) 0). destruct (In1 a); lra. }
  rewrite S1. nra.
Qed.
Definition best_known a : bool := if in_dec same a W then if Rlt_dec (z * lq a) (lp a) then true else false else false.
Theorem reached_known a b : total (fun k => if best_known k then P k else 0) a -> total (fun k => if best_known k then Q k else 0) b ->
  sum (excess lp lq z) W - z * (1 - sum lq W) <= a - z * b.
Proof.
  intros TA TB. set (E := best_known).
  assert (LA : sum lp (filter E W) <= a).
  { eapply Rle_trans; [apply (sum_le _ P); intros; apply LP|]. rewrite event_sum. now apply (total_above _ a W TA). }
  assert (LB : b + sum lq (filter (fun a => negb (E a)) W) <= 1).
  { assert (b <= 1 - sum lq (filter (fun a => negb (E a)) W)); [|lra]. apply (total_least _ _ _ TB). intros l D.
    rewrite <- event_sum. apply Rplus_le_reg_r with (sum lq (filter (fun a => negb (E a)) W)).
    replace (1 - _ + _) with 1 by ring. eapply Rle_trans; [apply Rplus_le_compat_l, (sum_le _ Q); intros; apply LQ|].
    rewrite <- sum_app. apply mass_sum; [exact MQ|]. apply nodup_app; [now apply NoDup_filter|now apply NoDup_filter|].
    intros x I J. apply filter_In in I as [_ I], J as [_ J]. unfold E in J. rewrite I in J. discriminate. }
  pose proof (kept_apart E lq W) as K.
  assert (X : sum (excess lp lq z) W = sum lp (filter E W) - z * sum lq (filter E W)).
  { rewrite !event_sum, <- sum_scale. unfold Rminus. rewrite <- (Rmult_1_l (sum (fun a => z * _) W)).
    rewrite Ropp_mult_distr_l, <- sum_scale, <- sum_plus. apply sum_ext. intros x I. unfold excess, E, best_known.
    destruct (in_dec same x W); [|contradiction]. destruct (Rlt_dec (z * lq x) (lp x)); [rewrite Rmax_left by lra|rewrite Rmax_right by lra]; ring. }
  nra.
Qed.
End Known.
