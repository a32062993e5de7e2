(* Sums of nonnegative numbers over countably many outcomes, and over runs of integers. *)
From Coq Require Import Reals ZArith List Lra Lia Psatz Classical_Prop.
From Shufflecert Require Import Spec SpecCount.
Import ListNotations.
Local Open Scope R_scope.

Section Any.
Context {A : Type} (same : forall a b : A, {a = b} + {a <> b}).
Lemma sum_nonneg (f : A -> R) l : (forall a, 0 <= f a) -> 0 <= sum f l.
Proof. intros H. induction l as [|a l IH]; cbn; [lra|]. specialize (H a). unfold sum in IH. lra. Qed.
Lemma sum_cons (f : A -> R) a l : sum f (a :: l) = f a + sum f l.
Proof. reflexivity. Qed.
Lemma sum_const c (l : list A) : sum (fun _ => c) l = INR (length l) * c.
Proof. induction l as [|a l IH]; [cbn; ring|]. rewrite sum_cons, IH. cbn [length]. rewrite S_INR. ring. Qed.
Lemma sum_app (f : A -> R) l m : sum f (l ++ m) = sum f l + sum f m.
Proof. induction l as [|a l IH]; cbn [app]; rewrite ?sum_cons; [cbn; ring|]. rewrite IH. ring. Qed.
Lemma sum_le (f g : A -> R) l : (forall a, In a l -> f a <= g a) -> sum f l <= sum g l.
Proof.
  induction l as [|a l IH]; intros H; [cbn; lra|]. rewrite !sum_cons. apply Rplus_le_compat; [apply H; now left|].
  apply IH. intros. apply H. now right.
Qed.
Lemma sum_ext (f g : A -> R) l : (forall a, In a l -> f a = g a) -> sum f l = sum g l.
Proof. intros H. apply Rle_antisym; apply sum_le; intros a I; rewrite H; auto; lra. Qed.
Lemma sum_plus (f g : A -> R) l : sum (fun a => f a + g a) l = sum f l + sum g l.
Proof. induction l as [|a l IH]; rewrite ?sum_cons; [cbn; ring|]. rewrite IH. ring. Qed.
Lemma sum_scale c (f : A -> R) l : sum (fun a => c * f a) l = c * sum f l.
Proof. induction l as [|a l IH]; rewrite ?sum_cons; [cbn; ring|]. rewrite IH. ring. Qed.
Lemma sum_split (f : A -> R) a l : In a l -> exists l1 l2, l = l1 ++ a :: l2 /\ sum f l = f a + sum f (l1 ++ l2).
Proof.
  intros I. apply in_split in I as (l1 & l2 & ->). exists l1, l2. split; [reflexivity|].
  rewrite !sum_app, sum_cons. ring.
Qed.
Lemma sum_incl (f : A -> R) l : (forall a, 0 <= f a) -> NoDup l -> forall m, incl l m -> sum f l <= sum f m.
Proof.
  intros H D. induction D as [|a l N D IH]; intros m I; [now apply sum_nonneg|].
  destruct (sum_split f a m) as (m1 & m2 & -> & ->); [apply I; now left|]. rewrite sum_cons.
  apply Rplus_le_compat_l, IH. intros b B. assert (In b (m1 ++ a :: m2)) by (apply I; now right).
  rewrite in_app_iff in *. cbn [In] in *. destruct H0 as [|[->|]]; auto. contradiction.
Qed.

(* totals *)
Lemma total_above (f : A -> R) t l : total f t -> NoDup l -> sum f l <= t.
Proof. intros [U _] D. apply U. now exists l. Qed.
Lemma total_least (f : A -> R) t c : total f t -> (forall l, NoDup l -> sum f l <= c) -> t <= c.
Proof. intros [_ L] H. apply L. intros y (l & D & ->). now apply H. Qed.
Lemma total_exists (f : A -> R) c : (forall l, NoDup l -> sum f l <= c) -> exists t, total f t.
Proof.
  intros H. destruct (completeness (fun y => exists l, NoDup l /\ y = sum f l)) as [t T]; [| |now exists t].
  - exists c. intros y (l & D & ->). now apply H.
  - exists 0, []. split; [constructor|reflexivity].
Qed.
Lemma total_unique (f : A -> R) t u : total f t -> total f u -> t = u.
Proof. apply is_lub_u. Qed.
Lemma total_ext (f g : A -> R) t : (forall a, f a = g a) -> total f t -> total g t.
Proof.
  intros H [U L]. split.
  - intros y (l & D & ->). apply U. exists l. split; [auto|]. apply sum_ext. auto.
  - intros b B. apply L. intros y (l & D & ->). apply B. exists l. split; [auto|]. apply sum_ext. auto.
