(* A pair of laws that are known from below, put on the lattice as it is. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount SpecColumns SpecRuns Poly Exp Check Cover Powers Sums Numbers GridSum.
From Shufflecert Require Below TwoColumns.
From Shufflecert Require Import Pairs Lattice Dots.
Import ListNotations.
Local Open Scope Z_scope.

(* The weights of P and Q at one place each, where P has any; what is found before comes first. *)
Fixpoint side_by_side (f : poly) : poly -> list (Z * Z) -> list (Z * Z) :=
  match f with
  | [] => fun _ acc => rev_append acc []
  | (k, w) :: f' =>
      fix inner g acc :=
        match g with
        | [] => side_by_side f' [] ((w, 0) :: acc)
        | (l, v) :: g' =>
            match Z.compare k l with
            | Lt => side_by_side f' g ((w, 0) :: acc)
            | Eq => side_by_side f' g' ((w, v) :: acc)
            | Gt => inner g' acc
            end
        end
  end.
Section Plan.
Variable p : plan.
(* P's weights, over N, and both for their ratio *)
Fixpoint atoms_from (N : Z) (l : list (Z * Z)) (acc : list atom) : list atom :=
  match l with
  | [] => rev_append acc []
  | (a, b) :: l => atoms_from N l (if a <=? 0 then acc else (ceil (a * unit p) N, (a, b)) :: acc)
  end.
(* The pair of laws that are known like this, over N, with so much more of P at infinity. *)
Definition pair_lattice (t : ladder) (N far : Z) (f h : poly) : option lattice :=
  let l := side_by_side f h [] in
  if forallb (fun kw => 0 <=? snd kw) h && forallb (fun o => 0 <=? snd o) l then start p t far (atoms_from N l []) else None.
Definition mass_of (f : poly) : Z := fold_left (fun t kw => t + snd kw) f 0.
(* Two laws that are known from below, over one unit *)
Definition times_all (u : Z) (f : poly) : poly := map (fun kw => (fst kw, snd kw * u)) f.
Definition over_one (e : TwoColumns.ends_of) : poly * poly * Z :=
  let '((f, u), (h, v)) := e in if u =? v then (f, h, u) else (times_all v f, times_all u h, u * v).
Definition ends_lattice (t : ladder) (e : TwoColumns.ends_of) : option lattice :=
  let '(f, h, N) := over_one e in
  if 0 <? N then pair_lattice t N (Z.max (ceil ((N - mass_of f) * unit p) N) 0) f h else None.

Hypothesis F : plan_fits p = true.
Local Open Scope R_scope.
Let U : R := IZR (unit p).
Notation sum := SpecCount.sum.
Definition of_pairs (u v : R) (l : list (Z * Z)) : R := sum (fun o => Rmax (u * IZR (fst o) - v * IZR (snd o)) 0) l.
Lemma of_pairs_rev u v l m : of_pairs u v (rev_append l m) = of_pairs u v l + of_pairs u v m.
Proof.
  revert m. induction l as [|o l IH]; intros m; cbn [rev_append]; [unfold of_pairs at 2; cbn; ring|].
  rewrite IH. unfold of_pairs. rewrite !sum_cons. ring.
Qed.
Lemma side_by_side_ok u v g : 0 <= u -> 0 <= v -> (forall k, 0 <= g k <= 1) -> forall f h acc, sure h ->
  u * eval g f - v * eval g h + of_pairs u v acc <= of_pairs u v (side_by_side f h acc).
Proof.
  intros HU HV G. assert (T : forall k x, x * g k <= Rmax x 0).
  { intros k x. destruct (G k). unfold Rmax. destruct (Rle_dec x 0); nra. }
  induction f as [|[k w] f IH]; intros h acc S.
  - cbn [side_by_side eval]. rewrite of_pairs_rev. unfold of_pairs at 3. cbn.
    pose proof (Below.sure_eval h g S (fun k => proj1 (G k))). nra.
  - revert acc. induction h as [|[l x] h IHh]; intros acc; cbn [side_by_side].
    + eapply Rle_trans; [|apply IH; reflexivity]. unfold of_pairs at 2. rewrite sum_cons. fold (of_pairs u v acc). cbn [eval fst snd].
      pose proof (T k (u * IZR w - v * IZR 0)). replace (IZR 0) with 0 in * by reflexivity. lra.
    + pose proof S as S'. unfold sure in S. cbn [forallb snd] in S. apply andb_prop in S as [X S]. apply Z.leb_le, IZR_le in X.
      destruct (Z.compare_spec k l) as [<-|L|L].
      * eapply Rle_trans; [|apply IH; exact S]. unfold of_pairs at 2. rewrite sum_cons. fold (of_pairs u v acc). cbn [eval fst snd].
        pose proof (T k (u * IZR w - v * IZR x)). lra.
      * eapply Rle_trans; [|apply IH; exact S']. unfold of_pairs at 2. rewrite sum_cons. fold (of_pairs u v acc). cbn [eval fst snd].
        pose proof (T k (u * IZR w - v * IZR 0)). replace (IZR 0) with 0 in * by reflexivity. lra.
      * eapply Rle_trans; [|apply (IHh S)]. cbn [eval]. destruct (G l). assert (0 <= v * (IZR x * g l)) by (repeat apply Rmult_le_pos; lra). lra.
Qed.
Lemma atoms_from_ok N u v : (0 < N)%Z -> 0 <= u -> 0 <= v -> forall l acc, Forall (fun o => 0 <= snd o)%Z l -> Forall stands acc ->
  Forall stands (atoms_from N l acc) /\
  sum (at_atom u v) acc + of_pairs u v l * U / IZR N <= sum (at_atom u v) (atoms_from N l acc).
Proof.
  intros N0 HU HV. pose proof (unit_pos p F) as U1. pose proof (U_pos p F) as U0. fold U in U0. pose proof (IZR_lt _ _ N0) as N1.
  induction l as [|[a b] l IH]; intros acc B S; cbn [atoms_from].
  - rewrite rev_append_rev, app_nil_r. split; [now apply Forall_rev|]. unfold of_pairs. cbn [SpecCount.sum fold_right].
    assert (E : forall l : list atom, sum (at_atom u v) (rev l) = sum (at_atom u v) l).
    { clear. induction l as [|o l IH]; [reflexivity|]. cbn [rev]. rewrite sum_app, IH, !sum_cons. cbn. ring. }
    rewrite E. unfold Rdiv. lra.
  - inversion_clear B as [|? ? B0 B']. cbn [snd] in B0. unfold of_pairs. rewrite sum_cons. cbn [fst snd]. fold (of_pairs u v l).
    unfold Rdiv. rewrite !Rmult_plus_distr_r. fold (Rdiv (of_pairs u v l * U) (IZR N)).
    destruct (Z.leb_spec a 0) as [A|A].
    + destruct (IH acc B' S) as [S' LE]. split; [exact S'|]. apply IZR_le in A, B0. rewrite (Rmax_right (u * IZR a - v * IZR b)) by nra. lra.
    + assert (W0 : (0 <= ceil (a * unit p) N)%Z) by (apply ceil_nonneg; nia).
      destruct (IH ((ceil (a * unit p) N, (a, b)) :: acc) B' ltac:(constructor; [now repeat split|exact S])) as [S' LE].
      split; [exact S'|]. eapply Rle_trans; [|exact LE]. rewrite sum_cons. unfold at_atom at 2. cbn [fst snd].
      pose proof (ceil_high (a * unit p) N N0) as C. rewrite mult_IZR in C. fold U in C. apply IZR_lt in A.
      assert (EM : Rmax (u * IZR a - v * IZR b) 0 = IZR a * Rmax (u - v * (IZR b / IZR a)) 0).
      { rewrite Rmax_scaled by lra. f_equal. field. lra. }
      rewrite EM. pose proof (Rmax_r (u - v * (IZR b / IZR a)) 0) as M0. set (m := Rmax (u - v * (IZR b / IZR a)) 0) in *.
      assert (IZR a * m * U * / IZR N <= IZR (ceil (a * unit p) N) * m); [|lra].
      apply Rmult_le_reg_r with (IZR N); [assumption|].
      replace (IZR a * m * U * / IZR N * IZR N) with (IZR a * U * m) by (field; lra).
      replace (IZR (ceil (a * unit p) N) * m * IZR N) with (IZR (ceil (a * unit p) N) * IZR N * m) by ring.
      now apply Rmult_le_compat_r.
Qed.
Theorem pair_lattice_ok t N far f h x : all_rungs p t -> (0 < N)%Z -> (0 <= far)%Z -> pair_lattice t N far f h = Some x ->
  fit x /\ forall u v g, 0 <= u -> 0 <= v -> (forall k, 0 <= g k <= 1) ->
  IZR far * u / U + (u * eval g f - v * eval g h) / IZR N <= curve (atoms_of p x) u v.
Proof.
  intros R N0 F0. unfold pair_lattice. destruct (_ && _) eqn:C; [|discriminate]. intros ST. apply andb_prop in C as [C1 C2].
  rewrite forallb_forall in C2. assert (PS : Forall (fun o => 0 <= snd o)%Z (side_by_side f h [])) by
    (apply Forall_forall; intros o J; now apply Z.leb_le, C2).
  pose proof (U_pos p F) as U0. fold U in U0. pose proof (IZR_lt _ _ N0) as N1.
  assert (K : forall u v, 0 <= u -> 0 <= v -> Forall stands (atoms_from N (side_by_side f h []) []) /\
    of_pairs u v (side_by_side f h []) * U / IZR N <= sum (at_atom u v) (atoms_from N (side_by_side f h []) [])).
  { intros u v HU HV. destruct (atoms_from_ok N u v N0 HU HV _ [] PS (Forall_nil _)) as [S L]. split; [exact S|]. cbn in L |- *. lra. }
  destruct (start_ok p F t far _ x R F0 (proj1 (K 0 0 (Rle_refl 0) (Rle_refl 0))) ST) as [X1 X2]. split; [exact X1|].
  intros u v g HU HV G. eapply Rle_trans; [|apply (X2 u v HU HV)]. fold U.
  pose proof (side_by_side_ok u v g HU HV G f h [] C1) as AL. unfold of_pairs at 1 in AL. cbn [SpecCount.sum fold_right] in AL.
  destruct (K u v HU HV) as [_ L]. apply Rmult_le_reg_r with (U * IZR N); [nra|].
  apply (Rmult_le_compat_r (IZR N)) in L; [|lra].
  replace (of_pairs u v (side_by_side f h []) * U / IZR N * IZR N) with (of_pairs u v (side_by_side f h []) * U) in L by (field; lra).
  replace ((IZR far * u / U + (u * eval g f - v * eval g h) / IZR N) * (U * IZR N)) with
    (IZR far * u * IZR N + (u * eval g f - v * eval g h) * U) by (field; lra).
  replace ((IZR far * u + sum (at_atom u v) (atoms_from N (side_by_side f h []) [])) / U * (U * IZR N)) with
    (IZR far * u * IZR N + sum (at_atom u v) (atoms_from N (side_by_side f h []) []) * IZR N) by (field; lra).
  apply Rplus_le_compat_l. eapply Rle_trans; [|exact L]. apply Rmult_le_compat_r; lra.
Qed.
Lemma mass_of_eval f t : IZR (fold_left (fun t kw => t + snd kw)%Z f t) = IZR t + eval (fun _ => 1) f.
Proof.
  revert t. induction f as [|[k w] f IH]; intros t; cbn [fold_left eval snd]; [ring|]. rewrite IH, plus_IZR. ring.
Qed.
Lemma times_all_below u f v m : (0 < u)%Z -> Below.below (f, v) m -> Below.below (times_all u f, u * v)%Z m.
Proof.
  intros U0 (V0 & S & B). cbn [fst snd] in *. apply IZR_lt in U0 as U1.
  split; [cbn [snd]; lia|split]; cbn [fst snd].
  - unfold sure, times_all in *. rewrite forallb_forall in *. intros o I. apply in_map_iff in I as (o' & <- & I). specialize (S o' I).
    cbn [snd]. apply Z.leb_le in S. apply Z.leb_le. nia.
  - intros k. specialize (B k). cbn [fst snd] in *. rewrite mult_IZR.
    assert (E : eval (Below.at_place k) (times_all u f) = IZR u * eval (Below.at_place k) f).
    { clear. induction f as [|[i w] f IH]; cbn [times_all map eval fst snd]; [ring|]. fold (times_all u f). rewrite IH, mult_IZR. ring. }
    rewrite E. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|exact B].
Qed.
Lemma over_one_ok e P Q f h N : TwoColumns.told e P Q -> over_one e = (f, h, N) -> Below.below (f, N) P /\ Below.below (h, N) Q.
Proof.
  destruct e as [[f0 u] [h0 v]]. intros (A & B & _) H. cbn [fst snd] in A, B. unfold over_one in H. pose proof A as (U0 & _). pose proof B as (V0 & _).
  cbn [snd] in U0, V0. destruct (Z.eqb_spec u v) as [->|]; injection H as <- <- <-; [auto|]. split; [|now apply times_all_below].
  rewrite Z.mul_comm. now apply times_all_below.
Qed.
Lemma known_sum (m : Z -> R) f N g us : Below.below (f, N) m -> is_mass m -> (forall k, 0 <= g k) -> NoDup us ->
  incl (map fst f) us -> eval g f <= IZR N * sum (fun k => g k * m k) us.
Proof.
  intros (N0 & S & B) [M0 _] G D I. cbn [fst snd] in *. apply IZR_lt in N0.
  rewrite <- (weight_sum g us f D) by (intros k w J; apply I; now apply (in_map fst) in J).
  rewrite <- sum_scale. apply sum_le. intros k _. rewrite Below.at_place_weight. specialize (B k). specialize (G k). nra.
Qed.
Lemma ends_fit t e x : all_rungs p t -> ends_lattice t e = Some x -> fit x.
Proof.
  intros R. unfold ends_lattice. destruct (over_one e) as [[f h] N]. destruct (Z.ltb_spec 0 N) as [N0|]; [|discriminate]. intros ST.
  apply (pair_lattice_ok t N _ f h x R N0 (Z.le_max_r _ 0) ST).
Qed.
Theorem ends_lattice_ok t e P Q x : all_rungs p t -> TwoColumns.told e P Q -> ends_lattice t e = Some x ->
  fit x /\ under P Q (curve (atoms_of p x)).
Proof.
  intros R T. unfold ends_lattice. destruct (over_one e) as [[f h] N] eqn:OE. destruct (over_one_ok _ _ _ _ _ _ T OE) as [A B].
  destruct T as (_ & _ & [P0 P1] & [Q0 Q1]). pose proof A as (N0 & _ & _). cbn [snd] in N0.
  rewrite (proj2 (Z.ltb_lt 0 N) N0). set (lost := Z.max (ceil ((N - mass_of f) * unit p) N) 0). intros ST.
  destruct (pair_lattice_ok t N lost f h x R N0 ltac:(unfold lost; lia) ST) as [X1 X2]. split; [exact X1|].
  intros u v l HU HV D.
  pose proof (unit_pos p F) as U1. pose proof (U_pos p F) as U0. fold U in U0. pose proof (IZR_lt _ _ N0) as N1.
  (* all outcomes that matter *)
  destruct (once (l ++ map fst f ++ map fst h)) as (us & DU & IU).
  assert (I1 : incl l us) by (intros k J; apply IU, in_or_app; now left).
  assert (I2 : incl (map fst f) us) by (intros k J; apply IU, in_or_app; right; apply in_or_app; now left).
  assert (I3 : incl (map fst h) us) by (intros k J; apply IU, in_or_app; right; apply in_or_app; now right).
  eapply Rle_trans; [apply (sum_incl _ l (fun a => Rmax_r _ 0) D us I1)|].
  set (g := fun k => if Rle_dec 0 (u * P k - v * Q k) then 1 else 0).
  assert (G : forall k, 0 <= g k <= 1) by (intros k; unfold g; destruct (Rle_dec _ _); lra).
  assert (SP : sum P us <= 1) by now apply (total_above _ _ _ P1).
  assert (E1 : sum (fun k => Rmax (u * P k - v * Q k) 0) us =
    u * sum P us - u * sum (fun k => (1 - g k) * P k) us - v * sum (fun k => g k * Q k) us).
  { assert (EK : forall k, Rmax (u * P k - v * Q k) 0 = u * P k - u * ((1 - g k) * P k) - v * (g k * Q k)).
    { intros k. unfold g. destruct (Rle_dec 0 (u * P k - v * Q k)); [rewrite Rmax_left by lra|rewrite Rmax_right by lra]; ring. }
    clear - EK. induction us as [|k l IH]; [cbn; ring|]. rewrite !sum_cons, IH, EK. ring. }
  pose proof (known_sum P f N (fun k => 1 - g k) us A (conj P0 P1) (fun k => ltac:(pose proof (G k); lra)) DU I2) as K1. cbv beta in K1.
  pose proof (known_sum Q h N g us B (conj Q0 Q1) (fun k => proj1 (G k)) DU I3) as K2.
  specialize (X2 u v g HU HV G).
  assert (E3 : eval (fun k => 1 - g k) f = IZR (mass_of f) - eval g f).
  { unfold mass_of. rewrite mass_of_eval. clear. induction f as [|[k w] f IH]; cbn [eval]; [ring|]. rewrite IH. ring. }
  rewrite E3 in K1. eapply Rle_trans; [|exact X2]. rewrite E1.
  pose proof (ceil_high ((N - mass_of f) * unit p) N N0) as CL. rewrite mult_IZR, minus_IZR in CL. fold U in CL.
  assert (LB : IZR (ceil ((N - mass_of f) * unit p) N) <= IZR lost) by (apply IZR_le; unfold lost; lia).
  set (A1 := sum (fun k => (1 - g k) * P k) us) in *. set (Bq := sum (fun k => g k * Q k) us) in *.
  set (X := eval g f) in *. set (Y := eval g h) in *.
  apply Rmult_le_reg_r with (IZR N); [assumption|].
  replace ((IZR lost * u / U + (u * X - v * Y) / IZR N) * IZR N) with
    (IZR lost * IZR N * u * / U + (u * X - v * Y)) by (field; lra).
  assert (L1 : (IZR N - IZR (mass_of f)) * u <= IZR lost * IZR N * u * / U).
  { apply Rmult_le_reg_r with U; [assumption|]. replace (IZR lost * IZR N * u * / U * U) with (IZR lost * IZR N * u) by (field; lra).
    replace ((IZR N - IZR (mass_of f)) * u * U) with ((IZR N - IZR (mass_of f)) * U * u) by ring. apply Rmult_le_compat_r; [assumption|].
    eapply Rle_trans; [exact CL|]. apply Rmult_le_compat_r; lra. }
  assert (u * sum P us * IZR N <= u * IZR N) by (apply Rmult_le_compat_r; [lra|]; rewrite <- (Rmult_1_r u) at 2; now apply Rmult_le_compat_l).
  assert (u * (IZR (mass_of f) - X) <= u * (IZR N * A1)) by (apply Rmult_le_compat_l; assumption).
  assert (v * Y <= v * (IZR N * Bq)) by (apply Rmult_le_compat_l; assumption). nra.
Qed.
End Plan.
