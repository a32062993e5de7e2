(* What is claimed of one number that is seen: the sum of all users' numbers, with noise. Beside SpecColumns.v. *)
From Coq Require Import Reals ZArith QArith Qreals List.
From Shufflecert Require Import Spec SpecCount SpecColumns.
Import ListNotations.
Open Scope R_scope.

(* A user holds a number from 0 to `largest`; each adds a draw, and one more is added to the sum. *)
Record number := { largest : Z; each_adds : option number_law; once_added : option number_law; shown_mod : option Z;
  (* whether neighbours differ in a user who is there or not; else in what he holds *)
  arrives : bool; number_users : nat; number_eps : exponent; number_delta : Q }.
Definition drawn (l : option number_law) : Z -> R := match l with Some l => mass l | None => point 0 end.
Definition noise_of (c : number) (n : nat) : Z -> R := fold_right plus_draw (drawn (once_added c)) (repeat (drawn (each_adds c)) n).
Definition shown_as (c : number) (k : Z) : Z := match shown_mod c with Some m => (k mod m)%Z | None => k end.
(* the probability that what is seen of users with these numbers lies in E *)
Definition Pr_number (c : number) (xs : list Z) (E : Z -> bool) : R :=
  series (fun k => if E (shown_as c (fold_right Z.add 0%Z xs + k)) then noise_of c (length xs) k else 0).

(* A user's number, or that he is not there. *)
Definition may_hold (c : number) (x : option Z) : Prop := match x with Some k => (0 <= k <= largest c)%Z | None => arrives c = true end.
Definition holding (x : option Z) : list Z := match x with Some k => [k] | None => [] end.
Definition number_neighbours (c : number) (x y : option Z) : Prop := may_hold c x /\ may_hold c y /\ x <> y /\
  (arrives c = true -> x = None \/ y = None).
Definition number_gap (c : number) (l r : list Z) (x y : option Z) (E : Z -> bool) : R :=
  Pr_number c (l ++ holding x ++ r) E - value (number_eps c) * Pr_number c (l ++ holding y ++ r) E.
Definition others_of (c : number) (l r : list Z) : Prop :=
  S (length (l ++ r)) = number_users c /\ forall k, In k (l ++ r) -> (0 <= k <= largest c)%Z.
Definition number_said (c : number) : Prop :=
  (forall l, each_adds c = Some l \/ once_added c = Some l -> is_number_law l) /\
  match shown_mod c with Some m => (0 < m)%Z | None => True end.
Definition number_true (c : number) : Prop := number_said c /\
  forall l r x y E, others_of c l r -> number_neighbours c x y -> number_gap c l r x y E <= Q2R (number_delta c).
Definition number_false (c : number) : Prop := number_said c /\
  exists l r x y E, others_of c l r /\ number_neighbours c x y /\ Q2R (number_delta c) < number_gap c l r x y E.
