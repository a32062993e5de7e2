(* What a certificate of version 2 with a threshold states: of any randomizer, in the shuffled view. Beside Spec.v. *)
From Coq Require Import Reals ZArith QArith Qreals List.
From Shufflecert Require Import Spec.
Import ListNotations.
Open Scope R_scope.

(* A weight for each message, in the order of their numbers; messages beyond the list have weight 0. *)
Record threshold := { weights : list Z; above : Z }.
Definition weighed (ws : list Z) (s : list msg) : Z := fold_right (fun m sum => nth m ws 0 + sum)%Z 0%Z s.
(* The event: the sum over all messages of their weights is more than `above`. *)
Definition passes (t : threshold) (s : list (list msg)) : bool := (above t <? weighed (weights t) (concat s))%Z.

Definition threshold_true (c : claim) (p : pair) (t : threshold) : Prop :=
  let K := rows c in let z := value (eps c) in
  is_randomizer K /\ sees c = Shuffled /\
  (exists i xs ys, named c p i xs ys) /\
  (forall i xs ys, named c p i xs ys ->
    Q2R (delta c) < Pr (passes t) (sent K xs) - z * Pr (passes t) (sent K ys)) /\
  ~ private Shuffled K (users c) z (Q2R (delta c)).
