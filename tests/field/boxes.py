"""What is run and not followed: mechanisms that draw inside compiled code, or noise that no finite law has."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shufflecert.verify.audit.black_box.estimate import BlackBox, audit
from shufflecert.verify.exact.epsilon import Eps
from tests.field.mechanism import plain, present, read

SAMPLES, CONFIDENCE = 20_000, Fraction(999_999_999, 10**9)


@dataclass(frozen=True)
class Boxed:
    """One object that is run: what it claims, and e^eps of its definition for the doubles that it holds, if known."""

    library: str
    name: str
    claimed: Eps
    ratio: Fraction | None
    invoke: Callable[[Any], Any]
    inputs: tuple[Any, ...]
    remark: str = ""
    quick: int = 1_000  # runs that give the same row in a moment

    @property
    def key(self) -> str:
        return f"{self.library}: {self.name}"

    def run(self, samples: int = SAMPLES, eps: Eps | None = None) -> BlackBox:
        bound = self.claimed if eps is None else eps
        return audit(
            lambda x, rng: str(plain(self.invoke(x))),
            self.inputs,
            samples=samples,
            confidence=CONFIDENCE,
            eps=bound,
            seed=1,
        )


def of_opendp() -> list[Boxed]:
    """Its claim is what `map(1)` says."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    third = Fraction(0.7)
    names = ["a", "b", "c"]
    made = [
        ("bool, prob = 0.75", dp.m.make_randomized_response_bool(0.75), Fraction(3), (0, 1)),
        ("bool, prob = 0.7", dp.m.make_randomized_response_bool(0.7), third / (1 - third), (0, 1)),
        (", 3 categories, prob = 0.7", dp.m.make_randomized_response(names, 0.7), 2 * third / (1 - third), names),
    ]
    listed = list[Boxed]()
    for name, measurement, ratio, inputs in made:
        binary = name.startswith("bool")

        def invoke(x: Any, _measurement: Any = measurement, _binary: bool = binary) -> Any:
            return _measurement(bool(x)) if _binary else _measurement(x)

        title = f"make_randomized_response{'_' if binary else ''}{name}"
        known = (*inputs, "none of them") if not binary else tuple(inputs)
        listed.append(Boxed("opendp", title, Eps.of(Fraction(measurement.map(1))), ratio, invoke, known))
    return listed


def of_hll_py() -> list[Boxed]:
    """What a report is: the hash of the word with probability p, else that of Python mixed with 64 fair bits."""
    from math import exp

    from hll_py.Hasher import str_to_u64
    from hll_py.HyperLogLog import SketchConfig
    from hll_py.HyperLogLogLDP import HyperLogLogLDP

    sketch = HyperLogLogLDP(SketchConfig())
    p = read(exp(sketch.cfg.epsilon) / (exp(sketch.cfg.epsilon) + 1))
    stray = (1 - p) / 2**64

    def is_the_hash_of_a(x: Any) -> Any:
        return sketch._random_or_true_hash(x) == str_to_u64("a")

    remark = (
        "**bug**: a report is the word's own hash with probability p, and else any of 2^64 numbers: whether it is the "
        "hash of a word tells whether the word was reported. The event: the report is the hash of a"
    )
    claimed = Eps.of(Fraction(sketch.cfg.epsilon))
    return [
        Boxed("hll-py", "HyperLogLogLDP", claimed, (p + stray) / stray, is_the_hash_of_a, ("a", "b"), remark, SAMPLES),
    ]


def of_ldp_toolbox() -> list[Boxed]:
    """Laplace noise on every bit, and which are above a threshold."""
    from ldp_toolbox.protocols.frequency.he import HistogramEncoding

    protocol = HistogramEncoding(3, 1.0, thresholding=True)
    q = read(protocol.q)
    p = read(protocol.p)
    name = f"HistogramEncoding (THE), k = 3, threshold {protocol.threshold:.4f}"
    return [
        Boxed("ldp-toolbox", name, Eps.of(1), p * (1 - q) / (q * (1 - p)), protocol.obfuscate, (0, 1, 2)),
    ]


def boxes() -> list[Boxed]:
    known = {"opendp": of_opendp, "hll-py": of_hll_py, "ldp-toolbox": of_ldp_toolbox}
    return [box for library, make in known.items() if present(library) for box in make()]
