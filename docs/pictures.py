"""The pictures of the concepts, as SVG: `python -m docs.pictures` writes docs/concepts/*.svg anew; a test compares.

Curves and bars are computed, exactly, and rounded to a tenth of a pixel at the end.
"""

import math
from fractions import Fraction
from pathlib import Path
from xml.sax.saxutils import escape

from shufflecert.protocols.rr import RR
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.decide.worst_case import privacy_profile
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.neighbours import all_pairs
from shufflecert.verify.exact.randomizer import Randomizer, binomial, plus
from shufflecert.verify.reduce.privacy_blanket import reach_of
from shufflecert.verify.reduce.reduction import worst_delta
from shufflecert.verify.systems.catalogue import system

LETTER, EDGE = 10.7, 8  # pixels of a letter on a telephone, at most; between words and the border
FOLDER = Path(__file__).parent / "concepts"
STYLE = """
svg { font: 15px system-ui, sans-serif; }
.paper { fill: #ffffff; } .ink { fill: #222222; } .soft { fill: #595959; }
.line { stroke: #595959; fill: none; } .faint { stroke: #a3a3a3; fill: none; }
.p { fill: #005a8f; } .q { fill: #b34700; } .bag { fill: #eef3f6; stroke: #595959; }
.pline { stroke: #005a8f; fill: none; stroke-width: 2.5; } .qline { stroke: #b34700; fill: none; stroke-width: 2.5; }
.dashed { stroke-dasharray: 7 5; } .inside { fill: #ffffff; }
.event { fill: #005a8f; opacity: 0.14; } .b { font-weight: 600; }
@media (prefers-color-scheme: dark) {
.paper { fill: #1e2129; } .ink { fill: #e6e6e6; } .soft { fill: #b5b5b5; }
.line { stroke: #b5b5b5; } .faint { stroke: #6b6f7a; }
.p { fill: #6fbdf0; } .q { fill: #f2a65e; } .bag { fill: #2b303b; stroke: #b5b5b5; }
.pline { stroke: #6fbdf0; } .qline { stroke: #f2a65e; } .inside { fill: #1e2129; }
.event { fill: #6fbdf0; opacity: 0.2; }
}
@media (max-width: 480px) { svg { font-size: 18px; } text { transform: translateX(var(--aside, 0)); } }
"""


class Picture:
    """A drawing of some width and height in pixels, with a title that is read out."""

    def __init__(self, title, width, height):
        self.width = width
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" aria-label="{escape(title)}">',
            f"<title>{escape(title)}</title><style>{STYLE}</style>",
            f'<rect class="paper" width="{width}" height="{height}" rx="8"/>',
        ]

    def text(self, x, y, words, kind="ink", anchor="start"):
        """Words that start, end or are centred at x, on the line y; on a telephone, larger, and moved inside."""
        long = LETTER * len(words)
        start = x - long * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        aside = max(EDGE - start, min(0, self.width - EDGE - start - long))
        moved = f' style="--aside:{aside:.0f}px"' if aside else ""
        self.parts.append(
            f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{moved}>{escape(words)}</text>'
        )

    def box(self, x, y, width, height, kind, round_by=3):
        """A rectangle."""
        self.parts.append(
            f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{round_by}"/>'
        )

    def dot(self, x, y, radius, kind):
        """A disc."""
        self.parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>')

    def way(self, points, kind="line", arrow=False):
        """A line through points, with a head at its end where it is an arrow."""
        listed = list(points)
        self.parts.append(f'<path class="{kind}" d="M{" L".join(f"{x:.1f} {y:.1f}" for x, y in listed)}"/>')
        if arrow:
            (a, b), (x, y) = listed[-2:]
            turn = math.atan2(y - b, x - a)
            wings = [(x - 9 * math.cos(turn + t), y - 9 * math.sin(turn + t)) for t in (0.45, -0.45)]
            self.parts.append(
                f'<path class="line" d="M{" L".join(f"{u:.1f} {v:.1f}" for u, v in [wings[0], (x, y), wings[1]])}"/>'
            )

    def message(self, x, y, bit, kind="p"):
        """A message: its content in a disc."""
        self.dot(x, y, 13, kind)
        self.text(x, y + 5, bit, "inside b", "middle")

    def __str__(self):
        return "\n".join([*self.parts, "</svg>"]) + "\n"


