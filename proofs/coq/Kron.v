(* A fast product of laws on a line: their weights side by side in one integer, which is multiplied. *)
From Coq Require Import Reals ZArith List Lra Lia Psatz Bool.
From Shufflecert Require Import Poly.
Import ListNotations.
Open Scope Z_scope.

(* the weights at k, k + s, k + 2 s, ...; None if there are others, or too many *)
Fixpoint dense (s k : Z) (room : nat) (f : poly) (acc : list Z) : option (list Z) :=
  match f, room with
  | [], _ => Some (rev_append acc [])
  | _, O => None
  | (j, c) :: f', S room =>
      if j =? k then dense s (k + s) room f' (c :: acc) else if j <? k then None else dense s (k + s) room f (0 :: acc)
  end.
Fixpoint spread (s k : Z) (l : list Z) (acc : poly) : poly :=
  match l with
  | [] => rev_append acc []
  | c :: l => spread s (k + s) l (if c =? 0 then acc else (k, c) :: acc)
  end.

(* digits to base X, the lowest first *)
Definition number (X : Z) (l : list Z) : Z := fold_right (fun c t => c + X * t) 0 l.
Fixpoint pairs (X : Z) (l acc : list Z) : list Z :=
  match l with
  | a :: b :: l => pairs X l (a + X * b :: acc)
  | _ => rev_append acc l
  end.
Fixpoint pack (fuel : nat) (X : Z) (l : list Z) : Z :=
  match l, fuel with
  | [], _ => 0
  | [a], _ => a
  | _, O => number X l
  | _, S fuel => pack fuel (X * X) (pairs X l [])
  end.
(* ..., X^4, X^2, X of X = 2^w *)
Fixpoint levels (k : nat) (w : Z) (acc : list Z) : list Z :=
  match k with O => acc | S k => levels k (2 * w) (2 ^ w :: acc) end.
Fixpoint unpack (Xs : list Z) (v : Z) (acc : list Z) : list Z :=
  match Xs with
  | [] => v :: acc
  | Y :: Xs => let u := v / Y in
      unpack Xs (v mod Y) (match acc with [] => if u =? 0 then [] else unpack Xs u [] | _ => unpack Xs u acc end)
  end.

Definition start_of (f : poly) : Z := match f with [] => 0 | kw :: _ => fst kw end.
Definition sum (l : list Z) : Z := fold_left Z.add l 0.
Definition natural (l : list Z) : bool := forallb (fun c => 0 <=? c) l.
(* The product of two polynomials whose coefficients, from that of z^0 on, are 0 or more; of one with itself. *)
Definition unpacked (s long v : Z) : list Z := unpack (levels (Z.to_nat (Z.log2_up long)) (Z.log2 s + 1) []) v [].
Definition packed (s : Z) (l : list Z) : Z := pack 64 (2 ^ (Z.log2 s + 1)) l.
Definition convolve (a c : list Z) : list Z :=
  let s := sum a * sum c in unpacked s (Z.of_nat (length a + length c)) (packed s a * packed s c).
Definition convolve_self (a : list Z) : list Z :=
  let t := sum a in let s := t * t in let v := packed s a in let n := length a in unpacked s (Z.of_nat (n + n)) (v * v).
Lemma convolve_self_same a : convolve_self a = convolve a a. Proof. reflexivity. Qed.
(* step between keys, most places *)
Record line := { apart : Z; places : nat }.
(* of two terms at most: so few are added one by one *)
Definition short (f : poly) : bool := match f with _ :: _ :: _ :: _ => false | _ => true end.
Definition times (t : line) (f p : poly) : poly :=
  let s := apart t in
  if short f then mul f p else
  match dense s (start_of f) (places t) f [], dense s (start_of p) (places t) p [] with
  | Some a, Some c =>
      if natural a && natural c then spread s (start_of f + start_of p) (convolve a c) [] else mul f p
  | _, _ => mul f p
  end.
(* of one with itself *)
Definition times_self (t : line) (f : poly) : poly :=
  if short f then mul f f else
  match dense (apart t) (start_of f) (places t) f [] with
  | Some a => if natural a then spread (apart t) (start_of f + start_of f) (convolve_self a) [] else mul f f
  | None => mul f f
  end.
