(* What a certificate states of a randomizer. The theorems `check_crowd_sound` and `check_crowd_false_sound` (Presence.v)
   say that what the checker accepts is true in the sense of this file and of SpecPresence.v;
   whoever has read these and CERTIFICATE.md can compare them, and needs to read no proof.
   Inputs and messages are numbers here: the place of a label in a list of the file's labels. *)
From Coq Require Import Reals ZArith QArith Qreals List Permutation.
Import ListNotations.
Open Scope R_scope.

(* ---- randomizers, and what n users send ---- *)
Definition msg := nat.
Definition law A := list (A * Q).                (* values with their probabilities *)
Definition row := law (list msg).                (* which messages a user sends, in order *)
Definition randomizer := list row.               (* row x is that of input x *)

Definition is_row (r : row) :=
  (forall s p, In (s, p) r -> (0 < p)%Q) /\ (fold_right (fun o total => snd o + total) 0 r == 1)%Q.
Definition is_randomizer (K : randomizer) := forall r, In r K -> is_row r.

(* Users with inputs xs act independently: what they sent, user by user. *)
Fixpoint sent (K : randomizer) (xs : list nat) : law (list (list msg)) :=
  match xs with
  | [] => [([], 1%Q)]
  | x :: xs =>
      flat_map (fun o => map (fun t => (fst o :: fst t, (snd o * snd t)%Q)) (sent K xs)) (nth x K [])
  end.

Definition Pr {A} (E : A -> bool) (l : law A) : R :=
  fold_right (fun o rest => (if E (fst o) then Q2R (snd o) else 0) + rest) 0 l.

(* ---- views ---- *)
Inductive view := Shuffled | Preshuffle | Local.

(* What looks the same to whoever has this view. *)
Definition looks_same (v : view) (s t : list (list msg)) : Prop :=
  match v with
  | Shuffled => Permutation (concat s) (concat t)     (* one multiset of all messages *)
  | Preshuffle => Forall2 (@Permutation msg) s t      (* each user's multiset, by name *)
  | Local => s = t                                    (* each user's tuple, by name *)
  end.
Definition event v (E : list (list msg) -> bool) := forall s t, looks_same v s t -> E s = E t.

(* ---- datasets of n users, neighbours: one user replaced ---- *)
Definition dataset (K : randomizer) n xs := length xs = n /\ forall x, In x xs -> (x < length K)%nat.
Definition neighbours (xs ys : list nat) := exists l x y r, x <> y /\ xs = l ++ x :: r /\ ys = l ++ y :: r.

(* ---- delta(eps), the largest P(E) - z Q(E) over events, for z = e^eps ---- *)
Definition at_most v K xs ys (z d : R) :=
  forall E, event v E -> Pr E (sent K xs) - z * Pr E (sent K ys) <= d.
Definition reaches v K xs ys (z d : R) :=
  exists E, event v E /\ d <= Pr E (sent K xs) - z * Pr E (sent K ys).
(* (log z, d)-differential privacy: neighbours are ordered pairs, so both directions are meant *)
Definition private v K n (z d : R) :=
  forall xs ys, dataset K n xs -> dataset K n ys -> neighbours xs ys -> at_most v K xs ys z d.

(* eps, or log z *)
Inductive exponent := Of (eps : Q) | Log (z : Q).
Definition value (e : exponent) : R := match e with Of eps => exp (Q2R eps) | Log z => Q2R z end.

(* ---- a certificate of version 1 ---- *)
Record claim := { rows : randomizer; sees : view; users : nat; eps : exponent; delta : Q }.

(* One user goes from one input to another. `others` is read in the shuffled view only, and in any order. *)
Record pair := { from : nat; to : nat; others : list nat }.
(* xs and ys are datasets of this pair, and user i, from 0, is the one who changes *)
Definition named c p i xs ys :=
  dataset (rows c) (users c) xs /\ dataset (rows c) (users c) ys /\ from p <> to p /\
  exists l r, xs = l ++ from p :: r /\ ys = l ++ to p :: r /\ length l = i /\
    (sees c = Shuffled -> Permutation (l ++ r) (others p)).

(* An outcome of an event: how many of which messages (messages that are not named: 0), or a tuple. *)
Inductive outcome := Counts (counts : list (msg * Z)) | Tuple (messages : list msg).
Definition how_many (counts : list (msg * Z)) (m : msg) : Z :=
  fold_right (fun mk total => if Nat.eqb (fst mk) m then snd mk + total else total)%Z 0%Z counts.
Definition times (m : msg) (s : list msg) := count_occ Nat.eq_dec s m.
Definition matches (s : list msg) (o : outcome) : bool :=
  match o with
  | Counts counts => forallb (fun m => Z.eqb (Z.of_nat (times m s)) (how_many counts m)) (s ++ map fst counts)
  | Tuple messages => if list_eq_dec Nat.eq_dec s messages then true else false
  end.
(* The event that is listed: of all messages, or of those of user i, who changes. *)
Definition listed v i (outcomes : list outcome) (t : list (list msg)) : bool :=
  existsb (matches (match v with Shuffled => concat t | _ => nth i t [] end)) outcomes.

(* A symmetry: maps of inputs and of messages; what they do not name stays where it is. *)
Record symmetry := { inputs : list (nat * nat); messages : list (msg * msg) }.
Definition image (f : list (nat * nat)) (x : nat) : nat :=
  match find (fun xy => Nat.eqb (fst xy) x) f with Some xy => snd xy | None => x end.
Definition same v (s m : list msg) : bool :=
  match v with
  | Local => if list_eq_dec Nat.eq_dec s m then true else false
  | _ => forallb (fun k => Nat.eqb (times k s) (times k m)) (s ++ m)
  end.
Definition is_symmetry v K (g : symmetry) := forall x m, (x < length K)%nat ->
  Pr (fun s => same v s (map (image (messages g)) m)) (nth (image (inputs g) x) K []) =
  Pr (fun s => same v s m) (nth x K []).

(* What PROVED states of a randomizer. *)
Definition claim_true (c : claim) : Prop :=
  is_randomizer (rows c) /\ private (sees c) (rows c) (users c) (value (eps c)) (Q2R (delta c)).
