(* Laws of which a shift by more hides less: the ratio of such a law to its shift is monotone. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount SpecColumns Sums Check Noise Gain Beside Numbers Bells Below.
Import ListNotations.
Notation sum := SpecCount.sum.
Local Open Scope R_scope.

Definition falls (m : Z -> R) := forall a b j, (a <= b)%Z -> (0 <= j)%Z -> m (a - j)%Z * m b <= m a * m (b - j)%Z.

(* ---- shifts ---- *)
Lemma run_shift (f : Z -> R) j lo n : sum (fun k => f (k - j)%Z) (run lo n) = sum f (run (lo - j) n).
Proof. exact (isum_shift f lo n (- j)). Qed.
Lemma run_more (f : Z -> R) lo n hi m : (forall k, 0 <= f k) -> (hi <= lo)%Z -> (lo + Z.of_nat n <= hi + Z.of_nat m)%Z ->
  sum f (run lo n) <= sum f (run hi m).
Proof.
  intros F L H. apply sum_incl; [exact F|apply run_nodup|]. intros k I. apply run_in in I. apply run_in. lia.
Qed.
(* all but a little is in an interval *)
Lemma mass_inside m e : is_mass m -> 0 < e -> exists B, (0 <= B)%Z /\ forall l, NoDup l -> (forall k, In k l -> (k < - B \/ B < k)%Z) -> sum m l <= e.
Proof.
  intros M E. destruct (mass_near m e M E) as (J & D & S).
  assert (X : exists B, (0 <= B)%Z /\ forall k, In k J -> (- B <= k <= B)%Z).
  { clear. induction J as [|j J (B & B0 & H)]; [exists 0%Z; split; [lia|intros k []]|]. exists (Z.max B (Z.abs j)). split; [lia|].
    intros k [<-|I]; [lia|]. specialize (H k I). lia. }
  destruct X as (B & B0 & H). exists B. split; [exact B0|]. intros l N O.
  pose proof (mass_sum m (l ++ J) M) as T. rewrite sum_app in T. assert (sum m l + sum m J <= 1); [|lra]. apply T.
  apply nodup_app; [exact N|exact D|]. intros k I K. specialize (O k I). specialize (H k K). lia.
Qed.
Section Shift.
Variables (m : Z -> R) (M : is_mass m) (F : falls m) (i j : Z) (IJ : (0 <= i <= j)%Z) (z K : R) (Z0 : 0 <= z).
Let gain k := m (k - i)%Z - z * m k.
Lemma gains_above k l : (k <= l)%Z -> 0 < gain k -> 0 <= gain l.
Proof.
  unfold gain. intros L G. pose proof (F k l i L ltac:(lia)) as H. pose proof (proj1 M k). pose proof (proj1 M l).
  pose proof (proj1 M (l - i)%Z). pose proof (proj1 M (k - i)%Z).
  destruct (Rle_lt_or_eq_dec 0 (m k)) as [P|P]; [assumption| |].
  - apply Rmult_le_reg_l with (m k); [exact P|]. assert (z * m k * m l <= m (k - i)%Z * m l) by (apply Rmult_le_compat_r; lra). lra.
  - rewrite <- P in *. assert (m l = 0); [|nra]. destruct (Rle_lt_or_eq_dec 0 (m l)) as [Q|Q]; [assumption| |auto]. nra.
Qed.
Lemma smaller_shift : within (fun k => m (k - j)%Z) m z K -> within (fun k => m (k - i)%Z) m z K.
Proof.
  intros W l D. set (E := fun k => if Rlt_dec 0 (gain k) then true else false). pose proof (W [] (NoDup_nil _)) as K0. cbn in K0.
  assert (S0 : sum (excess (fun k => m (k - i)%Z) m z) l = sum gain (filter E l)).
  { clear. unfold excess. induction l as [|k l IH]; [reflexivity|]. rewrite sum_cons, IH. cbn [filter].
    destruct (E k) eqn:EK; unfold E in EK; destruct (Rlt_dec 0 (gain k)) as [G|G]; try discriminate; unfold gain in G.
    - rewrite sum_cons, Rmax_left by lra. reflexivity.
    - rewrite Rmax_right by lra. ring. }
  rewrite S0. clear S0. assert (DE : NoDup (filter E l)) by now apply NoDup_filter.
  assert (PE : forall k, In k (filter E l) -> 0 < gain k) by (intros k I; apply filter_In in I as [_ I]; unfold E in I; now destruct (Rlt_dec 0 (gain k))).
  revert DE PE. generalize (filter E l). clear - W K0 M F IJ Z0. intros l D P.
  destruct l as [|k0 l0] eqn:EL; [exact K0|].
  (* the least of them, and a bound *)
  assert (X : exists lo, In lo l /\ forall k, In k l -> (lo <= k)%Z).
  { rewrite EL. clear. revert k0. induction l0 as [|k l0 IH]; intros k0.
    - exists k0. split; [now left|]. intros k [<-|[]]. lia.
    - destruct (IH k) as (lo & I & H). destruct (Z_le_gt_dec k0 lo) as [L|L].
      + exists k0. split; [now left|]. intros x [<-|J]; [lia|]. specialize (H x J). lia.
      + exists lo. split; [now right|]. intros x [<-|J]; [lia|auto]. }
  rewrite <- EL in *. destruct X as (lo & IL & LO). clear EL k0 l0.
  apply le_epsilon. intros e E. destruct (mass_inside m (e / (z + 1)) M ltac:(apply Rdiv_lt_0_compat; lra)) as (B & B0 & MB).
  assert (Y : exists n, (B < lo + Z.of_nat n)%Z /\ forall k, In k l -> (k < lo + Z.of_nat n)%Z).
  { clear - LO. induction l as [|k l IH].
    - exists (Z.to_nat (B + 1 - lo)). split; [lia|intros k []].
    - destruct IH as (n & N & H); [intros x J; apply LO; now right|]. exists (n + Z.to_nat (k + 1 - lo))%nat. split; [lia|].
      intros x [<-|J]; [lia|]. specialize (H x J). lia. }
  destruct Y as (n & NB & HI). pose proof (P lo IL) as G0.
  assert (A1 : sum gain l <= sum gain (run lo n)).
  { rewrite (sum_ext gain (fun k => Rmax (gain k) 0) l) by (intros k I; specialize (P k I); rewrite Rmax_left; lra).
    rewrite (sum_ext gain (fun k => Rmax (gain k) 0) (run lo n)).
    - apply sum_incl; [intros; apply Rmax_r|exact D|]. intros k I. apply run_in. split; [now apply LO|now apply HI].
    - intros k I. apply run_in in I. rewrite Rmax_left; [reflexivity|]. apply (gains_above lo k); [lia|exact G0]. }
  assert (A2 : sum gain (run lo n) = sum m (run (lo - i) n) - z * sum m (run lo n)).
  { rewrite <- run_shift, <- sum_scale. unfold gain. generalize (run lo n). clear. intros l. induction l as [|k l IH]; [cbn; ring|]. rewrite !sum_cons, IH. ring. }
  set (t := Z.to_nat j). pose proof (W (run lo (n + t)) (run_nodup _ _)) as WK.
  assert (A3 : sum m (run (lo - j) (n + t)) - z * sum m (run lo (n + t)) <= sum (excess (fun k => m (k - j)%Z) m z) (run lo (n + t))).
  { rewrite <- run_shift, <- sum_scale. generalize (run lo (n + t)). clear. intros l. induction l as [|k l IH]; [cbn; lra|]. rewrite !sum_cons.
    unfold excess at 1. pose proof (Rmax_l (m (k - j)%Z - z * m k) 0). lra. }
  assert (A4 : sum m (run (lo - i) n) <= sum m (run (lo - j) (n + t))) by (apply run_more; [apply M|lia|lia]).
  assert (A5 : sum m (run lo (n + t)) = sum m (run lo n) + sum m (run (lo + Z.of_nat n) t)) by apply isum_app.
  pose proof (MB (run (lo + Z.of_nat n) t) (run_nodup _ _) ltac:(intros k I; apply run_in in I; lia)) as A6.
  assert (A7 : z * sum m (run (lo + Z.of_nat n) t) <= e).
  { apply Rle_trans with ((z + 1) * (e / (z + 1))); [|right; field; lra]. apply Rle_trans with (z * (e / (z + 1))); [now apply Rmult_le_compat_l|].
    apply Rmult_le_compat_r; [left; apply Rdiv_lt_0_compat; lra|lra]. }
  rewrite A5 in A3. lra.
Qed.
End Shift.
(* turned round *)
Definition turned (m : Z -> R) (k : Z) : R := m (- k)%Z.
Lemma turned_falls m : falls m -> falls (turned m).
Proof.
  intros F a b j L J. unfold turned. pose proof (F (j - b) (j - a) j ltac:(lia) J)%Z as H.
  replace (j - b - j)%Z with (- b)%Z in H by lia. replace (j - a - j)%Z with (- a)%Z in H by lia.
  replace (- (a - j))%Z with (j - a)%Z by lia. replace (- (b - j))%Z with (j - b)%Z by lia. lra.
Qed.
Lemma turn_sum f l : sum (fun k => f (- k)%Z) l = sum f (map Z.opp l).
Proof. now rewrite sum_map. Qed.
Lemma turn_nodup l : NoDup l -> NoDup (map Z.opp l).
Proof. intros D. apply FinFun.Injective_map_NoDup; [intros a b; lia|exact D]. Qed.
Lemma turned_mass m : is_mass m -> is_mass (turned m).
Proof.
  intros M. apply mass_of.
  - intros k. apply M.
  - intros l D. unfold turned. rewrite turn_sum. apply mass_sum; [exact M|now apply turn_nodup].
  - intros e E. destruct (mass_near m e M E) as (J & D & S). exists (map Z.opp J). split; [now apply turn_nodup|].
    unfold turned. rewrite turn_sum, map_map, (map_ext _ (fun k => k)) by (intros; lia). rewrite map_id. lra.
Qed.
Lemma within_moved {A B} (f : A -> B) (p q : B -> R) z K : (forall a b, f a = f b -> a = b) -> within p q z K -> within (fun a => p (f a)) (fun a => q (f a)) z K.
Proof.
  intros I W l D. eapply Rle_trans; [|apply (W (map f l)); apply FinFun.Injective_map_NoDup; [exact I|exact D]]. right. now rewrite sum_map.
Qed.
Lemma smaller_shift_back m i j z K : is_mass m -> falls m -> (0 <= i <= j)%Z -> 0 <= z ->
  within m (fun k => m (k - j)%Z) z K -> within m (fun k => m (k - i)%Z) z K.
Proof.
  intros M F IJ Z0 W.
  assert (W1 : within (fun k => turned m (k - j)%Z) (turned m) z K).
  { apply (within_moved (fun k => j - k)%Z) in W; [|intros a b; lia]. intros l D. specialize (W l D).
    eapply Rle_trans; [|exact W]. right. apply sum_ext. intros k _. unfold excess, turned.
    replace (- (k - j))%Z with (j - k)%Z by lia. replace (j - k - j)%Z with (- k)%Z by lia. reflexivity. }
  pose proof (smaller_shift (turned m) (turned_mass m M) (turned_falls m F) i j IJ z K Z0 W1) as W2.
  apply (within_moved (fun k => i - k)%Z) in W2; [|intros a b; lia]. intros l D. specialize (W2 l D).
  eapply Rle_trans; [|exact W2]. right. apply sum_ext. intros k _. unfold excess, turned.
  replace (- (i - k - i))%Z with k by lia. replace (- (i - k))%Z with (k - i)%Z by lia. reflexivity.
Qed.

(* ---- which laws are so ---- *)
(* by their values next to each other, where those above 0 have no gap *)
Lemma falls_by m : (forall k, 0 <= m k) -> (forall a b k, (a <= k <= b)%Z -> 0 < m a -> 0 < m b -> 0 < m k) ->
  (forall x y, (x <= y)%Z -> 0 < m x -> 0 < m (x + 1)%Z -> 0 < m y -> 0 < m (y + 1)%Z -> m x * m (y + 1)%Z <= m (x + 1)%Z * m y) -> falls m.
Proof.
  intros N G S a b j L J. replace j with (Z.of_nat (Z.to_nat j)) by lia. generalize (Z.to_nat j). clear j J. intros n.
  induction n as [|n IH]; [change (Z.of_nat 0) with 0%Z; rewrite !Z.sub_0_r; lra|].
  replace (a - Z.of_nat (Datatypes.S n))%Z with (a - Z.of_nat n - 1)%Z by lia. replace (b - Z.of_nat (Datatypes.S n))%Z with (b - Z.of_nat n - 1)%Z by lia.
  set (x := (a - Z.of_nat n - 1)%Z) in *. set (y := (b - Z.of_nat n - 1)%Z) in *.
  replace (a - Z.of_nat n)%Z with (x + 1)%Z in IH by (unfold x; lia). replace (b - Z.of_nat n)%Z with (y + 1)%Z in IH by (unfold y; lia).
  pose proof (N a). pose proof (N b). pose proof (N x). pose proof (N y).
  destruct (Rle_lt_or_eq_dec 0 (m x)) as [X|X]; [assumption| |rewrite <- X, Rmult_0_l; now apply Rmult_le_pos].
  destruct (Rle_lt_or_eq_dec 0 (m b)) as [B|B]; [assumption| |rewrite <- B, Rmult_0_r; now apply Rmult_le_pos].
  assert (X1 : 0 < m (x + 1)%Z) by (apply (G x b); unfold x; auto; lia).
  assert (Y : 0 < m y) by (apply (G x b); unfold x, y; auto; lia).
  assert (Y1 : 0 < m (y + 1)%Z) by (apply (G x b); unfold x, y; auto; lia).
  pose proof (S x y ltac:(unfold x, y; lia) X X1 Y Y1) as H3.
  apply Rmult_le_reg_r with (m (x + 1)%Z * m (y + 1)%Z); [now apply Rmult_lt_0_compat|].
  apply Rle_trans with ((m x * m (y + 1)%Z) * (m (x + 1)%Z * m b)); [right; ring|].
  apply Rle_trans with ((m (x + 1)%Z * m y) * (m a * m (y + 1)%Z)); [|right; ring].
  apply Rmult_le_compat; try (apply Rmult_le_pos; lra); assumption.
Qed.
Lemma prob_inside X k : proper_noise X = true -> 0 < prob X k <-> inside X k = true.
Proof.
  intros P. pose proof (proper_is X P) as IX. destruct X as [n p|lam|r p|q]; cbn [is_noise] in IX; cbn [prob inside].
  - destruct IX as [N0 PP]. destruct (_ && _) eqn:E; [|split; [lra|discriminate]]. split; [reflexivity|]. intros _.
    assert (0 < Binomial.C (Z.to_nat n) (Z.to_nat k)).
    { unfold Binomial.C. apply Rdiv_lt_0_compat; [apply lt_0_INR, lt_O_fact|]. apply Rmult_lt_0_compat; apply lt_0_INR, lt_O_fact. }
    apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [assumption|apply pow_lt; lra]|apply pow_lt; lra].
  - destruct (0 <=? k)%Z; [|split; [lra|discriminate]]. split; [reflexivity|]. intros _.
    apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [apply exp_pos|now apply pow_lt]|apply lt_0_INR, lt_O_fact].
  - destruct IX as [R0 PP]. destruct (0 <=? k)%Z; [|split; [lra|discriminate]]. split; [reflexivity|]. intros _.
    apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [now apply rising_pos|unfold Rpower; apply exp_pos]|apply pow_lt; lra].
  - split; [reflexivity|]. intros _. apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|apply pow_lt; lra].
