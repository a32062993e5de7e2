"""What is measured: each job does a whole computation from scratch and returns a line about its result."""

from fractions import Fraction

from tests import oracle

FLIP = Fraction(18, 1000)
GAMMA = Fraction(3, 10)


def _engine_pair(randomizer, others):
    """P = f_0 G and Q = f_1 G for one dataset of others, aligned, as the engine computes them."""
    from flint import fmpz

    from shufflecert.verify.exact.hockey_stick import Pair
    from shufflecert.verify.exact.views import view_of

    view = view_of(randomizer)
    product = view.bases[0] ** others[0]
    for base, count in zip(view.bases[1:], others[1:], strict=True):
        for _ in range(count):
            product = product * base
    laws = [view.polynomials[x] * product for x in (0, 1)]
    return Pair.aligned(*((f.monoms(), f.coeffs()) for f in laws), fmpz(view.denominator) ** (sum(others) + 1))[0]


def engine_rr(n):
    from shufflecert.protocols.rr import RR

    pair = _engine_pair(RR(FLIP).randomizer(), (n - 1, 0))
    return f"{len(pair.p)} outcomes"


def engine_krr(n):
    from shufflecert.protocols.krr import KRR

    half = (n - 1) // 2
    pair = _engine_pair(KRR(3, GAMMA).randomizer(), (n - 1 - half, half, 0))
    return f"{len(pair.p)} outcomes"


def fractions_rr(n):
    rows = oracle.rr(FLIP)
    laws = [oracle.convolved_law(rows, [x] + ["0"] * (n - 1)) for x in ("0", "1")]
    return f"{len(laws[0])} outcomes"


def fractions_krr(n):
    rows, half = oracle.krr(3, GAMMA), (n - 1) // 2
    others = ["0"] * (n - 1 - half) + ["1"] * half
    laws = [oracle.convolved_law(rows, [x, *others]) for x in ("0", "1")]
    return f"{len(laws[0])} outcomes"


def sympy_rr(n):
    from sympy import Poly, symbols

    z = symbols("z")
    f = [Poly([b, a], z, domain="QQ") for a, b in ((1 - FLIP, FLIP), (FLIP, 1 - FLIP))]
    others = f[0] ** (n - 1)
    pair = [f[x] * others for x in (0, 1)]
    return f"{len(pair[0].terms())} outcomes"


def sympy_krr(n):
    from sympy import Poly, symbols

    y, z = symbols("y z")
    lie, truth = GAMMA / 3, 1 - GAMMA + GAMMA / 3
    rows = [{(0, 0): a, (1, 0): b, (0, 1): c} for a, b, c in ((truth, lie, lie), (lie, truth, lie))]
    f = [Poly(row, y, z, domain="QQ") for row in rows]
    half = (n - 1) // 2
    others = f[0] ** (n - 1 - half) * f[1] ** half
    pair = [f[x] * others for x in (0, 1)]
    return f"{len(pair[0].terms())} outcomes"


def engine_delta(system, parameters, n, eps):
    from shufflecert.verify.decide.worst_case import delta
    from shufflecert.verify.systems.catalogue import make

    found = delta(make(system, parameters), n, eps)
    return f"delta = {found.delta}, {found.scope.pairs} pairs for {found.scope.stands_for}"


def certificate(system, parameters, n, eps, delta):
    """Write a certificate; the kernel's time on it is `kernel`."""
    from shufflecert.verify.decide.certify import certify
    from shufflecert.verify.systems.catalogue import make

    return certify(make(system, parameters), n, eps, delta).certificate_text()


def kernel(text):
    from shufflecert.verify.kernel import check

    return check(text.encode()).status


def checked(text):
    """The same of the checker that is made from its proof, as plain Python."""
    from shufflecert.verify.checked.decide import verdict

    return verdict(text.encode())[0]
