"""From Coq to Python: a second, naive evaluator gives the same verdicts, and Coq the values of what is directed."""

import json
import random
import subprocess

import pytest

from shufflecert.verify.checked import decide, hints, program, reader
from shufflecert.verify.checked.words import cons, items
from tests import coq_evaluator, verified
from tests.helpers import cases

HERE = verified.ROOT / "tests"
SMALL = ("tiny", "rr-two", "rr-two-refuted", "multi-local", "cover-two", "cover-one", "plane-two")


@pytest.fixture(scope="module")
def evaluator():
    verified.build("json")
    return coq_evaluator.Evaluator(json.loads((verified.MADE / "checked.json").read_text("utf-8")))


def files():
    yield from ((HERE / "accepted" / f"{name}.json").read_bytes() for name in SMALL)
    yield from (file.read_bytes() for file in sorted((HERE / "rejected").glob("*.json"))[: cases(12)])
    for name in ("mechanisms", "blankets", "any-randomizer"):
        trees = json.loads((HERE / "accepted" / f"{name}.json").read_bytes())
        yield from (json.dumps(tree).encode() for tree in trees[:1])


def test_a_naive_evaluator_gives_the_same_verdicts(evaluator, monkeypatch):
    expected = [decide.verdict(data) for data in files()]
    for module in (decide, hints, reader):
        monkeypatch.setattr(module, "c", evaluator)
    assert [decide.verdict(data) for data in files()] == expected
    assert {status for status, _ in expected} >= {"accepted", "rejected"}


def number(rng):
    bits = rng.choice([0, 1, 2, 3, 5, 8, 40, 70])
    return rng.choice([rng.randrange(-(1 << bits), (1 << bits) + 1)] * 2 + [1 << rng.randrange(9), 0, 1, -1])


def statements(rng):
    """Of Coq's functions and constructors, the values that stand for them in Python."""
    build, test, take = coq_evaluator.BUILD, coq_evaluator.TEST, coq_evaluator.TAKE
    a, b, e, p, n = number(rng), number(rng), rng.randrange(-3, 20), rng.randrange(1, 99), rng.randrange(40)
    order = next(name for name in ("Eq", "Lt", "Gt") if test[name](program.compare(a, b)))
    yield f"({a}) / ({b}) =? {program.div(a, b)}"
    yield f"({a}) mod ({b}) =? {program.mod(a, b)}"
    yield f"({a}) ^ ({e}) =? {program.power(a, e)}"
    yield f"2 ^ ({e}) =? {program.power(2, e)}"
    yield f"Z.log2 ({a}) =? {program.lg(a)}"
    yield f"match ({a}) ?= ({b}) with {order} => true | _ => false end"
    yield f"Z.pos (xI {p}) =? {build['XI'](p)}"
    yield f"Z.pos (xO {p}) =? {build['XO'](p)}"
    yield f"Zneg {p} =? {build['Zneg'](p)}"
    yield f"Z.of_nat (S {n}) =? {build['S'](n)}"
    for value, kind, names in ((p, "positive", ("XH", "XI", "XO")), (a, "Z", ("Z0", "Zpos", "Zneg"))):
        name = next(name for name in names if test[name](value))
        [part] = [t(value) for t in take[name]] or [None]
        coq = name[0].lower() + name[1:] if kind == "positive" else name
        found = "true" if part is None else f"Z.pos q =? {part}"
        yield f"match ({value})%{kind} with {coq}{' q' * (part is not None)} => {found} | _ => false end"


PIECES = ("0", "1", "9", "12", "007", "/", "-", "log(", ")", "a", " ", ".", "\u00e9", "\u0663", "\u2028", "\U0001d54f")


def coq(value):
    """A text, a number or a list of texts, or none, as Coq's."""
    if isinstance(value, str):
        return '"' + value + '"%string'
    if isinstance(value, list):
        return "(" + " :: ".join([*map(coq, value), "nil"]) + ")"
    return f"({value})"


