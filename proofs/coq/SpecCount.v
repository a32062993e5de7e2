(* What a certificate of version 2 about a count states, for all four noise laws. Beside Spec.v. *)
From Coq Require Import Reals ZArith QArith Qreals List.
From Shufflecert Require Import Spec.
Import ListNotations.
Open Scope R_scope.

(* ---- the noise laws ---- *)
Inductive noise := Binomial (n : Z) (p : Q) | Poisson (lam : Q) | NegativeBinomial (r p : Q) | DiscreteLaplace (q : Q).

(* Of which parameters they are laws; a binomial with p = 0 or p = 1 is one too, `is_law` *)
Definition is_noise (X : noise) : Prop :=
  match X with
  | Binomial n p => (0 <= n)%Z /\ 0 < Q2R p < 1
  | Poisson lam => 0 < Q2R lam
  | NegativeBinomial r p => 0 < Q2R r /\ 0 < Q2R p < 1
  | DiscreteLaplace q => 0 < Q2R q < 1
  end.

Definition is_law (X : noise) : Prop :=
  is_noise X \/ match X with Binomial n p => (0 <= n)%Z /\ (Q2R p = 0 \/ Q2R p = 1) | _ => False end.

(* C(k + r - 1, k) = r (r + 1) ... (r + k - 1) / k! *)
Fixpoint rising (r : R) (k : nat) : R :=
  match k with O => 1 | S k => rising r k * (r + INR k) / INR (S k) end.

(* Pr[X = k]; Binomial.C is the binomial coefficient of Coq's library *)
Definition prob (X : noise) (k : Z) : R :=
  let i := Z.to_nat k in
  match X with
  | Binomial n p => if (0 <=? k)%Z && (k <=? n)%Z
      then Binomial.C (Z.to_nat n) i * Q2R p ^ i * (1 - Q2R p) ^ (Z.to_nat n - i) else 0
  | Poisson lam => if (0 <=? k)%Z then exp (- Q2R lam) * Q2R lam ^ i / INR (fact i) else 0
  | NegativeBinomial r p => if (0 <=? k)%Z then rising (Q2R r) i * Rpower (1 - Q2R p) (Q2R r) * Q2R p ^ i else 0
  | DiscreteLaplace q => (1 - Q2R q) / (1 + Q2R q) * Q2R q ^ Z.abs_nat k
  end.

(* ---- sums over countably many outcomes: the least upper bound of all finite ones ---- *)
Definition sum {A} (f : A -> R) (l : list A) : R := fold_right (fun a rest => f a + rest) 0 l.
Definition total {A} (f : A -> R) (t : R) := is_lub (fun y => exists l, NoDup l /\ y = sum f l) t.

(* s + X is seen, for an integer s: a is the probability that it lies in E *)
Definition Pr_count X (s : Z) (E : Z -> bool) (a : R) := total (fun k => if E (s + k)%Z then prob X k else 0) a.

(* neighbours are s and s + j, for every j with 1 <= |j| <= sensitivity *)
Definition near (sensitivity s t : Z) := s <> t /\ (Z.abs (t - s) <= sensitivity)%Z.
Definition count_private X sensitivity (z d : R) :=
  forall s t E a b, near sensitivity s t -> Pr_count X s E a -> Pr_count X t E b -> a - z * b <= d.