Qed.
Lemma total_near (f : A -> R) t e : total f t -> 0 < e -> exists l, NoDup l /\ t - e < sum f l.
Proof.
  intros T He. apply NNPP. intros X. assert (t <= t - e); [|lra]. apply (total_least f); auto. intros l D.
  destruct (Rle_lt_dec (sum f l) (t - e)) as [L|L]; [exact L|]. exfalso. apply X. exists l. auto.
Qed.

(* Two families of nonnegative numbers, and the best event. *)
Variables (P Q : A -> R).
Definition of_event (E : A -> bool) (f : A -> R) a := if E a then f a else 0.
Definition excess z a := Rmax (P a - z * Q a) 0.
Lemma sum_union (l m : list A) : NoDup l -> NoDup m -> exists u, NoDup u /\ incl l u /\ incl m u.
Proof.
  intros. exists (nodup same (l ++ m)). split; [apply NoDup_nodup|].
  split; intros a I; apply nodup_In, in_or_app; auto.
Qed.
Theorem at_most_of_sums z d E a b : 0 <= z -> (forall k, 0 <= Q k) ->
  (forall l, NoDup l -> sum (excess z) l <= d) ->
  total (of_event E P) a -> total (of_event E Q) b -> a - z * b <= d.
Proof.
  intros Hz HQ H TA TB. apply le_epsilon. intros e He. destruct (total_near _ _ e TA He) as (l & D & L).
  pose proof (total_above _ _ l TB D) as B. specialize (H l D).
  assert (X : sum (of_event E P) l - z * sum (of_event E Q) l <= sum (excess z) l).
  { clear. induction l as [|k l IH]; [cbn; lra|]. rewrite !sum_cons. unfold of_event at 1 3, excess at 1.
    pose proof (Rmax_l (P k - z * Q k) 0). pose proof (Rmax_r (P k - z * Q k) 0). destruct (E k); lra. }
  nra.
Qed.
Definition best z a : bool := if Rle_dec (z * Q a) (P a) then true else false.
Theorem reached_by_sums z l : 0 < z -> (forall k, 0 <= P k) -> (forall k, 0 <= Q k) -> NoDup l ->
  (exists c, forall m, NoDup m -> sum P m <= c) -> (exists c, forall m, NoDup m -> sum Q m <= c) ->
  exists a b, total (of_event (best z) P) a /\ total (of_event (best z) Q) b /\ sum (excess z) l <= a - z * b.
