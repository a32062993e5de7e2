(* Functions on lists that need no stack, however long a list is: each gives what the function gives whose place it
   takes in the program (the lemma `..._same`; Extract.v has the list). Proofs are about the functions of old. *)
From Coq Require Import ZArith List Lia Arith Bool.
From Shufflecert Require Poly Key Gain Grid Symmetry Views Sums Boxes Powers Lattice.
Import ListNotations.
Local Open Scope Z_scope.

(* ---- of Coq's library ---- *)
Section Lists.
Context {A B C : Type}.
Fixpoint fold (f : A -> B -> A) (l : list B) (a : A) : A := match l with [] => a | x :: l => fold f l (f a x) end.
Lemma fold_same f l a : fold f l a = fold_left f l a.
Proof. revert a. induction l as [|x l IH]; intros a; [reflexivity|apply IH]. Qed.
Fixpoint turn (l m : list A) : list A := match l with [] => m | x :: l => turn l (x :: m) end.
Lemma turn_same l m : turn l m = rev l ++ m.
Proof. revert m. induction l as [|x l IH]; intros m; [reflexivity|]. cbn [turn rev]. now rewrite IH, <- app_assoc. Qed.
End Lists.

Definition app {A} (l m : list A) : list A := turn (turn l []) m.
Lemma app_same A (l m : list A) : app l m = l ++ m.
Proof. unfold app. now rewrite !turn_same, app_nil_r, rev_involutive. Qed.

Fixpoint map_onto {A B} (f : A -> B) (l : list A) (acc : list B) : list B :=
  match l with [] => turn acc [] | x :: l => map_onto f l (f x :: acc) end.
Definition map {A B} (f : A -> B) l := map_onto f l [].
Lemma map_same A B (f : A -> B) l : map f l = List.map f l.
Proof.
  unfold map. assert (H : forall acc, map_onto f l acc = rev acc ++ List.map f l).
  { induction l as [|x l IH]; intros acc; cbn [map_onto List.map]; [now rewrite turn_same|].
    rewrite IH. cbn [rev]. now rewrite <- app_assoc. }
  apply H.
Qed.

Definition fold_right {A B} (f : B -> A -> A) (a : A) (l : list B) : A := fold (fun a x => f x a) (turn l []) a.
Lemma fold_right_same A B (f : B -> A -> A) a l : fold_right f a l = List.fold_right f a l.
Proof. unfold fold_right. now rewrite turn_same, app_nil_r, fold_same, <- fold_left_rev_right, rev_involutive. Qed.

Fixpoint flat_onto {A B} (f : A -> list B) (l : list A) (acc : list B) : list B :=
  match l with [] => turn acc [] | x :: l => flat_onto f l (turn (f x) acc) end.
Definition flat_map {A B} (f : A -> list B) l := flat_onto f l [].
Lemma flat_map_same A B (f : A -> list B) l : flat_map f l = List.flat_map f l.
Proof.
  unfold flat_map. assert (H : forall acc, flat_onto f l acc = rev acc ++ List.flat_map f l).
  { induction l as [|x l IH]; intros acc; cbn [flat_onto List.flat_map]; [now rewrite turn_same|].
    rewrite IH, turn_same, rev_app_distr, rev_involutive, <- app_assoc. reflexivity. }
  apply H.
Qed.
Definition concat {A} (l : list (list A)) := flat_map (fun x => x) l.
Lemma concat_same A (l : list (list A)) : concat l = List.concat l.
Proof. unfold concat. now rewrite flat_map_same, flat_map_concat_map, map_id. Qed.

Fixpoint filter_onto {A} (f : A -> bool) (l acc : list A) : list A :=
  match l with [] => turn acc [] | x :: l => filter_onto f l (if f x then x :: acc else acc) end.
Definition filter {A} (f : A -> bool) l := filter_onto f l [].
Lemma filter_same A (f : A -> bool) l : filter f l = List.filter f l.
Proof.
  unfold filter. assert (H : forall acc, filter_onto f l acc = rev acc ++ List.filter f l).
  { induction l as [|x l IH]; intros acc; cbn [filter_onto List.filter]; [now rewrite turn_same|].
    rewrite IH. destruct (f x); [cbn [rev]; now rewrite <- app_assoc|reflexivity]. }
  apply H.
Qed.

Fixpoint combine_onto {A B} (l : list A) (m : list B) (acc : list (A * B)) : list (A * B) :=
  match l, m with x :: l, y :: m => combine_onto l m ((x, y) :: acc) | _, _ => turn acc [] end.
Definition combine {A B} (l : list A) (m : list B) := combine_onto l m [].
Lemma combine_same A B (l : list A) (m : list B) : combine l m = List.combine l m.
Proof.
  unfold combine. assert (H : forall (m : list B) acc, combine_onto l m acc = rev acc ++ List.combine l m).
  { clear m. induction l as [|x l IH]; intros [|y n] acc; cbn [combine_onto List.combine]; rewrite ?turn_same; auto.
    rewrite IH. cbn [rev]. now rewrite <- app_assoc. }
  apply H.
Qed.

Fixpoint nodup_onto {A} (same : forall x y : A, {x = y} + {x <> y}) (l acc : list A) : list A :=
  match l with
  | [] => turn acc []
  | x :: l => nodup_onto same l (if in_dec same x l then acc else x :: acc)
  end.
Definition nodup {A} (same : forall x y : A, {x = y} + {x <> y}) l := nodup_onto same l [].
Lemma nodup_same A (same : forall x y : A, {x = y} + {x <> y}) l : nodup same l = List.nodup same l.
Proof.
  unfold nodup. assert (H : forall acc, nodup_onto same l acc = rev acc ++ List.nodup same l).
  { induction l as [|x l IH]; intros acc; cbn [nodup_onto List.nodup]; [now rewrite turn_same|].
    rewrite IH. destruct (in_dec same x l); [reflexivity|cbn [rev]; now rewrite <- app_assoc]. }
  apply H.
Qed.

(* from the last one on *)
Fixpoint seq_onto (at_ n : nat) (acc : list nat) : list nat :=
  match n with O => acc | S n => seq_onto (pred at_) n (pred at_ :: acc) end.
Definition seq (start n : nat) : list nat := seq_onto (start + n) n [].
Lemma seq_same start n : seq start n = List.seq start n.
Proof.
  unfold seq. assert (H : forall acc, seq_onto (start + n) n acc = List.seq start n ++ acc).
  { induction n as [|n IH]; intros acc; cbn [seq_onto]; [reflexivity|].
    replace (pred (start + S n)) with (start + n)%nat by lia. rewrite IH, seq_S, <- app_assoc. reflexivity. }
  rewrite H. apply app_nil_r.
Qed.
Fixpoint repeat_onto {A} (x : A) (n : nat) (acc : list A) : list A :=
  match n with O => acc | S n => repeat_onto x n (x :: acc) end.
Definition repeat {A} (x : A) n := repeat_onto x n [].
Lemma repeat_same A (x : A) n : repeat x n = List.repeat x n.
Proof.
  unfold repeat. assert (H : forall acc, repeat_onto x n acc = List.repeat x n ++ acc).
  { induction n as [|n IH]; intros acc; cbn [repeat_onto List.repeat]; [reflexivity|]. rewrite IH.
    change (x :: List.repeat x n) with (List.repeat x (S n)). rewrite <- Nat.add_1_r, repeat_app, <- app_assoc.
    reflexivity. }
  rewrite H. apply app_nil_r.
Qed.
Fixpoint occ {A} (same : forall x y : A, {x = y} + {x <> y}) (l : list A) (x : A) (n : nat) : nat :=
  match l with [] => n | y :: l => occ same l x (if same y x then S n else n) end.
Definition count_occ {A} (same : forall x y : A, {x = y} + {x <> y}) l x := occ same l x O.
Lemma count_occ_same A (same : forall x y : A, {x = y} + {x <> y}) l x : count_occ same l x = List.count_occ same l x.
Proof.
  unfold count_occ. assert (H : forall n, occ same l x n = (n + List.count_occ same l x)%nat).
  { induction l as [|y l IH]; intros n; cbn [occ List.count_occ]; [lia|]. rewrite IH. destruct (same y x); lia. }
  apply H.
Qed.

(* ---- of this library ---- *)
Definition key w (s : list nat) : Z := fold (fun k m => 2 ^ (w * Z.of_nat m) + k) s 0.
Lemma key_same w s : key w s = Key.key w s.
Proof.
  unfold key. assert (H : forall a, fold (fun k m => 2 ^ (w * Z.of_nat m) + k) s a = Key.key w s + a).
  { induction s as [|m s IH]; intros a; cbn [fold Key.key]; [reflexivity|]. rewrite IH. lia. }
  rewrite H. lia.
Qed.
Definition digits_of B (s : list nat) : Z := fold (fun k m => k * B + Z.of_nat m) (turn s []) 1.
Lemma digits_of_same B s : digits_of B s = Symmetry.digits_of B s.
Proof.
  unfold digits_of. change (fold_right (fun m k => k * B + Z.of_nat m) 1 s = Symmetry.digits_of B s).
  rewrite fold_right_same. induction s as [|m s IH]; [reflexivity|]. cbn. now rewrite IH.
Qed.
Fixpoint position_from (n : nat) x (l : list nat) : nat :=
  match l with [] => n | y :: l => if Nat.eqb x y then n else position_from (S n) x l end.
Definition position x l := position_from O x l.
Lemma position_same x l : position x l = Boxes.position x l.
Proof.
  unfold position. assert (H : forall n, position_from n x l = (n + Boxes.position x l)%nat).
  { induction l as [|t l IH]; intros n; cbn [position_from Boxes.position]; [lia|].
    destruct (Nat.eqb x t); [lia|]. rewrite IH. lia. }
  apply H.
Qed.
Fixpoint users_onto (cs : list nat) (ks : list Z) (acc : list nat) : list nat :=
  match cs, ks with
  | c :: cs, k :: ks => users_onto cs ks (repeat_onto c (Z.to_nat k) acc)
  | _, _ => turn acc []
  end.
Definition users_of cs ks := users_onto cs ks [].
Lemma rev_repeat A (x : A) n : rev (List.repeat x n) = List.repeat x n.
Proof.
  induction n as [|n IH]; [reflexivity|]. cbn [List.repeat rev]. rewrite IH.
  change [x] with (List.repeat x 1). rewrite <- repeat_app, Nat.add_1_r. reflexivity.
Qed.
Lemma users_of_same cs ks : users_of cs ks = Powers.users_of cs ks.
Proof.
  unfold users_of. assert (R : forall (x : nat) n acc, repeat_onto x n acc = List.repeat x n ++ acc).
  { intros x n. induction n as [|n IH]; intros acc; cbn [repeat_onto List.repeat]; [reflexivity|]. rewrite IH.
    change (x :: List.repeat x n) with (List.repeat x (S n)). rewrite <- Nat.add_1_r, repeat_app, <- app_assoc.
    reflexivity. }
  assert (H : forall ks acc, users_onto cs ks acc = rev acc ++ Powers.users_of cs ks).
  { induction cs as [|c cs IH]; intros [|k l] acc; cbn [users_onto Powers.users_of]; rewrite ?turn_same; auto.
    rewrite IH, R, rev_app_distr, rev_repeat, <- app_assoc. reflexivity. }
  apply H.
Qed.

Fixpoint run_onto (at_ : Z) (n : nat) (acc : list Z) : list Z :=
  match n with O => acc | S n => run_onto (at_ - 1) n (at_ - 1 :: acc) end.
Definition run k n := run_onto (k + Z.of_nat n) n [].
Lemma run_same k n : run k n = Sums.run k n.
Proof.
  unfold run. assert (H : forall acc, run_onto (k + Z.of_nat n) n acc = Sums.run k n ++ acc).
  { induction n as [|n IH]; intros acc; cbn [run_onto]; [reflexivity|].
    replace (k + Z.of_nat (S n) - 1) with (k + Z.of_nat n) by lia. rewrite IH, <- Nat.add_1_r, Sums.run_app, <- app_assoc.
    reflexivity. }
  rewrite H. apply app_nil_r.
Qed.

(* ---- Grid.v ---- *)
Fixpoint above_from (k : Z) (l : list Z) (t : Z) : Z :=
  match l with [] => t | c :: l => above_from (k + 1) l (t + Z.max k 0 * c) end.
Definition above_0 k l := above_from k l 0.
Lemma above_0_same k l : above_0 k l = Grid.above_0 k l.
Proof.
  unfold above_0. assert (H : forall k t, above_from k l t = t + Grid.above_0 k l).
  { induction l as [|c l IH]; intros k' t; cbn [above_from Grid.above_0]; [lia|]. rewrite IH. lia. }
  apply H.
Qed.

(* ---- merging, Poly.v: a call for each term, none of them within another one ---- *)
Fixpoint merge_by (fuel : nat) (d u : Z) (p q acc : Poly.poly) : Poly.poly :=
  match fuel with
  | O => acc
  | S fuel =>
      match p, q with
      | [], _ => turn (A := Z * Z) q acc
      | (k, w) :: p', [] => merge_by fuel d u p' [] ((d + k, u * w) :: acc)
      | (k, w) :: p', (l, v) :: q' =>
          match Z.compare (d + k) l with
          | Lt => merge_by fuel d u p' q ((d + k, u * w) :: acc)
          | Eq => merge_by fuel d u p' q' ((l, u * w + v) :: acc)
          | Gt => merge_by fuel d u p q' ((l, v) :: acc)
          end
      end
  end.
Definition merge d u p q acc := merge_by (S (length p + length q)) d u p q acc.
Lemma merge_same d u p q acc : merge d u p q acc = Poly.merge d u p q acc.
Proof.
  unfold merge. enough (H : forall n p q acc, (length p + length q <= n)%nat ->
    merge_by (S n) d u p q acc = Poly.merge d u p q acc) by (now apply H).
  clear p q acc. induction n as [|n IH]; intros [|[k w] p] q acc L; cbn [length] in L; try lia.
  - destruct q; [reflexivity|cbn [length] in L; lia].
  - cbn [merge_by Poly.merge]. now rewrite turn_same, rev_append_rev.
  - destruct q as [|[l v] q]; cbn [length] in L; remember (S n) as m; cbn [merge_by Poly.merge]; subst m.
    + apply IH. cbn [length]. lia.
    + destruct (Z.compare (d + k) l); try (apply IH; cbn [length]; lia).
Qed.
Fixpoint stick_by (fuel : nat) (a b : Z) (p q : Poly.poly) (acc : Z) : Z :=
  match fuel with
  | O => acc
  | S fuel =>
      match p, q with
      | [], _ => fold (fun acc kv => acc + Z.max (- (b * snd kv)) 0) q acc
      | (k, w) :: p', [] => stick_by fuel a b p' [] (acc + Z.max (a * w) 0)
      | (k, w) :: p', (l, v) :: q' =>
          match Z.compare k l with
          | Lt => stick_by fuel a b p' q (acc + Z.max (a * w) 0)
          | Eq => stick_by fuel a b p' q' (acc + Z.max (a * w - b * v) 0)
          | Gt => stick_by fuel a b p q' (acc + Z.max (- (b * v)) 0)
          end
      end
  end.
Definition stick a b p q acc := stick_by (S (length p + length q)) a b p q acc.
Lemma stick_same a b p q acc : stick a b p q acc = Poly.stick a b p q acc.
Proof.
  unfold stick. enough (H : forall n p q acc, (length p + length q <= n)%nat ->
    stick_by (S n) a b p q acc = Poly.stick a b p q acc) by (now apply H).
  clear p q acc. induction n as [|n IH]; intros [|[k w] p] q acc L; cbn [length] in L; try lia.
  - destruct q; [reflexivity|cbn [length] in L; lia].
  - cbn [stick_by Poly.stick]. apply fold_same.
  - destruct q as [|[l v] q]; cbn [length] in L; remember (S n) as m; cbn [stick_by Poly.stick]; subst m.
    + apply IH. cbn [length]. lia.
    + destruct (Z.compare k l); try (apply IH; cbn [length]; lia).
Qed.

(* ---- every other place of a lattice ---- *)
Fixpoint halve_onto (one low high carry : Z) (l acc : list Z) : list Z :=
  match l with
  | [] => turn acc [carry]
  | e :: l =>
      match l with
      | [] => turn acc [carry + e]
      | o :: l => halve_onto one low high (Exp.ceil (o * high) (one + high)) l
          (carry + e + Exp.ceil (o * one) (one + low) :: acc)
      end
  end.
Definition halve one low high carry l := halve_onto one low high carry l [].
Lemma halve_same p low high carry l : halve (Lattice.one p) low high carry l = Lattice.halve p low high carry l.
Proof.
  unfold halve. enough (H : forall n l carry acc, (length l <= n)%nat ->
    halve_onto (Lattice.one p) low high carry l acc = rev acc ++ Lattice.halve p low high carry l) by now apply (H (length l)).
  clear l carry. induction n as [|n IH]; intros [|e [|o l]] carry acc L; cbn [length] in L; try lia;
    cbn [halve_onto Lattice.halve]; rewrite ?turn_same; try reflexivity.
  rewrite IH by lia. cbn [rev]. now rewrite <- app_assoc.
Qed.
