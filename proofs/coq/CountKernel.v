(* The checker of counts, all four noise laws and any sensitivity, and the theorem about it. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount Sums Exp Check Kernel Noise Total Gain Window Still.
Import ListNotations.
Local Open Scope Z_scope.

(* Where to walk, and with how many bits; nothing that is said here can make a false certificate pass. *)
Record hint_of_count := {
  exponent_bits : precision;
  weight_bits : Z;
  window_from : Z;               (* the window, and how many steps from there to its end *)
  wide : nat
}.

(* the pair of laws (ps, qs), of what two ends of x are known, against d, with zn / zd in the place of e^eps *)
Definition not_above (xl T zn zd : Z) (d : Q) (ps qs : ends) : bool :=
  (gain snd fst zd zn ps qs 0 + zd * T) * QDen d <=? Qnum d * zd * xl.
Definition not_below (xh T zn zd : Z) (d : Q) (strict : bool) (ps qs : ends) : bool :=
  let l := Qnum d * zd * xh in let r := (gain fst snd zd zn ps qs 0 - zn * T) * QDen d in
  if strict then l <? r else l <=? r.
Fixpoint every_shift (j : nat) (test : ends -> bool) (us : ends) : bool :=
  match j with O => true | S i => test (pad j us) && every_shift i test us end.

Definition at_most_by (c : count) (h : hint_of_count) (win : ends * Z) (d : Q) : bool :=
  let '(us, T) := win in let '(zn, zd) := from_below (count_eps c) (exponent_bits h) in let xl := all_of fst us in
  (0 <=? zn) && (0 <=? Qnum d) &&
  every_shift (Z.to_nat (sensitivity c))
    (fun ps => not_above xl T zn zd d ps us && not_above xl T zn zd d us ps) us.
Definition reached_by (c : count) (h : hint_of_count) (win : ends * Z) (d : Q) (strict : bool) : bool :=
  let '(us, T) := win in let '(zn, zd) := from_above (count_eps c) (exponent_bits h) in
  let xh := all_of snd us + T in let ps := pad (Z.to_nat (sensitivity c)) us in
  (* the empty event reaches 0 *)
  negb strict && (Qnum d =? 0) ||
  (0 <=? zn) && (0 <=? Qnum d) && (not_below xh T zn zd d strict ps us || not_below xh T zn zd d strict us ps).
Definition window_of (c : count) (h : hint_of_count) : ends * Z := window (law_of c) (window_from h) (wide h) (2 ^ weight_bits h).
Definition count_stands (c : count) (h : hint_of_count) : bool :=
  (1 <=? sensitivity c) && good (count_eps c) && fits (count_eps c) (exponent_bits h) &&
  window_stands (law_of c) (window_from h) (wide h) (2 ^ weight_bits h).

Definition upper_end (c : count) (h : hint_of_count) (d : Q) : bool :=
  count_stands c h && at_most_by c h (window_of c h) d.
Definition lower_end (c : count) (h : hint_of_count) (d : Q) (strict : bool) : bool :=
  count_stands c h && reached_by c h (window_of c h) d strict.
(* of the largest number and 0, P that of the one or of the other *)
Definition check_shift (c : count) (h : hint_of_count) (down : bool) : bool :=
  count_stands c h &&
  let '(us, T) := window_of c h in let '(zn, zd) := from_above (count_eps c) (exponent_bits h) in
  let xh := all_of snd us + T in let ps := pad (Z.to_nat (sensitivity c)) us in
  (0 <=? zn) && (0 <=? Qnum (count_delta c)) &&
  (if down then not_below xh T zn zd (count_delta c) true ps us else not_below xh T zn zd (count_delta c) true us ps).
Definition check_count (c : count) (v : verdict) (lower upper : Q) (h : hint_of_count) : bool :=
  check_still c v lower upper ||
  count_stands c h &&
  let win := window_of c h in
  reached_by c h win lower false &&
  match v with
  | PROVED => at_most_by c h win (smaller upper (count_delta c))
  | REFUTED => at_most_by c h win upper && reached_by c h win (count_delta c) true
  end.

Local Open Scope R_scope.
(* ---- shifts of the outcomes ---- *)
Lemma sum_map {A B} (g : A -> R) (h : B -> A) l : sum g (map h l) = sum (fun b => g (h b)) l.
Proof. induction l as [|b l IH]; [reflexivity|]. cbn [map]. now rewrite !sum_cons, IH. Qed.
Lemma nodup_shift j l : NoDup l -> NoDup (map (fun k => (k + j)%Z) l).
Proof. intros H. apply FinFun.Injective_map_NoDup; auto. intros a b. lia. Qed.
Lemma total_shift (g : Z -> R) j t : total g t -> total (fun k => g (k + j)%Z) t.
Proof.
  intros [U L]. split.
  - intros y (l & D & ->). apply U. exists (map (fun k => (k + j)%Z) l). split; [now apply nodup_shift|].
    now rewrite sum_map.
  - intros b B. apply L. intros y (l & D & ->). apply B. exists (map (fun k => (k + - j)%Z) l).
    split; [now apply nodup_shift|]. rewrite sum_map. apply sum_ext. intros k _. f_equal. lia.
Qed.
Lemma seen_from X s j E a : Pr_count X (s + j) E a <->
  total (of_event (fun k => E (s + k)%Z) (fun k => prob X (k - j))) a.
Proof.
  unfold Pr_count, of_event. split; intros H.
  - apply (total_shift _ (- j)) in H. eapply total_ext; [|exact H]. intros k. cbv beta.
    replace (s + j + (k + - j))%Z with (s + k)%Z by lia. reflexivity.
  - apply (total_shift _ j) in H. eapply total_ext; [|exact H]. intros k. cbv beta.
    replace (s + (k + j))%Z with (s + j + k)%Z by lia. replace (k + j - j)%Z with k by lia. reflexivity.
Qed.

Section Count.
Variables (c : count) (h : hint_of_count) (ST : count_stands c h = true).
Let X := law_of c.
Let z := value (count_eps c).
Let us := fst (window_of c h).
Let T := snd (window_of c h).
Lemma sound_parts : (1 <= sensitivity c)%Z /\ good (count_eps c) = true /\ fits (count_eps c) (exponent_bits h) = true
  /\
  window_stands X (window_from h) (wide h) (2 ^ weight_bits h) = true.
Proof.
  pose proof ST as H. unfold count_stands in H. repeat (apply andb_prop in H as [H ?]). apply Z.leb_le in H. auto.
Qed.
Let x := x_of X (window_from h) (2 ^ weight_bits h).
Let cutX := cut X (window_from h) (wide h).
Lemma X_0 : 0 < x.
Proof. destruct sound_parts as (_ & _ & _ & W). eapply x_pos; eauto. Qed.
Lemma law_noise : is_noise X.
Proof. destruct sound_parts as (_ & _ & _ & W). apply proper_is. now apply (stands _ _ _ _ W). Qed.
Lemma us_encl : encl x cutX (window_from h) us.
Proof. destruct sound_parts as (_ & _ & _ & W). apply window_encl. exact W. Qed.
Lemma padded j : encl x (fun k => cutX (k - Z.of_nat j)%Z) (window_from h) (pad j us).
Proof.
  destruct sound_parts as (_ & _ & _ & W).
  pose proof (encl_shift x cutX (window_from h) (Z.of_nat j) us us_encl) as E.
  apply (pad_encl x _ j) in E; [replace (window_from h + Z.of_nat j - Z.of_nat j)%Z with (window_from h) in E by lia;
    exact E|].
  intros i Hi. apply (below_before X (window_from h) (wide h)). lia.
Qed.
Lemma tail_of j l : NoDup l -> x * sum (fun k => prob X (k - j) - cutX (k - j)%Z) l <= IZR T.
Proof.
  destruct sound_parts as (_ & _ & _ & W). intros D.
  pose proof (outside X (window_from h) (wide h) (2 ^ weight_bits h) W (map (fun k => (k + - j)%Z) l) (nodup_shift (- j) l
    D)) as O.
  rewrite sum_map in O. exact O.
Qed.
Lemma between j k : 0 <= cutX (k - j)%Z <= prob X (k - j).
Proof. destruct sound_parts as (_ & _ & _ & W). eapply cut_between. exact W. Qed.
Lemma minus_0 k : (k - 0)%Z = k. Proof. lia. Qed.

(* a pair: the law moved by i against the law moved by j, in either order *)
Definition moved (i : nat) k := prob X (k - Z.of_nat i).
Definition ends_of (i : nat) := pad i us.
Lemma not_above_ok i j d zn zd : (0 <= zn)%Z -> (0 < zd)%Z -> IZR zn <= z * IZR zd -> (0 <= Qnum d)%Z ->
  not_above (all_of fst us) T zn zd d (ends_of i) (ends_of j) = true -> forall l, NoDup l ->
  sum (excess (moved i) (moved j) z) l <= Q2R d.
Proof.
  intros N D LZ D0 H l HL. pose proof X_0 as X0. apply Z.leb_le, IZR_le in H.
  destruct sound_parts as (_ & _ & _ & W).
  destruct (x_between X (window_from h) (wide h) (2 ^ weight_bits h) W) as [XL _]. fold x in XL.
  pose proof (pair_upper x X0 (moved i) (moved j) (fun k => cutX (k - Z.of_nat i)%Z) (fun k => cutX (k - Z.of_nat j)%Z)
    (window_from h) (ends_of i) (ends_of j) (IZR T) (between _) (between _) (padded i) (padded j)) as U.
  assert (PB : forall k, (k < window_from h)%Z -> cutX (k - Z.of_nat i)%Z = 0).
  { intros k Hk. apply (below_before X (window_from h) (wide h)). lia. }
  specialize (U PB (tail_of _) z zn zd N D LZ l HL).
  rewrite !mult_IZR, plus_IZR, mult_IZR in H. rewrite Q2R_frac. pose proof (den_pos d) as DP.
  apply IZR_lt in D. apply IZR_le in D0. set (S := sum (excess _ _ _) l) in *.
  fold us in XL. change (fst (window X (window_from h) (wide h) (2 ^ weight_bits h))) with us in XL.
  assert (KP : 0 < IZR (QDen d) * (x * IZR zd)) by (apply Rmult_lt_0_compat; [lra|]; now apply Rmult_lt_0_compat).
  apply Rmult_le_reg_r with (IZR (QDen d) * (x * IZR zd)); [exact KP|].
  replace (IZR (Qnum d) / IZR (QDen d) * (IZR (QDen d) * (x * IZR zd))) with (IZR (Qnum d) * IZR zd * x) by (field;
    lra).
  apply Rle_trans with (IZR (Qnum d) * IZR zd * IZR (all_of fst us)); [|apply Rmult_le_compat_l; [nra|exact XL]].
  eapply Rle_trans; [|exact H]. replace (S * (IZR (QDen d) * (x * IZR zd))) with (x * IZR zd * S * IZR (QDen d)) by
    ring.
  apply Rmult_le_compat_r; lra.
Qed.
Lemma not_below_ok i j d zn zd strict : (0 <= zn)%Z -> (0 < zd)%Z -> z * IZR zd <= IZR zn -> (0 <= Qnum d)%Z ->
  not_below (all_of snd us + T) T zn zd d strict (ends_of i) (ends_of j) = true -> exists l, NoDup l /\
  let s := sum (excess (moved i) (moved j) z) l in if strict then Q2R d < s else Q2R d <= s.
Proof.
  intros N D LZ D0 H. pose proof X_0 as X0.
  destruct sound_parts as (_ & _ & _ & W).
  destruct (x_between X (window_from h) (wide h) (2 ^ weight_bits h) W) as [_ XH]. fold x in XH.
  destruct (pair_lower x X0 (moved i) (moved j) (fun k => cutX (k - Z.of_nat i)%Z) (fun k => cutX (k - Z.of_nat j)%Z)
    (window_from h) (ends_of i) (ends_of j) (IZR T) (between _) (between _) (padded i) (padded j) (tail_of _) z zn zd N
      D LZ)
    as (l & HL & U).
  exists l. split; [exact HL|]. cbv zeta. set (S := sum (excess _ _ _) l) in *.
  change (fst (window X (window_from h) (wide h) (2 ^ weight_bits h))) with us in XH.
  change (snd (window X (window_from h) (wide h) (2 ^ weight_bits h))) with T in XH.
  rewrite Q2R_frac. pose proof (den_pos d) as DP. apply IZR_lt in D. apply IZR_le in D0. unfold not_below in H.
  assert (KP : 0 < IZR (QDen d) * (x * IZR zd)) by (apply Rmult_lt_0_compat; [lra|]; now apply Rmult_lt_0_compat).
  assert (K : IZR (Qnum d) / IZR (QDen d) * (IZR (QDen d) * (x * IZR zd)) = IZR (Qnum d) * IZR zd * x) by (field; lra).
  assert (M : IZR (Qnum d) * IZR zd * x <= IZR (Qnum d) * IZR zd * (IZR (all_of snd us) + IZR T)).
  { apply Rmult_le_compat_l; [nra|exact XH]. }
  assert (R : (IZR (gain fst snd zd zn (ends_of i) (ends_of j) 0) - IZR zn * IZR T) * IZR (QDen d) <=
    S * (IZR (QDen d) * (x * IZR zd))).
  { replace (S * (IZR (QDen d) * (x * IZR zd))) with (x * IZR zd * S * IZR (QDen d)) by ring.
    apply Rmult_le_compat_r; lra. }
  destruct strict; [apply Z.ltb_lt, IZR_lt in H; apply Rmult_lt_reg_r with (IZR (QDen d) * (x * IZR zd))|
    apply Z.leb_le, IZR_le in H; apply Rmult_le_reg_r with (IZR (QDen d) * (x * IZR zd))]; try exact KP;
    rewrite !mult_IZR, minus_IZR, mult_IZR, plus_IZR in H; rewrite K; lra.
Qed.

Lemma moved_0 k : moved 0 k = prob X k.
Proof. unfold moved. f_equal. lia. Qed.
Lemma at_most_sound d : at_most_by c h (window_of c h) d = true -> count_private X (sensitivity c) z (Q2R d).
Proof.
  destruct sound_parts as (J & G & F & W). unfold at_most_by. rewrite (surjective_pairing (window_of c h)). fold us T.
  pose proof (from_below_ok _ _ G F) as ZB. cbv zeta in ZB. destruct (from_below _ _) as [zn zd]. cbn [fst snd] in ZB.
  destruct ZB as [D LZ]. fold z in LZ. intros H. do 2 apply andb_prop in H as [H ?]. apply Z.leb_le in H, H1.
  apply lt_IZR in D.
  assert (EV : forall m j, (1 <= j <= m)%nat -> every_shift m (fun ps => not_above (all_of fst us) T zn zd d ps us &&
    not_above (all_of fst us) T zn zd d us ps) us = true ->
    not_above (all_of fst us) T zn zd d (ends_of j) (ends_of 0) = true /\
    not_above (all_of fst us) T zn zd d (ends_of 0) (ends_of j) = true).
  { induction m as [|m IH]; intros j Hj E; [lia|]. cbn [every_shift] in E. apply andb_prop in E as [E1 E2].
    destruct (Nat.eq_dec j (S m)) as [->|NE]; [now apply andb_prop in E1|]. apply IH; [lia|exact E2]. }
  assert (Z0 : 0 <= z). { unfold z, value. apply IZR_le in H. apply IZR_lt in D. destruct (count_eps c); [left;
    apply exp_pos|].
    cbn in *. nra. }
  intros s t E a b [N1 N2] PA PB. destruct (Z_lt_le_dec s t) as [L|L].
  - set (j := Z.to_nat (t - s)). destruct (EV (Z.to_nat (sensitivity c)) j ltac:(unfold j; lia) H0) as [_ A].
    replace s with (s + 0)%Z in PA by lia. replace t with (s + Z.of_nat j)%Z in PB by (unfold j; lia).
    apply seen_from in PA, PB. apply (at_most_of_sums (moved 0) (moved j) z (Q2R d) (fun k => E (s + k)%Z)); auto.
    + intros k. apply prob_nonneg, law_noise.
    + now apply (not_above_ok 0 j d zn zd).
  - set (j := Z.to_nat (s - t)). destruct (EV (Z.to_nat (sensitivity c)) j ltac:(unfold j; lia) H0) as [A _].
    replace t with (t + 0)%Z in PB by lia. replace s with (t + Z.of_nat j)%Z in PA by (unfold j; lia).
    apply seen_from in PA, PB. apply (at_most_of_sums (moved j) (moved 0) z (Q2R d) (fun k => E (t + k)%Z)); auto.
    + intros k. apply prob_nonneg, law_noise.
    + now apply (not_above_ok j 0 d zn zd).
Qed.
Lemma sums_1 i l : NoDup l -> sum (moved i) l <= 1.
Proof.
  intros D. pose proof (total_above _ _ _ (prob_total X law_noise) (nodup_shift (- Z.of_nat i) l D)) as B.
  rewrite sum_map in B. exact B.
Qed.
Lemma reached_sound d strict : reached_by c h (window_of c h) d strict = true -> exists s t E a b,
  near (sensitivity c) s t /\ Pr_count X s E a /\ Pr_count X t E b /\
  if strict then Q2R d < a - z * b else Q2R d <= a - z * b.
Proof.
  destruct sound_parts as (J & G & F & W). unfold reached_by. rewrite (surjective_pairing (window_of c h)). fold us T.
  pose proof (from_above_ok _ _ G F) as ZB. cbv zeta in ZB. destruct (from_above _ _) as [zn zd]. cbn [fst snd] in ZB.
  destruct ZB as [D LZ]. fold z in LZ. intros H. apply orb_prop in H as [H|H].
  { apply andb_prop in H as [S D0]. destruct strict; [discriminate|]. apply Z.eqb_eq in D0.
    assert (N : total (of_event (fun _ : Z => false) (prob X)) 0).
    { split; [|intros b B; apply B; exists []; split; [constructor|reflexivity]]. intros y (l & _ & ->). right.
      unfold of_event. induction l as [|k l IH]; [reflexivity|]. rewrite sum_cons, IH. ring. }
    exists 0%Z, 1%Z, (fun _ => false), 0, 0. split; [unfold near; lia|]. split; [exact N|]. split; [exact N|].
    rewrite Q2R_frac, D0. unfold Rdiv. rewrite Rmult_0_l. lra. }
  do 2 apply andb_prop in H as [H ?]. apply Z.leb_le in H, H1.
  apply lt_IZR in D. set (j := Z.to_nat (sensitivity c)) in *.
  assert (Z0 : 0 < z). { unfold z, value. destruct (count_eps c) as [q|q]; [apply exp_pos|]. cbn [good] in G.
    apply Z.leb_le in G. rewrite Q2R_frac. apply Rdiv_lt_0_compat; [apply IZR_lt; lia|apply den_pos]. }
  assert (M0 : forall i k, 0 <= moved i k) by (intros; apply prob_nonneg, law_noise).
  assert (GO : forall i i', not_below (all_of snd us + T) T zn zd d strict (ends_of i) (ends_of i') = true ->
    near (sensitivity c) (0 + Z.of_nat i) (0 + Z.of_nat i') -> exists s t E a b,
    near (sensitivity c) s t /\ Pr_count X s E a /\ Pr_count X t E b /\
    if strict then Q2R d < a - z * b else Q2R d <= a - z * b).
  { intros i i' NB NR. destruct (not_below_ok i i' d zn zd strict H D LZ H1 NB) as (l & HL & S).
    destruct (reached_by_sums Z.eq_dec (moved i) (moved i') z l Z0 (M0 i) (M0 i') HL) as (a & b & A & B & R);
      [exists 1; apply sums_1|exists 1; apply sums_1|].
    exists (0 + Z.of_nat i)%Z, (0 + Z.of_nat i')%Z, (best (moved i) (moved i') z), a, b.
    split; [exact NR|]. split; [now apply seen_from|]. split; [now apply seen_from|]. cbv zeta in S. destruct strict;
      lra. }
  apply orb_prop in H0 as [H0|H0].
  - apply (GO j O H0). unfold near, j. lia.
  - apply (GO O j H0). unfold near, j. lia.
