"""The checks of statements are not empty: each rejects a false variant, planted in the module that it stands in."""

from fractions import Fraction as F

import pytest
from flint import arb

from shufflecert.proofs import (
    bbgn_amplification,
    bbgn_cited,
    bbgn_lower,
    bbgn_response,
    bbgn_sum,
    bc_applications,
    bc_binary_sum,
    bc_earlier_work,
    bc_histogram,
    bc_model,
    bc_multi_message,
    bc_privacy,
    bc_related,
    bc_single_message,
    bc_smooth,
    cz_flip,
    cz_model,
    gkmp_cited,
    gkmp_correlated,
    gkmp_experiments,
    gkmp_laws,
    gkmp_model,
    gkmp_noise,
    gkmp_response,
    gkmp_sensitivity,
    literature,
    notes_histogram,
    notes_smooth,
    notes_sum,
    questions,
    small,
)
from shufflecert.proofs.conjectures.amplification import two_counts
from shufflecert.proofs.statement import Finding, StepFailed
from shufflecert.protocols.pointer_chasing import PointerChasing
from shufflecert.protocols.r_gap import RGap
from shufflecert.protocols.r_infinity import RInfinity
from shufflecert.protocols.rr import RR
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import ball


class Shared(bc_histogram.Hist):
    """A histogram whose bins share their noise."""

    def randomizer(self):
        every = tuple(str(j) for j in range(1, self.d + 1))
        rows = {x: {tuple(sorted((x, *every))): self.p, (x,): 1 - self.p} for x in every}
        return Randomizer.of(rows)


class Loud(bc_histogram.Hist):
    """One message more of everybody."""

    def randomizer(self):
        rows = super().randomizer().rows
        return Randomizer.of({x: {(*sent, "1"): w for sent, w in row.items()} for x, row in rows.items()})


class Later(bc_applications.PointerChasing):
    """The answer that one step more leads to."""

    def analyze(self, messages, n):
        return PointerChasing(self.k + 1, self.l, self.p).analyze(messages, n)


class Biased(bc_binary_sum.ZSum):
    """An estimate that no user is subtracted from."""

    def analyze(self, messages, n):
        return F(messages.get("1", 0), n) - self.p


class Heavier(gkmp_noise.Poisson):
    """A variance below its own."""

    @property
    def variance(self):
        return self.lam * F(9, 10)


def quieter(system, name, times):
    """The system whose paper prescribes so many times less of a parameter."""

    class Quiet(system):
        """It."""

        @classmethod
        def paper(cls, *given):
            return {name: system.paper(*given)[name] / times}

    return Quiet


def finite(law, shift, power, at_least=True):
    """Ratios to outcomes that happen alone."""
    return sum((w for y, w in enumerate(law) if 0 <= y + shift < len(law) and w >= power * law[y + shift]), F(0))


def forward(inputs, n):
    return (pair for pair in small.neighbouring(inputs, n) if pair[0] < pair[1])


def one_way(noise, sensitivity, t):
    at = [{(str(s + k),): p for k, p in noise.items()} for s in (0, sensitivity)]
    return small.hockey_stick(at[1], at[0], t)


def skewed(table, prior, inputs, n, build=bbgn_lower.joint_error):
    return build(table, prior, inputs, n)[0], build([row[::-1] for row in table], prior[::-1], inputs, n)[1]


def amplified(given, n, view="shuffled", delta=F(0)):
    return small.power(given, n, view, delta or F(1, 1000))


def forgetful(given, n, t, view="shuffled", build=bc_earlier_work.exact_delta):
    return build(given, n, t / 3 if t >= 3 else t, view)


def scaled(module, name, factor):
    """What a function of a module gives, times this."""
    true = getattr(module, name)
    return lambda *given: true(*given) * factor


def other(module, name, change):
    """What a class or function of a module makes of changed arguments."""
    true = getattr(module, name)
    return lambda *given: true(*change(*given))


