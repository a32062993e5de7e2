(* Two columns of which the numbers are known from below: what their best event gains; and columns beside them. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool Permutation.
From Shufflecert Require CheckBlocks AnyRandomizer.
From Shufflecert Require Import Spec SpecCount SpecColumns Sums Poly Exp Check Noise Total Gain Window
  Grid GridSum Cover Powers Boxes Beside Numbers Below.
Import ListNotations.
Local Open Scope Z_scope.
Notation sum := SpecCount.sum.

(* ---- (P, Q) in one column, and in two ---- *)
Definition atoms := list (Z * Z).
(* sum of max(s p - t q, 0) *)
Definition excess_in (s t : Z) (l : atoms) : Z := fold_left (fun acc o => acc + Z.max (s * fst o - t * snd o) 0) l 0.
Definition before_it (o o' : Z * Z) : bool := snd o * fst o' <=? snd o' * fst o.
Fixpoint in_order (l : atoms) : bool :=
  match l with
  | [] => true
  | o :: r => (0 <? fst o) && (0 <=? snd o) && match r with [] => true | o' :: _ => before_it o o' end && in_order r
  end.
(* Atoms by ascending q / p: those before, the last one first, have terms above 0, with their sums; the others not. *)
Definition place_in := (atoms * Z * Z * atoms)%type.
Definition shows (s t : Z) (o : Z * Z) : bool := t * snd o <? s * fst o.
Fixpoint forth (s t : Z) (done : atoms) (p q : Z) (rest : atoms) : place_in :=
  match rest with
  | [] => (done, p, q, [])
  | o :: r => if shows s t o then forth s t (o :: done) (p + fst o) (q + snd o) r else (done, p, q, rest)
  end.
Fixpoint back (s t : Z) (done : atoms) (p q : Z) (rest : atoms) : place_in :=
  match done with
  | [] => ([], p, q, rest)
  | o :: l => if shows s t o then (done, p, q, rest) else back s t l (p - fst o) (q - snd o) (o :: rest)
  end.
Fixpoint sweep (a b : Z) (l1 : atoms) (at_ : place_in) (acc : Z) : Z :=
  match l1 with
  | [] => acc
  | o :: l1 =>
      let s := a * fst o in let t := b * snd o in
      let '(done, p, q, rest) := at_ in
      let '(done, p, q, rest) := forth s t done p q rest in
      let '(done, p, q, rest) := back s t done p q rest in
      sweep a b l1 (done, p, q, rest) (acc + (s * p - t * q))
  end.
(* atoms by ascending q / p: runs are merged, two by two *)
Fixpoint weave (l : atoms) : atoms -> atoms -> atoms :=
  fix weave_l (m acc : atoms) :=
    match l, m with
    | [], _ => rev_append acc m
    | _, [] => rev_append acc l
    | x :: l', y :: m' => if before_it x y then weave l' m (x :: acc) else weave_l m' (y :: acc)
    end.
Fixpoint weave_pairs (ls acc : list atoms) : list atoms :=
  match ls with
  | l :: m :: ls => weave_pairs ls (weave l m [] :: acc)
  | [l] => l :: acc
  | [] => acc
  end.
Fixpoint weave_all (fuel : nat) (ls : list atoms) : atoms :=
  match fuel, ls with
  | _, [] => []
  | _, [l] => l
  | O, _ => concat ls
  | S fuel, _ => weave_all fuel (weave_pairs ls [])
  end.
Definition sorted (l : atoms) : atoms := weave_all 64 (map (fun o => [o]) l).
(* sum over pairs of max(a p p' - b q q', 0) *)
Definition excess_of_both (a b : Z) (l1 l2 : atoms) : Z :=
  let l := filter (fun o => 0 <? fst o) l2 in
  let m := if in_order l then l else let r := rev_append l [] in if in_order r then r else sorted r in
  if in_order m && (0 <=? b) && forallb (fun o => 0 <=? snd o) l1 then sweep a b l1 ([], 0, 0, m) 0
  else fold_left (fun acc o => acc + excess_in (a * fst o) (b * snd o) l2) l1 0.

Local Open Scope R_scope.
Definition over_atoms (l : atoms) (h : R -> R -> R) : R := sum (fun o => h (IZR (fst o)) (IZR (snd o))) l.
Lemma excess_in_ok s t l : IZR (excess_in s t l) = over_atoms l (fun p q => Rmax (IZR s * p - IZR t * q) 0).
Proof.
  unfold excess_in, over_atoms. assert (G : forall acc, IZR (fold_left (fun acc o => acc + Z.max (s * fst o - t * snd o) 0)%Z l acc) =
    IZR acc + sum (fun o => Rmax (IZR s * IZR (fst o) - IZR t * IZR (snd o)) 0) l).
  { induction l as [|o l IH]; intros acc; [cbn; ring|]. cbn [fold_left]. rewrite IH, plus_IZR, IZR_max, minus_IZR, !mult_IZR, sum_cons. ring. }
  rewrite G. ring.
Qed.
Definition strong := fix strong (l : atoms) : Prop :=
  match l with [] => True | o :: l => ((0 < fst o)%Z /\ (0 <= snd o)%Z /\ forall o', In o' l -> before_it o o' = true) /\ strong l end.
Lemma in_order_ok l : in_order l = true -> strong l.
Proof.
  induction l as [|o l IH]; intros H; [exact I|]. cbn [in_order] in H. do 3 (apply andb_prop in H as [H ?]).
  apply Z.ltb_lt in H. apply Z.leb_le in H2. specialize (IH H0). split; [|exact IH]. split; [exact H|]. split; [exact H2|].
  destruct l as [|o1 l]; [intros o' []|]. destruct IH as [(P & Q & R) _]. unfold before_it in *. apply Z.leb_le in H1.
  intros o' [<-|J]; [now apply Z.leb_le|]. assert (P' : (0 < fst o')%Z).
  { clear - J H0. revert o1 H0 J. induction l as [|x l IH]; intros o1 H0 J; [destruct J|]. cbn [in_order] in H0.
    apply andb_prop in H0 as [_ H0]. destruct J as [<-|J]; [|now apply (IH x)]. cbn [in_order] in H0.
    do 3 (apply andb_prop in H0 as [H0 _]). now apply Z.ltb_lt. }
  specialize (R o' J). apply Z.leb_le in R. apply Z.leb_le. assert (fst o' * snd o * fst o1 <= snd o' * fst o * fst o1)%Z; [|nia].
  apply Z.le_trans with (fst o' * (snd o1 * fst o))%Z; nia.
Qed.
Lemma strong_at l1 o l2 : strong (l1 ++ o :: l2) -> (forall x, In x l1 -> before_it x o = true /\ (0 < fst x)%Z) /\
  (0 < fst o)%Z /\ (forall x, In x l2 -> before_it o x = true /\ (0 < fst x)%Z).
Proof.
  induction l1 as [|x l1 IH]; cbn [app].
  - intros [(P & _ & R) S]. split; [intros x []|]. split; [exact P|]. intros x J. split; [now apply R|]. clear - S J.
    induction l2 as [|y l IH]; [destruct J|]. destruct S as [(P & _) S]. destruct J as [<-|J]; auto.
  - intros [(P & _ & R) S]. destruct (IH S) as (A & B & C). split; [|now split]. intros y [<-|J]; [|now apply A]. split; [|exact P].
    apply R, in_elt.
Qed.
Lemma shows_before s t o o' : (0 <= t)%Z -> (0 < fst o)%Z -> (0 < fst o')%Z -> before_it o o' = true -> shows s t o' = true -> shows s t o = true.
Proof.
  unfold before_it, shows. rewrite Z.leb_le, !Z.ltb_lt. intros T P P' B S.
  assert (t * snd o * fst o' < s * fst o * fst o')%Z; [|nia]. apply Z.le_lt_trans with (t * snd o' * fst o)%Z; nia.
Qed.
Definition sits (m : atoms) (a : place_in) := let '(done, p, q, rest) := a in
  rev done ++ rest = m /\ IZR p = over_atoms done (fun x _ => x) /\ IZR q = over_atoms done (fun _ y => y).
Lemma forth_ok s t m rest : forall done p q, sits m (done, p, q, rest) ->
  let a := forth s t done p q rest in sits m a /\ let '(_, _, _, r) := a in match r with [] => True | o :: _ => shows s t o = false end.
Proof.
  cbv zeta. induction rest as [|o r IH]; intros done p q H; cbn [forth]; [now split|].
  destruct (shows s t o) eqn:S; [|now split]. apply IH. destruct H as (E & P & Q). cbn [sits rev]. split; [now rewrite <- app_assoc|].
  unfold over_atoms in *. rewrite !plus_IZR, !sum_cons, P, Q. split; ring.
Qed.
Lemma back_ok s t m done : forall p q rest, sits m (done, p, q, rest) -> match rest with [] => True | o :: _ => shows s t o = false end ->
  let a := back s t done p q rest in sits m a /\ let '(l, _, _, r) := a in match r with [] => True | o :: _ => shows s t o = false end /\
    match l with [] => True | o :: _ => shows s t o = true end.
Proof.
  cbv zeta. induction done as [|o l IH]; intros p q rest H R; cbn [back]; [split; [exact H|split; [exact R|exact I]]|].
  destruct (shows s t o) eqn:S; [split; [exact H|split; [exact R|exact S]]|]. apply IH; [|exact S]. destruct H as (E & P & Q). cbn [sits rev] in *.
  rewrite <- app_assoc in E. split; [exact E|]. unfold over_atoms in *. rewrite !sum_cons in P, Q. rewrite !minus_IZR, P, Q. split; ring.
Qed.
Lemma settled s t m done p q rest : (0 <= t)%Z -> strong m -> sits m (done, p, q, rest) ->
  match rest with [] => True | o :: _ => shows s t o = false end -> match done with [] => True | o :: _ => shows s t o = true end ->
  IZR (s * p - t * q) = over_atoms m (fun x y => Rmax (IZR s * x - IZR t * y) 0).
Proof.
  intros T S (<- & P & Q) R L. unfold over_atoms in *. rewrite sum_app, minus_IZR, !mult_IZR, P, Q.
  assert (A : forall x, In x done -> shows s t x = true).
  { destruct done as [|o l]; [intros x []|]. cbn [rev] in S. rewrite <- app_assoc in S. destruct (strong_at _ _ _ S) as (A & B & _).
    intros x [<-|J]; [exact L|]. apply in_rev in J. destruct (A x J). now apply (shows_before s t x o). }
  assert (B : forall x, In x rest -> shows s t x = false).
  { destruct rest as [|o r]; [intros x []|]. destruct (strong_at _ _ _ S) as (_ & B & C). intros x [<-|J]; [exact R|].
    destruct (C x J). destruct (shows s t x) eqn:X; [|reflexivity]. rewrite (shows_before s t o x) in R; auto. }
  rewrite (sum_ext _ (fun _ => 0) rest).
  - rewrite AnyRandomizer.sum_zero, Rplus_0_r. clear - A.
    assert (G : sum (fun o => Rmax (IZR s * IZR (fst o) - IZR t * IZR (snd o)) 0) done =
      IZR s * sum (fun o => IZR (fst o)) done - IZR t * sum (fun o => IZR (snd o)) done).
    { induction done as [|o l IH]; [cbn; ring|]. rewrite !sum_cons, IH by (intros; apply A; now right).
      specialize (A o (or_introl eq_refl)). apply Z.ltb_lt, IZR_lt in A. rewrite !mult_IZR in A. rewrite Rmax_left by lra. ring. }
    rewrite <- G. assert (X : forall l, sum (fun o : Z * Z => Rmax (IZR s * IZR (fst o) - IZR t * IZR (snd o)) 0) (rev l) =
      sum (fun o => Rmax (IZR s * IZR (fst o) - IZR t * IZR (snd o)) 0) l).
    { clear. induction l as [|o l IH]; [reflexivity|]. cbn [rev]. rewrite sum_app, IH, !sum_cons. cbn. ring. }
    now rewrite X.
  - intros o J. specialize (B o J). apply Z.ltb_ge, IZR_le in B. rewrite !mult_IZR in B. apply Rmax_right. lra.
Qed.
Lemma sweep_ok a b m : (0 <= b)%Z -> strong m -> forall l1 at_ acc, sits m at_ -> forallb (fun o => 0 <=? snd o)%Z l1 = true ->
  IZR (sweep a b l1 at_ acc) = IZR acc + over_atoms l1 (fun p q => over_atoms m (fun x y => Rmax (IZR a * p * x - IZR b * q * y) 0)).
Proof.
  intros B S. induction l1 as [|o l1 IH]; intros [[[done p] q] rest] acc H N; [cbn; unfold over_atoms; cbn; ring|].
  cbn [sweep forallb] in *. apply andb_prop in N as [N N']. apply Z.leb_le in N.
  destruct (forth_ok (a * fst o) (b * snd o) m rest done p q H) as [H1 R1].
  destruct (forth _ _ _ _ _ _) as [[[done1 p1] q1] rest1].
  destruct (back_ok (a * fst o) (b * snd o) m done1 p1 q1 rest1 H1 R1) as [H2 R2].
  destruct (back _ _ _ _ _ _) as [[[done2 p2] q2] rest2]. destruct R2 as [R2 L2].
  rewrite IH; [|exact H2|exact N']. rewrite plus_IZR. unfold over_atoms at 3. rewrite sum_cons.
  rewrite (settled (a * fst o) (b * snd o) m _ _ _ _ ltac:(nia) S H2 R2 L2). rewrite !mult_IZR. unfold over_atoms. ring.
Qed.
Lemma over_app l m h : over_atoms (l ++ m) h = over_atoms l h + over_atoms m h.
Proof. unfold over_atoms. apply sum_app. Qed.
Lemma over_rev l m h : over_atoms (rev_append l m) h = over_atoms l h + over_atoms m h.
Proof. unfold over_atoms. rewrite CheckBlocks.sum_rev_append. ring. Qed.
Lemma weave_same h l : forall m acc, over_atoms (weave l m acc) h = over_atoms l h + over_atoms m h + over_atoms acc h.
Proof.
  induction l as [|x l IH]; [intros m acc; destruct m; cbn [weave]; rewrite over_rev; unfold over_atoms; cbn; ring|].
  induction m as [|y m IHm]; intros acc; cbn [weave].
  - rewrite over_rev. unfold over_atoms at 4. cbn. ring.
  - destruct (before_it x y).
    + rewrite IH. unfold over_atoms. rewrite !sum_cons. ring.
    + transitivity (over_atoms (weave (x :: l) m (y :: acc)) h); [reflexivity|]. rewrite IHm. unfold over_atoms. rewrite !sum_cons. ring.
Qed.
Lemma weave_pairs_same h ls acc : over_atoms (concat (weave_pairs ls acc)) h = over_atoms (concat ls) h + over_atoms (concat acc) h.
Proof.
  enough (H : forall n ls acc, (length ls <= n)%nat -> over_atoms (concat (weave_pairs ls acc)) h =
    over_atoms (concat ls) h + over_atoms (concat acc) h) by (now apply (H (length ls))).
  clear. induction n as [|n IH]; intros [|l [|m ls]] acc L; cbn [length] in L; try lia; cbn [weave_pairs concat]; rewrite ?over_app.
  1,2: unfold over_atoms; cbn; ring.
  - cbn [concat]. unfold over_atoms at 4. cbn. ring.
  - rewrite IH by lia. cbn [concat]. rewrite over_app, weave_same. unfold over_atoms at 4. cbn. ring.
Qed.
Lemma sorted_same h l : over_atoms (sorted l) h = over_atoms l h.
Proof.
  assert (G : forall n ls, over_atoms (weave_all n ls) h = over_atoms (concat ls) h).
  { induction n as [|n IH]; intros [|x [|y ls]]; cbn [weave_all]; try reflexivity; try (cbn [concat]; now rewrite app_nil_r).
    rewrite IH, weave_pairs_same. unfold over_atoms at 2. cbn. ring. }
  unfold sorted. rewrite G. clear. f_equal. induction l as [|o l IH]; [reflexivity|]. cbn. now rewrite IH.
Qed.
Theorem excess_of_both_ok a b l1 l2 : (0 <= a)%Z -> (0 <= b)%Z -> forallb (fun o => (0 <=? fst o) && (0 <=? snd o))%Z l1 = true ->
  forallb (fun o => (0 <=? fst o) && (0 <=? snd o))%Z l2 = true ->
  IZR (excess_of_both a b l1 l2) = over_atoms l1 (fun p q => over_atoms l2 (fun x y => Rmax (IZR a * p * x - IZR b * q * y) 0)).
Proof.
  intros A0 B0 N1 N2. unfold excess_of_both. set (l := filter _ l2).
  assert (F : forall p q, 0 <= q -> over_atoms l (fun x y => Rmax (IZR a * p * x - IZR b * q * y) 0) =
    over_atoms l2 (fun x y => Rmax (IZR a * p * x - IZR b * q * y) 0)).
  { intros p q Q. unfold l, over_atoms. apply IZR_le in B0. clear - N2 B0 Q. induction l2 as [|o l IH]; [reflexivity|]. cbn [filter forallb] in *.
    apply andb_prop in N2 as [N N2]. apply andb_prop in N as [N N']. apply Z.leb_le in N, N'. destruct (Z.ltb_spec 0 (fst o)); rewrite !sum_cons, IH by exact N2; [reflexivity|].
    assert (fst o = 0)%Z as -> by lia. apply IZR_le in N'. rewrite Rmult_0_r, Rmax_right; [ring|]. assert (0 <= IZR b * q * IZR (snd o)); [|lra].
    apply Rmult_le_pos; [now apply Rmult_le_pos|exact N']. }
  set (m := if in_order l then l else _).
  assert (M : forall h, over_atoms m h = over_atoms l h).
  { intros h. assert (R : over_atoms (rev_append l []) h = over_atoms l h) by (rewrite over_rev; unfold over_atoms at 2; cbn; ring).
    unfold m. cbv zeta. destruct (in_order l); [reflexivity|]. destruct (in_order _); [exact R|]. now rewrite sorted_same. }
  destruct (in_order m && _ && _) eqn:C.
  - apply andb_prop in C as [C C1]. apply andb_prop in C as [C _]. rewrite (sweep_ok a b m B0 (in_order_ok m C) l1 ([], 0, 0, m)%Z 0); [|now repeat split|exact C1].
    rewrite Rplus_0_l. unfold over_atoms at 1 3. apply sum_ext. intros o I. rewrite M. apply F. apply IZR_le. rewrite forallb_forall in C1. specialize (C1 o I).
    now apply Z.leb_le.
  - clear. assert (G : forall acc, IZR (fold_left (fun acc o => acc + excess_in (a * fst o) (b * snd o) l2)%Z l1 acc) = IZR acc +
      over_atoms l1 (fun p q => over_atoms l2 (fun x y => Rmax (IZR a * p * x - IZR b * q * y) 0))).
    { induction l1 as [|o l1 IH]; intros acc; [unfold over_atoms; cbn; ring|]. cbn [fold_left]. rewrite IH, plus_IZR, excess_in_ok, !mult_IZR.
      unfold over_atoms. rewrite sum_cons. ring. }
    rewrite G. ring.
Qed.

(* ---- columns that are the same on both sides ---- *)
Lemma same_pair : forall a b : Z * Z, {a = b} + {a <> b}. Proof. repeat decide equality. Qed.
Lemma same_two : forall a b : Z * list Z, {a = b} + {a <> b}. Proof. repeat decide equality. Qed.
Lemma same_list : forall a b : list Z, {a = b} + {a <> b}. Proof. repeat decide equality. Qed.
Lemma jointly_nonneg ms : Forall is_mass ms -> forall ks, 0 <= jointly ms ks.
Proof.
  induction 1 as [|m ms M _ IH]; intros [|k ks]; cbn [jointly]; try lra. apply Rmult_le_pos; [apply M|apply IH].
Qed.
Lemma jointly_mass ms : Forall is_mass ms -> is_mass (jointly ms).
Proof.
  intros H. split; [now apply jointly_nonneg|]. induction H as [|m ms M F IH].
  - assert (P : is_mass (fun ks : list Z => match ks with [] => 1 | _ => 0 end)).
    { apply mass_of.
      - intros [|]; lra.
      - intros l D. eapply Rle_trans; [apply (sum_within _ l) with (m := [[]]); auto; [intros [|]; lra|]|cbn; lra].
        intros [|k ks] _; [left; now left|now right].
      - intros e E. exists [[]]. split; [constructor; [easy|constructor]|cbn; lra]. }
    eapply total_ext; [|exact (proj2 P)]. now intros [|].
  - eapply (total_beside same_list Z.eq_dec (fun ks k => k :: ks) m); [apply M| | | | | | |apply M|exact IH].
    + intros V D. now apply mass_sum.
    + intros ks k. cbn [jointly]. ring.
    + apply jointly_nonneg. now constructor.
    + now apply jointly_nonneg.
    + intros [|k ks]; [now right|left; now exists ks, k].
    + intros ks k ks' k' E. injection E as -> ->. now split.
Qed.
Definition and_more (u : Z -> R) (ms : list (Z -> R)) (o : Z * list Z) : R := u (fst o) * jointly ms (snd o).
Section Same.
Variables (z d : R).
Lemma joint_before (l cs ds : list (Z -> R)) : Forall is_mass l -> within (jointly cs) (jointly ds) z d ->
  within (jointly (l ++ cs)) (jointly (l ++ ds)) z d.
Proof.
  induction 1 as [|m l M _ IH]; intros W; [exact W|]. specialize (IH W). revert IH. cbn [app].
  apply (beside same_list Z.eq_dec (fun ks k => k :: ks) m); [apply M|intros V D; now apply mass_sum| | |].
  - intros ks k. cbn [jointly]. ring.
  - intros ks k. cbn [jointly]. ring.
  - intros [|k ks]; [now right|left; now exists ks, k].
Qed.
Lemma joint_first u v (cs ds : list (Z -> R)) : within (and_more u cs) (and_more v ds) z d -> within (jointly (u :: cs)) (jointly (v :: ds)) z d.
Proof.
  apply (beside same_two (fun a b : unit => left (match a, b with tt, tt => eq_refl end)) (fun o _ => fst o :: snd o) (fun _ => 1)).
  - intros _. lra.
  - intros V D. eapply Rle_trans; [apply (sum_within _ V) with (m := [tt]); auto; [intros; lra|]|cbn; lra].
    intros [] _. left. now left.
  - intros [x ks] _. unfold and_more. cbn [fst snd jointly]. ring.
  - intros [x ks] _. unfold and_more. cbn [fst snd jointly]. ring.
  - intros [|x ks]; [now right|left; now exists (x, ks), tt].
Qed.
Lemma joint_between u v (l cs ds : list (Z -> R)) : Forall is_mass l -> within (and_more u cs) (and_more v ds) z d ->
  within (and_more u (l ++ cs)) (and_more v (l ++ ds)) z d.
Proof.
  induction 1 as [|m l M _ IH]; intros W; [exact W|]. specialize (IH W). revert IH. cbn [app].
  apply (beside same_two Z.eq_dec (fun o k => (fst o, k :: snd o)) m); [apply M|intros V D; now apply mass_sum| | |].
  - intros [x ks] k. unfold and_more. cbn [fst snd jointly]. ring.
  - intros [x ks] k. unfold and_more. cbn [fst snd jointly]. ring.
  - intros [x [|k ks]]; [right; unfold and_more; cbn; lra|left; now exists (x, ks), k].
Qed.
Lemma joint_after (u v s t : Z -> R) r : Forall is_mass r -> within (beside_it u s) (beside_it v t) z d ->
  within (and_more u (s :: r)) (and_more v (t :: r)) z d.
Proof.
  intros M. apply (beside same_pair same_list (fun o ks => (fst o, snd o :: ks)) (jointly r)).
  - now apply jointly_nonneg.
  - intros V D. apply mass_sum; [now apply jointly_mass|exact D].
  - intros [x y] ks. unfold and_more, beside_it. cbn [fst snd jointly]. ring.
  - intros [x y] ks. unfold and_more, beside_it. cbn [fst snd jointly]. ring.
  - intros [x [|y ks]]; [right; unfold and_more; cbn; lra|left; now exists (x, y), ks].
Qed.
Lemma joint_one (u v : Z -> R) r : Forall is_mass r -> within u v z d -> within (and_more u r) (and_more v r) z d.
Proof.
  intros M. apply (beside Z.eq_dec same_list (fun x ks => (x, ks)) (jointly r)).
  - now apply jointly_nonneg.
  - intros V D. apply mass_sum; [now apply jointly_mass|exact D].
  - intros x ks. reflexivity.
  - intros x ks. reflexivity.
  - intros [x ks]. left. now exists x, ks.
Qed.
Lemma joint_pair l m r (u v s t : Z -> R) : Forall is_mass (l ++ m ++ r) -> within (beside_it u s) (beside_it v t) z d ->
  within (jointly (l ++ u :: m ++ s :: r)) (jointly (l ++ v :: m ++ t :: r)) z d.
Proof.
  intros M W. apply Forall_app in M as [L M]. apply Forall_app in M as [M R].
  apply joint_before, joint_first, joint_between, joint_after; auto.
Qed.
Lemma joint_single l r (u v : Z -> R) : Forall is_mass (l ++ r) -> within u v z d -> within (jointly (l ++ u :: r)) (jointly (l ++ v :: r)) z d.
Proof. intros M W. apply Forall_app in M as [L R]. apply joint_before, joint_first, joint_one; auto. Qed.
Lemma swap_within (p : Z * Z -> R) (q : Z * Z -> R) : within p q z d ->
  within (fun o => p (snd o, fst o)) (fun o => q (snd o, fst o)) z d.
Proof.
  intros W l D. rewrite (sum_ext _ (fun o => excess p q z (snd o, fst o))) by reflexivity.
  rewrite <- (sum_map (excess p q z) (fun o => (snd o, fst o))). apply W. apply FinFun.Injective_map_NoDup; [|exact D].
  intros [a b] [a' b'] E. cbn in E. congruence.
Qed.
End Same.

(* ---- the two columns of a pair, known from below ---- *)
Local Open Scope Z_scope.
(* how the numbers of a column are known where the user who changes is on his first input, and on his second *)
Definition ends_of := (low * low)%type.
Definition atoms_in (e : ends_of) : list (Z * (Z * Z)) := CheckBlocks.beside 0 (fst (fst e)) (fst (snd e)) [].
Definition orderly (T : list (Z * (Z * Z))) : bool :=
  ascending (match T with [] => 0 | o :: _ => fst o - 1 end) T.
Definition one_column : ends_of := (known_0, known_0).
Definition gained (a b : Z) (e1 e2 : ends_of) : Z := excess_of_both a b (map snd (atoms_in e1)) (map snd (atoms_in e2)).
Definition units (side : ends_of -> low) (e1 e2 : ends_of) : Z := snd (side e1) * snd (side e2).
Definition held_by (side : ends_of -> low) (e1 e2 : ends_of) : Z := total (fst (side e1)) * total (fst (side e2)).
Definition kept_by_pair (zn zd : Z) (delta : Q) (e1 e2 : ends_of) : bool :=
  let U := units fst e1 e2 in let V := units snd e1 e2 in
  orderly (atoms_in e1) && orderly (atoms_in e2) &&
  ((gained (zd * V) (zn * U) e1 e2 + zd * V * (U - held_by fst e1 e2)) * QDen delta <=? Qnum delta * (zd * U * V)).
Definition broken_by_pair (zn zd : Z) (delta : Q) (e1 e2 : ends_of) : bool :=
  let U := units fst e1 e2 in let V := units snd e1 e2 in
  orderly (atoms_in e1) && orderly (atoms_in e2) &&
  (Qnum delta * (zd * U * V) <? (gained (zd * V) (zn * U) e1 e2 - zn * U * (V - held_by snd e1 e2)) * QDen delta).

Local Open Scope R_scope.
Definition known_at (a : low) (k : Z) : R := eval (at_place k) (fst a) / IZR (snd a).
Lemma known_between a m : below a m -> forall k, 0 <= known_at a k <= m k.
Proof.
  intros (U & S & H) k. apply IZR_lt in U. unfold known_at. pose proof (sure_eval (fst a) (at_place k) S (at_place_0 k)) as N.
  split; [apply Rmult_le_pos; [exact N|left; now apply Rinv_0_lt_compat]|]. apply Rmult_le_reg_r with (IZR (snd a)); [exact U|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. specialize (H k). lra.
Qed.
Section Atoms.
Variables (e : ends_of) (O : orderly (atoms_in e) = true).
Let T := atoms_in e.
Definition keys_in : list Z := map fst (atoms_in e).
Lemma keys_nodup : NoDup keys_in.
Proof. exact (proj1 (ascending_nodup _ _ O)). Qed.
Lemma atoms_sum x y h : sum (fun t : Z * (Z * Z) => (x * IZR (fst (snd t)) + y * IZR (snd (snd t))) * h (fst t)) T =
  x * eval h (fst (fst e)) + y * eval h (fst (snd e)).
Proof.
  unfold T, atoms_in. rewrite (CheckBlocks.beside_sum 0%Z (fun v => y * IZR v) h x) by ring. cbn [SpecCount.sum fold_right].
  rewrite Rplus_0_r. f_equal. generalize (fst (snd e)). clear. intros q. induction q as [|[k w] q IH]; [cbn; ring|].
  rewrite sum_cons, IH. cbn [fst snd eval]. ring.
Qed.
Lemma one_of_them (F : Z * (Z * Z) -> R) t : In t T -> sum (fun t' => F t' * at_place (fst t) (fst t')) T = F t.
Proof.
  intros I. pose proof keys_nodup as D. unfold keys_in in D. fold T in D. clear O. induction T as [|o l IH]; [destruct I|].
  cbn [map] in D. inversion_clear D as [|? ? N D']. rewrite sum_cons. unfold at_place at 1. destruct I as [->|I].
  - rewrite Z.eqb_refl, (sum_ext _ (fun _ => 0)); [rewrite AnyRandomizer.sum_zero; ring|]. intros t' J. unfold at_place.
    destruct (Z.eqb_spec (fst t') (fst t)) as [E|]; [|ring]. exfalso. apply N. rewrite <- E. now apply in_map.
  - rewrite (IH I D'). destruct (Z.eqb_spec (fst o) (fst t)) as [E|]; [|ring]. exfalso. apply N. rewrite E. now apply in_map.
Qed.
Lemma atom_is t : In t T -> IZR (fst (snd t)) = eval (at_place (fst t)) (fst (fst e)) /\
  IZR (snd (snd t)) = eval (at_place (fst t)) (fst (snd e)).
Proof.
  intros I. split.
  - rewrite <- (one_of_them (fun t => IZR (fst (snd t))) t I). pose proof (atoms_sum 1 0 (at_place (fst t))) as S.
    rewrite Rmult_0_l, Rplus_0_r, Rmult_1_l in S. rewrite <- S. apply sum_ext. intros. ring.
  - rewrite <- (one_of_them (fun t => IZR (snd (snd t))) t I). pose proof (atoms_sum 0 1 (at_place (fst t))) as S.
    rewrite Rmult_0_l, Rplus_0_l, Rmult_1_l in S. rewrite <- S. apply sum_ext. intros. ring.
Qed.
Lemma over_keys h : over_atoms (map snd T) h =
  sum (fun k => h (eval (at_place k) (fst (fst e))) (eval (at_place k) (fst (snd e)))) keys_in.
Proof.
  unfold over_atoms, keys_in. fold T. rewrite !sum_map. apply sum_ext. intros t I. destruct (atom_is t I) as [-> ->]. reflexivity.
Qed.
Lemma known_all a : a = fst e \/ a = snd e -> sum (known_at a) keys_in = IZR (total (fst a)) / IZR (snd a).
Proof.
  intros A. unfold known_at, Rdiv. rewrite <- sum_const_mul. f_equal.
  transitivity (eval (fun _ => 1) (fst a)); [|rewrite eval_const; ring]. destruct A as [->| ->].
  - pose proof (atoms_sum 1 0 (fun _ => 1)) as S. rewrite Rmult_0_l, Rplus_0_r, Rmult_1_l in S. rewrite <- S.
    unfold keys_in. fold T. rewrite sum_map. apply sum_ext. intros t I. destruct (atom_is t I) as [<- _]. ring.
  - pose proof (atoms_sum 0 1 (fun _ => 1)) as S. rewrite Rmult_0_l, Rplus_0_l, Rmult_1_l in S. rewrite <- S.
    unfold keys_in. fold T. rewrite sum_map. apply sum_ext. intros t I. destruct (atom_is t I) as [_ <-]. ring.
Qed.
Lemma atoms_natural : sure (fst (fst e)) -> sure (fst (snd e)) ->
  forallb (fun o => (0 <=? fst o) && (0 <=? snd o))%Z (map snd T) = true.
Proof.
  intros S1 S2. apply forallb_forall. intros o I. apply in_map_iff in I as (t & <- & I). destruct (atom_is t I) as [A B].
  apply andb_true_intro. split; apply Z.leb_le, le_IZR; [rewrite A|rewrite B]; apply sure_eval; auto; apply at_place_0.
Qed.
End Atoms.
Section Both.
Variables (e1 e2 : ends_of) (p1 p2 q1 q2 : Z -> R).
Hypotheses (P1 : below (fst e1) p1) (Q1 : below (snd e1) q1) (P2 : below (fst e2) p2) (Q2 : below (snd e2) q2)
  (MP1 : is_mass p1) (MQ1 : is_mass q1) (MP2 : is_mass p2) (MQ2 : is_mass q2)
  (O1 : orderly (atoms_in e1) = true) (O2 : orderly (atoms_in e2) = true).
Let W := list_prod (keys_in e1) (keys_in e2).
Let lp := beside_it (known_at (fst e1)) (known_at (fst e2)).
Let lq := beside_it (known_at (snd e1)) (known_at (snd e2)).
Let U := units fst e1 e2.
Let V := units snd e1 e2.
Lemma beside_mass {A} (p : Z -> R) (s : A -> R) : (forall a b : A, {a = b} + {a <> b}) -> is_mass p -> is_mass s -> is_mass (beside_it p s).
Proof.
  intros D P S. split; [intros o; apply Rmult_le_pos; [apply P|apply S]|].
  eapply (total_beside Z.eq_dec D (fun x a => (x, a)) s); [apply S| | | | | | |apply S|apply P].
  - intros l N. now apply mass_sum.
  - reflexivity.
  - intros o. apply Rmult_le_pos; [apply P|apply S].
  - apply P.
  - intros [x a]. left. now exists x, a.
  - intros a b a' b' E. injection E as -> ->. now split.
Qed.
Lemma units_pos : 0 < IZR U /\ 0 < IZR V.
Proof.
  unfold U, V, units. destruct P1 as (A & _), P2 as (B & _), Q1 as (C & _), Q2 as (E & _).
  split; apply IZR_lt; nia.
Qed.
Lemma lows_between : (forall o, 0 <= lp o <= beside_it p1 p2 o) /\ forall o, 0 <= lq o <= beside_it q1 q2 o.
Proof.
  split; intros [x y]; unfold lp, lq, beside_it; cbn [fst snd].
  - pose proof (known_between _ _ P1 x). pose proof (known_between _ _ P2 y). split; [apply Rmult_le_pos; lra|apply Rmult_le_compat; lra].
  - pose proof (known_between _ _ Q1 x). pose proof (known_between _ _ Q2 y). split; [apply Rmult_le_pos; lra|apply Rmult_le_compat; lra].
Qed.
Lemma known_sums : sum lp W * IZR U = IZR (held_by fst e1 e2) /\ sum lq W * IZR V = IZR (held_by snd e1 e2).
Proof.
  destruct units_pos as [U0 V0]. unfold W. rewrite !sum_prod. unfold held_by. rewrite !mult_IZR. split.
  - rewrite (sum_ext _ (fun a => known_at (fst e1) a * (IZR (total (fst (fst e2))) / IZR (snd (fst e2))))).
    + rewrite <- sum_const_mul, (known_all e1 O1 (fst e1)) by (now left). unfold U, units in *. rewrite mult_IZR in *.
      field. split; intros E; rewrite E in U0; lra.
    + intros x _. unfold lp, beside_it. cbn [fst snd]. now rewrite sum_scale, (known_all e2 O2 (fst e2)) by (now left).
  - rewrite (sum_ext _ (fun a => known_at (snd e1) a * (IZR (total (fst (snd e2))) / IZR (snd (snd e2))))).
    + rewrite <- sum_const_mul, (known_all e1 O1 (snd e1)) by (now right). unfold V, units in *. rewrite mult_IZR in *.
      field. split; intros E; rewrite E in V0; lra.
    + intros x _. unfold lq, beside_it. cbn [fst snd]. now rewrite sum_scale, (known_all e2 O2 (snd e2)) by (now right).
Qed.
Lemma gained_is zn zd : (0 <= zn)%Z -> (0 < zd)%Z ->
  IZR (gained (zd * V) (zn * U) e1 e2) = IZR zd * IZR U * IZR V * sum (excess lp lq (IZR zn / IZR zd)) W.
Proof.
  intros N D. destruct units_pos as [U0 V0]. unfold gained. destruct P1 as (A1 & A2 & _), P2 as (B1 & B2 & _), Q1 as (C1 & C2 & _), Q2 as (E1 & E2 & _).
  rewrite excess_of_both_ok; [|apply lt_IZR in V0; nia|apply lt_IZR in U0; nia|now apply atoms_natural|now apply atoms_natural].
  rewrite (over_keys e1 O1). unfold W. rewrite sum_prod, <- sum_scale. apply sum_ext. intros x _. rewrite (over_keys e2 O2), <- sum_scale.
  apply sum_ext. intros y _. unfold excess. apply IZR_lt in A1, B1, C1, E1, D. rewrite Rmax_scale by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
  f_equal. unfold lp, lq, beside_it, known_at. cbn [fst snd]. unfold U, V, units in *. rewrite !mult_IZR. field. repeat split; lra.
Qed.
Theorem kept_pair zn zd delta z : (0 <= zn)%Z -> (0 < zd)%Z -> IZR zn <= z * IZR zd ->
  kept_by_pair zn zd delta e1 e2 = true -> within (beside_it p1 p2) (beside_it q1 q2) z (Q2R delta).
Proof.
  intros N D L H l DL. unfold kept_by_pair in H. fold U V in H. cbv zeta in H. apply andb_prop in H as [_ H]. apply Z.leb_le, IZR_le in H.
  apply IZR_lt in D as D'. apply IZR_le in N as N'. set (z' := IZR zn / IZR zd). assert (Z1 : z' <= z).
  { apply Rmult_le_reg_r with (IZR zd); [exact D'|]. unfold z', Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. exact L. }
  assert (Z0 : 0 <= z') by (apply Rmult_le_pos; [exact N'|left; now apply Rinv_0_lt_compat]).
  assert (DW : NoDup W) by (apply nodup_prod; now apply keys_nodup). destruct lows_between as [LP LQ].
  pose proof (within_known same_pair (beside_it p1 p2) (beside_it q1 q2) lp lq W z' (beside_mass p1 p2 Z.eq_dec MP1 MP2)
    (beside_mass q1 q2 Z.eq_dec MQ1 MQ2) LP LQ DW Z0 l DL) as B.
  apply Rle_trans with (sum (excess (beside_it p1 p2) (beside_it q1 q2) z') l).
  { apply sum_le. intros o _. unfold excess. apply Rmax_mono. assert (0 <= beside_it q1 q2 o); [|nra].
    pose proof (LQ o). lra. }
  eapply Rle_trans; [exact B|]. destruct units_pos as [U0 V0]. destruct known_sums as [KP _].
  pose proof (gained_is zn zd N D) as G. fold z' in G. rewrite mult_IZR, plus_IZR, !mult_IZR, minus_IZR, G, <- KP in H.
  pose proof (den_pos delta) as DD. rewrite Q2R_frac. set (S := sum (excess lp lq z') W) in *. set (s := sum lp W) in *.
  set (K := IZR zd * IZR U * IZR V) in *. assert (K0 : 0 < K) by (unfold K; apply Rmult_lt_0_compat; [now apply Rmult_lt_0_compat|exact V0]).
  apply Rmult_le_reg_r with (IZR (QDen delta) * K); [now apply Rmult_lt_0_compat|].
  replace (IZR (Qnum delta) / IZR (QDen delta) * (IZR (QDen delta) * K)) with (IZR (Qnum delta) * K) by (field; lra).
  eapply Rle_trans; [|exact H]. right. unfold K. ring.
Qed.
Theorem broken_pair zn zd delta z a b : (0 <= zn)%Z -> (0 < zd)%Z -> 0 <= z -> z * IZR zd <= IZR zn ->
  broken_by_pair zn zd delta e1 e2 = true ->
  let E := best_known same_pair lp lq W (IZR zn / IZR zd) in
  SpecCount.total (fun o => if E o then beside_it p1 p2 o else 0) a -> SpecCount.total (fun o => if E o then beside_it q1 q2 o else 0) b ->
  Q2R delta < a - z * b.
Proof.
  intros N D Zz L H E TA TB. unfold broken_by_pair in H. fold U V in H. cbv zeta in H. apply andb_prop in H as [_ H]. apply Z.ltb_lt, IZR_lt in H.
  apply IZR_lt in D as D'. apply IZR_le in N as N'. set (z' := IZR zn / IZR zd) in *. assert (Z1 : z <= z').
  { apply Rmult_le_reg_r with (IZR zd); [exact D'|]. unfold z', Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. exact L. }
  assert (DW : NoDup W) by (apply nodup_prod; now apply keys_nodup). destruct lows_between as [LP LQ].
  assert (Z0 : 0 <= z') by lra.
  pose proof (reached_known same_pair (beside_it p1 p2) (beside_it q1 q2) lp lq W z' (beside_mass q1 q2 Z.eq_dec MQ1 MQ2)
    LP LQ DW Z0 a b TA TB) as B.
  assert (B0 : 0 <= b).
  { apply (total_above _ b [] TB). constructor. }
  apply Rlt_le_trans with (a - z' * b); [|nra]. eapply Rlt_le_trans; [|exact B].
  destruct units_pos as [U0 V0]. destruct known_sums as [_ KQ].
  pose proof (gained_is zn zd N D) as G. fold z' in G. rewrite !mult_IZR, minus_IZR, !mult_IZR, minus_IZR, G, <- KQ in H.
  pose proof (den_pos delta) as DD. rewrite Q2R_frac. set (S := sum (excess lp lq z') W) in *. set (s := sum lq W) in *.
  set (K := IZR zd * IZR U * IZR V) in *. assert (K0 : 0 < K) by (unfold K; apply Rmult_lt_0_compat; [now apply Rmult_lt_0_compat|exact V0]).
  apply Rmult_lt_reg_r with (IZR (QDen delta) * K); [now apply Rmult_lt_0_compat|].
  replace (IZR (Qnum delta) / IZR (QDen delta) * (IZR (QDen delta) * K)) with (IZR (Qnum delta) * K) by (field; lra).
  eapply Rlt_le_trans; [exact H|]. right. unfold K, z'. field. lra.
Qed.
End Both.
(* what two lows say of two laws; what is so of all laws that two such say it of *)
Definition told (e : ends_of) (p q : Z -> R) := below (fst e) p /\ below (snd e) q /\ is_mass p /\ is_mass q.
Definition promised (e1 e2 : ends_of) (z K : R) :=
  forall p1 q1 p2 q2, told e1 p1 q1 -> told e2 p2 q2 -> within (beside_it p1 p2) (beside_it q1 q2) z K.
Lemma one_column_told : told one_column (point 0) (point 0).
Proof. exact (conj known_0_below (conj known_0_below (conj (point_mass 0) (point_mass 0)))). Qed.
Lemma kept_promised zn zd delta z e1 e2 : (0 <= zn)%Z -> (0 < zd)%Z -> IZR zn <= z * IZR zd -> kept_by_pair zn zd delta e1 e2 = true ->
  promised e1 e2 z (Q2R delta).
Proof.
  intros N D L H p1 q1 p2 q2 (P1 & Q1 & MP1 & MQ1) (P2 & Q2 & MP2 & MQ2). pose proof H as O. unfold kept_by_pair in O. cbv zeta in O.
  apply andb_prop in O as [O _]. apply andb_prop in O as [O1 O2]. now apply (kept_pair e1 e2 p1 p2 q1 q2 P1 Q1 P2 Q2 MP1 MQ1 MP2 MQ2 O1 O2 zn zd).
Qed.
