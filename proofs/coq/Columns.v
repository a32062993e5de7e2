(* The checker of independent columns, and its theorem: of two inputs only the columns matter in which they differ. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool Permutation.
From Shufflecert Require CheckBlocks CheckAny.
From Shufflecert Require Import Spec SpecCount SpecColumns Sums Poly Exp Check Noise Total Gain Window
  Grid GridSum Cover Powers Boxes Beside Numbers Made Below TwoColumns.
Import ListNotations.
Notation sum := SpecCount.sum.

(* ---- the others, and trees of how many there are ---- *)
Local Open Scope Z_scope.
Record columns_hint := { places_of : nat; fine_bits : Z; by_law : list low_hint; eps_bits : precision }.
Fixpoint lows_of (many : nat) (fine : Z) (ls : list number_law) (hs : list low_hint) : list low :=
  match ls with [] => [] | l :: ls => low_of many fine l (hd (Parts 1 []) hs) :: lows_of many fine ls (tl hs) end.
Definition low_at (lows : list low) (i : nat) : low := nth i lows nothing_known.
(* A box says how many others have each input: so many at least draw by a law. *)
Fixpoint least_from (total : Z) (b : box) (f : list nat) (i : nat) (by_it others : Z) {struct f} : Z :=
  match f, b with
  | j :: f, lu :: b =>
      if Nat.eqb j i then least_from total b f i (by_it + fst lu) others else least_from total b f i by_it (others + snd lu)
  | _, _ => Z.max by_it (total - others)
  end.
Definition least_of (total : Z) (b : box) (f : list nat) (i : nat) : Z := least_from total b f i 0 0.
Lemma least_of_is total b f i : least_of total b f i =
  let fb := combine f b in
  Z.max (add_up (map (fun o => if Nat.eqb (fst o) i then fst (snd o) else 0) fb))
    (total - add_up (map (fun o => if Nat.eqb (fst o) i then 0 else snd (snd o)) fb)).
Proof.
  cbv zeta. unfold least_of, add_up. enough (A : forall x y, least_from total b f i x y =
    Z.max (x + fold_right Z.add 0 (map (fun o => if Nat.eqb (fst o) i then fst (snd o) else 0) (combine f b)))
      (total - (y + fold_right Z.add 0 (map (fun o => if Nat.eqb (fst o) i then 0 else snd (snd o)) (combine f b)))))
    by now rewrite A.
  revert b. induction f as [|j f IH]; intros b x y; [cbn [combine map fold_right least_from]; now rewrite !Z.add_0_r|].
  destruct b as [|[l u] b]; cbn [least_from combine map fold_right fst snd]; [now rewrite !Z.add_0_r|].
  destruct (Nat.eqb j i); rewrite IH, <- ?Z.add_assoc; reflexivity.
Qed.
Definition kinds (f : list nat) : list nat := nodup Nat.eq_dec f.
Definition with_others (many : nat) (fine : Z) (lows : list low) (base : low) (total : Z) (b : box) (f : list nat) : low :=
  fold_right (fun i acc => match least_of total b f i with
    | Zpos n => both_of many fine (often many fine (low_at lows i) n) acc
    | _ => acc
    end) base (kinds f).
Definition base_low (c : columns) (lows : list low) : low := match added_law c with Some i => low_at lows i | None => known_0 end.
(* whether a box fixes how many others draw by each law; else what is shown of the sum is left out *)
Definition all_known (c : columns) (inputs : nat) (total : Z) (b : box) (column : nat) : bool :=
  let f := map (law_in (draws c) column) (seq 0 inputs) in
  add_up (map (fun i => Z.max 0 (least_of total b f i)) (kinds f)) =? total.
Definition low_shown (c : columns) (a : low) : low :=
  match shown_from c with
  | Some t => (natural_or_none (normal (map (fun o => (Z.max (fst o) (t - 1), snd o)) (fst a))), snd a)
  | None => a
  end.
Definition ends_at (c : columns) (h : columns_hint) (lows : list low) (inputs : nat) (total : Z) (x y : nat) (b : box)
    (exact : bool) (column : nat) : ends_of :=
  let w := law_in (draws c) column in
  let v := with_others (places_of h) (fine_bits h) lows (base_low c lows) total b (map w (seq 0 inputs)) in
  let one i := let a := both_of (places_of h) (fine_bits h) (low_at lows (w i)) v in if exact then low_shown c a else a in
  (one x, one y).
(* in which columns two inputs differ *)
Definition differ (c : columns) (wide x y : nat) : list nat :=
  filter (fun j => negb (Nat.eqb (law_in (draws c) j x) (law_in (draws c) j y))) (seq 0 wide).
(* Whether what is shown of the sum is left out is asked only where not all of it is shown. *)
Definition exact_or_all (c : columns) (exact : box -> nat -> bool) (b : box) (i : nat) : bool :=
  match shown_from c with Some _ => exact b i | None => true end.
Definition at_columns (c : columns) h lows inputs total x y wide (exact : box -> nat -> bool) (test : ends_of -> ends_of -> bool)
    (b : box) : bool :=
  match differ c wide x y with
  | [i] => test (ends_at c h lows inputs total x y b (exact_or_all c exact b i) i) one_column
  | [i; j] => test (ends_at c h lows inputs total x y b (exact_or_all c exact b i) i)
      (ends_at c h lows inputs total x y b (exact_or_all c exact b j) j)
  | _ => false
  end.
Lemma ends_exact c h lows inputs total x y exact b i :
  ends_at c h lows inputs total x y b (exact_or_all c exact b i) i = ends_at c h lows inputs total x y b (exact b i) i.
Proof. unfold ends_at, exact_or_all, low_shown. destruct (shown_from c); [reflexivity|]. now destruct (exact b i). Qed.
(* A leaf: every composition of the box, one by one; or how many of the others draw by which law at least. *)
Definition box_of (inputs : nat) (us : list nat) : box := map (fun i => let k := how_often i us in (k, k)) (seq 0 inputs).
Lemma box_of_is inputs us : box_of inputs us = map (fun i => (number_of us i, number_of us i)) (seq 0 inputs).
Proof. apply map_ext. intros i. cbv zeta. now rewrite often_ok. Qed.
Definition good_leaf (inputs : nat) (total : Z) (test : box -> bool) (f : CheckBlocks.leaf) (b : box) : bool :=
  match f with
  | CheckBlocks.Corner => test b
  | CheckBlocks.Each => CheckBlocks.in_box cons (fun us => test (box_of inputs us)) (seq 0 inputs) b total []
  | _ => false
  end.
Definition tree := list (CheckBlocks.branch CheckBlocks.leaf).
Definition in_tree (inputs : nat) (total : Z) (test : box -> bool) (t : tree) : bool :=
  CheckBlocks.by_tree (fun i => i) (good_leaf inputs total test) total t [map (fun _ => (0, total)) (seq 0 inputs)].
(* inputs and columns that are looked at *)
Definition looked_at (c : columns) (d : option Z) : nat * nat :=
  match draws c with
  | Table table => (length table, length (nth 0 table []))
  | OneOf _ _ => if arriving c then (2, 1)%nat
      else (match d with Some d => if d <=? 3 then Z.to_nat d else 3%nat | None => 3%nat end, 2%nat)
  end.
Definition moves_of (c : columns) (inputs : nat) : list (nat * nat) :=
  match draws c with Table _ => CheckBlocks.all_moves inputs | OneOf _ _ => if arriving c then [(0, 1); (1, 0)]%nat else [(0, 1)%nat] end.
(* Users who come or go bring nothing to the columns that are not theirs: who is not there is as one on another column. *)
Definition nothing (l : number_law) : bool := match l with Finite [(0, q)] => Qeq_bool q 1 | _ => false end.
Definition may_arrive (c : columns) (d : option Z) : bool :=
  negb (arriving c) || match draws c with
    | OneOf _ other => nothing (nth other (number_laws c) (Finite [])) && match d with Some d => 2 <=? d | None => true end
    | _ => false end.
Definition numbers_stand (c : columns) : bool :=
  let named i := Nat.ltb i (length (number_laws c)) in
  named 0%nat && match added_law c with Some i => named i | None => true end &&
  match draws c with Table t => forallb (forallb named) t | OneOf held other => named held && named other end.
Definition columns_known (c : columns) (h : columns_hint) : bool :=
  numbers_stand c && forallb law_stands (number_laws c) && forallb units_stand (by_law h) && (0 <=? fine_bits h).
Definition setting_of (c : columns) (h : columns_hint) (z : Z * Z) : bool :=
  columns_known c h && Check.good (columns_eps c) && fits (columns_eps c) (eps_bits h) && (0 <=? fst z) && (0 <=? Qnum (columns_delta c)).
(* Whether there is a good one of all these for each of a list, but those that need none: most often the next one. *)
Fixpoint next_or_any {A B} (free : A -> bool) (good : A -> B -> bool) (all rest : list B) (l : list A) {struct l} : bool :=
  match l with
  | [] => true
  | x :: l =>
      match rest with
      | y :: more => if good x y then next_or_any free good all more l
          else (free x || existsb (good x) all) && next_or_any free good all rest l
      | [] => (free x || existsb (good x) all) && next_or_any free good all [] l
      end
  end.
Lemma next_or_any_ok {A B} free (good : A -> B -> bool) all l : forall rest, incl rest all ->
  next_or_any free good all rest l = true -> forall x, In x l -> free x || existsb (good x) all = true.
Proof.
  induction l as [|x l IH]; intros rest I H z; [easy|]. cbn [next_or_any] in H.
  assert (G : forall r, incl r all -> (free x || existsb (good x) all) && next_or_any free good all r l = true ->
      In z (x :: l) -> free z || existsb (good z) all = true).
  { intros r J K [<-|M]; apply andb_prop in K as [K L]; [exact K|now apply (IH r)]. }
  destruct rest as [|y more]; [now apply (G [])|]. destruct (good x y) eqn:E; [|now apply (G (y :: more))].
  intros [<-|M]; [|apply (IH more); auto; intros u U; apply I; now right].
  apply orb_true_intro. right. apply existsb_exists. exists y. split; [apply I; now left|exact E].
Qed.
Definition alike (c : columns) (wide : nat) (p : nat * nat) : bool :=
  match differ c wide (fst p) (snd p) with [] => true | _ => false end.
(* Whether the columns of every pair pass, in every box of its tree. *)
Definition all_pass (c : columns) (d : option Z) (h : columns_hint) (trees : list (nat * nat * tree)) (test : ends_of -> ends_of -> bool) : bool :=
  let lows := lows_of (places_of h) (fine_bits h) (number_laws c) (by_law h) in
  let '(inputs, wide) := looked_at c d in let total := Z.of_nat (column_users c) - 1 in
  columns_known c h && may_arrive c d &&
  match draws c with Table t => forallb (fun r => Nat.eqb (length r) wide) t | OneOf _ _ => true end &&
  next_or_any (alike c wide) (fun p t => Nat.eqb (fst (fst t)) (fst p) && Nat.eqb (snd (fst t)) (snd p) && (alike c wide p ||
    in_tree inputs total (at_columns c h lows inputs total (fst p) (snd p) wide (all_known c inputs total) test) (snd t)))
    trees trees (moves_of c inputs).
Definition check_columns (c : columns) (d : option Z) (h : columns_hint) (trees : list (nat * nat * tree)) : bool :=
  let z := from_below (columns_eps c) (eps_bits h) in
  setting_of c h z && all_pass c d h trees (kept_by_pair (fst z) (snd z) (columns_delta c)).
Definition box_of_counts (inputs : nat) (others : list (nat * Z)) : box :=
  map (fun i => let k := add_up (map (fun o => if Nat.eqb (fst o) i then snd o else 0) others) in (k, k)) (seq 0 inputs).
(* One pair, that differs in one column, or in two: how they are known; of one that differs in none its first column. *)
Definition pair_ends (c : columns) (d : option Z) (h : columns_hint) (p : pair_told) : option (ends_of * option ends_of) :=
  let lows := lows_of (places_of h) (fine_bits h) (number_laws c) (by_law h) in
  let '(inputs, wide) := looked_at c d in let total := Z.of_nat (column_users c) - 1 in
  let one := ends_at c h lows inputs total (from_told p) (to_told p) (box_of_counts inputs (others_told p)) true in
  if columns_known c h && may_arrive c d &&
    match draws c with
    | Table t => forallb (fun r => Nat.eqb (length r) wide) t
    | OneOf _ _ => match d with Some d => 2 <=? d | None => true end
    end &&
    forallb (fun i => Nat.ltb i inputs) [from_told p; to_told p] &&
    counts_in inputs (others_told p) && negb (Nat.eqb (from_told p) (to_told p)) &&
    (1 + add_up (map snd (others_told p)) =? Z.of_nat (column_users c))
  then match differ c wide (from_told p) (to_told p) with
    | [] => match wide with O => None | S _ => Some (one 0%nat, None) end
    | [i] => Some (one i, None)
    | [i; j] => Some (one i, Some (one j))
    | _ => None
    end
  else None.
Definition ends_pass (test : ends_of -> ends_of -> bool) (found : option (ends_of * option ends_of)) : bool :=
  match found with Some (e1, Some e2) => test e1 e2 | Some (e1, None) => test e1 one_column | None => false end.
Definition check_columns_false (c : columns) (d : option Z) (h : columns_hint) (p : pair_told) : bool :=
  let z := from_above (columns_eps c) (eps_bits h) in
  setting_of c h z && ends_pass (broken_by_pair (fst z) (snd z) (columns_delta c)) (pair_ends c d h p).

(* What shows that neither will pass, with any hints: a bound that is above delta, a pair that is not. *)
Definition bound_exceeded (c : columns) (d : option Z) (h : columns_hint) (t : nat * nat * tree) : bool :=
  let z := from_above (columns_eps c) (eps_bits h) in
  let lows := lows_of (places_of h) (fine_bits h) (number_laws c) (by_law h) in
  let '(inputs, wide) := looked_at c d in let total := Z.of_nat (column_users c) - 1 in
  negb (in_tree inputs total (fun b => negb (at_columns c h lows inputs total (fst (fst t)) (snd (fst t)) wide (all_known c inputs total)
    (broken_by_pair (fst z) (snd z) (columns_delta c)) b)) (snd t)).
Definition not_exceeded (c : columns) (d : option Z) (h : columns_hint) (p : pair_told) : bool :=
  let z := from_below (columns_eps c) (eps_bits h) in
  ends_pass (kept_by_pair (fst z) (snd z) (columns_delta c)) (pair_ends c d h p).

Local Open Scope R_scope.
Lemma numbers_by (g : nat -> nat) i cs ws : NoDup cs -> (forall x, In x ws -> In x cs) ->
  number_of (map g ws) i = add_up (map (fun x => if Nat.eqb (g x) i then number_of ws x else 0%Z) cs).
Proof.
  intros D. assert (A : forall x (f : nat -> Z) c, NoDup c -> add_up (map (fun y => (f y + (if Nat.eqb (g y) i then if Nat.eqb x y then 1 else 0 else 0))%Z) c) =
    (add_up (map f c) + (if in_dec Nat.eq_dec x c then if Nat.eqb (g x) i then 1 else 0 else 0))%Z).
  { clear. intros x f c D. induction D as [|y c N D IH]; [reflexivity|]. unfold add_up in *. cbn [map fold_right]. rewrite IH.
    destruct (in_dec Nat.eq_dec x c) as [I|I], (in_dec Nat.eq_dec x (y :: c)) as [J|J]; cbn [In] in J; try (exfalso; tauto).
    - destruct (Nat.eqb_spec x y) as [->|]; [contradiction|]. destruct (Nat.eqb (g y) i); lia.
    - destruct J as [->|]; [|contradiction]. rewrite Nat.eqb_refl. destruct (Nat.eqb (g x) i); lia.
    - destruct (Nat.eqb_spec x y) as [->|]; [exfalso; apply J; now left|]. destruct (Nat.eqb (g y) i); lia. }
  induction ws as [|x ws IH]; intros I.
  - cbn. clear. unfold add_up. induction cs as [|c cs IH]; [reflexivity|]. cbn [map fold_right]. rewrite <- IH. destruct (Nat.eqb _ _); reflexivity.
  - transitivity (number_of (map g ws) i + (if Nat.eqb (g x) i then 1 else 0))%Z.
    + unfold number_of. cbn [map count_occ]. destruct (Nat.eq_dec (g x) i) as [->|N]; [rewrite Nat.eqb_refl; lia|].
      rewrite (proj2 (Nat.eqb_neq (g x) i) N). lia.
    + rewrite IH by (intros; apply I; now right). pose proof (A x (fun y => if Nat.eqb (g y) i then number_of ws y else 0%Z) cs D) as B.
      destruct (in_dec Nat.eq_dec x cs) as [_|N]; [|exfalso; apply N, I; now left]. rewrite <- B. f_equal. apply map_ext. intros y.
      unfold number_of. cbn [count_occ]. destruct (Nat.eqb (g y) i); [|lia]. destruct (Nat.eq_dec x y) as [->|M]; [rewrite Nat.eqb_refl; lia|].
      rewrite (proj2 (Nat.eqb_neq x y) M). lia.
Qed.
Lemma least_ok g i cs b ws total : NoDup cs -> (forall x, In x ws -> In x cs) -> Z.of_nat (length ws) = total ->
  inside_box b (map (number_of ws) cs) -> (least_of total b (map g cs) i <= number_of (map g ws) i)%Z.
Proof.
  intros D I L B. rewrite (numbers_by g i cs ws D I). pose proof (numbers_all cs ws D I) as A. rewrite L in A. rewrite least_of_is. cbv zeta.
  clear D I L. assert (X : (add_up (map (fun o => if Nat.eqb (fst o) i then fst (snd o) else 0) (combine (map g cs) b)) <=
      add_up (map (fun x => if Nat.eqb (g x) i then number_of ws x else 0) cs))%Z /\
    (add_up (map (number_of ws) cs) - add_up (map (fun o => if Nat.eqb (fst o) i then 0 else snd (snd o)) (combine (map g cs) b)) <=
      add_up (map (fun x => if Nat.eqb (g x) i then number_of ws x else 0) cs))%Z).
  { clear A. revert b B. induction cs as [|c cs IH]; intros b B; inversion B as [|[l u] k b' ks' K B' E1 E2]; subst; [cbn; lia|].
    destruct (IH b' B') as [X Y]. unfold add_up in *. cbn [map combine fold_right fst snd] in *. destruct (Nat.eqb (g c) i); lia. }
  lia.
Qed.
Section Known.
Variables (c : columns) (d : option Z) (h : columns_hint).
Let lows := lows_of (places_of h) (fine_bits h) (number_laws c) (by_law h).
Let m := by_number c.
Hypotheses (LS : forallb law_stands (number_laws c) = true) (US : forallb units_stand (by_law h) = true)
  (F0 : (0 <= fine_bits h)%Z).
Definition no_law : number_law := Finite [].
Lemma said : columns_said c.
Proof. apply Forall_forall. intros l I. rewrite forallb_forall in LS. now apply law_stands_ok, LS. Qed.
(* numbers of laws that are there *)
Definition numbered (i : nat) := (i < length (number_laws c))%nat.
Lemma number_mass i : numbered i -> is_mass (m i).
Proof. intros I. apply law_mass. pose proof said as S. unfold columns_said in S. rewrite Forall_forall in S. apply S. now apply nth_In. Qed.
Lemma low_ok i : numbered i -> below (low_at lows i) (m i).
Proof.
  unfold low_at, lows, m, by_number, numbered. pose proof said as S. unfold columns_said in S. clear LS. revert i S US. generalize (number_laws c), (by_law h).
  induction l as [|a l IH]; intros hs i S U I; [cbn in I; lia|]. inversion_clear S. cbn [lows_of]. destruct i as [|i]; cbn [nth].
  - apply low_of_below; [exact F0|assumption|now apply hd_stands].
  - apply IH; [assumption|now apply tl_stand|cbn in I; lia].
Qed.
Definition base_mass : Z -> R := match added_law c with Some i => m i | None => point 0 end.
Hypothesis (AD : match added_law c with Some i => numbered i | None => True end).
Lemma base_ok : is_mass base_mass /\ below (base_low c lows) base_mass.
Proof.
  unfold base_mass, base_low. destruct (added_law c) as [i|]; [split; [now apply number_mass|now apply low_ok]|].
  split; [apply point_mass|apply known_0_below].
Qed.
Lemma masses l : Forall numbered l -> Forall is_mass (map m l).
Proof. intros H. apply Forall_map. eapply Forall_impl; [|exact H]. intros; now apply number_mass. Qed.
Lemma others_ok total b f : Forall numbered f ->
  below (with_others (places_of h) (fine_bits h) lows (base_low c lows) total b f)
    (drawn_all (map m (users_of (kinds f) (map (least_of total b f) (kinds f)))) base_mass).
Proof.
  intros N. unfold with_others. assert (K : Forall numbered (kinds f)).
  { apply Forall_forall. intros i I. apply nodup_In in I. rewrite Forall_forall in N. now apply N. }
  revert K. generalize (least_of total b f). intros least. induction (kinds f) as [|i l IH]; intros K; [apply base_ok|].
  inversion_clear K as [|? ? I K']. cbn [fold_right map users_of]. specialize (IH K').
  assert (M : is_mass (drawn_all (map m (users_of l (map least l))) base_mass)).
  { apply all_mass; [|apply base_ok]. apply masses. clear - K'. induction l as [|j l IH]; [constructor|]. inversion_clear K'.
    cbn [map users_of]. apply Forall_app. split; [|now apply IH]. apply Forall_forall. intros x J. now apply repeat_spec in J as ->. }
  rewrite map_app. unfold drawn_all at 1. rewrite fold_right_app. fold (drawn_all (map m (users_of l (map least l))) base_mass).
  assert (T : forall n g, fold_right plus_draw g (map m (repeat i n)) = times_over n (plus_draw (m i)) g).
  { clear. induction n as [|n IH]; intros g; [reflexivity|]. cbn [repeat map fold_right times_over]. now rewrite IH. }
  rewrite T. destruct (least i) as [|n|n]; [exact IH| |exact IH].
  apply (acts_below (places_of h) (fine_bits h) (often (places_of h) (fine_bits h) (low_at lows i) n)
    (times_over (Z.to_nat (Z.pos n)) (plus_draw (m i)))); auto.
  apply acts_often; [exact F0|]. apply acts_draw; [now apply number_mass|now apply low_ok].
Qed.
(* a column, of a user who draws by `own` and others with inputs ws *)
Definition column_mass (w : nat -> nat) (own : nat) (ws : list nat) : Z -> R := drawn_all (map m (w own :: map w ws)) base_mass.
Lemma column_is_mass w own ws : Forall numbered (map w (own :: ws)) -> is_mass (column_mass w own ws).
Proof. intros H. apply all_mass; [|apply base_ok]. now apply masses. Qed.
Lemma shown_mass n : is_mass n -> is_mass (as_shown c n).
Proof. intros M. unfold as_shown. destruct (shown_from c); [|exact M]. apply made_mass; [exact Z.eq_dec|exact M]. Qed.
Lemma shown_below a n : is_mass n -> below a n -> below (low_shown c a) (as_shown c n).
Proof.
  intros M B. pose proof (shown_mass n M) as [S0 _]. unfold low_shown, as_shown in *. destruct (shown_from c) as [t|]; [|exact B].
  destruct B as (U & S & H). split; [exact U|]. split; [apply none_sure|]. apply none_under; [exact S0|exact U|]. intros k. cbn [fst snd].
  rewrite eval_normal. apply (made_below (fun i => Z.max i (t - 1))%Z); [exact M|lia|exact H].
Qed.
Definition part_seen (exact : bool) (n : Z -> R) : Z -> R := if exact then as_shown c n else n.
Section Box.
Variables (inputs : nat) (total : Z) (b : box) (ws : list nat) (W : forall x, In x ws -> (x < inputs)%nat)
  (L : Z.of_nat (length ws) = total) (B : inside_box b (map (number_of ws) (seq 0 inputs))).
Lemma kept_and_rest w : exists rest, Permutation (map w ws)
  (users_of (kinds (map w (seq 0 inputs))) (map (least_of total b (map w (seq 0 inputs))) (kinds (map w (seq 0 inputs)))) ++ rest).
Proof.
  apply users_taken; [apply NoDup_nodup|]. assert (A : forall i, (least_of total b (map w (seq 0 inputs)) i <= number_of (map w ws) i)%Z).
  { intros i. apply least_ok; auto; [apply seq_NoDup|]. intros x I. apply in_seq. specialize (W x I). lia. }
  clear - A. generalize (kinds (map w (seq 0 inputs))). intros l. induction l as [|i l IH]; constructor; auto.
Qed.
Definition kept w := users_of (kinds (map w (seq 0 inputs))) (map (least_of total b (map w (seq 0 inputs))) (kinds (map w (seq 0 inputs)))).
Definition kept_mass w own := plus_draw (m (w own)) (drawn_all (map m (kept w)) base_mass).
Lemma users_in l : forall ks i, In i (users_of l ks) -> In i l.
Proof.
  induction l as [|c0 l IH]; intros [|k ks] i I; cbn [users_of] in I; try destruct I. apply in_app_iff in I as [I|I];
    [left; symmetry; now apply repeat_spec in I|right; eauto].
Qed.
Lemma kept_numbered w : Forall numbered (map w (seq 0 inputs)) -> Forall numbered (kept w).
Proof.
  intros H. apply Forall_forall. intros i I. apply users_in, nodup_In in I. rewrite Forall_forall in H. now apply H.
Qed.
Lemma ws_numbered w : Forall numbered (map w (seq 0 inputs)) -> Forall numbered (map w ws).
Proof.
  intros H. apply Forall_forall. intros i I. apply in_map_iff in I as (x & <- & I). rewrite Forall_forall in H. apply H.
  apply in_map, in_seq. specialize (W x I). lia.
Qed.
Lemma column_split w own : Forall numbered (map w (seq 0 inputs)) -> numbered (w own) -> forall rest,
  Permutation (map w ws) (kept w ++ rest) -> forall k, column_mass w own ws k = drawn_all (map m rest) (kept_mass w own) k.
Proof.
  intros N O rest P k. unfold column_mass. destruct base_ok as [BM _].
  rewrite (all_perm (map m (w own :: map w ws)) (map m (rest ++ w own :: kept w))).
  - rewrite map_app. unfold drawn_all. rewrite fold_right_app. reflexivity.
  - apply Permutation_map. etransitivity; [apply perm_skip, P|]. etransitivity; [apply (Permutation_app_comm (w own :: kept w) rest)|reflexivity].
  - apply masses. constructor; [exact O|now apply ws_numbered].
  - exact BM.
Qed.
Lemma kept_is_mass w own : Forall numbered (map w (seq 0 inputs)) -> numbered (w own) -> is_mass (kept_mass w own).
Proof.
  intros N O. apply plus_mass; [now apply number_mass|]. apply all_mass; [|apply base_ok]. now apply masses, kept_numbered.
Qed.
Lemma ends_ok x y exact column : let w := law_in (draws c) column in
  Forall numbered (map w (seq 0 inputs)) -> numbered (w x) -> numbered (w y) ->
  below (fst (ends_at c h lows inputs total x y b exact column)) (part_seen exact (kept_mass w x)) /\
  below (snd (ends_at c h lows inputs total x y b exact column)) (part_seen exact (kept_mass w y)).
Proof.
  cbv zeta. intros N X Y. unfold ends_at. cbn [fst snd]. set (w := law_in (draws c) column) in *.
  pose proof (others_ok total b (map w (seq 0 inputs)) N) as O.
  assert (M : is_mass (drawn_all (map m (kept w)) base_mass)) by (apply all_mass; [now apply masses, kept_numbered|apply base_ok]).
  assert (G : forall i, numbered (w i) -> below (if exact then low_shown c (both_of (places_of h) (fine_bits h) (low_at lows (w i))
      (with_others (places_of h) (fine_bits h) lows (base_low c lows) total b (map w (seq 0 inputs)))) else
      both_of (places_of h) (fine_bits h) (low_at lows (w i)) (with_others (places_of h) (fine_bits h) lows (base_low c lows) total b (map w (seq 0 inputs))))
      (part_seen exact (kept_mass w i))).
  { intros i I. assert (K : below (both_of (places_of h) (fine_bits h) (low_at lows (w i))
      (with_others (places_of h) (fine_bits h) lows (base_low c lows) total b (map w (seq 0 inputs)))) (kept_mass w i)).
    { apply both_below; auto; [now apply number_mass|now apply low_ok]. }
    unfold part_seen. destruct exact; [|exact K]. apply shown_below; [|exact K]. apply plus_mass; [now apply number_mass|exact M]. }
  split; now apply G.
Qed.
Lemma rest_none w rest : Forall numbered (map w (seq 0 inputs)) -> Permutation (map w ws) (kept w ++ rest) ->
  (add_up (map (fun i => Z.max 0 (least_of total b (map w (seq 0 inputs)) i)) (kinds (map w (seq 0 inputs)))) =? total)%Z = true -> rest = [].
Proof.
  intros N P E. apply Z.eqb_eq in E. apply Permutation_length in P. rewrite map_length, app_length in P. apply length_zero_iff_nil.
  assert (K : forall f l, Z.of_nat (length (users_of l (map f l))) = add_up (map (fun i => Z.max 0 (f i)) l)).
  { intros f l. unfold add_up. induction l as [|i l IH]; [reflexivity|]. cbn [map users_of fold_right]. rewrite app_length, repeat_length, Nat2Z.inj_add, IH. lia. }
  specialize (K (least_of total b (map w (seq 0 inputs))) (kinds (map w (seq 0 inputs)))). unfold kept in P. lia.
Qed.
End Box.
Lemma fewer_all {A} (rs : list (Z -> R)) (p p' : Z -> R) (s s' : A -> R) z e : Forall is_mass rs -> is_mass p -> is_mass p' ->
  is_mass s -> is_mass s' -> 0 <= z -> within (beside_it p s) (beside_it p' s') z e ->
  within (beside_it (drawn_all rs p) s) (beside_it (drawn_all rs p') s') z e.
Proof.
  intros R P P' S S' Z0 W. induction R as [|r rs Hr R IH]; [exact W|]. cbn [drawn_all fold_right]. apply fewer; auto; now apply all_mass.
Qed.
End Known.

(* ---- a tree's pairs ---- *)
Section Tree.
Variables (c : columns) (h : columns_hint).
Let lows := lows_of (places_of h) (fine_bits h) (number_laws c) (by_law h).
Hypotheses (NS : numbers_stand c = true) (LS : forallb law_stands (number_laws c) = true)
  (US : forallb units_stand (by_law h) = true) (F0 : (0 <= fine_bits h)%Z).
Lemma law_numbered j x : numbered c (law_in (draws c) j x).
Proof.
  pose proof NS as H. unfold numbers_stand in H. cbv zeta in H. apply andb_prop in H as [H T]. apply andb_prop in H as [Z0 _]. apply Nat.ltb_lt in Z0.
  unfold numbered. destruct (draws c) as [t|held other]; cbn [law_in].
  - destruct (nth_in_or_default x t []) as [I| ->]; [|destruct j; exact Z0]. rewrite forallb_forall in T. specialize (T _ I).
    destruct (nth_in_or_default j (nth x t []) 0%nat) as [J| ->]; [|exact Z0]. rewrite forallb_forall in T. now apply Nat.ltb_lt, T.
  - apply andb_prop in T as [A B]. apply Nat.ltb_lt in A, B. now destruct (Nat.eqb x j).
Qed.
Lemma added_numbered : match added_law c with Some i => numbered c i | None => True end.
Proof.
  pose proof NS as H. unfold numbers_stand in H. cbv zeta in H. apply andb_prop in H as [H _]. apply andb_prop in H as [_ H].
  destruct (added_law c); [now apply Nat.ltb_lt|exact I].
Qed.
Lemma all_numbered j l : Forall (numbered c) (map (law_in (draws c) j) l).
Proof. apply Forall_map, Forall_forall. intros x _. apply law_numbered. Qed.
Definition column_of (j x : nat) (ws : list nat) := column_mass c (law_in (draws c) j) x ws.
Definition shown_of (j x : nat) (ws : list nat) := as_shown c (column_of j x ws).
Lemma column_of_mass j x ws : is_mass (column_of j x ws).
Proof. apply (column_is_mass c h LS US F0 added_numbered), all_numbered. Qed.
Section Pair.
Variables (inputs wide x y : nat) (ws : list nat).
Hypothesis W : forall i, In i ws -> (i < inputs)%nat.
Let total := Z.of_nat (length ws).
Let ks := map (number_of ws) (seq 0 inputs).
Lemma ws_in i : In i ws -> In i (seq 0 inputs).
Proof. intros I. apply in_seq. specialize (W i I). lia. Qed.
Definition pair_within (z K : R) : Prop :=
  match differ c wide x y with
  | [i] => within (beside_it (shown_of i x ws) (point 0)) (beside_it (shown_of i y ws) (point 0)) z K
  | [i; j] => within (beside_it (shown_of i x ws) (shown_of j x ws)) (beside_it (shown_of i y ws) (shown_of j y ws)) z K
  | _ => False
  end.
Lemma inside_tree test t : in_tree inputs total test t = true -> exists b, test b = true /\ inside_box b ks.
Proof.
  intros H. unfold in_tree in H. pose proof (numbers_all (seq 0 inputs) ws (seq_NoDup _ _) ws_in) as E. fold ks in E. fold total in E.
  assert (K0 : forallb (fun k => 0 <=? k)%Z ks = true).
  { apply forallb_forall. intros k I. apply in_map_iff in I as (i & <- & _). unfold number_of. apply Z.leb_le. lia. }
  assert (IB : inside_box (map (fun _ => (0%Z, total)) (seq 0 inputs)) ks).
  { unfold ks, inside_box. generalize (seq 0 inputs). intros l. induction l as [|i l IH]; constructor; [|exact IH]. cbn [fst snd].
    unfold number_of, total. pose proof (Key.count_length ws i). lia. }
  destruct (CheckBlocks.by_tree_ok _ _ _ ks t E _ _ H (or_introl eq_refl) IB) as (f & b & G & B). destruct f; cbn [good_leaf] in G; [|now exists b|discriminate|discriminate].
  destruct (CheckBlocks.in_box_ok cons (fun us => test (box_of inputs us)) (fun ys acc => Permutation ys acc)) with (cs := seq 0 inputs) (b := b)
    (total := total) (acc := @nil nat) (base := @nil nat) (ks := ks) as (us & T & P); auto.
  - intros ys zs acc P Q. now rewrite <- P.
  - unfold ks. now rewrite map_length.
  - apply Forall_forall. intros k I. rewrite forallb_forall in K0. now apply Z.leb_le, K0.
  - exists (box_of inputs us). split; [exact T|]. rewrite app_nil_r in P.
    destruct (users_taken (seq 0 inputs) (seq_NoDup _ _) ks ws) as [rest PR]; [|].
    { unfold ks. generalize (map (number_of ws) (seq 0 inputs)). intros l. induction l; constructor; [lia|assumption]. }
    assert (rest = []) as ->.
    { apply length_zero_iff_nil. apply Permutation_length in PR. rewrite app_length in PR.
      pose proof (users_length (seq 0 inputs) ks ltac:(unfold ks; now rewrite map_length) K0). fold total in E. unfold total in E. lia. }
    rewrite app_nil_r in PR. rewrite box_of_is. unfold ks, inside_box. generalize (seq 0 inputs). intros l. induction l as [|i l IH]; constructor; [|exact IH].
    cbn [fst snd]. assert (number_of us i = number_of ws i); [|lia]. unfold number_of. f_equal.
    apply (Permutation_count_occ Nat.eq_dec). now rewrite PR, P.
Qed.
Lemma kept_by_box test b : inside_box b ks -> at_columns c h lows inputs total x y wide (all_known c inputs total) test b = true ->
  exists e1 e2, test e1 e2 = true /\ forall z K, 0 <= z -> promised e1 e2 z K -> pair_within z K.
Proof.
  intros B H. unfold at_columns in H. unfold pair_within. pose proof added_numbered as AD.
  set (ex := all_known c inputs total b) in *. set (M := fun i u => kept_mass c inputs total b (law_in (draws c) i) u).
  assert (KM : forall i u, is_mass (M i u)).
  { intros i u. apply (kept_is_mass c h LS US F0 AD inputs total b); auto using law_numbered, all_numbered. }
  assert (PM : forall i u, is_mass (part_seen c (ex i) (M i u))).
  { intros i u. unfold part_seen. destruct (ex i); [now apply shown_mass|apply KM]. }
  assert (EO : forall i, told (ends_at c h lows inputs total x y b (ex i) i) (part_seen c (ex i) (M i x)) (part_seen c (ex i) (M i y))).
  { intros i. destruct (ends_ok c h LS US F0 AD inputs total b x y (ex i) i) as [Ex Ey]; auto using law_numbered, all_numbered.
    exact (conj Ex (conj Ey (conj (PM i x) (PM i y)))). }
  assert (CM : forall i u, is_mass (column_of i u ws)) by (intros; apply column_of_mass).
  assert (UP : forall z K, 0 <= z -> forall i {A} (s s' : A -> R), is_mass s -> is_mass s' ->
    within (beside_it (part_seen c (ex i) (M i x)) s) (beside_it (part_seen c (ex i) (M i y)) s') z K ->
    within (beside_it (shown_of i x ws) s) (beside_it (shown_of i y ws) s') z K).
  { intros z K Z0 i A s s' S S' WI. destruct (kept_and_rest inputs total b ws W eq_refl B (law_in (draws c) i)) as [rest P].
    assert (SP : forall u k, column_of i u ws k = drawn_all (map (by_number c) rest) (M i u) k).
    { intros u k. apply (column_split c h LS US F0 AD inputs total b ws W); auto using law_numbered, all_numbered. }
    assert (RM : Forall is_mass (map (by_number c) rest)).
    { apply (masses c LS). assert (A' : Forall (numbered c) (map (law_in (draws c) i) ws)) by apply all_numbered.
      rewrite P in A'. now apply Forall_app in A'. }
    unfold part_seen in WI. destruct (ex i) eqn:EX.
    - assert (rest = []) as ->.
      { apply (rest_none c inputs total b ws eq_refl (law_in (draws c) i) rest); auto using all_numbered. }
      assert (E : forall u, column_of i u ws = M i u) by (intros u; apply FunctionalExtensionality.functional_extensionality; intros k; apply SP).
      unfold shown_of. now rewrite !E.
    - assert (WC : within (beside_it (column_of i x ws) s) (beside_it (column_of i y ws) s') z K).
      { eapply within_ext; [| |exact (fewer_all _ _ _ s s' z _ RM (KM i x) (KM i y) S S' Z0 WI)];
          intros [k l]; unfold beside_it; cbn [fst snd]; now rewrite SP. }
      unfold shown_of, as_shown. destruct (shown_from c); [|exact WC]. now apply made_first. }
  assert (SM : forall i u, is_mass (shown_of i u ws)) by (intros; apply shown_mass, CM).
  destruct (differ c wide x y) as [|i [|j [|? ?]]]; try discriminate; rewrite ?ends_exact in H.
  - exists (ends_at c h lows inputs total x y b (ex i) i), one_column. split; [exact H|]. intros z K Z0 PR.
    apply (UP z K Z0); try apply point_mass. apply PR; [apply EO|apply one_column_told].
  - exists (ends_at c h lows inputs total x y b (ex i) i), (ends_at c h lows inputs total x y b (ex j) j). split; [exact H|]. intros z K Z0 PR.
    pose proof (PR _ _ _ _ (EO i) (EO j)) as Q. pose proof (UP z K Z0 i _ _ _ (PM j x) (PM j y) Q) as Q1. pose proof (swap_within z _ _ _ Q1) as Q2.
    assert (Q3 : within (beside_it (part_seen c (ex j) (M j x)) (shown_of i x ws)) (beside_it (part_seen c (ex j) (M j y)) (shown_of i y ws)) z K).
    { eapply within_ext; [| |exact Q2]; intros [k l]; unfold beside_it; cbn [fst snd]; ring. }
    pose proof (UP z K Z0 j _ _ _ (SM i x) (SM i y) Q3) as Q4. pose proof (swap_within z _ _ _ Q4) as Q5.
    eapply within_ext; [| |exact Q5]; intros [k l]; unfold beside_it; cbn [fst snd]; ring.
Qed.
End Pair.
End Tree.

(* ---- the theorems ---- *)
Lemma filter_one {A} (P : A -> bool) l i : filter P l = [i] -> exists a b, l = a ++ i :: b /\ forall x, In x (a ++ b) -> P x = false.
Proof.
  induction l as [|x l IH]; intros H; [discriminate|]. cbn [filter] in H. destruct (P x) eqn:Px.
  - injection H as -> H. exists [], l. split; [reflexivity|]. intros y I. destruct (P y) eqn:Py; [|reflexivity]. exfalso.
    assert (J : In y (filter P l)) by (apply filter_In; now split). rewrite H in J. destruct J.
  - destruct (IH H) as (a & b & -> & N). exists (x :: a), b. split; [reflexivity|]. intros y [<-|I]; auto.
Qed.
Lemma filter_two {A} (P : A -> bool) l i j : filter P l = [i; j] ->
  exists a b c, l = a ++ i :: b ++ j :: c /\ forall x, In x (a ++ b ++ c) -> P x = false.
Proof.
  induction l as [|x l IH]; intros H; [discriminate|]. cbn [filter] in H. destruct (P x) eqn:Px.
  - injection H as -> H. destruct (filter_one P l j H) as (a & b & -> & N). now exists [], a, b.
  - destruct (IH H) as (a & b & c & -> & N). exists (x :: a), b, c. split; [reflexivity|]. intros y [<-|I]; auto.
Qed.
Lemma filter_none {A} (P : A -> bool) l : filter P l = [] -> forall x, In x l -> P x = false.
Proof. intros H x I. destruct (P x) eqn:E; [|reflexivity]. exfalso. assert (J : In x (filter P l)) by (apply filter_In; now split). now rewrite H in J. Qed.
Lemma alone (u v : Z -> R) z e : within (beside_it u (point 0)) (beside_it v (point 0)) z e -> within u v z e.
Proof.
  intros W l D. specialize (W (map (fun k => (k, 0%Z)) l)). rewrite sum_map in W. eapply Rle_trans; [|apply W].
  - right. apply sum_ext. intros k _. unfold excess, beside_it. cbn [fst snd]. unfold point. rewrite Z.eqb_refl. now rewrite !Rmult_1_r.
  - apply FinFun.Injective_map_NoDup; [|exact D]. intros a b E. congruence.
Qed.
Section Claim.
Variables (c : columns) (h : columns_hint) (KN : columns_known c h = true).
Lemma known_parts : numbers_stand c = true /\ forallb law_stands (number_laws c) = true /\ forallb units_stand (by_law h) = true /\
  (0 <= fine_bits h)%Z.
Proof. pose proof KN as H. unfold columns_known in H. do 3 (apply andb_prop in H as [H ?]). repeat split; auto; now apply Z.leb_le. Qed.
Lemma in_column_all xs j : in_column c xs j = drawn_all (map (by_number c) (map (law_in (draws c) j) xs)) (base_mass c).
Proof. unfold in_column, drawn_all. fold (base_mass c). induction xs as [|x xs IH]; [reflexivity|]. cbn [fold_right map]. now rewrite IH. Qed.
Lemma column_masses j xs : Forall is_mass (map (by_number c) (map (law_in (draws c) j) xs)) /\ is_mass (base_mass c).
Proof.
  destruct known_parts as (NS & LS & US & F0). split.
  - apply (masses c LS). now apply all_numbered.
  - apply (base_ok c h LS US F0). now apply added_numbered.
Qed.
Lemma in_column_mass xs j : is_mass (in_column c xs j).
Proof. rewrite in_column_all. destruct (column_masses j xs). now apply all_mass. Qed.
Lemma in_column_perm xs ys j : Permutation (map (law_in (draws c) j) xs) (map (law_in (draws c) j) ys) -> forall k, in_column c xs j k = in_column c ys j k.
Proof. intros P k. rewrite !in_column_all. destruct (column_masses j xs). apply all_perm; auto. now apply Permutation_map. Qed.
Lemma in_column_alike l x y r j : law_in (draws c) j x = law_in (draws c) j y -> in_column c (l ++ x :: r) j = in_column c (l ++ y :: r) j.
Proof. intros E. rewrite !in_column_all, !map_app. cbn [map]. now rewrite E. Qed.
Lemma in_column_of l x r j k : in_column c (l ++ x :: r) j k = column_of c j x (l ++ r) k.
Proof.
  rewrite (in_column_perm _ (x :: l ++ r)) by (rewrite <- Permutation_middle; reflexivity). now rewrite in_column_all.
Qed.
Lemma shown_column_of l x r j : shown_column c (l ++ x :: r) j = shown_of c j x (l ++ r).
Proof.
  unfold shown_column, shown_of. f_equal. apply FunctionalExtensionality.functional_extensionality. intros k. apply in_column_of.
Qed.
Lemma shown_column_mass xs j : is_mass (shown_column c xs j).
Proof. apply shown_mass, in_column_mass. Qed.
Lemma shown_column_alike l x y r j : law_in (draws c) j x = law_in (draws c) j y -> shown_column c (l ++ x :: r) j = shown_column c (l ++ y :: r) j.
Proof. intros E. unfold shown_column. now rewrite (in_column_alike l x y r j E). Qed.
Lemma all_columns_mass xs js : Forall is_mass (map (shown_column c xs) js).
Proof. apply Forall_map, Forall_forall. intros j _. apply shown_column_mass. Qed.
Lemma Pr_total wide xs E : SpecCount.total (of_event E (jointly (map (shown_column c xs) (seq 0 wide)))) (Pr_columns c wide xs E).
Proof.
  pose proof (jointly_mass _ (all_columns_mass xs (seq 0 wide))) as M. apply series_total. intros l D.
  eapply Rle_trans; [|apply (mass_sum _ l M D)]. apply sum_le. intros ks _. pose proof (proj1 M ks). destruct (E ks); lra.
Qed.
(* of columns that are listed those where two inputs differ *)
Lemma alike_listed js l x y r : filter (fun j => negb (Nat.eqb (law_in (draws c) j x) (law_in (draws c) j y))) js = [] ->
  map (shown_column c (l ++ x :: r)) js = map (shown_column c (l ++ y :: r)) js.
Proof.
  intros H. apply map_ext_in. intros j I. apply shown_column_alike. pose proof (filter_none _ js H j I) as K. cbv beta in K.
  apply negb_false_iff in K. now apply Nat.eqb_eq.
Qed.
Lemma within_listed js l x y r z K : match filter (fun j => negb (Nat.eqb (law_in (draws c) j x) (law_in (draws c) j y))) js with
    | [i] => within (beside_it (shown_of c i x (l ++ r)) (point 0)) (beside_it (shown_of c i y (l ++ r)) (point 0)) z K
    | [i; j] => within (beside_it (shown_of c i x (l ++ r)) (shown_of c j x (l ++ r)))
        (beside_it (shown_of c i y (l ++ r)) (shown_of c j y (l ++ r))) z K
    | _ => False
    end -> within (jointly (map (shown_column c (l ++ x :: r)) js)) (jointly (map (shown_column c (l ++ y :: r)) js)) z K.
Proof.
  assert (AL : forall js, (forall j, In j js -> negb (Nat.eqb (law_in (draws c) j x) (law_in (draws c) j y)) = false) ->
    map (shown_column c (l ++ x :: r)) js = map (shown_column c (l ++ y :: r)) js).
  { intros ks H. apply map_ext_in. intros j I. apply shown_column_alike. specialize (H j I). apply negb_false_iff in H. now apply Nat.eqb_eq. }
  set (P := fun j => negb (Nat.eqb (law_in (draws c) j x) (law_in (draws c) j y))) in *.
  destruct (filter P js) as [|i [|j [|? ?]]] eqn:F; [intros []| | |intros []].
  - intros W. destruct (filter_one P js i F) as (a & b & -> & N). rewrite !map_app. cbn [map].
    rewrite (AL a) by (intros; apply N, in_or_app; now left). rewrite (AL b) by (intros; apply N, in_or_app; now right).
    apply joint_single; [rewrite <- map_app; apply all_columns_mass|]. apply alone.
    eapply within_ext; [| |exact W]; intros [k n]; unfold beside_it; cbn [fst snd]; now rewrite shown_column_of.
  - intros W. destruct (filter_two P js i j F) as (a & b & d & -> & N). rewrite !map_app. cbn [map]. rewrite !map_app. cbn [map].
    rewrite (AL a) by (intros; apply N, in_or_app; now left). rewrite (AL b) by (intros; apply N, in_or_app; right; apply in_or_app; now left).
    rewrite (AL d) by (intros; apply N, in_or_app; right; apply in_or_app; now right).
    apply joint_pair; [rewrite <- !map_app; apply all_columns_mass|].
    eapply within_ext; [| |exact W]; intros [k n]; unfold beside_it; cbn [fst snd]; now rewrite !shown_column_of.
Qed.
End Claim.
(* one pair of inputs, where this passes *)
Lemma pair_by_trees c h inputs wide x y trees ws test :
  let lows := lows_of (places_of h) (fine_bits h) (number_laws c) (by_law h) in
  columns_known c h = true -> (forall i, In i ws -> (i < inputs)%nat) -> S (length ws) = column_users c ->
  match differ c wide x y with [] => true | _ => existsb (fun t : nat * nat * tree =>
    Nat.eqb (fst (fst t)) x && Nat.eqb (snd (fst t)) y &&
    in_tree inputs (Z.of_nat (column_users c) - 1) (at_columns c h lows inputs (Z.of_nat (column_users c) - 1) x y wide
      (all_known c inputs (Z.of_nat (column_users c) - 1)) test) (snd t)) trees end = true ->
  differ c wide x y <> [] -> exists e1 e2, test e1 e2 = true /\ forall z K, 0 <= z -> promised e1 e2 z K -> pair_within c wide x y ws z K.
Proof.
  cbv zeta. intros KN W L H D. destruct (known_parts _ _ KN) as (NS & LS & US & F0).
  replace (Z.of_nat (column_users c) - 1)%Z with (Z.of_nat (length ws)) in H by lia.
  pose proof (fun b => kept_by_box c h NS LS US F0 inputs wide x y ws W test b) as K.
  destruct (differ c wide x y) eqn:DI; [contradiction|]. apply existsb_exists in H as (t & _ & H).
  apply andb_prop in H as [_ H]. destruct (inside_tree inputs ws W _ _ H) as (b & T & B). exact (K b B T).
Qed.
(* inputs and columns by the names of a pair *)
Definition name_of (x y i : nat) : nat := if Nat.eqb i x then 0%nat else if Nat.eqb i y then 1%nat else 2%nat.
(* who is not there is as one who holds the number of no column *)
Lemma nothing_ok l : nothing l = true -> forall k, mass l k = point 0 k.
Proof.
  destruct l as [| |[|[[| |] q] [|? ?]]| | |]; cbn [nothing]; intros H k; try discriminate. apply Qeq_bool_eq, Qeq_eqR in H.
  cbn [mass]. unfold SpecCount.sum. cbn [fold_right fst snd]. rewrite H, RMicromega.Q2R_1. ring.
Qed.
Lemma not_there c h l r held other u j : columns_known c h = true -> draws c = OneOf held other ->
  nothing (nth other (number_laws c) (Finite [])) = true -> u <> j -> in_column c (l ++ r) j = in_column c (l ++ u :: r) j.
Proof.
  intros KN DR NO NE. apply FunctionalExtensionality.functional_extensionality. intros k.
  rewrite (in_column_perm c h KN (l ++ u :: r) (u :: l ++ r)) by (rewrite <- Permutation_middle; reflexivity).
  rewrite !in_column_all. cbn [map drawn_all fold_right]. fold (drawn_all (map (by_number c) (map (law_in (draws c) j) (l ++ r))) (base_mass c)).
  assert (M : is_mass (drawn_all (map (by_number c) (map (law_in (draws c) j) (l ++ r))) (base_mass c))).
  { destruct (column_masses c h KN j (l ++ r)). now apply all_mass. }
  assert (E : by_number c (law_in (draws c) j u) = point 0).
  { apply FunctionalExtensionality.functional_extensionality. intros i. rewrite DR. cbn [law_in]. rewrite (proj2 (Nat.eqb_neq u j) NE).
    unfold by_number. now apply nothing_ok. }
  rewrite E. symmetry. now apply plus_0.
Qed.
Section Arriving.
Variables (c : columns) (h : columns_hint) (KN : columns_known c h = true) (held other : nat) (DR : draws c = OneOf held other)
  (NO : nothing (nth other (number_laws c) (Finite [])) = true).
Let in_other (x i : nat) : nat := if Nat.eqb i x then 0%nat else 1%nat.
(* a and b: whether he is there in the one dataset, 0, and in the other *)
Lemma arrives_by nw l x r : (x < nw)%nat -> forall a b, (a = 0%nat /\ b = 1%nat) \/ (a = 1%nat /\ b = 0%nat) ->
  let seen i := jointly (map (shown_column c (if Nat.eqb i 0 then l ++ x :: r else l ++ r)) (seq 0 nw)) in
  (differ c 1 a b = [] -> seen a = seen b) /\
  forall z K, pair_within c 1 a b (map (in_other x) (l ++ r)) z K -> within (seen a) (seen b) z K.
Proof.
  intros X. assert (GO : map (shown_column c (l ++ r)) (seq 0 nw) = map (shown_column c (l ++ nw :: r)) (seq 0 nw)).
  { apply map_ext_in. intros j J. apply in_seq in J. unfold shown_column. f_equal. apply (not_there c h l r held other nw j KN DR NO). lia. }
  assert (XN : x <> nw) by lia.
  assert (CO : forall u, shown_of c x u (l ++ r) = shown_of c 0 (in_other x u) (map (in_other x) (l ++ r))).
  { intros u. unfold shown_of, column_of, column_mass. f_equal. rewrite DR. assert (LA : forall i, law_in (OneOf held other) x i = law_in (OneOf held other) 0 (in_other x i)).
    { intros i. unfold in_other. cbn [law_in]. destruct (Nat.eqb i x); reflexivity. }
    rewrite LA. f_equal. f_equal. f_equal. rewrite map_map. apply map_ext. intros i. apply LA. }
  assert (IX : in_other x x = 0%nat) by (unfold in_other; now rewrite Nat.eqb_refl).
  assert (IN : in_other x nw = 1%nat) by (unfold in_other; now rewrite (proj2 (Nat.eqb_neq nw x) (not_eq_sym XN))).
  assert (FI : forall u v, (u = x /\ v = nw) \/ (u = nw /\ v = x) ->
    filter (fun j => negb (Nat.eqb (law_in (draws c) j u) (law_in (draws c) j v))) (seq 0 nw) = if Nat.eqb held other then [] else [x]).
  { intros u v UV. assert (G : forall n a, (a + n <= nw)%nat -> filter (fun j => negb (Nat.eqb (law_in (draws c) j u) (law_in (draws c) j v))) (seq a n) =
      if Nat.eqb held other then [] else if (Nat.leb a x && Nat.ltb x (a + n))%bool then [x] else []).
    { induction n as [|n IH]; intros a A.
      - cbn [seq filter]. destruct (Nat.eqb held other); [reflexivity|]. destruct (Nat.leb_spec a x), (Nat.ltb_spec x (a + 0)); try reflexivity; lia.
      - cbn [seq filter]. rewrite IH by lia. rewrite DR. cbn [law_in].
        assert (NA : Nat.eqb nw a = false) by (apply Nat.eqb_neq; lia).
        destruct UV as [[-> ->]|[-> ->]]; rewrite NA; destruct (Nat.eqb_spec x a) as [->|XA]; rewrite ?Nat.eqb_refl; cbn [negb];
          rewrite ?(Nat.eqb_sym other held); destruct (Nat.eqb held other); cbn [negb]; try reflexivity;
          repeat match goal with |- context [Nat.leb ?i ?j] => destruct (Nat.leb_spec i j) | |- context [Nat.ltb ?i ?j] => destruct (Nat.ltb_spec i j) end;
          try reflexivity; lia. }
    rewrite G by lia. destruct (Nat.eqb held other); [reflexivity|]. cbn [Nat.leb andb]. destruct (Nat.ltb_spec x (0 + nw)); [reflexivity|lia]. }
  intros a b AB. cbv zeta. assert (DF : differ c 1 a b = if Nat.eqb held other then [] else [0%nat]).
  { unfold differ. rewrite DR. destruct AB as [[-> ->]|[-> ->]]; cbn [seq filter law_in Nat.eqb]; rewrite ?(Nat.eqb_sym other held);
      destruct (Nat.eqb held other); reflexivity. }
  split.
  - intros D. rewrite DF in D. f_equal. destruct (Nat.eqb held other) eqn:HO; [|discriminate].
    destruct AB as [[-> ->]|[-> ->]]; cbn [Nat.eqb]; rewrite GO; apply alike_listed; rewrite FI by auto; reflexivity.
  - intros z K Q. unfold pair_within in Q. rewrite DF in Q. destruct (Nat.eqb held other) eqn:HO; [destruct Q|].
    destruct AB as [[-> ->]|[-> ->]]; cbn [Nat.eqb]; rewrite GO; apply (within_listed c h KN); rewrite FI by auto; rewrite !CO, IX, IN; exact Q.
Qed.
End Arriving.
(* What is seen in two neighbouring datasets is the same, or as near as two lows that pass promise. *)
Theorem all_pass_ok c d h trees test : all_pass c d h trees test = true -> columns_known c h = true /\
  forall ni nw xs ys, sizes c d ni nw -> neighbours c ni xs ys ->
  let seen xs := jointly (map (shown_column c xs) (seq 0 nw)) in
  seen xs = seen ys \/ exists e1 e2, test e1 e2 = true /\ forall z K, 0 <= z -> promised e1 e2 z K -> within (seen xs) (seen ys) z K.
Proof.
  unfold all_pass. intros H. destruct (looked_at c d) as [inputs wide] eqn:LO. cbv zeta in H.
  apply andb_prop in H as [H P]. apply andb_prop in H as [KN T]. apply andb_prop in KN as [KN MA].
  destruct (known_parts _ _ KN) as (NS & LS & US & F0).
  split; [exact KN|]. intros ni nw xs ys SZ (l & x' & y' & r & -> & -> & LW & NE' & AR & I). cbv zeta.
  assert (P' : forall p, In p (moves_of c inputs) -> match differ c wide (fst p) (snd p) with [] => true | _ => existsb (fun t =>
      Nat.eqb (fst (fst t)) (fst p) && Nat.eqb (snd (fst t)) (snd p) &&
      in_tree inputs (Z.of_nat (column_users c) - 1) (at_columns c h (lows_of (places_of h) (fine_bits h) (number_laws c) (by_law h))
        inputs (Z.of_nat (column_users c) - 1) (fst p) (snd p) wide
        (all_known c inputs (Z.of_nat (column_users c) - 1)) test) (snd t)) trees end = true).
  { intros p M. apply next_or_any_ok with (x := p) in P; [|apply incl_refl|exact M]. revert P. unfold alike.
    destruct (differ c wide (fst p) (snd p)); [reflexivity|]. cbn [orb]. easy. }
  clear P. rename P' into P. unfold looked_at, sizes, moves_of, may_arrive in *. destruct (arriving c) eqn:AC.
  { cbn [negb orb] in MA. destruct (draws c) as [table|held other] eqn:DR; [discriminate|]. apply andb_prop in MA as [NO _]. injection LO as <- <-.
    destruct SZ as (-> & SZ). assert (GO : forall x a b, (x < nw)%nat -> (forall i, In i (l ++ r) -> (i < nw)%nat) ->
      (a = 0%nat /\ b = 1%nat) \/ (a = 1%nat /\ b = 0%nat) ->
      let seen i := jointly (map (shown_column c (if Nat.eqb i 0 then l ++ x :: r else l ++ r)) (seq 0 nw)) in
      seen a = seen b \/ exists e1 e2, test e1 e2 = true /\ forall z K, 0 <= z -> promised e1 e2 z K -> within (seen a) (seen b) z K).
    { intros x a b X J AB. cbv zeta. destruct (arrives_by c h KN held other DR NO nw l x r X a b AB) as [SA WI].
      assert (IM : In (a, b) [(0, 1); (1, 0)]%nat) by (destruct AB as [[-> ->]|[-> ->]]; cbn; auto).
      specialize (P (a, b) IM). cbn [fst snd] in P.
      set (ws := map (fun i => if Nat.eqb i x then 0%nat else 1%nat) (l ++ r)) in *.
      assert (W2 : forall i, In i ws -> (i < 2)%nat) by (intros i K; apply in_map_iff in K as (u & <- & _); destruct (Nat.eqb u x); lia).
      pose proof (pair_by_trees c h 2 1 a b trees ws test KN W2 ltac:(unfold ws; now rewrite map_length) P) as Q.
      destruct (differ c 1 a b) eqn:DI; [left; now apply SA|right]. destruct (Q ltac:(discriminate)) as (e1 & e2 & TE & Q').
      exists e1, e2. split; [exact TE|]. intros z K Z0 PR. now apply WI, Q'. }
    destruct AR as [-> | ->]; [destruct y' as [x|]; [|congruence]|destruct x' as [x|]; [|congruence]]; cbn [there app] in *;
      [apply (GO x 1%nat 0%nat)|apply (GO x 0%nat 1%nat)]; auto; try (apply I, in_or_app; right; now left);
      intros i K; apply I; rewrite in_app_iff in *; cbn [In]; tauto. }
  destruct AR as [AX AY]. destruct x' as [x|]; [|congruence]. destruct y' as [y|]; [|congruence]. cbn [there app] in *.
  assert (NE : x <> y) by congruence. assert (X : (x < ni)%nat) by (apply I, in_elt). assert (Y : (y < ni)%nat) by (apply I, in_or_app; right; right; now left).
  assert (IR : forall i, In i (l ++ r) -> (i < ni)%nat) by (intros i J; apply I; rewrite in_app_iff in *; cbn; tauto).
  destruct (draws c) as [table|held other] eqn:DR.
  - injection LO as <- <-. destruct SZ as (-> & -> & _). specialize (P (x, y) (CheckBlocks.all_moves_in _ x y X Y NE)). cbn [fst snd] in P.
    pose proof (pair_by_trees c h _ _ x y trees (l ++ r) test KN IR LW P) as Q.
    destruct (differ c (length (nth 0 table [])) x y) eqn:DI; [left; f_equal; now apply alike_listed|right].
    destruct (Q ltac:(discriminate)) as (e1 & e2 & TE & Q'). exists e1, e2. split; [exact TE|]. intros z K Z0 PR.
    apply (within_listed c h KN). specialize (Q' z K Z0 PR). unfold pair_within, differ in Q'. exact Q'.
  - injection LO as <- <-. destruct SZ as (-> & SZ). specialize (P (0, 1)%nat (or_introl eq_refl)). cbn [fst snd] in P.
    set (m := match d with Some d => if (d <=? 3)%Z then Z.to_nat d else 3%nat | None => 3%nat end) in *.
    assert (NM : forall i, In i (map (name_of x y) (l ++ r)) -> (i < m)%nat).
    { intros i J. apply in_map_iff in J as (u & <- & J). specialize (IR u J). unfold name_of, m.
      destruct (Nat.eqb_spec u x), (Nat.eqb_spec u y); destruct d as [d|]; try destruct (Z.leb_spec d 3); lia. }
    pose proof (pair_by_trees c h m 2 0 1 trees (map (name_of x y) (l ++ r)) test KN NM ltac:(now rewrite map_length) P) as Q.
    assert (LA : forall v j, law_in (OneOf held other) (if Nat.eqb v x then 0 else 1)%nat (name_of x y j) = law_in (OneOf held other) v j \/ (v <> x /\ v <> y)).
    { intros v j. destruct (Nat.eq_dec v x) as [->|VX]; [left|destruct (Nat.eq_dec v y) as [->|VY]; [left|now right]].
      - rewrite Nat.eqb_refl. unfold law_in, name_of. destruct (Nat.eqb_spec j x), (Nat.eqb_spec j y); subst; reflexivity.
      - rewrite (proj2 (Nat.eqb_neq y x) (not_eq_sym NE)). unfold law_in, name_of.
        destruct (Nat.eqb_spec j x) as [->|]; [|now destruct (Nat.eqb_spec j y)]. now rewrite (proj2 (Nat.eqb_neq x y) NE). }
    assert (CO : forall v u, v = x \/ v = y -> column_of c v u (l ++ r) = column_of c (if Nat.eqb v x then 0 else 1)%nat (name_of x y u) (map (name_of x y) (l ++ r))).
    { intros v u V. unfold column_of, column_mass. rewrite DR. f_equal. f_equal. f_equal.
      - destruct (LA v u) as [E|[? ?]]; [now rewrite E|exfalso; tauto].
      - rewrite map_map. apply map_ext. intros j. destruct (LA v j) as [E|[? ?]]; [now rewrite E|exfalso; tauto]. }
    assert (NX : name_of x y x = 0%nat) by (unfold name_of; now rewrite Nat.eqb_refl).
    assert (NY : name_of x y y = 1%nat) by (unfold name_of; now rewrite Nat.eqb_refl, (proj2 (Nat.eqb_neq y x) (not_eq_sym NE))).
    pose proof (CO x x (or_introl eq_refl)) as Cxx. pose proof (CO x y (or_introl eq_refl)) as Cxy.
    pose proof (CO y x (or_intror eq_refl)) as Cyx. pose proof (CO y y (or_intror eq_refl)) as Cyy. rewrite NX, NY, ?Nat.eqb_refl in *.
    rewrite (proj2 (Nat.eqb_neq y x) (not_eq_sym NE)) in Cyx, Cyy.
    assert (DF : forall j, negb (Nat.eqb (law_in (draws c) j x) (law_in (draws c) j y)) = true -> j = x \/ j = y).
    { intros j J. rewrite DR in J. unfold law_in in J. destruct (Nat.eqb_spec x j), (Nat.eqb_spec y j); auto. rewrite Nat.eqb_refl in J. discriminate. }
    destruct (Nat.eq_dec held other) as [HO|HO].
    { left. f_equal. apply alike_listed. set (P' := fun j => negb (Nat.eqb (law_in (draws c) j x) (law_in (draws c) j y))).
      assert (N : forall j, P' j = false) by (intros j; unfold P'; rewrite DR; unfold law_in; rewrite HO; destruct (Nat.eqb x j), (Nat.eqb y j); now rewrite Nat.eqb_refl).
      generalize (seq 0 nw). intros js. induction js as [|j js IH]; [reflexivity|]. cbn [filter]. now rewrite N. }
    assert (D2 : differ c 2 0 1 = [0; 1]%nat).
    { unfold differ. rewrite DR. cbn [seq filter law_in Nat.eqb].
      now rewrite (proj2 (Nat.eqb_neq held other) HO), (proj2 (Nat.eqb_neq other held) (not_eq_sym HO)). }
    right. destruct (Q ltac:(now rewrite D2)) as (e1 & e2 & TE & Q1). exists e1, e2. split; [exact TE|]. intros z K Z0 PR.
    specialize (Q1 z K Z0 PR). unfold pair_within in Q1. rewrite D2 in Q1.
    assert (Q' : within (beside_it (shown_of c x x (l ++ r)) (shown_of c y x (l ++ r))) (beside_it (shown_of c x y (l ++ r)) (shown_of c y y (l ++ r))) z K).
    { unfold shown_of. rewrite Cxx, Cxy, Cyx, Cyy. exact Q1. }
    assert (DX : forall v, (v = x \/ v = y) -> negb (Nat.eqb (law_in (draws c) v x) (law_in (draws c) v y)) = true).
    { intros v [->| ->]; rewrite DR; unfold law_in; rewrite Nat.eqb_refl, ?(proj2 (Nat.eqb_neq x y) NE), ?(proj2 (Nat.eqb_neq y x) (not_eq_sym NE));
        apply negb_true_iff, Nat.eqb_neq; auto. }
    apply (within_listed c h KN). set (P' := fun j => negb (Nat.eqb (law_in (draws c) j x) (law_in (draws c) j y))) in *.
    assert (FI : filter P' (seq 0 nw) = [x; y] \/ filter P' (seq 0 nw) = [y; x]).
    { assert (ND : NoDup (filter P' (seq 0 nw))) by (apply NoDup_filter, seq_NoDup).
      assert (IN : forall j, In j (filter P' (seq 0 nw)) <-> j = x \/ j = y).
      { intros j. rewrite filter_In, in_seq. split; [intros [_ J]; now apply DF|]. intros J. split; [destruct J; subst; lia|now apply DX]. }
      clear - ND IN NE. destruct (filter P' (seq 0 nw)) as [|u [|v [|w js]]].
      - exfalso. destruct (proj2 (IN x) (or_introl eq_refl)).
      - exfalso. destruct (proj2 (IN x) (or_introl eq_refl)) as [E1|[]], (proj2 (IN y) (or_intror eq_refl)) as [E2|[]]. congruence.
      - destruct (proj1 (IN u) (or_introl eq_refl)) as [->| ->], (proj1 (IN v) (or_intror (or_introl eq_refl))) as [->| ->]; auto;
          exfalso; inversion_clear ND as [|? ? N _]; apply N; now left.
      - exfalso. inversion_clear ND as [|? ? N1 ND']. inversion_clear ND' as [|? ? N2 _]. cbn [In] in *.
        pose proof (proj1 (IN u) (or_introl eq_refl)). pose proof (proj1 (IN v) (or_intror (or_introl eq_refl))).
        pose proof (proj1 (IN w) (or_intror (or_intror (or_introl eq_refl)))).
        assert (u <> v) by (intros ->; apply N1; now left). assert (u <> w) by (intros ->; apply N1; right; now left).
        assert (v <> w) by (intros ->; apply N2; now left). intuition congruence. }
    destruct FI as [-> | ->]; [exact Q'|].
    eapply within_ext; [| |exact (swap_within _ _ _ _ Q')]; intros [k n]; unfold beside_it; cbn [fst snd]; ring.
Qed.
Lemma setting_parts c h z : setting_of c h z = true -> columns_known c h = true /\ 1 <= value (columns_eps c) /\
  Check.good (columns_eps c) = true /\ fits (columns_eps c) (eps_bits h) = true /\ (0 <= fst z)%Z /\ (0 <= Qnum (columns_delta c))%Z.
Proof.
  intros H. unfold setting_of in H. do 4 (apply andb_prop in H as [H ?]). apply Z.leb_le in H0, H1.
  repeat split; auto. now apply value_1.
Qed.
Theorem check_columns_sound c d h trees : check_columns c d h trees = true -> columns_true c d.
Proof.
  unfold check_columns. intros H. set (z := from_below _ _) in *. apply andb_prop in H as [SO H].
  destruct (setting_parts _ _ _ SO) as (_ & E1 & G & F & N0 & DD). destruct (all_pass_ok _ _ _ _ _ H) as [KN A].
  destruct (known_parts _ _ KN) as (_ & LS & _). pose proof (from_below_ok _ _ G F) as [D0 ZB]. apply lt_IZR in D0. fold z in D0, ZB.
  split; [apply (said c LS)|]. intros ni nw SZ xs ys E N.
  eapply (at_most_of_sums _ _ (value (columns_eps c))); [lra|apply jointly_nonneg, (all_columns_mass c h KN)| |apply (Pr_total c h KN)|apply (Pr_total c h KN)].
  destruct (A ni nw xs ys SZ N) as [->|(e1 & e2 & K & W)]; [|apply W; [lra|now apply (kept_promised (fst z) (snd z))]].
  intros l D. pose proof (jointly_nonneg _ (all_columns_mass c h KN ys (seq 0 nw))) as J.
  rewrite (sum_ext _ (fun _ => 0)); [rewrite AnyRandomizer.sum_zero|intros a _; unfold excess; apply Rmax_right; specialize (J a); nra].
  rewrite Q2R_frac. apply IZR_le in DD. apply Rmult_le_pos; [exact DD|left; apply Rinv_0_lt_compat, den_pos].
Qed.

(* ---- refuted: an event of one column, or of two ---- *)
Lemma event_mass {A} (p : A -> R) (E : A -> bool) : is_mass p -> exists a, SpecCount.total (fun k => if E k then p k else 0) a.
Proof.
  intros M. apply (total_exists _ 1). intros l D. eapply Rle_trans; [|apply (mass_sum p l M D)]. apply sum_le. intros k _.
  pose proof (proj1 M k). destruct (E k); lra.
Qed.
Lemma total_event_ext {A} (f g : A -> R) a : (forall k, f k = g k) -> SpecCount.total f a -> SpecCount.total g a.
Proof. intros H T. eapply total_ext; eauto. Qed.
(* a number put into a list, and taken out of it *)
Fixpoint put (n : nat) (k : Z) (ks : list Z) : list Z := match n, ks with S n, i :: ks => i :: put n k ks | _, _ => k :: ks end.
Fixpoint taken (n : nat) (ks : list Z) : option (Z * list Z) :=
  match ks, n with
  | [], _ => None
  | k :: ks, O => Some (k, ks)
  | i :: ks, S n => match taken n ks with Some (k, r) => Some (k, i :: r) | None => Some (i, ks) end
  end.
Lemma taken_put n : forall k ks, taken n (put n k ks) = Some (k, ks).
Proof. induction n as [|n IH]; intros k [|i ks]; try reflexivity; [destruct n; reflexivity|]. cbn [put taken]. now rewrite IH. Qed.
Lemma taken_back n : forall ks, match taken n ks with Some (k, r) => ks = put n k r | None => ks = [] end.
Proof.
  induction n as [|n IH]; intros [|i ks]; try reflexivity. cbn [taken]. specialize (IH ks). destruct (taken n ks) as [[k r]|]; [now rewrite IH|now subst].
Qed.
Lemma put_apart n k ks k' ks' : put n k ks = put n k' ks' -> k = k' /\ ks = ks'.
Proof. intros H. apply (f_equal (taken n)) in H. rewrite !taken_put in H. injection H as -> ->. now split. Qed.
Lemma jointly_put l : forall (p : Z -> R) r k ks, jointly (l ++ p :: r) (put (length l) k ks) = p k * jointly (l ++ r) ks.
Proof.
  induction l as [|m l IH]; intros p r k ks; [reflexivity|]. cbn [app length]. destruct ks as [|i ks]; cbn [put jointly].
  - destruct l; cbn [app jointly]; ring.
  - rewrite IH. ring.
Qed.
Definition put_two (i j : nat) (o : Z * Z) (ks : list Z) : list Z := put i (fst o) (put j (snd o) ks).
Lemma put_two_apart i j o ks o' ks' : put_two i j o ks = put_two i j o' ks' -> o = o' /\ ks = ks'.
Proof. destruct o, o'. intros H. apply put_apart in H as [A H]. apply put_apart in H as [B H]. cbn [fst snd] in *. now subst. Qed.
Lemma jointly_put_two l m (p s : Z -> R) r o ks :
  jointly (l ++ p :: m ++ s :: r) (put_two (length l) (length (l ++ m)) o ks) = beside_it p s o * jointly (l ++ m ++ r) ks.
Proof. unfold put_two, beside_it. rewrite jointly_put, app_assoc, jointly_put, <- app_assoc. ring. Qed.
Definition event_at (i : nat) (E : Z -> bool) (ks : list Z) : bool := match taken i ks with Some (k, _) => E k | None => false end.
Definition event_at_two (i j : nat) (E : Z * Z -> bool) (ks : list Z) : bool :=
  match taken i ks with Some (k, r) => event_at j (fun n => E (k, n)) r | None => false end.
Lemma one_event l (p : Z -> R) (E : Z -> bool) r a : is_mass p -> Forall is_mass (l ++ r) -> SpecCount.total (fun k => if E k then p k else 0) a ->
  SpecCount.total (fun ks => if event_at (length l) E ks then jointly (l ++ p :: r) ks else 0) a.
Proof.
  intros P M. pose proof (jointly_mass _ M) as J. assert (M' : Forall is_mass (l ++ p :: r)).
  { apply Forall_app in M as [L R]. apply Forall_app. split; [exact L|now constructor]. }
  apply (total_beside Z.eq_dec same_list (put (length l)) (jointly (l ++ r))).
  - apply J.
  - intros m D. now apply mass_sum.
  - intros k ks. unfold event_at. rewrite taken_put, jointly_put. destruct (E k); ring.
  - intros ks. destruct (event_at _ E ks); [now apply jointly_nonneg|lra].
  - intros k. pose proof (proj1 P k). destruct (E k); lra.
  - intros ks. unfold event_at. pose proof (taken_back (length l) ks) as T. destruct (taken (length l) ks) as [[k m]|]; [left; now exists k, m|now right].
  - apply put_apart.
  - apply J.
Qed.
Lemma two_event l m (p s : Z -> R) (E : Z * Z -> bool) r a : is_mass p -> is_mass s -> Forall is_mass (l ++ m ++ r) ->
  SpecCount.total (fun o => if E o then beside_it p s o else 0) a ->
  SpecCount.total (fun ks => if event_at_two (length l) (length (l ++ m)) E ks then jointly (l ++ p :: m ++ s :: r) ks else 0) a.
Proof.
  intros P S M. pose proof (jointly_mass _ M) as J. assert (M' : Forall is_mass (l ++ p :: m ++ s :: r)).
  { apply Forall_app in M as [L M]. apply Forall_app in M as [M R]. apply Forall_app. split; [exact L|constructor; [exact P|]].
    apply Forall_app. split; [exact M|now constructor]. }
  apply (total_beside same_pair same_list (put_two (length l) (length (l ++ m))) (jointly (l ++ m ++ r))).
  - apply J.
  - intros u D. now apply mass_sum.
  - intros [k n] ks. rewrite jointly_put_two. unfold event_at_two, event_at, put_two. cbn [fst snd]. rewrite !taken_put. destruct (E (k, n)); ring.
  - intros ks. destruct (event_at_two _ _ E ks); [now apply jointly_nonneg|lra].
  - intros o. assert (0 <= beside_it p s o) by (apply Rmult_le_pos; [apply P|apply S]). destruct (E o); lra.
  - intros ks. unfold event_at_two, event_at. pose proof (taken_back (length l) ks) as T. destruct (taken (length l) ks) as [[k u]|]; [|now right].
    pose proof (taken_back (length (l ++ m)) u) as T'. destruct (taken (length (l ++ m)) u) as [[n v]|]; [|now right].
    left. exists (k, n), v. unfold put_two. cbn [fst snd]. now rewrite <- T'.
  - intros o ks o' ks'. apply put_two_apart.
  - apply J.
Qed.
Lemma beside_point (p : Z -> R) (E : Z * Z -> bool) a : is_mass p -> SpecCount.total (fun k => if E (k, 0%Z) then p k else 0) a ->
  SpecCount.total (fun o => if E o then beside_it p (point 0) o else 0) a.
Proof.
  intros P. apply (total_beside Z.eq_dec Z.eq_dec (fun k n => (k, n)) (point 0)).
  - apply point_mass.
  - intros l D. apply mass_sum; [apply point_mass|exact D].
  - intros k n. unfold beside_it, point. cbn [fst snd]. destruct (Z.eqb_spec n 0) as [->|]; [destruct (E (k, 0%Z)); ring|destruct (E (k, n)); ring].
  - intros o. assert (0 <= beside_it p (point 0) o) by (apply Rmult_le_pos; [apply P|apply point_mass]). destruct (E o); lra.
  - intros k. pose proof (proj1 P k). destruct (E _); lra.
  - intros [k n]. left. now exists k, n.
  - intros k n k' n' H. injection H as -> ->. now split.
  - apply point_mass.
Qed.
Lemma exact_kept inputs ws w : (forall i, In i ws -> (i < inputs)%nat) ->
  Permutation (map w ws) (kept inputs (Z.of_nat (length ws)) (box_of inputs ws) w).
Proof.
  intros W. assert (IN : forall i, In i ws -> In i (seq 0 inputs)) by (intros i I; apply in_seq; specialize (W i I); lia).
  assert (B : inside_box (box_of inputs ws) (map (number_of ws) (seq 0 inputs))).
  { rewrite box_of_is. unfold inside_box. generalize (seq 0 inputs). intros l. induction l as [|i l IH]; constructor; [cbn; lia|exact IH]. }
  assert (LE : forall i, least_of (Z.of_nat (length ws)) (box_of inputs ws) (map w (seq 0 inputs)) i = number_of (map w ws) i).
  { intros i. apply Z.le_antisymm; [apply least_ok; auto; apply seq_NoDup|]. rewrite (numbers_by w i (seq 0 inputs) ws (seq_NoDup _ _) IN).
    rewrite least_of_is. cbv zeta. eapply Z.le_trans; [|apply Z.le_max_l]. rewrite box_of_is. generalize (seq 0 inputs). intros l. apply Z.eq_le_incl. f_equal.
    induction l as [|j l IH]; [reflexivity|]. cbn [map combine fst snd]. now rewrite IH. }
  destruct (kept_and_rest inputs (Z.of_nat (length ws)) (box_of inputs ws) ws W eq_refl B w) as [rest P]. fold (kept inputs (Z.of_nat (length ws)) (box_of inputs ws) w) in P.
  assert (rest = []) as ->; [|now rewrite app_nil_r in P]. apply length_zero_iff_nil. apply Permutation_length in P. rewrite app_length, map_length in P.
  assert (Z.of_nat (length (kept inputs (Z.of_nat (length ws)) (box_of inputs ws) w)) = Z.of_nat (length ws)); [|lia].
  unfold kept. rewrite (map_ext _ _ LE), users_length.
  - rewrite numbers_all; [now rewrite map_length|apply NoDup_nodup|]. intros i I. apply nodup_In. apply in_map_iff in I as (x & <- & I). apply in_map. now apply IN.
  - apply map_length.
  - apply forallb_forall. intros k I. apply in_map_iff in I as (i & <- & _). unfold number_of. apply Z.leb_le. lia.
Qed.
Theorem pair_ends_ok c d h p e1 e2 : pair_ends c d h p = Some (e1, e2) -> columns_known c h = true /\
  exists ni nw xs ys l l' p1 q1 r r', sizes c d ni nw /\ neighbours c ni xs ys /\ told e1 p1 q1 /\ length l = length l' /\
    map (shown_column c xs) (seq 0 nw) = l ++ p1 :: r /\ map (shown_column c ys) (seq 0 nw) = l' ++ q1 :: r' /\
    match e2 with
    | Some e2 => exists m m' p2 q2 s s', told e2 p2 q2 /\ length m = length m' /\ r = m ++ p2 :: s /\ r' = m' ++ q2 :: s'
    | None => True
    end.
Proof.
  unfold pair_ends. destruct (looked_at c d) as [inputs wide] eqn:LO. cbv zeta. destruct (_ && _) eqn:H; [|discriminate]. intros FD.
  do 5 (apply andb_prop in H as [H ?]). rename H into KN, H0 into LU, H1 into NE, H2 into OI, H3 into IO, H4 into TW.
  apply andb_prop in KN as [KN MA]. apply Z.eqb_eq in LU. apply negb_true_iff, Nat.eqb_neq in NE. rewrite forallb_forall in IO.
  destruct (counts_parts _ _ OI) as [ON OS].
  assert (BO : box_of_counts inputs (others_told p) = box_of inputs (spelled (others_told p))).
  { rewrite box_of_is. apply map_ext. intros i. cbv zeta. now rewrite often_spelled by (intros o J; now apply ON). }
  rewrite BO in FD. clear BO. assert (LS0 : S (length (spelled (others_told p))) = column_users c).
  { pose proof (spelled_length _ _ OI). lia. }
  assert (IN : forall i, In i (from_told p :: to_told p :: spelled (others_told p)) -> Nat.ltb i inputs = true).
  { intros i [<-|[<-|J]]; [apply IO; now left|apply IO; right; now left|]. now apply Nat.ltb_lt, OS. }
  clear LU. rename LS0 into LU. revert FD NE IN LU. generalize (spelled (others_told p)) as others. intros others FD NE IN LU.
  destruct (known_parts _ _ KN) as (NS & LS & US & F0). split; [exact KN|].
  set (nw := match draws c with Table _ => wide | OneOf _ _ => match d with Some d => Z.to_nat d | None => 3%nat end end).
  set (ni := match draws c with Table _ => inputs | OneOf _ _ => nw end).
  assert (SI : sizes c d ni nw /\ (inputs <= ni)%nat /\ exists rest, seq 0 nw = seq 0 wide ++ rest).
  { unfold sizes, looked_at, ni, nw in *. destruct (draws c) as [t|held other].
    - injection LO as <- <-. split; [split; [reflexivity|split; [reflexivity|]]|split; [lia|exists []; now rewrite app_nil_r]].
      intros r I. rewrite forallb_forall in TW. now apply Nat.eqb_eq, TW.
    - destruct (arriving c).
      { injection LO as <- <-. destruct d as [d|]; [apply Z.leb_le in TW|]; (split; [split; [reflexivity|lia]|split; [lia|]]);
          [exists (seq 1 (Z.to_nat d - 1)); replace (Z.to_nat d) with (1 + (Z.to_nat d - 1))%nat at 1 by lia; now rewrite seq_app|now exists [1; 2]%nat]. }
      injection LO as <- <-. destruct d as [d|]; [apply Z.leb_le in TW; destruct (Z.leb_spec d 3)|]; (split; [split; [reflexivity|lia]|split; [lia|]]);
        [exists (seq 2 (Z.to_nat d - 2)); replace (Z.to_nat d) with (2 + (Z.to_nat d - 2))%nat at 1 by lia; now rewrite seq_app|
        exists (seq 2 (Z.to_nat d - 2)); replace (Z.to_nat d) with (2 + (Z.to_nat d - 2))%nat at 1 by lia; now rewrite seq_app|now exists [2%nat]]. }
  destruct SI as (SI & LI & rest & SQ). set (ws := others) in *.
  assert (IW : forall i, In i ws -> (i < inputs)%nat) by (intros i I; apply Nat.ltb_lt, IN; now right; right).
  (* of those who come or go the second input is that nobody is there *)
  set (pick := fun u : nat => if (arriving c && Nat.eqb u 1)%bool then ws else u :: ws).
  assert (AW : arriving c = true -> inputs = 2%nat /\ wide = 1%nat /\ exists held other, draws c = OneOf held other /\
    nothing (nth other (number_laws c) (Finite [])) = true).
  { intros A. unfold may_arrive, looked_at in *. rewrite A in *. cbn [negb orb] in MA. destruct (draws c) as [t|held other]; [discriminate|].
    apply andb_prop in MA as [NO _]. injection LO as <- <-. repeat split. now exists held, other. }
  assert (NB : neighbours c ni (pick (from_told p)) (pick (to_told p))).
  { assert (FB : (from_told p < inputs)%nat /\ (to_told p < inputs)%nat).
    { split; apply Nat.ltb_lt, IN; cbn; auto. }
    exists [], (if (arriving c && Nat.eqb (from_told p) 1)%bool then None else Some (from_told p)), (if (arriving c && Nat.eqb (to_told p) 1)%bool then None else Some (to_told p)), ws.
    unfold pick. destruct (arriving c) eqn:A; cbn [andb].
    - destruct (AW eq_refl) as (-> & _). destruct (Nat.eqb_spec (from_told p) 1), (Nat.eqb_spec (to_told p) 1); try lia; cbn [there app];
        (repeat split; [exact LU|congruence|auto|]); intros i J; destruct J as [<-|J]; try lia; specialize (IW i J); lia.
    - cbn [there app]. repeat split; [exact LU|congruence|congruence|congruence|]. intros i I. specialize (IN i I). apply Nat.ltb_lt in IN. lia. }
  replace (Z.of_nat (column_users c) - 1)%Z with (Z.of_nat (length ws)) in FD by lia.
  pose proof (added_numbered c NS) as AD. set (total := Z.of_nat (length ws)) in *. set (b := box_of inputs ws) in *.
  set (lows := lows_of _ _ _ _) in *.
  set (K := fun i u => as_shown c (kept_mass c inputs total b (law_in (draws c) i) u)).
  assert (EO : forall i, below (fst (ends_at c h lows inputs total (from_told p) (to_told p) b true i)) (K i (from_told p)) /\
    below (snd (ends_at c h lows inputs total (from_told p) (to_told p) b true i)) (K i (to_told p))).
  { intros i. apply (ends_ok c h LS US F0 AD inputs total b (from_told p) (to_told p) true i); auto using law_numbered, all_numbered. }
  assert (KM : forall i u, is_mass (K i u)).
  { intros i u. apply shown_mass. apply (kept_is_mass c h LS US F0 AD inputs total b); auto using law_numbered, all_numbered. }
  assert (KC0 : forall i u, shown_column c (u :: ws) i = K i u).
  { intros i u. unfold shown_column, K. f_equal. apply FunctionalExtensionality.functional_extensionality. intros k. change (u :: ws) with ([] ++ u :: ws).
    rewrite (in_column_of c h KN). cbn [app]. pose proof (exact_kept inputs ws (law_in (draws c) i) IW) as P. fold total b in P.
    rewrite <- (app_nil_r (kept inputs total b _)) in P. unfold column_of.
    rewrite (column_split c h LS US F0 AD inputs total b ws IW (law_in (draws c) i) u (all_numbered c NS i _) (law_numbered c NS i u) [] P). reflexivity. }
  assert (KC : forall i u, (arriving c = true -> i = 0%nat) -> shown_column c (pick u) i = K i u).
  { intros i u A. rewrite <- KC0. unfold pick. destruct (arriving c) eqn:AR; cbn [andb]; [|reflexivity]. destruct (Nat.eqb_spec u 1) as [->|]; [|reflexivity].
    rewrite (A eq_refl). destruct (AW eq_refl) as (_ & _ & held & other & DR & NO). unfold shown_column. f_equal.
    apply (not_there c h [] ws held other 1%nat 0%nat KN DR NO). lia. }
  assert (TO : forall i, told (ends_at c h lows inputs total (from_told p) (to_told p) b true i) (K i (from_told p)) (K i (to_told p))).
  { intros i. destruct (EO i) as [Ex Ey]. exact (conj Ex (conj Ey (conj (KM _ _) (KM _ _)))). }
  exists ni, nw, (pick (from_told p)), (pick (to_told p)). rewrite SQ.
  destruct (differ c wide (from_told p) (to_told p)) as [|i [|j [|? ?]]] eqn:DI; try discriminate; [destruct wide as [|wide']; [discriminate|]|..];
    injection FD as <- <-; unfold differ in DI.
  - exists [], [], (K 0%nat (from_told p)), (K 0%nat (to_told p)),
      (map (shown_column c (pick (from_told p))) (seq 1 wide' ++ rest)), (map (shown_column c (pick (to_told p))) (seq 1 wide' ++ rest)).
    cbn [seq app map]. rewrite !(KC 0%nat) by reflexivity. do 6 (split; [now auto|]). exact I.
  - destruct (filter_one _ _ _ DI) as (js & ks & SW & _). assert (I0 : arriving c = true -> i = 0%nat).
    { intros A. destruct (AW A) as (_ & W1 & _). assert (J : In i (seq 0 wide)) by (rewrite SW; apply in_or_app; right; now left).
      apply in_seq in J. lia. }
    exists (map (shown_column c (pick (from_told p))) js), (map (shown_column c (pick (to_told p))) js), (K i (from_told p)), (K i (to_told p)),
      (map (shown_column c (pick (from_told p))) (ks ++ rest)), (map (shown_column c (pick (to_told p))) (ks ++ rest)).
    rewrite SW, <- app_assoc, !(map_app _ js). cbn [app map]. rewrite !(KC i) by exact I0. rewrite !map_length. do 6 (split; [now auto|]). exact I.
  - destruct (filter_two _ _ _ _ DI) as (js & ks & ls & SW & _). assert (NA : arriving c = true -> False).
    { intros A. destruct (AW A) as (_ & W1 & _). apply (f_equal (@length nat)) in SW. rewrite seq_length, app_length in SW. cbn [length] in SW.
      rewrite app_length in SW. cbn [length] in SW. lia. }
    exists (map (shown_column c (pick (from_told p))) js), (map (shown_column c (pick (to_told p))) js), (K i (from_told p)), (K i (to_told p)),
      (map (shown_column c (pick (from_told p))) (ks ++ j :: ls ++ rest)), (map (shown_column c (pick (to_told p))) (ks ++ j :: ls ++ rest)).
    rewrite SW, <- app_assoc, !(map_app _ js). cbn [app map]. rewrite <- app_assoc. cbn [app].
    rewrite !(KC i) by (intros A; destruct (NA A)). rewrite !map_length. do 6 (split; [now auto|]).
    exists (map (shown_column c (pick (from_told p))) ks), (map (shown_column c (pick (to_told p))) ks), (K j (from_told p)), (K j (to_told p)),
      (map (shown_column c (pick (from_told p))) (ls ++ rest)), (map (shown_column c (pick (to_told p))) (ls ++ rest)).
    rewrite !(map_app _ ks). cbn [map]. rewrite !(KC j) by (intros A; destruct (NA A)). rewrite !map_length. auto.
Qed.
Lemma all_but_one {A} (P : A -> Prop) l a r : Forall P (l ++ a :: r) -> Forall P (l ++ r).
Proof. intros H. apply Forall_app in H as [L H]. apply Forall_inv_tail in H. now apply Forall_app. Qed.
Lemma all_but_two {A} (P : A -> Prop) l a m b r : Forall P (l ++ a :: m ++ b :: r) -> Forall P (l ++ m ++ r).
Proof. intros H. apply all_but_one in H. rewrite app_assoc in *. now apply all_but_one in H. Qed.
Theorem check_columns_false_sound c d h p : check_columns_false c d h p = true -> columns_false c d.
Proof.
  unfold check_columns_false. intros H. set (z := from_above _ _) in *. apply andb_prop in H as [SO H].
  destruct (setting_parts _ _ _ SO) as (_ & E1 & G & F & N0 & _). destruct (pair_ends c d h p) as [[e1 e2]|] eqn:PE; [|discriminate].
  destruct (pair_ends_ok _ _ _ _ _ _ PE) as (KN & ni & nw & xs & ys & l & l' & p1 & q1 & r & r' & SI & NB & T1 & LL & EX & EY & T2).
  destruct (known_parts _ _ KN) as (_ & LS & _). pose proof (from_above_ok _ _ G F) as [D0 ZB]. apply lt_IZR in D0. fold z in D0, ZB.
  split; [apply (said c LS)|]. exists ni, nw. split; [exact SI|].
  pose proof (all_columns_mass c h KN xs (seq 0 nw)) as MX. pose proof (all_columns_mass c h KN ys (seq 0 nw)) as MY.
  rewrite EX in MX. rewrite EY in MY.
  pose proof (fun E => Pr_total c h KN nw xs E) as PX. pose proof (fun E => Pr_total c h KN nw ys E) as PY. rewrite EX in PX. rewrite EY in PY.
  destruct T1 as (P1 & Q1 & MP1 & MQ1).
  assert (BP : forall e p2 q2, told e p2 q2 -> broken_by_pair (fst z) (snd z) (columns_delta c) e1 e = true -> exists E : Z * Z -> bool, forall a b,
    SpecCount.total (fun o => if E o then beside_it p1 p2 o else 0) a -> SpecCount.total (fun o => if E o then beside_it q1 q2 o else 0) b ->
    Q2R (columns_delta c) < a - value (columns_eps c) * b).
  { intros e p2 q2 (P2 & Q2 & MP2 & MQ2) B. pose proof B as O. unfold broken_by_pair in O. cbv zeta in O. apply andb_prop in O as [O _].
    apply andb_prop in O as [O1 O2]. eexists. intros a b.
    exact (broken_pair e1 e p1 p2 q1 q2 P1 Q1 P2 Q2 MQ1 MQ2 O1 O2 (fst z) (snd z) (columns_delta c) (value (columns_eps c)) a b N0 D0 ltac:(lra) ZB B). }
  destruct e2 as [e2|]; cbn [ends_pass] in H.
  - destruct T2 as (m & m' & p2 & q2 & s & s' & T2 & LM & -> & ->). apply all_but_two in MX, MY.
    destruct (BP e2 p2 q2 T2 H) as [E BE]. destruct T2 as (_ & _ & MP2 & MQ2).
    set (F2 := event_at_two (length l) (length (l ++ m)) E). exists xs, ys, F2. split; [exact NB|].
    destruct (event_mass (beside_it p1 p2) E (beside_mass _ _ Z.eq_dec MP1 MP2)) as [a TA].
    destruct (event_mass (beside_it q1 q2) E (beside_mass _ _ Z.eq_dec MQ1 MQ2)) as [b TB].
    pose proof (two_event l m p1 p2 E s a MP1 MP2 MX TA) as EP. pose proof (two_event l' m' q1 q2 E s' b MQ1 MQ2 MY TB) as EQ.
    rewrite <- LL, app_length, <- LL, <- LM, <- app_length in EQ. rewrite (total_unique _ _ _ (PX F2) EP), (total_unique _ _ _ (PY F2) EQ).
    now apply BE.
  - apply all_but_one in MX, MY. destruct (BP one_column (point 0) (point 0) one_column_told H) as [E BE].
    set (F1 := event_at (length l) (fun k => E (k, 0%Z))). exists xs, ys, F1. split; [exact NB|].
    destruct (event_mass p1 (fun k => E (k, 0%Z)) MP1) as [a TA]. destruct (event_mass q1 (fun k => E (k, 0%Z)) MQ1) as [b TB].
    pose proof (one_event l p1 (fun k => E (k, 0%Z)) r a MP1 MX TA) as EP. pose proof (one_event l' q1 (fun k => E (k, 0%Z)) r' b MQ1 MY TB) as EQ.
    rewrite <- LL in EQ. rewrite (total_unique _ _ _ (PX F1) EP), (total_unique _ _ _ (PY F1) EQ).
    apply BE; now apply beside_point.
Qed.
