(* What is read is well-formed: labels and their numbers are one for one, what differs is found to, and the laws of all
   claims about numbers and columns are laws, whose weights sum to 1. *)
From Coq Require Import Reals QArith Qreals ZArith String List Bool Lia Lra.
From Shufflecert Require Import Texts Json ReadClaims SpecCount SpecColumns SpecNumbers Numbers Noise Bells Below.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope R_scope.

(* ---- labels ---- *)
Lemma among_seen x seen : existsb (String.eqb x) seen = true <-> In x seen.
Proof.
  rewrite existsb_exists. split.
  - intros (y & I & E). apply String.eqb_eq in E. now subst.
  - intros I. exists x. split; [exact I|apply String.eqb_refl].
Qed.
Lemma beyond_these_ok l : forall seen, NoDup (beyond_these seen l) /\
  forall x, In x (beyond_these seen l) <-> In x l /\ ~ In x seen.
Proof.
  induction l as [|y l IH]; intros seen; cbn [beyond_these]; [split; [constructor|cbn; tauto]|].
  pose proof (among_seen y seen) as A. destruct (existsb (String.eqb y) seen).
  - destruct (IH seen) as [D I]. split; [exact D|]. intros x. rewrite I. cbn [In]. split; [tauto|].
    intros [[<-|J] K]; [tauto|now split].
  - destruct (IH (y :: seen)) as [D I]. assert (N : ~ In y seen) by (intros J; now apply A in J). split.
    + constructor; [|exact D]. rewrite I. cbn. tauto.
    + intros x. cbn [In]. rewrite I. cbn [In]. destruct (string_dec y x) as [->|E]; tauto.
Qed.
Theorem different_ok l : NoDup (different l) /\ forall x, In x (different l) <-> In x l.
Proof. destruct (beyond_these_ok l []) as [D I]. split; [exact D|]. intros x. unfold different. rewrite I. cbn. tauto. Qed.
(* As many different ones as there are: then no two are alike. *)
Theorem all_differ_ok l : all_differ l = true <-> NoDup l.
Proof.
  unfold all_differ. rewrite Nat.eqb_eq. destruct (different_ok l) as [D I]. split.
  - intros E. apply NoDup_incl_NoDup with (l := different l); [exact D|lia|]. intros x. apply I.
  - intros N. apply Nat.le_antisymm; apply NoDup_incl_length; auto; intros x; apply I.
Qed.

Lemma look_up_combine {A} (l : list string) : forall (m : list A) x y, look_up (table_from (combine l m)) x = Some y ->
  exists i, nth_error l i = Some x /\ nth_error m i = Some y.
Proof.
  induction l as [|z l IH]; intros [|v m] x y; cbn; try discriminate. destruct (String.eqb_spec x z) as [->|N].
  - intros [= <-]. now exists 0%nat.
  - intros H. destruct (IH m x y H) as (i & X & Y). now exists (S i).
