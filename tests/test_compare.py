"""`compare`: systems at the least noise that keeps one promise, in users; and what GKMP print of that comparison."""

import csv
import json
from fractions import Fraction
from functools import cache

import pytest
from mpmath import mp, mpf, workdps

from shufflecert.verify.calibrate import comparison
from shufflecert.verify.calibrate.comparison import CENTRAL, ComparedTask, empty, row, rows, systems
from shufflecert.verify.calibrate.least_noise import Promise
from shufflecert.verify.calibrate.tuned_system import Task, tune
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.runs.executors import Processes
from tests.helpers import asked, call, is_one_line
from tests.reference import real

F = Fraction
SUM = ComparedTask.of("sum", 10_000, "1", "1e-6")
KEYS = [
    *("system", "central", "parameters", "delta", "rmse", "simultaneous", "expected_messages"),
    *("bits_per_message", "bits", "paper", "note", "finished"),
]


@pytest.fixture(autouse=True)
def forty_digits():
    with workdps(40):
        yield


@cache
def made(name, task="sum", n=10_000, eps="1", delta="1e-6", buckets=None):
    found = row({"system": name, "question": ComparedTask.of(task, n, eps, delta, buckets).to_json()})
    return json.dumps(found)


def known(name, **asked_of):
    return json.loads(made(name, **asked_of))


def number(tree):
    """The middle of an enclosure that is narrow."""
    low, high = F(tree["lower"]), F(tree["upper"])
    assert low <= high <= low + high / 10**20
    return real(high)


def near(tree, value, digits=20):
    return abs(number(tree) - value) <= mpf(10) ** -digits * value


# The question ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("median", 9, "1", "1e-6"), "task: 'median' is unknown: expected one of sum, histogram, mean"),
        (("sum", 0, "1", "1e-6"), "n: 0: expected an integer from 1 to 1000000000000000"),
        (("sum", 9, "0", "1e-6"), "eps: 0: expected eps > 0"),
        (("sum", 9, "1", "0"), "delta: 0: expected a rational strictly between 0 and 1"),
        (("sum", 9, "1", "1"), "delta: 1: expected a rational strictly between 0 and 1"),
        (("sum", 9, "1", "1e-6", "3"), "buckets: 3: expected a number of buckets for a histogram, and there only"),
        (
            ("histogram", 9, "1", "1e-6"),
            "buckets: missing: expected a number of buckets for a histogram, and there only",
        ),
        (("histogram", 9, "1", "1e-6", "1"), "buckets: 1: expected an integer from 2 to 1000000"),
        (("sum", 9, "1", "1e-6", None, "1"), "rmse-slack: 1: expected a rational above 1"),
    ],
)
def test_a_question_that_cannot_be_asked(arguments, message):
    with pytest.raises(BadInput) as refused:
        ComparedTask.of(*arguments)
    assert str(refused.value) == message


def test_a_question_is_the_same_after_a_journey_as_text():
    for question in (SUM, ComparedTask.of("histogram", 10**9, "log(3/2)", "1e-9", "20", "1.5")):
        assert ComparedTask.of(**json.loads(json.dumps(question.to_json()))) == question
    assert SUM.promise.eps == Eps.of(1) and SUM.slack == F(6, 5)


def test_who_serves_what():
    sums = ["correlated", "krr", "negative_binomial", "poisson", "rr", "zsum"]
    histograms = [
        "correlated_hist",
        "count_mean_sketch",
        "fake_users",
        "fragmented_rappor",
        "hadamard_response",
        "hist",
    ]
    histograms += ["krr", "olh", "poisson_hist", "rappor", "subset_selection", "unary_encoding"]
    assert systems("sum", None) == [CENTRAL, *sums]
    assert systems("histogram", 20) == [CENTRAL, *histograms]


# Rows --------------------------------------------------------------------------------------------------------------


