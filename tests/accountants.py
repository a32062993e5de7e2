"""What other accountants print, beside our enclosure: `python -m tests.accountants` makes the page "Accountants".

Questions are about noisy steps on Poisson samples, add or remove one record. The command runs again those accountants
that are installed, keeps of the others what was printed when they last were (tests/accountants.json, with versions),
and says which. Every number that it takes is asked for twice. Of Opacus, which needs PyTorch to be imported, the one
file with the formulas is loaded by itself.
"""

import importlib.util
import json
import logging
import warnings
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent

from shufflecert import from_dp_accounting
from shufflecert.verify.exact.rational import decimal_above, decimal_below

ROOT = Path(__file__).resolve().parent.parent
RECORD, PAGE = ROOT / "tests/accountants.json", ROOT / "docs/reference/accountants.md"
QUESTIONS = ((0.25, 2.0, 20, 1e-5), (0.01, 1.0, 1000, 1e-5), (0.001, 0.5, 1000, 1e-6))  # q, z, steps, delta
PEERS = {"dp-accounting": "dp_accounting", "prv-accountant": "prv_accountant", "opacus": "opacus"}
LOSSES, EPS_ERROR = 1e-4, 0.01  # what losses are rounded to in dp-accounting; prv-accountant's error in eps
START, END = "<!-- made by python -m tests.accountants -->", "<!-- end -->"


def tree(q, z, steps):
    """The question as an event tree of ours."""
    return from_dp_accounting(SelfComposedDpEvent(PoissonSampledDpEvent(q, GaussianDpEvent(z)), steps))


def ours(q, z, steps, delta):
    """The smallest eps between two ends, as decimals rounded outwards."""
    low, high = tree(q, z, steps).epsilon(Fraction(str(delta)))
    return [decimal_below(low, 5), decimal_above(high, 5)]


def dp_accounting(q, z, steps, delta):
    """The optimistic and the pessimistic end for eps."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    found = []
    for pessimistic in (False, True):
        given = {"sampling_prob": q, "value_discretization_interval": LOSSES}
        law = pld.from_gaussian_mechanism(z, pessimistic_estimate=pessimistic, **given)
        found.append(float(law.self_compose(steps).get_epsilon_for_delta(delta)))
    return found


def prv_accountant(q, z, steps, delta):
    """The lower end, the estimate and the upper end for eps, with the error in delta that its authors advise."""
    from prv_accountant import PoissonSubsampledGaussianMechanism, PRVAccountant

    one = PoissonSubsampledGaussianMechanism(noise_multiplier=z, sampling_probability=q)
    limits = {"max_self_compositions": [steps], "eps_error": EPS_ERROR, "delta_error": delta / 1000}
    found = PRVAccountant(prvs=[one], **limits).compute_epsilon(delta=delta, num_self_compositions=[steps])
    return [float(end) for end in found]


def opacus(q, z, steps, delta):
    """The eps of the accountant "gdp"."""
    package = Path(importlib.util.find_spec("opacus").origin).parent
    spec = importlib.util.spec_from_file_location("gdp", package / "accountants/analysis/gdp.py")
    formulas = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(formulas)
    return [float(formulas.compute_eps_poisson(steps=steps, noise_multiplier=z, sample_rate=q, delta=delta))]


def installed(distribution):
    """The version of a peer that is installed, else None."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def rerun(record):
    """The record with what the installed peers print now, each number asked for twice; and the names of the others."""
    logging.disable(logging.CRITICAL)
    absent = []
    for distribution, name in PEERS.items():
        if (found := installed(distribution)) is None:
            absent.append(distribution)
            continue
        rows = []
        for question in QUESTIONS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                once, again = (globals()[name](*question) for _ in range(2))
            assert once == again, (distribution, question)
            rows.append(once)
        record[distribution] = {"version": found, "rows": rows}
    return record, absent


def table(record):
    """The lines of the page that stand for the record."""
    versions = {name: one["version"] for name, one in record.items() if name != "ours"}
    head = [f"{name} {versions[name]}" for name in ("dp-accounting", "prv-accountant", "opacus")]
    columns = ["steps", "sample", "noise", "delta", "ours", *head[:2], f"{head[2]}, `gdp`"]
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for i, (q, z, steps, delta) in enumerate(QUESTIONS):
        low, high = record["ours"][i]
        (least, most), (below, about, above), (normal,) = (record[name]["rows"][i] for name in PEERS)
        assert least <= float(high) and float(low) <= most, "dp-accounting's ends and ours do not meet"
        assert below <= float(high) and float(low) <= above, "prv-accountant's ends and ours do not meet"
        verdict = f"{normal:.4f}: **below the truth**" if normal < float(low) else f"{normal:.4f}"
        ours, theirs, others = (
            ends(low, high),
            ends(f"{least:.4f}", f"{most:.4f}"),
            ends(f"{below:.4f}", f"{above:.4f}"),
        )
        cells = [str(steps), f"{q:g}", f"{z:g}", f"{delta:g}", ours, theirs, f"{others}, about {about:.4f}", verdict]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def ends(low, high):
    """An interval that no browser breaks into two lines."""
    return f"[{low},&nbsp;{high}]"


def page(text, record):
    """The page with its table written anew."""
    before, _, rest = text.partition(START)
    return f"{before}{START}\n\n{table(record)}\n\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    kept = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    found, others = rerun(kept)
    found["ours"] = [ours(*question) for question in QUESTIONS]
    RECORD.write_text(json.dumps(found, indent=1) + "\n")
    PAGE.write_text(page(PAGE.read_text(), found))
    for name in others:
        print(f"{name}: not installed: kept what version {found[name]['version']} printed")
