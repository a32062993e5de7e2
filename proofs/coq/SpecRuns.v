(* What is claimed of several runs. Beside the other Spec files. *)
From Coq Require Import Reals ZArith QArith Qreals List.
From Shufflecert Require SpecNumbers SpecBlanket SpecAny.
From Shufflecert Require Import Spec SpecCount SpecPresence SpecColumns.
Import ListNotations.
Open Scope R_scope.

(* What one run shows: its outcomes, and the pairs of laws (P, Q) that its neighbouring datasets have, P y = Pr[y]. *)
Definition pairs A := (A -> R) -> (A -> R) -> Prop.
Record seen := Seen { outcome : Type; pairs_of : pairs outcome }.
(* delta(log z) <= d: sums over countably many outcomes are the least upper bounds of finite ones *)
Definition keeps {A} (P Q : A -> R) (z d : R) := forall l, NoDup l -> sum (fun y => Rmax (P y - z * Q y) 0) l <= d.

(* ---- runs, one after the other ---- *)
Fixpoint shown (runs : list seen) : Type := match runs with [] => unit | s :: runs => (outcome s * shown runs)%type end.
(* Every run has a pair of its own, which may depend on what the runs before showed: after y come P' y and Q' y. *)
Inductive together : forall runs, pairs (shown runs) :=
| no_run : together [] (fun _ => 1) (fun _ => 1)
| then_run s runs P Q P' Q' : pairs_of s P Q -> (forall y, together runs (P' y) (Q' y)) ->
    together (s :: runs) (fun o => P (fst o) * P' (fst o) (snd o)) (fun o => Q (fst o) * Q' (fst o) (snd o)).
(* data "any" *)
Fixpoint any_data (runs : list (seen * positive)) : list seen :=
  match runs with [] => [] | (s, times) :: runs => repeat s (Pos.to_nat times) ++ any_data runs end.
(* data "same": one pair in all runs of one SEEN *)
Fixpoint same_data (runs : list (seen * positive)) (chosen : list seen) : Prop :=
  match runs with
  | [] => chosen = []
  | (s, times) :: runs => exists P Q rest, pairs_of s P Q /\ same_data runs rest /\
      chosen = repeat (Seen (outcome s) (fun P' Q' => P' = P /\ Q' = Q)) (Pos.to_nat times) ++ rest
  end.
Definition runs_keep (same : bool) (runs : list (seen * positive)) (z d : R) : Prop :=
  forall chosen, (if same then same_data runs chosen else chosen = any_data runs) ->
  forall P Q, together chosen P Q -> keeps P Q z d.

(* ---- what is seen of a randomizer: of each view one of all that look the same, its messages in order ---- *)
Fixpoint put (m : msg) (s : list msg) : list msg :=
  match s with [] => [m] | k :: s' => if Nat.leb m k then m :: s else k :: put m s' end.
Definition in_order (s : list msg) : list msg := fold_right put [] s.
Definition to_see (v : view) (t : list (list msg)) : list (list msg) :=
  match v with Shuffled => [in_order (concat t)] | Preshuffle => map in_order t | Local => t end.
Definition same_outcome (s t : list (list msg)) : bool := if list_eq_dec (list_eq_dec Nat.eq_dec) s t then true else false.
Definition law_seen (v : view) (L : law (list (list msg))) (y : list (list msg)) : R := Pr (fun t => same_outcome y (to_see v t)) L.
(* Neighbours are as in SpecPresence.v, or nobody changes; crowd_eps and crowd_delta are not read. *)
Definition of_crowd (c : crowd) : seen := Seen (list (list msg)) (fun P Q =>
  let inputs := length (each c) in
  exists l x y r M, length (l ++ x :: r) = honest c /\ (moves (changes c) inputs x y \/ x = y /\ (x < inputs)%nat) /\
    (forall i, In i (l ++ r) -> (i < inputs)%nat) /\ distribution M /\
    P = law_seen (shown_as c) (with_others M (sent (laws_of c) (l ++ x :: r))) /\
    Q = law_seen (shown_as c) (with_others M (sent (laws_of c) (l ++ y :: r)))).

