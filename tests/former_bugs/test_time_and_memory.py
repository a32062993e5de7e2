"""What took minutes or gigabytes, or was let through as if it took none."""

import json
import re
import subprocess
import sys
from fractions import Fraction
from itertools import islice

import pytest

from shufflecert.proofs.conjectures import by_name
from shufflecert.protocols.discrete_laplace import DiscreteLaplaceSum
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from shufflecert.verify.audit.audit import foreseen
from shufflecert.verify.audit.patience import PATIENCE
from shufflecert.verify.bound import columns
from shufflecert.verify.calibrate.comparison import ComparedTask, row
from shufflecert.verify.compose.composition import Run, prepare
from shufflecert.verify.compose.pure_epsilon import pure_epsilon
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.enclose.interval import NEGLIGIBLE, Interval, refine
from shufflecert.verify.enclose.noise_laws import Binomial, NegativeBinomial, Poisson
from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.neighbours import neighbourhood
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.kernel import check
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise
from shufflecert.verify.pairs.windowed import Product, Reversed, SumPair
from shufflecert.verify.reduce.event import Event
from shufflecert.verify.reduce.privacy_blanket import EVENT_WORK, FEWEST, LOOKED_AT, Rows, reach_of
from shufflecert.verify.reduce.reduction import worst_epsilon
from shufflecert.verify.search.exhaust import blocks_of
from shufflecert.verify.systems import catalogue, randomizer_file
from tests import oracle
from tests.forks import Forks
from tests.helpers import call, engine
from tests.readme import environment

# An enumeration said 19 MiB and took 258, another 400 and took 3.4 GB; an audit of 498 inputs said nothing for 75
# s.
#
# Measured, for two or three inputs that send one of m messages (the resident memory that `delta` adds, in MB):
# m = 16, n = 6: 185 to 258; m = 40, n = 4: 993; m = 100, n = 3: 3364.


MEASURED = [(16, 6, 185, 258), (40, 4, 993, 993), (100, 3, 3364, 3364)]


def wide(messages, inputs=2):
    """Rows with no two ratios alike."""
    total = sum(range(1, messages + 1))
    return Randomizer.of(
        {x: {f"m{i}": f"{(i + 7 * x) % messages + 1}/{total}" for i in range(messages)} for x in range(inputs)}
    )


@pytest.mark.parametrize(("messages", "n", "least", "most"), MEASURED)
def test_memory_is_what_was_measured(messages, n, least, most):
    said = neighbourhood(wide(messages), n, max_work=10**12).work()[1]
    held = float(re.search(r"(\S+) MiB at a time", said).group(1))
    assert least / 1.5 < held < 1.5 * most


def test_gigabytes_are_refused_before_they_are_taken():
    with pytest.raises(TooMuchWork, match="MiB at a time"):
        neighbourhood(wide(100), 3, max_work=30_000_000)


def test_an_audit_says_first_what_takes_long(capsys, tmp_path, monkeypatch):
    """2 k (k - 1) k units for the local and the preshuffle view, and 8 times as many for n = 1."""
    k = 240
    other, own = Fraction(1, k + 1), Fraction(2, k + 1)
    law = {x: {y: own if x == y else other for y in range(k)} for x in range(k)}
    found = foreseen(Randomizer.of(law), [1, 2, 3], 5)
    assert found.seconds > 2 * PATIENCE and "57360 pairs of inputs x 240 outputs" in str(found)
    assert foreseen(wide(3), [1, 2, 3], 5).enumeration < 1
    monkeypatch.setattr("shufflecert.verify.audit.patience.PATIENCE", 0)
    small = {"rows": [{"input": x, "outputs": [{"send": [x], "p": "1"}]} for x in (0, 1)]}
    (tmp_path / "small.json").write_text(json.dumps(small))
    status, _, err = call(capsys, "audit", tmp_path / "small.json", "--large", 2)
    assert status == 0 and err.startswith("audit: about ") and err.count("\n") == 1


# Two inputs over 1024 messages at n = 2 were let through: few coefficients, but gigabytes of exponents at a time.


def test_memory_counts_as_work():
    rows = {x: {str(m): "1/1024" for m in range(1024)} for x in (0, 1)}
    rows[1] = {**rows[1], "0": "1/2048", "1": "3/2048"}
    with pytest.raises(TooMuchWork, match="MiB at a time"):
        neighbourhood(Randomizer.of(rows), 2)


# `compare histogram --buckets 64 --n 20000` wanted gigabytes: all pairs of numbers of others were listed at once.


def test_the_numbers_of_others_come_one_by_one():
    """There are 2 * 10^12 pairs of a million others."""
    columns = catalogue.make("fragmented_rappor", {"d": "64", "flip": "1/100"}).reach(2 * 10**6).attained
    assert list(islice(columns.states(), 3)) == [(0, 0), (0, 1), (0, 2)]


