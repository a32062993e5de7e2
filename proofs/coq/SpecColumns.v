(* What is claimed of independent columns, in each of which every user draws a number. Beside Spec.v and SpecCount.v. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra.
From Shufflecert Require Import Spec SpecCount.
Import ListNotations.
Open Scope R_scope.

(* ---- sums over countably many outcomes, of numbers of at least 0 that sum to at most 1: the least upper bound ---- *)
Definition some_of {A} (f : A -> R) (y : R) := exists l, NoDup l /\ y = Rmin 1 (sum f l).
Lemma some_bound {A} (f : A -> R) : bound (some_of f).
Proof. exists 1. intros y (l & _ & ->). apply Rmin_l. Qed.
Lemma some_exist {A} (f : A -> R) : exists y, some_of f y.
Proof. exists (Rmin 1 (sum f [])), []. split; [constructor|reflexivity]. Qed.
Definition series {A} (f : A -> R) : R := proj1_sig (completeness (some_of f) (some_bound f) (some_exist f)).

(* ---- bells: probabilities proportional to weights that are the same at k and -k, and sum to at most 1 ---- *)
Inductive bell := Gaussian (variance : Q) | Bounded (q : Q) (bound : Z).
Definition weight_of (b : bell) (k : Z) : R :=
  match b with
  | Gaussian v => exp (- (IZR k * IZR k) / (2 * Q2R v)) / (1 + 4 * Q2R v)
  | Bounded q bound => if (Z.abs k <=? bound)%Z then prob (DiscreteLaplace q) k else 0
  end.
Definition is_bell (b : bell) : Prop :=
  match b with Gaussian v => 0 < Q2R v | Bounded q bound => 0 < Q2R q < 1 /\ (0 <= bound)%Z end.

(* ---- laws of numbers: Pr[k]; of a sum of independent draws; of one of several laws; of a remainder ---- *)
Inductive number_law :=
  Noise (X : noise) | Bell (b : bell) | Finite (p : list (Z * Q)) | Sum (of : list number_law)
  | Mixture (of : list (Q * number_law)) | Mod (by_ : Z) (of : number_law).
Definition point (j k : Z) : R := if (k =? j)%Z then 1 else 0.
Definition plus_draw (f g : Z -> R) (k : Z) : R := series (fun i => f i * g (k - i)%Z).
(* what is made of a draw by a function *)
Definition made_by {A} (f : A -> Z) (m : A -> R) (k : Z) : R := series (fun i => if (f i =? k)%Z then m i else 0).
Fixpoint mass (l : number_law) : Z -> R :=
  match l with
  | Noise X => prob X
  | Bell b => fun k => weight_of b k / series (weight_of b)
  | Finite p => fun k => sum (fun o => Q2R (snd o) * point (fst o) k) p
  | Sum of => fold_right (fun l rest => plus_draw (mass l) rest) (point 0) of
  | Mixture of => fun k => sum (fun o => Q2R (fst o) * mass (snd o) k) of
  | Mod m l => made_by (fun k => k mod m)%Z (mass l)
  end.
Definition weights_are (ws : list Q) := Forall (fun w => 0 < Q2R w) ws /\ sum Q2R ws = 1.
Fixpoint is_number_law (l : number_law) : Prop :=
  match l with
  | Noise X => is_law X
  | Bell b => is_bell b
  | Finite p => weights_are (map snd p)
  | Sum of => fold_right (fun l rest => is_number_law l /\ rest) True of
  | Mixture of => weights_are (map fst of) /\ fold_right (fun o rest => is_number_law (snd o) /\ rest) True of
  | Mod m l => (0 < m)%Z /\ is_number_law l
  end.

(* ---- columns ---- *)
(* Of each input the laws by which he draws, column by column; or columns 0, 1, ... and as many inputs: `held` is the law
   in the column that has the input's number, `other` in the rest. Laws are named by their places in a list. *)
Inductive drawing := Table (inputs : list (list nat)) | OneOf (held other : nat).
Record columns := { number_laws : list number_law; draws : drawing; added_law : option nat; column_users : nat;
  (* from which number on a sum is shown; whether neighbours differ in a user who is there or not *)
  shown_from : option Z; arriving : bool; columns_eps : exponent; columns_delta : Q }.
Definition by_number (c : columns) (i : nat) : Z -> R := mass (nth i (number_laws c) (Finite [])).
Definition law_in (w : drawing) (column x : nat) : nat :=
  match w with
  | Table inputs => nth column (nth x inputs []) 0%nat
  | OneOf held other => if Nat.eqb x column then held else other
  end.
(* the number seen in a column, of users with these inputs *)
Definition in_column (c : columns) (xs : list nat) (column : nat) : Z -> R :=
  fold_right (fun x rest => plus_draw (by_number c (law_in (draws c) column x)) rest)
    (match added_law c with Some i => by_number c i | None => point 0 end) xs.
(* what is shown of it: of all that is less one thing, "nothing" *)
Definition as_shown (c : columns) (m : Z -> R) : Z -> R :=
  match shown_from c with Some t => made_by (fun k => Z.max k (t - 1)) m | None => m end.
Definition shown_column (c : columns) (xs : list nat) (column : nat) : Z -> R := as_shown c (in_column c xs column).
(* numbers in all columns, which are independent *)
Fixpoint jointly (ms : list (Z -> R)) (ks : list Z) : R :=
  match ms, ks with
  | [], [] => 1
  | m :: ms, k :: ks => m k * jointly ms ks
  | _, _ => 0
  end.
Definition Pr_columns (c : columns) (d : nat) (xs : list nat) (E : list Z -> bool) : R :=
  series (fun ks => if E ks then jointly (map (shown_column c xs) (seq 0 d)) ks else 0).
(* A user holds an input, or is not there. *)
Definition there (x : option nat) : list nat := match x with Some i => [i] | None => [] end.
Definition neighbours (c : columns) (inputs : nat) (xs ys : list nat) := exists l x y r,
  xs = l ++ there x ++ r /\ ys = l ++ there y ++ r /\ S (length (l ++ r)) = column_users c /\ x <> y /\
  (if arriving c then x = None \/ y = None else x <> None /\ y <> None) /\
  forall i, In i (l ++ there x ++ there y ++ r) -> (i < inputs)%nat.
Definition columns_private (c : columns) (inputs d : nat) := forall xs ys E, neighbours c inputs xs ys ->
  Pr_columns c d xs E - value (columns_eps c) * Pr_columns c d ys E <= Q2R (columns_delta c).
Definition columns_exceeded (c : columns) (inputs d : nat) := exists xs ys E, neighbours c inputs xs ys /\
  Q2R (columns_delta c) < Pr_columns c d xs E - value (columns_eps c) * Pr_columns c d ys E.

(* How many columns there are where that is not said by a table: one number, or any from 2 on. *)
Definition sizes (c : columns) (d : option Z) (inputs wide : nat) : Prop :=
  match draws c with
  | Table table => inputs = length table /\ wide = length (nth 0 table []) /\ forall r, In r table -> length r = wide
  | OneOf _ _ => inputs = wide /\ match d with Some d => wide = Z.to_nat d | None => (2 <= wide)%nat end
  end.
Definition columns_said (c : columns) := Forall is_number_law (number_laws c).
Definition columns_true (c : columns) (d : option Z) :=
  columns_said c /\ forall inputs wide, sizes c d inputs wide -> columns_private c inputs wide.
Definition columns_false (c : columns) (d : option Z) :=
  columns_said c /\ exists inputs wide, sizes c d inputs wide /\ columns_exceeded c inputs wide.