Qed.
(* A label's number is its place in the list of all labels, each of which is there once. *)
Theorem numbered_ok l x i : look_up (numbers_of (numbered l)) x = Some i -> nth_error (in_turn (numbered l)) i = Some x.
Proof.
  cbn [numbered numbers_of in_turn]. intros H. apply look_up_combine in H as (j & X & J).
  assert (B : (j < length (different l))%nat) by (apply nth_error_Some; congruence).
  rewrite nth_error_nth' with (d := 0%nat) in J by now rewrite seq_length.
  injection J as J. rewrite seq_nth in J by exact B. cbn in J. now subst.
Qed.
Theorem numbered_apart l x y i : look_up (numbers_of (numbered l)) x = Some i ->
  look_up (numbers_of (numbered l)) y = Some i -> x = y.
Proof. intros X Y. apply numbered_ok in X, Y. congruence. Qed.

(* ---- what is read of all of a list ---- *)
Lemma read_onto_ok {A B} (f : A -> read B) l : forall found ys, read_onto f l found = Good ys ->
  exists zs, ys = (rev found ++ zs)%list /\ Forall2 (fun x y => f x = Good y) l zs.
Proof.
  induction l as [|x l IH]; intros found ys; cbn [read_onto].
  - intros [= <-]. exists []. rewrite rev_append_rev. split; [reflexivity|constructor].
  - destruct (f x) as [why|y] eqn:E; [discriminate|]. intros H. destruct (IH _ _ H) as (zs & -> & F).
    exists (y :: zs). cbn [rev]. rewrite <- app_assoc. split; [reflexivity|now constructor].
Qed.
Lemma read_all_ok {A B} (f : A -> read B) l ys : read_all f l = Good ys -> Forall2 (fun x y => f x = Good y) l ys.
Proof. intros H. now destruct (read_onto_ok f l [] ys H) as (zs & -> & F). Qed.
Lemma read_all_each {A B} (P : B -> Prop) (f : A -> read B) l ys : (forall x y, f x = Good y -> P y) ->
  read_all f l = Good ys -> Forall P ys.
Proof. intros H R. apply read_all_ok in R. induction R; constructor; eauto. Qed.

(* ---- numbers ---- *)
(* Takes apart how something was read, down to what was found. *)
Ltac taken H := cbv zeta in H; repeat match type of H with
  | match ?m with _ => _ end = Good _ => lazymatch type of m with
    | read _ => let E := fresh "got" in destruct m eqn:E; [discriminate H|]
    | bool => let E := fresh "B" in destruct m eqn:E; try discriminate H
    end
  end.
Lemma digits_after_ok s : forall k n, (0 <= k)%Z -> digits_after k s = Some n -> (0 <= n)%Z.
Proof.
  induction s as [|c s IH]; intros k n K; cbn [digits_after]; [intros [= <-]; exact K|].
  unfold digit. set (d := (Z.of_N _ - 48)%Z). destruct (_ && _)%bool eqn:E; [|discriminate].
  apply andb_prop in E as [E _]. apply Z.leb_le in E. intros H. apply IH in H; lia.
Qed.
Lemma natural_in_ok most s n : natural_in most s = Some n -> (0 <= n)%Z.
Proof.
  assert (A : forall s, (if (Z.of_nat (String.length s) <=? most)%Z then digits_after 0 s else None) = Some n -> (0 <= n)%Z).
  { intros r. destruct (_ <=? _)%Z; [|discriminate]. apply digits_after_ok. lia. }
  intros H. destruct s as [|[[] [] [] [] [] [] [] []] [|c s]]; cbn [natural_in] in H; try discriminate;
    match type of H with (if (Z.of_nat (String.length ?r) <=? _)%Z then _ else _) = _ => exact (A r H) end.
Qed.
Lemma natural_at_ok place s k : natural_at place s = Good k -> (0 <= k)%Z.
Proof.
  unfold natural_at, bad. destruct natural_in eqn:E; [|discriminate]. intros [= <-]. now apply natural_in_ok in E.
Qed.
Lemma ratio_at_ok place s q : ratio_at place s = Good q -> (0 <= Qnum q)%Z.
Proof.
  unfold ratio_at. destruct (at_slash s) as [above below]. intros H. taken H. apply natural_at_ok in got.
  destruct below as [r|]; [|now injection H as <-].
  destruct (natural_at place r) as [|[|d|d]]; try discriminate. now injection H as <-.
Qed.
Lemma positive_rational_ok place v q : positive_rational place v = Good q -> (0 < Qnum q)%Z.
Proof. unfold positive_rational, bad. intros H. taken H. injection H as <-. now apply Z.leb_gt. Qed.
Lemma weight_ok place v w : weight place v = Good w -> 0 < Q2R w.
Proof.
  unfold weight, at_most_1, bad. intros H. taken H. injection H as <-. apply above_0_ok, Z.ltb_lt.
  now apply positive_rational_ok in got.
Qed.
Lemma probability_ok place v q : probability place v = Good q -> (0 <= Qnum q <= Z.pos (Qden q))%Z.
Proof.
  unfold probability, at_most_1, bad, rational. intros H. taken H. injection H as <-. taken got.
  apply ratio_at_ok in got. apply Z.ltb_ge in B. lia.
Qed.
Lemma below_1_reads place v q : below_1 place v = Good q -> (0 < Qnum q < Z.pos (Qden q))%Z.
Proof.
  unfold below_1, bad. intros H. taken H. injection H as <-. apply Z.ltb_lt in B. apply positive_rational_ok in got. lia.
Qed.
Lemma integer_ok place least most v k : integer place least most v = Good k -> (least <= k <= most)%Z.
Proof.
  unfold integer, bad. destruct v as [| |s| | |]; cbn; try discriminate. destruct natural_in as [j|]; try discriminate.
  destruct (_ && _)%bool eqn:E; [|discriminate]. intros [= <-]. apply andb_prop in E as [E F]. lia.
Qed.

(* ---- weights ---- *)
Lemma plus_weight_ok a b w : (0 < b)%Z -> let t := plus_weight (a, b) w in
  (0 < snd t)%Z /\ IZR (fst t) / IZR (snd t) = IZR a / IZR b + Q2R w.
Proof.
  intros B. destruct w as [n d]. unfold plus_weight, Q2R. cbn [fst snd Qnum Qden].
  assert (D : 0 < IZR (Z.pos d)) by (apply IZR_lt; lia). assert (C : 0 < IZR b) by now apply IZR_lt.
  destruct (Z.eqb_spec (b mod Z.pos d) 0) as [E|_]; cbn [fst snd].
  - split; [exact B|]. assert (F : b = (Z.pos d * (b / Z.pos d))%Z) by (apply Z_div_exact_full_2; [lia|exact E]).
    set (k := (b / Z.pos d)%Z) in *. rewrite F in C |- *. rewrite mult_IZR in C.
    assert (K : 0 < IZR k) by (destruct (Rlt_le_dec 0 (IZR k)); [assumption|nra]).
    rewrite plus_IZR, !mult_IZR. field. lra.
  - split; [lia|]. rewrite plus_IZR, !mult_IZR. field. lra.
Qed.
Lemma fold_weights ws : forall a b, (0 < b)%Z -> let t := fold_left plus_weight ws (a, b) in
  (0 < snd t)%Z /\ IZR (fst t) / IZR (snd t) = IZR a / IZR b + sum Q2R ws.
Proof.
  induction ws as [|w ws IH]; intros a b B; cbn [fold_left sum fold_right]; [split; [exact B|cbn; lra]|].
  destruct (plus_weight_ok a b w B) as [P E]. destruct (plus_weight (a, b) w) as [c d]. cbn [fst snd] in *.
  destruct (IH c d P) as [Q F]. split; [exact Q|]. rewrite F, E. unfold sum. cbn [fold_right]. lra.
Qed.
Lemma sum_to_1_ok ws : Forall (fun w => 0 < Q2R w) ws -> sum_to_1 ws = true -> weights_are ws.
Proof.
  intros P H. split; [exact P|]. unfold sum_to_1 in H. apply Z.eqb_eq in H.
  destruct (fold_weights ws 0 1 ltac:(lia)) as [B E]. rewrite H in E.
  assert (C : 0 < IZR (snd (fold_left plus_weight ws (0, 1)%Z))) by now apply IZR_lt.
  replace (IZR _ / IZR _) with 1 in E by (field; lra). lra.
Qed.

(* ---- laws ---- *)
Lemma read_noise_ok place law v l : read_noise place law v = Good l -> law_stands l = true.
Proof.
  unfold read_noise. intros H.
  destruct (String.eqb law "binomial").
  { taken H. injection H as <-. apply integer_ok in got0. apply probability_ok in got1. cbn [law_stands].
    destruct no_noise eqn:N; [reflexivity|]. cbn [no_noise proper_noise] in *.
    destruct (Z.leb_spec 0 a0); [|exfalso; lia]. cbn [negb andb] in *. 
    destruct (Z.eqb_spec (Qnum a1) 0) as [E|E]; [discriminate|].
    destruct (Z.eqb_spec (Qnum a1) (Z.pos (Qden a1))) as [F|F]; [discriminate|].
    apply andb_true_intro. split; apply Z.ltb_lt; lia. }
  destruct (String.eqb law "poisson").
  { taken H. injection H as <-. apply positive_rational_ok in got0. now apply Z.ltb_lt. }
  destruct (String.eqb law "negative binomial").
  { taken H. injection H as <-. apply positive_rational_ok in got0. apply below_1_reads in got1. cbn.
    repeat (apply andb_true_intro; split); apply Z.ltb_lt; lia. }
  destruct (String.eqb law "discrete Gaussian").
  { taken H. injection H as <-. apply positive_rational_ok in got0. now apply Z.ltb_lt. }
  taken H. apply below_1_reads in got0. destruct value_of as [b|].
  - taken H. injection H as <-. apply integer_ok in got1. cbn.
    repeat (apply andb_true_intro; split); try apply Z.ltb_lt; try apply Z.leb_le; lia.
  - injection H as <-. cbn. apply andb_true_intro; split; apply Z.ltb_lt; lia.
Qed.
Theorem read_law_ok deep : forall place v l, read_law deep place v = Good l -> is_number_law l.
Proof.
  induction deep as [|deep IH]; intros place v l; cbn [read_law]; [discriminate|]. intros H. taken H.
  - unfold read_finite in H. taken H. injection H as <-. apply negb_false_iff in B0.
    cbn [is_number_law]. apply sum_to_1_ok; [|exact B0]. apply Forall_map. revert got3. apply read_all_each.
    intros x y E. taken E. injection E as <-. now apply weight_ok in got4.
  - injection H as <-. cbn [is_number_law]. apply integer_ok in got2. split; [lia|now apply IH in got3].
  - injection H as <-. cbn [is_number_law]. apply (read_all_each is_number_law) in got3; [|apply IH].
    induction got3; cbn [fold_right]; [exact Logic.I|]. now split.
  - injection H as <-. cbn [is_number_law].
    assert (A : Forall (fun o => 0 < Q2R (fst o) /\ is_number_law (snd o)) a3).
    { revert got3. apply read_all_each. intros [| | | |[|w [|x [|]]]|] y E; try discriminate. taken E. injection E as <-.
      split; [now apply weight_ok in got3|now apply IH in got4]. }
    split.
    + apply negb_false_iff in B5. apply sum_to_1_ok; [|exact B5]. apply Forall_map. revert A. apply Forall_impl. tauto.
    + clear -A. induction A as [|o l [_ L] _ J]; cbn [fold_right]; [exact Logic.I|]. now split.
  - apply read_noise_ok in H. now apply law_stands_ok.
Qed.

(* ---- claims ---- *)
Lemma read_option_ok {A} (P : A -> Prop) f v o : (forall v x, f v = Good x -> P x) -> read_option f v = Good o ->
  forall x, o = Some x -> P x.
Proof.
  intros H. destruct v as [v|]; cbn [read_option]; [|intros [= <-]; discriminate]. intros E. taken E. injection E as <-.
  intros x [= <-]. eauto.
Qed.
Theorem read_number_ok seen a eps delta c : read_number seen a eps delta = Good c -> number_said c.
Proof.
  unfold read_number. intros H. taken H. injection H as <-. split; cbn.
  - intros l [E|E]; revert l E; [revert got1|revert got2]; apply read_option_ok; intros v x; apply read_law_ok.
  - destruct a4 as [m|]; [|exact Logic.I]. cut (forall n, Some m = Some n -> (0 < n)%Z); [auto|]. revert got3.
    apply read_option_ok. intros v x E. taken E. apply integer_ok in E. lia.
Qed.
Theorem read_columns_ok seen a eps delta w : read_columns seen a eps delta = Good w -> columns_said (of_columns_said w).
Proof.
  assert (A : forall given found, read_laws given = Good found -> Forall is_number_law found).
  { unfold read_laws. intros given found. apply read_all_each. intros x l. apply read_law_ok. }
  unfold read_columns, columns_said, read_one_of, read_listed. intros H.
  destruct (String.eqb (kind_of seen) "one of"); taken H; injection H as <-; cbn; eauto.
Qed.