def views():
    """Three users with two messages each, as each of the three views has them."""
    picture = Picture("Three users' messages as the local, the preshuffle and the shuffled view have them", 720, 300)
    names, sent = ("Ada", "Ben", "Cleo"), (("1", "0"), ("0", "0"), ("1", "1"))
    for column, (name, say) in enumerate(
        (("local", "who sent what, in order"), ("preshuffle", "who sent what, no order"), ("shuffled", "what was sent"))
    ):
        left = 20 + 240 * column
        picture.text(left, 34, name, "ink b")
        picture.text(left, 56, say, "soft")
        if name == "shuffled":
            picture.box(left, 80, 200, 190, "bag", 16)
            spots = [(50, 120), (110, 108), (160, 150), (60, 190), (120, 225), (165, 215)]
            for (x, y), bit in zip(spots, "101010", strict=True):
                picture.message(left + x - 5, y, bit)
            continue
        for row, (who, messages) in enumerate(zip(names, sent, strict=True)):
            y = 105 + 70 * row
            picture.text(left, y + 5, who)
            picture.box(left + 50, y - 25, 140, 50, "bag", 8 if name == "local" else 25)
            if name == "local":
                for place, bit in enumerate(messages):
                    picture.text(left + 66 + 62 * place, y + 5, f"{place + 1}:", "soft")
                    picture.message(left + 98 + 62 * place, y, bit)
            else:
                lean = (-8, 8) if row != 1 else (8, -8)
                for place, bit in enumerate(sorted(messages)):
                    picture.message(left + 95 + 50 * place, y + lean[place], bit)
    return picture


def neighbours():
    """All datasets of four users with one bit, up to order, and the replacements that lead from one to another."""
    picture = Picture(
        "The datasets of four users with one bit each: each replacement is a pair, in two directions", 720, 230
    )
    for ones in range(5):
        x = 25 + 140 * ones
        picture.box(x, 60, 110, 44, "bag", 22)
        for user in range(4):
            kind = "q" if user < ones else "p"
            picture.message(x + 19 + 24 * user, 82, "1" if user < ones else "0", kind)
        picture.text(x + 55, 130, f"{ones} on 1", "soft", "middle")
        if ones:
            picture.way([(x - 28, 72), (x - 3, 72)], arrow=True)
            picture.way([(x - 3, 92), (x - 28, 92)], arrow=True)
    picture.text(25, 34, "4 users, one bit each: 5 datasets up to order", "ink b")
    picture.text(25, 172, "An arrow is one user replaced: one pair (P, Q). Both directions count.")
    picture.text(25, 198, "2 x 4 = 8 pairs here; 2n for n users. The answer is the worst of them all.")
    return picture


def laws(others, n, flip=Fraction(1, 4)):
    """How many ones the shuffler shows of `others` users on 1 and n - 1 - others on 0, with one more on 1, and on 0."""
    rest = plus(binomial(others, 1 - flip), binomial(n - 1 - others, flip))
    return plus(rest, binomial(1, 1 - flip)), plus(rest, binomial(1, flip))