def test_of_few_others_they_are_all_there():
    columns = catalogue.make("fragmented_rappor", {"d": "3", "flip": "1/100"}).reach(4).attained
    assert sorted(columns.states()) == [(i, j) for i in range(4) for j in range(i, 4)]


# The estimate left out that an outcome holds a count of every message: `rappor` d = 10, n = 2 took all memory.


def test_a_thousand_messages_make_outcomes_of_a_thousand_counts():
    # two users, 1024 single messages: C(1025, 2) = 524800 outcomes at least, of 8 kB each
    row = {(f"m{i}",): Fraction(1, 1024) for i in range(1024)}
    other = row | {("m0",): Fraction(3, 2048), ("m1",): Fraction(1, 2048)}
    with pytest.raises(TooMuchWork):
        neighbourhood(engine({"0": row, "1": other}), 2, max_work=100 * 524_800)


# The number of pairs of datasets, of thousands of digits, was counted for a minute and then not printable.


@pytest.mark.parametrize(
    "system", [("poisson", "-p", "lam=100", "-p", "sensitivity=1000"), ("hist", "-p", "d=1000000", "-p", "p=1/1000000")]
)
def test_too_many_pairs_to_count_are_not_counted(system, capsys):
    arguments = ("delta", *system, "--n", "1000000000", "--eps", "1/5")
    status, out, _ = call(capsys, *arguments, "--json")
    assert status == 0 and json.loads(out)["scope"]["stands_for"] is None
    status, out, _ = call(capsys, *arguments)
    assert status == 0 and " of infinitely many pairs evaluated" in out


# A key of 30,000 parts in a small TOML file kept the parser busy for ten seconds, and a larger one for ever.


@pytest.mark.parametrize("opening", ["[a{}]", "a{} = 1"])
def test_keys_of_many_parts_are_refused_before_they_are_parsed(opening):
    with pytest.raises(BadInput, match="line 2: a key of more than 100 parts"):
        randomizer_file.parse(f"# a comment\n{opening.format('.b' * 4_000_000)}\n".encode(), ".toml")


def test_dots_in_values_are_no_parts_of_a_key():
    rows = 'rows = [{input = "0", outputs = [{send = ["' + "." * 500 + '"], p = "1"}]}]\n'
    assert randomizer_file.parse(rows.encode(), ".toml")[0].inputs == ("0",)


# One output of 40,000 different messages kept the kernel busy for minutes: packed exponents grow with their square.


def certificate(messages):
    """Input 0 always sends all the messages, input 1 another one: delta = 1 is attained, and is what is claimed."""
    rows = [
        {"input": "0", "outputs": [{"send": [f"m{i}" for i in range(messages)], "p": "1"}]},
        {"input": "1", "outputs": [{"send": ["another"], "p": "1"}]},
    ]
    claim = writing.claim([(writing.rows({"rows": rows}, 2), 1)], "replace", "1", Fraction(1))
    why = writing.enumerated(writing.ends("01", "replace"), [])
    return json.dumps(writing.certificate(claim, "PROVED", why)).encode()


def test_a_few_are_checked_and_many_as_well():
    """All of 40,000 messages, or none of them, are one kind of outcome: no more work than for a few."""
    assert check(certificate(1000)).status == "accepted"
    assert check(certificate(40_000)).status == "accepted"


# A guess listed all outcomes of 10^9 users in a polynomial: 13 GB, and a busy machine ended the command silently.
#
# Noise that is hardly ever sent is seen in a few cells however many users send it; the polynomial has all of them.


pytest.importorskip("resource")  # limits of memory are POSIX's

CERTIFIED = """
import resource

resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from shufflecert import certify

print(certify("zsum", p="0.99999996", n=10**9, eps=1, delta="1e-6").verdict)
"""
KILLED = "import os, signal\nprint('begun', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n"


def test_a_certificate_of_countless_users_takes_little_memory(tmp_path):
    """Two gigabytes of addresses, of which the libraries take most; on its own the process takes 80 MB."""
    script = tmp_path / "certified.py"
    script.write_text(CERTIFIED)
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("PROVED\n", "")


def test_a_command_that_the_system_ends_is_told_on_its_page(tmp_path):
    (tmp_path / "killed.py").write_text(KILLED)
    with Forks(environment()) as forks:
        assert forks.run(["python", "killed.py"], tmp_path) == "begun\nended by signal 9\n"
        assert forks.status == -9


# A search of 4846 ranks was cut into three blocks, one with most of the work: a second worker hardly helped.
#
# Cases that are decided many at once take seconds in all: their blocks are long.


