(* Theorems about all protocols: more users, larger eps, randomized tests, classes. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec Poly Key Law Views.
Import ListNotations.
Local Open Scope R_scope.

(* ---- what holds of events holds of tests with values in [0, 1] ---- *)
Fixpoint passed (m : nat) (y : R) : R :=
  match m with O => 0 | S m => passed m y + (if Rle_dec (INR (S m)) y then 1 else 0) end.
Lemma passed_all m y : INR m <= y -> passed m y = INR m.
Proof.
  induction m as [|m IH]; intros H; [reflexivity|]. cbn [passed]. destruct (Rle_dec _ _) as [L|L]; [|contradiction].
  rewrite S_INR in *. rewrite IH; lra.
Qed.
Lemma passed_most m y : 0 <= y -> passed m y <= y.
Proof.
  intros Hy. induction m as [|m IH]; cbn [passed]; [exact Hy|]. destruct (Rle_dec _ _) as [L|L]; [|lra].
  rewrite S_INR in L. rewrite passed_all; lra.
Qed.
Lemma passed_least m y : y <= INR m -> y - 1 <= passed m y.
Proof.
  induction m as [|m IH]; cbn [passed]; intros H; [simpl in H; lra|].
  destruct (Rle_dec (INR (S m)) y) as [L|L]; rewrite S_INR in *; destruct (Rle_dec y (INR m)) as [M|M];
    try (specialize (IH M)); try lra; rewrite passed_all; lra.
Qed.
Lemma fold_plus (w : nat -> R) ks c : fold_right (fun k s => w k + s) c ks = fold_right (fun k s => w k + s) 0 ks + c.
Proof. induction ks as [|k ks IH]; cbn [fold_right]; [ring|]. rewrite IH. ring. Qed.
Lemma mean_0 {A} (l : law A) : mean (fun _ => 0) l = 0.
Proof. induction l as [|[a q] l IH]; cbn [mean fst snd]; [reflexivity|]. rewrite IH. ring. Qed.
Lemma mean_passed {A} (h : A -> R) m l :
  mean (fun t => passed m (h t)) l = fold_right (fun k s => mean (fun t => if Rle_dec (INR k) (h t) then 1 else 0) l
    + s) 0 (seq 1 m).
Proof.
  induction m as [|m IH].
  - cbn [passed seq fold_right]. apply mean_0.
  - rewrite seq_S, fold_right_app. cbn [passed fold_right]. rewrite mean_plus, IH. symmetry. rewrite fold_plus.
    cbn [Nat.add]. ring.
Qed.

Section Users.
Variables (K : randomizer) (HK : is_randomizer K).
Definition inside xs := forall x, In x xs -> (x < length K)%nat.
Definition blind v (g : list (list msg) -> R) := forall s t, looks_same v s t -> g s = g t.

Theorem tests_too v xs ys z d : inside xs -> inside ys -> 0 <= z -> at_most v K xs ys z d ->
  forall g, blind v g -> (forall t, 0 <= g t <= 1) -> mean g (sent K xs) - z * mean g (sent K ys) <= d.
Proof.
  intros Ix Iy Hz H g HG B. apply le_epsilon. intros e He. destruct (archimed_cor1 e He) as (N & N1 & N2).
  assert (NP : 0 < INR N) by now apply lt_0_INR.
  set (f := fun t => passed N (INR N * g t)).
  assert (F : mean f (sent K xs) - z * mean f (sent K ys) <= INR N * d).
  { set (w := fun (l : law (list (list msg))) (k : nat) => mean (fun t => if Rle_dec (INR k) (INR N * g t) then 1
    else 0) l).
    assert (S : forall ks, fold_right (fun k s => w (sent K xs) k + s) 0 ks - z * fold_right (fun k s => w (sent K
      ys) k + s) 0 ks <=
      INR (length ks) * d).
    { induction ks as [|k ks IK]; [simpl; lra|]. cbn [fold_right length]. rewrite S_INR.
      pose proof (H (fun t => if Rle_dec (INR k) (INR N * g t) then true else false)) as E.
      rewrite !Pr_mean in E. unfold event in E. specialize (E ltac:(intros s t L; now rewrite (HG s t L))).
      assert (X : forall l, mean (indicator (fun t => if Rle_dec (INR k) (INR N * g t) then true else false)) l = w l
        k).
      { intros l. apply mean_ext. intros t q _. unfold indicator. now destruct (Rle_dec _ _). }
      rewrite !X in E. lra. }
    unfold f. rewrite !mean_passed. specialize (S (seq 1 N)). rewrite seq_length in S. exact S. }
  assert (L : INR N * mean g (sent K xs) - 1 <= mean f (sent K xs)).
  { rewrite <- mean_scale, <- (mean_const K HK 1 xs Ix) at 1.
    rewrite <- (Rmult_1_l (mean (fun _ => 1) (sent K xs))), mean_minus.
    apply mean_le; [intros; eapply sent_weight; eauto|]. intros t q _. rewrite Rmult_1_l. apply passed_least.
      specialize (B t). nra. }
  assert (U : mean f (sent K ys) <= INR N * mean g (sent K ys)).
  { rewrite <- mean_scale. apply mean_le; [intros; eapply sent_weight; eauto|]. intros t q _. apply passed_most.
    specialize (B t). nra. }
  apply Rmult_le_reg_l with (INR N); [exact NP|].
  assert (1 <= INR N * e). { apply Rmult_lt_compat_l with (r := INR N) in N1; [|exact NP]. rewrite Rinv_r in N1; lra. }
  nra.
Qed.

(* ---- users who are the same on both sides: leaving them out is post-processing ---- *)
Lemma mean_app_sent xs ys h : mean h (sent K (xs ++ ys)) = mean (fun a => mean (fun b => h (a ++ b)) (sent K ys))
  (sent K xs).
Proof.
  revert h. induction xs as [|x xs IH]; intros h.
  - cbn [app sent mean fst snd]. rewrite RMicromega.Q2R_1. ring_simplify. reflexivity.
  - cbn [app]. rewrite !mean_sent. apply mean_ext. intros s q _. apply IH.
Qed.
Lemma looks_same_around v l s t r : looks_same v s t -> looks_same v (l ++ s ++ r) (l ++ t ++ r).
Proof.
  destruct v; cbn [looks_same]; intros H.
  - rewrite !concat_app. now apply Permutation_app_head, Permutation_app_tail.
  - apply Forall2_app; [apply unmoved|]. apply Forall2_app; [exact H|apply unmoved].
  - now subst.
Qed.
Theorem more_users v ls rs xs ys z d : inside ls -> inside rs -> inside xs -> inside ys -> 0 <= z ->
  at_most v K xs ys z d -> at_most v K (ls ++ xs ++ rs) (ls ++ ys ++ rs) z d.
Proof.
  intros Il Ir Ix Iy Hz H E HE.
  set (g := fun t => mean (fun a => mean (fun b => indicator E (a ++ t ++ b)) (sent K rs)) (sent K ls)).
  assert (G : forall us, Pr E (sent K (ls ++ us ++ rs)) = mean g (sent K us)).
  { intros us. symmetry. unfold g. rewrite mean_swap, Pr_mean, mean_app_sent. apply mean_ext. intros a q _.
    symmetry. apply (mean_app_sent us rs (fun t => indicator E (a ++ t))). }
  rewrite !G. apply tests_too with v; auto.
  - intros s t L. unfold g. apply mean_ext. intros a q _. apply mean_ext. intros b p _. unfold indicator.
    now rewrite (HE _ _ (looks_same_around v a s t b L)).
  - intros t. assert (I : forall a b, 0 <= indicator E (a ++ t ++ b) <= 1) by (intros; unfold indicator;
    destruct (E _); lra). split.
    + apply mean_nonneg. intros a q Ia. split; [eapply sent_weight; eauto|]. apply mean_nonneg. intros b p Ib.
      split; [eapply sent_weight; eauto|apply I].
    + rewrite <- (mean_const K HK 1 ls Il). apply mean_le; [intros; eapply sent_weight; eauto|]. intros a q _.
      rewrite <- (mean_const K HK 1 rs Ir). apply mean_le; [intros; eapply sent_weight; eauto|]. intros b p _. apply I.
Qed.

(* delta(eps) does not rise with the number of users *)
Theorem private_more_users v n z d : (1 <= n)%nat -> 0 <= z -> private v K n z d -> private v K (S n) z d.
Proof.
  intros Hn Hz H xs ys [Lx X] [_ Y] (l & x & y & r & N & -> & ->).
  assert (Go : forall ls rs l' r', ls ++ (l' ++ x :: r') ++ rs = l ++ x :: r -> ls ++ (l' ++ y :: r') ++ rs = l ++ y
    :: r ->
      length (l' ++ x :: r') = n -> at_most v K (l ++ x :: r) (l ++ y :: r) z d).
  { intros ls rs l' r' E1 E2 L. rewrite <- E1 in *. rewrite <- E2 in *.
    assert (IX : inside (l' ++ x :: r')) by (intros u Hu; apply X; rewrite !in_app_iff in *; tauto).
    assert (IY : inside (l' ++ y :: r')) by (intros u Hu; apply Y; rewrite !in_app_iff in *; tauto).
    apply more_users; auto; try (intros u Hu; apply X; rewrite !in_app_iff; tauto).
    apply H; [split; auto|split; auto|exists l', x, y, r'; auto]. rewrite app_length in *. exact L. }
  destruct l as [|u l].
  - destruct r as [|u r]; [simpl in Lx; lia|].
    destruct (exists_last (l := u :: r) ltac:(discriminate)) as (r' & w & E). rewrite E in *.
    apply (Go [] [w] [] r'); cbn [app]; auto. cbn [app length] in *. rewrite app_length in Lx. simpl in Lx. lia.
  - apply (Go [u] [] l r); cbn [app]; rewrite ?app_nil_r; auto.
Qed.
(* nor with eps *)
Theorem private_larger_eps v n z y d : z <= y -> private v K n z d -> private v K n y d.
Proof.
  intros L H xs ys X Y N E HE. specialize (H xs ys X Y N E HE).
  assert (0 <= Pr E (sent K ys)).
  { rewrite Pr_mean. apply mean_nonneg. intros t p I. split; [eapply sent_weight; eauto|]. unfold indicator.
    destruct (E t); lra. }
  nra.
Qed.
(* whoever sees less can do no more *)
Theorem private_local_shuffled n z d : private Local K n z d -> private Shuffled K n z d.
Proof. intros H xs ys X Y N E HE. apply H; auto. intros s t ->. reflexivity. Qed.

(* Classes: an input whose user sends what that of another one sends, and always some messages more, stands for it. *)
Theorem same_class extra x y a b r z d : nth y K [] = map (fun o : list msg * Q => (extra ++ fst o, snd o)) (nth x K
  []) ->
  at_most Shuffled K (a :: x :: r) (b :: x :: r) z d -> at_most Shuffled K (a :: y :: r) (b :: y :: r) z d.
Proof.
  intros Y H E HE. specialize (H (fun t => E (extra :: t))). rewrite !Pr_mean in *.
  assert (G : forall c, mean (indicator E) (sent K (c :: y :: r)) = mean (indicator (fun t => E (extra :: t))) (sent
    K (c :: x :: r))).
  { intros c. rewrite !mean_sent. apply mean_ext. intros s q _. rewrite !mean_sent, Y.
    clear Y. induction (nth x K []) as [|[u p] w IH]; cbn [map mean fst snd]; [reflexivity|]. rewrite IH. f_equal.
      f_equal.
    apply mean_ext. intros t o _. unfold indicator.
    replace (E (extra :: s :: u :: t)) with (E (s :: (extra ++ u) :: t)); [reflexivity|]. apply HE.
      cbn [looks_same concat].
    rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_tail, Permutation_app_comm. }
  rewrite !G. apply H. intros s t L. apply HE. cbn [looks_same concat] in *. now apply Permutation_app_head.
Qed.
End Users.