Lemma times_self_same t f : times_self t f = times t f f.
Proof.
  unfold times_self, times. destruct (short f); [reflexivity|]. destruct (dense _ _ _ f []) as [a|]; [|reflexivity].
  rewrite convolve_self_same. now destruct (natural a).
Qed.

(* ---- numbers ---- *)
Lemma pairs_app X l : forall acc, pairs X l acc = rev acc ++ pairs X l [].
Proof.
  assert (H : forall n l acc, (length l <= n)%nat -> pairs X l acc = rev acc ++ pairs X l []).
  { induction n as [|n IH]; intros [|a [|b m]] acc L; cbn [pairs length] in *; try lia; rewrite ?rev_append_rev;
      cbn [rev app]; try reflexivity.
    - rewrite (IH m (_ :: acc)), (IH m [_]) by lia. cbn [rev]. now rewrite <- app_assoc. }
  intros acc. now apply (H (length l)).
Qed.
Lemma pairs_number X l : number (X * X) (pairs X l []) = number X l.
Proof.
  assert (H : forall n l, (length l <= n)%nat -> number (X * X) (pairs X l []) = number X l).
  { induction n as [|n IH]; intros [|a [|b m]] L; cbn [pairs length rev_append] in *; try lia; try (cbn; ring).
    rewrite pairs_app. cbn [rev app number fold_right]. specialize (IH m ltac:(lia)). unfold number in IH.
    rewrite IH. ring. }
  now apply (H (length l)).
Qed.
Lemma pack_ok fuel : forall X l, pack fuel X l = number X l.
Proof.
  induction fuel as [|f IH]; intros X [|a [|b l]]; cbn [pack]; try reflexivity; try (cbn; ring).
  now rewrite IH, pairs_number.
Qed.
Lemma number_app X l m : number X (l ++ m) = number X l + X ^ Z.of_nat (length l) * number X m.
Proof.
  induction l as [|a l IH]; cbn [app length number fold_right].
  - change (Z.of_nat 0) with 0. rewrite Z.pow_0_r. unfold number. ring.
  - unfold number in *. rewrite IH, Nat2Z.inj_succ, Z.pow_succ_r by lia. ring.
Qed.
Definition digits X l := Forall (fun c => 0 <= c < X) l.
Lemma number_small X l : digits X l -> 0 <= number X l < X ^ Z.of_nat (length l).
Proof.
  induction 1 as [|a l A H IH]; cbn [length number fold_right]; [cbn; lia|].
  rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. unfold number in IH. nia.
Qed.
(* levels that split so many digits *)
Fixpoint splits (X : Z) (Xs : list Z) (n : nat) : Prop :=
  match Xs with [] => n = 1%nat | Y :: Xs => exists m, n = (m + m)%nat /\ Y = X ^ Z.of_nat m /\ splits X Xs m end.
Lemma levels_ok w k : 0 <= w -> forall acc m, splits (2 ^ w) acc m ->
  splits (2 ^ w) (levels k (w * Z.of_nat m) acc) (m * 2 ^ k).
Proof.
  intros W. induction k as [|k IH]; intros acc m S; cbn [levels]; [now rewrite Nat.pow_0_r, Nat.mul_1_r|].
  replace (2 * (w * Z.of_nat m)) with (w * Z.of_nat (m + m)) by (rewrite Nat2Z.inj_add; ring).
  rewrite Nat.pow_succ_r'. replace (m * (2 * 2 ^ k))%nat with ((m + m) * 2 ^ k)%nat by ring. apply IH. exists m.
  split; [reflexivity|]. split; [apply Z.pow_mul_r; lia|exact S].
Qed.
Lemma number_0 X l : digits X l -> number X l = 0 -> l = repeat 0 (length l).
Proof.
  induction 1 as [|a l A H IH]; cbn [number fold_right length repeat]; [reflexivity|]. intros E.
  pose proof (number_small _ _ H) as [N _]. unfold number in *. assert (a = 0) as -> by nia. f_equal. apply IH. nia.
Qed.
Lemma unpack_ok X Xs : forall l acc, splits X Xs (length l) -> digits X l ->
  exists n, l ++ acc = unpack Xs (number X l) acc ++ repeat 0 n.
