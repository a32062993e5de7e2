(* The checker of version 1, shuffled view, and what it guarantees. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec Poly Key Law Exp Every.
Import ListNotations.
Local Open Scope Z_scope.

Definition good (e : exponent) : bool := match e with Of q => 0 <=? Qnum q | Log z => QDen z <=? Qnum z end.
(* a / b <= e^eps, and at least it *)
Record precision := { halvings : nat; terms : nat; bits : Z }.
Definition from_below (e : exponent) (p : precision) : Z * Z := match e with
  | Of q => if Qnum q =? 0 then (1, 1)
            else (exp_down (Qnum q) (QDen q) (halvings p) (terms p) (bits p), 2 ^ bits p)
  | Log z => (Qnum z, QDen z) end.
Definition from_above (e : exponent) (p : precision) : Z * Z := match e with
  | Of q => if Qnum q =? 0 then (1, 1)
            else (exp_up (Qnum q) (QDen q) (halvings p) (terms p) (bits p), 2 ^ bits p)
  | Log z => (Qnum z, QDen z) end.
Definition fits (e : exponent) (p : precision) : bool :=
  (0 <=? bits p) && match e with Of q => Qnum q <=? QDen q * 2 ^ Z.of_nat (halvings p) | _ => true end.

Definition row_by (phi : list msg -> Z) D (r : row) : poly :=
  map (fun o => (phi (fst o), Qnum (snd o) * (D / QDen (snd o)))) r.
Definition row_poly w D (r : row) : poly := row_by (key w) D r.
Definition row_fits D (r : row) : bool := (0 <? D) &&
  forallb (fun o => (D mod QDen (snd o) =? 0) && (0 <? Qnum (snd o))) r.
Definition longest (K : randomizer) : Z :=
  fold_right (fun r m => fold_right (fun o m => Z.max (Z.of_nat (length (fst o))) m) m r) 0 K.

Definition row_at (F : list poly) x := nth x F [].

Definition tell (F : list poly) (worth : poly -> poly -> bool) (acc : poly) : bool :=
  let views := map (fun f => mul f acc) F in
  forallb (fun i => forallb (fun j => Nat.eqb i j || worth (row_at views i) (row_at views j)) (seq 0 (length F)))
    (seq 0 (length F)).

(* f is a monomial times g *)
Definition first_key (f : poly) := match f with [] => 0 | kw :: _ => fst kw end.
Fixpoint same_at s (f g : poly) : bool := match f, g with
  | [], [] => true | (k, w) :: f, (l, v) :: g => (s + k =? l) && (w =? v) && same_at s f g | _, _ => false end.
Definition same_shape (f g : poly) := same_at (first_key g - first_key f) f g.
(* its terms ascending, each key once *)
Definition normal (f : poly) := plus_all 64 (map (fun kw => [kw]) f).
Definition rep (N : list poly) (y : nat) : nat :=
  match find (fun x => same_shape (row_at N x) (row_at N y)) (seq 0 y) with Some x => x | None => y end.

Definition setting (c : claim) w D : bool :=
  forallb (row_fits D) (rows c) && good (eps c) && (0 <=? w) && (Z.of_nat (users c) * longest (rows c) <? 2 ^ w) &&
  (0 <=? Qnum (delta c)).

Definition worth (c : claim) D (z : Z * Z) (p q : poly) : bool :=
  stick (snd z) (fst z) p q 0 * QDen (delta c) <=? Qnum (delta c) * D ^ Z.of_nat (users c) * snd z.

Definition check_proved (c : claim) w D (prec : precision) : bool :=
  let F := map (row_poly w D) (rows c) in let N := map normal F in let z := from_below (eps c) prec in
  setting c w D && fits (eps c) prec &&
  match users c with
  | O => true
  | S n => every (fun i acc => mul (row_at N i) acc) (tell N (worth c D z))
             (nodup Nat.eq_dec (map (rep N) (seq 0 (length F)))) n [(0, 1)]
  end.

(* the event: the keys that `held` lists *)
Definition pair_product F (xs : list nat) := fold_left (fun acc x => mul (row_at F x) acc) xs [(0, 1)].
Definition check_reaches (c : claim) w D prec (a b : nat) (others : list nat) (E : Z -> bool) : bool :=
  let F := map (row_poly w D) (rows c) in let z := from_above (eps c) prec in
  let acc := pair_product F others in
  let P := weight_in E (mul (row_at F a) acc) in let Q := weight_in E (mul (row_at F b) acc) in
  let l := (snd z * P - fst z * Q) * QDen (delta c) in let r := Qnum (delta c) * D ^ Z.of_nat (users c) * snd z in
  forallb (row_fits D) (rows c) && good (eps c) && fits (eps c) prec && Nat.eqb (S (length others)) (users c) &&
  forallb (fun x => Nat.ltb x (length F)) (a :: b :: others) && negb (Nat.eqb a b) && (r <? l).

Local Open Scope R_scope.

(* ---- the exponent ---- *)
Lemma Q2R_frac q : Q2R q = IZR (Qnum q) / IZR (QDen q).
Proof. reflexivity. Qed.
Lemma den_pos q : 0 < IZR (QDen q). Proof. apply IZR_lt. reflexivity. Qed.
Lemma from_below_ok e p : good e = true -> fits e p = true -> let z := from_below e p in 0 < IZR (snd z) /\ IZR (fst
  z) <= value e * IZR (snd z).
Proof.
  unfold fits. intros G H. apply andb_prop in H as [B _]. apply Z.leb_le in B. destruct e as [q|q]; simpl in *.
  - apply Z.leb_le in G. destruct (Z.eqb_spec (Qnum q) 0) as [N|N]; cbn [fst snd].
    { rewrite Q2R_frac, N. unfold Rdiv. rewrite Rmult_0_l, exp_0. lra. }
    split; [apply IZR_lt; lia|]. rewrite Q2R_frac. apply exp_down_ok; auto; reflexivity.
  - split; [apply den_pos|]. rewrite Q2R_frac. right. field. pose proof (den_pos q). lra.
Qed.
Lemma from_above_ok e p : good e = true -> fits e p = true -> let z := from_above e p in 0 < IZR (snd z) /\ value e *
  IZR (snd z) <= IZR (fst z).
Proof.
  unfold fits. intros G H. apply andb_prop in H as [B F]. apply Z.leb_le in B. destruct e as [q|q]; simpl in *.
  - apply Z.leb_le in G, F. destruct (Z.eqb_spec (Qnum q) 0) as [N|N]; cbn [fst snd].
    { rewrite Q2R_frac, N. unfold Rdiv. rewrite Rmult_0_l, exp_0. lra. }
    split; [apply IZR_lt; lia|]. rewrite Q2R_frac. apply exp_up_ok; auto; reflexivity.
  - split; [apply den_pos|]. rewrite Q2R_frac. right. field. pose proof (den_pos q). lra.
Qed.

(* ---- rows as polynomials ---- *)
Lemma row_by_ok phi D r : row_fits D r = true -> poly_of phi D r (row_by phi D r).
Proof.
  unfold row_fits, row_by, poly_of. intros H. apply andb_prop in H as [_ H].
  induction r as [|[s p] r IH]; simpl in *; constructor.
  - simpl. split; auto. apply andb_prop in H as [H _]. apply andb_prop in H as [H _]. apply Z.eqb_eq in H.
    pose proof (Z.div_mod D (QDen p) ltac:(lia)). nia.
  - apply IH. apply andb_prop in H as [_ H]. exact H.
Qed.
Lemma rows_ok phi D K : forallb (row_fits D) K = true -> polys_of phi D K (map (row_by phi D) K).
Proof.
  intros H. unfold polys_of. induction K as [|r K IH]; simpl in *; constructor.
  - apply row_by_ok. now apply andb_prop in H.
  - apply IH. now apply andb_prop in H.
Qed.
Lemma eval_normal g f : eval g (normal f) = eval g f.
Proof.
  unfold normal. rewrite eval_plus_all. induction f as [|[k w] f IH]; [reflexivity|].
  unfold evals in *. cbn [map fold_right]. rewrite IH. cbn [eval]. ring.
Qed.
Lemma eval_product_ext (fs gs : list poly) : Forall2 (fun f g => forall h, eval h f = eval h g) fs gs ->
  forall h p, eval h (product fs p) = eval h (product gs p).
Proof.
  induction 1 as [|f g fs gs Hf H IH]; intros h p; simpl; [reflexivity|]. rewrite !eval_mul, Hf.
  apply eval_ext. intros. apply IH.
Qed.
Lemma product_app fs gs p : product (fs ++ gs) p = product fs (product gs p).
Proof. unfold product. now rewrite fold_right_app. Qed.
Lemma product_snoc g fs f p : eval g (product fs (mul f p)) = eval g (mul f (product fs p)).
Proof.
  change (mul f p) with (product [f] p). rewrite <- product_app.
  change (mul f (product fs p)) with (product (f :: fs) p). apply product_perm. symmetry.
    apply Permutation_cons_append.
Qed.

(* ---- enumeration ---- *)
Lemma each_ok F pass is n : NoDup is -> every (fun i acc => mul (row_at F i) acc) pass is n [(0, 1)%Z] = true ->
  forall ys, length ys = n -> (forall y, In y ys -> In y is) ->
  exists acc', pass acc' = true /\ forall g, eval g acc' = eval g (product (map (row_at F) ys) [(0, 1)%Z]).
Proof.
  intros ND H ys L I.
  set (step := fun i acc => mul (row_at F i) acc) in *.
  set (holds := fun ys acc => forall g, eval g acc = eval g (product (map (row_at F) ys) [(0, 1)%Z])).
  assert (HP : forall us zs acc, Permutation us zs -> holds us acc -> holds zs acc).
  { intros us zs acc P A g. rewrite A. now apply product_perm, Permutation_map. }
  assert (HS : forall i us acc, In i is -> holds us acc -> holds (i :: us) (step i acc)).
  { intros i us acc _ A g. cbn [map product fold_right]. unfold step. rewrite !eval_mul. apply eval_ext. intros d.
    apply A. }
  destruct (every_ok step pass holds HP is ND HS n [] _ H (fun g => eq_refl) ys L I) as (acc & T & A).
  exists acc. split; [exact T|]. intros g. rewrite A, app_nil_r. reflexivity.
Qed.
Lemma same_at_ok s f g : same_at s f g = true -> forall h, eval h g = eval (fun k => h (s + k)%Z) f.
Proof.
  revert g. induction f as [|[k w] f IH]; intros [|[l v] g] H h; simpl in *; try discriminate; [reflexivity|].
  apply andb_prop in H as [H H1]. apply andb_prop in H as [H2 H3]. apply Z.eqb_eq in H2, H3. subst.
  now rewrite (IH g H1 h).
Qed.
Lemma rep_ok N y : exists s, forall h, eval h (row_at N y) = eval (fun k => h (s + k)%Z) (row_at N (rep N y)).
Proof.
  unfold rep. match goal with |- context [find ?f ?l] => destruct (find f l) as [x|] eqn:F end.
  - apply find_some in F as [_ F]. exists (first_key (row_at N y) - first_key (row_at N x))%Z. intros h.
    apply same_at_ok. exact F.
  - exists 0%Z. intros h. reflexivity.
Qed.
Lemma reps_ok N ys p : exists s, forall h, eval h (product (map (row_at N) ys) p) =
  eval (fun k => h (s + k)%Z) (product (map (row_at N) (map (rep N) ys)) p).
Proof.
  induction ys as [|y ys [s IH]]; [exists 0%Z; reflexivity|]. destruct (rep_ok N y) as [t T].
  exists (t + s)%Z. intros h. cbn [map product fold_right]. rewrite !eval_mul, T. apply eval_ext. intros d.
  unfold product in IH. rewrite IH. apply eval_ext. intros k. f_equal. lia.
Qed.
Lemma rep_in N y n : (y < n)%nat -> In (rep N y) (nodup Nat.eq_dec (map (rep N) (seq 0 n))).
Proof. intros H. apply nodup_In, in_map, in_seq. lia. Qed.

Lemma value_1 e : good e = true -> 1 <= value e.
Proof.
  destruct e as [q|q]; cbn [good value]; intros G; apply Z.leb_le in G; apply IZR_le in G; rewrite Q2R_frac;
    pose proof (den_pos q) as D.
  - assert (0 <= IZR (Qnum q) / IZR (QDen q)) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
    pose proof (exp_ineq1_le (IZR (Qnum q) / IZR (QDen q))). lra.
  - apply Rmult_le_reg_r with (IZR (QDen q)); [exact D|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(* ---- outcomes are short ---- *)
Lemma longest_ok K x s p : In (s, p) (nth x K []) -> (Z.of_nat (length s) <= longest K)%Z.
Proof.
  assert (A : forall r m, (m <= fold_right (fun o m => Z.max (Z.of_nat (length (@fst (list msg) Q o))) m) m r)%Z).
  { induction r; simpl; intros; [lia|]. specialize (IHr m). lia. }
  revert x. induction K as [|r K IH]; intros [|x]; simpl; try tauto.
  - intros I. set (m := longest K). clearbody m. fold (longest K). clear IH.
    induction r as [|[t q] r IHr]; simpl in *; [tauto|]. destruct I as [[= -> ->]|I]; [lia|]. specialize (IHr I). lia.
  - intros I. eapply Z.le_trans; [exact (IH _ I)|apply A].
Qed.
Lemma sent_short K xs t p : In (t, p) (sent K xs) -> (Z.of_nat (length (concat t)) <= Z.of_nat (length xs) * longest
  K)%Z.
Proof.
  revert t p. induction xs as [|x xs IH]; intros t p.
  - simpl. intros [[= <- <-]|[]]. simpl. lia.
  - cbn [sent]. intros I. apply in_flat_map in I as [[s q] [I J]]. apply in_map_iff in J as [[u r] [[= <- <-] J]].
    apply IH in J. apply longest_ok in I. cbn [concat fst snd length] in *. rewrite app_length. lia.
Qed.

(* ---- a pair of neighbours, in keys ---- *)
Lemma sent_keys w D K n xs g : forallb (row_fits D) K = true -> dataset K n xs ->
  eval g (product (map (row_at (map (row_poly w D) K)) xs) [(0, 1)%Z]) =
  IZR (D ^ Z.of_nat n) * mean (fun t => g (key w (concat t))) (sent K xs).
Proof.
  intros H [<- L]. apply (sent_product (key w)); [reflexivity|apply key_app|now apply rows_ok|exact L].
Qed.
Lemma event_keys w K n xs ys E : (0 <= w)%Z -> (Z.of_nat n * longest K < 2 ^ w)%Z -> event Shuffled E ->
  length xs = n -> length ys = n -> exists G : Z -> bool,
  Pr E (sent K xs) = mean (fun t => indicator G (key w (concat t))) (sent K xs) /\
  Pr E (sent K ys) = mean (fun t => indicator G (key w (concat t))) (sent K ys).
Proof.
  intros Hw HL HE Lx Ly. exists (as_keys w E (sent K xs ++ sent K ys)). rewrite !Pr_mean.
  assert (B : bounded w (sent K xs ++ sent K ys)).
  { intros t p I. apply in_app_iff in I as [I|I]; apply sent_short in I; rewrite ?Lx, ?Ly in I; lia. }
  split; apply mean_ext; intros t p I; unfold indicator; erewrite as_keys_ok; eauto; apply in_or_app; eauto.
Qed.
Lemma sent_nonneg K xs D t p : forallb (row_fits D) K = true -> In (t, p) (sent K xs) -> 0 <= Q2R p.
Proof.
  intros H. revert t p. induction xs as [|x xs IH]; intros t p.
  - simpl. intros [[= <- <-]|[]]. rewrite RMicromega.Q2R_1. lra.
  - cbn [sent]. intros I. apply in_flat_map in I as [[s q] [I J]]. apply in_map_iff in J as [[u r] [[= <- <-] J]].
    apply IH in J. rewrite Q2R_mult. simpl. apply Rmult_le_pos; auto.
    destruct (nth_in_or_default x K []) as [N|N]; [|rewrite N in I; destruct I].
    rewrite forallb_forall in H. specialize (H _ N). apply andb_prop in H as [_ H]. rewrite forallb_forall in H.
    specialize (H _ I). apply andb_prop in H as [_ H]. simpl in H. apply Z.ltb_lt in H.
    rewrite Q2R_frac. apply Rmult_le_pos; [apply IZR_le; lia|]. left. apply Rinv_0_lt_compat, den_pos.
Qed.
Lemma Pr_nonneg K xs D E : forallb (row_fits D) K = true -> 0 <= Pr E (sent K xs).
Proof.
  intros H. rewrite Pr_mean. apply mean_nonneg. intros t p I. split; [eapply sent_nonneg; eauto|].
  unfold indicator. destruct (E t); lra.
Qed.

Lemma setting_ok c w D : setting c w D = true -> forallb (row_fits D) (rows c) = true /\ good (eps c) = true /\ (0 <=
  w)%Z /\
  (Z.of_nat (users c) * longest (rows c) < 2 ^ w)%Z /\ (0 <= Qnum (delta c))%Z.
Proof.
  unfold setting. intros H. repeat (apply andb_prop in H as [H ?]). apply Z.leb_le in H0, H2. apply Z.ltb_lt in H1.
    auto.
Qed.
Lemma tell_ok F pass acc x y : tell F pass acc = true -> x <> y -> (x < length F)%nat -> (y < length F)%nat ->
  pass (mul (row_at F x) acc) (mul (row_at F y) acc) = true.
Proof.
  unfold tell. rewrite forallb_forall. intros H N Hx Hy. specialize (H x). rewrite in_seq, forallb_forall in H.
  specialize (H ltac:(lia) y). rewrite in_seq in H. specialize (H ltac:(lia)). apply orb_prop in H as [H|H].
  - apply Nat.eqb_eq in H. contradiction.
  - unfold row_at in *. assert (V : forall z, nth z (map (fun f => mul f acc) F) [] = mul (nth z F []) acc).
    { intros z. exact (map_nth (fun f => mul f acc) F [] z). } now rewrite !V in H.
Qed.
Lemma unit_pos K D x : forallb (row_fits D) K = true -> (x < length K)%nat -> (0 < D)%Z.
Proof.
  destruct K as [|r K]; simpl; [lia|]. intros H _. apply andb_prop in H as [H _]. apply andb_prop in H as [H _].
  now apply Z.ltb_lt.
Qed.
(* from integers to probabilities *)
Lemma conclude (M a b z d n S mx my : R) : 0 < M -> 0 < b -> 0 < d -> a <= z * b -> 0 <= my ->
  b * (M * mx) - a * (M * my) <= S -> S * d <= n * M * b -> mx - z * my <= n / d.
Proof.
  intros HM Hb Hd Ha Hy H1 H2. apply Rmult_le_reg_r with (M * b * d); [repeat apply Rmult_lt_0_compat; auto|].
  replace (n / d * (M * b * d)) with (n * M * b) by (field; lra). eapply Rle_trans; [|exact H2].
  replace ((mx - z * my) * (M * b * d)) with ((b * (M * mx) - (z * b) * (M * my)) * d) by ring.
  apply Rmult_le_compat_r; [lra|]. eapply Rle_trans; [|exact H1]. assert (0 <= M * my) by nra. nra.
Qed.

(* A dataset's law, the user on z apart, through the representatives of the others. *)
Lemma normal_rows F us : Forall2 (fun f g => forall h, eval h f = eval h g) (map (row_at F) us)
  (map (row_at (map normal F)) us).
Proof.
  induction us as [|u us IH]; simpl; constructor; auto. intros h. unfold row_at.
  change (nth u (map normal F) []) with (nth u (map normal F) (normal [])). now rewrite map_nth, eval_normal.
Qed.
Lemma through_reps w D K n l r s A g : forallb (row_fits D) K = true -> let N := map normal (map (row_poly w D) K) in
  (forall h, eval h (product (map (row_at N) (l ++ r)) [(0, 1)%Z]) =
    eval (fun k => h (s + k)%Z) (product (map (row_at N) (map (rep N) (l ++ r))) [(0, 1)%Z])) ->
  (forall h, eval h A = eval h (product (map (row_at N) (map (rep N) (l ++ r))) [(0, 1)%Z])) ->
  forall z, dataset K n (l ++ z :: r) ->
  IZR (D ^ Z.of_nat n) * mean (fun t => g (key w (concat t))) (sent K (l ++ z :: r)) =
  eval (fun k => g (s + k)%Z) (mul (row_at N z) A).
Proof.
  intros HK N Hs HA z Dz. rewrite <- (sent_keys w D K n) by auto. set (F := map (row_poly w D) K) in *.
  rewrite (product_perm _ (map (row_at F) (z :: l ++ r))) by (apply Permutation_map; symmetry;
    apply Permutation_middle).
  rewrite (eval_product_ext _ _ (normal_rows F (z :: l ++ r))). cbn [map product fold_right]. rewrite !eval_mul.
  apply eval_ext. intros d. unfold product in Hs, HA. fold N. rewrite Hs, HA. apply eval_ext. intros k. f_equal. lia.
Qed.

Theorem check_proved_sound c w D prec : check_proved c w D prec = true ->
  private Shuffled (rows c) (users c) (value (eps c)) (Q2R (delta c)).
Proof.
  unfold check_proved. set (F := map (row_poly w D) (rows c)). set (N := map normal F). intros H.
  apply andb_prop in H as [H H3]. apply andb_prop in H as [H1 H2]. apply setting_ok in H1 as (HK & G & Hw & HL & Hd).
  pose proof (from_below_ok _ _ G H2) as Z. cbv zeta in Z. destruct (from_below (eps c) prec) as [a b]. simpl in Z.
    destruct Z as [Zb Za].
  intros xs ys Hxs Hys (l & x & y & r & Hxy & -> & ->) E HE.
  destruct (event_keys w (rows c) (users c) _ _ E Hw HL HE (proj1 Hxs) (proj1 Hys)) as (X & PX & PY).
  destruct (users c) as [|n] eqn:U. { destruct Hxs as [L _]. rewrite app_length in L. simpl in L. lia. }
  assert (LN : length N = length (rows c)) by (unfold N, F; now rewrite !map_length).
  assert (I : forall z, In z (l ++ x :: r) \/ z = y -> (z < length (rows c))%nat).
  { intros z [Hz| ->]; [now apply Hxs|apply Hys]. rewrite in_app_iff. simpl. auto. }
  destruct (reps_ok N (l ++ r) [(0, 1)%Z]) as [s Hs].
  destruct (each_ok _ _ _ _ (NoDup_nodup _ _) H3 (map (rep N) (l ++ r))) as [acc [T HA]].
  { rewrite map_length, app_length. destruct Hxs as [L _]. rewrite app_length in L. simpl in L. lia. }
  { intros z Hz. apply in_map_iff in Hz as [u [<- Hu]]. apply rep_in. unfold F. rewrite map_length. apply I. left.
    rewrite in_app_iff in *. simpl. tauto. }
  apply (tell_ok _ _ _ x y) in T; auto; try (rewrite LN; apply I; rewrite in_app_iff; simpl; auto).
  (* both laws, through the representatives *)
  pose proof (through_reps w D (rows c) (S n) l r s acc (indicator X) HK Hs HA) as V.
  pose proof (Pr_nonneg (rows c) (l ++ y :: r) D E HK) as Q0. rewrite PX, PY in *.
  pose proof (V x Hxs) as Vx. pose proof (V y Hys) as Vy. fold F N in Vx, Vy.
  unfold worth in T. rewrite U in T. apply Z.leb_le, IZR_le in T. rewrite !mult_IZR in T. cbn [fst snd] in T.
  pose proof (stick_bound b a (fun k => indicator X (s + k)%Z) (mul (row_at N x) acc) (mul (row_at N y) acc) 0) as B.
  rewrite <- Vx, <- Vy, Rplus_0_r in B. rewrite Q2R_frac.
  eapply conclude; [| | | | |apply B|exact T]; auto.
  - apply IZR_lt. apply Z.pow_pos_nonneg; [|lia]. eapply unit_pos; [exact HK|]. apply (I y). auto.
  - apply den_pos.
  - intros k. unfold indicator. destruct (X _); lra.
Qed.