def test_poisson_noise_by_formulas():
    """The least lam: delta = sum over k of max(Pr[k - 1] - e Pr[k], 0), and back; RMSE sqrt(lam), and De Moivre's mean
    deviation 2 e^-lam lam^(m + 1) / m!, m = floor(lam)."""
    found = known("poisson")
    assert list(found) == KEYS and found["note"] is None and not found["central"]
    lam = F(found["parameters"]["lam"])

    def delta(lam):
        law = [mp.exp(k * mp.log(lam) - lam - mp.loggamma(k + 1)) for k in range(400)]
        pairs = list(zip([mpf(0), *law], [*law, mpf(0)], strict=True))
        return max(sum(max(p - mp.e * q, 0) for p, q in pairs), sum(max(q - mp.e * p, 0) for p, q in pairs))

    value = real(lam)
    assert delta(value - mpf(2) ** -64) > mpf(10) ** -6 >= delta(value) * (1 - mpf(10) ** -30)
    assert near(found["delta"], delta(value), 18) and F(found["delta"]["upper"]) <= F(1, 10**6)
    assert near(found["rmse"], mp.sqrt(value))
    m = mp.floor(value)
    assert near(found["simultaneous"], 2 * mp.exp(-value) * value ** (m + 1) / mp.factorial(m))
    assert near(found["expected_messages"], 1 + value / 10_000) and found["bits_per_message"] == 1
    assert found["bits"] == found["expected_messages"]
    prescribed = 16 * mp.log(10 * mpf(10) ** 6) / (1 - mp.exp(-1)) ** 2 + 2 / (1 - mp.exp(-1))  # GKMP Theorem 11
    paper = found["paper"]
    assert near(paper["rmse"], mp.sqrt(prescribed), 17)
    assert near(paper["ratio"]["rmse"], mp.sqrt(prescribed / value), 17)
    assert near(paper["ratio"]["expected_messages"], (10_000 + prescribed) / (10_000 + value), 17)
    assert set(paper["parameters"]) == {"lam"} and abs(F(paper["parameters"]["lam"]) - lam) > 600


def test_the_central_baseline():
    """q = e^-1 and e^(-1/2): variance 2 q / (1 - q)^2, mean deviation 2 q / (1 - q^2); 0 on both sides of delta."""
    for found, q, bits in (
        (known(CENTRAL), mp.exp(-1), 1),
        (known(CENTRAL, task="histogram", buckets=20), mp.exp(mpf(-1) / 2), 5),
    ):
        assert found["central"] and found["delta"] == {"lower": "0", "upper": "0", "exact": None}
        assert near(found["rmse"], mp.sqrt(2 * q) / (1 - q), 14)
        assert F(found["expected_messages"]["upper"]) == 0 and found["bits_per_message"] == bits
        assert F(found["parameters"]["q"]) >= F(str(q)) - F(1, 10**14) and "central" in found["note"]
    assert near(known(CENTRAL)["simultaneous"], 2 * mp.exp(-1) / (1 - mp.exp(-2)), 14)


def test_few_messages_beside_the_central_error():
    """The noise that is left is 1.2 times discrete Laplace noise of eps, and not much less; the promise is kept."""
    found, central = known("correlated"), known(CENTRAL)
    times = number(found["rmse"]) / number(central["rmse"])
    assert mpf("1.19") < times <= mpf("1.2")
    assert F(found["delta"]["upper"]) <= F(1, 10**6) <= F(found["delta"]["upper"]) * (1 + F(1, 10**6))
    q, r, p = (F(found["parameters"][name]) for name in "qrp")
    assert F(found["expected_messages"]["upper"]) >= 1 + 2 * (q / (1 - q) + r * p / (1 - p)) / 10_000


@pytest.mark.parametrize("name", ["poisson", "correlated", "zsum", "negative_binomial"])
def test_the_row_agrees_with_the_other_commands(capsys, name):
    found = known(name)
    given = [part for key, value in found["parameters"].items() for part in ("-p", f"{key}={value}")]
    delta = asked(capsys, "delta", name, *given, "--n", 10_000, "--eps", 1)["delta"]
    assert F(delta["lower"]) <= F(found["delta"]["upper"]) and F(found["delta"]["lower"]) <= F(delta["upper"])
    accuracy = asked(capsys, "accuracy", name, *given, "--n", 10_000)
    assert accuracy["expected_messages"] == found["expected_messages"]
    users = 10_000 if name == "zsum" else 1
    for end in ("lower", "upper"):
        assert abs(F(accuracy["rmse"][end]) * users - F(found["rmse"][end])) <= F(found["rmse"][end]) / 10**28


def test_every_estimate_of_a_histogram_counts(capsys):
    """Two buckets move, so lam of poisson_hist is above the sum's; the maximum over 20 buckets is above one's rmse."""
    one, found = known("poisson"), known("poisson_hist", task="histogram", buckets=20)
    assert found["parameters"]["buckets"] == "20"
    assert F(one["parameters"]["lam"]) < F(found["parameters"]["lam"]) < 2 * F(one["parameters"]["lam"])
    lam = F(found["parameters"]["lam"])
    assert F(found["expected_messages"]["lower"]) <= 1 + 20 * lam / 10_000 <= F(found["expected_messages"]["upper"])
    assert found["bits_per_message"] == 5
    assert number(found["rmse"]) < number(found["simultaneous"]) < 4 * number(found["rmse"])


