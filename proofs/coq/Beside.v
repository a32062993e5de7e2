(* What is the same on both sides, and independent, adds nothing. *)
From Coq Require Import Reals ZArith List Lra Lia Psatz.
From Shufflecert Require Import Spec SpecCount  Sums Noise Total Gain.
Import ListNotations.
Local Open Scope R_scope.

Lemma sum_within {A} (f : A -> R) l : (forall a, 0 <= f a) -> NoDup l -> forall m,
  (forall a, In a l -> In a m \/ f a = 0) -> sum f l <= sum f m.
Proof.
  intros H D. induction D as [|a l N D IH]; intros m I; [now apply sum_nonneg|]. rewrite sum_cons.
  destruct (I a (or_introl eq_refl)) as [M|Z]; [|rewrite Z, Rplus_0_l; apply IH; intros; apply I; now right].
  destruct (sum_split f a m M) as (m1 & m2 & -> & ->).
  apply Rplus_le_compat_l, IH. intros b B. destruct (I b (or_intror B)) as [J|]; [left|now right].
  rewrite in_app_iff in *. cbn [In] in *. destruct J as [|[->|]]; auto. contradiction.
Qed.
Lemma sum_prod {A B} (f : A * B -> R) U V : sum f (list_prod U V) = sum (fun a => sum (fun b => f (a, b)) V) U.
Proof. induction U as [|a U IH]; [reflexivity|]. cbn [list_prod]. now rewrite sum_app, sum_cons, sum_map, IH. Qed.

Lemma nodup_app {A} (l m : list A) : NoDup l -> NoDup m -> (forall a, In a l -> ~ In a m) -> NoDup (l ++ m).
Proof.
  intros D M H. induction D as [|a l N D IH]; [exact M|]. cbn [app]. constructor.
  - rewrite in_app_iff. intros [I|I]; [contradiction|]. apply (H a); [now left|exact I].
  - apply IH. intros b I. apply H. now right.
Qed.
Lemma nodup_prod {A B} (U : list A) (V : list B) : NoDup U -> NoDup V -> NoDup (list_prod U V).
Proof.
  intros D V1. induction D as [|a U N D IH]; cbn [list_prod]; [constructor|]. apply nodup_app; auto.
  - apply FinFun.Injective_map_NoDup; auto. intros b c. congruence.
  - intros [a' b] I J. apply in_map_iff in I as (b' & E & _). apply in_prod_iff in J as [J _]. congruence.
Qed.

(* delta(log z) of two laws is at most d *)
Definition within {A} (P Q : A -> R) z d := forall l, NoDup l -> sum (excess P Q z) l <= d.

Section Beside.
Context {A B C : Type} (sameA : forall a b : A, {a = b} + {a <> b}) (sameB : forall a b : B, {a = b} + {a <> b}).
Variables (join : A -> B -> C) (g : B -> R).
Hypotheses (G0 : forall b, 0 <= g b) (G1 : forall V, NoDup V -> sum g V <= 1).
Let joined ab := join (fst ab) (snd ab).
Lemma parts (l : list C) : exists U V, NoDup U /\ NoDup V /\
  forall c, In c l -> (exists a b, c = join a b) -> In c (map joined (list_prod U V)).
