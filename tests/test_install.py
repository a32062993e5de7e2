"""One package: how it is started, what the shell completes, and a user's own files with names of ours."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile

import jinja2
import pytest
import yaml

from shufflecert.verify.commands import options
from tests.helpers import call, is_one_line
from tests.readme import ROOT

OWN = {
    "protocols.py": "def flip(x, rng):\n    return x if rng.random() < 0.75 else 1 - x\n",
    "verify.py": "THREE = 3\n",
    "sampler.py": "import protocols\nimport verify\nassert verify.THREE == 3\nf = protocols.flip\nf.inputs = (0, 1)\n",
    "script.py": "import shufflecert as s\nprint(s.epsilon(s.system('rr', flip='1/4'), n=1, delta=0).eps)\n",
    "both.py": "import protocols, verify, shufflecert\nassert verify.THREE and shufflecert.system('rr', flip='1/4')\n",
}
RR = ("epsilon", "rr", "-p", "flip=1/4", "--view", "local", "--delta", "0")


@pytest.fixture
def folder(tmp_path):
    for name, source in OWN.items():
        (tmp_path / name).write_text(source)
    return tmp_path


def python(folder, *words, **more):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **more}
    return subprocess.run([sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("words", [("-m", "shufflecert", *RR), ("script.py",)])
def test_files_of_a_user_may_be_called_as_ours_are(folder, words):
    ran = python(folder, *words)
    assert ran.returncode == 0 and "log(3)" in ran.stdout and not ran.stderr


def test_ours_and_a_user_s_modules_of_one_name_are_two(folder):
    ran = python(folder, "both.py")
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_sampler_imports_what_is_beside_it(folder, capsys):
    status, out, err = call(capsys, "audit", f"{folder / 'sampler.py'}:f", "--n", "1", "--large", "2")
    assert (status, err) == (0, "") and "log(3)" in out


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("cal", "calibrate"),
        ("delta k", "krr"),
        ("compose krr,z", "krr,zsum"),
        ("delta rr --vie", "--view"),
        ("delta rr --view pre", "preshuffle"),
        ("epsilon rr --adjacency add", "add-remove"),
        ("epsilon krr -p gam", "gamma="),
        ("compose zsum,rr -p fl", "flip="),
    ],
)
def test_a_shell_completes(monkeypatch, capfd, line, found):
    monkeypatch.setenv("_SHUFFLECERT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"shufflecert {line}")
    monkeypatch.setenv("COMP_CWORD", str(len(line.split())))
    status, out, err = call(capfd, "")
    assert (status, out.split(), err) == (0, [found], "")


def test_a_shell_learns_to_complete(capsys):
    for shell in ("bash", "zsh", "fish"):
        status, out, err = call(capsys, "--show-completion", shell)
        assert (status, err) == (0, "") and "_SHUFFLECERT_COMPLETE" in out and f"complete_{shell}" in out
    status, out, err = call(capsys, "--show-completion", "tcsh")
    assert (status, out) == (2, "") and is_one_line(err) and "zsh" in err


def test_completion_is_installed_for_a_shell(tmp_path):
    """Into the home of whoever asks, and nowhere else."""
    ran = python(tmp_path, "-m", "shufflecert", "--install-completion", "bash", HOME=str(tmp_path))
    assert ran.returncode == 0 and str(tmp_path) in ran.stdout
    written = [file.read_text() for file in tmp_path.rglob("*") if file.is_file()]
    assert any("_SHUFFLECERT_COMPLETE" in text for text in written)
    ran = python(tmp_path, "-m", "shufflecert", "--install-completion", "tcsh", HOME=str(tmp_path))
    assert ran.returncode == 2 and is_one_line(ran.stderr)


@pytest.mark.parametrize("words", [(), *((name,) for name in options.EXAMPLES)])
def test_help_fits_eighty_columns(capsys, monkeypatch, words):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = call(capsys, *words, "--help")
    assert status == 0 and max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("words", [(), ("delta",), ("import",)])
def test_short_help(capsys, words):
    short, long = call(capsys, *words, "-h"), call(capsys, *words, "--help")
    assert short == long and short[0] == 0 and "Usage" in short[1]


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_recipe_for_conda_has_our_dependencies_and_our_entry():
    """Rendered as conda-build does: as pyproject.toml has them; the package that is installed is the folder above."""
    text = (ROOT / "conda" / "meta.yaml").read_text()
    recipe = yaml.safe_load(jinja2.Template(text, undefined=jinja2.StrictUndefined).render(PYTHON="python"))
    expected = [one.replace(">=", " >=") for one in PROJECT["dependencies"]]
    assert recipe["requirements"]["run"] == [f"python {PROJECT['requires-python']}", *expected]
    assert recipe["build"]["entry_points"] == [f"shufflecert = {PROJECT['scripts']['shufflecert']}"]
    assert recipe["build"]["script"].startswith("python -m pip install . --no-deps")
    assert recipe["package"] == {"name": PROJECT["name"], "version": PROJECT["version"]}
    assert recipe["about"]["license"] == PROJECT["license"] and (ROOT / recipe["about"]["license_file"]).is_file()


@pytest.mark.long
def test_what_would_be_released_installs_and_answers(tmp_path):
    """The sdist, the wheel that is built from it, its metadata, and an answer of it in an environment of its own."""
    built = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(built, check=True, capture_output=True)
    files = sorted(map(str, tmp_path.glob("shufflecert-*")))
    assert len(files) == 2
    checked = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", *files], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout
    names = zipfile.ZipFile(next(file for file in files if file.endswith(".whl"))).namelist()
    ours = {"py.typed", "__init__.pyi", "verify/kernel.py", "verify/answers.schema.json", "protocols/krr.py"}
    assert {f"shufflecert/{name}" for name in ours} <= {*names}
    assert {name.partition("/")[0] for name in names} == {"shufflecert", f"shufflecert-{PROJECT['version']}.dist-info"}
    for number, file in enumerate(files):
        place = tmp_path / str(number)
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        subprocess.run(
            [str(place / "bin" / "python"), "-m", "pip", "install", "-q", file], check=True, capture_output=True
        )
        asked = [str(place / "bin" / "shufflecert"), *RR]
        ran = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True)
        assert ran.returncode == 0 and "log(3)" in ran.stdout, ran.stderr


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_command_says_the_version(capsys, flag):
    assert call(capsys, flag) == (0, f"shufflecert {PROJECT['version']}\n", "")


def test_one_version_everywhere():
    """Of the project, of what to cite, and the newest of the changes; the recipe's is above."""
    assert re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.M)[1] == PROJECT["version"]
    assert re.search(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.M)[1] == PROJECT["version"]
