(* The checker of several runs, and the theorem about it. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Psatz Bool Permutation Classical_Prop.
From Shufflecert Require Import Spec SpecCount SpecPresence SpecColumns SpecRuns Poly Law Check Views Sums Presence Numbers Pairs Lattice Dots Atoms.
From Shufflecert Require Below.
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
Lemma put_swap a b s : put a (put b s) = put b (put a s).
Proof.
  induction s as [|k s IH]; cbn [put].
  - destruct (Nat.leb_spec a b), (Nat.leb_spec b a); try reflexivity; try lia. assert (a = b) by lia. now subst.
  - destruct (Nat.leb_spec b k), (Nat.leb_spec a k); cbn [put];
      repeat match goal with |- context [Nat.leb ?x ?y] => destruct (Nat.leb_spec x y) end;
      try lia; try reflexivity; try (now rewrite IH).
    assert (a = b) by lia. now subst.
Qed.
Lemma in_order_perm s t : Permutation s t -> in_order s = in_order t.
Proof.
  unfold in_order. induction 1; cbn [fold_right]; [reflexivity|now rewrite IHPermutation|apply put_swap|congruence].
Qed.
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
  intros H l N. set (f := fun y => if Rle_dec 0 (law_seen v L1 y - z * law_seen v L2 y) then true else false).
  assert (E : SpecCount.sum (fun y => Rmax (law_seen v L1 y - z * law_seen v L2 y) 0) l =
    SpecCount.sum (law_seen v L1) (filter f l) - z * SpecCount.sum (law_seen v L2) (filter f l)).
  { clear. induction l as [|y l IH]; [cbn; ring|]. rewrite sum_cons, IH. cbn [filter].
    destruct (f y) eqn:FY; unfold f in FY; destruct (Rle_dec 0 (law_seen v L1 y - z * law_seen v L2 y)); try discriminate;
      rewrite ?sum_cons; [rewrite Rmax_left by lra; ring|rewrite Rmax_right by lra; ring]. }
  rewrite E, !sum_law_seen by now apply NoDup_filter. apply H, one_of_event.
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
Definition at_point (c : crowd) (t d : Q) : crowd :=
  {| each := each c; takes := takes c; changes := changes c; shown_as := shown_as c; all_users := all_users c;
     honest := honest c; crowd_eps := Log t; crowd_delta := d |}.
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

(* ---- the checker ---- *)
Record point := { ratio_of : Q; delta_at : Q; own_unit : Z; unit_for : Z; because : crowd_proof }.
(* how the atoms of one shift are put on the lattice *)
Record shift_hint := { shift_by : Z; places_of : list Z; many_cells : nat }.
Inductive part :=
| ByPoints (points : list point) (far : Z) (many : nat) (dots : list dot)
| ByShifts (many : nat) (fine : Z) (h : Below.low_hint) (shifts : list shift_hint).
Definition check_point (c : crowd) (pt : point) : bool :=
  (QDen (ratio_of pt) <=? Qnum (ratio_of pt))%Z && (0 <=? Qnum (delta_at pt))%Z &&
  check_crowd (at_point c (ratio_of pt) (delta_at pt)) (own_unit pt) (unit_for pt) (because pt).
(* A dot is above a point, or above what its reverse says. *)
Definition dot_of (d : dot) (pt : point) : bool :=
  Qeq_bool (at_ratio d) (ratio_of pt) && Qle_bool (delta_at pt) (height_of d) ||
  Qeq_bool (at_ratio d * ratio_of pt) 1 && Qle_bool (1 - at_ratio d + delta_at pt * at_ratio d) (height_of d).
Definition no_points (pts : list point) : bool := match pts with [] => true | _ => false end.
Fixpoint all_some {A} (l : list (option A)) : option (list A) :=
  match l with
  | [] => Some []
  | o :: l => match o, all_some l with Some a, Some l => Some (a :: l) | _, _ => None end
  end.
(* Lattices of which one is above each pair of neighbours. *)
Definition lattices_of (p : plan) (k : kind) (q : part) : option (list lattice) :=
  match k, q with
  | OfRows c, ByPoints pts far many ds =>
      if negb (no_points pts) && forallb (check_point c) pts && forallb (fun d => existsb (dot_of d) pts) ds && dots_stand p far ds
      then match start p far many ds with Some x => Some [x] | None => None end else None
  | OfNumbers c, ByShifts many fine h hs =>
      if (0 <=? fine)%Z && Below.law_stands (noise_added c) && Below.units_stand h &&
         forallb (fun d => (d =? 0)%Z || existsb (fun s => (shift_by s =? d)%Z) hs)
           (Sums.run (- largest c) (Z.to_nat (2 * largest c + 1)))
      then let '(f, N) := Below.low_of many fine (noise_added c) h in
        all_some (map (fun s => shift_lattice p f N (shift_by s) (places_of s) (many_cells s)) hs)
      else None
  | _, _ => None
  end.
Fixpoint all_joined (p : plan) (xs : list lattice) : option lattice :=
  match xs with
  | [] => None
  | x :: xs => match all_joined p xs with None => Some x | Some y => Some (joined p x y) end
  end.
Fixpoint choices {A} (ls : list (list A)) : list (list A) :=
  match ls with [] => [[]] | l :: ls => flat_map (fun a => map (cons a) (choices ls)) l end.
Fixpoint all_lattices (p : plan) (ks : list (kind * positive)) (qs : list part) : option (list (list lattice * positive)) :=
  match ks, qs with
  | [], [] => Some []
  | (k, n) :: ks, q :: qs => match lattices_of p k q, all_lattices p ks qs with
      | Some x, Some xs => Some ((x, n) :: xs)
      | _, _ => None
      end
  | _, _ => None
  end.
Definition alone (l : list lattice) : bool := match l with [_] => true | _ => false end.
Definition check_runs (c : composition) (p : plan) (prec : precision) (qs : list part) : bool :=
  plan_fits p && good (runs_eps c) && fits (runs_eps c) prec &&
  match all_lattices p (kinds c) qs with
  | None => false
  | Some xs => (same_pairs c || forallb (fun o => alone (fst o)) xs) &&
      forallb (fun ys => match all_joined p ys with
        | None => false
        | Some x => (delta_of p x (from_below (runs_eps c) prec) * QDen (runs_delta c) <=?
            Qnum (runs_delta c) * (unit p * one p))%Z
        end) (choices (map (fun o => map (repeated p (snd o)) (fst o)) xs))
  end.

Lemma point_ok c pt : check_point c pt = true -> well_said c /\ 1 <= Q2R (ratio_of pt) /\
  keeps_at (of_crowd c) (Q2R (ratio_of pt)) (Q2R (delta_at pt)).
Proof.
  unfold check_point. intros H. do 2 (apply andb_prop in H as [H ?]). apply Z.leb_le in H, H1.
  assert (T : 1 <= Q2R (ratio_of pt)).
  { rewrite <- RMicromega.Q2R_1. apply Qle_Rle. unfold Qle. cbn [Qnum Qden]. lia. }
  assert (D : 0 <= Q2R (delta_at pt)).
  { rewrite <- RMicromega.Q2R_0. apply Qle_Rle. unfold Qle. cbn [Qnum Qden]. lia. }
  pose proof (check_crowd_sound _ _ _ _ H0) as S. split; [exact (proj1 S)|split; [exact T|now apply crowd_keeps]].
Qed.
Lemma dot_ok c pt d : check_point c pt = true -> dot_of d pt = true ->
  keeps_at (of_crowd c) (Q2R (at_ratio d)) (Q2R (height_of d)).
Proof.
  intros C H. destruct (point_ok c pt C) as (W & T & K). unfold dot_of in H. apply orb_prop in H as [H|H];
    apply andb_prop in H as [H1 H2]; apply Qeq_bool_eq, Qeq_eqR in H1; apply Qle_bool_imp_le, Qle_Rle in H2.
  - rewrite H1. intros P Q J l N. eapply Rle_trans; [now apply (K P Q J l N)|exact H2].
  - rewrite Q2R_mult, RMicromega.Q2R_1 in H1. assert (E : Q2R (at_ratio d) = / Q2R (ratio_of pt)).
    { apply Rmult_eq_reg_r with (Q2R (ratio_of pt)); [rewrite H1; field; lra|lra]. }
    rewrite Q2R_plus, Q2R_minus, Q2R_mult, RMicromega.Q2R_1, E in H2. rewrite E.
    intros P Q J l N. eapply Rle_trans; [|exact H2]. now apply (mirrored _ _ _ (crowd_both c W) T K P Q J l N).
Qed.
(* one of these lattices is above each pair *)
Definition covered (p : plan) (s : seen) (xs : list lattice) := Forall fit xs /\ forall P Q, pairs_of s P Q ->
  (forall y, 0 <= P y) /\ (forall y, 0 <= Q y) /\ exists x, In x xs /\ under P Q (curve (atoms_of p x)).
Lemma all_some_ok {A} (l : list (option A)) : forall m, all_some l = Some m -> Forall2 (fun o a => o = Some a) l m.
Proof.
  induction l as [|o l IH]; intros m; cbn [all_some]; [intros [= <-]; constructor|]. destruct o as [a|]; [|discriminate].
  destruct (all_some l) as [m'|]; [|discriminate]. intros [= <-]. constructor; auto.
Qed.
Lemma whole_sum (l r : list Z) x : fold_right Z.add 0%Z (l ++ x :: r) = (fold_right Z.add 0%Z (l ++ r) + x)%Z.
Proof. induction l as [|a l IH]; cbn [app fold_right]; lia. Qed.
Lemma lattices_of_ok p k q xs : plan_fits p = true -> lattices_of p k q = Some xs ->
  kind_said k /\ forall s, is_seen k s -> covered p s xs.
Proof.
  intros F. unfold lattices_of. destruct k as [c|c], q as [pts far many ds|many fine h hs]; try discriminate; cbn [kind_said is_seen].
  - destruct (_ && _) eqn:E; [|discriminate]. destruct (start p far many ds) as [x|] eqn:ST; [|discriminate]. intros [= <-].
    do 3 (apply andb_prop in E as [E ?]). rewrite forallb_forall in H0, H1. destruct (dots_placed p _ _ H) as [FR PL].
    destruct (start_ok p F _ _ _ _ FR PL ST) as [FX B].
    assert (W : well_said c).
    { destruct pts as [|pt pts]; [discriminate|]. apply (point_ok c pt), H1. now left. }
    split; [exact W|]. intros s ->. split; [now constructor|]. intros P Q J.
    destruct (crowd_both c W P Q J) as ([P0 P1] & [Q0 Q1] & _). split; [exact P0|split; [exact Q0|]]. exists x. split; [now left|].
    eapply under_below; [|exact B]. apply (dots_under p F P Q _ _ H P0 Q0).
    + intros l N. now apply (total_above _ _ l P1).
    + intros d K. specialize (H0 d K). apply existsb_exists in H0 as (pt & I & DT). exact (dot_ok c pt d (H1 pt I) DT P Q J).
  - destruct (_ && _) eqn:E; [|discriminate]. do 3 (apply andb_prop in E as [E ?]). apply Z.leb_le in E.
    destruct (Below.low_of many fine (noise_added c) h) as [f N] eqn:LO. intros AS. apply all_some_ok in AS.
    pose proof (Below.law_stands_ok _ H1) as W. pose proof (Below.low_of_below many fine _ E W h H0) as B. rewrite LO in B.
    pose proof (Below.law_mass _ W) as M. split; [exact W|]. intros s ->. rewrite forallb_forall in H.
    assert (G : forall s0 x, In x xs -> exists o, shift_lattice p f N (shift_by o) (places_of o) (many_cells o) = Some x /\
      (s0 = s0 :> Z)).
    { intros s0 x J. clear - AS J. remember (map _ hs) as l eqn:EL. revert hs EL. induction AS as [|o a l m O AS IH]; [destruct J|].
      intros [|h0 hs] EL; cbn [map] in EL; [discriminate|]. injection EL as E1 E2. destruct J as [<-|J]; [exists h0; subst; auto|now apply (IH J hs)]. }
    split.
    + apply Forall_forall. intros x J. destruct (G 0%Z x J) as (o & EO & _). now destruct (shift_lattice_ok p F _ f N _ _ _ x 0 B M EO).
    + intros P Q (l & x & y & r & L & NE & I & -> & ->).
      assert (PQ0 : forall zs k, 0 <= sum_seen c zs k) by (intros; apply M). split; [apply PQ0|split; [apply PQ0|]].
      set (d := (y - x)%Z). assert (D : In d (Sums.run (- largest c) (Z.to_nat (2 * largest c + 1)))).
      { pose proof (I x ltac:(rewrite in_app_iff; cbn; auto)). pose proof (I y ltac:(rewrite in_app_iff; cbn; auto)).
        apply run_in. unfold d. lia. }
      specialize (H d D). apply orb_prop in H as [H|H]; [apply Z.eqb_eq in H; unfold d in H; lia|].
      apply existsb_exists in H as (o & J & EO). apply Z.eqb_eq in EO.
      assert (X : exists z, In z xs /\ shift_lattice p f N (shift_by o) (places_of o) (many_cells o) = Some z).
      { clear - AS J. remember (map _ hs) as l eqn:EL. revert hs EL J. induction AS as [|o' a l m O AS IH]; intros [|h0 hs] EL; cbn [map] in EL; try discriminate; intros J; [destruct J|].
        injection EL as E1 E2. destruct J as [<-|J]; [exists a; split; [now left|congruence]|].
        destruct (IH hs E2 J) as (z & Z1 & Z2). exists z. split; [now right|exact Z2]. }
      destruct X as (z & Z1 & Z2). exists z. split; [exact Z1|].
      destruct (shift_lattice_ok p F _ f N _ _ _ z (fold_right Z.add 0%Z (l ++ x :: r)) B M Z2) as [_ U].
      intros u v m HU HV DM. eapply Rle_trans; [|apply (U u v m HU HV DM)]. right. apply sum_ext. intros k _. unfold sum_seen.
      do 4 f_equal. rewrite EO, !whole_sum. unfold d. lia.
Qed.

(* ---- all runs ---- *)
Definition in_all (p : plan) (xs : list (lattice * positive)) : list atoms :=
  flat_map (fun o => repeat (atoms_of p (fst o)) (Pos.to_nat (snd o))) xs.
Lemma Forall2_repeat {A B} (R : A -> B -> Prop) a b n : R a b -> Forall2 R (repeat a n) (repeat b n).
Proof. intros H. induction n; cbn [repeat]; constructor; auto. Qed.
Definition of_these (xs : list (list lattice * positive)) (ys : list (lattice * positive)) :=
  Forall2 (fun o x => In (fst x) (fst o) /\ snd o = snd x) xs ys.
Lemma fit_in p s xs x : plan_fits p = true -> covered p s xs -> In x xs -> fit x /\ are_atoms (atoms_of p x).
Proof. intros F [C _] J. rewrite Forall_forall in C. split; [now apply C|]. now apply (atoms_of_ok p F), C. Qed.
Definition all_covered (p : plan) (runs : list (seen * positive)) (xs : list (list lattice * positive)) :=
  Forall2 (fun o x => covered p (fst o) (fst x) /\ snd o = snd x) runs xs.
Lemma any_dominated p runs xs : plan_fits p = true -> all_covered p runs xs -> forallb (fun o => alone (fst o)) xs = true ->
  exists ys, of_these xs ys /\ Forall (fun o => fit (fst o)) ys /\ Forall2 dominated (any_data runs) (in_all p ys).
Proof.
  intros F. induction 1 as [|[s n] [x m] runs xs [C E] A IH]; cbn [forallb any_data fst snd] in *; intros S.
  - exists []. repeat split; constructor.
  - apply andb_prop in S as [S1 S2]. destruct (IH S2) as (ys & O & FY & D). subst m. destruct x as [|x [|]]; try discriminate.
    destruct (fit_in p s [x] x F C (or_introl eq_refl)) as [FX AX].
    exists ((x, n) :: ys). split; [constructor; [cbn; auto|exact O]|split; [now constructor|]].
    cbn [in_all flat_map fst snd]. apply Forall2_app; [|exact D]. apply Forall2_repeat. split; [exact AX|]. intros P Q J.
    destruct C as [_ C]. destruct (C P Q J) as (P0 & Q0 & z & [<-|[]] & U). auto.
Qed.
Lemma same_dominated p runs xs : plan_fits p = true -> all_covered p runs xs -> forall chosen, same_data runs chosen ->
  exists ys, of_these xs ys /\ Forall (fun o => fit (fst o)) ys /\ Forall2 dominated chosen (in_all p ys).
Proof.
  intros F. induction 1 as [|[s n] [x m] runs xs [C E] A IH]; cbn [same_data fst snd] in *; intros chosen S.
  - subst chosen. exists []. repeat split; constructor.
  - destruct S as (P & Q & rest & J & S & ->). destruct (IH rest S) as (ys & O & FY & D). subst m. pose proof C as C'. destruct C' as [_ C'].
    destruct (C' P Q J) as (P0 & Q0 & z & I & U). destruct (fit_in p s x z F C I) as [FX AX].
    exists ((z, n) :: ys). split; [constructor; [cbn; auto|exact O]|split; [now constructor|]].
    cbn [in_all flat_map fst snd]. apply Forall2_app; [|exact D]. apply Forall2_repeat. split; [exact AX|].
    cbn [pairs_of]. intros P' Q' [-> ->]. auto.
Qed.
Lemma all_joined_ok p ys x : plan_fits p = true -> Forall (fun o => fit (fst o)) ys ->
  all_joined p (map (fun o => repeated p (snd o) (fst o)) ys) = Some x ->
  fit x /\ below (curve (product_of (in_all p ys))) (curve (atoms_of p x)).
Proof.
  intros F. revert x. induction ys as [|[y n] ys IH]; intros x FX; cbn [map all_joined fst snd]; [discriminate|].
  inversion_clear FX. cbn [fst] in H. destruct (repeated_ok p F n y H) as [R1 R2].
  assert (OK : Forall are_atoms (in_all p ys)).
  { apply Forall_forall. intros L J. unfold in_all in J. apply in_flat_map in J as (o & J & K). apply repeat_spec in K. subst L.
    rewrite Forall_forall in H0. now apply (atoms_of_ok p F), H0. }
  cbn [in_all flat_map fst snd]. fold (in_all p ys). destruct (all_joined p (map _ ys)) as [z|] eqn:E.
  - intros EX. destruct (IH z H0 eq_refl) as [Z1 Z2]. destruct (joined_ok p F _ _ R1 Z1) as [J1 J2].
    assert (EX' : joined p (repeated p n y) z = x) by (revert EX; generalize (joined p (repeated p n y) z); congruence). subst x.
    split; [exact J1|].
    intros u v HU HV. rewrite product_of_app by (auto; now apply all_atoms). eapply Rle_trans; [|now apply J2].
    apply product_below; auto; try (now apply atoms_of_ok); apply product_of_ok; auto; now apply all_atoms.
  - intros EX. assert (EX' : repeated p n y = x) by (revert EX; generalize (repeated p n y); congruence). subst x. split; [exact R1|].
    destruct ys as [|[a b] ys]; [|cbn [map all_joined] in E; destruct (all_joined p (map _ ys)); discriminate].
    cbn [in_all flat_map]. rewrite app_nil_r. exact R2.
Qed.
Lemma chosen_is p xs ys : of_these xs ys ->
  In (map (fun o => repeated p (snd o) (fst o)) ys) (choices (map (fun o => map (repeated p (snd o)) (fst o)) xs)).
Proof.
  induction 1 as [|[l n] [x m] xs ys [I E] O IH]; cbn [map choices fst snd] in *; [now left|]. subst m.
  apply in_flat_map. exists (repeated p n x). split; [now apply in_map|now apply in_map].
Qed.
Lemma all_lattices_ok p ks : plan_fits p = true -> forall qs xs, all_lattices p ks qs = Some xs ->
  (forall k, In k ks -> kind_said (fst k)) /\
  forall seens, Forall2 (fun k s => is_seen (fst k) (fst s) /\ snd k = snd s) ks seens -> all_covered p seens xs.
Proof.
  intros F. induction ks as [|[k n] ks IH]; intros [|q qs] xs; cbn [all_lattices]; try discriminate.
  - intros [= <-]. split; [intros k []|]. intros seens S. inversion S. constructor.
  - destruct (lattices_of p k q) as [x|] eqn:E; [|discriminate]. destruct (all_lattices p ks qs) as [ys|] eqn:E2; [|discriminate].
    intros [= <-]. destruct (lattices_of_ok p k q x F E) as (W & D). destruct (IH qs ys E2) as (W2 & D2).
    split; [intros k' [<-|J]; [exact W|now apply W2]|]. intros seens S.
    inversion S as [|? [s m] ? seens' [S1 S2] S3]; subst. cbn [fst snd] in *. constructor; [|now apply D2].
    split; [now apply D|]. now symmetry.
Qed.
Lemma value_least e : good e = true -> 1 <= value e.
Proof.
  destruct e as [q|z]; cbn [good value]; intros H; apply Z.leb_le in H.
  - rewrite <- exp_0. destruct (Rle_lt_or_eq_dec 0 (Q2R q)) as [L|<-]; [|left; now apply exp_increasing|lra].
    rewrite <- RMicromega.Q2R_0. apply Qle_Rle. unfold Qle. cbn [Qnum Qden]. lia.
  - rewrite <- RMicromega.Q2R_1. apply Qle_Rle. unfold Qle. cbn [Qnum Qden]. lia.
Qed.
Theorem check_runs_sound c p prec qs : check_runs c p prec qs = true -> composition_true c.
Proof.
  unfold check_runs. intros H. do 3 (apply andb_prop in H as [H ?]). rename H into F, H2 into GE, H1 into FT, H0 into L.
  destruct (all_lattices p (kinds c) qs) as [xs|] eqn:E; [|discriminate]. apply andb_prop in L as [AL L]. rewrite forallb_forall in L.
  destruct (all_lattices_ok p (kinds c) F qs xs E) as (W & D).
  split; [exact W|]. intros seens S chosen C P Q T. specialize (D seens S).
  assert (DM : exists ys, of_these xs ys /\ Forall (fun o => fit (fst o)) ys /\ Forall2 dominated chosen (in_all p ys)).
  { destruct (same_pairs c); [now apply (same_dominated p seens)|subst chosen; now apply any_dominated]. }
  destruct DM as (ys & O & FY & DM). specialize (L _ (chosen_is p xs ys O)).
  destruct (all_joined p (map _ ys)) as [x|] eqn:E2; [|discriminate]. apply Z.leb_le in L.
  destruct (all_joined_ok p ys x F FY E2) as [X1 X2].
  destruct (together_under _ _ DM) as [_ U]. pose proof (value_least _ GE) as Z1.
  pose proof (from_below_ok _ _ GE FT) as [B0 AB].
  apply (under_keeps P Q (curve (atoms_of p x))); [eapply under_below; [now apply U|exact X2]|lra|].
  pose proof (delta_of_ok p F x _ _ X1 Z1 B0 AB) as DL. apply IZR_le in L. rewrite !mult_IZR in L.
  pose proof (U_pos p F) as U0. pose proof (I_pos p F) as I0. pose proof (den_pos (runs_delta c)) as D0. rewrite Q2R_frac.
  apply Rmult_le_reg_r with (IZR (unit p) * IZR (one p) * IZR (QDen (runs_delta c))).
  - repeat apply Rmult_lt_0_compat; assumption.
  - set (d := IZR (QDen (runs_delta c))) in *. set (n := IZR (Qnum (runs_delta c))) in *.
    set (w := IZR (unit p) * IZR (one p)) in *. replace (n / d * (w * d)) with (n * w) by (field; lra).
    rewrite <- Rmult_assoc. eapply Rle_trans; [apply Rmult_le_compat_r; [lra|exact DL]|exact L].
Qed.
