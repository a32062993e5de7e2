(* The checker of who is there: whatever keeps a claim, or breaks it, of the laws that users send by who take part, or of
   whom one is not there; and its theorems. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec SpecBlanket SpecThreshold SpecPresence Poly Key Law Exp Check Cover Kron Powers Boxes Views
  Kernel Grid CheckBlocks Threshold.
Import ListNotations.
Local Open Scope Z_scope.

(* The claim of a table: all that theorems about randomizers are about. *)
Definition claim_of (c : crowd) : claim :=
  {| rows := laws_of c; sees := shown_as c; users := honest c; eps := crowd_eps c; delta := crowd_delta c |}.
Definition said (c : crowd) (own unit : Z) : bool :=
  valid own (each c) && (0 <? Qnum (takes c)) && (Qnum (takes c) <=? QDen (takes c)) &&
  (Z.of_nat (honest c) <=? all_users c) && valid unit (laws_of c).
Definition replaced (c : crowd) : bool := match changes c with Replace => true | _ => false end.
Definition all_changes (h : change) (inputs : nat) : list (nat * nat) :=
  match h with
  | Replace => all_moves inputs
  | _ => flat_map (fun x => [(x, inputs); (inputs, x)]) (seq 0 inputs)
  end.

Inductive crowd_proof :=
| AllDatasets (s : sizes) (symmetries : list symmetry) (hints : list hint)
| Trees (s : sizes) (rounds : list round) (many : nat) (exact_too : list precision) (prec : precision) (sh : list Z)
    (trees : list covered) (ups : list symmetry) (moved : list (symmetry * list (nat * nat)))
| Certain.  (* of a delta of at least 1 there is nothing to say *)
Definition check_crowd (c : crowd) (own unit : Z) (p : crowd_proof) : bool :=
  said c own unit &&
  match p with
  | AllDatasets s symmetries hints => replaced c && check_each (claim_of c) s symmetries hints
  | Trees s rounds many exact_too prec sh trees ups moved =>
      check_pairs (core (claim_of c)) (length (each c)) (all_changes (changes c) (length (each c))) s rounds many
        exact_too prec sh trees ups moved
  | Certain => good (crowd_eps c) && (QDen (crowd_delta c) <=? Qnum (crowd_delta c))
  end.

Inductive crowd_gap :=
| BestEvent (s : sizes) (hints : list hint)
| Listed (outcomes : list outcome) (s : sizes) (hints : list hint)
| Above (t : threshold) (unit : Z) (prec : precision) (fine cut : Z) (fast : option (line * nat))
| Topmost (t : threshold) (unit : Z) (prec : precision).
Definition moves_so (h : change) (inputs x y : nat) : bool :=
  match h with
  | Replace => Nat.ltb x inputs && Nat.ltb y inputs && negb (Nat.eqb x y)
  | _ => Nat.ltb x inputs && Nat.eqb y inputs || Nat.eqb x inputs && Nat.ltb y inputs
  end.
(* a pair of neighbours, and all others *)
Definition pair_said (c : crowd) (own unit : Z) (p : pair_told) : bool :=
  said c own unit && moves_so (changes c) (length (each c)) (from_told p) (to_told p) &&
  counts_in (length (each c)) (others_of (claim_of c) p) && so_many (claim_of c) p.
Definition check_crowd_false (c : crowd) (own unit : Z) (p : pair_told) (e : crowd_gap) : bool :=
  pair_said c own unit p &&
  match e with
  | BestEvent s hints => check_pair (claim_of c) p s hints
  | Listed outcomes s hints => check_listed (claim_of c) p outcomes s hints
  | Above t D prec fine cut fast => check_threshold (claim_of c) p t D prec fine cut fast
  | Topmost t D prec => check_topmost (claim_of c) p t D prec
  end.

Local Open Scope R_scope.
Lemma said_ok c own unit : said c own unit = true -> well_said c.
Proof.
  unfold said. intros H. do 4 (apply andb_prop in H as [H ?]). apply Z.ltb_lt in H3. apply Z.leb_le in H1, H2.
  split; [now apply valid_sound in H|split; [|split; [exact H1|now apply valid_sound in H0]]].
  unfold Qlt, Qle. cbn [Qnum Qden]. lia.
Qed.
Lemma inputs_of c : length (laws_of c) = (length (each c) + length (absent (map (taking_part (takes c)) (each c))
  (changes c)))%nat.
Proof. unfold laws_of. now rewrite app_length, map_length. Qed.
Lemma moves_in c x y : moves (changes c) (length (each c)) x y ->
  (x < length (laws_of c))%nat /\ (y < length (laws_of c))%nat /\ x <> y.
Proof. rewrite inputs_of. unfold moves. destruct (changes c); cbn [absent length]; lia. Qed.
Lemma changes_in h inputs x y : moves h inputs x y -> In (x, y) (all_changes h inputs).
Proof.
  unfold moves, all_changes. destruct h; [intros (X & Y & N); now apply all_moves_in| |];
    (intros [[X ->]|[-> Y]]; apply in_flat_map; [exists x|exists y]; (split; [apply in_seq; lia|]); cbn; auto).
Qed.
Lemma moves_so_ok h inputs x y : moves_so h inputs x y = true -> moves h inputs x y.
Proof.
  unfold moves_so, moves. intros H. destruct h.
  - apply andb_prop in H as [H N]. apply andb_prop in H as [X Y]. apply Nat.ltb_lt in X, Y.
    apply negb_true_iff, Nat.eqb_neq in N. auto.
  - apply orb_prop in H as [H|H]; apply andb_prop in H as [X Y]; [left|right];
      rewrite ?Nat.ltb_lt, ?Nat.eqb_eq in *; auto.
  - apply orb_prop in H as [H|H]; apply andb_prop in H as [X Y]; [left|right];
      rewrite ?Nat.ltb_lt, ?Nat.eqb_eq in *; auto.
Qed.

(* ---- what others send, independently of the honest, is post-processing ---- *)
Lemma Pr_with_others E M L : Pr E (with_others M L) = mean (fun m => Pr (fun t => E (t ++ m)) L) M.
Proof.
  rewrite Pr_mean. unfold with_others. induction M as [|[m p] M IH]; [reflexivity|].
  cbn [flat_map mean fst snd]. rewrite mean_app, IH. f_equal. rewrite Pr_mean. clear.
  induction L as [|[t q] L IH]; cbn [map mean fst snd]; [ring|]. rewrite IH, Q2R_mult. unfold indicator. ring.
Qed.
Lemma event_beside v E m : event v E -> event v (fun t => E (t ++ m)).
Proof.
  intros H s t L. apply H. destruct v; cbn [looks_same] in *.
  - rewrite !concat_app. now apply Permutation_app_tail.
  - apply Forall2_app; [exact L|]. clear. induction m; constructor; auto.
  - now rewrite L.
Qed.
Lemma mean_distribution {A} d (M : law A) : distribution M -> mean (fun _ => d) M = d.
Proof.
  intros [_ S]. assert (G : forall M : law A, mean (fun _ => d) M =
    d * Q2R (fold_right (fun o total => snd o + total)%Q 0%Q M)).
  { clear. induction M as [|[a p] M IH]; cbn [mean fold_right fst snd]; [rewrite RMicromega.Q2R_0; ring|].
    rewrite IH, Q2R_plus. ring. }
  rewrite G. apply Qeq_eqR in S. rewrite S, RMicromega.Q2R_1. ring.
Qed.
Lemma others_hide v L1 L2 z d M E : distribution M -> event v E ->
  (forall E, event v E -> Pr E L1 - z * Pr E L2 <= d) ->
  Pr E (with_others M L1) - z * Pr E (with_others M L2) <= d.
Proof.
  intros D HE H. rewrite !Pr_with_others, mean_minus, <- (mean_distribution d M D). apply mean_le.
  - intros m p I. destruct D as [P _]. apply P, Qlt_Rlt in I. rewrite RMicromega.Q2R_0 in I. lra.
  - intros m p _. apply H. now apply event_beside.
Qed.
Definition nobody : law (list (list msg)) := [([], 1%Q)].
Lemma nobody_else E L : Pr E (with_others nobody L) = Pr E L.
Proof.
  rewrite Pr_with_others. cbn [nobody mean fst snd]. rewrite RMicromega.Q2R_1, !Pr_mean.
  rewrite (mean_ext (indicator (fun t => E (t ++ []))) (indicator E)); [ring|].
  intros t p _. unfold indicator. now rewrite app_nil_r.
Qed.
Lemma nobody_law : distribution nobody.
Proof. split; [|reflexivity]. intros m p [[= <- <-]|[]]. reflexivity. Qed.

(* ---- what is shown of a table's pairs ---- *)
Lemma crowd_from c : well_said c ->
  (forall l x y r, length (l ++ x :: r) = honest c -> moves (changes c) (length (each c)) x y ->
    (forall i, In i (l ++ r) -> (i < length (each c))%nat) ->
    at_most (shown_as c) (laws_of c) (l ++ x :: r) (l ++ y :: r) (value (crowd_eps c)) (Q2R (crowd_delta c))) ->
  crowd_true c.
Proof.
  intros W H. split; [exact W|]. intros l x y r M E L MV I D HE. apply (others_hide _ _ _ _ _ M E D HE).
  intros E' HE'. now apply (H l x y r).
Qed.
Lemma datasets c l x y r : length (l ++ x :: r) = honest c -> moves (changes c) (length (each c)) x y ->
  (forall i, In i (l ++ r) -> (i < length (each c))%nat) ->
  dataset (laws_of c) (honest c) (l ++ x :: r) /\ dataset (laws_of c) (honest c) (l ++ y :: r).
Proof.
  intros L MV I. apply moves_in in MV as (X & Y & _). pose proof (inputs_of c) as LE.
  assert (A : forall u, (u < length (laws_of c))%nat -> dataset (laws_of c) (honest c) (l ++ u :: r)).
  { intros u U. split; [rewrite app_length in *; exact L|]. intros i J. apply in_app_iff in J as [J|[<-|J]]; auto;
      specialize (I i ltac:(rewrite in_app_iff; auto)); lia. }
  split; auto.
Qed.
Lemma crowd_of_table c : well_said c -> replaced c = true -> private (shown_as c) (laws_of c) (honest c)
  (value (crowd_eps c)) (Q2R (crowd_delta c)) -> crowd_true c.
Proof.
  intros W RE P. apply crowd_from; [exact W|]. intros l x y r L MV I.
  destruct (datasets c l x y r L MV I) as [DX DY]. apply P; auto. apply moves_in in MV as (_ & _ & N). now exists l, x, y, r.
Qed.
(* What holds of neighbours as the shuffled view shows them holds of those of the crowd: in other views only he who
   changes is looked at. *)
Lemma in_core c l x y r : well_said c -> length (l ++ x :: r) = honest c -> moves (changes c) (length (each c)) x y ->
  (forall i, In i (l ++ r) -> (i < length (each c))%nat) -> let C := core (claim_of c) in exists l' r',
  (forall i, In i (l' ++ r') -> (i < length (each c))%nat) /\ dataset (rows C) (users C) (l' ++ x :: r') /\
  dataset (rows C) (users C) (l' ++ y :: r') /\ forall z d,
  at_most Shuffled (rows C) (l' ++ x :: r') (l' ++ y :: r') z d ->
  at_most (shown_as c) (laws_of c) (l ++ x :: r) (l ++ y :: r) z d.
Proof.
  intros (_ & _ & _ & HK) L MV I. pose proof (moves_in c x y MV) as (X & Y & N). destruct (datasets c l x y r L MV I) as [DX DY].
  unfold core, claim_of. cbn [sees rows users eps delta]. destruct (shown_as c) eqn:V; cbn [rows users].
  - exists l, r. auto.
  - exists [], []. split; [intros i []|]. do 2 (split; [split; [reflexivity|intros i [<-|[]]; assumption]|]). intros z d G.
    apply one_user_at_most; [exact HK|discriminate|apply DX|]. now apply one_multiset.
  - exists [], []. split; [intros i []|].
    do 2 (split; [split; [reflexivity|rewrite tag_length; intros i [<-|[]]; assumption]|]). intros z d G.
    apply one_user_at_most; [exact HK|discriminate|apply DX|]. now apply one_tuple.
Qed.
Theorem check_crowd_sound c own unit p : check_crowd c own unit p = true -> crowd_true c.
Proof.
  unfold check_crowd. intros H. apply andb_prop in H as [S H]. pose proof (said_ok _ _ _ S) as W.
  destruct p as [s g hs|s rs many ps prec sh trees ups moved|];
    [apply andb_prop in H as [RE H]; apply crowd_of_table; auto| |].
  - apply check_each_sound in H as [[_ P] _]. exact P.
  - apply crowd_from; [exact W|]. intros l x y r L MV I. destruct (in_core c l x y r W L MV I) as (l' & r' & I' & DX & DY & G).
    apply G. pose proof (check_pairs_sound _ _ _ _ _ _ _ _ _ _ _ _ H l' x y r' (changes_in _ _ _ _ MV) I' DX DY) as K.
    revert K. unfold core. destruct (sees (claim_of c)); intros K; exact K.
  - apply andb_prop in H as [G H]. apply value_1 in G. apply Z.leb_le in H. apply crowd_from; [exact W|].
    intros l x y r L MV I E _. destruct (datasets c l x y r L MV I) as [[_ DX] [_ DY]]. destruct W as (_ & _ & _ & HK).
    destruct (Pr_within _ HK E _ DX) as [_ PX], (Pr_within _ HK E _ DY) as [PY _].
    assert (D : 1 <= Q2R (crowd_delta c)).
    { rewrite <- RMicromega.Q2R_1. apply Qle_Rle. unfold Qle. cbn [Qnum Qden]. lia. }
    nra.
Qed.

(* neighbours of a pair, all others with inputs *)
Lemma named_so c own unit p : pair_said c own unit p = true -> well_said c /\
  moves (changes c) (length (each c)) (from_told p) (to_told p) /\ counts_in (length (each c)) (others_of (claim_of c) p) = true /\
  exists r, named (claim_of c) (spelled_out p) 0 (from_told p :: r) (to_told p :: r) /\ length (from_told p :: r) = honest c /\
  forall i, In i r -> (i < length (each c))%nat.
Proof.
  unfold pair_said. intros H. do 3 (apply andb_prop in H as [H ?]). rename H0 into PS, H1 into CI, H2 into MV.
  apply said_ok in H. apply moves_so_ok in MV. split; [exact H|split; [exact MV|split; [exact CI|]]].
  set (inputs := length (each c)) in *. set (some := if Nat.ltb (from_told p) inputs then from_told p else to_told p).
  assert (SO : (some < inputs)%nat).
  { unfold some. destruct (Nat.ltb_spec (from_told p) inputs); [assumption|]. unfold moves in MV. destruct (changes c); lia. }
  set (r := match shown_as c with Shuffled => spelled (others_told p) | _ => repeat some (honest c - 1) end).
  assert (R : length (from_told p :: r) = honest c /\ forall i, In i r -> (i < inputs)%nat).
  { unfold so_many, others_of in *. cbn [claim_of sees users rows] in *. unfold r.
    destruct (shown_as c).
    - apply Z.eqb_eq in PS. pose proof (spelled_length _ _ CI). split; [cbn [length]; lia|]. apply (counts_parts _ _ CI).
    - apply Nat.ltb_lt in PS. cbn [length]. rewrite repeat_length. split; [lia|]. intros i I. apply repeat_spec in I. now subst.
    - apply Nat.ltb_lt in PS. cbn [length]. rewrite repeat_length. split; [lia|]. intros i I. apply repeat_spec in I. now subst. }
  destruct R as [L I]. exists r. split; [|split; [exact L|exact I]].
  destruct (datasets c [] (from_told p) (to_told p) r L MV I) as [DX DY]. pose proof (moves_in c _ _ MV) as (_ & _ & N).
  split; [exact DX|split; [exact DY|split; [exact N|]]]. exists [], r. do 3 (split; [reflexivity|]).
  intros V. cbn [claim_of sees] in V. unfold r. now rewrite V.
Qed.
Theorem check_crowd_false_sound c own unit p e : check_crowd_false c own unit p e = true -> crowd_false c.
Proof.
  unfold check_crowd_false. intros H. apply andb_prop in H as [PS HE].
  destruct (named_so c own unit p PS) as (W & MV & _ & r & NM & LR & I). split; [exact W|]. intros P.
  remember (from_told p :: r) as xs eqn:EX. remember (to_told p :: r) as ys eqn:EY.
  assert (GAP : exists E, gap_at (claim_of c) xs ys E).
  { destruct e as [s hs|os s hs|t D prec fine cut fast|t D prec].
    - now apply (pair_gap _ p s hs HE 0%nat).
    - destruct (listed_gap _ p os s hs HE) as [G _]. now apply (G 0%nat).
    - apply check_threshold_sound in HE as (_ & V & _ & G & _). exists (passes t). split; [|now apply (G 0%nat)].
      rewrite V. apply passes_event.
    - apply check_topmost_sound in HE as (_ & V & _ & G & _). exists (passes t). split; [|now apply (G 0%nat)].
      rewrite V. apply passes_event. }
  destruct GAP as (E & HEV & G). cbn [claim_of sees rows eps delta] in *. apply Rlt_not_le in G. apply G.
  pose proof (P [] (from_told p) (to_told p) r nobody E) as Q. cbn [app] in Q. rewrite !nobody_else in Q. rewrite EX, EY.
  apply Q; auto; [now subst xs|apply nobody_law].
Qed.
