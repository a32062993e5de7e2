(* From JSON to claims: verify/CERTIFICATE.md defines the form, and what is not of it is malformed. *)
From Coq Require Import ZArith QArith String List Bool.
From Shufflecert Require Import Texts Json Spec SpecCount SpecColumns SpecNumbers SpecPresence SpecAny.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope Z_scope.

(* ---- rows ---- *)
(* In the place of each label is its number among the labels of its kind. *)
Record named_table := { rows_of : randomizer; input_names : labels; message_names : labels }.

Definition read_output (sent_at p_at at_ : string) (v : json) : read (list string * Q) :=
  let! l := fields at_ ["send"; "p"] ["send"; "p"] v in
  let! send := values sent_at (the "send" l) in
  let! sent := read_all (label sent_at) send in
  let! p := positive_rational p_at (the "p" l) in
  Good (sent, p).
Definition read_row (place : string) (v : json) : read (string * list (list string * Q)) :=
  let! l := fields place ["input"; "outputs"] ["input"; "outputs"] v in
  let at_ := place ++ ".outputs" in
  let! given := values at_ (the "outputs" l) in
  let! outputs := read_all (read_output (place ++ ".send") (place ++ ".p") at_) given in
  let sent := map (fun o => String.concat "" (map quoted (fst o))) outputs in
  expect not_empty outputs && all_differ sent at at_ of "outputs, none of them twice";
  let! input := label (place ++ ".input") (the "input" l) in
  Good (input, outputs).
Definition number_in (names : labels) (x : string) : nat := match look_up (numbers_of names) x with Some i => i | None => 0%nat end.
Definition read_table (place : string) (v : json) : read named_table :=
  let! given := values place v in
  let! rows := read_each (fun i r => read_row (th place i) r) given in
  let inputs := map fst rows in
  expect not_empty rows && all_differ inputs at place of "rows whose inputs differ";
  let messages := numbered (flat_map (fun r => flat_map fst (snd r)) rows) in
  Good {| rows_of := map (fun r => map (fun o => (map (number_in messages) (fst o), snd o)) (snd r)) rows;
          input_names := numbered inputs; message_names := messages |}.

(* ---- laws of numbers ---- *)
Definition laws : list string :=
  ["binomial"; "poisson"; "negative binomial"; "discrete Laplace"; "discrete Gaussian"; "finite"; "sum"; "mixture"; "mod"].
Definition below_1 (place : string) (v : json) : read Q :=
  let! q := positive_rational place v in if Qnum q <? Z.pos (Qden q) then Good q else bad place "less than 1".
Definition read_finite (place : string) (v : json) : read number_law :=
  let! l := members (place ++ ".p") v in
  let! found := read_all (fun o => let! k := signed_at place (fst o) in let! w := weight place (snd o) in Good (k, w)) l in
  expect sum_to_1 (map snd found) at place of "weights that sum to exactly 1";
  Good (Finite found).
(* A law with numbers for its parameters. *)
Definition read_noise (place law : string) (v : json) : read number_law :=
  if String.eqb law "binomial" then
    let! l := fields place ["law"; "n"; "p"] ["n"; "p"] v in
    let! n := integer (place ++ ".n") 1 most_of_all (the "n" l) in
    let! p := probability (place ++ ".p") (the "p" l) in
    Good (Noise (Binomial n p))
  else if String.eqb law "poisson" then
    let! l := fields place ["law"; "lam"] ["lam"] v in
    let! lam := positive_rational (place ++ ".lam") (the "lam" l) in
    Good (Noise (Poisson lam))
  else if String.eqb law "negative binomial" then
    let! l := fields place ["law"; "r"; "p"] ["r"; "p"] v in
    let! r := positive_rational (place ++ ".r") (the "r" l) in
    let! p := below_1 (place ++ ".p") (the "p" l) in
    Good (Noise (NegativeBinomial r p))
  else if String.eqb law "discrete Gaussian" then
    let! l := fields place ["law"; "variance"] ["variance"] v in
    let! variance := positive_rational (place ++ ".variance") (the "variance" l) in
    Good (Bell (Gaussian variance))
  else
    let! l := fields place ["law"; "q"; "bound"] ["q"] v in
    let! q := below_1 (place ++ ".q") (the "q" l) in
    match value_of "bound" l with
    | None => Good (Noise (DiscreteLaplace q))
    | Some v => let! bound := integer (place ++ ".bound") 1 most_of_all v in Good (Bell (Bounded q bound))
    end.
