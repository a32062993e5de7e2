(* The same checker with weights rounded outwards and far tails given up: what makes thousands of users cheap. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec Poly Key Law Exp Every Check.
Import ListNotations.
Local Open Scope Z_scope.

(* scale * law lies between low and low + lost *)
Record cover := { scale : Z; low : poly; lost : Z }.
(* Over D, rounded down, but for small weights, which are given up. What that takes is counted: of exact divisions nothing
   before anything else is lost. *)
Fixpoint shrink (D cut : Z) (p acc : poly) (lost : Z) : poly * Z := match p with
  | [] => (rev_append acc [], lost)
  | (k, w) :: p => let v := w / D in
      if (v <=? cut) && (0 <=? v) then shrink D cut p acc (lost + (v + 1))
      else shrink D cut p ((k, v) :: acc) (if (lost =? 0) && (w =? v * D) then 0 else lost + 1) end.
Definition step (F : list poly) D cut (x : nat) (c : cover) : cover :=
  let '(f, l) := shrink D cut (mul (row_at F x) (low c)) [] (lost c) in {| scale := scale c; low := f; lost := l |}.

Definition total (f : poly) : Z := fold_right (fun kw t => snd kw + t) 0 f.
Definition fair D (f : poly) : bool := forallb (fun kw => 0 <=? snd kw) f && (total f =? D).

(* one more user's law is at most P, and what is lost, and at least Q *)
Definition worth_pair (c : claim) D (z : Z * Z) (scale lost : Z) (P Q : poly) : bool :=
  (stick (snd z) (fst z) P Q 0 + snd z * (D * lost)) * QDen (delta c) <=? Qnum (delta c) * (scale * D) * snd z.
Definition worth_cover (c : claim) D (z : Z * Z) (F : list poly) (v : cover) : bool :=
  let laws := map (fun f => mul f (low v)) F in
  forallb (fun i => forallb (fun j => Nat.eqb i j ||
    worth_pair c D z (scale v) (lost v) (row_at laws i) (row_at laws j)) (seq 0 (length F))) (seq 0 (length F)).

Definition check_cover (c : claim) w D (prec : precision) (fine cut : Z) : bool :=
  let F := map (row_poly w D) (rows c) in let N := map normal F in let z := from_below (eps c) prec in
  setting c w D && fits (eps c) prec && forallb (fair D) N && (0 <=? fine) && (0 <=? fst z) &&
  match users c with
  | O => true
  | S n => every (step N D cut) (worth_cover c D z N) (nodup Nat.eq_dec (map (rep N) (seq 0 (length F)))) n
      {| scale := 2 ^ fine; low := [(0, 2 ^ fine)]; lost := 0 |}
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
Lemma shrink_below D cut g p acc l : (0 < D)%Z -> (forall k, 0 <= g k) ->
  IZR D * eval g (fst (shrink D cut p acc l)) <= eval g p + IZR D * eval g acc.
Proof.
  intros HD G. revert acc l. induction p as [|[k w] p IH]; intros acc l; cbn [shrink].
  - cbn [fst]. rewrite eval_rev_append. simpl. lra.
  - pose proof (div_down w D HD) as V. specialize (G k). destruct (_ && _) eqn:C;
      (eapply Rle_trans; [apply IH|]); cbn [eval].
    + apply andb_prop in C as [_ C]. apply Z.leb_le in C. assert (W : (0 <= w)%Z) by (pose proof (Z.mul_div_le w D HD); nia).
      apply IZR_le in W. pose proof (Rmult_le_pos _ _ W G). lra.
    + nra.
Qed.
Lemma shrink_above D cut g p acc l : (0 < D)%Z -> test g -> let '(f, l') := shrink D cut p acc l in
  eval g p + IZR D * (eval g acc + IZR l) <= IZR D * (eval g f + IZR l').
Proof.
  intros HD G. apply IZR_lt in HD as HD'. revert acc l. induction p as [|[k w] p IH]; intros acc l; cbn [shrink].
  - rewrite eval_rev_append. simpl. lra.
  - assert (V : IZR w <= IZR D * (IZR (w / D) + 1)).
    { rewrite <- plus_IZR, <- mult_IZR. apply IZR_le. pose proof (Z.mul_succ_div_gt w D HD). unfold Z.succ in *. lia. }
    pose proof (G k) as Gk. apply (Rmult_le_compat_r (g k)) in V; [|lra].
    destruct ((w / D <=? cut)%Z && _) eqn:C.
    + apply andb_prop in C as [_ C]. apply Z.leb_le, IZR_le in C. specialize (IH acc (l + (w / D + 1))%Z).
      destruct (shrink _ _ _ _ _) as [f l']. eapply Rle_trans; [|exact IH]. cbn [eval]. rewrite !plus_IZR.
      assert (X : IZR D * (IZR (w / D) + 1) * g k <= IZR D * (IZR (w / D) + 1) * 1) by
        (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]). lra.
    + destruct ((l =? 0)%Z && _) eqn:E.
      * apply andb_prop in E as [E0 E]. apply Z.eqb_eq in E0, E. specialize (IH ((k, w / D) :: acc)%Z 0%Z).
        destruct (shrink _ _ _ _ _) as [f l']. eapply Rle_trans; [|exact IH]. cbn [eval]. rewrite E0. apply (f_equal IZR) in E.
        rewrite mult_IZR in E. rewrite E. lra.
      * specialize (IH ((k, w / D) :: acc)%Z (l + 1)%Z). destruct (shrink _ _ _ _ _) as [f l'].
        eapply Rle_trans; [|exact IH]. cbn [eval]. rewrite plus_IZR.
        assert (X : IZR D * g k <= IZR D * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Lemma shrink_sure D cut p : (0 < D)%Z -> sure p -> forall acc l, sure acc -> sure (fst (shrink D cut p acc l)).
Proof.
  intros HD. unfold sure. induction p as [|[k w] p IH]; intros S acc l A; cbn [shrink fst]; [now apply sure_rev|].
  cbn [forallb snd] in S. apply andb_prop in S as [W S]. destruct (_ && _); apply IH; auto. cbn [forallb snd].
  rewrite A, andb_true_r. apply Z.leb_le in W. apply Z.leb_le, Z.div_pos; assumption.
Qed.

Section Covers.
Variables (F : list poly) (D cut : Z) (HD : (0 < D)%Z) (HF : forallb (fair D) F = true).
Definition power (ys : list nat) := IZR (D ^ Z.of_nat (length ys)).
Definition exact (ys : list nat) := product (map (row_at F) ys) [(0, 1)%Z].
Definition covers (ys : list nat) (c : cover) := 0 < IZR (scale c) /\ forall g, test g ->
  power ys * eval g (low c) <= IZR (scale c) * eval g (exact ys) <= power ys * (eval g (low c) + IZR (lost c)).
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
  power ys * (eval g (mul (row_at F x) (low c)) + IZR D * IZR (lost c)).
Proof.
  intros Hx [S C] g G. destruct (fair_at x Hx) as [N T]. rewrite !eval_mul.
  assert (Gd : forall d, test (fun k => g (d + k)%Z)) by (intros d k; apply G). split.
  - rewrite <- !eval_scale. apply eval_le; auto. intros d. apply (C _ (Gd d)).
  - rewrite <- eval_scale. eapply Rle_trans; [apply (eval_le _ _ (fun d => power ys * (eval (fun k => g (d + k)%Z)
    (low c) + IZR (lost c)))); auto|].
    + intros d. apply (C _ (Gd d)).
    + rewrite eval_scale, eval_plus, eval_const, T. right. ring.
Qed.
Lemma covers_shrunk x ys c q : (x < length F)%nat -> covers ys c -> (forall g, eval g q = eval g (mul (row_at F x) (low c))) ->
  covers (x :: ys) (let '(f, l) := shrink D cut q [] (lost c) in {| scale := scale c; low := f; lost := l |}).
Proof.
  intros Hx C E. pose proof (covers_mul x ys c Hx C) as M. destruct C as [S _].
  destruct (shrink D cut q [] (lost c)) as [f l] eqn:U. split; [exact S|].
    cbn [low scale lost]. intros g G.
  assert (P : power (x :: ys) = power ys * IZR D).
  { unfold power. cbn [length]. rewrite Nat2Z.inj_succ, Z.pow_succ_r, mult_IZR by lia. ring. }
  change (exact (x :: ys)) with (mul (row_at F x) (exact ys)). destruct (M g G) as [L R]. pose proof (power_pos ys).
    rewrite P. split.
  - eapply Rle_trans; [|exact L]. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
    pose proof (shrink_below D cut g q [] (lost c) HD (fun k => proj1 (G k))) as V.
    rewrite U, E in V. simpl in *. lra.
  - eapply Rle_trans; [exact R|]. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
    pose proof (shrink_above D cut g q [] (lost c) HD G) as V. rewrite U, E in V.
      cbn [eval] in V. lra.
Qed.
Lemma covers_step x ys c : (x < length F)%nat -> covers ys c -> covers (x :: ys) (step F D cut x c).
Proof. intros Hx C. now apply covers_shrunk. Qed.
Lemma covers_perm ys zs c : Permutation ys zs -> covers ys c -> covers zs c.
Proof.
  intros P [S C]. split; auto. intros g G. unfold power, exact in *. rewrite <- (Permutation_length P).
  rewrite <- (product_perm (map (row_at F) ys)) by now apply Permutation_map. now apply C.
Qed.
Lemma exact_app ys zs g : eval g (exact (ys ++ zs)) = eval (fun d => eval (fun k => g (d + k)%Z) (exact zs)) (exact ys).
Proof.
  unfold exact. rewrite map_app. revert g. induction (map (row_at F) ys) as [|f fs IH]; intros g.
  - cbn [app product fold_right eval]. rewrite Rmult_1_l, Rplus_0_r. reflexivity.
  - cbn [app product fold_right]. rewrite !eval_mul. apply eval_ext. intros d. unfold product in IH. rewrite IH.
    apply eval_ext. intros e. apply eval_ext. intros k. f_equal. lia.
Qed.
Lemma exact_le ys : (forall y, In y ys -> (y < length F)%nat) -> forall g h, (forall k, g k <= h k) ->
  eval g (exact ys) <= eval h (exact ys).
Proof.
  induction ys as [|y ys IH]; intros I g h L.
  - unfold exact. cbn [map product fold_right eval]. specialize (L 0%Z). lra.
  - change (exact (y :: ys)) with (mul (row_at F y) (exact ys)). rewrite !eval_mul. apply eval_le.
    + apply fair_at, I. now left.
    + intros d. apply IH; auto. intros z Hz. apply I. now right.
Qed.
Lemma exact_const ys x : (forall y, In y ys -> (y < length F)%nat) -> eval (fun _ => x) (exact ys) = x * power ys.
Proof.
  induction ys as [|y ys IH]; intros I.
  - unfold exact, power. cbn [map product fold_right eval length]. change (D ^ Z.of_nat 0)%Z with 1%Z. ring.
  - change (exact (y :: ys)) with (mul (row_at F y) (exact ys)). rewrite eval_mul.
    rewrite (eval_ext _ (fun _ => x * power ys)) by (intros; apply IH; intros z Hz; apply I; now right).
    rewrite eval_const. destruct (fair_at y (I y (or_introl eq_refl))) as [_ ->]. unfold power. cbn [length].
    rewrite Nat2Z.inj_succ, Z.pow_succ_r, mult_IZR by lia. ring.
Qed.
Lemma power_app ys zs : power (ys ++ zs) = power ys * power zs.
Proof. unfold power. rewrite app_length, Nat2Z.inj_add, Z.pow_add_r, mult_IZR by lia. reflexivity. Qed.
Lemma covers_start fine : (0 <= fine)%Z ->
  covers [] {| scale := 2 ^ fine; low := [(0, 2 ^ fine)]; lost := 0 |}%Z.
Proof.
  intros H. split; cbn [scale low lost]; [apply IZR_lt; lia|]. intros g Gt. unfold power, exact.
  cbn [length map product fold_right eval]. change (D ^ Z.of_nat 0)%Z with 1%Z. split; lra.
Qed.
End Covers.

Lemma eval_minus g h p : eval (fun k => g k - h k) p = eval g p - eval h p.
Proof. induction p as [|[k w] p IH]; cbn [eval]; [ring|]. rewrite IH. ring. Qed.
Lemma longest_pos K : (0 <= longest K)%Z.
Proof.
  unfold longest. assert (A : forall r m, (m <= fold_right (fun o m => Z.max (Z.of_nat (length (@fst (list msg) Q o)))
    m) m r)%Z) by (induction r as [|o r IH]; simpl; intros m; [lia|]; specialize (IH m); lia).
  induction K as [|r K IH]; simpl; [lia|]. eapply Z.le_trans; [exact IH|apply A].
Qed.
Lemma rep_le N z : (rep N z <= z)%nat.
Proof.
  unfold rep. match goal with |- context [find ?f ?l] => destruct (find f l) as [q|] eqn:Fq end; [|lia].
  apply find_some in Fq as [Q _]. apply in_seq in Q. lia.
Qed.

(* A cover of some of the other users' law that shows delta for every pair of inputs; it does so for all others. *)
Section Held.
Variables (c : claim) (w D : Z).
Let F := map (row_poly w D) (rows c).
Let N := map normal F.
Definition held (us : list nat) := exists prec v, fits (eps c) prec = true /\
  (0 <=? fst (from_below (eps c) prec))%Z = true /\ covers N D us v /\
  worth_cover c D (from_below (eps c) prec) N v = true.
Hypotheses (HS : setting c w D = true) (HN : forallb (fair D) N = true).

(* the same for one pair of inputs: what is asked of the cover, and of the laws with him who changes *)
Definition told (asked : Z * Z -> cover -> poly -> poly -> bool) (x y : nat) (us : list nat) := exists prec v,
  fits (eps c) prec = true /\ (0 <=? fst (from_below (eps c) prec))%Z = true /\ covers N D us v /\
  asked (from_below (eps c) prec) v (mul (row_at N x) (low v)) (mul (row_at N y) (low v)) = true.
Definition for_delta (z : Z * Z) (v : cover) := worth_pair c D z (scale v) (lost v).
Lemma held_told us x y : held us -> x <> y -> (x < length N)%nat -> (y < length N)%nat -> told for_delta x y us.
Proof.
  intros (prec & v & H & P & C & T) NE Lx Ly. exists prec, v. repeat (split; [assumption|]).
  unfold worth_cover in T. rewrite forallb_forall in T. specialize (T x). rewrite in_seq, forallb_forall in T.
  specialize (T ltac:(lia) y). rewrite in_seq in T. specialize (T ltac:(lia)). apply orb_prop in T as [T|T].
  { apply Nat.eqb_eq in T. contradiction. }
  assert (M : forall z, row_at (map (fun f => mul f (low v)) N) z = mul (row_at N z) (low v))
    by exact (map_nth (fun f => mul f (low v)) N []). rewrite !M in T. exact T.
Qed.
(* What a cover of some of the others says of all, at every ratio: P in `b` parts, Q in `a`. *)
Theorem cover_gap l x y r us rest v (a b K : R) : let n := length (l ++ x :: r) in (n <= users c)%nat ->
  dataset (rows c) n (l ++ x :: r) -> dataset (rows c) n (l ++ y :: r) ->
  Permutation (map (rep N) (l ++ r)) (us ++ rest) -> covers N D us v -> 0 <= a -> 0 <= b ->
  (forall h, test h -> b * (eval h (mul (row_at N x) (low v)) + IZR D * IZR (lost v)) -
    a * eval h (mul (row_at N y) (low v)) <= K) ->
  forall E, event Shuffled E ->
  (b * Pr E (sent (rows c) (l ++ x :: r)) - a * Pr E (sent (rows c) (l ++ y :: r))) * (IZR (scale v) * IZR D) <= K.
Proof.
  intros n Hn Hxs Hys HP HC A0 B0 K0 E HE.
  apply setting_ok in HS as (HK & _ & Hw & HL & Hd).
  assert (HL' : (Z.of_nat n * longest (rows c) < 2 ^ w)%Z) by (pose proof (longest_pos (rows c)); nia).
  destruct (event_keys w (rows c) n _ _ E Hw HL' HE (proj1 Hxs) (proj1 Hys)) as (X & PX & PY).
  assert (LN : length N = length (rows c)) by (unfold N, F; now rewrite !map_length).
  assert (Ix : (x < length (rows c))%nat) by (apply Hxs, in_elt).
  assert (Iy : (y < length (rows c))%nat) by (apply Hys, in_elt).
  assert (HD : (0 < D)%Z) by (eapply unit_pos; eauto).
  assert (IR : forall u, In u (us ++ rest) -> (u < length N)%nat).
  { intros u Hu. apply (Permutation_in u (Permutation_sym HP)), in_map_iff in Hu as (q & <- & Hq).
    pose proof (rep_le N q). rewrite LN. enough (q < length (rows c))%nat by lia. apply Hxs.
    rewrite in_app_iff in *. simpl. tauto. }
  destruct (reps_ok N (l ++ r) [(0, 1)%Z]) as [s Hs].
  set (g := fun k => indicator X (s + k)%Z).
  assert (TG : test g) by (intros k; unfold g, indicator; destruct (X _); lra).
  set (A := exact N (rest ++ us)).
  assert (HA : forall h, eval h A = eval h (product (map (row_at N) (map (rep N) (l ++ r))) [(0, 1)%Z])).
  { intros h. apply product_perm, Permutation_map. rewrite HP. apply Permutation_app_comm. }
  pose proof (through_reps w D (rows c) n l r s A (indicator X) HK Hs HA) as V. fold F N g in V.
  assert (W : forall z, eval g (mul (row_at N z) A) =
    eval (fun d => eval (fun k => g (d + k)%Z) (mul (row_at N z) (exact N us))) (exact N rest)).
  { intros z. rewrite eval_mul. symmetry.
    erewrite eval_ext by (intros; apply eval_mul). rewrite eval_swap. apply eval_ext. intros e. unfold A.
    rewrite exact_app. apply eval_ext. intros d. apply eval_ext. intros k. f_equal. lia. }
  pose proof (power_pos D HD us) as P0.
  assert (K2 : forall h, test h -> IZR (scale v) * (b * eval h (mul (row_at N x) (exact N us)) -
    a * eval h (mul (row_at N y) (exact N us))) <= power D us * K).
  { intros h Th. pose proof (covers_mul N D HN x _ _ ltac:(lia) HC _ Th) as [_ CX].
    pose proof (covers_mul N D HN y _ _ ltac:(lia) HC _ Th) as [CY _]. specialize (K0 h Th).
    apply (Rmult_le_compat_l b) in CX; [|assumption]. apply (Rmult_le_compat_l a) in CY; [|assumption].
    apply (Rmult_le_compat_l (power D us)) in K0; lra. }
  pose proof (V x Hxs) as VX. pose proof (V y Hys) as VY. rewrite W in VX, VY. rewrite <- PX in VX. rewrite <- PY in VY.
  set (mx := Pr E (sent (rows c) (l ++ x :: r))) in *. set (my := Pr E (sent (rows c) (l ++ y :: r))) in *.
  assert (EM : IZR (D ^ Z.of_nat n) = IZR D * power D (us ++ rest)).
  { unfold power. rewrite <- mult_IZR. f_equal. rewrite <- Z.pow_succ_r by lia. f_equal.
    apply Permutation_length in HP. rewrite map_length in HP. rewrite <- HP. unfold n. rewrite !app_length. simpl. lia. }
  assert (S1 : IZR (scale v) * (b * (IZR (D ^ Z.of_nat n) * mx) - a * (IZR (D ^ Z.of_nat n) * my)) <= power D (us ++ rest) * K).
  { rewrite VX, VY, power_app. rewrite <- !eval_scale, <- eval_minus, <- eval_scale.
    apply Rle_trans with (eval (fun _ => power D us * K) (exact N rest)).
    + apply (exact_le N D HN); [intros; apply IR, in_or_app; auto|]. intros d. apply K2. intros k. apply TG.
    + rewrite (exact_const N D HN) by (intros; apply IR, in_or_app; auto). lra. }
  rewrite EM in S1. apply Rmult_le_reg_l with (power D (us ++ rest)); [now apply power_pos|].
  eapply Rle_trans; [|exact S1]. right. ring.
Qed.
Theorem told_at_most l x y r us rest : let n := length (l ++ x :: r) in (n <= users c)%nat ->
  dataset (rows c) n (l ++ x :: r) -> dataset (rows c) n (l ++ y :: r) ->
  Permutation (map (rep N) (l ++ r)) (us ++ rest) -> told for_delta x y us ->
  at_most Shuffled (rows c) (l ++ x :: r) (l ++ y :: r) (value (eps c)) (Q2R (delta c)).
Proof.
  intros n Hn Hxs Hys HP (prec & v & H2 & Hpos & HC & T) E HE.
  pose proof HS as (HK & G & _)%setting_ok. pose proof (from_below_ok _ _ G H2) as [Zb Za].
  unfold for_delta, worth_pair in T. destruct (from_below (eps c) prec) as [a b]. cbn [fst snd] in *.
  apply Z.leb_le, IZR_le in T. apply Z.leb_le, IZR_le in Hpos. rewrite !mult_IZR, plus_IZR, !mult_IZR in T.
  set (K := IZR (stick b a (mul (row_at N x) (low v)) (mul (row_at N y) (low v)) 0) + IZR b * (IZR D * IZR (lost v))) in T.
  pose proof (cover_gap l x y r us rest v (IZR a) (IZR b) K Hn Hxs Hys HP HC Hpos (Rlt_le _ _ Zb)) as CG.
  pose proof (Pr_nonneg (rows c) (l ++ y :: r) D E HK) as Q0. pose proof (proj1 HC) as S0.
  assert (D0 : 0 < IZR D) by (apply IZR_lt; eapply unit_pos; [exact HK|apply (proj2 Hxs), in_elt]).
  specialize (CG ltac:(intros h Th; pose proof (stick_bound b a h (mul (row_at N x) (low v)) (mul (row_at N y) (low v)) 0 Th);
    unfold K; lra) E HE). rewrite Q2R_frac. pose proof (den_pos (delta c)) as d0.
  set (mx := Pr E (sent (rows c) (l ++ x :: r))) in *.
  set (my := Pr E (sent (rows c) (l ++ y :: r))) in *. set (d := IZR (QDen (delta c))) in *.
  apply Rmult_le_reg_r with (d * (IZR b * (IZR (scale v) * IZR D))); [repeat apply Rmult_lt_0_compat; assumption|].
  replace (IZR (Qnum (delta c)) / d * (d * (IZR b * (IZR (scale v) * IZR D)))) with
    (IZR (Qnum (delta c)) * (IZR (scale v) * IZR D) * IZR b) by (field; lra).
  eapply Rle_trans; [|exact T]. apply Rle_trans with ((IZR b * mx - IZR a * my) * (IZR (scale v) * IZR D) * d);
    [|apply Rmult_le_compat_r; lra].
  replace ((mx - value (eps c) * my) * (d * (IZR b * (IZR (scale v) * IZR D)))) with
    ((IZR b * mx - value (eps c) * IZR b * my) * (IZR (scale v) * IZR D) * d) by ring.
  apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; [nra|]. nra.
Qed.
Theorem held_private : ((0 < D)%Z -> forall n, users c = S n -> forall ys, length ys = n ->
  (forall y, In y ys -> In y (nodup Nat.eq_dec (map (rep N) (seq 0 (length F))))) ->
  exists us rest, Permutation ys (us ++ rest) /\ held us) ->
  private Shuffled (rows c) (users c) (value (eps c)) (Q2R (delta c)).
Proof.
  intros H xs ys Hxs Hys (l & x & y & r & Hxy & -> & ->).
  assert (L : length (l ++ x :: r) = users c) by apply Hxs.
  assert (HD : (0 < D)%Z) by (eapply unit_pos; [apply (setting_ok _ _ _ HS)|apply Hxs, in_elt]).
  destruct (H HD (length (l ++ r)) ltac:(rewrite <- L, !app_length; simpl; lia) (map (rep N) (l ++ r)))
    as (us & rest & P & Hu).
  - apply map_length.
  - intros z Hz. apply in_map_iff in Hz as [u [<- Hu]]. apply rep_in. unfold F. rewrite map_length. apply Hxs.
    rewrite in_app_iff in *. simpl. tauto.
  - apply (told_at_most l x y r us rest); rewrite ?L; auto.
    assert (LN : length N = length (rows c)) by (unfold N, F; now rewrite !map_length).
    apply held_told; auto; rewrite LN; [apply Hxs|apply Hys]; apply in_elt.
Qed.
End Held.

Theorem check_cover_sound c w D prec fine cut : check_cover c w D prec fine cut = true ->
  private Shuffled (rows c) (users c) (value (eps c)) (Q2R (delta c)).
Proof.
  unfold check_cover. set (F := map (row_poly w D) (rows c)). set (N := map normal F). intros H.
  apply andb_prop in H as [H H3]. apply andb_prop in H as [H Hpos]. apply andb_prop in H as [H Hfine].
  apply andb_prop in H as [H HN]. apply andb_prop in H as [H1 H2]. apply Z.leb_le in Hfine.
  apply (held_private c w D H1 HN). fold F N. intros HD n U us L I. rewrite U in H3.
  assert (ST : forall i zs acc, In i (nodup Nat.eq_dec (map (rep N) (seq 0 (length F)))) -> covers N D zs acc ->
    covers N D (i :: zs) (step N D cut i acc)).
  { intros i zs acc Hi. apply covers_step; auto. apply nodup_In, in_map_iff in Hi as (q & <- & Hq).
    apply in_seq in Hq. pose proof (rep_le N q). unfold N, F in *. rewrite !map_length in *. lia. }
  destruct (every_ok (step N D cut) (worth_cover c D (from_below (eps c) prec) N) (covers N D) (covers_perm N D) _
    (NoDup_nodup Nat.eq_dec _) ST _ [] _ H3 (covers_start N D fine Hfine) us L I) as [acc [T HA]].
  rewrite app_nil_r in HA. exists us, []. split; [now rewrite app_nil_r|]. now exists prec, acc.
Qed.