@pytest.mark.parametrize(
    ("name", "given", "least"),
    [
        ("claim-18", {"inputs": 3, "denominator": 4}, 1),
        ("third-value-krr", {}, 30),
        ("multi-message-gap", {}, 1),
        ("others-equal-binary", {}, 5),
    ],
)
def test_small_spaces_are_cut_finely_and_whole(name, given, least):
    conjecture = by_name(name)
    parameters = {**conjecture.defaults, **given}
    blocks = blocks_of(conjecture, parameters, name)
    starts, stops = zip(*(block[2:] for block in blocks), strict=True)
    assert len(blocks) >= least
    assert starts == (0, *stops[:-1]) and stops[-1] == conjecture.space(**parameters).size


# A label of 5000 hexadecimal digits: TOML reads it, and its decimal text was a traceback.


@pytest.mark.parametrize(
    ("field", "place"), [("input", r"rows\[0\]\.input"), ("send", r"rows\[0\]\.outputs\[0\]\.send")]
)
def test_an_integer_label_with_too_many_digits(field, place):
    labels = {"input": "1", "send": "1"} | {field: "0x" + "f" * 5000}
    file = f"[[rows]]\ninput = {labels['input']}\noutputs = [{{send = [{labels['send']}], p = '1'}}]\n"
    with pytest.raises(BadInput, match=rf"^{place}: .* is not a label"):
        randomizer_file.parse(file.encode(), ".toml")


# Probabilities such as 2^-(10^12) were written out as fractions, and took all memory; certificates have an end too.


HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("noise", "eps"),
    [
        (Binomial(10**12, HALF), 1),  # about e^-(10^11)
        (Binomial(10**15, HALF), 10_000),  # 2^-(10^15)
        (Poisson(3), 10_000),  # the threshold alone has 4343 digits
    ],
)
def test_a_divergence_that_no_memory_holds(noise, eps):
    found = refine(lambda bits: ShiftedNoise(noise).divergence(Eps.of(eps), bits))
    assert found.low == 0 and found.high == Fraction(1, 2**NEGLIGIBLE)


def test_infinity_mass():
    assert ShiftedNoise(Binomial(10**12, HALF)).infinity_mass() == 0  # 2^-(10^12), of which 0 is a lower bound
    assert (
        ShiftedNoise(Binomial(100, HALF)).infinity_mass()
        <= HALF**100
        < ShiftedNoise(Binomial(99, HALF)).infinity_mass()
    )


def test_a_certificate_of_a_negligible_delta_is_well_formed():
    result = certify(ZSum(HALF), 10**8, 1, "1e-6")
    assert result.verdict == "PROVED"
    assert kernel.check(result.certificate_text().encode()).status == "accepted"


# Sums over millions of points: minutes, then a refusal, or all memory. Now a formula, or a refusal before the work.


@pytest.mark.parametrize(
    ("noise", "eps", "size"),
    [
        (Poisson(10**15), "1e-7", "6.73e-12"),
        (
            Binomial(10**12, HALF),
            0,
            "7.97e-7",
        ),  # delta(0) is the largest probability, (2 pi n p (1 - p))^(-1/2)
        (Binomial(10**15, HALF), "1e-30", "2.52e-8"),
        (NegativeBinomial(3, 1 - Fraction(1, 10**9)), "1e-12", "2.69e-10"),
        (NegativeBinomial(HALF, 1 - Fraction(1, 10**9)), "1e-8", "3.16e-5"),
    ],
)
def test_tails_of_wide_laws(noise, eps, size):
    found = refine(lambda bits: ShiftedNoise(noise).divergence(Eps.of(eps), bits))
    assert Fraction(size) < found.low and found.high < Fraction(size) * Fraction(102, 100)
    assert found.relative_width < Fraction(1, 10**30)


@pytest.mark.parametrize(
    "noise", [Binomial(10**12, HALF), NegativeBinomial(3, 1 - Fraction(1, 10**9)), Poisson(10**15)]
)
def test_windows_of_wide_laws_are_refused_with_the_estimate(noise):
    pair = SumPair((noise,), (noise,), 1)
    with pytest.raises(TooMuchWork, match=r"window of about \d+ terms of 128 bits, \d+ MiB: expected at most 512 MiB"):
        Product(pair, Reversed(pair)).divergence(Eps.of(1), 128)


def test_what_is_known_before_it_is_too_much_is_kept():
    def ends(bits):
        if bits > 600:
            raise TooMuchWork("over 600 bits")
        return Fraction(0), Fraction(1, 2**bits)

    assert refine(ends) == Interval(Fraction(0), Fraction(1, 2**512))
    with pytest.raises(TooMuchWork):
        refine(ends, first_bits=1024)


