(* The checker of thresholds: polynomials in one variable, the sum of the weights; and the theorem about it. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Kron.
From Shufflecert Require Import Spec SpecThreshold Poly Key Law Exp Check Reach Cover Powers CoverReach Views Kernel.
Import ListNotations.
Local Open Scope Z_scope.

(* one user more, on y *)
Definition one_more (F : list poly) y f := mul (row_at F y) f.
(* A pair of the shuffled view. *)
Definition pair_stands (c : claim) (p : pair_told) : bool :=
  let inputs := length (rows c) in
  Nat.ltb (from_told p) inputs && Nat.ltb (to_told p) inputs && negb (Nat.eqb (from_told p) (to_told p)) &&
  counts_in inputs (others_told p) && match sees c with Shuffled => so_many c p | _ => false end.
Definition check_threshold (c : claim) (p : pair_told) (t : threshold) D (prec : precision) (fine cut : Z)
    (fast : option (Kron.line * nat)) : bool :=
  let F := map (fun r => normal (row_by (weighed (weights t)) D r)) (rows c) in let z := from_above (eps c) prec in
  let v := law_of F D prec fine cut fast (others_told p) in let E := fun k => above t <? k in
  let l := (snd z * weight_in E (beside fast (row_at F (from_told p)) (low v)) -
    fst z * (weight_in E (beside fast (row_at F (to_told p)) (low v)) + D * lost v)) * QDen (delta c) in
  let r := Qnum (delta c) * (scale v * D) * snd z in
  valid D (rows c) && good (eps c) && fits (eps c) prec && forallb (fair D) F && (0 <=? fine) && (0 <=? fst z) && pair_stands c p && (r <? l).

Local Open Scope R_scope.
Lemma weighed_app ws s t : weighed ws (s ++ t) = (weighed ws s + weighed ws t)%Z.
Proof.
  induction s as [|m s IH]; [reflexivity|].
  change (nth m ws 0 + weighed ws (s ++ t) = nth m ws 0 + weighed ws s + weighed ws t)%Z. lia.
Qed.
Lemma passes_event t : event Shuffled (passes t).
Proof.
  intros s u P. unfold passes. f_equal. cbn [looks_same] in P. unfold weighed.
  induction P; cbn [fold_right]; lia.
Qed.
Lemma valid_fits D K : valid D K = true -> forallb (row_fits D) K = true.
Proof.
  unfold valid. rewrite !forallb_forall. intros H r I. specialize (H r I). now apply andb_prop in H.
Qed.

(* A pair that stands, and the laws of the sum for either input of the user who changes. *)
Section Pair.
Context (c : claim) (p : pair_told) (t : threshold) (D : Z).
Hypotheses (V : valid D (rows c) = true) (PS : pair_stands c p = true).
Let F := map (fun r => normal (row_by (weighed (weights t)) D r)) (rows c).

Lemma pair_parts : sees c = Shuffled /\ from_told p <> to_told p /\ counts_in (length (rows c)) (others_told p) = true /\
  S (length (spelled (others_told p))) = users c /\
  forall y, In y (from_told p :: to_told p :: spelled (others_told p)) -> (y < length (rows c))%nat.
Proof.
  unfold pair_stands in PS. do 4 (apply andb_prop in PS as [PS ?]). unfold so_many in *. destruct (sees c); try discriminate.
  apply Z.eqb_eq in H. apply Nat.ltb_lt in H2, PS. apply negb_true_iff, Nat.eqb_neq in H1. pose proof (spelled_length _ _ H0).
  repeat split; auto; [lia|]. intros y [<-|[<-|I]]; [assumption|assumption|]. now apply (counts_parts _ _ H0).
Qed.
Lemma pair_inputs y : In y (from_told p :: to_told p :: spelled (others_told p)) -> (y < length (rows c))%nat.
Proof. apply pair_parts. Qed.
Lemma pair_dataset y : y = from_told p \/ y = to_told p -> dataset (rows c) (users c) (y :: spelled (others_told p)).
Proof.
  intros Hy. split; [apply pair_parts|]. intros u [<-|Hu]; apply pair_inputs; simpl; intuition.
Qed.
Lemma pair_unit : (0 < D)%Z.
Proof. eapply unit_pos; [exact (valid_fits _ _ V)|apply (pair_inputs (from_told p)); now left]. Qed.
Lemma pair_chance y : y = from_told p \/ y = to_told p -> IZR (D ^ Z.of_nat (users c)) * Pr (passes t) (sent (rows c) (y ::
  spelled (others_told p))) = IZR (weight_in (fun k => above t <? k)%Z (mul (row_at F y) (exact F (spelled (others_told p))))).
Proof.
  intros Hy. rewrite Pr_mean, weight_in_eval. destruct (pair_dataset y Hy) as [L J]. rewrite <- L.
  pose proof (sent_product (weighed (weights t)) eq_refl (weighed_app (weights t)) D (rows c)
    (map (row_by (weighed (weights t)) D) (rows c)) (y :: spelled (others_told p)) (rows_ok _ D _ (valid_fits _ _ V)) J
    (indicator (fun k => above t <? k)%Z)) as S.
  etransitivity; [symmetry; exact S|]. unfold exact.
    change (mul (row_at F y) (product (map (row_at F) (spelled (others_told p))) [(0, 1)%Z])) with
    (product (map (row_at F) (y :: spelled (others_told p))) [(0, 1)%Z]).
  apply eval_product_ext. unfold F. rewrite <- (map_map (row_by (weighed (weights t)) D) normal). apply normal_rows.
Qed.

(* Where the event tells them apart, the claim is false, whoever of all users it is that changes. *)
Lemma threshold_gap : Q2R (delta c) < Pr (passes t) (sent (rows c) (from_told p :: spelled (others_told p))) -
  value (eps c) * Pr (passes t) (sent (rows c) (to_told p :: spelled (others_told p))) -> threshold_true c (spelled_out p) t.
Proof.
  intros GAP. destruct pair_parts as (SV & NE & _).
  assert (ALL : forall i xs ys, named c (spelled_out p) i xs ys -> Q2R (delta c) < Pr (passes t) (sent (rows c) xs) -
    value (eps c) * Pr (passes t) (sent (rows c) ys)).
  { intros i xs ys (X & Y & _ & l & r & -> & -> & _ & O). specialize (O SV). cbn [spelled_out from to others] in *.
    rewrite (Pr_order (rows c) (passes t) (l ++ from_told p :: r) (from_told p :: spelled (others_told p)));
      [|apply passes_event|rewrite <- O; symmetry; apply Permutation_middle].
    rewrite (Pr_order (rows c) (passes t) (l ++ to_told p :: r) (to_told p :: spelled (others_told p)));
      [|apply passes_event|rewrite <- O; symmetry; apply Permutation_middle]. exact GAP. }
  assert (NM : named c (spelled_out p) 0 (from_told p :: spelled (others_told p)) (to_told p :: spelled (others_told p))).
  { split; [now apply pair_dataset; left|]. split; [now apply pair_dataset; right|]. split;
    [exact NE|]. exists [], (spelled (others_told p)). repeat split.
    intros _. reflexivity. }
  split; [exact (valid_sound _ _ V)|split; [exact SV|split; [eauto|split; [exact ALL|]]]].
  intros P. specialize (ALL _ _ _ NM). apply Rlt_not_le in ALL. apply ALL. apply P; [now apply pair_dataset; left|now
    apply pair_dataset; right| |
    apply passes_event].
  exists [], (from_told p), (to_told p), (spelled (others_told p)). auto.
Qed.
End Pair.

Theorem check_threshold_sound c p t D prec fine cut fast : check_threshold c p t D prec fine cut fast = true ->
  threshold_true c (spelled_out p) t.
Proof.
  unfold check_threshold. set (F := map _ (rows c)). set (v := law_of F D prec fine cut fast (others_told p)).
  intros H. apply andb_prop in H as [H C]. apply andb_prop in H as [H PS]. do 5 (apply andb_prop in H as [H ?]).
  rename H into V. destruct (pair_parts c p PS) as (_ & _ & CI & _ & _).
  pose proof (from_above_ok _ _ H4 H3) as Z. cbv zeta in Z. apply Z.leb_le in H0, H1.
  assert (LF : length F = length (rows c)) by (unfold F; apply map_length).
  pose proof (pair_unit c p D V PS) as HD. pose proof (pair_inputs c p PS) as IN.
  pose proof (law_of_ok F D prec fine cut fast (others_told p) HD H2 H1 ltac:(now rewrite LF)) as CV.
  fold v in CV. set (E := fun k => (above t <? k)%Z) in *.
  assert (TG : test (indicator E)) by (intros k; unfold indicator; destruct (E k); lra).
  pose proof (covers_mul F D H2 (from_told p) _ _ ltac:(rewrite LF; apply IN; simpl; auto) CV _ TG) as [CX _].
  pose proof (covers_mul F D H2 (to_told p) _ _ ltac:(rewrite LF; apply IN; simpl; auto) CV _ TG) as [_ CY].
  destruct CV as [SC _]. rewrite <- !weight_in_eval in CX, CY.
  destruct (pair_dataset c p PS (from_told p) (or_introl eq_refl)) as [N _]. cbn [length] in N.
  pose proof (conclude_cover_low (IZR (D ^ Z.of_nat (users c))) (power D (spelled (others_told p))) (IZR (scale v)) (IZR (lost v)) (IZR
    D) (IZR (fst (from_above (eps c) prec)))
    (IZR (snd (from_above (eps c) prec))) (value (eps c)) (IZR (QDen (delta c))) (IZR (Qnum (delta c))) _ _ _ _ _ _
    (power_pos D HD (spelled (others_told p))) SC (proj1 Z) (den_pos _) (IZR_lt _ _ HD) (IZR_le _ _ H0) (proj2 Z)
    (Pr_nonneg _ _ _ (passes t) (valid_fits _ _ V))
    ltac:(unfold power; rewrite <- mult_IZR, <- Z.pow_succ_r, <- N by lia; do 2 f_equal; lia)
    (pair_chance c p t D V PS (from_told p) (or_introl eq_refl)) (pair_chance c p t D V PS (to_told p) (or_intror eq_refl))
    CX CY) as L2.
  apply (threshold_gap c p t D V PS). rewrite !beside_same in C. rewrite Q2R_frac. apply L2.
  apply Z.ltb_lt, IZR_lt in C. rewrite !mult_IZR, minus_IZR, !mult_IZR, plus_IZR, mult_IZR in C. exact C.
Qed.

(* ---- where delta is 0: the highest sum alone ---- *)
(* What the others send is on both sides, so that their chance to send as much as they can does not matter. *)
Open Scope Z_scope.
Definition highest (f : poly) : Z := fold_left (fun most kw => Z.max most (fst kw)) f (match f with [] => 0 | kw :: _ => fst kw end).
Definition none_above (a : Z) (f : poly) : bool := forallb (fun kw => fst kw <=? a) f.
Definition at_top (a : Z) (f : poly) : Z := weight_in (fun k => a - 1 <? k) f.
Definition check_topmost (c : claim) (p : pair_told) (t : threshold) D (prec : precision) : bool :=
  let F := map (fun r => normal (row_by (weighed (weights t)) D r)) (rows c) in let z := from_above (eps c) prec in
  let tops := map highest F in
  let a := above t + 1 - fold_left (fun sum o => sum + snd o * nth (fst o) tops 0) (others_told p) 0 in
  valid D (rows c) && good (eps c) && fits (eps c) prec &&
  forallb (fun f => none_above (highest f) f && (0 <? at_top (highest f) f)) F &&
  none_above a (row_at F (from_told p)) && none_above a (row_at F (to_told p)) && (Qnum (delta c) <=? 0) &&
  pair_stands c p && (fst z * at_top a (row_at F (to_told p)) <? snd z * at_top a (row_at F (from_told p))).

Local Open Scope R_scope.
(* Tests that agree up to a number cannot tell apart what is not above it. *)
Definition within (a : Z) (f : poly) := forall g h, (forall k, (k <= a)%Z -> g k = h k) -> eval g f = eval h f.
Lemma none_above_within a f : none_above a f = true -> within a f.
Proof.
  unfold none_above. intros H g h E. induction f as [|[k w] f IH]; [reflexivity|]. cbn [forallb fst eval] in *.
  apply andb_prop in H as [K H]. apply Z.leb_le in K. rewrite E by exact K. f_equal. now apply IH.
Qed.
Lemma within_mul a b f p : within a f -> within b p -> within (a + b) (mul f p).
Proof.
  intros HF HP g h E. rewrite !eval_mul. apply HF. intros d L. apply HP. intros k K. apply E. lia.
Qed.
Lemma top_mul a b f p : within a f -> within b p -> at_top (a + b) (mul f p) = (at_top a f * at_top b p)%Z.
Proof.
  intros HF HP. apply eq_IZR. unfold at_top. rewrite mult_IZR, !weight_in_eval, eval_mul, Rmult_comm.
  rewrite <- eval_scale. apply HF. intros d L. rewrite <- (Rmult_comm (indicator _ d)).
  rewrite <- eval_scale. apply HP. intros k K. unfold indicator.
  destruct (Z.ltb_spec (a + b - 1) (d + k)), (Z.ltb_spec (a - 1) d), (Z.ltb_spec (b - 1) k); try lia; ring.
Qed.

Lemma add_spelled (f : nat -> Z) os : (forall o, In o os -> (0 <= snd o)%Z) -> forall a,
  fold_left (fun sum o => sum + snd o * f (fst o))%Z os a = fold_left (fun sum y => sum + f y)%Z (spelled os) a.
Proof.
  unfold spelled. induction os as [|o os IH]; intros H a; [reflexivity|]. cbn [fold_left flat_map].
  rewrite fold_left_app, <- IH by (intros; apply H; now right). f_equal. pose proof (H o (or_introl eq_refl)) as K.
  rewrite <- (Z2Nat.id (snd o) K) at 1. generalize (Z.to_nat (snd o)) as n. clear. intros n. revert a.
  induction n as [|n IH]; intros a; cbn [repeat fold_left]; [lia|]. rewrite <- IH. lia.
Qed.
Theorem check_topmost_sound c p t D prec : check_topmost c p t D prec = true -> threshold_true c (spelled_out p) t.
Proof.
  unfold check_topmost. set (F := map _ (rows c)). set (S := fold_left _ (others_told p) 0%Z).
  intros H. apply andb_prop in H as [H C]. apply andb_prop in H as [H PS]. do 6 (apply andb_prop in H as [H ?]).
  rename H into V, H5 into GE, H4 into FE, H3 into TOPS, H2 into AF, H1 into AT, H0 into DL.
  pose proof (from_above_ok _ _ GE FE) as Z. cbv zeta in Z.
  pose proof (pair_unit c p D V PS) as HD. pose proof (pair_inputs c p PS) as IN.
  rewrite forallb_forall in TOPS. apply none_above_within in AF, AT.
  assert (ROW : forall y, (y < length (rows c))%nat -> within (nth y (map highest F) 0%Z) (row_at F y) /\
    (0 < at_top (nth y (map highest F) 0%Z) (row_at F y))%Z).
  { intros y Hy. assert (L : (y < length F)%nat) by (unfold F; now rewrite map_length).
    assert (M : nth y (map highest F) 0%Z = highest (row_at F y)).
    { rewrite (nth_indep _ _ (highest [])) by now rewrite map_length. apply map_nth. }
    rewrite M.
    specialize (TOPS (row_at F y) (nth_In _ _ L)). apply andb_prop in TOPS as [W P]. split; [now apply none_above_within|].
    now apply Z.ltb_lt in P. }
  assert (ALL : forall ys acc, (forall y, In y ys -> (y < length (rows c))%nat) ->
    exists T, (0 < T)%Z /\ let b := (fold_left (fun sum y => sum + nth y (map highest F) 0)%Z ys acc - acc)%Z in
      within b (product (map (row_at F) ys) [(0, 1)%Z]) /\ at_top b (product (map (row_at F) ys) [(0, 1)%Z]) = T).
  { induction ys as [|y ys IH]; intros acc Hys.
    - exists 1%Z. split; [lia|]. cbn [fold_left map product fold_right]. rewrite Z.sub_diag. split; [|reflexivity].
      now apply none_above_within.
    - destruct (ROW y (Hys y (or_introl eq_refl))) as [W P].
      destruct (IH (acc + nth y (map highest F) 0)%Z ltac:(intros; apply Hys; now right)) as (T & HT & WT & ET).
      exists (at_top (nth y (map highest F) 0%Z) (row_at F y) * T)%Z. split; [nia|]. cbn [fold_left map].
      change (product (row_at F y :: map (row_at F) ys) [(0, 1)%Z]) with
        (mul (row_at F y) (product (map (row_at F) ys) [(0, 1)%Z])).
      set (e := fold_left _ ys _) in *. set (m := nth y (map highest F) 0%Z) in *.
      replace (e - acc)%Z with (m + (e - (acc + m)))%Z by lia. split; [now apply within_mul|].
      rewrite top_mul by assumption. now rewrite ET. }
  destruct (ALL (spelled (others_told p)) 0%Z ltac:(intros; apply IN; simpl; auto)) as (T & HT & WT & ET).
  rewrite <- add_spelled in WT, ET by (intros o J; now apply (counts_parts _ _ (proj1 (proj2 (proj2 (pair_parts c p PS)))))).
  fold S in WT, ET. rewrite Z.sub_0_r in WT, ET. set (a := (above t + 1 - S)%Z) in *.
  assert (EQ : forall y, y = from_told p \/ y = to_told p -> within a (row_at F y) -> IZR (D ^ Z.of_nat (users c)) *
    Pr (passes t) (sent (rows c) (y :: spelled (others_told p))) = IZR (at_top a (row_at F y)) * IZR T).
  { intros y Hy W. rewrite (pair_chance c p t D V PS y Hy), <- mult_IZR. fold F. f_equal.
    rewrite <- ET. etransitivity; [|apply top_mul; assumption]. unfold at_top. replace (a + S - 1)%Z with (above t)
      by (unfold a; lia). reflexivity. }
  apply (threshold_gap c p t D V PS). apply Z.leb_le, IZR_le in DL. apply Z.ltb_lt, IZR_lt in C.
  rewrite !mult_IZR in C. apply IZR_lt in HT, HD.
  pose proof (EQ _ (or_introl eq_refl) AF) as EX. pose proof (EQ _ (or_intror eq_refl) AT) as EY.
  assert (HN : 0 < IZR (D ^ Z.of_nat (users c))) by (apply IZR_lt, Z.pow_pos_nonneg; [now apply lt_IZR|lia]).
  set (N := IZR (D ^ Z.of_nat (users c))) in *. set (X := Pr _ (sent _ (from_told p :: _))) in *.
  set (Y := Pr _ (sent _ (to_told p :: _))) in *.
  apply Rle_lt_trans with 0.
  { rewrite Q2R_frac. apply Rmult_le_reg_r with (IZR (QDen (delta c))); [apply den_pos|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l; [lra|]. pose proof (den_pos (delta c)). lra. }
  destruct Z as [ZP ZV]. pose proof (Pr_nonneg _ (to_told p :: spelled (others_told p)) _ (passes t) (valid_fits _ _ V)) as YP. fold Y in YP.
  set (z := value (eps c)) in *. set (u := IZR (fst _)) in *. set (w := IZR (snd _)) in *.
  set (f := IZR (at_top a (row_at F (from_told p)))) in *. set (g := IZR (at_top a (row_at F (to_told p)))) in *.
  enough (z * Y < X) by lra. apply Rmult_lt_reg_l with (N * w); [now apply Rmult_lt_0_compat|].
  apply Rle_lt_trans with (u * (g * IZR T)); [rewrite <- EY|replace (N * w * X) with (w * (f * IZR T)) by (rewrite <- EX; ring)].
  - assert (0 <= N * Y) by now apply Rmult_le_pos; [left|].
    apply Rle_trans with (z * w * (N * Y)); [right; ring|]. now apply Rmult_le_compat_r.
  - rewrite <- !Rmult_assoc. now apply Rmult_lt_compat_r.
Qed.
