(* The blanket lemma, and the bound for all eps0-private randomizers with finitely many outputs. *)
From Coq Require Import Reals QArith Qreals List Lra Lia Psatz Permutation.
From Shufflecert Require Import Spec SpecCount SpecBlanket Sums.
Import ListNotations.
Local Open Scope R_scope.

Section Draws.
Context {Y : Type} (ys : list Y).

(* users with laws ws, which need not be of mass 1 nor above 0: the mean of h *)
Fixpoint over (ws : list (Y -> R)) (h : list Y -> R) : R :=
  match ws with [] => h [] | w :: ws => sum (fun y => w y * over ws (fun t => h (y :: t))) ys end.
Definition blind_to_order (g : list Y -> R) := forall s t, Permutation s t -> g s = g t.
Definition positive (w : Y -> R) := forall y, 0 <= w y.

Lemma sum_swap {A B} (h : A -> B -> R) k l : sum (fun a => sum (h a) l) k = sum (fun b => sum (fun a => h a b) k) l.
Proof.
  induction k as [|a k IH].
  - induction l as [|b l IH]; [reflexivity|]. rewrite sum_cons, <- IH. cbn. ring.
  - rewrite sum_cons, IH, <- sum_plus. reflexivity.
Qed.
Lemma over_ext ws : forall g h, (forall t, g t = h t) -> over ws g = over ws h.
Proof.
  induction ws as [|w ws IH]; intros g h H; cbn [over]; [apply H|]. apply sum_ext. intros y _. f_equal. apply IH.
  intros. apply H.
Qed.
Lemma over_le ws : Forall positive ws -> forall g h, (forall t, length t = length ws -> g t <= h t) ->
  over ws g <= over ws h.
Proof.
  induction 1 as [|w ws W _ IH]; intros g h H; cbn [over]; [now apply H|]. apply sum_le. intros y _.
  apply Rmult_le_compat_l; [apply W|]. apply IH. intros t L. apply H. cbn. now rewrite L.
Qed.
Lemma over_plus ws : forall g h, over ws (fun t => g t + h t) = over ws g + over ws h.
Proof.
  induction ws as [|w ws IH]; intros g h; cbn [over]; [reflexivity|]. rewrite <- sum_plus. apply sum_ext.
  intros y _. rewrite IH. ring.
Qed.
Lemma over_scale ws : forall k h, over ws (fun t => k * h t) = k * over ws h.
Proof.
  induction ws as [|w ws IH]; intros k h; cbn [over]; [reflexivity|]. rewrite <- sum_scale. apply sum_ext.
  intros y _. rewrite IH. ring.
Qed.
Lemma over_one ws : over ws (fun _ => 1) = fold_right (fun w m => sum w ys * m) 1 ws.
Proof.
  induction ws as [|w ws IH]; [reflexivity|]. cbn [over fold_right]. rewrite IH, Rmult_comm, <- sum_scale.
  apply sum_ext. intros. ring.
Qed.
(* who draws when does not matter to a test that is blind to the order *)
Lemma over_middle l w r : forall g, blind_to_order g ->
  over (l ++ w :: r) g = over (w :: l ++ r) g.
Proof.
  induction l as [|a l IH]; intros g G; [reflexivity|]. cbn [app over].
  transitivity (sum (fun x => sum (fun y => w y * (a x * over (l ++ r) (fun t => g (y :: x :: t)))) ys) ys).
  - apply sum_ext. intros x _. rewrite IH by (intros s t P; apply G; now constructor). cbn [over].
    rewrite <- sum_scale. apply sum_ext. intros y _. rewrite (over_ext _ (fun t => g (x :: y :: t)) (fun t => g (y ::
      x :: t)))
      by (intros; apply G; constructor). ring.
  - rewrite sum_swap. apply sum_ext. intros y _. rewrite sum_scale. reflexivity.
Qed.
Lemma over_add l v w r : forall g, over (l ++ (fun y => v y + w y) :: r) g = over (l ++ v :: r) g + over (l ++ w :: r)
  g.