def test_what_cannot_keep_the_promise_is_a_row_with_a_note():
    found = known("zsum", n=10)
    assert (
        found == empty("zsum", found["note"], finished=True)
        and "the most noise that was tried is 0.5, which fails" in found["note"]
    )
    assert list(found)[:3] == KEYS[:3] and set(found) == set(KEYS)
    assert found["rmse"] is found["delta"] is found["parameters"] is None
    paperless = known("rr", n=20)
    assert paperless["paper"] is None and paperless["note"] == "its paper: prescribes no parameters"
    assert known("krr", n=20)["note"].startswith("its paper: n: 20: gamma = ")


# GKMP Section 5.1 --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["poisson", "correlated", "negative_binomial"])
@pytest.mark.sampled(3)
def test_gkmp_figure_3_scales_linearly_in_1_over_n(name):
    few, many = known(name), known(name, n=100_000)
    assert few["parameters"] == many["parameters"] and few["rmse"] == many["rmse"]
    ratio = (number(few["expected_messages"]) - 1) / (number(many["expected_messages"]) - 1)
    assert abs(ratio - 10) < mpf(10) ** -12


def test_gkmp_figure_2_correlated_is_constant_in_delta():
    """The others' errors grow as delta falls: those of Poisson noise like sqrt(log 1/delta)."""
    found = {d: {x: known(x, delta=d) for x in ("poisson", "correlated")} for d in ("1e-3", "1e-6")}
    rmse = {name: [number(found[d][name]["rmse"]) for d in found] for name in ("poisson", "correlated")}
    assert max(rmse["correlated"]) / min(rmse["correlated"]) < mpf("1.01")
    assert mpf("1.5") < rmse["poisson"][1] / rmse["poisson"][0] < 2


# In processes, and the command -------------------------------------------------------------------------------------


def test_a_value_between_two_bounds_is_near_the_least_and_can_be_certified():
    """A thousandth less noise is too little; few values are looked at, and none that fails is looked for."""
    task, promise = Task("fragmented_rappor", {"d": "3"}), Promise.of(60, "1", "1e-4")
    tuned = tune(task, promise, kept_alone=True)
    found = tuned.best.calibrated
    assert found.fails_at is None and found.searched.evaluated <= 10
    assert 0 < found.worst.delta.low <= found.worst.delta.high <= promise.delta
    for value, verdict in ((found.value, "PROVED"), (found.value * F(999, 1000), "REFUTED")):
        decided = certify(task.make({"flip": value}), promise.n, promise.eps, promise.delta)
        assert decided.verdict == verdict and decided.certificate is not None


def test_a_process_finds_one_row_after_the_other(monkeypatch):
    made = []
    monkeypatch.setattr(comparison, "Processes", lambda width: made.append(Processes(width)) or made[-1])
    names = [CENTRAL, "zsum", "poisson"]
    assert [found["system"] for found in rows(names, SUM, 1, 600)] == names
    assert len(made) == 1


def test_a_system_that_takes_too_long_is_given_up():
    (found,) = rows(["rr"], SUM, 1, 0)
    assert found == empty("rr", "not calibrated in 0 seconds")


def test_the_command(capsys, tmp_path):
    """Rows from processes, sorted, in JSON; the same table as a file."""
    table = tmp_path / "table.csv"
    command = ("compare", "sum", "--n", 10_000, "--eps", 1, "--delta", "1e-6", "--systems", "zsum,poisson")
    answer = asked(capsys, *command, "--csv", table, "--workers", 2)
    assert {key: answer[key] for key in ("task", "n", "eps", "delta", "buckets")} == {
        "task": "sum",
        "n": 10_000,
        "eps": "1",
        "delta": "1/1000000",
        "buckets": None,
    }
    assert [found["system"] for found in answer["rows"]] == ["poisson", "zsum"]
    assert answer["rows"] == [known("poisson"), known("zsum")]
    lines = list(csv.DictReader(table.read_text().splitlines()))
    assert [line["system"] for line in lines] == ["poisson", "zsum"]
    for line, found in zip(lines, answer["rows"], strict=True):
        assert line["rmse_upper"] == found["rmse"]["upper"] and line["delta_lower"] == found["delta"]["lower"]
        assert line["paper_rmse_ratio"] == found["paper"]["ratio"]["rmse"]["upper"] and line["note"] == ""
    status, _, err = call(capsys, *command, "--csv", table)
    assert status == 2 and is_one_line(err) and "exists: expected a new file, or --force" in err


