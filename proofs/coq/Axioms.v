(* What the theorems rest on, printed: the axioms of Coq's real numbers, and no other. AXIOMS holds what is expected.
  *)
From Shufflecert Require Import AnyRandomizer BalcerCheu Blocks CountKernel Check CheckAny CheckBlanket Gap Beside Histogram
  Kernel Key
  Law
  Multisets Noise Protocols
  Sums Symmetry Threshold Total Views Zsum.
Definition theorems := (
  @check_sound,
  @check_each_sound,
  @check_pair_sound,
  @check_count_sound,
  @check_shift_sound,
  @check_histogram_sound,
  @two_are_enough,
  @check_tree_sound,
  @check_threshold_sound,
  @check_any_sound,
  @check_one_sound,
  @check_blanket_sound,
  @blanket_lemma,
  @blanket_private,
  @block_lemma,
  @block_at_most,
  @any_randomizer,
  @any_eps0_private,
  @zsum_is_count,
  @zsum_private,
  @Pr_count_exists,
  @prob_total,
  @prob_ratio,
  @at_most_of_sums,
  @sent_product,
  @key_inj,
  @Pr_order,
  @shuffled_is_permuted,
  @one_user_private,
  @one_tuple,
  @reps_ok,
  @same_class,
  @check_symmetry_sound,
  @tests_too,
  @more_users,
  @private_more_users,
  @private_larger_eps,
  @private_local_shuffled,
  @theorem_17,
  @claim_18,
  @claim_19_shuffled,
  @claim_19_local,
  @claim_20_shuffled,
  @claim_20_alone).
Print Assumptions theorems.
