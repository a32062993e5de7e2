(* Balcer & Cheu 2020, Claim 20: R^gap keeps a finite eps once two users or more are shuffled, and none alone. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec Poly Key Law Views.
Import ListNotations.
Local Open Scope R_scope.

(* All tuples of four bits; on input 1 those with two ones are left out. *)
Fixpoint tuples_of (n : nat) : list (list msg) :=
  match n with O => [[]] | S n => flat_map (fun s => [0%nat :: s; 1%nat :: s]) (tuples_of n) end.
Definition ones_in (s : list msg) := count_occ Nat.eq_dec s 1%nat.
Definition r_gap : randomizer :=
  [map (fun s => (s, 1 # 16)) (tuples_of 4);
   map (fun s => (s, 1 # 10)) (filter (fun s => negb (Nat.eqb (ones_in s) 2)) (tuples_of 4))]%Q.

Lemma r_gap_ok : is_randomizer r_gap.
Proof.
  intros r [<-|[<-|[]]]; (split; [|vm_compute; reflexivity]); intros s p I;
    apply in_map_iff in I as (u & [= <- <-] & _);
    reflexivity.
Qed.
Lemma r_gap_row x s p : In (s, p) (nth x r_gap []) -> length s = 4%nat /\ Forall (fun m => (m < 2)%nat) s /\ / 16 <=
  Q2R p.
Proof.
  assert (T : forall u, In u (tuples_of 4) -> length u = 4%nat /\ Forall (fun m => (m < 2)%nat) u).
  { apply Forall_forall. cbn. repeat constructor. }
  destruct x as [|[|x]]; cbn [r_gap nth]; intros I; [| |destruct x; destruct I];
    apply in_map_iff in I as (u & [= <- <-] & I); [|apply filter_In in I as [I _]]; destruct (T u I) as [A B];
    (split; [exact A|split; [exact B|]]); unfold Q2R; cbn; lra.
Qed.
(* a tuple with s ones, and s other than 2, may be sent on either input *)
Definition spelled (s : nat) : list msg := nth s [[0; 0; 0; 0]; [0; 0; 0; 1]; [0; 0; 1; 1]; [0; 1; 1; 1]; [1; 1; 1;
  1]]%nat [].
Lemma may_send x s : (x < 2)%nat -> In s [0; 1; 3;
  4]%nat -> ones_in (spelled s) = s /\ exists p, In (spelled s, p) (nth x r_gap []).
Proof.
  intros Hx I. destruct x as [|[|x]]; [| |lia]; cbn in I; destruct I as [<-|[<-|[<-|[<-|[]]]]]; (split; [reflexivity|]);
    eexists; cbn; tauto.
Qed.

(* {0, 1, 3, 4} n times over is {0, ..., 4n}, from n = 2 on *)
Lemma sumset n : (2 <= n)%nat -> forall c, (c <= 4 * n)%nat -> exists l, length l = n /\ Forall (fun s => In s [0; 1;
  3; 4]%nat) l /\
  fold_right Nat.add 0%nat l = c.
Proof.
  induction n as [|n IH]; [lia|]. intros Hn c Hc. destruct (Nat.eq_dec n 1) as [->|N].
  - assert (Two : forall a b, In a [0; 1; 3; 4]%nat -> In b [0; 1; 3; 4]%nat -> exists l, length l = 2%nat /\
      Forall (fun s => In s [0; 1; 3; 4]%nat) l /\ fold_right Nat.add 0%nat l = (a + b)%nat).
    { intros a b A B. exists [a; b]. split; [reflexivity|split; [auto|cbn; lia]]. }
    destruct c as [|c]; [apply (Two 0%nat 0%nat); cbn; tauto|].
    destruct c as [|c]; [apply (Two 0%nat 1%nat); cbn; tauto|].
    destruct c as [|c]; [apply (Two 1%nat 1%nat); cbn; tauto|].
    destruct c as [|c]; [apply (Two 0%nat 3%nat); cbn; tauto|].
    destruct c as [|c]; [apply (Two 0%nat 4%nat); cbn; tauto|].
    destruct c as [|c]; [apply (Two 1%nat 4%nat); cbn; tauto|].
    destruct c as [|c]; [apply (Two 3%nat 3%nat); cbn; tauto|].
    destruct c as [|c]; [apply (Two 3%nat 4%nat); cbn; tauto|].
    destruct c as [|c]; [apply (Two 4%nat 4%nat); cbn; tauto|].
    lia.
  - destruct (le_lt_dec 4 c) as [G|G].
    + destruct (IH ltac:(lia) (c - 4)%nat ltac:(lia)) as (l & L & F & E). exists (4%nat :: l). cbn [length fold_right].
      split; [lia|split; [constructor; [cbn; tauto|exact F]|lia]].
    + destruct (IH ltac:(lia) c ltac:(lia)) as (l & L & F & E). exists (0%nat :: l). cbn [length fold_right].
      split; [lia|split; [constructor; [cbn; tauto|exact F]|lia]].
Qed.

Lemma sent_bits xs t q : In (t, q) (sent r_gap xs) -> length (concat t) = (4 * length xs)%nat /\
  Forall (fun m => (m < 2)%nat) (concat t) /\ (/ 16) ^ length xs <= Q2R q.
Proof.
  revert t q. induction xs as [|x xs IH]; intros t q I.
  - cbn in I. destruct I as [[= <- <-]|[]]. cbn. rewrite RMicromega.Q2R_1. repeat split; [constructor|lra].
  - cbn [sent] in I. apply in_flat_map in I as [[s p] [I J]]. apply in_map_iff in J as [[u o] [[= <- <-] J]].
    apply IH in J as (A & B & C). apply r_gap_row in I as (A' & B' & C'). cbn [concat fst snd length pow].
    rewrite app_length, Q2R_mult. split; [lia|split; [now apply Forall_app|]].
    apply Rmult_le_compat; try lra. apply pow_le. lra.
Qed.
Lemma may_all_send ys : (forall y, In y ys -> (y < 2)%nat) -> forall l, length l = length ys ->
  Forall (fun s => In s [0; 1; 3; 4]%nat) l -> exists t q, In (t, q) (sent r_gap ys) /\
  ones_in (concat t) = fold_right Nat.add 0%nat l.
Proof.
  induction ys as [|y ys IH]; intros Hy [|s l] L F; try discriminate.
  - exists [], 1%Q. split; [now left|reflexivity].
  - inversion F as [|s' l' Fs Fl]; subst. destruct (IH (fun u Hu => Hy u (or_intror Hu)) l ltac:(now inversion L) Fl)
    as (t & q & I & O).
    destruct (may_send y s (Hy y (or_introl eq_refl)) Fs) as (S & p & J).
    exists (spelled s :: t), (p * q)%Q. split.
    + cbn [sent]. apply in_flat_map. exists (spelled s, p). split; [exact J|]. apply in_map_iff. exists (t, q). auto.
    + cbn [concat fold_right]. rewrite <- O. transitivity (ones_in (spelled s) + ones_in (concat t))%nat;
      [apply count_occ_app|now rewrite S].
Qed.
Lemma bits_perm s t : Forall (fun m => (m < 2)%nat) s -> Forall (fun m => (m < 2)%nat) t -> length s = length t ->
  ones_in s = ones_in t -> Permutation s t.
Proof.
  intros S T L O. apply (Permutation_count_occ Nat.eq_dec). intros m.
  assert (Z : forall u, Forall (fun m => (m < 2)%nat) u -> (count_occ Nat.eq_dec u 0 + ones_in u = length u)%nat).
  { induction 1 as [|a u A U IH]; [reflexivity|]. unfold ones_in, msg in *. cbn [count_occ length].
    destruct (Nat.eq_dec a 0), (Nat.eq_dec a 1); lia. }
  assert (B : forall u, Forall (fun m => (m < 2)%nat) u -> (2 <= m)%nat -> count_occ Nat.eq_dec u m = 0%nat).
  { intros u U M. apply count_occ_not_In. intros I. rewrite Forall_forall in U. apply U in I. lia. }
  specialize (Z s S) as ZS. specialize (Z t T) as ZT. unfold ones_in, msg in *.
  destruct m as [|[|m]]; [lia|exact O|]. rewrite !B by (auto; lia). reflexivity.
Qed.
Lemma mean_at_least {A} (h : A -> R) l a q : (forall b p, In (b, p) l -> 0 <= Q2R p /\ 0 <= h b) -> In (a, q) l ->
  Q2R q * h a <= mean h l.
Proof.
  induction l as [|[b p] l IH]; intros N I; [destruct I|]. cbn [mean fst snd].
  assert (N' : forall b p, In (b, p) l -> 0 <= Q2R p /\ 0 <= h b) by (intros; eapply N; right; eauto).
  destruct I as [[= <- <-]|I].
  - pose proof (mean_nonneg h l N'). lra.
  - specialize (IH N' I). destruct (N b p (or_introl eq_refl)). nra.
Qed.

(* finite once shuffled: e^eps = 16^n is enough *)
Theorem claim_20_shuffled n : (2 <= n)%nat -> private Shuffled r_gap n (16 ^ n) 0.
Proof.
  intros Hn xs ys [Lx X] [Ly Y] _ E HE. cbn [length r_gap] in X, Y.
  assert (W : forall us b p, In (b, p) (sent r_gap us) -> 0 <= Q2R p) by (intros; eapply sent_weight;
    [apply r_gap_ok|eauto]).
  assert (B : forall b, 0 <= indicator E b <= 1) by (intros; unfold indicator; destruct (E b); lra).
  rewrite !Pr_mean. destruct (existsb (fun o => E (fst o)) (sent r_gap xs)) eqn:S.
  - apply existsb_exists in S as ([t q] & I & Et). cbn [fst] in Et. apply sent_bits in I as (Lt & Ft & _).
    rewrite Lx in Lt.
    destruct (sumset n Hn (ones_in (concat t))) as (l & Ll & Fl & Sl).
    { rewrite <- Lt. apply count_occ_bound. }
    destruct (may_all_send ys Y l ltac:(congruence) Fl) as (u & r & J & Ou).
    pose proof (sent_bits _ _ _ J) as (Lu & Fu & Ru). rewrite Ly in Lu, Ru.
    assert (Eu : E u = true) by (rewrite <- Et; apply HE; apply bits_perm;
      [exact Fu|exact Ft|etransitivity; [exact Lu|symmetry; exact Lt]|etransitivity; [exact Ou|exact Sl]]).
    assert (Low : (/ 16) ^ n <= mean (indicator E) (sent r_gap ys)).
    { eapply Rle_trans; [exact Ru|]. pose proof (mean_at_least (indicator E) _ u r (fun b p K => conj (W ys b p K)
      (proj1 (B b))) J) as M.
      unfold indicator at 1 in M. rewrite Eu in M. lra. }
    assert (High : mean (indicator E) (sent r_gap xs) <= 1).
    { rewrite <- (mean_const r_gap r_gap_ok 1 xs X). apply mean_le; [apply W|]. intros; apply B. }
    assert (P : 16 ^ n * (/ 16) ^ n = 1) by (rewrite <- Rpow_mult_distr, Rinv_r, pow1; lra).
    assert (0 < 16 ^ n) by (apply pow_lt; lra). nra.
  - assert (Z : mean (indicator E) (sent r_gap xs) = 0).
    { transitivity (mean (fun _ : list (list msg) => 0) (sent r_gap xs)).
      - apply mean_ext. intros t q I. unfold indicator. destruct (E t) eqn:Et; [|reflexivity].
        assert (existsb (fun o => E (fst o)) (sent r_gap xs) = true) by (apply existsb_exists; exists (t, q);
          auto). congruence.
      - generalize (sent r_gap xs). intros l. induction l as [|[b p] l IH];
        [reflexivity|]. cbn [mean fst snd]. rewrite IH. ring. }
    rewrite Z. assert (0 <= mean (indicator E) (sent r_gap ys)).
    { apply mean_nonneg. intros b p I. split; [eapply W; eauto|apply B]. }
    assert (0 < 16 ^ n) by (apply pow_lt; lra). nra.
Qed.
(* infinite for one user's shuffled messages: two ones are never seen on input 1 *)
Theorem claim_20_alone z d : d < 3 / 8 -> ~ private Shuffled r_gap 1 z d.
Proof.
  intros Hd H.
  specialize (H [0%nat] [1%nat]). specialize (H ltac:(split; [reflexivity|intros x [<-|[]]; cbn; lia])
    ltac:(split; [reflexivity|intros x [<-|[]]; cbn; lia]) ltac:(exists [], 0%nat, 1%nat, []; auto)
    (fun t => Nat.eqb (ones_in (concat t)) 2)).
  specialize (H ltac:(intros s t P; cbn [looks_same] in P; cbv beta; f_equal; unfold ones_in;
    now apply Permutation_count_occ)).
  unfold Pr in H. cbn in H. unfold Q2R in H. cbn [Qnum Qden Qmult Pos.mul] in H. change (1 * 1)%Z with 1%Z in H.
  rewrite !Rplus_0_l, !Rplus_0_r, Rmult_0_r in H. lra.
Qed.
