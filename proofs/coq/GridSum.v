(* What Grid.v computes is an upper end. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Kron Check.
From Shufflecert Require Import Spec SpecCount SpecBlanket Poly Sums Exp AnyRandomizer Grid.
Import ListNotations.
Local Open Scope R_scope.

(* ---- clipping: up at the bottom, left out at the top ---- *)
Definition grows (g : Z -> R) := forall j k, (j <= k)%Z -> g j <= g k.
Definition within (V : R) (g : Z -> R) := forall k, 0 <= g k <= V.
Lemma clip_low_ok t g : grows g -> (forall k, 0 <= g k) -> forall l acc lo, natural l -> (0 <= acc)%Z ->
  IZR acc * g lo + dev g lo l <= dev g (fst (clip_low t acc lo l)) (snd (clip_low t acc lo l)) /\
  natural (snd (clip_low t acc lo l)).
Proof.
  intros G P. induction l as [|c l IH]; intros acc lo N A; cbn [clip_low].
  - cbn [fst snd dev]. split; [lra|repeat constructor; exact A].
  - inversion N as [|? ? C N']; subst. destruct (Z.leb_spec (acc + c) t) as [T|T].
    + destruct (IH (acc + c)%Z (lo + 1)%Z N' ltac:(lia)) as [H H']. split; [|exact H']. eapply Rle_trans; [|exact H].
      cbn [dev]. rewrite plus_IZR. pose proof (G lo (lo + 1)%Z ltac:(lia)). apply IZR_le in A, C. nra.
    + cbn [fst snd dev]. rewrite plus_IZR. split; [lra|]. constructor; [lia|exact N'].
Qed.
Lemma clip_high_ok t g V : within V g -> forall r acc lo, natural r -> (0 <= acc)%Z ->
  dev g lo (rev r) + IZR acc * V <= dev g lo (rev (snd (clip_high t acc r))) + IZR (fst (clip_high t acc r)) * V /\
  natural (snd (clip_high t acc r)) /\ (0 <= fst (clip_high t acc r))%Z.
Proof.
  intros B. induction r as [|c r IH]; intros acc lo N A; cbn [clip_high].
  - cbn [fst snd rev dev]. repeat split; [lra|constructor|exact A].
  - inversion N as [|? ? C N']; subst. destruct (Z.leb_spec (acc + c) t) as [T|T]; [|cbn [fst snd]; repeat split;
      auto; lra].
    destruct (IH (acc + c)%Z lo N' ltac:(lia)) as (H & H'). split; [|exact H']. eapply Rle_trans; [|exact H].
    cbn [rev]. rewrite dev_app. cbn [dev]. rewrite plus_IZR. apply IZR_le in C.
    destruct (B (lo + Z.of_nat (length (rev r)))%Z). nra.
Qed.

(* ---- n draws from f over W ---- *)
Section Law.
Variables (f : poly) (W : Z) (W0 : (0 < W)%Z) (F0 : Forall (fun o => (0 <= snd o)%Z) f) (V : R) (V0 : 0 <= V).
Lemma W_pos : 0 < IZR W. Proof. now apply IZR_lt. Qed.
Fixpoint sums (n : nat) (g : Z -> R) : R :=
  match n with O => g 0%Z | S n => eval (fun v => sums n (fun s => g (v + s)%Z)) f / IZR W end.
Lemma eval_le g h (p : poly) : Forall (fun o => (0 <= snd o)%Z) p -> (forall k w, In (k, w) p -> g k <= h k) ->
  eval g p <= eval h p.
Proof.
  induction 1 as [|[k w] p P N IH]; intros H; cbn [eval]; [lra|]. cbn [snd] in P. apply IZR_le in P.
  apply Rplus_le_compat; [apply Rmult_le_compat_l; [exact P|apply (H k w); now left]|]. apply IH. intros. eapply H.
    right. eauto.
Qed.
Lemma div_W a b : a <= b -> a / IZR W <= b / IZR W.
Proof. intros. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, W_pos|assumption]. Qed.
Lemma sums_le n : forall g h, (forall k, g k <= h k) -> sums n g <= sums n h.
Proof. induction n as [|n IH]; intros g h H; cbn [sums]; [apply H|]. apply div_W, eval_le; [exact F0|]. intros.
  apply IH. auto. Qed.
Lemma sums_ext n : forall g h, (forall k, g k = h k) -> sums n g = sums n h.
Proof. intros. apply Rle_antisym; apply sums_le; intros; rewrite H; lra. Qed.
Lemma sums_two n x y : forall g h, sums n (fun k => x * g k + y * h k) = x * sums n g + y * sums n h.
Proof.
  induction n as [|n IH]; intros g h; cbn [sums]; [reflexivity|].
  rewrite (eval_ext _ (fun v => x * sums n (fun s => g (v + s)%Z) + y * sums n (fun s => h (v + s)%Z))) by (intros;
    apply IH).
  rewrite eval_plus, !eval_scale. unfold Rdiv. ring.
Qed.
Lemma sums_both j k : forall g, sums (j + k) g = sums j (fun s => sums k (fun t => g (s + t)%Z)).
Proof.
  induction j as [|j IH]; intros g; [reflexivity|]. cbn [Nat.add sums]. f_equal. apply eval_ext. intros v. rewrite IH.
  apply sums_ext. intros s. apply sums_ext. intros t. f_equal. lia.
Qed.
Lemma sums_dev n (g : Z -> Z -> R) l : forall lo, sums n (fun s => dev (g s) lo l) = dev (fun t => sums n (fun s => g
  s t)) lo l.
Proof.
  induction l as [|c l IH]; intros lo; cbn [dev].
  - rewrite (sums_ext n _ (fun k => 0 * 0 + 0 * 0)) by (intros; ring).
      rewrite (sums_two n 0 0 (fun _ => 0) (fun _ => 0)). ring.
  - rewrite <- IH. rewrite (sums_ext n _ (fun s => IZR c * g s lo + 1 * dev (g s) (lo + 1) l)) by (intros; ring).
    rewrite sums_two. ring.
Qed.

Definition natural_cover (c : cover) := natural (coefs c) /\ (0 <= missed c)%Z.
Definition covers (n : nat) (c : cover) := natural_cover c /\ forall g, grows g -> within V g ->
  sums n g * IZR W <= dev g (start c) (coefs c) + IZR (missed c) * V.

Lemma covers_clip t n c : covers n c -> covers n (clip t c).
Proof.
  intros [[N M] H]. unfold clip. rewrite !rev_append_rev, !app_nil_r.
  assert (R : natural (rev (coefs c))) by (apply Forall_rev; exact N).
  destruct (clip_high t 0 (rev (coefs c))) as [more r] eqn:E.
  assert (HH : forall g, within V g -> dev g (start c) (coefs c) <= dev g (start c) (rev r) + IZR more * V).
  { intros g B. pose proof (clip_high_ok t g V B (rev (coefs c)) 0 (start c) R (Z.le_refl 0)) as [X _].
    rewrite E, rev_involutive in X. cbn [fst snd] in X. lra. }
  assert (ZV : within V (fun _ => 0)) by (intros k; lra).
  pose proof (clip_high_ok t _ V ZV (rev (coefs c)) 0 (start c) R (Z.le_refl 0)) as (_ & NR & MP).
  rewrite E in NR, MP. cbn [fst snd] in NR, MP. rewrite rev_append_rev, app_nil_r.
  assert (R' : natural (rev r)) by (apply Forall_rev; exact NR).
  destruct (clip_low t 0 (start c) (rev r)) as [lo l] eqn:L. split.
  - split; cbn [coefs missed]; [|lia].
    pose proof (clip_low_ok t (fun _ => 0) ltac:(intros j k _; lra) ltac:(intros;
      lra) (rev r) 0 (start c) R' (Z.le_refl 0)) as [_ X].
    now rewrite L in X.
  - intros g G B. cbn [coefs missed start]. specialize (H g G B). specialize (HH g B).
    pose proof (clip_low_ok t g G ltac:(intros k; apply B) (rev r) 0 (start c) R' (Z.le_refl 0)) as [X _].
    rewrite L in X. cbn [fst snd] in X. rewrite plus_IZR. lra.
Qed.
Lemma dev_ceil g l : (forall k, 0 <= g k) -> forall lo, dev g lo l <= IZR W * dev g lo (map (fun c => ceil c W) l).
Proof.
  intros P. induction l as [|c l IH]; intros lo; cbn [map dev]; [lra|]. specialize (IH (lo + 1)%Z).
  pose proof (div_up c W W0). specialize (P lo). nra.
Qed.
Lemma ceil_nonneg a : (0 <= a)%Z -> (0 <= ceil a W)%Z.
Proof. intros A. apply le_IZR. pose proof (div_up a W W0) as H. apply IZR_le in A. pose proof W_pos. nra. Qed.
Lemma covers_mul h j k a b : (2 ^ bits_of h = W)%Z -> covers j a -> covers k b -> covers (j + k) (mul_cover h a b).
Proof.
  intros HW [[NA MA] HA] [[NB MB] HB]. unfold mul_cover, on_way. rewrite HW. apply covers_clip.
  pose proof (sum_of_nonneg _ NA) as SA. pose proof (sum_of_nonneg _ NB) as SB.
  destruct (dev_convolve (fun _ => 0) (coefs a) (coefs b) 0 0 NA NB) as [_ NF]. pose proof W_pos as WP.
  set (m := (sum_of (coefs b) * missed a + missed b * (sum_of (coefs a) + missed a))%Z).
  assert (M0 : (0 <= m)%Z) by (unfold m; nia).
  split; [split; cbn [coefs missed]|].
  - apply Forall_map. eapply Forall_impl; [|exact NF]. intros c C. now apply ceil_nonneg.
  - now apply ceil_nonneg.
  - intros g G B. cbn [coefs missed start].
    assert (GS : forall s, grows (fun t => g (s + t)%Z)) by (intros s x y L; apply G; lia).
    assert (GS' : forall s, grows (fun t => g (t + s)%Z)) by (intros s x y L; apply G; lia).
    assert (BS : forall s, within V (fun t => g (s + t)%Z)) by (intros s x; apply B).
    assert (BS' : forall s, within V (fun t => g (t + s)%Z)) by (intros s x; apply B).
    assert (TV : sums j (fun _ => V) * IZR W <= IZR (sum_of (coefs a)) * V + IZR (missed a) * V).
    { rewrite <- (dev_const V (coefs a) (start a)). apply HA; [intros x y _; lra|intros x; lra]. }
    assert (X : sums (j + k) g * IZR W * IZR W <= dev (fun t => sums j (fun s => g (s + t)%Z) * IZR W) (start b)
      (coefs b) +
      IZR (missed b) * (sums j (fun _ => V) * IZR W)).
    { rewrite sums_both.
      assert (Y : sums j (fun s => sums k (fun t => g (s + t)%Z)) * IZR W <=
        dev (fun t => sums j (fun s => g (s + t)%Z)) (start b) (coefs b) + IZR (missed b) * sums j (fun _ => V)).
      { rewrite <- sums_dev. rewrite <- (Rmult_1_l (sums j (fun s => dev _ _ _))), <- sums_two.
        rewrite (Rmult_comm _ (IZR W)), <- (Rplus_0_r (IZR W * _)), <- (Rmult_0_l (sums j (fun _ => 0))), <- sums_two.
        apply sums_le. intros s. specialize (HB _ (GS s) (BS s)). lra. }
      apply Rmult_le_compat_r with (r := IZR W) in Y; [|lra]. eapply Rle_trans; [exact Y|]. right.
      rewrite (dev_ext (fun t => sums j (fun s => g (s + t)%Z) * IZR W) (fun t => IZR W * sums j (fun s => g (s +
        t)%Z) +
        0 * 0)) by (intros; ring). rewrite (dev_two _ _ _ (fun _ => 0)). ring. }
    assert (Z : dev (fun t => sums j (fun s => g (s + t)%Z) * IZR W) (start b) (coefs b) <=
      dev (fun t => dev (fun s => g (s + t)%Z) (start a) (coefs a) + IZR (missed a) * V) (start b) (coefs b)).
    { apply dev_le; [exact NB|]. intros t. apply (HA (fun s => g (s + t)%Z)); auto. }
    rewrite (dev_ext (fun t => dev (fun s => g (s + t)%Z) (start a) (coefs a) + IZR (missed a) * V)
      (fun t => 1 * dev (fun s => g (s + t)%Z) (start a) (coefs a) + 1 * (IZR (missed a) * V))) in Z by (intros; ring).
    rewrite dev_two, dev_const in Z.
    destruct (dev_convolve g (coefs a) (coefs b) (start a) (start b) NA NB) as [DF _].
    assert (SW : dev (fun t => dev (fun s => g (s + t)%Z) (start a) (coefs a)) (start b) (coefs b) =
      dev (fun s => dev (fun t => g (s + t)%Z) (start b) (coefs b)) (start a) (coefs a)).
    { generalize (coefs a) (start a). clear. intros l. induction l as [|c l IH]; intros lo; cbn [dev].
      - rewrite dev_const. ring.
      - rewrite <- IH. rewrite <- (Rmult_1_l (dev (fun t => dev (fun s => g (s + t)%Z) (lo + 1) l) _ _)), <- dev_two.
        apply dev_ext. intros; ring. }
    rewrite SW, <- DF in Z.
    pose proof (dev_ceil g (Kron.convolve (coefs a) (coefs b)) ltac:(intros; apply B) (start a + start b)) as C1.
    pose proof (div_up m W W0) as C2. apply IZR_le in MB.
    apply Rmult_le_compat_l with (r := IZR (missed b)) in TV; [|exact MB].
    apply Rmult_le_compat_r with (r := V) in C2; [|exact V0].
    unfold m in C2 at 1. rewrite plus_IZR, !mult_IZR, plus_IZR in C2.
    apply Rmult_le_reg_r with (IZR W); [exact WP|]. lra.
Qed.
Lemma covers_power h base n : (2 ^ bits_of h = W)%Z -> covers 1 base -> covers (Pos.to_nat n) (power_cover h base n).
Proof.
  intros HW B. induction n as [n IH|n IH|]; cbn [power_cover].
  - replace (Pos.to_nat n~1) with (1 + (Pos.to_nat n + Pos.to_nat n))%nat by lia.
    rewrite square_cover_same. repeat apply covers_mul; assumption.
  - replace (Pos.to_nat n~0) with (Pos.to_nat n + Pos.to_nat n)%nat by lia.
    rewrite square_cover_same. apply covers_mul; assumption.
  - exact B.
Qed.

(* one draw *)
Definition lowest := fold_right (fun (o : Z * Z) m => Z.min (fst o) m) 0%Z f.
Definition highest := fold_right (fun (o : Z * Z) m => Z.max (fst o) m) 0%Z f.
Lemma ends k w : In (k, w) f -> (lowest <= k <= highest)%Z.
Proof.
  unfold lowest, highest. clear F0. induction f as [|[l v] p IH]; [intros []|]. cbn [fold_right fst].
  intros [[= -> ->]|I]; [lia|]. specialize (IH I). lia.
Qed.
Lemma ends_0 : (lowest <= 0 <= highest)%Z.
Proof. unfold lowest, highest. clear F0. induction f as [|[l v] p IH]; cbn [fold_right fst]; lia. Qed.
Lemma dev_run g (c : Z -> Z) m : forall lo, dev g lo (map c (run lo m)) = sum (fun k => IZR (c k) * g k) (run lo m).
Proof. induction m as [|m IH]; intros lo; cbn [run map dev]; [reflexivity|]. now rewrite sum_cons, IH. Qed.
Lemma weight_sum g r (p : poly) : NoDup r -> (forall k w, In (k, w) p -> In k r) ->
  sum (fun k => IZR (weight_at p k) * g k) r = eval g p.
Proof.
  intros D. induction p as [|[k w] p IH]; intros H.
  - cbn [eval]. rewrite (sum_ext _ (fun _ => 0)) by (intros; cbn; ring). apply sum_zero.
  - cbn [eval]. rewrite <- (IH (fun k w I => H k w (or_intror I))).
    rewrite (sum_ext _ (fun i => (if Z.eqb k i then IZR w * g i else 0) + IZR (weight_at p i) * g i)).
    + rewrite sum_plus. f_equal. specialize (H k w (or_introl eq_refl)). clear -D H.
      induction D as [|a r N D IH]; [destruct H|]. rewrite sum_cons. destruct H as [->|I].
      * rewrite Z.eqb_refl, (sum_ext _ (fun _ => 0)), sum_zero; [ring|]. intros b J.
          destruct (Z.eqb_spec k b) as [->|]; [contradiction|reflexivity].
      * rewrite (IH I). destruct (Z.eqb_spec k a) as [->|]; [contradiction|ring].
    + intros i _. unfold weight_at. cbn [fold_right fst snd]. destruct (Z.eqb_spec k i); rewrite ?plus_IZR; ring.
Qed.
Lemma weight_at_cons l v p k : weight_at ((l, v) :: p) k = (if l =? k then v + weight_at p k else weight_at p k)%Z.
Proof. reflexivity. Qed.
Lemma slow_natural r : natural (map (weight_at f) r).
Proof.
  apply Forall_map, Forall_forall. intros k _. clear -F0. induction F0 as [|[l v] p P N IH]; [reflexivity|].
  rewrite weight_at_cons. cbn [snd] in P. specialize (IH N). destruct (Z.eqb l k); lia.
Qed.
Lemma weights_ok lo m : (forall k w, In (k, w) f -> In k (run lo m)) ->
  natural (weights_from lo m f) /\ forall g, dev g lo (weights_from lo m f) = eval g f.
Proof.
  intros I. assert (SL : natural (map (weight_at f) (run lo m)) /\
    forall g, dev g lo (map (weight_at f) (run lo m)) = eval g f).
  { split; [apply slow_natural|]. intros g. rewrite dev_run, weight_sum; auto. apply run_nodup. }
  unfold weights_from. cbv zeta. destruct (Kron.dense 1 lo m (Check.normal f) []) as [l|] eqn:E; [|exact SL].
  destruct (Kron.natural l) eqn:N; [|exact SL]. split.
  - unfold Kron.natural in N. apply Forall_forall. rewrite forallb_forall in N. intros c J. now apply Z.leb_le, N.
  - intros g. apply Kron.dense_ok in E as (r & -> & E). cbn [rev app]. rewrite dev_along, E. apply Check.eval_normal.
Qed.
Lemma covers_base : covers 1 (base_cover f).
Proof.
  unfold base_cover. fold lowest highest.
  destruct (weights_ok lowest (Z.to_nat (highest - lowest + 1))) as [N D].
  { intros k w I. apply run_in. pose proof (ends k w I). lia. }
  split; [split; cbn [coefs missed]; [exact N|lia]|].
  intros g _ _. cbn [start coefs missed sums]. rewrite D.
  rewrite (eval_ext (fun v => g (v + 0)%Z) g) by (intros; f_equal; lia). right. field. pose proof W_pos. lra.
Qed.
(* beyond n * highest nothing is reached *)
Lemma sums_agree n : forall g h, (forall k, (k <= Z.of_nat n * highest)%Z -> g k = h k) -> sums n g = sums n h.
Proof.
  induction n as [|n IH]; intros g h H; cbn [sums]; [apply H; lia|]. f_equal.
  assert (E : forall x y, (forall k w, In (k, w) f -> x k = y k) -> eval x f = eval y f).
  { intros x y Q. apply Rle_antisym; apply eval_le; auto; intros k w I; rewrite (Q k w I); lra. }
  apply E. intros k w I. apply IH. intros s L. apply H. pose proof (ends k w I). lia.
Qed.
End Law.

(* ---- draws on the grid ---- *)
Definition rising (h : R -> R) := convex h /\ (forall x y, x <= y -> h x <= h y) /\ forall x, 0 <= h x.
Lemma rising_shift h v : rising h -> rising (fun s => h (v + s)).
Proof.
  intros (C & M & P). split; [now apply convex_shift|]. split; [|intros; apply P]. intros x y L. apply M. lra.
Qed.
Lemma rising_excess : rising (fun s => Rmax s 0).
Proof.
  split; [apply convex_excess|]. split; [|intros; apply Rmax_r]. intros x y L. apply Rle_max_compat_r. exact L.
Qed.
Lemma mean_of_rising L n h : weighs L -> rising h -> rising (fun v => mean_of_sum L n (fun s => h (v + s))).
Proof.
  intros WL (C & M & P). split; [now apply mean_of_convex|]. split.
  - intros x y Le. apply mean_of_le; [exact WL|]. intros s. apply M. lra.
  - intros v. assert (Z : mean_of_sum L n (fun s => 0 * s + 0 * s) = 0) by (rewrite mean_of_two; ring).
    eapply Rle_trans; [right; symmetry; exact Z|]. apply mean_of_le; [exact WL|]. intros s.
      rewrite !Rmult_0_l, Rplus_0_l. apply P.
Qed.
(* Of what draws are on a grid: so much of them in its places. *)
Section On.
Variables (h : way) (f : poly).
Let s := IZR (fst (grid_step h)) / IZR (snd (grid_step h)).
Let W := (2 ^ bits_of h)%Z.
Hypotheses (S1 : (0 < fst (grid_step h))%Z) (S2 : (0 < snd (grid_step h))%Z) (W0 : (0 < W)%Z)
  (F0 : Forall (fun o => (0 <= snd o)%Z) f).
Theorem excess_on_ok M n : weighs M -> (forall g, rising g -> draw M g <= eval (fun k => g (s * IZR k)) f / IZR W) ->
  mean_of_sum M (Pos.to_nat n) (fun x => Rmax x 0) <= IZR (fst (excess_on h f n)) / IZR (snd (excess_on h f n)).
Proof.
  intros WM H. apply IZR_lt in S1 as S1', S2 as S2', W0 as W'.
  assert (O : forall m g, rising g -> mean_of_sum M m g <= sums f W m (fun k => g (s * IZR k))).
  { induction m as [|m IH]; intros g G; cbn [mean_of_sum sums]; [rewrite Rmult_0_r; lra|].
    eapply Rle_trans; [apply (H (fun v => mean_of_sum M m (fun x => g (v + x)))), mean_of_rising; auto|].
    apply div_W; [exact W0|].
    apply eval_le; [apply F0|]. intros k w _. eapply Rle_trans; [apply IH; now apply rising_shift|].
    right. apply (sums_ext f W W0 F0). intros j. f_equal. rewrite plus_IZR. ring. }
  eapply Rle_trans; [apply (O _ _ rising_excess)|].
  set (m := Pos.to_nat n). set (most := (Z.pos n * highest f)%Z).
  assert (V0 : (0 <= most)%Z) by (pose proof (ends_0 f); unfold most; nia). apply IZR_le in V0 as V0'.
  set (g := fun k => Rmin (Rmax (IZR k) 0) (IZR most)).
  assert (E : sums f W m (fun k => Rmax (s * IZR k) 0) = s * sums f W m g).
  { rewrite (sums_agree f W F0 m _ (fun k => s * g k + 0 * 0)).
    - rewrite (sums_two f W m s 0 g (fun _ => 0)). ring.
    - intros k K. assert (K' : (k <= most)%Z) by (unfold most, m in *; lia). apply IZR_le in K'. unfold g.
      rewrite Rmin_left by (apply Rmax_lub; lra). assert (0 < s) by (apply Rdiv_lt_0_compat; lra).
      unfold Rmax. destruct (Rle_dec _ _), (Rle_dec _ _); try nra. }
  rewrite E. unfold excess_on. change (fold_right (fun o m => Z.max (fst o) m) 0%Z f) with (highest f). fold most.
  destruct (Z.eqb_spec most 0) as [M0|_].
  { assert (G0 : sums f W m g = 0).
    { rewrite (sums_ext f W W0 F0 m g (fun k => 0 * g k + 0 * g k)); [rewrite (sums_two f W m 0 0 g g); ring|].
      intros k. unfold g. rewrite M0, Rmin_right by apply Rmax_r. ring. }
    rewrite G0. cbn [fst]. unfold Rdiv. lra. }
  pose proof (covers_power f W W0 F0 (IZR most) V0' h (base_cover f) n eq_refl
    (covers_base f W W0 F0 (IZR most))) as [[NC MC] CV].
  specialize (CV g). unfold excess_up_to. cbn [fst snd]. set (c := power_cover h (base_cover f) n) in *.
  assert (G1 : grows g).
  { intros j k K. apply IZR_le in K. unfold g. apply Rle_min_compat_r, Rle_max_compat_r, K. }
  assert (G2 : within (IZR most) g).
  { intros k. unfold g. split; [apply Rmin_glb; [apply Rmax_r|exact V0']|apply Rmin_r]. }
  specialize (CV G1 G2). fold m in CV.
  assert (A : forall l lo, natural l -> dev g lo l <= IZR (above_0 lo l)).
  { induction l as [|x l IH]; intros lo N; cbn [dev above_0]; [lra|]. inversion N; subst. rewrite plus_IZR, mult_IZR.
    apply IZR_le in H2. specialize (IH (lo + 1)%Z H3). assert (g lo <= IZR (Z.max lo 0)); [|nra].
    unfold g. eapply Rle_trans; [apply Rmin_l|]. apply Rmax_lub; apply IZR_le; lia. }
  specialize (A (coefs c) (start c) NC). rewrite !mult_IZR, plus_IZR, mult_IZR. fold W.
  assert (X : sums f W m g * IZR W <= IZR (above_0 (start c) (coefs c)) + IZR (missed c) * IZR most) by lra.
  unfold s. apply Rmult_le_reg_r with (IZR (snd (grid_step h)) * IZR W); [nra|].
  replace (IZR (fst (grid_step h)) / IZR (snd (grid_step h)) * sums f W m g * (IZR (snd (grid_step h)) * IZR W)) with
    (IZR (fst (grid_step h)) * (sums f W m g * IZR W)) by (field; lra).
  replace (IZR (fst (grid_step h)) * (IZR (above_0 (start c) (coefs c)) + IZR (missed c) * IZR most) / (IZR (snd
    (grid_step h))
    * IZR W) *
    (IZR (snd (grid_step h)) * IZR W)) with (IZR (fst (grid_step h)) * (IZR (above_0 (start c) (coefs c)) + IZR
      (missed c) * IZR
      most)) by (field; lra).
  apply Rmult_le_compat_l; [lra|exact X].
Qed.
End On.
Definition value_of (o : (Z * Z) * (Z * Z)) : R * R :=
  (IZR (fst (fst o)) / IZR (snd (fst o)), IZR (fst (snd o)) / IZR (snd (snd o))).
Section Way.
Variables (h : way) (L : list ((Z * Z) * (Z * Z))) (ST : way_stands h L = true).
Let s := IZR (fst (grid_step h)) / IZR (snd (grid_step h)).
Let W := (2 ^ bits_of h)%Z.
Let f := flat_map (on_grid h) L.
Lemma way_parts : (0 < fst (grid_step h))%Z /\ (0 < snd (grid_step h))%Z /\ (0 < W)%Z /\ forall o, In o L ->
  proper_draw o = true.
Proof.
  pose proof ST as H. unfold way_stands in H. do 3 (apply andb_prop in H as [H ?]). apply Z.ltb_lt in H, H2.
    apply Z.leb_le in H1.
  rewrite forallb_forall in H0. repeat split; auto. unfold W. apply Z.pow_pos_nonneg; lia.
Qed.
Lemma one_on_grid o g : rising g -> proper_draw o = true ->
  snd (value_of o) * g (fst (value_of o)) * IZR W <= eval (fun k => g (s * IZR k)) (on_grid h o) /\
  Forall (fun o => (0 <= snd o)%Z) (on_grid h o).
Proof.
  destruct way_parts as (S1 & S2 & W0 & _). intros (C & M & P) D. destruct o as [[v v'] [p p']].
  unfold proper_draw in D. cbn [fst snd] in D. do 2 (apply andb_prop in D as [D ?]). apply Z.ltb_lt in D, H.
    apply Z.leb_le in H0.
  unfold on_grid, value_of. cbn [fst snd]. subst s W. destruct (grid_step h) as [s1 s2]. cbn [fst snd] in *.
    set (W := (2 ^ bits_of h)%Z) in *.
  set (below := (v' * s1)%Z). assert (B0 : (0 < below)%Z) by (unfold below; nia).
  set (k := (v * s2 / below)%Z). set (rest := ((v * s2) mod below)%Z).
  pose proof (Z.div_mod (v * s2) below ltac:(lia)) as DM. fold k rest in DM.
  pose proof (Z.mod_pos_bound (v * s2) below B0) as RB. fold rest in RB.
  assert (PB : (0 < p' * below)%Z) by nia.
  pose proof (div_up (W * p * (below - rest)) _ PB) as U1. pose proof (div_up (W * p * rest) _ PB) as U2.
  set (c1 := ceil (W * p * (below - rest)) (p' * below)) in *. set (c2 := ceil (W * p * rest) (p' * below)) in *.
  apply IZR_lt in B0 as B, D as D', H as H', S1 as S1', S2 as S2', W0 as W'. apply IZR_le in H0 as P'.
  apply (f_equal IZR) in DM. rewrite plus_IZR, !mult_IZR in DM. unfold below in DM at 1. rewrite mult_IZR in DM.
  assert (BE : IZR below = IZR v' * IZR s1) by (unfold below; apply mult_IZR).
  assert (R0 : 0 <= IZR rest) by (apply IZR_le; lia). assert (R1 : 0 <= IZR (below - rest)) by (apply IZR_le; lia).
  assert (N : forall a, (0 <= a)%Z -> (0 <= ceil a (p' * below))%Z).
  { intros a A. apply le_IZR. pose proof (div_up a _ PB) as X. apply IZR_le in A. apply IZR_lt in PB. nra. }
  split.
  - assert (EV : forall x, eval x ((k, c1) :: if (rest =? 0)%Z then [] else [(k + 1, c2)%Z]) = IZR c1 * x k + IZR c2 * x (k + 1)%Z).
    { intros x. destruct (Z.eqb_spec rest 0) as [E|E]; cbn [eval]; [|ring]. replace c2 with 0%Z; [ring|]. unfold c2.
      rewrite E, Z.mul_0_r. reflexivity. }
    rewrite EV. pose proof (convex_chord g (IZR (below - rest)) (IZR rest) (IZR s1 / IZR s2 * IZR k)
      (IZR s1 / IZR s2 * IZR (k + 1)) (IZR v / IZR v') C R1 R0) as CH.
    rewrite minus_IZR, plus_IZR in *. replace (IZR below - IZR rest + IZR rest) with (IZR below) in CH by ring.
    assert (Q : (IZR below - IZR rest) * (IZR s1 / IZR s2 * IZR k) + IZR rest * (IZR s1 / IZR s2 * (IZR k + 1)) =
      IZR below * (IZR v / IZR v')).
    { replace ((IZR below - IZR rest) * (IZR s1 / IZR s2 * IZR k) + IZR rest * (IZR s1 / IZR s2 * (IZR k + 1))) with
        (IZR s1 / IZR s2 * (IZR below * IZR k + IZR rest)) by (field; lra).
      replace (IZR below * IZR k + IZR rest) with (IZR v * IZR s2) by (rewrite DM, BE; ring). rewrite BE. field. lra. }
    specialize (CH Q). set (g1 := g (IZR s1 / IZR s2 * IZR k)) in *. set (g2 := g (IZR s1 / IZR s2 * (IZR k + 1))) in *.
    assert (G1 : 0 <= g1) by apply P. assert (G2 : 0 <= g2) by apply P. rewrite !mult_IZR in U1, U2.
      rewrite minus_IZR in U1.
    apply Rmult_le_reg_r with (IZR p' * IZR below); [nra|].
    replace (IZR p / IZR p' * g (IZR v / IZR v') * IZR W * (IZR p' * IZR below)) with
      (IZR W * IZR p * (IZR below * g (IZR v / IZR v'))) by (field; lra).
    apply Rle_trans with (IZR W * IZR p * ((IZR below - IZR rest) * g1 + IZR rest * g2)).
    + apply Rmult_le_compat_l; [nra|exact CH].
    + apply Rmult_le_compat_r with (r := g1) in U1; [|exact G1]. apply Rmult_le_compat_r with (r := g2) in U2;
        [|exact G2]. lra.
  - constructor; [|destruct (Z.eqb_spec rest 0); repeat constructor]; cbn [snd]; apply N; nia.
Qed.
Lemma grid_natural : Forall (fun o => (0 <= snd o)%Z) f.
Proof.
  destruct way_parts as (_ & _ & _ & D). apply Forall_flat_map, Forall_forall. intros o I.
  apply (one_on_grid o (fun s => Rmax s 0) rising_excess (D o I)).
Qed.
Lemma draw_on_grid g : rising g -> draw (map value_of L) g <= eval (fun k => g (s * IZR k)) f / IZR W.
Proof.
  intros G. destruct way_parts as (_ & _ & W0 & D). apply IZR_lt in W0. apply Rmult_le_reg_r with (IZR W); [exact W0|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. unfold f, draw.
  enough (A : forall l, (forall o, In o l -> In o L) -> sum (fun o => snd o * g (fst o)) (map value_of l) * IZR W <=
    eval (fun k => g (s * IZR k)) (flat_map (on_grid h) l)) by (apply A; auto).
  assert (EA : forall x p q, eval x (p ++ q) = eval x p + eval x q) by (intros x p q;
    induction p as [|[a b] p IHp]; cbn [app eval]; [ring|rewrite IHp; ring]).
  induction l as [|o l IH]; intros I; [cbn; lra|]. cbn [map flat_map]. rewrite sum_cons, EA.
  specialize (IH (fun o J => I o (or_intror J))).
  destruct (one_on_grid o g G (D o (I o (or_introl eq_refl)))) as [H _]. lra.
Qed.
Theorem excess_end_ok M n : weighs M -> (forall g, rising g -> draw M g <= draw (map value_of L) g) ->
  mean_of_sum M (Pos.to_nat n) (fun x => Rmax x 0) <= IZR (fst (excess_end h L n)) / IZR (snd (excess_end h L n)).
Proof.
  intros WM H. destruct way_parts as (S1 & S2 & W0 & _). apply (excess_on_ok h f S1 S2 W0 grid_natural M n WM).
  intros g G. eapply Rle_trans; [exact (H g G)|now apply draw_on_grid].
Qed.
End Way.
