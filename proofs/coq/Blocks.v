(* The block lemma: users in blocks of equal make, and what is left of the others drawn from what all laws have
  in common
   (CERTIFICATE.md, "What blocks prove"). What a user sends is an integer here, and what is seen of many is the
     sum: with
   Key.v's numbers that is the multiset of all messages. *)
From Coq Require Import Reals ZArith List Lra Lia Psatz Permutation.
From Shufflecert Require Import Spec SpecCount SpecBlanket Sums Blanket AnyRandomizer.
Import ListNotations.
Local Open Scope R_scope.

(* ---- finite laws, as values with their weights ---- *)
Definition ex {V} (L : list (V * R)) (h : V -> R) : R := sum (fun o => snd o * h (fst o)) L.
(* how much is sent in all, and of how many users nothing is seen *)
Definition seen_of := (Z * nat)%type.
Definition both (v w : seen_of) : seen_of := ((fst v + fst w)%Z, (snd v + snd w)%nat).
Definition nothing : seen_of := (0%Z, O).
Definition same_seen (v w : seen_of) : {v = w} + {v <> w}.
Proof. decide equality; [apply Nat.eq_dec|apply Z.eq_dec]. Defined.
(* independent users together *)
Fixpoint together (Ls : list (list (seen_of * R))) : list (seen_of * R) :=
  match Ls with
  | [] => [(nothing, 1)]
  | L :: Ls => flat_map (fun o => map (fun q => (both (fst o) (fst q), snd o * snd q)) (together Ls)) L
  end.
Definition at_ (L : list (seen_of * R)) (v : seen_of) : R := sum (fun o => if same_seen (fst o) v then snd o else
  0) L.

Section Laws.
Variable ys : list Z.                       (* what one user may send *)
Definition known (w : Z -> R) : list (seen_of * R) := map (fun y => ((y, O), w y)) ys.
(* a user of whom only this is known: c is below his law *)
Definition open_ (c : Z -> R) : list (seen_of * R) := ((0%Z, 1%nat), 1 - sum c ys) :: map (fun y => ((y, O), c
  y)) ys.
Definition block (ks : list (Z -> R)) (c : Z -> R) (u : nat) := together (map known ks ++ repeat (open_ c) u).
Definition in_all (t : list Z) : Z := fold_right Z.add 0%Z t.
(* P and Q against blocks of law S, N of them in all *)
Definition block_bound (zs : list seen_of) (S P Q : list (seen_of * R)) (x : R) (N : nat) : R :=
  sum (fun v => if Rlt_dec 0 (at_ S v) then 0 else Rmax (at_ P v - x * at_ Q v) 0) zs +
  mean_excess N (map (fun v => ((at_ P v - x * at_ Q v) / at_ S v, at_ S v)) zs).

Lemma ex_map {V W} (f : V -> W * R) (l : list V) h : ex (map f l) h = sum (fun v => snd (f v) * h (fst (f v))) l.
Proof. unfold ex. induction l as [|v l IH]; [reflexivity|]. cbn [map]. rewrite !sum_cons. now rewrite IH. Qed.
Lemma ex_app {V} (L M : list (V * R)) h : ex (L ++ M) h = ex L h + ex M h.
Proof. unfold ex. apply sum_app. Qed.
Lemma ex_ext {V} (L : list (V * R)) g h : (forall v, g v = h v) -> ex L g = ex L h.
Proof. intros H. apply sum_ext. intros o _. now rewrite H. Qed.
Lemma ex_scale {V} (L : list (V * R)) k h : ex L (fun v => k * h v) = k * ex L h.
Proof. unfold ex. rewrite <- sum_scale. apply sum_ext. intros. ring. Qed.
Lemma ex_swap {V W} (L : list (V * R)) (M : list (W * R)) h :
  ex L (fun v => ex M (h v)) = ex M (fun w => ex L (fun v => h v w)).
Proof.
  unfold ex. transitivity (sum (fun o => sum (fun q => snd o * (snd q * h (fst o) (fst q))) M) L).
  - apply sum_ext. intros o _. now rewrite sum_scale.
  - rewrite sum_swap. apply sum_ext. intros q _. rewrite <- sum_scale. apply sum_ext. intros. ring.
Qed.

(* ---- many users: the mean of a test of what is seen in all ---- *)
Fixpoint many (Ls : list (list (seen_of * R))) (h : seen_of -> R) : R :=
  match Ls with [] => h nothing | L :: Ls => ex L (fun v => many Ls (fun w => h (both v w))) end.
Lemma both_assoc u v w : both u (both v w) = both (both u v) w.
Proof. unfold both. cbn [fst snd]. f_equal; lia. Qed.
Lemma both_comm v w : both v w = both w v.
Proof. unfold both. f_equal; lia. Qed.
Lemma both_nothing v : both v nothing = v.
Proof. destruct v. unfold both, nothing. cbn [fst snd]. f_equal; lia. Qed.
Lemma many_ext Ls : forall g h, (forall v, g v = h v) -> many Ls g = many Ls h.
Proof. induction Ls as [|L Ls IH]; intros g h H; cbn [many]; [apply H|]. apply ex_ext. intros v. apply IH.
  intros. apply H. Qed.
Lemma many_together Ls : forall h, many Ls h = ex (together Ls) h.
Proof.
  induction Ls as [|L Ls IH]; intros h; cbn [many together]; [unfold ex; cbn; ring|].
  induction L as [|o L IHL]; [reflexivity|]. cbn [flat_map]. rewrite ex_app, <- IHL. unfold ex at 1.
    rewrite sum_cons.
  fold (ex L (fun v => many Ls (fun w => h (both v w)))). f_equal. rewrite IH, ex_map. unfold ex.
    rewrite <- sum_scale.
  apply sum_ext. intros q _. cbn [fst snd]. ring.
Qed.
Lemma many_app Ls Ms : forall h, many (Ls ++ Ms) h = many Ls (fun v => many Ms (fun w => h (both v w))).
Proof.
  induction Ls as [|L Ls IH]; intros h; cbn [app many].
  - apply many_ext. intros w. f_equal. rewrite both_comm. symmetry. apply both_nothing.
  - apply ex_ext. intros v. rewrite IH. apply many_ext. intros w. apply many_ext. intros u. now rewrite both_assoc.
Qed.
Lemma many_perm Ls Ms : Permutation Ls Ms -> forall h, many Ls h = many Ms h.
Proof.
  induction 1 as [|L Ls Ms _ IH|L M Ls|Ls Ms Ns _ IH1 _ IH2]; intros h; cbn [many]; auto.
  - apply ex_ext. intros v. apply IH.
  - rewrite ex_swap. apply ex_ext. intros w. apply ex_ext. intros v. apply many_ext. intros u. f_equal.
    rewrite !both_assoc. f_equal. apply both_comm.
  - now rewrite IH1.
Qed.

(* a law by its distinct values *)
Lemma ex_at zs L h : NoDup zs -> (forall o, In o L -> In (fst o) zs) -> ex L h = sum (fun v => at_ L v * h v) zs.
Proof.
  intros ND. induction L as [|[w p] L IH]; intros I.
  - unfold ex, at_. cbn. induction zs as [|v zs' _]; [reflexivity|]. clear. induction (v :: zs') as [|a l IHl];
    [reflexivity|].
    rewrite sum_cons, <- IHl. cbn. ring.
  - unfold ex. rewrite sum_cons. fold (ex L h). rewrite IH by (intros o Ho; apply I; now right). cbn [fst snd].
    transitivity (sum (fun v => (if same_seen w v then p else 0) * h v) zs + sum (fun v => at_ L v * h v) zs).
    + f_equal. specialize (I (w, p) (or_introl eq_refl)). cbn [fst] in I. clear IH.
      induction zs as [|v zs' IHz]; [destruct I|]. inversion_clear ND as [|? ? NI ND']. rewrite sum_cons.
      destruct (same_seen w v) as [->|N].
      * rewrite (sum_ext _ (fun _ => 0)); [rewrite sum_zero; ring|]. intros v' Iv.
        destruct (same_seen v v') as [->|]; [contradiction|ring].
      * destruct I as [->|I]; [contradiction|]. rewrite <- IHz by assumption. ring.
    + rewrite <- sum_plus. apply sum_ext. intros v _. unfold at_. rewrite sum_cons. cbn [fst snd]. ring.
Qed.

(* ---- users who are left open: each draws from c, or from what his law has more than c ---- *)
(* the mean of h of s and what users with these laws send *)
Fixpoint sends (ws : list (Z -> R)) (h : Z -> R) (s : Z) : R :=
  match ws with [] => h s | w :: ws => sum (fun y => w y * sends ws h (y + s)%Z) ys end.
Variables (c : Z -> R) (q : R) (Q0 : 0 <= q).
(* m users draw from c, or nothing is seen of them, with probability q, and k counts those *)
Fixpoint draws (m : nat) (psi : nat -> Z -> R) (k : nat) (s : Z) : R :=
  match m with O => psi k s | S m => q * draws m psi (S k) s + sum (fun y => c y * draws m psi k (y + s)%Z) ys end.
(* the sum over k of the means of theta k of what m - k users draw *)
Fixpoint layers (m : nat) (theta : nat -> Z -> R) (s : Z) : R :=
  match m with O => theta O s | S m => sum (fun y => c y * layers m theta (y + s)%Z) ys + theta (S m) s end.
Definition later (theta : nat -> Z -> R) (k : nat) (s : Z) : R := match k with O => 0 | S k => theta k s end.
Fixpoint choices (m k : nat) : R :=
  match k, m with O, _ => 1 | S _, O => 0 | S k', S m => choices m k' + choices m k end.
(* the sum over sets of k users: they send by rs *)
Fixpoint chosen (k : nat) (rs : list (Z -> R)) (h : Z -> R) (s : Z) : R :=
  match k, rs with
  | O, _ => h s
  | S _, [] => 0
  | S k', r :: rs => chosen k rs h s + sum (fun y => r y * chosen k' rs h (y + s)%Z) ys
  end.

Lemma layers_ext m : forall t u s, (forall k v, t k v = u k v) -> layers m t s = layers m u s.
Proof.
  induction m as [|m IH]; intros t u s H; cbn [layers]; [apply H|]. rewrite H. f_equal. apply sum_ext. intros y _.
  now rewrite (IH t u).
Qed.
Lemma layers_plus m t u : forall s, layers m (fun k v => t k v + u k v) s = layers m t s + layers m u s.
Proof.
  induction m as [|m IH]; intros s; cbn [layers]; [reflexivity|].
  rewrite (sum_ext _ (fun y => c y * layers m t (y + s)%Z + c y * layers m u (y + s)%Z)) by (intros; rewrite IH;
    ring).
  rewrite sum_plus. ring.
Qed.
Lemma layers_scale m a t : forall s, layers m (fun k v => a * t k v) s = a * layers m t s.
Proof.
  induction m as [|m IH]; intros s; cbn [layers]; [reflexivity|].
  rewrite (sum_ext _ (fun y => a * (c y * layers m t (y + s)%Z))) by (intros; rewrite IH; ring).
    rewrite sum_scale. ring.
Qed.
Lemma layers_later m t : forall s, layers (S m) (later t) s = layers m t s.
Proof.
  induction m as [|m IH]; intros s.
  - cbn [layers later]. rewrite (sum_ext _ (fun _ => 0)) by (intros; ring). rewrite sum_zero. ring.
  - change (layers (S (S m)) (later t) s) with (sum (fun y => c y * layers (S m) (later t) (y + s)%Z) ys + t (S
    m) s).
    cbn [layers]. f_equal. apply sum_ext. intros y _. f_equal. apply IH.
Qed.
Lemma layers_mix (r : Z -> R) m t : forall s,
  sum (fun y => r y * layers m t (y + s)%Z) ys = layers m (fun k v => sum (fun y => r y * t k (y + v)%Z) ys) s.
Proof.
  induction m as [|m IH]; intros s; cbn [layers]; [reflexivity|].
  rewrite (sum_ext _ (fun y => sum (fun x => r y * (c x * layers m t (x + (y + s))%Z)) ys + r y * t (S m) (y +
    s)%Z))
    by (intros; rewrite sum_scale; ring).
  rewrite sum_plus, sum_swap. f_equal. apply sum_ext. intros x _. rewrite <- IH, <- sum_scale. apply sum_ext.
    intros y _.
  replace (x + (y + s))%Z with (y + (x + s))%Z by lia. ring.
Qed.
Lemma chosen_nobody rs h s : chosen O rs h s = h s.
Proof. now destruct rs. Qed.
Lemma chosen_none rs : forall k h s, (length rs < k)%nat -> chosen k rs h s = 0.
Proof.
  induction rs as [|r rs IH]; intros [|k] h s L; cbn [length] in L; try lia; cbn [chosen]; [reflexivity|].
  rewrite IH by lia. rewrite (sum_ext _ (fun _ => 0)) by (intros; rewrite IH by lia; ring). rewrite sum_zero. ring.
Qed.
Lemma choices_nobody m : choices m O = 1.
Proof. now destruct m. Qed.
Lemma choices_none m : forall k, (m < k)%nat -> choices m k = 0.
Proof. induction m as [|m IH]; intros [|k] L; cbn [choices]; try lia; [reflexivity|]. rewrite !IH by lia. ring. Qed.
Lemma choices_nonneg m : forall k, 0 <= choices m k.
Proof.
  induction m as [|m IH]; intros [|k]; cbn [choices]; try lra. pose proof (IH k). pose proof (IH (S k)). lra.
Qed.

Lemma sends_layers ws h : forall s,
  sends ws h s = layers (length ws) (fun k => chosen k (map (fun w y => w y - c y) ws) h) s.
Proof.
  induction ws as [|w ws IH]; intros s; cbn [sends length map]; [reflexivity|].
  set (rs := map (fun w y => w y - c y) ws) in *. set (m := length ws) in *. set (r := fun y => w y - c y).
  set (t := fun k => chosen k rs h).
  transitivity (sum (fun y => c y * layers m t (y + s)%Z) ys + sum (fun y => r y * layers m t (y + s)%Z) ys).
  { rewrite <- sum_plus. apply sum_ext. intros y _. rewrite IH. unfold r, t. ring. }
  rewrite (layers_mix r), <- (layers_later m (fun k v => sum (fun y => r y * t k (y + v)%Z) ys)).
  transitivity (layers (S m) t s + layers (S m) (later (fun k v => sum (fun y => r y * t k (y + v)%Z) ys)) s).
  { assert (N : t (S m) s = 0) by (unfold t; apply chosen_none; unfold rs, m; rewrite map_length; lia).
    f_equal. cbn [layers]. rewrite N. ring. }
  rewrite <- layers_plus. apply layers_ext. intros [|k] v; cbn [later]; unfold t; [rewrite !chosen_nobody;
    ring|reflexivity].
Qed.
Lemma draws_layers m : forall psi k s,
  draws m psi k s = layers m (fun j v => choices m j * q ^ j * psi (k + j)%nat v) s.
Proof.
  induction m as [|m IH]; intros psi k s; cbn [draws].
  - cbn [layers choices pow]. rewrite Nat.add_0_r. ring.
  - rewrite IH. set (t := fun j v => choices m j * q ^ j * psi (S k + j)%nat v).
    set (u := fun j v => choices m j * q ^ j * psi (k + j)%nat v).
    transitivity (layers (S m) (later (fun j v => q * t j v)) s + layers (S m) u s).
    + f_equal.
      * rewrite layers_later, layers_scale. reflexivity.
      * assert (N : u (S m) s = 0) by (unfold u; rewrite choices_none by lia; ring). cbn [layers]. rewrite N.
        rewrite (sum_ext _ (fun y => c y * layers m u (y + s)%Z)) by (intros; now rewrite IH). ring.
    + rewrite <- layers_plus. apply layers_ext. intros [|j] v; cbn [later]; unfold t, u; cbn [choices pow].
      * rewrite Nat.add_0_r, choices_nobody. ring.
      * replace (S k + j)%nat with (k + S j)%nat by lia. ring.
Qed.

Lemma chosen_between rs h : Forall (fun r => (forall y, In y ys -> 0 <= r y) /\ sum r ys = q) rs ->
  (forall s, 0 <= h s <= 1) -> forall k s, 0 <= chosen k rs h s <= choices (length rs) k * q ^ k.
Proof.
  intros H T. induction H as [|r rs [R0 R1] _ IH]; intros [|k] s; cbn [chosen length choices pow];
    try (specialize (T s); lra).
  pose proof (IH (S k) s) as A. cbn [pow] in A. set (K := choices (length rs) k * q ^ k) in *.
  assert (B : 0 <= sum (fun y => r y * chosen k rs h (y + s)%Z) ys <= q * K).
  { split.
    - rewrite <- (sum_zero ys). apply sum_le. intros y I. pose proof (IH k (y + s)%Z). specialize (R0 y I). nra.
    - rewrite <- R1, Rmult_comm, <- sum_scale. apply sum_le. intros y I. pose proof (IH k (y + s)%Z) as E.
      fold K in E.
      specialize (R0 y I). rewrite Rmult_comm. apply Rmult_le_compat_r; lra || nra. }
  unfold K in B. set (n := choices (length rs) k) in *. set (n' := choices (length rs) (S k)) in *.
    set (p := q ^ k) in *.
  nra.
Qed.
(* The users left open may as well draw from c or not be seen, if the test is told how many are not. *)
Theorem left_open ws h : q = 1 - sum c ys ->
  Forall (fun w => (forall y, In y ys -> c y <= w y) /\ sum w ys = 1) ws -> (forall s, 0 <= h s <= 1) ->
  exists psi, (forall k s, 0 <= psi k s <= 1) /\ forall s, sends ws h s = draws (length ws) psi O s.
Proof.
  intros Hq W T. set (rs := map (fun w y => w y - c y) ws). set (m := length ws).
  assert (B : forall k s, 0 <= chosen k rs h s <= choices m k * q ^ k).
  { intros k s. replace m with (length rs) by apply map_length. apply chosen_between; [|exact T].
    apply Forall_forall. intros r I. apply in_map_iff in I as (w & <- & I). rewrite Forall_forall in W.
    destruct (W w I) as [W0 W1]. split; [intros y Y; specialize (W0 y Y); lra|].
    rewrite (sum_ext _ (fun y => w y + -1 * c y)) by (intros; ring). rewrite sum_plus, sum_scale, W1, Hq. ring. }
  exists (fun k s => chosen k rs h s / (choices m k * q ^ k)). split.
  - intros k s. specialize (B k s). set (d := choices m k * q ^ k) in *. destruct (Req_dec d 0) as [Z|N].
    + replace (chosen k rs h s) with 0 by lra. unfold Rdiv. rewrite Rmult_0_l. lra.
    + assert (P : 0 < d) by lra. split; apply Rmult_le_reg_r with d; try exact P; unfold Rdiv; rewrite Rmult_assoc,
        Rinv_l by exact N; lra.
  - intros s. rewrite sends_layers, draws_layers. apply layers_ext. intros k v. cbn [Nat.add]. fold rs.
    specialize (B k v).
    set (d := choices m k * q ^ k) in *. destruct (Req_dec d 0) as [Z|N]; [rewrite Z; lra|field; exact N].
Qed.

Lemma many_sends ws : forall h s k, many (map known ws) (fun v => h (both v (s, k))) =
  sends ws (fun s => h (s, k)) s.
Proof.
  induction ws as [|w ws IH]; intros h s k; cbn [map many sends]; [reflexivity|].
  unfold known at 1. rewrite ex_map. apply sum_ext. intros y _. cbn [fst snd]. f_equal. rewrite <- IH.
    apply many_ext.
  intros v. f_equal. unfold both. cbn [fst snd]. f_equal; lia.
Qed.
Lemma many_draws m : q = 1 - sum c ys -> forall h s k,
  many (repeat (open_ c) m) (fun v => h (both v (s, k))) = draws m (fun k s => h (s, k)) k s.
Proof.
  intros Hq. induction m as [|m IH]; intros h s k; cbn [repeat many draws]; [reflexivity|].
  unfold open_ at 1. unfold ex. rewrite sum_cons. cbn [fst snd]. rewrite <- Hq. f_equal.
  - f_equal. rewrite <- IH. apply many_ext. intros v. f_equal. unfold both. cbn [fst snd]. f_equal; lia.
  - change (ex (map (fun y : Z => (y, O, c y)) ys) (fun v => many (repeat (open_ c) m) (fun w => h (both (both v
    w) (s, k)))) =
      sum (fun y => c y * draws m (fun k s => h (s, k)) k (y + s)%Z) ys).
    rewrite ex_map. apply sum_ext. intros y _. cbn [fst snd]. f_equal. rewrite <- IH. apply many_ext. intros v.
      f_equal.
    unfold both. cbn [fst snd]. f_equal; lia.
Qed.
Lemma sends_app ws vs h : forall s, sends (ws ++ vs) h s = sends ws (fun s => sends vs h s) s.
Proof. induction ws as [|w ws IH]; intros s; cbn [app sends]; [reflexivity|]. apply sum_ext. intros y _.
  now rewrite IH. Qed.
Lemma sends_ext ws g h : (forall s, g s = h s) -> forall s, sends ws g s = sends ws h s.
Proof.
  intros H. induction ws as [|w ws IH]; intros s; cbn [sends]; [apply H|]. apply sum_ext. intros y _.
    now rewrite IH.
Qed.
Lemma sends_perm ws vs h s : Permutation ws vs -> sends ws h s = sends vs h s.
Proof.
  intros P. transitivity (many (map known ws) (fun v => h (fst (both v (s, O))))).
  - symmetry. exact (many_sends ws (fun v => h (fst v)) s O).
  - rewrite (many_perm _ _ (Permutation_map known P)). exact (many_sends vs (fun v => h (fst v)) s O).
Qed.
Definition user_law w := (forall y, In y ys -> 0 <= w y) /\ sum w ys = 1.
Lemma sends_between ws h : Forall user_law ws -> (forall s, 0 <= h s <= 1) -> forall s, 0 <= sends ws h s <= 1.
Proof.
  intros W T. induction W as [|w ws [W0 W1] _ IH]; intros s; cbn [sends]; [apply T|]. split.
  - rewrite <- (sum_zero ys). apply sum_le. intros y I. pose proof (IH (y + s)%Z). specialize (W0 y I). nra.
  - rewrite <- W1. apply sum_le. intros y I. pose proof (IH (y + s)%Z). specialize (W0 y I). nra.
Qed.
Lemma over_sends ws g : forall s, over ys ws (fun t => g (in_all t + s)%Z) = sends ws g s.
Proof.
  induction ws as [|w ws IH]; intros s; cbn [over sends]; [reflexivity|]. apply sum_ext. intros y _. f_equal.
  rewrite <- IH. apply over_ext. intros t. unfold in_all. cbn [fold_right]. f_equal. lia.
Qed.
Definition sum_of_all (t : list seen_of) : seen_of := fold_right both nothing t.
Lemma grouped zs : NoDup zs -> forall Bs, (forall B o, In B Bs -> In o (together B) -> In (fst o) zs) -> forall h,
  many (concat Bs) h = over zs (map (fun B => at_ (together B)) Bs) (fun t => h (sum_of_all t)).
Proof.
  intros ND. induction Bs as [|B Bs IH]; intros I h; cbn [concat map over]; [reflexivity|].
  rewrite many_app, many_together, (ex_at zs) by (auto; intros o; apply (I B); now left). apply sum_ext. intros v _.
  f_equal. rewrite IH by (intros B' o HB; apply I; now right). reflexivity.
Qed.
Lemma sum_of_all_perm s t : Permutation s t -> sum_of_all s = sum_of_all t.
Proof.
  unfold sum_of_all. induction 1; cbn [fold_right]; try congruence. rewrite !both_assoc. f_equal. apply both_comm.
Qed.
Lemma at_many Ls v : at_ (together Ls) v = many Ls (fun w => if same_seen w v then 1 else 0).
Proof. rewrite many_together. apply sum_ext. intros o _. destruct (same_seen (fst o) v); ring. Qed.
Definition masses (L : list (seen_of * R)) := (forall o, In o L -> 0 <= snd o) /\ ex L (fun _ => 1) = 1.
Lemma many_nonneg Ls h : Forall masses Ls -> (forall v, 0 <= h v) -> 0 <= many Ls h.
Proof.
  intros M. revert h. induction M as [|L Ls [M0 _] _ IH]; intros h H; cbn [many]; [apply H|].
  unfold ex. rewrite <- (sum_zero L). apply sum_le. intros o I. apply Rmult_le_pos; [now apply M0|]. apply IH. auto.
Qed.
Lemma many_one Ls : Forall masses Ls -> many Ls (fun _ => 1) = 1.
Proof.
  induction 1 as [|L Ls [_ M1] _ IH]; cbn [many]; [reflexivity|]. rewrite (ex_ext _ _ (fun _ => 1)); auto.
Qed.
Lemma known_masses w : user_law w -> masses (known w).
Proof.
  intros [W0 W1]. split.
  - intros o I. apply in_map_iff in I as (y & <- & I). now apply W0.
  - unfold known. rewrite ex_map. transitivity (sum w ys); [|exact W1]. apply sum_ext. intros. cbn [fst snd]. ring.
Qed.
Lemma sum_map_law l : sum (fun o : seen_of * R => snd o * 1) (map (fun y => ((y, O), c y)) l) = sum c l.
Proof. induction l as [|y l IH]; [reflexivity|]. cbn [map]. rewrite !sum_cons, IH. cbn [snd]. ring. Qed.
Lemma open_masses : (forall y, In y ys -> 0 <= c y) -> sum c ys <= 1 -> masses (open_ c).
Proof.
  intros C0 C1. split.
  - intros o [<-|I]; cbn [snd]; [lra|]. apply in_map_iff in I as (y & <- & I). now apply C0.
  - unfold open_, ex. rewrite sum_cons. cbn [fst snd]. rewrite (sum_map_law ys). lra.
Qed.

(* what the first block shows lies where it would with any other law of the user who changes *)
Lemma places a b Ls : map fst (together (known a :: Ls)) = map fst (together (known b :: Ls)).
Proof.
  cbn [together]. unfold known. induction ys as [|y l IH]; [reflexivity|]. cbn [map flat_map].
    rewrite !map_app, !map_map.
  f_equal. exact IH.
Qed.
Lemma first_block a b x Ls v : at_ (together (known (fun y => a y - x * b y) :: Ls)) v =
  at_ (together (known a :: Ls)) v - x * at_ (together (known b :: Ls)) v.
Proof.
  rewrite !at_many. cbn [many]. unfold known. rewrite !ex_map, <- sum_scale.
  set (h := fun y => many Ls (fun w => if same_seen (both (y, O) w) v then 1 else 0)).
  transitivity (sum (fun y => a y * h y + -1 * (x * (b y * h y))) ys).
  - apply sum_ext. intros y _. cbn [fst snd]. unfold h. ring.
  - rewrite sum_plus, sum_scale. unfold h. cbn [fst snd]. ring.
Qed.
Lemma draw_without n p (L : list (R * R)) : p = 0 -> forall h, mean_of_sum ((0, p) :: L) n h = mean_of_sum L n h.
Proof.
  intros ->. induction n as [|n IH]; intros h; cbn [mean_of_sum]; [reflexivity|]. unfold draw. rewrite sum_cons.
  cbn [fst snd]. rewrite Rmult_0_l, Rplus_0_l. apply sum_ext. intros o _. f_equal. apply IH.
Qed.
Lemma blocks_perm ks u n : Permutation (map known (concat (repeat ks n)) ++ repeat (open_ c) (n * u))
  (concat (repeat (map known ks ++ repeat (open_ c) u) n)).
Proof.
  induction n as [|n IH]; [reflexivity|]. cbn [repeat concat Nat.mul]. rewrite map_app, repeat_app.
  etransitivity; [|apply Permutation_app_head; exact IH]. rewrite <- !app_assoc. apply Permutation_app_head.
  rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.

(* One user has law a or b, and is with users of laws ks1 and u1 users who are left open in the first block;
  each of n more
   blocks has users of laws ks and u who are left open. `dropped` are in no block.
     What tells a from b in all that is
   sent, in any test of it, is at most what does so of the pair of the first block among the other blocks. *)
Theorem block_lemma a b x g others ks1 u1 ks u n opens dropped zs :
  q = 1 - sum c ys -> (forall y, In y ys -> 0 <= c y) ->
  Permutation others (ks1 ++ concat (repeat ks n) ++ opens ++ dropped) ->
  length opens = (u1 + n * u)%nat -> Forall (fun w => (forall y, In y ys -> c y <= w y) /\ sum w ys = 1) opens ->
  Forall user_law ks -> Forall user_law dropped -> (forall s, 0 <= g s <= 1) ->
  NoDup zs -> incl (map fst (block ks c u)) zs -> incl (map fst (block (a :: ks1) c u1)) zs ->
  over ys (a :: others) (fun t => g (in_all t)) - x * over ys (b :: others) (fun t => g (in_all t)) <=
  block_bound zs (block ks c u) (block (a :: ks1) c u1) (block (b :: ks1) c u1) x (S n).
Proof.
  intros Hq C0 PO LO OL KL DL T ND IS IP.
  set (f := fun y => a y - x * b y).
  assert (E0 : forall w, over ys (w :: others) (fun t => g (in_all t)) = sends (w :: others) g 0%Z).
  { intros w. rewrite <- over_sends. apply over_ext. intros t. now rewrite Z.add_0_r. }
  rewrite !E0. assert (E1 : sends (a :: others) g 0%Z - x * sends (b :: others) g 0%Z = sends (f :: others) g 0%Z).
  { cbn [sends]. rewrite <- sum_scale. unfold f.
    transitivity (sum (fun y => a y * sends others g (y + 0)%Z + -1 * (x * (b y * sends others g (y + 0)%Z))) ys).
    - rewrite sum_plus, !sum_scale. ring.
    - apply sum_ext. intros y _. ring. }
  rewrite E1. set (first := ks1 ++ concat (repeat ks n)).
  rewrite (sends_perm _ ((f :: first) ++ opens ++ dropped)) by
    (cbn [app]; constructor; unfold first; now rewrite <- app_assoc).
  rewrite sends_app. destruct (left_open opens (fun s => sends dropped g s) Hq OL (sends_between _ _ DL T))
    as (psi & P01 & HP).
  set (m := length opens) in *. set (Psi := fun v : seen_of => psi (snd v) (fst v)).
  rewrite (sends_ext _ _ (fun s => draws m psi O s)) by (intros s; rewrite sends_app; apply HP).
  set (B := map known ks ++ repeat (open_ c) u). set (B1 := map known (f :: ks1) ++ repeat (open_ c) u1).
  assert (E2 : sends (f :: first) (fun s => draws m psi O s) 0%Z = many (concat (B1 :: repeat B n)) Psi).
  { transitivity (many (map known (f :: first))
      (fun v => draws m psi (snd (both v (0%Z, O))) (fst (both v (0%Z, O))))).
    { symmetry. exact (many_sends (f :: first) (fun v => draws m psi (snd v) (fst v)) 0%Z O). }
    transitivity (many (map known (f :: first) ++ repeat (open_ c) m) Psi).
    - rewrite many_app. apply many_ext. intros v.
      change (draws m psi (snd (both v (0%Z, O))) (fst (both v (0%Z, O)))) with
        (draws m (fun k s => Psi (s, k)) (snd (both v (0%Z, O))) (fst (both v (0%Z, O)))).
      rewrite <- (many_draws m Hq Psi). apply many_ext. intros w. f_equal. unfold both. cbn [fst snd]. f_equal; lia.
    - apply many_perm. unfold B1. cbn [concat map app]. constructor. unfold first. rewrite map_app, <- !app_assoc.
      apply Permutation_app_head. rewrite LO, repeat_app, app_assoc.
      etransitivity; [apply Permutation_app_tail, Permutation_app_comm|]. rewrite <- app_assoc.
      apply Permutation_app_head, blocks_perm. }
  rewrite E2. rewrite (grouped zs ND).
  2: { intros B' o [<-|I] Io.
    - apply IP. unfold block. cbn [map app]. rewrite (places a f). apply in_map. exact Io.
    - apply repeat_spec in I as ->. apply IS. unfold block. apply in_map. exact Io. }
  cbn [map]. replace (map (fun B => at_ (together B)) (repeat B n)) with (repeat (at_ (block ks c u)) n)
    by (clear; induction n as [|n IH]; [reflexivity|]; cbn [repeat map]; now rewrite IH).
  set (S := at_ (block ks c u)). set (F := at_ (together B1)).
  assert (HF : forall v, F v = at_ (block (a :: ks1) c u1) v - x * at_ (block (b :: ks1) c u1) v).
  { intros v. unfold F, B1, block. cbn [map app]. apply first_block. }
  assert (C1 : sum c ys <= 1) by lra.
  assert (MB : Forall masses B).
  { unfold B. apply Forall_app. split.
    - apply Forall_forall. intros L I. apply in_map_iff in I as (w & <- & I). apply known_masses.
      rewrite Forall_forall in KL. now apply KL.
    - apply Forall_forall. intros L I. apply repeat_spec in I as ->. now apply open_masses. }
  assert (S0 : positive S).
  { intros v. unfold S, block. rewrite at_many. apply many_nonneg; [exact MB|]. intros w.
    destruct (same_seen w v); lra. }
  assert (S1 : sum S zs = 1).
  { rewrite <- (many_one B MB), many_together. unfold B. fold (block ks c u). rewrite (ex_at zs) by
      (auto; intros o I; apply IS, in_map, I). apply sum_ext. intros v _. unfold S. ring. }
  set (d := fun v => if Rlt_dec 0 (S v) then 0 else Rmax (F v) 0). set (l := fun v => F v / S v).
  assert (D0 : positive d).
  { intros v. unfold d. destruct (Rlt_dec 0 (S v)); [lra|apply Rmax_r]. }
  assert (HL : forall v, In v zs -> F v - S v * l v <= d v).
  { intros v _. unfold d, l. destruct (Rlt_dec 0 (S v)) as [N|N].
    - right. field. lra.
    - replace (S v) with 0 by (specialize (S0 v); lra). rewrite Rmult_0_l, Rminus_0_r. apply Rmax_l. }
  eapply Rle_trans.
  - apply (blanket_of zs S S0 F l d D0 HL (repeat S n) (fun t => Psi (sum_of_all t))).
    + rewrite S1. apply Rle_refl.
    + apply Forall_forall. intros w I. apply repeat_spec in I as ->. split; [exact S1|]. intros. apply Rle_refl.
    + intros s t P. f_equal. now apply sum_of_all_perm.
    + intros t. apply P01.
  - right. rewrite repeat_length. unfold block_bound, mean_excess. f_equal.
    + apply sum_ext. intros v _. unfold d. fold S. destruct (Rlt_dec 0 (S v)); [reflexivity|]. now rewrite HF.
    + f_equal. rewrite draw_without by (rewrite S1; ring). f_equal. apply map_ext. intros v. unfold l. fold S.
      now rewrite HF.
Qed.
End Laws.

(* ---- of a randomizer as Spec.v has it ---- *)
From Coq Require Import QArith Qreals.
From Shufflecert Require Import Poly Key Law Check Reach Multisets.
Local Open Scope R_scope.
Lemma pick k p (h : Z -> R) l : NoDup l -> In k l -> p * h k = sum (fun y => (if (k =? y)%Z then p else 0) * h y) l.
Proof.
  induction 1 as [|y l NI ND IH]; intros I; [destruct I|]. rewrite sum_cons. destruct (Z.eqb_spec k y) as [->|N].
  - rewrite (sum_ext _ (fun _ => 0)); [rewrite sum_zero; ring|]. intros v Iv.
    destruct (Z.eqb_spec y v) as [->|]; [contradiction|ring].
  - destruct I as [->|I]; [contradiction|]. rewrite <- IH by assumption. ring.
Qed.
Lemma mean_one (r : row) : mean (fun _ => 1) r = Q2R (fold_right (fun o total => snd o + total)%Q 0%Q r).
Proof.
  induction r as [|[s p] r IH]; cbn [mean fold_right fst snd]; [unfold Q2R; cbn; ring|]. rewrite IH, Q2R_plus. ring.
Qed.
Section Randomizers.
Variables (K : randomizer) (w : Z) (ys : list Z) (ND : NoDup ys)
  (YS : forall r s p, In r K -> In (s, p) r -> In (key w s) ys) (HK : is_randomizer K).
(* Pr[the key of what a user with input x sends is y] *)
Definition sending (x : nat) (y : Z) : R := Pr (fun s => (key w s =? y)%Z) (nth x K []).
Lemma row_in x s p : In (s, p) (nth x K []) -> In (key w s) ys.
Proof.
  intros I. destruct (Nat.lt_ge_cases x (length K)) as [L|L]; [eapply YS; [apply nth_In; exact L|exact I]|].
  rewrite nth_overflow in I by exact L. destruct I.
Qed.
Lemma mean_sending x h : mean (fun s => h (key w s)) (nth x K []) = sum (fun y => sending x y * h y) ys.
Proof.
  unfold sending. pose proof (row_in x) as I. induction (nth x K []) as [|[s p] r IH]; cbn [mean fst snd].
  - rewrite (sum_ext _ (fun _ => 0)) by (intros; cbn; ring). now rewrite sum_zero.
  - rewrite IH by (intros t q J; eapply I; right; exact J).
    transitivity (sum (fun y => (if (key w s =? y)%Z then Q2R p else 0) * h y) ys +
      sum (fun y => Pr (fun s => (key w s =? y)%Z) r * h y) ys).
    + f_equal. apply pick; [exact ND|]. exact (I s p (or_introl eq_refl)).
    + rewrite <- sum_plus. apply sum_ext. intros y _. unfold Pr. cbn [fold_right fst snd]. ring.
Qed.
Lemma mean_sends xs : forall h s, mean (fun t => h (key w (concat t) + s)%Z) (sent K xs) =
  sends ys (map sending xs) h s.
Proof.
  induction xs as [|x xs IH]; intros h s.
  - cbn [sent mean map sends fst snd concat]. rewrite RMicromega.Q2R_1. change (key w [] + s)%Z with (0 + s)%Z.
    rewrite Z.add_0_l. ring.
  - rewrite mean_sent. cbn [map sends].
    rewrite <- (mean_sending x (fun y => sends ys (map sending xs) h (y + s)%Z)).
    apply mean_ext. intros a q _. rewrite <- IH. apply mean_ext. intros t p _. f_equal. cbn [concat].
    rewrite key_app. lia.
Qed.
Lemma sending_nonneg x y : 0 <= sending x y.
Proof.
  unfold sending. rewrite Pr_mean. apply mean_nonneg. intros s p I. split.
  - destruct (Nat.lt_ge_cases x (length K)) as [L|L].
    + destruct (HK _ (nth_In _ [] L)) as [P _]. specialize (P s p I). apply Qlt_le_weak, Qle_Rle in P.
      now rewrite RMicromega.Q2R_0 in P.
    + rewrite nth_overflow in I by exact L. destruct I.
  - unfold indicator. destruct (_ =? _)%Z; lra.
Qed.
Lemma sending_law x : (x < length K)%nat -> user_law ys (sending x).
Proof.
  intros L. split; [intros y _; apply sending_nonneg|].
  rewrite (sum_ext _ (fun y => sending x y * 1)) by (intros; ring). rewrite <- (mean_sending x (fun _ => 1)).
  destruct (HK _ (nth_In _ [] L)) as [_ S]. apply Qeq_eqR in S. rewrite RMicromega.Q2R_1 in S.
  etransitivity; [exact (mean_one (nth x K []))|exact S].
Qed.
(* Others in blocks of inputs us, with u more of whom nothing is asked;
  us1 and u1 of them beside the user who changes. *)
Theorem block_at_most c l r a b us1 u1 us u n opens dropped zs z :
  (0 <= w)%Z -> (Z.of_nat (length (l ++ a :: r)) * longest K < 2 ^ w)%Z ->
  dataset K (length (l ++ a :: r)) (l ++ a :: r) -> dataset K (length (l ++ a :: r)) (l ++ b :: r) ->
  Permutation (l ++ r) (us1 ++ concat (repeat us n) ++ opens ++ dropped) -> length opens = (u1 + n * u)%nat ->
  (forall y, In y ys -> 0 <= c y) -> (forall x y, (x < length K)%nat -> In y ys -> c y <= sending x y) ->
  NoDup zs -> incl (map fst (block ys (map sending us) c u)) zs ->
  incl (map fst (block ys (map sending (a :: us1)) c u1)) zs -> (forall x, In x us -> (x < length K)%nat) ->
  at_most Shuffled K (l ++ a :: r) (l ++ b :: r) z
    (block_bound zs (block ys (map sending us) c u) (block ys (map sending (a :: us1)) c u1)
      (block ys (map sending (b :: us1)) c u1) z (S n)).
Proof.
  intros Hw HL [LX X] [LY Y] P LO C0 CW NZ IS IP HU E HE.
  assert (LY' : length (l ++ b :: r) = length (l ++ a :: r)) by (rewrite !app_length; reflexivity).
  destruct (event_keys w K _ (l ++ a :: r) (l ++ b :: r) E Hw HL HE eq_refl LY') as (G & -> & ->).
  assert (M : forall x, mean (fun t => indicator G (key w (concat t))) (sent K (l ++ x :: r)) =
    over ys (sending x :: map sending (l ++ r)) (fun t => indicator G (in_all t))).
  { intros x. rewrite (over_ext ys _ _ (fun t => indicator G (in_all t + 0)%Z)) by (intros; now rewrite Z.add_0_r).
    rewrite over_sends.
    transitivity (mean (fun t => indicator G (key w (concat t) + 0)%Z) (sent K (l ++ x :: r))).
    { apply mean_ext. intros. now rewrite Z.add_0_r. }
    rewrite mean_sends. apply (sends_perm ys (map sending (l ++ x :: r)) (map sending (x :: l ++ r))).
    apply Permutation_map. symmetry. apply Permutation_middle. }
  rewrite !M.
  assert (IN : forall x, In x (opens ++ dropped) -> (x < length K)%nat).
  { intros x I. apply X. assert (J : In x (l ++ r)).
    { eapply Permutation_in; [symmetry; exact P|]. apply in_or_app. right. apply in_or_app. now right. }
    rewrite in_app_iff in *. cbn. tauto. }
  apply (block_lemma ys c (1 - sum c ys)) with (opens := map sending opens) (dropped := map sending dropped); auto.
  - assert (I : (a < length K)%nat) by (apply X, in_elt). pose proof (sending_law a I) as [_ S1].
    assert (sum c ys <= sum (sending a) ys) by (apply sum_le; intros y Iy; now apply CW). lra.
  - rewrite (Permutation_map sending P), !map_app, concat_map.
    replace (map (map sending) (repeat us n)) with (repeat (map sending us) n); [reflexivity|].
    clear. induction n as [|n IH]; [reflexivity|]. cbn [repeat map]. now rewrite IH.
  - now rewrite map_length.
  - apply Forall_forall. intros v I. apply in_map_iff in I as (x & <- & I).
    assert (L : (x < length K)%nat) by (apply IN, in_or_app; now left). split; [auto|apply sending_law; exact L].
  - apply Forall_forall. intros v I. apply in_map_iff in I as (x & <- & I). apply sending_law. now apply HU.
  - apply Forall_forall. intros v I. apply in_map_iff in I as (x & <- & I). apply sending_law, IN, in_or_app.
    now right.
  - intros s. unfold indicator. destruct (G s); lra.
Qed.
End Randomizers.
