(* What a certificate of version 2 about a count with binomial noise states (sensitivity 1). Beside Spec.v. *)
From Coq Require Import Reals ZArith QArith Qreals.
From Shufflecert Require Import Spec.
Open Scope R_scope.

(* Pr[X = k] times (a + c)^n, for X the sum of n independent bits, each 1 with probability a / (a + c) *)
Fixpoint weight (a c : R) (n k : nat) : R :=
  match n, k with
  | O, O => 1
  | O, S _ => 0
  | S n, O => c * weight a c n O
  | S n, S k => c * weight a c n (S k) + a * weight a c n k
  end.
Definition binomial (p : R) n k := weight p (1 - p) n k.

(* f(from) + f(from + 1) + ..., so many terms *)
Fixpoint range (f : nat -> R) (from len : nat) : R :=
  match len with O => 0 | S len => f from + range f (S from) len end.

(* s + X is seen, for an integer s: the probability that it lies in E *)
Definition Pr_count p n (s : Z) (E : Z -> bool) : R :=
  range (fun k => if E (s + Z.of_nat k)%Z then binomial p n k else 0) 0 (S n).
(* neighbours are s and s + 1, s and s - 1 *)
Definition next (s t : Z) := t = (s + 1)%Z \/ s = (t + 1)%Z.
Definition count_private p n (z d : R) := forall s t E, next s t -> Pr_count p n s E - z * Pr_count p n t E <= d.

Record count := { noise_n : Z; noise_p : Q; count_eps : exponent; count_delta : Q }.
Inductive verdict := PROVED | REFUTED.

Definition count_true (c : count) (v : verdict) (lower upper : Q) : Prop :=
  let p := Q2R (noise_p c) in let n := Z.to_nat (noise_n c) in let z := value (count_eps c) in
  (* the largest delta(eps) over all pairs of neighbours lies in [lower, upper] *)
  count_private p n z (Q2R upper) /\
  (exists s t E, next s t /\ Q2R lower <= Pr_count p n s E - z * Pr_count p n t E) /\
  match v with
  | PROVED => count_private p n z (Q2R (count_delta c))
  | REFUTED => exists s t E, next s t /\ Q2R (count_delta c) < Pr_count p n s E - z * Pr_count p n t E
  end.
