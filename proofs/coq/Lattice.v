(* Pairs on a lattice of ratios, G^j of P to Q: products, coarser lattices, and delta; from above. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount SpecRuns Poly Exp Check Kron Sums Pairs.
Import ListNotations.
Local Open Scope Z_scope.

(* The first step, over `bottom`; bits of a weight, and of a power of the step; at most so many cells; weights up to `room`
   go to infinity at each end. *)
Record plan := { top : Z; bottom : Z; bits : Z; sharp : Z; most : Z; room : Z }.
(* P weights at the places first, first + 1, ..., over 2^bits; Q has G^-j of each; `beyond` of P is where Q has nothing. *)
Record lattice := { level : nat; first : Z; cells : list Z; beyond : Z }.

Section Plan.
Variable p : plan.
Definition one := 2 ^ sharp p.
Definition unit := 2 ^ bits p.
(* the step squared so many times, from both sides, over 2^sharp *)
Fixpoint low_step (l : nat) : Z :=
  match l with O => top p * one / bottom p | S l => let g := low_step l in g * g / one end.
Fixpoint high_step (l : nat) : Z :=
  match l with O => ceil (top p * one) (bottom p) | S l => let g := high_step l in ceil (g * g) one end.
(* ends that are small go to infinity *)
Fixpoint drop (k lost : Z) (l : list Z) : Z * Z * list Z :=
  match l with
  | [] => (k, lost, [])
  | c :: l' => if lost + c <=? room p then drop (k + 1) (lost + c) l' else (k, lost, l)
  end.
Definition trimmed (x : lattice) : lattice :=
  let '(k, lost, l) := drop (first x) 0 (cells x) in
  let '(_, lost', l') := drop 0 0 (rev_append l []) in
  {| level := level x; first := k; cells := rev_append l' []; beyond := beyond x + lost + lost' |}.
(* every other place, by the step squared: an odd one is split *)
Fixpoint halve (low high carry : Z) (l : list Z) : list Z :=
  match l with
  | [] => [carry]
  | e :: l =>
      match l with
      | [] => [carry + e]
      | o :: l => carry + e + ceil (o * one) (one + low) :: halve low high (ceil (o * high) (one + high)) l
      end
  end.
Definition doubled (x : lattice) : lattice :=
  {| level := S (level x); first := first x / 2; beyond := beyond x;
     cells := halve (low_step (level x)) (high_step (level x)) 0
       (if first x mod 2 =? 0 then cells x else 0 :: cells x) |}.
Fixpoint count (n : Z) (l : list Z) : Z := match l with [] => n | _ :: l => count (n + 1) l end.
Fixpoint within (fuel : nat) (x : lattice) : lattice :=
  let x := trimmed x in
  match fuel with
  | O => x
  | S fuel => if count 0 (cells x) <=? most p then x else within fuel (doubled x)
  end.
Fixpoint coarsened (n : nat) (x : lattice) : lattice := match n with O => x | S n => coarsened n (doubled x) end.

Definition joined (x y : lattice) : lattice :=
  let x := coarsened (level y - level x) x in let y := coarsened (level x - level y) y in
  within 64 {| level := level x; first := first x + first y;
    cells := map (fun w => ceil w unit) (convolve (cells x) (cells y));
    beyond := ceil (beyond x * (sum (cells y) + beyond y) + beyond y * sum (cells x)) unit |}.
Definition squared (x : lattice) : lattice :=
  within 64 {| level := level x; first := first x + first x;
    cells := map (fun w => ceil w unit) (convolve_self (cells x));
    beyond := ceil (beyond x * (sum (cells x) + beyond x) + beyond x * sum (cells x)) unit |}.
Lemma squared_same x : squared x = joined x x.
Proof. unfold joined. rewrite Nat.sub_diag. cbn [coarsened]. now rewrite Nat.sub_diag. Qed.
Fixpoint repeated (n : positive) (x : lattice) : lattice :=
  match n with
  | xH => x
  | xO n => squared (repeated n x)
  | xI n => joined (squared (repeated n x)) x
  end.

(* sum of c max(1 - z G^-j, 0), over 2^sharp: t is at most z G^-j, and `inverse` at most 1/G *)
Fixpoint worth (inverse t acc : Z) (l : list Z) : Z :=
  match l with
  | [] => acc
  | c :: l => worth inverse (t * inverse / one) (if one <=? t then acc else acc + c * (one - t)) l
  end.
Definition from_0 (x : lattice) : list Z :=
  if 0 <=? first x then repeat 0 (Z.to_nat (first x)) ++ cells x else skipn (Z.to_nat (- first x)) (cells x).
(* delta, over 2^(bits + sharp), for e^eps of at least 1 and a/b *)
Definition delta_of (x : lattice) (z : Z * Z) : Z :=
  beyond x * one + worth (one * one / high_step (level x)) (Z.max (fst z * one / snd z) one) 0 (from_0 x).

(* ---- soundness ---- *)
Definition plan_fits : bool := (0 <? bottom p) && (bottom p <? top p) && (0 <=? bits p) && (0 <=? sharp p).
Hypothesis F : plan_fits = true.
Local Open Scope R_scope.
Lemma plan_ok : (0 < bottom p < top p)%Z /\ (0 <= bits p)%Z /\ (0 <= sharp p)%Z.
Proof.
  pose proof F as H. unfold plan_fits in H. do 3 (apply andb_prop in H as [H ?]). apply Z.ltb_lt in H, H2.
  apply Z.leb_le in H0, H1. lia.
Qed.
Lemma one_pos : (0 < one)%Z.
Proof. apply Z.pow_pos_nonneg; [lia|apply plan_ok]. Qed.
Lemma unit_pos : (0 < unit)%Z.
Proof. apply Z.pow_pos_nonneg; [lia|apply plan_ok]. Qed.
Let I : R := IZR one.
Let U : R := IZR unit.
Lemma I_pos : 0 < I. Proof. apply IZR_lt, one_pos. Qed.
Lemma U_pos : 0 < U. Proof. apply IZR_lt, unit_pos. Qed.
Lemma div_low a b : (0 < b)%Z -> IZR (a / b) * IZR b <= IZR a.
Proof. intros B. rewrite <- mult_IZR. apply IZR_le. pose proof (Z.mul_div_le a b B). lia. Qed.
Lemma ceil_high a b : (0 < b)%Z -> IZR a <= IZR (ceil a b) * IZR b.
Proof. intros B. rewrite <- mult_IZR. apply IZR_le. unfold ceil. pose proof (Z.mul_div_le (- a) b B). lia. Qed.
Lemma ceil_nonneg a b : (0 < b)%Z -> (0 <= a)%Z -> (0 <= ceil a b)%Z.
Proof. intros B A. unfold ceil. assert (- a / b <= 0)%Z by (apply Z.div_le_upper_bound; lia). lia. Qed.
Lemma div_nonneg a b : (0 < b)%Z -> (0 <= a)%Z -> (0 <= a / b)%Z.
Proof. intros. now apply Z.div_pos. Qed.

Definition G0 : R := IZR (top p) / IZR (bottom p).
Fixpoint G (l : nat) : R := match l with O => G0 | S l => G l * G l end.
Lemma G0_big : 1 < G0.
Proof.
  pose proof plan_ok as (B & _). unfold G0. apply Rmult_lt_reg_r with (IZR (bottom p)); [apply IZR_lt; lia|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; [rewrite Rmult_1_l, Rmult_1_r; apply IZR_lt; lia|].
  apply Rgt_not_eq, IZR_lt. lia.
Qed.
Lemma G_big l : 1 < G l.
Proof. induction l as [|l IH]; [apply G0_big|]. cbn [G]. nra. Qed.
Lemma low_step_ok l : (0 <= low_step l)%Z /\ IZR (low_step l) <= G l * I.
Proof.
  pose proof plan_ok as (B & _). pose proof I_pos. pose proof one_pos. induction l as [|l [N IH]]; cbn [low_step G].
  - split; [apply div_nonneg; nia|]. pose proof (div_low (top p * one) (bottom p) ltac:(lia)) as D. rewrite mult_IZR in D.
    assert (0 < IZR (bottom p)) by (apply IZR_lt; lia). unfold G0. apply Rmult_le_reg_r with (IZR (bottom p)); [assumption|].
    eapply Rle_trans; [exact D|]. right. unfold I. field. lra.
  - split; [apply div_nonneg; nia|]. pose proof (div_low (low_step l * low_step l) one ltac:(lia)) as D.
    rewrite mult_IZR in D. apply Rmult_le_reg_r with I; [assumption|]. eapply Rle_trans; [exact D|].
    apply IZR_le in N. pose proof (G_big l). replace (G l * G l * I * I) with ((G l * I) * (G l * I)) by ring. nra.
Qed.
Lemma high_step_ok l : G l * I <= IZR (high_step l).
Proof.
  pose proof plan_ok as (B & _). pose proof I_pos. pose proof one_pos. induction l as [|l IH]; cbn [high_step G].
  - pose proof (ceil_high (top p * one) (bottom p) ltac:(lia)) as D. rewrite mult_IZR in D.
    assert (0 < IZR (bottom p)) by (apply IZR_lt; lia). unfold G0. apply Rmult_le_reg_r with (IZR (bottom p)); [assumption|].
    eapply Rle_trans; [|exact D]. right. unfold I. field. lra.
  - pose proof (ceil_high (high_step l * high_step l) one ltac:(lia)) as D. rewrite mult_IZR in D.
    apply Rmult_le_reg_r with I; [assumption|]. eapply Rle_trans; [|exact D].
    pose proof (G_big l). replace (G l * G l * I * I) with ((G l * I) * (G l * I)) by ring. assert (0 < G l * I) by nra. nra.
Qed.
Lemma high_step_pos l : (0 < high_step l)%Z.
Proof. apply lt_IZR. pose proof (high_step_ok l). pose proof (G_big l). pose proof I_pos. nra. Qed.

(* ---- curves on a lattice ---- *)
Definition at_place g u v (k : Z) : R := Rmax (u - v * powerRZ g (- k)) 0.
Definition sums g u v k l := along (at_place g u v) 1 k l.
Definition height (x : lattice) u v : R := (IZR (beyond x) * u + sums (G (level x)) u v (first x) (cells x)) / U.
Fixpoint on_places g (k : Z) (l : list Z) : atoms :=
  match l with [] => [] | c :: l => (IZR c / U, powerRZ g (- k)) :: on_places g (k + 1) l end.
Definition atoms_of (x : lattice) : atoms := (IZR (beyond x) / U, 0) :: on_places (G (level x)) (first x) (cells x).
Definition natural_cells (l : list Z) := Forall (fun c => 0 <= c)%Z l.
Definition fit (x : lattice) := natural_cells (cells x) /\ (0 <= beyond x)%Z.

Lemma at_place_nonneg g u v k : 0 <= at_place g u v k. Proof. apply Rmax_r. Qed.
Lemma power_pos g k : 1 < g -> 0 < powerRZ g k. Proof. intros. apply powerRZ_lt. lra. Qed.
Lemma at_place_most g u v k : 1 < g -> 0 <= u -> 0 <= v -> at_place g u v k <= u.
Proof. intros H A B. pose proof (power_pos g (- k) H). apply Rmax_lub; nra. Qed.
Lemma atoms_height x u v : 0 <= u -> curve (atoms_of x) u v = height x u v.
Proof.
  intros HU. pose proof U_pos. unfold curve, height, sums, atoms_of. rewrite sum_cons. cbn [fst snd].
  rewrite Rmult_0_r, Rminus_0_r, Rmax_left by lra.
  assert (E : forall l k, SpecCount.sum (fun o => fst o * Rmax (u - v * snd o) 0) (on_places (G (level x)) k l) =
    along (at_place (G (level x)) u v) 1 k l / U).
  { induction l as [|c l IH]; intros k; cbn [on_places along]; [cbn; field; lra|]. rewrite sum_cons, IH. cbn [fst snd].
    unfold at_place. field. lra. }
  rewrite E. field. lra.
Qed.
Lemma atoms_of_ok x : fit x -> are_atoms (atoms_of x).
Proof.
  intros [C B] a r [[= <- <-]|J].
  - split; [|lra]. apply IZR_le in B. pose proof U_pos. apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat.
  - revert J. generalize (first x). induction C as [|c l N C IH]; intros k; cbn [on_places]; [intros []|].
    intros [[= <- <-]|J]; [|now apply IH in J]. split; [|left; apply power_pos, G_big].
    apply IZR_le in N. pose proof U_pos. apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat.
Qed.
Definition lower x y := forall u v, 0 <= u -> 0 <= v -> height x u v <= height y u v.
Lemma lower_below x y : lower x y -> below (curve (atoms_of x)) (curve (atoms_of y)).
Proof. intros L u v A B. rewrite !atoms_height by assumption. now apply L. Qed.
Lemma lower_trans x y z : lower x y -> lower y z -> lower x z.
Proof. intros H K u v A B. eapply Rle_trans; [now apply H|now apply K]. Qed.

(* ---- trimmed ---- *)
Definition cells_sum (l : list Z) : Z := fold_right Z.add 0%Z l.
Lemma total_sum l : sum l = cells_sum l.
Proof.
  unfold sum, cells_sum.
  assert (H : forall a, fold_left Z.add l a = (a + fold_right Z.add 0 l)%Z).
  { induction l as [|c l IH]; intros a; cbn [fold_left fold_right]; [lia|]. rewrite IH. lia. }
  rewrite H. lia.
Qed.
Lemma total_app l m : cells_sum (l ++ m) = (cells_sum l + cells_sum m)%Z.
Proof. unfold cells_sum. induction l as [|c l IH]; cbn [app fold_right]; [lia|]. rewrite IH. lia. Qed.
Lemma total_rev l : cells_sum (rev l) = cells_sum l.
Proof. induction l as [|c l IH]; [reflexivity|]. cbn [rev]. rewrite total_app, IH. unfold cells_sum. cbn [fold_right]. lia. Qed.
Lemma total_nonneg l : natural_cells l -> (0 <= cells_sum l)%Z.
Proof. unfold cells_sum. induction 1 as [|c l C N IH]; cbn [fold_right]; [lia|]. cbv beta in C. lia. Qed.
Lemma sums_most g u v l : 1 < g -> 0 <= u -> 0 <= v -> natural_cells l -> forall k, sums g u v k l <= IZR (cells_sum l) * u.
Proof.
  intros HG A B N. induction N as [|c l C N IH]; intros k; unfold sums in *; cbn [along cells_sum fold_right]; [lra|].
  specialize (IH (k + 1)%Z). fold (cells_sum l). rewrite plus_IZR. apply IZR_le in C.
  pose proof (at_place_most g u v k HG A B). nra.
Qed.
Lemma sums_app g u v l m : forall k, sums g u v k (l ++ m) = sums g u v k l + sums g u v (k + Z.of_nat (length l)) m.
Proof. intros k. unfold sums. rewrite along_app. now rewrite Z.mul_1_l. Qed.
Lemma drop_ok : forall l k lost k' lost' l', drop k lost l = (k', lost', l') ->
  exists d, l = d ++ l' /\ lost' = (lost + cells_sum d)%Z /\ k' = (k + Z.of_nat (length d))%Z.
Proof.
  induction l as [|c l IH]; intros k lost k' lost' l'; cbn [drop].
  - intros [= <- <- <-]. exists []. cbn. repeat split; lia.
  - destruct (Z.leb_spec (lost + c) (room p)).
    + intros E. apply IH in E as (d & -> & -> & ->). exists (c :: d). cbn [app cells_sum fold_right length]. unfold cells_sum.
      repeat split; lia.
    + intros [= <- <- <-]. exists []. cbn. repeat split; lia.
Qed.
Lemma natural_app l m : natural_cells (l ++ m) <-> natural_cells l /\ natural_cells m.
Proof. apply Forall_app. Qed.
Lemma natural_rev l : natural_cells l -> natural_cells (rev l).
Proof. apply Forall_rev. Qed.
Lemma trimmed_ok x : fit x -> fit (trimmed x) /\ lower x (trimmed x) /\ level (trimmed x) = level x.
Proof.
  intros [N B]. unfold trimmed. destruct (drop _ _ (cells x)) as [[k lost] l] eqn:E1.
  apply drop_ok in E1 as (d & E & -> & ->). rewrite rev_append_rev, app_nil_r.
  destruct (drop 0 0 (rev l)) as [[k2 lost2] l2] eqn:E2. apply drop_ok in E2 as (d2 & E2 & -> & _).
  rewrite rev_append_rev, app_nil_r. rewrite E in N. apply natural_app in N as [N1 N].
  assert (EL : l = rev l2 ++ rev d2) by (rewrite <- rev_app_distr, <- E2; now rewrite rev_involutive).
  rewrite EL in N. apply natural_app in N as [N2 N3]. cbn [Z.add] in *. rewrite <- (total_rev d2).
  split; [|split; [|reflexivity]].
  - split; cbn [cells beyond]; [exact N2|]. pose proof (total_nonneg _ N1). pose proof (total_nonneg _ N3). lia.
  - intros u v HU HV. unfold height. cbn [level first cells beyond]. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, U_pos|].
    rewrite E, EL, !sums_app, !plus_IZR. pose proof (G_big (level x)).
    pose proof (sums_most _ u v d H HU HV N1 (first x)).
    pose proof (sums_most _ u v (rev d2) H HU HV N3 (first x + Z.of_nat (length d) + Z.of_nat (length (rev l2)))%Z). lra.