Proof.
  assert (X : exists U V, forall c, In c l -> (exists a b, c = join a b) -> exists a b, c = join a b /\ In a U /\ In b
    V).
  { induction l as [|c l (U & V & IH)]; [exists [], []; intros c []|].
    destruct (Classical_Prop.classic (exists a b, c = join a b)) as [(a & b & E)|N].
    - exists (a :: U), (b :: V). intros c' [<-|I] J; [exists a, b; cbn; auto|].
      destruct (IH c' I J) as (a' & b' & ? & ? & ?). exists a', b'. cbn. auto.
    - exists U, V. intros c' [<-|I] J; [contradiction|auto]. }
  destruct X as (U & V & X). exists (nodup sameA U), (nodup sameB V). split; [apply NoDup_nodup|].
  split; [apply NoDup_nodup|]. intros c I J. destruct (X c I J) as (a & b & -> & IU & IV).
  apply in_map_iff. exists (a, b). split; [reflexivity|]. apply in_prod; now apply nodup_In.
Qed.
Lemma beside P Q P' Q' z d : (forall a b, P' (join a b) = P a * g b) -> (forall a b, Q' (join a b) = Q a * g b) ->
  (forall c, (exists a b, c = join a b) \/ P' c = 0 /\ Q' c = 0) -> within P Q z d -> within P' Q' z d.
Proof.
  intros HP HQ R W l D. destruct (parts l) as (U & V & DU & DV & I).
  eapply Rle_trans; [apply (sum_within _ l) with (m := map joined (list_prod U V)); auto|].
  - intros c. apply Rmax_r.
  - intros c IC. destruct (R c) as [J|[J K]]; [left; auto|right].
    unfold excess. rewrite J, K, Rmult_0_r, Rminus_0_r. now apply Rmax_left, Rle_refl.
  - rewrite sum_map, sum_prod. eapply Rle_trans; [|apply (W U DU)]. apply sum_le. intros a _.
    apply Rle_trans with (excess P Q z a * sum g V).
    + right. rewrite <- sum_scale. apply sum_ext. intros b _. unfold joined, excess. cbn [fst snd].
      rewrite HP, HQ. rewrite (Rmult_comm (Rmax _ 0)), (Rmax_scale (g b)) by auto. f_equal. ring.
    + rewrite <- (Rmult_1_r (excess P Q z a)) at 2. apply Rmult_le_compat_l; [apply Rmax_r|auto].
Qed.
Lemma total_beside f f' t : (forall a b, f' (join a b) = f a * g b) -> (forall c, 0 <= f' c) -> (forall a, 0 <= f a) ->
  (forall c, (exists a b, c = join a b) \/ f' c = 0) ->
  (forall a b a' b', join a b = join a' b' -> a = a' /\ b = b') -> total g 1 -> total f t -> total f' t.
Proof.
  intros F F0 f0 R IJ TG TF.
  assert (SP : forall U V, sum f' (map joined (list_prod U V)) = sum f U * sum g V).
  { intros U V. rewrite sum_map, sum_prod, Rmult_comm, <- sum_scale. apply sum_ext. intros a _.
    rewrite Rmult_comm, <- sum_scale. apply sum_ext. intros b _. apply F. }
  split.
  - intros y (l & D & ->). destruct (parts l) as (U & V & DU & DV & I).
    eapply Rle_trans; [apply (sum_within _ l) with (m := map joined (list_prod U V)); auto|].
    + intros c IC. destruct (R c); auto.
    + rewrite SP. pose proof (total_above _ _ U TF DU). pose proof (G1 V DV). pose proof (sum_nonneg f U f0).
      pose proof (sum_nonneg g V G0). nra.
  - intros b BD. apply (total_least _ _ _ TF). intros U DU. destruct (Rle_lt_dec (sum f U) 0) as [N|N].
    + eapply Rle_trans; [exact N|]. apply BD. exists []. split; [constructor|reflexivity].
    + assert (X : 1 <= b / sum f U).
      { apply (total_least _ _ _ TG). intros V DV. apply Rmult_le_reg_l with (sum f U); [exact N|].
        replace (sum f U * (b / sum f U)) with b by (field; lra). rewrite <- SP. apply BD.
        exists (map joined (list_prod U V)). split; [|reflexivity].
        apply FinFun.Injective_map_NoDup.
        - intros [a1 b1] [a2 b2] E. apply IJ in E as [E1 E2]. cbn in *. congruence.
        - now apply nodup_prod. }
      apply Rmult_le_compat_l with (r := sum f U) in X; [|lra]. replace (sum f U * (b / sum f U)) with b in X by (field;
        lra). lra.
Qed.
End Beside.

Lemma within_ext {A} (P Q P' Q' : A -> R) z d : (forall a, P a = P' a) -> (forall a, Q a = Q' a) -> within P Q z d ->
  within P' Q' z d.
Proof.
  intros HP HQ W l D. erewrite sum_ext; [exact (W l D)|]. intros a _. unfold excess. now rewrite HP, HQ.
Qed.
