(* From what users send to polynomials. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation.
From Shufflecert Require Import Spec Poly Key.
Import ListNotations.
Open Scope R_scope.

(* the mean of h *)
Fixpoint mean {A} (h : A -> R) (l : law A) : R := match l with [] => 0 | o :: l => Q2R (snd o) * h (fst o) + mean h l
  end.

Lemma Pr_mean {A} (E : A -> bool) l : Pr E l = mean (indicator E) l.
Proof. unfold Pr, indicator. induction l as [|[a q] l IH]; simpl; [reflexivity|]. rewrite IH. destruct (E a); ring.
  Qed.
Lemma mean_ext {A} (g h : A -> R) l : (forall a q, In (a, q) l -> g a = h a) -> mean g l = mean h l.
Proof.
  induction l as [|[a q] l IH]; simpl; intros H; [reflexivity|]. rewrite (H a q), IH; auto. intros. eapply H; eauto.
Qed.
Lemma mean_app {A} (h : A -> R) k l : mean h (k ++ l) = mean h k + mean h l.
Proof. induction k as [|[a q] k IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma mean_scale {A} c (h : A -> R) l : mean (fun a => c * h a) l = c * mean h l.
Proof. induction l as [|[a q] l IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma mean_plus {A} (g h : A -> R) l : mean (fun a => g a + h a) l = mean g l + mean h l.
Proof. induction l as [|[a q] l IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma mean_swap {A B} (h : A -> B -> R) k l : mean (fun a => mean (h a) l) k = mean (fun b => mean (fun a => h a b)
  k) l.
Proof.
  induction k as [|[a q] k IH]; simpl.
  - induction l as [|[b p] l IH]; simpl; [reflexivity|]. rewrite <- IH. ring.
  - rewrite IH, <- mean_scale, <- mean_plus. reflexivity.
Qed.
Lemma mean_nonneg {A} (h : A -> R) l : (forall a q, In (a, q) l -> 0 <= Q2R q /\ 0 <= h a) -> 0 <= mean h l.
Proof.
  induction l as [|[a q] l IH]; simpl; intros H; [lra|]. destruct (H a q (or_introl eq_refl)).
  specialize (IH (fun a q i => H a q (or_intror i))). nra.
Qed.
Lemma mean_cons {A} (h : list A -> R) (r : law A) (l : law (list A)) :
  mean h (flat_map (fun o => map (fun t => (fst o :: fst t, (snd o * snd t)%Q)) l) r) =
  mean (fun s => mean (fun t => h (s :: t)) l) r.
Proof.
  induction r as [|[s p] r IH]; [reflexivity|]. cbn [flat_map mean fst snd]. rewrite mean_app, IH. f_equal. clear IH.
  induction l as [|[t q] l IH]; cbn [map mean fst snd]; [ring|]. rewrite IH, Q2R_mult. ring.
Qed.
Lemma mean_sent K x xs h : mean h (sent K (x :: xs)) = mean (fun s => mean (fun t => h (s :: t)) (sent K xs)) (nth x
  K []).
Proof. apply mean_cons. Qed.

(* A view does not depend on users' order, and a test g on keys sees all that the shuffled view shows. *)
Section Sums.
(* a number of each list of messages that adds up: the key of the multiset, or a sum of weights *)
Variables (phi : list msg -> Z) (phi_nil : phi [] = 0%Z) (phi_app : forall s t, phi (s ++ t) = (phi s + phi t)%Z).
Definition poly_of (D : Z) (r : row) (f : poly) :=
  Forall2 (fun o ku => fst ku = phi (fst o) /\ (snd ku * QDen (snd o) = Qnum (snd o) * D)%Z) r f.

Lemma poly_of_eval D r f : poly_of D r f -> forall g, eval g f = IZR D * mean (fun s => g (phi s)) r.
Proof.
  induction 1 as [|[s p] [k u] r f [Hk Hu] H IH]; intros g; simpl in *; [ring|]. rewrite IH, Hk, Rmult_plus_distr_l.
  f_equal. rewrite <- Rmult_assoc. f_equal. unfold Q2R. apply (f_equal IZR) in Hu. rewrite !mult_IZR in Hu.
  pose proof (IZR_lt 0 (QDen p) eq_refl). apply Rmult_eq_reg_r with (IZR (QDen p)); [|lra]. rewrite Hu. field. lra.
Qed.

Definition polys_of D (K : randomizer) (F : list poly) := Forall2 (poly_of D) K F.
Lemma nth_poly D K F x : polys_of D K F -> (x < length K)%nat -> poly_of D (nth x K []) (nth x F []).
Proof. intros H. revert x. induction H; intros [|i] Hi; simpl in *; try lia; auto. apply IHForall2. lia. Qed.

(* the law of the sum of all users' keys *)
Theorem sent_product D K F xs : polys_of D K F -> (forall x, In x xs -> (x < length K)%nat) -> forall g,
  eval g (product (map (fun x => nth x F []) xs) [(0, 1)%Z]) =
  IZR (D ^ Z.of_nat (length xs)) * mean (fun t => g (phi (concat t))) (sent K xs).
Proof.
  intros H. induction xs as [|x xs IH]; intros Hx g.
  - cbn [map product fold_right eval sent mean fst snd length]. rewrite RMicromega.Q2R_1, Z.pow_0_r.
    cbn [concat]. rewrite phi_nil. ring.
  - cbn [map product fold_right]. rewrite eval_mul, (poly_of_eval D (nth x K [])) by (apply nth_poly; auto;
    apply Hx; now left).
    rewrite mean_sent. cbn [length]. rewrite Nat2Z.inj_succ, Z.pow_succ_r, mult_IZR, Rmult_assoc by lia. f_equal.
    rewrite <- mean_scale. apply mean_ext. intros s p _. rewrite (IH (fun y Hy => Hx y (or_intror Hy))).
    f_equal. apply mean_ext. intros t q _. cbn [concat]. now rewrite phi_app.
Qed.
End Sums.

(* an event of the shuffled view is a set of keys, among outcomes that are short enough *)
Definition bounded w (l : law (list (list msg))) := forall t p, In (t, p) l -> (Z.of_nat (length (concat t)) < 2 ^
  w)%Z.
Definition as_keys w (E : list (list msg) -> bool) (l : law (list (list msg))) (k : Z) : bool :=
  match find (fun t => (key w (concat (fst t)) =? k)%Z) l with Some t => E (fst t) | None => false end.
Lemma as_keys_ok w E l t p : (0 <= w)%Z -> event Shuffled E -> bounded w l -> In (t, p) l ->
  as_keys w E l (key w (concat t)) = E t.
Proof.
  intros Hw HE HB HI. unfold as_keys. match goal with |- context [find ?f l] => destruct (find f l) as [[s q]|] eqn:F
    end.
  - apply find_some in F as [I K]. apply Z.eqb_eq in K. simpl in *. apply HE. apply (key_inj w); eauto.
  - apply find_none with (x := (t, p)) in F; auto. simpl in F. rewrite Z.eqb_refl in F. discriminate.
Qed.
