(* The checker of covers whose trees differ from pair to pair, with blocks of users as leaves, and its theorem. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool Permutation FunctionalExtensionality.
From Shufflecert Require Blanket Event.
From Shufflecert Require Import Spec SpecCount SpecBlanket Sums AnyRandomizer Grid GridSum Blocks BlockBound.
From Shufflecert Require Import Poly Key Law Exp Every Check Cover Kron Powers Boxes CoverReach Symmetry Kernel Multisets.
Import ListNotations.
Local Open Scope Z_scope.
Local Opaque mul.
Notation sum := SpecCount.sum.
Notation covers := Cover.covers.

(* ---- trees with leaves of some kind ---- *)
Inductive branch (A : Type) := Here (leaf : A) | Split (input : nat) (most : Z).
Arguments Here {A}. Arguments Split {A}.
Fixpoint by_tree {A} (place : nat -> nat) (good : A -> box -> bool) (total : Z) (t : list (branch A))
    (bs : list box) : bool :=
  match t, bs with
  | [], [] => true
  | Here x :: t, b :: bs => (none total b || good x b) && by_tree place good total t bs
  | Split x most :: t, b :: bs =>
      by_tree place good total t (cut_at true (place x) most b :: cut_at false (place x) most b :: bs)
  | _, _ => false
  end.
Lemma by_tree_ok {A} place (good : A -> box -> bool) total ks t : add_up ks = total -> forall bs b,
  by_tree place good total t bs = true -> In b bs -> inside_box b ks ->
  exists x b', good x b' = true /\ inside_box b' ks.
Proof.
  intros E. induction t as [|[x|x most] t IH]; intros [|a bs] b H B I; cbn [by_tree] in H; try discriminate; try easy.
  - apply andb_prop in H as [H1 H2]. destruct B as [->|B]; [|now apply (IH bs b)].
    rewrite (not_none total b ks I E) in H1. now exists x, b.
  - destruct B as [->|B]; [|apply (IH _ b H); [now right; right|exact I]].
    destruct (cut_ok true (place x) most b ks I) as [C|C]; [apply (IH _ _ H (or_introl eq_refl) C)|].
    exact (IH _ _ H (or_intror (or_introl eq_refl)) C).
Qed.

(* ---- every composition of a box: users of these classes ---- *)
Fixpoint in_box {A} (step : nat -> A -> A) (pass : A -> bool) (cs : list nat) : box -> Z -> A -> bool :=
  match cs with
  | [] => fun _ _ acc => pass acc
  | x :: cs => fun b total acc => match b with
    | [] => pass acc
    | (l, u) :: b => let l := Z.max l 0 in
        (fix more fuel total acc :=
          (none total b || in_box step pass cs b total acc) &&
          match fuel with O => true | S fuel => more fuel (total - 1) (step x acc) end)
        (Z.to_nat (u - l)) (total - l) (steps step x (Z.to_nat l) acc)
    end
  end.
Lemma in_box_ok {A} (step : nat -> A -> A) (pass : A -> bool) (holds : list nat -> A -> Prop) :
  (forall ys zs acc, Permutation ys zs -> holds ys acc -> holds zs acc) ->
  forall cs, (forall x ys acc, In x cs -> holds ys acc -> holds (x :: ys) (step x acc)) ->
  forall b total acc base ks, in_box step pass cs b total acc = true -> holds base acc -> length cs = length ks ->
  inside_box b ks -> add_up ks = total -> Forall (fun k => 0 <= k) ks ->
  exists acc', pass acc' = true /\ holds (users_of cs ks ++ base) acc'.
Proof.
  intros HP. induction cs as [|x cs IH]; intros HS b total acc base ks H HB L I E P.
  - destruct ks; [|discriminate]. now exists acc.
  - destruct ks as [|k ks]; [discriminate|]. inversion I as [|[l u] ? b' ? B I']; subst b.
    inversion P as [|? ? K0 P']; subst. cbn [fst snd] in B. cbn [in_box] in H. cbn [length] in L. injection L as L.
    assert (HS' : forall y ys a, In y cs -> holds ys a -> holds (y :: ys) (step y a)) by
      (intros; apply HS; [now right|assumption]).
    set (more := fix more fuel total acc := (none total b' || in_box step pass cs b' total acc) &&
          match fuel with O => true | S fuel => more fuel (total - 1) (step x acc) end) in *.
    assert (M : forall fuel j total acc base, more fuel total acc = true -> holds base acc -> (j <= fuel)%nat ->
      add_up ks = total - Z.of_nat j ->
      exists acc', pass acc' = true /\ holds (users_of cs ks ++ repeat x j ++ base) acc').
    { clear H HB. induction fuel as [|f IHf]; intros j t a bs H HB LE EQ.
      - assert (j = O) as -> by lia. apply andb_prop in H as [H _]. rewrite (not_none t b' ks I') in H by lia.
        apply (IH HS' b' t a bs ks H HB L I'); [lia|exact P'].
      - destruct j as [|j]; cbn [more] in H; apply andb_prop in H as [H1 H2].
        + rewrite (not_none t b' ks I') in H1 by lia. apply (IH HS' b' t a bs ks H1 HB L I'); [lia|exact P'].
        + destruct (IHf j (t - 1) (step x a) (x :: bs) H2) as (acc' & PA & HA);
            [apply HS; [now left|exact HB]|lia|lia|]. exists acc'. split; [exact PA|]. revert HA. apply HP.
          apply Permutation_app_head. cbn [repeat app]. symmetry. apply Permutation_middle. }
    set (l' := Z.max l 0) in *.
    destruct (M _ (Z.to_nat (k - l')) _ _ (repeat x (Z.to_nat l') ++ base) H) as (acc' & PA & HA).
    + apply steps_ok; [exact HP| |exact HB]. intros; apply HS; [now left|assumption].
    + lia.
    + cbn [add_up fold_right] in *. unfold add_up in *. cbn [fold_right]. lia.
    + exists acc'. split; [exact PA|]. revert HA. apply HP. cbn [users_of].
      replace (Z.to_nat k) with (Z.to_nat (k - l') + Z.to_nat l')%nat by lia. rewrite repeat_app.
      set (r1 := repeat x (Z.to_nat (k - l'))). set (r2 := repeat x (Z.to_nat l')).
      rewrite (app_assoc r1 r2 base), <- (app_assoc (r1 ++ r2)).
      apply Permutation_app_swap_app.
Qed.

(* ---- what inputs send besides what they are known to, and what all have in common ---- *)
Definition shifted (s : Z) (f : poly) : poly := map (fun kw => (fst kw - s, snd kw)) f.
Fixpoint meet (p : poly) : poly -> poly -> poly :=
  match p with
  | [] => fun _ acc => rev_append acc []
  | (k, a) :: p' =>
      fix inner q acc :=
        match q with
        | [] => rev_append acc []
        | (l, b) :: q' =>
            match Z.compare k l with
            | Lt => meet p' q acc
            | Eq => meet p' q' ((k, Z.min a b) :: acc)
            | Gt => inner q' acc
            end
        end
  end.
Definition in_common (R : list poly) : poly :=
  match R with [] => [] | r :: R => fold_left (fun g f => meet g f []) R r end.
Definition apart_from_known (sh : list Z) (N : list poly) : list poly :=
  map (fun i => shifted (nth i sh 0) (row_at N i)) (seq 0 (length N)).
(* inputs of one class send the same then *)
Definition aligned (sh : list Z) (N : list poly) : bool :=
  forallb (fun x => first_key (row_at N x) - nth x sh 0 =? first_key (row_at N (rep N x)) - nth (rep N x) sh 0)
    (seq 0 (length N)).

(* ---- (S, P, Q) of all that may be seen ---- *)
Fixpoint beside {B} (nil : B) (p : poly) : list (Z * B) -> list (Z * (Z * B)) -> list (Z * (Z * B)) :=
  match p with
  | [] => fun q acc => rev_append acc (map (fun o => (fst o, (0, snd o))) q)
  | (k, w) :: p' =>
      fix inner q acc :=
        match q with
        | [] => beside nil p' [] ((k, (w, nil)) :: acc)
        | (l, v) :: q' =>
            match Z.compare k l with
            | Lt => beside nil p' q ((k, (w, nil)) :: acc)
            | Eq => beside nil p' q' ((k, (w, v)) :: acc)
            | Gt => inner q' ((l, (0, v)) :: acc)
            end
        end
  end.
Definition triple := (Z * (Z * (Z * Z)))%type.
Definition triples (S P Q : poly) : list triple := beside (0, 0) S (beside 0 P Q []) [].
Definition S_of (t : triple) := fst (snd t).
Definition excess_of a b (t : triple) := b * fst (snd (snd t)) - a * snd (snd (snd t)).
(* Losses of `most` steps or more count as if nothing else could show what does; those below `floor` are raised. *)
Definition kept a b (step : Z * Z) (most : option Z) (t : triple) : bool :=
  (0 <? S_of t) && match most with
    | None => true
    | Some most => excess_of a b t * snd step <? most * fst step * (b * S_of t)
    end.
Definition loss_of a b (step : Z * Z) (floor : option Z) (t : triple) : Z * Z :=
  match floor with
  | Some floor =>
      if excess_of a b t * snd step <? floor * fst step * (b * S_of t) then (floor * fst step, snd step)
      else (excess_of a b t, b * S_of t)
  | None => (excess_of a b t, b * S_of t)
  end.

Record blk := {
  mates : list Z;            (* users of each class in a block, besides the user who changes *)
  opens : nat;               (* users who are left open, besides him *)
  spot : option nat;         (* the input whose place he has; or one that is left open *)
  many_blocks : positive;
  moved_by : Z;                 (* what is taken away from what he sends *)
  half_of : Z; reach_of : Z;       (* which numbers tell what is seen apart *)
  block_way : way; floor_at : option Z; most_at : option Z;    (* the sum of losses: hints *)
  block_round : option round; doubled : option nat                    (* laws rounded outwards, or exact ones *)
}.
Definition added (a b : list Z) : list Z := map (fun o => fst o + snd o) (combine a b).
Definition at_least (a b : list Z) : bool :=
  Nat.eqb (length a) (length b) && forallb (fun o => fst o <=? snd o) (combine a b).
Definition one_of_class (cs : list nat) (x : nat) : list Z := map (fun c => if Nat.eqb x c then 1 else 0) cs.
Definition with_drawn half D (G : poly) : poly := G ++ [(2 * half, D - total G)].
Definition narrow X (f : poly) : bool := forallb (fun kw => (- X <=? fst kw) && (fst kw <=? X)) f.

(* A block of users who are with the one who changes: what he sends, 0 and 1, who else has his place, who is left open, and all
   inputs; who the others are; and how their law is known. *)
Definition blk_end (N : list poly) (x : nat) (k : blk) : poly := shifted (moved_by k) (row_at N x).
Definition blk_others D (N R : list poly) (G : poly) (k : blk) : list poly :=
  let O := with_drawn (half_of k) D G in match spot k with Some p => row_at R (rep N p) | None => O end :: O :: R.
Definition blk_rows D (N R : list poly) (G : poly) (x y : nat) (k : blk) : list poly :=
  blk_end N x k :: blk_end N y k :: blk_others D N R G k.
Definition blk_users (cs : list nat) (k : blk) : list nat :=
  map (fun u => (4 + u)%nat) (users_of cs (mates k)) ++ repeat 3%nat (opens k).
(* The law of the others in it, which what he sends has no part in. *)
Definition blk_law D (N R : list poly) (G : poly) (us : list nat) (k : blk) : cover :=
  let E := blk_others D N R G k in let F := row_at E 0 :: row_at E 0 :: E in
  match block_round k with
  | Some r => law_of F D (prec_of r) (fine_of r) (cut_of r)
      match doubled k with Some many => Some (line_of r, many) | None => None end (counted (length F) us)
  | None => exactly F D us
  end.
Definition blk_stands (c : claim) D (N R : list poly) (G : poly) (cs : list nat) (g : list (nat * nat)) (k : blk) (m : list Z) : bool :=
  let n := Z.pos (many_blocks k) in let size := 1 + add_up (mates k) + Z.of_nat (opens k) in
  let good f := fair D f && narrow (reach_of k) f in
  forallb (fair D) (blk_others D N R G k) && forallb (narrow (reach_of k)) (G :: R) &&
  forallb (fun p => good (blk_end N (fst p) k) && good (blk_end N (snd p) k)) g &&
  (size * reach_of k <? half_of k) && (0 <=? reach_of k) &&
  match spot k with Some p => Nat.ltb p (length N) | None => true end &&
  match block_round k with Some r => 0 <=? fine_of r | None => true end &&
  forallb (fun i => 0 <=? i) (mates k) && Nat.eqb (length (mates k)) (length cs) &&
  at_least (added (map (Z.mul n) (mates k))
    (map (Z.mul (n - 1)) (match spot k with Some p => one_of_class cs (rep N p) | None => map (fun _ => 0) cs end)))
        m &&
  (n * size <=? Z.of_nat (users c)).
(* For each of these pairs: what is sent, where the others send by v. *)
Definition pairs_sent (N : list poly) (g : list (nat * nat)) (v : cover) : list (poly * poly) :=
  match g with
  | [p] => [(mul (row_at N (fst p)) (low v), mul (row_at N (snd p)) (low v))]
  | _ =>
      let laws := map (fun f => mul f (low v)) N in map (fun p => (row_at laws (fst p), row_at laws (snd p))) g
  end.
Definition pairs_hold (asked : cover -> poly -> poly -> bool) N (g : list (nat * nat)) (v : cover) : bool :=
  forallb (fun PQ => asked v (fst PQ) (snd PQ)) (pairs_sent N g v).
(* What counts of one pair of laws: whether it is as it must be, the sum of what no law is drawn for, and the losses on the grid. *)
Definition outline := ((bool * Z) * poly)%type.
Definition same_term (p q : Z * Z) : {p = q} + {p <> q}.
Proof. decide equality; apply Z.eq_dec. Defined.
Definition same_outline (s t : outline) : {s = t} + {s <> t}.
Proof. decide equality; [apply (list_eq_dec same_term)|decide equality; [apply Z.eq_dec|apply bool_dec]]. Defined.
Definition outline_of (z : Z * Z) U (k : blk) (S : poly) (PQ : poly * poly) : outline :=
  let a := fst z in let b := snd z in let h := block_way k in
  let T := triples S (fst PQ) (snd PQ) in
  let keep := kept a b (grid_step h) (most_at k) in
  let first := fold_right (fun t rest => if keep t then rest else Z.max (excess_of a b t) 0 + rest) 0 T in
  let draws := map (fun t => (loss_of a b (grid_step h) (floor_at k) t, (S_of t, U))) (filter keep T) in
  let L := ((0, 1), (U - sum_of (map S_of (filter keep T)), U)) :: draws in
  (ascending (- half_of k - 1) T && way_stands h L, first, normal (flat_map (on_grid h) L)).
Definition outline_holds (d : Q) D b (k : blk) (v : cover) (s : outline) : bool :=
  let '(stands, first, f) := s in let U := scale v * D in let n := Z.pos (many_blocks k) in
  let '(u, w) := excess_on (block_way k) f (many_blocks k) in
  stands && forallb (fun o => 0 <=? snd o) f &&
  (((first + b * (D * lost v)) * (w * n) + u * (b * U)) * QDen d <=? Qnum d * (b * U * (w * n))).
(* All these pairs: those that are alike are looked at once. *)
Definition check_blk (c : claim) D (N R : list poly) (G : poly) (cs : list nat) (z : Z * Z) (g : list (nat * nat)) (k : blk)
    (m : list Z) : bool :=
  let v := blk_law D N R G (blk_users cs k) k in let U := scale v * D in
  let S := mul (row_at (blk_others D N R G k) 0) (low v) in
  blk_stands c D N R G cs g k m && (0 <? U) && forallb (outline_holds (delta c) D (snd z) k v)
    (nodup same_outline (map (outline_of z U k S) (pairs_sent (map (shifted (moved_by k)) N) g v))).
(* What is asked of the pairs of laws of one block. *)
Definition one_blk (c : claim) D (N R : list poly) (G : poly) (cs : list nat) (asked : cover -> poly -> poly -> bool)
    (g : list (nat * nat)) (k : blk) (m : list Z) : bool :=
  let v := blk_law D N R G (blk_users cs k) k in
  (Z.pos (many_blocks k) =? 1) && blk_stands c D N R G cs g k m && pairs_hold asked (map (shifted (moved_by k)) N) g v.

(* ---- compositions that a renaming makes of ones that come before ---- *)
Definition before (s : list (nat * nat)) (u : nat) : nat :=
  match find (fun xy => Nat.eqb (snd xy) u) s with Some xy => fst xy | None => u end.
Definition worth_of (ws : list Z) (us : list nat) : Z := fold_right (fun u sum => nth u ws 0 + sum) 0 us.
Definition fixes (ps : list (nat * nat)) (s : list (nat * nat)) : bool :=
  forallb (fun p => Nat.eqb (image s (fst p)) (fst p) && Nat.eqb (image s (snd p)) (snd p)) ps.
(* Renamings that permute inputs, and their classes. *)
Definition renames (real : nat) (firsts : list nat) (s : list (nat * nat)) : bool :=
  forallb (fun u => let v := before s u in Nat.eqb (image s v) u && Nat.ltb v real &&
    Nat.eqb (nth v firsts O) (nth (before s (nth u firsts O)) firsts O)) (seq 0 real).
(* What users of each class are worth, and what those are worth whom one that leaves these pairs where they are moves to
   them: who are worth more than these may be left out. *)
Definition worths (firsts : list nat) (base : Z) (ups : list (list (nat * nat))) (ps : list (nat * nat)) : list (list Z) :=
  let inputs := seq 0 (length firsts) in map (fun u => base ^ Z.of_nat u) inputs ::
  map (fun s => map (fun u => base ^ Z.of_nat (nth (before s u) firsts O)) inputs) (filter (fixes ps) ups).
Definition left_out (all : list (list Z)) (us : list nat) : bool :=
  match all with [] => false | own :: all => let w := worth_of own us in existsb (fun ws => worth_of ws us <? w) all end.
(* Users one by one: the law of all but the last one, who is added where it is asked for. *)
Definition behind {A} (step : nat -> A -> A) (s : list nat * A) : A := match fst s with [] => snd s | x :: _ => step x (snd s) end.
Definition later {A} (step : nat -> A -> A) (x : nat) (s : list nat * A) : list nat * A := (x :: fst s, behind step s).

(* A leaf, of all pairs that a tree is of: every composition of the box; as many others as its corner; these fewer; blocks. *)
Inductive leaf := Each | Corner | Fewer (m : list Z) | Blocked (k : blk).
Record covered := { goes : list (nat * nat); tree_of : list (branch leaf) }.
(* The others are so many: as they are, rounded, or exactly. *)
Definition corner_stands (e : exponent) asked D N cs (rs : list ready) (exact_too : list precision) g (m : list Z) : bool :=
  existsb (fun r => pairs_hold (asked (from_below e (prec_of (of_round r)))) N g (law_at r m [] (nobody_yet r))) rs ||
  existsb (fun p => pairs_hold (asked (from_below e p)) N g (exactly N D (users_of cs m))) exact_too.
Definition one_exactly (N : list poly) D (x : nat) (v : cover) : cover :=
  let law := mul (row_at N x) (low v) in {| scale := scale v * D; low := law; lost := 0 |}.
Definition whole (total : Z) (b : box) : bool := forallb (fun lu => (fst lu <=? 0) && (total <=? snd lu)) b.
Definition each_in {A} (step : nat -> A -> A) (pass : A -> bool) cs (b : box) total (start : A) : bool :=
  if whole total b then every step pass cs (Z.to_nat total) start else in_box step pass cs b total start.
Definition each_but {A} (skip : list nat -> bool) (step : nat -> A -> A) (pass : A -> bool) cs (b : box) total (start : A) : bool :=
  each_in (later step) (fun s => skip (fst s) || pass (behind step s)) cs b total ([], start).
Definition each_stands (e : exponent) asked (all : list (list Z)) D N cs (rs : list ready) (exact_too : list precision) g total (b : box) : bool :=
  existsb (fun r => each_but (left_out all) (step N D (cut_of (of_round r)))
    (pairs_hold (asked (from_below e (prec_of (of_round r)))) N g) cs b total (nobody_yet r)) rs ||
  existsb (fun p => each_but (left_out all) (one_exactly N D) (pairs_hold (asked (from_below e p)) N g) cs b total
    (exactly N D [])) exact_too.
Definition leaf_holds (e : exponent) asked blocked skips D N cs rs exact_too total (g : list (nat * nat)) (f : leaf) (b : box) : bool :=
  match f with
  | Each => each_stands e asked (skips g) D N cs rs exact_too g total b
  | Corner => corner_stands e asked D N cs rs exact_too g (corner total b)
  | Fewer m => at_least m (corner total b) && corner_stands e asked D N cs rs exact_too g m
  | Blocked k => blocked g k (corner total b)
  end.
(* Whether all of these pairs are among those, whose second parts are below n: each as a number. *)
Definition all_among (n : nat) (ps qs : list (nat * nat)) : bool :=
  let number p := Z.of_nat (snd p) + Z.of_nat n * Z.of_nat (fst p) in let there := Event.among (map number qs) in
  forallb (fun p => Nat.ltb (snd p) n) qs && forallb (fun p => Nat.ltb (snd p) n && there (number p)) ps.
(* One user moves from an input to another as `moves` says, and all others hold inputs below `real`. *)
Definition reserved (real : nat) (cs : list nat) (total : Z) : box :=
  map (fun x => (0, if Nat.ltb x real then total else 0)) cs.
Definition check_trees (c : claim) (real : nat) (moves : list (nat * nat)) w D (N : list poly) (rounds : list round) (many : nat)
    (exact_too : list precision) (asked : Z * Z -> cover -> poly -> poly -> bool) (blocked : list (nat * nat) -> blk -> list Z -> bool)
    (skips : list (nat * nat) -> list (list Z)) (trees : list covered) : bool :=
  let total := Z.of_nat (users c) - 1 in let cs := classes_of N in let rs := map (prepare N D many) rounds in
  Nat.ltb 0 real && Nat.leb real (length N) && fit_for_boxes c w D rounds &&
  forallb (fun p => fits (eps c) p && (0 <=? fst (from_below (eps c) p))) exact_too &&
  all_among (length N) moves (flat_map goes trees) &&
  forallb (fun t => by_tree (fun i => position (rep N i) cs) (leaf_holds (eps c) asked blocked skips D N cs rs exact_too total (goes t))
    total (tree_of t) [reserved real cs total]) trees.
Definition pair_moved (s : list (nat * nat)) (p : nat * nat) : nat * nat := (image s (fst p), image s (snd p)).
Definition check_pairs (c : claim) (real : nat) (moves : list (nat * nat)) (s : sizes) (rounds : list round) (many : nat)
    (exact_too : list precision) (prec : precision) (sh : list Z) (trees : list covered) (ups : list symmetry)
    (moved : list (symmetry * list (nat * nat))) : bool :=
  let w := key_bits s in let D := unit_of s in let N := map normal (map (row_poly w D) (rows c)) in
  let R := apart_from_known sh N in let G := in_common (firstn real R) in let z := from_below (eps c) prec in
  let cs := classes_of N in let firsts := map (rep N) (seq 0 (length N)) in let asked := flat_map goes trees in
  let by_renaming := ups ++ map fst moved in
  fits (eps c) prec && (0 <=? fst z) && aligned sh N && check_symmetries Shuffled (rows c) w (base s) D by_renaming &&
  forallb (fun g => renames real firsts (inputs g)) by_renaming && all_among (length N) (flat_map snd moved) asked &&
  forallb (fun p => Nat.ltb (fst p) (length N)) (flat_map snd moved) &&
  all_among (length N) moves (asked ++ flat_map (fun m => map (pair_moved (inputs (fst m))) (snd m)) moved) &&
  check_trees c real asked w D N rounds many exact_too (fun z v => worth_pair c D z (scale v) (lost v))
    (check_blk c D N R G cs z) (worths firsts (Z.of_nat (users c)) (map inputs ups)) trees.
Definition all_moves (inputs : nat) : list (nat * nat) :=
  filter (fun p => negb (Nat.eqb (fst p) (snd p))) (list_prod (seq 0 inputs) (seq 0 inputs)).

Local Open Scope R_scope.
(* ---- sums of a few kinds ---- *)
Lemma eval_shifted s f g : eval g (shifted s f) = eval (fun k => g (k - s)%Z) f.
Proof. induction f as [|[k w] f IH]; cbn [shifted map eval fst snd]; [reflexivity|]. unfold shifted in IH. now
    rewrite IH. Qed.
Lemma eval_app g p q : eval g (p ++ q) = eval g p + eval g q.
Proof. induction p as [|[k w] p IH]; cbn [app eval]; [ring|]. rewrite IH. ring. Qed.
Lemma eval_sum {A} (phi : A -> Z -> R) l f : eval (fun k => sum (fun a => phi a k) l) f = sum (fun a => eval (phi a)
    f) l.
Proof.
  induction l as [|a l IH]; [cbn; induction f as [|[k w] f IHf]; cbn [eval]; [reflexivity|rewrite IHf; cbn; ring]|].
  rewrite sum_cons, <- IH, <- eval_plus. apply eval_ext. intros k. now rewrite sum_cons.
Qed.
Definition at_key (y k : Z) : R := if (k =? y)%Z then 1 else 0.
Lemma weight_at_eval f y : IZR (weight_at f y) = eval (at_key y) f.
Proof.
  induction f as [|[l v] f IH]; [reflexivity|]. rewrite weight_at_cons. cbn [eval]. unfold at_key at 1.
  destruct (Z.eqb l y); rewrite ?plus_IZR, IH; ring.
Qed.
Lemma at_test i : test (at_key i).
Proof. intros j. unfold at_key. destruct (_ =? _)%Z; lra. Qed.
Lemma all_among_ok n ps qs p : all_among n ps qs = true -> In p ps -> In p qs.
Proof.
  unfold all_among. cbv zeta. intros H I. apply andb_prop in H as [F S]. rewrite forallb_forall in F, S.
  specialize (S p I). apply andb_prop in S as [L S]. apply Event.among_ok, in_map_iff in S as (q & E & J).
  specialize (F q J). apply Nat.ltb_lt in F, L. destruct p as [x y], q as [x' y']. cbn [fst snd] in *.
  apply Key.digits in E as [E1 E2]; [|lia|lia]. apply Nat2Z.inj in E1, E2. now subst.
Qed.
Lemma meet_below g p : (forall k, 0 <= g k) -> sure p -> forall q acc, sure q -> sure acc -> sure (meet p q acc) /\
  eval g (meet p q acc) <= eval g p + eval g acc /\ eval g (meet p q acc) <= eval g q + eval g acc.
Proof.
  intros G0. assert (P : forall f, sure f -> 0 <= eval g f).
  { intros f F. pose proof (Cover.eval_le f (fun _ => 0) g F G0) as L. rewrite eval_const in L. lra. }
  induction p as [|[k a] p IH]; intros Sp q acc Sq Sa.
  - cbn [meet]. split; [now apply sure_rev|]. rewrite eval_rev_append. cbn [eval]. pose proof (P q Sq). lra.
  - unfold sure in Sp. cbn [forallb snd] in Sp. apply andb_prop in Sp as [A0 Sp]. apply Z.leb_le in A0.
    specialize (IH Sp). apply IZR_le in A0 as A1. pose proof (G0 k) as Gk. pose proof (P p Sp) as Pp.
    revert acc Sa. induction q as [|[l b] q IHq]; intros acc Sa.
    + cbn [meet eval]. split; [now apply sure_rev|]. rewrite eval_rev_append. cbn [eval]. nra.
    + unfold sure in Sq. cbn [forallb snd] in Sq. apply andb_prop in Sq as [B0 Sq]. apply Z.leb_le in B0.
      apply IZR_le in B0 as B1. pose proof (G0 l) as Gl. cbn [meet]. destruct (Z.compare_spec k l) as [<-|L|L].
      * assert (SM : sure ((k, Z.min a b) :: acc)).
        { unfold sure in *. cbn [forallb snd]. rewrite Sa, andb_true_r. apply Z.leb_le. lia. }
        destruct (IH q _ Sq SM) as (X & Y & Z). split; [exact X|]. cbn [eval] in *.
        assert (IZR (Z.min a b) <= IZR a) by (apply IZR_le; lia).
        assert (IZR (Z.min a b) <= IZR b) by (apply IZR_le; lia). split; nra.
      * assert (SQ : sure ((l, b) :: q)).
        { unfold sure in *. cbn [forallb snd]. rewrite Sq, andb_true_r. now apply Z.leb_le. }
        destruct (IH _ acc SQ Sa) as (X & Y & Z). split; [exact X|]. cbn [eval] in *. split; nra.
      * change (sure (meet ((k, a) :: p) q acc) /\ eval g (meet ((k, a) :: p) q acc) <= eval g ((k, a) :: p) + eval g
          acc /\
          eval g (meet ((k, a) :: p) q acc) <= eval g ((l, b) :: q) + eval g acc).
        destruct (IHq Sq acc Sa) as (X & Y & Z). split; [exact X|]. split; [exact Y|]. cbn [eval] in *. nra.
Qed.
Lemma in_common_below R : Forall sure R -> sure (in_common R) /\
  forall g r, (forall k, 0 <= g k) -> In r R -> eval g (in_common R) <= eval g r.
Proof.
  intros H. destruct R as [|r R]; [split; [reflexivity|intros g r _ []]|]. inversion_clear H as [|? ? S0 SR].
  cbn [in_common]. assert (M : forall R, Forall sure R -> forall r, sure r -> sure (fold_left (fun g f => meet g f
      []) R r) /\
    forall g, (forall k, 0 <= g k) -> eval g (fold_left (fun g f => meet g f []) R r) <= eval g r /\
      forall q, In q R -> eval g (fold_left (fun g f => meet g f []) R r) <= eval g q).
  { clear. induction 1 as [|q R Q _ IH]; intros r Sr; cbn [fold_left].
    - split; [exact Sr|]. intros g _. split; [lra|intros q []].
    - destruct (meet_below (fun _ => 0) r ltac:(intros; lra) Sr q [] Q eq_refl) as (SM & _).
      destruct (IH _ SM) as (X & Y). split; [exact X|]. intros g G0. destruct (Y g G0) as [Y1 Y2].
      destruct (meet_below g r G0 Sr q [] Q eq_refl) as (_ & M1 & M2). cbn [eval] in M1, M2. split; [lra|].
      intros p [<-|I]; [lra|now apply Y2]. }
  destruct (M R SR r S0) as (X & Y). split; [exact X|]. intros g q G0 I.
  destruct (Y g G0) as [Y1 Y2]. destruct I as [<-|I]; [exact Y1|now apply Y2].
Qed.

(* triples *)
Lemma sum_rev_append {A} (f : A -> R) p q : sum f (rev_append p q) = sum f p + sum f q.
Proof. revert q. induction p as [|a p IH]; intros q; cbn [rev_append]; [cbn; ring|]. rewrite IH, !sum_cons. ring. Qed.
Lemma beside_sum {B} (nil : B) (phi : B -> R) h x (p : poly) : phi nil = 0 -> forall q acc,
  let F := fun t : Z * (Z * B) => (x * IZR (fst (snd t)) + phi (snd (snd t))) * h (fst t) in
  sum F (beside nil p q acc) = x * eval h p + sum (fun o => phi (snd o) * h (fst o)) q + sum F acc.
Proof.
  intros N. cbv zeta. set (F := fun t : Z * (Z * B) => _). induction p as [|[k w] p IH]; intros q acc.
  - cbn [beside eval]. rewrite sum_rev_append, sum_map.
    rewrite (sum_ext _ (fun o => phi (snd o) * h (fst o)) q) by (intros; unfold F; cbn [fst snd]; ring). ring.
  - revert acc. induction q as [|[l v] q IHq]; intros acc.
    + cbn [beside]. rewrite IH, sum_cons. unfold F at 1. cbn [fst snd eval]. rewrite N. cbn [SpecCount.sum
        fold_right]. ring.
    + cbn [beside]. destruct (Z.compare_spec k l) as [<-|L|L].
      * rewrite IH, !sum_cons. unfold F at 1. cbn [fst snd eval]. ring.
      * rewrite IH, !sum_cons. unfold F at 1. cbn [fst snd eval]. rewrite N. ring.
      * change (sum F (beside nil ((k, w) :: p) q ((l, (0%Z, v)) :: acc)) = x * eval h ((k, w) :: p) +
          sum (fun o => phi (snd o) * h (fst o)) ((l, v) :: q) + sum F acc).
        rewrite IHq, !sum_cons. unfold F at 1. cbn [fst snd]. ring.
Qed.
Lemma triples_sum h x y z S P Q : sum (fun t : triple => (x * IZR (S_of t) + (y * IZR (fst (snd (snd t))) +
  z * IZR (snd (snd (snd t))))) * h (fst t)) (triples S P Q) = x * eval h S + y * eval h P + z * eval h Q.
Proof.
  unfold triples, S_of. rewrite (beside_sum (0%Z, 0%Z) (fun b => y * IZR (fst b) + z * IZR (snd b)) h x S) by (cbn;
      ring).
  rewrite (beside_sum 0%Z (fun b => z * IZR b) h y P) by ring. cbn [SpecCount.sum fold_right].
  assert (E : sum (fun o : Z * Z => z * IZR (snd o) * h (fst o)) Q = z * eval h Q).
  { clear. induction Q as [|[k w] Q IH]; [cbn; ring|]. rewrite sum_cons, IH. cbn [fst snd eval]. ring. }
  rewrite E. ring.
Qed.

(* ---- what is seen of a block, as one number: what is sent, and 2 H for each user who is not drawn ---- *)
Section Seen.
Variables (H : Z) (H0 : (0 < H)%Z).
Definition enc (v : seen_of) : Z := (fst v + 2 * H * Z.of_nat (snd v))%Z.
Definition dec (k : Z) : seen_of := let q := ((k + H) / (2 * H))%Z in ((k - 2 * H * q)%Z, Z.to_nat q).
Lemma dec_enc v : (- H <= fst v < H)%Z -> dec (enc v) = v.
Proof.
  destruct v as [s n]. unfold dec, enc. cbn [fst snd]. intros B.
  assert (E : ((s + 2 * H * Z.of_nat n + H) / (2 * H) = Z.of_nat n)%Z).
  { replace (s + 2 * H * Z.of_nat n + H)%Z with (s + H + Z.of_nat n * (2 * H))%Z by ring.
    rewrite Z.div_add by lia. rewrite Z.div_small by lia. lia. }
  rewrite E, Nat2Z.id. f_equal. lia.
Qed.
Lemma enc_dec k : (- H <= k)%Z -> enc (dec k) = k.
Proof.
  intros B. unfold dec, enc. cbn [fst snd]. rewrite Z2Nat.id by (apply Z.div_pos; lia). lia.
Qed.
Lemma enc_both v w : enc (both v w) = (enc v + enc w)%Z.
Proof. unfold enc, both. cbn [fst snd]. lia. Qed.

(* values of v by a list of triples *)
Section Lookup.
Variables (T : list triple) (NT : NoDup (map fst T)) (zs : list seen_of) (NZ : NoDup zs).
Hypotheses (good : forall v, In v zs -> dec (enc v) = v) (TZ : forall t, In t T -> exists v, In v zs /\ enc v = fst
    t).
Definition lookup (v : seen_of) : option triple := find (fun t => fst t =? enc v)%Z T.
Lemma lookup_one (F : triple -> R) v : match lookup v with Some t => F t | None => 0 end =
  sum (fun t => F t * at_key (enc v) (fst t)) T.
Proof.
  unfold lookup. clear TZ. induction T as [|t l IH]; [reflexivity|]. inversion_clear NT as [|? ? N NL].
  cbn [find]. rewrite sum_cons, <- (IH NL). unfold at_key. destruct (Z.eqb_spec (fst t) (enc v)) as [E|E]; [|ring].
  match goal with |- context [find ?f l] => assert (X : find f l = None) end.
  { match goal with |- ?fd = _ => destruct fd as [q|] eqn:Fd; [|reflexivity] end.
    apply find_some in Fd as [I Q]. apply Z.eqb_eq in Q. exfalso. apply N. rewrite E, <- Q. now apply in_map. }
  rewrite X. ring.
Qed.
Lemma one_at (k : Z) : (exists v, In v zs /\ enc v = k) -> sum (fun v => at_key (enc v) k) zs = 1.
Proof.
  intros (v & I & <-). unfold at_key. clear TZ. induction zs as [|u l IH]; [destruct I|]. inversion_clear NZ as [|? ?
      N NL].
  rewrite sum_cons. destruct I as [->|I].
  - rewrite Z.eqb_refl, (sum_ext _ (fun _ => 0)); [rewrite sum_zero; ring|]. intros u I.
    destruct (Z.eqb_spec (enc v) (enc u)) as [E|E]; [|reflexivity]. exfalso. apply N.
    rewrite <- (good v (or_introl eq_refl)), E, (good u (or_intror I)). exact I.
  - rewrite IH; auto; [|intros; apply good; now right]. destruct (Z.eqb_spec (enc v) (enc u)) as [E|E]; [|ring].
    exfalso. apply N. rewrite <- (good u (or_introl eq_refl)), <- E, (good v (or_intror I)). exact I.
Qed.
Lemma lookup_sum (F : triple -> R) : sum (fun v => match lookup v with Some t => F t | None => 0 end) zs = sum F T.
Proof.
  rewrite (sum_ext _ (fun v => sum (fun t => F t * at_key (enc v) (fst t)) T)) by (intros; apply lookup_one).
  rewrite Blanket.sum_swap. apply sum_ext. intros t I. rewrite sum_scale, (one_at (fst t)) by now apply TZ. ring.
Qed.
Lemma at_most_one k : sum (fun v => at_key (enc v) k) zs <= 1.
Proof.
  destruct (existsb (fun v => enc v =? k)%Z zs) eqn:X.
  - apply existsb_exists in X as (v & I & E). apply Z.eqb_eq in E. rewrite one_at; [lra|eauto].
  - rewrite (sum_ext _ (fun _ => 0)); [rewrite sum_zero; lra|]. intros v I. unfold at_key.
    destruct (Z.eqb_spec k (enc v)) as [E|]; [|reflexivity]. assert (existsb (fun v => enc v =? k)%Z zs = true);
        [|congruence].
    apply existsb_exists. exists v. split; [exact I|]. now apply Z.eqb_eq.
Qed.
End Lookup.

(* laws as lists of weights *)
Variables (D : Z) (D0 : (0 < D)%Z) (ys : list Z) (NY : NoDup ys).
Definition lw (f : poly) (y : Z) : R := IZR (weight_at f y) / IZR D.
Definition held_in (f : poly) := forall k w, In (k, w) f -> In k ys.
Lemma D_pos : 0 < IZR D. Proof. now apply IZR_lt. Qed.
Lemma lw_sum f h : held_in f -> sum (fun y => lw f y * h y) ys = eval h f / IZR D.
Proof.
  intros I. rewrite <- (weight_sum h ys f NY I). unfold lw. pose proof D_pos.
  rewrite (sum_ext _ (fun y => / IZR D * (IZR (weight_at f y) * h y))) by (intros; field; lra).
  rewrite sum_scale. unfold Rdiv. ring.
Qed.
Lemma lw_nonneg f y : sure f -> 0 <= lw f y.
Proof.
  intros S. unfold lw. rewrite weight_at_eval. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat, D_pos].
  pose proof (Cover.eval_le f (fun _ => 0) (at_key y) S ltac:(intros; unfold at_key; destruct (_ =? _)%Z; lra)) as L.
  rewrite eval_const in L. lra.
Qed.
Lemma lw_law f : fair D f = true -> held_in f -> user_law ys (lw f).
Proof.
  unfold fair. intros F I. apply andb_prop in F as [S T]. apply Z.eqb_eq in T. split; [intros; now apply lw_nonneg|].
  rewrite (sum_ext _ (fun y => lw f y * 1)) by (intros; ring). rewrite (lw_sum f (fun _ => 1) I), eval_const, T.
  pose proof D_pos. field. lra.
Qed.
Lemma lw_total G : held_in G -> sum (lw G) ys = IZR (total G) / IZR D.
Proof.
  intros I. rewrite (sum_ext _ (fun y => lw G y * 1)) by (intros; ring). rewrite (lw_sum G (fun _ => 1) I),
      eval_const.
  f_equal. ring.
Qed.

(* one user of a block *)
Definition same_law (L : list (seen_of * R)) (f : poly) := forall h, ex L (fun v => h (enc v)) = eval h f / IZR D.
Lemma known_same f : held_in f -> same_law (known ys (lw f)) f.
Proof.
  intros I h. unfold known. rewrite ex_map. cbn [fst snd]. rewrite <- (lw_sum f h I). apply sum_ext. intros y _.
  f_equal. f_equal. unfold enc. cbn [fst snd]. lia.
Qed.
Lemma open_same G : held_in G -> same_law (open_ ys (lw G)) (with_drawn H D G).
Proof.
  intros I h.
  transitivity ((1 - sum (lw G) ys) * h (enc (0%Z, 1%nat)) + ex (known ys (lw G)) (fun v => h (enc v))).
  { unfold open_, known, ex. now rewrite sum_cons. }
  rewrite (known_same G I h).
  unfold with_drawn. rewrite eval_app. cbn [eval fst snd]. rewrite (lw_total G I), minus_IZR.
  replace (enc (0%Z, 1%nat)) with (2 * H)%Z by (unfold enc; cbn [fst snd]; lia). pose proof D_pos. field. lra.
Qed.
Lemma together_same Ls ps : Forall2 same_law Ls ps -> forall h,
  ex (together Ls) (fun v => h (enc v)) = eval h (product ps [(0, 1)%Z]) / IZR D ^ length ps.
Proof.
  intros F h. rewrite <- many_together. revert h. pose proof D_pos as DP.
  induction F as [|L p Ls ps S F IH]; intros h; cbn [many product fold_right length].
  - cbn [eval pow]. replace (enc nothing) with 0%Z by (unfold enc, nothing; cbn [fst snd]; lia). field.
  - rewrite (ex_ext L _ (fun v => eval (fun k => h (enc v + k)%Z) (product ps [(0, 1)%Z]) / IZR D ^ length ps)).
    + rewrite (S (fun e => eval (fun k => h (e + k)%Z) (product ps [(0, 1)%Z]) / IZR D ^ length ps)).
      rewrite eval_mul. unfold product.
      rewrite (eval_ext (fun e => eval (fun k => h (e + k)%Z) (fold_right mul [(0, 1)%Z] ps) / IZR D ^ length ps)
        (fun e => / IZR D ^ length ps * eval (fun k => h (e + k)%Z) (fold_right mul [(0, 1)%Z] ps))) by
        (intros; unfold Rdiv; ring).
      rewrite eval_scale. cbn [pow]. field. split; [apply pow_nonzero|]; lra.
    + intros v. rewrite <- IH. apply many_ext. intros w. now rewrite enc_both.
Qed.
Definition short (X : Z) (L : list (seen_of * R)) := forall o, In o L -> (- X <= fst (fst o) <= X)%Z.
Lemma together_short X Ls : Forall (short X) Ls -> short (Z.of_nat (length Ls) * X) (together Ls).
Proof.
  induction 1 as [|L Ls SL _ IH]; intros o I.
  - destruct I as [<-|[]]. cbn. lia.
  - cbn [together length] in *. apply in_flat_map in I as (p & Ip & I). apply in_map_iff in I as (q & <- & Iq).
    specialize (SL p Ip). specialize (IH q Iq). unfold both. cbn [fst snd] in *. lia.
Qed.
Lemma at_together X Ls ps v : Forall2 same_law Ls ps -> Forall (short X) Ls -> (Z.of_nat (length Ls) * X < H)%Z ->
  dec (enc v) = v -> at_ (together Ls) v = eval (at_key (enc v)) (product ps [(0, 1)%Z]) / IZR D ^ length ps.
Proof.
  intros F S B G. rewrite <- (together_same Ls ps F). pose proof (together_short X Ls S) as SH.
  unfold at_, ex. apply sum_ext. intros o I. specialize (SH o I). unfold at_key.
  assert (E : dec (enc (fst o)) = fst o) by (apply dec_enc; lia).
  destruct (same_seen (fst o) v) as [->|N]; [rewrite Z.eqb_refl; ring|].
  destruct (Z.eqb_spec (enc (fst o)) (enc v)) as [Q|]; [|ring]. exfalso. apply N. now rewrite <- E, Q, G.
Qed.
(* what users send in all *)
Lemma sends_same fs : Forall held_in fs -> forall h s, sends ys (map lw fs) h s =
  eval (fun k => h (k + s)%Z) (product fs [(0, 1)%Z]) / IZR D ^ length fs.
Proof.
  pose proof D_pos as DP. induction 1 as [|f fs I _ IH]; intros h s; cbn [map sends product fold_right length].
  - cbn [eval pow]. rewrite Z.add_0_l. field.
  - rewrite (sum_ext _ (fun y => lw f y * (eval (fun k => h (k + (y + s))%Z) (product fs [(0, 1)%Z]) / IZR D ^ length
      fs)))
      by (intros; now rewrite IH).
    rewrite (lw_sum f (fun y => eval (fun k => h (k + (y + s))%Z) (product fs [(0, 1)%Z]) / IZR D ^ length fs) I).
    rewrite eval_mul. unfold product.
    rewrite (eval_ext (fun y => eval (fun k => h (k + (y + s))%Z) (fold_right mul [(0, 1)%Z] fs) / IZR D ^ length fs)
      (fun y => / IZR D ^ length fs * eval (fun k => h (y + k + s)%Z) (fold_right mul [(0, 1)%Z] fs))).
    + rewrite eval_scale. cbn [pow]. field. split; [apply pow_nonzero|]; lra.
    + intros y. unfold Rdiv. rewrite Rmult_comm. f_equal. apply eval_ext. intros k. f_equal. lia.
Qed.
End Seen.

(* ---- users by class, many times ---- *)
Lemma users_added cs : forall a b, length a = length cs -> length b = length cs -> forallb (fun i => 0 <=? i)%Z a =
    true ->
  forallb (fun i => 0 <=? i)%Z b = true -> Permutation (users_of cs (added a b)) (users_of cs a ++ users_of cs b).
Proof.
  unfold added. induction cs as [|c cs IH]; intros [|i a] [|j b] La Lb A B; try discriminate; [reflexivity|].
  cbn [combine map users_of forallb fst snd] in *. apply andb_prop in A as [A1 A], B as [B1 B]. apply Z.leb_le in A1,
      B1.
  rewrite Z2Nat.inj_add, repeat_app by lia. rewrite (IH a b) by auto. rewrite <- !app_assoc. apply
      Permutation_app_head.
  rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.
Lemma users_scaled cs K j : length K = length cs -> forallb (fun i => 0 <=? i)%Z K = true ->
  Permutation (users_of cs (map (Z.mul (Z.of_nat j)) K)) (concat (repeat (users_of cs K) j)).
Proof.
  intros L P. assert (PJ : forall j1, forallb (fun i => 0 <=? i)%Z (map (Z.mul (Z.of_nat j1)) K) = true).
  { intros j1. apply forallb_forall. intros i I. apply in_map_iff in I as (l & <- & I). rewrite forallb_forall in P.
    specialize (P l I). apply Z.leb_le in P. apply Z.leb_le. nia. }
  induction j as [|j0 IH]; cbn [repeat concat].
  - replace (users_of cs (map (Z.mul (Z.of_nat 0)) K)) with (@nil nat); [reflexivity|].
    clear. revert K. induction cs as [|c cs IH]; intros [|k K]; [reflexivity..|exact (IH K)].
  - replace (map (Z.mul (Z.of_nat (S j0))) K) with (added K (map (Z.mul (Z.of_nat j0)) K)).
    + rewrite users_added, IH; auto. now rewrite map_length.
    + clear. unfold added. induction K as [|k K IH]; [reflexivity|]. cbn [map combine fst snd]. rewrite IH. f_equal.
        lia.
Qed.
Lemma users_one cs p : NoDup cs -> In p cs -> users_of cs (one_of_class cs p) = [p].
Proof.
  unfold one_of_class. intros ND. assert (Z : forall l, ~ In p l -> users_of l (map (fun c => if Nat.eqb p c then 1
      else 0)%Z l) = []).
  { induction l as [|q l IH]; intros N; [reflexivity|]. cbn [map users_of].
    destruct (Nat.eqb_spec p q) as [->|]; [exfalso; apply N; now left|]. cbn. apply IH. intros I. apply N. now right.
        }
  induction ND as [|q l N ND IH]; intros I; [destruct I|]. cbn [map users_of]. destruct (Nat.eqb_spec p q) as [->|NE].
  - cbn. now rewrite Z.
  - destruct I as [->|I]; [contradiction|]. cbn. now apply IH.
Qed.
Lemma users_nobody (cs : list nat) : users_of cs (map (fun _ => 0%Z) cs) = [].
Proof. induction cs as [|c cs IH]; [reflexivity|]. cbn. exact IH. Qed.
Lemma at_least_ok a : forall b, at_least a b = true -> Forall2 Z.le a b.
Proof.
  unfold at_least. induction a as [|i a IH]; intros [|j b] H; apply andb_prop in H as [L H]; try discriminate;
      [constructor|].
  cbn [combine forallb fst snd length] in *. apply andb_prop in H as [H1 H]. constructor; [now apply Z.leb_le|].
  apply IH. now rewrite H, andb_true_r.
Qed.
Lemma le_trans a b d : Forall2 Z.le a b -> Forall2 Z.le b d -> Forall2 Z.le a d.
Proof.
  intros H. revert d. induction H as [|i j a b L H IH]; intros d K; inversion_clear K; constructor; [lia|]. now apply
      IH.
Qed.
Lemma concat_both {A} (a b : list A) j : Permutation (concat (repeat (a ++ b) j)) (concat (repeat a j) ++ concat
    (repeat b j)).
Proof.
  induction j as [|j IH]; [reflexivity|]. cbn [repeat concat]. rewrite IH, <- !app_assoc. apply Permutation_app_head.
  rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.
Lemma concat_length {A} (a : list A) j : length (concat (repeat a j)) = (j * length a)%nat.
Proof. induction j as [|j IH]; [reflexivity|]. cbn [repeat concat]. rewrite app_length, IH. lia. Qed.
Lemma map_repeat {A B} (f : A -> B) a j : map f (repeat a j) = repeat (f a) j.
Proof. induction j as [|j IH]; [reflexivity|]. cbn [repeat map]. now rewrite IH. Qed.
Lemma sum_filter {A} (p : A -> bool) (f : A -> R) l : sum f (filter p l) = sum (fun t => if p t then f t else 0) l.
Proof. induction l as [|a l IH]; [reflexivity|]. cbn [filter]. destruct (p a) eqn:E; rewrite !sum_cons, IH, E; ring.
    Qed.

Lemma nth_firstn {A} (d : A) (l0 : list A) (n0 i : nat) : (i < n0)%nat -> nth i (firstn n0 l0) d = nth i l0 d.
Proof.
  revert n0 i. induction l0 as [|a0 l0 IH]; intros [|n0] [|i] L; try lia; cbn [firstn nth]; try reflexivity.
  apply IH. lia.
Qed.
Lemma firstn_in {A} (n0 : nat) (l0 : list A) i : In i (firstn n0 l0) -> In i l0.
Proof. rewrite <- (firstn_skipn n0 l0) at 2. intros I. apply in_or_app. now left. Qed.

Section Proofs.
Variables (c : claim) (real : nat) (w D : Z) (sh : list Z).
Let N := map normal (map (row_poly w D) (rows c)).
Let R := apart_from_known sh N.
Let G := in_common (firstn real R).
Let cs := classes_of N.
Hypotheses (HS : setting c w D = true) (HN : forallb (fair D) N = true) (HA : aligned sh N = true) (HD : (0 < D)%Z)
  (real_0 : (0 < real)%nat) (real_N : (real <= length N)%nat).
Lemma LN : length N = length (rows c).
Proof. unfold N. now rewrite !map_length. Qed.
Lemma LR : length R = length N.
Proof. unfold R, apart_from_known. now rewrite map_length, seq_length. Qed.
Lemma R_at x : (x < length N)%nat -> row_at R x = shifted (nth x sh 0%Z) (row_at N x).
Proof.
  intros L. unfold R, apart_from_known. unfold row_at at 1. set (f := fun i => shifted (nth i sh 0%Z) (row_at N i)).
  rewrite (nth_indep _ [] (f O)) by now rewrite map_length, seq_length. rewrite map_nth, seq_nth by exact L.
      reflexivity.
Qed.
Lemma R_rep x : (x < length N)%nat -> forall h, eval h (row_at R x) = eval h (row_at R (rep N x)).
Proof.
  intros L h. pose proof (rep_le N x) as RL. rewrite !R_at, !eval_shifted by lia.
  unfold aligned in HA. rewrite forallb_forall in HA. specialize (HA x ltac:(apply in_seq; lia)). apply Z.eqb_eq in
      HA.
  unfold rep in *. destruct (find _ _) as [q|] eqn:F; [|reflexivity].
  apply find_some in F as [_ F]. unfold same_shape in F. rewrite (same_at_ok _ _ _ F). apply eval_ext. intros k.
      f_equal. lia.
Qed.
Definition law_of_input x := lw D (row_at R x).
Lemma law_rep x : (x < length N)%nat -> law_of_input x = law_of_input (rep N x).
Proof.
  intros L. unfold law_of_input, lw. apply functional_extensionality. intros y. rewrite !weight_at_eval. f_equal.
  now apply R_rep.
Qed.
Lemma product_apart xs : (forall x, In x xs -> (x < length N)%nat) -> forall h,
  eval h (product (map (row_at R) xs) [(0, 1)%Z]) =
  eval (fun k => h (k - add_up (map (fun x => nth x sh 0) xs)))%Z (product (map (row_at N) xs) [(0, 1)%Z]).
Proof.
  induction xs as [|x xs IH]; intros I h; cbn [map product fold_right add_up].
  - apply eval_ext. intros k. f_equal. lia.
  - rewrite !eval_mul, R_at, eval_shifted by (apply I; now left). apply eval_ext. intros d. unfold product in IH.
    rewrite IH by (intros; apply I; now right). apply eval_ext. intros e. f_equal. unfold add_up. lia.
Qed.

(* ---- a block ---- *)
Variables (x y : nat) (k : blk) (z : Rdefinitions.R).
Let H := half_of k.
Let A := shifted (moved_by k) (row_at N x).
Let B := shifted (moved_by k) (row_at N y).
Let O := with_drawn H D G.
Let Sp := match spot k with Some p => row_at R (rep N p) | None => O end.
Let F := A :: B :: Sp :: O :: R.
Let K := users_of cs (mates k).
Let us := map (fun u => (4 + u)%nat) K ++ repeat 3%nat (opens k).
Variable v : cover.
Hypotheses (HF : forallb (fair D) F = true) (CV : covers F D us v).
Let U := (scale v * D)%Z.
Hypotheses (H0 : (0 < H)%Z) (X0 : (0 <= reach_of k)%Z)
  (short_enough : ((1 + Z.of_nat (length us)) * reach_of k < H)%Z)
  (NR : forallb (narrow (reach_of k)) (A :: B :: G :: R) = true) (U0 : (0 < U)%Z).
Hypothesis KN : forall u, In u K -> (u < length N)%nat.
Hypothesis PN : match spot k with Some p => (p < length N)%nat | None => True end.

Let ys := nodup Z.eq_dec (map fst (concat (A :: B :: G :: R))).
Let ks1 := map law_of_input K.
Let ks := match spot k with Some p => law_of_input (rep N p) :: ks1 | None => ks1 end.
Let u1 := opens k.
Let u := match spot k with Some _ => u1 | None => S u1 end.
Let cl := lw D G.
Let BS := block ys ks cl u.
Let BP := block ys (lw D A :: ks1) cl u1.
Let BQ := block ys (lw D B :: ks1) cl u1.

Lemma ys_held f : In f (A :: B :: G :: R) -> held_in ys f.
Proof.
  intros I i o J. unfold ys. apply nodup_In. apply in_map_iff. exists (i, o). split; [reflexivity|].
  apply in_concat. now exists f.
Qed.
Lemma in_R i : (i < length N)%nat -> In (row_at R i) (A :: B :: G :: R).
Proof. intros L. do 3 right. unfold row_at. apply nth_In. now rewrite LR. Qed.
Lemma rep_in_N p : (p < length N)%nat -> (rep N p < length N)%nat.
Proof. intros L. pose proof (rep_le N p). lia. Qed.
Lemma ys_narrow i : In i ys -> (- reach_of k <= i <= reach_of k)%Z.
Proof.
  unfold ys. intros I. apply nodup_In, in_map_iff in I as ([i' o] & <- & I). apply in_concat in I as (f & If & I).
  rewrite forallb_forall in NR. specialize (NR f If). unfold narrow in NR. rewrite forallb_forall in NR.
  specialize (NR (i', o) I). cbn [fst] in *. apply andb_prop in NR as [N1 N2]. apply Z.leb_le in N1, N2. lia.
Qed.
Lemma known_short f : short (reach_of k) (known ys f).
Proof. intros o I. apply in_map_iff in I as (i & <- & I). cbn [fst]. now apply ys_narrow. Qed.
Lemma open_short : short (reach_of k) (open_ ys cl).
Proof. intros o [<-|I]; [cbn [fst]; lia|]. exact (known_short cl o I). Qed.
Let same := same_law H D.
Lemma mates_same : Forall2 same (map (known ys) ks1 ++ repeat (open_ ys cl) u1) (map (row_at F) us).
Proof.
  unfold us. rewrite map_app, map_map. apply Forall2_app.
  - unfold ks1. clear - KN HD. induction K as [|i l IH]; cbn [map]; constructor.
    + apply known_same; [exact HD|apply NoDup_nodup|]. apply ys_held, in_R, KN. now left.
    + apply IH. intros j J. apply KN. now right.
  - clear - HD. fold u1. induction u1 as [|j IH]; cbn [repeat map]; constructor; [|exact IH].
    apply open_same; [exact HD|apply NoDup_nodup|]. apply ys_held. right. right. now left.
Qed.
Lemma mates_short : Forall (short (reach_of k)) (map (known ys) ks1 ++ repeat (open_ ys cl) u1).
Proof.
  apply Forall_app. split; apply Forall_forall; intros L I.
  - apply in_map_iff in I as (f & <- & _). apply known_short.
  - apply repeat_spec in I as ->. apply open_short.
Qed.
Lemma same_length : length (map (known ys) ks1 ++ repeat (open_ ys cl) u1) = length us.
Proof. unfold us, ks1. rewrite !app_length, !map_length, !repeat_length. reflexivity. Qed.
(* one more, whose law is f *)
Lemma block_at L f s : same L f -> short (reach_of k) L -> dec H (enc H s) = s ->
  at_ (together (L :: map (known ys) ks1 ++ repeat (open_ ys cl) u1)) s =
  eval (at_key (enc H s)) (mul f (exact F us)) / IZR (D ^ Z.of_nat (S (length us))).
Proof.
  intros SL SS GS. rewrite (at_together H H0 D HD (reach_of k) _ (f :: map (row_at F) us)); auto.
  - cbn [length]. rewrite map_length, <- pow_IZR. reflexivity.
  - constructor; [exact SL|apply mates_same].
  - constructor; [exact SS|apply mates_short].
  - cbn [length]. rewrite same_length. lia.
Qed.
Lemma P_at s : dec H (enc H s) = s -> at_ BP s = eval (at_key (enc H s)) (mul A (exact F us)) / IZR (D ^ Z.of_nat (S
    (length us))).
Proof.
  intros GS. unfold BP, block. cbn [map app]. apply block_at; auto; [|apply known_short].
  apply known_same; [exact HD|apply NoDup_nodup|]. apply ys_held. now left.
Qed.
Lemma Q_at s : dec H (enc H s) = s -> at_ BQ s = eval (at_key (enc H s)) (mul B (exact F us)) / IZR (D ^ Z.of_nat (S
    (length us))).
Proof.
  intros GS. unfold BQ, block. cbn [map app]. apply block_at; auto; [|apply known_short].
  apply known_same; [exact HD|apply NoDup_nodup|]. apply ys_held. right. now left.
Qed.
Let first := match spot k with Some p => known ys (law_of_input (rep N p)) | None => open_ ys cl end.
Lemma first_same : same first Sp /\ short (reach_of k) first.
Proof.
  assert (FK : forall p, (p < length N)%nat -> same (known ys (law_of_input (rep N p))) (row_at R (rep N p))).
  { intros p L. apply known_same; [exact HD|apply NoDup_nodup|]. apply ys_held, in_R, rep_in_N, L. }
  assert (FO : same (open_ ys cl) O).
  { apply open_same; [exact HD|apply NoDup_nodup|]. apply ys_held. right. right. now left. }
  pose proof (fun f => known_short f) as KS. pose proof open_short as OS. pose proof PN as L.
  unfold first, Sp. clear - FK FO KS OS L. destruct (spot k) as [p|]; auto.
Qed.
Lemma S_perm : Permutation (map (known ys) ks ++ repeat (open_ ys cl) u) (first :: map (known ys) ks1 ++ repeat
    (open_ ys cl) u1).
Proof.
  unfold first, ks, u. destruct (spot k) as [p|]; cbn [map app repeat]; [reflexivity|]. symmetry. apply
      Permutation_middle.
Qed.
Lemma S_at s : dec H (enc H s) = s -> at_ BS s = eval (at_key (enc H s)) (mul Sp (exact F us)) / IZR (D ^ Z.of_nat (S
    (length us))).
Proof.
  intros GS. destruct first_same as [FS FH]. rewrite <- (block_at first Sp s FS FH GS).
  unfold BS, block. rewrite !at_many. apply many_perm, S_perm.
Qed.
Let seen_at := map fst BS ++ map fst BP.
Lemma size_of L : length (L :: map (known ys) ks1 ++ repeat (open_ ys cl) u1) = S (length us).
Proof. cbn [length]. now rewrite same_length. Qed.
Lemma seen_good s : In s seen_at -> dec H (enc H s) = s.
Proof.
  assert (SH : forall Ls, Forall (short (reach_of k)) Ls -> length Ls = S (length us) -> forall o, In o (together Ls)
      ->
    dec H (enc H (fst o)) = fst o).
  { intros Ls FL LL o I. apply dec_enc; [exact H0|]. pose proof (together_short (reach_of k) Ls FL o I). rewrite LL
      in *.
    clear -H1 short_enough X0. nia. }
  unfold seen_at. intros I. rewrite in_app_iff in I. destruct I as [I|I].
  - apply in_map_iff in I as (o & <- & I). apply (SH (map (known ys) ks ++ repeat (open_ ys cl) u)); [| |exact I].
    + eapply Permutation_Forall; [symmetry; exact S_perm|]. constructor; [apply first_same|apply mates_short].
    + rewrite (Permutation_length S_perm). apply size_of.
  - apply in_map_iff in I as (o & <- & I). apply (SH (known ys (lw D A) :: map (known ys) ks1 ++ repeat (open_ ys cl)
      u1));
      [|apply size_of|exact I]. constructor; [apply known_short|apply mates_short].
Qed.
Definition Dn := IZR (D ^ Z.of_nat (S (length us))).
Lemma Dn_ok : Dn = IZR D * power D us /\ 0 < Dn.
Proof.
  unfold Dn, power. rewrite Nat2Z.inj_succ, Z.pow_succ_r, mult_IZR by lia. split; [reflexivity|].
  apply Rmult_lt_0_compat; [now apply IZR_lt|apply (power_pos D HD us)].
Qed.
Lemma us_in i : In i us -> (i < length F)%nat.
Proof.
  unfold us, F. intros I. cbn [length]. rewrite LR. apply in_app_iff in I as [I|I].
  - apply in_map_iff in I as (j & <- & I). specialize (KN j I). lia.
  - apply repeat_spec in I. subst. lia.
Qed.
Lemma three i : (i < 3)%nat -> (i < length F)%nat. Proof. unfold F. cbn [length]. lia. Qed.
Lemma exact_nonneg i h : (i < 3)%nat -> (forall j, 0 <= h j) -> 0 <= eval h (mul (row_at F i) (exact F us)).
Proof.
  intros I H1. change (mul (row_at F i) (exact F us)) with (exact F (i :: us)).
  apply (exact_pos F D HF); [|exact H1]. intros j [<-|J]; [now apply three|now apply us_in].
Qed.
Lemma ratios : exists q, 0 < q /\ forall l m, l / IZR U * q = power D us * l /\ m / Dn * q = IZR (scale v) * m.
Proof.
  destruct Dn_ok as [-> DP]. unfold U. rewrite mult_IZR. destruct CV as [SV _]. pose proof (power_pos D HD us) as PP.
  apply IZR_lt in HD as D1. exists (IZR (scale v) * IZR D * power D us).
  split; [repeat apply Rmult_lt_0_compat; assumption|]. intros l m. split; field; lra.
Qed.
Lemma lower_ratio l m : power D us * l <= IZR (scale v) * m -> l / IZR U <= m / Dn.
Proof. destruct ratios as (q & Q & E). intros L. apply Rmult_le_reg_r with q; [exact Q|]. now destruct (E l m) as [-> ->]. Qed.
Lemma upper_ratio m h : IZR (scale v) * m <= power D us * h -> m / Dn <= h / IZR U.
Proof. destruct ratios as (q & Q & E). intros L. apply Rmult_le_reg_r with q; [exact Q|]. now destruct (E h m) as [-> ->]. Qed.
Lemma U_pos : 0 < IZR U. Proof. now apply IZR_lt. Qed.
Lemma S_nonneg s : dec H (enc H s) = s -> 0 <= at_ BS s.
Proof.
  intros I. rewrite S_at by exact I. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat, Dn_ok].
  apply (exact_nonneg 2); [lia|]. intros j. apply at_test.
Qed.
Variable n : positive.
(* ---- the datasets ---- *)
Variables (l r : list nat).
Hypotheses (DX : dataset (rows c) (users c) (l ++ x :: r)) (DY : dataset (rows c) (users c) (l ++ y :: r))
  (OR : forall i, In i (l ++ r) -> (i < real)%nat).
Let others := map (rep N) (l ++ r).
Let more := pred (Pos.to_nat n).
Let place := match spot k with Some p => [rep N p] | None => [] end.
Variables (opened dropped : list nat).
Hypotheses (PO : Permutation others (K ++ concat (repeat (place ++ K) more) ++ opened ++ dropped))
  (LO : length opened = (u1 + more * u)%nat).
Lemma in_N i : In i (l ++ r) -> (i < length N)%nat.
Proof. intros I. rewrite LN. apply DX. rewrite in_app_iff in *. cbn. tauto. Qed.
Lemma others_in i : In i others -> (i < real)%nat.
Proof. unfold others. intros I. apply in_map_iff in I as (q & <- & I). apply OR in I. pose proof (rep_le N q). lia. Qed.
Lemma fair_R i : (i < length N)%nat -> fair D (row_at R i) = true.
Proof.
  intros I. rewrite forallb_forall in HF. apply HF. unfold F. do 4 right. unfold row_at. apply nth_In. now rewrite LR.
Qed.
Lemma sure_of_fair f : fair D f = true -> sure f.
Proof. unfold fair. intros E. now apply andb_prop in E as [E _]. Qed.
Lemma G_ok : sure G /\ forall i o, (i < real)%nat -> cl o <= law_of_input i o.
Proof.
  assert (SR : Forall sure (firstn real R)).
  { apply Forall_forall. intros f I. apply firstn_in in I. apply sure_of_fair. rewrite forallb_forall in HF. apply HF. unfold F. now do 4
      right. }
  destruct (in_common_below (firstn real R) SR) as [SG BG]. split; [exact SG|]. intros i o I. unfold cl, law_of_input, lw.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; now apply IZR_lt|]. rewrite !weight_at_eval.
  apply BG; [intros q; unfold at_key; destruct (_ =? _)%Z; lra|].
  pose proof (nth_firstn (@nil (Z * Z)) R real i I) as E. unfold row_at. unfold poly in *. rewrite <- E. apply nth_In.
  pose proof LR as LL. unfold poly in LL. rewrite firstn_length. lia.
Qed.
Lemma law_ok i : (i < length N)%nat -> user_law ys (law_of_input i).
Proof. intros I. apply lw_law; [exact HD|apply NoDup_nodup|now apply fair_R|]. now apply ys_held, in_R. Qed.
Lemma all_laws : map law_of_input (l ++ r) = map law_of_input others.
Proof. unfold others. rewrite map_map. apply map_ext_in. intros i I. now apply law_rep, in_N. Qed.
Let const := (moved_by k + add_up (map (fun i => nth i sh 0) (l ++ r)))%Z.
Lemma mean_over q f X : (q = x /\ f = A) \/ (q = y /\ f = B) ->
  mean (fun t => indicator X (key w (concat t))) (sent (rows c) (l ++ q :: r)) =
  Blanket.over ys (lw D f :: map law_of_input (l ++ r)) (fun t => indicator X (in_all t + const)%Z).
Proof.
  intros Q. assert (DQ : dataset (rows c) (users c) (l ++ q :: r)) by (destruct Q as [[-> _]|[-> _]]; assumption).
  assert (EQ : f = shifted (moved_by k) (row_at N q)) by (destruct Q as [[-> ->]|[-> ->]]; reflexivity).
  assert (IF : In f (A :: B :: G :: R)) by (destruct Q as [[_ ->]|[_ ->]]; cbn; auto).
  apply setting_ok in HS as (HK & _). pose proof (sent_keys w D (rows c) (users c) _ (indicator X) HK DQ) as SK.
  set (F0 := map (row_poly w D) (rows c)) in *.
  rewrite (product_perm _ (map (row_at F0) (q :: l ++ r))) in SK by (apply Permutation_map; symmetry; apply
      Permutation_middle).
  rewrite (eval_product_ext _ _ (normal_rows F0 (q :: l ++ r))) in SK. fold N in SK.
  set (m := mean _ _) in *. set (g := fun i => indicator X (i + const)%Z).
  rewrite (Blanket.over_ext ys _ _ (fun t => g (in_all t + 0)%Z)) by (intros; unfold g; f_equal; lia).
  rewrite (over_sends ys (lw D f :: map law_of_input (l ++ r)) g 0%Z).
  replace (lw D f :: map law_of_input (l ++ r)) with (map (lw D) (f :: map (row_at R) (l ++ r))) by
    (cbn [map]; rewrite map_map; reflexivity).
  rewrite (sends_same D HD ys (NoDup_nodup _ _)).
  2: { constructor; [now apply ys_held|]. apply Forall_forall. intros h I. apply in_map_iff in I as (i & <- & I).
       apply ys_held, in_R, in_N, I. }
  assert (E : eval (fun i => g (i + 0)%Z) (product (f :: map (row_at R) (l ++ r)) [(0, 1)%Z]) = IZR (D ^ Z.of_nat
      (users c)) * m).
  { rewrite <- SK, EQ. cbn [map product fold_right]. rewrite !eval_mul, eval_shifted. apply eval_ext. intros d.
    pose proof (product_apart (l ++ r) in_N (fun e => g (d - moved_by k + e + 0)%Z)) as PA. unfold product in PA.
        rewrite PA.
    apply eval_ext. intros e. unfold g, const. f_equal. lia. }
  rewrite E. assert (LL : length (f :: map (row_at R) (l ++ r)) = users c).
  { cbn [length]. rewrite map_length, <- (proj1 DX), !app_length. cbn [length]. lia. }
  rewrite LL, <- pow_IZR. field. apply pow_nonzero, not_0_IZR. lia.
Qed.
Theorem block_at_most vs d : NoDup vs -> incl seen_at vs -> block_bound vs BS BP BQ z (Pos.to_nat n) <= d ->
  at_most Shuffled (rows c) (l ++ x :: r) (l ++ y :: r) z d.
Proof.
  intros NV IV BD E HE. apply setting_ok in HS as S'. destruct S' as (HK & _ & Hw & HL & _).
  destruct (event_keys w (rows c) (users c) (l ++ x :: r) (l ++ y :: r) E Hw HL HE (proj1 DX) (proj1 DY)) as (X & ->
      & ->).
  rewrite (mean_over x A X), (mean_over y B X) by auto. rewrite all_laws.
  eapply Rle_trans; [|exact BD]. replace (Pos.to_nat n) with (S more) by (unfold more; pose proof (Pos2Nat.is_pos n); lia).
  destruct G_ok as [SG CG].
  assert (PI : Permutation (map law_of_input others) (ks1 ++ concat (repeat ks more) ++ map law_of_input opened ++ map
      law_of_input dropped)).
  { rewrite (Permutation_map law_of_input PO), !map_app, concat_map, map_repeat. unfold ks1.
    replace (map law_of_input (place ++ K)) with ks; [reflexivity|]. unfold ks, place, ks1.
    generalize (spot k). intros [q|]; [rewrite map_app|]; reflexivity. }
  assert (IO : forall i, In i (opened ++ dropped) -> (i < real)%nat).
  { intros i I. apply others_in. eapply Permutation_in; [symmetry; exact PO|]. rewrite !in_app_iff in *. tauto. }
  assert (Q0 : 0 <= 1 - SpecCount.sum cl ys).
  { pose proof (law_ok 0%nat ltac:(lia)) as [_ S1].
    assert (SpecCount.sum cl ys <= SpecCount.sum (law_of_input 0%nat) ys); [|lra].
    apply sum_le. intros i _. now apply CG. }
  apply (block_lemma ys cl (1 - SpecCount.sum cl ys) Q0 (lw D A) (lw D B) z (fun i => indicator X (i + const)%Z)
    (map law_of_input others) ks1 u1 ks u more (map law_of_input opened) (map law_of_input dropped) vs).
  - reflexivity.
  - intros i _. now apply lw_nonneg.
  - exact PI.
  - now rewrite map_length.
  - apply Forall_forall. intros f I. apply in_map_iff in I as (i & <- & I).
    assert (Li : (i < real)%nat) by (apply IO, in_or_app; now left). split; [|apply law_ok; lia].
    intros o _. now apply CG.
  - apply Forall_forall. intros f I. assert (J : exists i, (i < length N)%nat /\ f = law_of_input i).
    { revert I. unfold ks, ks1. generalize PN. generalize (spot k). intros [p|] PN' I.
      - destruct I as [<-|I]; [exists (rep N p); split; [now apply rep_in_N|reflexivity]|].
        apply in_map_iff in I as (i & <- & I). exists i. split; [now apply KN|reflexivity].
      - apply in_map_iff in I as (i & <- & I). exists i. split; [now apply KN|reflexivity]. }
    destruct J as (i & Li & ->). now apply law_ok.
  - apply Forall_forall. intros f I. apply in_map_iff in I as (i & <- & I). apply law_ok.
    assert (Li : (i < real)%nat) by (apply IO, in_or_app; now right). lia.
  - intros i. unfold indicator. destruct (X _); lra.
  - exact NV.
  - intros s I. apply IV, in_or_app. now left.
  - intros s I. apply IV, in_or_app. now right.
Qed.
(* So much of each of some outcomes is a test. *)
Lemma of_some share zs : NoDup zs -> (forall s, In s zs -> dec H (enc H s) = s) -> (forall s, 0 <= share s <= 1) ->
  exists g, test g /\ forall f, eval g f = sum (fun s => share s * eval (at_key (enc H s)) f) zs.
Proof.
  intros ND GO S01. exists (fun i => sum (fun s => share s * at_key (enc H s) i) zs). split.
  - intros i. split.
    + rewrite <- (sum_zero zs). apply sum_le. intros s _. specialize (S01 s). pose proof (at_test (enc H s) i). nra.
    + eapply Rle_trans; [|apply (at_most_one H zs ND GO i)]. apply sum_le. intros s _. specialize (S01 s).
      pose proof (at_test (enc H s) i). nra.
  - intros f. rewrite eval_sum. apply sum_ext. intros s _. apply eval_scale.
Qed.
(* One block: the pair of laws of it and of the one who changes. *)
Theorem one_block_holds d : n = 1%positive -> 0 <= z ->
  (forall h, test h -> eval h (mul A (low v)) + IZR D * IZR (lost v) - z * eval h (mul B (low v)) <= d * IZR U) ->
  at_most Shuffled (rows c) (l ++ x :: r) (l ++ y :: r) z d.
Proof.
  intros N1 Z0 HK. set (vs := nodup same_seen seen_at).
  assert (VG : forall s, In s vs -> dec H (enc H s) = s) by (intros s I; apply seen_good; unfold vs in I; now apply nodup_In in I).
  assert (NV : NoDup vs) by apply NoDup_nodup.
  apply (block_at_most vs); [exact NV|intros s I; now apply nodup_In|]. rewrite N1. change (Pos.to_nat 1) with 1%nat.
  set (f := fun s => at_ BP s - z * at_ BQ s). set (bad := fun s => if Rlt_dec 0 (f s) then 1 else 0).
  destruct (of_some bad vs NV VG ltac:(intros s; unfold bad; destruct (Rlt_dec _ _); lra)) as (g & TG & EG).
  assert (E1 : block_bound vs BS BP BQ z 1 = sum (fun s => bad s * f s) vs).
  { unfold block_bound, mean_excess. cbn [mean_of_sum INR]. unfold draw. rewrite sum_map. cbn [fst snd].
    match goal with |- _ + ?m / _ = _ => replace (m / 1) with m by field end. rewrite <- sum_plus. apply sum_ext. intros s I. fold (f s). unfold bad.
    pose proof (S_nonneg s (VG s I)) as S0. rewrite Rplus_0_r.
    destruct (Rlt_dec 0 (at_ BS s)) as [SP|SP].
    - rewrite <- RmaxRmult by lra. rewrite Rmult_0_r. replace (at_ BS s * (f s / at_ BS s)) with (f s) by (field; lra).
      destruct (Rlt_dec 0 (f s)); [rewrite Rmax_left by lra|rewrite Rmax_right by lra]; ring.
    - replace (at_ BS s) with 0 by lra. destruct (Rlt_dec 0 (f s)); [rewrite Rmax_left by lra|rewrite Rmax_right by lra]; ring. }
  assert (E2 : sum (fun s => bad s * f s) vs = eval g (mul A (exact F us)) / Dn - z * (eval g (mul B (exact F us)) / Dn)).
  { rewrite !EG. rewrite (sum_ext _ (fun s => / Dn * (bad s * eval (at_key (enc H s)) (mul A (exact F us))) +
      - z * / Dn * (bad s * eval (at_key (enc H s)) (mul B (exact F us))))); [rewrite sum_plus, !sum_scale; unfold Rdiv; ring|].
    intros s I. unfold f. rewrite P_at, Q_at by now apply VG. fold Dn. unfold Rdiv. ring. }
  pose proof (proj2 (covers_mul F D HF 0 us v (three 0 ltac:(lia)) CV g TG)) as CA. change (row_at F 0) with A in CA.
  pose proof (proj1 (covers_mul F D HF 1 us v (three 1 ltac:(lia)) CV g TG)) as CB. change (row_at F 1) with B in CB.
  apply upper_ratio in CA. apply lower_ratio in CB. rewrite E1, E2. specialize (HK g TG). pose proof U_pos as UP.
  apply (Rmult_le_compat_l z) in CB; [|exact Z0].
  apply Rle_trans with ((eval g (mul A (low v)) + IZR D * IZR (lost v)) / IZR U - z * (eval g (mul B (low v)) / IZR U)); [lra|].
  apply Rmult_le_reg_r with (IZR U); [exact UP|]. eapply Rle_trans; [right|exact HK]. field. lra.
Qed.
(* ---- its laws as they are known ---- *)
Variables a b : Z.
Hypotheses (B0 : 0 < IZR b) (AB : IZR a <= z * IZR b) (A0 : (0 <= a)%Z).
Let T := triples (mul Sp (low v)) (mul A (low v)) (mul B (low v)).
Hypothesis NA : ascending (- H - 1) T = true.
Let zs := nodup same_seen (seen_at ++ map (dec H) (map fst T)).
Lemma zs_good s : In s zs -> dec H (enc H s) = s.
Proof.
  unfold zs. intros I. apply nodup_In in I. rewrite in_app_iff in I. destruct I as [I|I]; [now apply seen_good|].
  apply in_map_iff in I as (i & <- & I). destruct (ascending_nodup _ _ NA) as [_ Fa].
  apply in_map_iff in I as (t & <- & I). rewrite Forall_forall in Fa. specialize (Fa t I).
  rewrite enc_dec by lia. reflexivity.
Qed.
Lemma zs_T t : In t T -> exists s, In s zs /\ enc H s = fst t.
Proof.
  intros I. exists (dec H (fst t)). split.
  - unfold zs. apply nodup_In. rewrite !in_app_iff. right. apply in_map, in_map, I.
  - destruct (ascending_nodup _ _ NA) as [_ Fa]. rewrite Forall_forall in Fa. specialize (Fa t I). apply enc_dec; lia.
Qed.
Lemma zs_nodup : NoDup zs. Proof. apply NoDup_nodup. Qed.
Lemma T_nodup : NoDup (map fst T). Proof. exact (proj1 (ascending_nodup _ _ NA)). Qed.
Lemma S_one : sum (at_ BS) zs = 1.
Proof.
  rewrite (sum_ext _ (fun s => at_ BS s * 1)) by (intros; ring). rewrite <- (ex_at zs BS (fun _ => 1) zs_nodup).
  2: { intros o I. unfold zs, seen_at. apply nodup_In. rewrite !in_app_iff. left. left. now apply in_map. }
  unfold BS, block. rewrite <- many_together, (many_perm _ _ S_perm), many_together.
  destruct first_same as [FS _]. pose proof mates_same as MS.
  rewrite (together_same H D HD _ (Sp :: map (row_at F) us) (Forall2_cons _ _ FS MS) (fun _ => 1)).
  change (product (Sp :: map (row_at F) us) [(0, 1)%Z]) with (exact F (2%nat :: us)).
  rewrite (exact_const F D HF) by (intros i [<-|I]; [unfold F; cbn; lia|now apply us_in]).
  cbn [length]. rewrite map_length. unfold power. cbn [length]. rewrite <- pow_IZR. field.
  apply pow_nonzero, not_0_IZR. lia.
Qed.
Lemma row_2 : row_at F 2 = Sp. Proof. reflexivity. Qed.
Definition val (f : triple -> Rdefinitions.R) s := match lookup H T s with Some t => f t | None => 0 end.
Lemma val_scale q f g s : (forall t, g t = q * f t) -> val g s = q * val f s.
Proof. intros E. unfold val. destruct (lookup H T s); [apply E|ring]. Qed.
Lemma val_sum x1 x2 x3 s : val (fun t => x1 * IZR (S_of t) + (x2 * IZR (fst (snd (snd t))) + x3 * IZR (snd (snd (snd
    t))))) s =
  x1 * eval (at_key (enc H s)) (mul Sp (low v)) + x2 * eval (at_key (enc H s)) (mul A (low v)) +
  x3 * eval (at_key (enc H s)) (mul B (low v)).
Proof. unfold val. rewrite (lookup_one H T T_nodup). apply triples_sum. Qed.
Let step := grid_step (block_way k).
Let keep := kept a b step (most_at k).
Let s_ := val (fun t => IZR (S_of t) / IZR U).
Let p_ := val (fun t => IZR (fst (snd (snd t))) / IZR U).
Let e_ := val (fun t => IZR (excess_of a b t) / (IZR b * IZR U)).
Let keep_ s := match lookup H T s with Some t => keep t | None => false end.
Let d_ s := Rmax (at_ BP s - p_ s) 0.
Lemma s_below s : In s zs -> s_ s <= at_ BS s.
Proof.
  intros I. rewrite S_at by now apply zs_good. pose proof U_pos. pose proof (val_sum 1 0 0 s) as V.
  unfold s_. rewrite (val_scale (/ IZR U) (fun t => 1 * IZR (S_of t) + (0 * IZR (fst (snd (snd t))) + 0 * IZR (snd
      (snd (snd t)))))) by
    (intros; field; lra). rewrite V.
  replace (/ IZR U * (1 * eval (at_key (enc H s)) (mul Sp (low v)) + 0 * eval (at_key (enc H s)) (mul A (low v)) +
    0 * eval (at_key (enc H s)) (mul B (low v)))) with (eval (at_key (enc H s)) (mul Sp (low v)) / IZR U) by (field;
        lra).
  apply lower_ratio. exact (proj1 (covers_mul F D HF 2 us v (three 2 ltac:(lia)) CV _ (at_test _))).
Qed.
Lemma p_eval s : p_ s = eval (at_key (enc H s)) (mul A (low v)) / IZR U.
Proof.
  pose proof U_pos. pose proof (val_sum 0 1 0 s) as V. unfold p_.
  rewrite (val_scale (/ IZR U) (fun t => 0 * IZR (S_of t) + (1 * IZR (fst (snd (snd t))) + 0 * IZR (snd (snd (snd
      t)))))) by
    (intros; field; lra). rewrite V. field. lra.
Qed.
Lemma kept_positive s : keep_ s = true -> 0 < s_ s.
Proof.
  unfold keep_, s_, val. destruct (lookup H T s) as [t|]; [|discriminate]. unfold keep, kept. intros E.
  apply andb_prop in E as [E _]. apply Z.ltb_lt, IZR_lt in E. apply Rdiv_lt_0_compat; [exact E|apply U_pos].
Qed.
Lemma excess_ok s : In s zs -> at_ BP s - z * at_ BQ s <= e_ s + d_ s.
Proof.
  intros I. pose proof U_pos as UP. pose proof (Rmax_l (at_ BP s - p_ s) 0) as M. fold (d_ s) in M.
  pose proof (proj1 (covers_mul F D HF 1 us v (three 1 ltac:(lia)) CV _ (at_test (enc H s)))) as QB.
  change (row_at F 1) with B in QB. apply lower_ratio in QB.
  assert (QA : eval (at_key (enc H s)) (mul B (low v)) / IZR U <= at_ BQ s)
    by (rewrite Q_at by (now apply zs_good); exact QB).
  clear QB. rename QA into QB.
  set (q := eval (at_key (enc H s)) (mul B (low v)) / IZR U) in *.
  assert (EV : e_ s = p_ s - IZR a / IZR b * q).
  { rewrite p_eval. unfold q, e_. pose proof (val_sum 0 (IZR b) (- IZR a) s) as V.
    rewrite (val_scale (/ (IZR b * IZR U)) (fun t => 0 * IZR (S_of t) + (IZR b * IZR (fst (snd (snd t))) + - IZR a *
        IZR (snd (snd (snd t)))))).
    - rewrite V. field. lra.
    - intros t. unfold excess_of. rewrite minus_IZR, !mult_IZR. field. lra. }
  assert (Q0 : 0 <= at_ BQ s).
  { rewrite Q_at by now apply zs_good. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat, Dn_ok].
    apply (exact_nonneg 1); [lia|]. intros j. apply at_test. }
  apply IZR_le in A0 as A1. assert (AZ : IZR a / IZR b <= z).
  { apply Rmult_le_reg_r with (IZR b); [exact B0|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (AP : 0 <= IZR a / IZR b) by (apply Rmult_le_pos; [exact A1|left; now apply Rinv_0_lt_compat]).
  rewrite EV. assert (IZR a / IZR b * q <= z * at_ BQ s); [|lra].
  apply Rle_trans with (IZR a / IZR b * at_ BQ s); [now apply Rmult_le_compat_l|now apply Rmult_le_compat_r].
Qed.
(* all that P has more than its upper end is what was lost *)
Lemma lost_in_all : sum d_ zs <= IZR D * IZR (lost v) / IZR U.
Proof.
  set (bad := fun s => if Rlt_dec (p_ s) (at_ BP s) then 1 else 0).
  destruct (of_some bad zs zs_nodup zs_good ltac:(intros s; unfold bad; destruct (Rlt_dec _ _); lra)) as (g & TG & EG).
  pose proof (proj2 (covers_mul F D HF 0 us v (three 0 ltac:(lia)) CV g TG)) as C. change (row_at F 0) with A in C.
  apply upper_ratio in C. pose proof U_pos as UP. destruct Dn_ok as [_ DP].
  assert (E : sum d_ zs = eval g (mul A (exact F us)) / Dn - eval g (mul A (low v)) / IZR U).
  { rewrite !EG.
    rewrite (sum_ext d_ (fun s => / Dn * (bad s * eval (at_key (enc H s)) (mul A (exact F us))) +
      -1 * (/ IZR U * (bad s * eval (at_key (enc H s)) (mul A (low v)))))); [rewrite sum_plus, !sum_scale; unfold
          Rdiv; ring|].
    intros s I. unfold d_, bad. rewrite P_at, p_eval by now apply zs_good. fold Dn.
    destruct (Rlt_dec _ _) as [L|L]; [rewrite Rmax_left by lra|rewrite Rmax_right by lra]; unfold Rdiv; ring. }
  rewrite E. replace (IZR D * IZR (lost v) / IZR U) with
    ((eval g (mul A (low v)) + IZR D * IZR (lost v)) / IZR U - eval g (mul A (low v)) / IZR U) by (field; lra). lra.
Qed.
Let L := ((0, 1)%Z, ((U - sum_of (map S_of (filter keep T)))%Z, U)) ::
  map (fun t => (loss_of a b step (floor_at k) t, (S_of t, U))) (filter keep T).
Let direct := fold_right (fun t rest => if keep t then rest else Z.max (excess_of a b t) 0 + rest)%Z 0%Z T.
Hypothesis ST : way_stands (block_way k) L = true.
Lemma direct_ok : sum (fun s => if keep_ s then 0 else Rmax (e_ s) 0) zs = IZR direct / (IZR b * IZR U).
Proof.
  pose proof U_pos as UP. assert (BU : 0 < IZR b * IZR U) by (apply Rmult_lt_0_compat; assumption).
  set (f := fun t : triple => if keep t then 0 else IZR (Z.max (excess_of a b t) 0) / (IZR b * IZR U)).
  rewrite (sum_ext _ (fun s => match lookup H T s with Some t => f t | None => 0 end)).
  - rewrite (lookup_sum H T T_nodup zs zs_nodup zs_good zs_T f). unfold direct, f. clear. induction T as [|t l IH].
    + cbn. unfold Rdiv. ring.
    + rewrite sum_cons, IH. cbn [fold_right]. destruct (keep t); [ring|]. rewrite plus_IZR. unfold Rdiv. ring.
  - intros s _. unfold keep_, e_, val, f. destruct (lookup H T s) as [t|]; [|now rewrite Rmax_right by lra].
    destruct (keep t); [reflexivity|]. set (i := excess_of a b t). unfold Rmax. destruct (Rle_dec _ _) as [Q|Q].
    + replace (Z.max i 0) with 0%Z; [unfold Rdiv; ring|]. assert (i <= 0)%Z; [|lia]. apply le_IZR.
      apply Rmult_le_reg_r with (/ (IZR b * IZR U)); [now apply Rinv_0_lt_compat|]. unfold Rdiv in Q. lra.
    + replace (Z.max i 0) with i; [reflexivity|]. assert (0 <= i)%Z; [|lia]. apply le_IZR.
      apply Rmult_le_reg_r with (/ (IZR b * IZR U)); [now apply Rinv_0_lt_compat|]. unfold Rdiv in Q. lra.
Qed.
Lemma loss_below t : keep t = true -> IZR (excess_of a b t) / (IZR b * IZR U) / (IZR (S_of t) / IZR U) <=
  fst (value_of (loss_of a b step (floor_at k) t, (S_of t, U))).
Proof.
  intros E. unfold keep, kept in E. apply andb_prop in E as [E _]. apply Z.ltb_lt in E. apply IZR_lt in E as SP.
  pose proof U_pos as UP. destruct (way_parts (block_way k) L ST) as (S1 & S2 & _). fold step in S1, S2.
  set (i := excess_of a b t) in *.
  assert (V : IZR i / (IZR b * IZR U) / (IZR (S_of t) / IZR U) = IZR i / IZR (b * S_of t)).
  { rewrite mult_IZR. field. lra. }
  rewrite V. unfold loss_of, value_of. fold i. cbn [fst snd].
  assert (BS0 : 0 < IZR (b * S_of t)) by (rewrite mult_IZR; now apply Rmult_lt_0_compat).
  destruct (floor_at k) as [f|]; [|apply Rle_refl]. destruct (Z.ltb_spec (i * snd step) (f * fst step * (b * S_of
      t))) as [Q|Q];
    cbn [fst snd]; [|apply Rle_refl].
  apply IZR_lt in Q, S2. rewrite (mult_IZR i), (mult_IZR (f * fst step)) in Q.
  apply Rmult_le_reg_r with (IZR (b * S_of t) * IZR (snd step)); [now apply Rmult_lt_0_compat|].
  replace (IZR i / IZR (b * S_of t) * (IZR (b * S_of t) * IZR (snd step))) with (IZR i * IZR (snd step)) by (field;
      lra).
  replace (IZR (f * fst step) / IZR (snd step) * (IZR (b * S_of t) * IZR (snd step))) with
    (IZR (f * fst step) * IZR (b * S_of t)) by (field; lra). lra.
Qed.
Let low_ := map (fun s => (BlockBound.lower (at_ BS) e_ keep_ s, at_ BS s)) zs.
Lemma draws_ok g : rising g -> draw low_ g <= draw (map value_of L) g.
Proof.
  intros RG. unfold low_.
  eapply Rle_trans; [exact (lower_order zs (at_ BS) S_one s_ e_ keep_ s_below (fun s _ => kept_positive s) g RG)|].
  pose proof U_pos as UP. destruct RG as (_ & M & _).
  set (f := fun t : triple => if keep t then IZR (S_of t) / IZR U * g (IZR (excess_of a b t) / (IZR b * IZR U) / (IZR
      (S_of t) / IZR U)) else 0).
  set (h := fun t : triple => if keep t then IZR (S_of t) / IZR U else 0).
  rewrite (sum_ext (fun s => if keep_ s then s_ s * g (e_ s / s_ s) else 0) (fun s => match lookup H T s with Some t
      => f t | None => 0 end)).
  2: { intros s _. unfold keep_, s_, e_, val, f. destruct (lookup H T s) as [t|]; reflexivity. }
  rewrite (sum_ext (fun s => if keep_ s then s_ s else 0) (fun s => match lookup H T s with Some t => h t | None => 0
      end)).
  2: { intros s _. unfold keep_, s_, val, h. destruct (lookup H T s) as [t|]; reflexivity. }
  rewrite !(lookup_sum H T T_nodup zs zs_nodup zs_good zs_T).
  unfold L, draw. cbn [map]. rewrite sum_cons, !sum_map, sum_filter. unfold value_of at 1 2. cbn [fst snd].
  replace (0 / 1) with 0 by field. rewrite Rplus_comm. apply Rplus_le_compat.
  - right. f_equal. rewrite minus_IZR. assert (E : IZR (sum_of (map S_of (filter keep T))) = IZR U * sum h T).
    { unfold h. rewrite <- (sum_filter keep (fun t => IZR (S_of t) / IZR U)), <- sum_scale. clear - UP.
      induction (filter keep T) as [|t l IH]; [reflexivity|]. cbn [map]. rewrite sum_of_cons, plus_IZR, IH, sum_cons.
      field. lra. }
    rewrite E. field. lra.
  - apply sum_le. intros t _. unfold f. destruct (keep t) eqn:E; [|lra]. unfold value_of at 1. cbn [fst snd].
    apply Rmult_le_compat_l.
    + unfold keep, kept in E. apply andb_prop in E as [E _]. apply Z.ltb_lt, IZR_lt in E.
      apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat].
    + apply M. exact (loss_below t E).
Qed.
Let f := normal (flat_map (on_grid (block_way k)) L).
Hypothesis FN : Forall (fun o => (0 <= snd o)%Z) f.
Lemma bound_ok d : let '(i, o) := excess_on (block_way k) f n in
  (((direct + b * (D * lost v)) * (o * Z.pos n) + i * (b * U)) * QDen d <= Qnum d * (b * U * (o * Z.pos n)))%Z ->
  block_bound zs BS BP BQ z (Pos.to_nat n) <= Q2R d.
Proof.
  destruct (way_parts (block_way k) L ST) as (S1 & S2 & W0 & _).
  assert (ON : forall g, rising g -> draw low_ g <=
    eval (fun i => g (IZR (fst (grid_step (block_way k))) / IZR (snd (grid_step (block_way k))) * IZR i)) f / IZR (2 ^ bits_of (block_way k))).
  { intros g G'. eapply Rle_trans; [exact (draws_ok g G')|]. unfold f. rewrite eval_normal. now apply draw_on_grid. }
  pose proof (excess_on_ok (block_way k) f S1 S2 W0 FN low_ n (of_weighs zs (at_ BS) (fun s I => S_nonneg s (zs_good s I)) _) ON) as X.
  assert (WP : (0 < snd (excess_on (block_way k) f n))%Z) by (cbn [excess_on snd]; nia).
  destruct (excess_on (block_way k) f n) as [i o]. cbn [fst snd] in *. intros C.
  pose proof U_pos as UP. apply IZR_lt in WP. assert (N0 : 0 < IZR (Z.pos n)) by (apply IZR_lt; reflexivity).
  assert (BU : 0 < IZR b * IZR U) by (apply Rmult_lt_0_compat; assumption).
  unfold block_bound.
  apply Rle_trans with (sum (fun s => if keep_ s then 0 else Rmax (e_ s) 0) zs + sum d_ zs +
    mean_excess (Pos.to_nat n) low_).
  { exact (known_in_part zs (at_ BS) (fun s I => S_nonneg s (zs_good s I)) S_one (at_ BP) (at_ BQ) s_ e_ d_ keep_ z s_below
      (fun s _ => kept_positive s) excess_ok (fun s _ => Rmax_r _ _) (Pos.to_nat n) (Pos2Nat.is_pos n)). }
  rewrite direct_ok. pose proof lost_in_all as LA. unfold mean_excess.
  set (m := mean_of_sum low_ _ _) in *. rewrite INR_IZR_INZ, positive_nat_Z.
  apply IZR_le in C. rewrite !mult_IZR, plus_IZR, !mult_IZR, plus_IZR, !mult_IZR in C. rewrite Q2R_frac.
  pose proof (den_pos d) as DP. set (dq := IZR (QDen d)) in *. set (nq := IZR (Qnum d)) in *. set (lo := IZR (lost
      v)) in *.
  set (dd := IZR direct) in *. set (n_ := IZR (Z.pos n)) in *. set (bb := IZR b) in *. set (uu := IZR U) in *.
  set (oo := IZR o) in *. set (ii := IZR i) in *. set (DD := IZR D) in *. set (sd := sum d_ zs) in *.
  assert (MN : m / n_ <= ii / oo / n_) by (apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact X]).
  apply Rle_trans with (dd / (bb * uu) + DD * lo / uu + ii / oo / n_); [lra|].
  assert (Y : 0 < bb * uu * (oo * n_) * dq) by (repeat apply Rmult_lt_0_compat; assumption).
  apply Rmult_le_reg_r with (1 := Y).
  replace ((dd / (bb * uu) + DD * lo / uu + ii / oo / n_) * (bb * uu * (oo * n_) * dq)) with
    (((dd + bb * (DD * lo)) * (oo * n_) + ii * (bb * uu)) * dq) by (field; lra).
  replace (nq / dq * (bb * uu * (oo * n_) * dq)) with (nq * (bb * uu * (oo * n_))) by (field; lra). exact C.
Qed.
Theorem block_holds i o d : excess_on (block_way k) f n = (i, o) ->
  (((direct + b * (D * lost v)) * (o * Z.pos n) + i * (b * U)) * QDen d <= Qnum d * (b * U * (o * Z.pos n)))%Z ->
  at_most Shuffled (rows c) (l ++ x :: r) (l ++ y :: r) z (Q2R d).
Proof.
  intros EX I. apply (block_at_most zs); [exact zs_nodup| |pose proof (bound_ok d) as BO; rewrite EX in BO; now apply BO].
  intros s J. unfold zs. apply nodup_In, in_or_app. now left.
Qed.
End Proofs.

Lemma pair_sent N g v x y : In (x, y) g -> In (mul (row_at N x) (low v), mul (row_at N y) (low v)) (pairs_sent N g v).
Proof.
  assert (M : forall l, In (x, y) l -> In (mul (row_at N x) (low v), mul (row_at N y) (low v)) (map (fun p =>
    (row_at (map (fun f => mul f (low v)) N) (fst p), row_at (map (fun f => mul f (low v)) N) (snd p))) l)).
  { intros l I. apply in_map_iff. exists (x, y). split; [|exact I]. cbn [fst snd].
    f_equal; [exact (map_nth (fun f => mul f (low v)) N [] x)|exact (map_nth (fun f => mul f (low v)) N [] y)]. }
  intros I. destruct g as [|p [|q g]]; [destruct I| |exact (M _ I)]. destruct I as [->|[]]. now left.
Qed.
Lemma covers_same F E D us v : (forall u, In u us -> row_at F u = row_at E u) -> covers E D us v -> covers F D us v.
Proof.
  intros S (P & C). split; [exact P|]. intros g T. specialize (C g T). unfold exact in *. now rewrite (map_ext_in _ _ _ S).
Qed.
Lemma exactly_covers F D us : (0 < D)%Z -> covers F D us (exactly F D us).
Proof.
  split; cbn [exactly scale low lost]; [now apply power_pos|]. intros g _. unfold power, exact.
  split; [apply Rle_refl|right; ring].
Qed.
Section Whole.
Variables (c : claim) (real : nat) (w D : Z) (sh : list Z).
Let N := map normal (map (row_poly w D) (rows c)).
Let R := apart_from_known sh N.
Let G := in_common (firstn real R).
Let cs := classes_of N.
Hypotheses (HS : setting c w D = true) (HN : forallb (fair D) N = true) (HA : aligned sh N = true) (HD : (0 < D)%Z)
  (real_0 : (0 < real)%nat) (real_N : (real <= length N)%nat).
Variable asked : Z * Z -> cover -> poly -> poly -> bool.
Lemma pairs_told prec v us g x y : fits (eps c) prec = true -> (0 <=? fst (from_below (eps c) prec))%Z = true ->
  covers N D us v -> pairs_hold (asked (from_below (eps c) prec)) N g v = true -> In (x, y) g -> told c w D asked x y us.
Proof.
  intros F P C H I. exists prec, v. do 3 (split; [assumption|]). unfold pairs_hold in H. rewrite forallb_forall in H.
  exact (H _ (pair_sent N g v x y I)).
Qed.
Lemma round_parts r : round_fits c r = true -> fits (eps c) (prec_of r) = true /\
  (0 <=? fst (from_below (eps c) (prec_of r)))%Z = true.
Proof. unfold round_fits. intros H. do 2 (apply andb_prop in H as [H ?]). now split. Qed.
Definition may_be_exact (p : precision) := fits (eps c) p = true /\ (0 <=? fst (from_below (eps c) p))%Z = true.
Lemma corner_told rs ps g x y m : (forall q, In q rs -> is_ready c w D q) -> (forall p, In p ps -> may_be_exact p) ->
  corner_stands (eps c) asked D N cs rs ps g m = true -> In (x, y) g -> told c w D asked x y (users_of cs m).
Proof.
  intros RS PS H I. unfold corner_stands in H. apply orb_prop in H as [H|H]; apply existsb_exists in H as (q & J & E).
  - specialize (RS q J). pose proof RS as (RF & _). apply round_parts in RF as [RF P].
    apply (pairs_told (prec_of (of_round q)) (law_at q m [] (nobody_yet q)) _ g); auto.
    assert (GR : group N D (2 ^ fine_of (of_round q)) (users_of cs m) (law_at q m [] (nobody_yet q))).
    { apply (Boxes.law_ok c w D HD HN q m []); [exact RS|].
      replace (users_of (classes_of (map normal (map (row_poly w D) (rows c)))) []) with (@nil nat) by now destruct
          (classes_of _).
      apply RS. }
    apply GR.
  - destruct (PS q J) as [F P]. apply (pairs_told q _ _ g x y F P (exactly_covers N D (users_of cs m) HD) E I).
Qed.
Lemma one_exactly_covers x us v : (x < length N)%nat -> lost v = 0%Z -> covers N D us v ->
  covers N D (x :: us) (one_exactly N D x v).
Proof.
  intros L Z C. pose proof (covers_mul N D HN x us v L C) as M. destruct C as [S C]. split.
  - cbn [one_exactly scale]. rewrite mult_IZR. apply Rmult_lt_0_compat; [exact S|now apply IZR_lt].
  - intros g T. specialize (M g T). cbn [one_exactly scale low lost].
    change (exact N (x :: us)) with (mul (row_at N x) (exact N us)). rewrite Z in M.
    unfold power in *. cbn [length]. rewrite Nat2Z.inj_succ, Z.pow_succ_r, !mult_IZR by lia.
    apply IZR_lt in HD as D1. set (e := eval g (mul (row_at N x) (exact N us))) in *.
    set (f := eval g (mul (row_at N x) (low v))) in *. set (p := IZR (D ^ Z.of_nat (length us))) in *. nra.
Qed.
Lemma each_told {V} (step : nat -> V -> V) (pass : V -> bool) (start : V) (holds : list nat -> V -> Prop)
  b total others :
  (forall us zs acc, Permutation us zs -> holds us acc -> holds zs acc) ->
  (forall i us acc, In i cs -> holds us acc -> holds (i :: us) (step i acc)) -> holds [] start ->
  each_in step pass cs b total start = true -> Z.of_nat (length others) = total -> (forall i, In i others -> In i cs) ->
  inside_box b (map (number_of others) cs) -> exists acc us, pass acc = true /\ holds us acc /\ Permutation others us.
Proof.
  intros HP HSt H0 H L IO IB. assert (ND : NoDup cs) by apply NoDup_nodup. unfold each_in in H. destruct (whole total b).
  - destruct (every_ok step pass holds HP cs ND HSt _ [] start H H0 others ltac:(lia) IO) as (acc & P & J).
    rewrite app_nil_r in J. now exists acc, others.
  - destruct (in_box_ok step pass holds HP cs HSt b total start [] (map (number_of others) cs) H H0) as (acc & P & J).
    + now rewrite map_length.
    + exact IB.
    + rewrite numbers_all; auto.
    + apply Forall_forall. intros k I. apply in_map_iff in I as (q & <- & _). unfold number_of. lia.
    + rewrite app_nil_r in J. exists acc, (users_of cs (map (number_of others) cs)). split; [exact P|split; [exact J|]].
      destruct (users_taken cs ND (map (number_of others) cs) others) as [rest PR].
      { clear. induction (map (number_of others) cs); constructor; [lia|assumption]. }
      assert (rest = []) as ->; [|now rewrite app_nil_r in PR]. apply length_zero_iff_nil.
      apply Permutation_length in PR. rewrite app_length in PR.
      assert (Z.of_nat (length (users_of cs (map (number_of others) cs))) = add_up (map (number_of others) cs)).
      { apply users_length; [now rewrite map_length|]. apply forallb_forall. intros k I.
        apply in_map_iff in I as (q & <- & _). unfold number_of. apply Z.leb_le. lia. }
      rewrite numbers_all in H1 by auto. lia.
Qed.
Lemma each_but_told {V} skip (step : nat -> V -> V) (pass : V -> bool) (start : V) (holds : list nat -> V -> Prop)
  b total others :
  (forall us zs acc, Permutation us zs -> holds us acc -> holds zs acc) ->
  (forall i us acc, In i cs -> holds us acc -> holds (i :: us) (step i acc)) -> holds [] start ->
  each_but skip step pass cs b total start = true -> Z.of_nat (length others) = total -> (forall i, In i others -> In i cs) ->
  inside_box b (map (number_of others) cs) -> (exists us, skip us = true /\ Permutation others us) \/
  exists acc us, pass acc = true /\ holds us acc /\ Permutation others us.
Proof.
  intros HP HSt H0 H L IO IB.
  destruct (each_told (later step) _ ([], start) (fun us s => Permutation (fst s) us /\ holds (fst s) (behind step s)) b total others
    ltac:(intros us zs s P [A B]; split; [now rewrite A|exact B])
    ltac:(intros i us s I [A B]; split; [now constructor|exact (HSt i (fst s) _ I B)])
    (conj (perm_nil nat) H0) H L IO IB) as (s & us & PA & (A & B) & PR).
  pose proof (Permutation_trans PR (Permutation_sym A)) as Q.
  apply orb_prop in PA as [PA|PA]; [left; exists (fst s)|right; exists (behind step s), (fst s)]; auto.
Qed.
Lemma number_nonneg xs : forallb (fun i => 0 <=? i)%Z (map (number_of xs) cs) = true.
Proof. apply forallb_forall. intros i I. apply in_map_iff in I as (q & <- & _). unfold number_of. apply Z.leb_le.
    lia. Qed.
Lemma blk_parts g x y k m l r : dataset (rows c) (users c) (l ++ x :: r) -> In (x, y) g ->
  blk_stands c D N R G cs g k m = true -> Forall2 Z.le m (map (number_of (map (rep N) (l ++ r))) cs) ->
  let F := blk_rows D N R G x y k in let us := blk_users cs k in let K := users_of cs (mates k) in
  let place := match spot k with Some p => [rep N p] | None => [] end in
  let u := match spot k with Some _ => opens k | None => S (opens k) end in
  let j := pred (Pos.to_nat (many_blocks k)) in
  forallb (fair D) F = true /\ forallb (narrow (reach_of k)) (blk_end N x k :: blk_end N y k :: G :: R) = true /\
  ((1 + Z.of_nat (length us)) * reach_of k < half_of k)%Z /\ (0 <= reach_of k)%Z /\ (0 < half_of k)%Z /\
  covers F D us (blk_law D N R G us k) /\ (forall u, In u K -> (u < length N)%nat) /\
  match spot k with Some p => (p < length N)%nat | None => True end /\
  exists opened dropped, Permutation (map (rep N) (l ++ r)) (K ++ concat (repeat (place ++ K) j) ++ opened ++ dropped) /\
    length opened = (opens k + j * u)%nat.
Proof.
  intros DX XY H M F us K place u j. unfold blk_stands in H. cbv zeta in H.
  do 10 (apply andb_prop in H as [H ?]).
  rename H into HO, H9 into HR, H8 into HE, H7 into SZ, H6 into X0, H5 into PN, H4 into RN, H3 into MP, H2 into ML, H1 into MM, H0 into NS.
  apply Z.ltb_lt in SZ. apply Z.leb_le in X0, NS. apply Nat.eqb_eq in ML.
  rewrite forallb_forall in HE. specialize (HE (x, y) XY). cbn [fst snd] in HE. apply andb_prop in HE as [EX EY].
  apply andb_prop in EX as [EX1 EX2], EY as [EY1 EY2].
  assert (HF : forallb (fair D) F = true) by (unfold F, blk_rows; cbn [forallb]; now rewrite EX1, EY1).
  assert (NR : forallb (narrow (reach_of k)) (blk_end N x k :: blk_end N y k :: G :: R) = true).
  { change (narrow (reach_of k) (blk_end N x k) && (narrow (reach_of k) (blk_end N y k) && forallb (narrow (reach_of k)) (G :: R)) = true).
    now rewrite EX2, EY2. }
  assert (KN : forall u, In u K -> (u < length N)%nat).
  { intros q I. apply (class_in c w D). fold N cs. unfold K in I. clear - I. revert I. generalize (mates k).
    induction cs as [|t l0 IH]; intros [|e es]; cbn [users_of]; try (intros []; fail). intros I.
    apply in_app_iff in I as [I|I]; [left; symmetry; now apply repeat_spec in I|right; eauto]. }
  assert (LK : Z.of_nat (length K) = add_up (mates k)) by (apply users_length; assumption).
  assert (LU : length us = (length K + opens k)%nat) by (unfold us, blk_users; now rewrite app_length, map_length,
      repeat_length).
  assert (LRN : length R = length N) by (unfold R, apart_from_known; now rewrite map_length, seq_length).
  assert (CV : covers F D us (blk_law D N R G us k)).
  { set (E := blk_others D N R G k) in *. set (F' := row_at E 0 :: row_at E 0 :: E).
    apply (covers_same F F').
    { intros q I. unfold F, F', blk_rows. fold E. unfold us, blk_users in I. apply in_app_iff in I as [I|I].
      - apply in_map_iff in I as (t & <- & I). reflexivity.
      - apply repeat_spec in I. now subst. }
    assert (HF' : forallb (fair D) F' = true).
    { unfold F'. cbn [forallb]. rewrite HO, andb_true_r. clear - HO. unfold E, blk_others in *. cbn [forallb row_at nth] in *.
      apply andb_prop in HO as [HO _]. now rewrite HO. }
    assert (IU : forall u, In u us -> (u < length F')%nat).
    { intros q I. unfold F', E, blk_others. cbn [length]. rewrite LRN. unfold us, blk_users in I. apply in_app_iff in I as [I|I].
      - apply in_map_iff in I as (t & <- & I). specialize (KN t I). lia.
      - apply repeat_spec in I. subst. lia. }
    unfold blk_law. fold E. fold F'. destruct (block_round k) as [q|].
    - apply Z.leb_le in RN. destruct (counted_ok (length F') us IU) as [CI CP].
      apply (covers_perm F' D _ _ _ (Permutation_sym CP)). now apply law_of_ok.
    - now apply exactly_covers. }
  assert (SZ' : ((1 + Z.of_nat (length us)) * reach_of k < half_of k)%Z) by (rewrite LU, Nat2Z.inj_add, LK, Z.add_assoc; exact SZ).
  assert (H0 : (0 < half_of k)%Z) by nia.
  pose proof (Pos2Nat.is_pos (many_blocks k)) as NP.
  assert (NJ : Z.pos (many_blocks k) = Z.of_nat (S j)) by (unfold j; lia).
  set (e := match spot k with Some p => one_of_class cs (rep N p) | None => map (fun _ => 0%Z) cs end) in *.
  assert (ND : NoDup cs) by apply NoDup_nodup.
  assert (EP : users_of cs e = place /\ length e = length cs /\ forallb (fun i => 0 <=? i)%Z e = true /\
    (match spot k with Some p => (p < length N)%nat | None => True end) /\
    (length place + (match spot k with Some _ => 0 | None => 1 end) = 1)%nat).
  { unfold e, place. revert PN. generalize (spot k). intros [p|] PN.
    - apply Nat.ltb_lt in PN. split; [apply users_one; [exact ND|]|split; [apply map_length|split; [|split; [exact
        PN|reflexivity]]]].
      + unfold cs, classes_of. apply rep_in. exact PN.
      + apply forallb_forall. intros q I. apply in_map_iff in I as (t & <- & I). now destruct (Nat.eqb _ _).
    - split; [apply users_nobody|split; [apply map_length|split; [|split; [exact I|reflexivity]]]].
      apply forallb_forall. intros q I. apply in_map_iff in I as (t & <- & _). reflexivity. }
  destruct EP as (EP & LE & PE & PN' & LP).
  apply at_least_ok in MM. pose proof (le_trans _ _ _ MM M) as TK.
  destruct (users_taken cs ND _ _ TK) as [rest PR].
  assert (PK : Permutation (users_of cs (added (map (Z.mul (Z.pos (many_blocks k))) (mates k))
    (map (Z.mul (Z.pos (many_blocks k) - 1)) e))) (K ++ concat (repeat (place ++ K) j))).
  { replace (Z.pos (many_blocks k) - 1)%Z with (Z.of_nat j) by lia. rewrite NJ.
    assert (PJ : forall i f, forallb (fun i => 0 <=? i)%Z f = true -> forallb (fun i => 0 <=? i)%Z (map (Z.mul
        (Z.of_nat i)) f) = true).
    { intros q f P. apply forallb_forall. intros t I. apply in_map_iff in I as (i & <- & I). rewrite forallb_forall
        in P.
      specialize (P i I). apply Z.leb_le in P. apply Z.leb_le. nia. }
    rewrite users_added by (rewrite ?map_length; auto). rewrite !users_scaled by auto. rewrite EP. fold K.
    cbn [repeat concat]. rewrite <- app_assoc. apply Permutation_app_head.
    rewrite Permutation_app_comm. symmetry. apply concat_both. }
  assert (UE : (u = opens k + match spot k with Some _ => 0 | None => 1 end)%nat).
  { unfold u. generalize (spot k). intros [p|]; lia. }
  set (many := (opens k + j * u)%nat).
  assert (LO : (many <= length rest)%nat).
  { pose proof (Permutation_length PR) as P1. pose proof (Permutation_length PK) as P2. rewrite app_length in P1.
      rewrite P2 in P1.
    rewrite app_length, concat_length, app_length, map_length in P1. destruct DX as [DL _]. rewrite app_length in DL.
        cbn [length] in DL.
    rewrite app_length in P1. rewrite NJ, <- LK in NS. unfold many. rewrite UE.
    assert (NS' : (S j * (1 + length K + opens k) <= users c)%nat) by nia. nia. }
  do 8 (split; [assumption|]). exists (firstn many rest), (skipn many rest). split; [|now apply firstn_length_le].
  rewrite firstn_skipn, PR, PK, <- app_assoc. reflexivity.
Qed.
Lemma blk_at_most prec g x y k m l r : fits (eps c) prec = true -> (0 <= fst (from_below (eps c) prec))%Z ->
  dataset (rows c) (users c) (l ++ x :: r) -> dataset (rows c) (users c) (l ++ y :: r) ->
  (forall i, In i (l ++ r) -> (i < real)%nat) -> In (x, y) g -> check_blk c D N R G cs (from_below (eps c) prec) g k m = true ->
  Forall2 Z.le m (map (number_of (map (rep N) (l ++ r))) cs) ->
  at_most Shuffled (rows c) (l ++ x :: r) (l ++ y :: r) (value (eps c)) (Q2R (delta c)).
Proof.
  intros FT A0 DX DY OR XY H M. pose proof HS as HS'. apply setting_ok in HS' as (_ & GE & _ & _ & _).
  pose proof (from_below_ok _ _ GE FT) as [B0 AB]. unfold check_blk in H. cbv zeta in H.
  do 2 (apply andb_prop in H as [H ?]). rename H into BS, H1 into U0, H0 into OU. apply Z.ltb_lt in U0.
  destruct (blk_parts g x y k m l r DX XY BS M) as (HF & NR & SZ & X0 & H0 & CV & KN & PN & opened & dropped & PO & LO).
  set (v := blk_law D N R G (blk_users cs k) k) in *. rewrite forallb_forall in OU.
  specialize (OU _ (proj2 (nodup_In same_outline _ _) (in_map _ _ _ (pair_sent (map (shifted (moved_by k)) N) g v x y XY)))).
  unfold outline_holds, outline_of in OU. cbv zeta in OU. destruct (excess_on _ _ _) as [i o] eqn:EX. cbn [fst snd] in OU.
  do 2 (apply andb_prop in OU as [OU ?]). apply andb_prop in OU as [NA ST]. rename H1 into FN, H into FIN. apply Z.leb_le in FIN.
  assert (RE : forall q, row_at (map (shifted (moved_by k)) N) q = blk_end N q k) by (intros q; exact (map_nth (shifted (moved_by k)) N [] q)).
  rewrite !RE in NA, ST, FN, EX, FIN. assert (FN' : forall f, forallb (fun o : Z * Z => 0 <=? snd o)%Z f = true -> Forall (fun o => (0 <= snd o)%Z) f).
  { intros f E. apply Forall_forall. rewrite forallb_forall in E. intros q I. now apply Z.leb_le, E. }
  exact (block_holds c real w D sh HS HA HD real_0 real_N x y k (value (eps c)) v HF CV H0 X0 SZ NR U0 KN PN (many_blocks k) l r DX DY OR
    opened dropped PO LO _ _ B0 AB A0 NA ST (FN' _ FN) i o (delta c) EX FIN).
Qed.
Lemma one_blk_told wanted g x y k m l r : dataset (rows c) (users c) (l ++ x :: r) -> dataset (rows c) (users c) (l ++ y :: r) ->
  (forall i, In i (l ++ r) -> (i < real)%nat) -> In (x, y) g -> one_blk c D N R G cs wanted g k m = true ->
  Forall2 Z.le m (map (number_of (map (rep N) (l ++ r))) cs) ->
  exists v P Q, wanted v P Q = true /\ 0 < IZR (scale v) /\ forall z d, 0 <= z ->
    (forall h, test h -> eval h P + IZR D * IZR (lost v) - z * eval h Q <= d * IZR (scale v * D)) ->
    at_most Shuffled (rows c) (l ++ x :: r) (l ++ y :: r) z d.
Proof.
  intros DX DY OR XY H M. unfold one_blk in H. cbv zeta in H. do 2 (apply andb_prop in H as [H ?]). apply Z.eqb_eq in H.
  rename H1 into BS, H0 into AS. assert (N1 : many_blocks k = 1%positive) by congruence.
  destruct (blk_parts g x y k m l r DX XY BS M) as (HF & NR & SZ & X0 & H0 & CV & KN & PN & opened & dropped & PO & LO).
  set (v := blk_law D N R G (blk_users cs k) k) in *. unfold pairs_hold in AS. rewrite forallb_forall in AS.
  specialize (AS _ (pair_sent (map (shifted (moved_by k)) N) g v x y XY)). cbn [fst snd] in AS.
  assert (RE : forall q, row_at (map (shifted (moved_by k)) N) q = blk_end N q k) by (intros q; exact (map_nth (shifted (moved_by k)) N [] q)).
  rewrite !RE in AS. eexists v, _, _. split; [exact AS|split; [apply CV|]]. intros z d Z0 HK.
  assert (U0 : (0 < scale v * D)%Z).
  { pose proof (proj1 CV) as S0. apply lt_IZR in S0. nia. }
  exact (one_block_holds c real w D sh HS HA HD real_0 real_N x y k z v HF CV H0 X0 SZ NR U0 KN PN (many_blocks k) l r DX DY OR
    opened dropped PO LO d N1 Z0 HK).
Qed.
End Whole.
(* Some of the others are told apart from, or their box has a block. *)
Theorem check_trees_sound c real moves w D rounds many ps asked blocked skips trees :
  let N := map normal (map (row_poly w D) (rows c)) in
  check_trees c real moves w D N rounds many ps asked blocked skips trees = true -> setting c w D = true /\ forallb (fair D) N = true /\
  (0 < real)%nat /\ (real <= length N)%nat /\ forall l x y r, In (x, y) moves ->
  (forall i, In i (l ++ r) -> (i < real)%nat) -> dataset (rows c) (users c) (l ++ x :: r) ->
  dataset (rows c) (users c) (l ++ y :: r) -> let others := map (rep N) (l ++ r) in
  (exists us rest, Permutation others (us ++ rest) /\ told c w D asked x y us) \/
  (exists g k m, In (x, y) g /\ blocked g k m = true /\ Forall2 Z.le m (map (number_of others) (classes_of N))) \/
  (exists g us, In (x, y) g /\ left_out (skips g) us = true /\ Permutation others us).
Proof.
  intros N. unfold check_trees. cbv zeta. set (cs := classes_of N).
  set (total := (Z.of_nat (users c) - 1)%Z). intros H.
  do 5 (apply andb_prop in H as [H ?]).
  rename H0 into TR, H1 into MO, H2 into PS, H3 into HF, H4 into RN, H into R0.
  apply Nat.ltb_lt in R0. apply Nat.leb_le in RN.
  pose proof HF as HF'. unfold fit_for_boxes in HF'. apply andb_prop in HF' as [HF' RF]. apply andb_prop in HF' as
      [HS HN].
  fold N in HN. do 4 (split; [assumption|]). intros l x y r MV OR DX DY.
  assert (HD : (0 < D)%Z) by (eapply unit_pos; [apply (setting_ok _ _ _ HS)|apply DX, in_elt]).
  assert (LN : length N = length (rows c)) by (unfold N; now rewrite !map_length).
  apply (all_among_ok _ _ _ (x, y)), in_flat_map in MO as (t & IT & IG); [|exact MV]. rewrite forallb_forall in TR. specialize (TR t IT). cbv beta in TR.
  rename TR into BT.
  set (others := map (rep N) (l ++ r)). set (ks := map (number_of others) cs).
  assert (ND : NoDup cs) by apply NoDup_nodup.
  assert (IR : forall i, In i others -> (i < real)%nat).
  { intros i I. unfold others in I. apply in_map_iff in I as (q & <- & I). apply OR in I. pose proof (rep_le N q). lia. }
  assert (IO : forall i, In i others -> In i cs).
  { intros i I. unfold others in I. apply in_map_iff in I as (q & <- & I). apply rep_in. apply OR in I. lia. }
  assert (LE : Z.of_nat (length others) = total).
  { unfold others, total. rewrite map_length. destruct DX as [DL _]. rewrite app_length in *. cbn [length] in DL. lia. }
  assert (E : add_up ks = total) by (unfold ks; rewrite numbers_all; auto).
  assert (IB : inside_box (reserved real cs total) ks).
  { unfold ks, inside_box, reserved. clear - LE IR. induction cs as [|q l0 IH]; constructor; [|exact IH].
    cbn [fst snd]. rewrite <- LE. unfold number_of. pose proof (count_length others q) as CL.
    destruct (Nat.ltb_spec q real) as [Q|Q]; [lia|].
    rewrite (proj1 (count_occ_not_In Nat.eq_dec others q)); [lia|]. intros I. apply IR in I. lia. }
  destruct (by_tree_ok _ _ _ ks _ E _ _ BT (or_introl eq_refl) IB) as (f & b & LH & BB).
  pose proof (corner_ok total b ks BB E) as M. set (m := corner total b) in *.
  assert (RS : forall q, In q (map (prepare N D many) rounds) -> is_ready c w D q).
  { intros q I. apply in_map_iff in I as (p & <- & I). apply prepare_ok; auto. rewrite forallb_forall in RF. now
      apply RF. }
  assert (EX : forall p, In p ps -> may_be_exact c p).
  { intros p I. rewrite forallb_forall in PS. specialize (PS p I). now apply andb_prop in PS. }
  assert (CT : forall m0, corner_stands (eps c) asked D N cs (map (prepare N D many) rounds) ps (goes t) m0 = true ->
    Forall2 Z.le m0 ks -> exists us rest, Permutation others (us ++ rest) /\ told c w D asked x y us).
  { intros m0 PH M0. destruct (users_taken cs ND _ _ M0) as [rest P]. exists (users_of cs m0), rest. split; [exact P|].
    apply (corner_told c w D HN HD asked _ ps (goes t) x y m0 RS EX PH IG). }
  destruct f as [| |m'|k]; cbn [leaf_holds] in LH.
  - unfold each_stands in LH. apply orb_prop in LH as [LH|LH]; apply existsb_exists in LH as (q & J & Q).
    + pose proof (RS q J) as (RQ & (_ & _ & _ & C0) & _). apply round_parts in RQ as [F P].
      destruct (each_but_told c real w D R0 RN (left_out (skips (goes t))) (step N D (cut_of (of_round q))) _ _ (covers N D) b total others
        (covers_perm N D)
        ltac:(intros i us acc I C; exact (covers_step N D (cut_of (of_round q)) HD HN i us acc (class_in c w D i I) C)) C0 Q LE IO BB) as
        [(us & SK & PR)|(acc & us & PA & C & PR)]; [right; right; exists (goes t), us; auto|left].
      exists us, []. rewrite app_nil_r. split; [exact PR|]. exact (pairs_told c w D asked _ acc us _ x y F P C PA IG).
    + destruct (EX q J) as [F P]. set (ok := fun us (v : cover) => covers N D us v /\ lost v = 0%Z).
      destruct (each_but_told c real w D R0 RN (left_out (skips (goes t))) (one_exactly N D) _ _ ok b total others
        ltac:(intros us zs acc PP (C & X); split; [exact (covers_perm N D us zs acc PP C)|exact X])
        ltac:(intros i us acc I (C & Z); split; [apply (one_exactly_covers c real w D HN HD R0 RN); auto; now apply (class_in c w D)|reflexivity])
        (conj (exactly_covers N D [] HD) eq_refl) Q LE IO BB) as
        [(us & SK & PR)|(acc & us & PA & (C & _) & PR)]; [right; right; exists (goes t), us; auto|left].
      exists us, []. rewrite app_nil_r. split; [exact PR|]. exact (pairs_told c w D asked q acc us _ x y F P C PA IG).
  - left. now apply (CT m).
  - left. apply andb_prop in LH as [LL PH]. apply (CT m' PH). exact (le_trans _ _ _ (at_least_ok _ _ LL) M).
  - right. left. exists (goes t), k, m. auto.
Qed.
(* ---- renamings ---- *)
Lemma worth_perm ws us vs : Permutation us vs -> worth_of ws us = worth_of ws vs.
Proof. induction 1; cbn [worth_of fold_right] in *; unfold worth_of in *; lia. Qed.
Lemma worth_map ws (f : nat -> nat) (h : nat -> Z) xs : (forall i, In i xs -> nth (f i) ws 0%Z = h i) ->
  worth_of ws (map f xs) = fold_right (fun i sum => h i + sum)%Z 0%Z xs.
Proof.
  intros H. induction xs as [|i xs IH]; [reflexivity|]. cbn [map worth_of fold_right]. unfold worth_of in IH.
  rewrite H by now left. rewrite IH by (intros; apply H; now right). reflexivity.
Qed.
Lemma nth_over {A} (f : nat -> A) n d u : (u < n)%nat -> nth u (map f (seq 0 n)) d = f u.
Proof. intros H. rewrite (nth_indep _ d (f O)) by now rewrite map_length, seq_length. now rewrite map_nth, seq_nth. Qed.
Section Renamed.
Variables (real : nat) (N : list poly) (s : list (nat * nat)).
Let firsts := map (rep N) (seq 0 (length N)).
Hypotheses (RN : (real <= length N)%nat) (HR : renames real firsts s = true).
Lemma renames_ok u : (u < real)%nat -> image s (before s u) = u /\ (before s u < real)%nat /\
  rep N (before s u) = rep N (before s (rep N u)).
Proof.
  intros U. unfold renames in HR. cbv zeta in HR. rewrite forallb_forall in HR. assert (F : forall i, (i < real)%nat -> nth i firsts O = rep N i)
    by (intros i I; unfold firsts; apply nth_over; lia).
  pose proof (HR u (proj2 (in_seq _ _ _) (conj (Nat.le_0_l u) U))) as H. do 2 (apply andb_prop in H as [H ?]).
  apply Nat.eqb_eq in H, H0. apply Nat.ltb_lt in H1. rewrite (F u U) in H0. pose proof (rep_le N u) as L.
  pose proof (HR (rep N u) (proj2 (in_seq _ _ _) (conj (Nat.le_0_l _) (Nat.le_lt_trans _ _ _ L U)))) as G. do 2 (apply andb_prop in G as [G ?]). apply Nat.ltb_lt in H3.
  rewrite !F in H0 by assumption. auto.
Qed.
Lemma before_all us : (forall u, In u us -> (u < real)%nat) -> map (image s) (map (before s) us) = us /\
  forall u, In u (map (before s) us) -> (u < real)%nat.
Proof.
  intros I. split.
  - rewrite map_map. rewrite <- (map_id us) at 2. apply map_ext_in. intros u U. apply renames_ok. auto.
  - intros u U. apply in_map_iff in U as (v & <- & V). apply renames_ok. auto.
Qed.
(* The others whom a renaming moves to these, and the same of one who changes. *)
Lemma renamed_before K g z d l x y r : length K = length N -> inputs g = s -> moves_rows Shuffled K g ->
  (forall u, In u (l ++ r) -> (u < real)%nat) -> (x < length K)%nat -> (y < length K)%nat ->
  let l' := map (before s) l in let r' := map (before s) r in (forall u, In u (l' ++ r') -> (u < real)%nat) /\
  length (l' ++ x :: r') = length (l ++ x :: r) /\
  (at_most Shuffled K (l' ++ x :: r') (l' ++ y :: r') z d ->
    at_most Shuffled K (l ++ image s x :: r) (l ++ image s y :: r) z d).
Proof.
  intros LK E M I X Y l' r'. destruct (before_all l ltac:(intros; apply I, in_or_app; auto)) as [EL IL].
  destruct (before_all r ltac:(intros; apply I, in_or_app; auto)) as [ER IR].
  assert (J : forall u, In u (l' ++ r') -> (u < real)%nat) by (intros u U; apply in_app_iff in U as [U|U]; auto).
  split; [exact J|split; [rewrite !app_length; unfold l', r'; cbn [length]; now rewrite !map_length|]]. intros H.
  subst s. apply (renamed_at_most K g) in H; [|exact M|].
  - rewrite !map_app in H. cbn [map] in H. unfold l', r' in H. rewrite EL, ER in H. exact H.
  - intros u U. rewrite !in_app_iff in U. cbn [In] in U. destruct (Nat.eq_dec u x) as [->|]; [exact X|].
    destruct (Nat.eq_dec u y) as [->|]; [exact Y|]. enough (u < real)%nat by lia. apply J, in_or_app.
    destruct U as [[U|[U|U]]|[U|[U|U]]]; auto; now subst.
Qed.
End Renamed.
Lemma left_out_ok real N base ups ps us : (real <= length N)%nat -> let firsts := map (rep N) (seq 0 (length N)) in
  left_out (worths firsts base ups ps) us = true -> (forall s, In s ups -> renames real firsts s = true) ->
  forall xs, (forall i, In i xs -> (i < real)%nat) -> Permutation (map (rep N) xs) us ->
  let own := map (fun u => base ^ Z.of_nat u)%Z (seq 0 (length firsts)) in exists s, In s ups /\ fixes ps s = true /\
  (worth_of own (map (rep N) (map (before s) xs)) < worth_of own (map (rep N) xs))%Z.
Proof.
  intros RN firsts H HR xs I P own. assert (LF : length firsts = length N) by (unfold firsts; now rewrite map_length, seq_length).
  apply existsb_exists in H as (ws & J & L). apply Z.ltb_lt in L. apply in_map_iff in J as (s & <- & J).
  apply filter_In in J as [J FX]. exists s. split; [exact J|split; [exact FX|]]. rewrite <- !(worth_perm _ _ _ P) in L.
  eapply Z.le_lt_trans; [apply Z.eq_le_incl|exact L]. rewrite map_map.
  rewrite !(worth_map _ _ (fun i => base ^ Z.of_nat (rep N (before s i)))%Z); [reflexivity| |];
    intros i J'; destruct (renames_ok real N s RN (HR s J) i (I i J')) as (_ & B & R); rewrite ?LF.
  - pose proof (rep_le N i). pose proof (I i J'). rewrite nth_over by (rewrite ?LF; lia). f_equal. f_equal. rewrite R.
    unfold firsts. apply nth_over. enough (before s (rep N i) < real)%nat by lia.
    apply (renames_ok real N s RN (HR s J)). lia.
  - pose proof (rep_le N (before s i)). unfold own. rewrite nth_over by (rewrite LF; lia). reflexivity.
Qed.
Theorem check_pairs_sound c real moves s rounds many ps prec sh trees ups moved :
  check_pairs c real moves s rounds many ps prec sh trees ups moved = true -> forall l x y r, In (x, y) moves ->
  (forall i, In i (l ++ r) -> (i < real)%nat) -> dataset (rows c) (users c) (l ++ x :: r) ->
  dataset (rows c) (users c) (l ++ y :: r) ->
  at_most Shuffled (rows c) (l ++ x :: r) (l ++ y :: r) (value (eps c)) (Q2R (delta c)).
Proof.
  unfold check_pairs. cbv zeta. set (N := map normal _). set (firsts := map (rep N) _). set (asked := flat_map goes trees).
  intros H l x y r MV OR DX DY. do 8 (apply andb_prop in H as [H ?]).
  rename H0 into TR, H1 into MO, H2 into IX, H3 into IA, H4 into HR, H5 into HS, H6 into HA, H7 into A0.
  rewrite forallb_forall in HR. set (renamings := ups ++ map fst moved) in *.
  assert (RS : forall g, In g renamings -> renames real firsts (inputs g) = true /\ moves_rows Shuffled (rows c) g).
  { intros g I. split; [now apply HR|]. now apply (check_symmetries_ok _ _ _ _ _ _ HS). }
  assert (LN : length N = length (rows c)) by (unfold N; now rewrite !map_length).
  apply check_trees_sound in TR as (ST & HN & R0 & RN & TR). fold N in HN, RN, TR.
  assert (HD : (0 < unit_of s)%Z) by (eapply unit_pos; [apply (setting_ok _ _ _ ST)|apply DX, in_elt]).
  set (own := map (fun u => Z.of_nat (users c) ^ Z.of_nat u)%Z (seq 0 (length firsts))).
  assert (W0 : forall us, (0 <= worth_of own us)%Z).
  { induction us as [|u us IH]; cbn [worth_of fold_right]; [lia|]. unfold worth_of in IH.
    enough (0 <= nth u own 0)%Z by lia. destruct (nth_in_or_default u own 0%Z) as [I| ->]; [|lia].
    apply in_map_iff in I as (v & <- & _). apply Z.pow_nonneg. lia. }
  (* what is asked of a pair: others who are left out hold what others held who come before *)
  assert (ASKED : forall k l x y r, (Z.to_nat (worth_of own (map (rep N) (l ++ r))) = k)%nat -> In (x, y) asked ->
    (forall i, In i (l ++ r) -> (i < real)%nat) -> dataset (rows c) (users c) (l ++ x :: r) ->
    dataset (rows c) (users c) (l ++ y :: r) ->
    at_most Shuffled (rows c) (l ++ x :: r) (l ++ y :: r) (value (eps c)) (Q2R (delta c))).
  { clear l x y r MV OR DX DY. induction k as [k IH] using lt_wf_ind. intros l x y r K XY OR DX DY.
    destruct (TR l x y r XY OR DX DY) as [(us & rest & P & T)|[(g & b & m & I & B & M)|(g & us & I & SK & P)]].
    - apply (told_at_most c _ _ ST HN l x y r us rest); rewrite ?(proj1 DX); auto.
    - apply Z.leb_le in A0. eapply (blk_at_most c real _ _ sh ST HA HD R0 RN prec g x y b m l r); auto.
    - destruct (left_out_ok real N (Z.of_nat (users c)) (map inputs ups) g us RN SK) with (xs := l ++ r) as (f & J & FX & L); auto.
      { intros f J. apply in_map_iff in J as (q & <- & J). apply RS, in_or_app. now left. }
      fold own in L. apply in_map_iff in J as (q & <- & J). destruct (RS q ltac:(apply in_or_app; now left)) as [RQ MQ].
      unfold fixes in FX. rewrite forallb_forall in FX. specialize (FX _ I). cbn [fst snd] in FX.
      apply andb_prop in FX as [FX FY]. apply Nat.eqb_eq in FX, FY.
      assert (X : (x < length (rows c))%nat) by apply DX, in_elt. assert (Y : (y < length (rows c))%nat) by apply DY, in_elt.
      destruct (renamed_before real N (inputs q) RN RQ (rows c) q (value (eps c)) (Q2R (delta c)) l x y r (eq_sym LN) eq_refl
        MQ OR X Y) as (OR' & LL & BACK). rewrite FX, FY in BACK. rewrite map_app in L.
      assert (DS : forall u, (u < length (rows c))%nat -> dataset (rows c) (users c)
        (map (before (inputs q)) l ++ u :: map (before (inputs q)) r)).
      { intros u U. split; [rewrite <- (proj1 DX), <- LL, !app_length; reflexivity|]. intros i V. apply in_app_iff in V as [V|[<-|V]];
          [|exact U|]; enough (i < real)%nat by lia; apply OR', in_or_app; auto. }
      apply BACK. eapply IH; [|reflexivity|exact XY|exact OR'|now apply DS|now apply DS]. subst k.
      apply Z2Nat.inj_lt; auto. }
  apply (all_among_ok _ _ _ (x, y)), in_app_iff in MO as [MO|MO]; [now apply (ASKED _ l x y r eq_refl)| |exact MV].
  apply in_flat_map in MO as ([q pairs] & J & MO). apply in_map_iff in MO as ([x0 y0] & EQ & I). cbn [fst snd] in EQ, I.
  unfold pair_moved in EQ. cbn [fst snd] in EQ. injection EQ as <- <-.
  assert (PM : In (x0, y0) (flat_map snd moved)) by (apply in_flat_map; now exists (q, pairs)).
  pose proof (all_among_ok _ _ _ _ IA PM) as XY. rewrite forallb_forall in IX. specialize (IX _ PM). apply Nat.ltb_lt in IX.
  unfold all_among in IA. cbv zeta in IA. apply andb_prop in IA as [_ IA]. rewrite forallb_forall in IA.
  specialize (IA _ PM). apply andb_prop in IA as [IY _]. apply Nat.ltb_lt in IY. cbn [fst snd] in IX, IY. rewrite LN in IX, IY.
  destruct (RS q ltac:(apply in_or_app; right; apply in_map_iff; now exists (q, pairs))) as [RQ MQ].
  destruct (renamed_before real N (inputs q) RN RQ (rows c) q (value (eps c)) (Q2R (delta c)) l x0 y0 r (eq_sym LN) eq_refl MQ OR IX IY)
    as (OR' & LL & BACK).
  assert (DS : forall u, (u < length (rows c))%nat -> dataset (rows c) (users c)
    (map (before (inputs q)) l ++ u :: map (before (inputs q)) r)).
  { intros u U. split; [rewrite <- (proj1 DX), !app_length in *; cbn [length] in *; lia|]. intros i V.
    apply in_app_iff in V as [V|[<-|V]]; [|exact U|]; enough (i < real)%nat by lia; apply OR', in_or_app; auto. }
  apply BACK. apply (ASKED _ _ _ _ _ eq_refl XY OR'); now apply DS.
Qed.
Lemma all_moves_in inputs x y : (x < inputs)%nat -> (y < inputs)%nat -> x <> y -> In (x, y) (all_moves inputs).
Proof.
  intros X Y NE. apply filter_In. split; [apply in_prod; apply in_seq; lia|]. apply negb_true_iff, Nat.eqb_neq, NE.
Qed.
