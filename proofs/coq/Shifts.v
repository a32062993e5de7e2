(* The checker of numbers, and its theorem: the others shift what is seen, so of each pair only the difference matters. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require CheckAny SpecRuns.
From Shufflecert Require Import Spec SpecCount SpecColumns SpecNumbers Sums Poly Exp Check Noise Total Gain Window
  Grid GridSum Cover Powers Boxes Beside Numbers Made Below TwoColumns Columns Concave Merged.
Import ListNotations.
Notation sum := SpecCount.sum.
Local Open Scope Z_scope.

Record number_hint := { number_places : nat; number_fine : Z; by_each : low_hint; by_once : low_hint; number_bits : precision }.
Definition low_or_0 (h : number_hint) (l : option number_law) (by_ : low_hint) : low :=
  match l with Some l => low_of (number_places h) (number_fine h) l by_ | None => known_0 end.
(* the noise of n users *)
Definition noise_low (c : number) (h : number_hint) (n : Z) : low :=
  let base := low_or_0 h (once_added c) (by_once h) in
  match each_adds c, n with
  | Some l, Zpos n => let one := low_of (number_places h) (number_fine h) l (by_each h) in
      both_of (number_places h) (number_fine h) (often (number_places h) (number_fine h) one n) base
  | _, _ => base
  end.
(* what is seen of it, with x more *)
Definition seen_low (c : number) (x : Z) (a : low) : low :=
  match shown_mod c with
  | Some m => (natural_or_none (normal (map (fun o => ((fst o + x) mod m, snd o)) (fst a))), snd a)
  | None => (map (fun o => (fst o + x, snd o)) (fst a), snd a)
  end.
Definition law_or_not (l : option number_law) : bool := match l with Some l => law_stands l | None => true end.
Definition number_known (c : number) (h : number_hint) : bool :=
  law_or_not (each_adds c) && law_or_not (once_added c) && match shown_mod c with Some m => 0 <? m | None => true end &&
  units_stand (by_each h) && units_stand (by_once h) && (0 <=? number_fine h).
Definition number_stands (c : number) (h : number_hint) (z : Z * Z) : bool :=
  number_known c h && Check.good (number_eps c) && fits (number_eps c) (number_bits h) && (0 <=? fst z) && (0 <=? Qnum (number_delta c)).
(* the laws of noise of all users, and of those who are left where one is not there *)
Definition noises (c : number) (h : number_hint) : low * low :=
  let n := Z.of_nat (number_users c) in let all := noise_low c h n in
  (all, if arrives c then noise_low c h (n - 1) else all).
Fixpoint shifts (n : nat) (test : Z -> bool) : bool := match n with O => true | S n => test (Z.of_nat n) && shifts n test end.
Definition end_of (c : number) (both : low * low) (x : option Z) : low :=
  match x with Some k => seen_low c k (fst both) | None => seen_low c 0 (snd both) end.
(* Of some laws that are added once, and seen as they are, the largest shift hides least. *)
Definition largest_worst (c : number) : bool :=
  match each_adds c, once_added c, shown_mod c with None, Some l, None => concave l | _, _, _ => false end.
(* What is known of noise shifted by d more beside it, where it may be merged, and no hint says where to walk along it *)
Definition sides_of (c : number) (h : number_hint) (d : Z) : option ends_of :=
  match by_once h, once_added c with
  | Parts _ _, Some (Noise X) =>
      if negb (largest_worst c) then None
      else if 0 <? d then two_sides X d
      else match two_sides X (- d) with Some e => Some (snd e, fst e) | None => None end
  | _, _ => None
  end.
Definition brings (x : option Z) : Z := match x with Some k => k | None => 0 end.
Definition ends_between (c : number) (h : number_hint) (both : low * low) (x y : option Z) : ends_of :=
  match sides_of c h (brings x - brings y) with Some e => e | None => (end_of c both x, end_of c both y) end.
(* Whether what is seen passes where it is shifted by all that one user can, in both directions. *)
Definition all_shifts (c : number) (h : number_hint) (test : ends_of -> bool) : bool :=
  let both := noises c h in let still := seen_low c 0 (snd both) in
  let both_ways j := let moved := seen_low c j (fst both) in test (moved, still) && test (still, moved) in
  if largest_worst c then
    let most := Some (largest c) in test (ends_between c h both most (Some 0)) && test (ends_between c h both (Some 0) most)
  else if arrives c then shifts (S (Z.to_nat (largest c))) both_ways else shifts (Z.to_nat (largest c)) (fun j => both_ways (j + 1)).
Definition check_number (c : number) (h : number_hint) : bool :=
  let z := from_below (number_eps c) (number_bits h) in
  number_stands c h z && all_shifts c h (fun e => kept_by_pair (fst z) (snd z) (number_delta c) e one_column).
Definition holds (c : number) (x : option Z) : bool :=
  match x with Some k => (0 <=? k) && (k <=? largest c) | None => arrives c end.
Definition differs (c : number) (x y : option Z) : bool :=
  match x, y with Some j, Some k => negb (arrives c) && negb (j =? k) | None, None => false | _, _ => arrives c end.
(* What is seen of two neighbours *)
Definition seen_ends (c : number) (h : number_hint) (x y : option Z) : option ends_of :=
  if number_known c h && (1 <=? Z.of_nat (number_users c)) && (0 <=? largest c) && holds c x && holds c y && differs c x y
  then Some (ends_between c h (noises c h) x y) else None.
Definition check_number_false (c : number) (h : number_hint) (x y : option Z) : bool :=
  let z := from_above (number_eps c) (number_bits h) in
  number_stands c h z && match seen_ends c h x y with
    | Some e => broken_by_pair (fst z) (snd z) (number_delta c) e one_column
    | None => false
    end.
(* What shows that neither will pass, with any hints: a pair that breaks the claim, one that does not. *)
Definition number_exceeded (c : number) (h : number_hint) : bool :=
  let z := from_above (number_eps c) (number_bits h) in
  negb (all_shifts c h (fun e => negb (broken_by_pair (fst z) (snd z) (number_delta c) e one_column))).
Definition number_not_exceeded (c : number) (h : number_hint) (x y : option Z) : bool :=
  let z := from_below (number_eps c) (number_bits h) in
  match seen_ends c h x y with Some e => kept_by_pair (fst z) (snd z) (number_delta c) e one_column | None => false end.

Local Open Scope R_scope.
Lemma shifts_ok test n : shifts n test = true -> forall j, (0 <= j < Z.of_nat n)%Z -> test j = true.
Proof.
  induction n as [|n IH]; intros H j J; [lia|]. cbn [shifts] in H. apply andb_prop in H as [T H].
  destruct (Z.eq_dec j (Z.of_nat n)) as [->|]; [exact T|]. apply IH; [exact H|lia].
Qed.
Section Number.
Variables (c : number) (h : number_hint) (KN : number_known c h = true).
Lemma number_parts : number_said c /\ units_stand (by_each h) = true /\ units_stand (by_once h) = true /\ (0 <= number_fine h)%Z.
Proof.
  pose proof KN as H. unfold number_known in H. do 5 (apply andb_prop in H as [H ?]). apply Z.leb_le in H0. repeat split; auto.
  - intros l [E|E]; rewrite E in *; cbn [law_or_not] in *; now apply law_stands_ok.
  - destruct (shown_mod c); [now apply Z.ltb_lt|exact I].
Qed.
Lemma drawn_mass l by_ : (l = each_adds c \/ l = once_added c) -> units_stand by_ = true -> is_mass (drawn l) /\ below (low_or_0 h l by_) (drawn l).
Proof.
  intros L U. destruct number_parts as ([S _] & _ & _ & F0). destruct l as [l|]; cbn [drawn low_or_0].
  - assert (N : is_number_law l) by (apply S; destruct L; auto). split; [now apply law_mass|now apply low_of_below].
  - split; [apply point_mass|apply known_0_below].
Qed.
Lemma noise_is n : noise_of c n = times_over n (plus_draw (drawn (each_adds c))) (drawn (once_added c)).
Proof. unfold noise_of. induction n as [|n IH]; [reflexivity|]. cbn [repeat fold_right times_over]. now rewrite IH. Qed.
Lemma noise_mass n : is_mass (noise_of c n).
Proof.
  rewrite noise_is. destruct number_parts as (_ & E & O & _). destruct (drawn_mass (each_adds c) _ (or_introl eq_refl) E) as [M _].
  destruct (drawn_mass (once_added c) _ (or_intror eq_refl) O) as [B _]. induction n as [|n IH]; [exact B|]. cbn [times_over]. now apply plus_mass.
Qed.
Lemma noise_once n : each_adds c = None -> noise_of c n = drawn (once_added c).
Proof.
  intros N. destruct number_parts as (_ & _ & O & _). destruct (drawn_mass (once_added c) _ (or_intror eq_refl) O) as [B _].
  rewrite noise_is, N. cbn [drawn]. induction n as [|n IH]; [reflexivity|]. cbn [times_over]. rewrite IH.
  apply FunctionalExtensionality.functional_extensionality. intros k. now apply plus_0.
Qed.
Lemma noise_below n : below (noise_low c h (Z.of_nat n)) (noise_of c n).
Proof.
  destruct number_parts as (_ & E & O & F0). pose proof (drawn_mass (each_adds c) _ (or_introl eq_refl) E) as [M L].
  destruct (drawn_mass (once_added c) _ (or_intror eq_refl) O) as [B K]. unfold noise_low. cbv zeta.
  assert (Z0 : each_adds c = None -> below (low_or_0 h (once_added c) (by_once h)) (noise_of c n)) by (intros N; now rewrite noise_once).
  destruct (each_adds c) as [l|] eqn:EA; [|now apply Z0]. clear Z0. destruct n as [|n]; [exact K|].
  change (Z.of_nat (S n)) with (Z.pos (Pos.of_succ_nat n)). rewrite noise_is, EA. cbn [drawn low_or_0] in *.
  replace (S n) with (Pos.to_nat (Pos.of_succ_nat n)) by apply SuccNat2Pos.id_succ.
  apply (acts_below (number_places h) (number_fine h) _ (times_over (Pos.to_nat (Pos.of_succ_nat n)) (plus_draw (mass l)))); auto.
  apply acts_often; [exact F0|]. now apply acts_draw.
Qed.
(* what is seen of a law with x more *)
Definition seen_of (m : Z -> R) (x : Z) : Z -> R := made_by (shown_as c) (fun k => m (k - x)%Z).
Lemma seen_mass m x : is_mass m -> is_mass (seen_of m x).
Proof. intros M. apply made_mass; [exact Z.eq_dec|now apply shifted_mass]. Qed.
Lemma moved_eval x (p : poly) k : eval (at_place k) (map (fun o => ((fst o + x)%Z, snd o)) p) = eval (at_place (k - x)) p.
Proof.
  induction p as [|[i w] p IH]; [reflexivity|]. cbn [map eval fst snd]. rewrite IH. unfold at_place.
  destruct (Z.eqb_spec (i + x) k), (Z.eqb_spec i (k - x)); try lia; reflexivity.
Qed.
Lemma seen_below a m x : is_mass m -> below a m -> below (seen_low c x a) (seen_of m x).
Proof.
  intros M (U & S & H). pose proof (seen_mass m x M) as [S0 _].
  assert (K : forall k, eval (at_place k) (map (fun o => (shown_as c (fst o), snd o)) (map (fun o => ((fst o + x)%Z, snd o)) (fst a))) <=
    IZR (snd a) * seen_of m x k).
  { apply made_below; [now apply shifted_mass|lia|]. intros k. fold (at_place k). rewrite moved_eval. apply H. }
  unfold seen_low, shown_as in *. destruct (shown_mod c) as [m0|]; split; try exact U; split.
  - apply none_sure.
  - apply none_under; [exact S0|exact U|]. intros k. cbn [fst snd]. rewrite eval_normal. specialize (K k). rewrite map_map in K. exact K.
  - cbn [fst]. clear - S. unfold sure in *. rewrite forallb_forall in *. intros o I. apply in_map_iff in I as (o' & <- & I). exact (S o' I).
  - intros k. cbn [fst snd]. specialize (K k). rewrite map_map in K. exact K.
Qed.
(* an event of what is seen is one of what is seen without the others *)
Lemma Pr_seen xs s x (E F : Z -> bool) : (fold_right Z.add 0 xs = s + x)%Z -> (forall k, E (shown_as c (s + k)) = F (shown_as c k)) ->
  SpecCount.total (fun k => if F k then seen_of (noise_of c (length xs)) x k else 0) (Pr_number c xs E).
Proof.
  intros X EF. pose proof (noise_mass (length xs)) as M. set (m := noise_of c (length xs)) in *.
  assert (T : SpecCount.total (fun k => if E (shown_as c (s + x + k)) then m k else 0) (Pr_number c xs E)).
  { unfold Pr_number. fold m. rewrite X. apply series_total. intros l D. now apply (part_sum m M (fun k => E (shown_as c (s + x + k)%Z))). }
  apply (total_shift _ (- x)) in T. apply made_event; [exact Z.eq_dec|now apply shifted_mass|].
  eapply total_ext; [|exact T]. intros k. cbv beta. replace (s + x + (k + - x))%Z with (s + k)%Z by lia. replace (k + - x)%Z with (k - x)%Z by lia.
  now rewrite EF.
Qed.
Lemma shown_twice s k : shown_as c (s + shown_as c k) = shown_as c (s + k).
Proof.
  destruct number_parts as ([_ S0] & _). unfold shown_as. destruct (shown_mod c) as [n|]; [|reflexivity].
  rewrite Z.add_mod_idemp_r by lia. reflexivity.
Qed.
Lemma add_all_app l r : (fold_right Z.add 0 (l ++ r) = fold_right Z.add 0 l + fold_right Z.add 0 r)%Z.
Proof. induction l as [|a l IH]; [reflexivity|]. cbn [app fold_right]. rewrite IH. lia. Qed.
(* what is seen of a dataset, as a law that is moved *)
Lemma seen_moved xs s i : (fold_right Z.add 0 xs = s + i)%Z ->
  SpecRuns.number_seen c xs = made_by (fun k => shown_as c (s + k)%Z) (seen_of (noise_of c (length xs)) i).
Proof.
  intros E. apply FunctionalExtensionality.functional_extensionality. intros k. unfold SpecRuns.number_seen. rewrite E.
  pose proof (noise_mass (length xs)) as M. set (m := noise_of c (length xs)) in *.
  refine (total_unique _ _ _ _ (made_total (fun j => shown_as c (s + j)%Z) _ (seen_mass m i M) k)).
  pose proof (made_total (shown_as c) _ (shifted_mass m (s + i) M) k) as T. apply (total_shift _ s) in T.
  apply (made_event Z.eq_dec (shown_as c) _ (shifted_mass m i M) (fun j => shown_as c (s + j) =? k)%Z).
  eapply total_ext; [|exact T]. intros j. cbv beta. rewrite shown_twice. replace (j + s - (s + i))%Z with (j - i)%Z by lia. now rewrite Z.add_comm.
Qed.
Lemma told_seen (a b : low) (m n : Z -> R) i j : is_mass m -> is_mass n -> below a m -> below b n ->
  told (seen_low c i a, seen_low c j b) (seen_of m i) (seen_of n j).
Proof.
  intros M N A B. exact (conj (seen_below _ _ _ M A) (conj (seen_below _ _ _ N B) (conj (seen_mass _ _ M) (seen_mass _ _ N)))).
Qed.
(* where all of it is seen it is moved *)
Lemma made_same (f : Z -> Z) m : is_mass m -> (forall k, f k = k) -> made_by f m = m.
Proof.
  intros M F. apply FunctionalExtensionality.functional_extensionality. intros k.
  refine (total_unique _ _ _ (made_total f m M k) _). apply (total_ext (fun j => if (j =? k)%Z then m j else 0)); [intros j; now rewrite F|].
  assert (Z0 : forall l, ~ In k l -> sum (fun j => if (j =? k)%Z then m j else 0) l = 0).
  { induction l as [|j l IH]; intros N; [reflexivity|]. rewrite sum_cons, IH by (cbn in N; tauto). destruct (Z.eqb_spec j k) as [->|]; [exfalso; apply N; now left|ring]. }
  pose proof (proj1 M k) as F0. split.
  - intros y (l & D & ->). induction D as [|j l N D IH]; [exact F0|]. rewrite sum_cons. destruct (Z.eqb_spec j k) as [->|]; [rewrite Z0 by exact N|]; lra.
  - intros b B. apply B. exists [k]. split; [constructor; [easy|constructor]|]. cbn [SpecCount.sum fold_right]. rewrite Z.eqb_refl. ring.
Qed.
Lemma seen_as_it_is m i : is_mass m -> shown_mod c = None -> seen_of m i = fun k => m (k - i)%Z.
Proof. intros M S. apply made_same; [now apply shifted_mass|]. intros k. unfold shown_as. now rewrite S. Qed.
(* what is seen of one who holds x, or is not there, where the others hold nothing; and of two of these as they are known *)
Definition law_at (x : option Z) : Z -> R := seen_of (noise_of c (match x with Some _ => number_users c | None => number_users c - 1 end)) (brings x).
Lemma end_below x : (x = None -> arrives c = true /\ (1 <= number_users c)%nat) -> below (end_of c (noises c h) x) (law_at x).
Proof.
  intros N. unfold noises, law_at. cbv zeta. destruct x as [k|]; cbn [end_of fst snd brings]; [apply seen_below; [apply noise_mass|apply noise_below]|].
  destruct (N eq_refl) as [-> U]. apply seen_below; [apply noise_mass|]. replace (Z.of_nat (number_users c) - 1)%Z with (Z.of_nat (number_users c - 1)) by lia. apply noise_below.
Qed.
Lemma between_ok x y : (x = None \/ y = None -> arrives c = true /\ (1 <= number_users c)%nat) -> exists f,
  told (ends_between c h (noises c h) x y) (made_by f (law_at x)) (made_by f (law_at y)) /\
  forall z K, 0 <= z -> within (made_by f (law_at x)) (made_by f (law_at y)) z K -> within (law_at x) (law_at y) z K.
Proof.
  intros N. assert (MA : forall w, is_mass (law_at w)) by (intros w; apply seen_mass, noise_mass).
  unfold ends_between. destruct (sides_of _ _ _) as [e|] eqn:S.
  - unfold sides_of in S. destruct (by_once h) as [| |u hs]; try discriminate. destruct (once_added c) as [[X| | | | |]|] eqn:OA; try discriminate.
    unfold largest_worst in S. destruct (each_adds c) eqn:EA; [discriminate|]. rewrite OA in S. destruct (shown_mod c) eqn:SM; [discriminate|].
    cbn [concave] in S. destruct (proper_noise X) eqn:PX; [|discriminate]. destruct (concave_noise X); [cbn [andb negb] in S|discriminate].
    assert (NO : forall w, law_at w = fun k => prob X (k - brings w)%Z).
    { intros w. unfold law_at. rewrite seen_as_it_is by (auto using noise_mass). now rewrite noise_once, OA. }
    rewrite !NO in *. destruct (Z.ltb_spec 0 (brings x - brings y)) as [L|L].
    + destruct (two_sides_ok X _ (brings y) e PX S) as [T R]. replace (brings y + (brings x - brings y))%Z with (brings x) in * by lia.
      eexists. split; [exact T|]. intros z K Z0. apply merged_within; auto; rewrite <- NO; apply MA.
    + destruct (two_sides X _) as [[a b]|] eqn:TS; [|discriminate]. injection S as <-.
      destruct (two_sides_ok X _ (brings x) _ PX TS) as [(A & B & MP & MQ) R]. replace (brings x + - (brings x - brings y))%Z with (brings y) in * by lia.
      eexists. split; [exact (conj B (conj A (conj MQ MP)))|]. intros z K Z0. apply merged_within; auto; try (rewrite <- NO; apply MA).
      destruct R as (p & q & R). exists q, p. intros k. destruct (R k) as (w & W & P & Q). now exists w.
  - exists (fun k => k). rewrite !made_same by auto. split; [|auto]. split; [|split; [|split; apply MA]]; apply end_below; auto.
Qed.
(* two neighbours, who hold a + i and a + j, and what passes of what is seen of them *)
Theorem all_shifts_ok test l r x y : all_shifts c h test = true -> others_of c l r -> number_neighbours c x y ->
  exists e a i j, test e = true /\ (fold_right Z.add 0 (holding x) = a + i)%Z /\ (fold_right Z.add 0 (holding y) = a + j)%Z /\
    forall z K, 0 <= z -> promised e one_column z K ->
    within (seen_of (noise_of c (length (l ++ holding x ++ r))) i) (seen_of (noise_of c (length (l ++ holding y ++ r))) j) z K.
Proof.
  intros H [L _] (HX & HY & NE & AR). pose proof (fun x y => between_ok (Some x) (Some y) ltac:(intros [E|E]; discriminate)) as BW.
  unfold all_shifts in H. cbv zeta in H. set (n := number_users c) in *. set (all := noise_low c h (Z.of_nat n)) in *.
  set (fewer := if arrives c then noise_low c h (Z.of_nat n - 1) else all) in *.
  change (fst (noises c h)) with all in H. change (snd (noises c h)) with fewer in H.
  assert (KA : below all (noise_of c n)) by apply noise_below. pose proof (noise_mass n) as MA.
  assert (LN : forall k, length (l ++ holding (Some k) ++ r) = n) by (intros; cbn [holding app]; rewrite app_length in *; cbn [length]; lia).
  assert (TW : forall e p q, told e p q -> forall z K, 0 <= z -> promised e one_column z K -> within p q z K).
  { intros e p q T z K _ P. apply alone. exact (P _ _ _ _ T one_column_told). }
  assert (KF : arrives c = true -> below fewer (noise_of c (length (l ++ r)))).
  { intros AC. unfold fewer. rewrite AC. replace (Z.of_nat n - 1)%Z with (Z.of_nat (length (l ++ r))) by (unfold n; lia). apply noise_below. }
  pose proof (noise_mass (length (l ++ r))) as MF.
  destruct (largest_worst c) eqn:LW.
  { (* one law, whoever is there *)
    unfold largest_worst in LW. destruct (each_adds c) eqn:EA; [discriminate|]. destruct (once_added c) as [law|] eqn:OA; [|discriminate].
    destruct (shown_mod c) eqn:SM; [discriminate|]. set (m := mass law). assert (NO : forall k, noise_of c k = m) by (intros k; rewrite noise_once, OA by exact EA; reflexivity).
    rewrite !NO in *. pose proof (concave_falls law LW) as FA. fold m in FA. set (S := largest c) in *. apply andb_prop in H as [H1 H2].
    assert (E0 : forall k, law_at (Some k) = fun n => m (n - k)%Z) by (intros k; unfold law_at; rewrite NO; apply seen_as_it_is; auto).
    assert (SZ : (fun k => m (k - 0)%Z) = m) by (apply FunctionalExtensionality.functional_extensionality; intros k; f_equal; lia).
    destruct (BW S 0%Z) as (f1 & T1 & W1). destruct (BW 0%Z S) as (f2 & T2 & W2). rewrite !E0, SZ in T1, T2, W1, W2.
    assert (IN : forall w, may_hold c w -> (0 <= fold_right Z.add 0 (holding w) <= S)%Z \/ (w <> None /\ S < 0)%Z).
    { intros [k|] HW; cbn [may_hold holding fold_right] in *; [left; lia|]. destruct (Z_le_gt_dec 0 S); [left; lia|].
      destruct x as [i|]; [cbn [may_hold] in HX; lia|]. destruct y as [j|]; [cbn [may_hold] in HY; lia|]. congruence. }
    set (u := fold_right Z.add 0%Z (holding x)). set (v := fold_right Z.add 0%Z (holding y)).
    assert (U : (0 <= u <= S)%Z). { destruct (IN x HX) as [I|[I J]]; [exact I|]. destruct x as [i|]; [cbn [may_hold] in HX; fold S in HX; lia|congruence]. }
    assert (V : (0 <= v <= S)%Z). { destruct (IN y HY) as [I|[I J]]; [exact I|]. destruct y as [i|]; [cbn [may_hold] in HY; fold S in HY; lia|congruence]. }
    destruct (Z_le_gt_dec v u) as [G|G].
    - eexists _, v, (u - v)%Z, 0%Z. split; [exact H1|]. split; [lia|]. split; [lia|]. intros z K Z0 P.
      rewrite !(seen_as_it_is m), SZ by assumption. apply (smaller_shift m MA FA (u - v) S ltac:(lia) z K Z0). now apply W1, (TW _ _ _ T1).
    - eexists _, u, 0%Z, (v - u)%Z. split; [exact H2|]. split; [lia|]. split; [lia|]. intros z K Z0 P.
      rewrite !(seen_as_it_is m), SZ by assumption. apply (smaller_shift_back m (v - u) S z K MA FA ltac:(lia) Z0). now apply W2, (TW _ _ _ T2). }
  destruct (arrives c) eqn:AC.
  - specialize (KF eq_refl).
    destruct (AR eq_refl) as [-> | ->]; [destruct y as [k|]|destruct x as [k|]]; try congruence; cbn [may_hold] in *;
      pose proof (shifts_ok _ _ H k ltac:(lia)) as K; apply andb_prop in K as [K1 K2]; rewrite LN; change (l ++ holding None ++ r) with (l ++ r).
    + exists (seen_low c 0 fewer, seen_low c k all), 0%Z, 0%Z, k. do 2 (split; [easy|]). split; [cbn; lia|]. now apply TW, told_seen.
    + exists (seen_low c k all, seen_low c 0 fewer), 0%Z, k, 0%Z. split; [easy|]. split; [cbn; lia|]. split; [easy|]. now apply TW, told_seen.
  - destruct x as [i|]; [|cbn in HX; congruence]. destruct y as [j|]; [|cbn in HY; congruence]. cbn [may_hold] in HX, HY. rewrite !LN.
    assert (IJ : i <> j) by congruence. destruct (Z_lt_le_dec i j) as [Lt|Ge].
    + pose proof (shifts_ok _ _ H (j - i - 1)%Z ltac:(lia)) as K. cbv beta in K. apply andb_prop in K as [_ K]. replace (j - i - 1 + 1)%Z with (j - i)%Z in K by lia.
      exists (seen_low c 0 fewer, seen_low c (j - i) all), i, 0%Z, (j - i)%Z. split; [exact K|]. do 2 (split; [cbn; lia|]). now apply TW, told_seen.
    + pose proof (shifts_ok _ _ H (i - j - 1)%Z ltac:(lia)) as K. cbv beta in K. apply andb_prop in K as [K _]. replace (i - j - 1 + 1)%Z with (i - j)%Z in K by lia.
      exists (seen_low c (i - j) all, seen_low c 0 fewer), j, (i - j)%Z, 0%Z. split; [exact K|]. do 2 (split; [cbn; lia|]). now apply TW, told_seen.
Qed.
(* the others hold nothing *)
Theorem seen_ends_ok x y e : seen_ends c h x y = Some e -> let l := repeat 0%Z (number_users c - 1) in
  others_of c l [] /\ number_neighbours c x y /\
  let law w := seen_of (noise_of c (length (l ++ holding w ++ []))) (fold_right Z.add 0%Z (l ++ holding w ++ [])) in
  is_mass (law x) /\ is_mass (law y) /\ exists f, told e (made_by f (law x)) (made_by f (law y)).
Proof.
  unfold seen_ends. destruct (_ && _) eqn:H; [|discriminate]. intros [= <-]. do 5 (apply andb_prop in H as [H ?]).
  rename H0 into DF, H1 into HY, H2 into HX, H3 into L0, H4 into U1. apply Z.leb_le in L0, U1. cbv zeta.
  set (l := repeat 0%Z (number_users c - 1)). set (n := number_users c) in *.
  assert (HO : forall x, holds c x = true -> may_hold c x).
  { intros [k|] K; cbn [holds may_hold] in *; [|exact K]. apply andb_prop in K as [K1 K2]. apply Z.leb_le in K1, K2. lia. }
  assert (Z0 : fold_right Z.add 0%Z l = 0%Z) by (unfold l; clear; induction (n - 1)%nat as [|i IH]; [reflexivity|exact IH]).
  assert (LL : length l = (n - 1)%nat) by (unfold l; now rewrite repeat_length).
  assert (LA : forall w, seen_of (noise_of c (length (l ++ holding w ++ []))) (fold_right Z.add 0%Z (l ++ holding w ++ [])) = law_at w).
  { intros w. unfold law_at. rewrite app_nil_r, add_all_app, Z0, app_length, LL. fold n.
    destruct w as [k|]; cbn [holding length fold_right brings]; f_equal; f_equal; lia. }
  split; [|split].
  - unfold others_of. rewrite app_nil_r, LL. split; [unfold n in *; lia|]. intros k I. unfold l in I. apply repeat_spec in I. lia.
  - split; [now apply HO|split; [now apply HO|split]].
    + intros ->. unfold differs in DF. destruct y as [k|]; [|discriminate]. rewrite Z.eqb_refl in DF. cbn in DF. now rewrite andb_false_r in DF.
    + intros AC. unfold differs in DF. destruct x as [i|], y as [k|]; auto. rewrite AC in DF. discriminate.
  - rewrite !LA. split; [apply seen_mass, noise_mass|split; [apply seen_mass, noise_mass|]].
    destruct (between_ok x y) as (f & T & _); [|now exists f]. fold n. intros [-> | ->]; cbn [holds] in HX, HY; split; auto; lia.
Qed.
End Number.
Lemma number_setting c h z : number_stands c h z = true -> number_known c h = true /\ 1 <= value (number_eps c) /\
  Check.good (number_eps c) = true /\ fits (number_eps c) (number_bits h) = true /\ (0 <= fst z)%Z.
Proof.
  intros H. unfold number_stands in H. do 4 (apply andb_prop in H as [H ?]). apply Z.leb_le in H0, H1. repeat split; auto. now apply value_1.
Qed.
Theorem check_number_sound c h : check_number c h = true -> number_true c.
Proof.
  unfold check_number. intros H. set (z := from_below _ _) in *. apply andb_prop in H as [ST H].
  destruct (number_setting c h z ST) as (KN & E1 & G & F & N0). split; [apply (number_parts c h KN)|].
  pose proof (from_below_ok _ _ G F) as [D0 ZB]. apply lt_IZR in D0. fold z in D0, ZB. intros l r x y E O N.
  destruct (all_shifts_ok c h KN _ l r x y H O N) as (e & a & i & j & K & X & Y & T).
  pose proof (T (value (number_eps c)) (Q2R (number_delta c)) ltac:(lra) (kept_promised (fst z) (snd z) _ (value (number_eps c)) e one_column N0 D0 ZB K)) as W.
  set (s := (fold_right Z.add 0 (l ++ r) + a)%Z). set (X0 := fun k => E (shown_as c (s + k)%Z)).
  assert (EF : forall k, E (shown_as c (s + k)%Z) = X0 (shown_as c k)) by (intros k; unfold X0; now rewrite (shown_twice c h KN)).
  assert (SE : s = (fold_right Z.add 0 l + fold_right Z.add 0 r + a)%Z) by (unfold s; now rewrite add_all_app).
  pose proof (Pr_seen c h KN (l ++ holding x ++ r) s i E X0 ltac:(rewrite !add_all_app; lia) EF) as PX.
  pose proof (Pr_seen c h KN (l ++ holding y ++ r) s j E X0 ltac:(rewrite !add_all_app; lia) EF) as PY.
  eapply (at_most_of_sums _ _ (value (number_eps c))); [lra| |exact W|exact PX|exact PY]. intros k. apply (seen_mass c), (noise_mass c h KN).
Qed.
Theorem check_number_false_sound c h x y : check_number_false c h x y = true -> number_false c.
Proof.
  unfold check_number_false. intros H. set (z := from_above _ _) in *. apply andb_prop in H as [ST H].
  destruct (number_setting c h z ST) as (KN & E1 & G & F & N0). split; [apply (number_parts c h KN)|].
  pose proof (from_above_ok _ _ G F) as [D0 ZB]. apply lt_IZR in D0. fold z in D0, ZB. destruct (seen_ends c h x y) as [e|] eqn:SE; [|discriminate].
  destruct (seen_ends_ok c h KN x y e SE) as (O & N & MX & MY & f & A & B & MA & MB). set (l := repeat 0%Z _) in *. exists l, [], x, y.
  pose proof H as W. unfold broken_by_pair in W. cbv zeta in W. apply andb_prop in W as [W _]. apply andb_prop in W as [O1 O2].
  pose proof (fun a b => broken_pair e one_column _ (point 0) _ (point 0) A B known_0_below known_0_below MB (point_mass 0) O1 O2
    (fst z) (snd z) (number_delta c) (value (number_eps c)) a b N0 D0 ltac:(lra) ZB H) as K. cbv zeta in K.
  match type of K with forall a b, SpecCount.total (fun o => if ?E o then _ else 0) a -> _ => set (X := E) in K end.
  exists (fun k => X (f k, 0%Z)). do 2 (split; [assumption|]).
  apply K; apply beside_point; auto; apply (made_event Z.eq_dec f); auto; apply (Pr_seen c h KN _ 0 _ _ (fun k => X (f k, 0%Z))); try lia; reflexivity.
Qed.
