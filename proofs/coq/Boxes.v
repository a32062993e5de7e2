(* All other users at once, by boxes of how many are in which class: a box's corner stands for it, since whoever is
   missing there only hides. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Psatz Permutation Bool.
From Shufflecert Require Import Spec Poly Key Law Exp Every Check Cover Kron Powers.
Import ListNotations.
Local Open Scope Z_scope.

(* ---- boxes: the least and the most in each class ---- *)
Definition box := list (Z * Z).
Definition none (total : Z) (b : box) : bool :=
  existsb (fun lu => snd lu <? fst lu) b || (add_up (map snd b) <? total) || (total <? add_up (map fst b)).
Definition corner (total : Z) (b : box) : list Z :=
  let room := add_up (map snd b) - total in map (fun lu => Z.max (fst lu) (snd lu - room)) b.
Fixpoint cut_at (within : bool) (k : nat) (most : Z) (b : box) : box :=
  match b, k with
  | [], _ => []
  | (l, u) :: b, O => (if within then (l, Z.min u most) else (Z.max l (most + 1), u)) :: b
  | lu :: b, S k => lu :: cut_at within k most b
  end.
Fixpoint position (x : nat) (l : list nat) : nat :=
  match l with [] => O | y :: l => if Nat.eqb x y then O else S (position x l) end.

(* Where no cuts are given: a box whose corner does not do is cut where it is widest. *)
Definition most_of (total : Z) (b : box) : list Z :=
  let room := total - add_up (map fst b) in map (fun lu => Z.min (snd lu) (fst lu + room)) b.
Fixpoint widest (k : nat) (low high : list Z) (best : nat * Z * Z) : nat * Z * Z :=
  match low, high with
  | l :: low, h :: high =>
      widest (S k) low high (if snd best <? h - l then (k, (l + h) / 2, h - l) else best)
  | _, _ => best
  end.
(* `budget` boxes at most are looked at; how many are budget. *)
Fixpoint by_halves {A} (good : list Z -> list Z -> A -> bool * A) (last : list Z -> bool) (total : Z) (fuel : nat)
    (b : box) (have : list Z) (acc : A) (budget : Z) : option Z :=
  if none total b then Some budget else
  let m := corner total b in
  let '(yes, new) := good m have acc in
  let budget := budget - 1 in
  if yes then Some budget else
  let '(k, at_, wide) := widest 0 m (most_of total b) (O, 0, 0) in
  match fuel with
  | O => None
  | S fuel =>
      if wide =? 0 then if last m then Some budget else None
      else if budget <=? 0 then None
      else match by_halves good last total fuel (cut_at true k at_ b) m new budget with
        | Some budget => by_halves good last total fuel (cut_at false k at_ b) m new budget
        | None => None
        end
  end.

(* ---- the check ---- *)
Record ready := { of_round : round; tables : list (list cover); nobody_yet : cover }.
Definition classes_of (N : list poly) := nodup Nat.eq_dec (map (rep N) (seq 0 (length N))).
Definition prepare (N : list poly) D (many : nat) (r : round) : ready :=
  let first := nobody (fine_of r) in
  {| of_round := r; nobody_yet := first;
     tables := map (table_of N D (cut_of r) (line_of r) many first) (classes_of N) |}.
Definition round_fits (c : claim) (r : round) : bool :=
  fits (eps c) (prec_of r) && (0 <=? fst (from_below (eps c) (prec_of r))) && (0 <=? fine_of r).
Definition law_at (r : ready) (m : list Z) (have : list Z) (acc : cover) : cover :=
  let more := map (fun kh => fst kh - snd kh) (combine m have) in
  let go := with_powers (line_of (of_round r)) (cut_of (of_round r)) (tables r) in
  if forallb (fun k => 0 <=? k) (more ++ have) && Nat.eqb (length have) (length m) then go more acc
  else go m (nobody_yet r).
Definition enough (c : claim) D N (r : ready) (v : cover) : bool :=
  worth_cover c D (from_below (eps c) (prec_of (of_round r))) N v.
(* by exact products, which alone decide a tie *)
Definition exactly (N : list poly) D (us : list nat) : cover :=
  let law := product (map (row_at N) us) [(0, 1)] in
  {| scale := D ^ Z.of_nat (length us); low := law; lost := 0 |}.
Definition corner_holds (c : claim) D N (rs : list ready) (exact_too : list precision) (m : list Z) : bool :=
  existsb (fun r => enough c D N r (law_at r m [] (nobody_yet r))) rs ||
  existsb (fun p => fits (eps c) p && (0 <=? fst (from_below (eps c) p)) &&
    worth_cover c D (from_below (eps c) p) N (exactly N D (users_of (classes_of N) m))) exact_too.
Definition all_within (total : Z) (N : list poly) : box := map (fun _ => (0, total)) (classes_of N).
Definition fit_for_boxes (c : claim) w D (rounds : list round) : bool :=
  setting c w D && forallb (fair D) (map normal (map (row_poly w D) (rows c))) && forallb (round_fits c) rounds.

Definition check_halves (c : claim) w D (rounds : list round) (many : nat) (budget : Z) : bool :=
  let N := map normal (map (row_poly w D) (rows c)) in let total := Z.of_nat (users c) - 1 in
  fit_for_boxes c w D rounds &&
  match map (prepare N D many) rounds with
  | [] => false
  | r :: rs =>
      match by_halves (fun m have acc => let v := law_at r m have acc in (enough c D N r v, v))
          (corner_holds c D N rs [])
          total 200 (all_within total N) [] (nobody_yet r) budget with Some _ => true | None => false end
  end.

Local Open Scope R_scope.
(* ---- boxes ---- *)
Definition inside_box (b : box) (ks : list Z) := Forall2 (fun lu k => (fst lu <= k <= snd lu)%Z) b ks.
Lemma cut_ok within k most b : forall ks, inside_box b ks ->
  inside_box (cut_at within k most b) ks \/ inside_box (cut_at (negb within) k most b) ks.
Proof.
  revert k. induction b as [|[l u] b IH]; intros k ks H; [destruct k; now left|].
  inversion_clear H as [|? x ? xs B H']. cbn [fst snd] in B. destruct k as [|k]; cbn [cut_at].
  - destruct (Z.le_gt_cases x most); destruct within; cbn [negb];
      ((left; constructor; [cbn [fst snd]; lia|exact H']) || (right; constructor; [cbn [fst snd]; lia|exact H'])).
  - destruct (IH k xs H') as [G|G]; [left|right]; constructor; auto.
Qed.
Lemma box_sums b ks : inside_box b ks -> (add_up (map fst b) <= add_up ks <= add_up (map snd b))%Z.
Proof. unfold add_up. induction 1; cbn [map fold_right]; lia. Qed.
Lemma not_none total b ks : inside_box b ks -> add_up ks = total -> none total b = false.
Proof.
  intros H E. pose proof (box_sums b ks H) as B. unfold none. apply orb_false_intro; [apply orb_false_intro|].
  - clear - H. induction H as [|lu k b ks B H IH]; [reflexivity|]. cbn [existsb]. rewrite IH.
    destruct (Z.ltb_spec (snd lu) (fst lu)); [lia|reflexivity].
  - destruct (Z.ltb_spec (add_up (map snd b)) total); [lia|reflexivity].
  - destruct (Z.ltb_spec total (add_up (map fst b))); [lia|reflexivity].
Qed.
Lemma corner_ok total b ks : inside_box b ks -> add_up ks = total -> Forall2 Z.le (corner total b) ks.
Proof.
  intros H E. unfold corner. assert (R : (add_up (map snd b) - add_up ks <= add_up (map snd b) - total)%Z) by lia.
  revert R. generalize (add_up (map snd b) - total)%Z as room. clear E. induction H as [|lu k b ks B H IH];
    intros room R; cbn [map]; constructor; cbn [map add_up fold_right] in R; pose proof (box_sums b ks H);
    unfold add_up in *;
    [lia|]. apply IH. lia.
Qed.
Lemma by_halves_ok {A} (good : list Z -> list Z -> A -> bool * A) last total (inv : list Z -> A -> Prop) :
  (forall m have acc, inv have acc -> inv m (snd (good m have acc))) ->
  forall fuel b have acc budget rest ks, by_halves good last total fuel b have acc budget = Some rest -> inv have acc ->
  inside_box b ks -> add_up ks = total ->
  exists m, Forall2 Z.le m ks /\ (last m = true \/ exists have acc, inv have acc /\ fst (good m have acc) = true).
Proof.
  intros Hinv. induction fuel as [|f IH]; intros b have acc budget rest ks H IA I E; cbn [by_halves] in H;
    rewrite (not_none total b ks I E) in H; pose proof (corner_ok total b ks I E) as C;
    set (m := corner total b) in *; pose proof (Hinv m have acc IA) as IN;
    destruct (good m have acc) as [yes new] eqn:G; cbn [snd] in IN;
    (destruct yes; [exists m; split; [exact C|right; exists have, acc; now rewrite G]|]);
    destruct (widest _ _ _ _) as [[k a] wide]; [discriminate|].
  destruct (wide =? 0)%Z; [destruct (last m) eqn:La; [exists m; auto|discriminate]|].
  destruct (budget - 1 <=? 0)%Z; [discriminate|].
  destruct (by_halves _ _ _ f (cut_at true k a b) m new _) as [spare|] eqn:H1; [|discriminate].
  destruct (cut_ok true k a b ks I); eauto.
Qed.

(* ---- together ---- *)
Section Ready.
Variables (c : claim) (w D : Z).
Let N := map normal (map (row_poly w D) (rows c)).
Hypotheses (HD : (0 < D)%Z) (HN : forallb (fair D) N = true).
Let made r := group N D (2 ^ fine_of r).
Definition is_ready (r : ready) := round_fits c (of_round r) = true /\ made (of_round r) [] (nobody_yet r) /\
  Forall2 (fun x => powers N D (2 ^ fine_of (of_round r)) x 1) (classes_of N) (tables r).

Lemma class_in x : In x (classes_of N) -> (x < length N)%nat.
Proof.
  unfold classes_of. intros H. apply nodup_In, in_map_iff in H as (q & <- & Hq). apply in_seq in Hq.
  pose proof (rep_le N q). lia.
Qed.
Lemma prepare_ok many r : round_fits c r = true -> is_ready (prepare N D many r).
Proof.
  intros H. split; [exact H|]. unfold round_fits in H. apply andb_prop in H as [_ H].
  apply Z.leb_le in H. cbn [prepare nobody_yet tables of_round].
  split; [now apply nobody_ok|]. apply tables_ok; auto. apply class_in.
Qed.
Lemma law_ok r m have acc : is_ready r ->
  made (of_round r) (users_of (classes_of N) have) acc ->
  made (of_round r) (users_of (classes_of N) m) (law_at r m have acc).
Proof.
  intros (RF & B & T) A. unfold round_fits in RF. apply andb_prop in RF as [_ H].
  apply Z.leb_le in H. assert (HS : (0 < 2 ^ fine_of (of_round r))%Z) by (apply Z.pow_pos_nonneg; lia).
  unfold law_at. destruct (_ && _) eqn:M.
  - apply andb_prop in M as [M1 M2]. apply Nat.eqb_eq in M2.
    rewrite forallb_app in M1. apply andb_prop in M1 as [M1 M3].
    eapply group_perm; [apply (users_more _ m have M2 M1 M3)|]. apply with_powers_ok; auto. apply class_in.
  - rewrite <- (app_nil_r (users_of _ m)). apply with_powers_ok; auto. apply class_in.
Qed.
Lemma enough_held r m v : is_ready r -> made (of_round r) (users_of (classes_of N) m) v -> enough c D N r v = true ->
  held c w D (users_of (classes_of N) m).
Proof.
  intros (RF & _) (_ & _ & _ & C) E. unfold round_fits in RF. do 2 (apply andb_prop in RF as [RF ?]).
  exists (prec_of (of_round r)), v. auto.
Qed.
Lemma corner_held rs ps m : (forall r, In r rs -> is_ready r) -> corner_holds c D N rs ps m = true ->
  held c w D (users_of (classes_of N) m).
Proof.
  intros R H. unfold corner_holds in H. apply orb_prop in H as [H|H]; apply existsb_exists in H as (r & I & E).
  2: { do 2 (apply andb_prop in E as [E ?]). exists r, (exactly N D (users_of (classes_of N) m)).
       split; [exact E|split; [assumption|split; [|assumption]]]. split; cbn [exactly scale low lost].
       - now apply power_pos.
       - intros g _. unfold power, exact. fold N. split; [apply Rle_refl|right; ring]. }
  specialize (R r I). eapply enough_held; [exact R| |exact E]. apply law_ok; auto. destruct (classes_of N); apply R.
Qed.
End Ready.

Lemma boxes_private c w D rounds : fit_for_boxes c w D rounds = true ->
  let N := map normal (map (row_poly w D) (rows c)) in let total := (Z.of_nat (users c) - 1)%Z in
  ((0 < D)%Z -> forall ks, inside_box (all_within total N) ks -> add_up ks = total ->
    exists m, Forall2 Z.le m ks /\ held c w D (users_of (classes_of N) m)) ->
  private Shuffled (rows c) (users c) (value (eps c)) (Q2R (delta c)).
Proof.
  intros H N total G. unfold fit_for_boxes in H. do 2 (apply andb_prop in H as [H ?]).
  apply (held_private c w D H H1). intros HD n U ys L I. fold N in I.
  assert (I' : forall y, In y ys -> In y (classes_of N)).
  { intros y Hy. unfold classes_of. unfold N at 2. rewrite map_length. now apply I. }
  assert (ND : NoDup (classes_of N)) by apply NoDup_nodup.
  assert (E : total = Z.of_nat (length ys)) by (unfold total; rewrite U; lia).
  destruct (G HD (map (number_of ys) (classes_of N))) as (m & M & Hm).
  - unfold all_within, inside_box. clear - E. induction (classes_of N) as [|x cs IH]; constructor; [|exact IH].
    cbn [fst snd]. rewrite E. unfold number_of. pose proof (count_length ys x). lia.
  - rewrite E. now apply numbers_all.
  - destruct (users_taken _ ND _ _ M) as [rest P]. eauto.
Qed.
Theorem check_halves_sound c w D rounds many budget : check_halves c w D rounds many budget = true ->
  private Shuffled (rows c) (users c) (value (eps c)) (Q2R (delta c)).
Proof.
  unfold check_halves. intros H. apply andb_prop in H as [Hf H]. apply (boxes_private c w D rounds Hf).
  intros HD ks I E.
  unfold fit_for_boxes in Hf. do 2 (apply andb_prop in Hf as [Hf ?]). set (N := map normal _) in *.
  assert (R : forall r, In r (map (prepare N D many) rounds) -> is_ready c w D r).
  { intros r Hr. apply in_map_iff in Hr as (q & <- & Hq). apply prepare_ok; auto. rewrite forallb_forall in H0.
    now apply H0. }
  destruct (map (prepare N D many) rounds) as [|r rs]; [discriminate|].
  set (inv := fun have acc => group N D (2 ^ fine_of (of_round r)) (users_of (classes_of N) have) acc).
  destruct (by_halves _ _ _ _ _ _ _ _) as [rest|] eqn:G; [|discriminate]. clear H.
  assert (Hinv : forall m have acc, inv have acc -> inv m (law_at r m have acc)).
  { intros m have acc IA. apply (law_ok c w D HD H1); [apply R; now left|exact IA]. }
  assert (Hb : inv [] (nobody_yet r)).
  { unfold inv. replace (users_of (classes_of N) []) with (@nil nat) by now destruct (classes_of N).
    apply (R r). now left. }
  destruct (by_halves_ok (fun m have acc => let v := law_at r m have acc in (enough c D N r v, v)) _ _ inv
    Hinv _ _ _ _ _ _ _ G Hb I E) as (m & M & G').
  exists m. split; [exact M|]. destruct G' as [G'|(have & acc & IA & G')].
  - apply (corner_held c w D HD H1 rs []); [intros q Hq; apply R; now right|exact G'].
  - cbn [fst] in G'. eapply (enough_held c w D r); [apply R; now left| |exact G']. now apply Hinv.
Qed.
