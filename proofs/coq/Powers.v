(* The law of many users, those on one input by repeated squaring. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec Poly Key Law Exp Every Check Cover Kron.
Import ListNotations.
Local Open Scope Z_scope.

(* ---- the law of two groups of users, from those of each ---- *)
Definition shrunk (cut S : Z) (f : poly) (l : Z) : cover :=
  let '(f, l) := shrink S cut f [] l in {| scale := S; low := f; lost := l |}.
Definition join (t : line) (cut : Z) (c e : cover) : cover :=
  shrunk cut (scale c) (times t (low c) (low e)) (lost c + lost e).
Definition twice (t : line) (cut : Z) (c : cover) : cover :=
  shrunk cut (scale c) (times_self t (low c)) (lost c + lost c).
Lemma twice_same t cut c : twice t cut c = join t cut c c.
Proof. unfold twice, join. now rewrite times_self_same. Qed.
(* one user more, on x *)
Definition step_on (t : line) (F : list poly) D cut x (c : cover) : cover :=
  let '(f, l) := shrink D cut (times t (row_at F x) (low c)) [] (lost c) in {| scale := scale c; low := f; lost := l |}.
(* that says nothing *)
Definition unknown (S : Z) : cover := {| scale := S; low := []; lost := S |}.
(* of 1, 2, 4, 8, ... users *)
Fixpoint squares (t : line) cut (many : nat) (c : cover) : list cover :=
  match many with O => [] | S many => c :: squares t cut many (twice t cut c) end.
Fixpoint with_power (t : line) cut (table : list cover) (p : positive) (acc : cover) : cover :=
  match table with
  | [] => unknown (scale acc)
  | c :: table =>
      match p with
      | xH => join t cut c acc
      | xO p => with_power t cut table p acc
      | xI p => with_power t cut table p (join t cut c acc)
      end
  end.
Fixpoint with_powers (t : line) cut (tables : list (list cover)) (ks : list Z) (acc : cover) : cover :=
  match tables, ks with
  | table :: tables, k :: ks =>
      with_powers t cut tables ks (match k with Zpos p => with_power t cut table p acc | _ => acc end)
  | _, _ => acc
  end.

Record round := { prec_of : precision; fine_of : Z; cut_of : Z; line_of : line }.
Definition table_of (F : list poly) D cut (t : line) (many : nat) (first : cover) (x : nat) : list cover :=
  squares t cut many (step_on t F D cut x first).
Definition nobody (fine : Z) : cover :=
  {| scale := 2 ^ fine; low := [(0, 2 ^ fine)]; lost := 0 |}.
(* A pair of neighbours, and how many others have which input, who may be too many to be listed; and with all of them listed. *)
Record pair_told := { from_told : nat; to_told : nat; others_told : list (nat * Z) }.
Definition spelled (os : list (nat * Z)) : list nat := flat_map (fun o => repeat (fst o) (Z.to_nat (snd o))) os.
Definition spelled_out (p : pair_told) : pair :=
  {| from := from_told p; to := to_told p; others := spelled (others_told p) |}.
Definition counts_in (inputs : nat) (os : list (nat * Z)) : bool := forallb (fun o => Nat.ltb (fst o) inputs && (0 <=? snd o)) os.
Fixpoint often_onto (x : nat) (ys : list nat) (k : Z) : Z :=
  match ys with [] => k | y :: ys => often_onto x ys (if Nat.eqb y x then k + 1 else k) end.
Definition how_often (x : nat) (ys : list nat) : Z := often_onto x ys 0.
Definition counted (inputs : nat) (ys : list nat) : list (nat * Z) := map (fun x => (x, how_often x ys)) (seq 0 inputs).
(* the others' law, by powers *)
(* so many users on x *)
Fixpoint crowded (F : list poly) D cut (t : line) (first : cover) (x : nat) (n : positive) : cover :=
  match n with
  | xH => step_on t F D cut x first
  | xO n => twice t cut (crowded F D cut t first x n)
  | xI n => step_on t F D cut x (twice t cut (crowded F D cut t first x n))
  end.
Definition law_of_counts (F : list poly) D (r : round) (os : list (nat * Z)) : option cover :=
  fold_right (fun o before => match snd o with
    | Zpos n =>
        let v := crowded F D (cut_of r) (line_of r) (nobody (fine_of r)) (fst o) n in
        Some match before with Some w => join (line_of r) (cut_of r) v w | None => v end
    | _ => before
    end) None os.
Definition law_of_others (F : list poly) D (r : round) (os : list (nat * Z)) : cover :=
  match law_of_counts F D r os with Some v => v | None => nobody (fine_of r) end.

Definition add_up (ks : list Z) : Z := fold_right Z.add 0 ks.

Local Open Scope R_scope.
Section Groups.
Variables (F : list poly) (D cut : Z) (HD : (0 < D)%Z) (HF : forallb (fair D) F = true).
Variables (t : line) (S : Z) (HS : (0 < S)%Z).
Definition group (ys : list nat) (c : cover) :=
  (forall y, In y ys -> (y < length F)%nat) /\ scale c = S /\ sure (low c) /\ covers F D ys c.

Lemma group_perm ys zs c : Permutation ys zs -> group ys c -> group zs c.
Proof.
  intros P (I & E & L & C). repeat split; auto; try apply C.
  - intros y Hy. apply I. eapply Permutation_in; [symmetry; exact P|exact Hy].
  - eapply covers_perm; [exact P|exact C|]; auto.
  - eapply covers_perm; [exact P|exact C|]; auto.
Qed.
Lemma exact_pos ys g : (forall y, In y ys -> (y < length F)%nat) -> (forall k, 0 <= g k) -> 0 <= eval g (exact F ys).
Proof.
  intros I G. pose proof (exact_le F D HF ys I (fun _ => 0) g G) as L.
  rewrite (exact_const F D HF ys 0 I) in L. lra.
Qed.

Lemma group_total ys c : group ys c -> (total (low c) <= S)%Z.
Proof.
  intros (I & E & _ & S1 & C). rewrite E in *. apply le_IZR. destruct (C (fun _ => 1) ltac:(intros k; lra)) as [L _].
  rewrite eval_const, (exact_const F D HF ys 1 I) in L. pose proof (power_pos D HD ys).
  apply Rmult_le_reg_l with (power D ys); [assumption|lra].
Qed.
Lemma group_join ys zs c e : group ys c -> group zs e -> group (ys ++ zs) (join t cut c e).
Proof.
  intros GC GE. pose proof (IZR_le _ _ (group_total zs e GE)) as TE.
  destruct GC as (I1 & E1 & N1 & S1 & C1), GE as (I2 & E2 & N2 & S2 & C2). unfold join, shrunk. rewrite E1 in *. rewrite E2 in *.
  pose proof (times_sure t (low c) (low e) N1 N2) as NT.
  pose proof (shrink_sure S cut _ HS NT [] (lost c + lost e) eq_refl) as SL.
  destruct (shrink S cut (times t (low c) (low e)) [] _) as [f l] eqn:U.
  split; [|split; [reflexivity|split; [exact SL|split; [exact S1|]]]]; cbn [low lost scale].
  - intros y Hy. apply in_app_iff in Hy as [Hy|Hy]; auto.
  - intros g G. set (P := power D ys). set (Q := power D zs). set (Y := exact F ys). set (W := exact F zs).
    pose proof (power_pos D HD ys) as HP. pose proof (power_pos D HD zs) as HQ. fold P in HP. fold Q in HQ.
    rewrite power_app. fold P Q. set (J := eval g (exact F (ys ++ zs))).
    assert (Gl : forall d, test (fun k => g (d + k)%Z)) by (intros d k; apply G).
    assert (Gr : forall d, test (fun k => g (k + d)%Z)) by (intros d k; apply G).
    assert (J1 : J = eval (fun d => eval (fun k => g (d + k)%Z) W) Y) by apply exact_app.
    assert (J2 : J = eval (fun e => eval (fun d => g (d + e)%Z) Y) W) by (rewrite J1; apply eval_swap).
    set (L := eval g (times t (low c) (low e))). split.
    + assert (L1 : Q * L <= IZR S * eval (fun e => eval (fun d => g (d + e)%Z) (low c)) W).
      { unfold L. rewrite eval_times, eval_mul, <- (eval_swap (fun d e => g (d + e)%Z)), <- !eval_scale.
        apply eval_le; [exact N1|]. intros d. apply (C2 _ (Gl d)). }
      assert (L2 : P * eval (fun e => eval (fun d => g (d + e)%Z) (low c)) W <= IZR S * J).
      { rewrite J2, <- !eval_scale. apply (exact_le F D HF); [exact I2|]. intros d. apply (C1 _ (Gr d)). }
      assert (L3 : IZR S * eval g f <= L).
      { pose proof (shrink_below S cut g (times t (low c) (low e)) [] (lost c + lost e) HS (fun k => proj1 (G k))) as V.
        rewrite U in V. cbn [eval fst] in V. unfold L. lra. }
      apply Rmult_le_reg_l with (IZR S); [exact S1|].
      apply (Rmult_le_compat_l P) in L1; [|lra]. apply (Rmult_le_compat_l (IZR S)) in L2; [|lra].
      apply (Rmult_le_compat_l (P * Q)) in L3; [|nra]. lra.
    + set (M := eval (fun e => eval (fun d => g (d + e)%Z) Y) (low e)).
      assert (U1 : IZR S * J <= Q * (M + IZR (lost e) * P)).
      { rewrite J1, <- eval_scale. unfold M. rewrite <- (eval_swap (fun d e => g (d + e)%Z)).
        replace (IZR (lost e) * P) with (eval (fun _ => IZR (lost e)) Y) by now apply exact_const.
        rewrite <- eval_plus, <- eval_scale. apply (exact_le F D HF); [exact I1|]. intros d. apply (C2 _ (Gl d)). }
      assert (U2 : IZR S * M <= P * (L + IZR (lost c) * IZR (total (low e)))).
      { unfold M, L. rewrite eval_times, eval_mul, (eval_swap (fun d e => g (d + e)%Z) (low c) (low e)), <- eval_const,
          <- eval_plus, <- !eval_scale.
        apply eval_le; [exact N2|]. intros d. apply (C1 _ (Gr d)). }
      pose proof (shrink_above S cut g (times t (low c) (low e)) [] (lost c + lost e) HS G) as U3.
      rewrite U in U3. cbn [eval] in U3. rewrite plus_IZR in U3. fold L in U3.
      assert (C0 : 0 <= IZR (lost c)).
      { destruct (C1 (fun _ => 0) ltac:(intros k; lra)) as [_ X]. rewrite !eval_const in X.
        apply Rmult_le_reg_l with P; [exact HP|]. fold P in X. lra. }
      apply Rmult_le_reg_l with (IZR S); [exact S1|].
      apply (Rmult_le_compat_l (IZR S)) in U1; [|lra]. apply (Rmult_le_compat_l Q) in U2; [|lra].
      apply (Rmult_le_compat_l (P * Q)) in U3; [|nra].
      assert (X : IZR (lost c) * IZR (total (low e)) <= IZR (lost c) * IZR S) by (apply Rmult_le_compat_l; lra).
      apply (Rmult_le_compat_l (P * Q)) in X; [|nra]. lra.
Qed.
Lemma group_step x ys c : (x < length F)%nat -> group ys c -> group (x :: ys) (step_on t F D cut x c).
Proof.
  intros Hx (I & E & N & C). pose proof (covers_shrunk F D cut HD HF x ys c _ Hx C (eval_times t (row_at F x) (low c))) as V.
  unfold step_on. pose proof (shrink_sure D cut _ HD (times_sure t _ _ (proj1 (fair_at F D HF x Hx)) N) [] (lost c) eq_refl) as A.
  destruct (shrink D cut _ [] (lost c)) as [f l]. split; [intros y [<-|Hy]; auto|]. split; [exact E|]. now split.
Qed.
Lemma group_unknown ys : (forall y, In y ys -> (y < length F)%nat) -> group ys (unknown S).
Proof.
  intros I. repeat split; auto; [now apply IZR_lt|..]; cbn [unknown low lost scale eval];
    pose proof (power_pos D HD ys); assert (S1 : 0 < IZR S) by now apply IZR_lt.
  - rewrite Rmult_0_r. apply Rmult_le_pos; [lra|]. apply exact_pos; auto. apply H.
  - pose proof (exact_le F D HF ys I g (fun _ => 1) (fun k => proj2 (H k))) as L.
    rewrite (exact_const F D HF ys 1 I) in L. nra.
Qed.
Fixpoint powers x (p : positive) (table : list cover) : Prop :=
  match table with [] => True | c :: table => group (repeat x (Pos.to_nat p)) c /\ powers x (p~0) table end.
Lemma squares_ok x many : forall p c, group (repeat x (Pos.to_nat p)) c -> powers x p (squares t cut many c).
Proof.
  induction many as [|n IH]; intros p c H; cbn [squares powers]; auto. split; [exact H|]. apply IH.
  replace (Pos.to_nat p~0) with (Pos.to_nat p + Pos.to_nat p)%nat by lia. rewrite repeat_app, twice_same. now apply group_join.
Qed.
Lemma with_power_ok x : (x < length F)%nat -> forall table q p ys acc, powers x q table -> group ys acc ->
  group (repeat x (Pos.to_nat (q * p)) ++ ys) (with_power t cut table p acc).
Proof.
  intros Hx. induction table as [|c table IH]; intros q p ys acc P A; cbn [with_power].
  - destruct A as (I & E & _). rewrite E. apply group_unknown. intros y Hy. apply in_app_iff in Hy as [Hy|Hy]; auto.
    apply repeat_spec in Hy. now subst.
  - destruct P as [C P]. destruct p as [p|p|].
    + apply (group_perm (repeat x (Pos.to_nat (q~0 * p)) ++ repeat x (Pos.to_nat q) ++ ys)).
      * rewrite app_assoc, <- repeat_app. replace (Pos.to_nat (q * p~1)) with (Pos.to_nat (q~0 * p) + Pos.to_nat q)%nat
          by lia. reflexivity.
      * apply IH; [exact P|]. now apply group_join.
    + replace (q * p~0)%positive with (q~0 * p)%positive by lia. now apply IH.
    + rewrite Pos.mul_1_r. now apply group_join.
Qed.
(* so many users of each class *)
Fixpoint users_of (cs : list nat) (ks : list Z) : list nat :=
  match cs, ks with c :: cs, k :: ks => repeat c (Z.to_nat k) ++ users_of cs ks | _, _ => [] end.
Lemma with_powers_ok cs : (forall x, In x cs -> (x < length F)%nat) -> forall ts ks ys acc,
  Forall2 (fun x => powers x 1) cs ts -> group ys acc ->
  group (users_of cs ks ++ ys) (with_powers t cut ts ks acc).
Proof.
  intros I ts ks ys acc P. revert ks ys acc. induction P as [|x table cs ts H P IH]; intros [|k ks] ys acc A;
    cbn [users_of with_powers app]; auto.
  apply (group_perm (users_of cs ks ++ repeat x (Z.to_nat k) ++ ys)).
  - rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
  - apply IH; [intros; apply I; now right|]. destruct k as [|p|p]; try exact A.
    rewrite <- (Pos.mul_1_l p) at 1. apply with_power_ok; auto. apply I. now left.
Qed.
End Groups.

(* ---- how many of which class ---- *)
Definition number_of (ys : list nat) (c : nat) : Z := Z.of_nat (count_occ Nat.eq_dec ys c).
Lemma numbers_all cs ys : NoDup cs -> (forall y, In y ys -> In y cs) ->
  add_up (map (number_of ys) cs) = Z.of_nat (length ys).
Proof.
  intros ND. induction ys as [|y ys IH]; intros I.
  - clear. unfold add_up. induction cs as [|c cs IH]; [reflexivity|]. cbn [map fold_right]. rewrite IH. reflexivity.
  - assert (G : add_up (map (number_of (y :: ys)) cs) = (number_of cs y + add_up (map (number_of ys) cs))%Z).
    { clear. unfold add_up, number_of. induction cs as [|c cs IH]; [reflexivity|]. cbn [map fold_right].
      rewrite IH. cbn [count_occ]. destruct (Nat.eq_dec y c), (Nat.eq_dec c y); try congruence; lia. }
    rewrite G, IH by (intros; apply I; now right). unfold number_of. cbn [length].
    rewrite (proj1 (NoDup_count_occ' Nat.eq_dec cs) ND y (I y (or_introl eq_refl))). lia.
Qed.
Lemma users_taken cs : NoDup cs -> forall m ys, Forall2 Z.le m (map (number_of ys) cs) ->
  exists rest, Permutation ys (users_of cs m ++ rest).
Proof.
  induction 1 as [|c cs N ND IH]; intros m ys H.
  - exists ys. destruct m; reflexivity.
  - inversion_clear H as [|k ? m' ? K H']. cbn [users_of].
    destruct (take c (Z.to_nat k) ys) as [zs P]; [unfold number_of in K; lia|].
    destruct (IH m' zs) as [rest R].
    + replace (map (number_of zs) cs) with (map (number_of ys) cs); [exact H'|]. apply map_ext_in. intros d Hd.
      unfold number_of. rewrite (proj1 (Permutation_count_occ Nat.eq_dec _ _) P d), count_occ_app.
      rewrite (count_occ_repeat_neq Nat.eq_dec); [reflexivity|]. intros ->. contradiction.
    + exists rest. rewrite P, R. now rewrite app_assoc.
Qed.
Lemma users_more cs : forall m have, length have = length m ->
  forallb (fun k => 0 <=? k)%Z (map (fun kh => fst kh - snd kh)%Z (combine m have)) = true ->
  forallb (fun k => 0 <=? k)%Z have = true ->
  Permutation (users_of cs (map (fun kh => fst kh - snd kh)%Z (combine m have)) ++ users_of cs have) (users_of cs m).
Proof.
  induction cs as [|c cs IH]; intros [|k m] [|h have] L M H; try discriminate; try reflexivity.
  cbn [combine map forallb fst snd users_of] in *. apply andb_prop in M as [M1 M2]. apply andb_prop in H as [H1 H2].
  apply Z.leb_le in M1, H1. rewrite <- (IH m have) by auto.
  replace (Z.to_nat k) with (Z.to_nat (k - h) + Z.to_nat h)%nat by lia. rewrite repeat_app, <- !app_assoc.
  apply Permutation_app_head. rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.

Lemma often_ok x ys : how_often x ys = number_of ys x.
Proof.
  unfold how_often, number_of. rewrite <- (Z.add_0_l (Z.of_nat _)). generalize 0%Z as k.
  induction ys as [|y ys IH]; intros k;
    cbn [often_onto count_occ]; [change (Z.of_nat 0) with 0%Z; ring|]. rewrite IH.
  destruct (Nat.eqb_spec y x), (Nat.eq_dec y x); try contradiction; lia.
Qed.
Lemma users_length cs : forall ks, length ks = length cs -> forallb (fun k => 0 <=? k)%Z ks = true ->
  Z.of_nat (length (users_of cs ks)) = add_up ks.
Proof.
  induction cs as [|c cs IH]; intros [|k ks] L H; try discriminate; [reflexivity|]. cbn [users_of add_up fold_right].
  cbn [forallb] in H. apply andb_prop in H as [H1 H2]. apply Z.leb_le in H1.
  rewrite app_length, repeat_length, Nat2Z.inj_add, (IH ks) by auto. unfold add_up. lia.
Qed.
Lemma users_all cs ys : NoDup cs -> (forall y, In y ys -> In y cs) ->
  Permutation ys (users_of cs (map (number_of ys) cs)).
Proof.
  intros ND I. destruct (users_taken cs ND (map (number_of ys) cs) ys) as [rest P].
  - induction (map (number_of ys) cs); constructor; auto. lia.
  - assert (L : Z.of_nat (length (users_of cs (map (number_of ys) cs))) = Z.of_nat (length ys)).
    { rewrite users_length, numbers_all; auto; [apply map_length|]. apply forallb_forall. intros k K.
      apply in_map_iff in K as (x & <- & _). unfold number_of. apply Z.leb_le. lia. }
    pose proof (Permutation_length P) as E. rewrite app_length in E. destruct rest; [|simpl in E; lia].
    now rewrite app_nil_r in P.
Qed.
Section Tables.
Variables (F : list poly) (D cut : Z) (HD : (0 < D)%Z) (HF : forallb (fair D) F = true).
Variables (t : line) (fine : Z) (Hf : (0 <= fine)%Z) (many : nat).
Lemma fine_pos : (0 < 2 ^ fine)%Z.
Proof. apply Z.pow_pos_nonneg; lia. Qed.
Lemma nobody_ok : group F D (2 ^ fine) [] (nobody fine).
Proof.
  assert (SS : sure [(0%Z, (2 ^ fine)%Z)]) by (unfold sure; cbn [forallb snd]; pose proof fine_pos;
    destruct (Z.leb_spec 0 (2 ^ fine)); [reflexivity|lia]).
  split; [intros y []|split; [reflexivity|split; [exact SS|]]]. now apply covers_start.
Qed.
Lemma tables_ok cs : (forall x, In x cs -> (x < length F)%nat) ->
  Forall2 (fun x => powers F D (2 ^ fine) x 1) cs (map (table_of F D cut t many (nobody fine)) cs).
Proof.
  induction cs as [|x cs IH]; intros I; cbn [map]; constructor; [|apply IH; intros y Hy; apply I; now right].
  pose proof fine_pos. pose proof nobody_ok.
  apply squares_ok; auto. change (repeat x (Pos.to_nat 1)) with [x]. apply group_step; auto. apply I. now left.
Qed.
End Tables.
Lemma crowded_ok F D cut t fine x n : (0 < D)%Z -> forallb (fair D) F = true -> (0 <= fine)%Z -> (x < length F)%nat ->
  group F D (2 ^ fine) (repeat x (Pos.to_nat n)) (crowded F D cut t (nobody fine) x n).
Proof.
  intros HD HF Hf Hx. pose proof (fine_pos fine Hf) as FP. induction n as [n IH|n IH|]; cbn [crowded].
  - replace (Pos.to_nat n~1) with (S (Pos.to_nat n + Pos.to_nat n)) by lia. cbn [repeat]. rewrite repeat_app, twice_same.
    apply group_step; auto. now apply group_join.
  - replace (Pos.to_nat n~0) with (Pos.to_nat n + Pos.to_nat n)%nat by lia. rewrite repeat_app, twice_same. now apply group_join.
  - apply group_step; auto. now apply nobody_ok.
Qed.

(* ---- how many others have which input ---- *)
Lemma in_spelled os i : In i (spelled os) -> exists k, In (i, k) os.
Proof.
  unfold spelled. intros I. apply in_flat_map in I as ([x k] & J & I). apply repeat_spec in I. cbn [fst] in I. subst. now exists k.
Qed.
Lemma counts_parts inputs os : counts_in inputs os = true ->
  (forall o, In o os -> (fst o < inputs)%nat /\ (0 <= snd o)%Z) /\ forall i, In i (spelled os) -> (i < inputs)%nat.
Proof.
  unfold counts_in. rewrite forallb_forall. intros H. assert (A : forall o, In o os -> (fst o < inputs)%nat /\ (0 <= snd o)%Z).
  { intros o I. specialize (H o I). apply andb_prop in H as [X K]. apply Nat.ltb_lt in X. now apply Z.leb_le in K. }
  split; [exact A|]. intros i I. apply in_spelled in I as [k I]. apply (A _ I).
Qed.
Lemma spelled_length inputs os : counts_in inputs os = true -> Z.of_nat (length (spelled os)) = add_up (map snd os).
Proof.
  intros H. apply counts_parts in H as [H _]. unfold spelled, add_up. induction os as [|o os IH]; [reflexivity|].
  cbn [flat_map map fold_right]. rewrite app_length, repeat_length, Nat2Z.inj_add, IH by (intros; apply H; now right).
  pose proof (H o (or_introl eq_refl)). lia.
Qed.
Lemma often_spelled os i : (forall o, In o os -> (0 <= snd o)%Z) ->
  number_of (spelled os) i = add_up (map (fun o => if Nat.eqb (fst o) i then snd o else 0%Z) os).
Proof.
  unfold spelled, number_of, add_up. induction os as [|[x k] os IH]; cbn [flat_map map fold_right fst snd]; [reflexivity|].
  intros H. pose proof (H _ (or_introl eq_refl)) as K. cbn [snd] in K. rewrite count_occ_app, Nat2Z.inj_add, IH by (intros; apply H; now right).
  f_equal. clear - K. destruct (Nat.eqb_spec x i) as [->|N].
  - rewrite <- (Z2Nat.id k K) at 2. f_equal. induction (Z.to_nat k) as [|n IH]; [reflexivity|]. cbn [repeat count_occ].
    destruct (Nat.eq_dec i i); [now rewrite IH|contradiction].
  - induction (Z.to_nat k) as [|n IH]; [reflexivity|]. cbn [repeat count_occ]. destruct (Nat.eq_dec x i); [contradiction|exact IH].
Qed.
Lemma counted_ok inputs ys : (forall y, In y ys -> (y < inputs)%nat) -> counts_in inputs (counted inputs ys) = true /\
  Permutation ys (spelled (counted inputs ys)).
Proof.
  intros I. split.
  - unfold counts_in, counted. apply forallb_forall. intros o J. apply in_map_iff in J as (x & <- & J). apply in_seq in J. cbn [fst snd].
    rewrite often_ok. unfold number_of. destruct (Nat.ltb_spec x inputs); [|lia]. apply Z.leb_le. lia.
  - replace (spelled (counted inputs ys)) with (users_of (seq 0 inputs) (map (number_of ys) (seq 0 inputs))).
    + apply users_all; [apply seq_NoDup|]. intros y Y. apply in_seq. specialize (I y Y). lia.
    + unfold spelled, counted. induction (seq 0 inputs) as [|x l IH]; [reflexivity|]. cbn [map users_of flat_map fst snd]. now rewrite often_ok, IH.
Qed.
Lemma law_of_counts_ok F D r os : (0 < D)%Z -> forallb (fair D) F = true -> (0 <= fine_of r)%Z ->
  (forall o, In o os -> (fst o < length F)%nat) ->
  match law_of_counts F D r os with Some v => group F D (2 ^ fine_of r) (spelled os) v | None => spelled os = [] end.
Proof.
  intros HD HF Hf I. induction os as [|[x k] os IH]; [reflexivity|].
  cbn [law_of_counts fold_right spelled flat_map fst snd]. fold (law_of_counts F D r os) (spelled os).
  specialize (IH ltac:(intros y Y; apply I; now right)). destruct k as [|n|n]; [exact IH| |exact IH]. cbn [Z.to_nat].
  pose proof (crowded_ok F D (cut_of r) (line_of r) (fine_of r) x n HD HF Hf (I _ (or_introl eq_refl))) as C.
  destruct (law_of_counts F D r os) as [w|]; [|rewrite IH, app_nil_r; exact C].
  apply group_join; auto. now apply fine_pos.
Qed.
Lemma law_of_others_ok F D r os : (0 < D)%Z -> forallb (fair D) F = true -> (0 <= fine_of r)%Z ->
  (forall o, In o os -> (fst o < length F)%nat) -> covers F D (spelled os) (law_of_others F D r os).
Proof.
  intros HD HF Hf I. unfold law_of_others. pose proof (law_of_counts_ok F D r os HD HF Hf I) as L.
  destruct (law_of_counts F D r os) as [v|]; [apply L|]. rewrite L. now apply covers_start.
Qed.
