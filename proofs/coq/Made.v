(* What is made of a draw by a function: its probabilities, its events, and what is known of it from below. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Blanket AnyRandomizer Beside.
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

Lemma by_parts {A} (f : Z -> Z) (g : Z * A -> R) J l : sum (fun o => sum (fun i => if (f i =? fst o)%Z then g (i, snd o) else 0) J) l =
  sum g (flat_map (fun o => map (fun i => (i, snd o)) (filter (fun i => f i =? fst o)%Z J)) l).
Proof.
  induction l as [|o l IH]; [reflexivity|]. cbn [flat_map]. rewrite sum_cons, sum_app, IH. f_equal. rewrite sum_map. clear.
  induction J as [|i J IH]; [reflexivity|]. cbn [filter]. rewrite sum_cons, IH. destruct (f i =? fst o)%Z; rewrite ?sum_cons; ring.
Qed.
(* Who sees what is made of a draw, beside something else, learns no more. *)
Lemma made_first {A} (f : Z -> Z) (p p' : Z -> R) (s s' : A -> R) z d : is_mass p -> is_mass p' -> is_mass s -> is_mass s' ->
  0 <= z -> Beside.within (beside_it p s) (beside_it p' s') z d ->
  Beside.within (beside_it (made_by f p) s) (beside_it (made_by f p') s') z d.
Proof.
  intros P P' S S' Z0 W l D. apply le_epsilon. intros e E.
  assert (J : exists J, NoDup J /\ forall k, In k (map fst l) -> made_by f p k <= sum (fun i => if (f i =? k)%Z then p i else 0) J + e / (INR (length l) + 1)).
  { pose proof (small (length l) e E) as S0. set (d0 := e / _) in *. clear D W. clearbody d0. generalize (map fst l). intros ks.
    induction ks as [|k ks (J & D & IH)]; [exists []; split; [constructor|intros k []]|].
    destruct (total_near _ _ d0 (made_total f p P k) S0) as (l' & D' & L). destruct (sum_union Z.eq_dec J l' D D') as (u & U & I1 & I2).
    exists u. split; [exact U|]. intros j [<-|I].
    - pose proof (sum_incl _ l' (part_0 p P (fun a => f a =? k)%Z) D' u I2). lra.
    - pose proof (sum_incl _ J (part_0 p P (fun a => f a =? j)%Z) D u I1). specialize (IH j I). lra. }
  destruct J as (J & DJ & H). set (g := excess (beside_it p s) (beside_it p' s') z).
  assert (X : forall o, In o l -> excess (beside_it (made_by f p) s) (beside_it (made_by f p') s') z o <=
    sum (fun i => if (f i =? fst o)%Z then g (i, snd o) else 0) J + e / (INR (length l) + 1)).
  { intros [k a] I. pose proof (H k ltac:(now apply (in_map fst) in I)) as Hk. cbn [fst snd].
    pose proof (total_above _ _ J (made_total f p' P' k) DJ) as Lk. pose proof (proj1 S a) as S0. pose proof (mass_one s a S) as S1.
    pose proof (proj1 S' a) as S0'. pose proof (small (length l) e E) as E0.
    assert (N : 0 <= sum (fun i => if (f i =? k)%Z then g (i, a) else 0) J).
    { apply sum_nonneg. intros i. destruct (f i =? k)%Z; [apply Rmax_r|lra]. }
    unfold excess at 1. apply Rmax_lub; [|lra]. unfold beside_it at 1 2. cbn [fst snd].
    assert (Q : sum (fun i => if (f i =? k)%Z then p i else 0) J * s a - z * (sum (fun i => if (f i =? k)%Z then p' i else 0) J * s' a) <=
      sum (fun i => if (f i =? k)%Z then g (i, a) else 0) J).
    { rewrite !sum_const_mul, <- sum_scale. unfold Rminus. rewrite <- (Rmult_1_l (sum (fun a0 => z * _) J)).
      rewrite Ropp_mult_distr_l, <- sum_scale, <- sum_plus. apply sum_le. intros i _. unfold g, excess, beside_it. cbn [fst snd].
      pose proof (Rmax_l (p i * s a - z * (p' i * s' a)) 0). destruct (f i =? k)%Z; lra. }
    assert (z * (sum (fun i => if (f i =? k)%Z then p' i else 0) J * s' a) <= z * (made_by f p' k * s' a)).
    { apply Rmult_le_compat_l; [exact Z0|]. now apply Rmult_le_compat_r. }
    set (e' := e / (INR (length l) + 1)) in *. set (u := sum (fun i => if (f i =? k)%Z then p i else 0) J) in *. nra. }
  eapply Rle_trans; [apply sum_le; exact X|]. rewrite sum_plus.
  rewrite sum_const. apply Rplus_le_compat.
  - set (back := fun o : Z * A => map (fun i => (i, snd o)) (filter (fun i => f i =? fst o)%Z J)).
    apply Rle_trans with (sum g (flat_map back l)).
    + right. apply by_parts.
    + apply W. clear - D DJ. induction D as [|o l N D IH]; [constructor|]. cbn [flat_map]. apply Beside.nodup_app; [|exact IH|].
      * apply FinFun.Injective_map_NoDup; [|now apply NoDup_filter]. intros a b Q. congruence.
      * intros q I1 I2. apply N. apply in_map_iff in I1 as (i & <- & I1). apply filter_In in I1 as [_ I1]. apply Z.eqb_eq in I1.
        apply in_flat_map in I2 as (o' & O & I2). apply in_map_iff in I2 as (i' & Q & I2). apply filter_In in I2 as [_ I2]. apply Z.eqb_eq in I2.
        injection Q as -> Q. destruct o as [k a], o' as [k' a']. cbn [fst snd] in *. subst. exact O.
  - pose proof (pos_INR (length l)). apply Rmult_le_reg_r with (INR (length l) + 1); [lra|]. field_simplify; nra.
Qed.