Proof.
  intros Hz HP HQ D [c C] [c' C'].
  assert (In_le : forall f m, (forall k, 0 <= f k) -> sum (of_event (best z) f) m <= sum f m).
  { intros f m Hf. apply sum_le. intros k _. unfold of_event. specialize (Hf k). destruct (best z k); lra. }
  destruct (total_exists (of_event (best z) P) c) as [a TA]; [intros m M; specialize (C m M);
    eapply Rle_trans; [now apply In_le|exact C]|].
  destruct (total_exists (of_event (best z) Q) c') as [b TB]; [intros m M; specialize (C' m M);
    eapply Rle_trans; [now apply In_le|exact C']|].
  exists a, b. split; [exact TA|split; [exact TB|]].
  apply le_epsilon. intros e He. destruct (total_near _ _ (e / z) TB) as (m & M & L); [now apply Rdiv_lt_0_compat|].
  destruct (sum_union l m D M) as (u & U & Il & Im).
  pose proof (total_above _ _ u TA U) as AU. pose proof (total_above _ _ u TB U) as BU.
  assert (N : forall k, 0 <= of_event (best z) Q k) by (intros k; unfold of_event; specialize (HQ k);
    destruct (best z k); lra).
  pose proof (sum_incl _ m N M u Im) as BM.
  assert (X : sum (excess z) u = sum (of_event (best z) P) u - z * sum (of_event (best z) Q) u).
  { clear. induction u as [|k u IH]; [cbn; ring|]. rewrite !sum_cons, IH. unfold excess, of_event, best.
    destruct (Rle_dec (z * Q k) (P k)); [rewrite Rmax_left by lra|rewrite Rmax_right by lra]; ring. }
  assert (sum (excess z) l <= sum (excess z) u) by (apply sum_incl; auto; intros; apply Rmax_r).
  assert (b - e / z < sum (of_event (best z) Q) u) by lra.
  assert (z * (b - e / z) = z * b - e) by (field; lra). nra.
Qed.
End Any.

(* ---- runs of integers ---- *)
Fixpoint run (k : Z) (len : nat) : list Z := match len with O => [] | S n => k :: run (k + 1) n end.
Definition isum (f : Z -> R) k len := sum f (run k len).
Lemma run_in k len i : In i (run k len) <-> (k <= i < k + Z.of_nat len)%Z.
Proof. revert k. induction len as [|n IH]; intros k; cbn [run In]; [lia|]. rewrite IH. lia. Qed.
Lemma run_nodup k len : NoDup (run k len).
Proof. revert k. induction len as [|n IH]; intros k; cbn [run]; constructor; auto. rewrite run_in. lia. Qed.
Lemma run_app k l m : run k (l + m) = run k l ++ run (k + Z.of_nat l) m.
Proof.
  revert k. induction l as [|l IH]; intros k; [now rewrite Z.add_0_r|]. cbn [run Nat.add app]. rewrite IH.
  f_equal. f_equal. f_equal. lia.
Qed.
Lemma isum_app f k l m : isum f k (l + m) = isum f k l + isum f (k + Z.of_nat l) m.
Proof. unfold isum. now rewrite run_app, sum_app. Qed.
Lemma isum_first f k n : isum f k (S n) = f k + isum f (k + 1) n.
Proof. reflexivity. Qed.
Lemma isum_last f k n : isum f k (S n) = isum f k n + f (k + Z.of_nat n)%Z.
Proof. replace (S n) with (n + 1)%nat by lia. rewrite isum_app. unfold isum at 2. cbn. ring. Qed.
Lemma isum_shift f k n j : isum (fun i => f (i + j)%Z) k n = isum f (k + j) n.
Proof.
  revert k. induction n as [|n IH]; intros k; [reflexivity|]. rewrite !isum_first, IH.
  f_equal. f_equal. lia.
Qed.
(* every finite set of integers lies in a run that is as wide as wanted *)
Lemma in_run (l : list Z) : exists N, (0 <= N)%Z /\ forall M, (N <= M)%Z -> incl l (run (- M) (Z.to_nat (2 * M + 1))).
Proof.
  induction l as [|a l (N & HN & IH)].
  - exists 0%Z. split; [lia|]. intros M _ x [].
  - exists (Z.max N (Z.abs a)). split; [lia|]. intros M HM x [<-|I]; [rewrite run_in; lia|]. apply IH; [lia|exact I].
Qed.
Lemma run_bounds f c : (forall k, 0 <= f k) -> (forall N, (0 <= N)%Z -> isum f (- N) (Z.to_nat (2 * N + 1)) <= c) ->
  forall l, NoDup l -> sum f l <= c.
Proof.
  intros H B l D. destruct (in_run l) as (N & N0 & I). eapply Rle_trans; [|apply (B N N0)].
  apply sum_incl; auto. apply I. lia.
Qed.

(* ---- shifts of the outcomes ---- *)
Lemma sum_map {A B} (g : A -> R) (h : B -> A) l : sum g (map h l) = sum (fun b => g (h b)) l.
Proof. induction l as [|b l IH]; [reflexivity|]. cbn [map]. now rewrite !sum_cons, IH. Qed.
Lemma nodup_shift j l : NoDup l -> NoDup (map (fun k => (k + j)%Z) l).
Proof. intros H. apply FinFun.Injective_map_NoDup; auto. intros a b. lia. Qed.
Lemma total_shift (g : Z -> R) j t : total g t -> total (fun k => g (k + j)%Z) t.
Proof.
  intros [U L]. split.
  - intros y (l & D & ->). apply U. exists (map (fun k => (k + j)%Z) l). split; [now apply nodup_shift|].
    now rewrite sum_map.
  - intros b B. apply L. intros y (l & D & ->). apply B. exists (map (fun k => (k + - j)%Z) l).
    split; [now apply nodup_shift|]. rewrite sum_map. apply sum_ext. intros k _. f_equal. lia.
Qed.
Lemma sum_point (f : Z -> R) k0 l : (forall k, k <> k0 -> f k = 0) -> 0 <= f k0 <= 1 -> NoDup l -> sum f l <= 1.
Proof.
  intros H B. unfold sum. induction 1 as [|k l N ND IH]; [simpl; lra|]. cbn [fold_right].
  destruct (Z.eq_dec k k0) as [->|D]; [|rewrite (H k D); lra].
  replace (fold_right (fun a rest => f a + rest) 0 l) with 0; [lra|]. clear - H N.
  induction l as [|j l IH]; [reflexivity|].
  cbn [fold_right]. rewrite <- IH, (H j); [ring|intros ->; apply N; now left|intros I; apply N; now right].
Qed.