# `compare histogram --buckets 64 --n 20000` took a minute for one row, `fragmented_rappor`.
#
# At values with far too much noise, and at each of a dozen near the least, all ranges of both columns were brought to
# digits that nobody needed.


def test_real_datasets_say_where_to_look(monkeypatch):
    """Boxes are bounded at one or two values, and what is found is within a thousandth of one that datasets break."""
    searches, run = [], columns._Search.run
    monkeypatch.setattr(columns._Search, "run", lambda self: searches.append(self) or run(self))
    question = ComparedTask.of("histogram", 2000, "1", "1e-6", "64")
    found = row({"system": "fragmented_rappor", "question": question.to_json()})
    assert 1 <= len(searches) <= 2
    assert Fraction(found["delta"]["upper"]) <= question.delta
    less = {"d": "64", "flip": str(Fraction(found["parameters"]["flip"]) * Fraction(999, 1000))}
    real = catalogue.make("fragmented_rappor", less).reach(2000).attained.narrowed(question.eps)
    assert real.worst(question.eps, 6)[0].low > question.delta


def test_far_below_the_promise_one_box_is_enough():
    family = catalogue.make("fragmented_rappor", {"d": "64", "flip": "1/4"}).reach(2000).attained
    value, _, boxes = family.worst(ComparedTask.of("sum", 2000, "1", "1e-6").eps, 6, Fraction(1, 10**6))
    assert boxes == 1 and value.high <= Fraction(1, 10**6)


# A table of two kinds of messages at n = 10^4: `epsilon` enclosed 60 datasets' events at each of some fifty eps.
#
# Its events only bound delta from below: those which are not looked at make an interval wider, and never wrong.


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
    assert Rows.of(two_kinds(2, 3), 10).looked_at == LOOKED_AT
    assert Rows.of(two_kinds(2, 10), 10).looked_at == EVENT_WORK // 100
    assert Rows.of(two_kinds(2, 40), 10).looked_at == FEWEST


# `compose discrete_laplace -p q=3/5 --n 5 --times 2 --delta 0` ran for minutes at 1 GB: pure eps adds up.


def test_two_runs_of_discrete_laplace_need_twice_the_eps():
    """Noise of ratio q per step: log(1/q) for one run, by the definition; 2 log(5/3) for two."""
    found = prepare([Run(DiscreteLaplaceSum(Fraction(3, 5)), 5, 2)]).epsilon(0)
    low, high = found.interval
    true = tuple(map(Fraction, Eps.log(Fraction(25, 9)).enclosure()))
    assert low <= true[1] and true[0] <= high and high - low < Fraction(1, 10**12)


@pytest.mark.parametrize("times", [1, 2, 3])
def test_the_sum_against_products_written_out(times):
    """The largest ratio of the product of two different tables' views, all outcomes and datasets listed."""
    tables = [
        {"0": {("a",): Fraction(1, 3), ("b",): Fraction(2, 3)}, "1": {("a",): Fraction(3, 4), ("b",): Fraction(1, 4)}},
        {"0": {(): Fraction(1, 5), ("a",): Fraction(4, 5)}, "1": {(): Fraction(1, 2), ("a",): Fraction(1, 2)}},
    ]
    n, powers = 3, []
    for rows in tables:
        laws = {x: oracle.convolved_law(rows, list(x)) for x in _datasets(n)}
        around = [(laws[x], laws[y]) for x in laws for y in laws if _apart(x, y) == 1]
        powers.append(max(p[seen] / q[seen] for p, q in around for seen in p))
    found = pure_epsilon([(Randomizer.of(tables[0]), n, times), (Randomizer.of(tables[1]), n, 1)])
    assert found.power == powers[0] ** times * powers[1]


def test_no_finite_eps_where_one_system_has_none():
    gap = Randomizer.of({"0": {("a",): Fraction(1)}, "1": {("b",): Fraction(1)}})
    found = pure_epsilon([(DiscreteLaplaceSum(Fraction(1, 2)), 5, 1), (gap, 2, 1)])
    assert found.power is None and found.interval is None


def _apart(x, y):
    return sum(a != b for a, b in zip(x, y, strict=True))


def _datasets(n):
    return [()] if not n else [(x, *rest) for x in "01" for rest in _datasets(n - 1)]


@pytest.mark.parametrize("group", [2, 3])
def test_groups_of_users_of_a_count(group):
    """The same with `--group 2` ran on: two runs of noise of ratio 3/5, and a count that moves by `group`."""
    found = prepare([Run(DiscreteLaplaceSum(Fraction(3, 5)), 5, 2)], group=group).epsilon(0)
    low, high = found.interval
    true = tuple(map(Fraction, Eps.log(Fraction(5, 3) ** (2 * group)).enclosure()))
    assert low <= true[1] and true[0] <= high and high - low < Fraction(1, 10**12)
