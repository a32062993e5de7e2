(* The checker of histograms, all four noise laws and any number of buckets, and the theorem about it. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount SpecHistogram Sums Exp Check Kernel Noise Total Gain Window CountKernel
  Beside.
Import ListNotations.
Local Open Scope Z_scope.

(* (X + 1, Y) against (X, Y + 1): of each value of the first number the sum over the second, row by row. u and v are
   both ends of Pr[X = k] and of Pr[X = k + 1]; of what follows the window they are 0 and T. *)
Fixpoint all_rows (row : Z * Z -> Z * Z -> Z) (T : Z) (us : ends) : Z :=
  match us with
  | [] => 0
  | u :: us => row u (hd (0, T) us) + all_rows row T us
  end.
Definition row_high (us : ends) (T zn zd : Z) (u v : Z * Z) : Z :=
  gain snd fst (zd * snd u) (zn * Z.max (fst v) 0) us (pad 1 us) 0 + zd * snd u * T.
Definition row_low (us : ends) (T zn zd : Z) (u v : Z * Z) : Z :=
  if 0 <? fst u then gain fst snd (zd * fst u) (zn * snd v) us (pad 1 us) 0 - zn * snd v * T else 0.

(* as a count of sensitivity 1: the window and the hints are those *)
Definition as_count (c : histogram) : count := {| law_of := noise_of c; sensitivity := 1; count_eps := histogram_eps c;
  count_delta := histogram_delta c |}.
Definition histogram_stands (c : histogram) (h : hint_of_count) : bool :=
  (2 <=? buckets c) && count_stands (as_count c) h.
Definition histogram_at_most (c : histogram) (h : hint_of_count) (d : Q) : bool :=
  let '(us, T) := window_of (as_count c) h in
  let '(zn, zd) := from_below (histogram_eps c) (exponent_bits h) in
  let xl := all_of fst us in let xh := all_of snd us + T in
  (0 <=? zn) && (0 <=? Qnum d) && (0 <=? xl) &&
  ((all_rows (row_high us T zn zd) T us + zd * xh * T) * QDen d <=? Qnum d * zd * (xl * xl)).
Definition histogram_reached (c : histogram) (h : hint_of_count) (d : Q) (strict : bool) : bool :=
  let '(us, T) := window_of (as_count c) h in
  let '(zn, zd) := from_above (histogram_eps c) (exponent_bits h) in
  let xh := all_of snd us + T in
  let l := Qnum d * zd * (xh * xh) in let r := all_rows (row_low us T zn zd) T us * QDen d in
  (* the empty event reaches 0 *)
  negb strict && (Qnum d =? 0) || (0 <=? zn) && (0 <=? Qnum d) && (if strict then l <? r else l <=? r).
Definition histogram_upper (c : histogram) (h : hint_of_count) (d : Q) : bool :=
  histogram_stands c h && histogram_at_most c h d.
Definition histogram_lower (c : histogram) (h : hint_of_count) (d : Q) (strict : bool) : bool :=
  histogram_stands c h && histogram_reached c h d strict.
Definition check_histogram (c : histogram) (v : verdict) (lower upper : Q) (h : hint_of_count) : bool :=
  histogram_stands c h && histogram_reached c h lower false &&
  match v with
  | PROVED => histogram_at_most c h (smaller upper (histogram_delta c))
  | REFUTED => histogram_at_most c h upper && histogram_reached c h (histogram_delta c) true
  end.

Local Open Scope R_scope.
Lemma encl_beyond x F us : forall k, encl x F k us -> forall i, (k + Z.of_nat (length us) <= i)%Z -> F i = 0.
Proof.
  induction us as [|u us IH]; intros k E i I; cbn [encl length] in *; [apply E; lia|]. apply (IH (k + 1)%Z);
    [apply E|lia].
Qed.

Lemma square_pos a b : 0 < a -> 0 < b -> 0 < a * a * b.
Proof. intros A B. apply Rmult_lt_0_compat; [now apply Rmult_lt_0_compat|exact B]. Qed.

Section Histogram.
Variables (c : histogram) (h : hint_of_count) (ST : histogram_stands c h = true).
Let X := noise_of c.
Let z := value (histogram_eps c).
Let lo := window_from h.
Let us := fst (window_of (as_count c) h).
Let T := snd (window_of (as_count c) h).
Let f := prob X.
Let x := x_of X lo (2 ^ weight_bits h).
Let fc := cut X lo (wide h).
Lemma two_or_more : (2 <= buckets c)%Z.
Proof. pose proof ST as H. apply andb_prop in H as [H _]. now apply Z.leb_le. Qed.
Lemma counted : count_stands (as_count c) h = true.
Proof. pose proof ST as H. now apply andb_prop in H as [_ H]. Qed.
Lemma W : window_stands X lo (wide h) (2 ^ weight_bits h) = true.
Proof. apply (sound_parts _ _ counted). Qed.
Lemma N : is_noise X. Proof. apply (law_noise _ _ counted). Qed.
Lemma f_0 k : 0 <= f k. Proof. apply prob_nonneg, N. Qed.
Lemma x_0 : 0 < x. Proof. apply (X_0 _ _ counted). Qed.
Lemma fc_f k : 0 <= fc k <= f k. Proof. exact (cut_between X lo (wide h) (2 ^ weight_bits h) W k). Qed.
Lemma window_us : encl x fc lo us. Proof. apply (us_encl _ _ counted). Qed.
Lemma tail l : NoDup l -> x * sum (fun k => f k - fc k) l <= IZR T.
Proof. exact (outside X lo (wide h) (2 ^ weight_bits h) W l). Qed.
Lemma T_0 : (0 <= T)%Z.
Proof. apply le_IZR. pose proof (tail [] (NoDup_nil _)) as H. change (x * 0 <= IZR T) in H.
  now rewrite Rmult_0_r in H. Qed.
Lemma x_ends : IZR (all_of fst us) <= x <= IZR (all_of snd us + T).
Proof. rewrite plus_IZR. exact (x_between X lo (wide h) (2 ^ weight_bits h) W). Qed.
Lemma window_next : encl x (fun k => fc (k - 1)%Z) lo (pad 1 us).
Proof. exact (padded _ _ counted 1). Qed.
Lemma next_tail l : NoDup l -> x * sum (fun k => f (k - 1)%Z - fc (k - 1)%Z) l <= IZR T.
Proof. exact (tail_of _ _ counted 1 l). Qed.
Lemma z_0 : 0 < z.
Proof.
  destruct (sound_parts _ _ counted) as (_ & G & _). cbn [as_count count_eps] in G. unfold z, value.
  destruct (histogram_eps c) as [q|q]; [apply exp_pos|]. cbn [good] in G. apply Z.leb_le in G. rewrite Q2R_frac.
  apply Rdiv_lt_0_compat; [apply IZR_lt; lia|apply den_pos].
Qed.

(* one row, the first law g instead of f: what is gained where X = k *)
Definition row_sum (g : Z -> R) ys k := sum (fun y => Rmax (g k * f y - z * (f (k + 1)%Z * f (y - 1)%Z)) 0) ys.
Lemma row_scale g ys k : 0 < g k ->
  row_sum g ys k = g k * sum (excess f (fun y => f (y - 1)%Z) (z * f (k + 1)%Z / g k)) ys.
Proof.
  intros G. unfold row_sum. rewrite <- sum_scale. apply sum_ext. intros y _. unfold excess.
  rewrite Rmax_scale by lra. f_equal. field. lra.
Qed.
Lemma row_none g ys k : g k = 0 -> row_sum g ys k = 0.
Proof.
  intros G. unfold row_sum. induction ys as [|y ys IH]; [reflexivity|]. rewrite sum_cons, IH, G, Rplus_0_r.
  apply Rmax_right. pose proof z_0. pose proof (f_0 (k + 1)). pose proof (f_0 (y - 1)).
  assert (0 <= f (k + 1)%Z * f (y - 1)%Z) by now apply Rmult_le_pos. nra.
Qed.

Section High.
Variables (zn zd : Z) (N0 : (0 <= zn)%Z) (D0 : (0 < zd)%Z) (LZ : IZR zn <= z * IZR zd).
Lemma row_high_nonneg u v : (0 <= snd u)%Z -> (0 <= row_high us T zn zd u v)%Z.
Proof.
  intros U. unfold row_high. pose proof T_0.
    pose proof (gain_nonneg snd fst (zd * snd u) (zn * Z.max (fst v) 0) us (pad 1 us)).
  nia.
Qed.
Lemma row_high_ok ys k u v : NoDup ys -> x * fc k <= IZR (snd u) -> IZR (fst v) <= x * f (k + 1)%Z ->
  x * x * IZR zd * row_sum fc ys k <= IZR (row_high us T zn zd u v).
Proof.
  intros D U V. pose proof x_0 as X0. destruct (fc_f k) as [F0 _]. apply IZR_lt in D0 as D0'.
  destruct F0 as [F0|F0].
  2: { rewrite row_none by auto. rewrite Rmult_0_r. apply IZR_le, row_high_nonneg, le_IZR. rewrite <- F0 in U. lra. }
  rewrite row_scale by auto. set (r := z * f (k + 1)%Z / fc k).
  assert (S0 : 0 < IZR (snd u)) by (eapply Rlt_le_trans; [|exact U]; now apply Rmult_lt_0_compat).
  set (v0 := Z.max (fst v) 0).
  assert (V0 : 0 <= IZR v0 <= x * f (k + 1)%Z).
  { split; [apply IZR_le; unfold v0; lia|]. unfold v0. rewrite IZR_max. apply Rmax_lub; auto.
    apply Rmult_le_pos; [lra|apply f_0]. }
  pose proof (pair_upper x X0 f (fun y => f (y - 1)%Z) fc (fun y => fc (y - 1)%Z) lo us (pad 1 us) (IZR T)) as P.
  specialize (P fc_f (fun y => fc_f (y - 1)) window_us window_next).
  specialize (P (fun y Hy => below_before X lo (wide h) y Hy) tail r (zn * v0)%Z (zd * snd u)%Z).
  assert (RZ : IZR (zn * v0) <= r * IZR (zd * snd u)).
  { rewrite !mult_IZR. apply Rmult_le_reg_r with (fc k); [exact F0|]. unfold r.
    replace (z * f (k + 1)%Z / fc k * (IZR zd * IZR (snd u)) * fc k) with (z * IZR zd * f (k + 1)%Z * IZR (snd u))
      by (field; lra).
    apply Rle_trans with (z * IZR zd * (x * f (k + 1)%Z) * fc k).
    - apply Rmult_le_compat_r; [lra|]. apply IZR_le in N0. apply Rmult_le_compat; lra.
    - pose proof z_0. replace (z * IZR zd * (x * f (k + 1)%Z) * fc k) with (z * IZR zd * f (k + 1)%Z * (x * fc k)) by
      ring.
      apply Rmult_le_compat_l; [|exact U]. apply Rmult_le_pos; [|apply f_0]. apply Rmult_le_pos; lra. }
  specialize (P ltac:(unfold v0; nia) ltac:(apply lt_IZR in S0; nia) RZ ys D).
  unfold row_high. fold v0. rewrite plus_IZR, (mult_IZR _ T). eapply Rle_trans; [|exact P].
  set (S := sum _ ys). assert (0 <= S) by (apply sum_nonneg; intros; apply Rmax_r).
  replace (x * x * IZR zd * (fc k * S)) with (x * IZR zd * (x * fc k) * S) by ring. rewrite mult_IZR.
  apply Rmult_le_compat_r; [auto|]. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra.
Qed.
Lemma rows_high ys : NoDup ys -> forall vs k, encl x fc k vs ->
  x * x * IZR zd * isum (row_sum fc ys) k (length vs) <= IZR (all_rows (row_high us T zn zd) T vs).
Proof.
  intros D. induction vs as [|u vs IH]; intros k E; [unfold isum; cbn; lra|].
  destruct E as [[_ U] E]. cbn [all_rows length]. rewrite isum_first, plus_IZR, Rmult_plus_distr_l.
  apply Rplus_le_compat; [|now apply IH]. apply row_high_ok; auto. pose proof x_0.
  destruct vs as [|v vs]; cbn [hd fst].
  - apply Rmult_le_pos; [lra|apply f_0].
  - destruct E as [[V _] _]. eapply Rle_trans; [exact V|]. apply Rmult_le_compat_l; [lra|apply fc_f].
Qed.
Lemma f_sums ys : NoDup ys -> sum f ys <= 1.
Proof. apply total_above, prob_total, N. Qed.
Lemma grid_high ks ys : NoDup ks -> NoDup ys ->
  x * x * IZR zd * sum (row_sum f ys) ks <= IZR (all_rows (row_high us T zn zd) T us + zd * (all_of snd us + T) * T).
Proof.
  intros DK DY. pose proof x_0 as X0. apply IZR_lt in D0 as D0'.
  assert (S : sum (row_sum f ys) ks <= sum (row_sum fc ys) ks + sum (fun k => f k - fc k) ks).
  { rewrite <- sum_plus. apply sum_le. intros k _. pose proof (fc_f k) as F.
    apply Rle_trans with (row_sum fc ys k + (f k - fc k) * sum f ys).
    - unfold row_sum. rewrite <- sum_scale, <- sum_plus. apply sum_le. intros y _. pose proof (f_0 y).
      assert (0 <= (f k - fc k) * f y) by (apply Rmult_le_pos; lra).
      pose proof (Rmax_l (fc k * f y - z * (f (k + 1)%Z * f (y - 1)%Z)) 0).
      pose proof (Rmax_r (fc k * f y - z * (f (k + 1)%Z * f (y - 1)%Z)) 0). apply Rmax_lub; lra.
    - pose proof (f_sums ys DY). nra. }
  assert (R : sum (row_sum fc ys) ks <= isum (row_sum fc ys) lo (length us)).
  { apply sum_within; auto; [intros; apply sum_nonneg; intros; apply Rmax_r|]. intros k _. rewrite run_in.
    destruct (Z_lt_le_dec k lo) as [B|B]; [right; apply row_none; exact (below_before X lo (wide h) k B)|].
    destruct (Z_lt_le_dec k (lo + Z.of_nat (length us))) as [C|C]; [now left|right].
    apply row_none, (encl_beyond x fc us lo window_us k C). }
  pose proof (rows_high ys DY us lo window_us) as H. pose proof (tail ks DK) as TL. destruct x_ends as [_ XH].
  assert (T0 : 0 <= IZR T) by (apply IZR_le, T_0).
  rewrite plus_IZR, !mult_IZR. set (S1 := sum (row_sum fc ys) ks) in *. set (S2 := sum (fun k => f k - fc k) ks) in *.
  set (S0 := sum (row_sum f ys) ks) in *. set (S3 := isum _ _ _) in *.
  assert (K : 0 < x * x * IZR zd) by (apply square_pos; lra).
  apply Rle_trans with (x * x * IZR zd * S3 + x * x * IZR zd * S2).
  - rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; lra.
  - apply Rplus_le_compat; [exact H|]. replace (x * x * IZR zd * S2) with (IZR zd * (x * (x * S2))) by ring.
    rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
    apply Rle_trans with (x * IZR T); [apply Rmult_le_compat_l; lra|apply Rmult_le_compat_r; lra].
Qed.
End High.

Lemma bounded_by d : histogram_at_most c h d = true -> forall ks ys, NoDup ks -> NoDup ys ->
  sum (row_sum f ys) ks <= Q2R d.
Proof.
  destruct (sound_parts _ _ counted) as (_ & G & F & _). unfold histogram_at_most.
  rewrite (surjective_pairing (window_of (as_count c) h)). fold us T.
  pose proof (from_below_ok _ _ G F) as ZB. cbv zeta in ZB. cbn [as_count count_eps] in ZB.
  destruct (from_below _ _) as [zn zd]. cbn [fst snd] in ZB.
  destruct ZB as [D LZ]. fold z in LZ. intros H ks ys DK DY. do 3 apply andb_prop in H as [H ?].
  apply Z.leb_le in H, H0, H1, H2. apply lt_IZR in D. pose proof (grid_high zn zd H D LZ ks ys DK DY) as B.
  apply IZR_le in H0, H1, H2. apply IZR_lt in D. pose proof (den_pos d) as DP. pose proof x_0 as X0.
  destruct x_ends as [XL _]. rewrite Q2R_frac. rewrite mult_IZR, (mult_IZR (_ * _)), mult_IZR, mult_IZR in H0.
  set (A := IZR (all_rows _ _ _ + _)) in *. set (S := sum _ _) in *. set (xl := IZR (all_of fst us)) in *.
  assert (K : 0 < x * x * IZR zd) by (apply square_pos; lra).
  apply Rmult_le_reg_r with (IZR (QDen d) * (x * x * IZR zd)); [now apply Rmult_lt_0_compat|].
  replace (IZR (Qnum d) / IZR (QDen d) * (IZR (QDen d) * (x * x * IZR zd))) with (IZR (Qnum d) * IZR zd * (x * x))
    by (field; lra).
  apply Rle_trans with (IZR (Qnum d) * IZR zd * (xl * xl)).
  - eapply Rle_trans; [|exact H0].
    replace (S * (IZR (QDen d) * (x * x * IZR zd))) with (x * x * IZR zd * S * IZR (QDen d)) by ring.
    apply Rmult_le_compat_r; lra.
  - apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat; lra.
Qed.
Section Low.
Variables (zn zd : Z) (N0 : (0 <= zn)%Z) (D0 : (0 < zd)%Z) (LZ : z * IZR zd <= IZR zn).
Lemma row_low_ok k u v : IZR (fst u) <= x * fc k -> x * f (k + 1)%Z <= IZR (snd v) -> exists ys, NoDup ys /\
  IZR (row_low us T zn zd u v) <= x * x * IZR zd * row_sum f ys k.
Proof.
  intros U V. pose proof x_0 as X0. apply IZR_lt in D0 as D0'. unfold row_low.
  destruct (Z.ltb_spec 0 (fst u)) as [U0|_].
  2: { exists []. split; [constructor|]. unfold row_sum, sum. cbn [fold_right]. rewrite Rmult_0_r. apply Rle_refl. }
  apply IZR_lt in U0 as U0'. assert (F0 : 0 < fc k).
  { apply Rmult_lt_reg_l with x; [exact X0|]. rewrite Rmult_0_r. lra. }
  assert (FF : fc k = f k). { revert F0. unfold fc, cut. destruct (_ && _); [reflexivity|lra]. }
  rewrite FF in *. set (r := z * f (k + 1)%Z / f k).
  assert (V0 : 0 <= IZR (snd v)).
  { eapply Rle_trans; [|exact V]. apply Rmult_le_pos; [lra|apply f_0]. }
  assert (RZ : r * IZR (zd * fst u) <= IZR (zn * snd v)).
  { rewrite !mult_IZR. apply Rmult_le_reg_r with (f k); [exact F0|]. unfold r. pose proof z_0 as Z0.
    replace (z * f (k + 1)%Z / f k * (IZR zd * IZR (fst u)) * f k) with (z * IZR zd * f (k + 1)%Z * IZR (fst u))
      by (field; lra).
    apply Rle_trans with (z * IZR zd * f (k + 1)%Z * (x * f k)).
    - apply Rmult_le_compat_l; [|exact U]. apply Rmult_le_pos; [|apply f_0]. apply Rmult_le_pos; lra.
    - replace (z * IZR zd * f (k + 1)%Z * (x * f k)) with (z * IZR zd * (x * f (k + 1)%Z) * f k) by ring.
      apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat; auto.
      + apply Rmult_le_pos; lra.
      + apply Rmult_le_pos; [lra|apply f_0]. }
  destruct (pair_lower x X0 f (fun y => f (y - 1)%Z) fc (fun y => fc (y - 1)%Z) lo us (pad 1 us) (IZR T) fc_f
    (fun y => fc_f (y - 1)) window_us window_next next_tail r (zn * snd v)%Z (zd * fst u)%Z) as (ys & D & L); auto.
  - apply le_IZR in V0. nia.
  - nia.
  - exists ys. split; [exact D|]. rewrite row_scale by auto. fold r. rewrite minus_IZR, (mult_IZR _ T).
    eapply Rle_trans; [exact L|]. set (S := sum _ ys). assert (0 <= S) by (apply sum_nonneg; intros; apply Rmax_r).
    replace (x * x * IZR zd * (f k * S)) with (x * IZR zd * (x * f k) * S) by ring. rewrite mult_IZR.
    apply Rmult_le_compat_r; [auto|]. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
    apply Rmult_le_compat_l; lra.
Qed.
Lemma window_length : length us = S (wide h).
Proof.
  unfold us, window_of, window. cbn [fst]. rewrite walk_steps, app_nil_r, rev_append_rev, rev_involutive, app_nil_r.
  generalize (2 ^ weight_bits h)%Z at 1 as u. generalize (2 ^ weight_bits h)%Z as v. generalize (window_from h) as k.
  induction (wide h) as [|n IH]; intros k v u; cbn [steps length]; [reflexivity|]. now rewrite IH.
Qed.
Definition gained (xy : Z * Z) := Rmax (f (fst xy - 1)%Z * f (snd xy) - z * (f (fst xy) * f (snd xy - 1)%Z)) 0.
Lemma rows_low : forall vs k, encl x fc k vs -> (lo <= k)%Z -> (k + Z.of_nat (length vs) = lo + Z.of_nat (S (wide
  h)))%Z ->
  exists l, NoDup l /\ (forall xy, In xy l -> (k + 1 <= fst xy)%Z) /\
  IZR (all_rows (row_low us T zn zd) T vs) <= x * x * IZR zd * sum gained l.
Proof.
  pose proof x_0 as X0. induction vs as [|u vs IH]; intros k E L0 L.
  { exists []. split; [constructor|]. split; [intros ? []|]. unfold sum. cbn. rewrite Rmult_0_r. apply Rle_refl. }
  destruct E as [[U _] E]. cbn [length] in L. destruct (IH (k + 1)%Z E ltac:(lia) ltac:(lia)) as (l & D & A & B).
  destruct (row_low_ok k u (hd (0%Z, T) vs)) as (ys & DY & R); [exact U| |].
  { destruct vs as [|v vs]; cbn [hd snd].
    - pose proof (tail [(k + 1)%Z] ltac:(repeat constructor;
      intros [])) as TL. unfold sum in TL. cbn [fold_right] in TL.
      rewrite Rplus_0_r in TL. assert (C : fc (k + 1)%Z = 0) by (apply E; lia). rewrite C, Rminus_0_r in TL. exact TL.
    - destruct E as [[_ V] _]. assert (C : fc (k + 1)%Z = f (k + 1)%Z); [|now rewrite C in V].
      unfold fc, cut. cbn [length] in L. destruct (Z.leb_spec lo (k + 1)), (Z.leb_spec (k + 1) (lo + Z.of_nat (wide
        h)));
        try lia. reflexivity. }
  exists (map (fun y => ((k + 1)%Z, y)) ys ++ l). split; [|split].
  - apply nodup_app; auto.
    + apply FinFun.Injective_map_NoDup; auto. intros a b. congruence.
    + intros xy I J. apply in_map_iff in I as (y & <- & _). apply A in J. cbn in J. lia.
  - intros xy I. apply in_app_or in I as [I|I]; [|apply A in I; lia].
    apply in_map_iff in I as (y & <- & _). cbn. lia.
  - cbn [all_rows]. rewrite plus_IZR, sum_app, Rmult_plus_distr_l. apply Rplus_le_compat; [|exact B].
    eapply Rle_trans; [exact R|]. right. f_equal. rewrite sum_map. apply sum_ext. intros y _. unfold gained.
    cbn [fst snd]. now replace (k + 1 - 1)%Z with k by lia.
Qed.
End Low.

Lemma reached_by_grid d strict : histogram_reached c h d strict = true ->
  strict = false /\ Q2R d = 0 \/ exists l, NoDup l /\
  let s := sum gained l in if strict then Q2R d < s else Q2R d <= s.
Proof.
  destruct (sound_parts _ _ counted) as (_ & G & F & _). unfold histogram_reached.
  rewrite (surjective_pairing (window_of (as_count c) h)). fold us T.
  pose proof (from_above_ok _ _ G F) as ZB. cbv zeta in ZB. cbn [as_count count_eps] in ZB.
  destruct (from_above _ _) as [zn zd]. cbn [fst snd] in ZB.
  destruct ZB as [D LZ]. fold z in LZ. intros H. apply orb_prop in H as [H|H].
  { left. apply andb_prop in H as [S E]. destruct strict; [discriminate|]. apply Z.eqb_eq in E.
    split; [reflexivity|]. rewrite Q2R_frac, E. unfold Rdiv. apply Rmult_0_l. }
  right. do 2 apply andb_prop in H as [H ?]. apply Z.leb_le in H, H1. apply lt_IZR in D.
  destruct (rows_low zn zd H D LZ us lo window_us ltac:(lia) ltac:(now rewrite window_length)) as (l & DL & _ & B).
  exists l. split; [exact DL|]. cbv zeta. apply IZR_le in H1. apply IZR_lt in D.
  pose proof (den_pos d) as DP. pose proof x_0 as X0. destruct x_ends as [_ XH]. rewrite Q2R_frac.
  set (A := all_rows _ _ _) in *. set (S := sum _ _) in *. set (xh := (all_of snd us + T)%Z) in *.
  assert (K : 0 < x * x * IZR zd) by (apply square_pos; lra).
  assert (K' : 0 < IZR (QDen d) * (x * x * IZR zd)) by now apply Rmult_lt_0_compat.
  assert (E : IZR (Qnum d) / IZR (QDen d) * (IZR (QDen d) * (x * x * IZR zd)) = IZR (Qnum d) * IZR zd * (x * x))
    by (field; lra).
  assert (L : IZR (Qnum d) * IZR zd * (x * x) <= IZR (Qnum d * zd * (xh * xh))).
  { rewrite !mult_IZR. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat; lra. }
  assert (R : IZR (A * QDen d) <= S * (IZR (QDen d) * (x * x * IZR zd))).
  { rewrite mult_IZR. replace (S * (IZR (QDen d) * (x * x * IZR zd))) with (x * x * IZR zd * S * IZR (QDen d)) by ring.
    apply Rmult_le_compat_r; lra. }
  destruct strict; [apply Z.ltb_lt, IZR_lt in H0; apply Rmult_lt_reg_r with (IZR (QDen d) * (x * x * IZR zd))|
    apply Z.leb_le, IZR_le in H0; apply Rmult_le_reg_r with (IZR (QDen d) * (x * x * IZR zd))]; try exact K';
    rewrite E; lra.
Qed.

(* any pair of two buckets *)
Lemma gained_moved a b xy : excess (two_buckets X (a + 1) b) (two_buckets X a (b + 1)) z xy =
  gained ((fst xy + - a)%Z, (snd xy + - b)%Z).
Proof.
  unfold excess, gained, two_buckets, f. cbn [fst snd].
  replace (fst xy - (a + 1))%Z with (fst xy + - a - 1)%Z by lia.
    replace (snd xy - (b + 1))%Z with (snd xy + - b - 1)%Z by lia.
  reflexivity.
Qed.
Lemma within_two d a b : histogram_at_most c h d = true ->
  within (two_buckets X (a + 1) b) (two_buckets X a (b + 1)) z (Q2R d).
Proof.
  intros H l D. destruct (parts Z.eq_dec Z.eq_dec Datatypes.pair l) as (U & V & DU & DV & I).
  eapply Rle_trans; [apply (sum_within _ l) with (m := list_prod U V); auto|].
  - intros xy. apply Rmax_r.
  - intros [k y] IX. left. specialize (I (k, y) IX ltac:(now exists k, y)). apply in_map_iff in I as ([k' y'] & E & I).
    cbn in E. now rewrite <- E.
  - rewrite sum_prod. eapply Rle_trans; [|apply (bounded_by d H (map (fun k => (k + - (a + 1))%Z) U) (map (fun k =>
      (k + - b)%Z) V)); now apply nodup_shift].
    right. rewrite sum_map. apply sum_ext. intros k _. unfold row_sum. rewrite sum_map. apply sum_ext. intros y _.
    rewrite gained_moved. unfold gained. cbn [fst snd].
    replace (k + - a - 1)%Z with (k + - (a + 1))%Z by lia. replace (k + - (a + 1) + 1)%Z with (k + - a)%Z by lia.
    reflexivity.
Qed.
Lemma swapped s t s' t' d : within (two_buckets X s t) (two_buckets X s' t') z d ->
  within (two_buckets X t s) (two_buckets X t' s') z d.
Proof.
  intros H l D. specialize (H (map (fun xy => (snd xy, fst xy)) l)).
  rewrite sum_map in H. erewrite sum_ext; [apply H|].
  - apply FinFun.Injective_map_NoDup; auto. intros [a b] [a' b']. cbn. congruence.
  - intros [k y] _. unfold excess, two_buckets. cbn [fst snd]. f_equal. ring.
Qed.
Lemma histogram_private_by d : histogram_at_most c h d = true -> histogram_private X (buckets c) z (Q2R d).
Proof.
  intros H cs ds E a b _ (l & s & m & t & r & M) PA PB.
  assert (WI : within (likely X cs) (likely X ds) z (Q2R d)).
  { destruct M as [[-> ->]|[-> ->]]; apply two_are_enough; [apply N|now apply within_two|apply N|].
    apply swapped. now apply within_two. }
  apply (at_most_of_sums (likely X cs) (likely X ds) z (Q2R d) E a b); auto.
  - left. apply z_0.
  - intros ks. apply likely_nonneg, N.
Qed.
Lemma total_nothing {A} : total (fun _ : A => 0) 0.
Proof.
  split; [|intros b B; apply B; exists []; split; [constructor|reflexivity]]. intros y (l & _ & ->). right.
  induction l as [|k l IH]; [reflexivity|]. rewrite sum_cons, IH. ring.
Qed.
Lemma histogram_reached_by d strict : histogram_reached c h d strict = true ->
  histogram_reaches X (buckets c) z (fun gap => if strict then Q2R d < gap else Q2R d <= gap).
Proof.
  intros H. pose proof two_or_more as B2. set (n := Z.to_nat (buckets c - 2)).
  assert (GO : forall E a b, Pr_histogram X [1%Z; 0%Z] E a -> Pr_histogram X [0%Z; 1%Z] E b ->
    (if strict then Q2R d < a - z * b else Q2R d <= a - z * b) -> histogram_reaches X (buckets c) z
    (fun gap => if strict then Q2R d < gap else Q2R d <= gap)).
  { intros E a b PA PB GAP. destruct (more_buckets X N n _ _ E a b PA PB) as (E' & A & B).
    exists (repeat 0%Z n ++ [1%Z; 0%Z]), (repeat 0%Z n ++ [0%Z; 1%Z]), E', a, b.
    split; [rewrite app_length, repeat_length; cbn; unfold n; lia|]. split; [|auto].
    exists (repeat 0%Z n), 0%Z, [], 0%Z, []. left. split; reflexivity. }
  destruct (reached_by_grid d strict H) as [[-> Z]|(l & D & S)].
  { apply (GO (fun _ => false) 0 0); [apply total_nothing|apply total_nothing|]. rewrite Z. lra. }
  set (l' := map (fun xy : Z * Z => [fst xy; snd xy]) l).
  assert (D' : NoDup l').
  { apply FinFun.Injective_map_NoDup; auto. intros [a b] [a' b']. cbn. congruence. }
  destruct (reached_by_sums (list_eq_dec Z.eq_dec) (likely X [1%Z; 0%Z]) (likely X [0%Z; 1%Z]) z l' z_0
    (likely_nonneg X N _) (likely_nonneg X N _) D') as (a & b & A & B & R);
    [exists 1; apply (likely_sums X N)|exists 1; apply (likely_sums X N)|].
  apply (GO (best (likely X [1%Z; 0%Z]) (likely X [0%Z; 1%Z]) z) a b A B).
  assert (EQ : sum (excess (likely X [1%Z; 0%Z]) (likely X [0%Z; 1%Z]) z) l' = sum gained l).
  { unfold l'. rewrite sum_map. apply sum_ext. intros xy _. unfold excess, gained, f. cbn [likely].
    rewrite !Z.sub_0_r, !Rmult_1_r. reflexivity. }
  cbv zeta in S. rewrite EQ in R. destruct strict; lra.
Qed.
End Histogram.

Theorem check_histogram_sound c v lower upper h : check_histogram c v lower upper h = true ->
  histogram_true c v lower upper.
Proof.
  unfold check_histogram. intros H. do 2 apply andb_prop in H as [H ?]. unfold histogram_true.
  apply (histogram_reached_by c h H) in H1. split; [left; apply (N c h H)|]. split; [apply (two_or_more c h H)|].
  destruct v.
  - apply (histogram_private_by c h H) in H0. destruct (smaller_ok upper (histogram_delta c)) as [A B].
    split; [|split; [exact H1|]]; intros cs ds E a b L M PA PB; (eapply Rle_trans; [eapply H0; eauto|assumption]).
  - apply andb_prop in H0 as [U S]. apply (histogram_private_by c h H) in U. apply (histogram_reached_by c h H) in S.
    auto.
Qed.