(* ---- what is seen of a number; its eps and delta are not read ---- *)
Definition number_seen (c : SpecNumbers.number) (xs : list Z) : Z -> R :=
  made_by (SpecNumbers.shown_as c) (fun k => SpecNumbers.noise_of c (length xs) (k - fold_right Z.add 0%Z xs)%Z).
Definition of_number (c : SpecNumbers.number) : seen := Seen Z (fun P Q => exists l x y r,
  SpecNumbers.others_of c l r /\ SpecNumbers.number_neighbours c x y /\
  P = number_seen c (l ++ SpecNumbers.holding x ++ r) /\ Q = number_seen c (l ++ SpecNumbers.holding y ++ r)).

(* ---- what is seen of columns, as many as there may be, or nobody changes; their eps and delta are not read ---- *)
Definition of_columns (c : columns) (d : option Z) : seen := Seen (list Z) (fun P Q => exists inputs wide xs ys,
  sizes c d inputs wide /\
  (neighbours c inputs xs ys \/ xs = ys /\ length xs = column_users c /\ forall i, In i xs -> (i < inputs)%nat) /\
  P = jointly (map (shown_column c xs) (seq 0 wide)) /\ Q = jointly (map (shown_column c ys) (seq 0 wide))).

(* ---- what is seen of users of any randomizer that is so private: the multiset of their outputs, in order ---- *)
(* Its outputs are finitely many, and numbered; inputs are what they may be. Each pair of laws may be of another one, so with
   data "any" each run may have another randomizer, and choose it by what the runs before showed. Eps and delta are not read. *)
Definition outputs_seen {X} (many : nat) (K : X -> nat -> R) (xs : list X) (y : list nat) : R :=
  SpecBlanket.chance (seq 0 many) K xs (fun t => if list_eq_dec Nat.eq_dec y (in_order t) then true else false).
Definition of_any (c : SpecAny.any_claim) : seen := Seen (list nat) (fun P Q =>
  exists (X : Type) (many : nat) (K : X -> nat -> R) (l : list X) (x x' : X) (r : list X),
    SpecBlanket.laws (seq 0 many) K /\
    SpecBlanket.local_private (seq 0 many) K (value (SpecAny.any_local c)) (Q2R (SpecAny.any_share c)) /\
    length (l ++ x :: r) = Pos.to_nat (SpecAny.any_users c) /\
    P = outputs_seen many K (l ++ x :: r) /\ Q = outputs_seen many K (l ++ x' :: r)).

(* ---- claims ---- *)
Inductive kind :=
| OfRows (c : crowd)
| OfNumbers (c : SpecNumbers.number)
| OfColumns (c : columns) (size : option Z)
| OfAny (c : SpecAny.any_claim).
Definition is_seen (k : kind) (s : seen) : Prop :=
  match k with
  | OfRows c => s = of_crowd c
  | OfNumbers c => s = of_number c
  | OfColumns c d => s = of_columns c d
  | OfAny c => s = of_any c
  end.
Definition kind_said (k : kind) : Prop :=
  match k with
  | OfRows c => well_said c
  | OfNumbers c => SpecNumbers.number_said c
  | OfColumns c _ => columns_said c
  | OfAny _ => True
  end.
Record composition := { kinds : list (kind * positive); same_pairs : bool; runs_eps : exponent; runs_delta : Q }.
Definition composition_true (c : composition) : Prop :=
  (forall k, In k (kinds c) -> kind_said (fst k)) /\
  forall seens, Forall2 (fun k s => is_seen (fst k) (fst s) /\ snd k = snd s) (kinds c) seens ->
    runs_keep (same_pairs c) seens (value (runs_eps c)) (Q2R (runs_delta c)).
(* It breaks where a pair of every run does that is the same all its times, be data "same" or "any". *)
Definition composition_false (c : composition) : Prop :=
  (forall k, In k (kinds c) -> kind_said (fst k)) /\
  exists seens, Forall2 (fun k s => is_seen (fst k) (fst s) /\ snd k = snd s) (kinds c) seens /\
    forall same, ~ runs_keep same seens (value (runs_eps c)) (Q2R (runs_delta c)).