def stick():
    """Randomized response, ten users: P, e^eps Q, and the event on which P is larger."""
    picture = Picture("The laws of two neighbouring datasets, and the event that tells them apart best", 720, 320)
    (P, Q), tilt = laws(0, 10), math.exp(0.3)
    base, tall = 265, 620
    inside = [k for k in range(11) if P[k] > tilt * Q[k]]
    picture.box(58 + 58 * inside[0] - 4, 30, 58 * (11 - inside[0]), base - 30, "event", 6)
    for k in range(11):
        x = 60 + 58 * k
        for place, (height, kind) in enumerate(((float(P[k]), "p"), (tilt * float(Q[k]), "q"))):
            picture.box(x + 22 * place, base - tall * height, 20, tall * height, kind, 2)
        picture.text(x + 21, base + 20, str(k), "soft", "middle")
    picture.way([(50, base), (700, base)])
    picture.text(375, base + 44, "ones among the 10 shuffled messages", "soft", "middle")
    total = sum(float(P[k]) - tilt * float(Q[k]) for k in inside)
    picture.box(372, 50, 14, 14, "p")
    picture.text(394, 62, "P: the changed user is on 1")
    picture.box(372, 76, 14, 14, "q")
    picture.text(394, 88, "e^0.3 Q: the changed user is on 0")
    picture.text(372, 116, "shaded: the event where P is more")
    picture.text(372, 142, f"by how much: delta(0.3) = {total:.3f}", "ink b")
    return picture


def axes(picture, place, across, down, labels):
    """Ticks and numbers of a plot of delta, in powers of ten, over eps; returns what takes (eps, delta) to a point."""
    left, top, width, height = place

    def at(eps, chance):
        low = math.log10(max(chance, 10.0 ** -(down + 9)))
        return left + width * eps / across, top + height * min(-low / down, 1.0)

    for power in range(0, down + 1, 2):
        y = top + height * power / down
        picture.way([(left, y), (left + width, y)], "faint")
        picture.text(left - 8, y + 5, f"1e-{power}" if power else "1", "soft", "end")
    for tick in labels:
        picture.text(at(tick, 1)[0], top + height + 22, f"{tick:g}", "soft", "middle")
    picture.text(left + width / 2, top + height + 44, "eps", "soft", "middle")
    picture.text(left - 8, top - 14, "delta", "soft", "end")
    return at


def curve():
    """The privacy profile of randomized response with 1, 10 and 100 users, and two claims."""
    picture = Picture("The privacy profile: delta as a function of eps, for 1, 10 and 100 users", 720, 360)
    at = axes(picture, (80, 40, 600, 250), 1.2, 8, (0, 0.2, 0.4, 0.6, 0.8, 1, 1.2))
    steps = [Fraction(i, 100) for i in range(121)]
    for n, place in ((1, (0.62, 0.5)), (10, (0.66, 0.005)), (100, (0.46, 2e-5))):
        drawn = privacy_profile(RR(Fraction(1, 4)), n)
        points = [(float(eps), float(drawn.at(Eps.of(eps).bounds(64)[0]))) for eps in steps]
        picture.way([at(*point) for point in points if point[1] > 1e-8], "pline")
        x, y = at(*place)
        picture.text(x, y, f"{n} user{'s' * (n > 1)}", "ink")
    for eps, chance, kind, say in ((0.7, 1e-6, "p", "holds for 100 users"), (0.2, 1e-5, "q", "fails")):
        x, y = at(eps, chance)
        picture.dot(x, y, 6, kind)
        picture.text(x + 12, y + 20, f"({eps:g}, 1e{round(math.log10(chance))}): {say}")
    return picture


def between():
    """Twelve users of a randomizer with three answers: what real datasets attain, the truth, and what dominates all."""
    picture = Picture("The truth lies between what real datasets attain and a pair that dominates them all", 720, 360)
    at = axes(picture, (80, 40, 600, 250), 1.5, 5, (0, 0.5, 1, 1.5))
    weights = [Fraction(weight, 10) for weight in (6, 3, 1)]
    turned = Randomizer.of({x: {((x + i) % 3,): p for i, p in enumerate(weights)} for x in range(3)})
    reach, exact = reach_of(turned, 12), privacy_profile(turned, 12)
    steps = [Fraction(i, 10) for i in range(16)]
    ends = [worst_delta(reach, Eps.of(eps), 6).value.enclosure() for eps in steps]
    for (x, y), say, kind, points in (
        ((300, 76), "a pair that dominates all datasets: above", "qline dashed", [upper for _, upper in ends]),
        (
            (120, 206),
            f"the worst of all {all_pairs(3, 11)} pairs: the truth",
            "line",
            [exact.at(Eps.of(eps).bounds(64)[0]) for eps in steps],
        ),
        ((120, 230), "real datasets that look worst: below", "pline", [lower for lower, _ in ends]),
    ):
        picture.way([at(float(eps), float(value)) for eps, value in zip(steps, points, strict=True)], kind)
        picture.way([(x, y), (x + 34, y)], kind)
        picture.text(x + 42, y + 5, say)
    return picture