Proof.
  induction Xs as [|Y Xs IH]; intros l acc S G; cbn [unpack splits] in *.
  - exists 0%nat. destruct l as [|a [|b l]]; try discriminate. cbn. rewrite app_nil_r. do 2 f_equal. ring.
  - destruct S as (m & L & -> & S).
    assert (E : length (firstn m l) = m) by (rewrite firstn_length; lia).
    assert (E2 : length (skipn m l) = m) by (rewrite skipn_length; lia).
    rewrite <- (firstn_skipn m l) in G |- *. apply Forall_app in G as [G1 G2].
    rewrite number_app, E. pose proof (number_small _ _ G1) as B. rewrite E in B. cbv zeta.
    rewrite (Z.mul_comm (X ^ _)), Z.mod_add, Z.div_add, Z.mod_small, Z.div_small, Z.add_0_l by lia.
    set (u := number X (skipn m l)). set (inner := match acc with [] => _ | _ => _ end).
    assert (I : exists n, skipn m l ++ acc = inner ++ repeat 0 n).
    { unfold inner. destruct (IH (skipn m l) acc ltac:(now rewrite E2) G2) as [n H]. fold u in H.
      destruct acc as [|x acc]; [|now exists n]. destruct (Z.eqb_spec u 0) as [Z|]; [|now exists n].
      exists m. rewrite app_nil_r. cbn [app]. rewrite <- E2 at 2. now apply (number_0 X). }
    destruct I as [n I]. destruct (IH (firstn m l) inner ltac:(now rewrite E) G1) as [k J].
    exists (k + n)%nat. now rewrite repeat_app, app_assoc, <- J, <- !app_assoc, <- I.
Qed.

(* ---- the product, digit by digit ---- *)
Fixpoint plus (l m : list Z) : list Z :=
  match l, m with [], _ => m | _, [] => l | a :: l, b :: m => a + b :: plus l m end.
Fixpoint conv (l m : list Z) : list Z :=
  match l with [] => [] | a :: l => plus (map (Z.mul a) m) (0 :: conv l m) end.
Lemma number_plus X l : forall m, number X (plus l m) = number X l + number X m.
Proof.
  unfold number. induction l as [|a l IH]; intros [|b m]; cbn [plus fold_right]; try ring. rewrite IH. ring.
Qed.
Lemma number_map X a m : number X (map (Z.mul a) m) = a * number X m.
Proof. unfold number. induction m as [|b m IH]; cbn [map fold_right]; [ring|]. rewrite IH. ring. Qed.
Lemma number_conv X l m : number X (conv l m) = number X l * number X m.
Proof.
  induction l as [|a l IH]; cbn [conv]; [reflexivity|]. rewrite number_plus, number_map.
  cbn [number fold_right]. unfold number in *. rewrite IH. ring.
Qed.
Lemma plus_length l : forall m, length (plus l m) = Nat.max (length l) (length m).
Proof. induction l as [|a l IH]; intros [|b m]; cbn [plus length]; try lia. rewrite IH. lia. Qed.
Lemma conv_length l m : (length (conv l m) <= length l + length m)%nat.
Proof.
  induction l as [|a l IH]; cbn [conv length]; [lia|]. rewrite plus_length, map_length. cbn [length]. lia.
Qed.
Definition above (l : list Z) := Forall (fun c => 0 <= c) l.
Lemma plus_above l : forall m, above l -> above m -> above (plus l m).
Proof.
  induction l as [|a l IH]; intros [|b m] H K; cbn [plus]; auto. inversion_clear H. inversion_clear K.
  constructor; [lia|]. now apply IH.
Qed.
Lemma conv_above l m : above l -> above m -> above (conv l m).
Proof.
  induction 1 as [|a l A H IH]; intros M; cbn [conv]; [constructor|]. apply plus_above.
  - clear - A M. induction M as [|b m B M IHM]; cbn [map]; constructor; [nia|exact IHM].
  - constructor; [lia|]. now apply IH.
Qed.
Lemma sum_number l : sum l = number 1 l.
Proof.
  unfold sum. change (number 1 l) with (0 + number 1 l). generalize 0 as t. unfold number.
  induction l as [|a l IH]; intros t; cbn [fold_left fold_right]; [ring|]. rewrite IH. ring.
Qed.
Lemma below_sum l : above l -> Forall (fun c => 0 <= c <= number 1 l) l /\ 0 <= number 1 l.
Proof.
  unfold number. induction 1 as [|a l A H [IH N]]; cbn [fold_right]; [split; [constructor|lia]|].
  split; [|lia]. constructor; [lia|]. eapply Forall_impl; [|exact IH]. cbn beta. intros. lia.