def texts(rng):
    """Coq's functions of texts and of tables, and what the functions of Python find that take their place."""
    a, b, k = ("".join(rng.choices(PIECES, k=rng.randrange(6))) for _ in range(3))
    a = rng.choice([a, b, f"log({b})", f"{number(rng)}", f"-{b}", f"{b}/{k}", str(abs(number(rng)))])
    words, z, most = [a, b, k, a, *rng.choices(PIECES, k=3)], number(rng), rng.randrange(30)
    table = program.table_from(cons([(x, i) for i, x in enumerate(words)]))
    rows = " :: ".join([*(f"({coq(x)}, {i})" for i, x in enumerate(words)), "nil"])
    yield f"String.eqb {coq(a)} {coq(b)}", a == b, "Bool.eqb"
    yield f"String.append {coq(a)} {coq(b)}", a + b, "String.eqb"
    yield f"String.concat {coq(a)} {coq(words)}", program.glued(a, cons(words)), "String.eqb"
    yield f"Texts.decimal {coq(z)}", str(z), "String.eqb"
    yield f"Texts.code_points {coq(a)}", len(a), "Z.eqb"
    yield f"Texts.natural_in {most} {coq(a)}", program.natural_in(most, a), "Z.eqb"
    yield f"Texts.after_minus {coq(a)}", program.after_minus(a), "String.eqb"
    yield f"Texts.in_log {coq(a)}", program.in_log(a), "String.eqb"
    yield f"fst (Texts.at_slash {coq(a)})", program.at_slash(a)[0], "String.eqb"
    yield f"snd (Texts.at_slash {coq(a)})", program.at_slash(a)[1], "String.eqb"
    yield f"Texts.look_up (Texts.table_from ({rows})) {coq(b)}", program.look_up(table, b), "Z.eqb"
    yield f"Texts.look_up (Texts.table_from ({rows})) {coq('z')}", program.look_up(table, "z"), "Z.eqb"
    yield f"String.concat {coq(',')} (Texts.different {coq(words)})", ",".join(dict.fromkeys(words)), "String.eqb"


def finds(term, found, same):
    """That Coq finds the same."""
    if isinstance(found, bool):
        return f"{same} ({term}) {str(found).lower()}"
    if found is None:
        return f"match {term} with None => true | _ => false end"
    if isinstance(found, tuple):
        return f"match {term} with Some x => {same} x {coq(found[0])} | _ => false end"
    return f"{same} ({term}) {coq(found)}"


def polynomial(rng, most, bits):
    return [rng.choice([0, rng.getrandbits(rng.randrange(1, bits))]) for _ in range(rng.randrange(most))]


def products(rng):
    """Coq's products of polynomials, and what the functions of Python find that take their place."""
    a, b = polynomial(rng, 7, 60), polynomial(rng, 7, 60)
    x, y, ab, aa = (
        "(" + " :: ".join(map(str, [*one, "nil"])) + ")"
        for one in (a, b, items(program.convolve(cons(a), cons(b))), items(program.convolve_self(cons(a))))
    )
    for product, found in ((f"convolve {x} {y}", ab), (f"convolve_self {x}", aa)):
        yield f"if list_eq_dec Z.eq_dec (Kron.{product}) {found} then true else false"


def test_long_products_are_those_of_schools():
    rng = random.Random(17)
    for most, bits in ((400, 800), (60, 980), (30, 3000), (9, 1), (3, 9), (2, 4)) * 6:
        a, b = polynomial(rng, most, bits + 1), polynomial(rng, most, bits + 1)
        expected = [0] * max(len(a) + len(b), 1)
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                expected[i + j] += x * y
        while len(expected) > 1 and not expected[-1]:
            expected.pop()
        assert list(items(program.convolve(cons(a), cons(b)))) == expected


def test_coq_computes_what_the_directives_say(verified_kernel, tmp_path):
    rng = random.Random(16)
    lines = [f"({line})" for _ in range(120) for line in statements(rng)]
    lines += [f"({line})" for _ in range(60) for line in products(rng)]
    lines += [f"({finds(*found)})" for _ in range(60) for found in texts(rng)]
    text = "From Coq Require Import ZArith Bool String List.\nFrom Shufflecert Require Kron Texts.\n"
    text += "Open Scope Z_scope.\n"
    text += "Theorem same : forallb (fun b => b) ("
    ends = ":: nil) = true.\nProof. vm_compute. reflexivity. Qed.\n"
    for name, told, right in (("same", lines, True), ("other", [*lines[:9], "(7 / 2 =? 4)"], False)):
        (tmp_path / f"{name}.v").write_text(text + " :: ".join(told) + ends, encoding="utf-8")
        command = ["coqc", "-q", "-Q", verified.MADE, "Shufflecert", tmp_path / f"{name}.v"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) == right, done.stderr
