(* A count with binomial noise, upper end: X + 1 against X, for any n, from a walk along the law. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount Exp Check.
Local Open Scope R_scope.

Definition after (f : nat -> R) k := match k with O => 0 | S k => f k end.   (* of X + 1 *)
Definition Pr_in (E : nat -> bool) f n := range (fun k => if E k then f k else 0) 0 (n + 2).
Definition shift_private p n z d := forall E, Pr_in E (after (binomial p n)) n - z * Pr_in E (binomial p n) n <= d.

(* ---- the checker ---- *)
Section Checker.
Local Open Scope Z_scope.
Variables (n a c : Z).
Fixpoint up_low (fuel : nat) (k u acc : Z) : Z := match fuel with O => acc
  | S f => let v := u * ((n - k) * a) / ((k + 1) * c) in up_low f (k + 1) v (acc + v) end.
Fixpoint down_low (fuel : nat) (k u acc : Z) : Z := match fuel with O => acc
  | S f => let v := u * (k * c) / ((n - k + 1) * a) in down_low f (k - 1) v (acc + v) end.
(* s: from s + 1 on, X + 1 is more than e^eps as likely as X; w: bits; up, down: how far to go *)
Definition check_shift (e : exponent) (delta : Q) (prec : precision) (s : nat) (w : Z) (up down : nat) : bool :=
  let k := Z.of_nat s in let '(lo, ld) := from_below e prec in let '(hi, hd) := from_above e prec in
  let t := up_low up k (2 ^ w) 0 in let b := down_low down k (2 ^ w) 0 in
  (0 <? a) && (0 <? c) && (k <=? n) && (0 <=? w) && good e && fits e prec && (ld <=? lo) && (Z.of_nat down <=? k) &&
    (Z.of_nat up <=? n - k) &&
  (k * c * ld <=? lo * ((n - k + 1) * a)) && (hi * ((n - k) * a) <=? (k + 1) * c * hd) && (0 <=? Qnum delta) &&
  ((2 ^ w * ld - (lo - ld) * t) * QDen delta <=? Qnum delta * ld * (2 ^ w + t + b)).
End Checker.

(* ---- facts on the law ---- *)
Lemma weight_ratio a c n k : INR (S k) * (c * weight a c n (S k)) = (INR n - INR k) * (a * weight a c n k).
Proof.
  revert k. induction n as [|n IH]; intros k.
  - destruct k; cbn [weight]; simpl INR; ring.
  - change (weight a c (S n) (S k)) with (c * weight a c n (S k) + a * weight a c n k).
    transitivity (INR (S n) * (a * c * weight a c n k)).
    + pose proof (IH k) as H. rewrite S_INR in *. rewrite (S_INR n).
      replace ((INR k + 1) * (c * (c * weight a c n (S k) + a * weight a c n k))) with
        (c * ((INR k + 1) * (c * weight a c n (S k))) + (INR k + 1) * c * a * weight a c n k) by ring. rewrite H. ring.
    + destruct k as [|k]; [cbn [weight]; simpl (INR 0); ring|].
      change (weight a c (S n) (S k)) with (c * weight a c n (S k) + a * weight a c n k).
      pose proof (IH k) as H. rewrite (S_INR n), (S_INR k) in *.
      replace ((INR n + 1 - (INR k + 1)) * (a * (c * weight a c n (S k) + a * weight a c n k))) with
        ((INR n - INR k) * a * c * weight a c n (S k) + a * ((INR n - INR k) * (a * weight a c n k))) by ring.
      rewrite <- H. ring.
Qed.
Lemma weight_beyond a c n k : (n < k)%nat -> weight a c n k = 0.
Proof.
  revert k. induction n as [|n IH]; intros [|k] H; try lia; [reflexivity|]. cbn [weight]. rewrite !IH by lia. ring.
Qed.
Lemma weight_pos a c n k : 0 < a -> 0 < c -> (k <= n)%nat -> 0 < weight a c n k.
Proof.
  intros Ha Hc. assert (N : forall n k, 0 <= weight a c n k).
  { clear n k. induction n as [|n IH]; intros [|k]; cbn [weight]; try lra; pose proof (IH 0%nat);
    try (pose proof (IH (S k)); pose proof (IH k)); nra. }
  revert k. induction n as [|n IH]; intros [|k] H; cbn [weight]; try lra; try lia.
  - specialize (IH 0%nat ltac:(lia)). nra.
  - specialize (IH k ltac:(lia)). pose proof (N n (S k)). nra.
Qed.
Lemma range_split f s l m : range f s (l + m) = range f s l + range f (s + l) m.
Proof.
  revert s. induction l as [|l IH]; intros s; cbn [range Nat.add]; [rewrite Nat.add_0_r; ring|].
  rewrite IH. replace (S s + l)%nat with (s + S l)%nat by lia. ring.
Qed.
Lemma range_last f s l : range f s (S l) = range f s l + f (s + l)%nat.
Proof. replace (S l) with (l + 1)%nat by lia. rewrite range_split. cbn [range]. ring. Qed.
Lemma range_ext f g s l : (forall k, (s <= k < s + l)%nat -> f k = g k) -> range f s l = range g s l.
Proof. revert s. induction l as [|l IH]; intros s H; cbn [range]; [reflexivity|].
  rewrite H, IH; auto; intros; try apply H; lia. Qed.
Lemma range_le f g s l : (forall k, (s <= k < s + l)%nat -> f k <= g k) -> range f s l <= range g s l.
Proof. revert s. induction l as [|l IH]; intros s H; cbn [range]; [lra|].
  apply Rplus_le_compat; [apply H; lia|apply IH; intros; apply H; lia]. Qed.
Lemma range_plus f g s l : range (fun k => f k + g k) s l = range f s l + range g s l.
Proof. revert s. induction l as [|l IH]; intros s; cbn [range]; [ring|]. rewrite IH. ring. Qed.
Lemma range_scale x f s l : range (fun k => x * f k) s l = x * range f s l.
Proof. revert s. induction l as [|l IH]; intros s; cbn [range]; [ring|]. rewrite IH. ring. Qed.
Lemma range_0 s l : range (fun _ => 0) s l = 0.
Proof. revert s. induction l as [|l IH]; intros s; cbn [range]; [ring|]. rewrite IH. ring. Qed.
Lemma range_shift f s l : range f (S s) l = range (fun k => f (S k)) s l.
Proof. revert s. induction l as [|l IH]; intros s; cbn [range]; [ring|]. rewrite IH. ring. Qed.
Lemma range_nonneg f s l : (forall k, 0 <= f k) -> 0 <= range f s l.
Proof. intros H. rewrite <- (range_0 s l). apply range_le. auto. Qed.
Lemma range_first f s l : range f s (S l) = f s + range f (S s) l.
Proof. reflexivity. Qed.
Lemma weight_total a c n : range (weight a c n) 0 (S n) = (a + c) ^ n.
Proof.
  induction n as [|n IH]; [simpl; ring|]. rewrite range_first, range_shift.
  rewrite (range_ext (fun k => weight a c (S n) (S k)) (fun k => c * weight a c n (S k) + a * weight a c n k)) by
    reflexivity.
  change (weight a c (S n) 0) with (c * weight a c n 0). rewrite range_plus, !range_scale, IH, <- range_shift.
  pose proof (range_first (weight a c n) 0 (S n)) as F.
    rewrite range_last, IH, (weight_beyond a c n (0 + S n)) in F by lia.
  cbn [pow]. replace (range (weight a c n) 1 (S n)) with ((a + c) ^ n - weight a c n 0) by lra. ring.
Qed.
Lemma weight_homogeneous x a c n k : weight (x * a) (x * c) n k = x ^ n * weight a c n k.
Proof.
  revert k. induction n as [|n IH]; intros [|k]; cbn [weight pow]; try ring; rewrite !IH; ring.
Qed.

(* ---- the walk ---- *)
Section Walk.
Variables (n : nat) (a c : Z) (Ha : (0 < a)%Z) (Hc : (0 < c)%Z).
Let W := weight (IZR a) (IZR c) n.
Lemma Wpos k : (k <= n)%nat -> 0 < W k.
Proof. apply weight_pos; now apply IZR_lt. Qed.
Lemma Wnonneg k : 0 <= W k.
Proof. destruct (le_lt_dec k n) as [H|H]; [left; now apply Wpos|]. unfold W. rewrite weight_beyond; [lra|auto]. Qed.
Lemma Wratio k : (k < n)%nat -> W (S k) * IZR ((Z.of_nat k + 1) * c) = W k * IZR ((Z.of_nat n - Z.of_nat k) * a).
Proof.
  intros H. pose proof (weight_ratio (IZR a) (IZR c) n k) as R. fold W in R.
    rewrite !mult_IZR, plus_IZR, minus_IZR, <- !INR_IZR_INZ.
  rewrite S_INR in R. lra.
Qed.
Lemma up_low_ok x : 0 <= x -> forall fuel k u acc, (k + fuel <= n)%nat -> (0 <= u)%Z -> IZR u <= x * W k ->
  IZR (up_low (Z.of_nat n) a c fuel (Z.of_nat k) u acc) <= IZR acc + x * range W (S k) fuel.
Proof.
  intros Hx. induction fuel as [|f IH]; intros k u acc Hk Hu H; cbn [up_low range]; [lra|].
  set (v := (u * ((Z.of_nat n - Z.of_nat k) * a) / ((Z.of_nat k + 1) * c))%Z).
  assert (K : (0 < (Z.of_nat k + 1) * c)%Z) by nia.
  assert (V : IZR v <= x * W (S k)).
  { apply Rmult_le_reg_r with (IZR ((Z.of_nat k + 1) * c)); [now apply IZR_lt|].
    eapply Rle_trans; [now apply div_down|].
    rewrite Rmult_assoc, Wratio by lia. rewrite mult_IZR, <- Rmult_assoc.
      apply Rmult_le_compat_r; [apply IZR_le; nia|exact H]. }
  replace (Z.of_nat k + 1)%Z with (Z.of_nat (S k)) in * by lia.
  eapply Rle_trans; [apply IH; [lia|apply Z.div_pos; nia|exact V]|]. rewrite plus_IZR. lra.
Qed.
Lemma down_low_ok x : 0 <= x -> forall fuel k u acc, (fuel <= k <= n)%nat -> (0 <= u)%Z -> IZR u <= x * W k ->
  IZR (down_low (Z.of_nat n) a c fuel (Z.of_nat k) u acc) <= IZR acc + x * range W (k - fuel) fuel.
Proof.
  intros Hx. induction fuel as [|f IH]; intros k u acc Hk Hu H; cbn [down_low]; [simpl range; lra|].
  destruct k as [|k]; [lia|].
  set (v := (u * (Z.of_nat (S k) * c) / ((Z.of_nat n - Z.of_nat (S k) + 1) * a))%Z).
  assert (K : (0 < (Z.of_nat n - Z.of_nat (S k) + 1) * a)%Z) by nia.
  assert (V : IZR v <= x * W k).
  { apply Rmult_le_reg_r with (IZR ((Z.of_nat n - Z.of_nat (S k) + 1) * a)); [now apply IZR_lt|].
    eapply Rle_trans; [now apply div_down|].
    replace (Z.of_nat n - Z.of_nat (S k) + 1)%Z with (Z.of_nat n - Z.of_nat k)%Z by lia.
    rewrite Rmult_assoc, <- Wratio by lia. rewrite mult_IZR, <- Rmult_assoc.
    replace (Z.of_nat (S k)) with (Z.of_nat k + 1)%Z by lia. apply Rmult_le_compat_r; [apply IZR_le; nia|exact H]. }
  replace (Z.of_nat (S k) - 1)%Z with (Z.of_nat k) by lia.
  eapply Rle_trans; [apply IH; [lia|apply Z.div_pos; nia|exact V]|]. rewrite plus_IZR.
    replace (S k - S f)%nat with (k - f)%nat by lia.
  rewrite range_last. replace (k - f + f)%nat with k by lia. lra.
Qed.

Lemma up_low_nonneg fuel : forall k u acc, (0 <= k)%Z -> (k + Z.of_nat fuel <= Z.of_nat n)%Z -> (0 <= u)%Z -> (0 <=
  acc)%Z ->
  (0 <= up_low (Z.of_nat n) a c fuel k u acc)%Z.
Proof.
  induction fuel as [|f IH]; intros k u acc H0 H Hu Hacc; cbn [up_low]; [exact Hacc|].
  assert (0 <= u * ((Z.of_nat n - k) * a) / ((k + 1) * c))%Z by (apply Z.div_pos; nia). apply IH; lia.
Qed.

(* which points have P above z Q *)
Lemma ratio_below l s k : 0 <= l -> (s <= n)%nat -> IZR (Z.of_nat s * c) <= l * IZR ((Z.of_nat n - Z.of_nat s + 1) *
  a) ->
  (k <= s)%nat -> after W k <= l * W k.
Proof.
  intros Hl Hs H Hk. destruct k as [|k]; [simpl; pose proof (Wnonneg 0); nra|]. cbn [after].
  pose proof (Wratio k ltac:(lia)) as R. pose proof (Wpos (S k) ltac:(lia)). pose proof (Wpos k ltac:(lia)).
  apply IZR_lt in Ha as Ha'. apply IZR_lt in Hc as Hc'.
  assert (K : 0 < IZR ((Z.of_nat n - Z.of_nat k) * a)) by (apply IZR_lt; nia).
  apply Rmult_le_reg_r with (IZR ((Z.of_nat n - Z.of_nat k) * a)); [exact K|]. rewrite <- R.
  assert (A : IZR ((Z.of_nat k + 1) * c) <= IZR (Z.of_nat s * c)) by (apply IZR_le; nia).
  assert (B : IZR ((Z.of_nat n - Z.of_nat s + 1) * a) <= IZR ((Z.of_nat n - Z.of_nat k) * a)) by (apply IZR_le; nia).
  replace (l * W (S k) * IZR ((Z.of_nat n - Z.of_nat k) * a)) with (W (S k) * (l * IZR ((Z.of_nat n - Z.of_nat k) *
    a))) by ring.
  apply Rmult_le_compat_l; [lra|]. nra.
Qed.
Lemma ratio_above h s k : 0 <= h -> h * IZR ((Z.of_nat n - Z.of_nat s) * a) <= IZR ((Z.of_nat s + 1) * c) -> (s <
  k)%nat ->
  h * W k <= after W k.
Proof.
  intros Hh H Hk. destruct k as [|k]; [lia|]. cbn [after]. destruct (le_lt_dec n k) as [G|G].
  { unfold W at 1. rewrite weight_beyond by lia. pose proof (Wnonneg k). lra. }
  pose proof (Wratio k G) as R. pose proof (Wpos (S k) ltac:(lia)). pose proof (Wpos k ltac:(lia)).
  assert (K : 0 < IZR ((Z.of_nat k + 1) * c)) by (apply IZR_lt; nia).
  assert (A : IZR ((Z.of_nat s + 1) * c) <= IZR ((Z.of_nat k + 1) * c)) by (apply IZR_le; nia).
  assert (B : IZR ((Z.of_nat n - Z.of_nat k) * a) <= IZR ((Z.of_nat n - Z.of_nat s) * a)) by (apply IZR_le; nia).
  apply Rmult_le_reg_r with (IZR ((Z.of_nat k + 1) * c)); [exact K|]. rewrite Rmult_assoc, R.
  replace (h * (W k * IZR ((Z.of_nat n - Z.of_nat k) * a))) with (W k * (h * IZR ((Z.of_nat n - Z.of_nat k) * a))) by
    ring.
  apply Rmult_le_compat_l; [lra|]. nra.
Qed.

(* the best event is {s + 1, ...} *)
Lemma best z s E : (s <= n)%nat -> (forall k, (k <= s)%nat -> after W k <= z * W k) -> (forall k, (s < k)%nat -> z *
  W k <= after W k) ->
  Pr_in E (after W) n - z * Pr_in E W n <= W s - (z - 1) * range W (S s) (n - s).
Proof.
  intros Hs B A. unfold Pr_in.
  assert (X : range (fun k => if E k then after W k else 0) 0 (n + 2) - z * range (fun k => if E k then W k else 0) 0
    (n + 2) =
    range (fun k => if E k then after W k + - z * W k else 0) 0 (n + 2)).
  { transitivity (range (fun k => if E k then after W k else 0) 0 (n + 2) + range (fun k => - z * (if E k then W k
    else 0)) 0 (n + 2)).
    - rewrite range_scale. ring.
    - rewrite <- range_plus. apply range_ext. intros. destruct (E k); ring. }
  rewrite X. replace (n + 2)%nat with (S s + (S n - s))%nat by lia. rewrite range_split.
  assert (L : range (fun k => if E k then after W k + - z * W k else 0) 0 (S s) <= 0).
  { apply Rle_trans with (range (fun _ => 0) 0 (S s)); [apply range_le|rewrite range_0; lra].
    intros k Hk. specialize (B k ltac:(lia)). cbv beta. destruct (E k); lra. }
  assert (R : range (fun k => if E k then after W k + - z * W k else 0) (0 + S s) (S n - s) <= range (fun k => after
    W k + - z * W k) (S s) (S n - s)).
  { apply range_le. intros k Hk. specialize (A k ltac:(lia)). cbv beta. destruct (E k); lra. }
  rewrite range_plus, range_scale in R. cbn [Nat.add] in *.
  assert (T1 : range (after W) (S s) (S n - s) = W s + range W (S s) (n - s)).
  { rewrite range_shift. replace (S n - s)%nat with (S (n - s)) by lia. apply range_first. }
  assert (T2 : range W (S s) (S n - s) = range W (S s) (n - s)).
  { replace (S n - s)%nat with (S (n - s)) by lia. rewrite range_last. unfold W at 2. rewrite weight_beyond by lia.
    ring. }
  rewrite T1, T2 in R. lra.
Qed.
End Walk.

Theorem check_shift_sound n a c e delta prec s w up down : check_shift (Z.of_nat n) a c e delta prec s w up down =
  true ->
  shift_private (IZR a / IZR (a + c)) n (value e) (Q2R delta).
Proof.
  unfold check_shift. destruct (from_below e prec) as [lo ld] eqn:EL. destruct (from_above e prec) as [hi hd] eqn:EH.
  set (t := up_low _ _ _ _ _ _ _). set (b := down_low _ _ _ _ _ _ _). intros H.
  do 12 (apply andb_prop in H as [H ?]).
  repeat match goal with X : (_ <? _)%Z = true |- _ => apply Z.ltb_lt in X | X : (_ <=? _)%Z = true |- _ => apply
    Z.leb_le in X end.

  rename H into Ha, H11 into Hc, H10 into Hs, H9 into Hw, H5 into Hdown, H4 into Hup, H3 into Hlo, H2 into Hhi, H0
    into C.
  pose proof (from_below_ok e prec H8 H7) as ZL. rewrite EL in ZL. cbn in ZL. destruct ZL as [Ld ZL].
  pose proof (from_above_ok e prec H8 H7) as ZH. rewrite EH in ZH. cbn in ZH. destruct ZH as [Hd ZH].
  set (z := value e) in *. apply IZR_le in H6, H1. apply IZR_lt in Ha as Ra, Hc as Rc.
  assert (Z1 : 1 <= z) by nra.
  set (W := weight (IZR a) (IZR c) n).
  assert (Ws : 0 < W s) by (apply Wpos; auto; lia).
  pose proof (Wnonneg n a c Ha Hc) as Wn. fold W in Wn.
  assert (R2 : 0 < IZR (2 ^ w)) by (apply IZR_lt; lia).
  set (x := IZR (2 ^ w) / W s). assert (X : x * W s = IZR (2 ^ w)) by (unfold x; field; lra).
  assert (X0 : 0 < x) by (unfold x; apply Rdiv_lt_0_compat; lra).
  pose proof (up_low_ok n a c Ha Hc x ltac:(lra) up s (2 ^ w) 0 ltac:(lia) ltac:(lia) ltac:(fold W; lra)) as T.
    fold t W in T.
  pose proof (down_low_ok n a c Ha Hc x ltac:(lra) down s (2 ^ w) 0 ltac:(lia) ltac:(lia) ltac:(fold W; lra)) as B.
    fold b W in B.
  assert (Tail : range W (S s) up <= range W (S s) (n - s)).
  { replace (n - s)%nat with (up + (n - s - up))%nat by lia. rewrite range_split.
    pose proof (range_nonneg W (S s + up) (n - s - up) Wn). lra. }
  assert (Total : W s + range W (S s) up + range W (s - down) down <= (IZR a + IZR c) ^ n).
  { rewrite <- weight_total. fold W. replace (S n) with ((s - down) + (down + (1 + (n - s))))%nat by lia.
    rewrite !range_split.
    replace (0 + (s - down) + down)%nat with s by lia. cbn [range Nat.add]. replace (s + 1)%nat with (S s) by lia.
    pose proof (range_nonneg W 0 (s - down) Wn). lra. }
  intros E.
  assert (Best : Pr_in E (after W) n - z * Pr_in E W n <= W s - (z - 1) * range W (S s) (n - s)).
  { apply best; try lia.
    - intros k Hk. apply (ratio_below n a c Ha Hc z s k); auto; try lra; try lia.
      apply IZR_le in Hlo. rewrite (mult_IZR _ ld), (mult_IZR lo) in Hlo.
      assert (0 <= IZR ((Z.of_nat n - Z.of_nat s + 1) * a)) by (apply IZR_le; nia).
      apply Rmult_le_reg_r with (IZR ld); [lra|]. eapply Rle_trans; [exact Hlo|]. nra.
    - intros k Hk. apply (ratio_above n a c Ha Hc z s k); auto; try lra.
      apply IZR_le in Hhi. rewrite (mult_IZR hi), (mult_IZR _ hd) in Hhi.
      assert (0 <= IZR ((Z.of_nat n - Z.of_nat s) * a)) by (apply IZR_le; nia).
      apply Rmult_le_reg_r with (IZR hd); [lra|]. eapply Rle_trans; [|exact Hhi]. nra. }
  (* scale to probabilities *)
  assert (AC : 0 < IZR a + IZR c) by lra.
  assert (SC : forall k, binomial (IZR a / IZR (a + c)) n k = (/ (IZR a + IZR c)) ^ n * W k).
  { intros k. unfold binomial. rewrite plus_IZR.
    replace (1 - IZR a / (IZR a + IZR c)) with (/ (IZR a + IZR c) * IZR c) by (field; lra).
    replace (IZR a / (IZR a + IZR c)) with (/ (IZR a + IZR c) * IZR a) by (field; lra). apply weight_homogeneous. }
  set (y := (/ (IZR a + IZR c)) ^ n) in *. set (N := (IZR a + IZR c) ^ n) in *.
  assert (N0 : 0 < N) by (apply pow_lt; lra).
  assert (YN : y * N = 1). { unfold y, N. rewrite <- Rpow_mult_distr, Rinv_l, pow1; lra. }
  assert (P1 : Pr_in E (after (binomial (IZR a / IZR (a + c)) n)) n = y * Pr_in E (after W) n).
  { unfold Pr_in. rewrite <- range_scale. apply range_ext.
    intros [|k] _; destruct (E _); cbn [after]; rewrite ?SC; ring. }
  assert (P2 : Pr_in E (binomial (IZR a / IZR (a + c)) n) n = y * Pr_in E W n).
  { unfold Pr_in. rewrite <- range_scale. apply range_ext. intros k _. destruct (E k); rewrite ?SC; ring. }
  rewrite P1, P2. set (D := Q2R delta).
  assert (D0 : 0 <= D). { unfold D. rewrite Q2R_frac. pose proof (den_pos delta). apply Rmult_le_pos; [lra|]. left.
    now apply Rinv_0_lt_compat. }
  assert (F : IZR (2 ^ w) - (z - 1) * IZR t <= D * (IZR (2 ^ w) + IZR t + IZR b)).
  { apply IZR_le in C. rewrite !mult_IZR, minus_IZR, !mult_IZR, minus_IZR, !plus_IZR in C. unfold D. rewrite Q2R_frac.
    pose proof (den_pos delta) as Q. apply Rmult_le_reg_r with (IZR ld * IZR (QDen delta)); [nra|].
    replace (IZR (Qnum delta) / IZR (QDen delta) * (IZR (2 ^ w) + IZR t + IZR b) * (IZR ld * IZR (QDen delta)))
      with (IZR (Qnum delta) * IZR ld * (IZR (2 ^ w) + IZR t + IZR b)) by (field; lra).
    eapply Rle_trans; [|exact C]. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|].
    assert (T0 : 0 <= IZR t) by (apply IZR_le; unfold t; apply up_low_nonneg; lia).
    nra. }
  apply Rmult_le_reg_r with (x * N); [nra|].
  replace ((y * Pr_in E (after W) n - z * (y * Pr_in E W n)) * (x * N)) with ((y * N) * (x * (Pr_in E (after W) n - z
    * Pr_in E W n))) by ring.
  rewrite YN, Rmult_1_l.
  apply Rle_trans with (D * (x * N)); [|lra].
  apply Rle_trans with (x * (W s - (z - 1) * range W (S s) (n - s))); [apply Rmult_le_compat_l; lra|].
  apply Rle_trans with (IZR (2 ^ w) - (z - 1) * IZR t).
  { assert ((z - 1) * IZR t <= (z - 1) * (x * range W (S s) (n - s))).
    { apply Rmult_le_compat_l; [lra|]. eapply Rle_trans; [exact T|]. rewrite Rplus_0_l. apply Rmult_le_compat_l; lra. }
    lra. }
  eapply Rle_trans; [exact F|]. apply Rmult_le_compat_l; [exact D0|].
  apply Rle_trans with (x * (W s + range W (S s) up + range W (s - down) down)); [lra|]. apply Rmult_le_compat_l; lra.
Qed.