Qed.
Lemma number_zeros X n : number X (repeat 0 n) = 0.
Proof. unfold number. induction n as [|n IH]; cbn [repeat fold_right]; [reflexivity|]. rewrite IH. ring. Qed.

Lemma convolve_ok l m : above l -> above m -> exists n k, convolve l m ++ repeat 0 n = conv l m ++ repeat 0 k.
Proof.
  intros A B. unfold convolve, unpacked, packed. set (s := sum l * sum m). set (w := Z.log2 s + 1). set (X := 2 ^ w).
  assert (W : 0 <= w) by (unfold w; pose proof (Z.log2_nonneg s); lia).
  set (long := Z.of_nat (length l + length m)). pose proof (conv_length l m) as C.
  destruct (below_sum _ (conv_above _ _ A B)) as [F N]. rewrite number_conv, <- !sum_number in F, N. fold s in F, N.
  assert (SX : s < X). { unfold X, w. destruct (Z.eq_dec s 0) as [->|]; [reflexivity|]. apply Z.log2_spec. lia. }
  assert (L : (length l + length m <= 2 ^ Z.to_nat (Z.log2_up long))%nat).
  { apply Nat2Z.inj_le. rewrite Nat2Z.inj_pow, Z2Nat.id by apply Z.log2_up_nonneg. fold long.
    destruct (Z.le_gt_cases long 1) as [O|O]; [|now apply Z.log2_up_spec].
    rewrite Z.log2_up_eqn0 by lia. exact O. }
  set (k := Z.to_nat (Z.log2_up long)) in *. rewrite !pack_ok, <- number_conv.
  set (z := (2 ^ k - length (conv l m))%nat).
  replace (number X (conv l m)) with (number X (conv l m ++ repeat 0 z)) by (rewrite number_app, number_zeros; ring).
  destruct (unpack_ok X (levels k w []) (conv l m ++ repeat 0 z) []) as [n H].
  - rewrite app_length, repeat_length. replace (length _ + _)%nat with (1 * 2 ^ k)%nat by lia.
    rewrite <- (Z.mul_1_r w). now apply (levels_ok w k W [] 1).
  - apply Forall_app. split; [eapply Forall_impl; [|exact F]; cbn; lia|].
    apply Forall_forall. intros c I. apply repeat_spec in I. lia.
  - exists n, z. rewrite app_nil_r in H. now rewrite <- H.
Qed.
Lemma convolve_above l m : above l -> above m -> above (convolve l m).
Proof.
  intros A B. destruct (convolve_ok l m A B) as (n & k & E). assert (G : above (convolve l m ++ repeat 0 n)).
  { rewrite E. apply Forall_app. split; [now apply conv_above|]. apply Forall_forall. intros c I. apply repeat_spec in I. lia. }
  now apply Forall_app in G.
Qed.

(* ---- what tests see of it ---- *)
Local Open Scope R_scope.
Fixpoint along (g : Z -> R) (s k : Z) (l : list Z) : R :=
  match l with [] => 0 | c :: l => IZR c * g k + along g s (k + s) l end.
Lemma spread_ok g s l : forall k acc, eval g (spread s k l acc) = along g s k l + eval g acc.
Proof.
  induction l as [|c l IH]; intros k acc; cbn [spread along]; [rewrite eval_rev_append; cbn; ring|].
  rewrite IH. destruct (Z.eqb_spec c 0) as [->|]; cbn [eval]; ring.
Qed.
Lemma dense_ok s room : forall f k acc l, dense s k room f acc = Some l ->
  exists r, l = rev acc ++ r /\ forall g, along g s k r = eval g f.
Proof.
  induction room as [|n IH]; intros [|[j c] f] k acc l H; cbn [dense] in H; try discriminate.
  - injection H as <-. exists []. rewrite rev_append_rev. auto.
  - injection H as <-. exists []. rewrite rev_append_rev. auto.
  - destruct (Z.eqb_spec j k) as [->|]; [|destruct (j <? k)%Z; [discriminate|]]; apply IH in H as (r & -> & H).
    + exists (c :: r). cbn [rev along eval]. rewrite <- app_assoc. split; [reflexivity|]. intros g. now rewrite H.
    + exists (0%Z :: r). cbn [rev along]. rewrite <- app_assoc. split; [reflexivity|]. intros g. rewrite H. ring.
