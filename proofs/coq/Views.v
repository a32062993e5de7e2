(* What the views are worth: order of users, users who do not change, and the two views that show users by name. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec Poly Key Law Exp Check.
Import ListNotations.
Local Open Scope R_scope.

(* ---- means over independent users ---- *)
Lemma mean_le {A} (g h : A -> R) l : (forall a q, In (a, q) l -> 0 <= Q2R q) ->
  (forall a q, In (a, q) l -> g a <= h a) -> mean g l <= mean h l.
Proof.
  induction l as [|[a q] l IH]; simpl; intros N H; [lra|].
  specialize (IH (fun a q i => N a q (or_intror i)) (fun a q i => H a q (or_intror i))).
  specialize (N a q (or_introl eq_refl)). specialize (H a q (or_introl eq_refl)). nra.
Qed.
Lemma mean_minus {A} (g h : A -> R) z l : mean g l - z * mean h l = mean (fun a => g a - z * h a) l.
Proof. induction l as [|[a q] l IH]; simpl; [ring|]. rewrite <- IH. ring. Qed.

Lemma mean_split K x r l h : mean h (sent K (l ++ x :: r)) =
  mean (fun a => mean (fun s => mean (fun b => h (a ++ s :: b)) (sent K r)) (nth x K [])) (sent K l).
Proof.
  revert h. induction l as [|y l IH]; intros h.
  - cbn [app]. rewrite mean_sent. cbn [sent mean fst snd app]. rewrite RMicromega.Q2R_1. ring.
  - cbn [app]. rewrite !mean_sent. apply mean_ext. intros s q _. rewrite IH. reflexivity.
Qed.

Section Users.
Variables (K : randomizer) (HK : is_randomizer K).

Lemma row_nonneg x s p : In (s, p) (nth x K []) -> 0 <= Q2R p.
Proof.
  intros H. destruct (nth_in_or_default x K []) as [N|N]; [|rewrite N in H; destruct H].
  destruct (HK _ N) as [P _]. apply P, Qlt_Rlt in H. rewrite RMicromega.Q2R_0 in H. lra.
Qed.
Lemma sent_weight xs t p : In (t, p) (sent K xs) -> 0 <= Q2R p.
Proof.
  revert t p. induction xs as [|x xs IH]; intros t p.
  - simpl. intros [[= <- <-]|[]]. rewrite RMicromega.Q2R_1. lra.
  - cbn [sent]. intros I. apply in_flat_map in I as [[s q] [I J]]. apply in_map_iff in J as [[u r] [[= <- <-] J]].
    apply IH in J. rewrite Q2R_mult. simpl. apply Rmult_le_pos; auto. eapply row_nonneg; eauto.
Qed.
Lemma mean_row_const c x : (x < length K)%nat -> mean (fun _ => c) (nth x K []) = c.
Proof.
  intros H. destruct (HK _ (nth_In K [] H)) as [_ S].
  assert (G : forall r : row, mean (fun _ => c) r = c * Q2R (fold_right (fun o total => snd o + total)%Q 0%Q r)).
  { induction r as [|[s p] r IH]; cbn [mean fold_right fst snd]; [rewrite RMicromega.Q2R_0; ring|].
    rewrite IH, Q2R_plus. ring. }
  rewrite G. apply Qeq_eqR in S. rewrite S, RMicromega.Q2R_1. ring.
Qed.
Lemma mean_const c xs : (forall x, In x xs -> (x < length K)%nat) -> mean (fun _ => c) (sent K xs) = c.
Proof.
  induction xs as [|x xs IH]; intros H.
  - cbn [sent mean fst snd]. rewrite RMicromega.Q2R_1. ring.
  - rewrite mean_sent. erewrite mean_ext; [|intros; apply IH; intros; apply H; now right].
    apply mean_row_const, H. now left.
Qed.

Lemma Pr_within E xs : (forall x, In x xs -> (x < length K)%nat) -> 0 <= Pr E (sent K xs) <= 1.
Proof.
  intros H. rewrite Pr_mean. split; [rewrite <- (mean_const 0 xs H)|rewrite <- (mean_const 1 xs H)]; (apply mean_le; [intros a q I; eapply sent_weight; eauto|]); intros a q _; unfold indicator; destruct (E a); lra.
Qed.

(* ---- the shuffled view does not depend on the order of users ---- *)
Lemma mean_order xs ys : Permutation xs ys -> forall h : list (list msg) -> R,
  (forall s t, Permutation (concat s) (concat t) -> h s = h t) -> mean h (sent K xs) = mean h (sent K ys).
Proof.
  induction 1; intros h H1.
  - reflexivity.
  - rewrite !mean_sent. apply mean_ext. intros s q _. apply IHPermutation.
    intros t u P. apply H1. cbn [concat]. now apply Permutation_app_head.
  - rewrite mean_sent. erewrite mean_ext by (intros; apply mean_sent).
    rewrite mean_sent. symmetry. erewrite mean_ext by (intros; apply mean_sent).
    rewrite mean_swap. apply mean_ext. intros s q _. apply mean_ext. intros t p _. apply mean_ext. intros u o _.
    apply H1. cbn [concat]. rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
  - etransitivity; [now apply IHPermutation1|now apply IHPermutation2].
Qed.
Theorem Pr_order E xs ys : event Shuffled E -> Permutation xs ys -> Pr E (sent K xs) = Pr E (sent K ys).
Proof.
  intros HE P. rewrite !Pr_mean. apply (mean_order _ _ P). intros s t L. unfold indicator. now rewrite (HE s t L).
Qed.

(* ---- the views by name: only the user who changes counts ---- *)
Definition alike v (s t : list msg) := match v with Local => s = t | _ => Permutation s t end.
Definition one_at_most v x y (z d : R) :=
  forall e, (forall s t, alike v s t -> e s = e t) -> Pr e (nth x K []) - z * Pr e (nth y K []) <= d.
Definition one_private v (z d : R) := forall x y, x <> y -> (x < length K)%nat -> (y < length K)%nat ->
  one_at_most v x y z d.

Lemma unmoved (a : list (list msg)) : Forall2 (@Permutation msg) a a.
Proof. induction a; constructor; auto. Qed.
Theorem one_user_at_most v l x y r z d : v <> Shuffled -> (forall a, In a (l ++ x :: r) -> (a < length K)%nat) ->
  one_at_most v x y z d -> at_most v K (l ++ x :: r) (l ++ y :: r) z d.
Proof.
  intros V X H E HE. rewrite !Pr_mean, !mean_split, mean_minus.
  assert (Il : forall a, In a l -> (a < length K)%nat) by (intros; apply X, in_or_app; now left).
  assert (Ir : forall a, In a r -> (a < length K)%nat) by (intros; apply X, in_or_app; right; now right).
  rewrite <- (mean_const d l Il). apply mean_le; [intros a q I; eapply sent_weight; eauto|]. intros a q _.
  rewrite mean_swap, (mean_swap _ (nth y K [])), mean_minus.
  rewrite <- (mean_const d r Ir). apply mean_le; [intros b p I; eapply sent_weight; eauto|]. intros b p _.
  assert (S : forall w, mean (fun s => indicator E (a ++ s :: b)) w = Pr (fun s => E (a ++ s :: b)) w).
  { intros w. now rewrite Pr_mean. }
  rewrite !S. apply H; auto. intros s t A. apply HE. destruct v; [contradiction| |now rewrite A].
  apply Forall2_app; [apply unmoved|]. constructor; [exact A|apply unmoved].
Qed.
Theorem one_user_private v n z d : v <> Shuffled -> one_private v z d -> private v K n z d.
Proof.
  intros V H xs ys [_ X] [_ Y] (l & x & y & r & N & -> & ->). apply one_user_at_most; auto.
  apply H; [exact N|apply X, in_elt|apply Y, in_elt].
Qed.
Lemma sent_length xs t p : In (t, p) (sent K xs) -> length t = length xs.
Proof.
  revert t p. induction xs as [|x xs IH]; intros t p.
  - simpl. intros [[= <- _]|[]]. reflexivity.
  - cbn [sent]. intros I. apply in_flat_map in I as [[s q] [I J]]. apply in_map_iff in J as [[u r] [[= <- _] J]].
    cbn [length fst]. f_equal. eauto.
Qed.
Theorem one_user_event (e : list msg -> bool) l x r : (forall y, In y (l ++ x :: r) -> (y < length K)%nat) ->
  Pr (fun t => e (nth (length l) t [])) (sent K (l ++ x :: r)) = Pr e (nth x K []).
Proof.
  intros I. rewrite !Pr_mean, mean_split.
  assert (Il : forall a, In a l -> (a < length K)%nat) by (intros; apply I, in_or_app; now left).
  assert (Ir : forall a, In a r -> (a < length K)%nat) by (intros; apply I, in_or_app; right; now right).
  rewrite <- (mean_const (mean (indicator e) (nth x K [])) l Il). apply mean_ext. intros a q Ha.
  apply mean_ext. intros s p _. rewrite <- (mean_const (indicator e s) r Ir). apply mean_ext. intros b o _.
  unfold indicator. apply sent_length in Ha. now rewrite <- Ha, nth_middle.
Qed.
Lemma one_sent E x : Pr E (sent K [x]) = Pr (fun s => E [s]) (nth x K []).
Proof.
  rewrite !Pr_mean, mean_sent. apply mean_ext. intros s p _. cbn [sent mean fst snd]. rewrite RMicromega.Q2R_1.
  unfold indicator. ring.
Qed.

(* ---- one user's multiset is a shuffled view of one user ---- *)
Lemma one_of (v : view) (z d : R) (P : private v K 1 z d) x y : x <> y -> (x < length K)%nat -> (y < length K)%nat ->
  at_most v K [x] [y] z d.
Proof.
  intros N Hx Hy. assert (D : forall u, (u < length K)%nat -> dataset K 1 [u]) by
    (intros u Hu; split; [reflexivity|intros w [<-|[]]; auto]).
  apply P; auto. exists [], x, y, []. auto.
Qed.
Theorem one_multiset x y z d : at_most Shuffled K [x] [y] z d -> one_at_most Preshuffle x y z d.
Proof.
  intros P e He. pose proof (P (fun t => e (concat t))) as G.
  rewrite !one_sent in G. assert (S : forall u, Pr (fun s => e (concat [s])) (nth u K []) = Pr e (nth u K [])).
  { intros u. rewrite !Pr_mean. apply mean_ext. intros s p _. unfold indicator. cbn [concat]. now rewrite app_nil_r. }
  rewrite !S in G. apply G. intros s t L. now apply He.
Qed.
End Users.

(* ---- the local view: each message is numbered together with its position, and users send these numbers ---- *)
Definition eq_msgs (s t : list msg) : bool := if list_eq_dec Nat.eq_dec s t then true else false.
Fixpoint spread (n i : nat) (s : list msg) : list msg :=
  match s with [] => [] | m :: s => (i + n * m)%nat :: spread n (S i) s end.
Definition positions (K : randomizer) : nat := Z.to_nat (longest K).
Definition tag (K : randomizer) : randomizer :=
  let n := positions K in map (map (fun o : list msg * Q => (spread n O (fst o), snd o))) K.

Lemma eq_msgs_ok s t : eq_msgs s t = true <-> s = t.
Proof. unfold eq_msgs. destruct (list_eq_dec _ _ _); split; congruence. Qed.
Lemma spread_length n s : forall i, length (spread n i s) = length s.
Proof. induction s as [|m s IH]; intros i; cbn [spread length]; [reflexivity|]. now rewrite IH. Qed.
Lemma at_position n i m : (i < n)%nat -> ((i + n * m) mod n = i)%nat.
Proof. intros H. rewrite Nat.mul_comm, Nat.mod_add by lia. now apply Nat.mod_small. Qed.
Lemma later n s : forall i e, (i + length s <= n)%nat -> In e (spread n i s) -> (i <= e mod n)%nat.
Proof.
  induction s as [|m s IH]; intros i e L; cbn [spread length] in *; [intros []|]. intros [<-|I].
  - rewrite at_position; lia.
  - apply IH in I; lia.
Qed.
Lemma spread_inj n s : forall i t, (i + length s <= n)%nat -> (i + length t <= n)%nat ->
  Permutation (spread n i s) (spread n i t) -> s = t.
Proof.
  induction s as [|a s IH]; intros i [|b t] Ls Lt P; cbn [spread length] in *;
    [reflexivity|now apply Permutation_nil in P|now apply Permutation_sym, Permutation_nil in P|].
  assert (E : a = b).
  { destruct (Permutation_in _ P (or_introl eq_refl)) as [E|I]; [nia|]. apply later in I; [|lia].
    rewrite at_position in I; lia. }
  subst b. f_equal. apply Permutation_cons_inv in P. apply (IH (S i)); [lia|lia|exact P].
Qed.
Lemma tag_nth K x : nth x (tag K) [] = map (fun o : list msg * Q => (spread (positions K) O (fst o), snd o)) (nth x K []).
Proof. unfold tag. apply (map_nth (map (fun o : list msg * Q => (spread (positions K) O (fst o), snd o))) K []). Qed.
Lemma mean_tag (h : list msg -> R) x K :
  mean h (nth x (tag K) []) = mean (fun s => h (spread (positions K) O s)) (nth x K []).
Proof. rewrite tag_nth. induction (nth x K []) as [|[s p] r IH]; cbn [map mean fst snd]; [reflexivity|].
  now rewrite IH. Qed.
Lemma in_positions K x s p : In (s, p) (nth x K []) -> (length s <= positions K)%nat.
Proof. intros I. apply longest_ok in I. unfold positions, msg in *. lia. Qed.
Lemma tag_length K : length (tag K) = length K.
Proof. unfold tag. apply map_length. Qed.
Lemma tag_longest K : longest (tag K) = longest K.
Proof.
  unfold tag. generalize (positions K). intros n. unfold longest. induction K as [|r K IH]; [reflexivity|].
  cbn [map fold_right]. rewrite IH. clear IH. generalize (fold_right (fun r m =>
    fold_right (fun (o : list msg * Q) m => Z.max (Z.of_nat (length (fst o))) m) m r) 0%Z K). intros m.
  induction r as [|[s p] r IH]; cbn [map fold_right fst snd]; [reflexivity|]. now rewrite IH, spread_length.
Qed.
Theorem one_tuple K x y z d : at_most Shuffled (tag K) [x] [y] z d -> one_at_most K Local x y z d.
Proof.
  intros P e _. set (n := positions K) in *. set (T := tag K) in *. set (w := Z.of_nat n).
  set (l := filter (fun s => Nat.leb (length s) n) (map fst (concat K))).
  set (e' := fun u : list msg => existsb (fun s => (key w u =? key w (spread n O s))%Z && e s) l).
  assert (W : (w < 2 ^ w)%Z) by (apply Z.pow_gt_lin_r; lia).
  pose proof (P (fun t => e' (concat t))) as G.
  assert (S : forall u, Pr (fun t => e' (concat t)) (sent T [u]) = Pr e (nth u K [])).
  { intros u. rewrite one_sent, !Pr_mean. unfold T. rewrite mean_tag. fold n. apply mean_ext. intros s p I.
    assert (B : e' (spread n O s) = e s).
    2: { transitivity (if e' (spread n O s) then 1 else 0); [unfold indicator; cbn [concat]; now rewrite app_nil_r|].
      unfold indicator. now rewrite B. }
    pose proof (in_positions _ _ _ _ I) as L. fold n in L. apply eq_true_iff_eq. unfold e'. rewrite existsb_exists. split.
    - intros (t & It & H). apply filter_In in It as [_ Lt]. apply Nat.leb_le in Lt. apply andb_prop in H as [H He].
      apply Z.eqb_eq, key_inj in H; rewrite ?spread_length; try lia. apply spread_inj in H; [now subst|exact L|exact Lt].
    - intros He. exists s. rewrite Z.eqb_refl, He. split; [|reflexivity]. apply filter_In. split; [|now apply Nat.leb_le].
      apply in_map_iff. exists (s, p). split; auto. apply in_concat. exists (nth u K []). split; auto.
      destruct (nth_in_or_default u K []) as [N|N]; auto. rewrite N in I. destruct I. }
  rewrite !S in G. apply G. intros s t L. unfold e'. now rewrite (key_perm w _ _ L).
Qed.