Qed.
Definition concave_noise (X : noise) : bool := match X with NegativeBinomial r _ => (QDen r <=? Qnum r)%Z | _ => true end.
Lemma noise_falls X : proper_noise X = true -> concave_noise X = true -> falls (prob X).
Proof.
  intros P C. pose proof (proper_is X P) as IX. apply falls_by.
  - intros k. now apply prob_nonneg.
  - intros a b k L A B. rewrite prob_inside in * by exact P. destruct X; cbn [inside] in *; decide_all; try reflexivity;
      try (apply andb_true_intro; split); apply Z.leb_le; lia.
  - intros x y L X0 X1 Y0 Y1. pose proof (prob_ratio X x IX) as EX. pose proof (prob_ratio X y IX) as EY.
    rewrite prob_inside in X0, X1, Y0, Y1 by exact P. destruct (up_down_pos X x P X0 X1) as [UX DX]. destruct (up_down_pos X y P Y0 Y1) as [UY DY].
    assert (K : (up X y * down X x <= up X x * down X y)%Z).
    { clear - P C L X0 X1 Y0 Y1. destruct X as [n p|lam|r p|q]; cbn [inside up down proper_noise concave_noise] in *; decide_all.
      - apply cross; nia.
      - apply Z.mul_le_mono_nonneg_l; [lia|]. apply Z.mul_le_mono_nonneg_r; lia.
      - apply Z.le_trans with (Qnum p * QDen p * QDen r * ((y * QDen r + Qnum r) * (x + 1)))%Z; [lia|].
        apply Z.le_trans with (Qnum p * QDen p * QDen r * ((x * QDen r + Qnum r) * (y + 1)))%Z; [|lia].
        apply Z.mul_le_mono_nonneg_l; nia.
      - destruct (Z.leb_spec 0 x), (Z.leb_spec 0 y); try lia; nia. }
    apply IZR_lt in DX, DY. apply IZR_le in K, UX, UY. rewrite !mult_IZR in K. pose proof (prob_nonneg X x IX) as NX. pose proof (prob_nonneg X y IX) as NY.
    apply Rmult_le_reg_r with (IZR (down X x) * IZR (down X y)); [now apply Rmult_lt_0_compat|].
    replace (prob X x * prob X (y + 1) * (IZR (down X x) * IZR (down X y))) with (prob X x * IZR (down X x) * (prob X (y + 1) * IZR (down X y))) by ring.
    replace (prob X (x + 1) * prob X y * (IZR (down X x) * IZR (down X y))) with (prob X (x + 1) * IZR (down X x) * (prob X y * IZR (down X y))) by ring.
    rewrite EX, EY. replace (prob X x * IZR (down X x) * (prob X y * IZR (up X y))) with (prob X x * prob X y * (IZR (up X y) * IZR (down X x))) by ring.
    replace (prob X x * IZR (up X x) * (prob X y * IZR (down X y))) with (prob X x * prob X y * (IZR (up X x) * IZR (down X y))) by ring.
    apply Rmult_le_compat_l; [now apply Rmult_le_pos|exact K].
