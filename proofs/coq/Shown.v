(* Pairs on a lattice, from below: what a statistic of what is seen shows for sure. Whatever is merged, or left out, only
   hides; so no place needs to be the right one, and the step is a hint. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia Psatz Bool Classical_Prop.
From Shufflecert Require Import Spec SpecCount SpecRuns Poly Exp Check Kron Sums Grid GridSum Pairs Lattice Dots.
Import ListNotations.
Local Open Scope Z_scope.

(* Weights over 2^bits at the places at_, at_ + 1, ...: P has at least `ours` there and Q at most `theirs`, but for
   `astray` in all; where `alone` of P is, Q has nothing. *)
Record statistic := { depth : nat; at_ : Z; ours : list Z; theirs : list Z; alone : Z; astray : Z }.

(* What P and Q have at each key of either. *)
Fixpoint both (f : poly) : poly -> list (Z * (Z * Z)) -> list (Z * (Z * Z)) :=
  match f with
  | [] => fix rest h acc := match h with [] => rev_append acc [] | (l, b) :: h => rest h ((l, (0, b)) :: acc) end
  | (k, a) :: f' =>
      fix inner h acc :=
        match h with
        | [] => both f' [] ((k, (a, 0)) :: acc)
        | (l, b) :: h' =>
            match Z.compare k l with
            | Lt => both f' h ((k, (a, 0)) :: acc)
            | Eq => both f' h' ((k, (a, b)) :: acc)
            | Gt => inner h' ((l, (0, b)) :: acc)
            end
        end
  end.
Fixpoint keys_rise (least : Z) (l : list (Z * (Z * Z))) : bool :=
  match l with
  | [] => true
  | (k, (a, b)) :: l => (least <? k) && (0 <=? a) && (0 <=? b) && keys_rise k l
  end.
Definition keys_apart (l : list (Z * (Z * Z))) : bool := match l with [] => true | (k, _) :: _ => keys_rise (k - 1) l end.

Section Plan.
Variable p : plan.
Notation one := (one p). Notation unit := (unit p).
(* Every other place; half of what is at an odd one goes either way. *)
Definition half (up : bool) (w : Z) : Z := if up then ceil w 2 else w / 2.
Fixpoint halves (up : bool) (carry : Z) (l acc : list Z) : list Z :=
  match l with
  | [] => rev_append acc [carry]
  | e :: l =>
      match l with
      | [] => rev_append acc [carry + e]
      | o :: l => let h := half up o in halves up h l (carry + e + h :: acc)
      end
  end.
Definition on_even (up odd : bool) (l : list Z) : list Z := halves up 0 (if odd then 0 :: l else l) [].
Definition wider (x : statistic) : statistic :=
  let odd := negb (at_ x mod 2 =? 0) in
  {| depth := S (depth x); at_ := at_ x / 2; ours := on_even false odd (ours x); theirs := on_even true odd (theirs x);
     alone := alone x; astray := astray x |}.
(* Ends where P has little are left out. *)
Fixpoint little (l : list Z) (lost : Z) (n : nat) : nat :=
  match l with [] => n | c :: l => if lost + c <=? room p then little l (lost + c) (S n) else n end.
Fixpoint firsts (n : nat) (l acc : list Z) : list Z :=
  match n, l with S n, c :: l => firsts n l (c :: acc) | _, _ => rev_append acc [] end.
Definition cut_ends (x : statistic) : statistic :=
  let a := little (ours x) 0 O in let l := skipn a (ours x) in
  let m := (length l - little (rev_append l []) 0 O)%nat in
  {| depth := depth x; at_ := at_ x + Z.of_nat a; ours := firsts m l []; theirs := firsts m (skipn a (theirs x)) [];
     alone := alone x; astray := astray x |}.
Fixpoint narrowed (fuel : nat) (x : statistic) : statistic :=
  let x := cut_ends x in
  match fuel with
  | O => x
  | S fuel => if Lattice.count 0 (ours x) <=? most p then x else narrowed fuel (wider x)
  end.
Fixpoint widened (n : nat) (x : statistic) : statistic := match n with O => x | S n => widened n (wider x) end.

Definition met (x y : statistic) (f g : list Z) : statistic :=
  narrowed 64 {| depth := depth x; at_ := at_ x + at_ y; ours := map (fun w => w / unit) f;
    theirs := map (fun w => ceil w unit) g;
    alone := (alone x * (Kron.sum (ours y) + alone y) + alone y * Kron.sum (ours x)) / unit;
    astray := ceil (astray x * Kron.sum (theirs y)) unit + astray y |}.
Definition meet (x y : statistic) : statistic :=
  let x := widened (depth y - depth x) x in let y := widened (depth x - depth y) y in
  met x y (convolve (ours x) (ours y)) (convolve (theirs x) (theirs y)).
Definition meet_self (x : statistic) : statistic := met x x (convolve_self (ours x)) (convolve_self (theirs x)).
Lemma meet_self_same x : meet_self x = meet x x.
Proof. unfold meet. rewrite Nat.sub_diag. cbn [widened]. now rewrite Nat.sub_diag. Qed.
Fixpoint many_times (n : positive) (x : statistic) : statistic :=
  match n with
  | xH => x
  | xO n => meet_self (many_times n x)
  | xI n => meet (meet_self (many_times n x)) x
  end.
(* (b P - a Q) of the best event, over 2^bits, for e^eps of at most a/b *)
Fixpoint best_of (a b acc : Z) (f g : list Z) : Z :=
  match f with
  | [] => acc
  | c :: f => best_of a b (acc + Z.max 0 (b * c - a * match g with [] => 0 | d :: _ => d end)) f (tl g)
  end.
Definition shown_delta (x : statistic) (z : Z * Z) : Z :=
  best_of (fst z) (snd z) (snd z * alone x - fst z * astray x) (ours x) (theirs x).

(* Atoms over N between the two places next to their ratio: Q as the ratio has it, and P alike. *)
Fixpoint settle (t : ladder) (last : Z * Z) (N : Z) (l : list (Z * (Z * Z))) (far : Z) (f g : poly) : Z * (poly * poly) :=
  match l with
  | [] => (far, (f, g))
  | (_, (a, b)) :: l =>
      if a <=? 0 then settle t last N l far f g
      else if b <=? 0 then settle t last N l (far + a * unit / N) f g
      else match rung_again p last t (a * one) b with
        | None => settle t last N l far f g
        | Some (k, r) =>
            let low := Z.max 0 (Z.min one ((r * b - a * one) * top p * one / (r * b * (top p - bottom p)))) in
            settle t (k, r) N l far ((k - 1, a * low * unit / (N * one)) :: (k, a * (one - low) * unit / (N * one)) :: f)
              ((k - 1, ceil (b * low * unit) (N * one)) :: (k, ceil (b * (one - low) * unit) (N * one)) :: g)
        end
  end.
Definition settled (t : ladder) (N lost : Z) (f h : poly) : option statistic :=
  let l := both f h [] in
  let '(far, (f, g)) := settle t (0, one) N l 0 [] [] in
  let f := normal f in let g := normal g in let k := Z.min (start_of f) (start_of g) in
  let long := Z.to_nat (4 * most p + 5) in
  match dense 1 k long f [], dense 1 k long g [] with
  | Some f, Some g =>
      if keys_apart l && Kron.natural f && Kron.natural g then
        Some (narrowed 64 {| depth := 0; at_ := k; ours := f; theirs := g; alone := far; astray := ceil (lost * unit) N |})
      else None
  | _, _ => None
  end.

(* ---- soundness ---- *)
Hypothesis F : plan_fits p = true.
Local Open Scope R_scope.
Let U : R := IZR unit.
Notation total_of := SpecCount.sum.
Definition worth (x : statistic) (g : Z -> R) (u v : R) : R :=
  u * (IZR (alone x) + along g 1 (at_ x) (ours x)) - v * (along g 1 (at_ x) (theirs x) + IZR (astray x)).
Definition shows {A} (P Q : A -> R) (x : statistic) := forall g u v e, test g -> 0 <= u -> 0 <= v -> 0 < e ->
  exists l, NoDup l /\ worth x g u v <= U * total_of (fun y => Rmax (u * P y - v * Q y) 0) l + e.
Definition whole (x : statistic) := above (ours x) /\ above (theirs x) /\ (0 <= alone x)%Z /\ (0 <= astray x)%Z.
Definition hides (x y : statistic) := whole x -> whole y /\ forall g u v, test g -> 0 <= u -> 0 <= v ->
  exists g', test g' /\ worth y g u v <= worth x g' u v.
Lemma hides_shows {A} (P Q : A -> R) x y : hides x y -> whole x -> shows P Q x -> shows P Q y.
Proof.
  intros H W S g u v e G HU HV E. destruct (proj2 (H W) g u v G HU HV) as (g' & G' & L).
  destruct (S g' u v e G' HU HV E) as (l & N & B). exists l. split; [exact N|lra].
Qed.
Lemma hides_trans x y z : hides x y -> hides y z -> hides x z.
Proof.
  intros H K W. destruct (H W) as [W1 H1]. destruct (K W1) as [W2 K1]. split; [exact W2|]. intros g u v G HU HV.
  destruct (K1 g u v G HU HV) as (g1 & G1 & L1). destruct (H1 g1 u v G1 HU HV) as (g2 & G2 & L2). exists g2. split; [exact G2|lra].
Qed.
Lemma hides_refl x : hides x x.
Proof. intros W. split; [exact W|]. intros g u v G _ _. exists g. split; [exact G|lra]. Qed.
Lemma along_le g h s l : above l -> (forall k, g k <= h k) -> forall k, along g s k l <= along h s k l.
Proof.
  intros A L. induction A as [|c l C A IH]; intros k; cbn [along]; [lra|]. specialize (IH (k + s)%Z). specialize (L k).
  apply IZR_le in C. nra.
Qed.
Lemma along_nonneg g s l : above l -> (forall k, 0 <= g k) -> forall k, 0 <= along g s k l.
Proof.
  intros A L. induction A as [|c l C A IH]; intros k; cbn [along]; [lra|]. specialize (IH (k + s)%Z). specialize (L k).
  apply IZR_le in C. nra.
Qed.

(* ---- every other place ---- *)
Lemma half_ok w : (0 <= w)%Z -> (0 <= half false w /\ 2 * half false w <= w)%Z /\ (0 <= half true w /\ w <= 2 * half true w)%Z.
Proof.
  intros W. unfold half, ceil. pose proof (Z.mul_div_le w 2 ltac:(lia)). pose proof (Z.mul_div_le (- w) 2 ltac:(lia)).
  pose proof (Z.div_pos w 2 W ltac:(lia)). assert (- w / 2 <= 0)%Z by (apply Z.div_le_upper_bound; lia). lia.
Qed.
Definition spread_out (g : Z -> R) (k : Z) : R := if (k mod 2 =? 0)%Z then g (k / 2)%Z else (g (k / 2)%Z + g (k / 2 + 1)%Z) / 2.
Lemma spread_even g m : spread_out g (2 * m) = g m.
Proof. unfold spread_out. rewrite Z.mul_comm, Z.mod_mul, Z.div_mul by lia. reflexivity. Qed.
Lemma spread_odd g m : spread_out g (2 * m + 1) = (g m + g (m + 1)%Z) / 2.
Proof.
  unfold spread_out. replace (2 * m + 1)%Z with (1 + m * 2)%Z by lia. rewrite Z.mod_add, Z.div_add by lia. reflexivity.
Qed.
Lemma spread_test g : test g -> test (spread_out g).
Proof.
  intros G k. unfold spread_out. destruct (_ =? _)%Z; [apply G|]. pose proof (G (k / 2)%Z). pose proof (G (k / 2 + 1)%Z). lra.
Qed.
Lemma halves_ok g : test g -> forall n l, (length l <= n)%nat -> above l -> forall up carry m acc, (0 <= carry)%Z ->
  exists r, halves up carry l acc = rev acc ++ r /\ above r /\
  (if up then IZR carry * g m + along (spread_out g) 1 (2 * m) l <= along g 1 m r
   else along g 1 m r <= IZR carry * g m + along (spread_out g) 1 (2 * m) l).
Proof.
  intros G. induction n as [|n IH]; intros [|e [|o l]] L A up carry m acc C; cbn [length halves] in *; try lia;
    rewrite ?rev_append_rev.
  1, 2: exists [carry]; split; [reflexivity|split; [repeat constructor; lia|cbn [along]; destruct up; lra]].
  - inversion_clear A. exists [(carry + e)%Z]. split; [reflexivity|split; [repeat constructor; lia|]]. cbn [along].
    rewrite spread_even, plus_IZR. destruct up; lra.
  - inversion_clear A. inversion_clear H0. destruct (half_ok o H1) as [[D0 D1] [E0 E1]].
    destruct (IH l ltac:(lia) H2 up (half up o) (m + 1)%Z (carry + e + half up o :: acc)%Z ltac:(destruct up; assumption))
      as (r & R & RA & B). rewrite R. exists ((carry + e + half up o)%Z :: r). cbn [rev]. rewrite <- app_assoc.
    split; [reflexivity|]. split; [constructor; [destruct up; lia|exact RA]|]. cbn [along].
    replace (2 * m + 1 + 1)%Z with (2 * (m + 1))%Z by lia. rewrite spread_even, spread_odd, !plus_IZR.
    pose proof (G m). pose proof (G (m + 1)%Z). destruct up.
    + apply IZR_le in E1. rewrite mult_IZR in E1. nra.
    + apply IZR_le in D1. rewrite mult_IZR in D1. nra.
Qed.
Lemma on_even_ok g k l up : test g -> above l -> above (on_even up (negb (k mod 2 =? 0)%Z) l) /\
  (if up then along (spread_out g) 1 k l <= along g 1 (k / 2) (on_even up (negb (k mod 2 =? 0)%Z) l)
   else along g 1 (k / 2) (on_even up (negb (k mod 2 =? 0)%Z) l) <= along (spread_out g) 1 k l).
Proof.
  intros G A. unfold on_even. set (l' := if negb (k mod 2 =? 0)%Z then 0%Z :: l else l).
  assert (A' : above l') by (unfold l'; destruct (negb _); [constructor; [lia|exact A]|exact A]).
  assert (E : along (spread_out g) 1 k l = along (spread_out g) 1 (2 * (k / 2)) l').
  { pose proof (Z.div_mod k 2 ltac:(lia)). pose proof (Z.mod_pos_bound k 2 ltac:(lia)). unfold l'.
    destruct (Z.eqb_spec (k mod 2) 0) as [M|M]; cbn [negb along]; [f_equal; lia|].
    replace (2 * (k / 2) + 1)%Z with k by lia. ring. }
  destruct (halves_ok g G (length l') l' (le_n _) A' up 0%Z (k / 2)%Z [] ltac:(lia)) as (r & -> & R & B). cbn [rev app].
  split; [exact R|]. rewrite E. destruct up; lra.
Qed.
Lemma wider_ok x : hides x (wider x).
Proof.
  intros (O & T & A & B). unfold wider.
  split; [repeat split; cbn; auto; now apply (on_even_ok (fun _ => 0) (at_ x)); [intros k; lra|]|].
  intros g u v G HU HV. exists (spread_out g). split; [now apply spread_test|]. unfold worth. cbn [at_ ours theirs alone astray].
  destruct (on_even_ok g (at_ x) (ours x) false G O) as [_ L]. destruct (on_even_ok g (at_ x) (theirs x) true G T) as [_ M].
  cbv iota in L, M. nra.
Qed.

(* ---- ends that are left out ---- *)
Definition between (lo hi : Z) (g : Z -> R) (k : Z) : R := if (lo <=? k)%Z && (k <? hi)%Z then g k else 0.
Lemma along_first g m : forall l k, along g 1 k (firstn m l) = along (between k (k + Z.of_nat m) g) 1 k l.
Proof.
  assert (Z0 : forall lo hi l k, (hi <= k)%Z -> along (between lo hi g) 1 k l = 0).
  { intros lo hi. induction l as [|c l IH]; intros k K; cbn [along]; [reflexivity|]. rewrite IH by lia. unfold between.
    destruct (Z.ltb_spec k hi); [lia|]. rewrite andb_false_r. ring. }
  assert (LO : forall hi lo lo' l k, (lo <= k)%Z -> (lo' <= k)%Z -> along (between lo hi g) 1 k l = along (between lo' hi g) 1 k l).
  { intros hi lo lo'. induction l as [|c l IH]; intros k K K'; cbn [along]; [reflexivity|]. rewrite IH by lia. unfold between.
    destruct (Z.leb_spec lo k), (Z.leb_spec lo' k); try lia. reflexivity. }
  induction m as [|m IH]; intros l k; [cbn [firstn along]; now rewrite Z0 by lia|].
  destruct l as [|c l]; cbn [firstn along]; [reflexivity|]. rewrite IH.
  rewrite (LO _ (k + 1)%Z k) by lia. replace (k + 1 + Z.of_nat m)%Z with (k + Z.of_nat (S m))%Z by lia.
  unfold between at 2. destruct (Z.leb_spec k k), (Z.ltb_spec k (k + Z.of_nat (S m))); try lia. reflexivity.
Qed.
Lemma along_skip g hi a : forall l k, along (between (k + Z.of_nat a) hi g) 1 (k + Z.of_nat a) (skipn a l) =
  along (between (k + Z.of_nat a) hi g) 1 k l.
Proof.
  induction a as [|a IH]; intros l k; [cbn [skipn]; now rewrite Z.add_0_r|].
  destruct l as [|c l]; cbn [skipn along]; [reflexivity|].
  replace (k + Z.of_nat (S a))%Z with (k + 1 + Z.of_nat a)%Z by lia. rewrite IH. unfold between at 2.
  destruct (Z.leb_spec (k + 1 + Z.of_nat a) k); [lia|]. cbn [andb]. ring.
Qed.
Lemma above_first m l : above l -> above (firstn m l).
Proof. intros A. revert m. induction A; intros [|m]; cbn [firstn]; constructor; auto. apply IHA. Qed.
Lemma above_skip m l : above l -> above (skipn m l).
Proof. intros A. revert m. induction A; intros [|m]; cbn [skipn]; auto; now constructor. Qed.
Lemma firsts_ok n : forall l acc, firsts n l acc = rev acc ++ firstn n l.
Proof.
  induction n as [|n IH]; intros [|c l] acc; cbn [firsts firstn]; rewrite ?rev_append_rev, ?IH; cbn [rev]; rewrite <- ?app_assoc; reflexivity.
Qed.
Lemma cut_ends_ok x : hides x (cut_ends x).
Proof.
  intros (O & T & A & B). unfold cut_ends. set (a := little _ _ _). set (m := (_ - _)%nat). rewrite !firsts_ok. cbn [rev app].
  split; [repeat split; cbn; auto; now apply above_first, above_skip|].
  intros g u v G HU HV. exists (between (at_ x + Z.of_nat a) (at_ x + Z.of_nat a + Z.of_nat m) g). split.
  - intros k. unfold between. destruct (_ && _); [apply G|lra].
  - unfold worth. cbn [at_ ours theirs alone astray]. rewrite !along_first, !along_skip. lra.
Qed.
Lemma narrowed_ok n : forall x, hides x (narrowed n x).
Proof.
  induction n as [|n IH]; intros x; cbn [narrowed]; [apply cut_ends_ok|].
  destruct (_ <=? _)%Z; [apply cut_ends_ok|]. eapply hides_trans; [apply cut_ends_ok|]. eapply hides_trans; [apply wider_ok|apply IH].
Qed.
Opaque narrowed.
Lemma widened_ok n : forall x, hides x (widened n x) /\ depth (widened n x) = (n + depth x)%nat.
Proof.
  induction n as [|n IH]; intros x; cbn [widened]; [split; [apply hides_refl|reflexivity]|].
  destruct (IH (wider x)) as [H E]. split; [eapply hides_trans; [apply wider_ok|exact H]|]. rewrite E. cbn [wider depth]. lia.
Qed.

(* ---- two runs ---- *)
Lemma for_all {A B} (f : B -> list A -> Prop) (J : list B) : (forall b l m, incl l m -> NoDup l -> NoDup m -> f b l -> f b m) ->
  (forall b, In b J -> exists l, NoDup l /\ f b l) -> exists l, NoDup l /\ forall b, In b J -> f b l.
Proof.
  intros M. induction J as [|b J IH]; intros H; [exists []; split; [constructor|intros b []]|].
  destruct IH as (l & N & L); [intros c I; apply H; now right|]. destruct (H b (or_introl eq_refl)) as (m & NM & FM).
  destruct (once (l ++ m)) as (o & NO & IO). exists o. split; [exact NO|]. intros c [<-|I].
  - apply (M b m); auto. intros a K. apply IO, in_or_app. now right.
  - apply (M c l); auto. intros a K. apply IO, in_or_app. now left.
Qed.
Fixpoint at_places (k : Z) (l : list Z) : poly := match l with [] => [] | c :: l => (k, c) :: at_places (k + 1) l end.
Lemma at_places_eval g l : forall k, eval g (at_places k l) = along g 1 k l.
Proof. induction l as [|c l IH]; intros k; cbn [at_places eval along]; [reflexivity|]. now rewrite IH. Qed.
Definition weight (k : Z) (l : list Z) (j : Z) : R := IZR (weight_at (at_places k l) j).
Definition places (k : Z) (l : list Z) : list Z := map fst (at_places k l).
Lemma weight_along g J k l : NoDup J -> incl (places k l) J -> total_of (fun j => weight k l j * g j) J = along g 1 k l.
Proof.
  intros N I. unfold weight. rewrite weight_sum; [apply at_places_eval|exact N|]. intros i w K. apply I.
  unfold places. now apply (in_map fst) in K.
Qed.
Lemma weight_nonneg k l j : above l -> 0 <= weight k l j.
Proof.
  intros A. unfold weight. apply IZR_le. revert k. induction A as [|c l C A IH]; intros k; [unfold weight_at; cbn; lia|].
  cbn [at_places]. rewrite weight_at_cons. destruct (_ =? _)%Z; [specialize (IH (k + 1)%Z); lia|apply IH].
Qed.
Definition rewarding (a : Z -> R) (k : Z) : R := if Rle_dec 0 (a k) then 1 else 0.
Lemma rewarding_test a : test (rewarding a). Proof. intros k. unfold rewarding. destruct (Rle_dec _ _); lra. Qed.
Lemma rewarding_max a k : rewarding a k * a k = Rmax (a k) 0.
Proof. unfold rewarding. destruct (Rle_dec _ _); [rewrite Rmax_left|rewrite Rmax_right]; lra. Qed.
(* the best test of what is shown *)
Lemma worth_best x J u v : NoDup J -> incl (places (at_ x) (ours x)) J -> incl (places (at_ x) (theirs x)) J ->
  let a := fun j => u * weight (at_ x) (ours x) j - v * weight (at_ x) (theirs x) j in
  worth x (rewarding a) u v = u * IZR (alone x) + total_of (fun j => Rmax (a j) 0) J - v * IZR (astray x).
Proof.
  intros N I1 I2 a. unfold worth. rewrite <- (weight_along _ J _ (ours x)), <- (weight_along _ J _ (theirs x)) by assumption.
  rewrite (sum_ext (fun j => Rmax (a j) 0) (fun j => u * (weight (at_ x) (ours x) j * rewarding a j) +
    (- v) * (weight (at_ x) (theirs x) j * rewarding a j))).
  - rewrite sum_plus, !sum_scale. ring.
  - intros j _. rewrite <- rewarding_max. unfold a at 2. ring.
Qed.
Definition sub_law {A} (P : A -> R) := (forall y, 0 <= P y) /\ forall l, NoDup l -> total_of P l <= 1.
Lemma sum_ceil g l : above l -> test g -> forall k, above (map (fun w => ceil w unit) l) /\
  along g 1 k l <= U * along g 1 k (map (fun w => ceil w unit) l).
Proof.
  pose proof (unit_pos p F) as H. intros A G. induction A as [|c l C A IH]; intros k; cbn [map along]; [split; [constructor|lra]|].
  destruct (IH (k + 1)%Z) as [N1 S1]. split; [constructor; [now apply ceil_nonneg|exact N1]|].
  pose proof (ceil_high c unit H) as D. fold U in D. specialize (G k). nra.
Qed.
Lemma sum_floor g l : above l -> test g -> forall k, above (map (fun w => w / unit)%Z l) /\
  U * along g 1 k (map (fun w => w / unit)%Z l) <= along g 1 k l.
Proof.
  pose proof (unit_pos p F) as H. intros A G. induction A as [|c l C A IH]; intros k; cbn [map along]; [split; [constructor|lra]|].
  destruct (IH (k + 1)%Z) as [N1 S1]. split; [constructor; [now apply div_nonneg|exact N1]|].
  pose proof (div_low c unit H) as D. fold U in D. specialize (G k). nra.
Qed.
Lemma sum_along l k : along (fun _ => 1) 1 k l = IZR (Kron.sum l).
Proof.
  rewrite total_sum. revert k. induction l as [|c l IH]; intros k; cbn [along cells_sum fold_right]; [reflexivity|].
  fold (cells_sum l). rewrite IH, plus_IZR. ring.
Qed.
Lemma sum_above l : above l -> (0 <= Kron.sum l)%Z.
Proof. intros A. rewrite total_sum. now apply total_nonneg. Qed.
Lemma along_both t k j l m : along t 1 (k + j) (conv l m) = along (fun b => along (fun a => t (a + b)%Z) 1 k l) 1 j m.
Proof.
  rewrite along_conv, along_swap. apply along_ext. intros a. now rewrite along_shift.
Qed.
Definition both_laws {A B} (P : A -> R) (P' : B -> R) (o : A * B) : R := P (fst o) * P' (snd o).
Lemma rounds_ok x y t u v : whole x -> whole y -> test t -> 0 <= u -> 0 <= v ->
  let f := map (fun w => w / unit)%Z (convolve (ours x) (ours y)) in
  let g := map (fun w => ceil w unit) (convolve (theirs x) (theirs y)) in
  let z := {| depth := depth x; at_ := at_ x + at_ y; ours := f; theirs := g;
    alone := (alone x * (Kron.sum (ours y) + alone y) + alone y * Kron.sum (ours x)) / unit;
    astray := ceil (astray x * Kron.sum (theirs y)) unit + astray y |} in
  whole z /\ U * worth z t u v <=
    u * (IZR (alone x) * (IZR (Kron.sum (ours y)) + IZR (alone y)) + IZR (alone y) * IZR (Kron.sum (ours x)) +
      along (fun b => along (fun a => t (a + b)%Z) 1 (at_ x) (ours x)) 1 (at_ y) (ours y)) -
    v * (along (fun b => along (fun a => t (a + b)%Z) 1 (at_ x) (theirs x)) 1 (at_ y) (theirs y) +
      IZR (astray x) * IZR (Kron.sum (theirs y)) + U * IZR (astray y)).
Proof.
  intros (OX & TX & AX & BX) (OY & TY & AY & BY) T HU HV f g z. pose proof (unit_pos p F) as U1. pose proof (U_pos p F) as U0. fold U in U0.
  destruct (sum_floor t _ (convolve_above _ _ OX OY) T (at_ x + at_ y)%Z) as [F1 F2].
  destruct (sum_ceil t _ (convolve_above _ _ TX TY) T (at_ x + at_ y)%Z) as [G1 G2].
  rewrite along_convolve, along_both in F2 by assumption. rewrite along_convolve, along_both in G2 by assumption. fold f in F1, F2. fold g in G1, G2.
  pose proof (sum_above _ OX). pose proof (sum_above _ OY). pose proof (sum_above _ TX). pose proof (sum_above _ TY).
  pose proof (div_low (alone x * (Kron.sum (ours y) + alone y) + alone y * Kron.sum (ours x)) unit U1) as D. fold U in D.
  pose proof (ceil_high (astray x * Kron.sum (theirs y)) unit U1) as C. fold U in C.
  split.
  - split; [exact F1|split; [exact G1|split]]; cbn [alone astray z].
    + apply div_nonneg; [exact U1|]. apply Z.add_nonneg_nonneg; apply Z.mul_nonneg_nonneg; lia.
    + pose proof (ceil_nonneg (astray x * Kron.sum (theirs y)) unit U1 ltac:(nia)). lia.
  - unfold worth, z. cbn [at_ ours theirs alone astray]. rewrite !plus_IZR, !mult_IZR, !plus_IZR in D. rewrite mult_IZR in C. rewrite plus_IZR.
    set (a := IZR (_ / unit)) in *. set (b := IZR (ceil _ unit)) in *.
    set (X := along _ _ _ (ours y)) in *. set (Y := along _ _ _ (theirs y)) in *.
    set (f0 := along t 1 _ f) in *. set (g0 := along t 1 _ g) in *.
    assert (u * (a * U + U * f0) <= u * (IZR (alone x) * (IZR (Kron.sum (ours y)) + IZR (alone y)) + IZR (alone y) * IZR (Kron.sum (ours x)) + X))
      by (apply Rmult_le_compat_l; lra).
    assert (v * (Y + IZR (astray x) * IZR (Kron.sum (theirs y))) <= v * (U * g0 + b * U)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Lemma sum_more {A} (f : A -> R) l m : (forall a, 0 <= f a) -> NoDup l -> incl l m -> total_of f l <= total_of f m.
Proof. intros H N I. now apply sum_incl. Qed.
Theorem met_shows {A B} (P Q : A -> R) (P' Q' : B -> R) x y f g : (forall o, 0 <= P o) -> sub_law Q ->
  whole x -> whole y -> shows P Q x -> shows P' Q' y -> f = convolve (ours x) (ours y) -> g = convolve (theirs x) (theirs y) ->
  whole (met x y f g) /\ shows (both_laws P P') (both_laws Q Q') (met x y f g).
Proof.
  intros HP [HQ Q1] WX WY SX SY -> ->.
  pose proof (unit_pos p F) as U1. pose proof (U_pos p F) as U0. fold U in U0. pose proof (IZR_le 1 unit ltac:(lia)) as U2. fold U in U2.
  set (z := {| depth := depth x; at_ := at_ x + at_ y; ours := map (fun w => w / unit)%Z (convolve (ours x) (ours y));
    theirs := map (fun w => ceil w unit) (convolve (theirs x) (theirs y));
    alone := (alone x * (Kron.sum (ours y) + alone y) + alone y * Kron.sum (ours x)) / unit;
    astray := ceil (astray x * Kron.sum (theirs y)) unit + astray y |}).
  assert (WZ : whole z) by (apply (rounds_ok x y (fun _ => 0) 0 0 WX WY); try lra; intros k; lra).
  assert (S : shows (both_laws P P') (both_laws Q Q') z).
  2: { pose proof (narrowed_ok 64 z) as H. split; [apply (H WZ)|]. now apply (hides_shows _ _ z). }
  intros t u v e T HU HV E.
  destruct (once (places (at_ y) (ours y) ++ places (at_ y) (theirs y))) as (J & NJ & IJ).
  assert (I1 : incl (places (at_ y) (ours y)) J) by (intros k K; apply IJ, in_or_app; now left).
  assert (I2 : incl (places (at_ y) (theirs y)) J) by (intros k K; apply IJ, in_or_app; now right).
  set (py := weight (at_ y) (ours y)). set (qy := weight (at_ y) (theirs y)).
  assert (PY : forall j, 0 <= py j) by (intros j; apply weight_nonneg, WY).
  assert (QY : forall j, 0 <= qy j) by (intros j; apply weight_nonneg, WY).
  pose proof WY as (_ & _ & AY & BY). apply IZR_le in AY, BY.
  set (e1 := e / (2 * (INR (length J) + 1))).
  assert (LJ : 0 < INR (length J) + 1) by (pose proof (pos_INR (length J)); lra).
  assert (E1 : 0 < e1) by (unfold e1; apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
  (* the first run, for each place of the second *)
  set (us := fun o => match o with Some j => u * py j | None => u * IZR (alone y) end).
  set (vs := fun o => match o with Some j => v * qy j | None => 0 end).
  set (ts := fun o => match o with Some j => fun a => t (a + j)%Z | None => fun _ : Z => 1 end).
  assert (US : forall o, 0 <= us o) by (intros [j|]; unfold us; apply Rmult_le_pos; auto).
  assert (VS : forall o, 0 <= vs o) by (intros [j|]; unfold vs; [apply Rmult_le_pos; auto|lra]).
  destruct (for_all (fun o l => worth x (ts o) (us o) (vs o) <= U * total_of (fun a => Rmax (us o * P a - vs o * Q a) 0) l + e1)
    (None :: map Some J)) as (ys & NY & HY).
  { intros o l m I Nl Nm L. eapply Rle_trans; [exact L|]. apply Rplus_le_compat_r, Rmult_le_compat_l; [lra|].
    apply sum_more; auto. intros a. apply Rmax_r. }
  { intros o _. apply SX; auto. intros k. unfold ts. destruct o; [apply T|lra]. }
  set (e2 := e / (2 * (INR (length ys) + 1))).
  assert (LY : 0 < INR (length ys) + 1) by (pose proof (pos_INR (length ys)); lra).
  assert (E2 : 0 < e2) by (unfold e2; apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
  set (gain := fun a j => u * P a * py j - v * Q a * qy j).
  destruct (for_all (fun a l => worth y (rewarding (gain a)) (u * P a) (v * Q a) <=
    U * total_of (fun b => Rmax (u * P a * P' b - v * Q a * Q' b) 0) l + e2) ys) as (os & NO & HO).
  { intros a l m I Nl Nm L. eapply Rle_trans; [exact L|]. apply Rplus_le_compat_r, Rmult_le_compat_l; [lra|].
    apply sum_more; auto. intros b. apply Rmax_r. }
  { intros a _. apply SY; auto; [apply rewarding_test|apply Rmult_le_pos; auto..]. }
  exists (list_prod ys os). split; [now apply nodup_pairs|]. rewrite sum_pairs. cbn [both_laws fst snd].
  set (V := total_of (fun a => total_of (fun b => Rmax (u * P a * P' b - v * Q a * Q' b) 0) os) ys).
  assert (EV : total_of (fun a => total_of (fun b => Rmax (u * both_laws P P' (a, b) - v * both_laws Q Q' (a, b)) 0) os) ys = V).
  { unfold V. apply sum_ext. intros a _. apply sum_ext. intros b _. unfold both_laws. cbn [fst snd]. f_equal. ring. }
  rewrite EV. destruct (rounds_ok x y t u v WX WY T HU HV) as [_ RO]. fold z in RO.
  assert (S1 : total_of (fun o => worth x (ts o) (us o) (vs o)) (None :: map Some J) - v * (U * IZR (astray y)) =
    u * (IZR (alone x) * (IZR (Kron.sum (ours y)) + IZR (alone y)) + IZR (alone y) * IZR (Kron.sum (ours x)) +
      along (fun b => along (fun a => t (a + b)%Z) 1 (at_ x) (ours x)) 1 (at_ y) (ours y)) -
    v * (along (fun b => along (fun a => t (a + b)%Z) 1 (at_ x) (theirs x)) 1 (at_ y) (theirs y) +
      IZR (astray x) * IZR (Kron.sum (theirs y)) + U * IZR (astray y))).
  { rewrite sum_cons, sum_map_of. unfold ts, us, vs, worth at 1. rewrite sum_along.
    rewrite <- (sum_along (ours y) (at_ y)), <- (sum_along (theirs y) (at_ y)).
    rewrite <- (weight_along _ J _ (ours y) NJ I1), <- (weight_along _ J _ (ours y) NJ I1).
    rewrite <- (weight_along _ J _ (theirs y) NJ I2), <- (weight_along _ J _ (theirs y) NJ I2). fold py qy.
    transitivity (u * IZR (alone y) * (IZR (alone x) + IZR (Kron.sum (ours x))) +
      (u * (IZR (alone x) * total_of (fun j => py j * 1) J + total_of (fun j => py j * along (fun a => t (a + j)%Z) 1 (at_ x) (ours x)) J) -
       v * (total_of (fun j => qy j * along (fun a => t (a + j)%Z) 1 (at_ x) (theirs x)) J + IZR (astray x) * total_of (fun j => qy j * 1) J)) -
      v * (U * IZR (astray y))); [|ring]. f_equal. f_equal; [ring|]. clear. unfold worth.
    induction J as [|j J IH]; [cbn; ring|]. rewrite !sum_cons, IH. ring. }
  rewrite <- S1 in RO. clear S1.
  assert (S2 : total_of (fun o => worth x (ts o) (us o) (vs o)) (None :: map Some J) <=
    U * total_of (fun a => total_of (fun o => Rmax (us o * P a - vs o * Q a) 0) (None :: map Some J)) ys + (INR (length J) + 1) * e1).
  { eapply Rle_trans; [apply sum_le; exact HY|]. rewrite sum_plus, sum_scale, sum_const. cbn [length]. rewrite S_INR, map_length.
    rewrite sum_swap. lra. }
  assert (S3 : forall a, In a ys -> total_of (fun o => Rmax (us o * P a - vs o * Q a) 0) (None :: map Some J) <=
    U * total_of (fun b => Rmax (u * P a * P' b - v * Q a * Q' b) 0) os + e2 + v * IZR (astray y) * Q a).
  { intros a I. specialize (HO a I). pose proof (worth_best y J (u * P a) (v * Q a) NJ I1 I2) as WB. cbv zeta in WB.
    change (worth y (rewarding (gain a)) (u * P a) (v * Q a) =
      u * P a * IZR (alone y) + total_of (fun j => Rmax (gain a j) 0) J - v * Q a * IZR (astray y)) in WB.
    rewrite WB in HO. rewrite sum_cons, sum_map_of.
    unfold us, vs. rewrite Rmult_0_l, Rminus_0_r, Rmax_left by (repeat apply Rmult_le_pos; auto).
    rewrite (sum_ext (fun a0 => Rmax (u * py a0 * P a - v * qy a0 * Q a) 0) (fun j => Rmax (gain a j) 0))
      by (intros j _; unfold gain; f_equal; ring). unfold gain in *. lra. }
  assert (S4 : total_of (fun a => total_of (fun o => Rmax (us o * P a - vs o * Q a) 0) (None :: map Some J)) ys <=
    U * V + INR (length ys) * e2 + v * IZR (astray y)).
  { eapply Rle_trans; [apply sum_le; exact S3|]. rewrite !sum_plus, !sum_scale, sum_const. fold V. specialize (Q1 ys NY).
    assert (v * IZR (astray y) * total_of Q ys <= v * IZR (astray y) * 1) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; auto|assumption]). lra. }
  apply (Rmult_le_compat_l U) in S4; [|lra].
  assert (D1 : (INR (length J) + 1) * e1 = e / 2) by (unfold e1; field; lra).
  assert (D2 : INR (length ys) * e2 <= e / 2).
  { unfold e2. apply Rle_trans with ((INR (length ys) + 1) * (e / (2 * (INR (length ys) + 1)))); [apply Rmult_le_compat_r; fold e2; lra|right; field; lra]. }
  assert (U * worth z t u v <= U * (U * V + e)) by nra.
  apply Rmult_le_reg_l with U; [assumption|lra].
Qed.

Theorem meet_shows {A B} (P Q : A -> R) (P' Q' : B -> R) x y : (forall o, 0 <= P o) -> sub_law Q -> whole x -> whole y ->
  shows P Q x -> shows P' Q' y -> whole (meet x y) /\ shows (both_laws P P') (both_laws Q Q') (meet x y).
Proof.
  intros HP HQ WX WY SX SY. unfold meet. cbv zeta. destruct (widened_ok (depth y - depth x) x) as [H1 _].
  set (x1 := widened _ x) in *. destruct (widened_ok (depth x1 - depth y) y) as [H2 _].
  apply met_shows; auto; [apply (H1 WX)|apply (H2 WY)|now apply (hides_shows _ _ x)|now apply (hides_shows _ _ y)].
Qed.

(* ---- pairs, put on the lattice ---- *)
Definition ends_of (g : Z -> R) (pick : Z * Z -> Z) (l : list (Z * (Z * Z))) : R := total_of (fun o => IZR (pick (snd o)) * g (fst o)) l.
Lemma ends_rev g pick l m : ends_of g pick (rev_append l m) = ends_of g pick l + ends_of g pick m.
Proof.
  revert m. induction l as [|o l IH]; intros m; cbn [rev_append]; [unfold ends_of at 2; cbn; ring|].
  rewrite IH. unfold ends_of. rewrite !sum_cons. ring.
Qed.
Lemma both_ok g f : forall h acc, ends_of g fst (both f h acc) = eval g f + ends_of g fst acc /\
  ends_of g snd (both f h acc) = eval g h + ends_of g snd acc.
Proof.
  assert (C : forall pick k a b acc, ends_of g pick ((k, (a, b)) :: acc) = IZR (pick (a, b)) * g k + ends_of g pick acc).
  { intros. unfold ends_of. now rewrite sum_cons. }
  assert (E0 : forall pick, ends_of g pick [] = 0) by reflexivity.
  induction f as [|[k a] f IH].
  - induction h as [|[l b] h IH]; intros acc; cbn [both eval].
    + rewrite !ends_rev, !E0. split; ring.
    + destruct (IH ((l, (0%Z, b)) :: acc)) as [E1 E2]. cbn [both eval] in E1, E2. rewrite E1, E2, !C. cbn [fst snd]. split; ring.
  - induction h as [|[l b] h IHh]; intros acc; cbn [both].
    + destruct (IH [] ((k, (a, 0%Z)) :: acc)) as [E1 E2]. rewrite E1, E2, !C. cbn [eval fst snd]. split; ring.
    + destruct (Z.compare_spec k l) as [->|L|L].
      * destruct (IH h ((l, (a, b)) :: acc)) as [E1 E2]. rewrite E1, E2, !C. cbn [eval fst snd]. split; ring.
      * destruct (IH ((l, b) :: h) ((k, (a, 0%Z)) :: acc)) as [E1 E2]. rewrite E1, E2, !C. cbn [eval fst snd]. split; ring.
      * destruct (IHh ((l, (0%Z, b)) :: acc)) as [E1 E2]. cbn [both] in E1, E2. rewrite E1, E2, !C. cbn [eval fst snd]. split; ring.
Qed.
Lemma keys_rise_ok l : forall least, keys_rise least l = true ->
  NoDup (map fst l) /\ (forall k, In k (map fst l) -> (least < k)%Z) /\ Forall (fun o => 0 <= fst (snd o) /\ 0 <= snd (snd o))%Z l.
Proof.
  induction l as [|[k [a b]] l IH]; intros least; cbn [keys_rise map fst]; [intros _; split; [constructor|split; [intros k []|constructor]]|].
  intros H. do 3 (apply andb_prop in H as [H ?]). apply Z.ltb_lt in H. apply Z.leb_le in H1, H2. destruct (IH k H0) as (N & K & P).
  split; [|split].
  - constructor; [|exact N]. intros I. specialize (K k I). lia.
  - intros j [<-|I]; [exact H|]. specialize (K j I). lia.
  - constructor; [cbn; lia|exact P].
Qed.
Lemma keys_apart_ok l : keys_apart l = true -> NoDup (map fst l) /\ Forall (fun o => 0 <= fst (snd o) /\ 0 <= snd (snd o))%Z l.
Proof.
  unfold keys_apart. destruct l as [|[k o] l]; [intros _; split; constructor|]. intros H.
  destruct (keys_rise_ok _ _ H) as (N & _ & P). now split.
Qed.
Lemma floor_share a low N : (0 < N)%Z -> (0 < one)%Z -> IZR (a * low * unit / (N * one)) <= IZR a * (IZR low / IZR one) * (U / IZR N).
Proof.
  intros N0 O1. pose proof (div_low (a * low * unit) (N * one) ltac:(nia)) as D. rewrite !mult_IZR in D. fold U in D.
  apply IZR_lt in N0, O1. apply Rmult_le_reg_r with (IZR N * IZR one); [now apply Rmult_lt_0_compat|].
  eapply Rle_trans; [exact D|]. right. field. lra.
Qed.
Lemma ceil_share b low N : (0 < N)%Z -> (0 < one)%Z -> IZR b * (IZR low / IZR one) * (U / IZR N) <= IZR (ceil (b * low * unit) (N * one)).
Proof.
  intros N0 O1. pose proof (ceil_high (b * low * unit) (N * one) ltac:(nia)) as D. rewrite !mult_IZR in D. fold U in D.
  apply IZR_lt in N0, O1. apply Rmult_le_reg_r with (IZR N * IZR one); [now apply Rmult_lt_0_compat|].
  eapply Rle_trans; [|exact D]. right. field. lra.
Qed.
Lemma settle_ok t N u v G : (0 < N)%Z -> 0 <= u -> 0 <= v -> test G -> forall l last far f h far' f' h',
  settle t last N l far f h = (far', (f', h')) ->
  NoDup (map fst l) -> Forall (fun o => 0 <= fst (snd o) /\ 0 <= snd (snd o))%Z l -> (0 <= far)%Z ->
  (0 <= far')%Z /\ exists g, test g /\ u * (IZR far' + eval G f') - v * eval G h' <=
    u * (IZR far + eval G f) - v * eval G h + U / IZR N * (u * ends_of g fst l - v * ends_of g snd l).
Proof.
  intros N0 HU HV TG. pose proof (one_pos p F) as O1. pose proof (unit_pos p F) as U1. pose proof (U_pos p F) as U0. fold U in U0.
  pose proof (IZR_lt _ _ N0) as N1. pose proof (IZR_lt _ _ O1) as O2.
  assert (UN : 0 < U / IZR N) by (apply Rmult_lt_0_compat; [assumption|now apply Rinv_0_lt_compat]).
  induction l as [|[k [a b]] l IH]; intros last far f h far' f' h'; cbn [settle map fst].
  { intros [= <- <- <-] _ _ F0. split; [exact F0|]. exists (fun _ => 0). split; [intros k; lra|]. unfold ends_of. cbn. lra. }
  intros E ND POS F0. inversion_clear ND as [|? ? NK ND']. inversion_clear POS as [|? ? [A0 B0] POS']. cbn [fst snd] in A0, B0.
  (* what is said of the rest, and of this one *)
  assert (KEY : forall near far1 f1 h1 w, 0 <= w <= 1 -> (0 <= far1)%Z -> settle t near N l far1 f1 h1 = (far', (f', h')) ->
    u * (IZR far1 + eval G f1) - v * eval G h1 <= u * (IZR far + eval G f) - v * eval G h + U / IZR N * (u * IZR a - v * IZR b) * w ->
    (0 <= far')%Z /\ exists g, test g /\ u * (IZR far' + eval G f') - v * eval G h' <=
    u * (IZR far + eval G f) - v * eval G h + U / IZR N * (u * ends_of g fst ((k, (a, b)) :: l) - v * ends_of g snd ((k, (a, b)) :: l))).
  { intros near far1 f1 h1 w W F1 E1 L. destruct (IH _ _ _ _ _ _ _ E1 ND' POS' F1) as (F2 & g & TGg & L2). split; [exact F2|].
    exists (fun j => if (j =? k)%Z then w else g j). split; [intros j; destruct (_ =? _)%Z; [exact W|apply TGg]|].
    assert (R : forall pick, ends_of (fun j => if (j =? k)%Z then w else g j) pick l = ends_of g pick l).
    { intros pick. unfold ends_of. apply sum_ext. intros [j o] J. cbn [fst snd]. destruct (Z.eqb_spec j k) as [->|]; [|reflexivity].
      exfalso. apply NK. apply in_map_iff. exists (k, o). auto. }
    unfold ends_of at 1 2. rewrite !sum_cons. cbn [fst snd]. rewrite Z.eqb_refl.
    fold (ends_of (fun j => if (j =? k)%Z then w else g j) fst l) (ends_of (fun j => if (j =? k)%Z then w else g j) snd l).
    rewrite !R. eapply Rle_trans; [exact L2|]. lra. }
  apply IZR_le in A0 as A1. apply IZR_le in B0 as B1.
  destruct (Z.leb_spec a 0) as [L|L]; [apply (KEY last far f h 0); auto; lra|].
  destruct (Z.leb_spec b 0) as [M|M].
  { apply (KEY last (far + a * unit / N)%Z f h 1); [lra| |exact E|].
    - pose proof (div_nonneg (a * unit) N N0 ltac:(nia)). lia.
    - assert (b = 0)%Z as -> by lia. pose proof (div_low (a * unit) N N0) as D. rewrite mult_IZR in D. fold U in D. rewrite plus_IZR.
      assert (IZR (a * unit / N) <= U / IZR N * IZR a).
      { apply Rmult_le_reg_r with (IZR N); [assumption|]. eapply Rle_trans; [exact D|]. right. field. lra. }
      nra. }
  destruct (rung_again p last t (a * one) b) as [[j r]|]; [|apply (KEY last far f h 0); auto; lra]. cbv zeta in E.
  set (low := Z.max 0 (Z.min one _)) in E. assert (LO : (0 <= low <= one)%Z) by (unfold low; lia). clearbody low.
  pose proof (floor_share a low N N0 O1) as P1. pose proof (floor_share a (one - low) N N0 O1) as P2.
  pose proof (ceil_share b low N N0 O1) as Q1. pose proof (ceil_share b (one - low) N N0 O1) as Q2. rewrite minus_IZR in P2, Q2.
  assert (S0 : 0 <= IZR low / IZR one <= 1).
  { destruct LO as [LO1 LO2]. apply IZR_le in LO1, LO2. split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
    apply Rmult_le_reg_r with (IZR one); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  set (s := IZR low / IZR one) in *. replace ((IZR one - IZR low) / IZR one) with (1 - s) in P2, Q2 by (unfold s; field; lra).
  pose proof (TG (j - 1)%Z) as G1. pose proof (TG j) as G2.
  apply (KEY (j, r) _ _ _ (s * G (j - 1)%Z + (1 - s) * G j) ltac:(split; nra) F0 E). cbn [eval].
  set (c := U / IZR N) in *. set (x1 := IZR (a * low * unit / _)) in *. set (x2 := IZR (a * (one - low) * unit / _)) in *.
  set (y1 := IZR (ceil (b * low * unit) _)) in *. set (y2 := IZR (ceil (b * (one - low) * unit) _)) in *.
  assert (X : x1 * G (j - 1)%Z + x2 * G j <= c * IZR a * (s * G (j - 1)%Z + (1 - s) * G j)).
  { apply (Rmult_le_compat_r (G (j - 1)%Z)) in P1; [|lra]. apply (Rmult_le_compat_r (G j)) in P2; [|lra]. lra. }
  assert (Y : c * IZR b * (s * G (j - 1)%Z + (1 - s) * G j) <= y1 * G (j - 1)%Z + y2 * G j).
  { apply (Rmult_le_compat_r (G (j - 1)%Z)) in Q1; [|lra]. apply (Rmult_le_compat_r (G j)) in Q2; [|lra]. lra. }
  apply (Rmult_le_compat_l u) in X; [|assumption]. apply (Rmult_le_compat_l v) in Y; [|assumption]. lra.
Qed.
(* what is known of a pair of laws, over N: P from below, Q from above, but for what is lost *)
Definition known_pair {A} (P Q : A -> R) (N lost : Z) (f h : poly) := forall g u v e, test g -> 0 <= u -> 0 <= v -> 0 < e ->
  exists l, NoDup l /\ (u * eval g f - v * (eval g h + IZR lost)) / IZR N <= total_of (fun y => Rmax (u * P y - v * Q y) 0) l + e.
Theorem settled_shows {A} (P Q : A -> R) t N lost f h x : (0 < N)%Z -> (0 <= lost)%Z -> known_pair P Q N lost f h ->
  settled t N lost f h = Some x -> whole x /\ shows P Q x.
Proof.
  intros N0 L0 K. unfold settled. destruct (settle t (0, one)%Z N (both f h []) 0 [] []) as [far [f1 h1]] eqn:ST.
  set (k := Z.min _ _). destruct (dense 1 k _ (normal f1) []) as [f2|] eqn:D1; [|discriminate].
  destruct (dense 1 k _ (normal h1) []) as [h2|] eqn:D2; [|discriminate]. destruct (_ && _) eqn:C; [|discriminate].
  remember {| depth := 0; at_ := k; ours := f2; theirs := h2; alone := far; astray := ceil (lost * unit) N |} as z eqn:EZ.
  remember (narrowed 64 z) as y eqn:EY. intros EX. injection EX as <-. do 2 (apply andb_prop in C as [C ?]). destruct (keys_apart_ok _ C) as [ND POS].
  pose proof (unit_pos p F) as U1. pose proof (U_pos p F) as U0. fold U in U0. pose proof (IZR_lt _ _ N0) as N1.
  assert (UN : 0 < U / IZR N) by (apply Rmult_lt_0_compat; [assumption|now apply Rinv_0_lt_compat]).
  assert (NA : forall l, Kron.natural l = true -> above l).
  { intros l H1. apply Forall_forall. intros c I. unfold Kron.natural in H1. rewrite forallb_forall in H1. now apply Z.leb_le, H1. }
  apply dense_ok in D1 as (r1 & E1 & D1). apply dense_ok in D2 as (r2 & E2 & D2). cbn [rev app] in E1, E2. subst r1 r2.
  assert (W : whole z).
  { subst z. split; [now apply NA|split; [now apply NA|split; cbn [alone astray]]].
    - apply (settle_ok t N 0 0 (fun _ => 0) N0 (Rle_refl 0) (Rle_refl 0) ltac:(intros i; lra) _ _ _ _ _ _ _ _ ST ND POS (Z.le_refl 0)).
    - apply ceil_nonneg; [exact N0|nia]. }
  assert (S : shows P Q z).
  2: { pose proof (narrowed_ok 64 z) as H2. rewrite <- EY in H2. split; [apply (H2 W)|now apply (hides_shows _ _ z)]. }
  intros G u v e TG HU HV E. destruct (settle_ok t N u v G N0 HU HV TG _ _ _ _ _ _ _ _ ST ND POS (Z.le_refl 0)) as (_ & g & TGg & LE).
  destruct (both_ok g f h []) as [B1 B2]. change (ends_of g fst []) with 0 in B1. change (ends_of g snd []) with 0 in B2. rewrite B1, B2 in LE.
  destruct (K g u v (e / U) TGg HU HV ltac:(apply Rmult_lt_0_compat; [assumption|now apply Rinv_0_lt_compat])) as (l & NL & L).
  exists l. split; [exact NL|]. subst z. unfold worth. cbn [at_ ours theirs alone astray]. rewrite D1, D2, !eval_normal.
  pose proof (ceil_high (lost * unit) N N0) as CH. rewrite mult_IZR in CH. fold U in CH.
  assert (CL : U / IZR N * IZR lost <= IZR (ceil (lost * unit) N)).
  { apply Rmult_le_reg_r with (IZR N); [assumption|]. eapply Rle_trans; [|exact CH]. right. field. lra. }
  apply (Rmult_le_compat_l v) in CL; [|assumption]. apply (Rmult_le_compat_l U) in L; [|lra].
  replace (U * ((u * eval g f - v * (eval g h + IZR lost)) / IZR N)) with
    (U / IZR N * (u * eval g f - v * eval g h) - v * (U / IZR N * IZR lost)) in L by (field; lra).
  cbn [eval] in LE. replace (U * (total_of (fun y => Rmax (u * P y - v * Q y) 0) l + e / U)) with
    (U * total_of (fun y => Rmax (u * P y - v * Q y) 0) l + e) in L by (field; lra). lra.
Qed.

(* ---- delta ---- *)
Lemma best_of_ok a b : (0 <= a)%Z -> forall f g k acc, above g -> exists t, test t /\ (forall j, (j < k)%Z -> t j = 0) /\
  IZR (best_of a b acc f g) <= IZR acc + (IZR b * along t 1 k f - IZR a * along t 1 k g).
Proof.
  intros A. assert (A' := IZR_le _ _ A). induction f as [|c f IH]; intros g k acc G; cbn [best_of].
  - exists (fun _ => 0). split; [intros j; lra|split; [reflexivity|]]. cbn [along].
    assert (Z0 : forall l k, along (fun _ => 0) 1 k l = 0) by (intros l; induction l as [|x l IHl]; intros j; cbn [along]; [reflexivity|rewrite IHl; ring]).
    rewrite Z0. lra.
  - set (d := match g with [] => 0%Z | d :: _ => d end).
    destruct (IH (tl g) (k + 1)%Z (acc + Z.max 0 (b * c - a * d))%Z) as (t & T & TZ & L);
      [destruct g; [constructor|cbn [tl]; now inversion G]|].
    set (w := if (0 <=? b * c - a * d)%Z then 1 else 0).
    exists (fun j => if (j =? k)%Z then w else t j). split; [|split].
    + intros j. destruct (_ =? _)%Z; [unfold w; destruct (_ <=? _)%Z; lra|apply T].
    + intros j J. destruct (Z.eqb_spec j k); [lia|]. apply TZ. lia.
    + assert (R : forall l, along (fun j => if (j =? k)%Z then w else t j) 1 (k + 1) l = along t 1 (k + 1) l).
      { assert (R : forall l i, (k < i)%Z -> along (fun j => if (j =? k)%Z then w else t j) 1 i l = along t 1 i l).
        { induction l as [|x l IHl]; intros i I; cbn [along]; [reflexivity|]. rewrite IHl by lia. destruct (Z.eqb_spec i k); [lia|reflexivity]. }
        intros l. apply R. lia. }
      assert (W : IZR (Z.max 0 (b * c - a * d)) = w * (IZR b * IZR c - IZR a * IZR d)).
      { rewrite <- !mult_IZR, <- minus_IZR. unfold w. destruct (Z.leb_spec 0 (b * c - a * d)); [rewrite Z.max_r by lia; ring|].
        rewrite Z.max_l by lia. ring. }
      rewrite plus_IZR, W in L. eapply Rle_trans; [exact L|].
      assert (EG : along (fun j => if (j =? k)%Z then w else t j) 1 k g = IZR d * w + along t 1 (k + 1) (tl g)).
      { unfold d. destruct g as [|x g]; cbn [along tl]; [ring|]. rewrite Z.eqb_refl, R. reflexivity. }
      rewrite EG. cbn [along]. rewrite Z.eqb_refl, R. lra.
Qed.
Theorem shown_delta_ok {A} (P Q : A -> R) x z zz d : shows P Q x -> whole x -> (0 <= fst zz)%Z -> 0 < IZR (snd zz) ->
  z * IZR (snd zz) <= IZR (fst zz) -> 0 <= z -> (forall y, 0 <= Q y) -> d * (U * IZR (snd zz)) < IZR (shown_delta x zz) -> ~ SpecRuns.keeps P Q z d.
Proof.
  intros S (O & T & A0 & B0) F0 S0 ZZ Z0 HQ D K. pose proof (U_pos p F) as U0. fold U in U0. unfold shown_delta in D.
  destruct (best_of_ok (fst zz) (snd zz) F0 (ours x) (theirs x) (at_ x) (snd zz * alone x - fst zz * astray x) T) as (t & TT & _ & L).
  rewrite minus_IZR, !mult_IZR in L. pose proof (IZR_le _ _ F0) as F1.
  set (e := (IZR (shown_delta x zz) - d * (U * IZR (snd zz))) / (2 * IZR (snd zz))).
  assert (E : 0 < e) by (unfold e, shown_delta; apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
  destruct (S t 1 z e TT ltac:(lra) Z0 E) as (l & N & W). specialize (K l N).
  assert (KK : total_of (fun y => Rmax (1 * P y - z * Q y) 0) l <= d).
  { eapply Rle_trans; [|exact K]. right. apply sum_ext. intros y _. f_equal. ring. }
  unfold worth in W. pose proof (along_nonneg t 1 (theirs x) T (fun k => proj1 (TT k)) (at_ x)) as T0. apply IZR_le in B0.
  assert (Q0 : z * IZR (snd zz) * (along t 1 (at_ x) (theirs x) + IZR (astray x)) <= IZR (fst zz) * (along t 1 (at_ x) (theirs x) + IZR (astray x)))
    by (apply Rmult_le_compat_r; lra).
  assert (EE : e * IZR (snd zz) = (IZR (shown_delta x zz) - d * (U * IZR (snd zz))) / 2) by (unfold e; field; lra).
  unfold shown_delta in EE. set (B := IZR (best_of _ _ _ _ _)) in *.
  apply (Rmult_le_compat_r (IZR (snd zz))) in W; [|lra]. assert (U * total_of (fun y => Rmax (1 * P y - z * Q y) 0) l * IZR (snd zz) <= U * d * IZR (snd zz)).
  { apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra. }
  lra.
Qed.
End Plan.
