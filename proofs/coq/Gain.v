(* Laws on the integers between two ends on a window. *)
From Coq Require Import Reals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Import Spec SpecCount Sums.
Import ListNotations.
Local Open Scope Z_scope.

(* Both ends of x times a probability, one pair for each integer from some first one on *)
Definition ends := list (Z * Z).
Definition all_of (f : Z * Z -> Z) (us : ends) : Z := fold_left (fun acc u => acc + f u) us 0.

Local Open Scope R_scope.
Fixpoint encl (x : R) (F : Z -> R) (k : Z) (us : ends) : Prop :=
  match us with
  | [] => forall i, (k <= i)%Z -> F i = 0
  | u :: us => IZR (fst u) <= x * F k <= IZR (snd u) /\ encl x F (k + 1) us
  end.

Lemma IZR_max a : IZR (Z.max a 0) = Rmax (IZR a) 0.
Proof.
  destruct (Z.max_spec a 0) as [[L ->]|[L ->]].
  - apply IZR_lt in L. now rewrite Rmax_right by lra.
  - apply IZR_le in L. now rewrite Rmax_left by lra.
Qed.
Lemma Rmax_mono a b : a <= b -> Rmax a 0 <= Rmax b 0.
Proof. intros. apply Rmax_case; [|apply Rmax_r]. eapply Rle_trans; [eassumption|apply Rmax_l]. Qed.
Lemma Rmax_scale x a : 0 <= x -> x * Rmax a 0 = Rmax (x * a) 0.
Proof.
  intros H. unfold Rmax. destruct (Rle_dec a 0), (Rle_dec (x * a) 0); try nra.
Qed.

Section Ends.
Variables (x : R) (X0 : 0 < x).
Lemma all_of_from f us : forall acc, fold_left (fun acc u => (acc + f u)%Z) us acc = (all_of f us + acc)%Z.
Proof.
  unfold all_of. induction us as [|u us IH]; intros acc; cbn [fold_left]; [lia|]. rewrite IH, (IH (0 + f u)%Z). lia.
Qed.
Lemma all_of_cons (f : Z * Z -> Z) u us : all_of f (u :: us) = (f u + all_of f us)%Z.
Proof. unfold all_of at 1. cbn [fold_left]. rewrite all_of_from. lia. Qed.
Lemma all_of_ok F us : forall k, encl x F k us ->
  IZR (all_of fst us) <= x * isum F k (length us) <= IZR (all_of snd us).
Proof.
  induction us as [|u us IH]; intros k E; [unfold isum, all_of; cbn; lra|]. destruct E as [U E].
  cbn [length]. rewrite isum_first, !all_of_cons, !plus_IZR. specialize (IH _ E). lra.
Qed.
End Ends.
