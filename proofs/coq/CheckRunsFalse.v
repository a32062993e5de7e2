(* The checker of what several runs do not keep: a pair of neighbours of each; and the theorem about it. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Psatz Bool Permutation.
From Shufflecert Require Import Spec SpecCount SpecPresence SpecColumns SpecRuns Poly Key Law Exp Check Cover Kron Powers CoverReach Kernel Views Sums
  Presence Numbers Pairs Lattice Dots Atoms Shown CheckRuns.
From Shufflecert Require Below Ends Gain Made TwoColumns Columns Shifts SpecNumbers.
Import ListNotations.
Local Open Scope Z_scope.

(* Of a run of rows a pair of neighbours, and how its laws are known; of numbers and columns a pair of theirs. *)
Inductive shown_pair :=
| OfTwo (own : Z) (s : sizes) (p : pair_told) (prec : precision) (fine cut : Z) (fast : option (line * nat))
| OfEnds (q : Ends.one_pair).
(* Both laws over N, P from below and Q from above, but for what is lost *)
Record known_laws := { unit_known : Z; lost_known : Z; p_known : poly; q_known : poly }.
Definition rows_known (c : crowd) own (s : sizes) (p : pair_told) prec fine cut fast : option known_laws :=
  let C := core (claim_of c) in let D := unit_of s in let L := map normal (map (row_poly (key_bits s) D) (rows C)) in
  let v := law_of L D prec fine cut fast (others_of (claim_of c) p) in
  if pair_said c own D p && forallb (row_fits D) (rows C) && forallb (fair D) L && (0 <=? fine) && (0 <=? lost v)
  then Some {| unit_known := scale v * D; lost_known := D * lost v; p_known := mul (row_at L (from_told p)) (low v);
    q_known := mul (row_at L (to_told p)) (low v) |} else None.
Definition ends_shown (p : plan) (t : ladder) (e : TwoColumns.ends_of) : option statistic :=
  let '(f, h, N) := over_one e in settled p t N (Z.max 0 (N - mass_of h)) f h.
Definition run_shown (p : plan) (t : ladder) (k : kind) (q : shown_pair) : option statistic :=
  match k, q with
  | OfRows c, OfTwo own s q prec fine cut fast =>
      match rows_known c own s q prec fine cut fast with
      | Some a => settled p t (unit_known a) (lost_known a) (p_known a) (q_known a)
      | None => None
      end
  | _, OfEnds q =>
      match Ends.ends_found k q with
      | Some (e, None) => ends_shown p t e
      | Some (e1, Some e2) => match ends_shown p t e1, ends_shown p t e2 with Some x, Some y => Some (meet p x y) | _, _ => None end
      | None => None
      end
  | _, _ => None
  end.
Fixpoint runs_shown (p : plan) (t : ladder) (ks : list (kind * positive)) (qs : list shown_pair) (before : option statistic) : option statistic :=
  match ks, qs with
  | [], [] => before
  | (k, n) :: ks, q :: qs =>
      match run_shown p t k q with
      | Some x => let x := many_times p n x in
          runs_shown p t ks qs (Some match before with Some y => meet p y x | None => x end)
      | None => None
      end
  | _, _ => None
  end.
Definition check_runs_false (c : composition) (p : plan) (prec : precision) (qs : list shown_pair) : bool :=
  let z := from_above (runs_eps c) prec in
  plan_fits p && good (runs_eps c) && fits (runs_eps c) prec &&
  match runs_shown p (powers_at p) (kinds c) qs None with
  | Some x => Qnum (runs_delta c) * (unit p * snd z) <? shown_delta x z * QDen (runs_delta c)
  | None => false
  end.

Local Open Scope R_scope.
(* ---- laws by what is read of outcomes ---- *)
Lemma sum_one {A} (f : A -> R) a l : NoDup l -> In a l -> (forall b, b <> a -> f b = 0) -> SpecCount.sum f l = f a.
Proof.
  intros N I H. destruct (sum_split f a l I) as (l1 & l2 & -> & ->). apply NoDup_remove_2 in N.
  rewrite (sum_ext _ (fun _ => 0 * 0)); [rewrite sum_scale; ring|]. intros b J. rewrite H; [ring|]. intros ->. contradiction.
Qed.
Lemma mean_by {A K} (same : K -> K -> bool) (a : A -> K) (g : K -> R) (L : law A) ks : (forall i j, same i j = true <-> i = j) ->
  NoDup ks -> (forall t q, In (t, q) L -> In (a t) ks) -> mean (fun t => g (a t)) L = SpecCount.sum (fun k => g k * Pr (fun t => same k (a t)) L) ks.
Proof.
  intros S N. induction L as [|[t q] L IH]; intros I.
  - cbn [mean]. symmetry. rewrite (sum_ext _ (fun _ => 0 * 0)); [rewrite sum_scale; ring|]. intros k _. unfold Pr. cbn. ring.
  - cbn [mean fst snd]. rewrite IH by (intros t' q' J; apply (I t' q'); now right).
    rewrite (sum_ext (fun k => g k * Pr (fun t0 => same k (a t0)) ((t, q) :: L))
      (fun k => (if same k (a t) then Q2R q * g k else 0) + g k * Pr (fun t0 => same k (a t0)) L)).
    + rewrite sum_plus. f_equal. rewrite (sum_one _ (a t)); [|exact N|apply (I t q); now left|].
      * now rewrite (proj2 (S (a t) (a t)) eq_refl).
      * intros b NE. destruct (same b (a t)) eqn:E; [|reflexivity]. apply S in E. contradiction.
    + intros k _. unfold Pr. cbn [fold_right fst snd]. destruct (same k (a t)); ring.
Qed.
Lemma same_mean {A B} (a : A -> Z) (b : B -> Z) L M g : (forall E : Z -> bool, Pr (fun t => E (a t)) L = Pr (fun t => E (b t)) M) ->
  mean (fun t => g (a t)) L = mean (fun t => g (b t)) M.
Proof.
  intros H. destruct (once (map (fun o => a (fst o)) L ++ map (fun o => b (fst o)) M)) as (ks & N & I).
  rewrite (mean_by Z.eqb a g L ks), (mean_by Z.eqb b g M ks); auto using Z.eqb_eq.
  - apply sum_ext. intros k _. f_equal. apply (H (Z.eqb k)).
  - intros t q J. apply I, in_or_app. right. apply in_map_iff. now exists (t, q).
  - intros t q J. apply I, in_or_app. left. apply in_map_iff. now exists (t, q).
Qed.
Lemma seen_alike v t : looks_same v t (to_see v t).
Proof.
  destruct v; cbn [looks_same to_see]; [cbn [concat]; rewrite app_nil_r; apply in_order_is| |reflexivity].
  induction t as [|s t IH]; cbn [map]; constructor; [apply in_order_is|exact IH].
Qed.
Lemma mean_seen v phi L l : (forall s t, looks_same v s t -> phi s = phi t) -> NoDup l -> (forall t q, In (t, q) L -> In (to_see v t) l) ->
  mean phi L = SpecCount.sum (fun y => phi y * law_seen v L y) l.
Proof.
  intros H N I. rewrite (mean_ext phi (fun t => phi (to_see v t))) by (intros t q _; apply H, seen_alike).
  apply (mean_by same_outcome (to_see v) phi L l); auto. intros i j. apply alike_ok.
Qed.

(* ---- a pair of rows, however many the others are ---- *)
Lemma rows_known_ok c own s p prec fine cut fast a : rows_known c own s p prec fine cut fast = Some a -> well_said c /\
  0 < IZR (unit_known a) /\ (0 <= lost_known a)%Z /\ exists P Q, pairs_of (of_crowd c) P Q /\ is_mass P /\ is_mass Q /\
  known_pair P Q (unit_known a) (lost_known a) (p_known a) (q_known a).
Proof.
  unfold rows_known. cbv zeta. set (C := core (claim_of c)). set (D := unit_of s). set (w := key_bits s).
  set (L := map normal _). set (v := law_of _ _ _ _ _ _ _). destruct (_ && _) eqn:H; [|discriminate]. intros EA. injection EA as <-.
  do 4 (apply andb_prop in H as [H ?]). rename H0 into LV, H1 into FI, H2 into FA, H3 into FT. apply Z.leb_le in FI, LV.
  cbn [unit_known lost_known p_known q_known]. destruct (named_so c own D p H) as (W & MV & CI & r & NM & LR & IR).
  pose proof (moves_in c _ _ MV) as (X & Y & _). set (os := spelled (others_of (claim_of c) p)) in *.
  assert (LC : length (rows C) = length (laws_of c)).
  { unfold C, core, claim_of. cbn [sees rows]. destruct (shown_as c); cbn [rows]; [reflexivity|reflexivity|apply tag_length]. }
  pose proof (inputs_of c) as LE.
  assert (IN : forall i, i = from_told p \/ i = to_told p \/ In i os -> (i < length (rows C))%nat).
  { intros i [->|[->|J]]; [lia..|]. pose proof (proj2 (counts_parts _ _ CI) i J). lia. }
  assert (LL : length L = length (rows C)) by (unfold L; now rewrite !map_length).
  assert (D0 : (0 < D)%Z) by (eapply Check.unit_pos; [exact FT|apply (IN (from_told p)); auto]).
  assert (CV : covers L D os v).
  { apply law_of_ok; auto. unfold counts_in in *. rewrite forallb_forall in *. intros o J. specialize (CI o J).
    apply andb_prop in CI as [I0 I1]. rewrite I1, andb_true_r. apply Nat.ltb_lt in I0. apply Nat.ltb_lt. lia. }
  pose proof (proj1 CV) as S0. apply IZR_lt in D0 as D1. split; [exact W|]. split; [rewrite mult_IZR; now apply Rmult_lt_0_compat|].
  split; [nia|]. set (Lx := sent (laws_of c) (from_told p :: r)). set (Ly := sent (laws_of c) (to_told p :: r)).
  exists (law_seen (shown_as c) (with_others nobody Lx)), (law_seen (shown_as c) (with_others nobody Ly)).
  assert (MVx : moves (changes c) (length (each c)) (from_told p) (to_told p) \/ from_told p = to_told p /\ (from_told p < length (each c))%nat) by now left.
  assert (PR : pairs_of (of_crowd c) (law_seen (shown_as c) (with_others nobody Lx)) (law_seen (shown_as c) (with_others nobody Ly))).
  { exists [], (from_told p), (to_told p), r, nobody. cbn [app]. repeat split; auto using nobody_law; apply nobody_law. }
  destruct (crowd_both c W _ _ PR) as (MP & MQ & _). split; [exact PR|split; [exact MP|split; [exact MQ|]]].
  assert (LN : forall M y, law_seen (shown_as c) (with_others nobody M) y = law_seen (shown_as c) M y) by (intros M y; apply nobody_else).
  intros g u e0 e TG HU HV E. set (phi := fun t => g (lens (claim_of c) w 0 t)).
  destruct (once (map (fun o => to_see (shown_as c) (fst o)) (Lx ++ Ly))) as (l & NL & IL). exists l. split; [exact NL|].
  assert (PH : forall s0 t, looks_same (shown_as c) s0 t -> phi s0 = phi t).
  { intros s0 t LS. unfold phi. destruct (Z.eq_dec (lens (claim_of c) w 0 s0) (lens (claim_of c) w 0 t)) as [->|NE]; [reflexivity|].
    pose proof (lens_event (claim_of c) w 0 (Z.eqb (lens (claim_of c) w 0 s0)) s0 t LS) as EV. cbv beta in EV.
    rewrite (proj2 (Z.eqb_eq _ _) eq_refl) in EV. symmetry in EV. apply Z.eqb_eq in EV. contradiction. }
  assert (MX : mean phi Lx = SpecCount.sum (fun y => phi y * law_seen (shown_as c) Lx y) l).
  { apply mean_seen; auto. intros t q0 J. apply IL, in_map_iff. exists (t, q0). split; [reflexivity|apply in_or_app; now left]. }
  assert (MY : mean phi Ly = SpecCount.sum (fun y => phi y * law_seen (shown_as c) Ly y) l).
  { apply mean_seen; auto. intros t q0 J. apply IL, in_map_iff. exists (t, q0). split; [reflexivity|apply in_or_app; now right]. }
  destruct W as (_ & _ & _ & HK).
  assert (KX : mean phi Lx = mean (fun t => g (key w (concat t))) (sent (rows C) (from_told p :: os)) /\
    mean phi Ly = mean (fun t => g (key w (concat t))) (sent (rows C) (to_told p :: os))).
  { split; apply (same_mean (lens (claim_of c) w 0) (fun t => key w (concat t))); intros E0;
      apply (lens_Pr (claim_of c) p 0 (from_told p :: r) (to_told p :: r) w E0 HK NM). }
  assert (KEY : forall i, i = from_told p \/ i = to_told p -> eval g (mul (row_at L i) (Cover.exact L os)) =
    IZR D * power D os * mean (fun t => g (key w (concat t))) (sent (rows C) (i :: os))).
  { intros i HI. pose proof (sent_keys w D (rows C) (length (i :: os)) (i :: os) g FT ltac:(split; [reflexivity|intros j [<-|J]; apply IN; intuition])) as SK.
    change (mul (row_at L i) (Cover.exact L os)) with (product (map (row_at L) (i :: os)) [(0, 1)%Z]).
    rewrite <- (eval_product_ext _ _ (normal_rows (map (row_poly w D) (rows C)) (i :: os))), SK. f_equal. unfold power.
    rewrite <- mult_IZR, <- Z.pow_succ_r by lia. do 2 f_equal. cbn [length]. lia. }
  assert (LI : forall i, i = from_told p \/ i = to_told p -> (i < length L)%nat) by (intros i HI; rewrite LL; apply IN; intuition).
  destruct (covers_mul L D FA (from_told p) os v (LI _ (or_introl eq_refl)) CV g TG) as [CX _].
  destruct (covers_mul L D FA (to_told p) os v (LI _ (or_intror eq_refl)) CV g TG) as [_ CY].
  rewrite (KEY _ (or_introl eq_refl)) in CX. rewrite (KEY _ (or_intror eq_refl)) in CY. rewrite <- (proj1 KX), MX in CX. rewrite <- (proj2 KX), MY in CY.
  pose proof (Cover.power_pos D D0 os) as PW. set (mx := SpecCount.sum _ l) in CX. set (my := SpecCount.sum _ l) in CY.
  apply Rle_trans with (u * mx - e0 * my).
  - assert (A : eval g (mul (row_at L (from_told p)) (low v)) <= IZR (scale v) * IZR D * mx).
    { apply Rmult_le_reg_l with (power D os); [exact PW|]. eapply Rle_trans; [exact CX|]. right. ring. }
    assert (B : IZR (scale v) * IZR D * my <= eval g (mul (row_at L (to_told p)) (low v)) + IZR D * IZR (lost v)).
    { apply Rmult_le_reg_l with (power D os); [exact PW|]. eapply Rle_trans; [|exact CY]. right. ring. }
    rewrite !mult_IZR. apply Rmult_le_reg_r with (IZR (scale v) * IZR D); [now apply Rmult_lt_0_compat|].
    apply (Rmult_le_compat_l u) in A; [|exact HU]. apply (Rmult_le_compat_l e0) in B; [|exact HV].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (apply Rgt_not_eq; now apply Rmult_lt_0_compat). lra.
  - unfold mx, my. rewrite <- !sum_scale. apply Rle_trans with (SpecCount.sum (fun y => Rmax (u * law_seen (shown_as c) (with_others nobody Lx) y -
      e0 * law_seen (shown_as c) (with_others nobody Ly) y) 0) l + 0); [|apply Rplus_le_compat; [apply Rle_refl|lra]]. rewrite Rplus_0_r.
    replace (SpecCount.sum (fun a => u * (phi a * law_seen (shown_as c) Lx a)) l - SpecCount.sum (fun a => e0 * (phi a * law_seen (shown_as c) Ly a)) l) with
      (SpecCount.sum (fun a => phi a * (u * law_seen (shown_as c) Lx a - e0 * law_seen (shown_as c) Ly a)) l)
      by (clear; induction l as [|y l IH]; [cbn; ring|]; rewrite !sum_cons, IH; ring).
    apply sum_le. intros y _. rewrite !LN. pose proof (TG (lens (claim_of c) w 0 y)) as TY. fold (phi y) in TY.
    set (d := u * _ - _). pose proof (Rmax_l d 0). pose proof (Rmax_r d 0). nra.
Qed.
(* ---- laws of numbers that are known from below ---- *)
Lemma ends_known p (F : plan_fits p = true) t e P Q x : TwoColumns.told e P Q -> ends_shown p t e = Some x -> whole x /\ shows p P Q x.
Proof.
  intros T. unfold ends_shown. destruct (over_one e) as [[f h] N] eqn:OE. destruct (over_one_ok _ _ _ _ _ _ T OE) as [A B].
  destruct T as (_ & _ & [P0 P1] & [Q0 Q1]). pose proof A as (N0 & _ & _). cbn [snd] in N0. pose proof (IZR_lt _ _ N0) as N1.
  apply (settled_shows p F); [exact N0|lia|]. intros g u v e0 TG HU HV E.
  (* all but a little of Q *)
  destruct (total_near _ _ (e0 / (v + 1)) Q1 ltac:(apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra])) as (l1 & NL1 & L1).
  destruct (once (map fst f ++ map fst h ++ l1)) as (l & NL & IL). exists l. split; [exact NL|].
  assert (IF : incl (map fst f) l) by (intros k J; apply IL, in_or_app; now left).
  assert (IH : incl (map fst h) l) by (intros k J; apply IL, in_or_app; right; apply in_or_app; now left).
  pose proof (known_sum P f N g l A (conj P0 P1) (fun k => proj1 (TG k)) NL IF) as KX.
  pose proof (known_sum Q h N (fun k => 1 - g k) l B (conj Q0 Q1) (fun k => ltac:(pose proof (TG k); lra)) NL IH) as KY. cbv beta in KY.
  assert (EY : eval (fun k => 1 - g k) h = IZR (mass_of h) - eval g h).
  { unfold mass_of. rewrite mass_of_eval. clear. induction h as [|[k w] h IH]; cbn [eval]; [ring|]. rewrite IH. ring. }
  rewrite EY in KY. clear EY.
  assert (SY : SpecCount.sum (fun k => (1 - g k) * Q k) l = SpecCount.sum Q l - SpecCount.sum (fun k => g k * Q k) l).
  { clear. induction l as [|k l IH]; [cbn; ring|]. rewrite !sum_cons, IH. ring. }
  rewrite SY in KY. clear SY. pose proof (total_above _ _ l Q1 NL) as QL.
  set (px := SpecCount.sum (fun k => g k * P k) l) in *. set (qy := SpecCount.sum (fun k => g k * Q k) l) in *.
  apply Rle_trans with (u * px - v * qy).
  - assert (LM : IZR (N - mass_of h) <= IZR (Z.max 0 (N - mass_of h))) by (apply IZR_le; lia). rewrite minus_IZR in LM.
    assert (IZR N * SpecCount.sum Q l <= IZR N * 1) by (apply Rmult_le_compat_l; lra).
    assert (K : IZR N * qy <= eval g h + IZR (Z.max 0 (N - mass_of h))) by lra.
    apply Rmult_le_reg_r with (IZR N); [exact N1|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply (Rmult_le_compat_l u) in KX; [|exact HU]. apply (Rmult_le_compat_l v) in K; [|exact HV]. lra.
  - unfold px, qy. rewrite <- !sum_scale. apply Rle_trans with (SpecCount.sum (fun k => Rmax (u * P k - v * Q k) 0) l + 0);
      [rewrite Rplus_0_r|apply Rplus_le_compat_l; lra].
    replace (SpecCount.sum (fun a => u * (g a * P a)) l - SpecCount.sum (fun a => v * (g a * Q a)) l) with
      (SpecCount.sum (fun a => g a * (u * P a - v * Q a)) l)
      by (clear; induction l as [|k l IH]; [cbn; ring|]; rewrite !sum_cons, IH; ring).
    apply sum_le. intros k _. pose proof (TG k). set (d := u * _ - _). pose proof (Rmax_l d 0). pose proof (Rmax_r d 0). nra.
Qed.
(* What shows two laws apart does so beside others. *)
Lemma shows_beside p (F : plan_fits p = true) {A B} (P Q : A -> R) (R R' : B -> R) x : sub_law P -> is_mass R -> is_mass R' -> (forall a, 0 <= Q a) ->
  shows p P Q x -> shows p (both_laws P R) (both_laws Q R') x.
Proof.
  intros [P0 P1] [R0 R1] [R0' R1'] Q0 S g u v e TG HU HV E. pose proof (U_pos p F) as U0. set (U := IZR (unit p)) in *.
  destruct (S g u v (e / 2) TG HU HV ltac:(lra)) as (l & NL & L).
  destruct (total_near _ _ (e / (2 * (U * u + 1))) R1 ltac:(apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; nra])) as (m & NM & M).
  exists (list_prod l m). split; [now apply nodup_pairs|]. rewrite sum_pairs. eapply Rle_trans; [exact L|].
  set (d := e / (2 * (U * u + 1))) in *. pose proof (total_above _ _ m R1' NM) as M'.
  apply Rle_trans with (U * (SpecCount.sum (fun a => SpecCount.sum (fun b => Rmax (u * both_laws P R (a, b) - v * both_laws Q R' (a, b)) 0) m) l + u * d) + e / 2).
  - apply Rplus_le_compat_r, Rmult_le_compat_l; [lra|].
    apply Rle_trans with (SpecCount.sum (fun a => SpecCount.sum (fun b => Rmax (u * both_laws P R (a, b) - v * both_laws Q R' (a, b)) 0) m + u * d * P a) l).
    + apply sum_le. intros a _. unfold both_laws. cbn [fst snd].
      assert (G : u * P a * SpecCount.sum R m - v * Q a * SpecCount.sum R' m <=
        SpecCount.sum (fun b => Rmax (u * (P a * R b) - v * (Q a * R' b)) 0) m).
      { clear. induction m as [|b m IH]; [cbn; lra|]. rewrite !sum_cons. pose proof (Rmax_l (u * (P a * R b) - v * (Q a * R' b)) 0). lra. }
      assert (G0 : 0 <= SpecCount.sum (fun b => Rmax (u * (P a * R b) - v * (Q a * R' b)) 0) m) by (apply sum_nonneg; intros; apply Rmax_r).
      specialize (P0 a). specialize (Q0 a). assert (UP : 0 <= u * P a) by (now apply Rmult_le_pos). assert (VQ : 0 <= v * Q a) by (now apply Rmult_le_pos).
      assert (D0 : 0 <= d) by (unfold d; apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; nra]).
      apply Rmax_lub; [|nra]. assert (u * P a * (1 - d) <= u * P a * SpecCount.sum R m) by (apply Rmult_le_compat_l; lra).
      assert (v * Q a * SpecCount.sum R' m <= v * Q a * 1) by (apply Rmult_le_compat_l; lra). lra.
    + rewrite sum_plus, sum_scale. specialize (P1 l NL). assert (D0 : 0 <= u * d) by (apply Rmult_le_pos; [exact HU|]; unfold d; apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; nra]).
      assert (u * d * SpecCount.sum P l <= u * d * 1) by (now apply Rmult_le_compat_l). lra.
  - assert (U * (u * d) <= e / 2); [|lra]. unfold d.
    apply Rle_trans with ((U * u + 1) * (e / (2 * (U * u + 1)))); [|right; field; nra]. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [|lra].
    apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; nra].
Qed.

(* ---- runs whose pairs do not depend on each other ---- *)
Inductive apart : forall runs, SpecRuns.pairs (SpecRuns.shown runs) :=
| nothing : apart [] (fun _ => 1) (fun _ => 1)
| and_then s runs P Q P' Q' : pairs_of s P Q -> sub_law P -> sub_law Q -> apart runs P' Q' ->
    apart (s :: runs) (both_laws P P') (both_laws Q Q').
Lemma apart_together runs P Q : apart runs P Q -> together runs P Q.
Proof. induction 1 as [|s runs P Q P' Q' H _ _ _ IH]; [constructor|]. now apply (then_run s runs P Q (fun _ => P') (fun _ => Q')). Qed.
Lemma sub_product {A B} (P : A -> R) (P' : B -> R) : sub_law P -> sub_law P' -> sub_law (both_laws P P').
Proof.
  intros [P0 P1] [P0' P1']. split; [intros [a b]; unfold both_laws; now apply Rmult_le_pos|]. intros l N.
  destruct (once (map fst l)) as (ys & NY & IY). destruct (once (map snd l)) as (os & NO & IO).
  eapply Rle_trans; [apply (sum_incl _ l) with (m := list_prod ys os)|].
  - intros [a b]. unfold both_laws. now apply Rmult_le_pos.
  - exact N.
  - intros [y o] I. apply in_prod; [apply IY|apply IO]; apply in_map_iff; exists (y, o); auto.
  - rewrite sum_pairs. apply Rle_trans with (SpecCount.sum P ys); [|now apply P1]. apply sum_le. intros y _. unfold both_laws. cbn [fst snd].
    rewrite sum_scale. rewrite <- (Rmult_1_r (P y)) at 2. apply Rmult_le_compat_l; [apply P0|now apply P1'].
Qed.
Lemma sub_one : sub_law (fun _ : Datatypes.unit => 1).
Proof.
  split; [intros; lra|]. intros l N. apply Rle_trans with (SpecCount.sum (fun _ : Datatypes.unit => 1) [tt]); [|cbn; lra].
  apply sum_incl; [intros; lra|exact N|]. intros [] _. now left.
Qed.
Lemma apart_sub runs P Q : apart runs P Q -> sub_law P /\ sub_law Q.
Proof. induction 1 as [|s runs P Q P' Q' H SP SQ _ [IH1 IH2]]; [split; apply sub_one|]. split; now apply sub_product. Qed.
Fixpoint side (a b : list seen) : SpecRuns.shown a -> SpecRuns.shown b -> SpecRuns.shown (a ++ b) :=
  match a with [] => fun _ o => o | s :: a => fun y o => (fst y, side a b (snd y) o) end.
Lemma side_apart a b : forall y o y' o', side a b y o = side a b y' o' -> y = y' /\ o = o'.
Proof.
  induction a as [|s a IH]; cbn [side SpecRuns.shown app]; [intros [] o [] o' E; auto|].
  intros [y1 y2] o [z1 z2] o' [= -> E]. apply IH in E as [-> ->]. auto.
Qed.
Lemma apart_app a Pa Qa : apart a Pa Qa -> forall b Pb Qb, apart b Pb Qb -> exists P Q, apart (a ++ b) P Q /\
  forall y o, P (side a b y o) = Pa y * Pb o /\ Q (side a b y o) = Qa y * Qb o.
Proof.
  induction 1 as [|s a P Q P' Q' H SP SQ _ IH]; intros b Pb Qb HB.
  - exists Pb, Qb. split; [exact HB|]. intros y o. cbn [side]. split; ring.
  - destruct (IH b Pb Qb HB) as (P2 & Q2 & H2 & E). exists (both_laws P P2), (both_laws Q Q2). split; [now constructor|].
    intros y o. cbn [side]. unfold both_laws. cbn [fst snd]. destruct (E (snd y) o) as [E1 E2]. split; [rewrite E1|rewrite E2]; symmetry; apply Rmult_assoc.
Qed.

Section Plan.
Variable p : plan.
Hypothesis F : plan_fits p = true.
Definition found (runs : list seen) (x : statistic) := whole x /\ exists P Q, apart runs P Q /\ shows p P Q x.
Lemma shows_inj {A B} (f : A -> B) (P Q : A -> R) (P' Q' : B -> R) x : (forall a b, f a = f b -> a = b) ->
  (forall a, P' (f a) = P a /\ Q' (f a) = Q a) -> shows p P Q x -> shows p P' Q' x.
Proof.
  intros I E S g u v e G HU HV HE. destruct (S g u v e G HU HV HE) as (l & N & L). exists (map f l).
  split; [now apply FinFun.Injective_map_NoDup|]. rewrite sum_map_of. eapply Rle_trans; [exact L|]. right. do 2 f_equal.
  apply sum_ext. intros a _. now destruct (E a) as [-> ->].
Qed.
(* What is made of two laws shows no more. *)
Lemma shows_made f (P Q : Z -> R) x : is_mass P -> is_mass Q -> shows p (made_by f P) (made_by f Q) x -> shows p P Q x.
Proof.
  intros MP MQ S g u v e TG HU HV E. pose proof (U_pos p F) as U0. set (U := IZR (unit p)) in *.
  destruct (S g u v (e / 2) TG HU HV ltac:(lra)) as (l & NL & L).
  destruct HU as [HU|HU].
  - assert (EX : forall (P' Q' : Z -> R) l, SpecCount.sum (fun y => Rmax (u * P' y - v * Q' y) 0) l = u * SpecCount.sum (excess P' Q' (v / u)) l).
    { intros P' Q' l0. rewrite <- sum_scale. apply sum_ext. intros y _. unfold excess. rewrite Gain.Rmax_scale by lra. f_equal. field. lra. }
    assert (Z0 : 0 <= v / u) by (apply Rmult_le_pos; [exact HV|left; now apply Rinv_0_lt_compat]).
    destruct (total_exists (excess P Q (v / u)) 1) as [K TK].
    { intros l0 N0. eapply Rle_trans; [apply sum_le with (g := P)|apply (mass_sum P l0 MP N0)]. intros y _. unfold excess.
      pose proof (proj1 MP y). pose proof (proj1 MQ y). apply Rmax_lub; nra. }
    pose proof (Ends.made_within f P Q (v / u) K MP MQ Z0 (fun l0 N0 => total_above _ _ l0 TK N0) l NL) as W.
    destruct (total_near _ _ (e / (2 * (U * u))) TK) as (l' & NL' & L'); [apply Rdiv_lt_0_compat; nra|].
    exists l'. split; [exact NL'|]. eapply Rle_trans; [exact L|]. rewrite !EX.
    apply Rle_trans with (U * u * (SpecCount.sum (excess P Q (v / u)) l' + e / (2 * (U * u))) + e / 2); [|right; field; lra].
    apply Rplus_le_compat_r. fold U. rewrite <- Rmult_assoc. apply Rmult_le_compat_l; [nra|lra].
  - exists []. split; [constructor|]. eapply Rle_trans; [exact L|]. subst u.
    rewrite (sum_ext _ (fun _ => 0 * 0)); [rewrite sum_scale; cbn [SpecCount.sum fold_right]; lra|].
    intros y _. rewrite Rmax_right; [ring|]. pose proof (Made.made_0 f Q MQ y). nra.
Qed.
Lemma found_app a b x y : found a x -> found b y -> found (a ++ b) (meet p x y).
Proof.
  intros (WX & Pa & Qa & HA & SA) (WY & Pb & Qb & HB & SB). destruct (apart_sub _ _ _ HA) as [[P0 _] SQ].
  destruct (meet_shows p F Pa Qa Pb Qb x y P0 SQ WX WY SA SB) as [WM SM]. split; [exact WM|].
  destruct (apart_app a Pa Qa HA b Pb Qb HB) as (P & Q & H & E). exists P, Q. split; [exact H|].
  apply (shows_inj (fun o => side a b (fst o) (snd o)) _ _ P Q _) in SM; [exact SM| |].
  - intros [i o] [j o'] S. cbn [fst snd] in S. apply side_apart in S as [-> ->]. reflexivity.
  - intros [i o]. unfold both_laws. cbn [fst snd]. apply E.
Qed.
Lemma found_one s x P Q : pairs_of s P Q -> sub_law P -> sub_law Q -> whole x -> shows p P Q x -> found [s] x.
Proof.
  intros H SP SQ W S. split; [exact W|]. exists (both_laws P (fun _ => 1)), (both_laws Q (fun _ => 1)).
  split; [apply (and_then s [] P Q _ _ H SP SQ); constructor|].
  apply (shows_inj (fun y => (y, tt)) P Q _ _ x); [intros a b [= E]; exact E| |exact S]. intros a. unfold both_laws. cbn [fst snd]. split; ring.
Qed.
Lemma found_times s x n : found [s] x -> found (repeat s (Pos.to_nat n)) (many_times p n x).
Proof.
  intros H. induction n as [n IH|n IH|]; cbn [many_times].
  - rewrite meet_self_same. replace (Pos.to_nat n~1) with (Pos.to_nat n + Pos.to_nat n + 1)%nat by lia.
    rewrite !repeat_app. apply found_app; [now apply found_app|exact H].
  - rewrite meet_self_same. replace (Pos.to_nat n~0) with (Pos.to_nat n + Pos.to_nat n)%nat by lia. rewrite repeat_app. now apply found_app.
  - exact H.
Qed.
Definition seen_of (k : kind) : seen := match k with OfRows c => of_crowd c | OfNumbers c => of_number c | OfColumns c d => of_columns c d | OfAny c => of_any c end.
Lemma is_seen_of k : is_seen k (seen_of k).
Proof. now destruct k. Qed.
Lemma mass_sub {A} (P : A -> R) : is_mass P -> sub_law P.
Proof. intros [P0 P1]. split; [exact P0|]. intros l N. now apply (total_above _ _ l P1). Qed.
Lemma mass_beside {A B} (P : A -> R) (R : B -> R) : is_mass P -> is_mass R -> sub_law (both_laws P R).
Proof. intros HP HR. now apply sub_product; apply mass_sub. Qed.
Lemma run_shown_ok t k q x : run_shown p t k q = Some x -> kind_said k /\ whole x /\ exists P Q, pairs_of (seen_of k) P Q /\ sub_law P /\ sub_law Q /\ shows p P Q x.
Proof.
  unfold run_shown. destruct k as [c|c|c d|c], q as [own s q prec fine cut fast|q]; try discriminate;
    [destruct (rows_known _ _ _ _ _ _ _ _) as [a|] eqn:K; [|discriminate]; intros ST;
     destruct (rows_known_ok _ _ _ _ _ _ _ _ _ K) as (W & N0 & L0 & P & Q & H & MP & MQ & KP); apply lt_IZR in N0;
     destruct (settled_shows p F P Q _ _ _ _ _ _ N0 L0 KP ST) as [WX SX]; split; [exact W|split; [exact WX|]]; exists P, Q; auto using mass_sub|..];
    destruct q as [h i j|h q]; cbn [Ends.ends_found]; try discriminate; cbn [kind_said seen_of].
  - destruct (Shifts.seen_ends c h i j) as [e|] eqn:SE; [|discriminate]. intros ST.
    assert (KN : Shifts.number_known c h = true) by (unfold Shifts.seen_ends in SE; destruct (Shifts.number_known c h); [reflexivity|discriminate]).
    destruct (Shifts.seen_ends_ok c h KN i j e SE) as (O & N & MP & MQ & f & T). split; [apply (Shifts.number_parts c h KN)|].
    destruct (ends_known p F t e _ _ x T ST) as [WX SX]. split; [exact WX|].
    eexists _, _. split; [|split; [exact (mass_sub _ MP)|split; [exact (mass_sub _ MQ)|exact (shows_made f _ _ x MP MQ SX)]]].
    eexists _, i, j, []. split; [exact O|split; [exact N|]]. split; reflexivity.
  - destruct (Columns.pair_ends c d h q) as [[e1 e2]|] eqn:PE; [|discriminate].
    destruct (Columns.pair_ends_ok _ _ _ _ _ _ PE) as (KN & ni & nw & xs & ys & l & l' & p1 & q1 & r & r' & SI & NB & T1 & LL & EX & EY & T2). intros ST.
    destruct (Columns.known_parts _ _ KN) as (_ & LS & _). split; [now apply Columns.said|].
    pose proof (Columns.all_columns_mass c h KN xs (seq 0 nw)) as MX. pose proof (Columns.all_columns_mass c h KN ys (seq 0 nw)) as MY.
    assert (PR : pairs_of (of_columns c d) (jointly (map (shown_column c xs) (seq 0 nw))) (jointly (map (shown_column c ys) (seq 0 nw)))).
    { exists ni, nw, xs, ys. auto. }
    assert (G : whole x /\ shows p (jointly (map (shown_column c xs) (seq 0 nw))) (jointly (map (shown_column c ys) (seq 0 nw))) x).
    2: { destruct G as [WX SX]. split; [exact WX|]. eexists _, _. split; [exact PR|].
      split; [now apply mass_sub, TwoColumns.jointly_mass|split; [now apply mass_sub, TwoColumns.jointly_mass|exact SX]]. }
    rewrite EX in *. rewrite EY in *. pose proof T1 as (_ & _ & MP1 & MQ1). destruct e2 as [e2|].
    + destruct T2 as (m & m' & p2 & q2 & s & s' & T2 & LM & -> & ->). apply Columns.all_but_two in MX, MY. pose proof T2 as (_ & _ & MP2 & MQ2).
      destruct (ends_shown p t e1) as [x1|] eqn:X1; [|discriminate]. destruct (ends_shown p t e2) as [x2|] eqn:X2; [|discriminate]. injection ST as <-.
      destruct (ends_known p F t e1 _ _ x1 T1 X1) as [W1 S1]. destruct (ends_known p F t e2 _ _ x2 T2 X2) as [W2 S2].
      destruct (meet_shows p F p1 q1 p2 q2 x1 x2 (proj1 MP1) (mass_sub _ MQ1) W1 W2 S1 S2) as [WM SM]. split; [exact WM|].
      apply (shows_beside p F _ _ (jointly (l ++ m ++ s)) (jointly (l' ++ m' ++ s'))) in SM; try (now apply TwoColumns.jointly_mass); [|now apply mass_beside|apply (mass_beside q1 q2 MQ1 MQ2)].
      refine (shows_inj (fun o => Columns.put_two (length l) (length (l ++ m)) (fst o) (snd o)) _ _ _ _ _ _ _ SM).
      * intros [o ks] [o' ks'] E. cbn [fst snd] in E. apply Columns.put_two_apart in E as [-> ->]. reflexivity.
      * intros [o ks]. unfold both_laws. cbn [fst snd]. split; [now rewrite Columns.jointly_put_two|].
        rewrite app_length, LL, LM, <- app_length. now rewrite Columns.jointly_put_two.
    + apply Columns.all_but_one in MX, MY. destruct (ends_known p F t e1 _ _ x T1 ST) as [W1 S1]. split; [exact W1|].
      apply (shows_beside p F _ _ (jointly (l ++ r)) (jointly (l' ++ r'))) in S1; try (now apply TwoColumns.jointly_mass); [|now apply mass_sub|apply MQ1].
      refine (shows_inj (fun o => Columns.put (length l) (fst o) (snd o)) _ _ _ _ _ _ _ S1).
      * intros [k ks] [k' ks'] E. cbn [fst snd] in E. apply Columns.put_apart in E as [-> ->]. reflexivity.
      * intros [k ks]. unfold both_laws. cbn [fst snd]. split; [apply Columns.jointly_put|]. rewrite LL. apply Columns.jointly_put.
Qed.
Lemma runs_shown_ok t ks : forall qs before x, runs_shown p t ks qs before = Some x -> (forall k, In k ks -> kind_said (fst k)) /\
  forall same done, match before with Some y => found done y | None => done = [] end ->
  exists chosen, chosen_of same (map (fun k => (seen_of (fst k), snd k)) ks) chosen /\ found (done ++ chosen) x.
Proof.
  induction ks as [|[k n] ks IH]; intros [|q qs] before x; cbn [runs_shown]; try discriminate.
  - intros ->. split; [intros k []|]. intros same done H. exists []. rewrite app_nil_r. split; [now destruct same|exact H].
  - destruct (run_shown p t k q) as [y|] eqn:R; [|discriminate]. intros E. destruct (run_shown_ok t k q y R) as (W & WY & P & Q & H & SP & SQ & SY).
    destruct (IH _ _ _ E) as [IW IH']. split; [intros k' [<-|J]; [exact W|now apply IW]|]. intros same done D.
    set (s' := if same then Seen (outcome (seen_of k)) (fun P' Q' => P' = P /\ Q' = Q) else seen_of k).
    assert (FO : found [s'] y) by (unfold s'; destruct same; [apply (found_one (Seen _ _) y P Q)|apply (found_one (seen_of k) y P Q)]; auto; now split).
    apply (found_times s' y n) in FO.
    destruct (IH' same (done ++ repeat s' (Pos.to_nat n))) as (chosen & C & FD).
    { destruct before as [b|]; [now apply found_app|subst done; exact FO]. }
    exists (repeat s' (Pos.to_nat n) ++ chosen). split; [|now rewrite app_assoc].
    unfold chosen_of in *. cbn [map fst snd]. unfold s'. destruct same; cbn [same_data any_data].
    + exists P, Q, chosen. auto.
    + now rewrite C.
Qed.
End Plan.
Theorem check_runs_false_sound c p prec qs : check_runs_false c p prec qs = true -> composition_false c.
Proof.
  unfold check_runs_false. intros H. do 3 (apply andb_prop in H as [H ?]). destruct (runs_shown _ _ _ _ _) as [x|] eqn:R; [|discriminate].
  destruct (runs_shown_ok p H _ _ _ _ _ R) as [W G]. split; [exact W|].
  exists (map (fun k => (seen_of (fst k), snd k)) (kinds c)). split.
  { clear. induction (kinds c) as [|k ks IH]; cbn [map]; constructor; [|exact IH]. cbn [fst snd]. split; [apply is_seen_of|reflexivity]. }
  intros same K. destruct (G same [] eq_refl) as (chosen & C & WX & P & Q & A & S). cbn [app] in *.
  destruct (apart_sub _ _ _ A) as [_ [Q0 _]]. pose proof (value_1 _ H2) as Z1. pose proof (from_above_ok _ _ H2 H1) as [B0 AB].
  apply Z.ltb_lt, IZR_lt in H0. rewrite !mult_IZR in H0.
  refine (shown_delta_ok p H P Q x (value (runs_eps c)) (from_above (runs_eps c) prec) (Q2R (runs_delta c)) S WX _ B0 AB ltac:(lra) Q0 _
    (K chosen C P Q (apart_together _ _ _ A))).
  - apply le_IZR. eapply Rle_trans; [|exact AB]. apply Rmult_le_pos; lra.
  - rewrite Q2R_frac. pose proof (den_pos (runs_delta c)) as D0. apply Rmult_lt_reg_r with (IZR (QDen (runs_delta c))); [assumption|].
    eapply Rle_lt_trans; [|exact H0]. right. field. lra.
Qed.
