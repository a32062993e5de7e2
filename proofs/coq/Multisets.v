(* The blanket lemma and the bound for all eps0-private randomizers, of the randomizers of Spec.v. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec Poly Key Law Views Symmetry Protocols SpecCount SpecBlanket Sums Blanket
  AnyRandomizer.
Import ListNotations.
Local Open Scope R_scope.

(* ---- one of each multiset ---- *)
Fixpoint distinct (l : list (list msg)) : list (list msg) :=
  match l with
  | [] => []
  | s :: l => let r := distinct l in if existsb (same Preshuffle s) r then r else s :: r
  end.
Definition of_all (K : randomizer) : list (list msg) := distinct (concat (map (map fst) K)).
Lemma same_perm s m : same Preshuffle s m = true <-> Permutation s m.
Proof. exact (same_ok Preshuffle s m). Qed.
Lemma distinct_ok l : (forall s, In s l -> exists y, In y (distinct l) /\ Permutation s y) /\
  ForallOrdPairs (fun y y' => ~ Permutation y y') (distinct l).
Proof.
  induction l as [|m l [IH1 IH2]]; [split; [intros s []|constructor]|]. cbn [distinct].
  destruct (existsb (same Preshuffle m) (distinct l)) eqn:X; split.
  - intros s [<-|I]; [|now apply IH1]. apply existsb_exists in X as (y & I & S). apply same_perm in S. eauto.
  - exact IH2.
  - intros s [<-|I]; [exists m; split; [now left|reflexivity]|]. destruct (IH1 s I) as (y & J & P). exists y. split;
      [now right|exact P].
  - constructor; [|exact IH2]. apply Forall_forall. intros y I P. apply same_perm in P.
    assert (existsb (same Preshuffle m) (distinct l) = true) by (apply existsb_exists; eauto). congruence.
Qed.
Lemma multisets_exist K : multisets K (of_all K).
Proof.
  destruct (distinct_ok (concat (map (map fst) K))) as [D P]. split; [|exact P]. intros r s p I J. apply D.
  apply in_concat. exists (map fst r). split; [now apply in_map|]. apply in_map_iff. exists (s, p). auto.
Qed.

Section Link.
Variables (K : randomizer) (HK : is_randomizer K) (ys : list (list msg)) (M : multisets K ys).
Lemma at_one h s k : (forall s t, Permutation s t -> h s = h t) -> (exists y, In y ys /\ Permutation s y) ->
  sum (fun y => (if same Preshuffle s y then k else 0) * h y) ys = k * h s.
Proof.
  intros H (y & I & P). destruct M as [_ D]. clear M. induction D as [|z l F D IH]; [destruct I|]. rewrite sum_cons.
  rewrite Forall_forall in F. destruct I as [->|I].
  - rewrite (proj2 (same_perm s y) P), (H s y P). replace (sum _ l) with 0; [ring|]. symmetry.
    rewrite (sum_ext _ (fun _ => 0)); [apply sum_zero|]. intros w W. destruct (same Preshuffle s w) eqn:S; [|ring].
    apply same_perm in S. exfalso. apply (F w W). now rewrite <- P.
  - rewrite (IH I). destruct (same Preshuffle s z) eqn:S; [|ring]. apply same_perm in S. exfalso. apply (F y I).
    now rewrite <- S.
Qed.
Lemma mean_weights h x : (forall s t, Permutation s t -> h s = h t) ->
  mean h (nth x K []) = sum (fun y => weight K x y * h y) ys.
Proof.
  intros H. unfold weight.
  assert (R : forall s p, In (s, p) (nth x K []) -> exists y, In y ys /\ Permutation s y).
  { intros s p I. destruct (nth_in_or_default x K []) as [N|N]; [|rewrite N in I; destruct I].
    destruct M as [A _]. now apply (A _ s p N). }
  induction (nth x K []) as [|[s p] r IH]; cbn [mean Pr fold_right fst snd].
  - rewrite (sum_ext _ (fun _ => 0)) by (intros; ring). now rewrite sum_zero.
  - rewrite IH by (intros; eapply R; right; eauto). rewrite <- (at_one h s (Q2R p) H) by (eapply R; now left).
    rewrite <- sum_plus. apply sum_ext. intros y _. unfold Pr. ring.
Qed.
Lemma mean_over xs : forall h, (forall s t, Forall2 (@Permutation msg) s t -> h s = h t) ->
  mean h (sent K xs) = over ys (map (weight K) xs) h.
Proof.
  induction xs as [|x xs IH]; intros h H.
  - cbn. rewrite RMicromega.Q2R_1. ring.
  - rewrite mean_sent. cbn [map over]. rewrite (mean_weights (fun s => mean (fun t => h (s :: t)) (sent K xs))).
    + apply sum_ext. intros y _. f_equal. apply IH. intros s t P. apply H. constructor; [reflexivity|exact P].
    + intros s t P. apply mean_ext. intros u q _. apply H. constructor; [exact P|apply unmoved].
Qed.
Lemma weight_nonneg x y : 0 <= weight K x y.
Proof.
  unfold weight. rewrite Pr_mean. apply mean_nonneg. intros s p I. split; [now apply (row_nonneg K HK x s)|].
  unfold indicator. destruct (same _ _ _); lra.
Qed.
Lemma weights_one x : (x < length K)%nat -> sum (weight K x) ys = 1.
Proof.
  intros L. rewrite <- (mean_row_const K HK 1 x L), mean_weights by reflexivity. apply sum_ext. intros. ring.
Qed.
Lemma event_blind E : event Shuffled E -> blind_to_order (shown E).
Proof.
  intros H s t P. unfold shown. rewrite (H s t); [reflexivity|]. cbn [looks_same].
  rewrite <- (map_id s), <- (map_id t), <- !flat_map_concat_map. now apply Permutation_flat_map.
Qed.
Lemma Pr_over E xs : event Shuffled E -> Pr E (sent K xs) = over ys (map (weight K) xs) (shown E).
Proof.
  intros H. rewrite Pr_mean, mean_over.
  - reflexivity.
  - intros s t P. unfold indicator. rewrite (H s t); [reflexivity|]. cbn [looks_same].
    induction P as [|a b s t P _ IH]; [reflexivity|]. cbn [concat]. now apply Permutation_app.
Qed.

(* ---- the blanket lemma ---- *)
Lemma least_nonneg y : 0 <= least K y.
Proof.
  unfold least. induction (seq 0 (length K)) as [|x l IH]; cbn [fold_right]; [lra|]. apply Rmin_glb;
    [apply weight_nonneg|exact IH].
Qed.
Lemma least_below x y : (x < length K)%nat -> least K y <= weight K x y.
Proof.
  intros L. assert (I : In x (seq 0 (length K))) by (apply in_seq; lia). unfold least.
  induction (seq 0 (length K)) as [|i l IH]; [destruct I|]. cbn [fold_right]. destruct I as [->|I].
  - apply Rmin_l.
  - eapply Rle_trans; [apply Rmin_r|now apply IH].
Qed.
Theorem blanket_lemma l x x' r z : inside K (l ++ x :: r) -> inside K (l ++ x' :: r) ->
  at_most Shuffled K (l ++ x :: r) (l ++ x' :: r) z (blanket_bound K ys (length (l ++ x :: r)) x x' z).
