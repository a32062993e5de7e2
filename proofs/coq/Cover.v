(* The same checker with weights rounded outwards and far tails given up: what makes thousands of users cheap. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec Poly Key Law Exp Every Check.
Import ListNotations.
Local Open Scope Z_scope.

(* scale * law lies between low and high + lost *)
Record cover := { scale : Z; low : poly; high : poly; lost : Z }.
Fixpoint shrink_down (D : Z) (p acc : poly) : poly := match p with
  | [] => rev_append acc []
  | (k, w) :: p => let v := w / D in shrink_down D p (if v =? 0 then acc else (k, v) :: acc) end.
Fixpoint shrink_up (D cut : Z) (p acc : poly) (lost : Z) : poly * Z := match p with
  | [] => (rev_append acc [], lost)
  | (k, w) :: p => let v := ceil w D in
      if v <=? cut then shrink_up D cut p acc (lost + Z.max v 0) else shrink_up D cut p ((k, v) :: acc) lost end.
Definition step (F : list poly) D cut (x : nat) (c : cover) : cover :=
  let '(h, l) := shrink_up D cut (mul (row_at F x) (high c)) [] (lost c) in
  {| scale := scale c; low := shrink_down D (mul (row_at F x) (low c)) []; high := h; lost := l |}.

Definition total (f : poly) : Z := fold_right (fun kw t => snd kw + t) 0 f.
Definition fair D (f : poly) : bool := forallb (fun kw => 0 <=? snd kw) f && (total f =? D).

Definition worth_cover (c : claim) D (z : Z * Z) (F : list poly) (v : cover) : bool :=
  let highs := map (fun f => mul f (high v)) F in let lows := map (fun f => mul f (low v)) F in
  forallb (fun i => forallb (fun j => Nat.eqb i j ||
    ((stick (snd z) (fst z) (row_at highs i) (row_at lows j) 0 + snd z * (D * lost v)) * QDen (delta c) <=?
      Qnum (delta c) * (scale v * D) * snd z))
    (seq 0 (length F))) (seq 0 (length F)).

Definition check_cover (c : claim) w D (prec : precision) (fine cut : Z) : bool :=
  let F := map (row_poly w D) (rows c) in let N := map normal F in let z := from_below (eps c) prec in
  setting c w D && fits (eps c) prec && forallb (fair D) N && (0 <=? fine) && (0 <=? fst z) &&
  match users c with
  | O => true
  | S n => every (step N D cut) (worth_cover c D z N) (nodup Nat.eq_dec (map (rep N) (seq 0 (length F)))) n
      {| scale := 2 ^ fine; low := [(0, 2 ^ fine)]; high := [(0, 2 ^ fine)]; lost := 0 |}
  end.

Local Open Scope R_scope.
Lemma eval_le f g h : forallb (fun kw => 0 <=? snd kw)%Z f = true -> (forall k, g k <= h k) -> eval g f <= eval h f.
Proof.
  intros H L. induction f as [|[k w] f IH]; simpl in *; [lra|]. apply andb_prop in H as [H1 H2].
  apply Z.leb_le, IZR_le in H1. specialize (IH H2). specialize (L k). nra.
Qed.
Lemma eval_const x f : eval (fun _ => x) f = x * IZR (total f).
Proof. induction f as [|[k w] f IH]; cbn [eval total fold_right snd]; [ring|]. rewrite IH, plus_IZR. unfold total.
  ring. Qed.
Lemma shrink_down_ok D g p acc : (0 < D)%Z -> (forall k, 0 <= g k) -> IZR D * eval g (shrink_down D p acc) <= eval g
  p + IZR D * eval g acc.
Proof.
  intros HD G. revert acc. induction p as [|[k w] p IH]; intros acc; cbn [shrink_down].
  - rewrite eval_rev_append. simpl. lra.
  - eapply Rle_trans; [apply IH|]. pose proof (div_down w D HD) as V. specialize (G k).
    destruct (Z.eqb_spec (w / D) 0) as [E|E]; cbn [eval]; [rewrite E in V|]; nra.
Qed.
Lemma shrink_up_ok D cut g p acc l : (0 < D)%Z -> test g -> let '(h, l') := shrink_up D cut p acc l in
  eval g p + IZR D * (eval g acc + IZR l) <= IZR D * (eval g h + IZR l').
Proof.
  intros HD G. apply IZR_lt in HD as HD'. revert acc l. induction p as [|[k w] p IH]; intros acc l; cbn [shrink_up].
  - rewrite eval_rev_append. simpl. lra.
  - pose proof (div_up w D HD) as V. pose proof (G k) as Gk. destruct (ceil w D <=? cut)%Z.
    + specialize (IH acc (l + Z.max (ceil w D) 0)%Z). destruct (shrink_up _ _ _ _ _) as [h l'].
      eapply Rle_trans; [|exact IH].
      cbn [eval]. rewrite plus_IZR. pose proof (Poly.term (g k) (ceil w D) Gk). nra.
    + specialize (IH ((k, ceil w D) :: acc) l). destruct (shrink_up _ _ _ _ _) as [h l'].
      eapply Rle_trans; [|exact IH].
      cbn [eval]. nra.
Qed.

Section Covers.
Variables (F : list poly) (D cut : Z) (HD : (0 < D)%Z) (HF : forallb (fair D) F = true).
Definition power (ys : list nat) := IZR (D ^ Z.of_nat (length ys)).
Definition exact (ys : list nat) := product (map (row_at F) ys) [(0, 1)%Z].
Definition covers (ys : list nat) (c : cover) := 0 < IZR (scale c) /\ forall g, test g ->
  power ys * eval g (low c) <= IZR (scale c) * eval g (exact ys) <= power ys * (eval g (high c) + IZR (lost c)).
Lemma power_pos ys : 0 < power ys. Proof. apply IZR_lt, Z.pow_pos_nonneg; lia. Qed.
Lemma fair_at x : (x < length F)%nat -> forallb (fun kw => 0 <=? snd kw)%Z (row_at F x) = true /\ total (row_at F x)
  = D.
Proof.
  intros H. rewrite forallb_forall in HF. specialize (HF (row_at F x) (nth_In _ _ H)).
    apply andb_prop in HF as [A B]. apply Z.eqb_eq in B. auto.
Qed.
(* one more user *)
Lemma covers_mul x ys c : (x < length F)%nat -> covers ys c -> forall g, test g ->
  power ys * eval g (mul (row_at F x) (low c)) <= IZR (scale c) * eval g (mul (row_at F x) (exact ys)) <=
  power ys * (eval g (mul (row_at F x) (high c)) + IZR D * IZR (lost c)).
Proof.
  intros Hx [S C] g G. destruct (fair_at x Hx) as [N T]. rewrite !eval_mul.
  assert (Gd : forall d, test (fun k => g (d + k)%Z)) by (intros d k; apply G). split.
  - rewrite <- !eval_scale. apply eval_le; auto. intros d. apply (C _ (Gd d)).
  - rewrite <- eval_scale. eapply Rle_trans; [apply (eval_le _ _ (fun d => power ys * (eval (fun k => g (d + k)%Z)
    (high c) + IZR (lost c)))); auto|].
    + intros d. apply (C _ (Gd d)).
    + rewrite eval_scale, eval_plus, eval_const, T. right. ring.
Qed.
Lemma covers_step x ys c : (x < length F)%nat -> covers ys c -> covers (x :: ys) (step F D cut x c).
Proof.
  intros Hx C. pose proof (covers_mul x ys c Hx C) as M. destruct C as [S _]. unfold step.
  destruct (shrink_up D cut (mul (row_at F x) (high c)) [] (lost c)) as [h l] eqn:U. split; [exact S|].
    cbn [low high scale lost]. intros g G.
  assert (P : power (x :: ys) = power ys * IZR D).
  { unfold power. cbn [length]. rewrite Nat2Z.inj_succ, Z.pow_succ_r, mult_IZR by lia. ring. }
  change (exact (x :: ys)) with (mul (row_at F x) (exact ys)). destruct (M g G) as [L R]. pose proof (power_pos ys).
    rewrite P. split.
  - eapply Rle_trans; [|exact L]. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
    pose proof (shrink_down_ok D g (mul (row_at F x) (low c)) [] HD (fun k => proj1 (G k))). simpl in *. lra.
  - eapply Rle_trans; [exact R|]. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
    pose proof (shrink_up_ok D cut g (mul (row_at F x) (high c)) [] (lost c) HD G) as V. rewrite U in V.
      cbn [eval] in V. lra.
Qed.
Lemma covers_perm ys zs c : Permutation ys zs -> covers ys c -> covers zs c.
Proof.
  intros P [S C]. split; auto. intros g G. unfold power, exact in *. rewrite <- (Permutation_length P).
  rewrite <- (product_perm (map (row_at F) ys)) by now apply Permutation_map. now apply C.
Qed.
End Covers.

Lemma conclude_cover (M Mn S lost D a b z d n K mx my X Y hx ly : R) : 0 < Mn -> 0 < S -> 0 < b -> 0 < d -> 0 < D ->
  0 <= a -> a <= z * b -> 0 <= my ->
  M = D * Mn -> M * mx = X -> M * my = Y -> S * X <= Mn * (hx + D * lost) -> Mn * ly <= S * Y ->
  b * hx - a * ly <= K -> (K + b * (D * lost)) * d <= n * (S * D) * b -> mx - z * my <= n / d.
Proof.
  intros HM HS Hb Hd HD Ha0 Ha Hy EM EX EY HX HY HK H.
    apply Rmult_le_reg_r with (S * M * b * d); [subst M; repeat apply Rmult_lt_0_compat; auto|].
  replace (n / d * (S * M * b * d)) with (n * (S * D) * b * Mn) by (subst M; field; lra).
  apply Rle_trans with ((K + b * (D * lost)) * d * Mn); [|apply Rmult_le_compat_r; lra].
  assert (Q : 0 <= M * my) by (subst M; repeat apply Rmult_le_pos; lra).
  apply Rle_trans with ((b * (S * X) - a * (S * Y)) * d).
  - subst X Y. replace ((mx - z * my) * (S * M * b * d)) with ((b * (S * (M * mx)) - (z * b) * (S * (M * my))) * d)
    by ring.
    apply Rmult_le_compat_r; [lra|]. assert (0 <= S * (M * my)) by (apply Rmult_le_pos; lra). nra.
  - replace ((K + b * (D * lost)) * d * Mn) with ((Mn * K + b * (Mn * (D * lost))) * d) by ring.
    apply Rmult_le_compat_r; [lra|].
    assert (b * (S * X) <= b * (Mn * (hx + D * lost))) by (apply Rmult_le_compat_l; lra).
    assert (a * (Mn * ly) <= a * (S * Y)) by (apply Rmult_le_compat_l; lra). nra.
Qed.

Theorem check_cover_sound c w D prec fine cut : check_cover c w D prec fine cut = true ->
  private Shuffled (rows c) (users c) (value (eps c)) (Q2R (delta c)).
Proof.
  unfold check_cover. set (F := map (row_poly w D) (rows c)). set (N := map normal F). intros H.
  apply andb_prop in H as [H H3]. apply andb_prop in H as [H Hpos]. apply andb_prop in H as [H Hfine].
    apply andb_prop in H as [H HN]. apply andb_prop in H as [H1 H2].
  apply setting_ok in H1 as (HK & G & Hw & HL & Hd). apply Z.leb_le in Hfine.
  pose proof (from_below_ok _ _ G H2) as Z. cbv zeta in Z. destruct (from_below (eps c) prec) as [a b] eqn:EB.
    simpl in Z. destruct Z as [Zb Za].
  intros xs ys Hxs Hys (l & x & y & r & Hxy & -> & ->) E HE.
  destruct (event_keys w (rows c) (users c) _ _ E Hw HL HE (proj1 Hxs) (proj1 Hys)) as (X & PX & PY).
  destruct (users c) as [|n] eqn:U. { destruct Hxs as [L _]. rewrite app_length in L. simpl in L. lia. }
  assert (LN : length N = length (rows c)) by (unfold N, F; now rewrite !map_length).
  assert (I : forall z, In z (l ++ x :: r) \/ z = y -> (z < length (rows c))%nat).
  { intros z [Hz| ->]; [now apply Hxs|apply Hys]. rewrite in_app_iff. simpl. auto. }
  assert (Ix : (x < length (rows c))%nat) by (apply I; left; rewrite in_app_iff; simpl; auto).
  assert (Iy : (y < length (rows c))%nat) by (apply I; auto).
  assert (HD : (0 < D)%Z) by (eapply unit_pos; eauto).
  destruct (reps_ok N (l ++ r) [(0, 1)%Z]) as [s Hs].
  assert (RL : forall z, (rep N z <= z)%nat).
  { intros z. unfold rep. match goal with |- context [find ?f ?l] => destruct (find f l) as [q|] eqn:Fq end; [|lia].
    apply find_some in Fq as [Q _]. apply in_seq in Q. lia. }
  assert (ST : forall i us acc, In i (nodup Nat.eq_dec (map (rep N) (seq 0 (length F)))) -> covers N D us acc ->
    covers N D (i :: us) (step N D cut i acc)).
  { intros i us acc Hi. apply covers_step; auto. apply nodup_In, in_map_iff in Hi as (q & <- & Hq). apply in_seq in Hq.
    unfold F in Hq. rewrite map_length in Hq. rewrite LN. specialize (RL q). lia. }
  destruct (every_ok (step N D cut) (worth_cover c D (a, b) N) (covers N D) (covers_perm N D) _ (NoDup_nodup
    Nat.eq_dec _) ST _ [] _ H3)
    with (ys := map (rep N) (l ++ r)) as [acc [T HA]].
  { split; cbn [scale low high lost]; [apply IZR_lt; lia|]. intros g Gt. unfold power, exact.
    cbn [length map product fold_right eval]. change (D ^ Z.of_nat 0)%Z with 1%Z. split; lra. }
  { rewrite map_length, app_length. destruct Hxs as [L _]. rewrite app_length in L. simpl in L. lia. }
  { intros z Hz. apply in_map_iff in Hz as [u [<- Hu]]. apply rep_in. unfold F. rewrite map_length. apply I. left.
    rewrite in_app_iff in *. simpl. tauto. }
  rewrite app_nil_r in HA. set (A := exact N (map (rep N) (l ++ r))) in *.
  pose proof (through_reps w D (rows c) (S n) l r s A (indicator X) HK Hs (fun h => eq_refl)) as V. fold F N in V.
  pose proof (Pr_nonneg (rows c) (l ++ y :: r) D E HK) as Q0. rewrite PX, PY in *.
  assert (TG : test (fun k => indicator X (s + k)%Z)) by (intros k; unfold indicator; destruct (X _); lra).
  pose proof (covers_mul N D HN x _ _ ltac:(lia) HA _ TG) as [_ CX].
    pose proof (covers_mul N D HN y _ _ ltac:(lia) HA _ TG) as [CY _].
  fold A in CX, CY. destruct HA as [SA _].
  unfold worth_cover in T. rewrite forallb_forall in T. specialize (T x). rewrite in_seq, forallb_forall in T.
  specialize (T ltac:(lia) y). rewrite in_seq in T. specialize (T ltac:(lia)). apply orb_prop in T as [T|T].
  { apply Nat.eqb_eq in T. contradiction. }
  apply Z.leb_le, IZR_le in T. cbn [fst snd] in T.
  assert (RH : row_at (map (fun f => mul f (high acc)) N) x = mul (row_at N x) (high acc)) by exact (map_nth (fun f
    => mul f (high acc)) N [] x).
  assert (RW : row_at (map (fun f => mul f (low acc)) N) y = mul (row_at N y) (low acc)) by exact (map_nth (fun f =>
    mul f (low acc)) N [] y).
  rewrite RH, RW in T. rewrite !mult_IZR, plus_IZR, !mult_IZR in T.
  pose proof (stick_bound b a _ (mul (row_at N x) (high acc)) (mul (row_at N y) (low acc)) 0 TG) as B.
    rewrite Rplus_0_r in B.
  rewrite Q2R_frac.
  assert (A0 : 0 <= IZR a) by (apply IZR_le, Z.leb_le; exact Hpos).
  eapply (conclude_cover (IZR (D ^ Z.of_nat (S n))) (power D (map (rep N) (l ++ r))) (IZR (scale acc)) (IZR (lost
    acc)) (IZR D) (IZR a) (IZR b));
    [apply power_pos; auto|exact SA|exact Zb|apply den_pos|now apply IZR_lt|exact A0|exact Za|exact Q0| |apply (V x
      Hxs)|apply (V y Hys)|exact CX|exact CY|exact B|exact T].
  unfold power. rewrite map_length, <- mult_IZR. f_equal. rewrite <- Z.pow_succ_r by lia. f_equal.
  destruct Hxs as [L _]. rewrite app_length in *. simpl in L. lia.
Qed.
