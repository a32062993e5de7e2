(* What is made of a draw by a function: its probabilities, its events, and what is known of it from below. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Blanket AnyRandomizer.
From Shufflecert Require Import Spec SpecCount SpecColumns Sums Poly Gain Numbers.
Import ListNotations.
Notation sum := SpecCount.sum.
Local Open Scope R_scope.

Section Made.
Context {A : Type} (same : forall a b : A, {a = b} + {a <> b}) (f : A -> Z) (m : A -> R) (M : is_mass m).
Lemma part_sum (E : A -> bool) l : NoDup l -> sum (fun a => if E a then m a else 0) l <= 1.
Proof.
  intros D. eapply Rle_trans; [|apply (mass_sum m l M D)]. apply sum_le. intros a _. pose proof (proj1 M a). destruct (E a); lra.
Qed.
Lemma part_0 (E : A -> bool) a : 0 <= (if E a then m a else 0).
Proof. pose proof (proj1 M a). destruct (E a); lra. Qed.
Lemma made_total k : total (fun a => if (f a =? k)%Z then m a else 0) (made_by f m k).
Proof. apply series_total. intros l D. now apply (part_sum (fun a => f a =? k)%Z). Qed.
Lemma made_0 k : 0 <= made_by f m k.
Proof. exact (total_above _ _ [] (made_total k) (NoDup_nil _)). Qed.
(* the outcomes of l whose image is among ks *)
Lemma by_image (E : Z -> bool) l ks : NoDup ks ->
  sum (fun k => if E k then sum (fun a => if (f a =? k)%Z then m a else 0) l else 0) ks =
  sum (fun a => if existsb (Z.eqb (f a)) ks then if E (f a) then m a else 0 else 0) l.
Proof.
  induction l as [|a l IH]; intros D.
  - rewrite (sum_ext _ (fun _ => 0)); [apply AnyRandomizer.sum_zero|]. intros k _. now destruct (E k).
  - rewrite sum_cons, <- IH by exact D. clear IH.
    assert (X : sum (fun k => if E k then if (f a =? k)%Z then m a else 0 else 0) ks =
      (if existsb (Z.eqb (f a)) ks then if E (f a) then m a else 0 else 0)).
    { induction D as [|k ks N D IH]; [reflexivity|]. rewrite sum_cons, IH. cbn [existsb]. destruct (Z.eqb_spec (f a) k) as [F|F]; cbn [orb].
      - assert (existsb (Z.eqb (f a)) ks = false) as ->.
        { apply not_true_is_false. intros X. apply existsb_exists in X as (j & I & J). apply Z.eqb_eq in J. subst. contradiction. }
        rewrite F. destruct (E k); ring.
      - destruct (E k); ring. }
    rewrite <- X, <- sum_plus. apply sum_ext. intros k _. rewrite sum_cons. destruct (E k); ring.
Qed.
Theorem made_event (E : Z -> bool) t : total (fun a => if E (f a) then m a else 0) t -> total (fun k => if E k then made_by f m k else 0) t.
Proof.
  intros T. split.
  - intros y (ks & D & ->). apply le_epsilon. intros e He.
    assert (J : exists l, NoDup l /\ forall k, In k ks -> made_by f m k <= sum (fun a => if (f a =? k)%Z then m a else 0) l + e / (INR (length ks) + 1)).
    { pose proof (small (length ks) e He) as S0. set (d := e / _) in *. clear D. clearbody d. induction ks as [|k ks (l & D & IH)]; [exists []; split; [constructor|intros k []]|].
      destruct (total_near _ _ d (made_total k) S0) as (l' & D' & L). destruct (sum_union same l l' D D') as (u & U & I1 & I2).
      exists u. split; [exact U|]. intros j [<-|I].
      - pose proof (sum_incl _ l' (part_0 (fun a => f a =? k)%Z) D' u I2). lra.
      - pose proof (sum_incl _ l (part_0 (fun a => f a =? j)%Z) D u I1). specialize (IH j I). lra. }
    destruct J as (l & DL & J).
    apply Rle_trans with (sum (fun k => if E k then sum (fun a => if (f a =? k)%Z then m a else 0) l else 0) ks + e).
    + apply sum_at_most; [exact He|]. intros k I. specialize (J k I). pose proof (small (length ks) e He). destruct (E k); lra.
    + apply Rplus_le_compat_r. rewrite by_image by exact D. eapply Rle_trans; [|apply (total_above _ _ l T DL)]. apply sum_le. intros a _.
      pose proof (proj1 M a). destruct (existsb _ ks), (E (f a)); lra.
  - intros c C. apply (total_least _ _ _ T). intros l D. set (ks := nodup Z.eq_dec (map f l)).
    apply Rle_trans with (sum (fun k => if E k then made_by f m k else 0) ks); [|apply C; exists ks; split; [apply NoDup_nodup|reflexivity]].
    apply Rle_trans with (sum (fun k => if E k then sum (fun a => if (f a =? k)%Z then m a else 0) l else 0) ks).
    + rewrite by_image by apply NoDup_nodup. right. apply sum_ext. intros a I.
      assert (existsb (Z.eqb (f a)) ks = true) as ->; [|reflexivity]. apply existsb_exists. exists (f a). split; [|apply Z.eqb_refl].
      apply nodup_In. now apply in_map.
    + apply sum_le. intros k _. pose proof (total_above _ _ l (made_total k) D). destruct (E k); lra.
Qed.
Theorem made_mass : is_mass (made_by f m).
Proof. split; [apply made_0|]. exact (made_event (fun _ => true) 1 (proj2 M)). Qed.
End Made.
Lemma made_below (f : Z -> Z) m p u : is_mass m -> (0 <= u)%Z -> (forall k, eval (fun i => if (i =? k)%Z then 1 else 0) p <= IZR u * m k) ->
  forall k, eval (fun i => if (i =? k)%Z then 1 else 0) (map (fun o => (f (fst o), snd o)) p) <= IZR u * made_by f m k.
Proof.
  intros M U H k. set (ks := nodup Z.eq_dec (map fst p)).
  assert (X : forall g, eval g p = sum (fun i => g i * eval (fun j => if (j =? i)%Z then 1 else 0) p) ks).
  { intros g. unfold ks. assert (I : incl (map fst p) (nodup Z.eq_dec (map fst p))) by (intros i J; now apply nodup_In).
    pose proof (NoDup_nodup Z.eq_dec (map fst p)) as D. revert I D. generalize (nodup Z.eq_dec (map fst p)). intros l. clear - p.
    induction p as [|[i w] q IH]; intros I D; cbn [eval].
    - rewrite (sum_ext _ (fun _ => 0)) by (intros; ring). now rewrite AnyRandomizer.sum_zero.
    - rewrite IH by (auto; intros j J; apply I; now right).
      assert (Y : IZR w * g i = sum (fun j => g j * (IZR w * (if (i =? j)%Z then 1 else 0))) l).
      { specialize (I i (or_introl eq_refl)). clear IH. induction D as [|j l N D IHl]; [destruct I|]. rewrite sum_cons. destruct I as [->|I].
        - rewrite Z.eqb_refl, (sum_ext _ (fun _ => 0)); [rewrite AnyRandomizer.sum_zero; ring|]. intros j J. destruct (Z.eqb_spec i j) as [->|]; [contradiction|ring].
        - rewrite <- IHl by exact I. destruct (Z.eqb_spec i j) as [->|]; [contradiction|ring]. }
      rewrite Y, <- sum_plus. apply sum_ext. intros j _. ring. }
  assert (E : eval (fun i => if (i =? k)%Z then 1 else 0) (map (fun o => (f (fst o), snd o)) p) = eval (fun i => if (f i =? k)%Z then 1 else 0) p).
  { clear. induction p as [|[i w] q IH]; [reflexivity|]. cbn [map eval fst snd]. now rewrite IH. }
  rewrite E, X. apply IZR_le in U.
  apply Rle_trans with (IZR u * sum (fun i => if (f i =? k)%Z then m i else 0) ks).
  - rewrite <- sum_scale. apply sum_le. intros i _. specialize (H i). destruct (f i =? k)%Z; lra.
  - apply Rmult_le_compat_l; [exact U|]. apply (total_above _ _ _ (made_total f m M k)), NoDup_nodup.
Qed.
