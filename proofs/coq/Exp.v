(* e^(a/b) between two integers over 2^w. *)
From Coq Require Import Reals ZArith List Lra Lia Psatz.
Open Scope R_scope.

(* Taylor sums, as functions of x *)
Fixpoint term (k : nat) (x : R) : R := match k with O => 1 | S k => term k x * x / (INR (S k)) end.
Fixpoint taylor (n : nat) (x : R) : R := match n with O => 0 | S n => taylor n x + term n x end.

Lemma term_pos k x : 0 <= x -> 0 <= term k x.
Proof.
  intros Hx. induction k; [simpl; lra|]. cbn [term]. pose proof (lt_0_INR (S k) ltac:(lia)).
  apply Rmult_le_pos; [nra|]. left. now apply Rinv_0_lt_compat.
Qed.
Lemma term_0 k : term (S k) 0 = 0.
Proof. cbn [term]. unfold Rdiv. ring. Qed.
Lemma taylor_0 n : taylor (S n) 0 = 1.
Proof. induction n; [simpl; ring|]. change (taylor (S n) 0 + term (S n) 0 = 1). rewrite IHn, term_0. ring. Qed.

Lemma term_derive k x : derivable_pt_lim (term (S k)) x (term k x).
Proof.
  revert x. induction k; intros x.
  - apply (derivable_pt_lim_ext id); [intros; simpl; unfold id; field|]. simpl. apply derivable_pt_lim_id.
  - pose proof (lt_0_INR (S (S k)) ltac:(lia)). pose proof (lt_0_INR (S k) ltac:(lia)).
    apply (derivable_pt_lim_ext (mult_real_fct (/ INR (S (S k))) (term (S k) * id)%F)).
    { intros t. unfold mult_real_fct, mult_fct, id. cbn [term]. field. split; lra. }
    replace (term (S k) x) with (/ INR (S (S k)) * (term k x * id x + term (S k) x * 1)).
    2:{ cbn [term]. unfold id. rewrite (S_INR (S k)) in *. field. split; lra. }
    apply derivable_pt_lim_scal. apply derivable_pt_lim_mult; [apply IHk|apply derivable_pt_lim_id].
Qed.
Lemma taylor_derive n x : derivable_pt_lim (taylor (S n)) x (taylor n x).
Proof.
  revert x. induction n; intros x.
  - apply (derivable_pt_lim_ext (fct_cte 1)); [intros; simpl; unfold fct_cte; ring|]. simpl.
    apply derivable_pt_lim_const.
  - change (taylor (S n) x) with (taylor n x + term n x).
    apply (derivable_pt_lim_ext (taylor (S n) + term (S n))%F); [reflexivity|].
    apply derivable_pt_lim_plus; [apply IHn|apply term_derive].
Qed.

