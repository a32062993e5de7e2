(* The checker of blanket certificates of version 2, and the theorem about it. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec SpecCount SpecBlanket SpecThreshold Sums Poly Key Event Exp Check Symmetry Kernel Threshold
  AnyRandomizer Multisets Grid GridSum.
Import ListNotations.
Local Open Scope Z_scope.

(* D Pr[R(x) = y] for the row r of x; D c(y) *)
Definition amount D (r : row) (y : list msg) : Z :=
  fold_right (fun o t => (if same Preshuffle (fst o) y then Qnum (snd o) * (D / QDen (snd o)) else 0) + t) 0 r.
Definition lowest_amount D (K : randomizer) (y : list msg) : Z := fold_right (fun r c => Z.min (amount D r y) c) D K.
(* Of one pair, for e^eps = a / b: from D c(y), D Pr[R(x) = y], D Pr[R(x') = y] for all y, the first sum over b D, and
  L *)
Definition drawn := ((Z * Z) * (Z * Z))%type.
Fixpoint put (o : drawn) (l : list drawn) : list drawn :=
  match l with [] => [o] | q :: l' => if fst (fst o) <=? fst (fst q) then o :: l else q :: put o l' end.
Fixpoint first_sum a b (cs us vs : list Z) : Z :=
  match cs, us, vs with
  | c :: cs, u :: us, v :: vs => (if 0 <? c then 0 else Z.max (b * u - a * v) 0) + first_sum a b cs us vs
  | _, _, _ => 0
  end.
Fixpoint losses a b D (cs us vs : list Z) : list drawn :=
  match cs, us, vs with
  | c :: cs, u :: us, v :: vs =>
      let l := losses a b D cs us vs in if 0 <? c then put ((b * u - a * v, b * c), (c, D)) l else l
  | _, _, _ => []
  end.
Definition shape a b D (cs us vs : list Z) : Z * list drawn :=
  (first_sum a b cs us vs, put ((0, 1), (D - sum_of cs, D)) (losses a b D cs us vs)).
(* How much every row has of all outcomes. Where these are listed by rising keys, one walk along a row's keys finds all of
   it; else each outcome is looked for in every row. *)
Fixpoint all_found (p : poly) (ks : list Z) : bool :=
  match ks with
  | [] => match p with [] => true | _ => false end
  | k :: ks => match p with
      | [] => true
      | (l, _) :: p' => if l =? k then all_found p' ks else all_found p ks
      end
  end.
Fixpoint found_along (p : poly) (ks acc : list Z) : list Z :=
  match ks with
  | [] => rev_append acc []
  | k :: ks => match p with
      | [] => found_along [] ks (0 :: acc)
      | (l, u) :: p' => if l =? k then found_along p' ks (u :: acc) else found_along p ks (0 :: acc)
      end
  end.
Definition all_there w (K : randomizer) (ys : list (list msg)) : bool :=
  let ks := map (key w) ys in let known := among ks in
  ascending (-1) (map (fun k => (k, tt)) ks) && forallb (fun y => Z.of_nat (length y) <? 2 ^ w) ys &&
  forallb (forallb (fun o => known (key w (fst o)))) K.
Definition amounts D (K : randomizer) (ys : list (list msg)) : list (list Z) :=
  let w := Z.log2 (longest K) + 1 in let ks := map (key w) ys in
  let N := map (fun r => normal (row_poly w D r)) K in
  if all_there w K ys && forallb (fun p => all_found p ks) N then map (fun p => found_along p ks []) N
  else let ys := of_all K in map (fun r => map (amount D r) ys) K.
Definition lesser (us cs : list Z) : list Z := map (fun p => Z.min (fst p) (snd p)) (combine us cs).
Definition shapes a b D (K : randomizer) (ys : list (list msg)) : list (Z * list drawn) :=
  let all := amounts D K ys in let cs := fold_right lesser (map (fun _ => D) (nth 0 all [])) all in
  let inputs := seq 0 (length K) in
  flat_map (fun x => let us := nth x all [] in
    flat_map (fun x' => if Nat.eqb x x' then [] else [shape a b D cs us (nth x' all [])]) inputs) inputs.
Definition same_ratios (p q : Z * Z) : {p = q} + {p <> q}.
Proof. decide equality; apply Z.eq_dec. Defined.
Definition same_draws (p q : drawn) : {p = q} + {p <> q}.
Proof. decide equality; apply same_ratios. Defined.
Definition same_shapes (s t : Z * list drawn) : {s = t} + {s <> t}.
Proof. decide equality; [apply (list_eq_dec same_draws)|apply Z.eq_dec]. Defined.
Definition shapes_apart a b D K ys := nodup same_shapes (shapes a b D K ys).

Definition shape_holds b D (n : positive) (d : Q) (h : way) (s : Z * list drawn) : bool :=
  way_stands h (snd s) &&
  let '(u, w) := excess_end h (snd s) n in
  ((fst s * (w * Z.pos n) + u * (b * D)) * QDen d <=? Qnum d * (b * D * (w * Z.pos n))).
Definition check_blanket (c : claim) D (p : precision) (h : way) (ys : list (list msg)) : bool :=
  let '(a, b) := from_below (eps c) p in
  valid D (rows c) && match sees c with Shuffled => true | _ => false end && good (eps c) && fits (eps c) p &&
  (Nat.ltb 0 (users c)) &&
  forallb (shape_holds b D (Z.to_pos (Z.of_nat (users c))) (delta c) h)
    (shapes_apart a b D (rows c) ys).

Local Open Scope R_scope.
Lemma put_draw o l g : draw (map value_of (put o l)) g = draw (map value_of (o :: l)) g.
Proof.
  unfold draw. induction l as [|q l IH]; [reflexivity|]. cbn [put]. destruct (_ <=? _)%Z; [reflexivity|].
  cbn [map] in *. rewrite sum_cons, IH, !sum_cons. ring.
Qed.
Lemma amount_ok D r y : row_fits D r = true -> IZR (amount D r y) = IZR D * Pr (fun s => same Preshuffle s y) r.
Proof.
  unfold row_fits, amount, Pr. intros H. apply andb_prop in H as [_ H].
  induction r as [|[s p] r IH]; cbn [fold_right fst snd forallb] in *; [ring|].
  apply andb_prop in H as [H1 H2]. rewrite plus_IZR, (IH H2). apply andb_prop in H1 as [H1 _]. apply Z.eqb_eq in H1.
  destruct (same Preshuffle s y); [|ring]. rewrite mult_IZR, Q2R_frac. pose proof (den_pos p) as P.
  pose proof (Z.div_mod D (QDen p) ltac:(lia)) as E. rewrite H1, Z.add_0_r in E.
  apply (f_equal IZR) in E. rewrite mult_IZR in E. set (k := IZR (D / QDen p)) in *.
  rewrite E. unfold Pr. field. lra.
Qed.
Lemma least_rows K y : least K y = fold_right (fun r c => Rmin (Pr (fun s => same Preshuffle s y) r) c) 1 K.
Proof.
  unfold least. induction K as [|r K IH]; [reflexivity|]. cbn [length seq fold_right]. rewrite <- IH, <- seq_shift.
  unfold weight at 1. cbn [nth]. f_equal. clear IH. induction (seq 0 (length K)) as [|i l IHl]; [reflexivity|].
  cbn [map fold_right]. rewrite IHl. reflexivity.
Qed.
Lemma lowest_ok D K y : (0 < D)%Z -> forallb (row_fits D) K = true ->
  IZR (lowest_amount D K y) = IZR D * least K y.
Proof.
  intros D0 F. apply IZR_lt in D0. rewrite least_rows. unfold lowest_amount. induction K as [|r K IH]; cbn [fold_right].
  - ring.
  - cbn [forallb] in F. apply andb_prop in F as [F1 F2]. specialize (IH F2). set (m := fold_right _ D K) in *.
    pose proof (amount_ok D r y F1) as A. set (p := Pr _ r) in *. set (q := fold_right (fun r c => Rmin (Pr (fun s =>
      same Preshuffle s y) r) c) 1 K) in *.
    unfold Rmin. destruct (Rle_dec p q) as [L|L].
    + rewrite Z.min_l; [exact A|]. apply le_IZR. rewrite A, IH. nra.
    + rewrite Z.min_r; [exact IH|]. apply le_IZR. rewrite A, IH. nra.
Qed.

(* ---- how much rows have of all outcomes ---- *)
Definition no_two := ForallOrdPairs (fun y y' : list msg => ~ Permutation y y').
Lemma ascending_keys ks : ascending (-1) (map (fun k => (k, tt)) ks) = true -> NoDup ks.
Proof. intros A. apply ascending_nodup in A as [N _]. now rewrite map_map, map_id in N. Qed.
Lemma keys_apart w ys : NoDup (map (key w) ys) -> no_two ys.
Proof.
  induction ys as [|y ys IH]; intros H; [constructor|]. cbn [map] in H. inversion H as [|k l F O]; subst.
  constructor; [|exact (IH O)]. apply Forall_forall. intros z I P. apply F. rewrite (key_perm w y z P). now apply in_map.
Qed.
Lemma all_there_ok w K ys : (0 <= w)%Z -> (longest K < 2 ^ w)%Z -> all_there w K ys = true -> multisets K ys.
Proof.
  unfold all_there. intros W L H. apply andb_prop in H as [H T]. apply andb_prop in H as [R S].
  split; [|now apply (keys_apart w), ascending_keys]. intros r s p I J. rewrite forallb_forall in T.
  specialize (T r I). rewrite forallb_forall in T. specialize (T _ J). apply among_ok, in_map_iff in T as (y & E & Y). cbn [fst] in E.
  exists y. split; [exact Y|]. symmetry. rewrite forallb_forall in S. specialize (S y Y). apply Z.ltb_lt in S.
  apply (key_inj w); try assumption. apply In_nth with (d := []) in I as (i & _ & <-).
  exact (Z.le_lt_trans _ _ _ (longest_ok K i s p J) L).
Qed.
Lemma weight_at_eval f k : IZR (weight_at f k) = eval (indicator (Z.eqb k)) f.
Proof.
  induction f as [|[l v] f IH]; [reflexivity|]. rewrite weight_at_cons. cbn [eval]. unfold indicator at 1.
  rewrite (Z.eqb_sym k l). destruct (Z.eqb l k); rewrite ?plus_IZR, IH; ring.
Qed.
Lemma found_ok ks : NoDup ks -> forall p acc, all_found p ks = true ->
  found_along p ks acc = rev acc ++ map (weight_at p) ks.
Proof.
  induction 1 as [|k ks F A IH]; intros p acc T; cbn [found_along map]; [now rewrite rev_append_rev|].
  assert (N : forall p, all_found p ks = true -> weight_at p k = 0%Z).
  { clear -F. induction ks as [|l ks IH]; intros [|[j u] p] T; try reflexivity; [discriminate|].
    cbn [all_found] in T. destruct (Z.eqb_spec j l) as [->|NJ].
    - rewrite weight_at_cons, (proj2 (Z.eqb_neq l k)) by (intros ->; apply F; now left). apply IH; [|exact T]. intros I.
      apply F. now right.
    - apply IH; [|exact T]. intros I. apply F. now right. }
  destruct p as [|[l u] p]; cbn [all_found] in T.
  - rewrite IH by now destruct ks. cbn [rev]. rewrite <- app_assoc. reflexivity.
  - destruct (Z.eqb_spec l k) as [->|NE].
    + rewrite IH by exact T. cbn [rev]. rewrite <- app_assoc. cbn [app]. do 2 f_equal.
      * rewrite weight_at_cons, Z.eqb_refl, N by exact T. lia.
      * apply map_ext_in. intros l J. now rewrite weight_at_cons, (proj2 (Z.eqb_neq k l)) by (intros ->; contradiction).
    + rewrite IH by exact T. cbn [rev]. rewrite <- app_assoc. cbn [app]. now rewrite (N ((l, u) :: p) T).
Qed.
Lemma weight_at_amount w D r y : (0 <= w)%Z -> (forall s p, In (s, p) r -> (Z.of_nat (length s) < 2 ^ w)%Z) ->
  (Z.of_nat (length y) < 2 ^ w)%Z -> weight_at (normal (row_poly w D r)) (key w y) = amount D r y.
Proof.
  intros W S Y. transitivity (weight_at (row_poly w D r) (key w y)).
  { apply eq_IZR. rewrite !weight_at_eval. apply eval_normal. }
  unfold amount, row_poly, row_by. induction r as [|[s p] r IH]; [reflexivity|]. cbn [map fold_right fst snd].
  rewrite weight_at_cons, IH by (intros; eapply S; right; eassumption).
  destruct (Z.eqb_spec (key w s) (key w y)) as [E|E], (same Preshuffle s y) eqn:X; try reflexivity; exfalso.
  - assert (P : Permutation s y) by (apply (key_inj w); auto; eapply S; now left). apply same_perm in P. congruence.
  - apply same_perm in X. now apply E, key_perm.
Qed.
Lemma amounts_ok D K ys : exists all, multisets K all /\ amounts D K ys = map (fun r => map (amount D r) all) K.
Proof.
  unfold amounts. set (w := (Z.log2 (longest K) + 1)%Z). destruct (_ && _) eqn:H; [|exists (of_all K); split;
    [apply multisets_exist|reflexivity]]. apply andb_prop in H as [H T].
  assert (W : (0 <= w)%Z) by (pose proof (Z.log2_nonneg (longest K)); lia).
  assert (L : (longest K < 2 ^ w)%Z).
  { destruct (Z.lt_ge_cases 0 (longest K)) as [P|P]; [now apply Z.log2_spec|].
    pose proof (Z.pow_pos_nonneg 2 w ltac:(lia) W). lia. }
  exists ys. split; [now apply (all_there_ok w)|]. rewrite map_map. apply map_ext_in. intros r I.
  unfold all_there in H. apply andb_prop in H as [H _]. apply andb_prop in H as [R S].
  rewrite forallb_forall in T, S. rewrite found_ok; [|now apply ascending_keys|].
  - cbn [rev app]. rewrite map_map. apply map_ext_in. intros y J. apply weight_at_amount; [exact W| |].
    + intros s p O. apply In_nth with (d := []) in I as (i & _ & <-). exact (Z.le_lt_trans _ _ _ (longest_ok K i s p O) L).
    + specialize (S y J). now apply Z.ltb_lt in S.
  - apply T, in_map_iff. now exists r.
Qed.
Lemma lowest_all D ys K : fold_right lesser (map (fun _ => D) ys) (map (fun r => map (amount D r) ys) K) =
  map (lowest_amount D K) ys.
Proof.
  induction K as [|r K IH]; [reflexivity|]. cbn [map fold_right]. rewrite IH.
  unfold lesser. clear. induction ys as [|y ys IH]; [reflexivity|]. cbn [map combine fst snd]. now rewrite IH.
Qed.

Section One.
Variables (K : randomizer) (D a b : Z) (ys : list (list msg)) (x x' : nat) (z : R).
Hypotheses (D0 : (0 < D)%Z) (b0 : 0 < IZR b) (below : IZR a <= z * IZR b).
Hypotheses (F : forallb (row_fits D) K = true) (HK : is_randomizer K).
Hypotheses (X : (x < length K)%nat) (X' : (x' < length K)%nat).
Let cs := map (lowest_amount D K) ys.
Let us := map (amount D (nth x K [])) ys.
Let vs := map (amount D (nth x' K [])) ys.
Lemma amount_at i y : (i < length K)%nat -> IZR (amount D (nth i K []) y) = IZR D * weight K i y.
Proof. intros L. apply amount_ok. rewrite forallb_forall in F. apply F. now apply nth_In. Qed.
Lemma positive_least y : (0 <? lowest_amount D K y)%Z = true <-> 0 < least K y.
Proof.
  rewrite Z.ltb_lt. apply IZR_lt in D0. pose proof (lowest_ok D K y ltac:(now apply lt_IZR) F) as L. split; intros H.
  - apply IZR_lt in H. rewrite L in H. nra.
  - apply lt_IZR. rewrite L. nra.
Qed.
Lemma numerator y : IZR D * IZR b * (weight K x y - z * weight K x' y) <= IZR (b * amount D (nth x K []) y - a *
  amount D (nth x' K []) y).
Proof.
  rewrite minus_IZR, !mult_IZR, !amount_at by assumption. apply IZR_lt in D0.
  pose proof (weight_nonneg K HK x' y). assert (0 <= IZR D * weight K x' y) by (apply Rmult_le_pos; lra). nra.
Qed.
Lemma first_sum_ok : IZR D * IZR b * without K x x' z ys <= IZR (first_sum a b cs us vs).
Proof.
  unfold without, cs, us, vs. induction ys as [|y l IH]; [cbn; lra|]. cbn [map first_sum]. rewrite sum_cons, plus_IZR.
  pose proof (positive_least y) as P. pose proof (numerator y) as N. apply IZR_lt in D0.
  assert (Y : 0 < IZR D * IZR b) by nra.
  destruct (Rlt_dec 0 (least K y)) as [L|L], (0 <? lowest_amount D K y)%Z.
  - lra.
  - exfalso. apply P in L. discriminate.
  - exfalso. now apply L, P.
  - rewrite Rmult_plus_distr_l. apply Rplus_le_compat; [|exact IH].
    set (e := weight K x y - z * weight K x' y) in *. set (m := (b * _ - _)%Z) in *.
    unfold Rmax. destruct (Rle_dec e 0).
    + rewrite Rmult_0_r. apply IZR_le. lia.
    + eapply Rle_trans; [exact N|]. apply IZR_le. lia.
Qed.
Lemma losses_ok g : rising g ->
  draw (map (fun y => (loss K x x' z y, least K y)) ys) g <= draw (map value_of (losses a b D cs us vs)) g.
Proof.
  intros (_ & M & _). unfold cs, us, vs. induction ys as [|y l IH]; [cbn; lra|]. cbn [map losses]. cbv zeta.
  pose proof (positive_least y) as P. pose proof (numerator y) as N. apply IZR_lt in D0 as D1.
  pose proof (least_nonneg K HK y) as LN. pose proof (lowest_ok D K y D0 F) as LO.
  destruct (0 <? lowest_amount D K y)%Z.
  - rewrite put_draw. unfold draw in *. cbn [map]. rewrite !sum_cons. cbn [fst snd value_of]. apply Rplus_le_compat;
    [|exact IH].
    destruct P as [P _]. specialize (P eq_refl). rewrite LO. replace (IZR D * least K y / IZR D) with (least K y) by
      (field; lra).
    apply Rmult_le_compat_l; [exact LN|]. apply M. unfold loss. rewrite mult_IZR, LO. set (m := IZR (_ - _)) in *.
    assert (Y : 0 < IZR b * (IZR D * least K y)) by (repeat apply Rmult_lt_0_compat; assumption).
    apply Rmult_le_reg_r with (IZR b * (IZR D * least K y)); [exact Y|].
    replace (m / (IZR b * (IZR D * least K y)) * (IZR b * (IZR D * least K y))) with m by (field; lra).
    replace ((weight K x y - z * weight K x' y) / least K y * (IZR b * (IZR D * least K y))) with
      (IZR D * IZR b * (weight K x y - z * weight K x' y)) by (field; lra). exact N.
  - unfold draw in *. cbn [map]. rewrite sum_cons. cbn [fst snd].
    assert (Z0 : least K y = 0) by (destruct P as [_ P]; destruct (Rlt_dec 0 (least K y)) as [L|L]; [specialize (P L);
      discriminate|lra]).
    rewrite Z0. lra.
Qed.
Lemma sum_lowest : IZR (sum_of cs) = IZR D * sum (least K) ys.
Proof.
  unfold cs. induction ys as [|y l IH]; [cbn; ring|]. cbn [map]. rewrite sum_of_cons, sum_cons, plus_IZR, IH,
    lowest_ok by assumption.
  ring.
Qed.
Lemma shape_ok (n : positive) d h (M : multisets K ys) : shape_holds b D n d h (shape a b D cs us vs) = true ->
  blanket_bound K ys (Pos.to_nat n) x x' z <= Q2R d.
Proof.
  unfold shape_holds. intros H. apply andb_prop in H as [ST H]. cbn [shape fst snd] in *.
  set (L := put _ _) in *. set (T := (0, 1 - sum (least K) ys) :: map (fun y => (loss K x x' z y, least K y)) ys).
  assert (WT : weighs T).
  { intros o [<-|I]; cbn [snd].
    - pose proof (weights_one K HK ys M x X) as W1.
      assert (sum (least K) ys <= sum (weight K x) ys) by (apply sum_le; intros y _; now apply least_below). lra.
    - apply in_map_iff in I as (y & <- & _). cbn [snd]. now apply least_nonneg. }
  assert (DOM : forall g, rising g -> draw T g <= draw (map value_of L) g).
  { intros g G. unfold L. rewrite put_draw. pose proof (losses_ok g G) as LO. unfold draw in *. unfold T. cbn [map].
    rewrite !sum_cons. cbn [fst snd value_of]. apply Rplus_le_compat; [|exact LO]. right.
    rewrite minus_IZR, sum_lowest. apply IZR_lt in D0. replace (0 / 1) with 0 by field.
    replace ((IZR D - IZR D * sum (least K) ys) / IZR D) with (1 - sum (least K) ys) by (field; lra). reflexivity. }
  pose proof (excess_end_ok h L ST T n WT DOM) as B. destruct (way_parts h L ST) as (_ & S2 & W0 & _).
  assert (WP : (0 < snd (excess_end h L n))%Z) by (cbn [excess_end excess_on snd]; nia).
  destruct (excess_end h L n) as [u w]. cbn [fst snd] in *.
  apply Z.leb_le, IZR_le in H. rewrite !mult_IZR, plus_IZR, !mult_IZR in H. apply IZR_lt in WP. apply IZR_lt in D0 as
    D1.
  unfold blanket_bound, mean_excess. fold T. pose proof first_sum_ok as FS. set (f := IZR (first_sum _ _ _ _ _)) in *.
  set (o := without _ _ _ _ _) in *. set (m := mean_of_sum _ _ _) in *.
  rewrite INR_IZR_INZ, positive_nat_Z. assert (N0 : 0 < IZR (Z.pos n)) by (apply IZR_lt; reflexivity).
  rewrite Q2R_frac. pose proof (den_pos d) as DP.
  assert (MW : m * IZR w <= IZR u) by (apply Rmult_le_compat_r with (r := IZR w) in B; [|lra]; unfold Rdiv in B;
    rewrite Rmult_assoc, Rinv_l in B; lra).
  assert (BD : 0 < IZR b * IZR D) by nra. assert (WN : 0 < IZR w * IZR (Z.pos n)) by nra.
  assert (Y : 0 < IZR b * IZR D * (IZR w * IZR (Z.pos n)) * IZR (QDen d)) by (repeat apply Rmult_lt_0_compat;
    assumption).
  apply Rmult_le_reg_r with (1 := Y).
  replace ((o + m / IZR (Z.pos n)) * (IZR b * IZR D * (IZR w * IZR (Z.pos n)) * IZR (QDen d))) with
    ((IZR D * IZR b * o * (IZR w * IZR (Z.pos n)) + m * IZR w * (IZR b * IZR D)) * IZR (QDen d)) by (field; lra).
  replace (IZR (Qnum d) / IZR (QDen d) * (IZR b * IZR D * (IZR w * IZR (Z.pos n)) * IZR (QDen d))) with
    (IZR (Qnum d) * (IZR b * IZR D * (IZR w * IZR (Z.pos n)))) by (field; lra).
  eapply Rle_trans; [|exact H]. apply Rmult_le_compat_r; [lra|]. apply Rplus_le_compat; apply Rmult_le_compat_r; lra.
Qed.
End One.
Theorem check_blanket_sound c D p h ys : check_blanket c D p h ys = true -> blanket_true c.
Proof.
  unfold check_blanket. destruct (from_below (eps c) p) as [a b] eqn:E. intros H. apply andb_prop in H as [H S].
  apply andb_prop in H as [H N]. apply andb_prop in H as [H FT]. apply andb_prop in H as [H G].
  apply andb_prop in H as [V SH]. apply valid_sound in V as HK. apply valid_fits in V as F.
  apply Nat.ltb_lt in N. pose proof (from_below_ok _ _ G FT) as [b0 AB]. rewrite E in b0, AB. cbn [fst snd] in b0, AB.
  destruct (amounts_ok D (rows c) ys) as (all & M & TA).
  assert (B : forall x x', (x < length (rows c))%nat -> (x' < length (rows c))%nat -> x <> x' ->
    blanket_bound (rows c) all (users c) x x' (value (eps c)) <= Q2R (delta c)).
  { intros x x' L L' NE. rewrite forallb_forall in S.
    replace (users c) with (Pos.to_nat (Z.to_pos (Z.of_nat (users c)))) by lia.
    assert (D0 : (0 < D)%Z).
    { rewrite forallb_forall in F. specialize (F _ (nth_In _ [] L)). unfold row_fits in F. apply andb_prop in F as [F
      _].
      now apply Z.ltb_lt in F. }
    apply (shape_ok (rows c) D a b all x x' (value (eps c)) D0 b0 AB F HK L L' _ _ h M).
    assert (R : forall i, (i < length (rows c))%nat -> nth i (map (fun r => map (amount D r) all) (rows c)) [] =
      map (amount D (nth i (rows c) [])) all).
    { intros i I. rewrite (nth_indep _ [] (map (amount D []) all)) by now rewrite map_length.
      apply (map_nth (fun r => map (amount D r) all)). }
    apply S, nodup_In. unfold shapes. rewrite TA. apply in_flat_map. exists x. split; [apply in_seq; lia|].
    apply in_flat_map. exists x'. split; [apply in_seq; lia|]. rewrite (proj2 (Nat.eqb_neq x x') NE). left.
    rewrite !R, map_map, lowest_all by lia. reflexivity. }
  split; [split; [exact HK|split; [now destruct (sees c)|]]|].
  - eapply (blanket_private (rows c) HK all M). exact B.
  - exists all. split; [exact M|exact B].
Qed.