Qed.

(* ---- doubled ---- *)
Lemma power_even g m : powerRZ g (- (2 * m)) = powerRZ (g * g) (- m) \/ ~ 1 < g.
Proof.
  destruct (Rlt_dec 1 g) as [H|]; [left|now right]. rewrite powerRZ_mult, <- powerRZ_add by lra. f_equal. lia.
Qed.
Lemma place_even g u v m : 1 < g -> at_place g u v (2 * m) = at_place (g * g) u v m.
Proof. intros H. unfold at_place. destruct (power_even g m) as [->|]; [reflexivity|contradiction]. Qed.
Lemma place_odd g u v m : 1 < g ->
  at_place g u v (2 * m + 1) <= / (1 + g) * at_place (g * g) u v m + g / (1 + g) * at_place (g * g) u v (m + 1).
Proof.
  intros H. assert (HG : 1 < g * g) by nra. unfold at_place.
  replace (- (2 * m + 1))%Z with (- (2 * m) + -1)%Z by lia. replace (- (m + 1))%Z with (- m + -1)%Z by lia.
  rewrite !powerRZ_add by lra. destruct (power_even g m) as [->|]; [|contradiction].
  set (w := powerRZ (g * g) (- m)). change (powerRZ g (-1)) with (/ (g * 1)). change (powerRZ (g * g) (-1)) with (/ (g * g * 1)).
  rewrite !Rmult_1_r. assert (K1 : 0 < / (1 + g)) by (apply Rinv_0_lt_compat; lra).
  assert (K2 : 0 < g / (1 + g)) by (unfold Rdiv; nra).
  pose proof (Rmax_l (u - v * w) 0). pose proof (Rmax_r (u - v * w) 0).
  pose proof (Rmax_l (u - v * (w * / (g * g))) 0). pose proof (Rmax_r (u - v * (w * / (g * g))) 0).
  apply Rmax_lub; [|nra].
  apply Rle_trans with (/ (1 + g) * (u - v * w) + g / (1 + g) * (u - v * (w * / (g * g)))); [right; field; lra|].
  apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.
