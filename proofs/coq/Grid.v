(* An upper end of E max(L_1 + ... + L_n, 0): the values of L on a grid, and the law of the sum by repeated squaring. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Kron Check.
From Shufflecert Require Import Spec SpecCount SpecBlanket Poly Sums Exp AnyRandomizer.
Import ListNotations.
Local Open Scope Z_scope.

Notation sum_of := Kron.sum.
Notation natural := Kron.above.

(* ---- laws of sums, over 2^bits: coefficients from that of `start` on, and what was left out above ---- *)
Record cover := { start : Z; coefs : list Z; missed : Z }.
Record way := { grid_step : Z * Z; bits_of : Z; clip_at : Z }.         (* how to compute it: hints *)
Fixpoint clip_low (t acc lo : Z) (l : list Z) : Z * list Z :=
  match l with
  | [] => (lo, [acc])
  | c :: r => if acc + c <=? t then clip_low t (acc + c) (lo + 1) r else (lo, acc + c :: r)
  end.
Fixpoint clip_high (t acc : Z) (l : list Z) : Z * list Z :=
  match l with [] => (acc, []) | c :: r => if acc + c <=? t then clip_high t (acc + c) r else (acc, l) end.
Definition clip t (c : cover) : cover :=
  let '(more, l) := clip_high t 0 (rev_append (coefs c) []) in
  let '(lo, l) := clip_low t 0 (start c) (rev_append l []) in {| start := lo; coefs := l; missed := missed c + more |}.
Definition on_way (h : way) (s : Z) (l : list Z) (m : Z) : cover :=
  let W := 2 ^ bits_of h in
  clip (clip_at h) {| start := s; coefs := map (fun c => ceil c W) l; missed := ceil m W |}.
Definition mul_cover (h : way) (a b : cover) : cover :=
  on_way h (start a + start b) (Kron.convolve (coefs a) (coefs b))
    (sum_of (coefs b) * missed a + missed b * (sum_of (coefs a) + missed a)).
Definition square_cover (h : way) (a : cover) : cover :=
  on_way h (start a + start a) (Kron.convolve_self (coefs a))
    (sum_of (coefs a) * missed a + missed a * (sum_of (coefs a) + missed a)).
Lemma square_cover_same h a : square_cover h a = mul_cover h a a. Proof. reflexivity. Qed.
Fixpoint power_cover (h : way) (base : cover) (n : positive) : cover :=
  match n with
  | xH => base
  | xO m => square_cover h (power_cover h base m)
  | xI m => mul_cover h base (square_cover h (power_cover h base m))
  end.

(* A draw ((v, v'), (p, p')): v / v' with probability p / p'. On the grid: two neighbours that keep its mean. *)
Definition on_grid (h : way) (o : (Z * Z) * (Z * Z)) : poly :=
  let '((v, v'), (p, p')) := o in let '(s, s') := grid_step h in let W := 2 ^ bits_of h in
  let below := v' * s in let k := (v * s') / below in let rest := (v * s') mod below in
  (k, ceil (W * p * (below - rest)) (p' * below)) :: if rest =? 0 then [] else [(k + 1, ceil (W * p * rest) (p' * below))].
Definition proper_draw (o : (Z * Z) * (Z * Z)) : bool :=
  (0 <? snd (fst o)) && (0 <=? fst (snd o)) && (0 <? snd (snd o)).
Definition weight_at (f : poly) (k : Z) : Z := fold_right (fun o total => if fst o =? k then snd o + total else total)
  0 f.
(* the weights at lo, lo + 1, ...: the terms sorted, or, should that not do, looked for place by place *)
Definition weights_from lo (m : nat) (f : poly) : list Z :=
  let slow := map (weight_at f) (run lo m) in
  match Kron.dense 1 lo m (Check.normal f) [] with Some l => if Kron.natural l then l else slow | None => slow end.
Definition base_cover (f : poly) : cover :=
  let lo := fold_right (fun o m => Z.min (fst o) m) 0 f in let hi := fold_right (fun o m => Z.max (fst o) m) 0 f in
  {| start := lo; coefs := weights_from lo (Z.to_nat (hi - lo + 1)) f; missed := 0 |}.
Fixpoint above_0 (k : Z) (l : list Z) : Z :=
  match l with [] => 0 | c :: l => Z.max k 0 * c + above_0 (k + 1) l end.
Definition excess_up_to (h : way) (f : poly) (n : positive) (most : Z) : Z :=
  let c := power_cover h (base_cover f) n in fst (grid_step h) * (above_0 (start c) (coefs c) + missed c * most).
(* (u, w) with E max(L_1 + ... + L_n, 0) <= u / w; on the grid L has these weights *)
Definition excess_on (h : way) (f : poly) (n : positive) : Z * Z :=
  let most := Z.pos n * fold_right (fun o m => Z.max (fst o) m) 0 f in
  (if most =? 0 then 0 else excess_up_to h f n most, snd (grid_step h) * 2 ^ bits_of h).
Definition excess_end (h : way) (L : list ((Z * Z) * (Z * Z))) (n : positive) : Z * Z := excess_on h (flat_map (on_grid h) L) n.
Definition way_stands (h : way) (L : list ((Z * Z) * (Z * Z))) : bool :=
  (0 <? fst (grid_step h)) && (0 <? snd (grid_step h)) && (0 <=? bits_of h) && forallb proper_draw L.

(* ---- products ---- *)
Lemma sum_of_acc l : forall a, fold_left Z.add l a = a + sum_of l.
Proof.
  unfold Kron.sum. induction l as [|c l IH]; intros a; cbn [fold_left]; [lia|]. rewrite IH, (IH (0 + c)). lia.
Qed.
Lemma sum_of_cons c l : sum_of (c :: l) = c + sum_of l.
Proof. unfold Kron.sum at 1. cbn [fold_left]. now rewrite sum_of_acc. Qed.
Lemma sum_of_nonneg l : natural l -> 0 <= sum_of l.
Proof. induction 1; [reflexivity|]. rewrite sum_of_cons. lia. Qed.

Local Open Scope R_scope.
Fixpoint dev (g : Z -> R) (lo : Z) (l : list Z) : R :=
  match l with [] => 0 | c :: l => IZR c * g lo + dev g (lo + 1) l end.
Lemma dev_ext g h l : (forall k, g k = h k) -> forall lo, dev g lo l = dev h lo l.
Proof. intros H. induction l as [|c l IH]; intros lo; cbn [dev]; [reflexivity|]. now rewrite H, IH. Qed.
Lemma dev_le g h l : natural l -> (forall k, g k <= h k) -> forall lo, dev g lo l <= dev h lo l.
Proof.
  intros N H. induction N as [|c l C N IH]; intros lo; cbn [dev]; [lra|]. apply IZR_le in C.
  apply Rplus_le_compat; [|apply IH]. apply Rmult_le_compat_l; auto.
Qed.
Lemma dev_shift g j l : forall lo, dev (fun k => g (j + k)%Z) lo l = dev g (j + lo) l.
Proof. induction l as [|c l IH]; intros lo; cbn [dev]; [reflexivity|]. rewrite IH. do 2 f_equal. lia. Qed.
Lemma dev_app g a b : forall lo, dev g lo (a ++ b) = dev g lo a + dev g (lo + Z.of_nat (length a)) b.
Proof.
  induction a as [|c a IH]; intros lo; cbn [app dev length]; [rewrite Z.add_0_r; ring|]. rewrite IH, Nat2Z.inj_succ.
  replace (lo + 1 + Z.of_nat (length a))%Z with (lo + Z.succ (Z.of_nat (length a)))%Z by lia. ring.
Qed.
Lemma dev_const k l : forall lo, dev (fun _ => k) lo l = IZR (sum_of l) * k.
Proof. induction l as [|c l IH]; intros lo; cbn [dev]; [cbn; ring|]. rewrite IH, sum_of_cons, plus_IZR. ring. Qed.
Lemma dev_two x y g h l : forall lo, dev (fun k => x * g k + y * h k) lo l = x * dev g lo l + y * dev h lo l.
Proof. induction l as [|c l IH]; intros lo; cbn [dev]; [ring|]. rewrite IH. ring. Qed.
Lemma dev_along g l : forall lo, dev g lo l = Kron.along g 1 lo l.
Proof. induction l as [|c l IH]; intros lo; cbn [dev Kron.along]; [reflexivity|]. now rewrite IH. Qed.
Lemma dev_convolve g a b la lb : natural a -> natural b ->
  dev g (la + lb) (Kron.convolve a b) = dev (fun s => dev (fun t => g (s + t)%Z) lb b) la a /\ natural (Kron.convolve a b).
Proof.
  intros A B. split; [|now apply Kron.convolve_above]. rewrite dev_along, Kron.along_convolve, Kron.along_conv by assumption.
  rewrite dev_along. clear. generalize la. induction a as [|x a IH]; intros k; cbn [Kron.along]; [reflexivity|].
  now rewrite IH, dev_shift, dev_along.
Qed.
