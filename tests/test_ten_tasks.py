"""The ten tasks of the first page's "What next?": one command and one Python call each, with the same answer.

Both stand in docs/recipes/tasks.md and are run from there, each in a folder of its own: the command's JSON must be the
call's, and every file that both write must be the same, byte by byte.
"""

import ast
import json
import re
import shlex

import opendp.prelude as dp
import pytest
from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

import shufflecert
from shufflecert.verify.answers.answer import Answer
from tests.helpers import call
from tests.readme import CLOCK, ROOT, prepare
from tests.test_readme import TASKS

PAGE = (ROOT / "docs/recipes/tasks.md").read_text()
SECTION = re.compile(r"^## \[[^\]]+\]\(([^)#]+)[^)]*\)\n(.*?)(?=^## |\Z)", re.S | re.M)
BLOCK = {kind: re.compile(rf"^```{kind}\n(.*?)^```", re.S | re.M) for kind in ("sh", "py")}


def sections():
    """{task: (the recipe it leads to, its commands, its calls)}"""
    found = {}
    for recipe, text in SECTION.findall(PAGE):
        task = re.search(r"<!-- (.+) -->", text)[1]
        commands, calls = (BLOCK[kind].search(text)[1] for kind in ("sh", "py"))
        statements = [ast.unparse(one) for one in ast.parse(calls).body]
        found[task] = recipe, commands.splitlines(), statements
    return found


def test_they_are_the_ten_and_each_leads_to_its_recipe():
    found = sections()
    assert sorted(found) == sorted(TASKS) and len(TASKS) == 10
    for task, (recipe, commands, calls) in found.items():
        assert f"<!-- task: {task} -->" in (ROOT / "docs/recipes" / recipe).read_text()
        assert len(commands) == len(calls)
        assert all(command.startswith("shufflecert ") for command in commands)
        assert all(isinstance(ast.parse(one, mode="eval").body, ast.Call) for one in calls)  # one call, no program


# Whether two answers are one is asked of smaller numbers; the page's own are run in the recipes.
SMALLER = {"10000": "6", "100": "4", "9000": "5", "365": "5", "0:1:21": "0:1:2"}


def smaller(text):
    return re.sub("|".join(rf"\b{number}\b" for number in SMALLER), lambda found: SMALLER[found[0]], text)


PAIRS = [
    pytest.param(
        recipe,
        smaller(command),
        smaller(one),
        id=f"{task}-{number}",
        marks=[pytest.mark.long] * ("--patch" in command and number > 1),  # each starts a dozen processes
    )
    for task, (recipe, commands, calls) in sections().items()
    for number, (command, one) in enumerate(zip(commands, calls, strict=True), 1)
]


@pytest.mark.parametrize(("recipe", "command", "one"), PAIRS)
@pytest.mark.sampled(2)
def test_the_command_and_the_call_give_one_answer(recipe, command, one, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", CLOCK)  # answers and certificates hold the date
    folders = [tmp_path / name for name in ("command", "python")]
    for folder in folders:
        folder.mkdir()
        prepare((ROOT / "docs/recipes" / recipe).read_text(), folder)

    monkeypatch.chdir(folders[0])
    before = {*folders[0].rglob("*")}
    status, out, err = call(capsys, *shlex.split(command)[1:], "--json")
    assert status in (0, 1) and not err, err  # 1: a claim or a belief that is shown to be false
    new = (file for file in {*folders[0].rglob("*")} - before if file.is_file())
    written = {file.relative_to(folders[0]) for file in new if file.suffix != ".pyc"}  # which Python keeps of imports

    monkeypatch.chdir(folders[1])
    dp.enable_features("contrib", "honest-but-curious")
    found = eval(one, {name: getattr(shufflecert, name) for name in shufflecert.__all__})
    if not isinstance(found, Answer):
        return same_bounds(found, json.loads(next(folders[0].glob("p*.json")).read_text()))
    assert found.to_json() == json.loads(out)
    assert written == {file for file in written if (folders[1] / file).is_file()}
    for file in written:
        theirs, ours = ((folder / file).read_text() for folder in folders)
        assert without_time(theirs) == without_time(ours), file
    assert bool(written) == (" -o " in command or "--plot" in command)
    return None


def without_time(text):
    """A page says the minute in which it was made, a drawing when."""
    return re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[:.\d]*( UTC|Z)?", "", text)


def same_bounds(found, written):
    """The object of another library has the bounds that its file has."""
    if "pld" in written:
        given = {name: dict(value) if isinstance(value, list) else value for name, value in written["pld"].items()}
        read = PrivacyLossDistribution.create_from_rounded_probability(**given)
        at = [0.0, 0.25, 1.0, 2.5]
        assert [found.get_delta_for_epsilon(eps) for eps in at] == [read.get_delta_for_epsilon(eps) for eps in at]
        assert found.get_delta_for_epsilon(1.0) > 0
        return
    points = written["profile"]["epsilon"]
    assert [found.delta(eps) for eps in points] == written["profile"]["delta"] and len(points) > 100
