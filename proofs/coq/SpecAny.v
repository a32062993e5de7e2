(* What is claimed of any randomizer. Beside SpecBlanket.v. *)
From Coq Require Import Reals ZArith QArith Qreals List.
From Shufflecert Require Import Spec SpecCount SpecBlanket SpecThreshold.
Open Scope R_scope.

Record any_claim := { any_local : exponent; any_share : Q; any_users : positive; any_eps : exponent; any_delta : Q }.
(* PROVED: every (eps0, delta0)-private randomizer with finitely many outputs keeps the claim. *)
Definition any_true (c : any_claim) : Prop :=
  forall (X Y : Type) (same : forall y y' : Y, {y = y'} + {y <> y'}) (outputs : list Y) (K : X -> Y -> R),
    laws outputs K -> local_private outputs K (value (any_local c)) (Q2R (any_share c)) ->
    shuffle_private outputs K (Pos.to_nat (any_users c)) (value (any_eps c)) (Q2R (any_delta c)).
(* REFUTED: the rows of c are (eps0, delta0)-private, an output being the multiset that is sent, and do not keep it. *)
Definition one_true (local : exponent) (share : Q) (c : claim) (p : pair) (t : threshold) : Prop :=
  private Shuffled (rows c) 1 (value local) (Q2R share) /\ threshold_true c p t.
