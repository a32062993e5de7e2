(* Pairs of laws below a curve, and what is so of their products. *)
From Coq Require Import Reals ZArith List Lra Lia Psatz Classical_Prop.
From Shufflecert Require Import Spec SpecCount SpecPresence SpecRuns Sums.
Import ListNotations.
Local Open Scope R_scope.

(* A pair by its atoms: what P has there, and the ratio of Q to P. Its curve, of u P and v Q: *)
Definition atoms := list (R * R).
Definition curve (L : atoms) (u v : R) : R := sum (fun o => fst o * Rmax (u - v * snd o) 0) L.
Definition are_atoms (L : atoms) := forall a r, In (a, r) L -> 0 <= a /\ 0 <= r.
Definition under {A} (P Q : A -> R) (H : R -> R -> R) :=
  forall u v l, 0 <= u -> 0 <= v -> NoDup l -> sum (fun y => Rmax (u * P y - v * Q y) 0) l <= H u v.
Definition below (H G : R -> R -> R) := forall u v, 0 <= u -> 0 <= v -> H u v <= G u v.
Definition by_atoms (L M : atoms) : atoms :=
  flat_map (fun o => map (fun p => (fst o * fst p, snd o * snd p)) M) L.

Lemma Rmax_scaled c x : 0 <= c -> c * Rmax x 0 = Rmax (c * x) 0.
Proof.
  intros C. destruct (Rle_dec 0 x) as [X|X].
  - rewrite !Rmax_left; nra.
  - rewrite !Rmax_right; nra.
Qed.
Lemma sum_map_of {A B} (f : B -> R) (g : A -> B) l : sum f (map g l) = sum (fun a => f (g a)) l.
Proof. induction l as [|a l IH]; [reflexivity|]. cbn [map]. now rewrite !sum_cons, IH. Qed.
Lemma sum_flat {A B} (f : B -> R) (g : A -> list B) l : sum f (flat_map g l) = sum (fun a => sum f (g a)) l.
Proof. induction l as [|a l IH]; [reflexivity|]. cbn [flat_map]. now rewrite sum_app, sum_cons, IH. Qed.
Lemma sum_swap {A B} (f : A -> B -> R) l m : sum (fun a => sum (f a) m) l = sum (fun b => sum (fun a => f a b) l) m.
Proof.
  induction l as [|a l IH]; [|rewrite sum_cons, IH, <- sum_plus; now apply sum_ext].
  symmetry. induction m as [|b m IH]; [reflexivity|]. rewrite sum_cons, IH. cbn. ring.
Qed.

Lemma curve_product L M u v : are_atoms M -> curve (by_atoms L M) u v = sum (fun p => fst p * curve L u (v * snd p)) M.
Proof.
  intros HM. unfold curve, by_atoms. rewrite sum_flat.
  transitivity (sum (fun o => sum (fun p => fst p * (fst o * Rmax (u - v * snd p * snd o) 0)) M) L).
  - apply sum_ext. intros o _. rewrite sum_map_of. apply sum_ext. intros p _. cbn [fst snd].
    replace (v * (snd o * snd p)) with (v * snd p * snd o) by ring. ring.
  - rewrite sum_swap. apply sum_ext. intros p _. now rewrite sum_scale.
Qed.
Lemma curve_product_left L M u v : are_atoms L -> curve (by_atoms L M) u v = sum (fun o => fst o * curve M u (v * snd o)) L.
Proof.
  intros HM. unfold curve, by_atoms. rewrite sum_flat. apply sum_ext. intros o _. rewrite sum_map_of, <- sum_scale.
  apply sum_ext. intros p _. cbn [fst snd]. replace (v * (snd o * snd p)) with (v * snd o * snd p) by ring. ring.
Qed.
Lemma by_atoms_ok L M : are_atoms L -> are_atoms M -> are_atoms (by_atoms L M).
Proof.
  intros HL HM a r I. apply in_flat_map in I as ([a1 r1] & I & J). apply in_map_iff in J as ([a2 r2] & [= <- <-] & J).
  apply HL in I. apply HM in J. cbn [fst snd]. split; nra.
Qed.
Lemma product_below L M L' M' : are_atoms L -> are_atoms M -> are_atoms L' -> are_atoms M' ->
  below (curve L) (curve L') -> below (curve M) (curve M') -> below (curve (by_atoms L M)) (curve (by_atoms L' M')).
