"""A label of a reference stood unquoted in the kernel's accepted line, and a binomial's n = 10 read like users."""

import json
import re

from shufflecert.verify import kernel
from tests.helpers import call


def line(capsys, tmp_path, *arguments, label=None):
    """The accepted line of a claim; `label` takes the place of the input 2."""
    file = tmp_path / "c.json"
    call(capsys, "certify", *arguments, "-o", file, "--force")
    if label is not None:
        file.write_text(file.read_text().replace('"2"', json.dumps(label)))
    found = kernel.check_file(file)
    assert found.status == "accepted", found
    return found.reason


KRR = ("krr", "-p", "k=3", "-p", "gamma=1/2", "--n", 6, "--eps", 1, "--delta", 1, "--adjacency", "deletion")
WORST = 'x", eps = 0, delta = 0, y = "'


def test_a_label_cannot_pass_for_a_claim(capsys, tmp_path):
    """With delta = 1 anything is true; a label that reads "eps = 0, delta = 0" stays between its quotes."""
    said = line(capsys, tmp_path, *KRR, "--reference", 2, label=WORST)
    assert r'{"deletion": {"x\", eps = 0, delta = 0, y = \"": "1"}}' in said
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", said)
    assert bare.count("eps = ") == bare.count("delta = ") == 1 and said.startswith('PROVED: eps = "1", delta = "1", ')
    assert '{"0": "1/2", "1": "1/2"}' in line(capsys, tmp_path, *KRR, "--reference", "0=1/2,1=1/2")


def test_a_long_label_is_cut_outside_its_quotes(capsys, tmp_path):
    said = line(capsys, tmp_path, *KRR, "--reference", 2, label=90 * "z")
    assert f'{{"{20 * "z"}...{20 * "z"} of 90 characters with SHA-256 ' in said


def test_the_numbers_of_a_law_stand_in_its_brackets(capsys, tmp_path):
    """What stands beside "users" is users; the numbers of a law stand in its object."""
    for name, trials, size in (("zsum -p p=9/10", 10**7, 10**7), ("binomial_noise -p coins=10", 10, 3)):
        said = line(capsys, tmp_path, *name.split(" "), "--n", size, "--eps", 1, "--delta", "1/2")
        assert f'"added": {{"law": "binomial", "n": {trials}, "p": ' in said
    assert '"users": 6, ' in line(capsys, tmp_path, *KRR, "--reference", 2)
