(* From Coq to OCaml. Every line here is trusted: a type or a function of Coq, and what stands for it in OCaml.
   Z is `Big.t`: Zarith's integers (native/big.ml) or JavaScript's (browser/big.ml).
     nat is `int`: inputs, messages, users. *)
From Coq Require Import ZArith QArith List Extraction.
From Shufflecert Require Import SpecColumns SpecNumbers Bells Shifts Below TwoColumns Columns Spec SpecCount SpecHistogram SpecThreshold Poly Check Cover Kron Powers Boxes CoverReach
  Kernel Noise Threshold SpecAny Grid CheckAny CheckBlocks SpecPresence Presence Pure SpecRuns Ends Pairs Lattice Dots Atoms Shown CheckRuns CheckRunsFalse.
From Shufflecert Require Tail Key Symmetry Views Sums Texts ReadProofs Reader.
Import Reader(read_certificate).
From Coq Require Import ExtrOcamlNativeString.
Extraction Language OCaml.
Extract Inductive bool => "bool" ["true" "false"].
Extract Inductive sumbool => "bool" ["true" "false"].
Extract Inductive list => "list" ["[]" "(::)"].
Extract Inductive prod => "(*)" ["(,)"].
Extract Inductive option => "option" ["Some" "None"].
Extract Inductive Datatypes.unit => "unit" ["()"].
Extract Inductive nat => "int" ["0" "succ"] "(fun zero next n -> if n = 0 then zero () else next (n - 1))".
Extract Inductive positive => "Big.t" ["Big.twice_and_one" "Big.twice" "Big.one"] "Big.positive_case".
Extract Inductive Z => "Big.t" ["Big.zero" "(fun p -> p)" "Big.neg"] "Big.case".
Extract Constant Z.add => "Big.add".
Extract Constant Z.mul => "Big.mul".
Extract Constant Z.sub => "Big.sub".
Extract Constant Z.opp => "Big.neg".
Extract Constant Z.max => "Big.max".
Extract Constant Z.pow => "Big.pow".
Extract Constant Z.div => "Big.div".
Extract Constant Z.modulo => "Big.modulo".
Extract Constant Z.eqb => "Big.equal".
Extract Constant Z.leb => "Big.leb".
Extract Constant Z.ltb => "Big.ltb".
Extract Constant Z.compare => "(fun a b -> let c = Big.compare a b in if c < 0 then Lt else if c = 0 then Eq else Gt)".
Extract Constant Z.eq_dec => "Big.equal".
Extract Constant Z.of_nat => "Big.of_int".
Extract Constant Pos.to_nat => "Big.to_int".
Extract Constant Z.to_nat => "(fun z -> if Big.ltb z Big.zero then 0 else Big.to_int z)".
Extract Constant Nat.add => "(+)".
Extract Constant Nat.sub => "(fun (a : int) b -> if a < b then 0 else a - b)".
Extract Constant Init.Nat.add => "(+)".
Extract Constant Init.Nat.max => "(fun (a : int) b -> if a < b then b else a)".
Extract Constant Init.Nat.min => "(fun (a : int) b -> if a < b then a else b)".
Extract Constant Nat.leb => "(fun (a : int) b -> a <= b)".
Extract Constant Nat.div2 => "(fun n -> n / 2)".
Extract Constant Init.Nat.sub => "(fun (a : int) b -> if a < b then 0 else a - b)".
Extract Constant Nat.eqb => "(fun (a : int) b -> a = b)".
Extract Constant Nat.ltb => "(fun (a : int) b -> a < b)".
Extract Constant Nat.eq_dec => "(fun (a : int) b -> a = b)".
Extract Constant length => "List.length".
Extract Inlined Constant fst => "fst".
Extract Inlined Constant snd => "snd".
Extract Inlined Constant andb => "(&&)".
Extract Inlined Constant orb => "(||)".
Extract Inlined Constant negb => "not".

(* The same functions without a stack: Tail.v proves of each that it gives what the one gives whose place it takes. *)
Extraction "tail.ml" Tail.app Tail.map Tail.fold_right Tail.flat_map Tail.concat Tail.filter Tail.combine Tail.nodup
  Tail.seq Tail.repeat Tail.count_occ Tail.key Tail.digits_of Tail.position Tail.users_of Tail.run
  Tail.above_0 Tail.merge
  Tail.stick Tail.halve.
Extract Inlined Constant app => "Tail.app".
Extract Inlined Constant map => "Tail.map".
Extract Inlined Constant fold_right => "Tail.fold_right".
Extract Inlined Constant flat_map => "Tail.flat_map".
Extract Inlined Constant concat => "Tail.concat".
Extract Inlined Constant filter => "Tail.filter".
Extract Inlined Constant combine => "Tail.combine".
Extract Inlined Constant nodup => "Tail.nodup".
Extract Inlined Constant seq => "Tail.seq".
Extract Inlined Constant repeat => "Tail.repeat".
Extract Inlined Constant count_occ => "Tail.count_occ".
Extract Inlined Constant Key.key => "Tail.key".
Extract Inlined Constant Symmetry.digits_of => "Tail.digits_of".
Extract Inlined Constant Boxes.position => "Tail.position".
Extract Inlined Constant Powers.users_of => "Tail.users_of".
Extract Inlined Constant Sums.run => "Tail.run".
Extract Inlined Constant Grid.above_0 => "Tail.above_0".
Extract Inlined Constant Poly.merge => "Tail.merge".
Extract Inlined Constant Poly.stick => "Tail.stick".
Extract Inlined Constant Lattice.halve => "(fun p -> Tail.halve (one p))".

(* Texts are OCaml's, byte by byte; tables of them are of glue/texts.ml. *)
Extract Inductive Texts.table => "Texts.table" ["Texts.table_from"] "Texts.no_case".
Extract Inlined Constant String.append => "(^)".
Extract Inlined Constant String.concat => "Stdlib.String.concat".
Extract Inlined Constant Texts.decimal => "Big.to_string".
Extract Inlined Constant Texts.natural_in => "Texts.natural_in".
Extract Inlined Constant Texts.at_slash => "Texts.at_slash".
Extract Inlined Constant Texts.after_minus => "Texts.after_minus".
Extract Inlined Constant Texts.in_log => "Texts.in_log".
Extract Inlined Constant Texts.code_points => "Texts.code_points".
Extract Inlined Constant Texts.table_from => "Texts.table_from".
Extract Inlined Constant Texts.look_up => "Texts.look_up".
Extract Inlined Constant Texts.different => "Texts.different".

Extraction "checked.ml" check_crowd check_crowd_false check_columns check_columns_false bound_exceeded
  not_exceeded check_number check_number_false number_exceeded number_not_exceeded low_of claim_of pair_exceeds classes_of law_at
  prepare nobody_yet valid from_below from_above longest rep normal row_poly check_pure_histogram up down inside with_drawn in_common shifted row_by law_of one_more all_moves
  weight_in weighed stick check_any check_one alone check_runs check_runs_false dots_stand
  read_certificate.
