(* An upper end of E max(L_1 + ... + L_n, 0): the values of L on a grid, and the law of the sum by repeated squaring. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Kron Check.
From Shufflecert Require Import Spec SpecCount SpecBlanket Poly Sums Exp AnyRandomizer.
Import ListNotations.
Local Open Scope Z_scope.

(* ---- products of polynomials by products of integers: coefficients from that of z^0 on ---- *)
Fixpoint num (B : Z) (l : list Z) : Z := match l with [] => 0 | c :: l => c + B * num B l end.
Fixpoint pairs (B : Z) (l : list Z) : list Z :=
  match l with a :: b :: l => (a + B * b) :: pairs B l | _ => l end.
Fixpoint pack (d : nat) (w : Z) (l : list Z) : Z :=
  match d with O => num (2 ^ w) l | S d => pack d (2 * w) (pairs (2 ^ w) l) end.
Fixpoint unpack (d : nat) (w : Z) (N : Z) : list Z :=
  match d with O => [N] | S d => flat_map (fun x => [x mod 2 ^ w; x / 2 ^ w]) (unpack d (2 * w) N) end.
Fixpoint add_up (a b : list Z) : list Z :=
  match a, b with x :: a, y :: b => x + y :: add_up a b | [], _ => b | _, [] => a end.
Fixpoint slow_mul (a b : list Z) : list Z :=
  match a with [] => [] | x :: a => add_up (map (Z.mul x) b) (0 :: slow_mul a b) end.
Definition sum_of (l : list Z) : Z := fold_left Z.add l 0.
Fixpoint two (d : nat) : nat := match d with O => 1%nat | S d => (two d + two d)%nat end.
Definition fast_mul (a b : list Z) : list Z :=
  let w := Z.log2 (sum_of a * sum_of b) + 1 in let d := Z.to_nat (Z.log2_up (Z.of_nat (length a + length b))) in
  if (sum_of a * sum_of b <? 2 ^ w) && (0 <=? w) && (length a + length b <=? two d)%nat
  then unpack d w (pack d w a * pack d w b) else slow_mul a b.

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
Definition mul_cover (h : way) (a b : cover) : cover :=
  let W := 2 ^ bits_of h in
  clip (clip_at h) {| start := start a + start b; coefs := map (fun c => ceil c W) (fast_mul (coefs a) (coefs b));
    missed := ceil (sum_of (coefs b) * missed a + missed b * (sum_of (coefs a) + missed a)) W |}.
Fixpoint power_cover (h : way) (base : cover) (n : positive) : cover :=
  match n with
  | xH => base
  | xO m => let c := power_cover h base m in mul_cover h c c
  | xI m => let c := power_cover h base m in mul_cover h base (mul_cover h c c)
  end.

(* A draw ((v, v'), (p, p')): v / v' with probability p / p'. On the grid: two neighbours that keep its mean. *)
Definition on_grid (h : way) (o : (Z * Z) * (Z * Z)) : poly :=
  let '((v, v'), (p, p')) := o in let '(s, s') := grid_step h in let W := 2 ^ bits_of h in
  let below := v' * s in let k := (v * s') / below in let rest := (v * s') mod below in
  [(k, ceil (W * p * (below - rest)) (p' * below)); (k + 1, ceil (W * p * rest) (p' * below))].
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
(* (u, w) with E max(L_1 + ... + L_n, 0) <= u / w *)
Definition excess_end (h : way) (L : list ((Z * Z) * (Z * Z))) (n : positive) : Z * Z :=
  let f := flat_map (on_grid h) L in let c := power_cover h (base_cover f) n in
  let most := Z.pos n * fold_right (fun o m => Z.max (fst o) m) 0 f in
  (fst (grid_step h) * (above_0 (start c) (coefs c) + missed c * most), snd (grid_step h) * 2 ^ bits_of h).
Definition way_stands (h : way) (L : list ((Z * Z) * (Z * Z))) : bool :=
  (0 <? fst (grid_step h)) && (0 <? snd (grid_step h)) && (0 <=? bits_of h) && forallb proper_draw L.

(* ---- products ---- *)
Definition natural := Forall (fun c => 0 <= c).
Lemma sum_of_acc l : forall a, fold_left Z.add l a = a + sum_of l.
Proof.
  unfold sum_of. induction l as [|c l IH]; intros a; cbn [fold_left]; [lia|]. rewrite IH, (IH (0 + c)). lia.
Qed.
Lemma sum_of_cons c l : sum_of (c :: l) = c + sum_of l.
Proof. unfold sum_of at 1. cbn [fold_left]. now rewrite sum_of_acc. Qed.
Lemma sum_of_nonneg l : natural l -> 0 <= sum_of l.
Proof. induction 1; [reflexivity|]. rewrite sum_of_cons. lia. Qed.
Lemma below_sum l : natural l -> Forall (fun c => 0 <= c <= sum_of l) l.
Proof.
  induction 1 as [|c l H N IH]; constructor; rewrite sum_of_cons; pose proof (sum_of_nonneg l N); [lia|].
  eapply Forall_impl; [|exact IH]. cbv beta. lia.
Qed.
Lemma num_pairs B l : num (B * B) (pairs B l) = num B l.
Proof.
  enough (H : forall n l, (length l <= n)%nat -> num (B * B) (pairs B l) = num B l) by (apply (H (length l)); lia).
  clear l. induction n as [|n IH]; intros [|a [|b l]] L; cbn [length] in L; try lia; cbn [pairs num]; try ring.
  rewrite IH by lia. ring.
Qed.
Lemma squares w : 0 <= w -> 2 ^ (2 * w) = 2 ^ w * 2 ^ w.
Proof. intros. rewrite <- Z.pow_add_r by lia. f_equal. lia. Qed.
Lemma pack_num d : forall w l, 0 <= w -> pack d w l = num (2 ^ w) l.
Proof.
  induction d as [|d IH]; intros w l W; cbn [pack]; [reflexivity|]. rewrite IH, squares by lia. apply num_pairs.
Qed.
Definition digits B := Forall (fun c => 0 <= c < B).
Lemma pairs_split B l d : 0 < B -> digits B l -> length l = (d + d)%nat ->
  flat_map (fun x => [x mod B; x / B]) (pairs B l) = l /\ digits (B * B) (pairs B l) /\ length (pairs B l) = d.
Proof.
  intros HB. revert l. induction d as [|d IH]; intros [|a [|b l]] D L; cbn [length] in L; try lia.
  - repeat split. constructor.
  - inversion D as [|? ? Da D1]; subst. inversion D1 as [|? ? Db D2]; subst.
      destruct (IH l D2 ltac:(lia)) as (E & F & G).
    cbn [pairs flat_map app length]. rewrite E, G. split; [|split; [|reflexivity]].
    + replace (a + B * b) with (b * B + a) by ring. rewrite Z.div_add_l, Z.div_small, Z.add_0_r by lia.
      rewrite Z.add_comm, Z.mod_add, Z.mod_small by lia. reflexivity.
    + constructor; [nia|exact F].
Qed.
Lemma unpack_num d : forall w l, 0 <= w -> digits (2 ^ w) l -> length l = two d -> unpack d w (num (2 ^ w) l) = l.
Proof.
  induction d as [|d IH]; intros w l W D L; cbn [unpack two] in *.
  - destruct l as [|a [|b l]]; cbn [length] in L; try lia. cbn [num]. f_equal. lia.
  - destruct (pairs_split (2 ^ w) l (two d) ltac:(apply Z.pow_pos_nonneg; lia) D L) as (E & F & G).
    rewrite <- num_pairs, <- squares by lia. rewrite IH; [exact E|lia|now rewrite squares by lia|exact G].
Qed.
Lemma num_add B a : forall b, num B (add_up a b) = num B a + num B b.
Proof. induction a as [|x a IH]; intros [|y b]; cbn [add_up num]; try ring. rewrite IH. ring. Qed.
Lemma num_map B x b : num B (map (Z.mul x) b) = x * num B b.
Proof. induction b as [|y b IH]; cbn [map num]; [ring|]. rewrite IH. ring. Qed.
Lemma num_mul B a b : num B (slow_mul a b) = num B a * num B b.
Proof. induction a as [|x a IH]; cbn [slow_mul num]; [ring|]. rewrite num_add, num_map. cbn [num]. rewrite IH. ring.
  Qed.
Lemma length_add a : forall b, length (add_up a b) = Nat.max (length a) (length b).
Proof. induction a as [|x a IH]; intros [|y b]; cbn [add_up length]; auto. now rewrite IH. Qed.
Lemma length_mul a b : (length (slow_mul a b) <= length a + length b)%nat.
Proof.
  induction a as [|x a IH]; cbn [slow_mul length]; [lia|]. rewrite length_add, map_length. cbn [length]. lia.
Qed.
Lemma natural_add a : forall b, natural a -> natural b -> natural (add_up a b).
Proof.
  induction a as [|x a IH]; intros [|y b] A B; cbn [add_up]; auto. inversion A; inversion B; subst. constructor; [lia|].
  apply IH; auto.
Qed.
Lemma natural_mul a b : natural a -> natural b -> natural (slow_mul a b).
Proof.
  intros A B. induction A as [|x a X A IH]; cbn [slow_mul]; [constructor|]. apply natural_add; [|now constructor;
    [lia|]].
  apply Forall_map. eapply Forall_impl; [|exact B]. cbv beta. intros. now apply Z.mul_nonneg_nonneg.
Qed.
Lemma sum_add a : forall b, sum_of (add_up a b) = sum_of a + sum_of b.
Proof.
  induction a as [|x a IH]; intros [|y b]; cbn [add_up]; rewrite ?sum_of_cons; try (unfold sum_of at 2; cbn; lia); try
    (unfold sum_of at 3; cbn; lia). rewrite IH. lia.
Qed.
Lemma sum_mul a b : sum_of (slow_mul a b) = sum_of a * sum_of b.
Proof.
  induction a as [|x a IH]; cbn [slow_mul]; [reflexivity|]. rewrite sum_add, !sum_of_cons, IH.
  assert (E : sum_of (map (Z.mul x) b) = x * sum_of b).
  { clear. induction b as [|y b IH]; cbn [map]; [cbn; lia|]. rewrite !sum_of_cons, IH. ring. }
  rewrite E. ring.
Qed.

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
Lemma dev_zeros g m : forall lo, dev g lo (repeat 0%Z m) = 0.
Proof. induction m as [|m IH]; intros lo; cbn [repeat dev]; [reflexivity|]. rewrite IH. ring. Qed.
Lemma dev_const k l : forall lo, dev (fun _ => k) lo l = IZR (sum_of l) * k.
Proof. induction l as [|c l IH]; intros lo; cbn [dev]; [cbn; ring|]. rewrite IH, sum_of_cons, plus_IZR. ring. Qed.
Lemma dev_two x y g h l : forall lo, dev (fun k => x * g k + y * h k) lo l = x * dev g lo l + y * dev h lo l.
Proof. induction l as [|c l IH]; intros lo; cbn [dev]; [ring|]. rewrite IH. ring. Qed.
Lemma dev_add g a : forall b lo, dev g lo (add_up a b) = dev g lo a + dev g lo b.
Proof. induction a as [|x a IH]; intros [|y b] lo; cbn [add_up dev]; try ring. rewrite IH, plus_IZR. ring. Qed.
Lemma dev_map g x b : forall lo, dev g lo (map (Z.mul x) b) = IZR x * dev g lo b.
Proof. induction b as [|y b IH]; intros lo; cbn [map dev]; [ring|]. rewrite IH, mult_IZR. ring. Qed.
Lemma dev_mul g a b : forall la lb, dev g (la + lb) (slow_mul a b) = dev (fun s => dev (fun t => g (s + t)%Z) lb b) la
  a.
Proof.
  induction a as [|x a IH]; intros la lb; cbn [slow_mul dev]; [reflexivity|]. rewrite dev_add, dev_map. cbn [dev].
  rewrite dev_shift. replace (la + lb + 1)%Z with (la + 1 + lb)%Z by lia. rewrite IH. ring.
Qed.
Lemma dev_fast g a b la lb : natural a -> natural b ->
  dev g (la + lb) (fast_mul a b) = dev (fun s => dev (fun t => g (s + t)%Z) lb b) la a /\ natural (fast_mul a b).
Proof.
  intros A B. unfold fast_mul. set (w := (Z.log2 _ + 1)%Z). set (d := Z.to_nat _).
  destruct (_ && _) eqn:E; [|split; [apply dev_mul|now apply natural_mul]].
  do 2 (apply andb_prop in E as [E ?]). apply Z.ltb_lt in E. apply Z.leb_le in H0. apply Nat.leb_le in H.
  rewrite !pack_num, <- num_mul by exact H0. pose proof (length_mul a b) as L.
  set (z := repeat 0%Z (two d - length (slow_mul a b))).
  assert (NZ : forall B m, num B (repeat 0%Z m) = 0%Z) by (intros; induction m as [|m IH]; cbn [repeat num];
    [|rewrite IH]; lia).
  assert (NA : forall B l m, num B (l ++ repeat 0%Z m) = num B l) by (intros C l m; induction l as [|c l IH];
    cbn [app num];
    [apply NZ|now rewrite IH]).
  rewrite <- (NA _ _ (two d - length (slow_mul a b))%nat). pose proof (natural_mul a b A B) as N.
  rewrite unpack_num; [|exact H0| |rewrite app_length, repeat_length; lia].
  - split; [rewrite dev_app, dev_zeros, Rplus_0_r; apply dev_mul|]. apply Forall_app. split; [exact N|].
    apply Forall_forall. intros c I. apply repeat_spec in I. subst. lia.
  - apply Forall_app. split.
    + eapply Forall_impl; [|exact (below_sum _ N)]. cbv beta. rewrite sum_mul. lia.
    + apply Forall_forall. intros c I. apply repeat_spec in I. subst. split; [lia|]. apply Z.pow_pos_nonneg; lia.
Qed.
