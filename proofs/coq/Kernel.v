(* What is checked of a randomizer, in all three views: all pairs of neighbours, or one pair and an event. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec Poly Key Law Exp Check Reach Cover Kron Powers Boxes CoverReach Views Event
  Symmetry.
Import ListNotations.
Local Open Scope Z_scope.

(* How to compute; nothing that is said here can make a false certificate pass. *)
Record sizes := {
  key_bits : Z;            (* of one message's count in a key *)
  base : Z;                (* of the digits of a tuple *)
  unit_of : Z              (* the common denominator of the weights *)
}.
Record hint := {
  precise : precision;     (* of e^eps *)
  rounded : bool;          (* weights rounded outwards, or exact ones *)
  fine : Z; cut : Z;       (* where they are rounded: bits of a weight, and weights that are given up *)
  fast : option (line * nat);    (* by repeated squaring of the laws of 1, 2, 4, ... users: how, and how many of them *)
  rounds : list round; boxes : Z (* then by boxes, the coarsest first, and by how many of these at most *)
}.

Definition valid D (K : randomizer) : bool :=
  forallb (fun r => row_fits D r && (fold_right (fun o t => Qnum (snd o) * (D / QDen (snd o)) + t) 0 r =? D)) K.

(* The views by name are shuffled views of one user: of the multiset, or of the tuple's messages with their positions. *)
Definition core (c : claim) : claim :=
  match sees c with
  | Shuffled => c
  | Preshuffle => {| rows := rows c; sees := Shuffled; users := 1; eps := eps c; delta := delta c |}
  | Local => {| rows := tag (rows c); sees := Shuffled; users := 1; eps := eps c; delta := delta c |}
  end.
Definition others_of (c : claim) p := match sees c with Shuffled => others_told p | _ => [] end.

Definition upper_holds (c : claim) (s : sizes) (h : hint) : bool :=
  if rounded h then match fast h with
    | Some (_, many) => check_halves c (key_bits s) (unit_of s) (rounds h) many (boxes h)
    | None => check_cover c (key_bits s) (unit_of s) (precise h) (fine h) (cut h)
    end else check_proved c (key_bits s) (unit_of s) (precise h).
Definition gap_reaches (c : claim) (s : sizes) (h : hint) a b (os : list (nat * Z)) (named : option (Z -> bool)) : bool :=
  let w := key_bits s in let D := unit_of s in
  if rounded h then check_cover_reaches c w D (precise h) (fine h) (cut h) (fast h) a b os named
  else let xs := spelled os in check_reaches c w D (precise h) a b xs (match named with
    | Some E => E
    | None => let set := best_event c w D (precise h) a b xs in fun k => Keys.mem k set
    end).

(* The others of a pair and the one who changes are all users. *)
Definition so_many (c : claim) (p : pair_told) : bool :=
  match sees c with Shuffled => 1 + add_up (map snd (others_told p)) =? Z.of_nat (users c) | _ => Nat.ltb 0 (users c) end.
Definition listed_keys (c : claim) (s : sizes) outcomes : list Z :=
  match sees c with
  | Local => flat_map (tuple_keys (key_bits s) (positions (rows c))) outcomes
  | _ => flat_map (counts_keys (key_bits s)) outcomes
  end.
Definition well_listed (c : claim) outcomes : bool :=
  forallb (match sees c with Local => spoken | _ => counted end) outcomes.

Definition event_holds (c : claim) (s : sizes) p outcomes (h : hint) :=
  gap_reaches (core c) s h (from_told p) (to_told p) (others_of c p) (Some (among (listed_keys c s outcomes))).
Definition symmetries_hold (c : claim) (s : sizes) :=
  check_symmetries (sees c) (rows c) (key_bits s) (base s) (unit_of s).
Lemma valid_sound D K : valid D K = true -> is_randomizer K.
Proof.
  unfold valid, is_randomizer. rewrite forallb_forall. intros H r I. specialize (H r I). apply andb_prop in H as [F S].
  apply Z.eqb_eq in S. unfold row_fits in F. apply andb_prop in F as [HD F]. apply Z.ltb_lt in HD. clear I. split.
  - intros s p Hs. rewrite forallb_forall in F. specialize (F _ Hs). apply andb_prop in F as [_ F].
    apply Z.ltb_lt in F.
    unfold Qlt. simpl in *. lia.
  - assert (A : (fold_right (fun o t => snd o + t) 0 r * inject_Z D ==
        inject_Z (fold_right (fun o t => Qnum (snd o) * (D / QDen (snd o)) + t)%Z 0%Z r))%Q).
    { clear S. induction r as [|[s p] r IH]; [reflexivity|]. cbn [fold_right snd forallb] in *.
      apply andb_prop in F as [F1 F2]. specialize (IH F2).
      rewrite Qmult_plus_distr_l, IH, inject_Z_plus. apply Qplus_comp; [|reflexivity].
      apply andb_prop in F1 as [F1 _]. apply Z.eqb_eq in F1. pose proof (Z.div_mod D (QDen p) ltac:(lia)).
      unfold Qeq, inject_Z, Qmult. cbn [Qnum Qden]. rewrite Pos.mul_1_r. nia. }
    rewrite S in A. apply (Qmult_inj_r _ _ (inject_Z D)); [unfold Qeq; simpl; lia|]. rewrite A. ring.
Qed.
Lemma upper_sound c s h : upper_holds c s h = true -> private Shuffled (rows c) (users c) (value (eps c)) (Q2R (delta
  c)).
Proof.
  unfold upper_holds. destruct (rounded h); [destruct (fast h) as [[t many]|]|]; intros U;
    [apply check_halves_sound in U|apply check_cover_sound in U|apply check_proved_sound in U]; exact U.
Qed.

Theorem core_private c d : is_randomizer (rows c) ->
  private Shuffled (rows (core c)) (users (core c)) (value (eps (core c))) d ->
  private (sees c) (rows c) (users c) (value (eps c)) d.
Proof.
  intros HK. unfold core. destruct (sees c) eqn:V; cbn [rows users eps]; intros P.
  - exact P.
  - apply one_user_private; [auto|discriminate|]. intros x y N X Y. apply one_multiset. now apply one_of.
  - apply one_user_private; [auto|discriminate|]. intros x y N X Y. apply one_tuple.
    apply (one_of _ Shuffled _ _ P); rewrite ?tag_length; auto.
Qed.

Local Open Scope R_scope.
Lemma gap_sound c s h a b os named : gap_reaches c s h a b os named = true -> let xs := spelled os in
  exists E : Z -> bool, (forall G, named = Some G -> E = G) /\
  Q2R (delta c) < Pr (seen (key_bits s) E) (sent (rows c) (a :: xs)) -
    value (eps c) * Pr (seen (key_bits s) E) (sent (rows c) (b :: xs)).
Proof.
  unfold gap_reaches. intros H.
  destruct (rounded h).
  - apply check_cover_reaches_sound in H as (_ & _ & _ & E & N & G). now exists E.
  - apply check_reaches_sound in H as (_ & _ & _ & G). eexists. split; [|exact G]. now intros G' ->.
Qed.

(* What is seen, as the key that the core computes with; i is the user who changes. *)
Definition lens (c : claim) w i (t : list (list msg)) : Z :=
  match sees c with
  | Shuffled => key w (concat t)
  | Preshuffle => key w (nth i t [])
  | Local => key w (spread (positions (rows c)) O (nth i t []))
  end.
Lemma lens_event c w i E : event (sees c) (fun t => E (lens c w i t)).
Proof.
  intros s t L. unfold lens. destruct (sees c); cbn [looks_same] in L.
  - now rewrite (key_perm w _ _ L).
  - f_equal. apply key_perm. revert i. induction L; intros [|i]; cbn [nth]; auto.
  - now rewrite L.
Qed.
Lemma lens_Pr c p i xs ys w E : is_randomizer (rows c) -> named c (spelled_out p) i xs ys ->
  Pr (fun t => E (lens c w i t)) (sent (rows c) xs) = Pr (seen w E) (sent (rows (core c)) (from_told p :: spelled (others_of c p))) /\
  Pr (fun t => E (lens c w i t)) (sent (rows c) ys) = Pr (seen w E) (sent (rows (core c)) (to_told p :: spelled (others_of c p))).
Proof.
  intros HK ([_ X] & [_ Y] & _ & l & r & -> & -> & <- & P). unfold lens, core, others_of. cbn [spelled_out from to others] in *.
  destruct (sees c) eqn:V; cbn [rows].
  - assert (H : forall x, Pr (fun t => E (key w (concat t))) (sent (rows c) (l ++ x :: r)) =
        Pr (seen w E) (sent (rows c) (x :: spelled (others_told p)))).
    { intros x. apply Pr_order; [apply seen_event|]. rewrite <- Permutation_middle. constructor. now apply P. }
    split; apply H.
  - assert (H : forall x, (forall y, In y (l ++ x :: r) -> (y < length (rows c))%nat) ->
        Pr (fun t => E (key w (nth (length l) t []))) (sent (rows c) (l ++ x :: r)) = Pr (seen w E) (sent (rows c)
          [x])).
    { intros x Hx. rewrite (one_user_event _ HK (fun s => E (key w s))) by exact Hx. rewrite one_sent, !Pr_mean.
      apply mean_ext. intros s q _. unfold indicator, seen. cbn [concat]. now rewrite app_nil_r. }
    split; now apply H.
  - set (all := positions (rows c)). assert (H : forall x, (forall y, In y (l ++ x :: r) -> (y < length (rows c))%nat) ->
        Pr (fun t => E (key w (spread all O (nth (length l) t [])))) (sent (rows c) (l ++ x :: r)) =
        Pr (seen w E) (sent (tag (rows c)) [x])).
    { intros x Hx. rewrite (one_user_event _ HK (fun s => E (key w (spread all O s)))) by exact Hx.
      rewrite one_sent, !Pr_mean, mean_tag. apply mean_ext. intros s q _.
      unfold indicator, seen. cbn [concat]. now rewrite app_nil_r. }
    split; now apply H.
Qed.
Lemma listed_Pr c p i xs ys sz outcomes : is_randomizer (rows c) -> named c p i xs ys -> well_listed c outcomes =
  true ->
  (0 <= key_bits sz)%Z -> (Z.of_nat (users (core c)) * longest (rows (core c)) < 2 ^ key_bits sz)%Z ->
  let E := among (listed_keys c sz outcomes) in
  Pr (listed (sees c) i outcomes) (sent (rows c) xs) = Pr (fun t => E (lens c (key_bits sz) i t)) (sent (rows c) xs) /\
  Pr (listed (sees c) i outcomes) (sent (rows c) ys) = Pr (fun t => E (lens c (key_bits sz) i t)) (sent (rows c) ys).
Proof.
  intros HK ([LX X] & [LY Y] & _ & l & r & -> & -> & <- & _) WL Hw HL E. set (w := key_bits sz) in *.
  unfold E, lens, core, listed, well_listed, listed_keys in *. fold w.
  destruct (sees c) eqn:V; cbn [rows users] in HL.
  - assert (H : forall xs, length xs = users c ->
        Pr (fun t => existsb (matches (concat t)) outcomes) (sent (rows c) xs) =
        Pr (fun t => among (flat_map (counts_keys w) outcomes) (key w (concat t))) (sent (rows c) xs)).
    { intros us L. rewrite !Pr_mean. apply mean_ext. intros t q I. unfold indicator. rewrite among_counts; auto.
      apply sent_short in I. rewrite L in I. eapply Z.le_lt_trans; [exact I|exact HL]. }
    split; now apply H.
  - assert (H : forall x, (forall y, In y (l ++ x :: r) -> (y < length (rows c))%nat) ->
        Pr (fun t => existsb (matches (nth (length l) t [])) outcomes) (sent (rows c) (l ++ x :: r)) =
        Pr (fun t => among (flat_map (counts_keys w) outcomes) (key w (nth (length l) t []))) (sent (rows c) (l ++ x
          :: r))).
    { intros x Hx. rewrite (one_user_event _ HK (fun s => existsb (matches s) outcomes)) by exact Hx.
      rewrite (one_user_event _ HK (fun s => among (flat_map (counts_keys w) outcomes) (key w s))) by exact Hx.
      rewrite !Pr_mean. apply mean_ext. intros s q I. unfold indicator. rewrite among_counts; auto.
      apply longest_ok in I. unfold msg in *. lia. }
    split; now apply H.
  - set (all := positions (rows c)) in *. assert (H : forall x, (forall y, In y (l ++ x :: r) -> (y < length (rows
    c))%nat) ->
        Pr (fun t => existsb (matches (nth (length l) t [])) outcomes) (sent (rows c) (l ++ x :: r)) =
        Pr (fun t => among (flat_map (tuple_keys w all) outcomes) (key w (spread all O (nth (length l) t [])))) (sent
          (rows c) (l ++ x :: r))).
    { intros x Hx. rewrite (one_user_event _ HK (fun s => existsb (matches s) outcomes)) by exact Hx.
      rewrite (one_user_event _ HK (fun s => among (flat_map (tuple_keys w all) outcomes) (key w (spread all O s)))) by
        exact Hx.
      rewrite !Pr_mean. apply mean_ext. intros s q I. unfold indicator. rewrite among_tuples; auto.
      - rewrite tag_longest in HL. unfold all, positions. lia.
      - eapply in_positions; eauto. }
    split; now apply H.
Qed.
(* what is shown of a pair by listed outcomes, and the event that they are *)
Definition gap_at c xs ys (E : list (list msg) -> bool) :=
  event (sees c) E /\ Q2R (delta c) < Pr E (sent (rows c) xs) - value (eps c) * Pr E (sent (rows c) ys).
(* An event whose outcomes are listed; only these are told apart by their keys. *)
Definition apart_by_keys (c : claim) (s : sizes) : bool :=
  (0 <=? key_bits s) && (Z.of_nat (users c) * longest (rows c) <? 2 ^ key_bits s).
Definition check_listed (c : claim) (p : pair_told) outcomes (s : sizes) (hints : list hint) : bool :=
  valid (unit_of s) (rows c) && well_listed c outcomes && apart_by_keys (core c) s && existsb (event_holds c s p outcomes) hints.
Theorem listed_gap c p outcomes s hints : check_listed c p outcomes s hints = true ->
  let q := spelled_out p in (forall i xs ys, named c q i xs ys -> exists E, gap_at c xs ys E) /\
  forall i xs ys, named c q i xs ys -> Q2R (delta c) < Pr (listed (sees c) i outcomes) (sent (rows c) xs) -
    value (eps c) * Pr (listed (sees c) i outcomes) (sent (rows c) ys).
Proof.
  unfold check_listed. cbv zeta. intros H. apply andb_prop in H as [H He]. apply andb_prop in H as [H HA]. apply andb_prop in H as [V Hw].
  apply valid_sound in V. apply andb_prop in HA as [W L]. apply Z.leb_le in W. apply Z.ltb_lt in L.
  apply existsb_exists in He as (h & _ & He). unfold event_holds in He.
  apply gap_sound in He as (E & NE & G). cbv zeta in G. rewrite (NE _ eq_refl) in G. clear E NE.
  replace (delta (core c)) with (delta c) in G by (unfold core; now destruct (sees c)).
  replace (eps (core c)) with (eps c) in G by (unfold core; now destruct (sees c)).
  assert (G' : forall i xs ys, named c (spelled_out p) i xs ys ->
    Q2R (delta c) < Pr (fun t => among (listed_keys c s outcomes) (lens c (key_bits s) i t)) (sent (rows c) xs) -
    value (eps c) * Pr (fun t => among (listed_keys c s outcomes) (lens c (key_bits s) i t)) (sent (rows c) ys)).
  { intros i xs ys N. destruct (lens_Pr c p i xs ys (key_bits s) (among (listed_keys c s outcomes)) V N) as [->
    ->]. exact G. }
  split; intros i xs ys N.
  - exists (fun t => among (listed_keys c s outcomes) (lens c (key_bits s) i t)).
    split; [apply (lens_event c)|exact (G' i xs ys N)].
  - destruct (listed_Pr c _ i xs ys s outcomes V N Hw W L) as [-> ->]. now apply G'.
Qed.

(* Every dataset enumerated; renamings that a proof lists have to be such. *)
Definition check_each (c : claim) (s : sizes) (symmetries : list symmetry) (hints : list hint) : bool :=
  valid (unit_of s) (rows c) && symmetries_hold c s symmetries &&
  (Nat.eqb (length (rows c)) 1 || existsb (upper_holds (core c) s) hints).
(* The best event of a pair. *)
Definition pair_exceeds (c : claim) (s : sizes) p (h : hint) :=
  gap_reaches (core c) s h (from_told p) (to_told p) (others_of c p) None.
Definition check_pair (c : claim) (p : pair_told) (s : sizes) (hints : list hint) : bool :=
  valid (unit_of s) (rows c) && existsb (pair_exceeds c s p) hints.
Theorem check_each_sound c s symmetries hints : check_each c s symmetries hints = true ->
  claim_true c /\ forall g, In g symmetries -> is_symmetry (sees c) (rows c) g.
Proof.
  unfold check_each, claim_true. intros H. apply andb_prop in H as [H U]. apply andb_prop in H as [V S].
  apply valid_sound in V. split; [split; [exact V|]|].
  - apply orb_prop in U as [U|U].
    + apply Nat.eqb_eq in U. intros xs ys [_ X] [_ Y] (l & x & y & r & N & -> & ->). exfalso.
      specialize (X x (in_elt _ _ _)). specialize (Y y (in_elt _ _ _)). rewrite U in X, Y. lia.
    + apply existsb_exists in U as (h & _ & U). apply upper_sound in U.
      replace (delta (core c)) with (delta c) in U by (unfold core; now destruct (sees c)). now apply core_private.
  - unfold symmetries_hold in S. intros g I. eapply check_symmetries_sound; eauto.
Qed.
Theorem pair_gap c p s hints : check_pair c p s hints = true -> forall i xs ys,
  named c (spelled_out p) i xs ys -> exists E, gap_at c xs ys E.
Proof.
  unfold check_pair. intros H i xs ys N. apply andb_prop in H as [V E].
  apply valid_sound in V. apply existsb_exists in E as (h & _ & G).
  apply gap_sound in G as (E & _ & G). cbv zeta in G.
  destruct (lens_Pr c p i xs ys (key_bits s) E V N) as [PX PY]. rewrite <- PX, <- PY in G.
  replace (delta (core c)) with (delta c) in G by (unfold core; now destruct (sees c)).
  replace (eps (core c)) with (eps c) in G by (unfold core; now destruct (sees c)).
  exists (fun t => E (lens c (key_bits s) i t)). split; [apply (lens_event c)|exact G].
Qed.
