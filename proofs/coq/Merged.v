(* Noise of which the ratio to its shift is one beyond both: no more than which of these it is need be known. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount SpecColumns Sums Poly Check Noise Total Beside Numbers Made Below TwoColumns.
Import ListNotations.
Notation sum := SpecCount.sum.
Local Open Scope Z_scope.

(* Of X + j beside X: of a discrete Laplace law the places from 0 to j, at which is all before or beyond them; of a
   geometric one whether it is at j or beyond. *)
Definition merged (X : noise) (j k : Z) : Z :=
  match X with DiscreteLaplace _ => Z.max 0 (Z.min k j) | _ => if k <? j then 0 else 1 end.
Definition two_sides (X : noise) (j : Z) : option ends_of :=
  if j <=? 0 then None else
  match X with
  | DiscreteLaplace q =>
      let a := Qnum q in let b := QDen q in
      let w k := if k <=? 0 then b ^ j else if j <=? k then a ^ j else (b - a) * (a ^ k * b ^ (j - 1 - k)) in
      let U := (a + b) * b ^ (j - 1) in let at_ := run 0 (S (Z.to_nat j)) in
      Some ((map (fun k => (k, w (j - k))) at_, U), (map (fun k => (k, w k)) at_, U))
  | NegativeBinomial r p =>
      let u := QDen p ^ j in let t := Qnum p ^ j in
      if Qnum r =? QDen r then Some (([(1, 1)], 1), ([(0, u - t); (1, t)], u)) else None
  | _ => None
  end.

Local Open Scope R_scope.
Section Ratio.
(* On all places that are merged P and Q are in one ratio. *)
Variables (P Q : Z -> R) (MP : is_mass P) (MQ : is_mass Q) (f : Z -> Z).
Definition in_ratio (P Q : Z -> R) := exists a b : Z -> R, forall k, exists w, 0 <= w /\ P k = w * a (f k) /\ Q k = w * b (f k).
Lemma merged_within z K : in_ratio P Q -> 0 <= z -> within (made_by f P) (made_by f Q) z K -> within P Q z K.
Proof.
  intros (a & b & R) Z0 W l D. set (E := fun y => if Rlt_dec (z * b y) (a y) then true else false).
  assert (X : forall k, excess P Q z k = (if E (f k) then P k else 0) - z * (if E (f k) then Q k else 0)).
  { intros k. unfold excess, E. destruct (R k) as (w & W0 & -> & ->). destruct (Rlt_dec _ _); [rewrite Rmax_left|rewrite Rmax_right]; nra. }
  destruct (total_exists _ 1 (part_sum P MP (fun k => E (f k)))) as [x TX]. destruct (total_exists _ 1 (part_sum Q MQ (fun k => E (f k)))) as [y TY].
  pose proof (at_most_of_sums _ _ z K E x y Z0 (made_0 f Q MQ) W (made_event Z.eq_dec f P MP E x TX) (made_event Z.eq_dec f Q MQ E y TY)) as B.
  apply le_epsilon. intros e He. destruct (total_near _ _ (e / (z + 1)) TY ltac:(apply Rdiv_lt_0_compat; lra)) as (m & M & L).
  destruct (sum_union Z.eq_dec l m D M) as (u & U & Il & Im).
  pose proof (sum_incl (excess P Q z) l (fun k => Rmax_r _ _) D u Il) as G. pose proof (total_above _ _ u TX U) as AX.
  pose proof (sum_incl _ m (part_0 Q MQ (fun k => E (f k))) M u Im) as AY.
  rewrite (sum_ext _ (fun k => (if E (f k) then P k else 0) + (- z) * (if E (f k) then Q k else 0)) u), sum_plus, sum_scale in G by (intros; rewrite X; ring).
  set (q := sum (fun k => if E (f k) then Q k else 0) u) in *. assert (z * (e / (z + 1)) <= e).
  { apply Rmult_le_reg_r with (z + 1); [lra|]. unfold Rdiv. rewrite !Rmult_assoc, Rinv_l; nra. }
  assert (z * (y - e / (z + 1)) <= z * q) by (apply Rmult_le_compat_l; lra). lra.
Qed.
(* some places of a fibre *)
Lemma made_least l y : NoDup l -> (forall k, In k l -> f k = y) -> sum P l <= made_by f P y.
Proof.
  intros D H. eapply Rle_trans; [|exact (total_above _ _ l (made_total f P MP y) D)]. right. apply sum_ext. intros k I. now rewrite (H k I), Z.eqb_refl.
Qed.
(* a fibre that falls geometrically *)
Lemma made_tail y q t pl : 0 < q < 1 -> 0 <= t -> (forall i j : nat, pl i = pl j -> i = j) -> (forall i, f (pl i) = y /\ P (pl i) = t * (1 - q) * q ^ i) ->
  t <= made_by f P y.
Proof.
  intros HQ T I H. apply le_epsilon. intros e E. destruct (pow_lt_1_zero q ltac:(rewrite Rabs_right; lra) (e / (t + 1)) ltac:(apply Rdiv_lt_0_compat; lra)) as (N & B).
  specialize (B N ltac:(lia)). pose proof (pow_lt q N ltac:(lra)) as Q0. rewrite Rabs_right in B by lra.
  pose proof (made_least (map pl (seq 0 N)) y ltac:(apply FinFun.Injective_map_NoDup; [exact I|apply seq_NoDup])
    ltac:(intros k J; apply in_map_iff in J as (i & <- & _); apply H)) as S. rewrite sum_map, (sum_ext _ (fun i => t * (1 - q) * q ^ i)) in S by (intros; apply H).
  assert (G : forall n, sum (fun i => t * (1 - q) * q ^ i) (seq 0 n) = t * (1 - q ^ n)).
  { clear. induction n as [|n IH]; [cbn; ring|]. rewrite seq_S, sum_app, IH. cbn. ring. }
  rewrite G in S. assert (t * q ^ N <= e); [|lra]. apply Rle_trans with ((t + 1) * (e / (t + 1))); [|right; field; lra]. nra.
Qed.
End Ratio.
Lemma under_listed (w : Z -> Z) u m l : NoDup l -> (forall k, 0 <= m k) -> (0 < u)%Z -> (forall k, In k l -> IZR (w k) <= IZR u * m k) ->
  under (map (fun k => (k, w k)) l) u m.
Proof.
  intros D M U H y. apply IZR_lt in U. induction D as [|k l N D IH]; cbn [map eval]; [apply Rmult_le_pos; [lra|apply M]|].
  unfold at_place at 1. destruct (Z.eqb_spec k y) as [->|].
  - assert (Z0 : forall l, ~ In y l -> eval (at_place y) (map (fun k => (k, w k)) l) = 0).
    { clear. induction l as [|k l IH]; intros N; [reflexivity|]. cbn [map eval In] in *. rewrite IH by tauto. unfold at_place. destruct (Z.eqb_spec k y) as [->|]; [tauto|ring]. }
    rewrite Z0 by exact N. specialize (H y (or_introl eq_refl)). lra.
  - specialize (IH ltac:(intros; apply H; now right)). lra.
Qed.
Lemma shifted_mass (m : Z -> R) i : is_mass m -> is_mass (fun k => m (k - i)%Z).
Proof. intros [N T]. split; [intros; apply N|]. exact (total_shift m (- i) 1 T). Qed.
Lemma geometric_prob r p k : is_noise (NegativeBinomial r p) -> Q2R r = 1 -> (0 <= k)%Z -> prob (NegativeBinomial r p) k = (1 - Q2R p) * Q2R p ^ Z.to_nat k.
Proof.
  intros [_ H] E K. cbn [prob]. rewrite (proj2 (Z.leb_le _ _) K), E, Rpower_1 by lra.
  assert (G : forall n, rising 1 n = 1); [|rewrite G; ring].
  induction n as [|n IH]; [reflexivity|]. cbn [rising]. rewrite IH, S_INR. field. pose proof (pos_INR n). lra.
Qed.
Lemma over_power q i : (0 <= i)%Z -> IZR (Qnum q ^ i) = IZR (QDen q ^ i) * Q2R q ^ Z.to_nat i.
Proof.
  intros I. rewrite <- (Z2Nat.id i I) at 1 2. generalize (Z.to_nat i). intros n. rewrite <- !pow_IZR, <- Rpow_mult_distr, <- frac. f_equal. ring.
Qed.
Section Sides.
Variables (X : noise) (j s : Z) (e : ends_of) (PX : proper_noise X = true) (H : two_sides X j = Some e).
Lemma ahead : (0 < j)%Z.
Proof. unfold two_sides in H. destruct (Z.leb_spec j 0); [discriminate|lia]. Qed.
Let P k := prob X (k - (s + j))%Z.
Let Q k := prob X (k - s)%Z.
Let f k := merged X j (k - s).
Lemma sides_masses : is_mass P /\ is_mass Q.
Proof.
  pose proof (proper_is X PX) as I. assert (M : is_mass (prob X)) by (split; [intros k; now apply prob_nonneg|now apply prob_total]). split; now apply shifted_mass.
Qed.
Lemma laplace_sides q : X = DiscreteLaplace q -> told e (made_by f P) (made_by f Q) /\ in_ratio f P Q.
Proof.
  intros E. pose proof ahead as J. destruct sides_masses as [MP MQ]. pose proof (proper_is X PX) as I. unfold P, Q, f in *. subst X. cbn [is_noise merged] in *. set (x := Q2R q) in *.
  pose proof (den_pos q) as D0. set (v := fun k => (if (k <=? 0)%Z then 1 else if (j <=? k)%Z then x ^ Z.to_nat j else (1 - x) * x ^ Z.to_nat k) / (1 + x)).
  assert (V : forall k n, Z.abs_nat k = n -> prob (DiscreteLaplace q) k = / (1 + x) * (1 - x) * x ^ n) by (intros k n <-; cbn [prob]; fold x; field; lra).
  set (U := ((Qnum q + QDen q) * QDen q ^ (j - 1))%Z).
  set (w := fun k => (if k <=? 0 then QDen q ^ j else if j <=? k then Qnum q ^ j else (QDen q - Qnum q) * (Qnum q ^ k * QDen q ^ (j - 1 - k)))%Z).
  set (l := run 0 (S (Z.to_nat j))). assert (HE : Some (map (fun k => (k, w (j - k)%Z)) l, U, (map (fun k => (k, w k)) l, U)) = Some e) by (rewrite <- H; unfold two_sides; now rewrite (proj2 (Z.leb_gt _ _) J)). injection HE as <-.
  assert (UE : IZR U = IZR (QDen q ^ j) * (1 + x)).
  { unfold U. replace j with (Z.succ (j - 1)) at 2 by lia. rewrite Z.pow_succ_r, !mult_IZR, plus_IZR, <- (frac q) by lia. fold x. ring. }
  assert (U0 : (0 < U)%Z).
  { apply lt_IZR. rewrite UE. apply Rmult_lt_0_compat; [|lra]. apply IZR_lt, Z.pow_pos_nonneg; [apply lt_IZR; exact D0|lia]. }
  assert (W : forall k, IZR (w k) = IZR U * v k).
  { intros k. rewrite UE. unfold w, v. destruct (Z.leb_spec k 0); [field; lra|]. destruct (Z.leb_spec j k).
    - rewrite over_power by lia. fold x. field. lra.
    - replace (QDen q ^ j)%Z with (QDen q * (QDen q ^ k * QDen q ^ (j - 1 - k)))%Z by (rewrite <- Z.pow_add_r, <- Z.pow_succ_r by lia; f_equal; lia).
      rewrite !mult_IZR, minus_IZR, over_power, <- (frac q) by lia. fold x. field. lra. }
  assert (S : forall (g : Z -> Z) ks, sure (map (fun k => (k, w (g k))) ks)).
  { intros g ks. unfold sure. rewrite forallb_forall. intros o O. apply in_map_iff in O as (k & <- & _). apply Z.leb_le, le_IZR. cbn [snd]. rewrite W.
    apply IZR_lt in U0. apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; lra].
    destruct (_ <=? _)%Z; [lra|]. destruct (_ <=? _)%Z; [apply pow_le; lra|]. apply Rmult_le_pos; [lra|apply pow_le; lra]. }
  assert (T : / (1 + x) * x ^ Z.to_nat j >= 0) by (apply Rle_ge, Rmult_le_pos; [left; apply Rinv_0_lt_compat; lra|apply pow_le; lra]).
  assert (T0 : 0 < / (1 + x)) by (apply Rinv_0_lt_compat; lra).
  assert (B : forall (g : Z -> Z) m, (forall k, 0 <= m k) -> (forall k, (0 <= k <= j)%Z -> v (g k) <= m k) -> below (map (fun k => (k, w (g k))) l, U) m).
  { intros g m M L. split; [exact U0|split; [apply S|]]. apply (under_listed (fun k => w (g k))); [apply run_nodup|exact M|exact U0|].
    intros k K. apply run_in in K. rewrite W. apply Rmult_le_compat_l; [now apply IZR_le, Z.lt_le_incl|]. apply L. lia. }
  split.
  - refine (conj (B (fun k => j - k)%Z _ (made_0 _ _ MP) _) (conj (B (fun k => k) _ (made_0 _ _ MQ) _) (conj (made_mass Z.eq_dec _ _ MP) (made_mass Z.eq_dec _ _ MQ))));
      intros k K; unfold v.
    + destruct (Z.leb_spec (j - k) 0); [|destruct (Z.leb_spec j (j - k))].
      * apply (made_tail _ MP _ k x (1 / (1 + x)) (fun i => s + j + Z.of_nat i)%Z); [lra|lra|lia|]. intros i. split; [lia|]. rewrite (V _ i) by lia. field. lra.
      * apply (made_tail _ MP _ k x _ (fun i => s - Z.of_nat i)%Z); [lra|unfold Rdiv; lra|lia|]. intros i. split; [lia|].
        rewrite (V _ (Z.to_nat j + i)%nat), pow_add by lia. field. lra.
      * eapply Rle_trans; [|apply (made_least _ MP _ [s + k]%Z); [repeat constructor; easy|intros i [<-|[]]; lia]].
        cbn [SpecCount.sum fold_right]. rewrite (V _ (Z.to_nat (j - k))) by lia. right. field. lra.
    + destruct (Z.leb_spec k 0); [|destruct (Z.leb_spec j k)].
      * apply (made_tail _ MQ _ k x (1 / (1 + x)) (fun i => s - Z.of_nat i)%Z); [lra|lra|lia|]. intros i. split; [lia|]. rewrite (V _ i) by lia. field. lra.
      * apply (made_tail _ MQ _ k x _ (fun i => s + j + Z.of_nat i)%Z); [lra|unfold Rdiv; lra|lia|]. intros i. split; [lia|].
        rewrite (V _ (Z.to_nat j + i)%nat), pow_add by lia. field. lra.
      * eapply Rle_trans; [|apply (made_least _ MQ _ [s + k]%Z); [repeat constructor; easy|intros i [<-|[]]; lia]].
        cbn [SpecCount.sum fold_right]. rewrite (V _ (Z.to_nat k)) by lia. right. field. lra.
  - set (m := prob (DiscreteLaplace q)) in *. set (r := x ^ Z.to_nat j).
    exists (fun y => if (y <=? 0)%Z then r else if (j <=? y)%Z then 1 else m (y - j)%Z), (fun y => if (y <=? 0)%Z then 1 else if (j <=? y)%Z then r else m y).
    assert (N : forall k, 0 <= m k) by (intros k; apply prob_nonneg; exact I).
    intros k. destruct (Z_le_gt_dec (k - s) 0) as [A|A]; [|destruct (Z_le_gt_dec j (k - s)) as [C|C]].
    + exists (m (k - s)%Z). rewrite (proj2 (Z.leb_le _ _)) by lia. split; [apply N|split; [|ring]].
      rewrite (V (k - (s + j))%Z (Z.to_nat j + Z.abs_nat (k - s))%nat), (V (k - s)%Z _ eq_refl), pow_add by lia. unfold r. ring.
    + exists (m (k - (s + j))%Z). rewrite (proj2 (Z.leb_gt _ _)), (proj2 (Z.leb_le _ _)) by lia. split; [apply N|split; [ring|]].
      rewrite (V (k - s)%Z (Z.abs_nat (k - (s + j)) + Z.to_nat j)%nat), (V (k - (s + j))%Z _ eq_refl), pow_add by lia. unfold r. ring.
    + exists 1. rewrite !(proj2 (Z.leb_gt _ _)) by lia. split; [lra|]. split; rewrite Rmult_1_l; f_equal; lia.
