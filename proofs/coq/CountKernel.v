(* The checker of counts with binomial noise, and the theorem about it. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount Exp Check Kernel Count CountLow.
Import ListNotations.
Local Open Scope Z_scope.

(* How far to walk; nothing that is said here can make a false certificate pass. *)
Record walk := {
  exponent_bits : precision;
  weight_bits : Z;
  start_up : Z; start_down : Z;      (* where the event begins: X + 1 against X, and X against X + 1 (for n - X) *)
  steps_up : nat; steps_down : nat;  (* of the walks of X + 1 against X *)
  steps_up' : nat; steps_down' : nat
}.
(* p = a / (a + c) *)
Definition part (c : count) : Z := Qnum (noise_p c).
Definition rest (c : count) : Z := QDen (noise_p c) - Qnum (noise_p c).

Definition upper_end (c : count) (h : walk) (d : Q) : bool :=
  (0 <=? start_up h) && (0 <=? start_down h) &&
  check_shift (noise_n c) (part c) (rest c) (count_eps c) d (exponent_bits h) (Z.to_nat (start_up h)) (weight_bits h)
    (steps_up h) (steps_down h) &&
  check_shift (noise_n c) (rest c) (part c) (count_eps c) d (exponent_bits h) (Z.to_nat (start_down h)) (weight_bits h)
    (steps_up' h) (steps_down' h).
Definition lower_end (c : count) (h : walk) (d : Q) (strict : bool) : bool :=
  check_shift_low (noise_n c) (part c) (rest c) (count_eps c) d (exponent_bits h) (Z.to_nat (start_up h))
    (weight_bits h)
    (steps_up h) (steps_down h) strict ||
  check_shift_low (noise_n c) (rest c) (part c) (count_eps c) d (exponent_bits h) (Z.to_nat (start_down h))
    (weight_bits h)
    (steps_up' h) (steps_down' h) strict.

Definition check_count (c : count) (v : verdict) (lower upper : Q) (h : walk) : bool :=
  (0 <=? noise_n c) && lower_end c h lower false &&
  match v with
  | PROVED => upper_end c h (smaller upper (count_delta c))
  | REFUTED => upper_end c h upper && lower_end c h (count_delta c) true
  end.

Local Open Scope R_scope.
(* ---- n - X is a count too ---- *)
Lemma weight_first a c n : weight a c n 0 = weight c a n n.
Proof.
  induction n as [|n IH]; [reflexivity|]. cbn [weight]. rewrite IH, (weight_beyond c a n (S n)) by lia. ring.
Qed.
Lemma weight_sym a c n k : (k <= n)%nat -> weight a c n k = weight c a n (n - k).
Proof.
  revert k. induction n as [|n IH]; intros k H; [replace k with O by lia; reflexivity|]. destruct k as [|k].
  - rewrite Nat.sub_0_r. apply weight_first.
  - cbn [Nat.sub]. change (weight a c (S n) (S k)) with (c * weight a c n (S k) + a * weight a c n k).
    destruct (Nat.eq_dec k n) as [->|N].
    + rewrite Nat.sub_diag, (weight_beyond a c n (S n)) by lia. cbn [weight]. rewrite <- (weight_first c a n). ring.
    + rewrite !IH by lia. replace (n - k)%nat with (S (n - S k)) by lia. cbn [weight]. ring.
Qed.
Lemma range_reverse f n : range f 0 (S n) = range (fun k => f (n - k)%nat) 0 (S n).
Proof.
  induction n as [|n IH]; [reflexivity|]. rewrite range_last, IH, (range_first (fun k => f (S n - k)%nat) 0 (S n)),
    range_shift.
  cbn [Nat.add Nat.sub]. ring.
Qed.

Lemma count_as_shift p n s (E : Z -> bool) :
  Pr_count p n (s + 1) E = Pr_in (fun k => E (s + Z.of_nat k)%Z) (after (binomial p n)) n /\
  Pr_count p n s E = Pr_in (fun k => E (s + Z.of_nat k)%Z) (binomial p n) n.
Proof.
  unfold Pr_count, Pr_in. replace (n + 2)%nat with (S (S n)) by lia. split.
  - rewrite (range_first _ 0 (S n)), range_shift. cbn [after].
    replace (if E (s + Z.of_nat 0)%Z then 0 else 0) with 0 by (destruct (E _); reflexivity). rewrite Rplus_0_l.
    apply range_ext. intros k _. replace (s + 1 + Z.of_nat k)%Z with (s + Z.of_nat (S k))%Z by lia. reflexivity.
  - rewrite (range_last _ 0 (S n)). unfold binomial at 3. rewrite (weight_beyond _ _ n (0 + S n)) by lia.
    destruct (E _); ring.
Qed.
Lemma count_reversed p n s (E : Z -> bool) :
  Pr_count p n s E = Pr_count (1 - p) n (- s - Z.of_nat n) (fun k => E (- k)%Z).
Proof.
  unfold Pr_count. rewrite range_reverse. apply range_ext. intros k Hk.
  replace (- (- s - Z.of_nat n + Z.of_nat k))%Z with (s + Z.of_nat (n - k))%Z by lia.
  destruct (E _); [|reflexivity]. unfold binomial. rewrite weight_sym by lia. replace (n - (n - k))%nat with k by lia.
  f_equal. ring.
Qed.
Lemma both_ways p n z d : shift_private p n z d -> shift_private (1 - p) n z d -> count_private p n z d.
Proof.
  intros U V s t E [->| ->].
  - rewrite (count_reversed p n s), (count_reversed p n (s + 1)).
    replace (- s - Z.of_nat n)%Z with (- (s + 1) - Z.of_nat n + 1)%Z by lia.
    destruct (count_as_shift (1 - p) n (- (s + 1) - Z.of_nat n) (fun k => E (- k)%Z)) as [-> ->]. apply V.
  - destruct (count_as_shift p n t E) as [-> ->]. apply U.
Qed.
Lemma shown p n s (F : nat -> bool) : exists E : Z -> bool,
  Pr_count p n (s + 1) E = Pr_in F (after (binomial p n)) n /\ Pr_count p n s E = Pr_in F (binomial p n) n.
Proof.
  exists (fun k => F (Z.to_nat (k - s))). destruct (count_as_shift p n s (fun k => F (Z.to_nat (k - s)))) as [A B].
  rewrite A, B. split; unfold Pr_in; apply range_ext; intros k _;
    now replace (Z.to_nat (s + Z.of_nat k - s)) with k by lia.
Qed.

Section Count.
Variable (c : count).
Let n := Z.to_nat (noise_n c).
Let p := Q2R (noise_p c).
Lemma noise_p_is : p = IZR (part c) / IZR (part c + rest c).
Proof. unfold p, part, rest. rewrite Q2R_frac. f_equal. f_equal. lia. Qed.
Lemma noise_q_is : 1 - p = IZR (rest c) / IZR (rest c + part c).
Proof.
  unfold p, part, rest. rewrite Q2R_frac. replace (QDen (noise_p c) - Qnum (noise_p c) + Qnum (noise_p c))%Z with
    (QDen (noise_p c)) by lia.
  rewrite minus_IZR. pose proof (den_pos (noise_p c)). field. lra.
Qed.
Lemma upper_end_sound h d : (0 <= noise_n c)%Z -> upper_end c h d = true -> count_private p n (value (count_eps c))
  (Q2R d).
Proof.
  unfold upper_end. intros N H. do 3 (apply andb_prop in H as [H ?]).
    replace (noise_n c) with (Z.of_nat n) in * by (unfold n; lia).
  apply check_shift_sound in H0, H1. rewrite <- noise_p_is in H1. rewrite <- noise_q_is in H0. now apply both_ways.
Qed.
Lemma lower_end_sound h d strict : (0 <= noise_n c)%Z -> lower_end c h d strict = true -> exists s t E, next s t /\
  let gap := Pr_count p n s E - value (count_eps c) * Pr_count p n t E in if strict then Q2R d < gap else Q2R d <= gap.
Proof.
  unfold lower_end. intros N H. replace (noise_n c) with (Z.of_nat n) in * by (unfold n; lia).
  apply orb_prop in H as [H|H]; apply check_shift_low_sound in H.
  - rewrite <- noise_p_is in H. destruct (shown p n 0 (Nat.ltb (Z.to_nat (start_up h)))) as (E & A & B).
    exists (0 + 1)%Z, 0%Z, E. split; [right; reflexivity|]. cbv zeta. rewrite A, B. exact H.
  - rewrite <- noise_q_is in H. destruct (shown (1 - p) n 0 (Nat.ltb (Z.to_nat (start_down h)))) as (E & A & B).
    exists (- (0 + 1) - Z.of_nat n)%Z, (- 0 - Z.of_nat n)%Z, (fun k => E (- k)%Z). split; [left; lia|]. cbv zeta.
    assert (R : forall s, Pr_count p n (- s - Z.of_nat n) (fun k => E (- k)%Z) = Pr_count (1 - p) n s E).
    { intros s. rewrite count_reversed. replace (- (- s - Z.of_nat n) - Z.of_nat n)%Z with s by lia. unfold Pr_count.
      apply range_ext. intros k _. now rewrite Z.opp_involutive. }
    rewrite (R (0 + 1)%Z), (R 0%Z), A, B. exact H.
Qed.
End Count.

Theorem check_count_sound c v lower upper h : check_count c v lower upper h = true -> count_true c v lower upper.
Proof.
  unfold check_count, count_true. intros H. apply andb_prop in H as [H V]. apply andb_prop in H as [N L].
    apply Z.leb_le in N.
  apply (lower_end_sound c h lower false N) in L. cbv zeta iota in *. destruct v.
  - apply (upper_end_sound c h _ N) in V. destruct (smaller_ok upper (count_delta c)) as [A B].
    split; [|split; [exact L|]]; intros s t E X; (eapply Rle_trans; [now apply V|assumption]).
  - apply andb_prop in V as [U S]. apply (upper_end_sound c h _ N) in U. apply (lower_end_sound c h _ true N) in S.
    auto.
Qed.