Qed.
End Count.

Theorem check_count_sound c v lower upper h : check_count c v lower upper h = true -> count_true c v lower upper.
Proof.
  unfold check_count. intros H. apply orb_prop in H as [H|H]; [now apply check_still_sound|]. unfold count_true.
  apply andb_prop in H as [ST H]. cbv zeta in H.
    apply andb_prop in H as [L V].
  apply (reached_sound c h ST) in L. split; [left; now apply (law_noise c h)|]. destruct v.
  - apply (at_most_sound c h ST) in V. destruct (smaller_ok upper (count_delta c)) as [A B].
    split; [|split; [exact L|]]; intros s t E a b N PA PB; (eapply Rle_trans; [eapply V; eauto|assumption]).
  - apply andb_prop in V as [U S]. apply (at_most_sound c h ST) in U. apply (reached_sound c h ST) in S. auto.
Qed.
Theorem check_shift_sound c h down : check_shift c h down = true -> is_law (law_of c) /\ exists s t E a b,
  near (sensitivity c) s t /\ Pr_count (law_of c) s E a /\ Pr_count (law_of c) t E b /\
  Q2R (count_delta c) < a - value (count_eps c) * b.
Proof.
  unfold check_shift. intros H. apply andb_prop in H as [ST H]. split; [left; now apply (law_noise c h)|].
  apply (reached_sound c h ST (count_delta c) true). unfold reached_by. destruct (window_of c h) as [us T].
  destruct (from_above _ _) as [zn zd]. apply andb_prop in H as [H N]. rewrite H. cbn [negb andb orb].
  destruct down; rewrite N; [reflexivity|apply orb_true_r].
Qed.