Qed.
Lemma geometric_sides r p : X = NegativeBinomial r p -> told e (made_by f P) (made_by f Q) /\ in_ratio f P Q.
Proof.
  intros E. pose proof ahead as J. destruct sides_masses as [MP MQ]. pose proof (proper_is X PX) as I. unfold P, Q, f in *. subst X. cbn [merged] in *. set (x := Q2R p) in *.
  unfold two_sides in H. rewrite (proj2 (Z.leb_gt _ _) J) in H. destruct (Z.eqb_spec (Qnum r) (QDen r)) as [R1|]; [|discriminate]. injection H as <-. pose proof I as [_ IP]. fold x in IP.
  assert (R0 : Q2R r = 1) by (rewrite Q2R_frac, R1; pose proof (den_pos r); field; lra). set (m := prob (NegativeBinomial r p)) in *.
  assert (V : forall k, (0 <= k)%Z -> m k = (1 - x) * x ^ Z.to_nat k) by (intros; now apply geometric_prob).
  assert (O : forall k, (k < 0)%Z -> m k = 0) by (intros k K; unfold m; cbn [prob]; now rewrite (proj2 (Z.leb_gt _ _) K)).
  set (u := (QDen p ^ j)%Z). set (t := (Qnum p ^ j)%Z). set (z := x ^ Z.to_nat j). assert (U0 : (0 < u)%Z) by (apply Z.pow_pos_nonneg; [apply lt_IZR, den_pos|lia]).
  pose proof (IZR_lt _ _ U0) as U1. assert (T : IZR t = IZR u * z) by (apply over_power; lia). assert (Z1 : 0 <= z <= 1).
  { split; [apply pow_le; lra|]. unfold z. rewrite <- (pow1 (Z.to_nat j)). apply pow_incr. lra. }
  assert (T1 : (0 <= t <= u)%Z) by (split; apply le_IZR; rewrite T; nra). split.
  - refine (conj _ (conj _ (conj (made_mass Z.eq_dec _ _ MP) (made_mass Z.eq_dec _ _ MQ)))).
    + split; [reflexivity|split; [reflexivity|]]. apply (under_listed (fun _ => 1%Z) 1 _ [1%Z]); [repeat constructor; easy|now apply made_0|reflexivity|].
      intros k [<-|[]]. rewrite Rmult_1_l. apply (made_tail _ MP _ 1 x 1 (fun i => s + j + Z.of_nat i)%Z); [lra|lra|lia|].
      intros i. split; [destruct (Z.ltb_spec (s + j + Z.of_nat i - s) j); lia|]. rewrite V by lia. replace (Z.to_nat _) with i by lia. ring.
    + split; [exact U0|split; [unfold sure; cbn [fst forallb snd]; rewrite !(proj2 (Z.leb_le _ _)) by lia; reflexivity|]].
      apply (under_listed (fun k => if k =? 0 then u - t else t)%Z u _ [0%Z; 1%Z]); [repeat constructor; cbn; intuition discriminate|now apply made_0|exact U0|].
      intros k [<-|[<-|[]]]; cbn [Z.eqb].
      * rewrite minus_IZR, T. replace (IZR u - IZR u * z) with (IZR u * (1 - z)) by ring. apply Rmult_le_compat_l; [lra|].
        eapply Rle_trans; [|apply (made_least _ MQ _ (run s (Z.to_nat j))); [apply run_nodup|intros k K; apply run_in in K; destruct (Z.ltb_spec (k - s) j); lia]].
        unfold z. clear - V. generalize (Z.to_nat j). intros n. right.
        change (1 - x ^ n = isum (fun k => m (k - s)%Z) s n). induction n as [|n IH]; [cbn; ring|]. rewrite isum_last, <- IH, V by lia.
        replace (Z.to_nat (s + Z.of_nat n - s)) with n by lia. cbn [pow]. ring.
      * rewrite T. apply Rmult_le_compat_l; [lra|]. apply (made_tail _ MQ _ 1 x z (fun i => s + j + Z.of_nat i)%Z); [lra|lra|lia|].
        intros i. split; [destruct (Z.ltb_spec (s + j + Z.of_nat i - s) j); lia|]. rewrite V by lia. unfold z.
        replace (Z.to_nat _) with (Z.to_nat j + i)%nat by lia. rewrite pow_add. ring.
  - exists (fun y => if (y =? 0)%Z then 0 else 1), (fun y => if (y =? 0)%Z then 1 else z).
    assert (N : forall k, 0 <= m k) by (intros k; apply prob_nonneg; exact I). intros k. destruct (Z.ltb_spec (k - s) j).
    + exists (m (k - s)%Z). cbn [Z.eqb]. split; [apply N|split; [|ring]]. rewrite O by lia. ring.
    + exists (m (k - (s + j))%Z). cbn [Z.eqb]. split; [apply N|split; [ring|]]. rewrite !V by lia. unfold z.
      replace (Z.to_nat (k - s)) with (Z.to_nat (k - (s + j)) + Z.to_nat j)%nat by lia. rewrite pow_add. ring.
Qed.
Theorem two_sides_ok : told e (made_by f P) (made_by f Q) /\ in_ratio f P Q.
Proof.
  assert (C : (exists r p, X = NegativeBinomial r p) \/ exists q, X = DiscreteLaplace q) by (clear - H; unfold two_sides in H; destruct (_ <=? _)%Z, X; try discriminate; eauto).
  destruct C as [(r & p & E)|(q & E)]; [exact (geometric_sides r p E)|exact (laplace_sides q E)].
Qed.
End Sides.