Qed.
Lemma along_plus g s l : forall k m, along g s k (plus l m) = along g s k l + along g s k m.
Proof.
  induction l as [|a l IH]; intros k [|b m]; cbn [plus along]; try ring. rewrite IH, plus_IZR. ring.
Qed.
Lemma along_map g s a m : forall k, along g s k (map (Z.mul a) m) = IZR a * along g s k m.
Proof. induction m as [|b m IH]; intros k; cbn [map along]; [ring|]. rewrite IH, mult_IZR. ring. Qed.
Lemma along_shift g s d m : forall k, along g s (d + k) m = along (fun j => g (d + j)%Z) s k m.
Proof.
  induction m as [|b m IH]; intros k; cbn [along]; [reflexivity|]. rewrite <- IH.
  now replace (d + k + s)%Z with (d + (k + s))%Z by ring.
Qed.
Lemma along_conv g s j m l : forall k, along g s (k + j) (conv l m) = along (fun d => along g s (d + j) m) s k l.
Proof.
  induction l as [|a l IH]; intros k; cbn [conv along]; [reflexivity|].
  rewrite along_plus, along_map. cbn [along]. replace (k + j + s)%Z with (k + s + j)%Z by ring. rewrite IH. ring.
Qed.
Lemma along_zeros g s n : forall k, along g s k (repeat 0%Z n) = 0.
Proof. induction n as [|n IH]; intros k; cbn [repeat along]; [reflexivity|]. rewrite IH. ring. Qed.
Lemma along_app g s l m : forall k, along g s k (l ++ m) = along g s k l + along g s (k + s * Z.of_nat (length l)) m.
Proof.
  induction l as [|a l IH]; intros k; cbn [app along length].
  - change (Z.of_nat 0) with 0%Z. replace (k + s * 0)%Z with k by ring. ring.
  - rewrite IH, Nat2Z.inj_succ. replace (k + s + s * Z.of_nat (length l))%Z with (k + s * Z.succ (Z.of_nat (length
      l)))%Z by ring. ring.
Qed.

Lemma along_convolve g s k l m : above l -> above m -> along g s k (convolve l m) = along g s k (conv l m).
Proof.
  intros A B. destruct (convolve_ok l m A B) as (n & z & E). apply (f_equal (along g s k)) in E.
  rewrite !along_app, !along_zeros, !Rplus_0_r in E. exact E.
Qed.

Lemma natural_above l : natural l = true -> above l.
Proof.
  intros L. apply Forall_forall. intros x I. unfold natural in L. rewrite forallb_forall in L. now apply Z.leb_le, L.
Qed.
Lemma spread_sure s l : above l -> forall k acc, sure acc -> sure (spread s k l acc).
Proof.
  induction 1 as [|c l C H IH]; intros k acc A; cbn [spread]; [now apply sure_rev|]. apply IH.
  destruct (c =? 0)%Z; [exact A|]. unfold sure in *. cbn [forallb snd]. rewrite A, andb_true_r. now apply Z.leb_le.
Qed.
Lemma times_sure t f p : sure f -> sure p -> sure (times t f p).
Proof.
  intros S T. unfold times. destruct (short f); [now apply mul_sure|].
  destruct (dense _ _ _ f []) as [a|]; [|now apply mul_sure].
  destruct (dense _ _ _ p []) as [c|]; [|now apply mul_sure].
  destruct (_ && _) eqn:H; [|now apply mul_sure]. apply andb_prop in H as [A C].
  apply spread_sure; [apply convolve_above; now apply natural_above|reflexivity].
Qed.
Theorem eval_times t f p g : eval g (times t f p) = eval g (mul f p).
Proof.
  unfold times. destruct (short f); [reflexivity|]. destruct (dense _ _ _ f []) as [a|] eqn:Ha; [|reflexivity].
  destruct (dense _ _ _ p []) as [c|] eqn:Hc; [|reflexivity].
  destruct (_ && _) eqn:H; [|reflexivity]. apply andb_prop in H as [H H3].
  apply dense_ok in Ha as (ra & -> & Ha). apply dense_ok in Hc as (rc & -> & Hc). cbn [rev app] in *.
  rewrite spread_ok, along_convolve, along_conv by now apply natural_above. cbn [eval]. rewrite Ha, eval_mul, !Rplus_0_r.
  apply eval_ext. intros d. rewrite along_shift. apply Hc.
Qed.