UNEVEN = RGap(weights1="1/5,1/5,0,1/5,2/5")
NOT_ONE = tuple(bits for bits in bc_multi_message.CUBE if bits.count("1") != 1)
MANY = (70, F(1), F(1, 3), F(1, 4))

# what is false in it; the check; where that stands, its name, its false value; what the check says
FALSE = [
    ("a local power alone", bc_single_message.claim_18, bc_single_message, "power",
     lambda given, n, view="shuffled", delta=F(0): small.power(given, n, view, delta) if view == "local" else None,
     "tightness"),
    ("a wrong local eps", lambda: bc_single_message.enumerate_families(((2, 2, 3),), (1, 2)), bc_single_message,
     "power", lambda given, n, view="shuffled": F(2), "one message"),
    ("users not permuted", bc_single_message.theorem_17, bc_single_message, "users_permuted",
     lambda sent: iter([sum(sent, ())]), "law of"),
    ("without Claim 18", bc_single_message.theorem_17, bc_single_message, "unanimous_ratio", lambda *_: 1, "ratio"),
    ("an amplified eps", bc_single_message.amplification, bc_single_message, "power", amplified, "delta = 0"),
    ("not the largest event", bc_model.definition_4, bc_model, "hockey_stick",
     lambda P, Q, t: small.hockey_stick(P, Q, t + 1), "largest event"),
    ("one direction", bc_model.definition_4, bc_model, "neighbouring", forward, "t = "),
    ("one direction, shuffled", bc_model.definitions_5_to_8, bc_model, "neighbouring", forward, "t = "),
    ("a shuffler that keeps users together", bc_model.definitions_5_to_8, bc_model, "ordered_law",
     lambda r, x: small.ordered_law(r, x, small.users_permuted), "uniform order"),
    ("other counts", bc_multi_message.claim_20_sumset, bc_multi_message, "COUNTS", frozenset({0, 1, 4}), ""),
    ("a finite local eps", bc_multi_message.claim_19, bc_multi_message, "RInfinity",
     lambda *_: RInfinity(F(1, 2)), ""),
    ("not 0-DP", bc_multi_message.claim_19, bc_multi_message, "RInfinity", lambda *_: ZSum(F(1, 2)), ""),
    ("not 0-DP before the shuffle", bc_multi_message.pre_shuffle, bc_multi_message, "RInfinity",
     lambda *_: ZSum(F(1, 2)), ""),
    ("one message", bc_multi_message.pre_shuffle, bc_multi_message, "RInfinity", lambda *_: RR(F(1, 4)), ""),
    ("not on BC's supports", bc_multi_message.claim_20, bc_multi_message, "RGap", lambda *_: RR(F(1, 4)), ""),
    ("another eps", bc_multi_message.claim_20, bc_multi_message, "RGap", lambda *_: UNEVEN, ""),
    ("sums other than two", bc_multi_message.claim_20_supports, bc_multi_message, "NOT_TWO", NOT_ONE, "counts of ones"),
    ("a claim composed for too small an eps", bc_histogram.theorem_12_i, bc_histogram, "delta",
     other(bc_histogram, "delta", lambda system, n, eps: (system, n, Eps.of(eps.exponent / 4))), "joint"),
    ("bins that share their noise", bc_histogram.figure_2, bc_histogram, "Hist", Shared, "d = 2"),
    ("more messages than d + 1", bc_histogram.theorem_12_iv, bc_histogram, "Hist", Loud, r"d \+ 1"),
    ("7/10 of alpha", bc_histogram.theorem_12_iii, bc_histogram, "alpha_below",
     scaled(bc_histogram, "alpha_below", F(7, 10)), "beta"),
    ("not the worst bin", bc_histogram.definitions_9_10, bc_histogram, "bin_law",
     lambda n, p, users, alpha: F(users, 10), ""),
    ("ratios that forget empty outcomes", notes_smooth.lemma_2, notes_smooth, "rough", finite, ""),
    ("a counterexample that is none", notes_smooth.intermediate, notes_smooth, "counterexample",
     lambda: (F(3, 2), F(3, 2)), "2 against 3/2"),
    ("another window", notes_smooth.smooth_definition, notes_smooth, "rough", lambda *_: F(1, 3), ""),
    ("an equality that is right", notes_sum.typos, notes_sum, "alpha_prime",
     lambda: Finding("proved", "all", ("x",)), "one slip"),
    ("another coin", notes_sum.randomiser, notes_sum, "ZSum", lambda p: ZSum(1 - p / 3), ""),
    ("69 coupons", bc_applications.coupons, bc_applications, "COUPONS", 69, "constant"),
    ("7600 samples", bc_applications.claim_14, bc_applications, "SAMPLES", 7600, "constant"),
    ("another pointer", bc_applications.definitions_15_16, bc_applications, "PointerChasing", Later, ""),
    ("a smaller error", bc_related.theorem_1, bc_related, "ERROR", 790, ""),
    ("a smaller central error", bc_related.stability, bc_related, "CENTRAL", 13, ""),
    ("fewer central samples", bc_related.table_2, bc_related, "CENTRAL_SAMPLES", 290, ""),
    ("another law of r_gap", notes_histogram.perfect, notes_histogram, "gap_law", lambda n: F(8, 5), ""),
    ("other bins", notes_histogram.theorem_3, notes_histogram, "many_bins", lambda: MANY, ""),
    ("two messages", notes_histogram.single_bit, notes_histogram, "KRR", lambda k, gamma: RInfinity(), ""),
    ("an analyser of nothing", notes_histogram.analyser, notes_histogram, "literally", lambda *_: F(0), ""),
    ("two counts that move as one", notes_histogram.conceptual, notes_histogram, "Hist",
     lambda d, p: ZSum(p), "n = 50"),
    ("eps in place of eps + ln n", bc_earlier_work.lemma_8, bc_earlier_work, "exact_delta", forgetful, "n ="),
    ("finite eps everywhere", bc_earlier_work.lemma_12, bc_earlier_work, "power", lambda given, n: F(2), ""),
    ("a smoothness without ratios to zero", bc_smooth.lemma_22, bc_smooth, "rough", finite, ""),
    ("a far smaller delta", bc_smooth.lemma_23, bc_smooth, "smooth_delta",
     lambda n, g, a, true=bc_smooth.smooth_delta: true(n, g, a) ** 16, "k' ="),
    ("a hundredth of the noise", bc_privacy.corollary_24, bc_privacy, "noise",
     scaled(bc_privacy, "noise", F(1, 100)), ""),
    ("3/4 of alpha", bc_binary_sum.theorem_11_ii, bc_binary_sum, "alpha_below",
     scaled(bc_binary_sum, "alpha_below", F(3, 4)), ""),
    ("another analyzer", bc_binary_sum.figure_1, bc_binary_sum, "ZSum", Biased, ""),
    ("another analyzer's error", bc_binary_sum.theorem_11_iii, bc_binary_sum, "ZSum", Biased, ""),
    ("GKMP's 10 as 9", gkmp_noise.theorem_11, gkmp_noise, "FIRST", 9, "both exponents"),
    ("half the shape", gkmp_noise.shown_13, gkmp_noise, "SHAPE", arb(1) / 2, "positive on"),
    ("a smaller variance", gkmp_noise.lemma_15, gkmp_noise, "Poisson", Heavier, "Var >="),
    ("one direction of noise", gkmp_model.observation_8, gkmp_model, "central", one_way, "delta of"),
    ("no shared noise", gkmp_model.algorithms_3_4, gkmp_model, "seen",
     lambda s, laws: {(str(s + k),): p for k, p in laws[0].items()}, "delta, n"),
    ("messages more", gkmp_model.observation_10, gkmp_model, "distributed",
     other(gkmp_model, "distributed", lambda part, most: ({**part, 5: F(0)} | {0: part[0]}, most + 1)), r"x \+ E"),
    ("a maximum of a million", gkmp_laws.l_infinity, gkmp_laws, "expected_maximum",
     lambda q, count: arb(10) ** 6, "below the bound"),
    ("a quarter of the noise", gkmp_laws.squared_error_bound, gkmp_laws, "PoissonSum",
     other(gkmp_laws, "PoissonSum", lambda lam, *more: (lam / 4, *more)), "keeps"),
    ("another lattice", gkmp_correlated.as_printed, gkmp_correlated, "STEP_ONE", 14, "moves by"),
    ("a difference that is not flat", gkmp_correlated.as_printed, gkmp_correlated, "RATIO", F(9, 10), "eps1"),
    ("another q", gkmp_correlated.exact_view, gkmp_correlated, "CorrelatedPair",
     other(gkmp_correlated, "CorrelatedPair", lambda q, noise: (q * F(9, 10), noise)), "two dimensions"),
    ("no noise that both share", gkmp_correlated.theorem_1, gkmp_correlated, "Correlated",
     other(gkmp_correlated, "Correlated", lambda q, r, p: (q, r / 50000, p)), "the engine's delta"),
    ("a bin more", gkmp_correlated.corollary_2, gkmp_correlated, "CorrelatedHist",
     other(gkmp_correlated, "CorrelatedHist", lambda buckets, *noise: (buckets + 1, *noise)), "messages"),
    ("another Poisson error", gkmp_experiments.ratio, gkmp_experiments, "poisson_rmse",
     lambda lam: Interval(F("5.87"), F("5.88")), r"3\.58 times"),
    ("another central error", lambda: gkmp_experiments.noise_ratios(gkmp_experiments.ONE), gkmp_experiments,
     "central_rmse", lambda eps: Interval(F("1.3"), F("1.3")), "q is at"),
    ("another randomizer", gkmp_response.rr_printed, gkmp_response, "printed", lambda p: RR(p).randomizer(), "renamed"),
    ("distances that do not fall", gkmp_response.binomial_poisson, gkmp_response, "distance",
     lambda n, p, true=gkmp_response.distance, mean=gkmp_response.MEAN:
     true(100, mean / 100) if n * p == mean else true(n, p), "TV at most"),
    ("distances that fall", gkmp_response.binomial_poisson, gkmp_response, "apart", lambda p: F(17, 100),
     "TV from below"),
    ("a flip in proportion to 1/n", gkmp_response.size_free, gkmp_response, "least_flip",
     lambda n, *_: gkmp_experiments.Least("flip", F("33.7") / n), "not constant"),
    ("half of gamma", gkmp_cited.squared_error, gkmp_cited, "KRR",
     other(gkmp_cited, "KRR", lambda k, gamma: (k, gamma / 2)), "krr with k = 2"),
    ("twice the flips", gkmp_cited.theorem_3, gkmp_cited, "RR", other(gkmp_cited, "RR", lambda flip: (2 * flip,)),
     "delta, n"),
    ("E1 above", gkmp_sensitivity.kept, gkmp_sensitivity, "KEPT", F(2668, 1000), "E1"),
    ("E1 below", gkmp_sensitivity.broken, gkmp_sensitivity, "LOST", F(2667, 1000), "E1"),
    ("large noise", gkmp_sensitivity.broken, gkmp_sensitivity, "PARTS", F(2), ""),
    *[("BBGN's constants", bbgn_response.constants, bbgn_response, name, F(value), ">= 1")
      for name, value in (("FIRST", 13), ("SECOND", 26), ("FIRST", 12))],
    ("a thirtieth of the noise", bbgn_response.theorem, bbgn_response, "KRR",
     quieter(bbgn_response.KRR, "gamma", 30), "engine's delta"),
    ("messages that are not uniform", bbgn_response.ratio, bbgn_response, "sent_law",
     lambda counts, x, true=bbgn_response.sent_law: true(counts, x) * (1 + x * counts[0]), "n_a / n_b"),
    ("other rows", bbgn_response.mechanism, bbgn_response, "KRR",
     other(bbgn_response, "KRR", lambda k, gamma: (k, (gamma + 1) / 2)), "the row of"),
    ("another blanket", bbgn_response.decomposition, bbgn_response, "KRR",
     other(bbgn_response, "KRR", lambda k, gamma: (k, (gamma + 1) / 2)), "krr's blanket"),
    ("less noise than the blanket's", bbgn_response.worst_dataset, bbgn_response, "values_by_data",
     other(bbgn_response, "values_by_data", lambda k, gamma, n: (k, F(1, 10), n)), "below the blanket"),
    ("a constant of 400", bbgn_sum.upper_bound, bbgn_sum, "CONSTANT", 400, "the constant"),
    ("means of another prior", bbgn_lower.lemma_1, bbgn_lower, "joint_error", skewed, "posterior"),
    ("a quarter of delta", bbgn_lower.lemma_5, bbgn_lower, "by_definition",
     scaled(bbgn_lower, "by_definition", F(1, 4)), "n = "),
    ("a factor of 1/20", bbgn_amplification.compared, bbgn_amplification, "FACTOR", F(1, 20), "rr, e"),
    ("a factor of 1/20, shown", bbgn_amplification.amplification, bbgn_amplification, "FACTOR", F(1, 20), "rho > 1"),
    ("a factor of 2", bbgn_amplification.amplification, bbgn_amplification, "FACTOR", 2, "A: rho > 1"),
    ("a large delta", bbgn_amplification.amplification, bbgn_amplification, "LARGEST", F(1, 2), "at delta = 1/2"),
    ("a previous constant of 1/20", bbgn_cited.previous, bbgn_cited, "PREVIOUS", arb(1) / 20, "rr, e"),
    ("a third of the constant", cz_flip.claim_1, cz_flip, "PRIVACY", F(11, 5), "both tails"),
    ("too rare flips", cz_flip.claim_1, cz_flip, "FakeUsers", quieter(cz_flip.FakeUsers, "flip", 100),
     "engine's delta"),
    ("a smaller error of flips", cz_flip.claim_2, cz_flip, "ERROR", F(3, 2), "units of L"),
    ("bits that are not flipped", cz_flip.algorithms, cz_flip, "algorithm",
     other(cz_flip, "algorithm", lambda x, d, k, q: (x, d, k, 1 - q)), "the row of 1"),
    ("the second root", cz_flip.maximum, cz_flip, "PRIVACY", F(2), "q"),
    ("the second root of Theorem 3", cz_flip.theorem_3, cz_flip, "PRIVACY", F(2), "q"),
    ("a tenth of a composition", cz_model.composition, cz_model, "composed",
     other(cz_model, "composed", lambda d, eps, delta, at: (d, eps, delta, at / 10)), "exact composition"),
    ("a distance from itself", cz_model.at_most_one, cz_model, "hockey_stick", lambda *_: F(1, 2), "from itself"),
    ("a bound that is too small", literature.general, literature, "stronger_clones",
     lambda n, E, p: two_counts(n, E / (E + 2), 1 / (E + 2), p), "n = 2"),
    ("a blanket that grows with its part", literature.blanket_best, literature, "blanket",
     lambda rows, part, n, E: sum(part.values()), "a smaller part is no better"),
    ("a root of the other sign", questions.square_root, questions, "ball", lambda value: -ball(value), "between"),
]  # fmt: skip


@pytest.mark.parametrize(("check", "module", "name", "value", "says"), [row[1:] for row in FALSE],
                         ids=[row[0] for row in FALSE])  # fmt: skip
@pytest.mark.sampled(6)
def test_a_false_variant_is_rejected(monkeypatch, check, module, name, value, says):
    monkeypatch.setattr(module, name, value)
    with pytest.raises(StepFailed, match=says or None):
        check()
