(* Balcer & Cheu's binary sum (Figure 1) is a count with binomial noise, for every p, n and dataset. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec SpecCount Poly Key Law Views Sums Exp Noise Total.
Import ListNotations.
Local Open Scope R_scope.

(* x + Ber(p) copies of one message *)
Definition zsum (p : Q) : randomizer := [[([], 1 - p); ([0%nat], p)]; [([0%nat], 1 - p); ([0%nat; 0%nat], p)]]%Q.
(* how many ones there are *)
Definition ones (xs : list nat) : Z := fold_right (fun x s => Z.of_nat x + s)%Z 0%Z xs.

Section Zsum.
Variables (p : Q) (Hp : 0 < Q2R p < 1).
Let y := Q2R p.
Definition bin (n k : nat) : R := if (k <=? n)%nat then Binomial.C n k * y ^ k * (1 - y) ^ (n - k) else 0.
Lemma bin_0 n : bin (S n) 0 = (1 - y) * bin n 0.
Proof.
  unfold bin. cbn [Nat.leb]. rewrite !Nat.sub_0_r. unfold Binomial.C. rewrite !Nat.sub_0_r. cbn [pow].
  pose proof (INR_fact_lt_0 n). pose proof (INR_fact_lt_0 (S n)). cbn [fact INR] in *. field. split; lra.
Qed.
Lemma C_all n : Binomial.C n n = 1.
Proof. unfold Binomial.C. rewrite Nat.sub_diag. pose proof (INR_fact_lt_0 n). cbn [fact INR]. field. lra. Qed.
Lemma bin_S n k : bin (S n) (S k) = (1 - y) * bin n (S k) + y * bin n k.
Proof.
  unfold bin. destruct (Nat.leb_spec (S k) (S n)), (Nat.leb_spec (S k) n), (Nat.leb_spec k n); try lia; try ring.
  - rewrite <- pascal by lia. replace (S n - S k)%nat with (S (n - S k)) by lia.
    replace (n - k)%nat with (S (n - S k)) by lia. cbn [pow]. ring.
  - replace k with n by lia. rewrite !C_all, !Nat.sub_diag. cbn [pow]. ring.
Qed.
Lemma bin_beyond n k : (n < k)%nat -> bin n k = 0.
Proof. intros H. unfold bin. destruct (Nat.leb_spec k n); [lia|reflexivity]. Qed.
Definition average_of n (h : nat -> R) := sum_f_R0 (fun k => bin n k * h k) n.
Lemma one_more_bit n h : average_of (S n) h = (1 - y) * average_of n h + y * average_of n (fun k => h (S k)).
Proof.
  unfold average_of. rewrite decomp_sum by lia. cbn [pred]. rewrite bin_0.
  rewrite (sum_eq _ (fun k => bin n (S k) * h (S k) * (1 - y) + bin n k * h (S k) * y)) by
    (intros k _; rewrite bin_S; ring).
  rewrite plus_sum, <- (scal_sum (fun k => bin n (S k) * h (S k))), <- (scal_sum (fun k => bin n k * h (S k))).
  assert (X : sum_f_R0 (fun k => bin n k * h k) n = bin n 0 * h 0%nat + sum_f_R0 (fun k => bin n (S k) * h (S k)) n).
  { transitivity (sum_f_R0 (fun k => bin n k * h k) (S n)).
    - cbn [sum_f_R0]. rewrite (bin_beyond n (S n)) by lia. ring.
    - rewrite decomp_sum by lia. reflexivity. }
  rewrite X. ring.
Qed.

(* ---- what users send: how many messages ---- *)
Lemma row_mean x h : (x < 2)%nat -> mean h (nth x (zsum p) []) = (1 - y) * h (repeat 0%nat x) + y * h (repeat 0%nat (S
  x)).
Proof.
  intros Hx. destruct x as [|[|x]]; [| |lia]; cbn [zsum nth mean fst snd repeat]; rewrite Q2R_minus, RMicromega.Q2R_1;
    fold y; ring.
Qed.
Lemma many xs : (forall x, In x xs -> (x < 2)%nat) -> forall h : nat -> R,
  mean (fun t => h (length (concat t))) (sent (zsum p) xs) =
  average_of (length xs) (fun k => h (Z.to_nat (ones xs) + k)%nat).
Proof.
  induction xs as [|x xs IH]; intros Hx h.
  - unfold average_of, bin. cbn [sent mean fst snd length sum_f_R0 concat Nat.leb ones fold_right].
    rewrite RMicromega.Q2R_1, C_all. change (0 - 0)%nat with 0%nat. cbn [pow Nat.add Z.to_nat]. ring.
  - rewrite mean_sent, row_mean by (apply Hx; now left). cbn [length]. rewrite one_more_bit.
    assert (N : (0 <= ones xs)%Z) by (clear; induction xs; cbn [ones fold_right]; [lia|]; unfold ones in IHxs; lia).
    assert (G : forall m, mean (fun t => h (length (concat (repeat 0%nat m :: t)))) (sent (zsum p) xs) =
      average_of (length xs) (fun k => h (m + (Z.to_nat (ones xs) + k))%nat)).
    { intros m. rewrite <- (IH (fun u Hu => Hx u (or_intror Hu)) (fun k => h (m + k)%nat)). apply mean_ext.
      intros t q _. cbn [concat]. now rewrite app_length, repeat_length. }
    rewrite !G. f_equal; f_equal; unfold average_of; apply sum_eq; intros k _; f_equal; f_equal;
      cbn [ones fold_right]; unfold ones in *; lia.
Qed.
Lemma all_0 xs t q : (forall x, In x xs -> (x < 2)%nat) -> In (t, q) (sent (zsum p) xs) ->
  concat t = repeat 0%nat (length (concat t)).
Proof.
  intros Hx I. apply Forall_eq_repeat. revert t q Hx I. induction xs as [|x xs IH]; intros t q Hx I.
  - cbn in I. destruct I as [[= <- <-]|[]]. constructor.
  - cbn [sent] in I. apply in_flat_map in I as [[s r] [I J]]. apply in_map_iff in J as [[u o] [[= <- <-] J]].
    cbn [concat fst]. apply Forall_app. split; [|eapply IH; eauto; intros; apply Hx; now right].
    specialize (Hx x (or_introl eq_refl)). destruct x as [|[|x]]; [| |lia]; cbn [zsum nth] in I;
      destruct I as [[= <- <-]|[[= <- <-]|[]]]; repeat constructor.
Qed.

(* ---- the same probability of every event ---- *)
Definition counted E (k : Z) : bool := E [repeat 0%nat (Z.to_nat k)].
Theorem zsum_is_count xs E : event Shuffled E -> (forall x, In x xs -> (x < 2)%nat) ->
  Pr_count (Binomial (Z.of_nat (length xs)) p) (ones xs) (counted E) (Pr E (sent (zsum p) xs)).
Proof.
  intros HE Hx. set (n := length xs). set (X := Binomial (Z.of_nat n) p).
  assert (HN : is_noise X) by (split; [lia|exact Hp]).
  assert (N : (0 <= ones xs)%Z) by (clear; induction xs; cbn [ones fold_right]; [lia|]; unfold ones in IHxs; lia).
  set (f := fun k => if counted E (ones xs + k) then prob X k else 0).
  assert (F0 : forall k, 0 <= f k) by (intros k; unfold f; pose proof (prob_nonneg X k HN); destruct (counted _ _);
    lra).
  assert (FN : forall i, f (Z.of_nat i) = bin n i * indicator (fun k => E [repeat 0%nat k]) (Z.to_nat (ones xs) +
    i)%nat).
  { intros i. unfold f, counted, indicator.
    replace (Z.to_nat (ones xs + Z.of_nat i)) with (Z.to_nat (ones xs) + i)%nat by lia.
    assert (B : prob X (Z.of_nat i) = bin n i).
    { unfold X, bin. cbn [prob]. rewrite !Nat2Z.id. fold y. destruct (Z.leb_spec 0 (Z.of_nat i)); [|lia].
      destruct (Z.leb_spec (Z.of_nat i) (Z.of_nat n)), (Nat.leb_spec i n); try lia; reflexivity. }
    rewrite B. destruct (E _); ring. }
  assert (S : Pr E (sent (zsum p) xs) = sum_f_R0 (fun i => f (Z.of_nat i)) n).
  { rewrite Pr_mean. rewrite (mean_ext _ (fun t => indicator (fun k => E [repeat 0%nat k]) (length (concat t)))).
    - rewrite (many xs Hx (indicator (fun k => E [repeat 0%nat k]))). unfold average_of. apply sum_eq. intros i _.
      now rewrite FN.
    - intros t q I. assert (EQ : E [repeat 0%nat (length (concat t))] = E t).
      { rewrite <- (all_0 xs t q Hx I). apply HE. cbn [looks_same concat]. now rewrite app_nil_r. }
      unfold indicator. now rewrite EQ. }
  rewrite S. apply (total_of_series f); auto.
  - intros k Hk. unfold f. rewrite below_0 by (auto; exact Logic.I). now destruct (counted _ _).
  - intros e He. exists n. intros m Hm. replace (sum_f_R0 (fun i => f (Z.of_nat i)) m) with (sum_f_R0 (fun i => f
    (Z.of_nat i)) n);
      [unfold R_dist; rewrite Rminus_diag_eq, Rabs_R0; auto|].
    induction Hm as [|m Hm IH]; [reflexivity|]. cbn [sum_f_R0]. rewrite <- IH, FN, bin_beyond by lia. ring.
Qed.
(* so what holds of the count holds of the protocol *)
Theorem zsum_private n z d : count_private (Binomial (Z.of_nat n) p) 1 z d -> private Shuffled (zsum p) n z d.
Proof.
  intros H xs ys [Lx X] [Ly Y] (l & a & b & r & N & -> & ->) E HE.
  pose proof (zsum_is_count _ E HE X) as A. pose proof (zsum_is_count _ E HE Y) as B.
  rewrite Lx in A. rewrite Ly in B.
  assert (Z : forall c, ones (l ++ c :: r) = (Z.of_nat c + ones (l ++ r))%Z).
  { intros c. clear. induction l as [|u l IH];
    [reflexivity|]. cbn [app ones fold_right]. unfold ones in IH. rewrite IH. lia. }
  specialize (X a (in_elt _ _ _)). specialize (Y b (in_elt _ _ _)). cbn in X, Y.
  apply (H (ones (l ++ a :: r)) (ones (l ++ b :: r)) (counted E)); auto. unfold near. rewrite !Z. lia.
Qed.
End Zsum.
