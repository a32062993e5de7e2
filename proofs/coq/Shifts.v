(* The checker of numbers, and its theorem: the others shift what is seen, so of each pair only the difference matters. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require CheckAny.
From Shufflecert Require Import Spec SpecCount SpecColumns SpecNumbers Sums Poly Exp Check Noise Total Gain Window
  Grid GridSum Cover Powers Boxes Beside Numbers Made Below TwoColumns Columns.
Import ListNotations.
Notation sum := SpecCount.sum.
Local Open Scope Z_scope.

Record number_hint := { number_places : nat; number_fine : Z; by_each : low_hint; by_once : low_hint; number_bits : precision }.
Definition low_or_0 (h : number_hint) (l : option number_law) (by_ : low_hint) : low :=
  match l with Some l => low_of (number_places h) (number_fine h) l by_ | None => known_0 end.
(* the noise of n users *)
Definition noise_low (c : number) (h : number_hint) (n : Z) : low :=
  let base := low_or_0 h (once_added c) (by_once h) in
  match each_adds c, n with
  | Some l, Zpos n => let one := low_of (number_places h) (number_fine h) l (by_each h) in
      both_of (number_places h) (number_fine h) (often (number_places h) (number_fine h) one n) base
  | _, _ => base
  end.
(* what is seen of it, with x more *)
Definition seen_low (c : number) (x : Z) (a : low) : low :=
  match shown_mod c with
  | Some m => (natural_or_none (normal (map (fun o => ((fst o + x) mod m, snd o)) (fst a))), snd a)
  | None => (map (fun o => (fst o + x, snd o)) (fst a), snd a)
  end.
Definition law_or_not (l : option number_law) : bool := match l with Some l => law_stands l | None => true end.
Definition number_stands (c : number) (h : number_hint) (z : Z * Z) : bool :=
  law_or_not (each_adds c) && law_or_not (once_added c) && match shown_mod c with Some m => 0 <? m | None => true end &&
  units_stand (by_each h) && units_stand (by_once h) && (0 <=? number_fine h) && Check.good (number_eps c) &&
  fits (number_eps c) (number_bits h) && (0 <=? fst z) && (0 <=? Qnum (number_delta c)).
(* the laws of noise of all users, and of those who are left where one is not there *)
Definition noises (c : number) (h : number_hint) : low * low :=
  let n := Z.of_nat (number_users c) in let all := noise_low c h n in
  (all, if arrives c then noise_low c h (n - 1) else all).
Fixpoint shifts (n : nat) (test : Z -> bool) : bool := match n with O => true | S n => test (Z.of_nat n) && shifts n test end.
Definition check_number (c : number) (h : number_hint) : bool :=
  let z := from_below (number_eps c) (number_bits h) in
  number_stands c h z &&
  let '(all, fewer) := noises c h in let still := seen_low c 0 fewer in
  let keeps j := let moved := seen_low c j all in
    kept_by_pair (fst z) (snd z) (number_delta c) (moved, still) one_column &&
    kept_by_pair (fst z) (snd z) (number_delta c) (still, moved) one_column in
  if arrives c then shifts (S (Z.to_nat (largest c))) keeps
  else shifts (Z.to_nat (largest c)) (fun j => keeps (j + 1)).
Definition holds (c : number) (x : option Z) : bool :=
  match x with Some k => (0 <=? k) && (k <=? largest c) | None => arrives c end.
Definition differs (c : number) (x y : option Z) : bool :=
  match x, y with Some j, Some k => negb (arrives c) && negb (j =? k) | None, None => false | _, _ => arrives c end.
Definition end_of (c : number) (both : low * low) (x : option Z) : low :=
  match x with Some k => seen_low c k (fst both) | None => seen_low c 0 (snd both) end.
Definition check_number_false (c : number) (h : number_hint) (x y : option Z) : bool :=
  let z := from_above (number_eps c) (number_bits h) in
  number_stands c h z && (1 <=? Z.of_nat (number_users c)) && (0 <=? largest c) && holds c x && holds c y && differs c x y &&
  let both := noises c h in
  broken_by_pair (fst z) (snd z) (number_delta c) (end_of c both x, end_of c both y) one_column.
(* What shows that neither will pass, with any hints: a pair that breaks the claim, one that does not. *)
Definition number_exceeded (c : number) (h : number_hint) : bool :=
  let z := from_above (number_eps c) (number_bits h) in
  let '(all, fewer) := noises c h in let still := seen_low c 0 fewer in
  let keeps j := let moved := seen_low c j all in
    negb (broken_by_pair (fst z) (snd z) (number_delta c) (moved, still) one_column ||
      broken_by_pair (fst z) (snd z) (number_delta c) (still, moved) one_column) in
  negb (if arrives c then shifts (S (Z.to_nat (largest c))) keeps else shifts (Z.to_nat (largest c)) (fun j => keeps (j + 1))).
Definition number_not_exceeded (c : number) (h : number_hint) (x y : option Z) : bool :=
  let z := from_below (number_eps c) (number_bits h) in let both := noises c h in
  kept_by_pair (fst z) (snd z) (number_delta c) (end_of c both x, end_of c both y) one_column.

Local Open Scope R_scope.
Lemma shifts_ok test n : shifts n test = true -> forall j, (0 <= j < Z.of_nat n)%Z -> test j = true.
Proof.
  induction n as [|n IH]; intros H j J; [lia|]. cbn [shifts] in H. apply andb_prop in H as [T H].
  destruct (Z.eq_dec j (Z.of_nat n)) as [->|]; [exact T|]. apply IH; [exact H|lia].
Qed.
Lemma shifted_mass (m : Z -> R) i : is_mass m -> is_mass (fun k => m (k - i)%Z).
Proof. intros [N T]. split; [intros; apply N|]. exact (total_shift m (- i) 1 T). Qed.
Section Number.
Variables (c : number) (h : number_hint) (z : Z * Z) (ST : number_stands c h z = true).
Let e := value (number_eps c).
Lemma number_parts : number_said c /\ units_stand (by_each h) = true /\ units_stand (by_once h) = true /\ (0 <= number_fine h)%Z /\
  Check.good (number_eps c) = true /\ fits (number_eps c) (number_bits h) = true /\ (0 <= fst z)%Z /\ (0 <= Qnum (number_delta c))%Z.
Proof.
  pose proof ST as H. unfold number_stands in H. do 9 (apply andb_prop in H as [H ?]).
  repeat match goal with H : (_ <=? _)%Z = true |- _ => apply Z.leb_le in H end. repeat split; auto.
  - intros l [E|E]; rewrite E in *; cbn [law_or_not] in *; now apply law_stands_ok.
  - destruct (shown_mod c); [now apply Z.ltb_lt|exact I].
Qed.
Lemma e_at_least_1 : 1 <= e.
Proof. apply CheckAny.value_1. apply number_parts. Qed.
Lemma drawn_mass l by_ : (l = each_adds c \/ l = once_added c) -> units_stand by_ = true -> is_mass (drawn l) /\ below (low_or_0 h l by_) (drawn l).
Proof.
  intros L U. destruct number_parts as ([S _] & _ & _ & F0 & _). destruct l as [l|]; cbn [drawn low_or_0].
  - assert (N : is_number_law l) by (apply S; destruct L; auto). split; [now apply law_mass|now apply low_of_below].
  - split; [apply point_mass|apply known_0_below].
Qed.
Lemma noise_is n : noise_of c n = times_over n (plus_draw (drawn (each_adds c))) (drawn (once_added c)).
Proof. unfold noise_of. induction n as [|n IH]; [reflexivity|]. cbn [repeat fold_right times_over]. now rewrite IH. Qed.
Lemma noise_mass n : is_mass (noise_of c n).
Proof.
  rewrite noise_is. destruct number_parts as (_ & E & O & _). destruct (drawn_mass (each_adds c) _ (or_introl eq_refl) E) as [M _].
  destruct (drawn_mass (once_added c) _ (or_intror eq_refl) O) as [B _]. induction n as [|n IH]; [exact B|]. cbn [times_over]. now apply plus_mass.
Qed.
Lemma noise_below n : below (noise_low c h (Z.of_nat n)) (noise_of c n).
Proof.
  destruct number_parts as (_ & E & O & F0 & _). pose proof (drawn_mass (each_adds c) _ (or_introl eq_refl) E) as [M L].
  destruct (drawn_mass (once_added c) _ (or_intror eq_refl) O) as [B K]. unfold noise_low. cbv zeta.
  assert (Z0 : each_adds c = None -> below (low_or_0 h (once_added c) (by_once h)) (noise_of c n)).
  { intros N. rewrite noise_is, N. clear L M. cbn [drawn]. destruct K as (U & S & K). split; [exact U|]. split; [exact S|]. intros k.
    assert (X : forall n, times_over n (plus_draw (point 0)) (drawn (once_added c)) k = drawn (once_added c) k); [|rewrite X; apply K].
    intros i. assert (G : is_mass (times_over i (plus_draw (point 0)) (drawn (once_added c))) /\
      forall k, times_over i (plus_draw (point 0)) (drawn (once_added c)) k = drawn (once_added c) k).
    { induction i as [|i [G1 G2]]; [now split|]. cbn [times_over]. split; [apply plus_mass; [apply point_mass|exact G1]|].
      intros j. rewrite plus_0 by exact G1. apply G2. } apply G. }
  destruct (each_adds c) as [l|] eqn:EA; [|now apply Z0]. clear Z0. destruct n as [|n]; [exact K|].
  change (Z.of_nat (S n)) with (Z.pos (Pos.of_succ_nat n)). rewrite noise_is, EA. cbn [drawn low_or_0] in *.
  replace (S n) with (Pos.to_nat (Pos.of_succ_nat n)) by apply SuccNat2Pos.id_succ.
  apply (acts_below (number_places h) (number_fine h) _ (times_over (Pos.to_nat (Pos.of_succ_nat n)) (plus_draw (mass l)))); auto.
  apply acts_often; [exact F0|]. now apply acts_draw.
Qed.
(* what is seen of a law with x more *)
Definition seen_of (m : Z -> R) (x : Z) : Z -> R := made_by (shown_as c) (fun k => m (k - x)%Z).
Lemma seen_mass m x : is_mass m -> is_mass (seen_of m x).
Proof. intros M. apply made_mass; [exact Z.eq_dec|now apply shifted_mass]. Qed.
Lemma moved_eval x (p : poly) k : eval (at_place k) (map (fun o => ((fst o + x)%Z, snd o)) p) = eval (at_place (k - x)) p.
Proof.
  induction p as [|[i w] p IH]; [reflexivity|]. cbn [map eval fst snd]. rewrite IH. unfold at_place.
  destruct (Z.eqb_spec (i + x) k), (Z.eqb_spec i (k - x)); try lia; reflexivity.
Qed.
Lemma seen_below a m x : is_mass m -> below a m -> below (seen_low c x a) (seen_of m x).
Proof.
  intros M (U & S & H). pose proof (seen_mass m x M) as [S0 _].
  assert (K : forall k, eval (at_place k) (map (fun o => (shown_as c (fst o), snd o)) (map (fun o => ((fst o + x)%Z, snd o)) (fst a))) <=
    IZR (snd a) * seen_of m x k).
  { apply made_below; [now apply shifted_mass|lia|]. intros k. fold (at_place k). rewrite moved_eval. apply H. }
  unfold seen_low, shown_as in *. destruct (shown_mod c) as [m0|]; split; try exact U; split.
  - apply none_sure.
  - apply none_under; [exact S0|exact U|]. intros k. cbn [fst snd]. rewrite eval_normal. specialize (K k). rewrite map_map in K. exact K.
  - cbn [fst]. clear - S. unfold sure in *. rewrite forallb_forall in *. intros o I. apply in_map_iff in I as (o' & <- & I). exact (S o' I).
  - intros k. cbn [fst snd]. specialize (K k). rewrite map_map in K. exact K.
Qed.
(* an event of what is seen is one of what is seen without the others *)
Lemma Pr_seen xs s x (E F : Z -> bool) : (fold_right Z.add 0 xs = s + x)%Z -> (forall k, E (shown_as c (s + k)) = F (shown_as c k)) ->
  SpecCount.total (fun k => if F k then seen_of (noise_of c (length xs)) x k else 0) (Pr_number c xs E).
Proof.
  intros X EF. pose proof (noise_mass (length xs)) as M. set (m := noise_of c (length xs)) in *.
  assert (T : SpecCount.total (fun k => if E (shown_as c (s + x + k)) then m k else 0) (Pr_number c xs E)).
  { unfold Pr_number. fold m. rewrite X. apply series_total. intros l D. now apply (part_sum m M (fun k => E (shown_as c (s + x + k)%Z))). }
  apply (total_shift _ (- x)) in T. apply made_event; [exact Z.eq_dec|now apply shifted_mass|].
  eapply total_ext; [|exact T]. intros k. cbv beta. replace (s + x + (k + - x))%Z with (s + k)%Z by lia. replace (k + - x)%Z with (k - x)%Z by lia.
  now rewrite EF.
Qed.
Lemma shown_twice s k : shown_as c (s + shown_as c k) = shown_as c (s + k).
Proof.
  destruct number_parts as ([_ S0] & _). unfold shown_as. destruct (shown_mod c) as [n|]; [|reflexivity].
  rewrite Z.add_mod_idemp_r by lia. reflexivity.
Qed.
Lemma kept_numbers a b p q zn zd : below a p -> below b q -> is_mass p -> is_mass q -> (0 <= zn)%Z -> (0 < zd)%Z -> IZR zn <= e * IZR zd ->
  kept_by_pair zn zd (number_delta c) (a, b) one_column = true -> within p q e (Q2R (number_delta c)).
Proof.
  intros A B P Q N D L H. apply alone. pose proof H as O. unfold kept_by_pair in O. cbv zeta in O. apply andb_prop in O as [O _]. apply andb_prop in O as [O1 O2].
  exact (kept_pair (a, b) one_column _ _ _ _ A B known_0_below known_0_below P Q (point_mass 0) (point_mass 0) O1 O2 zn zd _ e N D L H).
Qed.
Lemma add_all_app l r : (fold_right Z.add 0 (l ++ r) = fold_right Z.add 0 l + fold_right Z.add 0 r)%Z.
Proof. induction l as [|a l IH]; [reflexivity|]. cbn [app fold_right]. rewrite IH. lia. Qed.
(* from x to y, that are a + i and a + j *)
Lemma gap_by l r x y a i j E : (fold_right Z.add 0 (holding x) = a + i)%Z -> (fold_right Z.add 0 (holding y) = a + j)%Z ->
  within (seen_of (noise_of c (length (l ++ holding x ++ r))) i) (seen_of (noise_of c (length (l ++ holding y ++ r))) j) e (Q2R (number_delta c)) ->
  number_gap c l r x y E <= Q2R (number_delta c).
Proof.
  intros X Y W. set (s := (fold_right Z.add 0 (l ++ r) + a)%Z).
  set (F := fun k => E (shown_as c (s + k)%Z)). assert (EF : forall k, E (shown_as c (s + k)%Z) = F (shown_as c k)).
  { intros k. unfold F. now rewrite shown_twice. }
  pose proof (Pr_seen (l ++ holding x ++ r) s i E F) as PX. pose proof (Pr_seen (l ++ holding y ++ r) s j E F) as PY.
  rewrite !add_all_app in PX, PY. assert (SE : s = (fold_right Z.add 0 l + fold_right Z.add 0 r + a)%Z) by (unfold s; now rewrite add_all_app).
  specialize (PX ltac:(lia) EF). specialize (PY ltac:(lia) EF).
  pose proof e_at_least_1 as E1. unfold number_gap. fold e.
  eapply (at_most_of_sums _ _ e); [lra| |exact W|exact PX|exact PY]. intros k. apply seen_mass, noise_mass.
Qed.
End Number.
Theorem check_number_sound c h : check_number c h = true -> number_true c.
Proof.
  unfold check_number. intros H. set (z := from_below _ _) in *. apply andb_prop in H as [ST H]. unfold noises in H.
  destruct (number_parts c h z ST) as (SA & _ & _ & _ & G & F & N0 & _). split; [exact SA|].
  pose proof (from_below_ok _ _ G F) as [D0 ZB]. apply lt_IZR in D0. fold z in D0, ZB.
  intros l r x y E [L _] (HX & HY & NE & AR). set (n := number_users c) in *. set (all := noise_low c h (Z.of_nat n)) in *.
  set (fewer := if arrives c then noise_low c h (Z.of_nat n - 1) else all) in *.
  assert (KA : below all (noise_of c n)) by (apply (noise_below c h z ST)). pose proof (noise_mass c h z ST n) as MA.
  assert (BP : forall a b p q, below a p -> below b q -> is_mass p -> is_mass q ->
    kept_by_pair (fst z) (snd z) (number_delta c) (a, b) one_column = true -> within p q (value (number_eps c)) (Q2R (number_delta c))).
  { intros. apply (kept_numbers c a b p q (fst z) (snd z)); auto. }
  assert (SB : forall a m x, is_mass m -> below a m -> below (seen_low c x a) (seen_of c m x)) by (intros; now apply seen_below).
  assert (SM : forall m x, is_mass m -> is_mass (seen_of c m x)) by (intros; now apply seen_mass).
  destruct (arrives c) eqn:AC.
  - assert (KF : below fewer (noise_of c (length (l ++ r)))).
    { unfold fewer. replace (Z.of_nat n - 1)%Z with (Z.of_nat (length (l ++ r))) by (unfold n; lia). apply (noise_below c h z ST). }
    pose proof (noise_mass c h z ST (length (l ++ r))) as MF.
    assert (LN : forall k, length (l ++ holding (Some k) ++ r) = n) by (intros; cbn [holding app]; rewrite app_length in *; cbn [length]; lia).
    destruct (AR eq_refl) as [-> | ->].
    + destruct y as [k|]; [|congruence]. cbn [may_hold] in HY. pose proof (shifts_ok _ _ H k ltac:(lia)) as K. apply andb_prop in K as [_ K].
      apply (gap_by c h z ST l r None (Some k) 0 0 k); [reflexivity|cbn; lia|]. rewrite LN. change (length (l ++ holding None ++ r)) with (length (l ++ r)). eapply BP; eauto.
    + destruct x as [k|]; [|congruence]. cbn [may_hold] in HX. pose proof (shifts_ok _ _ H k ltac:(lia)) as K. apply andb_prop in K as [K _].
      apply (gap_by c h z ST l r (Some k) None 0 k 0); [cbn; lia|reflexivity|]. rewrite LN. change (length (l ++ holding None ++ r)) with (length (l ++ r)). eapply BP; eauto.
  - destruct x as [i|]; [|cbn in HX; congruence]. destruct y as [j|]; [|cbn in HY; congruence]. cbn [may_hold] in HX, HY.
    assert (LN : forall k, length (l ++ holding (Some k) ++ r) = n) by (intros; cbn [holding app]; rewrite app_length in *; cbn [length]; lia).
    assert (IJ : i <> j) by congruence. destruct (Z_lt_le_dec i j) as [Lt|Ge].
    + pose proof (shifts_ok _ _ H (j - i - 1)%Z ltac:(lia)) as K. cbv beta in K. apply andb_prop in K as [_ K]. replace (j - i - 1 + 1)%Z with (j - i)%Z in K by lia.
      apply (gap_by c h z ST l r (Some i) (Some j) i 0 (j - i)); [cbn; lia|cbn; lia|]. rewrite !LN. eapply BP; eauto.
    + pose proof (shifts_ok _ _ H (i - j - 1)%Z ltac:(lia)) as K. cbv beta in K. apply andb_prop in K as [K _]. replace (i - j - 1 + 1)%Z with (i - j)%Z in K by lia.
      apply (gap_by c h z ST l r (Some i) (Some j) j (i - j) 0); [cbn; lia|cbn; lia|]. rewrite !LN. eapply BP; eauto.
Qed.
Theorem check_number_false_sound c h x y : check_number_false c h x y = true -> number_false c.
Proof.
  unfold check_number_false. intros H. set (z := from_above _ _) in *. do 6 (apply andb_prop in H as [H ?]).
  rename H into ST. rename H0 into BR, H1 into DF, H2 into HY, H3 into HX, H4 into L0, H5 into U1. apply Z.leb_le in L0, U1.
  destruct (number_parts c h z ST) as (SA & _ & _ & _ & G & F & N0 & _). split; [exact SA|].
  pose proof (from_above_ok _ _ G F) as [D0 ZB]. apply lt_IZR in D0. fold z in D0, ZB.
  set (l := repeat 0%Z (number_users c - 1)). exists l, [], x, y. unfold noises in BR. set (n := number_users c) in *.
  assert (HO : forall x, holds c x = true -> may_hold c x).
  { intros [k|] K; cbn [holds may_hold] in *; [|exact K]. apply andb_prop in K as [K1 K2]. apply Z.leb_le in K1, K2. lia. }
  assert (EN : forall x, holds c x = true -> below (end_of c (noise_low c h (Z.of_nat n), if arrives c then noise_low c h (Z.of_nat n - 1) else noise_low c h (Z.of_nat n)) x)
      (seen_of c (noise_of c (length (l ++ holding x ++ []))) (fold_right Z.add 0%Z (holding x))) /\
    is_mass (seen_of c (noise_of c (length (l ++ holding x ++ []))) (fold_right Z.add 0%Z (holding x)))).
  { intros w K. assert (LL : length l = (n - 1)%nat) by (unfold l; now rewrite repeat_length).
    split; [|apply seen_mass, (noise_mass c h z ST)]. destruct w as [k|]; cbn [end_of holding app fold_right fst snd holds] in *.
    - rewrite Z.add_0_r. replace (length (l ++ [k])) with n by (rewrite app_length; cbn [length]; lia).
      apply seen_below; [apply (noise_mass c h z ST)|apply (noise_below c h z ST)].
    - rewrite K. rewrite app_nil_r, LL. replace (Z.of_nat n - 1)%Z with (Z.of_nat (n - 1)) by lia.
      apply seen_below; [apply (noise_mass c h z ST)|apply (noise_below c h z ST)]. }
  destruct (EN x HX) as [A MA]. destruct (EN y HY) as [B MB]. set (p := seen_of c _ _) in MA, A. set (q := seen_of c _ _) in MB, B.
  pose proof BR as O. unfold broken_by_pair in O. cbv zeta in O. apply andb_prop in O as [O _]. apply andb_prop in O as [O1 O2].
  pose proof (e_at_least_1 c h z ST) as E1. set (e := value (number_eps c)) in *.
  match type of BR with broken_by_pair _ _ _ ?ends _ = _ => pose proof (fun a b => broken_pair ends one_column p (point 0) q (point 0) A B known_0_below known_0_below MB (point_mass 0) O1 O2
    (fst z) (snd z) (number_delta c) e a b N0 D0 ltac:(lra) ZB BR) as K end. cbv zeta in K.
  match type of K with forall a b, SpecCount.total (fun o => if ?E o then _ else 0) a -> _ => set (X := E) in K end.
  assert (Z0 : fold_right Z.add 0%Z l = 0%Z) by (unfold l; clear; induction (n - 1)%nat as [|i IH]; [reflexivity|exact IH]).
  exists (fun k => X (k, 0%Z)). repeat split.
  - rewrite app_nil_r. unfold l. rewrite repeat_length. unfold n in *. lia.
  - rewrite app_nil_r in H. unfold l in H. apply repeat_spec in H. lia.
  - rewrite app_nil_r in H. unfold l in H. apply repeat_spec in H. lia.
  - now apply HO.
  - now apply HO.
  - intros ->. unfold differs in DF. destruct y as [k|]; [|discriminate]. rewrite Z.eqb_refl in DF. cbn in DF. now rewrite andb_false_r in DF.
  - intros AC. unfold differs in DF. destruct x as [i|], y as [k|]; auto. rewrite AC in DF. discriminate.
  - unfold number_gap. fold e. apply K; apply beside_point; auto.
    + apply (Pr_seen c h z ST (l ++ holding x ++ []) 0); [|reflexivity]. rewrite !add_all_app, Z0. cbn. lia.
    + apply (Pr_seen c h z ST (l ++ holding y ++ []) 0); [|reflexivity]. rewrite !add_all_app, Z0. cbn. lia.
Qed.
