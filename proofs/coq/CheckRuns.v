(* The checker of several runs, and the theorem about it. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Psatz Bool Permutation Classical_Prop.
From Shufflecert Require Import Spec SpecCount SpecPresence SpecColumns SpecRuns Poly Law Exp Check Cover Powers Boxes Kernel CheckBlocks Views Sums Presence
  Numbers Pairs Lattice Dots Atoms AnyRuns.
From Shufflecert Require TwoColumns Ends Grid CheckAny.
Import ListNotations.
Local Open Scope R_scope.

(* ---- laws, and those that come with their reverses ---- *)
Notation is_law := is_mass.
Definition both_ways (s : seen) := forall P Q, pairs_of s P Q -> is_law P /\ is_law Q /\ pairs_of s Q P.
Definition keeps_at (s : seen) (z d : R) := forall P Q, pairs_of s P Q -> keeps P Q z d.
Lemma mirrored s t d : both_ways s -> 1 <= t -> keeps_at s t d -> keeps_at s (/ t) (1 - / t + d * / t).
Proof.
  intros B T K P Q H l N. destruct (B P Q H) as ([P0 P1] & [Q0 Q1] & H').
  assert (I0 : 0 < / t) by (apply Rinv_0_lt_compat; lra). apply le_epsilon. intros e E.
  destruct (total_near _ _ e Q1 E) as (m & NM & M).
  destruct (once (l ++ m)) as (u & NU & IU). assert (Il : incl l u) by (intros a J; apply IU, in_or_app; now left).
  assert (Im : incl m u) by (intros a J; apply IU, in_or_app; now right).
  pose proof (sum_incl Q m Q0 NM u Im) as SQ. pose proof (total_above _ _ u P1 NU) as SP. pose proof (K Q P H' u NU) as KU.
  eapply Rle_trans; [apply (sum_incl _ l (fun a => Rmax_r _ 0) N u Il)|].
  assert (X : SpecCount.sum (fun y => Rmax (P y - / t * Q y) 0) u =
    SpecCount.sum P u - / t * SpecCount.sum Q u + / t * SpecCount.sum (fun y => Rmax (Q y - t * P y) 0) u).
  { clear - I0 T. induction u as [|y u IH]; [cbn; ring|]. rewrite !sum_cons, IH.
    assert (E : Rmax (P y - / t * Q y) 0 = P y - / t * Q y + / t * Rmax (Q y - t * P y) 0).
    { rewrite Rmax_scaled by lra. replace (/ t * (Q y - t * P y)) with (/ t * Q y - P y) by (field; lra).
      unfold Rmax. destruct (Rle_dec (P y - / t * Q y) 0), (Rle_dec (/ t * Q y - P y) 0); lra. }
    rewrite E. ring. }
  rewrite X. assert (/ t <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (/ t * SpecCount.sum (fun y => Rmax (Q y - t * P y) 0) u <= / t * d) by (apply Rmult_le_compat_l; lra).
  assert (/ t * (1 - e) <= / t * SpecCount.sum Q u) by (apply Rmult_le_compat_l; lra). nra.
Qed.

(* ---- what is seen of a randomizer ---- *)
Lemma to_see_same v s t : looks_same v s t -> to_see v s = to_see v t.
Proof.
  destruct v; cbn [looks_same to_see].
  - intros H. now rewrite (in_order_perm _ _ H).
  - induction 1 as [|a b s t H F IH]; cbn [map]; [reflexivity|]. now rewrite (in_order_perm _ _ H), IH.
  - now intros ->.
Qed.
Lemma put_perm m s : Permutation (m :: s) (put m s).
Proof.
  induction s as [|k s IH]; cbn [put]; [reflexivity|]. destruct (Nat.leb m k); [reflexivity|].
  rewrite perm_swap. now constructor.
Qed.
Lemma in_order_is s : Permutation s (in_order s).
Proof. unfold in_order. induction s as [|m s IH]; cbn [fold_right]; [constructor|]. rewrite <- put_perm. now constructor. Qed.
(* so what looks the same is one outcome, and what does not is not *)
Theorem to_see_exact v s t : looks_same v s t <-> to_see v s = to_see v t.
Proof.
  split; [apply to_see_same|]. destruct v; cbn [looks_same to_see]; auto.
  - intros [= E]. rewrite (in_order_is (concat s)), (in_order_is (concat t)). now rewrite E.
  - revert t. induction s as [|a s IH]; intros [|b t]; cbn [map]; intros E; try discriminate; [constructor|].
    injection E as E1 E2. constructor; [|now apply IH]. rewrite (in_order_is a), (in_order_is b). now rewrite E1.
Qed.
Definition among_seen (l : list (list (list msg))) v (t : list (list msg)) : bool := existsb (fun y => same_outcome y (to_see v t)) l.
Lemma one_of_event l v : event v (among_seen l v).
Proof. intros s t H. unfold among_seen. now rewrite (to_see_same v s t H). Qed.
Lemma alike_ok s t : same_outcome s t = true <-> s = t.
Proof. unfold same_outcome. destruct (list_eq_dec (list_eq_dec Nat.eq_dec) s t); split; congruence. Qed.
Lemma one_of_ok l v t : among_seen l v t = true <-> In (to_see v t) l.
Proof.
  unfold among_seen. rewrite existsb_exists. split; [intros (y & J & E); apply alike_ok in E; now subst|].
  intros J. exists (to_see v t). split; [exact J|now apply alike_ok].
Qed.
Lemma sum_law_seen v L l : NoDup l -> SpecCount.sum (law_seen v L) l = Pr (among_seen l v) L.
Proof.
  induction 1 as [|y l N D IH]; [unfold among_seen; cbn [existsb]; rewrite Pr_mean; symmetry; unfold SpecCount.sum; cbn [fold_right];
    rewrite (mean_ext _ (fun _ => 0 * 0)); [rewrite mean_scale; ring|intros; unfold indicator; ring]|].
  rewrite sum_cons, IH. unfold law_seen. rewrite !Pr_mean, <- mean_plus. apply mean_ext. intros t q _. unfold indicator.
  unfold among_seen. cbn [existsb]. fold (among_seen l v t). destruct (same_outcome y (to_see v t)) eqn:A; cbn [orb]; [|ring].
  apply alike_ok in A. subst y. destruct (among_seen l v t) eqn:O; [apply one_of_ok in O; contradiction|ring].
Qed.
Definition weights {A} (L : law A) := forall a q, In (a, q) L -> 0 <= Q2R q.
Lemma law_seen_law v L : weights L -> mean (fun _ => 1) L = 1 -> is_law (law_seen v L).
Proof.
  intros W M. split.
  - intros y. unfold law_seen. rewrite Pr_mean. apply mean_nonneg. intros a q J. split; [eapply W; eauto|].
    unfold indicator. destruct (same_outcome _ _); lra.
  - split.
    + intros x (l & N & ->). rewrite sum_law_seen, Pr_mean by assumption. rewrite <- M. apply mean_le; [exact W|].
      intros a q _. unfold indicator. destruct (among_seen l v a); lra.
    + intros b B. destruct (once (map (fun o => to_see v (fst o)) L)) as (l & N & J). apply B. exists l. split; [exact N|].
      rewrite sum_law_seen, Pr_mean, <- M by assumption. apply mean_ext. intros a q K. unfold indicator.
      replace (among_seen l v a) with true; [reflexivity|]. symmetry. apply one_of_ok, J, in_map_iff. exists (a, q). auto.
Qed.
Lemma seen_keeps v L1 L2 z d : (forall E, event v E -> Pr E L1 - z * Pr E L2 <= d) -> keeps (law_seen v L1) (law_seen v L2) z d.
Proof.
  intros H. apply keeps_by_sets. intros l N. rewrite !sum_law_seen by exact N. apply H, one_of_event.
Qed.
Lemma sent_weights K xs : is_randomizer K -> weights (sent K xs).
Proof. intros H a q J. eapply sent_weight; eauto. Qed.
Lemma with_others_ok c M xs : well_said c -> (forall i, In i xs -> (i < length (laws_of c))%nat) -> distribution M ->
  weights (with_others M (sent (laws_of c) xs)) /\ mean (fun _ => 1) (with_others M (sent (laws_of c) xs)) = 1.
Proof.
  intros (_ & _ & _ & HK) I D. split.
  - intros a q J. unfold with_others in J. apply in_flat_map in J as ([m p] & J & K). apply in_map_iff in K as ([t r] & [= <- <-] & K).
    rewrite Q2R_mult. apply Rmult_le_pos; [|eapply sent_weights; eauto]. destruct D as [P _]. apply P, Qlt_Rlt in J.
    rewrite RMicromega.Q2R_0 in J. lra.
  - pose proof (Pr_with_others (fun _ => true) M (sent (laws_of c) xs)) as E. rewrite Pr_mean in E. unfold indicator in E.
    rewrite E. transitivity (mean (fun _ : list (list msg) => 1) M); [|now apply mean_distribution]. apply mean_ext. intros m q _.
    rewrite Pr_mean. unfold indicator. now apply mean_const.
Qed.
Lemma crowd_in c l x y r : (moves (changes c) (length (each c)) x y \/ x = y /\ (x < length (each c))%nat) ->
  (forall i, In i (l ++ r) -> (i < length (each c))%nat) -> forall i, In i (l ++ x :: r) -> (i < length (laws_of c))%nat.
Proof.
  intros MV I i J. pose proof (inputs_of c) as LE. rewrite in_app_iff in J. cbn [In] in J. destruct J as [J|[<-|J]].
  - specialize (I i ltac:(rewrite in_app_iff; auto)). lia.
  - destruct MV as [MV|[_ X]]; [now apply moves_in in MV|lia].
  - specialize (I i ltac:(rewrite in_app_iff; auto)). lia.
Qed.
Lemma moves_back h n x y : moves h n x y -> moves h n y x.
Proof. unfold moves. destruct h; intuition. Qed.
Lemma crowd_both c : well_said c -> both_ways (of_crowd c).
Proof.
  intros W P Q (l & x & y & r & M & L & MV & I & D & -> & ->).
  assert (MV' : moves (changes c) (length (each c)) y x \/ y = x /\ (y < length (each c))%nat).
  { destruct MV as [MV|[-> X]]; [left; now apply moves_back|now right]. }
  destruct (with_others_ok c M (l ++ x :: r) W (crowd_in c l x y r MV I) D) as [W1 M1].
  destruct (with_others_ok c M (l ++ y :: r) W (crowd_in c l y x r MV' I) D) as [W2 M2].
  split; [now apply law_seen_law|split; [now apply law_seen_law|]].
  exists l, y, x, r, M. split; [now rewrite app_length in *|]. auto.
Qed.
Lemma crowd_keeps c t d : crowd_true (at_point c t d) -> 1 <= Q2R t -> 0 <= Q2R d -> keeps_at (of_crowd c) (Q2R t) (Q2R d).
Proof.
  intros [W H] T D P Q (l & x & y & r & M & L & MV & I & DM & -> & ->). apply seen_keeps. intros E HE.
  destruct MV as [MV|[-> X]].
  - exact (H l x y r M E L MV I DM HE).
  - assert (0 <= Pr E (with_others M (sent (laws_of c) (l ++ y :: r)))).
    { rewrite Pr_mean. destruct (with_others_ok c M (l ++ y :: r) W (crowd_in c l y y r (or_intror (conj eq_refl X)) I) DM) as [W1 _].
      apply mean_nonneg. intros a q J. split; [eapply W1; eauto|]. unfold indicator. destruct (E a); lra. }
    nra.
Qed.

(* ---- points of which all datasets are gone through once ---- *)
Lemma two_weaker {A} (step : nat -> A -> A) (p q : A -> bool) i j : (forall a, p a = true -> q a = true) -> forall fuel n acc,
  Every.two step p i j fuel n acc = true -> Every.two step q i j fuel n acc = true.
Proof.
  intros W. induction fuel as [|f IH]; intros [|n] acc; cbn [Every.two]; auto. cbv zeta. intros H.
  apply andb_prop in H as [H1 H2]. apply andb_true_intro. split; auto.
Qed.
Lemma every_weaker {A} (step : nat -> A -> A) (p q : A -> bool) : (forall a, p a = true -> q a = true) -> forall is n acc,
  Every.every step p is n acc = true -> Every.every step q is n acc = true.
Proof.
  intros W. induction is as [|i is IH]; [intros [|n] acc; cbn [Every.every]; auto|].
  set (place := fun p => fix place n acc := Every.every step p is n acc && match n with O => true | S m => place m (step i acc) end).
  assert (P : forall n acc, place p n acc = true -> place q n acc = true).
  { induction n as [|n IHn]; intros acc H; apply andb_prop in H as [H1 H2]; apply andb_true_intro; split; auto. }
  destruct is as [|j [|k is]]; [exact P| |exact P]. intros n acc. now apply two_weaker.
Qed.
Lemma tell_weaker F (p q : poly -> poly -> bool) acc : (forall f g, p f g = true -> q f g = true) -> tell F p acc = true -> tell F q acc = true.
Proof.
  unfold tell. cbv zeta. rewrite !forallb_forall. intros W H i I. specialize (H i I). rewrite forallb_forall in *.
  intros j J. specialize (H j J). apply orb_prop in H as [->|H]; [reflexivity|]. rewrite (W _ _ H). apply orb_true_r.
Qed.
Definition within_point (n : nat) D (td : Q * Q) (p q : poly) : bool :=
  (stick (QDen (fst td)) (Qnum (fst td)) p q 0 * QDen (snd td) <=? Qnum (snd td) * D ^ Z.of_nat n * QDen (fst td))%Z.
(* What check_proved asks at each of these ratios and deltas. *)
Definition check_proved_at (c : claim) w D (prec : precision) (tds : list (Q * Q)) : bool :=
  let F := map (row_poly w D) (rows c) in let N := map normal F in
  setting c w D && fits (Log 1%Q) prec &&
  match users c with
  | O => true
  | S n => Every.every (fun i acc => mul (row_at N i) acc) (tell N (fun p q => forallb (fun td => within_point (S n) D td p q) tds))
             (nodup Nat.eq_dec (map (rep N) (seq 0 (length F)))) n [(0, 1)%Z]
  end.
Definition asked_at (c : claim) (td : Q * Q) : claim :=
  {| rows := rows c; sees := sees c; users := users c; eps := Log (fst td); delta := snd td |}.
Definition is_point (td : Q * Q) : bool := (QDen (fst td) <=? Qnum (fst td))%Z && (0 <=? Qnum (snd td))%Z.
Lemma check_proved_at_ok c w D prec tds td : check_proved_at c w D prec tds = true -> In td tds -> is_point td = true ->
  check_proved (asked_at c td) w D prec = true.
Proof.
  unfold check_proved_at, check_proved, is_point. cbv zeta. intros H I G. apply andb_prop in G as [T E].
  apply andb_prop in H as [H EV]. apply andb_prop in H as [S B]. cbn [asked_at rows users eps delta].
  assert (S' : setting (asked_at c td) w D = true).
  { unfold setting in *. cbn [asked_at rows users eps delta good]. do 4 (apply andb_prop in S as [S ?]).
    rewrite S, T, E, H0, H1. reflexivity. }
  change (fits (Log (fst td)) prec) with (fits (Log 1%Q) prec). rewrite S', B. cbn [andb]. destruct (users c) as [|n] eqn:U; [reflexivity|].
  revert EV. apply every_weaker. intros acc. apply tell_weaker. intros p q K. rewrite forallb_forall in K. specialize (K td I).
  unfold within_point in K. unfold Check.worth. cbn [asked_at users delta from_below fst snd]. now rewrite U.
Qed.
(* A proof at all these points. *)
Definition check_crowd_at (c : crowd) (own unit_for : Z) (because : crowd_proof) (tds : list (Q * Q)) : bool :=
  match because with
  | AllDatasets s symmetries [{| rounded := false |} as h] =>
      let C := claim_of (at_point c 1%Q 0%Q) in
      said c own unit_for && replaced c && valid (unit_of s) (rows C) && symmetries_hold C s symmetries &&
      (Nat.eqb (length (rows C)) 1 || check_proved_at (core C) (key_bits s) (unit_of s) (precise h) tds)
  | _ => forallb (fun td => check_crowd (at_point c (fst td) (snd td)) own unit_for because) tds
  end.
Lemma core_asked c td : core (claim_of (at_point c (fst td) (snd td))) = asked_at (core (claim_of (at_point c 1%Q 0%Q))) td.
Proof. unfold core, claim_of. cbn [sees at_point shown_as]. now destruct (shown_as c). Qed.
Lemma check_crowd_at_ok c own unit_for because tds td : check_crowd_at c own unit_for because tds = true -> In td tds ->
  is_point td = true -> check_crowd (at_point c (fst td) (snd td)) own unit_for because = true.
Proof.
  assert (A : forallb (fun td => check_crowd (at_point c (fst td) (snd td)) own unit_for because) tds = true -> In td tds ->
    is_point td = true -> check_crowd (at_point c (fst td) (snd td)) own unit_for because = true).
  { rewrite forallb_forall. intros H I _. exact (H td I). }
  unfold check_crowd_at. destruct because as [s symmetries [|[pr [|] fi cu fa ro bo] [|h' hs]]| |]; try exact A. clear A.
  cbv zeta. intros H I G. do 4 (apply andb_prop in H as [H ?]). unfold check_crowd, check_each.
  change (said (at_point c (fst td) (snd td)) own unit_for) with (said c own unit_for).
  change (replaced (at_point c (fst td) (snd td))) with (replaced c). rewrite H, H3. cbn [andb].
  change (rows (claim_of (at_point c (fst td) (snd td)))) with (rows (claim_of (at_point c 1%Q 0%Q))).
  change (symmetries_hold (claim_of (at_point c (fst td) (snd td)))) with (symmetries_hold (claim_of (at_point c 1%Q 0%Q))).
  rewrite H2, H1. cbn [andb]. apply orb_prop in H0 as [->|H0]; [reflexivity|]. apply orb_true_intro. right.
  cbn [existsb]. unfold upper_holds. cbn [rounded precise] in *. rewrite core_asked, (check_proved_at_ok _ _ _ _ _ _ H0 I G). reflexivity.
Qed.

(* ---- the checker ---- *)
(* Ratios and deltas, and what shows that a run keeps them all. *)
Inductive curve_proof := ForRows (own unit_for : Z) (because : crowd_proof) | ForEnds (by_ : Ends.way) | ForAny (prec : precision) (h : Grid.way).
Record points := { at_points : list (Q * Q); shown_by : curve_proof }.
(* Of each run: points on its curve, the weight of dots where Q has nothing, and dots; trees of boxes, and how the laws in
   their leaves are known; how numbers are known. *)
Inductive part :=
| ByPoints (listed : list points) (far : Z) (dots : list dot)
| ByTrees (own : Z) (s : sizes) (r : round) (many : nat) (sh : list Z) (trees : list covered)
| ByEnds (by_ : Ends.way).
Definition check_points (k : kind) (pts : points) : bool :=
  forallb is_point (at_points pts) &&
  match k, shown_by pts with
  | OfRows c, ForRows own unit_for because => check_crowd_at c own unit_for because (at_points pts)
  | OfAny c, ForAny prec h => forallb (fun td => CheckAny.check_any (any_at c (fst td) (snd td)) prec h) (at_points pts)
  | _, ForEnds w =>
      Ends.passes k w (fun e1 e2 => forallb (fun td => TwoColumns.kept_by_pair (Qnum (fst td)) (QDen (fst td)) (snd td) e1 e2) (at_points pts))
  | _, _ => false
  end.
(* A dot is above a point, or above what its reverse says. *)
Definition dot_of (d : dot) (td : Q * Q) : bool :=
  Qeq_bool (at_ratio d) (fst td) && Qle_bool (snd td) (height_of d) ||
  Qeq_bool (at_ratio d * fst td) 1 && Qle_bool (1 - at_ratio d + snd td * at_ratio d) (height_of d).
(* a lattice's plan, with the powers of its step *)
Notation planned := (plan * ladder)%type.
Definition on {A} (pass : A -> bool) (o : option A) : bool := match o with Some x => pass x | None => false end.
(* P = Q *)
Definition no_loss (p : plan) : lattice := {| level := 0; first := 0; cells := [unit p]; beyond := 0 |}.
Definition leaf_lattice (pl : planned) D (v : cover) (P Q : poly) : option lattice :=
  let N := (scale v * D)%Z in pair_lattice (fst pl) (snd pl) N (Z.max (ceil (D * lost v * unit (fst pl)) N) 0) P Q.
Definition both_lattice (pl : planned) (e1 e2 : TwoColumns.ends_of) : option lattice :=
  match ends_lattice (fst pl) (snd pl) e1, ends_lattice (fst pl) (snd pl) e2 with
  | Some x, Some y => Some (joined (fst pl) x y)
  | _, _ => None
  end.
(* Lattices that are above all pairs of a run, one above each, pass; by one of these plans. Of pairs that are as they are
   there may be many: then all runs have one of them. *)
Definition part_said (k : kind) (q : part) : bool :=
  match k, q with
  | OfRows c, ByPoints ({| shown_by := ForRows own unit_for _ |} :: _) _ _ => said c own unit_for
  | OfAny _, ByPoints _ _ _ => true
  | _, ByPoints ({| shown_by := ForEnds w |} :: _) _ _ => Ends.way_said k w
  | OfRows c, ByTrees own s _ _ _ _ => said c own (unit_of s)
  | _, ByEnds w => Ends.way_said k w
  | _, _ => false
  end.
Fixpoint all_said (ks : list (kind * positive)) (qs : list part) : bool :=
  match ks, qs with
  | [], [] => true
  | (k, _) :: ks, q :: qs => part_said k q && all_said ks qs
  | _, _ => false
  end.
(* What is asked of the pairs of all leaves, or of a block of users in its place. *)
Definition leaves_hold (c : crowd) (s : sizes) (r : round) (many : nat) (sh : list Z) (asked : cover -> poly -> poly -> bool)
    (trees : list covered) : bool :=
  let C := core (claim_of (at_point c 1%Q 0%Q)) in let w := key_bits s in let D := unit_of s in let real := length (each c) in
  let N := map normal (map (row_poly w D) (rows C)) in let R := apart_from_known sh N in
  let G := in_common (firstn real R) in let cs := classes_of N in
  aligned sh N && check_trees C real (all_changes (changes c) real) w D N [r] many [] (fun _ => asked)
    (one_blk C D N R G cs asked) (fun _ => []) trees.
Definition part_holds (same : bool) (pls : list planned) (k : kind) (q : part) (pass : planned -> lattice -> bool) : bool :=
  match k, q with
  | _, ByPoints listed far ds =>
      forallb (check_points k) listed && forallb (fun d => existsb (fun pts => existsb (dot_of d) (at_points pts)) listed) ds &&
      existsb (fun pl => dots_stand (fst pl) far ds && on (pass pl) (start (fst pl) (snd pl) far (map atom_of ds))) pls
  | OfRows c, ByTrees own s r many sh trees =>
      same && existsb (fun pl => pass pl (no_loss (fst pl))) pls &&
      leaves_hold c s r many sh (fun v P Q => existsb (fun pl => on (pass pl) (leaf_lattice pl (unit_of s) v P Q)) pls) trees
  | _, ByEnds w =>
      same && existsb (fun pl => pass pl (no_loss (fst pl))) pls &&
      Ends.passes k w (fun e1 e2 => existsb (fun pl => on (pass pl) (both_lattice pl e1 e2)) pls)
  | _, _ => false
  end.
Fixpoint check_parts (same : bool) (last : planned -> lattice -> bool) (pls : list planned) (ks : list (kind * positive))
    (qs : list part) (before : option lattice) : bool :=
  match ks, qs with
  | [], [] => match pls, before with [pl], Some x => last pl x | _, _ => false end
  | (k, n) :: ks, q :: qs => part_holds same pls k q (fun pl x =>
      let x := repeated (fst pl) n x in
      check_parts same last [pl] ks qs (Some match before with Some y => joined (fst pl) y x | None => x end))
  | _, _ => false
  end.
Definition check_runs (c : composition) (ps : list plan) (prec : precision) (qs : list part) : bool :=
  let z := from_below (runs_eps c) prec in
  all_said (kinds c) qs && forallb plan_fits ps && good (runs_eps c) && fits (runs_eps c) prec &&
  ((QDen (runs_delta c) <=? Qnum (runs_delta c))%Z || check_parts (same_pairs c) (fun pl x => (delta_of (fst pl) x z * QDen (runs_delta c) <=?
      Qnum (runs_delta c) * (unit (fst pl) * one (fst pl)))%Z)
    (map (fun p => (p, powers_at p)) ps) (kinds c) qs None).

Lemma td_ok td : is_point td = true -> 1 <= Q2R (fst td) /\ 0 <= Q2R (snd td).
Proof.
  intros H. apply andb_prop in H as [H D]. apply Z.leb_le in H, D. split.
  - rewrite <- RMicromega.Q2R_1. apply Qle_Rle. unfold Qle. cbn [Qnum Qden]. lia.
  - rewrite <- RMicromega.Q2R_0. apply Qle_Rle. unfold Qle. cbn [Qnum Qden]. lia.
Qed.
Lemma points_ok k pts s td : check_points k pts = true -> In td (at_points pts) -> is_seen k s ->
  both_ways s /\ 1 <= Q2R (fst td) /\ keeps_at s (Q2R (fst td)) (Q2R (snd td)).
Proof.
  intros H I S. unfold check_points in H. apply andb_prop in H as [G H]. rewrite forallb_forall in G. specialize (G td I).
  destruct (td_ok td G) as [T D].
  assert (E : forall w, Ends.passes k w (fun e1 e2 => forallb (fun td => TwoColumns.kept_by_pair (Qnum (fst td)) (QDen (fst td)) (snd td) e1 e2) (at_points pts)) = true ->
    both_ways s /\ 1 <= Q2R (fst td) /\ keeps_at s (Q2R (fst td)) (Q2R (snd td))).
  { intros w P. split; [|split; [exact T|]].
    - intros P1 Q1 J. apply (Ends.way_laws k w s P1 Q1 (Ends.passes_said _ _ _ P) S J).
    - intros P1 Q1 J. destruct (Ends.passes_ok k w _ s P1 Q1 P S J) as [->|(e1 & e2 & K & W)].
      + intros l _. rewrite (sum_ext _ (fun _ => 0 * 0)); [rewrite sum_scale; lra|]. intros y _. rewrite Rmax_right; [ring|].
        destruct (Ends.way_laws k w s Q1 Q1 (Ends.passes_said _ _ _ P) S J) as ([P0 _] & _). specialize (P0 y). nra.
      + rewrite forallb_forall in K. specialize (K td I). apply W; [lra|]. apply andb_prop in G as [G _]. apply Z.leb_le in G.
        pose proof (den_pos (fst td)) as DP. apply (TwoColumns.kept_promised (Qnum (fst td)) (QDen (fst td))); auto; [lia|lia|].
        rewrite Q2R_frac. right. field. lra. }
  destruct k as [c|c|c d|c], (shown_by pts) as [own unit_for because|w|prec h]; try discriminate; [|now apply (E w)..|];
    cbn [is_seen] in S; subst s.
  - apply (check_crowd_at_ok _ _ _ _ _ td) in H; [|exact I|exact G]. pose proof (check_crowd_sound _ _ _ _ H) as C. split; [now apply crowd_both, (proj1 C)|split; [exact T|now apply crowd_keeps]].
  - rewrite forallb_forall in H. specialize (H td I).
    split; [intros P Q; apply any_both_ways|split; [exact T|]]. intros P Q. now apply any_keeps, (CheckAny.check_any_sound _ prec h).
Qed.
Lemma dot_ok k pts s td d : check_points k pts = true -> In td (at_points pts) -> is_seen k s -> dot_of d td = true ->
  keeps_at s (Q2R (at_ratio d)) (Q2R (height_of d)).
Proof.
  intros C I S H. destruct (points_ok k pts s td C I S) as (W & T & K). unfold dot_of in H. apply orb_prop in H as [H|H];
    apply andb_prop in H as [H1 H2]; apply Qeq_bool_eq, Qeq_eqR in H1; apply Qle_bool_imp_le, Qle_Rle in H2.
  - rewrite H1. intros P Q J l N. eapply Rle_trans; [now apply (K P Q J l N)|exact H2].
  - rewrite Q2R_mult, RMicromega.Q2R_1 in H1. assert (E : Q2R (at_ratio d) = / Q2R (fst td)).
    { apply Rmult_eq_reg_r with (Q2R (fst td)); [rewrite H1; field; lra|lra]. }
    rewrite Q2R_plus, Q2R_minus, Q2R_mult, RMicromega.Q2R_1, E in H2. rewrite E.
    intros P Q J l N. eapply Rle_trans; [|exact H2]. now apply (mirrored _ _ _ W T K P Q J l N).
Qed.
(* ---- pairs below a lattice ---- *)
Lemma keeps_under {A} (P Q : A -> R) L : (forall y, 0 <= Q y) -> are_atoms L ->
  (forall z, 0 <= z -> keeps P Q z (curve L 1 z)) -> under P Q (curve L).
Proof.
  intros Q0 HL K u v l HU HV N. destruct (Rle_lt_or_eq_dec 0 u HU) as [U|<-].
  - assert (Z0 : 0 <= v / u) by (apply Rmult_le_pos; [assumption|left; now apply Rinv_0_lt_compat]).
    specialize (K (v / u) Z0 l N). apply (Rmult_le_compat_l u) in K; [|assumption]. unfold curve in *. rewrite <- !sum_scale in K.
    eapply Rle_trans; [|eapply Rle_trans; [exact K|]]; right; apply sum_ext; [intros y _|intros [a r] _; cbn [fst snd]].
    + rewrite Rmax_scaled by assumption. f_equal. field. lra.
    + rewrite <- Rmult_assoc, (Rmult_comm u), Rmult_assoc, Rmax_scaled by assumption. f_equal. f_equal. field. lra.
  - rewrite (sum_ext _ (fun _ => 0 * 0)).
    + rewrite sum_scale, Rmult_0_l. unfold curve. clear - HL. induction L as [|[a r] L IH]; [cbn; lra|]. rewrite sum_cons. cbn [fst snd].
      destruct (HL a r (or_introl eq_refl)). pose proof (Rmax_r (0 - v * r) 0). specialize (IH (fun a r J => HL a r (or_intror J))). nra.
    + intros y _. specialize (Q0 y). rewrite Rmax_right by nra. ring.
Qed.
Definition planned_ok (pl : planned) := plan_fits (fst pl) = true /\ all_rungs (fst pl) (snd pl).
Lemma no_loss_ok p : plan_fits p = true -> fit (no_loss p) /\ forall A (P : A -> R), is_law P -> under P P (curve (atoms_of p (no_loss p))).
Proof.
  intros F. pose proof (unit_pos p F) as U1. pose proof (U_pos p F) as U0.
  split; [split; [repeat constructor; lia|cbn; lia]|]. intros A P [P0 P1] u v l HU HV N. rewrite (atoms_height p F) by assumption.
  unfold height, sums, no_loss. cbn [beyond first cells level Kron.along]. unfold at_place. change (powerRZ (G p 0) (- 0)) with 1.
  apply Rle_trans with (Rmax (u - v) 0 * SpecCount.sum P l).
  - rewrite <- sum_scale. right. apply sum_ext. intros y _. rewrite (Rmult_comm (Rmax _ _)), Rmax_scaled by auto. f_equal. ring.
  - rewrite Rmult_1_r. pose proof (total_above _ _ l P1 N). pose proof (Rmax_r (u - v) 0).
    replace ((0 * u + (IZR (unit p) * Rmax (u - v) 0 + 0)) / IZR (unit p)) with (Rmax (u - v) 0 * 1) by (field; lra). nra.
Qed.
Lemma leaf_told c own s r many sh trees asked l x y r0 M : said c own (unit_of s) = true ->
  leaves_hold c s r many sh asked trees = true -> let D := unit_of s in
  length (l ++ x :: r0) = honest c -> moves (changes c) (length (each c)) x y ->
  (forall i, In i (l ++ r0) -> (i < length (each c))%nat) -> distribution M ->
  exists v P Q, asked v P Q = true /\ 0 < IZR (scale v * D) /\ forall z K, 0 <= z ->
    (forall h, (forall k, 0 <= h k <= 1) -> eval h P + IZR D * IZR (lost v) - z * eval h Q <= K * IZR (scale v * D)) ->
    keeps (law_seen (shown_as c) (with_others M (sent (laws_of c) (l ++ x :: r0))))
      (law_seen (shown_as c) (with_others M (sent (laws_of c) (l ++ y :: r0)))) z K.
Proof.
  intros S H D L MV I DM. pose proof (said_ok _ _ _ S) as W. unfold leaves_hold in H. cbv zeta in H. apply andb_prop in H as [HA H].
  set (C := core (claim_of (at_point c 1%Q 0%Q))) in *. set (w := key_bits s) in *. fold D in H, HA.
  destruct (in_core (at_point c 1%Q 0%Q) l x y r0 W L MV I) as (l' & r' & I' & DX & DY & G). fold C in DX, DY, G.
  apply check_trees_sound in H as (HS & HN & R0 & RN & H).
  assert (DP : (0 < D)%Z) by (eapply Check.unit_pos; [apply (setting_ok _ _ _ HS)|apply DX, in_elt]).
  assert (D0 : 0 < IZR D) by now apply IZR_lt.
  enough (X : exists v P Q, asked v P Q = true /\ 0 < IZR (scale v) /\ forall z K, 0 <= z ->
    (forall h, test h -> eval h P + IZR D * IZR (lost v) - z * eval h Q <= K * IZR (scale v * D)) ->
    at_most Shuffled (rows C) (l' ++ x :: r') (l' ++ y :: r') z K).
  { destruct X as (v & P & Q & AS & S0 & X). exists v, P, Q. split; [exact AS|split; [rewrite mult_IZR; now apply Rmult_lt_0_compat|]].
    intros z K Z0 HK. apply seen_keeps. intros E HE. apply (others_hide _ _ _ _ _ M E DM HE). apply (G z K). now apply X. }
  destruct (H l' x y r' (changes_in _ _ _ _ MV) I' DX DY) as [(us & rest & PR & prec & v & F1 & F2 & CV & AS)|[(g & k & m & XY & B & LE)|(g & us & _ & SK & _)]]; [| |discriminate].
  - eexists v, _, _. split; [exact AS|]. pose proof (proj1 CV) as S0. split; [exact S0|]. intros z K Z0 HK E' HE'.
    assert (LL : (length (l' ++ x :: r') <= users C)%nat) by (rewrite (proj1 DX); lia).
    assert (DX' : dataset (rows C) (length (l' ++ x :: r')) (l' ++ x :: r')) by (split; [reflexivity|apply DX]).
    assert (DY' : dataset (rows C) (length (l' ++ x :: r')) (l' ++ y :: r')) by (split; [now rewrite (proj1 DX), (proj1 DY)|apply DY]).
    pose proof (cover_gap C w D HS HN l' x y r' us rest v z 1 (K * (IZR (scale v) * IZR D)) LL DX' DY' PR CV Z0 Rle_0_1
      ltac:(intros h Th; specialize (HK h Th); rewrite mult_IZR in HK; lra) E' HE') as CG.
    apply Rmult_le_reg_r with (IZR (scale v) * IZR D); [now apply Rmult_lt_0_compat|]. lra.
  - exact (one_blk_told C _ w D sh HS HA DP R0 RN asked g x y k m l' r' DX DY I' XY B LE).
Qed.

(* ---- one run ---- *)
(* What is asked of a run: with "same" data of one of its pairs, else of all. *)
Definition one_of (same : bool) (s s' : seen) : Prop :=
  if same then exists P Q, pairs_of s P Q /\ s' = Seen (outcome s) (fun P' Q' => P' = P /\ Q' = Q) else s' = s.
Lemma dominated_one same s s' L : dominated s L -> one_of same s s' -> dominated s' L.
Proof.
  intros [A D]. unfold one_of. destruct same; [|now intros ->]. intros (P & Q & J & ->). split; [exact A|].
  cbn [pairs_of]. intros P' Q' [-> ->]. now apply D.
Qed.
Lemma part_said_ok k q : part_said k q = true -> kind_said k.
Proof.
  destruct k as [c|c|c d|c], q as [[|[td [own un pr|w|prec h]] pts] far ds|own s r many sh trees|w]; cbn [part_said]; try discriminate;
    try apply said_ok; try apply Ends.way_said_ok; intros _; exact I.
Qed.
Lemma part_laws k q s : part_said k q = true -> is_seen k s -> both_ways s.
Proof.
  assert (R : forall c own un, said c own un = true -> is_seen (OfRows c) s -> both_ways s).
  { intros c own un H ->. now apply crowd_both, (said_ok c own un). }
  assert (E : forall w, Ends.way_said k w = true -> is_seen k s -> both_ways s) by (intros w H S P Q; now apply (Ends.way_laws k w)).
  assert (A : forall c, is_seen (OfAny c) s -> both_ways s) by (intros c -> P Q; apply any_both_ways).
  destruct k as [c|c|c d|c], q as [[|[td [own un pr|w|prec h]] pts] far ds|own s0 r many sh trees|w]; cbn [part_said]; try discriminate; eauto.
Qed.
Lemma part_ok same pls k q pass : (forall pl, In pl pls -> planned_ok pl) -> part_said k q = true ->
  part_holds same pls k q pass = true -> forall s s', is_seen k s -> one_of same s s' ->
  exists pl x, In pl pls /\ pass pl x = true /\ fit x /\ dominated s' (atoms_of (fst pl) x).
Proof.
  intros OK PS H s s' S O. pose proof (part_laws k q s PS S) as BW.
  assert (PO : forall listed far ds, forallb (check_points k) listed && forallb (fun d => existsb (fun pts => existsb (dot_of d) (at_points pts)) listed) ds &&
      existsb (fun pl => dots_stand (fst pl) far ds && on (pass pl) (start (fst pl) (snd pl) far (map atom_of ds))) pls = true ->
    exists pl x, In pl pls /\ pass pl x = true /\ fit x /\ dominated s' (atoms_of (fst pl) x)).
  { clear H. intros listed far ds H. do 2 (apply andb_prop in H as [H ?]). rewrite forallb_forall in H, H1. apply existsb_exists in H0 as (pl & IP & H0).
    apply andb_prop in H0 as [DS ST]. destruct (OK pl IP) as [F RU]. destruct (dots_atoms (fst pl) F far ds DS) as (FR & PL & DA).
    destruct (start _ _ _ _) as [x|] eqn:SX; [|discriminate]. cbn [on] in ST.
    destruct (start_ok (fst pl) F (snd pl) far _ x RU FR PL SX) as [FX B].
    exists pl, x. split; [exact IP|split; [exact ST|split; [exact FX|]]].
    eapply dominated_one; [|exact O]. split; [now apply atoms_of_ok|]. intros P Q J.
    destruct (BW P Q J) as ([P0 P1] & [Q0 Q1] & _). split; [exact P0|split; [exact Q0|]].
    eapply under_below; [apply (dots_under (fst pl) F P Q far ds DS P0 Q0)|].
    + intros l N. now apply (total_above _ _ l P1).
    + intros d K. specialize (H1 d K). apply existsb_exists in H1 as (pts & I & DT). apply existsb_exists in DT as (td & I' & DT).
      exact (dot_ok k pts s td d (H pts I) I' S DT P Q J).
    + intros u v HU HV. rewrite DA by assumption. now apply B. }
  assert (NL0 : existsb (fun pl => pass pl (no_loss (fst pl))) pls = true -> forall A (P : A -> R), is_law P ->
    exists pl x, In pl pls /\ pass pl x = true /\ fit x /\ under P P (curve (atoms_of (fst pl) x))).
  { intros NL A P LP. apply existsb_exists in NL as (pl & IP & NL). destruct (OK pl IP) as [F _]. destruct (no_loss_ok _ F) as [N1 N2].
    exists pl, (no_loss (fst pl)). do 3 (split; [assumption|]). now apply N2. }
  assert (EN : forall w, Ends.way_said k w = true -> same && existsb (fun pl => pass pl (no_loss (fst pl))) pls &&
      Ends.passes k w (fun e1 e2 => existsb (fun pl => on (pass pl) (both_lattice pl e1 e2)) pls) = true ->
    exists pl x, In pl pls /\ pass pl x = true /\ fit x /\ dominated s' (atoms_of (fst pl) x)).
  { clear H. intros w WS H. do 2 (apply andb_prop in H as [H ?]). subst same. destruct O as (P & Q & J & ->). destruct (BW P Q J) as (LP & LQ & _).
    assert (X : exists pl x, In pl pls /\ pass pl x = true /\ fit x /\ under P Q (curve (atoms_of (fst pl) x))).
    { destruct (Ends.passes_ok k w _ s P Q H0 S J) as [->|(e1 & e2 & T & W)]; [now apply NL0|].
      apply existsb_exists in T as (pl & IP & T). destruct (OK pl IP) as [F RU]. unfold both_lattice in T.
      destruct (ends_lattice _ _ e1) as [x1|] eqn:X1; [|discriminate]. destruct (ends_lattice _ _ e2) as [x2|] eqn:X2; [|discriminate]. cbn [on] in T.
      assert (FX : fit x1 /\ fit x2).
      { split; [exact (ends_fit (fst pl) F _ _ _ RU X1)|exact (ends_fit (fst pl) F _ _ _ RU X2)]. }
      destruct FX as [F1 F2]. destruct (joined_ok (fst pl) F x1 x2 F1 F2) as [FJ BJ].
      exists pl, (joined (fst pl) x1 x2). do 3 (split; [assumption|]). apply keeps_under; [apply LQ|now apply atoms_of_ok|].
      intros z Z0. apply W; [exact Z0|]. intros p1 q1 p2 q2 T1 T2.
      destruct (ends_lattice_ok (fst pl) F _ _ p1 q1 x1 RU T1 X1) as [_ U1]. destruct (ends_lattice_ok (fst pl) F _ _ p2 q2 x2 RU T2 X2) as [_ U2].
      pose proof T1 as (_ & _ & [M1 _] & [M2 _]).
      assert (UB : under (Numbers.beside_it p1 p2) (Numbers.beside_it q1 q2) (curve (atoms_of (fst pl) (joined (fst pl) x1 x2)))).
      { eapply under_below; [|exact BJ]. apply (under_product p1 q1 (fun _ => p2) (fun _ => q2)); auto; now apply atoms_of_ok. }
      exact (under_keeps _ _ _ z _ UB Z0 (Rle_refl _)). }
    destruct X as (pl & x & IP & PX & FX & U). exists pl, x. do 3 (split; [assumption|]).
    split; [apply atoms_of_ok; [now apply OK|exact FX]|]. cbn [pairs_of]. intros P' Q' [-> ->]. split; [apply LP|split; [apply LQ|exact U]]. }
  destruct q as [pts far ds|own s0 r many sh trees|w]; cbn [part_holds] in H; [apply (PO pts far ds); now destruct k| |apply (EN w); destruct k; try exact H; exact PS].
  destruct k as [c|c|c d|c]; try discriminate. cbn [is_seen] in S. clear PO EN.
  do 2 (apply andb_prop in H as [H ?]). subst same. rename H1 into NL, H0 into TR. cbn [part_said] in PS. subst s. destruct O as (P & Q & J & ->).
    destruct (BW P Q J) as (LP & LQ & _).
    assert (X : exists pl x, In pl pls /\ pass pl x = true /\ fit x /\ under P Q (curve (atoms_of (fst pl) x))).
    { destruct J as (l & x & y & r0 & M & L & [MV|[-> X]] & I & DM & EP & EQ).
      - destruct (leaf_told c own s0 r many sh trees _ l x y r0 M PS TR L MV I DM) as (v & A & B & AS & N0 & K).
        apply existsb_exists in AS as (pl & IP & AS). destruct (OK pl IP) as [F RU]. unfold leaf_lattice in AS.
        destruct (pair_lattice _ _ _ _ _ _) as [x0|] eqn:PL; [|discriminate]. cbn [on] in AS.
        set (N := (scale v * unit_of s0)%Z) in *. pose proof (lt_IZR _ _ N0) as NP.
        set (far := Z.max (ceil (unit_of s0 * lost v * unit (fst pl)) N) 0) in *.
        destruct (pair_lattice_ok (fst pl) F (snd pl) N far A B x0 RU NP ltac:(unfold far; lia) PL) as [FX UB].
        exists pl, x0. split; [exact IP|split; [exact AS|split; [exact FX|]]]. apply keeps_under; [apply LQ|now apply atoms_of_ok|].
        intros t T0. subst P Q. apply (K t _ T0). intros g G. specialize (UB 1 t g Rle_0_1 T0 G).
        pose proof (U_pos (fst pl) F) as U0. pose proof (ceil_high (unit_of s0 * lost v * unit (fst pl)) N NP) as CH.
        assert (FL : IZR (ceil (unit_of s0 * lost v * unit (fst pl)) N) <= IZR far) by (apply IZR_le; unfold far; lia).
        rewrite !mult_IZR in CH. set (C0 := curve _ _ _) in *. set (U := IZR (unit (fst pl))) in *.
        apply Rmult_le_reg_r with U; [assumption|].
        apply (Rmult_le_compat_r (IZR N * U)) in UB; [|nra].
        replace ((IZR far * 1 / U + (1 * eval g A - t * eval g B) / IZR N) * (IZR N * U)) with
          (IZR far * IZR N + (eval g A - t * eval g B) * U) in UB by (field; lra).
        apply (Rmult_le_compat_r (IZR N)) in FL; lra.
      - subst P Q. now apply NL0. }
    destruct X as (pl & x & IP & PX & FX & U). exists pl, x. do 3 (split; [assumption|]).
    split; [apply atoms_of_ok; [now apply OK|exact FX]|]. cbn [pairs_of]. intros P' Q' [-> ->]. split; [apply LP|split; [apply LQ|exact U]].
Qed.

(* ---- all runs ---- *)
Definition chosen_of (same : bool) (runs : list (seen * positive)) (chosen : list seen) :=
  if same then same_data runs chosen else chosen = any_data runs.
Lemma chosen_next same s n runs chosen : chosen_of same ((s, n) :: runs) chosen -> exists s' rest, one_of same s s' /\
  chosen_of same runs rest /\ chosen = repeat s' (Pos.to_nat n) ++ rest.
Proof.
  unfold chosen_of, one_of. destruct same; cbn [same_data any_data].
  - intros (P & Q & rest & J & S & ->). eexists _, rest. split; [exists P, Q; split; [exact J|reflexivity]|auto].
  - intros ->. exists s, (any_data runs). auto.
Qed.
Lemma Forall2_repeat {A B} (R : A -> B -> Prop) a b n : R a b -> Forall2 R (repeat a n) (repeat b n).
Proof. intros H. induction n; cbn [repeat]; constructor; auto. Qed.
Definition so_far (pls : list planned) (before : option lattice) :=
  match before with None => True | Some y => exists pl, pls = [pl] /\ fit y end.
Definition atoms_before (pl : planned) (before : option lattice) :=
  match before with None => one_atom | Some y => atoms_of (fst pl) y end.
Lemma parts_ok same last ks : forall pls qs before, (forall pl, In pl pls -> planned_ok pl) -> so_far pls before ->
  all_said ks qs = true -> check_parts same last pls ks qs before = true -> (forall k, In k ks -> kind_said (fst k)) /\
  forall seens chosen, Forall2 (fun k s => is_seen (fst k) (fst s) /\ snd k = snd s) ks seens -> chosen_of same seens chosen ->
  exists pl x Ls, In pl pls /\ fit x /\ last pl x = true /\ Forall2 dominated chosen Ls /\
    below (curve (by_atoms (atoms_before pl before) (product_of Ls))) (curve (atoms_of (fst pl) x)).
Proof.
  induction ks as [|[k n] ks IH]; intros pls [|q qs] before OK SF; cbn [all_said check_parts]; try discriminate.
  - destruct pls as [|pl [|]]; try discriminate. destruct before as [x|]; [|discriminate]. intros _ H. split; [intros k []|].
    destruct SF as (pl' & [= <-] & FX). intros seens chosen S C. inversion S; subst.
    assert (chosen = []) as -> by (unfold chosen_of in C; now destruct same). exists pl, x, [].
    split; [now left|split; [exact FX|split; [exact H|split; [constructor|]]]]. intros u v HU HV. cbn [product_of atoms_before].
    destruct (OK pl (or_introl eq_refl)) as [F _]. rewrite product_nothing by now apply atoms_of_ok. lra.
  - intros AS H. apply andb_prop in AS as [PS AS]. pose proof (part_said_ok k q PS) as W.
    pose proof (part_ok same pls k q _ OK PS H) as G. split.
    + intros k' [<-|J]; [exact W|]. clear - AS J. revert qs AS. induction ks as [|[k n] ks IH]; intros [|q qs]; cbn [all_said]; try discriminate; [easy|].
      intros AS. apply andb_prop in AS as [P AS]. destruct J as [<-|J]; [now apply (part_said_ok k q)|eauto].
    + intros seens chosen S C. inversion S as [|? [s m] ? seens' [S1 S2] S3]; subst. cbn [fst snd] in *. subst m.
      destruct (chosen_next _ _ _ _ _ C) as (s' & rest & O & C' & ->).
      destruct (G s s' S1 O) as (pl & x & IP & PX & FX & DX). destruct (OK pl IP) as [F RU].
      destruct (repeated_ok (fst pl) F n x FX) as [R1 R2]. cbv zeta in PX. set (y := repeated (fst pl) n x) in *.
      set (z := match before with Some y0 => joined (fst pl) y0 y | None => y end) in *.
      assert (Z1 : fit z /\ forall u v, 0 <= u -> 0 <= v ->
        curve (by_atoms (atoms_before pl before) (product_of (repeat (atoms_of (fst pl) x) (Pos.to_nat n)))) u v <= curve (atoms_of (fst pl) z) u v).
      { unfold z, atoms_before. destruct before as [b|].
        - destruct SF as (pl' & EP & FB). destruct (joined_ok (fst pl) F b y FB R1) as [J1 J2]. split; [exact J1|].
          intros u v HU HV. eapply Rle_trans; [|now apply J2].
          apply product_below; try (now apply atoms_of_ok); try (apply product_of_ok, all_atoms; assumption); auto; intros ? ? _ _; lra.
        - split; [exact R1|]. intros u v HU HV. rewrite product_one. now apply R2. }
      destruct Z1 as [FZ Z2].
      destruct (IH [pl] qs (Some z)) as [_ IH']; [intros ? [<-|[]]; now split|exists pl; auto|exact AS|exact PX|].
      destruct (IH' seens' rest S3 C') as (pl' & w & Ls & [<-|[]] & FW & LW & DL & BL).
      exists pl, w, (repeat (atoms_of (fst pl) x) (Pos.to_nat n) ++ Ls). split; [exact IP|split; [exact FW|split; [exact LW|split]]].
      * apply Forall2_app; [now apply Forall2_repeat|exact DL].
      * assert (A1 : are_atoms (atoms_before pl before)).
        { destruct before as [b|]; [|apply one_atom_ok]. destruct SF as (pl' & _ & FB). now apply atoms_of_ok. }
        assert (A2 : Forall are_atoms Ls) by (clear - DL; induction DL as [|a L ? ? [D _]]; constructor; auto).
        pose proof (all_atoms (fst pl) F (Pos.to_nat n) x FX) as A3. intros u v HU HV.
        eapply Rle_trans; [|now apply BL]. cbn [atoms_before].
        apply Rle_trans with (curve (by_atoms (by_atoms (atoms_before pl before) (product_of (repeat (atoms_of (fst pl) x) (Pos.to_nat n))))
          (product_of Ls)) u v).
        -- right. rewrite <- product_assoc by (auto; now apply product_of_ok). rewrite !curve_product_left by assumption.
           apply sum_ext. intros o _. f_equal. now apply product_of_app.
        -- apply product_below; auto; try (now apply product_of_ok); try (now apply atoms_of_ok);
             [apply by_atoms_ok; [exact A1|now apply product_of_ok]|intros ? ? _ _; lra].
Qed.
(* Whatever is seen, P has no more than 1. *)
Definition all_of_p : atoms := [(1, 0)].
Lemma all_of_p_curve n : are_atoms (product_of (repeat all_of_p n)) /\ forall u v, 0 <= u -> curve (product_of (repeat all_of_p n)) u v <= Rmax u (u - v).
Proof.
  assert (A : are_atoms all_of_p) by (intros a r [[= <- <-]|[]]; lra). assert (AS : Forall are_atoms (repeat all_of_p n)).
  { apply Forall_forall. intros L J. apply repeat_spec in J. now subst. }
  split; [now apply product_of_ok|]. clear AS. induction n as [|n IH]; intros u v HU; cbn [repeat product_of].
  - unfold curve, one_atom. cbn [SpecCount.sum fold_right fst snd]. rewrite Rmult_1_r. pose proof (Rmax_l u (u - v)). pose proof (Rmax_r u (u - v)).
    unfold Rmax at 1. destruct (Rle_dec _ _); lra.
  - rewrite curve_product_left by exact A. specialize (IH u 0 HU). set (M := product_of _) in *. unfold all_of_p.
    cbn [SpecCount.sum fold_right fst snd]. rewrite Rmult_0_r. rewrite Rminus_0_r in IH. rewrite (Rmax_left u u) in IH by lra. pose proof (Rmax_l u (u - v)). lra.
Qed.
Lemma never_above s : (forall P Q, pairs_of s P Q -> is_law P /\ is_law Q) -> dominated s all_of_p.
Proof.
  intros H. split; [intros a r [[= <- <-]|[]]; lra|]. intros P Q J. destruct (H P Q J) as ([P0 P1] & [Q0 Q1]). split; [exact P0|split; [exact Q0|]].
  intros u v l HU HV N. unfold curve, all_of_p. cbn [SpecCount.sum fold_right fst snd]. rewrite Rmult_0_r, Rminus_0_r, Rmax_left by lra.
  apply Rle_trans with (u * SpecCount.sum P l).
  - rewrite <- sum_scale. apply sum_le. intros y _. specialize (P0 y). specialize (Q0 y). apply Rmax_lub; nra.
  - pose proof (total_above _ _ l P1 N). nra.
Qed.
Lemma all_chosen same ks : forall qs, all_said ks qs = true -> forall seens chosen,
  Forall2 (fun k s => is_seen (fst k) (fst s) /\ snd k = snd s) ks seens -> chosen_of same seens chosen ->
  Forall2 dominated chosen (repeat all_of_p (length chosen)).
Proof.
  induction ks as [|[k n] ks IH]; intros [|q qs] W seens chosen S C; cbn [all_said] in W; try discriminate; inversion S as [|? [s m] ? seens' [S1 S2] S3]; subst.
  - assert (chosen = []) as -> by (unfold chosen_of in C; now destruct same). constructor.
  - cbn [fst snd] in *. apply andb_prop in W as [PS W]. destruct (chosen_next _ _ _ _ _ C) as (s' & rest & O & C' & ->).
    rewrite app_length, repeat_app, repeat_length. apply Forall2_app; [|now apply (IH qs W seens')]. apply Forall2_repeat.
    apply (dominated_one same s s' _); [|exact O]. apply never_above. intros P Q J. destruct (part_laws k q s PS S1 P Q J) as (A & B & _). now split.
Qed.
Lemma all_said_ok ks : forall qs, all_said ks qs = true -> forall k, In k ks -> kind_said (fst k).
Proof.
  induction ks as [|[k n] ks IH]; intros [|q qs]; cbn [all_said]; try discriminate; [intros _ k []|]. intros H. apply andb_prop in H as [P H].
  intros k' [<-|J]; [now apply (part_said_ok k q)|now apply (IH qs)].
Qed.
Theorem check_runs_sound c ps prec qs : check_runs c ps prec qs = true -> composition_true c.
Proof.
  unfold check_runs. intros H. do 4 (apply andb_prop in H as [H ?]). rename H into AS, H3 into PF, H2 into GE, H1 into FT, H0 into L.
  apply orb_prop in L as [L|L].
  { pose proof (all_said_ok _ _ AS) as W. split; [exact W|]. intros seens S chosen C P Q T. apply Z.leb_le, IZR_le in L.
    destruct (together_under _ _ (all_chosen _ _ _ AS _ _ S C)) as [_ U]. pose proof (value_1 _ GE) as Z1.
    apply (under_keeps P Q _ _ _ (U P Q T)); [lra|]. destruct (all_of_p_curve (length chosen)) as [_ B].
    eapply Rle_trans; [apply B; lra|]. rewrite Rmax_left by lra. rewrite Q2R_frac. pose proof (den_pos (runs_delta c)).
    apply Rmult_le_reg_r with (IZR (QDen (runs_delta c))); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (OK : forall pl, In pl (map (fun p => (p, powers_at p)) ps) -> planned_ok pl).
  { intros pl J. apply in_map_iff in J as (p & <- & J). rewrite forallb_forall in PF. specialize (PF p J).
    split; [exact PF|now apply powers_at_ok]. }
  destruct (parts_ok _ _ _ _ qs None OK Logic.I AS L) as [W G]. split; [exact W|]. intros seens S chosen C P Q T.
  destruct (G seens chosen S C) as (pl & x & Ls & IP & FX & LE & DM & BL). destruct (OK pl IP) as [F _].
  destruct (together_under _ _ DM) as [_ U]. pose proof (value_1 _ GE) as Z1. pose proof (from_below_ok _ _ GE FT) as [B0 AB].
  apply (under_keeps P Q (curve (atoms_of (fst pl) x))); [|lra|].
  - eapply under_below; [now apply U|]. intros u v HU HV. specialize (BL u v HU HV). cbn [atoms_before] in BL. now rewrite product_one in BL.
  - pose proof (delta_of_ok (fst pl) F x _ _ FX Z1 B0 AB) as DL. apply Z.leb_le, IZR_le in LE. rewrite !mult_IZR in LE.
    pose proof (U_pos (fst pl) F) as U0. pose proof (I_pos (fst pl) F) as I0. pose proof (den_pos (runs_delta c)) as D0. rewrite Q2R_frac.
    apply Rmult_le_reg_r with (IZR (unit (fst pl)) * IZR (one (fst pl)) * IZR (QDen (runs_delta c))).
    + repeat apply Rmult_lt_0_compat; assumption.
    + set (d := IZR (QDen (runs_delta c))) in *. set (n := IZR (Qnum (runs_delta c))) in *.
      set (w := IZR (unit (fst pl)) * IZR (one (fst pl))) in *. replace (n / d * (w * d)) with (n * w) by (field; lra).
      rewrite <- Rmult_assoc. eapply Rle_trans; [apply Rmult_le_compat_r; [lra|exact DL]|exact LE].
Qed.
