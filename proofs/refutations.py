"""The counterexamples behind refuted statements: claims for the kernel, and inequalities between rationals.

Where a refutation is about a hockey-stick divergence of a system that certificates know, it is a `Certificate`; else an
`Evaluation`, with rational numbers in the place of e and of logarithms, on the side that makes it harder. e is between
27/10 and 11/4 there, since its series has 1 + 1 + 1/2 + 1/6 + 1/24 > 27/10, and 1/120 (6/5) more at most; where more is
wanted the inequality says so. The checks themselves are the functions that MAP.md names: this is what is left to redo
without them.
"""

from collections.abc import Mapping

from shufflecert.proofs import gkmp_sensitivity
from shufflecert.proofs.witness import Certificate, Evaluation

Witness = Certificate | Evaluation

E_BOUNDS = Evaluation(
    "27/10 < 1 + 1 + 1/2 + 1/6 + 1/24 and 1 + 1 + 1/2 + 1/6 + 1/24 + 6/5/120 < 11/4", "27/10 < e < 11/4, by its series"
)
NO_SQUARE_ROOT = Evaluation(
    "4 * (1/2) > 4 * (1/2) * (1/2)",
    "p = 1/2: (alpha - (1 - p))^2 is 4 (1-p) ln(2/beta)/n, alpha'^2 is 4 p (1-p) ln(2/beta)/n: never equal for p < 1",
)


def of(name: str) -> tuple[Witness, ...]:
    """What stands behind the refutation of the statement with this name; nothing for one that is not refuted."""
    return WITNESSES.get(name, ())


