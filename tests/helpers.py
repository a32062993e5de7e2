"""What several test files share: random randomizers as the oracle's dicts, the command in-process, a few examples."""

import json
import os
import sys
from fractions import Fraction

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from shufflecert.verify import cli, kernel
from shufflecert.verify.bound.law import LowerLaw
from shufflecert.verify.compose.accountant import compose
from shufflecert.verify.enclose.interval import largest
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import Randomizer

LABELS = ("a", "b", "c")
VIEWS = ("shuffled", "preshuffle", "local")
EXPONENTS = (Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(5, 2))  # eps rational
POWERS = (Fraction(1), Fraction(5, 4), Fraction(2), Fraction(7, 2))  # e^eps rational


ALL = os.environ.get("RANDOM_CASES") == "all"  # as `make test-long` sets it


def cases(count, quick=None):
    """So many in `make test-long`; in `make test` a quarter of them, or `quick`."""
    return count if ALL else quick or -(-count // 4)


def random_cases(count, quick=None):
    """So many random cases in `make test-long`, a sixth of them, or `quick`, in `make test`; no case fails by time."""
    return settings(max_examples=cases(count, quick or -(-count // 6)), deadline=None)


few, some = random_cases(40), random_cases(150)


@st.composite
def randomizers(draw, single=False, inputs=(2, 3)):
    """{input: {messages: Fraction}}; some rows repeat, shift by a monomial, or relabel the first one."""
    labels = LABELS[: draw(st.integers(2, 3))]
    size = st.just(1) if single else st.integers(0, 3)
    outputs = size.flatmap(lambda n: st.tuples(*[st.sampled_from(labels)] * n))
    pool = draw(st.lists(outputs, min_size=2, max_size=4, unique=True))
    numbers = st.lists(st.sampled_from([1, 2, 3, 4, 5, 0]), min_size=len(pool), max_size=len(pool)).filter(any)

    def fresh():
        weights = draw(numbers)
        return {send: Fraction(w, sum(weights)) for send, w in zip(pool, weights, strict=True) if w}

    rows = [fresh()]
    kinds = ["fresh", "fresh", "fresh", "fresh", "same", "relabelled", *([] if single else ["shifted"])]
    for _ in range(draw(st.integers(*inputs)) - 1):
        match draw(st.sampled_from(kinds)):
            case "fresh":
                rows.append(fresh())
            case "same":
                rows.append(dict(rows[0]))
            case "shifted":
                more = (draw(st.sampled_from(labels)),)
                rows.append({more + send: p for send, p in rows[0].items()})
            case "relabelled":
                image = dict(zip(labels, draw(st.permutations(labels)), strict=True))
                rows.append({tuple(image[m] for m in send): p for send, p in rows[0].items()})
    return {str(x): row for x, row in enumerate(rows)}


def engine(tree):
    """The oracle's dict as a Randomizer."""
    return Randomizer.of(tree)


def written_json(tree):
    """The oracle's dict as a randomizer file."""
    rows = []
    for x, row in tree.items():
        rows.append({"input": x, "outputs": [{"send": list(send), "p": str(p)} for send, p in row.items()]})
    return json.dumps({"rows": rows})


def cyclic(weights=("1/2", "1/4", "3/16", "1/16")):
    """Input x sends y with probability weights[(y - x) mod k]."""
    k = len(weights)
    return {str(x): {(f"m{y}",): Fraction(weights[(y - x) % k]) for y in range(k)} for x in range(k)}


def hadamard(bits=3):
    """Input x sends "y:b", y uniform, b the parity of x & y with probability 3/4."""
    size = 2**bits
    return {
        str(x): {
            (f"{y}:{b}",): Fraction(3 if (x & y).bit_count() % 2 == b else 1, 4 * size)
            for y in range(size)
            for b in (0, 1)
        }
        for x in range(size)
    }


def both_directions(pair, times, eps, digits=30):
    """The larger of delta(eps) of so many runs of the pair and of the reversed one."""
    return largest([compose([one], times, eps, digits) for one in (pair, pair.reversed())])


def laws_made(monkeypatch):
    """The bytes of all laws of sums that are made from now on, one after the other."""
    made, plus = list[int](), LowerLaw.plus
    monkeypatch.setattr(LowerLaw, "plus", lambda *given: made.append((law := plus(*given)).cells.size) or law)
    return made


def call(capsys, *arguments):
    """Run the command in this process: (status, standard output, standard error)."""
    with pytest.raises(SystemExit) as stopped:
        cli.main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return stopped.value.code, out, err


def asked(capsys, *arguments, status=0):
    """The JSON answer of a command that ends with this status and complains of nothing."""
    code, out, err = call(capsys, *arguments, "--json")
    assert (code, err) == (status, "")
    return json.loads(out)


def accepted(row, max_work=10**9):
    """The kernel accepts the certificate that a row of an answer names, with its verdict."""
    found = kernel.check_file(row["certificate"], max_work=max_work)
    assert found.status == "accepted" and found.reason.startswith(row["verdict"]), (row, found)


def is_one_line(err):
    """What bad input prints: one line, whole, with a message in it and nothing that moves a terminal's cursor."""
    line = err.removesuffix("\n")
    return err.endswith("\n") and line.startswith("shufflecert: ") and len(line) > 20 and line.isprintable()


COMMAND = (sys.executable, "-m", "shufflecert.verify.cli")


def refused(call, *words):
    """BadInput in one line that holds every one of `words`."""
    with pytest.raises(BadInput) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message and all(word in message for word in words), message
    return message
