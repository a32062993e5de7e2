"""Theorems that Coq has checked, for all protocols at once: `make coq` compiles them and prints what they rest on."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("coq")
HEADER = ("theorem", "file", "statement", "source")
TITLE = "\n# Theorems in Coq\n\nOf all randomizers, all n, all datasets. `make coq` compiles them.\n\n"


@dataclass(frozen=True)
class Theorem:
    """A theorem's name and file (without .v) in proofs/coq/, what it says, and where the statement comes from."""

    name: str
    file: str
    statement: str
    source: str

    @property
    def path(self) -> Path:
        """The file that holds the theorem's proof."""
        return FOLDER / f"{self.file}.v"


THEOREMS = (
    Theorem("check_sound", "Kernel", "what the verified kernel accepts is true as Spec.v defines it", "CERTIFICATE.md"),
    Theorem(
        "check_count_sound",
        "CountKernel",
        "what is accepted of counts, any noise law and sensitivity, is true as SpecCount.v defines it",
        "CERTIFICATE.md",
    ),
    Theorem(
        "check_histogram_sound",
        "Histogram",
        "what is accepted of histograms, any noise law and number of buckets, is true as SpecHistogram.v defines it",
        "CERTIFICATE.md, histogram",
    ),
    Theorem(
        "two_are_enough",
        "Beside",
        "delta of a histogram's neighbours is at most that of the two buckets that differ",
        "CERTIFICATE.md, histogram",
    ),
    Theorem(
        "check_tree_sound",
        "Kernel",
        "where boxes cover all compositions and every corner keeps delta, all neighbouring datasets do",
        "CERTIFICATE.md, cover",
    ),
    Theorem(
        "check_threshold_sound",
        "Threshold",
        "what is accepted of thresholds is true as SpecThreshold.v defines it",
        "CERTIFICATE.md, threshold",
    ),
    Theorem(
        "check_any_sound",
        "CheckAny",
        "what is accepted of all eps0-private randomizers is true as SpecAny.v defines it",
        "CERTIFICATE.md, any randomizer",
    ),
    Theorem(
        "check_one_sound",
        "CheckAny",
        "an accepted randomizer is as private as is said, and its threshold refutes",
        "CERTIFICATE.md, any randomizer",
    ),
    Theorem(
        "check_blanket_sound",
        "CheckBlanket",
        "what is accepted of blankets is true as SpecBlanket.v defines it: the claim, and the bound of all pairs",
        "CERTIFICATE.md, blanket",
    ),
    Theorem(
        "prob_total",
        "Total",
        "each noise law sums to 1: binomial theorem, e^lam, Newton's series for any r, geometric series",
        "CERTIFICATE.md, noise",
    ),
    Theorem("Pr_count_exists", "Total", "every event of a count has one probability", "CERTIFICATE.md, count"),
    Theorem(
        "prob_ratio",
        "Noise",
        "Pr[k + 1] / Pr[k] of each noise law is the fraction that is listed",
        "CERTIFICATE.md, noise",
    ),
    Theorem(
        "at_most_of_sums",
        "Sums",
        "what bounds all finite sums of max(P - e^eps Q, 0) bounds P(E) - e^eps Q(E) for every event E",
        "CERTIFICATE.md, neighbours",
    ),
    Theorem(
        "sent_product",
        "Law",
        "the product of the users' polynomials is the law of all messages, of their key or of any sum of weights",
        "CERTIFICATE.md, Views",
    ),
    Theorem("key_inj", "Key", "a multiset of messages is one integer: no two share it below 2^w messages", "kernel"),
    Theorem(
        "Pr_order", "Views", "no event of the shuffled view depends on the order of users", "CERTIFICATE.md, Views"
    ),
    Theorem(
        "shuffled_is_permuted",
        "BalcerCheu",
        "the shuffled view is worth what a uniformly random permutation of all messages is",
        "BC Def 5",
    ),
    Theorem(
        "one_user_private",
        "Views",
        "in the local and preshuffle views delta(eps) is that of one user, for every n",
        "CERTIFICATE.md, Views",
    ),
    Theorem(
        "one_tuple",
        "Views",
        "the local view is a shuffled view of one user who sends the number of the tuple",
        "kernel",
    ),
    Theorem(
        "reps_ok",
        "Check",
        "classes: polynomials that differ by a monomial rename outcomes and change no probability",
        "CERTIFICATE.md, Classes",
    ),
    Theorem(
        "same_class",
        "Protocols",
        "classes: among the others, an input that always sends some messages more stands for the other",
        "CERTIFICATE.md, Classes",
    ),
    Theorem(
        "check_symmetry_sound",
        "Symmetry",
        "a symmetry that is accepted is one: Pr[R(s(x)) sends t(m)] = Pr[R(x) sends m]",
        "CERTIFICATE.md, 2",
    ),
    Theorem(
        "tests_too",
        "Protocols",
        "what delta bounds for events it bounds for tests with values in [0, 1]",
        "post-processing",
    ),
    Theorem(
        "more_users",
        "Protocols",
        "leaving out users who are the same on both sides is post-processing",
        "CERTIFICATE.md, columns",
    ),
    Theorem(
        "zsum_is_count",
        "Zsum",
        "zsum is this count: every event of its shuffled view has the probability it has of s + Bin(n, p)",
        "BC Fig 1",
    ),
    Theorem("zsum_private", "Zsum", "what holds of the count s + Bin(n, p) holds of zsum, shuffled", "BC Thm 11"),
    Theorem(
        "blanket_lemma",
        "Multisets",
        "the privacy blanket bounds delta(eps): all finite randomizers, neighbouring datasets, n, and any other users",
        "CERTIFICATE.md, blanket",
    ),
    Theorem(
        "blanket_private",
        "Multisets",
        "the blanket's bound, largest over all pairs of inputs, holds for all datasets",
        "CERTIFICATE.md, blanket",
    ),
    Theorem(
        "any_randomizer",
        "AnyRandomizer",
        "delta(eps) <= (1/n) E max(L_1 + ... + L_n, 0) for every eps0-private randomizer with finitely many outputs, "
        "of any real probabilities and any inputs",
        "CERTIFICATE.md, any randomizer",
    ),
    Theorem(
        "any_eps0_private",
        "Multisets",
        "the same of Spec.v's randomizers, an output being the multiset of the messages sent",
        "CERTIFICATE.md, any randomizer",
    ),
    Theorem("private_more_users", "Protocols", "delta(eps) does not rise with n, in any view", "DESIGN"),
    Theorem("private_larger_eps", "Protocols", "delta(eps) does not rise with eps", "BC Def 4"),
    Theorem(
        "private_local_shuffled", "Protocols", "shuffling a locally private protocol keeps its promise", "BC Sec 2"
    ),
    Theorem(
        "theorem_17",
        "BalcerCheu",
        "a single-message eps-DP shuffle protocol is simulated exactly by a local one that is eps-DP",
        "BC Thm 17",
    ),
    Theorem(
        "claim_18",
        "BalcerCheu",
        "single-message eps-DP shuffle, for one n, gives an eps-DP randomizer, for every n",
        "BC Claim 18",
    ),
    Theorem(
        "claim_19_shuffled",
        "BalcerCheu",
        "R^inf(x) = (x, 1 - x): shuffled it is eps-DP for all eps >= 0 and all n",
        "BC Claim 19",
    ),
    Theorem(
        "claim_19_local",
        "BalcerCheu",
        "R^inf is not (eps, delta)-DP locally for any eps and any delta < 1",
        "BC Claim 19",
    ),
    Theorem(
        "claim_20_shuffled",
        "Gap",
        "R^gap, shuffled with n >= 2 users, is eps-DP for the finite eps = n log 16",
        "BC Claim 20",
    ),
    Theorem("claim_20_alone", "Gap", "R^gap of one user keeps no finite eps with delta < 3/8", "BC Claim 20"),
)


def table() -> str:
    """The theorems in Markdown, for MAP.md."""
    rows = [HEADER, tuple("---" for _ in HEADER)]
    rows += [
        (
            f"`{one.name}`",
            f"[`proofs/coq/{one.file}.v`](coq/{one.file}.v)",
            one.statement.replace("|", r"\|"),
            one.source,
        )
        for one in THEOREMS
    ]
    return TITLE + "".join(f"| {' | '.join(cells)} |\n" for cells in rows)