(* A weight and a law, as they should be. *)
Definition is_pair (v : json) : bool := match v with Values [_; _] => true | _ => false end.
(* A law of numbers: noise, or one that is made of others, which are nested so deep at most. *)
Fixpoint read_law (deep : nat) (place : string) (v : json) : read number_law :=
  match deep with
  | O => bad "file" "nesting at most 100 deep"
  | S deep =>
      let! l := members place v in
      let! law := word (place ++ ".law") laws (the "law" l) in
      let at_ := place ++ ".of" in
      if String.eqb law "finite" then
        let! l := fields place ["law"; "p"] ["p"] v in
        read_finite place (the "p" l)
      else if String.eqb law "mod" then
        let! l := fields place ["law"; "by"; "of"] ["by"; "of"] v in
        let! m := integer (place ++ ".by") 2 longest_modulus (the "by" l) in
        let! one := read_law deep at_ (the "of" l) in
        Good (Mod m one)
      else if (String.eqb law "sum") || (String.eqb law "mixture") then
        let! l := fields place ["law"; "of"] ["of"] v in
        let! given := values at_ (the "of" l) in
        expect not_empty given at at_ of "a list of laws";
        if String.eqb law "sum" then let! all := read_all (read_law deep at_) given in Good (Sum all) else
        expect forallb is_pair given at at_ of "pairs of a weight and a law";
        let! all := read_all (fun v => match v with
          | Values [w; v] => let! w := weight at_ w in let! one := read_law deep at_ v in Good (w, one)
          | _ => bad at_ "pairs of a weight and a law"
          end) given in
        expect sum_to_1 (map fst all) at place of "weights that sum to exactly 1";
        Good (Mixture all)
      else read_noise place law v
  end.
Definition deepest : nat := 100.
Definition law_at (place : string) (v : json) : read number_law := read_law deepest place v.

(* ---- what is seen ---- *)
(* Of so many users of this kind, of whom so many are honest; what depends on the kind is still JSON. *)
Record told := { kind_of : string; users_told : Z; honest_told : Z; part_told : Q; view_told : json; each_told : json;
  added_told : option json; shown_told : option json }.
Definition kinds_of_users : list string := ["rows"; "columns"; "one of"; "up to"; "private"].
Fixpoint first_there (keys : list string) (l : list (string * json)) : option string :=
  match keys with [] => None | x :: keys => if there_is x l then Some x else first_there keys l end.
Definition read_seen (place : string) (v : json) : read told :=
  let! l := fields place ["users"; "honest"; "take part"; "view"; "each"; "added"; "shown"] ["users"; "each"] v in
  let! n := integer (place ++ ".users") 1 most_of_all (the "users" l) in
  let each_at := place ++ ".each" in
  let! each := members each_at (the "each" l) in
  match first_there kinds_of_users each with
  | None => bad each_at ("one of the keys " ++ String.concat ", " kinds_of_users)
  | Some kind =>
      let rows := String.eqb kind "rows" in
      expect Bool.eqb (there_is "view" l) rows at (place ++ ".view") of "a view of rows, and of nothing else";
      expect rows || negb (there_is "take part" l) at (place ++ ".take part") of "rows";
      let summed := among_words kind ["columns"; "one of"; "up to"] in
      expect summed || negb (there_is "added" l) at (place ++ ".added") of "columns, one of or up to";
      let! honest := match value_of "honest" l with
        | None => Good n
        | Some v => integer (place ++ ".honest") 1 n v
        end in
      let! part := match value_of "take part" l with
        | None => Good 1%Q
        | Some v => weight (place ++ ".take part") v
        end in
      expect summed || negb (there_is "shown" l) at (place ++ ".shown") of "columns, one of or up to";
      if negb rows && negb (Z.eqb honest n) then Not (NoTheorem "honest users who are not all, but of rows") else
      Good {| kind_of := kind; users_told := n; honest_told := honest; part_told := part; view_told := the "view" l;
              each_told := the "each" l; added_told := value_of "added" l; shown_told := value_of "shown" l |}
  end.

(* How neighbours differ: what a deletion brings is still JSON. *)
Inductive around := Replacing | Arriving | Deleting (weights : json).
Definition is_replacing (a : around) : bool := match a with Replacing => true | _ => false end.
Definition is_arriving (a : around) : bool := match a with Arriving => true | _ => false end.
Definition read_around (v : json) : read around :=
  match v with
  | Object _ => Good (Deleting v)
  | _ => let! w := word "claim.neighbours" ["replace"; "add-remove"] v in
      Good (if String.eqb w "replace" then Replacing else Arriving)
  end.
(* What is seen and how often, of each run; where there are several, whether `data` are the same. *)
Record told_claim := { runs_told : list (told * Z); same_told : option bool; around_told : around; eps_told : exponent;
  delta_told : Q }.
