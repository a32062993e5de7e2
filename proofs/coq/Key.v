(* A multiset of messages as one integer: its counts are the digits to base B = 2^w, which no count reaches. *)
From Coq Require Import ZArith List Lia Permutation Arith.
Import ListNotations.
Open Scope Z_scope.
Arguments Z.pow : simpl never. Arguments Z.mul : simpl never. Arguments Z.of_nat : simpl never.
  Arguments Z.add : simpl never.

Fixpoint key (w : Z) (s : list nat) : Z :=
  match s with [] => 0 | m :: s => 2 ^ (w * Z.of_nat m) + key w s end.

Lemma key_app w s t : key w (s ++ t) = key w s + key w t.
Proof. induction s; simpl; lia. Qed.

Lemma key_perm w s t : Permutation s t -> key w s = key w t.
Proof. induction 1; simpl; lia. Qed.

Definition count (s : list nat) m := Z.of_nat (count_occ Nat.eq_dec s m).
Definition lower (s : list nat) := map pred (filter (fun m => negb (Nat.eqb m 0)) s).

Lemma key_lower w s : 0 <= w -> key w s = count s 0 + 2 ^ w * key w (lower s).
Proof.
  intros Hw. unfold count, lower. induction s as [|[|m] s IH]; simpl; [lia| |].
  - rewrite Z.mul_0_r, Nat2Z.inj_succ. lia.
  - rewrite IH. replace (w * Z.of_nat (S m)) with (w + w * Z.of_nat m) by lia.
    rewrite Z.pow_add_r by lia. lia.
Qed.
Lemma count_lower s m : count_occ Nat.eq_dec (lower s) m = count_occ Nat.eq_dec s (S m).
Proof.
  unfold lower. induction s as [|[|k] s IH]; simpl; [reflexivity|exact IH|].
  destruct (Nat.eq_dec k m), (Nat.eq_dec (S k) (S m)); congruence || lia.
Qed.
Lemma lower_length s : (length (lower s) <= length s)%nat.
Proof. unfold lower. induction s as [|[|k] s IH]; simpl; lia. Qed.
Lemma count_length s m : (count_occ Nat.eq_dec s m <= length s)%nat.
Proof. induction s; simpl; [lia|]. destruct (Nat.eq_dec _ _); lia. Qed.

Lemma digits B a b c d : 0 <= a < B -> 0 <= b < B -> a + B * c = b + B * d -> a = b /\ c = d.
Proof. intros. assert (c = d) by (destruct (Z.lt_trichotomy c d) as [?|[?|?]]; nia). subst. lia. Qed.
Lemma key_count w m : 0 <= w -> forall s t, Z.of_nat (length s) < 2 ^ w -> Z.of_nat (length t) < 2 ^ w ->
  key w s = key w t -> count_occ Nat.eq_dec s m = count_occ Nat.eq_dec t m.
Proof.
  intros Hw. induction m as [|m IH]; intros s t Hs Ht E; rewrite (key_lower w s), (key_lower w t) in E by auto;
    unfold count in E; pose proof (count_length s 0); pose proof (count_length t 0);
    pose proof (lower_length s); pose proof (lower_length t); apply digits in E as [E0 E]; try lia.
  rewrite <- !count_lower. apply IH; lia.
Qed.
Theorem key_inj w s t : 0 <= w -> Z.of_nat (length s) < 2 ^ w -> Z.of_nat (length t) < 2 ^ w ->
  key w s = key w t -> Permutation s t.
Proof. intros. apply (Permutation_count_occ Nat.eq_dec). intros m. now apply (key_count w). Qed.
