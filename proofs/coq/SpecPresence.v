(* Who is there: honest users among others, who take part at random, and neighbours of which one may not be there. Beside
   Spec.v. *)
From Coq Require Import Reals ZArith QArith Qreals List.
From Shufflecert Require Import Spec.
Import ListNotations.
Open Scope R_scope.

(* A user takes part with probability q, and then sends as r says; else nothing. *)
Definition scaled (q : Q) (r : row) : row := map (fun o => (fst o, (q * snd o)%Q)) r.
Definition taking_part (q : Q) (r : row) : row := scaled q r ++ (if Qeq_bool q 1 then [] else [([], (1 - q)%Q)]).

(* Replace: the user who changes holds two inputs. Else he is there in one of the two datasets; in the other he sends
   nothing, or holds an input that is drawn by these weights. *)
Inductive change := Replace | AddRemove | Deletion (weights : list (nat * Q)).
Definition absent (K : randomizer) (h : change) : list row :=
  match h with
  | Replace => []
  | AddRemove => [[([], 1%Q)]]
  | Deletion weights => [flat_map (fun xw => scaled (snd xw) (nth (fst xw) K [])) weights]
  end.
(* He goes from x to y, of so many inputs; the number after the last one is that he is not there. *)
Definition moves (h : change) (inputs x y : nat) : Prop :=
  match h with
  | Replace => (x < inputs /\ y < inputs /\ x <> y)%nat
  | _ => (x < inputs /\ y = inputs \/ x = inputs /\ y < inputs)%nat
  end.

(* So many of all users are honest; what the others send is independent of these, and follows any law. *)
Record crowd := { each : randomizer; takes : Q; changes : change; shown_as : view; all_users : Z; honest : nat;
  crowd_eps : exponent; crowd_delta : Q }.
Definition distribution {A} (M : law A) := (forall a p, In (a, p) M -> (0 < p)%Q) /\
  (fold_right (fun o total => snd o + total) 0 M == 1)%Q.
Definition with_others (M L : law (list (list msg))) : law (list (list msg)) :=
  flat_map (fun m => map (fun o => (fst o ++ fst m, (snd m * snd o)%Q)) L) M.

Definition laws_of (c : crowd) : randomizer :=
  let K := map (taking_part (takes c)) (each c) in K ++ absent K (changes c).
Definition well_said (c : crowd) : Prop :=
  is_randomizer (each c) /\ (0 < takes c <= 1)%Q /\ (Z.of_nat (honest c) <= all_users c)%Z /\ is_randomizer (laws_of c).
Definition crowd_private (c : crowd) : Prop :=
  let inputs := length (each c) in
  forall l x y r M E, length (l ++ x :: r) = honest c -> moves (changes c) inputs x y ->
    (forall i, In i (l ++ r) -> (i < inputs)%nat) -> distribution M -> event (shown_as c) E ->
    Pr E (with_others M (sent (laws_of c) (l ++ x :: r))) -
      value (crowd_eps c) * Pr E (with_others M (sent (laws_of c) (l ++ y :: r))) <= Q2R (crowd_delta c).
Definition crowd_true (c : crowd) : Prop := well_said c /\ crowd_private c.
Definition crowd_false (c : crowd) : Prop := well_said c /\ ~ crowd_private c.
(* What is claimed of the same users at another point of their curve. *)
Definition at_point (c : crowd) (t d : Q) : crowd :=
  {| each := each c; takes := takes c; changes := changes c; shown_as := shown_as c; all_users := all_users c;
     honest := honest c; crowd_eps := Log t; crowd_delta := d |}.
