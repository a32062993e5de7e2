(* Lower bounds: a named pair and an event. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool MSetAVL Orders.
From Coq Require Import Morphisms.
From Shufflecert Require Import Spec Poly Key Law Exp Check.
Import ListNotations.
Module Key <: OrderedType.
  Definition t := Z. Definition eq := @eq Z. Definition eq_equiv := @eq_equivalence Z.
  Definition lt := Z.lt. Definition lt_strorder := Z.lt_strorder.
  Lemma lt_compat : Proper (eq ==> eq ==> iff) lt. Proof. intros ? ? -> ? ? ->. reflexivity. Qed.
  Definition compare := Z.compare.
  Lemma compare_spec x y : CompareSpec (x = y) (lt x y) (lt y x) (compare x y). Proof. apply Z.compare_spec. Qed.
  Definition eq_dec := Z.eq_dec.
End Key.
Module Keys := MSetAVL.Make Key.
Local Open Scope Z_scope.

(* keys where scale P > ratio Q; whatever they are, they are an event *)
Fixpoint gains (a b : Z) (p : poly) : poly -> Keys.t -> Keys.t :=
  match p with
  | [] => fun _ acc => acc
  | (k, w) :: p' =>
      fix inner q acc :=
        match q with
        | [] => gains a b p' [] (Keys.add k acc)
        | (l, v) :: q' =>
            match Z.compare k l with
            | Lt => gains a b p' q (Keys.add k acc)
            | Eq => gains a b p' q' (if b * v <? a * w then Keys.add k acc else acc)
            | Gt => inner q' acc
            end
        end
  end.
Definition best_event (c : claim) w D prec (a b : nat) (others : list nat) : Keys.t :=
  let F := map (row_poly w D) (rows c) in let z := from_above (eps c) prec in
  let acc := pair_product F others in gains (snd z) (fst z) (mul (row_at F a) acc) (mul (row_at F b) acc) Keys.empty.

Local Open Scope R_scope.
Lemma pair_product_eval F others : forall g, eval g (pair_product F others) = eval g (product (map (row_at F) others)
  [(0, 1)%Z]).
Proof.
  unfold pair_product. generalize [(0, 1)%Z] as acc. induction others as [|x xs IH]; intros acc g; [reflexivity|].
  cbn [fold_left map]. rewrite IH, product_snoc. reflexivity.
Qed.
Lemma conclude_low (M a b z d n P Q mx my : R) : 0 < M -> 0 < b -> 0 < d -> z * b <= a -> 0 <= my ->
  P = M * mx -> Q = M * my -> n * M * b < (b * P - a * Q) * d -> n / d < mx - z * my.
Proof.
  intros HM Hb Hd Ha Hy -> ->. assert (X : 0 < M * b * d) by (repeat apply Rmult_lt_0_compat; auto).
  assert (A : (b * (M * mx) - a * (M * my)) * d <= (mx - z * my) * (M * b * d)).
  { replace ((mx - z * my) * (M * b * d)) with ((b * (M * mx) - (z * b) * (M * my)) * d) by ring.
    apply Rmult_le_compat_r; [lra|]. assert (0 <= M * my) by nra. nra. }
  assert (B : n / d * (M * b * d) = n * M * b) by (field; lra).
  intros H. apply Rmult_lt_reg_r with (M * b * d); lra.
Qed.

Definition seen w (E : Z -> bool) (t : list (list msg)) := E (key w (concat t)).
Lemma seen_event w E : event Shuffled (seen w E).
Proof. intros s t H. unfold seen. now rewrite (key_perm w _ _ H). Qed.

Theorem check_reaches_sound c w D prec a b others E : check_reaches c w D prec a b others E = true ->
  let xs := a :: others in let ys := b :: others in
  dataset (rows c) (users c) xs /\ dataset (rows c) (users c) ys /\ neighbours xs ys /\
  Q2R (delta c) < Pr (seen w E) (sent (rows c) xs) - value (eps c) * Pr (seen w E) (sent (rows c) ys).
Proof.
  unfold check_reaches. intros H. apply andb_prop in H as [H C]. do 5 (apply andb_prop in H as [H ?]).
  rename H into HK, H4 into G. pose proof (from_above_ok _ _ G H3) as Z. cbv zeta in Z.
  destruct (from_above (eps c) prec) as [u v]. cbn [fst snd] in Z, C. destruct Z as [Zb Za].
  apply Nat.eqb_eq in H2. apply negb_true_iff, Nat.eqb_neq in H0.
  rewrite forallb_forall in H1. rewrite map_length in H1.
  assert (I : forall z, In z (a :: b :: others) -> (z < length (rows c))%nat) by (intros z Hz; apply H1 in Hz;
    now apply Nat.ltb_lt).
  assert (DX : forall z, z = a \/ z = b -> dataset (rows c) (users c) (z :: others)).
  { intros z Hz. split; [exact H2|]. intros y [<-|Hy]; apply I; simpl; intuition. }
  split; [apply DX; auto|split; [apply DX; auto|split; [exists [], a, b, others; auto|]]].
  assert (V : forall z, z = a \/ z = b -> IZR (weight_in E (mul (row_at (map (row_poly w D) (rows c)) z)
      (pair_product (map (row_poly w D) (rows c)) others))) = IZR (D ^ Z.of_nat (users c)) * Pr (seen w E) (sent
        (rows c) (z :: others))).
  { intros z Hz. rewrite weight_in_eval, Pr_mean, eval_mul. erewrite eval_ext by (intros; apply pair_product_eval).
    pose proof (sent_keys w D (rows c) (users c) (z :: others) (indicator E) HK (DX z Hz)) as S.
    cbn [map product fold_right] in S. rewrite eval_mul in S. exact S. }
  pose proof (conclude_low (IZR (D ^ Z.of_nat (users c))) (IZR u) (IZR v) (value (eps c)) (IZR (QDen (delta c))) (IZR
    (Qnum (delta c)))
    _ _ (Pr (seen w E) (sent (rows c) (a :: others))) (Pr (seen w E) (sent (rows c) (b :: others)))
    ltac:(apply IZR_lt, Z.pow_pos_nonneg; [eapply unit_pos; [exact HK|apply (I a); now left]|lia])
    Zb (den_pos _) Za (Pr_nonneg _ _ _ _ HK) (V a (or_introl eq_refl)) (V b (or_intror eq_refl))) as L.
  rewrite Q2R_frac. apply Z.ltb_lt, IZR_lt in C. rewrite !mult_IZR, minus_IZR, !mult_IZR in C. now apply L.
Qed.
