(* Every multiset of n classes, each product made from one that was made before. *)
From Coq Require Import List Lia Permutation Arith Bool.
Import ListNotations.

Fixpoint steps {A} (step : nat -> A -> A) (i k : nat) (acc : A) : A := match k with O => acc | S k => steps step i k
  (step i acc) end.
(* every i^k j^(n - k): those with k at most half of n, and the others *)
Fixpoint two {A} (step : nat -> A -> A) (pass : A -> bool) (i j : nat) (fuel n : nat) (acc : A) : bool :=
  match n, fuel with
  | O, _ => pass acc
  | _, O => false
  | _, S fuel => let m := Nat.div2 n in two step pass i j fuel m (steps step j (n - m) acc) &&
      two step pass i j fuel (n - m - 1) (steps step i (m + 1) acc)
  end.
Fixpoint every {A} (step : nat -> A -> A) (pass : A -> bool) (is : list nat) : nat -> A -> bool :=
  match is with
  | [] => fun n acc => match n with O => pass acc | S _ => true end
  | i :: is => match is with
    | [j] => fun n acc => two step pass i j n n acc
    | _ => fix place n acc := every step pass is n acc && match n with O => true | S m => place m (step i acc) end
    end
  end.

Section Every.
Context {A : Type} (step : nat -> A -> A) (pass : A -> bool) (holds : list nat -> A -> Prop).
Hypothesis holds_perm : forall ys zs acc, Permutation ys zs -> holds ys acc -> holds zs acc.
Definition reached base ys := exists acc', pass acc' = true /\ holds (ys ++ base) acc'.

Lemma reached_perm base ys zs : Permutation ys zs -> reached base ys -> reached base zs.
Proof. intros P (acc & T & H). exists acc. split; auto. revert H. apply holds_perm. now apply Permutation_app_tail.
  Qed.
Lemma reached_app base us ys : reached (us ++ base) ys -> reached base (us ++ ys).
Proof.
  intros (acc & T & H). exists acc. split; auto. revert H. apply holds_perm. rewrite app_assoc.
    apply Permutation_app_tail, Permutation_app_comm.
Qed.
Lemma take i q ys : (q <= count_occ Nat.eq_dec ys i)%nat -> exists zs, Permutation ys (repeat i q ++ zs).
Proof.
  revert ys. induction q as [|q IH]; intros ys H; [now exists ys|].
  assert (I : In i ys) by (apply (count_occ_In Nat.eq_dec); lia). apply in_split in I as (l & r & ->).
  destruct (IH (l ++ r)) as [zs P].
  { rewrite count_occ_app in *. simpl in H. destruct (Nat.eq_dec i i); [lia|contradiction]. }
  exists zs. rewrite <- Permutation_middle. simpl. now constructor.
Qed.
Lemma count_two i j ys : i <> j -> (forall y, In y ys -> y = i \/ y = j) -> (count_occ Nat.eq_dec ys i + count_occ
  Nat.eq_dec ys j = length ys)%nat.
Proof.
  intros N. induction ys as [|y ys IH]; simpl; intros H; [reflexivity|].
    specialize (IH (fun z Hz => H z (or_intror Hz))).
  destruct (H y (or_introl eq_refl)) as [->| ->]; destruct (Nat.eq_dec _ _), (Nat.eq_dec _ _); subst; try congruence;
    lia.
Qed.
Lemma steps_ok i k : (forall ys acc, holds ys acc -> holds (i :: ys) (step i acc)) -> forall ys acc, holds ys acc ->
  holds (repeat i k ++ ys) (steps step i k acc).
Proof.
  intros S. induction k as [|k IH]; intros ys acc H; [exact H|]. cbn [steps repeat app].
  apply (holds_perm (repeat i k ++ i :: ys)); [symmetry; apply Permutation_middle|]. apply IH, S, H.
Qed.
Lemma two_ok i j : i <> j -> (forall ys acc, holds ys acc -> holds (i :: ys) (step i acc)) -> (forall ys acc, holds
  ys acc -> holds (j :: ys) (step j acc)) ->
  forall fuel n base acc, two step pass i j fuel n acc = true -> holds base acc -> forall ys, length ys = n ->
  (forall y, In y ys -> y = i \/ y = j) -> reached base ys.