def test_the_table_and_the_picture(capsys, tmp_path, monkeypatch):
    """In words; rows without numbers come last, whatever is sorted by."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(
        "shufflecert.verify.calibrate.comparison.rows", lambda names, *_: [known(name, n=10) for name in names]
    )
    picture = tmp_path / "bars.svg"
    status, out, err = call(
        capsys,
        *("compare", "sum", "--n", 10, "--eps", 1, "--delta", "1e-6", "--sort", "messages", "--plot", picture),
        *("--systems", "zsum, poisson ,discrete_laplace,poisson"),
    )
    assert (status, err) == (0, "")
    head, titles, central, poisson, zsum, *_, last = out.splitlines()
    assert head == "sum, n = 10, eps = 1, delta at most 1e-6: least error by poisson, 5.8368"
    assert titles.split()[:3] == ["system", "rmse", "simultaneous"]
    assert central.split() == ["discrete_laplace", "1.357", "0.85092", "0", "0", "-", "-", "q=0.367879..."]
    assert poisson.split()[:5] == ["poisson", "5.8368", "4.65", "4.4068", "4.4068"]
    assert zsum.split() == ["zsum", *["-"] * 7]
    assert last.startswith("  zsum: no value ") and "the most noise that was tried is 0.5, which fails" in last
    drawn = picture.read_text()
    assert "expected messages of a user" in drawn and "poisson" in drawn and "zsum" not in drawn


@pytest.mark.parametrize("first", [[], ["zsum"], ["discrete_laplace", "poisson"]])
def test_ctrl_c_keeps_the_rows_that_were_found(capsys, monkeypatch, first):
    """Rows with numbers are an answer, which names what was not finished; without one nothing is said."""

    def stopped(names, *_):
        yield from (known(name, n=10) for name in first)
        raise KeyboardInterrupt

    monkeypatch.setattr("shufflecert.verify.calibrate.comparison.rows", stopped)
    asked = ("compare", "sum", "--n", 10, "--eps", 1, "--delta", "1e-6", "--systems", "discrete_laplace,poisson,zsum")
    status, out, err = call(capsys, *asked, "--json")
    assert status == 130 and is_one_line(err)
    if "poisson" not in first:
        assert "rows" not in json.loads(out) and "no partial result" in err
        return
    answer = json.loads(out)
    assert answer["unfinished"] == ["zsum"] and err.endswith("stopped by Ctrl-C: not finished: zsum\n")
    assert [row["system"] for row in answer["rows"] if row["rmse"]] == ["discrete_laplace", "poisson"]


@pytest.mark.long
def test_all_systems_at_ten_thousand_users(capsys):
    """GKMP's table and the histogram's: every row has its numbers; RR and Poisson agree to a part in 1000."""
    answer = asked(capsys, "compare", "sum", "--n", 10_000, "--eps", 1, "--delta", "1e-6")
    found = {line["system"]: line for line in answer["rows"]}
    assert set(found) == set(systems("sum", None)) and all(line["rmse"] for line in found.values())
    assert abs(number(found["rr"]["rmse"]) / number(found["poisson"]["rmse"]) - 1) < mpf("0.001")
    assert found["krr"]["rmse"]["upper"][:12] == found["rr"]["rmse"]["upper"][:12]
    answer = asked(capsys, "compare", "histogram", "--n", 10_000, "--eps", 1, "--delta", "1e-6", "--buckets", 20)
    for line in answer["rows"]:
        assert line["rmse"] and F(line["delta"]["upper"]) <= F(1, 10**6)


@pytest.mark.parametrize("who", [("--take-part", "1/2"), ("--adjacency", "add-remove")])
def test_whose_trouble_it_is(capsys, who):
    """What refused another system, beside whose error few messages are looked for, was said of the system itself."""
    given = ("--buckets", 2, "--n", 2, "--eps", 1, "--delta", "1/10", "--systems", "fake_users")
    (row,) = asked(capsys, "compare", "histogram", *given, *who)["rows"]
    assert row["note"].startswith("poisson_hist, beside whose error few messages are looked for: ")
