"""Every command, program and number on every page is executed: README.md, CONTRIBUTING.md and docs/."""

import re

import pytest

from tests.bench import strangers
from tests.forks import Forks
from tests.readme import CONSOLE, LONG, NAMED_FILE, PYTHON, ROOT, environment, pages, rewrite, words


def case(page, *long):
    name = str(page.relative_to(ROOT)) + ", all blocks" * any(long)
    return pytest.param(page, *long, id=name, marks=[pytest.mark.long] * any(long))


PAGES = [case(page) for page in pages()]
RUNS = [case(page, False) for page in pages() if not LONG.search(page.read_text())]
RUNS += [case(page, True) for page in pages() if "<!-- long -->\n" in page.read_text()]


@pytest.fixture(scope="module")
def forks():
    with Forks(environment()) as started:
        yield started


@pytest.mark.parametrize(("page", "long"), RUNS)
def test_commands_print_what_the_page_shows(page, long, tmp_path, forks):
    assert rewrite(page, tmp_path, forks, long) == page.read_text()


@pytest.mark.parametrize("page", PAGES)
def test_every_program_is_a_file_that_a_command_uses(page):
    text = page.read_text()
    named = [name for name, _ in NAMED_FILE.findall(text)]
    assert len(PYTHON.findall(text)) == sum(name.endswith((".py", ".toml")) for name in named)
    used = " ".join(re.findall(r"^\$ .*$|^import \w+|^from \w+", text, re.M))
    assert not [name for name in named if name.removesuffix(".py") not in used and not name.endswith(".yml")]


def test_a_fork_answers_as_the_command_does(tmp_path, forks):
    """Standard output, standard error and exit status, of an answer and of a refusal."""
    (tmp_path / "two.py").write_text("import sys\nprint(sys.argv, __name__, *sys.path[:1])\nsys.exit(3)\n")
    assert forks.run(["python", "two.py", "x"], tmp_path) == f"['two.py', 'x'] __main__ {tmp_path}\n"
    assert forks.status == 3
    assert forks.run(["shufflecert", "delta", "rr", "--n", "2"], tmp_path).startswith("shufflecert: ")
    assert forks.status == 2
    assert forks.run(["shufflecert", "delta", "rr", "-p", "flip=1/4", "--n", "2", "--eps", "1"], tmp_path)
    assert forks.status == 0


def test_what_needs_a_shell_gets_one():
    assert words("shufflecert audit --gallery 'rappor*'") == ["shufflecert", "audit", "--gallery", "rappor*"]
    assert words('shufflecert audit my.py --eps "0,log(4)"')[-1] == "0,log(4)"
    assert words("python plot.py") == ["python", "plot.py"]
    for command in (
        "cp a b && shufflecert systems",
        "shufflecert systems | head",
        "python3 -I -S verify/kernel.py a",
        "shufflecert delta rr --eps log(3)",
    ):
        assert words(command) is None


TASKS = (
    "4-ary RR at a local eps with certificate and report",
    "users needed",
    "best histogram for 100 buckets",
    "a function with numpy, random, secrets",
    "365 reports",
    "one's own conjecture",
    "a plot in a notebook",
    "dropouts and add/remove",
    "hand-over to dp-accounting and OpenDP",
    "CI",
)


@pytest.mark.parametrize("task", TASKS)
def test_a_task_takes_three_commands_at_most(task):
    """They stand in the block after its marker, which is executed above; none of them is refused."""
    (found,) = [text for page in pages() if f"<!-- task: {task} -->" in (text := page.read_text())]
    block = CONSOLE.search(found[found.index(f"<!-- task: {task} -->") :])[2]
    commands = re.findall(r"^\$ .*$", block, re.M)
    assert 1 <= len(commands) <= 3
    assert not re.search(r"^shufflecert: |Traceback", block, re.M)


def test_noise_figures():
    """1 - p = 50 ln(2/delta) / (eps^2 n) for n = 2000, eps = 1, delta = 1e-6 (BC Figure 1), and the factor saved."""
    from mpmath import log, mpf

    prescribed = 50 * log(2 / mpf("1e-6")) / 2000
    assert f"{float(prescribed):.4f}" == "0.3627"
    assert 20 <= prescribed / mpf("0.018") < 21


def test_the_readme_is_for_people_in_a_hurry():
    shown = [line for line in (ROOT / "README.md").read_text().splitlines() if not line.startswith("<!-- ")]
    assert len(shown) <= 169


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_what_it_says_of_random_randomizers_is_on_their_page():
    """Counted from the rows of docs/reference/strangers.md."""
    at = [row for row in strangers.written() if row[3] == 10**4]
    easy, hard = ([row for row in at if (row[0] in strangers.WIDE) == wide] for wide in (False, True))
    close = [row for row in easy if row[4] <= 1.001001]
    said = " ".join((ROOT / "README.md").read_text().split())
    assert f"Of {len(easy)} [random randomizers]" in said
    seconds = f"{sum(row[5] for row in close):.0f} seconds in all"
    assert f"{len(close)} were bounded to within 0.1%, or shown to have no finite eps, in {seconds}" in said
    near, nearly, wide = (sum(row[4] <= most for row in hard) for most in (1.001001, 1.01, 1.05))
    assert f"of {len(hard)} harder ones {near} were, {nearly} to within 1%, and {wide} to within 5%" in said
