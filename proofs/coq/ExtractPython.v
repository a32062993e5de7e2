(* From Coq to Python, by way of JSON. Every line here is trusted: a function of Coq, and the expression of Python that
   stands for it; so is the table REP of coq2py.py, which says what stands for the constructors. Z, positive and nat are
   Python's integers. *)
From Coq Require Import ZArith QArith List Extraction.
From Shufflecert Require Import SpecColumns SpecNumbers Bells Shifts Below TwoColumns Columns Spec SpecCount SpecHistogram SpecThreshold Poly Check Cover Kron Powers Boxes CoverReach
  Kernel Noise Threshold SpecAny Grid CheckAny CheckBlocks SpecPresence Presence Pure SpecRuns Ends Pairs Lattice Dots Atoms Shown CheckRuns CheckRunsFalse.
From Shufflecert Require Texts ReadProofs Reader.
Import Reader(read_certificate).
Extraction Language JSON.
Extract Inlined Constant Z.add => "{} + {}".
Extract Inlined Constant Z.mul => "{} * {}".
Extract Inlined Constant Z.sub => "{} - {}".
Extract Inlined Constant Z.opp => "-{}".
Extract Inlined Constant Z.max => "max({}, {})".
Extract Inlined Constant Z.min => "min({}, {})".
Extract Inlined Constant Z.pow => "power({}, {})".
Extract Inlined Constant Z.div => "div({}, {})".
Extract Inlined Constant Z.modulo => "mod({}, {})".
Extract Inlined Constant Z.eqb => "{} == {}".
Extract Inlined Constant Z.leb => "{} <= {}".
Extract Inlined Constant Z.ltb => "{} < {}".
Extract Inlined Constant Z.compare => "compare({}, {})".
Extract Inlined Constant Z.eq_dec => "{} == {}".
Extract Inlined Constant Z.of_nat => "{}".
Extract Inlined Constant Z.log2 => "lg({})".
Extract Inlined Constant Pos.to_nat => "{}".
Extract Inlined Constant Pos.mul => "{} * {}".
Extract Inlined Constant Z.to_nat => "max({}, 0)".
Extract Inlined Constant Nat.add => "{} + {}".
Extract Inlined Constant Nat.sub => "max({} - {}, 0)".
Extract Inlined Constant Init.Nat.add => "{} + {}".
Extract Inlined Constant Init.Nat.sub => "max({} - {}, 0)".
Extract Inlined Constant Nat.eqb => "{} == {}".
Extract Inlined Constant Nat.leb => "{} <= {}".
Extract Inlined Constant Nat.ltb => "{} < {}".
Extract Inlined Constant Nat.eq_dec => "{} == {}".
Extract Inlined Constant Nat.div2 => "{} >> 1".
Extract Inlined Constant length => "length({})".
Extract Inlined Constant app => "app({}, {})".
Extract Inlined Constant Kron.convolve => "convolve({}, {})".
Extract Inlined Constant Kron.convolve_self => "convolve_self({})".
Extract Inlined Constant fst => "{}[0]".
Extract Inlined Constant snd => "{}[1]".
Extract Inlined Constant andb => "{} and {}".
Extract Inlined Constant orb => "{} or {}".
Extract Inlined Constant negb => "not {}".
Extract Inlined Constant String.eqb => "{} == {}".
Extract Inlined Constant String.append => "{} + {}".
Extract Inlined Constant String.concat => "glued({}, {})".
Extract Inlined Constant Texts.decimal => "str({})".
Extract Inlined Constant Texts.natural_in => "natural_in({}, {})".
Extract Inlined Constant Texts.at_slash => "at_slash({})".
Extract Inlined Constant Texts.after_minus => "after_minus({})".
Extract Inlined Constant Texts.in_log => "in_log({})".
Extract Inlined Constant Texts.code_points => "len({})".
Extract Inlined Constant Texts.table_from => "table_from({})".
Extract Inlined Constant Texts.look_up => "look_up({}, {})".
Extract Inlined Constant Texts.different => "different({})".
Extraction "checked.json" check_crowd check_crowd_false check_columns check_columns_false bound_exceeded
  not_exceeded check_number check_number_false number_exceeded number_not_exceeded low_of claim_of pair_exceeds classes_of
  law_at prepare nobody_yet valid symmetries_hold upper_holds event_holds others_of core from_below from_above longest rep
  normal row_poly check_pure_histogram up down
  inside with_drawn in_common shifted row_by law_of one_more weight_in weighed stick check_any check_one alone check_runs check_runs_false dots_stand
  read_certificate.