(* a function that starts at 0 or above and has a derivative >= 0 stays there *)
Lemma rises f f' : (forall x, derivable_pt_lim f x (f' x)) -> (forall x, 0 <= x -> 0 <= f' x) -> 0 <= f 0 ->
  forall x, 0 <= x -> 0 <= f x.
Proof.
  intros D P F x Hx. destruct (Req_dec x 0) as [->|N]; [exact F|].
  destruct (MVT_cor2 f f' 0 x) as [c [E [L _]]]; [lra|intros; apply D|].
  pose proof (P c ltac:(lra)). nra.
Qed.
Theorem taylor_low n x : 0 <= x -> taylor n x <= exp x.
Proof.
  revert x. assert (H : forall x, 0 <= x -> 0 <= (exp - taylor n)%F x).
  { induction n as [|n IH].
    - intros x _. unfold minus_fct. simpl. left. rewrite Rminus_0_r. apply exp_pos.
    - apply (rises _ (exp - taylor n)%F).
      + intros x. apply derivable_pt_lim_minus; [apply derivable_pt_lim_exp|apply taylor_derive].
      + exact IH.
      + unfold minus_fct. rewrite exp_0, taylor_0. lra. }
  intros x Hx. pose proof (H x Hx). unfold minus_fct in *. lra.
Qed.
(* what is left out: at most term n x * e^x *)
Theorem taylor_high n x : 0 <= x -> exp x <= taylor n x + term n x * exp x.
Proof.
  revert x. assert (H : forall x, 0 <= x -> 0 <= (taylor n + term n * exp - exp)%F x).
  { induction n as [|n IH].
    - intros x _. unfold minus_fct, plus_fct, mult_fct. simpl. lra.
    - apply (rises _ (taylor n + (term n * exp + term (S n) * exp) - exp)%F).
      + intros x. apply derivable_pt_lim_minus; [|apply derivable_pt_lim_exp].
        apply derivable_pt_lim_plus; [apply taylor_derive|].
        apply (derivable_pt_lim_mult (term (S n)) exp); [apply term_derive|apply derivable_pt_lim_exp].
      + intros x Hx. specialize (IH x Hx). unfold minus_fct, plus_fct, mult_fct in *.
        pose proof (term_pos (S n) x Hx). pose proof (exp_pos x). nra.
      + unfold minus_fct, plus_fct, mult_fct. rewrite exp_0, taylor_0, term_0. lra. }
  intros x Hx. pose proof (H x Hx). unfold minus_fct, plus_fct, mult_fct in *. lra.
Qed.

(* In fixed point: numbers are integers over 2^w. up = 0 rounds down, 1 up. *)
Open Scope Z_scope.
Definition ceil a b := - ((- a) / b).
Fixpoint sum_down (n : nat) (k w r t : Z) (total : Z) : Z :=
  match n with O => total | S n => sum_down n (k + 1) w r (t * r / (k * 2 ^ w)) (total + t) end.
Fixpoint sum_up (n : nat) (k w r t : Z) (total : Z) : Z :=
  match n with O => total + 3 * t | S n => sum_up n (k + 1) w r (ceil (t * r) (k * 2 ^ w)) (total + t) end.
Fixpoint square_down (h : nat) w x := match h with O => x | S h => square_down h w (x * x / 2 ^ w) end.
Fixpoint square_up (h : nat) w x := match h with O => x | S h => square_up h w (ceil (x * x) (2 ^ w)) end.
(* h halvings, n terms *)
Definition exp_down (a b : Z) (h n : nat) w := square_down h w (sum_down n 1 w (a * 2 ^ w / (b * 2 ^ Z.of_nat h)) (2
  ^ w) 0).
Definition exp_up (a b : Z) (h n : nat) w := square_up h w (sum_up n 1 w (ceil (a * 2 ^ w) (b * 2 ^ Z.of_nat h)) (2 ^
  w) 0).

Open Scope R_scope.
Lemma div_down a b : (0 < b)%Z -> IZR (a / b) * IZR b <= IZR a.
Proof. intros. rewrite <- mult_IZR. apply IZR_le. rewrite Z.mul_comm. now apply Z.mul_div_le. Qed.
Lemma div_up a b : (0 < b)%Z -> IZR a <= IZR (ceil a b) * IZR b.
Proof. intros. rewrite <- mult_IZR. apply IZR_le. unfold ceil. pose proof (Z.mul_div_le (- a) b H). lia. Qed.

Section Fixed.
Variables (w : Z) (Hw : (0 <= w)%Z).
Let one := IZR (2 ^ w).
Lemma one_pos : 0 < one. Proof. apply IZR_lt. lia. Qed.

Lemma sum_down_spec n : forall j r t total x, 0 <= x -> (0 <= r)%Z -> (0 <= t)%Z -> IZR r <= x * one ->
  IZR t <= term j x * one -> IZR total <= taylor j x * one ->
  IZR (sum_down n (Z.of_nat (S j)) w r t total) <= taylor (j + n) x * one.
Proof.
  induction n as [|n IH]; intros j r t total x Hx Hr Ht R T S.
  - rewrite Nat.add_0_r. exact S.
  - cbn [sum_down]. rewrite Nat.add_succ_r, <- Nat.add_succ_l.
    replace (Z.of_nat (Datatypes.S j) + 1)%Z with (Z.of_nat (Datatypes.S (Datatypes.S j))) by lia.
    pose proof one_pos. assert (0 < 2 ^ w)%Z by lia.
    assert (K : (0 < Z.of_nat (Datatypes.S j) * 2 ^ w)%Z) by lia.
    apply IH; auto.
    + apply Z.div_pos; nia.
    + cbn [term]. pose proof (div_down (t * r) _ K) as D. rewrite !mult_IZR, <- INR_IZR_INZ in D. fold one in D.
      pose proof (lt_0_INR (Datatypes.S j) ltac:(lia)). pose proof (term_pos j x Hx).
      apply Rmult_le_reg_r with (INR (Datatypes.S j) * one); [nra|]. eapply Rle_trans; [exact D|].
      replace (term j x * x / INR (Datatypes.S j) * one * (INR (Datatypes.S j) * one)) with ((term j x * one) * (x *
        one))
        by (field; lra).
      apply IZR_le in Hr, Ht. apply Rmult_le_compat; auto.
    + cbn [taylor]. rewrite plus_IZR. lra.
Qed.
Lemma sum_up_spec n : forall j r t total x, 0 <= x <= 1 -> (0 <= t)%Z -> x * one <= IZR r ->
  term j x * one <= IZR t -> taylor j x * one <= IZR total ->
  exp x * one <= IZR (sum_up n (Z.of_nat (S j)) w r t total).
Proof.
  induction n as [|n IH]; intros j r t total x Hx Ht R T S; pose proof one_pos.
  - cbn [sum_up]. rewrite plus_IZR, mult_IZR. pose proof (taylor_high j x ltac:(lra)).
    pose proof (term_pos j x ltac:(lra)).
    assert (exp x <= 3). { apply Rle_trans with (exp 1); [|apply exp_le_3]. destruct (Req_dec x 1) as [->|]; [lra|].
      left. apply exp_increasing. lra. }
    assert (term j x * exp x <= term j x * 3) by (apply Rmult_le_compat_l; lra). nra.
  - cbn [sum_up]. replace (Z.of_nat (Datatypes.S j) + 1)%Z with (Z.of_nat (Datatypes.S (Datatypes.S j))) by lia.
    assert (0 < 2 ^ w)%Z by lia. assert (K : (0 < Z.of_nat (Datatypes.S j) * 2 ^ w)%Z) by lia.
    assert (0 <= IZR r) by nra. assert (0 <= r)%Z by now apply le_IZR.
    apply IH; auto.
    + unfold ceil. pose proof (Z.mul_div_le (- (t * r)) _ K). nia.
    + cbn [term]. pose proof (div_up (t * r) _ K) as D. rewrite !mult_IZR, <- INR_IZR_INZ in D. fold one in D.
      pose proof (lt_0_INR (Datatypes.S j) ltac:(lia)). pose proof (term_pos j x ltac:(lra)).
      apply Rmult_le_reg_r with (INR (Datatypes.S j) * one); [nra|]. eapply Rle_trans; [|exact D].
      replace (term j x * x / INR (Datatypes.S j) * one * (INR (Datatypes.S j) * one)) with ((term j x * one) * (x *
        one))
        by (field; lra).
      apply Rmult_le_compat; nra.
    + cbn [taylor]. rewrite plus_IZR. lra.
Qed.
Lemma square_down_spec h : forall x y, (0 <= y)%Z -> IZR y <= exp x * one -> IZR (square_down h w y) <= exp (x * 2 ^
  h) * one.
Proof.
  pose proof one_pos. assert (0 < 2 ^ w)%Z by lia.
  induction h as [|h IH]; intros x y Hy H1; cbn [square_down pow]; [now rewrite Rmult_1_r|].
  rewrite <- Rmult_assoc. replace (x * 2) with (x + x) by ring. apply IH; [apply Z.div_pos; nia|].
  pose proof (div_down (y * y) _ H0) as D. rewrite mult_IZR in D. fold one in D. rewrite exp_plus.
  apply IZR_le in Hy. apply Rmult_le_reg_r with one; [lra|]. eapply Rle_trans; [exact D|].
  replace (exp x * exp x * one * one) with ((exp x * one) * (exp x * one)) by ring. apply Rmult_le_compat; auto.
Qed.
Lemma square_up_spec h : forall x y, exp x * one <= IZR y -> exp (x * 2 ^ h) * one <= IZR (square_up h w y).
Proof.
  pose proof one_pos. assert (0 < 2 ^ w)%Z by lia.
  induction h as [|h IH]; intros x y H1; cbn [square_up pow]; [now rewrite Rmult_1_r|].
  rewrite <- Rmult_assoc. replace (x * 2) with (x + x) by ring. apply IH.
  pose proof (div_up (y * y) _ H0) as D. rewrite mult_IZR in D. fold one in D. rewrite exp_plus.
  pose proof (exp_pos x). apply Rmult_le_reg_r with one; [lra|]. eapply Rle_trans; [|exact D].
  replace (exp x * exp x * one * one) with ((exp x * one) * (exp x * one)) by ring. apply Rmult_le_compat; nra.
Qed.

Lemma scaled a b h : (0 < b)%Z -> 0 < IZR b * 2 ^ h /\ IZR (b * 2 ^ Z.of_nat h) = IZR b * 2 ^ h /\ (0 < b * 2 ^
  Z.of_nat h)%Z /\
  IZR a / (IZR b * 2 ^ h) * 2 ^ h = IZR a / IZR b.
Proof.
  intros Hb. pose proof (IZR_lt _ _ Hb). assert (0 < 2 ^ h) by (apply pow_lt; lra).
  repeat split; [nra| |lia|field; split; lra]. rewrite mult_IZR. f_equal. now rewrite <- pow_IZR.
Qed.
Lemma sum_down_pos n : forall k r t total, (0 < k)%Z -> (0 <= r)%Z -> (0 <= t)%Z -> (0 <= total)%Z -> (0 <= sum_down
  n k w r t total)%Z.
Proof.
  induction n; intros; cbn [sum_down]; [auto|]. apply IHn; try lia. apply Z.div_pos; nia.
Qed.
Theorem exp_down_ok a b h n : (0 <= a)%Z -> (0 < b)%Z -> IZR (exp_down a b h n w) <= exp (IZR a / IZR b) * one.
Proof.
  intros Ha Hb. destruct (scaled a b h Hb) as (P & E & Z & X). unfold exp_down. rewrite <- X.
  pose proof (IZR_le _ _ Ha). pose proof one_pos. assert (0 < 2 ^ w)%Z by lia.
  assert (0 <= a * 2 ^ w / (b * 2 ^ Z.of_nat h))%Z by (apply Z.div_pos; nia).
  assert (0 <= IZR a / (IZR b * 2 ^ h)) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
  apply square_down_spec.
  - apply sum_down_pos; lia.
  - eapply Rle_trans; [apply (sum_down_spec n 0) with (x := IZR a / (IZR b * 2 ^ h))|]; try (simpl; fold one; lra);
    try lia; auto.
    + pose proof (div_down (a * 2 ^ w) _ Z) as D. rewrite E, mult_IZR in D. fold one in D.
      apply Rmult_le_reg_r with (IZR b * 2 ^ h); [lra|]. eapply Rle_trans; [exact D|]. right. field.
      split; solve [apply pow_nonzero; lra | apply not_0_IZR; lia].
    + apply Rmult_le_compat_r; [lra|]. now apply taylor_low.
Qed.
Theorem exp_up_ok a b h n : (0 <= a)%Z -> (0 < b)%Z -> (a <= b * 2 ^ Z.of_nat h)%Z ->
  exp (IZR a / IZR b) * one <= IZR (exp_up a b h n w).
Proof.
  intros Ha Hb Hh. destruct (scaled a b h Hb) as (P & E & Z & X). unfold exp_up. rewrite <- X.
  pose proof (IZR_le _ _ Ha). apply IZR_le in Hh. rewrite E in Hh. pose proof one_pos. assert (0 < 2 ^ w)%Z by lia.
  assert (0 <= IZR a / (IZR b * 2 ^ h) <= 1).
  { split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
    apply Rmult_le_reg_r with (IZR b * 2 ^ h); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  apply square_up_spec. apply (sum_up_spec n 0) with (x := IZR a / (IZR b * 2 ^ h)); try (simpl; fold one; lra);
    try lia; auto.
  pose proof (div_up (a * 2 ^ w) _ Z) as D. rewrite E, mult_IZR in D. fold one in D.
  apply Rmult_le_reg_r with (IZR b * 2 ^ h); [lra|]. eapply Rle_trans; [|exact D]. right. field.
  split; solve [apply pow_nonzero; lra | apply not_0_IZR; lia].
Qed.
End Fixed.