def certificate():
    """Who writes a certificate and who reads it."""
    picture = Picture(
        "The engine writes a certificate; three programs that share nothing with it decide again", 720, 300
    )
    for x, y, width, lines in (
        (20, 95, 170, ("the engine", "polynomials, floats", "guess where to look")),
        (265, 95, 170, ("certificate", "claim, verdict,", "and a few hints")),
        (520, 20, 180, ("verify/kernel.py", "standard library only")),
        (520, 110, 180, ("verified kernel", "proved in Coq")),
        (520, 200, 180, ("a reader of yours", "from CERTIFICATE.md")),
    ):
        picture.box(x, y, width, 90 if len(lines) == 3 else 66, "bag", 8)
        for row, line in enumerate(lines):
            picture.text(x + width / 2, y + 28 + 23 * row, line, "ink b" if not row else "soft", "middle")
    picture.way([(192, 140), (260, 140)], arrow=True)
    for y in (53, 143, 233):
        picture.way([(437, 140), (514, y)], arrow=True)
    picture.text(20, 240, "writes; is not trusted", "soft")
    picture.text(265, 240, "no number in it is believed", "soft")
    picture.text(535, 288, "each decides again", "soft")
    return picture


def bounds():
    """delta against eps for one protocol: the paper's bound, the clones bound, and the certified interval."""
    title = "4-ary randomized response, local eps 2, 10,000 users shuffled"
    picture = Picture(title, 720, 400)
    left, right, top, bottom = 80, 690, 60, 340
    last, lowest = 0.5, 9  # eps, and the decades of delta below 1

    def at(eps, delta):
        return left + (right - left) * eps / last, top + (bottom - top) * min(-math.log10(delta), lowest) / lowest

    picture.text(20, 32, title, "ink b")
    for decade in range(0, lowest + 1, 3):
        x, y = at(0, 10.0**-decade)
        picture.way([(x, y), (right, y)], "faint")
        picture.text(x - 10, y + 5, "1" if not decade else f"1e-{decade}", "soft", "end")
    for tenth in range(6):
        picture.text(at(tenth / 10, 1)[0], bottom + 24, f"{tenth / 10:.1f}", "soft", "middle")
    picture.text(right, bottom + 48, "eps (nats)", "soft", "end")
    picture.text(20, bottom + 48, "delta", "soft")
    k, n, local = 4, 10_000, 2
    gamma = k / (math.exp(local) + k - 1)  # the lie: uniform over all k values
    published = [(i / 100, min(1.0, 2 * math.exp(-gamma * (n - 1) * (i / 100) ** 2 / (14 * k)))) for i in range(3, 51)]
    picture.way([at(*point) for point in published], "line dashed")  # BBGN Theorem 3.1, where 27 k/((n-1) eps) <= gamma
    grid = [Eps.of(Fraction(i, 50)) for i in range(9)]
    for name, kind, parameters in (("any_ldp", "qline", {}), ("krr", "pline", {"k": k})):
        points = bound_of(Question.of(system(name, eps0=local, **parameters), n)).curve(grid).points
        ends = [(float(eps.enclosure()[1]), *map(float, delta.enclosure())) for eps, delta in points]
        shown = [(eps, high) for eps, _, high in ends if high > 10.0**-lowest]
        picture.way([at(*point) for point in shown], kind)
        if name == "krr":
            picture.way([at(eps, low) for eps, low, _ in ends if low > 10.0**-lowest], kind)
    picture.text(*at(0.3, 10**-1.1), "the protocol's published theorem", "soft")
    picture.text(*at(0.33, 10**-1.75), "(BBGN 2019, Theorem 3.1)", "soft")
    x, y = at(0.155, 10**-6.9)
    picture.text(x + 12, y, "clones bound: any randomizer", "q")
    picture.text(x + 12, y + 20, "with this local eps", "q")
    picture.text(*at(0.02, 10**-7.4), "certified,", "p")
    picture.text(*at(0.02, 10**-8.0), "both bounds", "p")
    return picture