Definition read_run (i : nat) (v : json) : read (told * Z) :=
  let place := th "claim.runs" i in
  let! l := fields place ["seen"; "times"] ["seen"; "times"] v in
  let! seen := read_seen (place ++ ".seen") (the "seen" l) in
  let! times := integer (place ++ ".times") 1 (10 ^ 9) (the "times" l) in
  Good (seen, times).
Definition all_of_kinds (kinds : list string) (runs : list (told * Z)) : bool :=
  forallb (fun r => among_words (kind_of (fst r)) kinds) runs.
Definition read_claim (v : json) : read told_claim :=
  let! l := fields "claim" ["runs"; "data"; "neighbours"; "eps"; "delta"] ["runs"; "neighbours"; "eps"; "delta"] v in
  let! given := values "claim.runs" (the "runs" l) in
  let! runs := read_each read_run given in
  expect not_empty runs at "claim.runs" of "a run";
  let several := 1 <? fold_left (fun sum r => sum + snd r) runs 0 in
  expect Bool.eqb (there_is "data" l) several at "claim.data" of "data, just where there are several runs";
  let! neighbours := read_around (the "neighbours" l) in
  let! eps := exponent_in "claim.eps" (the "eps" l) in
  let! delta := probability "claim.delta" (the "delta" l) in
  let others := is_arriving neighbours && all_of_kinds ["one of"; "up to"; "rows"] runs in
  expect is_replacing neighbours || all_of_kinds ["rows"] runs || others at "claim.neighbours"
    of "replace, of columns and of private users";
  let! same := match value_of "data" l with
    | None => Good None
    | Some v => let! w := word "claim.data" ["same"; "any"] v in Good (Some (String.eqb w "same"))
    end in
  let alone := match runs with [_] => true | _ => false end in
  expect alone || is_replacing neighbours at "claim.neighbours" of "replace, of several that are seen";
  Good {| runs_told := runs; same_told := same; around_told := neighbours; eps_told := eps; delta_told := delta |}.

(* How the user who changes does. *)
Definition read_change (inputs : labels) (a : around) : read change :=
  match a with
  | Replacing => Good Replace
  | Arriving => Good AddRemove
  | Deleting v =>
      let! l := fields "claim.neighbours" ["deletion"] ["deletion"] v in
      let place := "claim.neighbours.deletion" in
      let! l := members place (the "deletion" l) in
      let! weights := read_all (fun o =>
        let! x := known_at place inputs (fst o) in let! w := weight place (snd o) in Good (x, w)) l in
      expect sum_to_1 (map snd weights) at place of "weights that sum to exactly 1";
      Good (Deletion weights)
  end.

(* ---- rows ---- *)
Record names := { inputs_called : list string; messages_called : list string }.
Definition names_of (t : named_table) : names :=
  {| inputs_called := in_turn (input_names t); messages_called := in_turn (message_names t) |}.
Definition is_shuffled (c : crowd) : bool := match shown_as c with Shuffled => true | _ => false end.
Definition read_view (v : json) : read view :=
  let! w := word "claim.view" ["shuffled"; "preshuffle"; "local"] v in
  Good (if String.eqb w "shuffled" then Shuffled else if String.eqb w "local" then Local else Preshuffle).
Definition read_crowd (seen : told) (a : around) (eps : exponent) (delta : Q) : read (crowd * named_table) :=
  let! l := fields "claim.each" ["rows"] ["rows"] (each_told seen) in
  let! table := read_table "claim.rows" (the "rows" l) in
  let! view := read_view (view_told seen) in
  let! change := read_change (input_names table) a in
  Good ({| each := rows_of table; takes := part_told seen; changes := change; shown_as := view;
           all_users := users_told seen; honest := Z.to_nat (honest_told seen); crowd_eps := eps; crowd_delta := delta |},
        table).

(* ---- numbers ---- *)
Definition read_option {A} (f : json -> read A) (v : option json) : read (option A) :=
  match v with None => Good None | Some v => let! found := f v in Good (Some found) end.
Definition read_number (seen : told) (a : around) (eps : exponent) (delta : Q) : read number :=
  let! l := fields "claim.each" ["up to"; "plus"] ["up to"] (each_told seen) in
  let! size := integer "claim.up to" 1 (10 ^ 6) (the "up to" l) in
  let! plus := read_option (law_at "claim.law") (value_of "plus" l) in
  let! added := read_option (law_at "claim.law") (added_told seen) in
  let! modulus := read_option (fun v => let! l := fields "claim.shown" ["mod"] ["mod"] v in
    integer "claim.shown" 2 longest_modulus (the "mod" l)) (shown_told seen) in
  Good {| largest := size; each_adds := plus; once_added := added; shown_mod := modulus; arrives := is_arriving a;
          number_users := Z.to_nat (users_told seen); number_eps := eps; number_delta := delta |}.