Lemma halve_ok g low high u v : 1 < g -> (0 <= low)%Z -> IZR low <= g * I -> g * I <= IZR high -> 0 <= u -> 0 <= v ->
  forall n l, (length l <= n)%nat -> natural_cells l -> forall carry m, (0 <= carry)%Z ->
  natural_cells (halve low high carry l) /\
  IZR carry * at_place (g * g) u v m + sums g u v (2 * m) l <= sums (g * g) u v m (halve low high carry l).
Proof.
  intros H L0 L1 H1 HU HV. pose proof one_pos as O1. pose proof I_pos as I0.
  assert (HP : (0 < high)%Z) by (apply lt_IZR; nra).
  induction n as [|n IH]; intros [|e [|o l]] L N carry m C; cbn [length halve] in *; try lia.
  1, 2: split; [repeat constructor; lia|]; unfold sums; cbn [along]; lra.
  - inversion_clear N. split; [repeat constructor; lia|]. unfold sums. cbn [along]. rewrite place_even, plus_IZR by assumption.
    lra.
  - inversion_clear N. inversion_clear H2. destruct (IH l ltac:(lia) H4 (ceil (o * high) (one + high)) (m + 1)%Z) as [N1 S1];
      [apply ceil_nonneg; nia|].
    assert (C1 : (0 <= ceil (o * one) (one + low))%Z) by (apply ceil_nonneg; nia).
    split; [constructor; [lia|exact N1]|].
    unfold sums in *. cbn [along]. replace (2 * m + 1 + 1)%Z with (2 * (m + 1))%Z by lia.
    rewrite place_even, !plus_IZR by assumption. pose proof (place_odd g u v m H) as PO.
    pose proof (ceil_high (o * one) (one + low) ltac:(lia)) as A. pose proof (ceil_high (o * high) (one + high) ltac:(lia)) as B.
    rewrite mult_IZR, plus_IZR in A, B. fold I in A, B. apply IZR_le in H0, H3, L0, C1.
    assert (B0 : 0 <= IZR (ceil (o * high) (one + high))) by (apply IZR_le, ceil_nonneg; apply le_IZR in H3; nia).
    pose proof (at_place_nonneg (g * g) u v m) as P0. pose proof (at_place_nonneg (g * g) u v (m + 1)) as P1.
    set (a := IZR (ceil (o * one) (one + low))) in *. set (b := IZR (ceil (o * high) (one + high))) in *.
    assert (A' : IZR o * / (1 + g) <= a).
    { apply Rmult_le_reg_r with (1 + g); [lra|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      apply Rmult_le_reg_r with I; [assumption|]. nra. }
    assert (B' : IZR o * (g / (1 + g)) <= b).
    { apply Rmult_le_reg_r with ((1 + g) * (I + IZR high)); [nra|].
      replace (IZR o * (g / (1 + g)) * ((1 + g) * (I + IZR high))) with (IZR o * (g * (I + IZR high))) by (field; lra).
      assert (IZR o * (g * (I + IZR high)) <= IZR o * IZR high * (1 + g)).
      { replace (IZR o * IZR high * (1 + g)) with (IZR o * (IZR high * (1 + g))) by ring. apply Rmult_le_compat_l; [assumption|]. nra. }
      eapply Rle_trans; [exact H2|]. replace (b * ((1 + g) * (I + IZR high))) with (b * (I + IZR high) * (1 + g)) by ring.
      apply Rmult_le_compat_r; lra. }
    assert (IZR o * at_place g u v (2 * m + 1) <= a * at_place (g * g) u v m + b * at_place (g * g) u v (m + 1)).
    { eapply Rle_trans; [apply Rmult_le_compat_l; [assumption|exact PO]|]. rewrite Rmult_plus_distr_l, <- !Rmult_assoc.
      apply Rplus_le_compat; apply Rmult_le_compat_r; assumption. }
    lra.
Qed.
Lemma sums_zero g u v k l : sums g u v k (0%Z :: l) = sums g u v (k + 1) l.
Proof. unfold sums. cbn [along]. ring. Qed.
Lemma doubled_ok x : fit x -> fit (doubled x) /\ lower x (doubled x).
Proof.
  intros [N B]. unfold doubled. set (l := if (first x mod 2 =? 0)%Z then cells x else 0%Z :: cells x).
  assert (NL : natural_cells l) by (unfold l; destruct (_ =? _)%Z; [exact N|constructor; [lia|exact N]]).
  assert (E : forall g u v, sums g u v (first x) (cells x) = sums g u v (2 * (first x / 2)) l).
  { intros g u v. pose proof (Z.div_mod (first x) 2 ltac:(lia)). pose proof (Z.mod_pos_bound (first x) 2 ltac:(lia)).
    unfold l. destruct (Z.eqb_spec (first x mod 2) 0) as [M|M]; [f_equal; lia|]. rewrite sums_zero. f_equal. lia. }
  destruct (low_step_ok (level x)) as [L0 L1]. pose proof (high_step_ok (level x)) as H1. pose proof (G_big (level x)) as HG.
  assert (K : forall u v, 0 <= u -> 0 <= v -> natural_cells (halve (low_step (level x)) (high_step (level x)) 0 l) /\
    sums (G (level x)) u v (first x) (cells x) <=
    sums (G (S (level x))) u v (first x / 2) (halve (low_step (level x)) (high_step (level x)) 0 l)).
  { intros u v HU HV. destruct (halve_ok (G (level x)) (low_step (level x)) (high_step (level x)) u v HG L0 L1 H1 HU HV
      (length l) l (le_n _) NL 0%Z (first x / 2)%Z ltac:(lia)) as [K1 K2]. split; [exact K1|]. rewrite E. cbn [G]. lra. }
  split.
  - split; [apply (K 0 0); lra|exact B].
  - intros u v HU HV. unfold height. cbn [level first cells beyond]. destruct (K u v HU HV) as [_ K2].
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, U_pos|]. lra.
Qed.
Lemma lower_refl x : lower x x.
Proof. intros u v _ _. lra. Qed.
Lemma within_ok n : forall x, fit x -> fit (within n x) /\ lower x (within n x).
Proof.
  induction n as [|n IH]; intros x HX; cbn [within]; destruct (trimmed_ok x HX) as (T & L & _); [now split|].
  destruct (_ <=? _)%Z; [now split|]. destruct (doubled_ok _ T) as [D L2]. destruct (IH _ D) as [W L3].
  split; [exact W|]. eauto using lower_trans.
Qed.
Lemma coarsened_ok n : forall x, fit x -> fit (coarsened n x) /\ lower x (coarsened n x) /\ level (coarsened n x) = (n + level x)%nat.
Proof.
  induction n as [|n IH]; intros x HX; cbn [coarsened]; [auto using lower_refl|].
  destruct (doubled_ok _ HX) as [D L]. destruct (IH _ D) as (R1 & R2 & R3). split; [exact R1|].
  split; [eauto using lower_trans|]. rewrite R3. cbn [doubled level]. lia.
Qed.

(* ---- joined ---- *)
Lemma sums_ceil g u v l : natural_cells l -> forall k, natural_cells (map (fun w => ceil w unit) l) /\
  sums g u v k l <= U * sums g u v k (map (fun w => ceil w unit) l).
Proof.
  pose proof unit_pos. induction 1 as [|c l C N IH]; intros k; unfold sums in *; cbn [map along]; [split; [constructor|lra]|].
  destruct (IH (k + 1)%Z) as [N1 S1]. split; [constructor; [now apply ceil_nonneg|exact N1]|].
  pose proof (ceil_high c unit H) as D. fold U in D. pose proof (at_place_nonneg g u v k). nra.
Qed.
Lemma place_product g u v i j : 1 < g -> at_place g u (v * powerRZ g (- j)) i = at_place g u v (i + j).
Proof.
  intros H. unfold at_place. f_equal. f_equal. replace (- (i + j))%Z with (- j + - i)%Z by lia. rewrite powerRZ_add by lra. ring.
Qed.
Lemma along_ext f h s l : (forall k, f k = h k) -> forall k, along f s k l = along h s k l.
Proof. intros E. induction l as [|c l IH]; intros k; cbn [along]; [reflexivity|]. now rewrite IH, E. Qed.
Lemma along_zero s l : forall k, along (fun _ => 0) s k l = 0.
Proof. induction l as [|c l IH]; intros k; cbn [along]; [reflexivity|]. rewrite IH. ring. Qed.
Lemma along_linear f h c s l : forall k, along (fun j => c * f j + h j) s k l = c * along f s k l + along h s k l.
Proof. induction l as [|d l IH]; intros k; cbn [along]; [ring|]. rewrite IH. ring. Qed.
Lemma along_swap (h : Z -> Z -> R) s j l m : forall i, along (fun b => along (fun a => h a b) s i m) s j l =
  along (fun a => along (fun b => h a b) s j l) s i m.
Proof.
  induction m as [|c m IH]; intros i; cbn [along]; [apply along_zero|]. now rewrite along_linear, IH.
Qed.
Lemma product_height x y u v : fit x -> fit y -> level y = level x -> 0 <= u -> 0 <= v ->
  curve (by_atoms (atoms_of x) (atoms_of y)) u v = (IZR (beyond y) * (u * IZR (beyond x + cells_sum (cells x))) +
    u * (IZR (beyond x) * IZR (cells_sum (cells y))) +
    sums (G (level x)) u v (first x + first y) (conv (cells x) (cells y))) / (U * U).
Proof.
  intros HX HY E HU HV. pose proof U_pos as UP. rewrite curve_product by now apply atoms_of_ok.
  unfold atoms_of at 2. rewrite sum_cons. cbn [fst snd]. rewrite Rmult_0_r, E. set (g := G (level x)).
  assert (HG : 1 < g) by apply G_big.
  assert (Z0 : forall k l, sums g u 0 k l = IZR (cells_sum l) * u).
  { unfold sums. intros k l. revert k. induction l as [|c l IH]; intros k; cbn [along cells_sum fold_right]; [ring|].
    fold (cells_sum l). rewrite IH, plus_IZR. unfold at_place. rewrite Rmult_0_l, Rminus_0_r, Rmax_left by lra. ring. }
  rewrite atoms_height by assumption. unfold height. fold g. rewrite Z0.
  assert (S0 : forall l k, SpecCount.sum (fun p => fst p * curve (atoms_of x) u (v * snd p)) (on_places g k l) =
    (u * (IZR (beyond x) * IZR (cells_sum l)) + along (fun j => sums g u (v * powerRZ g (- j)) (first x) (cells x)) 1 k l) / (U * U)).
  { induction l as [|c l IH]; intros k; cbn [on_places along cells_sum fold_right]; [cbn; field; lra|].
    rewrite sum_cons, IH. cbn [fst snd]. rewrite atoms_height by assumption. unfold height. fold g. fold (cells_sum l).
    rewrite plus_IZR. field. lra. }
  rewrite S0. clear S0.
  assert (S1 : along (fun j => sums g u (v * powerRZ g (- j)) (first x) (cells x)) 1 (first y) (cells y) =
    sums g u v (first x + first y) (conv (cells x) (cells y))).
  { unfold sums. rewrite along_conv.
    rewrite (along_ext _ (fun j => along (fun i => at_place g u v (i + j)) 1 (first x) (cells x))).
    - rewrite along_swap. apply along_ext. intros i. now rewrite along_shift.
    - intros j. apply along_ext. intros i. now apply place_product. }
  rewrite S1, plus_IZR. field. lra.
Qed.
Lemma joined_ok x y : fit x -> fit y -> fit (joined x y) /\
  below (curve (by_atoms (atoms_of x) (atoms_of y))) (curve (atoms_of (joined x y))).
Proof.
  intros HX HY. unfold joined. cbv zeta. destruct (coarsened_ok (level y - level x) x HX) as (X1 & X2 & X3).
  set (x1 := coarsened (level y - level x) x) in *. destruct (coarsened_ok (level x1 - level y) y HY) as (Y1 & Y2 & Y3).
  set (y1 := coarsened (level x1 - level y) y) in *. assert (E : level y1 = level x1) by lia.
  set (w := {| level := level x1; first := _; cells := _; beyond := _ |}).
  destruct X1 as [NX BX]. destruct Y1 as [NY BY]. pose proof unit_pos as U1. pose proof U_pos as U0.
  assert (TX := total_nonneg _ NX). assert (TY := total_nonneg _ NY).
  assert (HW : fit w).
  { split; cbn [w cells beyond].
    - apply (sums_ceil 1 0 0 _ (convolve_above _ _ NX NY) 0).
    - apply ceil_nonneg; [assumption|]. rewrite !total_sum. nia. }
  destruct (within_ok 64 w HW) as [W1 W2]. split; [exact W1|]. intros u v HU HV.
  eapply Rle_trans; [|apply (lower_below _ _ W2 u v HU HV)].
  eapply Rle_trans; [apply (product_below _ _ (atoms_of x1) (atoms_of y1)); try apply atoms_of_ok; try (split; assumption);
    try assumption; now apply lower_below|].
  rewrite product_height by (try split; assumption). rewrite atoms_height by assumption.
  unfold height, w. cbn [level first cells beyond]. rewrite !total_sum.
  pose proof (ceil_high (beyond x1 * (cells_sum (cells y1) + beyond y1) + beyond y1 * cells_sum (cells x1)) unit U1) as D. fold U in D.
  destruct (sums_ceil (G (level x1)) u v _ (convolve_above _ _ NX NY) (first x1 + first y1)) as [_ S1].
  unfold sums at 1 in S1. rewrite along_convolve in S1 by assumption. fold (sums (G (level x1)) u v (first x1 + first y1) (conv (cells x1) (cells y1))) in S1.
  set (b := IZR (ceil _ _)) in *. set (s := sums _ _ _ _ (map _ _)) in *. set (t := sums _ _ _ _ (conv _ _)) in *.
  apply Rmult_le_reg_r with (U * U); [nra|].
  replace ((b * u + s) / U * (U * U)) with ((b * U) * u + U * s) by (field; lra).
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by nra. rewrite !plus_IZR, !mult_IZR, plus_IZR in *.
  assert (IZR (beyond y1) * (u * (IZR (beyond x1) + IZR (cells_sum (cells x1)))) + u * (IZR (beyond x1) * IZR (cells_sum (cells y1))) <= b * U * u).
  { eapply Rle_trans; [|apply Rmult_le_compat_r; [exact HU|exact D]]. right. ring. }
  lra.
Qed.
Lemma all_atoms n x : fit x -> Forall are_atoms (repeat (atoms_of x) n).
Proof. intros H. apply Forall_forall. intros L J. apply repeat_spec in J. subst. now apply atoms_of_ok. Qed.
Definition powers_below n x y := below (curve (product_of (repeat (atoms_of x) n))) (curve (atoms_of y)).
Lemma powers_joined m n x y z : fit x -> fit y -> fit z -> powers_below m x y -> powers_below n x z ->
  fit (joined y z) /\ powers_below (m + n) x (joined y z).
Proof.
  intros HX HY HZ B C. destruct (joined_ok y z HY HZ) as [J1 J2]. split; [exact J1|]. intros u v HU HV.
  rewrite repeat_app, product_of_app by now apply all_atoms. eapply Rle_trans; [|now apply J2].
  apply product_below; try assumption; try (now apply atoms_of_ok); now apply product_of_ok, all_atoms.
Qed.
Lemma repeated_ok n x : fit x -> fit (repeated n x) /\ powers_below (Pos.to_nat n) x (repeated n x).
Proof.
  intros H. assert (One : powers_below 1 x x).
  { intros u v _ _. cbn [repeat product_of]. rewrite product_nothing by now apply atoms_of_ok. lra. }
  induction n as [n [IH1 IH2]|n [IH1 IH2]|]; cbn [repeated].
  - rewrite squared_same. destruct (powers_joined _ _ x _ _ H IH1 IH1 IH2 IH2) as [J1 J2].
    replace (Pos.to_nat n~1) with (Pos.to_nat n + Pos.to_nat n + 1)%nat by lia. now apply powers_joined.
  - rewrite squared_same. replace (Pos.to_nat n~0) with (Pos.to_nat n + Pos.to_nat n)%nat by lia. now apply powers_joined.
  - now split.
Qed.

(* ---- delta ---- *)
Lemma worth_ok g z inverse : 1 < g -> 1 <= z -> (0 <= inverse)%Z -> IZR inverse * g <= I ->
  forall l k t acc, natural_cells l -> (0 <= t)%Z -> IZR t <= z * powerRZ g (- k) * I ->
  IZR acc + I * sums g 1 z k l <= IZR (worth inverse t acc l).
Proof.
  intros HG HZ V0 V1. pose proof I_pos as I0. pose proof one_pos as O1.
  induction l as [|c l IH]; intros k t acc N T0 T1; cbn [worth]; unfold sums in *; cbn [along]; [lra|].
  inversion_clear N. eapply Rle_trans; [|apply (IH (k + 1)%Z); [assumption|now apply div_nonneg; [|nia]|]].
  - apply IZR_le in H. unfold at_place. fold I. destruct (Z.leb_spec one t) as [L|L].
    + apply IZR_le in L. fold I in L. rewrite Rmax_right; [lra|]. assert (1 <= z * powerRZ g (- k)); [|lra].
      apply Rmult_le_reg_r with I; lra.
    + apply IZR_lt in L. fold I in L. rewrite plus_IZR, mult_IZR, minus_IZR. fold I.
      assert (I * Rmax (1 - z * powerRZ g (- k)) 0 <= I - IZR t); [|nra].
      rewrite Rmax_scaled by lra. apply Rmax_lub; nra.
  - pose proof (div_low (t * inverse) one O1) as D. rewrite mult_IZR in D. fold I in D.
    replace (- (k + 1))%Z with (- k + -1)%Z by lia. rewrite powerRZ_add by lra. change (powerRZ g (-1)) with (/ (g * 1)).
    rewrite Rmult_1_r. set (w := powerRZ g (- k)) in *. apply IZR_le in T0, V0.
    apply Rmult_le_reg_r with (I * g); [nra|].
    replace (z * (w * / g) * I * (I * g)) with ((z * w * I) * I) by (field; lra).
    assert (IZR (t * inverse / one) * (I * g) <= IZR t * (IZR inverse * g)) by nra.
    assert (IZR t * (IZR inverse * g) <= IZR t * I) by nra. nra.
Qed.
Lemma skipped g z : 1 < g -> 1 <= z -> forall n l k, (k + Z.of_nat n <= 1)%Z ->
  sums g 1 z k l = sums g 1 z (k + Z.of_nat n) (skipn n l).
Proof.
  intros HG HZ. induction n as [|n IH]; intros l k L; [f_equal; lia|]. destruct l as [|c l]; cbn [skipn]; [reflexivity|].
  rewrite Nat2Z.inj_succ in *. replace (k + Z.succ (Z.of_nat n))%Z with (k + 1 + Z.of_nat n)%Z by lia. rewrite <- IH by lia.
  unfold sums. cbn [along]. assert (1 <= powerRZ g (- k)).
  { destruct (Z_le_lt_eq_dec 0 (- k) ltac:(lia)) as [P|P].
    - assert (E : (- k)%Z = Z.of_nat (Z.to_nat (- k))) by lia. rewrite E, <- pow_powerRZ. apply pow_R1_Rle. lra.
    - rewrite <- P. cbn. lra. }
  unfold at_place at 1. rewrite Rmax_right by nra. ring.
Qed.
Lemma skipn_natural n l : natural_cells l -> natural_cells (skipn n l).
Proof. intros N. revert n. induction N; intros [|n]; cbn [skipn]; auto; now constructor. Qed.
Lemma from_0_ok x z : 1 <= z -> natural_cells (cells x) -> natural_cells (from_0 x) /\
  sums (G (level x)) 1 z (first x) (cells x) = sums (G (level x)) 1 z 0 (from_0 x).
Proof.
  intros HZ N. unfold from_0. destruct (Z.leb_spec 0 (first x)) as [L|L].
  - split; [apply natural_app; split; [|exact N]; apply Forall_forall; intros c J; apply repeat_spec in J; lia|].
    rewrite sums_app, repeat_length, Z2Nat.id, Z.add_0_l by assumption. unfold sums at 2. rewrite along_zeros. ring.
  - split; [now apply skipn_natural|]. rewrite (skipped _ z (G_big _) HZ (Z.to_nat (- first x))) by lia. f_equal. lia.
Qed.
Theorem delta_of_ok x z zz : fit x -> 1 <= z -> 0 < IZR (snd zz) -> IZR (fst zz) <= z * IZR (snd zz) ->
  curve (atoms_of x) 1 z * (U * I) <= IZR (delta_of x zz).
Proof.
  intros [N B] HZ Z0 Z1. rewrite atoms_height by lra. pose proof U_pos as U0. pose proof I_pos as I0. pose proof one_pos as O1.
  destruct (from_0_ok x z HZ N) as [N0 E]. unfold height, delta_of. rewrite E, plus_IZR, mult_IZR. fold I.
  assert (SZ : (0 < snd zz)%Z) by now apply lt_IZR.
  pose proof (high_step_pos (level x)) as H0. pose proof (high_step_ok (level x)) as H1. pose proof (G_big (level x)) as HG.
  assert (V1 : IZR (one * one / high_step (level x)) * G (level x) <= I).
  { pose proof (div_low (one * one) (high_step (level x)) H0) as D. rewrite mult_IZR in D. fold I in D.
    assert (V : 0 <= IZR (one * one / high_step (level x))) by (apply IZR_le, div_nonneg; nia).
    apply Rmult_le_reg_r with I; [assumption|]. nra. }
  eapply Rle_trans; [|apply Rplus_le_compat_l, (worth_ok (G (level x)) z _ HG HZ (div_nonneg (one * one) _ H0 ltac:(nia))
    V1 (from_0 x) 0%Z _ 0%Z N0)].
  - right. field. lra.
  - pose proof (Z.le_max_r (fst zz * one / snd zz) one). lia.
  - change (powerRZ (G (level x)) (- 0)) with 1. rewrite Rmult_1_r. destruct (Z.max_spec (fst zz * one / snd zz) one) as [[_ ->]|[_ ->]].
    + fold I. nra.
    + pose proof (div_low (fst zz * one) (snd zz) SZ) as D. rewrite mult_IZR in D. fold I in D.
      apply Rmult_le_reg_r with (IZR (snd zz)); [assumption|]. nra.
Qed.
End Plan.