ANSWERS = {  # of docs/tutorial.md: a question that not everybody answers, and the same with a third of it at random
    "the draft": {"no": {"no": "3/4", "skip": "1/4"}, "yes": {"skip": "1/2", "yes": "1/2"}},
    "a third at random": {
        "no": {"no": "11/18", "skip": "5/18", "yes": "1/9"},
        "yes": {"no": "1/9", "skip": "4/9", "yes": "4/9"},
    },
}


def answers():
    """What users send in the tutorial's draft, and when a third of the answers are random."""
    picture = Picture("How likely each answer is, for a user on no and for a user on yes, before and after", 720, 270)
    base, tall = 205, 200
    for i, (name, rows) in enumerate(ANSWERS.items()):
        left = 30 + 350 * i
        picture.text(left, 26, name, "ink b")
        for k, sent in enumerate(("no", "skip", "yes")):
            for place, (x, kind) in enumerate((("no", "p"), ("yes", "q"))):
                height = tall * float(Fraction(rows[x].get(sent, "0")))
                picture.box(left + 12 + 100 * k + 34 * place, base - height, 30, height, kind, 2)
                if not height:
                    picture.text(left + 27 + 100 * k + 34 * place, base - 6, "0", "soft", "middle")
            picture.text(left + 44 + 100 * k, base + 20, sent, "soft", "middle")
        picture.way([(left, base), (left + 310, base)])
    for x, kind, say in ((150, "p", "sent by a user on no"), (400, "q", "sent by a user on yes")):
        picture.box(x, 242, 14, 14, kind)
        picture.text(x + 22, 254, say)
    return picture


def crowds():
    """The privacy profile of the tutorial's randomizer, alone and in crowds, and the claim."""
    picture = Picture("delta as a function of eps for 1, 10, 100 and 700 users, and the claim", 720, 360)
    at = axes(picture, (80, 40, 600, 250), 1.8, 8, (0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8))
    table = Randomizer.of(ANSWERS["a third at random"])
    said = ((1.5, 0.4), (1.26, 0.02), (0.6, 7e-4), (0.27, 3e-7))
    for n, last, place in zip((1, 10, 100, 700), (90, 90, 46, 16), said, strict=True):
        grid = [Eps.of(Fraction(i, 50)) for i in range(0, last + 1, 2)]
        points = bound_of(Question.of(table, n), Effort(Fraction(1, 50))).curve(grid).points
        ends = [(float(eps.enclosure()[1]), float(value.enclosure()[1])) for eps, value in points]
        picture.way([at(*point) for point in ends if point[1] > 1e-8], "pline")
        picture.text(*at(*place), f"{n} user{'s' * (n > 1)}", "ink")
    x, y = at(0.25, 1e-6)
    picture.dot(x, y, 6, "q")
    picture.text(x - 10, y + 22, "(1/4, 1e-6)", "q", "end")
    return picture


PICTURES = {
    "tutorial-answers": answers,
    "tutorial-crowds": crowds,
    "bounds": bounds,
    "views": views,
    "neighbours": neighbours,
    "hockey-stick": stick,
    "profile": curve,
    "reductions": between,
    "certificate": certificate,
}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(str(draw()), encoding="utf-8")
