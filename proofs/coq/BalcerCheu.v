(* The shuffler as a uniformly random permutation, and Balcer & Cheu 2020, Section 4: Theorem 17, Claims 18 and 19. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec Poly Key Law Views Protocols.
Import ListNotations.
Local Open Scope R_scope.

(* ---- all orders of a list, each as often as it arises: n! of them ---- *)
Fixpoint inserts (x : msg) (l : list msg) : list (list msg) :=
  (x :: l) :: match l with [] => [] | a :: l => map (cons a) (inserts x l) end.
Fixpoint orders (l : list msg) : list (list msg) := match l with [] => [[]] | x :: l => flat_map (inserts x) (orders
  l) end.
Definition average {A} (h : A -> R) (l : list A) : R := fold_right (fun a s => h a + s) 0 l / INR (length l).
(* the probability that a uniformly random permutation of all messages, as n users send them, is seen in e *)
Definition Pr_permuted (e : list msg -> bool) K xs : R := mean (fun t => average (indicator e) (orders (concat t)))
  (sent K xs).

Lemma flat_map_perm {A B} (f g : A -> list B) l m : (forall a, Permutation (f a) (g a)) -> Permutation l m ->
  Permutation (flat_map f l) (flat_map g m).
Proof.
  intros H P. transitivity (flat_map g l).
  - clear P. induction l as [|a l IH]; cbn [flat_map]; [reflexivity|]. now apply Permutation_app.
  - induction P; cbn [flat_map].
    + reflexivity.
    + now apply Permutation_app_head.
    + rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
    + now transitivity (flat_map g l').
Qed.
Lemma inserts_cons x a l : inserts x (a :: l) = (x :: a :: l) :: map (cons a) (inserts x l).
Proof. reflexivity. Qed.
Lemma insert_under x a (q : list (list msg)) :
  Permutation (flat_map (inserts x) (map (cons a) q)) (map (fun p => x :: a :: p) q ++ map (cons a) (flat_map
    (inserts x) q)).
Proof.
  induction q as [|p q IH]; [reflexivity|]. cbn [map flat_map]. rewrite inserts_cons, map_app. cbn [app]. constructor.
  rewrite IH. rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.
Lemma insert_two x y p : Permutation (flat_map (inserts x) (inserts y p)) (flat_map (inserts y) (inserts x p)).
Proof.
  induction p as [|a p IH].
  - cbn. apply perm_swap.
  - rewrite !inserts_cons. cbn [flat_map]. rewrite !insert_under, !inserts_cons. cbn [map app]. rewrite !map_map.
    rewrite (Permutation_map (cons a) IH). rewrite perm_swap. constructor. constructor.
    rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.
Lemma flat_map_flat_map {A B C} (f : B -> list C) (g : A -> list B) l : flat_map f (flat_map g l) = flat_map (fun a
  => flat_map f (g a)) l.
Proof. induction l as [|a l IH]; cbn [flat_map]; [reflexivity|]. now rewrite flat_map_app, IH. Qed.
Lemma orders_perm l m : Permutation l m -> Permutation (orders l) (orders m).
Proof.
  induction 1; cbn [orders].
  - reflexivity.
  - apply flat_map_perm; auto.
  - rewrite !flat_map_flat_map. apply flat_map_perm; [|reflexivity]. intros p. apply insert_two.
  - now transitivity (orders l').
Qed.
Lemma inserts_are x l s : In s (inserts x l) -> Permutation s (x :: l).
Proof.
  revert s. induction l as [|a l IH]; intros s.
  - intros [<-|[]]. reflexivity.
  - rewrite inserts_cons. intros [<-|H]; [reflexivity|]. apply in_map_iff in H as (t & <- & H). apply IH in H.
    rewrite H. apply perm_swap.
Qed.
Lemma orders_are l s : In s (orders l) -> Permutation s l.
Proof.
  revert s. induction l as [|x l IH]; cbn [orders]; intros s.
  - intros [<-|[]]. reflexivity.
  - intros H. apply in_flat_map in H as (p & Hp & H). apply IH in Hp. apply inserts_are in H. rewrite H.
    now constructor.
Qed.
Lemma orders_some l : (0 < length (orders l))%nat.
Proof.
  induction l as [|x l IH]; cbn [orders]; [simpl; lia|]. destruct (orders l) as [|p q]; [simpl in IH; lia|].
  cbn [flat_map]. rewrite app_length. destruct p; simpl; lia.
Qed.
Lemma average_perm {A} (h : A -> R) l m : Permutation l m -> average h l = average h m.
Proof.
  intros P. unfold average. rewrite (Permutation_length P). f_equal. clear -P. induction P; cbn [fold_right]; lra.
Qed.
Lemma average_const {A} c (h : A -> R) l : (0 < length l)%nat -> (forall a, In a l -> h a = c) -> average h l = c.
Proof.
  intros L H. unfold average. assert (F : fold_right (fun a s => h a + s) 0 l = c * INR (length l)).
  { clear L. induction l as [|a l IH]; cbn [fold_right length]; [simpl; ring|].
    rewrite S_INR, IH by (intros; apply H; now right).
    rewrite (H a (or_introl eq_refl)). ring. }
  rewrite F. apply lt_INR in L. simpl in L. field. lra.
Qed.
Lemma average_inside (e : list msg -> bool) l : (0 < length l)%nat -> 0 <= average (indicator e) l <= 1.
Proof.
  intros L. unfold average. apply lt_INR in L as L'. simpl in L'.
  assert (F : 0 <= fold_right (fun a s => indicator e a + s) 0 l <= INR (length l)).
  { clear. induction l as [|a l IH]; cbn [fold_right length]; [simpl; lra|]. rewrite S_INR. unfold indicator at 1 3.
    destruct (e a); lra. }
  split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
    apply Rmult_le_reg_r with (INR (length l)); [exact L'|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* The shuffled view is worth what a uniformly random permutation of all messages is worth. *)
Theorem shuffled_is_permuted K xs ys z d : is_randomizer K -> inside K xs -> inside K ys -> 0 <= z ->
  at_most Shuffled K xs ys z d <-> forall e, Pr_permuted e K xs - z * Pr_permuted e K ys <= d.
Proof.
  intros HK Ix Iy Hz. split.
  - intros H e. apply (tests_too K HK Shuffled xs ys z d Ix Iy Hz H).
    + intros s t L. cbn [looks_same] in L. now apply average_perm, orders_perm.
    + intros t. apply average_inside, orders_some.
  - intros H E HE. specialize (H (fun s => E [s])). unfold Pr_permuted in H. rewrite !Pr_mean.
    assert (G : forall us, mean (fun t => average (indicator (fun s => E [s])) (orders (concat t))) (sent K us) =
      mean (indicator E) (sent K us)).
    { intros us. apply mean_ext. intros t q _. apply average_const; [apply orders_some|]. intros s I.
      apply orders_are in I.
      unfold indicator. replace (E [s]) with (E t); [reflexivity|]. apply HE. cbn [looks_same concat].
        rewrite app_nil_r. now symmetry. }
    rewrite !G in H. exact H.
Qed.

(* ---- one message for each user ---- *)
Definition single (K : randomizer) := forall x s p, In (s, p) (nth x K []) -> length s = 1%nat.

Section Single.
Variables (K : randomizer) (HK : is_randomizer K) (HS : single K).
Lemma all_in_event (e : list msg -> bool) x xs :
  Pr (fun t => forallb (fun m => e [m]) (concat t)) (sent K (x :: xs)) =
  Pr e (nth x K []) * Pr (fun t => forallb (fun m => e [m]) (concat t)) (sent K xs).
Proof.
  rewrite !Pr_mean, mean_sent, (Rmult_comm (mean (indicator e) _)), <- mean_scale. apply mean_ext. intros s q I.
    apply HS in I.
  destruct s as [|m [|]]; try discriminate. rewrite Rmult_comm, <- mean_scale. apply mean_ext. intros t p _.
    unfold indicator.
  cbn [concat app forallb]. destruct (e [m]); cbn [andb]; ring.
Qed.
Lemma all_repeat (e : list msg -> bool) x n :
  Pr (fun t => forallb (fun m => e [m]) (concat t)) (sent K (repeat x n)) = Pr e (nth x K []) ^ n.
Proof.
  induction n as [|n IH]; cbn [repeat].
  - unfold Pr. cbn. rewrite RMicromega.Q2R_1. ring.
  - rewrite all_in_event, IH. reflexivity.
Qed.
Lemma Pr_row e x : 0 <= Pr e (nth x K []).
Proof.
  rewrite Pr_mean. apply mean_nonneg. intros s p I. split; [eapply row_nonneg; eauto|]. unfold indicator.
    destruct (e s); lra.
Qed.

(* BC Claim 18, and its converse: with one message for each user, shuffling gains nothing at delta = 0. *)
Theorem claim_18 n z : (1 <= n)%nat -> 0 <= z -> private Shuffled K n z 0 -> forall m, private Local K m z 0.
Proof.
  intros Hn Hz H m. apply one_user_private; [exact HK|discriminate|]. intros x y N Hx Hy e _.
  destruct n as [|n]; [lia|].
  assert (D : forall u, (u < length K)%nat -> dataset K (S n) (u :: repeat x n)).
  { intros u Hu. split; [cbn [length]; now rewrite repeat_length|]. intros w [<-|I]; auto. apply repeat_spec in I.
    now subst. }
  specialize (H _ _ (D x Hx) (D y Hy) ltac:(exists [], x, y, (repeat x n);
    auto) (fun t => forallb (fun m => e [m]) (concat t))).
  rewrite !all_in_event, all_repeat in H.
  assert (E : event Shuffled (fun t => forallb (fun m => e [m]) (concat t))).
  { intros s t L. cbn [looks_same] in L. apply eq_true_iff_eq. rewrite !forallb_forall.
    split; intros F k I; apply F; [symmetry in L|]; eapply Permutation_in; eauto. }
  specialize (H E). pose proof (Pr_row e x) as [P|P]; pose proof (Pr_row e y).
  - apply Rmult_le_reg_r with (Pr e (nth x K []) ^ n); [now apply pow_lt|]. lra.
  - rewrite <- P. nra.
Qed.
Theorem claim_18_converse n z d : private Local K n z d -> private Shuffled K n z d.
Proof. apply private_local_shuffled. Qed.

(* BC Theorem 17: an eps-private single-message protocol has the outputs of a local protocol that is as private: its
   users send what they sent, and the analyzer permutes the tuple of their messages itself. *)
Theorem theorem_17 n z : (1 <= n)%nat -> 0 <= z -> private Shuffled K n z 0 ->
  private Local K n z 0 /\
  forall e xs, Pr_permuted e K xs = mean (fun t => average (indicator e) (orders (map (fun s => hd O s) t))) (sent K
    xs).
Proof.
  intros Hn Hz H. split; [now apply claim_18 with n|]. intros e xs. unfold Pr_permuted. apply mean_ext. intros t q I.
  replace (concat t) with (map (fun s => hd O s) t); [reflexivity|]. revert t q I.
    induction xs as [|x xs IH]; intros t q.
  - intros [[= <- _]|[]]. reflexivity.
  - cbn [sent]. intros I. apply in_flat_map in I as ([s p] & Is & J). apply in_map_iff in J as ([u r] & [= <- _] & J).
    apply HS in Is. destruct s as [|m [|]]; try discriminate. cbn [fst map hd concat app]. f_equal. eapply IH, J.
Qed.
End Single.

(* ---- BC Claim 19: two messages, (x, 1 - x) ---- *)
Definition r_infinity : randomizer := [[([0; 1]%nat, 1%Q)]; [([1; 0]%nat, 1%Q)]].
Lemma r_infinity_ok : is_randomizer r_infinity.
Proof.
  intros r [<-|[<-|[]]]; (split; [|reflexivity]); intros s p [[= <- <-]|[]]; reflexivity.
Qed.
Theorem claim_19_shuffled n z : 1 <= z -> private Shuffled r_infinity n z 0.
Proof.
  intros Hz. apply (private_larger_eps _ r_infinity_ok) with 1; [exact Hz|].
  intros xs ys [_ X] [_ Y] (l & x & y & r & _ & -> & ->) E HE. specialize (X x (in_elt _ _ _)).
    specialize (Y y (in_elt _ _ _)).
  rewrite !Pr_mean, !mean_split, mean_minus. rewrite <- (mean_0 (sent r_infinity l)). right. apply mean_ext.
    intros a q _.
  assert (S : forall u, (u < 2)%nat -> mean (fun s => mean (fun b => indicator E (a ++ s :: b)) (sent r_infinity r))
    (nth u r_infinity []) =
    mean (fun b => indicator E (a ++ [0; 1]%nat :: b)) (sent r_infinity r)).
  { intros [|[|u]] Hu; [| |lia]; cbn [r_infinity nth mean fst snd]; rewrite RMicromega.Q2R_1, Rmult_1_l, Rplus_0_r;
    [reflexivity|].
    apply mean_ext. intros b p _. unfold indicator. erewrite HE; [reflexivity|]. cbn [looks_same].
    rewrite !concat_app. apply Permutation_app_head. cbn [concat]. apply Permutation_app_tail, perm_swap. }
  rewrite !S by assumption. ring.
Qed.
Theorem claim_19_local n z d : (1 <= n)%nat -> d < 1 -> ~ private Local r_infinity n z d.
Proof.
  intros Hn Hd H. destruct n as [|n]; [lia|].
  assert (D : forall u, (u < 2)%nat -> dataset r_infinity (S n) (u :: repeat 0%nat n)).
  { intros u Hu. split; [cbn [length]; now rewrite repeat_length|]. intros w [<-|I]; [exact Hu|].
    apply repeat_spec in I. subst. cbn. lia. }
  specialize (H _ _ (D 0%nat ltac:(lia)) (D 1%nat ltac:(lia)) ltac:(exists [], 0%nat, 1%nat, (repeat 0%nat n); auto)
    (fun t => eq_msgs (nth 0 t []) [0; 1]%nat)).
  specialize (H ltac:(intros s t ->; reflexivity)).
  pose proof (one_user_event _ r_infinity_ok (fun s => eq_msgs s [0;
    1]%nat) [] 0%nat (repeat 0%nat n) (proj2 (D 0%nat ltac:(lia)))) as A.
  pose proof (one_user_event _ r_infinity_ok (fun s => eq_msgs s [0;
    1]%nat) [] 1%nat (repeat 0%nat n) (proj2 (D 1%nat ltac:(lia)))) as B.
  cbn [length app] in A, B. rewrite A, B in H. unfold Pr in H. cbn in H. rewrite RMicromega.Q2R_1 in H. lra.
Qed.
