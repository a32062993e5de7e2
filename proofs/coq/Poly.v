(* Laws in one variable, as lists of (key, weight) that are kept ascending; no proof needs that they are. *)
From Coq Require Import Reals ZArith List Lra Lia Psatz Permutation Bool.
Import ListNotations.
Open Scope Z_scope.

Definition poly := list (Z * Z).

(* keys that rise, from above k on *)
Fixpoint ascending {B} (k : Z) (l : list (Z * B)) : bool :=
  match l with [] => true | o :: l => (k <? fst o) && ascending (fst o) l end.
(* acc, reversed, + u z^d p + q *)
Fixpoint merge (d u : Z) (p : poly) : poly -> poly -> poly :=
  match p with
  | [] => fun q acc => rev_append q acc
  | (k, w) :: p' =>
      fix inner q acc :=
        match q with
        | [] => merge d u p' [] ((d + k, u * w) :: acc)
        | (l, v) :: q' =>
            match Z.compare (d + k) l with
            | Lt => merge d u p' q ((d + k, u * w) :: acc)
            | Eq => merge d u p' q' ((l, u * w + v) :: acc)
            | Gt => inner q' ((l, v) :: acc)
            end
        end
  end.
(* A sum of many: added up in pairs, the sums in pairs, and so on; a product is the sum of its rows. *)
Definition plus (p q : poly) : poly := rev_append (merge 0 1 p q []) [].
Fixpoint plus_pairs (l acc : list poly) : list poly :=
  match l with p :: q :: l => plus_pairs l (plus p q :: acc) | p :: l => p :: acc | [] => acc end.
Fixpoint plus_all (fuel : nat) (l : list poly) : poly :=
  match fuel, l with
  | _, [] => []
  | _, [p] => p
  | O, _ => fold_left plus l []
  | S fuel, _ => plus_all fuel (plus_pairs l [])
  end.
Definition times_term (p : poly) (t : Z * Z) : poly := map (fun kw => (fst t + fst kw, snd t * snd kw)) p.
Definition mul (f p : poly) : poly := plus_all 64 (map (times_term p) f).

(* sum over keys of max(a P - b Q, 0) *)
Fixpoint stick (a b : Z) (p : poly) : poly -> Z -> Z :=
  match p with
  | [] => fun q acc => fold_left (fun acc kv => acc + Z.max (- (b * snd kv)) 0) q acc
  | (k, w) :: p' =>
      fix inner q acc :=
        match q with
        | [] => stick a b p' [] (acc + Z.max (a * w) 0)
        | (l, v) :: q' =>
            match Z.compare k l with
            | Lt => stick a b p' q (acc + Z.max (a * w) 0)
            | Eq => stick a b p' q' (acc + Z.max (a * w - b * v) 0)
            | Gt => inner q' (acc + Z.max (- (b * v)) 0)
            end
        end
  end.

