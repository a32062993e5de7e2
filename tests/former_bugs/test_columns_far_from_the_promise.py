"""`compare histogram --buckets 64 --n 20000` took a minute for one row, `fragmented_rappor`.

At values with far too much noise, and at each of a dozen near the least, all ranges of both columns were brought to
digits that nobody needed.
"""

from fractions import Fraction

from shufflecert.verify.bound import columns
from shufflecert.verify.calibrate.comparison import Question, row
from shufflecert.verify.systems import catalogue


def test_real_datasets_say_where_to_look(monkeypatch):
    """Boxes are bounded at one or two values, and what is found is within a thousandth of one that datasets break."""
    searches, run = [], columns._Search.run
    monkeypatch.setattr(columns._Search, "run", lambda self: searches.append(self) or run(self))
    question = Question.of("histogram", 2000, "1", "1e-6", "64")
    found = row({"system": "fragmented_rappor", "question": question.to_json()})
    assert 1 <= len(searches) <= 2
    assert Fraction(found["delta"]["upper"]) <= question.delta
    less = {"d": "64", "flip": str(Fraction(found["parameters"]["flip"]) * Fraction(999, 1000))}
    real = catalogue.load("fragmented_rappor", less).reach(2000).attained.narrowed(question.eps)
    assert real.worst(question.eps, 6)[0].low > question.delta


def test_far_below_the_promise_one_box_is_enough():
    family = catalogue.load("fragmented_rappor", {"d": "64", "flip": "1/4"}).reach(2000).attained
    value, _, boxes = family.worst(Question.of("sum", 2000, "1", "1e-6").eps, 6, Fraction(1, 10**6))
    assert boxes == 1 and value.high <= Fraction(1, 10**6)