Qed.
Lemma bell_falls_too b : is_bell b -> falls (weight_of b).
Proof.
  intros H a c j L J. destruct b as [v|q bound]; cbn [is_bell weight_of] in *.
  - set (e := fun k => exp (- (IZR k * IZR k) / (2 * Q2R v))). set (n := / (1 + 4 * Q2R v)). assert (N : 0 < n) by (apply Rinv_0_lt_compat; lra).
    change (e (a - j)%Z * n * (e c * n) <= e a * n * (e (c - j)%Z * n)). assert (G : e (a - j)%Z * e c <= e a * e (c - j)%Z); [|assert (0 < n * n) by (now apply Rmult_lt_0_compat); nra].
    unfold e. rewrite <- !exp_plus.
    assert (E : - (IZR (a - j) * IZR (a - j)) / (2 * Q2R v) + - (IZR c * IZR c) / (2 * Q2R v) <=
      - (IZR a * IZR a) / (2 * Q2R v) + - (IZR (c - j) * IZR (c - j)) / (2 * Q2R v)).
    { rewrite !minus_IZR. apply IZR_le in L, J. apply Rmult_le_reg_r with (2 * Q2R v); [lra|].
      rewrite !Rmult_plus_distr_r. unfold Rdiv. rewrite !Rmult_assoc, !Rinv_l, !Rmult_1_r by lra. nra. }
    destruct E as [E|E]; [left; now apply exp_increasing|rewrite E; apply Rle_refl].
  - destruct H as [Q B]. assert (PX : forall k, 0 <= prob (DiscreteLaplace q) k) by (intros; apply prob_nonneg; cbn; lra).
    set (w := fun k => if (Z.abs k <=? bound)%Z then prob (DiscreteLaplace q) k else 0).
    change (w (a - j)%Z * w c <= w a * w (c - j)%Z). assert (W : forall k, 0 <= w k) by (intros k; unfold w; destruct (_ <=? _)%Z; [apply PX|lra]).
    assert (R0 : 0 <= w a * w (c - j)%Z) by (now apply Rmult_le_pos).
    destruct (Z_le_gt_dec (Z.abs (a - j)) bound) as [A1|A1]; [|unfold w at 1; rewrite (proj2 (Z.leb_gt _ _)) by lia; lra].
    destruct (Z_le_gt_dec (Z.abs c) bound) as [A2|A2]; [|unfold w at 2; rewrite (proj2 (Z.leb_gt (Z.abs c) _)) by lia; lra].
    unfold w. rewrite !(proj2 (Z.leb_le _ _)) by lia. cbn [prob].
    set (n := (1 - Q2R q) / (1 + Q2R q)). assert (N : 0 < n) by (apply Rdiv_lt_0_compat; lra).
    assert (G : Q2R q ^ Z.abs_nat (a - j) * Q2R q ^ Z.abs_nat c <= Q2R q ^ Z.abs_nat a * Q2R q ^ Z.abs_nat (c - j)).
    2: { assert (0 < n * n) by (now apply Rmult_lt_0_compat). nra. }
    rewrite <- !pow_add. set (s := (Z.abs_nat a + Z.abs_nat (c - j))%nat).
    replace (Z.abs_nat (a - j) + Z.abs_nat c)%nat with (s + (Z.abs_nat (a - j) + Z.abs_nat c - s))%nat by (unfold s; lia).
    rewrite pow_add. rewrite <- (Rmult_1_r (Q2R q ^ s)) at 2.
    apply Rmult_le_compat_l; [apply pow_le; lra|]. generalize (Z.abs_nat (a - j) + Z.abs_nat c - s)%nat. intros e.
    induction e as [|e IH]; cbn [pow]; [lra|]. assert (0 <= Q2R q ^ e) by (apply pow_le; lra). nra.
Qed.
Definition concave (l : number_law) : bool :=
  match l with Noise X => proper_noise X && concave_noise X | Bell b => bell_stands b | _ => false end.
Theorem concave_falls l : concave l = true -> falls (mass l).
Proof.
  destruct l as [X|b| | | |]; cbn [concave]; try discriminate; intros H.
  - apply andb_prop in H as [P C]. now apply noise_falls.
  - pose proof (bell_stands_ok b H) as B. intros a c j L J. cbn [mass]. unfold Rdiv.
    pose proof (bell_falls_too b B a c j L J) as W. set (n := / series (weight_of b)).
    assert (N : 0 <= n) by (unfold n; left; apply Rinv_0_lt_compat, (bell_total_pos b B)).
    replace (weight_of b (a - j) * n * (weight_of b c * n)) with (n * n * (weight_of b (a - j) * weight_of b c)) by ring.
    replace (weight_of b a * n * (weight_of b (c - j) * n)) with (n * n * (weight_of b a * weight_of b (c - j))) by ring.
    apply Rmult_le_compat_l; [now apply Rmult_le_pos|exact W].
Qed.
