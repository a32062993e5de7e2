(* A pair of laws that are known from below, put on the lattice as it is. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount SpecColumns SpecRuns Poly Exp Check Cover Powers Sums Numbers GridSum.
From Shufflecert Require Below.
From Shufflecert Require Import Pairs Lattice Dots.
Import ListNotations.
Local Open Scope Z_scope.

(* The weights of P and Q at one place each, where P has any; what is found before comes first. *)
Fixpoint side_by_side (f : poly) : poly -> list (Z * Z) -> list (Z * Z) :=
  match f with
  | [] => fun _ acc => rev_append acc []
  | (k, w) :: f' =>
      fix inner g acc :=
        match g with
        | [] => side_by_side f' [] ((w, 0) :: acc)
        | (l, v) :: g' =>
            match Z.compare k l with
            | Lt => side_by_side f' g ((w, 0) :: acc)
            | Eq => side_by_side f' g' ((w, v) :: acc)
            | Gt => inner g' acc
            end
        end
  end.
Section Plan.
Variable p : plan.
(* Over the unit N: those that Q has nothing of go to infinity, the others to the places that are named. *)
Fixpoint put_on (N : Z) (pairs : list (Z * Z)) (places : list Z) (far : Z) (ds : list dot) : Z * list dot :=
  match pairs with
  | [] => (far, ds)
  | (a, b) :: pairs =>
      if a <=? 0 then put_on N pairs (tl places) far ds else
      let w := ceil (a * unit p) N in
      match places, b with
      | j :: places, Zpos q =>
          put_on N pairs places far ({| at_ratio := Qmake a q; height_of := 0; weight_of := w; place_of := j |} :: ds)
      | _, _ => put_on N pairs (tl places) (far + w) ds
      end
  end.
Definition shifted_by (d : Z) (f : poly) : poly := map (fun kw => (fst kw + d, snd kw)) f.
Definition mass_of (f : poly) : Z := fold_left (fun t kw => t + snd kw) f 0.
(* The pair of X and d + X, X known from below. *)
Definition shift_lattice (f : poly) (N d : Z) (places : list Z) (many : nat) : option lattice :=
  let pairs := side_by_side f (shifted_by d f) [] in
  let '(far, ds) := put_on N pairs places (Z.max (ceil ((N - mass_of f) * unit p) N) 0) [] in
  if forallb (fun o => 0 <=? snd o) pairs && forallb (fun d => 0 <=? gap_of p d) ds then start p far many (rev_append ds []) else None.

Hypothesis F : plan_fits p = true.
Local Open Scope R_scope.
Let U : R := IZR (unit p).
Notation sum := SpecCount.sum.
Definition of_pairs (u v : R) (l : list (Z * Z)) : R := sum (fun o => Rmax (u * IZR (fst o) - v * IZR (snd o)) 0) l.
Lemma of_pairs_rev u v l m : of_pairs u v (rev_append l m) = of_pairs u v l + of_pairs u v m.
Proof.
  revert m. induction l as [|o l IH]; intros m; cbn [rev_append]; [unfold of_pairs at 2; cbn; ring|].
  rewrite IH. unfold of_pairs. rewrite !sum_cons. ring.
Qed.
Lemma side_by_side_ok u v g : 0 <= u -> 0 <= v -> (forall k, 0 <= g k <= 1) -> forall f h acc, sure h ->
  u * eval g f - v * eval g h + of_pairs u v acc <= of_pairs u v (side_by_side f h acc).
Proof.
  intros HU HV G. assert (T : forall k x, x * g k <= Rmax x 0).
  { intros k x. destruct (G k). unfold Rmax. destruct (Rle_dec x 0); nra. }
  induction f as [|[k w] f IH]; intros h acc S.
  - cbn [side_by_side eval]. rewrite of_pairs_rev. unfold of_pairs at 3. cbn.
    pose proof (Below.sure_eval h g S (fun k => proj1 (G k))). nra.
  - revert acc. induction h as [|[l x] h IHh]; intros acc; cbn [side_by_side].
    + eapply Rle_trans; [|apply IH; reflexivity]. unfold of_pairs at 2. rewrite sum_cons. fold (of_pairs u v acc). cbn [eval fst snd].
      pose proof (T k (u * IZR w - v * IZR 0)). replace (IZR 0) with 0 in * by reflexivity. lra.
    + pose proof S as S'. unfold sure in S. cbn [forallb snd] in S. apply andb_prop in S as [X S]. apply Z.leb_le, IZR_le in X.
      destruct (Z.compare_spec k l) as [<-|L|L].
      * eapply Rle_trans; [|apply IH; exact S]. unfold of_pairs at 2. rewrite sum_cons. fold (of_pairs u v acc). cbn [eval fst snd].
        pose proof (T k (u * IZR w - v * IZR x)). lra.
      * eapply Rle_trans; [|apply IH; exact S']. unfold of_pairs at 2. rewrite sum_cons. fold (of_pairs u v acc). cbn [eval fst snd].
        pose proof (T k (u * IZR w - v * IZR 0)). replace (IZR 0) with 0 in * by reflexivity. lra.
      * eapply Rle_trans; [|apply (IHh S)]. cbn [eval]. destruct (G l). assert (0 <= v * (IZR x * g l)) by (repeat apply Rmult_le_pos; lra). lra.
Qed.
Definition half_placed (d : dot) := (0 < Qnum (at_ratio d))%Z /\ (0 <= weight_of d)%Z.
Lemma atoms_curve far ds u v : 0 <= u -> curve (dot_atoms p far ds) u v =
  (IZR far * u + sum (fun d => IZR (weight_of d) * Rmax (u - v * / Q2R (at_ratio d)) 0) ds) * / U.
Proof.
  intros HU. unfold curve, dot_atoms, breaks. rewrite sum_cons, !sum_map_of. cbn [fst snd]. fold U.
  rewrite Rmult_0_r, Rminus_0_r, Rmax_left by lra. rewrite Rmult_plus_distr_r, (Rmult_comm (sum _ _)), <- sum_scale.
  unfold Rdiv. f_equal; [ring|]. apply sum_ext. intros d _. ring.
Qed.
Lemma put_on_ok N u v : (0 < N)%Z -> 0 <= u -> 0 <= v -> forall pairs places far ds far' ds',
  put_on N pairs places far ds = (far', ds') -> (0 <= far)%Z -> Forall half_placed ds -> Forall (fun o => 0 <= snd o)%Z pairs ->
  (0 <= far')%Z /\ Forall half_placed ds' /\
  curve (dot_atoms p far ds) u v + of_pairs u v pairs * / IZR N <= curve (dot_atoms p far' ds') u v.
Proof.
  intros N0 HU HV. pose proof (unit_pos p F) as U1. pose proof (U_pos p F) as U0. fold U in U0. pose proof (IZR_lt _ _ N0) as N1.
  assert (IN : 0 < / IZR N) by now apply Rinv_0_lt_compat. assert (IU : 0 < / U) by now apply Rinv_0_lt_compat.
  induction pairs as [|[a b] pairs IH]; intros places far ds far' ds'; cbn [put_on].
  - intros [= <- <-] FR DS _. split; [exact FR|split; [exact DS|]]. unfold of_pairs. cbn [SpecCount.sum fold_right]. lra.
  - intros E FR DS PS. inversion_clear PS as [|? ? B PS']. cbn [snd] in B. unfold of_pairs. rewrite sum_cons. cbn [fst snd].
    fold (of_pairs u v pairs). apply IZR_le in B. destruct (Z.leb_spec a 0) as [A|A].
    { destruct (IH _ _ _ _ _ E FR DS PS') as (R1 & R2 & R3). split; [exact R1|split; [exact R2|]].
      apply IZR_le in A. rewrite Rmax_right by nra. lra. }
    pose proof (ceil_high (a * unit p) N N0) as C. rewrite mult_IZR in C. fold U in C.
    assert (W0 : (0 <= ceil (a * unit p) N)%Z) by (apply ceil_nonneg; nia). set (w := ceil (a * unit p) N) in *.
    apply IZR_lt in A as A1. assert (W1 := IZR_le _ _ W0).
    assert (INF : forall pl, put_on N pairs pl (far + w) ds = (far', ds') -> (0 <= far')%Z /\ Forall half_placed ds' /\
      curve (dot_atoms p far ds) u v + (Rmax (u * IZR a - v * IZR b) 0 + of_pairs u v pairs) * / IZR N <= curve (dot_atoms p far' ds') u v).
    { intros pl E'. destruct (IH _ _ _ _ _ E' ltac:(lia) DS PS') as (R1 & R2 & R3). split; [exact R1|split; [exact R2|]].
      eapply Rle_trans; [|exact R3]. rewrite !atoms_curve, plus_IZR by assumption.
      assert (Rmax (u * IZR a - v * IZR b) 0 * / IZR N <= IZR w * u * / U); [|lra].
      apply Rmult_le_reg_r with (IZR N * U); [nra|].
      replace (Rmax (u * IZR a - v * IZR b) 0 * / IZR N * (IZR N * U)) with (Rmax (u * IZR a - v * IZR b) 0 * U) by (field; lra).
      replace (IZR w * u * / U * (IZR N * U)) with (u * (IZR w * IZR N)) by (field; lra).
      assert (Rmax (u * IZR a - v * IZR b) 0 <= u * IZR a) by (apply Rmax_lub; nra). nra. }
    destruct places as [|j places]; [now apply (INF _ E)|]. destruct b as [|q|q]; [now apply (INF _ E)| |exfalso; apply le_IZR in B; lia].
    destruct (IH _ _ _ _ _ E FR ltac:(constructor; [split; [exact A|exact W0]|exact DS]) PS') as (R1 & R2 & R3).
    split; [exact R1|split; [exact R2|]]. eapply Rle_trans; [|exact R3]. rewrite !atoms_curve, sum_cons by assumption.
    cbn [weight_of at_ratio].
    assert (Rmax (u * IZR a - v * IZR (Z.pos q)) 0 * / IZR N <= IZR w * Rmax (u - v * / Q2R (a # q)) 0 * / U); [|lra].
    assert (EQ : / Q2R (a # q) = IZR (Z.pos q) / IZR a).
    { unfold Q2R. cbn [Qnum Qden]. assert (0 < IZR (Z.pos q)) by now apply IZR_lt. field. lra. }
    rewrite EQ. assert (EM : Rmax (u * IZR a - v * IZR (Z.pos q)) 0 = IZR a * Rmax (u - v * (IZR (Z.pos q) / IZR a)) 0).
    { rewrite Rmax_scaled by lra. f_equal. field. lra. }
    rewrite EM. set (m := Rmax (u - v * (IZR (Z.pos q) / IZR a)) 0). assert (M0 : 0 <= m) by apply Rmax_r.
    apply Rmult_le_reg_r with (IZR N * U); [nra|].
    replace (IZR a * m * / IZR N * (IZR N * U)) with (m * (IZR a * U)) by (field; lra).
    replace (IZR w * m * / U * (IZR N * U)) with (m * (IZR w * IZR N)) by (field; lra). nra.
Qed.
Lemma mass_of_eval f t : IZR (fold_left (fun t kw => t + snd kw)%Z f t) = IZR t + eval (fun _ => 1) f.
Proof.
  revert t. induction f as [|[k w] f IH]; intros t; cbn [fold_left eval snd]; [ring|]. rewrite IH, plus_IZR. ring.
Qed.
Lemma eval_shifted g d f : eval g (shifted_by d f) = eval (fun k => g (k + d)%Z) f.
Proof. induction f as [|[k w] f IH]; cbn [shifted_by map eval fst snd]; [reflexivity|]. now rewrite <- IH. Qed.
Lemma known_sum (m : Z -> R) f N g s us : Below.below (f, N) m -> is_mass m -> (forall k, 0 <= g k) -> NoDup us ->
  (forall k, In k (map fst f) -> In (k + s)%Z us) -> eval (fun k => g (k + s)%Z) f <= IZR N * sum (fun k => g k * m (k - s)%Z) us.
Proof.
  intros (N0 & S & B) [M0 _] G D I. cbn [fst snd] in *. apply IZR_lt in N0.
  rewrite <- (weight_sum (fun k => g (k + s)%Z) (nodup Z.eq_dec (map fst f)) f).
  - apply Rle_trans with (IZR N * sum (fun k => g (k + s)%Z * m k) (nodup Z.eq_dec (map fst f))).
    + rewrite <- sum_scale. apply sum_le. intros k _. rewrite Below.at_place_weight. specialize (B k). specialize (G (k + s)%Z). nra.
    + apply Rmult_le_compat_l; [lra|].
      apply Rle_trans with (sum (fun k => g k * m (k - s)%Z) (map (fun k => (k + s)%Z) (nodup Z.eq_dec (map fst f)))).
      { rewrite sum_map_of. right. apply sum_ext. intros k _. do 2 f_equal. lia. }
      apply sum_incl; [intros; apply Rmult_le_pos; auto| |].
      * apply FinFun.Injective_map_NoDup; [intros x y; lia|apply NoDup_nodup].
      * intros k J. apply in_map_iff in J as (i & <- & J). apply nodup_In in J. now apply I.
  - apply NoDup_nodup.
  - intros k w J. apply nodup_In. now apply (in_map fst) in J.
Qed.
Theorem shift_lattice_ok m f N d places many x s : Below.below (f, N) m -> is_mass m -> shift_lattice f N d places many = Some x ->
  fit x /\ under (fun k => m (k - s)%Z) (fun k => m (k - (s + d))%Z) (curve (atoms_of p x)).
Proof.
  intros B M. pose proof B as (N0 & S & _). cbn [fst snd] in N0, S. unfold shift_lattice.
  set (pairs := side_by_side f (shifted_by d f) []). set (lost := Z.max (ceil ((N - mass_of f) * unit p) N) 0).
  destruct (put_on N pairs places lost []) as [far ds] eqn:E. destruct (_ && _) eqn:C; [|discriminate]. intros ST.
  apply andb_prop in C as [C1 C2]. rewrite forallb_forall in C1, C2.
  assert (PS : Forall (fun o => 0 <= snd o)%Z pairs) by (apply Forall_forall; intros o J; now apply Z.leb_le, C1).
  assert (L0 : (0 <= lost)%Z) by (unfold lost; lia).
  destruct (put_on_ok N 0 0 N0 (Rle_refl 0) (Rle_refl 0) _ _ _ _ _ _ E L0 (Forall_nil _) PS) as (R1 & R2 & _).
  rewrite Forall_forall in R2.
  assert (INR : forall d0, In d0 (rev_append ds []) -> In d0 ds).
  { intros d0 J. rewrite rev_append_rev, app_nil_r in J. now apply in_rev. }
  destruct (start_ok p F far many (rev_append ds []) x R1) as [X1 X2].
  { intros d0 J. apply INR in J. destruct (R2 d0 J). split; [assumption|split; [assumption|]]. now apply Z.leb_le, C2. }
  { exact ST. }
  split; [exact X1|]. eapply under_below; [|exact X2]. intros u v l HU HV D.
  assert (RV : curve (dot_atoms p far (rev_append ds [])) u v = curve (dot_atoms p far ds) u v).
  { rewrite !atoms_curve by assumption. f_equal. f_equal. rewrite rev_append_rev, app_nil_r.
    generalize (fun d : dot => IZR (weight_of d) * Rmax (u - v * / Q2R (at_ratio d)) 0). intros h. clear. induction ds as [|d l IHl]; [reflexivity|].
    cbn [rev]. rewrite sum_app, IHl, !sum_cons. cbn. ring. }
  rewrite RV. destruct (put_on_ok N u v N0 HU HV _ _ _ _ _ _ E L0 (Forall_nil _) PS) as (_ & _ & R3).
  eapply Rle_trans; [|exact R3]. rewrite atoms_curve by assumption. cbn [SpecCount.sum fold_right]. rewrite Rplus_0_r.
  pose proof (unit_pos p F) as U1. pose proof (U_pos p F) as U0. fold U in U0. pose proof (IZR_lt _ _ N0) as N1.
  (* all outcomes that matter *)
  destruct (once (l ++ map (fun kw => fst kw + s)%Z f ++ map (fun kw => fst kw + (s + d))%Z f)) as (us & DU & IU).
  assert (I1 : incl l us) by (intros k J; apply IU, in_or_app; now left).
  assert (I2 : forall k, In k (map fst f) -> In (k + s)%Z us).
  { intros k J. apply in_map_iff in J as (o & <- & J). apply IU, in_or_app. right. apply in_or_app. left. apply in_map_iff. now exists o. }
  assert (I3 : forall k, In k (map fst f) -> In (k + (s + d))%Z us).
  { intros k J. apply in_map_iff in J as (o & <- & J). apply IU, in_or_app. right. apply in_or_app. right. apply in_map_iff. now exists o. }
  eapply Rle_trans; [apply (sum_incl _ l (fun a => Rmax_r _ 0) D us I1)|].
  set (P := fun k => m (k - s)%Z). set (Q := fun k => m (k - (s + d))%Z). destruct M as [M0 M1].
  set (g := fun k => if Rle_dec 0 (u * P k - v * Q k) then 1 else 0).
  assert (G : forall k, 0 <= g k <= 1) by (intros k; unfold g; destruct (Rle_dec _ _); lra).
  assert (SP : sum P us <= 1).
  { apply Rle_trans with (sum m (map (fun k => (k - s)%Z) us)); [rewrite sum_map_of; apply Rle_refl|].
    apply (total_above _ _ _ M1). apply FinFun.Injective_map_NoDup; [intros a b; lia|exact DU]. }
  assert (E1 : sum (fun k => Rmax (u * P k - v * Q k) 0) us =
    u * sum P us - u * sum (fun k => (1 - g k) * P k) us - v * sum (fun k => g k * Q k) us).
  { assert (EK : forall k, Rmax (u * P k - v * Q k) 0 = u * P k - u * ((1 - g k) * P k) - v * (g k * Q k)).
    { intros k. unfold g. destruct (Rle_dec 0 (u * P k - v * Q k)); [rewrite Rmax_left by lra|rewrite Rmax_right by lra]; ring. }
    clear - EK. induction us as [|k l IH]; [cbn; ring|]. rewrite !sum_cons, IH, EK. ring. }
  pose proof (known_sum m f N (fun k => 1 - g k) s us B (conj M0 M1) (fun k => ltac:(pose proof (G k); lra)) DU I2) as K1.
  pose proof (known_sum m f N g (s + d) us B (conj M0 M1) (fun k => proj1 (G k)) DU I3) as K2. cbv beta in K1.
  fold P in K1. fold Q in K2. change (fun k : Z => (1 - g k) * m (k - s)%Z) with (fun k => (1 - g k) * P k) in K1.
  change (fun k : Z => g k * m (k - (s + d))%Z) with (fun k => g k * Q k) in K2.
  set (gs := fun k => g (k + s)%Z).
  assert (GS : forall k, 0 <= gs k <= 1) by (intros k; apply G).
  pose proof (side_by_side_ok u v gs HU HV GS f (shifted_by d f) []) as AL.
  assert (SS : sure (shifted_by d f)).
  { clear - S. unfold sure in *. rewrite forallb_forall in *. intros o J. unfold shifted_by in J. apply in_map_iff in J as (q & <- & J). now apply (S q). }
  specialize (AL SS). fold pairs in AL. unfold of_pairs at 1 in AL. cbn [SpecCount.sum fold_right] in AL.
  rewrite eval_shifted in AL.
  assert (E2 : eval (fun k => gs (k + d)%Z) f = eval (fun k => g (k + (s + d))%Z) f) by (apply eval_ext; intros k; unfold gs; f_equal; lia).
  assert (E3 : eval (fun k => 1 - g (k + s)%Z) f = IZR (mass_of f) - eval gs f).
  { unfold mass_of. rewrite mass_of_eval. clear. unfold gs. induction f as [|[k w] f IH]; cbn [eval]; [ring|]. rewrite IH. ring. }
  rewrite E2 in AL. rewrite E3 in K1.
  match goal with |- ?L <= _ => change L with (sum (fun k => Rmax (u * P k - v * Q k) 0) us) end. rewrite E1.
  pose proof (ceil_high ((N - mass_of f) * unit p) N N0) as CL. rewrite mult_IZR, minus_IZR in CL. fold U in CL.
  assert (LB : IZR (ceil ((N - mass_of f) * unit p) N) <= IZR lost) by (apply IZR_le; unfold lost; lia).
  set (A := sum (fun k => (1 - g k) * P k) us) in *. set (Bq := sum (fun k => g k * Q k) us) in *.
  set (X := eval gs f) in *. set (Y := eval (fun k => g (k + (s + d))%Z) f) in *.
  rewrite Rplus_0_r in *. apply Rmult_le_reg_r with (IZR N); [assumption|].
  replace ((IZR lost * u * / U + of_pairs u v pairs * / IZR N) * IZR N) with
    (IZR lost * IZR N * u * / U + of_pairs u v pairs) by (field; lra).
  assert (L1 : (IZR N - IZR (mass_of f)) * u <= IZR lost * IZR N * u * / U).
  { apply Rmult_le_reg_r with U; [assumption|]. replace (IZR lost * IZR N * u * / U * U) with (IZR lost * IZR N * u) by (field; lra).
    replace ((IZR N - IZR (mass_of f)) * u * U) with ((IZR N - IZR (mass_of f)) * U * u) by ring. apply Rmult_le_compat_r; [assumption|].
    eapply Rle_trans; [exact CL|]. apply Rmult_le_compat_r; lra. }
  assert (u * sum P us * IZR N <= u * IZR N) by (apply Rmult_le_compat_r; [lra|]; rewrite <- (Rmult_1_r u) at 2; now apply Rmult_le_compat_l).
  assert (u * (IZR (mass_of f) - X) <= u * (IZR N * A)) by (apply Rmult_le_compat_l; assumption).
  assert (v * Y <= v * (IZR N * Bq)) by (apply Rmult_le_compat_l; assumption). nra.
Qed.
End Plan.