Proof.
  induction l as [|a l IH]; intros g; cbn [app over]; rewrite <- sum_plus; apply sum_ext; intros y _;
    [ring|rewrite IH; ring].
Qed.

(* ---- a blanket c below the others' laws ---- *)
Variables (c : Y -> R) (C0 : positive c) (f l d : Y -> R) (D0 : positive d) (F : forall y, In y ys ->
  f y - c y * l y <= d y).
Let G := sum c ys.
Let D := sum d ys.
Definition all_draw k (h : list Y -> R) := over (repeat c k) h.
Definition worth k := all_draw k (fun t => Rmax (sum l t) 0).

Lemma positives k : Forall positive (repeat c k).
Proof. apply Forall_forall. intros w H. now rewrite (repeat_spec _ _ _ H). Qed.
Lemma draws_one k : all_draw k (fun _ => 1) = G ^ k.
Proof. unfold all_draw. rewrite over_one. induction k as [|k IH]; [reflexivity|]. cbn [repeat fold_right pow].
  now rewrite IH. Qed.
(* all places are alike *)
Lemma alike k : forall g, blind_to_order g ->
  all_draw (S k) (fun t => sum l t * g t) = INR (S k) * sum (fun y => c y * (l y * all_draw k (fun t => g (y :: t))))
    ys.
Proof.
  induction k as [|k IH]; intros g B.
  - unfold all_draw. cbn. rewrite Rmult_1_l. apply sum_ext. intros. unfold sum. cbn. ring.
  - rewrite S_INR. transitivity (sum (fun y => c y * (l y * all_draw (S k) (fun t => g (y :: t)) +
      all_draw (S k) (fun t => sum l t * g (y :: t)))) ys).
    + unfold all_draw at 1. change (repeat c (S (S k))) with (c :: repeat c (S k)). cbn [over]. apply sum_ext.
      intros y _. f_equal. unfold all_draw. rewrite <- over_scale, <- over_plus. apply over_ext. intros t.
      rewrite sum_cons. ring.
    + transitivity (sum (fun y => c y * (l y * all_draw (S k) (fun t => g (y :: t)))) ys +
        INR (S k) * sum (fun y => sum (fun x => c y * (c x * (l x * all_draw k (fun t => g (y :: x :: t))))) ys) ys).
      * rewrite <- sum_scale, <- sum_plus. apply sum_ext. intros y _.
        rewrite IH by (intros s t P; apply B; now constructor). rewrite sum_scale. ring.
      * rewrite sum_swap, <- !sum_scale, <- sum_plus. apply sum_ext. intros x _.
        replace (sum (fun y => c y * (c x * (l x * all_draw k (fun t => g (y :: x :: t))))) ys) with
          (c x * (l x * all_draw (S k) (fun t => g (x :: t)))); [ring|].
        unfold all_draw. cbn [repeat over]. rewrite <- !sum_scale. apply sum_ext. intros y _.
        rewrite (over_ext _ (fun t => g (x :: y :: t)) (fun t => g (y :: x :: t))) by (intros; apply B; constructor).
          ring.
Qed.
Lemma one_and_blanket k g : blind_to_order g -> (forall t, 0 <= g t <= 1) ->
  over (f :: repeat c k) g <= D * G ^ k + worth (S k) / INR (S k).
Proof.
  intros B T. cbn [over].
  assert (N : 0 < INR (S k)) by (apply lt_0_INR; lia).
  set (h := fun y => over (repeat c k) (fun t => g (y :: t))).
  assert (H : forall y, 0 <= h y <= G ^ k).
  { intros y. rewrite <- draws_one. split.
    - rewrite <- (Rmult_0_l (over (repeat c k) (fun _ => 1))), <- over_scale. apply over_le; [apply positives|].
      intros t _. rewrite Rmult_0_l. apply T.
    - apply over_le; [apply positives|]. intros t _. apply T. }
  apply Rle_trans with (sum (fun y => d y * G ^ k + c y * (l y * h y)) ys).
  - apply sum_le. intros y I. specialize (H y). specialize (F y I). specialize (D0 y).
    fold (h y). assert ((f y - c y * l y) * h y <= d y * h y) by (apply Rmult_le_compat_r; lra).
    assert (d y * h y <= d y * G ^ k) by (apply Rmult_le_compat_l; lra). lra.
  - rewrite sum_plus. apply Rplus_le_compat.
    + right. rewrite Rmult_comm. unfold D. rewrite <- sum_scale. apply sum_ext. intros. ring.
    + apply Rmult_le_reg_l with (INR (S k)); [exact N|]. eapply Rle_trans; [right; symmetry; exact (alike k g B)|].
      replace (INR (S k) * (worth (S k) / INR (S k))) with (worth (S k)) by (field; lra).
      apply over_le; [apply positives|]. intros t _. specialize (T t). pose proof (Rmax_l (sum l t) 0).
      pose proof (Rmax_r (sum l t) 0). nra.
Qed.

(* h of how many of n users draw from the blanket: each with its mass, G, which `h` counts *)
Fixpoint bin n (h : nat -> R) : R := match n with O => h O | S n => (1 - G) * bin n h + bin n (fun j => h (S j)) end.
Lemma bin_ext n : forall g h, (forall j, g j = h j) -> bin n g = bin n h.
Proof. induction n as [|n IH]; intros g h H; cbn [bin]; [apply H|]. rewrite (IH g h H). f_equal. apply IH. auto. Qed.
Lemma bin_plus n : forall g h, bin n (fun j => g j + h j) = bin n g + bin n h.
Proof. induction n as [|n IH]; intros g h; cbn [bin]; [reflexivity|]. rewrite !IH. ring. Qed.
Lemma bin_scale n : forall k h, bin n (fun j => k * h j) = k * bin n h.
Proof. induction n as [|n IH]; intros k h; cbn [bin]; [reflexivity|]. rewrite !IH. ring. Qed.
Lemma bin_powers n : forall k, bin n (fun j => k * G ^ j) = k.
Proof.
  induction n as [|n IH]; intros k; cbn [bin]; [cbn; ring|].
  rewrite IH, (bin_ext _ _ (fun j => k * G * G ^ j)) by (intros; cbn; ring). rewrite IH. ring.
Qed.
Lemma bin_sum {A} n (w : A -> R) (xs : list A) : forall H : A -> nat -> R,
  bin n (fun j => sum (fun x => w x * H x j) xs) = sum (fun x => w x * bin n (H x)) xs.
Proof.
  induction n as [|n IH]; intros H; cbn [bin]; [reflexivity|]. rewrite !IH, <- sum_scale, <- sum_plus.
  apply sum_ext. intros. ring.
Qed.
(* C(n - 1, k) / (k + 1) = C(n, k + 1) / n *)
Lemma bin_absorbs n : forall h, INR (S n) * bin n (fun j => h (S j)) = bin (S n) (fun j => INR j * h j).
Proof.
  induction n as [|n IH]; intros h; [cbn; ring|].
  change (bin (S (S n)) (fun j => INR j * h j)) with
    ((1 - G) * bin (S n) (fun j => INR j * h j) + bin (S n) (fun j => INR (S j) * h (S j))).
  rewrite <- IH, (bin_ext (S n) (fun j => INR (S j) * h (S j)) (fun j => INR j * h (S j) + h (S j))) by (intros;
    rewrite S_INR; ring).
  rewrite bin_plus, <- (IH (fun j => h (S j))). rewrite (S_INR (S n)). cbn [bin]. ring.
Qed.
Lemma others_draw (H1 : G <= 1) ws : Forall (fun w => sum w ys = 1 /\ forall y, In y ys -> c y <= w y) ws -> forall k g,
  blind_to_order g -> (forall t, 0 <= g t <= 1) ->
  over (f :: repeat c k ++ ws) g <= bin (length ws) (fun j => D * G ^ (k + j) + worth (S (k + j)) / INR (S (k + j))).
Proof.
  induction 1 as [|w ws [W1 W] _ IH]; intros k g B T.
  - rewrite app_nil_r. cbn [length bin]. rewrite Nat.add_0_r. now apply one_and_blanket.
  - cbn [length bin]. set (r := fun y => w y - c y).
    assert (E : over (f :: repeat c k ++ w :: ws) g = over (f :: repeat c k ++ r :: ws) g + over (f :: repeat c (S k)
      ++ ws) g).
    { replace (over (f :: repeat c k ++ w :: ws) g) with (over (f :: repeat c k ++ (fun y => r y + c y) :: ws) g).
      - etransitivity; [exact (over_add (f :: repeat c k) r c ws g)|]. f_equal.
        etransitivity; [exact (over_middle (f :: repeat c k) c ws g B)|]. symmetry.
        exact (over_middle [f] c (repeat c k ++ ws) g B).
      - rewrite !app_comm_cons, !over_middle by exact B. cbn [over]. apply sum_ext. intros y _. unfold r. ring. }
    rewrite E. apply Rplus_le_compat.
    + rewrite app_comm_cons, over_middle by exact B. cbn [app]. set (rest := f :: repeat c k ++ ws).
      change (over (r :: rest) g) with (sum (fun y => r y * over rest (fun t => g (y :: t))) ys).
      apply Rle_trans with (sum (fun y => r y * bin (length ws) (fun j => D * G ^ (k + j) + worth (S (k + j)) / INR (S
        (k + j)))) ys).
      * apply sum_le. intros y I. apply Rmult_le_compat_l; [unfold r; specialize (W y I); lra|]. apply IH; [|auto].
        intros s t P. apply B. now constructor.
      * right. rewrite (sum_ext _ (fun y => bin (length ws) (fun j => D * G ^ (k + j) + worth (S (k + j)) / INR (S (k
          + j))) *
          (w y + -1 * c y))) by (intros; unfold r; ring).
        rewrite sum_scale, sum_plus, sum_scale, W1. fold G. ring.
    + eapply Rle_trans; [apply IH; auto|]. right. apply bin_ext. intros j.
        replace (S k + j)%nat with (k + S j)%nat by lia.
      reflexivity.
Qed.
Lemma draws_of_bin n : forall h, mean_of_sum ((0, 1 - G) :: map (fun y => (l y, c y)) ys) n h =
  bin n (fun j => all_draw j (fun t => h (sum l t))).
Proof.
  induction n as [|n IH]; intros h; [reflexivity|]. cbn [mean_of_sum bin]. unfold draw. rewrite sum_cons. cbn [fst snd].
  rewrite IH. f_equal.
  - f_equal. apply bin_ext. intros j. apply over_ext. intros t. f_equal. ring.
  - rewrite (bin_ext n _ (fun j => sum (fun y => c y * all_draw j (fun t => h (l y + sum l t))) ys)) by reflexivity.
    rewrite bin_sum, sum_map. apply sum_ext. intros y _. cbn [fst snd]. now rewrite IH.
Qed.
Theorem blanket_of ws g : G <= 1 -> Forall (fun w => sum w ys = 1 /\ forall y, In y ys -> c y <= w y) ws ->
  blind_to_order g ->
  (forall t, 0 <= g t <= 1) ->
  over (f :: ws) g <= D + mean_excess (S (length ws)) ((0, 1 - G) :: map (fun y => (l y, c y)) ys).
Proof.
  intros H1 W B T. eapply Rle_trans; [exact (others_draw H1 ws W 0 g B T)|]. rewrite bin_plus. cbn [Nat.add].
  rewrite bin_powers. apply Rplus_le_compat_l. right. unfold mean_excess. rewrite draws_of_bin.
  set (n := length ws). assert (N : INR (S n) <> 0) by (apply not_0_INR; lia).
  apply Rmult_eq_reg_l with (INR (S n)); [|exact N]. unfold Rdiv. rewrite <- Rmult_assoc, Rinv_r_simpl_m by exact N.
  rewrite (bin_absorbs n (fun j => worth j * / INR j)). apply bin_ext. intros [|j].
  - unfold all_draw. cbn. rewrite Rmax_left by lra. ring.
  - fold (worth (S j)). field. apply not_0_INR. lia.
Qed.
End Draws.
