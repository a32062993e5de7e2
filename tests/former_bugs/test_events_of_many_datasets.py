"""A table of two kinds of messages at n = 10^4: `epsilon` enclosed 60 datasets' events at each of some fifty eps.

Its events only bound delta from below: those which are not looked at make an interval wider, and never wrong.
"""

from fractions import Fraction

from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.reduce.privacy_blanket import EVENT_WORK, FEWEST, LOOKED_AT, Table, reach_of
from shufflecert.verify.reduce.reduction import worst_epsilon
from shufflecert.verify.reduce.threshold_event.event import Event


def two_kinds(inputs, kinds):
    """Each pair of an a and a b, with weights that differ from input to input."""
    rows = {}
    for x in range(inputs):
        pairs = [(i, j) for i in range(kinds) for j in range(kinds)]
        weights = {(f"a{i}", f"b{j}"): 1 + (3 * i + 5 * j + 7 * x * (i + 2 * j + 1)) % 11 for i, j in pairs}
        rows[x] = {sent: Fraction(w, sum(weights.values())) for sent, w in weights.items()}
    return Randomizer.of(rows)


def test_an_eps_is_looked_for_among_the_worst_few(monkeypatch):
    """In the place of an event's enclosure, exp(-90 eps) times a height that its datasets give: the largest has 1/500.

    By hand: the smallest eps at which it is at most 1/1000 is log(2)/90 = 0.0077016...
    """
    heights, asked = {}, []

    def enclosure(self, eps, digits, enough=0):
        height = heights.setdefault(id(self), Fraction(1, 500 + 10 * len(heights)))
        asked.append(self)
        low, high = (end**90 for end in eps.bounds(128))
        return Interval(height / high, height / low)

    monkeypatch.setattr(Event, "enclosure", enclosure)
    reach = reach_of(two_kinds(5, 4), 10_000)
    assert reach.dominating is not None and len(reach.attained.members) > LOOKED_AT
    low, high, _ = worst_epsilon(reach, Fraction(1, 1000))
    assert Fraction("0.0077016") < low < Fraction("0.0077017") < high
    assert len(asked) < 2 * LOOKED_AT + 60 * FEWEST


def test_fewer_datasets_of_more_outputs():
    assert Table.of(two_kinds(2, 3), 10).looked_at == LOOKED_AT
    assert Table.of(two_kinds(2, 10), 10).looked_at == EVENT_WORK // 100
    assert Table.of(two_kinds(2, 40), 10).looked_at == FEWEST
