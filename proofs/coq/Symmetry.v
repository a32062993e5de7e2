(* Symmetries, checked as CERTIFICATE.md states them. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool FunctionalExtensionality.
From Shufflecert Require Import Spec Poly Key Law Check Views Event.
Import ListNotations.
Local Open Scope Z_scope.

(* a permutation of the keys that it names *)
Fixpoint distinct (l : list nat) : bool :=
  match l with [] => true | x :: l => negb (existsb (Nat.eqb x) l) && distinct l end.
Definition permutes (f : list (nat * nat)) : bool :=
  let keys := map fst f in let values := map snd f in
  distinct values && forallb (fun y => existsb (Nat.eqb y) keys) values.

(* one user's messages as a number: a multiset, or a tuple as the digits to base B behind a leading 1 *)
Fixpoint digits_of (B : Z) (s : list msg) : Z := match s with [] => 1 | m :: s => digits_of B s * B + Z.of_nat m end.
Definition code v w B s := match v with Local => digits_of B s | _ => key w s end.
Definition small v w B (s : list msg) : bool :=
  match v with Local => forallb (fun m => Z.of_nat m <? B) s | _ => Z.of_nat (length s) <? 2 ^ w end.
Definition coded (k : list msg -> Z) D (r : row) : poly := map (fun o => (k (fst o), Qnum (snd o) * (D / QDen (snd
  o)))) r.

(* `image`, as it is computed *)
Fixpoint image_in (f : list (nat * nat)) (x : nat) : nat :=
  match f with [] => x | (y, z) :: f => if Nat.eqb y x then z else image_in f x end.
(* All rows, coded once, and each of them as it is moved. *)
Definition check_moves v (K : randomizer) w B D (N : list poly) (g : symmetry) : bool :=
  let move := map (image_in (messages g)) in
  permutes (messages g) &&
  forallb (fun x => let r := nth x K [] in
    match v with Local => forallb (fun o => small v w B (move (fst o))) r | _ => true end &&
    same_at 0 (normal (coded (fun s => code v w B (move s)) D r)) (nth (image (inputs g) x) N [])) (seq 0 (length K)).
Definition check_symmetries v (K : randomizer) w B D (gs : list symmetry) : bool :=
  let N := map (fun r => normal (coded (code v w B) D r)) K in
  (0 <=? w) && (2 <=? B) && forallb (fun r => row_fits D r && forallb (fun o => small v w B (fst o)) r) K &&
  forallb (check_moves v K w B D N) gs.

Local Open Scope R_scope.
Lemma distinct_ok l : distinct l = true -> NoDup l.
Proof.
  induction l as [|x l IH]; cbn [distinct]; intros H; constructor.
  - apply andb_prop in H as [H _]. apply negb_true_iff in H. intros I.
    assert (E : existsb (Nat.eqb x) l = true) by (apply existsb_exists; exists x; split; auto; apply Nat.eqb_refl).
      congruence.
  - apply IH. now apply andb_prop in H.
Qed.
Lemma image_inj f x y : permutes f = true -> image f x = image f y -> x = y.
Proof.
  unfold permutes. intros H. apply andb_prop in H as [ND V]. apply distinct_ok in ND. rewrite forallb_forall in V.
  assert (F : forall z, (exists w, In (z, w) f /\ image f z = w) \/ (~ In z (map fst f) /\ image f z = z)).
  { intros z. unfold image. destruct (find (fun xy => Nat.eqb (fst xy) z) f) as [[a b]|] eqn:E.
    - apply find_some in E as [I E]. apply Nat.eqb_eq in E. cbn in *. subst a. left. eauto.
    - right. split; auto. intros I. apply in_map_iff in I as ([a b] & <- & I).
      apply (find_none _ _ E) in I. cbn in I. now rewrite Nat.eqb_refl in I. }
  assert (W : forall z, In z (map snd f) -> In z (map fst f)).
  { intros z Hz. specialize (V z Hz). apply existsb_exists in V as (k & I & E). apply Nat.eqb_eq in E. now subst. }
  destruct (F x) as [(a & Ia & ->)|[Nx ->]], (F y) as [(b & Ib & ->)|[Ny ->]]; intros E; subst; auto.
  - clear -ND Ia Ib. induction f as [|[u v] f IH]; [destruct Ia|]. cbn [map snd] in ND.
    inversion_clear ND as [|? ? N ND'].
    assert (NI : forall z, In (z, b) f -> In b (map snd f)) by (intros z I; apply in_map_iff; exists (z, b); auto).
    destruct Ia as [Ea|Ia], Ib as [Eb|Ib]; [congruence| | |auto]; exfalso; apply N.
    + injection Ea as _ ->. eauto.
    + injection Eb as _ ->. eauto.
  - exfalso. apply Ny, W, in_map_iff. now exists (x, y).
  - exfalso. apply Nx, W, in_map_iff. now exists (y, b).
Qed.
Lemma map_inj {A B} (f : A -> B) : (forall x y, f x = f y -> x = y) -> forall s t, map f s = map f t -> s = t.
Proof. intros H. induction s as [|x s IH]; intros [|y t]; cbn; try discriminate; auto. intros [= E F]. f_equal; auto.
  Qed.
Lemma times_map (f : nat -> nat) : (forall x y, f x = f y -> x = y) -> forall k s, times (f k) (map f s) = times k s.
Proof.
  intros H k. unfold times. induction s as [|x s IH]; cbn [map count_occ]; [reflexivity|].
  destruct (Nat.eq_dec (f x) (f k)), (Nat.eq_dec x k); subst; try congruence; rewrite ?IH; auto. apply H in e.
    congruence.
Qed.

Lemma same_ok v s m : same v s m = true <-> alike v s m.
Proof.
  assert (G : forallb (fun k => Nat.eqb (times k s) (times k m)) (s ++ m) = true <-> Permutation s m).
  { rewrite forallb_forall, (Permutation_count_occ Nat.eq_dec). split.
    - intros H k. destruct (in_dec Nat.eq_dec k (s ++ m)) as [I|I]; [now apply Nat.eqb_eq, H|].
      rewrite in_app_iff in I. unfold times. rewrite !(proj1 (count_occ_not_In _ _ _)); tauto.
    - intros H k _. apply Nat.eqb_eq, H. }
  destruct v; cbn [same alike]; auto. destruct (list_eq_dec _ _ _); split; congruence.
Qed.
Lemma same_map v f s m : (forall x y, f x = f y -> x = y) -> same v (map f s) (map f m) = same v s m.
Proof.
  intros H. apply eq_true_iff_eq. rewrite !same_ok. destruct v; cbn [alike].
  1, 2: split; [|apply Permutation_map]; rewrite !(Permutation_count_occ Nat.eq_dec); intros P k;
    specialize (P (f k)); fold (times (f k) (map f s)) in P; fold (times (f k) (map f m)) in P;
      now rewrite !times_map in P.
  split; [now apply map_inj|congruence].
Qed.
Lemma digits_pos B s : (2 <= B)%Z -> forallb (fun m => Z.of_nat m <? B)%Z s = true -> (1 <= digits_of B s)%Z.
Proof.
  intros HB. induction s as [|m s IH]; cbn [digits_of forallb]; [lia|]. intros H. apply andb_prop in H as [_ H].
  specialize (IH H). nia.
Qed.
Lemma code_inj v w B s t : (0 <= w)%Z -> (2 <= B)%Z -> small v w B s = true -> small v w B t = true ->
  code v w B s = code v w B t -> alike v s t.
Proof.
  intros Hw HB. destruct v; cbn [code small alike].
  1, 2: intros Hs Ht; apply Z.ltb_lt in Hs, Ht; now apply key_inj.
  revert t. induction s as [|m s IH]; intros [|k t] Hs Ht E; cbn [digits_of forallb] in *; auto.
  - apply andb_prop in Ht as [Hk Ht]. pose proof (digits_pos B t HB Ht). nia.
  - apply andb_prop in Hs as [Hk Hs]. pose proof (digits_pos B s HB Hs). nia.
  - apply andb_prop in Hs as [Hm Hs]. apply andb_prop in Ht as [Hk Ht]. apply Z.ltb_lt in Hm, Hk.
    rewrite (Z.add_comm _ (Z.of_nat m)), (Z.add_comm _ (Z.of_nat k)), (Z.mul_comm _ B), (Z.mul_comm (digits_of B t))
      in E.
    apply digits in E as [E1 E2]; try lia. f_equal; [lia|]. now apply IH.
Qed.

Lemma coded_eval k D r : row_fits D r = true -> forall g, eval g (coded k D r) = IZR D * mean (fun s => g (k s)) r.
Proof.
  unfold row_fits, coded. intros H g. apply andb_prop in H as [_ H].
    induction r as [|[s p] r IH]; cbn [map eval mean fst snd]; [ring|].
  cbn [forallb snd] in H. apply andb_prop in H as [F H]. rewrite (IH H), Rmult_plus_distr_l. f_equal.
  apply andb_prop in F as [F _]. apply Z.eqb_eq in F. rewrite <- Rmult_assoc. f_equal.
  pose proof (Z.div_mod D (QDen p) ltac:(lia)) as E. rewrite F, Z.add_0_r in E. apply (f_equal IZR) in E.
    rewrite mult_IZR in E.
  rewrite mult_IZR, Q2R_frac, E. pose proof (den_pos p). field. lra.
Qed.

(* What is seen of a user is moved as he is. *)
Definition moves_rows v (K : randomizer) (g : symmetry) := forall x, (x < length K)%nat ->
  forall h : list msg -> bool, (forall s t, alike v s t -> h s = h t) ->
  Pr h (nth (image (inputs g) x) K []) = Pr (fun s => h (map (image (messages g)) s)) (nth x K []).
Lemma image_in_ok f : image_in f = image f.
Proof.
  apply functional_extensionality. intros x. unfold image. induction f as [|[y z] f IH]; [reflexivity|]. cbn [image_in find fst].
  rewrite IH. now destruct (Nat.eqb y x).
Qed.
Lemma check_symmetries_ok v K w B D gs : check_symmetries v K w B D gs = true -> forall g, In g gs ->
  permutes (messages g) = true /\ moves_rows v K g.
Proof.
  unfold check_symmetries, check_moves. cbv zeta. intros H g Hg. do 3 (apply andb_prop in H as [H ?]).
  rename H0 into A, H1 into R, H2 into HB, H into Hw. apply Z.leb_le in Hw, HB. rewrite forallb_forall in A, R.
  specialize (A g Hg). cbv beta in A. rewrite image_in_ok in A. apply andb_prop in A as [P A]. split; [exact P|]. intros x Hx h HA. rewrite forallb_forall in A.
  specialize (A x (proj2 (in_seq _ _ _) (conj (Nat.le_0_l x) Hx))). cbv beta in A.
  set (f := image (messages g)) in *. set (y := image (inputs g) x) in *. apply andb_prop in A as [Sr S].
  assert (ROW : forall i, row_fits D (nth i K []) = true \/ nth i K [] = []).
  { intros i. destruct (nth_in_or_default i K []) as [I|I]; [left|now right]. specialize (R _ I). now apply andb_prop in R. }
  assert (FX : row_fits D (nth x K []) = true) by (specialize (R _ (nth_In K [] Hx)); now apply andb_prop in R).
  assert (SQ : forall i o, In o (nth i K []) -> small v w B (fst o) = true).
  { intros i o I. destruct (nth_in_or_default i K []) as [J|J]; [|rewrite J in I; destruct I].
    specialize (R _ J). apply andb_prop in R as [_ R]. rewrite forallb_forall in R. now apply R. }
  replace (nth y (map _ K) []) with (normal (coded (code v w B) D (nth y K []))) in S
    by (symmetry; exact (map_nth (fun r => normal (coded (code v w B) D r)) K [] y)).
  set (r := nth x K []) in *. set (q := nth y K []) in *.
  set (all := map fst q ++ map (fun o : list msg * Q => map f (fst o)) r).
  set (G := fun k => match find (fun s => (code v w B s =? k)%Z) all with Some s => h s | None => false end).
  assert (SM : forall s, In s all -> small v w B s = true).
  { intros s Hs. apply in_app_iff in Hs as [Hs|Hs]; apply in_map_iff in Hs as (o & <- & Ho); [now apply (SQ y)|].
    destruct v; cbn [small] in *; try (rewrite map_length; exact (SQ x o Ho)). rewrite forallb_forall in Sr. now apply Sr. }
  assert (HG : forall s, In s all -> G (code v w B s) = h s).
  { intros s Hs. unfold G. destruct (find (fun u => (code v w B u =? code v w B s)%Z) all) as [t|] eqn:E.
    - apply find_some in E as [It E]. apply Z.eqb_eq in E. apply HA. apply code_inj in E; auto.
    - apply (find_none _ _ E) in Hs. rewrite Z.eqb_refl in Hs. discriminate. }
  apply same_at_ok with (h := indicator G) in S. rewrite !eval_normal in S.
  assert (CE : forall k i, (row_fits D (nth i K []) = true \/ nth i K [] = []) ->
    eval (indicator G) (coded k D (nth i K [])) = IZR D * mean (fun s => indicator G (k s)) (nth i K [])).
  { intros k i [F| ->]; [now apply coded_eval|]. cbn. ring. }
  assert (S' : IZR D * mean (fun s => indicator G (code v w B s)) q =
    IZR D * mean (fun s => indicator G (code v w B (map f s))) r).
  { pose proof (CE (code v w B) y (ROW y)) as C1. pose proof (CE (fun s => code v w B (map f s)) x (or_introl FX)) as C2.
    fold q in C1. fold r in C2. exact (eq_trans (eq_sym C1) (eq_trans S C2)). }
  apply Rmult_eq_reg_l in S'; [|unfold row_fits in FX; apply andb_prop in FX as [FX _]; apply Z.ltb_lt, IZR_lt in FX; lra].
  rewrite !Pr_mean. etransitivity; [|etransitivity; [exact S'|]].
  - apply mean_ext. intros s p Is. unfold indicator. rewrite HG; [reflexivity|]. apply in_app_iff. left.
    apply in_map_iff. now exists (s, p).
  - apply mean_ext. intros s p Is. unfold indicator. rewrite HG; [reflexivity|].
    apply in_app_iff. right. apply in_map_iff. now exists (s, p).
Qed.
Theorem check_symmetries_sound v K w B D gs : check_symmetries v K w B D gs = true ->
  forall g, In g gs -> is_symmetry v K g.
Proof.
  intros H g I x m Hx. destruct (check_symmetries_ok v K w B D gs H g I) as [P M].
  assert (J : forall y z, image (messages g) y = image (messages g) z -> y = z) by (intros; eapply image_inj; eauto).
  rewrite (M x Hx).
  - rewrite !Pr_mean. apply mean_ext. intros s q _. unfold indicator. now rewrite same_map.
  - intros s t A. apply eq_true_iff_eq. rewrite !same_ok. destruct v; cbn [alike] in *; [| |now subst].
    all: split; intros X; [now rewrite <- A|now rewrite A].
Qed.

(* What renamings make of datasets: what holds of two of them holds of both renamed. *)
Lemma sent_moved K g : moves_rows Shuffled K g -> forall xs, (forall x, In x xs -> (x < length K)%nat) ->
  forall E, event Shuffled E -> Pr E (sent K (map (image (inputs g)) xs)) =
  Pr (fun t => E (map (map (image (messages g))) t)) (sent K xs).
Proof.
  intros M. set (f := map (image (messages g))). induction xs as [|x xs IH]; intros I E HE; [reflexivity|].
  assert (EV : forall s, event Shuffled (fun t => E (s :: t))).
  { intros s t u L. apply HE. cbn [looks_same concat] in *. now apply Permutation_app_head. }
  rewrite !Pr_mean. cbn [map]. rewrite !mean_sent.
  rewrite (mean_ext _ (fun s => mean (fun t => indicator E (s :: map f t)) (sent K xs))).
  2: { intros s q _. specialize (IH (fun y Hy => I y (or_intror Hy)) _ (EV s)). rewrite !Pr_mean in IH. exact IH. }
  rewrite mean_swap. rewrite (mean_swap _ (nth x K [])). apply mean_ext. intros t q _. cbn [map].
  specialize (M x (I x (or_introl eq_refl)) (fun s => E (s :: map f t))). rewrite !Pr_mean in M. apply M.
  intros s u A. apply HE. cbn [looks_same concat]. now apply Permutation_app_tail.
Qed.
Theorem renamed_at_most K g z d xs ys : moves_rows Shuffled K g -> (forall x, In x (xs ++ ys) -> (x < length K)%nat) ->
  at_most Shuffled K xs ys z d ->
  at_most Shuffled K (map (image (inputs g)) xs) (map (image (inputs g)) ys) z d.
Proof.
  intros M I H E HE. rewrite !(sent_moved K g M) by (auto; intros; apply I, in_or_app; auto). apply H.
  intros s t L. apply HE. cbn [looks_same] in *. rewrite <- !concat_map. now apply Permutation_map.
Qed.
