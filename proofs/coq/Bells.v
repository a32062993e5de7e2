(* Bells: how they fall, their sums, and what is known of them from below by walking from 0 outwards. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require AnyRandomizer.
From Shufflecert Require Import Spec SpecCount SpecColumns Sums Poly Exp Check Noise Total Gain Window Numbers.
Import ListNotations.
Notation sum := SpecCount.sum.
Local Open Scope Z_scope.

(* 1 / (2 v) *)
Definition rate (v : Q) : Q := Qinv ((2 # 1) * v).
(* B times weight (k + 1) / weight k at k = 0, and B times what this is multiplied by where k grows by 1: from below and
   from above *)
Definition ratios (b : bell) (B : Z) (p : precision) : Z * Z * (Z * Z) :=
  match b with
  | Gaussian v =>
      let low := from_below (Of (rate v)) p in let high := from_above (Of (rate v)) p in
      let rl := B * snd high / fst high in let rh := ceil (B * snd low) (fst low) in
      (rl, rh, (rl * rl / B, ceil (rh * rh) B))
  | Bounded q _ => (B * Qnum q / QDen q, ceil (B * Qnum q) (QDen q), (B, B))
  end.
Definition at_end (b : bell) (k : Z) : bool := match b with Gaussian _ => false | Bounded _ bound => bound <=? k end.
(* (weights of -k, ..., k from below, an upper end of the sum of all) where u and v are that of k, all the sum of those
   before *)
Fixpoint outwards (b : bell) (steps : nat) (B tl th k u v rl rh : Z) (p : poly) (all : Z) : poly * Z :=
  let p := if k =? 0 then [(0, u)] else (- k, u) :: (k, u) :: p in
  let all := all + (if k =? 0 then v else 2 * v) in
  match steps with
  | S n =>
      if at_end b k then (p, all)
      else outwards b n B tl th (k + 1) (u * rl / B) (ceil (v * rh) B) (rl * tl / B) (ceil (rh * th) B) p all
  | O => if at_end b k then (p, all) else if (0 <=? rh) && (rh <? B) then (p, all + 2 * beyond v (rh, B)) else ([], 0)
  end.
Definition bell_stands (b : bell) : bool :=
  match b with
  | Gaussian v => 0 <? Qnum v
  | Bounded q bound => (0 <? Qnum q) && (Qnum q <? QDen q) && (0 <=? bound)
  end.
Definition bell_fits (b : bell) (p : precision) : bool :=
  match b with
  | Gaussian v => fits (Of (rate v)) p && (0 <? fst (from_below (Of (rate v)) p)) && (0 <? fst (from_above (Of (rate v)) p))
  | Bounded _ _ => true
  end.
Definition known_bell (b : bell) (steps : nat) (B : Z) (p : precision) : poly * Z :=
  if bell_fits b p && (0 <? B) then
    let '(rl, rh, (tl, th)) := ratios b B p in outwards b steps B tl th 0 B B rl rh [] 0
  else ([], 0).

Local Open Scope R_scope.
Lemma bell_stands_ok b : bell_stands b = true -> is_bell b.
Proof.
  destruct b as [v|q bound]; cbn [bell_stands is_bell]; intros H; [now apply above_0_ok|].
  apply andb_prop in H as [H B]. apply andb_prop in H as [P H]. apply Z.leb_le in B.
  split; [split; [now apply above_0_ok|now apply below_1_ok]|exact B].
Qed.
(* weight (k + 1) / weight k for k >= 0, and what it is multiplied by *)
Definition ratio_of (b : bell) (k : Z) : R :=
  match b with Gaussian v => exp (- (2 * IZR k + 1) / (2 * Q2R v)) | Bounded q _ => Q2R q end.
Definition turn_of (b : bell) : R := match b with Gaussian v => exp (- 2 / (2 * Q2R v)) | Bounded _ _ => 1 end.
Section Bell.
Variables (b : bell) (Hb : is_bell b).
Let w := weight_of b.
Lemma bell_even k : w (- k)%Z = w k.
Proof.
  unfold w, weight_of. destruct b as [v|q bound].
  - rewrite opp_IZR. do 2 f_equal. f_equal. ring.
  - rewrite Z.abs_opp. cbn [prob]. replace (Z.abs_nat (- k)) with (Z.abs_nat k) by lia. reflexivity.
Qed.
Lemma bell_0 k : 0 <= w k.
Proof.
  unfold w, weight_of. destruct b as [v|q bound]; cbn [is_bell] in Hb.
  - apply Rmult_le_pos; [left; apply exp_pos|left; apply Rinv_0_lt_compat; lra].
  - destruct (_ <=? _)%Z; [|lra]. apply prob_nonneg. cbn. lra.
Qed.
Lemma bell_center : 0 < w 0.
Proof.
  unfold w, weight_of. destruct b as [v|q bound]; cbn [is_bell] in Hb.
  - apply Rdiv_lt_0_compat; [apply exp_pos|lra].
  - destruct Hb as [Q B]. cbn [Z.abs]. destruct (Z.leb_spec 0 bound); [|lia]. cbn [prob]. apply Rmult_lt_0_compat; [|cbn; lra].
    apply Rdiv_lt_0_compat; lra.
Qed.
Lemma ratio_pos k : 0 <= ratio_of b k.
Proof. unfold ratio_of. destruct b as [v|q bound]; cbn [is_bell] in Hb; [left; apply exp_pos|lra]. Qed.
Lemma ratio_turns k : ratio_of b (k + 1) = ratio_of b k * turn_of b.
Proof.
  unfold ratio_of, turn_of. destruct b as [v|q bound]; cbn [is_bell] in Hb; [|ring]. rewrite <- exp_plus. f_equal.
  rewrite plus_IZR. field. lra.
Qed.
Lemma turn_1 : 0 <= turn_of b <= 1.
Proof.
  unfold turn_of. destruct b as [v|q bound]; cbn [is_bell] in Hb; [|lra]. split; [left; apply exp_pos|].
  rewrite <- exp_0. left. apply exp_increasing. assert (0 < 2 / (2 * Q2R v)) by (apply Rdiv_lt_0_compat; lra).
  unfold Rdiv in *. lra.
Qed.
Lemma ratio_falls k j : (k <= j)%Z -> ratio_of b j <= ratio_of b k.
Proof.
  intros L. replace j with (k + Z.of_nat (Z.to_nat (j - k)))%Z by lia. generalize (Z.to_nat (j - k)). intros n.
  induction n as [|n IH]; [rewrite Z.add_0_r; lra|]. replace (k + Z.of_nat (S n))%Z with (k + Z.of_nat n + 1)%Z by lia.
  rewrite ratio_turns. pose proof (ratio_pos (k + Z.of_nat n)). pose proof turn_1. nra.
Qed.
Lemma bell_ratio k : (0 <= k)%Z -> w (k + 1) <= w k * ratio_of b k /\ (at_end b k = false -> w (k + 1) = w k * ratio_of b k).
Proof.
  intros K. assert (E : at_end b k = false -> w (k + 1) = w k * ratio_of b k).
  { unfold w, weight_of, ratio_of, at_end. destruct b as [v|q bound]; cbn [is_bell] in Hb; intros A.
    - unfold Rdiv at 1 3. rewrite Rmult_assoc, (Rmult_comm (/ _) (exp _)), <- Rmult_assoc, <- exp_plus. f_equal. f_equal.
      rewrite plus_IZR. field. lra.
    - apply Z.leb_gt in A. destruct (Z.leb_spec (Z.abs (k + 1)) bound); [|lia]. destruct (Z.leb_spec (Z.abs k) bound); [|lia].
      cbn [prob]. replace (Z.abs_nat (k + 1)) with (S (Z.abs_nat k)) by lia. cbn [pow]. ring. }
  assert (E0 : at_end b k = true -> w (k + 1) = 0).
  { unfold at_end, w, weight_of. destruct b as [v|q bound]; [discriminate|]. intros A. apply Z.leb_le in A.
    destruct (Z.leb_spec (Z.abs (k + 1)) bound); [lia|reflexivity]. }
  split; [|exact E]. destruct (at_end b k); [|rewrite E; auto; lra]. rewrite E0 by reflexivity. apply Rmult_le_pos; [apply bell_0|apply ratio_pos].
Qed.
Lemma bell_ends k : (0 <= k)%Z -> at_end b k = true -> forall j, (k < j)%Z -> w j = 0.
Proof.
  unfold at_end, w, weight_of. destruct b as [v|q bound]; [discriminate|]. intros K A j J. apply Z.leb_le in A.
  destruct (Z.leb_spec (Z.abs j) bound); [lia|reflexivity].
Qed.
Lemma bell_falls K k : (0 <= K <= k)%Z -> w (k + 1) <= w k * ratio_of b K.
Proof.
  intros L. destruct (bell_ratio k ltac:(lia)) as [H _]. eapply Rle_trans; [exact H|]. apply Rmult_le_compat_l; [apply bell_0|].
  apply ratio_falls. lia.
Qed.
Lemma bell_two_sides m : isum w (- Z.of_nat m) m = isum w 1 m.
Proof.
  induction m as [|m IH]; [reflexivity|]. rewrite isum_first, isum_last. replace (- Z.of_nat (S m) + 1)%Z with (- Z.of_nat m)%Z by lia.
  rewrite IH, bell_even. replace (1 + Z.of_nat m)%Z with (Z.of_nat (S m)) by lia. ring.
Qed.
Lemma bell_sums c : (forall m, w 0 + 2 * isum w 1 m <= c) -> forall l, NoDup l -> sum w l <= c.
Proof.
  intros H. apply run_bounds; [apply bell_0|]. intros N N0. replace (Z.to_nat (2 * N + 1)) with (Z.to_nat N + (1 + Z.to_nat N))%nat by lia.
  rewrite !isum_app. replace (- N + Z.of_nat (Z.to_nat N))%Z with 0%Z by lia. specialize (H (Z.to_nat N)).
  replace (- N)%Z with (- Z.of_nat (Z.to_nat N))%Z by lia. rewrite bell_two_sides. change (0 + Z.of_nat 1)%Z with 1%Z.
  replace (isum w 0 1) with (w 0%Z) by (unfold isum; cbn; ring). lra.
Qed.
Lemma bell_at_most_1 l : NoDup l -> sum w l <= 1.
Proof.
  pose proof Hb as H. assert (C : (exists v, b = Gaussian v) \/ exists q bound, b = Bounded q bound).
  { destruct b as [v|q bound]; [left; now exists v|right; now exists q, bound]. }
  destruct C as [[v Eb]|(q & bound & Eb)]; rewrite Eb in H; cbn [is_bell] in H.
  - revert l. apply bell_sums. intros m. assert (EV : (0 < Qnum v)%Z).
    { apply lt_IZR. pose proof (den_pos v) as D. rewrite Q2R_frac in H. apply Rmult_lt_reg_r with (/ IZR (QDen v)); [now apply Rinv_0_lt_compat|].
      rewrite Rmult_0_l. exact H. }
    assert (G : (forall k, (0 <= k)%Z -> w (k + 1) * IZR (2 * Qnum v + QDen v) <= w k * IZR (2 * Qnum v))).
      { intros k K. destruct (bell_ratio k K) as [R _]. pose proof (bell_0 k) as W. pose proof (den_pos v) as D.
        assert (V : 2 * Q2R v = IZR (2 * Qnum v) / IZR (QDen v)) by (rewrite Q2R_frac, mult_IZR; field; lra).
        assert (N0 : 0 < IZR (2 * Qnum v)) by (apply IZR_lt; lia).
        assert (E : ratio_of b k * IZR (2 * Qnum v + QDen v) <= IZR (2 * Qnum v)).
        { apply Rle_trans with (ratio_of b 0 * IZR (2 * Qnum v + QDen v)).
          { apply Rmult_le_compat_r; [rewrite plus_IZR; lra|]. now apply ratio_falls. }
          rewrite Eb. cbn [ratio_of]. rewrite Rmult_0_r, Rplus_0_l. unfold Rdiv. rewrite Ropp_mult_distr_l_reverse, Rmult_1_l, V.
          set (y := / (IZR (2 * Qnum v) / IZR (QDen v))). assert (Y : y * IZR (2 * Qnum v) = IZR (QDen v)) by (unfold y; field; lra).
          pose proof (exp_ineq1_le y) as X. pose proof (exp_pos y). rewrite exp_Ropp.
          apply Rmult_le_reg_l with (exp y); [assumption|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
          rewrite plus_IZR, <- Y. nra. }
        eapply Rle_trans; [apply Rmult_le_compat_r; [rewrite plus_IZR; lra|exact R]|]. rewrite Rmult_assoc. now apply Rmult_le_compat_l. }
      pose proof (series_up w bell_0 (2 * Qnum v) (2 * Qnum v + QDen v) ltac:(lia) ltac:(lia) 0 G m) as S.
      replace (2 * Qnum v + QDen v - 2 * Qnum v)%Z with (QDen v) in S by ring. change (0 + 1)%Z with 1%Z in S.
      pose proof (den_pos v) as D. assert (S' : isum w 1 m <= w 0 * (2 * Q2R v)).
      { apply Rmult_le_reg_r with (IZR (QDen v)); [exact D|]. eapply Rle_trans; [exact S|]. right. rewrite Q2R_frac, mult_IZR. field. lra. }
      assert (W0 : w 0 * (1 + 4 * Q2R v) = 1).
      { unfold w, weight_of. rewrite Eb. replace (- (0 * 0) / (2 * Q2R v)) with 0 by (unfold Rdiv; ring). rewrite exp_0. field. lra. }
      nra.
  - intros D. eapply Rle_trans; [|apply (total_above (prob (DiscreteLaplace q)) 1 l (prob_total (DiscreteLaplace q) (proj1 H)) D)].
    apply sum_le. intros k _. unfold w, weight_of. rewrite Eb. destruct (_ <=? _)%Z; [lra|]. apply prob_nonneg. exact (proj1 H).
Qed.
Let N := series w.
Lemma bell_total : total w N.
Proof. apply series_total, bell_at_most_1. Qed.
Lemma bell_total_pos : 0 < N.
Proof.
  pose proof (total_above _ _ [0%Z] bell_total) as H. cbn in H. pose proof bell_center.
  assert (w 0 + 0 <= N) by (apply H; constructor; [easy|constructor]). lra.
Qed.
Lemma total_scaled {A} (f : A -> R) t c : 0 < c -> total f t -> total (fun k => f k / c) (t / c).
Proof.
  intros C T. assert (S : forall l, sum (fun k => f k / c) l = sum f l / c).
  { intros l. unfold Rdiv. rewrite Rmult_comm, <- sum_scale. apply sum_ext. intros. ring. }
  split.
  - intros y (l & D & ->). rewrite S. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. now apply (total_above f).
  - intros y Y. apply Rmult_le_reg_r with c; [exact C|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply (total_least f); [exact T|]. intros l D. specialize (Y (sum f l / c) ltac:(exists l; now rewrite S)).
    apply Rmult_le_compat_r with (r := c) in Y; [|lra]. unfold Rdiv in Y. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in Y by lra. exact Y.
Qed.
Theorem bell_mass : is_mass (fun k => w k / N).
Proof.
  pose proof bell_total_pos as P. split.
  - intros k. apply Rmult_le_pos; [apply bell_0|left; now apply Rinv_0_lt_compat].
  - replace 1 with (N / N) by (field; lra). apply total_scaled; [exact P|apply bell_total].
Qed.

(* ---- the walk ---- *)
Section Walk.
Variables (B tl th : Z) (B0 : (0 < B)%Z) (TL : (0 <= tl)%Z) (TB : IZR tl <= IZR B * turn_of b <= IZR th).
Let x := IZR B / w 0.
Lemma x_0 : 0 < x.
Proof. apply Rdiv_lt_0_compat; [now apply IZR_lt|apply bell_center]. Qed.
Definition up_to (k : Z) : R := w 0 + 2 * isum w 1 (Z.to_nat k).
Lemma up_to_next k : (0 <= k)%Z -> up_to (k + 1) = up_to k + 2 * w (k + 1).
Proof.
  intros K. unfold up_to. replace (Z.to_nat (k + 1)) with (S (Z.to_nat k)) by lia. rewrite isum_last.
  replace (1 + Z.of_nat (Z.to_nat k))%Z with (k + 1)%Z by lia. ring.
Qed.
Lemma both_sides k u p : (0 <= k)%Z -> (forall j, eval (fun i => if (i =? j)%Z then 1 else 0) p <= if (Z.abs j <? k)%Z then x * w j else 0) ->
  IZR u <= x * w k -> forall j, eval (fun i => if (i =? j)%Z then 1 else 0) (if (k =? 0)%Z then [(0%Z, u)] else (- k, u)%Z :: (k, u) :: p) <=
    if (Z.abs j <? k + 1)%Z then x * w j else 0.
Proof.
  intros K P U j. specialize (P j). pose proof x_0 as X. pose proof (bell_0 j) as W.
  destruct (Z.eqb_spec k 0) as [->|K0].
  - cbn [eval]. destruct (Z.eqb_spec 0 j) as [<-|J].
    + destruct (Z.ltb_spec (Z.abs 0) (0 + 1)); [lra|cbn in *; lia].
    + destruct (Z.ltb_spec (Z.abs j) (0 + 1)); [lia|lra].
  - cbn [eval]. destruct (Z.eqb_spec (- k) j) as [J1|J1], (Z.eqb_spec k j) as [J2|J2]; try lia.
    + subst j. rewrite bell_even. destruct (Z.ltb_spec (Z.abs (- k)) k), (Z.ltb_spec (Z.abs (- k)) (k + 1)); try lia. lra.
    + subst j. destruct (Z.ltb_spec (Z.abs k) k), (Z.ltb_spec (Z.abs k) (k + 1)); try lia. lra.
    + destruct (Z.ltb_spec (Z.abs j) k), (Z.ltb_spec (Z.abs j) (k + 1)); try lia; lra.
Qed.
Lemma outwards_ok steps : forall k u v rl rh p all, (0 <= k)%Z -> (0 <= u)%Z -> IZR u <= x * w k <= IZR v ->
  (0 <= rl)%Z -> IZR rl <= IZR B * ratio_of b k <= IZR rh ->
  (forall j, eval (fun i => if (i =? j)%Z then 1 else 0) p <= if (Z.abs j <? k)%Z then x * w j else 0) ->
  x * (if (k =? 0)%Z then 0 else up_to (k - 1)) <= IZR all ->
  let a := outwards b steps B tl th k u v rl rh p all in (0 < snd a)%Z ->
  (forall j, eval (fun i => if (i =? j)%Z then 1 else 0) (fst a) <= x * w j) /\ forall m, x * (w 0 + 2 * isum w 1 m) <= IZR (snd a).
Proof.
  pose proof x_0 as X. apply IZR_lt in B0 as B'.
  induction steps as [|n IH]; intros k u v rl rh p all K U UV RL RR P A; cbv zeta; cbn [outwards].
  all: pose proof (both_sides k u p K P (proj1 UV)) as P'; set (q := if (k =? 0)%Z then [(0%Z, u)] else _) in *.
  all: assert (A' : x * up_to k <= IZR (all + (if (k =? 0)%Z then v else 2 * v))).
  1, 3: rewrite plus_IZR; revert A; destruct (Z.eqb_spec k 0) as [->|K0]; intros A;
    [unfold up_to; change (isum w 1 (Z.to_nat 0)) with 0; destruct UV; lra|
    replace k with (k - 1 + 1)%Z at 1 by lia; rewrite up_to_next by lia; replace (k - 1 + 1)%Z with k by lia; rewrite mult_IZR; lra].
  all: set (all' := (all + _)%Z) in *.
  all: assert (Q : forall j, eval (fun i => if (i =? j)%Z then 1 else 0) q <= x * w j) by
    (intros j; specialize (P' j); assert (0 <= x * w j) by (apply Rmult_le_pos; [lra|apply bell_0]); destruct (Z.ltb_spec (Z.abs j) (k + 1)); [exact P'|exact (Rle_trans _ 0 _ P' H)]).
  all: assert (M : forall m, isum w 1 m <= isum w 1 (Z.to_nat k) + isum w (k + 1) (m - Z.to_nat k)).
  1, 3: intros m; destruct (Nat.le_gt_cases m (Z.to_nat k)) as [L|L];
    [replace (m - Z.to_nat k)%nat with O by lia; replace (Z.to_nat k) with (m + (Z.to_nat k - m))%nat by lia;
      rewrite isum_app; assert (0 <= isum w (1 + Z.of_nat m) (Z.to_nat k - m)) by (apply sum_nonneg, bell_0);
      replace (isum w (k + 1) 0) with 0 by reflexivity; lra
    |replace m with (Z.to_nat k + (m - Z.to_nat k))%nat at 1 by lia; rewrite isum_app;
      replace (1 + Z.of_nat (Z.to_nat k))%Z with (k + 1)%Z by lia; lra].
  all: assert (EN : at_end b k = true -> forall m, x * (w 0 + 2 * isum w 1 m) <= IZR all').
  1, 3: intros E m; specialize (M m); assert (Z0 : isum w (k + 1) (m - Z.to_nat k) = 0) by
    (unfold isum; rewrite (sum_ext _ (fun _ => 0)) by (intros i J; apply run_in in J; apply (bell_ends k K E); lia);
      now rewrite AnyRandomizer.sum_zero); eapply Rle_trans; [|exact A']; apply Rmult_le_compat_l; [lra|]; unfold up_to; lra.
  - destruct (at_end b k) eqn:E; [intros _; split; [exact Q|now apply EN]|].
    destruct ((0 <=? rh)%Z && (rh <? B)%Z) eqn:R; [|cbn; lia]. apply andb_prop in R as [R0 R1]. apply Z.leb_le in R0. apply Z.ltb_lt in R1.
    intros _. split; [exact Q|]. intros m. cbn [snd]. specialize (M m). rewrite plus_IZR, mult_IZR.
    assert (S : x * isum w (k + 1) (m - Z.to_nat k) <= IZR (beyond v (rh, B))).
    { apply beyond_ok with (y := x * w k); auto.
      - apply le_IZR. eapply Rle_trans; [|exact (proj2 UV)]. apply Rmult_le_pos; [lra|apply bell_0].
      - exact (proj2 UV).
      - rewrite !Rmult_assoc. apply Rmult_le_compat_l; [lra|]. apply series_up; auto; [apply bell_0|].
        intros j J. eapply Rle_trans; [apply Rmult_le_compat_r; [lra|exact (bell_falls k j ltac:(lia))]|].
        rewrite Rmult_assoc. apply Rmult_le_compat_l; [apply bell_0|]. lra. }
    unfold up_to in A'. nra.
  - destruct (at_end b k) eqn:E; [intros _; split; [exact Q|now apply EN]|].
    pose proof (bell_0 k) as Wk. pose proof (ratio_pos k) as Rk. destruct (bell_ratio k K) as [_ RE]. specialize (RE E). pose proof turn_1 as T1.
    apply IZR_le in U as U', RL as RL', TL as TL'.
    assert (VV : 0 <= IZR v) by (eapply Rle_trans; [|exact (proj2 UV)]; apply Rmult_le_pos; lra).
    assert (RH : 0 <= IZR rh) by (eapply Rle_trans; [|exact (proj2 RR)]; apply Rmult_le_pos; lra).
    apply IH; try lia.
    + apply Z.div_pos; nia.
    + rewrite RE. split; apply Rmult_le_reg_r with (IZR B); auto.
      * eapply Rle_trans; [now apply div_down|]. rewrite mult_IZR. replace (x * (w k * ratio_of b k) * IZR B) with ((x * w k) * (IZR B * ratio_of b k)) by ring.
        apply Rmult_le_compat; lra.
      * eapply Rle_trans; [|now apply div_up]. rewrite mult_IZR. replace (x * (w k * ratio_of b k) * IZR B) with ((x * w k) * (IZR B * ratio_of b k)) by ring.
        apply Rmult_le_compat; try lra; apply Rmult_le_pos; lra.
    + apply Z.div_pos; nia.
    + rewrite ratio_turns. split; apply Rmult_le_reg_r with (IZR B); auto.
      * eapply Rle_trans; [now apply div_down|]. rewrite mult_IZR. replace (IZR B * (ratio_of b k * turn_of b) * IZR B) with ((IZR B * ratio_of b k) * (IZR B * turn_of b)) by ring.
        apply Rmult_le_compat; lra.
      * eapply Rle_trans; [|now apply div_up]. rewrite mult_IZR. replace (IZR B * (ratio_of b k * turn_of b) * IZR B) with ((IZR B * ratio_of b k) * (IZR B * turn_of b)) by ring.
        apply Rmult_le_compat; try lra; apply Rmult_le_pos; lra.
    + exact P'.
    + destruct (Z.eqb_spec (k + 1) 0); [lia|]. replace (k + 1 - 1)%Z with k by lia. exact A'.
Qed.
End Walk.
Lemma rate_ok v : (0 < Qnum v)%Z -> Q2R (rate v) = / (2 * Q2R v) /\ good (Of (rate v)) = true.
Proof.
  intros V. assert (NZ : ~ ((2 # 1) * v == 0)%Q). { unfold Qeq, Qmult. cbn. destruct (Qnum v); lia. }
  split.
  - unfold rate. rewrite Q2R_inv by exact NZ. rewrite Q2R_mult. f_equal. f_equal. unfold Q2R. cbn. lra.
  - unfold rate, Qinv. cbn. destruct v as [n d]. cbn in *. destruct n; try lia. reflexivity.
Qed.
Theorem known_bell_ok steps B p : let a := known_bell b steps B p in (0 < snd a)%Z ->
  forall k, eval (fun i => if (i =? k)%Z then 1 else 0) (fst a) <= IZR (snd a) * (w k / N).
Proof.
  cbv zeta. unfold known_bell. destruct (bell_fits b p && (0 <? B)%Z) eqn:F; [|cbn; lia]. apply andb_prop in F as [F B0]. apply Z.ltb_lt in B0.
  pose proof bell_center as C. apply IZR_lt in B0 as B'.
  destruct (ratios b B p) as [[rl rh] [tl th]] eqn:RT. intros U0.
  assert (R : (0 <= rl)%Z /\ IZR rl <= IZR B * ratio_of b 0 <= IZR rh /\ (0 <= tl)%Z /\ IZR tl <= IZR B * turn_of b <= IZR th).
  { clear U0. unfold ratios, ratio_of, turn_of, bell_fits in *. clear N. destruct b as [v|q bound]; cbn [is_bell] in Hb.
    - apply andb_prop in F as [F H]. apply andb_prop in F as [F L]. apply Z.ltb_lt in H, L.
      assert (V : (0 < Qnum v)%Z).
      { apply lt_IZR. pose proof (den_pos v) as D. rewrite Q2R_frac in Hb. apply Rmult_lt_reg_r with (/ IZR (QDen v)); [now apply Rinv_0_lt_compat|].
        rewrite Rmult_0_l. exact Hb. }
      destruct (rate_ok v V) as [RV G]. pose proof (from_below_ok _ _ G F) as [LD LB]. pose proof (from_above_ok _ _ G F) as [HD HB].
      cbn [value] in LB, HB. rewrite RV in LB, HB. set (low := from_below _ _) in *. set (high := from_above _ _) in *.
      injection RT as <- <- <- <-. apply lt_IZR in LD as LD', HD as HD'. apply IZR_lt in L as L', H as H'.
      set (y := / (2 * Q2R v)) in *. assert (E0 : exp (- (2 * 0 + 1) / (2 * Q2R v)) = / exp y).
      { rewrite <- exp_Ropp. f_equal. unfold y. field. lra. }
      assert (E1 : exp (- 2 / (2 * Q2R v)) = / exp y * / exp y).
      { rewrite <- exp_Ropp, <- exp_plus. f_equal. unfold y. field. lra. }
      rewrite E0, E1. pose proof (exp_pos y) as Y. set (e := exp y) in *.
      assert (RL0 : (0 <= B * snd high / fst high)%Z) by (apply Z.div_pos; nia).
      assert (RL : IZR (B * snd high / fst high) <= IZR B * / e).
      { apply Rmult_le_reg_r with (IZR (fst high)); [exact H'|]. eapply Rle_trans; [now apply div_down|]. rewrite mult_IZR.
        apply Rmult_le_reg_l with e; [exact Y|]. replace (e * (IZR B * / e * IZR (fst high))) with (IZR B * IZR (fst high)) by (field; lra).
        replace (e * (IZR B * IZR (snd high))) with (IZR B * (e * IZR (snd high))) by ring. apply Rmult_le_compat_l; lra. }
      assert (RH : IZR B * / e <= IZR (ceil (B * snd low) (fst low))).
      { apply Rmult_le_reg_r with (IZR (fst low)); [exact L'|]. eapply Rle_trans; [|now apply div_up]. rewrite mult_IZR.
        apply Rmult_le_reg_l with e; [exact Y|]. replace (e * (IZR B * / e * IZR (fst low))) with (IZR B * IZR (fst low)) by (field; lra).
        replace (e * (IZR B * IZR (snd low))) with (IZR B * (e * IZR (snd low))) by ring. apply Rmult_le_compat_l; lra. }
      assert (EI : 0 < / e) by now apply Rinv_0_lt_compat.
      set (rl := (B * snd high / fst high)%Z) in *. set (rh := ceil (B * snd low) (fst low)) in *. apply IZR_le in RL0 as RL0'.
      split; [exact RL0|]. split; [lra|]. split; [apply Z.div_pos; nia|]. split; apply Rmult_le_reg_r with (IZR B); auto.
      + eapply Rle_trans; [now apply div_down|]. rewrite mult_IZR. replace (IZR B * (/ e * / e) * IZR B) with ((IZR B * / e) * (IZR B * / e)) by ring.
        apply Rmult_le_compat; lra.
      + eapply Rle_trans; [|now apply div_up]. rewrite mult_IZR. replace (IZR B * (/ e * / e) * IZR B) with ((IZR B * / e) * (IZR B * / e)) by ring.
        apply Rmult_le_compat; try lra; apply Rmult_le_pos; lra.
    - injection RT as <- <- <- <-. pose proof (den_pos q) as D. apply lt_IZR in D as D'. pose proof (frac q) as FR.
      assert (QN : (0 <= Qnum q)%Z). { apply le_IZR. rewrite <- FR. apply Rmult_le_pos; lra. }
      split; [apply Z.div_pos; nia|]. split; [|split; [lia|lra]]. split; apply Rmult_le_reg_r with (IZR (QDen q)); auto.
      + eapply Rle_trans; [now apply div_down|]. rewrite mult_IZR, <- FR. lra.
      + eapply Rle_trans; [|now apply div_up]. rewrite mult_IZR, <- FR. lra. }
  destruct R as (R1 & R2 & R3 & R4). pose proof (x_0 B B0) as X.
  assert (X0 : IZR B / w 0 * w 0%Z = IZR B) by (field; lra).
  destruct (outwards_ok B tl th B0 R3 R4 steps 0 B B rl rh [] 0) as [E S]; auto; try lia.
  - rewrite X0. lra.
  - intros j. cbn [eval]. destruct (Z.ltb_spec (Z.abs j) 0); [lia|lra].
  - cbn. lra.
  - intros k. eapply Rle_trans; [apply E|]. set (a := outwards _ _ _ _ _ _ _ _ _ _ _ _) in *. set (x := IZR B / w 0) in *.
    pose proof bell_total_pos as NP. assert (XN : N * x <= IZR (snd a)).
    { apply Rmult_le_reg_r with (/ x); [now apply Rinv_0_lt_compat|]. rewrite Rmult_assoc, Rinv_r, Rmult_1_r by lra.
      apply (total_least w _ _ bell_total). apply bell_sums. intros m. specialize (S m). apply Rmult_le_reg_l with x; [exact X|].
      replace (x * (IZR (snd a) * / x)) with (IZR (snd a)) by (field; lra). exact S. }
    replace (x * w k) with (N * x * (w k / N)) by (field; lra). apply Rmult_le_compat_r; [|exact XN].
    apply Rmult_le_pos; [apply bell_0|left; now apply Rinv_0_lt_compat].
Qed.
End Bell.
