(* Symmetries, checked as CERTIFICATE.md states them. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
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
Definition same_poly (f g : poly) : bool :=
  let f := normal f in let g := normal g in (stick 1 1 f g 0 =? 0) && (stick 1 1 g f 0 =? 0).

Definition check_symmetry v (K : randomizer) w B D (g : symmetry) : bool :=
  let move := map (image (messages g)) in
  (0 <=? w) && (2 <=? B) && permutes (messages g) &&
  forallb (fun x => let r := nth x K [] in let q := nth (image (inputs g) x) K [] in
    row_fits D r && row_fits D q && forallb (fun o => small v w B (fst o)) q &&
    forallb (fun o => small v w B (move (fst o))) r &&
    same_poly (coded (fun s => code v w B (move s)) D r) (coded (code v w B) D q)) (seq 0 (length K)).

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
Lemma same_poly_ok f g : same_poly f g = true -> forall h, test h -> eval h f = eval h g.
Proof.
  unfold same_poly. intros H h T. apply andb_prop in H as [H1 H2]. apply Z.eqb_eq in H1, H2.
  pose proof (stick_bound 1 1 h (normal f) (normal g) 0 T) as A.
    pose proof (stick_bound 1 1 h (normal g) (normal f) 0 T) as B.
  rewrite H1 in A. rewrite H2 in B. rewrite !eval_normal in A, B. cbn [IZR] in A, B. lra.
Qed.

Theorem check_symmetry_sound v K w B D g : check_symmetry v K w B D g = true -> is_symmetry v K g.
Proof.
  unfold check_symmetry. intros H x m Hx. apply andb_prop in H as [H A]. apply andb_prop in H as [H P].
    apply andb_prop in H as [Hw HB].
  apply Z.leb_le in Hw, HB. rewrite forallb_forall in A.
  specialize (A x (proj2 (in_seq _ _ _) (conj (Nat.le_0_l x) Hx))).
  set (f := image (messages g)) in *. set (r := nth x K []) in *. set (q := nth (image (inputs g) x) K []) in *.
  do 4 (apply andb_prop in A as [A ?]). rename H into S, H0 into Sr, H1 into Sq, H2 into Fq.
  rewrite forallb_forall in Sr, Sq. assert (I : forall y z, f y = f z -> y = z) by (intros; eapply image_inj; eauto).
  set (h := fun s => same v s (map f m)).
  set (all := map fst q ++ map (fun o : list msg * Q => map f (fst o)) r).
  set (G := fun k => match find (fun s => (code v w B s =? k)%Z) all with Some s => h s | None => false end).
  assert (SM : forall s, In s all -> small v w B s = true).
  { intros s Hs. apply in_app_iff in Hs as [Hs|Hs]; apply in_map_iff in Hs as (o & <- & Ho); auto. }
  assert (HG : forall s, In s all -> G (code v w B s) = h s).
  { intros s Hs. unfold G. destruct (find (fun u => (code v w B u =? code v w B s)%Z) all) as [t|] eqn:E.
    - apply find_some in E as [It E]. apply Z.eqb_eq in E. apply code_inj in E; auto.
      unfold h. apply eq_true_iff_eq. rewrite !same_ok. destruct v; cbn [alike] in *; [| |now subst].
      all: split; intros X; [now rewrite <- E|now rewrite E].
    - apply (find_none _ _ E) in Hs. rewrite Z.eqb_refl in Hs. discriminate. }
  apply same_poly_ok with (h := indicator G) in S; [|intros k; unfold indicator; destruct (G k); lra].
  rewrite !coded_eval in S by auto. apply Rmult_eq_reg_l in S.
  2: { unfold row_fits in A. apply andb_prop in A as [A _]. apply Z.ltb_lt, IZR_lt in A. lra. }
  rewrite !Pr_mean. symmetry in S. etransitivity; [|etransitivity; [exact S|]].
  - apply mean_ext. intros s p Is. unfold indicator. rewrite HG; [reflexivity|]. apply in_app_iff. left.
    apply in_map_iff. now exists (s, p).
  - apply mean_ext. intros s p Is. unfold indicator. rewrite HG.
    + unfold h. now rewrite same_map.
    + apply in_app_iff. right. apply in_map_iff. now exists (s, p).
Qed.