(* P's weight on the keys that E holds *)
Definition weight_in (E : Z -> bool) (p : poly) : Z :=
  fold_left (fun acc kw => if E (fst kw) then acc + snd kw else acc) p 0.

Lemma ascending_nodup {B} (l : list (Z * B)) : forall k, ascending k l = true -> NoDup (map fst l) /\
  Forall (fun o => (k < fst o)%Z) l.
Proof.
  induction l as [|o l IH]; intros k H; [split; constructor|]. cbn [ascending map] in *. apply andb_prop in H as [H1
      H2].
  apply Z.ltb_lt in H1. destruct (IH _ H2) as [N F]. split.
  - constructor; [|exact N]. intros I. apply in_map_iff in I as (q & E & I). rewrite Forall_forall in F. specialize
      (F q I). lia.
  - constructor; [exact H1|]. eapply Forall_impl; [|exact F]. cbv beta. lia.
Qed.

Open Scope R_scope.
Fixpoint eval (g : Z -> R) (p : poly) : R := match p with [] => 0 | (k, w) :: p => IZR w * g k + eval g p end.

Lemma eval_ext g h p : (forall k, g k = h k) -> eval g p = eval h p.
Proof. intros H. induction p as [|[k w] p IH]; simpl; [reflexivity|]. now rewrite H, IH. Qed.
Lemma eval_rev_append g p q : eval g (rev_append p q) = eval g p + eval g q.
Proof. revert q. induction p as [|[k w] p IH]; intros q; simpl; [ring|]. rewrite IH. simpl. ring. Qed.
Lemma eval_plus g h p : eval (fun k => g k + h k) p = eval g p + eval h p.
Proof. induction p as [|[k w] p IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma eval_scale c g p : eval (fun k => c * g k) p = c * eval g p.
Proof. induction p as [|[k w] p IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma eval_swap (h : Z -> Z -> R) p q : eval (fun d => eval (h d) q) p = eval (fun e => eval (fun d => h d e) p) q.
Proof.
  induction p as [|[k w] p IH]; simpl.
  - induction q as [|[l v] q IH]; simpl; [reflexivity|]. rewrite <- IH. ring.
  - rewrite IH. rewrite <- eval_scale, <- eval_plus. apply eval_ext. intros; reflexivity.
Qed.

Lemma eval_merge g d u p q acc :
  eval g (merge d u p q acc) = IZR u * eval (fun k => g (d + k)%Z) p + eval g q + eval g acc.
Proof.
  revert q acc. induction p as [|[k w] p IH]; intros q acc.
  - simpl. rewrite eval_rev_append. ring.
  - revert acc. induction q as [|[l v] q IHq]; intros acc; simpl.
    + rewrite IH. simpl. rewrite mult_IZR. ring.
    + destruct (Z.compare_spec (d + k) l) as [<-|H|H].
      * rewrite IH. simpl. rewrite plus_IZR, mult_IZR. ring.
      * rewrite IH. simpl. rewrite mult_IZR. ring.
      * change (eval g (merge d u ((k, w) :: p) q ((l, v) :: acc)) = IZR u * (IZR w * g (d + k)%Z +
          eval (fun k => g (d + k)%Z) p) + (IZR v * g l + eval g q) + eval g acc).
        rewrite IHq. simpl. ring.
Qed.
Definition evals g (l : list poly) : R := fold_right (fun p t => eval g p + t) 0 l.
Lemma eval_plus_poly g p q : eval g (plus p q) = eval g p + eval g q.
Proof.
  unfold plus. rewrite eval_rev_append, eval_merge. cbn [eval].
  rewrite (eval_ext (fun k => g (0 + k)%Z) g) by reflexivity. ring.
Qed.
Lemma evals_pairs g l : forall acc, evals g (plus_pairs l acc) = evals g l + evals g acc.
Proof.
  enough (H : forall n l acc, (length l <= n)%nat -> evals g (plus_pairs l acc) = evals g l + evals g acc)
    by (intros acc; now apply (H (length l))).
  clear l. induction n as [|n IH]; intros [|p [|q l]] acc L; cbn [length] in L; try lia; cbn [plus_pairs];
    try (unfold evals; cbn [fold_right]; ring).
  rewrite IH by lia. unfold evals. cbn [fold_right]. rewrite eval_plus_poly. ring.
Qed.
Lemma eval_plus_all g fuel : forall l, eval g (plus_all fuel l) = evals g l.
Proof.
  assert (H : forall l p, eval g (fold_left plus l p) = eval g p + evals g l).
  { induction l as [|q l IH]; intros p; cbn [fold_left]; [unfold evals; cbn [fold_right]; ring|].
    rewrite IH, eval_plus_poly. unfold evals. cbn [fold_right]. ring. }
  induction fuel as [|fuel IH]; intros [|p [|q l]]; cbn [plus_all]; try (unfold evals; cbn [fold_right eval]; ring).
  - rewrite H. unfold evals. cbn [fold_right eval]. ring.
  - rewrite IH, evals_pairs. unfold evals. cbn [fold_right eval]. ring.
Qed.
Lemma eval_mul g f p : eval g (mul f p) = eval (fun d => eval (fun k => g (d + k)%Z) p) f.
Proof.
  unfold mul. rewrite eval_plus_all. induction f as [|[d u] f IH]; [reflexivity|]. unfold evals in *.
  cbn [map fold_right eval]. rewrite IH. f_equal. clear. unfold times_term. cbn [fst snd].
  induction p as [|[k w] p IH]; cbn [map eval fst snd]; [ring|]. rewrite IH, mult_IZR. ring.
Qed.

(* What the sum bounds: any test g with values in [0, 1]. *)
Definition test (g : Z -> R) := forall k, 0 <= g k <= 1.
Lemma term g x : 0 <= g <= 1 -> IZR x * g <= IZR (Z.max x 0).
Proof.
  intros H. destruct (Z.max_spec x 0) as [[L ->]|[L ->]].
  - apply IZR_lt in L. nra.
  - apply IZR_le in L. nra.
Qed.
Lemma stick_bound a b g p q acc : test g ->
  IZR a * eval g p - IZR b * eval g q + IZR acc <= IZR (stick a b p q acc).
Proof.
  intros G. revert q acc. induction p as [|[k w] p IH]; intros q acc.
  - simpl. revert acc. induction q as [|[l v] q IHq]; intros acc; simpl; [lra|].
    eapply Rle_trans; [|apply IHq]. rewrite plus_IZR.
    pose proof (term (g l) (- (b * v)) (G l)) as T. rewrite opp_IZR, mult_IZR in T. lra.
  - revert acc. induction q as [|[l v] q IHq]; intros acc; simpl.
    + eapply Rle_trans; [|apply IH]. rewrite plus_IZR. simpl.
      pose proof (term (g k) (a * w) (G k)) as T. rewrite mult_IZR in T. lra.
    + destruct (Z.compare_spec k l) as [<-|H|H].
      * eapply Rle_trans; [|apply IH]. rewrite plus_IZR.
        pose proof (term (g k) (a * w - b * v) (G k)) as T. rewrite minus_IZR, !mult_IZR in T. lra.
      * eapply Rle_trans; [|apply IH]. rewrite plus_IZR. simpl.
        pose proof (term (g k) (a * w) (G k)) as T. rewrite mult_IZR in T. lra.
      * fold (stick a b ((k, w) :: p) q (acc + Z.max (- (b * v)) 0)).
        eapply Rle_trans; [|apply IHq]. rewrite plus_IZR. simpl.
        pose proof (term (g l) (- (b * v)) (G l)) as T. rewrite opp_IZR, mult_IZR in T. lra.
Qed.
Definition indicator {A} (E : A -> bool) (k : A) : R := if E k then 1 else 0.
Lemma weight_in_eval E p : IZR (weight_in E p) = eval (indicator E) p.
Proof.
  unfold weight_in. assert (H : forall acc, IZR (fold_left (fun acc kw => if E (fst kw) then acc + snd kw else acc)%Z
    p acc)
    = eval (indicator E) p + IZR acc).
  { induction p as [|[k w] p IH]; intros acc; simpl; [ring|]. rewrite IH. unfold indicator.
    destruct (E k); rewrite ?plus_IZR; ring. }
  rewrite H. ring.
Qed.

(* products of several factors: their order does not matter *)
Definition product (fs : list poly) (p : poly) := fold_right mul p fs.
Lemma product_perm fs gs : Permutation fs gs -> forall g p, eval g (product fs p) = eval g (product gs p).
Proof.
  induction 1; intros g p; simpl.
  - reflexivity.
  - rewrite !eval_mul. apply eval_ext. intros d. apply IHPermutation.
  - rewrite !eval_mul. erewrite eval_ext by (intros; apply eval_mul).
    rewrite eval_swap. symmetry. erewrite eval_ext by (intros; apply eval_mul).
    apply eval_ext. intros d. apply eval_ext. intros e. apply eval_ext. intros k. f_equal. lia.
  - now rewrite IHPermutation1.
Qed.

(* ---- weights of at least 0 ---- *)
Definition sure (p : poly) := forallb (fun kw => 0 <=? snd kw)%Z p = true.
Lemma sure_rev p q : sure p -> sure q -> sure (rev_append p q).
Proof.
  unfold sure. rewrite rev_append_rev, forallb_app. intros P Q. rewrite Q, andb_true_r.
  rewrite forallb_forall in *. intros x I. apply P. now apply in_rev.
Qed.
Lemma merge_sure d u p : (0 <= u)%Z -> sure p -> forall q acc, sure q -> sure acc -> sure (merge d u p q acc).
Proof.
  intros U. unfold sure. induction p as [|[k w] p IH]; intros P q acc Q A; cbn [merge]; [now apply sure_rev|].
  cbn [forallb snd] in P. apply andb_prop in P as [W P]. apply Z.leb_le in W. specialize (IH P).
  assert (UW : forall l, (0 <=? snd (l : Z, u * w)%Z)%Z = true) by (intros; apply Z.leb_le; cbn [snd]; nia).
  revert acc A. induction q as [|[l v] q IHq]; intros acc A; cbn [merge].
  - apply IH; [reflexivity|]. cbn [forallb]. now rewrite UW, A.
  - cbn [forallb snd] in Q. apply andb_prop in Q as [V Q]. destruct (Z.compare (d + k) l).
    + apply IH; [exact Q|]. cbn [forallb snd]. rewrite A, andb_true_r. apply Z.leb_le in V. apply Z.leb_le. nia.
    + apply IH; [cbn [forallb snd]; now rewrite V, Q|]. cbn [forallb]. now rewrite UW, A.
    + apply IHq; [exact Q|]. cbn [forallb snd]. now rewrite V, A.
Qed.
Lemma plus_sure p q : sure p -> sure q -> sure (plus p q).
Proof. intros P Q. apply sure_rev; [|reflexivity]. now apply merge_sure. Qed.
Lemma plus_all_sure fuel : forall l, Forall sure l -> sure (plus_all fuel l).
Proof.
  assert (H : forall l p, sure p -> Forall sure l -> sure (fold_left plus l p)).
  { induction l as [|q l IH]; intros p P L; [exact P|]. inversion L. cbn [fold_left]. apply IH; [|assumption].
    now apply plus_sure. }
  assert (G : forall n l acc, (length l <= n)%nat -> Forall sure l -> Forall sure acc -> Forall sure (plus_pairs l acc)).
  { induction n as [|n IH]; intros [|p [|q l]] acc N L A; cbn [length] in N; try lia; cbn [plus_pairs]; try exact A;
      inversion L as [|? ? P L1]; [now constructor..|]. inversion L1. apply IH; [lia|assumption|].
    constructor; [now apply plus_sure|exact A]. }
  induction fuel as [|fuel IH]; intros [|p [|q l]] L; cbn [plus_all]; try reflexivity; try (now inversion L).
  - now apply H.
  - apply IH. now apply (G _ (p :: q :: l) [] (le_n _)).
Qed.
Lemma mul_sure p q : sure p -> sure q -> sure (mul p q).
Proof.
  intros P Q. apply plus_all_sure. unfold sure in P. rewrite forallb_forall in P. apply Forall_forall. intros f I.
  apply in_map_iff in I as ([d u] & <- & I). specialize (P _ I). cbn [snd] in P. apply Z.leb_le in P.
  unfold sure, times_term. rewrite forallb_forall. intros kw J. apply in_map_iff in J as ([k w] & <- & J).
  unfold sure in Q. rewrite forallb_forall in Q. specialize (Q _ J). cbn [fst snd] in *. apply Z.leb_le in Q.
  apply Z.leb_le. nia.
Qed.
