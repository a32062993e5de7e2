(* CERTIFICATE.md's privacy blanket, and its bound for all eps0-private randomizers. Beside Spec.v. *)
From Coq Require Import Reals QArith Qreals List Permutation.
From Shufflecert Require Import Spec SpecCount.
Import ListNotations.
Open Scope R_scope.

(* ---- (1/n) E max(L_1 + ... + L_n, 0), L_i independent with the law L: its values, with their probabilities ---- *)
Definition draw (L : list (R * R)) (h : R -> R) : R := sum (fun o => snd o * h (fst o)) L.
Fixpoint mean_of_sum (L : list (R * R)) (n : nat) (h : R -> R) : R :=
  match n with O => h 0 | S n => draw L (fun v => mean_of_sum L n (fun s => h (v + s))) end.
Definition mean_excess n L := mean_of_sum L n (fun s => Rmax s 0) / INR n.

(* ---- the blanket of a randomizer ---- *)
(* one of each multiset that a user may send *)
Definition multisets (K : randomizer) (ys : list (list msg)) :=
  (forall r s p, In r K -> In (s, p) r -> exists y, In y ys /\ Permutation s y) /\
  ForallOrdPairs (fun y y' => ~ Permutation y y') ys.
(* Pr[R(x) = y], y a multiset *)
Definition weight (K : randomizer) (x : nat) (y : list msg) : R := Pr (fun s => same Preshuffle s y) (nth x K []).
(* c(y), the least of them over all inputs *)
Definition least (K : randomizer) (y : list msg) : R :=
  fold_right (fun x c => Rmin (weight K x y) c) 1 (seq 0 (length K)).
(* l(y), where c(y) > 0 *)
Definition loss K x x' z y : R := (weight K x y - z * weight K x' y) / least K y.
Definition without K x x' z ys : R :=
  sum (fun y => if Rlt_dec 0 (least K y) then 0 else Rmax (weight K x y - z * weight K x' y) 0) ys.
Definition blanket_bound K ys n x x' z : R :=
  without K x x' z ys +
  mean_excess n ((0, 1 - sum (least K) ys) :: map (fun y => (loss K x x' z y, least K y)) ys).

(* ---- randomizers with finitely many outputs, `outputs`, and any inputs ---- *)
Section Finite.
Context {X Y : Type} (outputs : list Y) (K : X -> Y -> R).         (* K x y = Pr[K(x) = y] *)
Definition laws := forall x, (forall y, 0 <= K x y) /\ sum (K x) outputs = 1.
(* the probability that the outputs of users with inputs xs lie in E *)
Fixpoint chance (xs : list X) (E : list Y -> bool) : R :=
  match xs with
  | [] => if E [] then 1 else 0
  | x :: xs => sum (fun y => K x y * chance xs (fun t => E (y :: t))) outputs
  end.
Definition of_set (S : Y -> bool) x : R := sum (fun y => if S y then K x y else 0) outputs.
Definition local_private (z d : R) := forall S x x', of_set S x <= z * of_set S x' + d.
(* n users; what is seen is the multiset of their outputs; one of them replaces the input *)
Definition shuffle_private n (z d : R) := forall l x x' r E, length (l ++ x :: r) = n ->
  (forall s t, Permutation s t -> E s = E t) -> chance (l ++ x :: r) E - z * chance (l ++ x' :: r) E <= d.
End Finite.

(* L of every eps0-private randomizer, for E = e^eps0 and a = e^eps *)
Definition any_loss (E a : R) := [(E - a, / (E + 1)); (1 - a * E, / (E + 1)); (0, (E - 1) / (E + 1))].
Definition any_bound n E a : R := mean_excess n (any_loss E a).
