(* Listed events as sets of keys. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec Poly Key Law Views Reach.
Import ListNotations.
Local Open Scope Z_scope.

(* ---- counts of messages ---- *)
Definition total_of (m : list (msg * Z)) : Z := fold_right (fun mk t => snd mk + t) 0 m.
Definition counts_key w (m : list (msg * Z)) : Z :=
  fold_right (fun mk t => snd mk * 2 ^ (w * Z.of_nat (fst mk)) + t) 0 m.
Definition proper (m : list (msg * Z)) : bool := forallb (fun mk => 0 <=? snd mk) m.
Definition spelled (m : list (msg * Z)) : list msg := flat_map (fun mk => repeat (fst mk) (Z.to_nat (snd mk))) m.

Lemma key_repeat w k n : key w (repeat k n) = Z.of_nat n * 2 ^ (w * Z.of_nat k).
Proof. induction n as [|n IH]; [reflexivity|]. cbn [repeat key]. rewrite IH. lia. Qed.
Lemma times_repeat k n j : times j (repeat k n) = if Nat.eqb k j then n else O.
Proof.
  unfold times. induction n as [|n IH]; cbn [repeat count_occ]; [now destruct (Nat.eqb k j)|].
  destruct (Nat.eq_dec k j) as [->|N]; rewrite IH.
  - now rewrite Nat.eqb_refl.
  - apply Nat.eqb_neq in N. now rewrite N.
Qed.
Lemma times_app j s t : times j (s ++ t) = (times j s + times j t)%nat.
Proof. apply count_occ_app. Qed.
Lemma spelled_ok w m : proper m = true ->
  key w (spelled m) = counts_key w m /\ Z.of_nat (length (spelled m)) = total_of m /\
  forall j, Z.of_nat (times j (spelled m)) = how_many m j.
Proof.
  unfold proper, spelled. induction m as [|[k n] m IH]; intros H; [repeat split|].
  cbn [forallb snd] in H. apply andb_prop in H as [N H]. apply Z.leb_le in N. destruct (IH H) as (A & B & C).
    clear IH H.
  cbn [flat_map counts_key total_of how_many fold_right fst snd].
    rewrite key_app, app_length, repeat_length, key_repeat.
  fold (counts_key w m) (total_of m). repeat split; try lia. intros j. rewrite times_app, times_repeat.
    specialize (C j).
  unfold how_many in C. destruct (Nat.eqb k j); lia.
Qed.

Lemma matches_counts s m : matches s (Counts m) = true <-> forall j, Z.of_nat (times j s) = how_many m j.
Proof.
  cbn [matches]. rewrite forallb_forall. split.
  - intros H j. destruct (in_dec Nat.eq_dec j (s ++ map fst m)) as [I|I]; [now apply Z.eqb_eq, H|].
    rewrite in_app_iff in I. unfold times. replace (count_occ Nat.eq_dec s j) with O.
    2: { symmetry. apply count_occ_not_In. tauto. }
    assert (N : ~ In j (map fst m)) by tauto. clear I H. induction m as [|[k n] m IH]; [reflexivity|].
    cbn [how_many fold_right fst snd map] in *. destruct (Nat.eqb_spec k j) as [->|E]; [exfalso; apply N; now left|].
    apply IH. intros I. apply N. now right.
  - intros H j _. now apply Z.eqb_eq.
Qed.
Lemma matches_spelled s m : proper m = true -> matches s (Counts m) = true <-> Permutation s (spelled m).
Proof.
  intros P. destruct (spelled_ok 0 m P) as (_ & _ & C). rewrite matches_counts, (Permutation_count_occ Nat.eq_dec).
  split; intros H j; specialize (H j); specialize (C j); unfold times in *; lia.
Qed.

(* ---- keys of what is listed; what cannot occur has none ---- *)
Definition counts_keys w (o : outcome) : list Z :=
  match o with Counts m => if total_of m <? 2 ^ w then [counts_key w m] else [] | Tuple _ => [] end.
Definition tuple_keys w (n : nat) (o : outcome) : list Z :=
  match o with Tuple s => if Nat.leb (length s) n then [key w (spread n O s)] else [] | Counts _ => [] end.
Definition counted (o : outcome) : bool := match o with Counts m => proper m | Tuple _ => false end.
Definition spoken (o : outcome) : bool := match o with Counts _ => false | Tuple _ => true end.

Definition key_set (keys : list Z) : Keys.t := fold_left (fun set k => Keys.add k set) keys Keys.empty.
Definition among (keys : list Z) : Z -> bool := let set := key_set keys in fun k => Keys.mem k set.
Lemma among_ok keys k : among keys k = true <-> In k keys.
Proof.
  unfold among, key_set. rewrite Keys.mem_spec.
  assert (G : forall set, Keys.In k (fold_left (fun set k => Keys.add k set) keys set) <-> In k keys \/ Keys.In k set).
  { induction keys as [|j keys IH]; intros set; cbn [fold_left In]; [tauto|]. rewrite IH, Keys.add_spec.
    split; intros [H|H]; auto; destruct H; auto. }
  rewrite G. split; [intros [H|H]; auto; now apply Keys.empty_spec in H|auto].
Qed.

Lemma among_counts w outs s : 0 <= w -> forallb counted outs = true -> Z.of_nat (length s) < 2 ^ w ->
  among (flat_map (counts_keys w) outs) (key w s) = existsb (matches s) outs.
Proof.
  intros Hw F L. apply eq_true_iff_eq. rewrite among_ok, in_flat_map, existsb_exists. rewrite forallb_forall in F.
  split; intros (o & I & H); exists o; split; auto; specialize (F o I); destruct o as [m|]; try discriminate;
    cbn [counted] in F.
  - destruct (spelled_ok w m F) as (A & B & _). cbn [counts_keys] in H.
    destruct (Z.ltb_spec (total_of m) (2 ^ w)); [|destruct H].
    destruct H as [H|[]]. apply matches_spelled; auto. apply (key_inj w); auto; [unfold msg in *; lia|congruence].
  - destruct (spelled_ok w m F) as (A & B & _). apply matches_spelled in H; auto. cbn [counts_keys].
    apply Permutation_length in H as N. destruct (Z.ltb_spec (total_of m) (2 ^ w)); [|unfold msg in *; lia].
    left. rewrite <- A. symmetry. now apply key_perm.
Qed.
Lemma among_tuples w n outs s : 0 <= w -> Z.of_nat n < 2 ^ w -> forallb spoken outs = true -> (length s <= n)%nat ->
  among (flat_map (tuple_keys w n) outs) (key w (spread n O s)) = existsb (matches s) outs.
Proof.
  intros Hw W F L. apply eq_true_iff_eq. rewrite among_ok, in_flat_map, existsb_exists. rewrite forallb_forall in F.
  split; intros (o & I & H); exists o; split; auto; specialize (F o I); destruct o as [|t]; try discriminate.
  - cbn [tuple_keys] in H. destruct (Nat.leb_spec (length t) n) as [Lt|]; [|destruct H]. destruct H as [H|[]].
    apply key_inj in H; rewrite ?spread_length; try lia. apply spread_inj in H; [|exact Lt|exact L]. subst t.
    cbn [matches]. destruct (list_eq_dec _ _ _); congruence.
  - cbn [matches] in H. destruct (list_eq_dec Nat.eq_dec s t) as [<-|]; [|discriminate]. cbn [tuple_keys].
    rewrite (proj2 (Nat.leb_le _ _) L). now left.
Qed.