(* ---- columns ---- *)
(* How many columns, if that is said; the labels of inputs; of which pairs of these there are trees: of that from the first
   to the second alone, or of all. *)
Record wide := { of_columns_said : columns; size_said : option Z; columns_inputs : labels; first_pair_alone : bool }.
Definition read_from_where (v : option json) : read (option Z) :=
  read_option (fun v => let! l := fields "claim.shown" ["from"] ["from"] v in
    integer "claim.shown" 1 most_of_all (the "from" l)) v.
(* A law with what tells it from others; laws, each once; and the places of these among them. *)
Definition told_apart (v : json) : string * json := (spelled v, v).
Definition laws_named (given : list (string * json)) : labels := numbered (map fst given).
Definition read_laws (given : list (string * json)) : read (list number_law) :=
  let first_ones := table_from given in
  read_all (fun s => law_at "claim.law" match look_up first_ones s with Some v => v | None => Null end)
    (in_turn (laws_named given)).
Definition is_nothing (l : number_law) : bool :=
  match l with Finite [(k, w)] => Z.eqb k 0 && Z.eqb (Qnum w) (Z.pos (Qden w)) | _ => false end.
Definition place_in (names : labels) (o : string * json) : nat := number_in names (fst o).
Definition read_one_of (seen : told) (a : around) (eps : exponent) (delta : Q) : read wide :=
  let! l := fields "claim.each" ["one of"; "held"; "other"] ["one of"; "held"; "other"] (each_told seen) in
  let many := the "one of" l in
  let any_number := match many with Text s => String.eqb s "any number" | _ => false end in
  let! size := if any_number then Good None else
    let! d := integer "claim.one of" 2 most_of_all many in Good (Some d) in
  let only_two := match size with Some d => Z.eqb d 2 | None => false end in
  let comes := is_arriving a in
  let inputs := if comes then ["a"; "other"] else if only_two then ["a"; "b"] else ["a"; "b"; "other"] in
  let held := told_apart (the "held" l) in
  let others := told_apart (the "other" l) in
  let added := option_map told_apart (added_told seen) in
  let given := held :: others :: match added with Some o => [o] | None => [] end in
  let! laws := read_laws given in
  let! other := law_at "claim.other" (the "other" l) in
  if comes && negb (is_nothing other) then
    Not (NoTheorem "users who come or go and bring something to columns that are not theirs")
  else
  let! least := read_from_where (shown_told seen) in
  let place := place_in (laws_named given) in
  Good {| of_columns_said := {| number_laws := laws; draws := OneOf (place held) (place others);
            added_law := option_map place added; column_users := Z.to_nat (users_told seen); shown_from := least;
            arriving := comes; columns_eps := eps; columns_delta := delta |};
          size_said := size; columns_inputs := numbered inputs; first_pair_alone := negb comes |}.
Definition read_listed (seen : told) (eps : exponent) (delta : Q) : read wide :=
  let! l := fields "claim.each" ["columns"] ["columns"] (each_told seen) in
  let at_ := "claim.columns" in
  let! l := members at_ (the "columns" l) in
  let! table := read_all (fun o => let! x := label_at at_ (fst o) in let! laws := values at_ (snd o) in
    Good (x, map told_apart laws)) l in
  let many := match table with [] => 0%nat | r :: _ => length (snd r) end in
  expect Nat.ltb 0 many && forallb (fun r => Nat.eqb (length (snd r)) many) table at at_
    of "inputs of equally many columns";
  let added := option_map told_apart (added_told seen) in
  let given := (flat_map snd table ++ match added with Some o => [o] | None => [] end)%list in
  let! laws := read_laws given in
  let! least := read_from_where (shown_told seen) in
  let place := place_in (laws_named given) in
  Good {| of_columns_said := {| number_laws := laws; draws := Table (map (fun r => map place (snd r)) table);
            added_law := option_map place added;
            column_users := Z.to_nat (users_told seen); shown_from := least; arriving := false; columns_eps := eps;
            columns_delta := delta |};
          size_said := None; columns_inputs := numbered (map fst table); first_pair_alone := false |}.
Definition read_columns (seen : told) (a : around) (eps : exponent) (delta : Q) : read wide :=
  if String.eqb (kind_of seen) "one of" then read_one_of seen a eps delta else read_listed seen eps delta.
