(* What a certificate of version 2 about a histogram states. Beside Spec.v and SpecCount.v. *)
From Coq Require Import Reals ZArith QArith Qreals List.
From Shufflecert Require Import Spec SpecCount.
Import ListNotations.
Open Scope R_scope.

(* (c_1 + X_1, ..., c_B + X_B) is seen: the probability that it is ks, for X_1, ..., X_B independent of one law *)
Fixpoint likely X (cs ks : list Z) : R :=
  match cs, ks with
  | [], [] => 1
  | c :: cs, k :: ks => prob X (k - c) * likely X cs ks
  | _, _ => 0
  end.
(* a is the probability that it lies in E *)
Definition Pr_histogram X cs (E : list Z -> bool) (a : R) := total (fun ks => if E ks then likely X cs ks else 0) a.

(* neighbours: one unit moves from a bucket to another one, to a later one or to an earlier one *)
Definition unit_moves (cs ds : list Z) := exists l a m b r,
  let one := l ++ (a + 1)%Z :: m ++ b :: r in let two := l ++ a :: m ++ (b + 1)%Z :: r in
  cs = one /\ ds = two \/ cs = two /\ ds = one.
Definition histogram_private X (B : Z) (z d : R) :=
  forall cs ds E a b, Z.of_nat (length cs) = B -> unit_moves cs ds -> Pr_histogram X cs E a -> Pr_histogram X ds E b ->
  a - z * b <= d.
Record histogram := { noise_of : noise; buckets : Z; histogram_eps : exponent; histogram_delta : Q }.
