(* The checker of thresholds: polynomials in one variable, the sum of the weights; and the theorem about it. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Kron.
From Shufflecert Require Import Spec SpecThreshold Poly Key Law Exp Check Reach Cover CoverReach Views Kernel.
Import ListNotations.
Local Open Scope Z_scope.

(* one user more, on y *)
Definition one_more (F : list poly) y f := mul (row_at F y) f.
Definition check_threshold (c : claim) (p : pair) (t : threshold) D (prec : precision) (fine cut : Z)
    (fast : option (Kron.line * nat)) : bool :=
  let F := map (fun r => normal (row_by (weighed (weights t)) D r)) (rows c) in let z := from_above (eps c) prec in
  let v := law_of F D prec fine cut fast (others p) in let E := fun k => above t <? k in
  let l := (snd z * weight_in E (beside fast (row_at F (from p)) (low v)) -
    fst z * (weight_in E (beside fast (row_at F (to p)) (low v)) + D * lost v)) * QDen (delta c) in
  let r := Qnum (delta c) * (scale v * D) * snd z in
  valid D (rows c) && good (eps c) && fits (eps c) prec && forallb (fair D) F && (0 <=? fine) && (0 <=? fst z) &&
  match sees c with Shuffled => pair_stands c p | _ => false end && (r <? l).

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

Theorem check_threshold_sound c p t D prec fine cut fast : check_threshold c p t D prec fine cut fast = true ->
  threshold_true c p t.
Proof.
  unfold check_threshold. set (F := map _ (rows c)). set (v := law_of F D prec fine cut fast (others p)).
  intros H. apply andb_prop in H as [H C]. apply andb_prop in H as [H PS]. do 5 (apply andb_prop in H as [H ?]).
  rename H into V. pose proof (valid_sound _ _ V) as HK. apply valid_fits in V as RF.
  destruct (sees c) eqn:SV; try discriminate.
  pose proof (from_above_ok _ _ H4 H3) as Z. cbv zeta in Z. apply Z.leb_le in H0, H1.
  unfold pair_stands, so_many, others_of in PS. rewrite SV in PS. apply andb_prop in PS as [PS N].
    apply andb_prop in PS as [I NE].
  apply Nat.eqb_eq in N. apply negb_true_iff, Nat.eqb_neq in NE. rewrite forallb_forall in I.
  assert (LF : length F = length (rows c)) by (unfold F; apply map_length).
  assert (IN : forall y, In y (from p :: to p :: others p) -> (y < length (rows c))%nat) by (intros y Hy; apply I in Hy;
    now apply Nat.ltb_lt).
  assert (HD : (0 < D)%Z) by (eapply unit_pos; [exact RF|apply (IN (from p)); now left]).
  pose proof (law_of_ok F D prec fine cut fast (others p) HD H2 H1 ltac:(intros; rewrite LF; apply IN; simpl; auto)) as CV.
  fold v in CV. set (E := fun k => (above t <? k)%Z) in *.
  assert (TG : test (indicator E)) by (intros k; unfold indicator; destruct (E k); lra).
  pose proof (covers_mul F D H2 (from p) _ _ ltac:(rewrite LF; apply IN; simpl; auto) CV _ TG) as [CX _].
  pose proof (covers_mul F D H2 (to p) _ _ ltac:(rewrite LF; apply IN; simpl; auto) CV _ TG) as [_ CY].
  destruct CV as [SC _].
  assert (DX : forall y, y = from p \/ y = to p -> dataset (rows c) (users c) (y :: others p)).
  { intros y Hy. split; [exact N|]. intros u [<-|Hu]; apply IN; simpl; intuition. }
  assert (EQ : forall y, y = from p \/ y = to p -> IZR (D ^ Z.of_nat (users c)) * Pr (passes t) (sent (rows c) (y ::
      others p)) = IZR (weight_in E (mul (row_at F y) (exact F (others p))))).
  { intros y Hy. rewrite Pr_mean, weight_in_eval. destruct (DX y Hy) as [L J]. rewrite <- L.
    pose proof (sent_product (weighed (weights t)) eq_refl (weighed_app (weights t)) D (rows c)
      (map (row_by (weighed (weights t)) D) (rows c)) (y :: others p) (rows_ok _ D _ RF) J (indicator E)) as S.
    etransitivity; [symmetry; exact S|]. unfold exact.
      change (mul (row_at F y) (product (map (row_at F) (others p)) [(0, 1)%Z])) with
      (product (map (row_at F) (y :: others p)) [(0, 1)%Z]).
    apply eval_product_ext. unfold F. rewrite <- (map_map (row_by (weighed (weights t)) D) normal). apply normal_rows. }
  rewrite <- !weight_in_eval in CX, CY.
  pose proof (conclude_cover_low (IZR (D ^ Z.of_nat (users c))) (power D (others p)) (IZR (scale v)) (IZR (lost v)) (IZR
    D) (IZR (fst (from_above (eps c) prec)))
    (IZR (snd (from_above (eps c) prec))) (value (eps c)) (IZR (QDen (delta c))) (IZR (Qnum (delta c))) _ _ _ _ _ _
    (power_pos D HD (others p)) SC (proj1 Z) (den_pos _) (IZR_lt _ _ HD) (IZR_le _ _ H0) (proj2 Z)
    (Pr_nonneg _ _ _ (passes t) RF)
    ltac:(unfold power; rewrite <- mult_IZR, <- Z.pow_succ_r, <- N by lia; do 2 f_equal; lia)
    (EQ (from p) (or_introl eq_refl)) (EQ (to p) (or_intror eq_refl)) CX CY) as L2.
  assert (GAP : Q2R (delta c) < Pr (passes t) (sent (rows c) (from p :: others p)) -
    value (eps c) * Pr (passes t) (sent (rows c) (to p :: others p))).
  { rewrite !beside_same in C. rewrite Q2R_frac. apply L2. apply Z.ltb_lt, IZR_lt in C.
    rewrite !mult_IZR, minus_IZR, !mult_IZR, plus_IZR, mult_IZR in C. exact C. }
  assert (ALL : forall i xs ys, named c p i xs ys -> Q2R (delta c) < Pr (passes t) (sent (rows c) xs) -
    value (eps c) * Pr (passes t) (sent (rows c) ys)).
  { intros i xs ys (X & Y & _ & l & r & -> & -> & _ & O). specialize (O SV).
    rewrite (Pr_order (rows c) (passes t) (l ++ from p :: r) (from p :: others p));
      [|apply passes_event|rewrite <- O; symmetry; apply Permutation_middle].
    rewrite (Pr_order (rows c) (passes t) (l ++ to p :: r) (to p :: others p));
      [|apply passes_event|rewrite <- O; symmetry; apply Permutation_middle]. exact GAP. }
  assert (NM : named c p 0 (from p :: others p) (to p :: others p)).
  { split; [now apply DX; left|]. split; [now apply DX; right|]. split;
    [exact NE|]. exists [], (others p). repeat split.
    intros _. reflexivity. }
  split; [exact HK|split; [exact SV|split; [eauto|split; [exact ALL|]]]].
  intros P. specialize (ALL _ _ _ NM). apply Rlt_not_le in ALL. apply ALL. apply P; [now apply DX; left|now apply DX;
    right| |
    apply passes_event].
  exists [], (from p), (to p), (others p). auto.
Qed.
