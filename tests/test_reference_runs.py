"""The machine's paths, each run again by Python on the same choices; what is sent follows the law that was found.

1,000 sources for every sampler of the corpus, and for every file that tries to break the machine, in the long run, as
far as SECONDS of the processor go for each; by default 40 for some of them. The files of tests/corpus/attacks.py, which
draw bits alone, are run on every path instead (test_followed.py).
"""

from collections import Counter

import pytest

from shufflecert.verify.audit.follow import follow
from shufflecert.verify.audit.messages import Names, label_of
from shufflecert.verify.audit.sampler import Options, enumerate_file
from tests.corpus import SAMPLES
from tests.corpus.breaking import BY_HAND, INSIDE, REFUSED
from tests.helpers import cases
from tests.reference_runs import paths
from tests.test_corpus import CHANCE, followed, implausible
from tests.test_followed import written

RUNS, SECONDS = cases(1000, 40), 3
ENDLESS = {"a rejection that never ends"}
FILES = INSIDE | {name: text for name, (text, _) in BY_HAND.items()}
FILES = {name: text for name, text in FILES.items() if name not in REFUSED and name not in ENDLESS}
FOLLOWED = {(s.function, s.inputs, s.each): s for s in SAMPLES}.values()


def compared(program, function, library, inputs, found, each=False):
    for k, x in enumerate(inputs):
        names, counted, name = Names(), Counter(), label_of(x, "input")
        seeds = (f"{seed} of {k}" for seed in range(RUNS))
        for sent, p in paths(program, function, library, x, seeds, each, SECONDS / len(inputs)):
            output = names.messages(sent)
            counted[output] += 1
            assert p <= found.laws[name].get(output, 0) + found.residual[name], x
        assert not implausible(counted, found.laws[name], found.residual[name], CHANCE)


@pytest.mark.parametrize("sample", FOLLOWED, ids=lambda sample: sample.name)
@pytest.mark.sampled(48)
def test_paths_of_samplers(sample):
    found = followed(sample, deployed=True)
    if found.tier == "observed":
        assert found.refused
        return
    library = "numpy's Generator" if sample.numpy else "random.Random"
    program = follow.of_object(sample.function, sample.inputs)
    compared(program, sample.function, library, sample.inputs, found, sample.each)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.sampled(10)
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning", "ignore::RuntimeWarning")
def test_paths_of_files(tmp_path, name):
    file = written(tmp_path, FILES[name])
    space = {"__name__": "sampler"}
    exec(compile(file.read_text(), file, "exec"), space)
    found = enumerate_file(f"{file}:f", {}, [0, 1], Options(deployed=True), strict=True)
    library = found.library.partition(" or ")[0]
    compared(follow.of_file(str(file), "f", [0, 1]), space["f"], library, [0, 1], found)