Proof.
  intros N Si Sj. induction fuel as [|f IH]; intros n base acc H HB ys L I.
  - destruct n; [|discriminate]. destruct ys; [|discriminate]. now exists acc.
  - destruct n as [|n]; [destruct ys; [|discriminate]; now exists acc|]. cbn [two] in H.
    apply andb_prop in H as [H1 H2].
    remember (S n) as k. pose proof (count_two i j ys N I) as C. pose proof (Nat.div2_decr k k ltac:(lia)) as M.
    assert (Sub : forall q x zs, Permutation ys (repeat x q ++ zs) -> length zs = (k - q)%nat /\ forall y, In y zs ->
      y = i \/ y = j).
    { intros q x zs P. split; [apply Permutation_length in P; rewrite app_length, repeat_length in P; lia|].
      intros y Hy. apply I. apply (Permutation_in y (Permutation_sym P)), in_or_app. auto. }
    destruct (le_lt_dec (Nat.div2 k + 1) (count_occ Nat.eq_dec ys i)) as [G|G].
    + destruct (take i _ ys G) as [zs P]. destruct (Sub _ _ _ P) as [Lz Iz].
      apply (reached_perm _ _ _ (Permutation_sym P)), reached_app.
      eapply IH; [exact H2|now apply steps_ok|lia|exact Iz].
    + destruct (take j (k - Nat.div2 k) ys) as [zs P]; [lia|]. destruct (Sub _ _ _ P) as [Lz Iz].
      apply (reached_perm _ _ _ (Permutation_sym P)), reached_app. eapply IH; [exact H1|now apply steps_ok| |exact Iz].
      rewrite Lz. assert (Nat.div2 k <= k)%nat by (apply Nat.lt_eq_cases; pose proof (Nat.lt_div2 k); lia). lia.
Qed.
Lemma every_ok is : NoDup is -> (forall i ys acc, In i is -> holds ys acc -> holds (i :: ys) (step i acc)) ->
  forall n base acc, every step pass is n acc = true -> holds base acc -> forall ys, length ys = n -> (forall y, In y
    ys -> In y is) -> reached base ys.
Proof.
  induction is as [|i is IH]; intros ND Hstep n base acc H HB ys L I.
  - destruct ys as [|y ys]; [|destruct (I y); now left]. subst n. exists acc. simpl in *. auto.
  - assert (Hstep' : forall j ys acc, In j is -> holds ys acc -> holds (j :: ys) (step j acc)) by (intros;
    apply Hstep; simpl; auto).
    inversion_clear ND as [|? ? Ni ND'].
    assert (Place : forall n base acc, (fix place n acc := every step pass is n acc && match n with O => true | S m
      => place m (step i acc) end) n acc = true ->
      holds base acc -> forall ys, length ys = n -> (forall y, In y ys -> In y (i :: is)) -> reached base ys).
    { clear n base acc H HB ys L I. induction n as [|n IHn]; intros base acc H HB ys L I.
      + destruct ys; [|discriminate]. apply andb_prop in H as [H _]. apply (IH ND' Hstep' _ _ _ H HB [] eq_refl).
        intros y [].
      + apply andb_prop in H as [H1 H2]. destruct (in_dec Nat.eq_dec i ys) as [Hi|Hi].
        * apply in_split in Hi as [l [r ->]]. apply (reached_perm _ ([i] ++ l ++ r));
          [exact (Permutation_middle l r i)|]. apply (reached_app base [i] (l ++ r)).
          apply (IHn _ _ H2 (Hstep i _ _ (or_introl eq_refl) HB)).
          { rewrite app_length in *. simpl in L. lia. }
          { intros y Hy. apply I. rewrite in_app_iff in *. simpl. tauto. }
        * apply (IH ND' Hstep' _ _ _ H1 HB ys L). intros y Hy. destruct (I y Hy) as [<-|]; tauto. }
    destruct is as [|j [|q is]]; [now apply (Place n base acc)| |now apply (Place n base acc)].
    cbn [every] in H. apply (two_ok i j) with (4 := H); auto.
    + intros ->. apply Ni. now left.
    + intros us a. apply Hstep. now left.
    + intros us a. apply Hstep. right. now left.
    + intros y Hy. destruct (I y Hy) as [<-|[<-|[]]]; auto.
Qed.
End Every.