Proof.
  intros I I' E H. rewrite !Pr_over, !map_app by exact H. cbn [map]. pose proof (event_blind E H) as B.
  rewrite !over_middle, difference by exact B. rewrite <- map_app.
  set (f := fun y => weight K x y - z * weight K x' y).
  set (d := fun y => if Rlt_dec 0 (least K y) then 0 else Rmax (weight K x y - z * weight K x' y) 0).
  assert (Lx : (x < length K)%nat) by (apply I, in_elt).
  assert (D0 : positive d) by (intros y; unfold d; destruct (Rlt_dec _ _); [lra|apply Rmax_r]).
  assert (F : forall y, In y ys -> f y - least K y * loss K x x' z y <= d y).
  { intros y _. unfold f, d, loss. pose proof (least_nonneg y). destruct (Rlt_dec 0 (least K y)).
    - right. field. lra.
    - assert (Z : least K y = 0) by lra. rewrite Z. pose proof (Rmax_l (weight K x y - z * weight K x' y) 0). lra. }
  pose proof (blanket_of ys (least K) least_nonneg f (loss K x x' z) d D0 F (map (weight K) (l ++ r)) (shown E)) as BL.
  replace (length (l ++ x :: r)) with (S (length (map (weight K) (l ++ r)))) by (rewrite map_length, !app_length; cbn;
    lia).
  apply BL; [| |exact B|intros t; unfold shown; destruct (E t); lra].
  - rewrite <- (weights_one x Lx). apply sum_le. intros y _. now apply least_below.
  - apply Forall_forall. intros w W. apply in_map_iff in W as (i & <- & J).
    assert (Li : (i < length K)%nat) by (apply I; rewrite !in_app_iff in *; cbn; tauto).
    split; [now apply weights_one|]. intros y _. now apply least_below.
Qed.
Theorem blanket_private n z d :
  (forall x x', (x < length K)%nat -> (x' < length K)%nat -> x <> x' -> blanket_bound K ys n x x' z <= d) ->
  private Shuffled K n z d.
Proof.
  intros H xs xs' [Lx X] [_ X'] (l & x & x' & r & N & -> & ->) E HE.
  eapply Rle_trans; [apply (blanket_lemma l x x' r z X X' E HE)|]. rewrite Lx. apply H; auto;
    [apply X, in_elt|apply X', in_elt].
Qed.

(* ---- the bound for all eps0-private randomizers ---- *)
Lemma self_same y : In y ys -> forall S, existsb (fun m => same Preshuffle y m && S m) ys = S y.
Proof.
  intros I S. destruct M as [_ D]. clear M. induction D as [|z l F D IH]; [destruct I|]. rewrite Forall_forall in F.
  cbn [existsb]. destruct I as [->|I].
  - rewrite (proj2 (same_perm y y)) by reflexivity. cbn [andb]. destruct (existsb _ l) eqn:X; [|apply orb_false_r].
    apply existsb_exists in X as (w & W & Q). apply andb_prop in Q as [Q _]. apply same_perm in Q. now apply F in Q.
  - rewrite (IH I). destruct (same Preshuffle y z) eqn:Q; [|reflexivity]. apply same_perm in Q. symmetry in Q.
      now apply F in Q.
Qed.
Theorem any_eps0_private n E a : 1 <= E -> 1 <= a -> private Shuffled K 1 E 0 ->
  private Shuffled K n a (any_bound n E a).
Proof.
  intros E1 A1 P xs xs' [Lx X] [_ X'] (l & x & x' & r & N & -> & ->) T HT.
  assert (Lk : (0 < length K)%nat) by (specialize (X x (in_elt x l r)); lia).
  set (W := fun i y => weight K (if Nat.ltb i (length K) then i else 0%nat) y).
  assert (WL : laws ys W).
  { intros i. split; [intros; apply weight_nonneg|]. unfold W. destruct (Nat.ltb i (length K)) eqn:B;
      apply weights_one; [now apply Nat.ltb_lt|exact Lk]. }
  assert (OV : forall us, inside K us -> map W us = map (weight K) us).
  { intros us U. apply map_ext_in. intros i J. unfold W. now rewrite (proj2 (Nat.ltb_lt i (length K)) (U i J)). }
  assert (LP : local_private ys W E 0).
  { intros S i j. unfold of_set, W. set (i' := if Nat.ltb i _ then i else 0%nat).
      set (j' := if Nat.ltb j _ then j else 0%nat).
    assert (LI : (i' < length K)%nat) by (unfold i'; destruct (Nat.ltb i (length K)) eqn:B;
      [now apply Nat.ltb_lt|exact Lk]).
    assert (LJ : (j' < length K)%nat) by (unfold j'; destruct (Nat.ltb j (length K)) eqn:B;
      [now apply Nat.ltb_lt|exact Lk]).
    set (Ev := fun t : list (list msg) => existsb (fun m => same Preshuffle (concat t) m && S m) ys).
    assert (HE : event Shuffled Ev).
    { intros s t Q. cbn [looks_same] in Q. unfold Ev. apply eq_true_iff_eq. rewrite !existsb_exists.
      split; intros (y & I & J); exists y; (split; [exact I|]); apply andb_prop in J as [J ->];
        rewrite andb_true_r; apply same_perm; apply same_perm in J; [now rewrite <- Q|now rewrite Q]. }
    assert (PE : forall k, sum (fun y => if S y then weight K k y else 0) ys = Pr Ev (sent K [k])).
    { intros k. rewrite Pr_over by exact HE. cbn [map over]. apply sum_ext. intros y I. unfold shown, Ev.
      cbn [concat]. rewrite app_nil_r, self_same by exact I. destruct (S y); ring. }
    rewrite !PE. destruct (Nat.eq_dec i' j') as [->|NE].
    - assert (0 <= Pr Ev (sent K [j'])); [|nra]. rewrite Pr_mean. apply mean_nonneg. intros t p I.
      split; [now apply (sent_weight K HK [j'] t)|]. unfold indicator. destruct (Ev t); lra.
    - specialize (P [i'] [j']). assert (Pr Ev (sent K [i']) - E * Pr Ev (sent K [j']) <= 0); [|lra]. apply P;
        [| | |exact HE].
      + split; [reflexivity|]. intros q [<-|[]]. exact LI.
      + split; [reflexivity|]. intros q [<-|[]]. exact LJ.
      + exists [], i', j', []. auto. }
  pose proof (any_randomizer (list_eq_dec Nat.eq_dec) ys W WL n E a A1 LP l x x' r T Lx) as AR.
  rewrite !chance_over, !OV in AR by assumption. rewrite !Pr_over by exact HT. apply AR.
  intros s t Q. pose proof (event_blind T HT s t Q) as B. unfold shown in B. destruct (T s), (T t); auto; lra.
Qed.
End Link.
