(* Laws of numbers that are known from below: integer weights over a unit; what they miss of 1 may be anywhere. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool Permutation.
From Shufflecert Require Import Spec SpecCount SpecColumns Sums Poly Exp Check Cover Kron Powers Noise Total Gain Window
  Beside Grid GridSum Numbers Bells Made.
Import ListNotations.
Local Open Scope Z_scope.
Notation sum := SpecCount.sum.

Definition low := (poly * Z)%type.
(* Where to walk along a noise law, from which weight on; units of the others. None of it can do any harm. *)
Inductive low_hint := Walk (from : Z) (steps : nat) (start : Z) | Around (steps : nat) (start : Z) (by_ : precision)
  | Parts (unit : Z) (of : list low_hint).
Definition unit_in (h : low_hint) : Z := match h with Parts u _ => u | _ => 1 end.
Definition parts_in (h : low_hint) : list low_hint := match h with Parts _ l => l | _ => [] end.
Definition nothing_known : low := ([], 1).
Definition known_0 : low := ([(0, 1)], 1).
(* binomial noise with p = 0 or p = 1 *)
Definition no_noise (X : noise) : option Z :=
  match X with
  | Binomial n p => if negb (0 <=? n) then None else if Qnum p =? 0 then Some 0 else if Qnum p =? QDen p then Some n else None
  | _ => None
  end.

Definition natural_or_none (p : poly) : poly := if forallb (fun kw => 0 <=? snd kw) p then p else [].
(* a long unit becomes 2^fine *)
Definition shorter (fine : Z) (a : low) : low :=
  if snd a <=? 2 ^ (4 * fine) then a
  else (natural_or_none (fst (shrink (snd a) 0 (map (fun kw => (fst kw, snd kw * 2 ^ fine)) (fst a)) [] 0)), 2 ^ fine).
Definition both_of (many : nat) (fine : Z) (a b : low) : low :=
  let t := {| apart := 1; places := many |} in
  shorter fine (natural_or_none (times t (fst a) (fst b)), snd a * snd b).
Fixpoint often (many : nat) (fine : Z) (a : low) (n : positive) : low :=
  match n with
  | xH => a
  | xO n => let b := often many fine a n in both_of many fine b b
  | xI n => let b := often many fine a n in both_of many fine a (both_of many fine b b)
  end.
Fixpoint keyed (k : Z) (us : Gain.ends) : poly :=
  match us with [] => [] | u :: us => (k, fst u) :: keyed (k + 1) us end.
Definition put_in (w : Z) (p rest : poly) : poly := rev_append (merge 0 w p rest []) [].
Fixpoint low_of (many : nat) (fine : Z) (l : number_law) (h : low_hint) {struct l} : low :=
  match l with
  | Noise X =>
      match no_noise X, h with
      | Some j, _ => ([(j, 1)], 1)
      | None, Walk lo len start =>
          if window_stands X lo len start
          then let '(us, T) := window X lo len start in (natural_or_none (keyed lo us), all_of snd us + T)
          else nothing_known
      | None, _ => nothing_known
      end
  | Bell b =>
      match h with
      | Around steps start p =>
          let '(l, U) := known_bell b steps start p in if 0 <? U then (natural_or_none (normal l), U) else nothing_known
      | _ => nothing_known
      end
  | Finite p =>
      let U := unit_in h in
      (natural_or_none (fold_right (fun o rest => put_in (Qnum (snd o) * (U / QDen (snd o))) [(fst o, 1)] rest) [] p), U)
  | Sum of =>
      (fix go of hs := match of with
        | [] => known_0
        | l :: of => both_of many fine (low_of many fine l (hd (Parts 1 []) hs)) (go of (tl hs))
        end) of (parts_in h)
  | Mixture of =>
      let U := unit_in h in
      (natural_or_none ((fix go of hs := match of with
        | [] => []
        | (q, l) :: of =>
            let a := low_of many fine l (hd (Parts 1 []) hs) in
            put_in (Qnum q * (U / (QDen q * snd a))) (fst a) (go of (tl hs))
        end) of (parts_in h)), U)
  | Mod m l =>
      let a := low_of many fine l (hd (Parts 1 []) (parts_in h)) in
      (natural_or_none (normal (map (fun o => (fst o mod m, snd o)) (fst a))), snd a)
  end.
(* which laws are looked at *)
Definition sums_to_one (ws : list Q) : bool :=
  forallb (fun w => 0 <? Qnum w) ws && Qeq_bool (fold_right Qplus 0%Q ws) 1%Q.
Fixpoint law_stands (l : number_law) : bool :=
  match l with
  | Noise X => match no_noise X with Some _ => true | None => proper_noise X end
  | Bell b => bell_stands b
  | Finite p => sums_to_one (map snd p)
  | Sum of => fold_right (fun l rest => law_stands l && rest) true of
  | Mixture of => sums_to_one (map fst of) && fold_right (fun o rest => law_stands (snd o) && rest) true of
  | Mod m l => (0 <? m) && law_stands l
  end.

Local Open Scope R_scope.
(* ---- the laws are laws ---- *)
Section Induction.
Variable P : number_law -> Prop.
Hypotheses (PN : forall X, P (Noise X)) (PB : forall b, P (Bell b)) (PD : forall m l, P l -> P (Mod m l)) (PF : forall p, P (Finite p)) (PS : forall of, Forall P of -> P (Sum of))
  (PM : forall of, Forall (fun o => P (snd o)) of -> P (Mixture of)).
Fixpoint number_law_induction (l : number_law) : P l :=
  match l with
  | Noise X => PN X
  | Bell b => PB b
  | Mod m l => PD m l (number_law_induction l)
  | Finite p => PF p
  | Sum of => PS of ((fix go of : Forall P of := match of with
      | [] => Forall_nil _ | l :: of => Forall_cons _ (number_law_induction l) (go of) end) of)
  | Mixture of => PM of ((fix go of : Forall (fun o => P (snd o)) of := match of with
      | [] => Forall_nil _
      | (q, l) :: of => Forall_cons (P := fun o => P (snd o)) (q, l) (number_law_induction l) (go of) end) of)
  end.
End Induction.
Lemma sums_to_one_ok ws : sums_to_one ws = true -> weights_are ws.
Proof.
  intros H. apply andb_prop in H as [P S]. split.
  - apply Forall_forall. intros w I. rewrite forallb_forall in P. specialize (P w I). apply Z.ltb_lt, IZR_lt in P.
    rewrite Q2R_frac. apply Rdiv_lt_0_compat; [exact P|apply den_pos].
  - apply Qeq_bool_eq, Qeq_eqR in S. rewrite RMicromega.Q2R_1 in S. rewrite <- S. clear.
    induction ws as [|w ws IH]; [cbn; now rewrite RMicromega.Q2R_0|]. cbn [fold_right]. now rewrite Q2R_plus, <- IH.
Qed.
Lemma still_point n p : (0 <= n)%Z -> (Q2R p = 0 -> forall k, prob (Binomial n p) k = point 0 k) /\
  (Q2R p = 1 -> forall k, prob (Binomial n p) k = point n k).
Proof.
  intros N. split; intros P k; cbn [prob]; rewrite P; unfold point.
  - destruct (Z.leb_spec 0 k), (Z.leb_spec k n), (Z.eqb_spec k 0); cbn [andb]; try lia; auto.
    + subst. cbn [Z.to_nat]. unfold Binomial.C. rewrite Nat.sub_0_r, pow_O, Rminus_0_r, pow1. cbn [fact INR]. field. apply INR_fact_neq_0.
    + rewrite (pow_i (Z.to_nat k)) by lia. ring.
  - destruct (Z.leb_spec 0 k), (Z.leb_spec k n), (Z.eqb_spec k n); cbn [andb]; try lia; auto.
    + subst. unfold Binomial.C. rewrite Nat.sub_diag, pow_O, pow1. cbn [fact INR]. field. apply INR_fact_neq_0.
    + replace (1 - 1) with 0 by ring. rewrite (pow_i (Z.to_nat n - Z.to_nat k)) by lia. ring.
Qed.
Lemma no_noise_is X j : no_noise X = Some j ->
  (match X with Binomial n p => (0 <= n)%Z /\ (Q2R p = 0 \/ Q2R p = 1) | _ => False end) /\ forall k, prob X k = point j k.
Proof.
  destruct X as [n p| | |]; cbn [no_noise]; intros H; try discriminate. destruct (Z.leb_spec 0 n) as [N|]; [|discriminate]. cbn [negb] in H.
  pose proof (den_pos p) as D. destruct (still_point n p N) as [A B]. destruct (Z.eqb_spec (Qnum p) 0) as [P|P].
  - injection H as <-. assert (P0 : Q2R p = 0) by (rewrite Q2R_frac, P; unfold Rdiv; ring). auto.
  - destruct (Z.eqb_spec (Qnum p) (QDen p)) as [P'|]; [|discriminate]. injection H as <-.
    assert (P0 : Q2R p = 1) by (rewrite Q2R_frac, P'; field; lra). auto.
Qed.
Lemma law_stands_ok l : law_stands l = true -> is_number_law l.
Proof.
  induction l as [X|b|m l IH|p|of IH|of IH] using number_law_induction; cbn [law_stands is_number_law]; intros H.
  - destruct (no_noise X) as [j|] eqn:NN; [right; exact (proj1 (no_noise_is X j NN))|]. left. now apply proper_is.
  - now apply bell_stands_ok.
  - apply andb_prop in H as [M H]. apply Z.ltb_lt in M. split; [exact M|now apply IH].
  - now apply sums_to_one_ok.
  - induction IH as [|l of I _ IH]; [exact Logic.I|]. cbn [fold_right] in *. apply andb_prop in H as [H1 H2]. split; auto.
  - apply andb_prop in H as [H1 H]. split; [now apply sums_to_one_ok|]. clear H1.
    induction IH as [|l of I _ IH]; [exact Logic.I|]. cbn [fold_right] in *. apply andb_prop in H as [H1 H2]. split; auto.
Qed.
Lemma mixed_mass {A} (ms : list (Q * (Z -> R))) (w : A -> R) : w = w ->
  weights_are (map fst ms) -> Forall (fun o => is_mass (snd o)) ms ->
  is_mass (fun k => sum (fun o => Q2R (fst o) * snd o k) ms).
Proof.
  intros _ [P S] M. assert (P' : Forall (fun o : Q * (Z -> R) => 0 < Q2R (fst o)) ms) by exact (proj1 (Forall_map _ _ _) P).
  assert (S' : sum (fun o => Q2R (fst o)) ms = 1) by (rewrite <- S; symmetry; apply sum_map). clear P S.
  assert (N : forall k, 0 <= sum (fun o => Q2R (fst o) * snd o k) ms).
  { intros k. clear S'. induction ms as [|o ms IH]; [cbn; lra|]. rewrite sum_cons. inversion_clear P'. inversion_clear M.
    specialize (IH H2 H0). destruct H1 as [N _]. specialize (N k). nra. }
  assert (X : forall l, sum (fun k => sum (fun o => Q2R (fst o) * snd o k) ms) l = sum (fun o => Q2R (fst o) * sum (snd o) l) ms).
  { intros l. rewrite Blanket.sum_swap. apply sum_ext. intros o _. apply sum_scale. }
  apply mass_of; [exact N| |].
  - intros l D. rewrite X, <- S'. apply sum_le. intros o I. rewrite Forall_forall in P', M.
    pose proof (mass_sum _ l (M o I) D). specialize (P' o I). nra.
  - intros e E. assert (J : exists l, NoDup l /\ forall o, In o ms -> 1 - e < sum (snd o) l).
    { clear - M E. induction M as [|o ms H M (l & D & IH)]; [exists []; split; [constructor|intros o []]|].
      destruct (mass_near _ e H E) as (l' & D' & L'). destruct (sum_union Z.eq_dec l l' D D') as (u & U & I1 & I2).
      exists u. split; [exact U|]. intros p [<-|I].
      - eapply Rlt_le_trans; [exact L'|]. apply sum_incl; auto. apply H.
      - eapply Rlt_le_trans; [exact (IH p I)|]. rewrite Forall_forall in M. apply sum_incl; auto. now apply M. }
    destruct J as (l & D & J). exists l. split; [exact D|]. rewrite X.
    apply Rle_trans with (sum (fun o => Q2R (fst o) * (1 - e)) ms).
    + rewrite <- sum_const_mul, S'. lra.
    + apply sum_le. intros o I. rewrite Forall_forall in P'. specialize (P' o I). specialize (J o I). nra.
Qed.
Lemma mass_ext {A} (f g : A -> R) : (forall k, f k = g k) -> is_mass f -> is_mass g.
Proof. intros H [N T]. split; [intros k; rewrite <- H; apply N|]. eapply total_ext; eauto. Qed.
Theorem law_mass l : is_number_law l -> is_mass (mass l).
Proof.
  induction l as [X|b|m l IH|p|of IH|of IH] using number_law_induction; cbn [is_number_law mass].
  - intros [N|D]; [split; [intros; now apply prob_nonneg|now apply prob_total]|].
    destruct X as [n p| | |]; try contradiction. destruct D as [N P]. destruct (still_point n p N) as [A B].
    destruct P as [P|P]; [apply (mass_ext (point 0))|apply (mass_ext (point n))]; try apply point_mass; intros k; symmetry; auto.
  - apply bell_mass.
  - intros [_ H]. apply made_mass; [exact Z.eq_dec|now apply IH].
  - intros H. apply (mass_ext (fun k => sum (fun o => Q2R (fst o) * snd o k) (map (fun o => (snd o, point (fst o))) p))).
    + intros k. now rewrite sum_map.
    + apply (mixed_mass _ (fun _ : unit => 0) eq_refl); [rewrite map_map; exact H|]. apply Forall_map, Forall_forall.
      intros o _. apply point_mass.
  - induction IH as [|l of I _ IH]; intros H; [apply point_mass|]. cbn [fold_right] in *. apply plus_mass; [now apply I|now apply IH].
  - intros [H K]. apply (mass_ext (fun k => sum (fun o => Q2R (fst o) * snd o k) (map (fun o => (fst o, mass (snd o))) of))).
    + intros k. now rewrite sum_map.
    + apply (mixed_mass _ (fun _ : unit => 0) eq_refl); [rewrite map_map; exact H|]. apply Forall_map.
      clear H. induction IH as [|o of I _ IH]; [constructor|]. cbn [fold_right] in K. constructor; [now apply I|now apply IH].
Qed.

(* ---- known from below ---- *)
Definition at_place (y k : Z) : R := if (k =? y)%Z then 1 else 0.
Definition under (p : poly) (u : Z) (m : Z -> R) := forall k, eval (at_place k) p <= IZR u * m k.
Definition below (a : low) (m : Z -> R) := (0 < snd a)%Z /\ sure (fst a) /\ under (fst a) (snd a) m.
Lemma at_place_weight f y : IZR (weight_at f y) = eval (at_place y) f.
Proof.
  unfold weight_at, at_place. induction f as [|[k w] f IH]; [reflexivity|]. cbn [fold_right fst snd eval].
  destruct (k =? y)%Z; rewrite ?plus_IZR, IH; ring.
Qed.
Lemma sure_eval p g : sure p -> (forall k, 0 <= g k) -> 0 <= eval g p.
Proof. intros S G. pose proof (Cover.eval_le p (fun _ => 0) g S G) as H. rewrite eval_const in H. lra. Qed.
Lemma at_place_0 y k : 0 <= at_place y k.
Proof. unfold at_place. destruct (k =? y)%Z; lra. Qed.
Lemma under_eval p u m g : under p u m -> (forall k, 0 <= g k) -> exists l, NoDup l /\
  eval g p <= IZR u * sum (fun k => m k * g k) l.
Proof.
  intros U G. exists (nodup Z.eq_dec (map fst p)). split; [apply NoDup_nodup|].
  rewrite <- (weight_sum g (nodup Z.eq_dec (map fst p)) p).
  - rewrite <- sum_scale. apply sum_le. intros k _. rewrite at_place_weight. specialize (U k). specialize (G k). nra.
  - apply NoDup_nodup.
  - intros k w I. apply nodup_In. now apply (in_map fst) in I.
Qed.
Lemma under_plus p u f q v g : is_mass f -> is_mass g -> (0 < u)%Z -> (0 < v)%Z -> sure p -> under p u f -> under q v g ->
  under (mul p q) (u * v) (plus_draw f g).
Proof.
  intros F G U0 V0 S U V k. apply IZR_lt in U0, V0. rewrite eval_mul.
  apply Rle_trans with (eval (fun d => IZR v * g (k - d)%Z) p).
  - apply Cover.eval_le; [exact S|]. intros d. eapply Rle_trans; [|apply V]. right. apply eval_ext. intros j.
    unfold at_place. destruct (Z.eqb_spec (d + j) k), (Z.eqb_spec j (k - d)); lia || reflexivity.
  - rewrite eval_scale. destruct (under_eval p u f (fun d => g (k - d)%Z) U ltac:(intros; apply G)) as (l & D & H).
    pose proof (plus_above f g F G k l D) as PA. rewrite mult_IZR.
    apply Rle_trans with (IZR v * (IZR u * sum (fun i => f i * g (k - i)%Z) l)); [apply Rmult_le_compat_l; lra|].
    replace (IZR u * IZR v * plus_draw f g k) with (IZR v * (IZR u * plus_draw f g k)) by ring.
    apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra.
Qed.
Lemma none_sure p : sure (natural_or_none p).
Proof. unfold natural_or_none. destruct (forallb _ p) eqn:E; [exact E|reflexivity]. Qed.
Lemma none_le p g : (forall k, 0 <= g k) -> 0 <= eval g p -> eval g (natural_or_none p) <= eval g p.
Proof. intros G P. unfold natural_or_none. destruct (forallb _ p); [lra|exact P]. Qed.
Lemma none_under p u m : (forall k, 0 <= m k) -> (0 < u)%Z -> under p u m -> under (natural_or_none p) u m.
Proof.
  intros M U H k. unfold natural_or_none. destruct (forallb _ p); [apply H|]. cbn [eval]. apply IZR_lt in U.
  specialize (M k). nra.
Qed.
Lemma shorter_below fine a m : (forall k, 0 <= m k) -> (0 <= fine)%Z -> below a m -> below (shorter fine a) m.
Proof.
  intros M F (U & S & H). unfold shorter. destruct (_ <=? _)%Z; [now split|]. cbn [fst snd].
  assert (F2 : (0 < 2 ^ fine)%Z) by lia. split; [exact F2|]. split; [apply none_sure|].
  apply none_under; [exact M|exact F2|]. intros k.
  pose proof (shrink_below (snd a) 0 (at_place k) (map (fun kw => (fst kw, (snd kw * 2 ^ fine)%Z)) (fst a)) [] 0 U (at_place_0 k)) as X.
  cbn [eval] in X. assert (E : eval (at_place k) (map (fun kw => (fst kw, (snd kw * 2 ^ fine)%Z)) (fst a)) = IZR (2 ^ fine) * eval (at_place k) (fst a)).
  { generalize (at_place k), (fst a). clear. intros g p. induction p as [|[i w] p IH]; [cbn; ring|].
      cbn [map eval fst snd]. rewrite IH, mult_IZR. ring. }
  rewrite E in X. specialize (H k). apply IZR_lt in U, F2. apply Rmult_le_reg_l with (IZR (snd a)); [exact U|].
  assert (Y : IZR (2 ^ fine) * eval (at_place k) (fst a) <= IZR (2 ^ fine) * (IZR (snd a) * m k)) by
    (apply Rmult_le_compat_l; lra).
  cbn [snd]. lra.
Qed.
Lemma both_below many fine a f b g : is_mass f -> is_mass g -> (0 <= fine)%Z -> below a f -> below b g ->
  below (both_of many fine a b) (plus_draw f g).
Proof.
  intros F G F0 (U & S & A) (V & T & B). unfold both_of. apply shorter_below; [now apply plus_nonneg|exact F0|]. cbn [fst snd].
  assert (UV : (0 < snd a * snd b)%Z) by nia. split; [exact UV|]. split; [apply none_sure|].
  apply none_under; [now apply plus_nonneg|exact UV|]. intros k. rewrite eval_times. now apply under_plus.
Qed.
Lemma known_0_below : below known_0 (point 0).
Proof. split; [reflexivity|]. split; [reflexivity|]. intros k. cbn. unfold at_place, point. rewrite (Z.eqb_sym 0 k). destruct (k =? 0)%Z; lra. Qed.
Lemma nothing_below m : (forall k, 0 <= m k) -> below nothing_known m.
Proof. intros M. split; [reflexivity|]. split; [reflexivity|]. intros k. cbn. specialize (M k). lra. Qed.
Lemma keyed_ok x c k : 0 <= x -> (forall i, 0 <= c i) -> forall us lo, encl x c lo us ->
  eval (at_place k) (keyed lo us) <= x * c k.
Proof.
  intros X0 C. assert (Z1 : forall us lo, (k < lo)%Z -> eval (at_place k) (keyed lo us) = 0).
  { clear. induction us as [|u us IH]; intros lo L; [reflexivity|]. cbn [keyed eval]. rewrite IH by lia. unfold at_place.
    destruct (Z.eqb_spec lo k); [lia|ring]. }
  induction us as [|u us IH]; intros lo E; cbn [keyed eval encl] in *; [apply Rmult_le_pos; auto|].
  destruct E as [[L _] E]. unfold at_place at 1. destruct (Z.eqb_spec lo k) as [->|N].
  - rewrite Z1 by lia. lra.
  - specialize (IH _ E). lra.
Qed.
Lemma keyed_under X lo len start : window_stands X lo len start = true ->
  let w := window X lo len start in under (keyed lo (fst w)) (all_of snd (fst w) + snd w) (prob X) /\
    (0 < all_of snd (fst w) + snd w)%Z.
Proof.
  intros W. cbv zeta. pose proof (window_encl X lo len start W) as E. pose proof (x_between X lo len start W) as [_ XB].
  pose proof (x_pos X lo len start W) as X0. set (us := fst _) in *. set (T := snd _) in *. set (x := x_of X lo start) in *.
  assert (U : x <= IZR (all_of snd us + T)) by (rewrite plus_IZR; exact XB). split; [|apply lt_IZR; lra].
  intros k. pose proof (cut_between X lo len start W k) as C. pose proof (f0 X lo len start W k).
  apply Rle_trans with (x * cut X lo len k); [|apply Rmult_le_compat; lra].
  apply keyed_ok; [lra| |exact E]. intros i. apply (cut_between X lo len start W).
Qed.
Lemma put_eval w p rest g : eval g (put_in w p rest) = IZR w * eval g p + eval g rest.
Proof. unfold put_in. rewrite eval_rev_append, eval_merge. cbn [eval]. rewrite (eval_ext (fun k => g (0 + k)%Z) g) by (intros; reflexivity). ring. Qed.
Lemma share_ok q u v : 0 < Q2R q -> (0 < u)%Z -> IZR (Qnum q * (v / (QDen q * u))) * IZR u <= IZR v * Q2R q.
Proof.
  intros Q U. pose proof (den_pos q) as D. pose proof (div_down v (QDen q * u) ltac:(apply lt_IZR in D; nia)) as X.
  rewrite mult_IZR in *. apply IZR_lt in U as U'. rewrite Q2R_frac in *. set (t := IZR (v / _)) in *.
  assert (N : 0 < IZR (Qnum q)).
  { apply Rmult_lt_reg_r with (/ IZR (QDen q)); [now apply Rinv_0_lt_compat|]. rewrite Rmult_0_l. exact Q. }
  apply Rmult_le_reg_r with (IZR (QDen q)); [exact D|].
  replace (IZR v * (IZR (Qnum q) / IZR (QDen q)) * IZR (QDen q)) with (IZR (Qnum q) * IZR v) by (field; lra).
  replace (IZR (Qnum q) * t * IZR u * IZR (QDen q)) with (IZR (Qnum q) * (t * (IZR (QDen q) * IZR u))) by ring.
  apply Rmult_le_compat_l; lra.
Qed.
(* what stands beside a law's weights: its unit, above 0 *)
Fixpoint units_stand (h : low_hint) : bool :=
  match h with Walk _ _ _ | Around _ _ _ => true | Parts u of => (0 <? u) && forallb units_stand of end.
Lemma hint_part h of : units_stand h = true -> of = parts_in h -> units_stand (hd (Parts 1 []) of) = true /\
  forallb units_stand (tl of) = true.
Proof. destruct h as [| |u l]; cbn [units_stand parts_in]; intros H ->; [now split|now split|]. apply andb_prop in H as [_ H].
  destruct l as [|a l]; [now split|]. now apply andb_prop in H. Qed.
Lemma hint_parts h : units_stand h = true -> forallb units_stand (parts_in h) = true /\ (0 < unit_in h)%Z.
Proof.
  destruct h as [| |u l]; cbn [units_stand parts_in unit_in]; intros H; [split; [reflexivity|lia]|split; [reflexivity|lia]|].
  apply andb_prop in H as [U H]. apply Z.ltb_lt in U. now split.
Qed.
Lemma hd_stands hs : forallb units_stand hs = true -> units_stand (hd (Parts 1 []) hs) = true.
Proof. destruct hs as [|h hs]; [reflexivity|]. cbn [forallb hd]. intros H. now apply andb_prop in H. Qed.
Lemma tl_stand hs : forallb units_stand hs = true -> forallb units_stand (tl hs) = true.
Proof. destruct hs as [|h hs]; [reflexivity|]. cbn [forallb tl]. intros H. now apply andb_prop in H. Qed.
Lemma under_put q u U p (f : Z -> R) rest (g : Z -> R) : 0 < Q2R q -> (0 < u)%Z -> (0 < U)%Z -> (forall k, 0 <= f k) ->
  under p u f -> under rest U g -> under (put_in (Qnum q * (U / (QDen q * u))) p rest) U (fun k => Q2R q * f k + g k).
Proof.
  intros Q u0 U0 F P R k. rewrite put_eval. specialize (P k). specialize (R k). specialize (F k).
  pose proof (share_ok q u U Q u0) as S. set (w := (Qnum q * (U / (QDen q * u)))%Z) in *.
  assert (W : 0 <= IZR w).
  { apply IZR_le. unfold w. pose proof (den_pos q) as D. rewrite Q2R_frac in Q. apply lt_IZR in D.
    assert (0 < Qnum q)%Z.
    { apply lt_IZR. apply Rmult_lt_reg_r with (/ IZR (QDen q)); [apply Rinv_0_lt_compat; now apply IZR_lt|].
      rewrite Rmult_0_l. exact Q. }
    apply Z.mul_nonneg_nonneg; [lia|]. apply Z.div_pos; nia. }
  apply Rle_trans with (IZR w * (IZR u * f k) + IZR U * g k); [apply Rplus_le_compat; [|exact R]; now apply Rmult_le_compat_l|].
  replace (IZR U * (Q2R q * f k + g k)) with (IZR U * Q2R q * f k + IZR U * g k) by ring. apply Rplus_le_compat_r.
  replace (IZR w * (IZR u * f k)) with (IZR w * IZR u * f k) by ring. now apply Rmult_le_compat_r.
Qed.
Theorem low_of_below many fine l : (0 <= fine)%Z -> is_number_law l -> forall h, units_stand h = true ->
  below (low_of many fine l h) (mass l).
Proof.
  intros F0. induction l as [X|b|m l IH|p|of IH|of IH] using number_law_induction; intros N h HU.
  - pose proof (law_mass _ N) as [M0 _]. cbn [low_of mass] in *. destruct (no_noise X) as [j|] eqn:NN.
    { destruct (no_noise_is X j NN) as [_ E]. split; [reflexivity|]. split; [reflexivity|]. intros k. rewrite E. cbn.
      unfold at_place, point. rewrite (Z.eqb_sym j k). destruct (k =? j)%Z; lra. }
    destruct h as [lo len start| |u ps]; [|now apply nothing_below|now apply nothing_below].
    destruct (window_stands X lo len start) eqn:W; [|now apply nothing_below].
    destruct (keyed_under X lo len start W) as [K U]. destruct (window X lo len start) as [us T]. cbn [fst snd] in *.
    split; [exact U|]. split; [apply none_sure|]. now apply none_under.
  - pose proof (law_mass _ N) as [M0 _]. cbn [low_of mass is_number_law] in *.
    destruct h as [|steps start p|]; [now apply nothing_below| |now apply nothing_below].
    pose proof (known_bell_ok b N steps start p) as K. cbv zeta in K. destruct (known_bell b steps start p) as [l U]. cbn [fst snd] in K.
    destruct (Z.ltb_spec 0 U) as [U0|]; [|now apply nothing_below]. split; [exact U0|]. split; [apply none_sure|].
    apply none_under; [exact M0|exact U0|]. intros k. cbn [fst snd]. rewrite eval_normal. now apply K.
  - pose proof (law_mass _ N) as [M0 _]. cbn [low_of mass is_number_law] in *. destruct N as [_ N].
    destruct (IH N (hd (Parts 1 []) (parts_in h)) (hd_stands _ (proj1 (hint_parts h HU)))) as (U & S & K).
    split; [exact U|]. split; [apply none_sure|]. apply none_under; [exact M0|exact U|]. intros k. cbn [fst snd]. rewrite eval_normal.
    apply (made_below (fun i => i mod m)%Z); [now apply law_mass|lia|exact K].
  - pose proof (law_mass _ N) as [M0 _]. destruct (hint_parts h HU) as [_ U]. cbn [low_of is_number_law] in *. destruct N as [P _].
    split; [exact U|]. split; [apply none_sure|]. apply none_under; [exact M0|exact U|]. clear M0. cbn [snd fst].
    set (U' := unit_in h) in *. induction p as [|[j q] p IH]; [intros k; cbn; lra|].
    cbn [map] in P. inversion_clear P as [|? ? Q P']. cbn [fold_right fst snd mass]. rewrite <- (Z.mul_1_r (QDen q)).
    intros k. rewrite sum_cons. cbn [fst snd].
    refine (under_put q 1 U' [(j, 1%Z)] (point j) _ _ Q eq_refl U (fun k => proj1 (point_mass j) k) _ (IH P') k).
    intros i. cbn. unfold at_place, point. rewrite (Z.eqb_sym j i). destruct (i =? j)%Z; lra.
  - cbn [low_of mass is_number_law] in *. destruct (hint_parts h HU) as [HP _]. revert HP. generalize (parts_in h). clear HU.
    induction IH as [|l of I _ IH]; intros hs HP; [apply known_0_below|]. cbn [fold_right] in *. destruct N as [N1 N2].
    apply both_below; [now apply law_mass| |exact F0|apply I; [exact N1|now apply hd_stands]|apply IH; [exact N2|now apply tl_stand]].
    clear - N2. induction of as [|l of IH]; [apply point_mass|]. destruct N2. apply plus_mass; [now apply law_mass|now apply IH].
  - pose proof (law_mass _ N) as [M0 _]. destruct (hint_parts h HU) as [HP U]. cbn [low_of is_number_law] in *. destruct N as [[P _] N].
    split; [exact U|]. split; [apply none_sure|]. apply none_under; [exact M0|exact U|]. clear M0. cbn [snd].
    set (U' := unit_in h) in *. revert HP. generalize (parts_in h). clear HU.
    induction IH as [|[q l] of I _ IH]; intros hs HP; [intros k; cbn; lra|].
    cbn [map fold_right fst snd] in *. inversion_clear P as [|? ? Q P']. destruct N as [N1 N2].
    destruct (I N1 (hd (Parts 1 []) hs) (hd_stands hs HP)) as (u0 & _ & B). intros k. cbn [mass]. rewrite sum_cons. cbn [fst snd].
    refine (under_put q _ U' _ (mass l) _ _ Q u0 U (proj1 (law_mass _ N1)) B (IH P' N2 (tl hs) (tl_stand hs HP)) k).
Qed.

(* ---- many draws ---- *)
Definition acts (a : low) (F : (Z -> R) -> Z -> R) := (0 < snd a)%Z /\ sure (fst a) /\ (forall g, is_mass g -> is_mass (F g)) /\
  forall q v g, is_mass g -> (0 < v)%Z -> sure q -> under q v g -> under (mul (fst a) q) (snd a * v) (F g).
Lemma acts_draw a f : is_mass f -> below a f -> acts a (plus_draw f).
Proof.
  intros M (U & S & B). split; [exact U|]. split; [exact S|]. split; [intros; now apply plus_mass|].
  intros q v g G V Q H. now apply under_plus.
Qed.
Lemma shorter_eval fine a g : (0 <= fine)%Z -> (0 < snd a)%Z -> sure (fst a) -> (forall k, 0 <= g k) ->
  IZR (snd a) * eval g (fst (shorter fine a)) <= IZR (snd (shorter fine a)) * eval g (fst a).
Proof.
  intros F U S G. unfold shorter. destruct (_ <=? _)%Z; [lra|]. cbn [fst snd].
  pose proof (shrink_below (snd a) 0 g (map (fun kw => (fst kw, (snd kw * 2 ^ fine)%Z)) (fst a)) [] 0 U G) as X. cbn [eval] in X.
  assert (E : eval g (map (fun kw => (fst kw, (snd kw * 2 ^ fine)%Z)) (fst a)) = IZR (2 ^ fine) * eval g (fst a)).
  { generalize (fst a). clear. intros p. induction p as [|[i w] p IH]; [cbn; ring|].
      cbn [map eval fst snd]. rewrite IH, mult_IZR. ring. }
  rewrite E in X. unfold natural_or_none. destruct (forallb _ (fst (shrink _ _ _ _ _))); [lra|]. cbn [eval]. rewrite Rmult_0_r.
  apply Rmult_le_pos; [apply IZR_le; lia|now apply sure_eval].
Qed.
Lemma shorter_pos fine a : (0 <= fine)%Z -> (0 < snd a)%Z -> sure (fst a) -> (0 < snd (shorter fine a))%Z /\ sure (fst (shorter fine a)).
Proof. intros F U S. unfold shorter. destruct (_ <=? _)%Z; [now split|]. split; [cbn [snd]; lia|apply none_sure]. Qed.
Lemma acts_both many fine a b F G : (0 <= fine)%Z -> acts a F -> acts b G -> acts (both_of many fine a b) (fun g => F (G g)).
Proof.
  intros F0 (U & S & M & A) (V & T & N & B). unfold both_of. set (t := {| apart := _ |}).
  set (e := (natural_or_none (times t (fst a) (fst b)), (snd a * snd b)%Z)).
  assert (E0 : (0 < snd e)%Z) by (cbn [e snd]; nia). assert (E1 : sure (fst e)) by apply none_sure.
  destruct (shorter_pos fine e F0 E0 E1) as [P1 P2]. split; [exact P1|]. split; [exact P2|]. split; [auto|].
  intros q v g Hg V0 Q H. pose proof (A (mul (fst b) q) (snd b * v)%Z (G g) (N g Hg) ltac:(nia) (mul_sure _ _ T Q) (B q v g Hg V0 Q H)) as X.
  intros k. specialize (X k). rewrite !eval_mul in *. set (hk := fun d => eval (fun j => at_place k (d + j)%Z) q) in *.
  assert (H0 : forall d, 0 <= hk d) by (intros; apply sure_eval; [exact Q|intros; apply at_place_0]).
  pose proof (shorter_eval fine e hk F0 E0 E1 H0) as Y.
  assert (Z0 : eval hk (fst e) <= eval (fun d => eval (fun j => at_place k (d + j)%Z) (mul (fst b) q)) (fst a)).
  { cbn [e fst]. assert (R : eval hk (times t (fst a) (fst b)) = eval (fun d => eval (fun j => at_place k (d + j)%Z) (mul (fst b) q)) (fst a)).
    { rewrite eval_times, eval_mul. apply eval_ext. intros d. rewrite eval_mul. apply eval_ext. intros i. unfold hk.
      apply eval_ext. intros j. f_equal. lia. }
    rewrite <- R. apply none_le; [exact H0|]. rewrite R. apply sure_eval; [exact S|]. intros d. apply sure_eval; [now apply mul_sure|].
    intros; apply at_place_0. }
  cbn [e snd] in Y. apply IZR_lt in E0, P1, V0. cbn [e snd] in E0. fold e in Y |- *.
  set (x := eval hk (fst (shorter fine e))) in *. set (y := eval hk (fst e)) in *. set (w := IZR (snd (shorter fine e))) in *.
  rewrite !mult_IZR in *. apply Rmult_le_reg_l with (IZR (snd a) * IZR (snd b)); [exact E0|].
  eapply Rle_trans; [exact Y|]. fold w. replace (IZR (snd a) * IZR (snd b) * (w * IZR v * F (G g) k)) with
    (w * (IZR (snd a) * (IZR (snd b) * IZR v) * F (G g) k)) by ring. apply Rmult_le_compat_l; lra.
Qed.
Fixpoint times_over (n : nat) (F : (Z -> R) -> Z -> R) (g : Z -> R) : Z -> R :=
  match n with O => g | S n => F (times_over n F g) end.
Lemma times_over_add n m F g : times_over (n + m) F g = times_over n F (times_over m F g).
Proof. induction n as [|n IH]; [reflexivity|]. cbn [Nat.add times_over]. now rewrite IH. Qed.
Lemma acts_often many fine a F n : (0 <= fine)%Z -> acts a F -> acts (often many fine a n) (times_over (Pos.to_nat n) F).
Proof.
  intros F0 A. assert (E : forall b G H, (forall g, G g = H g) -> acts b G -> acts b H).
  { intros b G H X. replace H with G; [auto|]. now apply FunctionalExtensionality.functional_extensionality. }
  induction n as [n IH|n IH|]; cbn [often].
  - eapply E; [|apply acts_both; [exact F0|exact A|apply acts_both; [exact F0|exact IH|exact IH]]].
    intros g. cbv beta. rewrite Pos2Nat.inj_xI. cbn [times_over]. replace (2 * Pos.to_nat n)%nat with (Pos.to_nat n + Pos.to_nat n)%nat by lia.
    now rewrite times_over_add.
  - eapply E; [|apply acts_both; [exact F0|exact IH|exact IH]].
    intros g. cbv beta. rewrite Pos2Nat.inj_xO. replace (2 * Pos.to_nat n)%nat with (Pos.to_nat n + Pos.to_nat n)%nat by lia.
    now rewrite times_over_add.
  - exact A.
Qed.
Lemma acts_below many fine a F b g : (0 <= fine)%Z -> acts a F -> is_mass g -> below b g -> below (both_of many fine a b) (F g).
Proof.
  intros F0 (U & S & M & A) G (V & T & B). unfold both_of. apply shorter_below; [apply M, G|exact F0|].
  assert (UV : (0 < snd a * snd b)%Z) by nia. split; [exact UV|]. split; [apply none_sure|].
  apply none_under; [apply M, G|exact UV|]. intros k. cbn [fst snd]. rewrite eval_times. now apply A.
Qed.