WITNESSES: Mapping[str, tuple[Witness, ...]] = {
    "BC-thm-11-ii-big-o": (
        E_BOUNDS,
        Evaluation("2**3 > (11/4)**2", "ln 2 > 2/3"),
        Evaluation(
            "50/70 * (2/3) > 10**9 * 0", "n = 70, eps = delta = 1: alpha >= 50 ln 2 / n > 0, and ln(1/delta) is 0"
        ),
    ),
    "BC-proof-11-ii-alpha": (NO_SQUARE_ROOT,),
    "BC-sec-3.1-p-in-1-2-1": (
        Evaluation(
            "100 >= 100/1**2 * 1 and 1 - 50 * 1 / (1**2 * 100) == 1/2",
            "n = 100, eps = 1, delta = 2/e, ln(2/delta) = 1: the condition holds, and p is 1/2",
        ),
    ),
    "BC-thm-11-monotone-in-q-implicit": (
        Certificate("zsum", {"p": "63/100"}, 2, "log(3/2)", "0.398", "PROVED"),
        Certificate("zsum", {"p": "62/100"}, 2, "log(3/2)", "0.398", "REFUTED"),
    ),
    "BC-lem-23": (
        E_BOUNDS,
        Evaluation(
            "1 > 1/(27/10)**3 + 1/(27/10)**2",
            "n = 200, gamma = alpha = 1/2, k = 1: delta = e^(-25/8) + e^(-25/9) < 1, and with k' = 0 the event is sure",
        ),
    ),
    "NOTES-smooth-def": (
        Evaluation(
            "comb(1, 1) / 2 <= 1/2 and 1 - comb(1, 1) / 2 <= 1 - 1/2",
            "Bin(1, 1/2), k' = 1, e^eps = 2, delta = 1/2: Pr[E >= 2] <= delta, yet Pr[E < 2] is not above 1 - delta",
        ),
    ),
    "NOTES-lemma-3-g-inclusion": (
        Evaluation("1 <= 1/2 * 8 / 2 and (1 - 1/2) * 8 + 1 < (1 - 1/4) * 8", "alpha = 1/2, mu = 8, k = 1: 5 < 6"),
    ),
    "NOTES-lemma-3-k-0-ratio-1-a": (
        Evaluation(
            "comb(8, 5) / comb(8, 6) > 1 + 1/2 and (1 - 1/2) * 4 + 1 <= 5 <= (1 + 1/2) * 4 - 1",
            "n = 8, gamma = alpha = 1/2, k = k' = 1: y = 5 is in G, and P(5) / P(6) = 2 > 3/2",
        ),
    ),
    "NOTES-clearly-eps-sqrt5-alpha": (
        E_BOUNDS,
        Evaluation(
            "((27/10 - 1) / (27/10 + 1))**2 > 1/5", "eps = 1: alpha = (e - 1)/(e + 1) = tanh(1/2) is above 1/sqrt(5)"
        ),
    ),
    "NOTES-q-part-ii-many-typos": (NO_SQUARE_ROOT,),
    "NOTES-thm-hist-3": (
        Evaluation(
            "50 * (1387/1000) + 14143/1000 * (1387/1000) < 89",
            "n = 40000, eps = 1, delta = beta = 1/2: n alpha = ln 4 (50 + sqrt 200) < 89, as ln 4 < 1.387",
        ),
        Evaluation("(14143/1000)**2 > 200", "sqrt 200 < 14.143"),
        Evaluation(
            "1 + 1387/1000 + (1387/1000)**2/2 + (1387/1000)**3/6 + (1387/1000)**4/24 + (1387/1000)**5/120"
            " + (1387/1000)**6/720 + (1387/1000)**7/5040 + (1387/1000)**8/40320 > 4",
            "e^1.387 > 4",
        ),
        Evaluation(
            "1 + 1386/1000 + (1386/1000)**2/2 + (1386/1000)**3/6 + (1386/1000)**4/24 + (1386/1000)**5/120"
            " + (1386/1000)**6/720 + (1386/1000)**7/5040 + (1386/1000)**8/40320 + (1386/1000)**9/362880 * 2 < 4",
            "e^1.386 < 4: the noise fails at least with probability 50 * 1.386 / 40000 each",
        ),
        Evaluation(
            "binomial(40000, 1386/800000, 89, 170) > 1/100",
            "Pr[Bin(n, 1 - p) >= 89] > 1/100: then a bin of 89 users is put at 0, and errs by 89/n > alpha",
        ),
        Evaluation("449 * 89 <= 40000 and 1 - (1 - 1/100)**449 > 1/2", "449 such bins, independent: some errs"),
    ),
    "NOTES-only-works-because-single-bit": (
        Certificate("krr", {"k": "3", "gamma": "1/2"}, 3, "log(4)", "0", "PROVED"),
        Certificate("krr", {"k": "3", "gamma": "1/2"}, 3, "log(4)", "0", "PROVED", "local"),
        Certificate("krr", {"k": "3", "gamma": "1/2"}, 3, "log(399/100)", "0", "REFUTED"),
        Certificate("krr", {"k": "3", "gamma": "1/2"}, 3, "log(399/100)", "0", "REFUTED", "local"),
    ),
    "GKMP-sec-5.1-bin-n-p-poi-np": (
        E_BOUNDS,
        Evaluation(
            "1 - 2 * (1/2) + 2 * (1/2)**2 > 1/(27/10)",
            "p = 1/2: |E e^itB|^2 >= 1 - 2p + 2p^2 for every n at 1 - cos t = 1/n, where Poi(np) has e^-2p = 1/e",
        ),
    ),
    "GKMP-cor-12": (
        E_BOUNDS,
        Evaluation("10 > (11/4)**2", "ln 10 > 2"),
        Evaluation(
            "16 * 2 > 10**7 * (1 / (999999/10**6) - 1)",
            "delta = 0.999999, eps = 1: lam >= 16 ln 10 is above 10^7 log(1/delta), as log(1/delta) <= 1/delta - 1",
        ),
    ),
    "GKMP-sec-3.2-mse-lb": (
        Certificate("poisson", {"lam": "9500"}, 1, "1/100", "1/1000", "PROVED"),
        Evaluation("9500 < 1 / (1/100)**2", "lam is below (Delta/eps)^2"),
    ),
    "GKMP-thm-13": (*gkmp_sensitivity.CERTIFICATES, *gkmp_sensitivity.EVALUATIONS),
    "GKMP-thm-18-as-printed": (
        Evaluation("27182/10**4 < 1+1+1/2+1/6+1/24+1/120+1/720+1/5040+1/40320", "e > 2.7182"),
        Evaluation("27183/10**4 > 1+1+1/2+1/6+1/24+1/120+1/720+1/5040+1/40320*(9/8)", "e < 2.7183"),
        Evaluation(
            "(1000/999)**17 / (27182/10**4) + 2 * (1000/999)**34 * (1 - 2/(27183/10**4)) < 93/100",
            "the promised delta is e^eps1 / e + 2 e^(2 eps1) (1 - 2/e) < 0.93, e^eps1 = (1000/999)^17",
        ),
        Evaluation(
            "(1+1+1/2+1/6+1/24+1/120+1/720 - (27183/10**4)**100 * 2/factorial(77)) / (27183/10**4) > 9999/10000",
            "Pr[Poi(1) <= 6] - e^eps Pr[Poi(1) >= 77] > 0.9999 for eps <= 100: the event is {u - (v mod 7) in 13 Z}",
        ),
    ),
    "LIT-table": (
        Certificate("krr", {"k": "3", "gamma": "1/2"}, 2, "log(37/10)", "1/120", "REFUTED"),
        Certificate("rappor", {"d": "2", "flip": "1/3"}, 2, "log(38/11)", "2/297", "REFUTED"),
        Evaluation(
            "(1 - 37/10/4) * (4/6)**2 > (1 - 37/10/4) * (4/6) * (1/6)",
            "general RR, d = 3, E = 4, n = 2, e^eps = 37/10: all in S has (4/6)^2, the bound x r = 4/6 1/6",
        ),
        Evaluation(
            "(1 - 113/32/4) * (4 * 2/15)**2 > (1 - 113/32/4) * (8/15) * (2/15)", "2-subset of 4, E = 4, e^eps = 113/32"
        ),
        Evaluation("(1 - 89/26/4) * (4/10)**2 > (1 - 89/26/4) * (4/10) * (1/10)", "Hadamard response, K = 4, E = 4"),
        Evaluation(
            "(1 - 37/10/4) * (2/3 * (4/6))**2 > (1 - 37/10/4) * (4/6) * (1/6)", "local hash, l = 3, two values, E = 4"
        ),
    ),
}
