(* A count with binomial noise, lower end: what the event {s + 1, s + 2, ...} reaches. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount Exp Check Count.
Local Open Scope R_scope.

(* The same walk, rounded up, with a geometric series for what lies beyond. *)
Section Checker.
Local Open Scope Z_scope.
Variables (n a c : Z).
Definition beyond (u num den : Z) : Z := ceil (u * num) (den - num).
Fixpoint up_high (fuel : nat) (k u acc : Z) : Z := match fuel with
  | O => acc + beyond u ((n - k) * a) ((k + 1) * c)
  | S f => let v := ceil (u * ((n - k) * a)) ((k + 1) * c) in up_high f (k + 1) v (acc + v) end.
Fixpoint down_high (fuel : nat) (k u acc : Z) : Z := match fuel with
  | O => acc + beyond u (k * c) ((n - k + 1) * a)
  | S f => let v := ceil (u * (k * c)) ((n - k + 1) * a) in down_high f (k - 1) v (acc + v) end.
Definition check_shift_low (e : exponent) (delta : Q) (prec : precision) (s : nat) (w : Z) (up down : nat) (strict :
  bool) : bool :=
  let k := Z.of_nat s in let '(hi, hd) := from_above e prec in
  let t := up_high up k (2 ^ w) 0 in let b := down_high down k (2 ^ w) 0 in
  let top := k + Z.of_nat up in let bottom := k - Z.of_nat down in
  let l := Qnum delta * hd * (2 ^ w + t + b) in let r := (2 ^ w * hd - (hi - hd) * t) * QDen delta in
  (0 <? a) && (0 <? c) && (0 <=? w) && good e && fits e prec && (0 <=? bottom) && (top <=? n) &&
  ((n - top) * a <? (top + 1) * c) && (bottom * c <? (n - bottom + 1) * a) && (hd <=? hi) && (0 <=? Qnum delta) &&
  (if strict then l <? r else l <=? r).
End Checker.

Section Walk.
Variables (n : nat) (a c : Z) (Ha : (0 < a)%Z) (Hc : (0 < c)%Z).
Let W := weight (IZR a) (IZR c) n.
Let Wr k : (k < n)%nat -> W (S k) * IZR ((Z.of_nat k + 1) * c) = W k * IZR ((Z.of_nat n - Z.of_nat k) * a).
Proof. apply Wratio. Qed.
Let Wn k : 0 <= W k.
Proof. now apply Wnonneg. Qed.

Lemma above_all k len : (k + len <= n)%nat -> ((Z.of_nat n - Z.of_nat k) * a < (Z.of_nat k + 1) * c)%Z ->
  range W (S k) len * IZR ((Z.of_nat k + 1) * c - (Z.of_nat n - Z.of_nat k) * a) <= W k * IZR ((Z.of_nat n - Z.of_nat
    k) * a).
Proof.
  intros Hk R. set (num := ((Z.of_nat n - Z.of_nat k) * a)%Z) in *. set (den := ((Z.of_nat k + 1) * c)%Z) in *.
  assert (N0 : 0 <= IZR num) by (apply IZR_le; unfold num; nia).
  assert (S : forall len, (k + len <= n)%nat -> range W (S k) len * IZR den <= (W k + range W (S k) len - W (k +
    len)%nat) * IZR num).
  { clear len Hk. induction len as [|len IH]; intros Hk; [cbn [range]; rewrite Nat.add_0_r; right; ring|].
    rewrite range_last. replace (S k + len)%nat with (S (k + len)) by lia.
      replace (k + S len)%nat with (S (k + len)) by lia.
    specialize (IH ltac:(lia)). pose proof (Wr (k + len)%nat ltac:(lia)) as E. pose proof (Wn (k + len)).
      pose proof (Wn (S (k + len))).
    assert (D : IZR den <= IZR ((Z.of_nat (k + len) + 1) * c)) by (apply IZR_le; unfold den; nia).
    assert (M : IZR ((Z.of_nat n - Z.of_nat (k + len)) * a) <= IZR num) by (apply IZR_le; unfold num; nia).
    assert (X : W (S (k + len)) * IZR den <= W (k + len)%nat * IZR num).
    { apply Rle_trans with (W (S (k + len)) * IZR ((Z.of_nat (k + len) + 1) * c)); [now apply Rmult_le_compat_l|].
      rewrite E. now apply Rmult_le_compat_l. }
    lra. }
  specialize (S len Hk). pose proof (Rmult_le_pos _ _ (Wn (k + len)) N0). rewrite minus_IZR, Rmult_minus_distr_l. lra.
Qed.
Lemma below_all k len : (len <= k <= n)%nat -> (Z.of_nat k * c < (Z.of_nat n - Z.of_nat k + 1) * a)%Z ->
  range W (k - len) len * IZR ((Z.of_nat n - Z.of_nat k + 1) * a - Z.of_nat k * c) <= W k * IZR (Z.of_nat k * c).
Proof.
  intros Hk R. assert (Kn : (k <= n)%nat) by lia. set (num := (Z.of_nat k * c)%Z) in *.
    set (den := ((Z.of_nat n - Z.of_nat k + 1) * a)%Z) in *.
  assert (N0 : 0 <= IZR num) by (apply IZR_le; unfold num; nia).
  assert (S : forall len, (len <= k)%nat -> range W (k - len) len * IZR den <= (W k + range W (k - len) len - W (k -
    len)%nat) * IZR num).
  { clear len Hk. induction len as [|len IH]; intros Hk; [cbn [range]; rewrite Nat.sub_0_r; right; ring|].
    specialize (IH ltac:(lia)). cbn [range]. replace (S (k - S len)) with (k - len)%nat by lia.
    set (j := (k - S len)%nat) in *. replace (k - len)%nat with (S j) in * by lia.
    pose proof (Wr j ltac:(lia)) as E. pose proof (Wn j). pose proof (Wn (S j)).
    assert (D : IZR den <= IZR ((Z.of_nat n - Z.of_nat j) * a)) by (apply IZR_le; unfold den; nia).
    assert (M : IZR ((Z.of_nat j + 1) * c) <= IZR num) by (apply IZR_le; unfold num; nia).
    assert (X : W j * IZR den <= W (S j) * IZR num).
    { apply Rle_trans with (W j * IZR ((Z.of_nat n - Z.of_nat j) * a)); [now apply Rmult_le_compat_l|].
      rewrite <- E. now apply Rmult_le_compat_l. }
    lra. }
  specialize (S len ltac:(lia)). pose proof (Rmult_le_pos _ _ (Wn (k - len)) N0).
    rewrite minus_IZR, Rmult_minus_distr_l. lra.
Qed.
Lemma beyond_ok u num den y S : (0 <= num)%Z -> (num < den)%Z -> y <= IZR u -> S * IZR (den - num) <= y * IZR num ->
  S <= IZR (beyond u num den).
Proof.
  intros Hn Hd Hu H. assert (D : (0 < den - num)%Z) by lia. pose proof (div_up (u * num) _ D) as U. unfold beyond.
  apply IZR_lt in D as D'. apply IZR_le in Hn. rewrite mult_IZR in U.
    apply Rmult_le_reg_r with (IZR (den - num)); [exact D'|]. nra.
Qed.
Lemma up_high_ok x : 0 <= x -> forall fuel k u acc, (k + fuel <= n)%nat ->
  ((Z.of_nat n - Z.of_nat (k + fuel)) * a < (Z.of_nat (k + fuel) + 1) * c)%Z -> x * W k <= IZR u ->
  IZR acc + x * range W (S k) (n - k) <= IZR (up_high (Z.of_nat n) a c fuel (Z.of_nat k) u acc).
Proof.
  intros Hx. induction fuel as [|f IH]; intros k u acc Hk R H; cbn [up_high].
  - rewrite Nat.add_0_r in R. rewrite plus_IZR. apply Rplus_le_compat_l.
    apply beyond_ok with (y := x * W k); auto; [nia|].
    pose proof (above_all k (n - k) ltac:(lia) R). rewrite !Rmult_assoc. now apply Rmult_le_compat_l.
  - set (v := ceil (u * ((Z.of_nat n - Z.of_nat k) * a)) ((Z.of_nat k + 1) * c)).
    assert (K : (0 < (Z.of_nat k + 1) * c)%Z) by nia.
    assert (V : x * W (S k) <= IZR v).
    { apply Rmult_le_reg_r with (IZR ((Z.of_nat k + 1) * c)); [now apply IZR_lt|].
      eapply Rle_trans; [|now apply div_up].
      rewrite Rmult_assoc, Wr by lia. rewrite (mult_IZR u), <- Rmult_assoc.
        apply Rmult_le_compat_r; [apply IZR_le; nia|exact H]. }
    replace (Z.of_nat k + 1)%Z with (Z.of_nat (S k)) by lia. replace (n - k)%nat with (S (n - S k)) by lia.
      cbn [range].
    eapply Rle_trans; [|apply (IH (S k) v (acc + v)%Z)]; [rewrite plus_IZR; nra|lia| |exact V].
    replace (S k + f)%nat with (k + S f)%nat by lia. exact R.
Qed.
Lemma down_high_ok x : 0 <= x -> forall fuel k u acc, (fuel <= k <= n)%nat ->
  (Z.of_nat (k - fuel) * c < (Z.of_nat n - Z.of_nat (k - fuel) + 1) * a)%Z -> x * W k <= IZR u ->
  IZR acc + x * range W 0 k <= IZR (down_high (Z.of_nat n) a c fuel (Z.of_nat k) u acc).
Proof.
  intros Hx. induction fuel as [|f IH]; intros k u acc Hk R H; cbn [down_high].
  - rewrite Nat.sub_0_r in R. rewrite plus_IZR. apply Rplus_le_compat_l.
    apply beyond_ok with (y := x * W k); auto; [nia|].
    pose proof (below_all k k ltac:(lia) R) as B. rewrite Nat.sub_diag in B. rewrite !Rmult_assoc.
      now apply Rmult_le_compat_l.
  - destruct k as [|k]; [lia|].
    set (v := ceil (u * (Z.of_nat (S k) * c)) ((Z.of_nat n - Z.of_nat (S k) + 1) * a)).
    assert (K : (0 < (Z.of_nat n - Z.of_nat (S k) + 1) * a)%Z) by nia.
    assert (V : x * W k <= IZR v).
    { apply Rmult_le_reg_r with (IZR ((Z.of_nat n - Z.of_nat (S k) + 1) * a)); [now apply IZR_lt|].
      eapply Rle_trans; [|now apply div_up].
      replace (Z.of_nat n - Z.of_nat (S k) + 1)%Z with (Z.of_nat n - Z.of_nat k)%Z by lia.
      rewrite Rmult_assoc, <- Wr by lia. rewrite (mult_IZR u), <- Rmult_assoc.
        replace (Z.of_nat (S k)) with (Z.of_nat k + 1)%Z by lia.
      apply Rmult_le_compat_r; [apply IZR_le; nia|exact H]. }
    replace (Z.of_nat (S k) - 1)%Z with (Z.of_nat k) by lia. rewrite range_last. cbn [Nat.add].
    eapply Rle_trans; [|apply (IH k v (acc + v)%Z)]; [rewrite plus_IZR; nra|lia| |exact V].
    replace (k - f)%nat with (S k - S f)%nat by lia. exact R.
Qed.
End Walk.

Theorem check_shift_low_sound n a c e delta prec s w up down strict :
  check_shift_low (Z.of_nat n) a c e delta prec s w up down strict = true ->
  let p := IZR a / IZR (a + c) in
  let gap := Pr_in (Nat.ltb s) (after (binomial p n)) n - value e * Pr_in (Nat.ltb s) (binomial p n) n in
  if strict then Q2R delta < gap else Q2R delta <= gap.
Proof.
  unfold check_shift_low. destruct (from_above e prec) as [hi hd] eqn:EH.
  set (t := up_high _ _ _ _ _ _ _). set (b := down_high _ _ _ _ _ _ _). cbv zeta. intros H.
    do 11 (apply andb_prop in H as [H ?]).
  repeat match goal with X : (_ <? _)%Z = true |- _ => apply Z.ltb_lt in X | X : (_ <=? _)%Z = true |- _ => apply
    Z.leb_le in X end.
  rename H into Ha, H10 into Hc, H9 into Hw, H6 into Hbot, H5 into Htop, H4 into Rt, H3 into Rb, H2 into Hhi, H1 into
    Hd0, H0 into C.
  pose proof (from_above_ok e prec H8 H7) as ZH. rewrite EH in ZH. cbn in ZH. destruct ZH as [Hd ZH].
    set (z := value e) in *.
  apply IZR_lt in Ha as Ra, Hc as Rc. set (W := weight (IZR a) (IZR c) n).
  assert (Ws : 0 < W s) by (apply weight_pos; auto; lia).
  assert (R2 : 0 < IZR (2 ^ w)) by (apply IZR_lt; lia).
  set (x := IZR (2 ^ w) / W s). assert (X : x * W s = IZR (2 ^ w)) by (unfold x; field; lra).
  assert (X0 : 0 < x) by (unfold x; apply Rdiv_lt_0_compat; lra).
  pose proof (up_high_ok n a c Ha Hc x ltac:(lra) up s (2 ^ w) 0 ltac:(lia)
    ltac:(replace (Z.of_nat (s + up)) with (Z.of_nat s + Z.of_nat up)%Z by lia; exact Rt) ltac:(fold W; lra)) as T.
  pose proof (down_high_ok n a c Ha Hc x ltac:(lra) down s (2 ^ w) 0 ltac:(lia)
    ltac:(replace (Z.of_nat (s - down)) with (Z.of_nat s - Z.of_nat down)%Z by lia; exact Rb) ltac:(fold W; lra)) as B.
  fold t W in T. fold b W in B.
  set (R := range W (S s) (n - s)) in *.
  assert (Total : range W 0 s + W s + R = (IZR a + IZR c) ^ n).
  { rewrite <- weight_total. fold W. unfold R. replace (S n) with (s + S (n - s))%nat by lia. rewrite range_split.
    cbn [range Nat.add]. ring. }
  set (N := (IZR a + IZR c) ^ n) in *. assert (N0 : 0 < N) by (apply pow_lt; lra).
  assert (SC : forall k, binomial (IZR a / IZR (a + c)) n k = / N * W k).
  { intros k. unfold binomial. rewrite plus_IZR.
    replace (1 - IZR a / (IZR a + IZR c)) with (/ (IZR a + IZR c) * IZR c) by (field; lra).
    replace (IZR a / (IZR a + IZR c)) with (/ (IZR a + IZR c) * IZR a) by (field; lra).
    rewrite weight_homogeneous, pow_inv. reflexivity. }
  assert (Low : forall f, range (fun k => if Nat.ltb s k then f k else 0) 0 (S s) = 0).
  { intros f. etransitivity; [|apply (range_0 0 (S s))]. apply range_ext. intros k Hk.
    destruct (Nat.ltb_spec s k); [lia|reflexivity]. }
  assert (P : forall f, Pr_in (Nat.ltb s) f n = range f (S s) (S n - s)).
  { intros f. unfold Pr_in. replace (n + 2)%nat with (S s + (S n - s))%nat by lia. rewrite range_split, Low, Rplus_0_l.
    apply range_ext. intros k Hk. destruct (Nat.ltb_spec s k); [reflexivity|lia]. }
  assert (P1 : Pr_in (Nat.ltb s) (after (binomial (IZR a / IZR (a + c)) n)) n = / N * (W s + R)).
  { rewrite P, range_shift. replace (S n - s)%nat with (S (n - s)) by lia. cbn [after].
    rewrite (range_ext _ (fun k => / N * W k)) by auto.
    rewrite range_scale. reflexivity. }
  assert (P2 : Pr_in (Nat.ltb s) (binomial (IZR a / IZR (a + c)) n) n = / N * R).
  { rewrite P, (range_ext _ (fun k => / N * W k)) by auto. rewrite range_scale. f_equal.
    replace (S n - s)%nat with (S (n - s)) by lia. rewrite range_last. fold R. unfold W at 1.
      rewrite weight_beyond by lia. ring. }
  rewrite P1, P2. set (d := Q2R delta).
  assert (D0 : 0 <= d). { unfold d. rewrite Q2R_frac. pose proof (den_pos delta). apply IZR_le in Hd0.
    apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat. }
  assert (G : forall y, y * (IZR (2 ^ w) + IZR t + IZR b) * IZR hd <= IZR (2 ^ w) * IZR hd - (IZR hi - IZR hd) * IZR
    t -> 0 <= y ->
    y <= / N * (W s + R) - z * (/ N * R)).
  { intros y F Y. apply Rmult_le_reg_r with (x * N * IZR hd); [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|];
    assumption|].
    assert (EQ : (/ N * (W s + R) - z * (/ N * R)) * (x * N * IZR hd) =
      IZR (2 ^ w) * IZR hd - (z * IZR hd - IZR hd) * (x * R)) by (rewrite <- X; field; lra).
    rewrite EQ. clear EQ. assert (xN : x * N <= IZR (2 ^ w) + IZR t + IZR b) by (rewrite <- Total; lra).
    assert (R0 : 0 <= R) by (apply range_nonneg; intros; now apply Wnonneg).
    assert (XR : 0 <= x * R <= IZR t) by (split; [apply Rmult_le_pos|]; lra).
    apply IZR_le in Hhi. apply Rle_trans with (y * (IZR (2 ^ w) + IZR t + IZR b) * IZR hd).
    - rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|]. now apply Rmult_le_compat_l.
    - eapply Rle_trans; [exact F|]. assert ((z * IZR hd - IZR hd) * (x * R) <= (IZR hi - IZR hd) * IZR t).
      { apply Rle_trans with ((IZR hi - IZR hd) * (x * R)); [apply Rmult_le_compat_r; lra|apply Rmult_le_compat_l;
        lra]. }
      lra. }
  pose proof (den_pos delta) as QD.
  assert (F : forall y, y * IZR (QDen delta) = (IZR (2 ^ w) * IZR hd - (IZR hi - IZR hd) * IZR t) * IZR (QDen delta)
    -> True) by auto.
  clear F. set (B' := IZR (2 ^ w) + IZR t + IZR b) in *.
  assert (B0 : 0 < B'). { unfold B'. assert (0 <= x * R) by (apply Rmult_le_pos; [lra|apply range_nonneg; intros;
    now apply Wnonneg]).
    assert (0 <= x * range W 0 s) by (apply Rmult_le_pos; [lra|apply range_nonneg; intros; now apply Wnonneg]). lra. }
  set (A := IZR (2 ^ w) * IZR hd - (IZR hi - IZR hd) * IZR t) in *.
  assert (DQ : d * IZR (QDen delta) = IZR (Qnum delta)) by (unfold d; rewrite Q2R_frac; field; lra).
  destruct strict.
  - apply Z.ltb_lt, IZR_lt in C. rewrite !mult_IZR, minus_IZR, !mult_IZR, minus_IZR, !plus_IZR in C. fold B' A in C.
    rewrite <- DQ in C.
    assert (L : d * B' * IZR hd < A) by nra. set (y := A / (B' * IZR hd)).
    assert (BH : 0 < B' * IZR hd) by (apply Rmult_lt_0_compat; lra).
    assert (Y : y * B' * IZR hd = A) by (unfold y; field; lra).
    assert (dy : d < y). { apply Rmult_lt_reg_r with (B' * IZR hd); [exact BH|]. rewrite <- !Rmult_assoc, Y. exact L. }
    eapply Rlt_le_trans; [exact dy|]. apply G; lra.
  - apply Z.leb_le, IZR_le in C. rewrite !mult_IZR, minus_IZR, !mult_IZR, minus_IZR, !plus_IZR in C. fold B' A in C.
    rewrite <- DQ in C.
    apply G; [|exact D0]. apply Rmult_le_reg_r with (IZR (QDen delta)); [exact QD|]. lra.
Qed.