Proof.
  intros HL HM HL' HM' B B' u v U V. apply Rle_trans with (curve (by_atoms L' M) u v).
  - rewrite !curve_product by assumption. apply sum_le. intros [a r] I. destruct (HM a r I). cbn [fst snd].
    apply Rmult_le_compat_l; [assumption|]. apply B; nra.
  - rewrite !curve_product_left by assumption. apply sum_le. intros [a r] I. destruct (HL' a r I). cbn [fst snd].
    apply Rmult_le_compat_l; [assumption|]. apply B'; nra.
Qed.

(* some l without repetition that has just what m has *)
Lemma once {A} (m : list A) : exists l, NoDup l /\ incl m l.
Proof.
  induction m as [|a m (l & D & I)]; [exists []; split; [constructor|intros a []]|].
  destruct (classic (In a l)) as [J|J].
  - exists l. split; [exact D|]. intros b [<-|K]; auto.
  - exists (a :: l). split; [now constructor|]. intros b [<-|K]; cbn; auto.
Qed.
Lemma nodup_pairs {A B} (U : list A) (V : list B) : NoDup U -> NoDup V -> NoDup (list_prod U V).
Proof.
  intros D E. induction D as [|a U N D IH]; cbn [list_prod]; [constructor|].
  assert (G : forall l m : list (A * B), NoDup l -> NoDup m -> (forall o, In o l -> ~ In o m) -> NoDup (l ++ m)).
  { intros l m Dl Dm H. induction Dl as [|o l No Dl IHl]; [exact Dm|]. cbn [app]. constructor.
    - rewrite in_app_iff. intros [I|I]; [contradiction|]. apply (H o); [now left|exact I].
    - apply IHl. intros p I. apply H. now right. }
  apply G; auto.
  - clear - E. induction E as [|b V N E IH]; cbn [map]; constructor; auto. intros I. apply in_map_iff in I as (c & [= ->] & I). auto.
  - intros [a' b] I J. apply in_map_iff in I as (c & [= <- <-] & _). apply in_prod_iff in J as [J _]. auto.
Qed.
Lemma sum_pairs {A B} (f : A * B -> R) U V : sum f (list_prod U V) = sum (fun a => sum (fun b => f (a, b)) V) U.
Proof. induction U as [|a U IH]; [reflexivity|]. cbn [list_prod]. now rewrite sum_app, sum_cons, IH, sum_map_of. Qed.

Theorem under_product {A B} (P Q : A -> R) (P' Q' : A -> B -> R) L M :
  (forall y, 0 <= P y) -> (forall y, 0 <= Q y) -> are_atoms L -> are_atoms M ->
  under P Q (curve L) -> (forall y, under (P' y) (Q' y) (curve M)) ->
  under (fun o => P (fst o) * P' (fst o) (snd o)) (fun o => Q (fst o) * Q' (fst o) (snd o)) (curve (by_atoms L M)).
Proof.
  intros HP HQ HL HM H H' u v l U V D.
  destruct (once (map fst l)) as (ys & DY & IY). destruct (once (map snd l)) as (os & DO & IO).
  eapply Rle_trans; [apply (sum_incl _ l) with (m := list_prod ys os)|].
  - intros. apply Rmax_r.
  - exact D.
  - intros [y o] I. apply in_prod; [apply IY|apply IO]; apply in_map_iff; exists (y, o); auto.
  - rewrite sum_pairs, curve_product by assumption.
    apply Rle_trans with (sum (fun y => curve M (u * P y) (v * Q y)) ys).
    + apply sum_le. intros y _. cbn [fst snd].
      eapply Rle_trans; [|apply (H' y (u * P y) (v * Q y) os); auto; apply Rmult_le_pos; auto].
      right. apply sum_ext. intros o _. f_equal; ring.
    + unfold curve at 1. rewrite sum_swap. apply sum_le. intros [a r] I. destruct (HM a r I) as [A0 R0]. cbn [fst snd].
      rewrite sum_scale. apply Rmult_le_compat_l; [assumption|].
      eapply Rle_trans; [|apply (H u (v * r) ys); auto; nra]. right. apply sum_ext. intros y _. f_equal; ring.
Qed.
Lemma under_below {A} (P Q : A -> R) H G : under P Q H -> below H G -> under P Q G.
Proof. intros U B u v l U0 V0 D. eapply Rle_trans; [now apply U|now apply B]. Qed.
Lemma under_keeps {A} (P Q : A -> R) H z d : under P Q H -> 0 <= z -> H 1 z <= d -> keeps P Q z d.
Proof.
  intros U Z D l N. eapply Rle_trans; [|exact D]. eapply Rle_trans; [|apply (U 1 z l); auto; lra].
  right. apply sum_ext. intros y _. f_equal; ring.
Qed.

Lemma keeps_by_sets {A} (P Q : A -> R) z d : (forall l, NoDup l -> sum P l - z * sum Q l <= d) -> keeps P Q z d.
Proof.
  intros H l N. set (f := fun y => if Rle_dec 0 (P y - z * Q y) then true else false).
  assert (E : sum (fun y => Rmax (P y - z * Q y) 0) l = sum P (filter f l) - z * sum Q (filter f l)).
  { clear. induction l as [|y l IH]; [cbn; ring|]. rewrite sum_cons, IH. cbn [filter].
    destruct (f y) eqn:FY; unfold f in FY; destruct (Rle_dec 0 (P y - z * Q y)); try discriminate;
      rewrite ?sum_cons; [rewrite Rmax_left by lra; ring|rewrite Rmax_right by lra; ring]. }
  rewrite E. apply H. now apply NoDup_filter.
Qed.

(* ---- of runs ---- *)
Definition one_atom : atoms := [(1, 1)].
Definition dominated (s : seen) (L : atoms) := are_atoms L /\ forall P Q, pairs_of s P Q ->
  (forall y, 0 <= P y) /\ (forall y, 0 <= Q y) /\ under P Q (curve L).
Fixpoint product_of (Ls : list atoms) : atoms := match Ls with [] => one_atom | L :: Ls => by_atoms L (product_of Ls) end.
Lemma one_atom_ok : are_atoms one_atom.
Proof. intros a r [[= <- <-]|[]]. lra. Qed.
Theorem together_under runs Ls : Forall2 dominated runs Ls ->
  are_atoms (product_of Ls) /\ forall P Q, together runs P Q -> under P Q (curve (product_of Ls)).
Proof.
  induction 1 as [|s L runs Ls [HL D] F [HM IH]]; cbn [product_of].
  - split; [apply one_atom_ok|]. intros P Q T.
    assert (E : P = (fun _ => 1) /\ Q = (fun _ => 1)).
    { refine (match T in together r P0 Q0 return
        (match r as r return (shown r -> R) -> (shown r -> R) -> Prop with
         | [] => fun P0 Q0 => P0 = (fun _ => 1) /\ Q0 = (fun _ => 1)
         | _ => fun _ _ => True end P0 Q0) with no_run => conj eq_refl eq_refl | then_run _ _ _ _ _ _ _ _ => I end). }
    destruct E as [-> ->]. intros u v l U V DL. unfold curve, one_atom. cbn [sum fold_right fst snd].
    assert (X : sum (fun _ : unit => Rmax (u * 1 - v * 1) 0) l <= sum (fun _ : unit => Rmax (u * 1 - v * 1) 0) [tt]).
    { apply sum_incl; auto; [intros; apply Rmax_r|]. intros [] _. now left. }
    eapply Rle_trans; [exact X|]. cbn. rewrite !Rmult_1_r, Rmult_1_l. lra.
  - split; [now apply by_atoms_ok|]. intros P Q T.
    assert (E : exists P1 Q1 P2 Q2, pairs_of s P1 Q1 /\ (forall y, together runs (P2 y) (Q2 y)) /\
      P = (fun o => P1 (fst o) * P2 (fst o) (snd o)) /\ Q = (fun o => Q1 (fst o) * Q2 (fst o) (snd o))).
    { refine (match T in together r P0 Q0 return
        (match r as r return (shown r -> R) -> (shown r -> R) -> Prop with
         | [] => fun _ _ => True
         | s :: runs => fun P0 Q0 => exists P1 Q1 P2 Q2, pairs_of s P1 Q1 /\ (forall y, together runs (P2 y) (Q2 y)) /\
           P0 = (fun o => P1 (fst o) * P2 (fst o) (snd o)) /\ Q0 = (fun o => Q1 (fst o) * Q2 (fst o) (snd o)) end P0 Q0)
        with no_run => I | then_run s runs P1 Q1 P2 Q2 H G => _ end).
      exists P1, Q1, P2, Q2. auto. }
    destruct E as (P1 & Q1 & P2 & Q2 & H & G & -> & ->). destruct (D P1 Q1 H) as (N1 & N2 & U).
    apply under_product; auto.
Qed.
Lemma product_assoc L M N u v : are_atoms L -> are_atoms M ->
  curve (by_atoms L (by_atoms M N)) u v = curve (by_atoms (by_atoms L M) N) u v.
Proof.
  intros HL HM. rewrite !curve_product_left by (auto; now apply by_atoms_ok). unfold by_atoms at 2. rewrite sum_flat.
  apply sum_ext. intros o _. rewrite curve_product_left by assumption. rewrite sum_map_of, <- sum_scale.
  apply sum_ext. intros q _. cbn [fst snd]. replace (v * (snd o * snd q)) with (v * snd o * snd q) by ring. ring.
Qed.
Lemma product_of_ok Ls : Forall are_atoms Ls -> are_atoms (product_of Ls).
Proof. induction 1; cbn [product_of]; [apply one_atom_ok|now apply by_atoms_ok]. Qed.
Lemma product_one M u v : curve (by_atoms one_atom M) u v = curve M u v.
Proof. rewrite curve_product_left by apply one_atom_ok. unfold one_atom. cbn [sum fold_right fst snd]. rewrite Rmult_1_r. ring. Qed.
Lemma product_of_app Ls Ms u v : Forall are_atoms Ls -> Forall are_atoms Ms ->
  curve (product_of (Ls ++ Ms)) u v = curve (by_atoms (product_of Ls) (product_of Ms)) u v.
Proof.
  intros HL HM. revert u v. induction HL as [|L Ls H HL IH]; intros u v; cbn [app product_of]; [now rewrite product_one|].
  rewrite <- product_assoc by (auto; now apply product_of_ok). rewrite !curve_product_left by assumption.
  apply sum_ext. intros o _. now rewrite IH.
Qed.
Lemma product_nothing L u v : are_atoms L -> curve (by_atoms L one_atom) u v = curve L u v.
Proof.
  intros H. rewrite curve_product_left by assumption. unfold curve at 2. apply sum_ext. intros o _.
  unfold curve, one_atom. cbn [sum fold_right fst snd]. rewrite Rmult_1_r. ring.
Qed.
