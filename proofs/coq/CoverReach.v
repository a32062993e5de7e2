(* Lower bounds and refutations from covers. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec Poly Key Law Exp Check Reach Cover Kron Powers Boxes.
Import ListNotations.
Local Open Scope Z_scope.

Definition start fine := {| scale := 2 ^ fine; low := [(0, 2 ^ fine)]; lost := 0 |}.
Definition cover_of F D cut fine others := fold_left (fun st x => step F D cut x st) others (start fine).
(* of so many others on each input: user by user, or by powers *)
Definition law_of (F : list poly) D prec fine cut (fast : option (line * nat)) (os : list (nat * Z)) : cover :=
  match fast with
  | Some (t, _) => law_of_others F D {| prec_of := prec; fine_of := fine; cut_of := cut; line_of := t |} os
  | None => cover_of F D cut fine (spelled os)
  end.
(* one user more *)
Definition beside (fast : option (line * nat)) f p : poly := match fast with Some (t, _) => times t f p | None => mul f p end.
Definition check_cover_reaches (c : claim) w D prec fine cut fast (a b : nat) (os : list (nat * Z))
    (named : option (Z -> bool)) : bool :=
  let F := map normal (map (row_poly w D) (rows c)) in let z := from_above (eps c) prec in
  let v := law_of F D prec fine cut fast os in
  let p := beside fast (row_at F a) (low v) in let q := beside fast (row_at F b) (low v) in
  let E := match named with
    | Some E => E
    | None => let k := gains (snd z) (fst z) p q Keys.empty in fun x => Keys.mem x k
    end in
  let l := (snd z * weight_in E p - fst z * (weight_in E q + D * lost v)) * QDen (delta c) in
  let r := Qnum (delta c) * (scale v * D) * snd z in
  forallb (row_fits D) (rows c) && good (eps c) && fits (eps c) prec && forallb (fair D) F && (0 <=? fine) && (0 <=? fst z) &&
  (1 + add_up (map snd os) =? Z.of_nat (users c)) && counts_in (length F) os && Nat.ltb a (length F) && Nat.ltb b (length F) &&
  negb (Nat.eqb a b) && (r <? l).

Local Open Scope R_scope.
Lemma cover_of_ok F D cut fine others : (0 < D)%Z -> forallb (fair D) F = true -> (0 <= fine)%Z -> (forall x, In x
  others -> (x < length F)%nat) ->
  covers F D others (cover_of F D cut fine others).
Proof.
  intros HD HF Hf I. unfold cover_of.
  assert (G : forall ys st, covers F D ys st -> (forall x, In x others -> (x < length F)%nat) ->
    covers F D (rev others ++ ys) (fold_left (fun st x => step F D cut x st) others st)).
  { clear I. induction others as [|x xs IH]; intros ys st H I; [exact H|]. cbn [fold_left rev]. rewrite <- app_assoc.
    apply IH; [|intros; apply I; now right].
    apply covers_step; auto. apply I. now left. }
  apply (covers_perm F D (rev others ++ [])); [rewrite app_nil_r; symmetry; apply Permutation_rev|].
  apply G; auto. now apply covers_start.
Qed.
Lemma law_of_ok F D prec fine cut fast os : (0 < D)%Z -> forallb (fair D) F = true -> (0 <= fine)%Z ->
  counts_in (length F) os = true -> covers F D (spelled os) (law_of F D prec fine cut fast os).
Proof.
  intros HD HF Hf C. apply counts_parts in C as [C I].
  destruct fast as [[t many]|]; cbn [law_of]; [apply law_of_others_ok; auto; intros o J; now apply C|now apply cover_of_ok].
Qed.
Lemma beside_same E fast f p : weight_in E (beside fast f p) = weight_in E (mul f p).
Proof. apply eq_IZR. rewrite !weight_in_eval. destruct fast as [[t many]|]; [apply eval_times|reflexivity]. Qed.
Lemma conclude_cover_low (M Mn S lost D a b z d n mx my X Y px qx : R) : 0 < Mn -> 0 < S -> 0 < b -> 0 < d -> 0 < D
  -> 0 <= a -> z * b <= a -> 0 <= my ->
  M = D * Mn -> M * mx = X -> M * my = Y -> Mn * px <= S * X -> S * Y <= Mn * (qx + D * lost) ->
  let l := (b * px - a * (qx + D * lost)) * d in let r := n * (S * D) * b in
  r < l -> n / d < mx - z * my.
Proof.
  intros HM HS Hb Hd HD Ha0 Ha Hy EM EX EY HX HY l r.
    assert (P : 0 < S * M * b * d) by (subst M; repeat apply Rmult_lt_0_compat; auto).
  assert (Q : 0 <= M * my) by (subst M; repeat apply Rmult_le_pos; lra).
  assert (A : l * Mn <= (mx - z * my) * (S * M * b * d)).
  { apply Rle_trans with ((b * (S * X) - a * (S * Y)) * d).
    - unfold l. replace ((b * px - a * (qx + D * lost)) * d * Mn) with ((b * (Mn * px) - a * (Mn * (qx + D * lost)))
      * d) by ring.
      apply Rmult_le_compat_r; [lra|]. assert (b * (Mn * px) <= b * (S * X)) by (apply Rmult_le_compat_l; lra).
      assert (a * (S * Y) <= a * (Mn * (qx + D * lost))) by (apply Rmult_le_compat_l; lra). lra.
    - subst X Y. replace ((mx - z * my) * (S * M * b * d)) with ((b * (S * (M * mx)) - (z * b) * (S * (M * my))) * d)
      by ring.
      apply Rmult_le_compat_r; [lra|]. assert (0 <= S * (M * my)) by (apply Rmult_le_pos; lra). nra. }
  assert (B : n / d * (S * M * b * d) = r * Mn) by (unfold r; subst M; field; lra).
  intros H. apply Rmult_lt_reg_r with (S * M * b * d); auto. rewrite B. eapply Rlt_le_trans; [|exact A].
  apply Rmult_lt_compat_r; lra.
Qed.
Theorem check_cover_reaches_sound c w D prec fine cut fast a b os named :
  check_cover_reaches c w D prec fine cut fast a b os named = true -> let others := spelled os in
  dataset (rows c) (users c) (a :: others) /\ dataset (rows c) (users c) (b :: others) /\ neighbours (a :: others) (b
    :: others) /\
  exists E, (forall G, named = Some G -> E = G) /\
  Q2R (delta c) < Pr (seen w E) (sent (rows c) (a :: others)) -
    value (eps c) * Pr (seen w E) (sent (rows c) (b :: others)).
Proof.
  unfold check_cover_reaches. set (F := map normal (map (row_poly w D) (rows c))). set (v := law_of F D prec fine cut fast os).
  set (E := match named with Some _ => _ | None => _ end). intros H. apply andb_prop in H as [H C].
  do 10 (apply andb_prop in H as [H ?]). rename H into HK, H9 into G.
  pose proof (from_above_ok _ _ G H8) as Z. cbv zeta in Z. apply Z.leb_le in H5, H6. apply Z.eqb_eq in H4. apply Nat.ltb_lt in H1, H2.
  apply negb_true_iff, Nat.eqb_neq in H0. pose proof (spelled_length _ _ H3) as LO. set (others := spelled os) in *.
  assert (LU : S (length others) = users c) by lia. assert (LF : length F = length (rows c)) by (unfold F; now rewrite !map_length).
  assert (I : forall z, In z (a :: b :: others) -> (z < length F)%nat).
  { intros z [<-|[<-|J]]; [assumption|assumption|]. now apply (counts_parts _ _ H3). }
  assert (DX : forall z, z = a \/ z = b -> dataset (rows c) (users c) (z :: others)).
  { intros z Hz. split; [exact LU|]. intros y [<-|Hy]; rewrite <- LF; apply I; simpl; intuition. }
  split; [apply DX; auto|split; [apply DX; auto|split; [exists [], a, b, others; auto|]]].
  exists E. split; [unfold E; now intros G' ->|]. cbv zeta.
  assert (HD : (0 < D)%Z) by (eapply unit_pos; [exact HK|rewrite <- LF; apply (I a); now left]).
  pose proof (law_of_ok F D prec fine cut fast os HD H7 H6 H3) as CV. fold v others in CV.
  assert (TG : test (indicator E)) by (intros k; unfold indicator; destruct (E k); lra).
  pose proof (covers_mul F D H7 a _ _ (I a ltac:(simpl; auto)) CV _ TG) as [CX _].
  pose proof (covers_mul F D H7 b _ _ (I b ltac:(simpl; auto)) CV _ TG) as [_ CY]. destruct CV as [SV _].
  assert (V : forall z, z = a \/ z = b -> IZR (D ^ Z.of_nat (users c)) * Pr (seen w E) (sent (rows c) (z :: others)) =
     IZR (weight_in E (mul (row_at F z) (exact F others)))).
  { intros z Hz. rewrite Pr_mean, weight_in_eval. symmetry.
    etransitivity; [|exact (sent_keys w D (rows c) (users c) (z :: others) (indicator E) HK (DX z Hz))]. symmetry.
    exact (eval_product_ext _ _ (normal_rows (map (row_poly w D) (rows c)) (z :: others)) _ _). }
  rewrite <- !weight_in_eval in CX, CY.
  pose proof (conclude_cover_low (IZR (D ^ Z.of_nat (users c))) (power D others) (IZR (scale v)) (IZR (lost v)) (IZR
    D) (IZR (fst (from_above (eps c) prec)))
    (IZR (snd (from_above (eps c) prec))) (value (eps c)) (IZR (QDen (delta c))) (IZR (Qnum (delta c))) _ _ _ _ _ _
    (power_pos D HD others) SV (proj1 Z) (den_pos _) (IZR_lt _ _ HD) (IZR_le _ _ H5) (proj2 Z) (Pr_nonneg _ _ _ (seen
      w E) HK)
    ltac:(unfold power; rewrite <- mult_IZR, <- Z.pow_succ_r, <- LU by lia; do 2 f_equal;
      lia) (V a (or_introl eq_refl)) (V b (or_intror eq_refl)) CX CY) as L.
  rewrite !beside_same in C. rewrite Q2R_frac. apply Z.ltb_lt, IZR_lt in C.
  rewrite !mult_IZR, minus_IZR, !mult_IZR, plus_IZR, mult_IZR in C. now apply L.
Qed.
