"""Certificates about any randomizer, and what a change of one number or word makes of them, for two checkers."""

import json
from fractions import Fraction

from verify.decide.certify import certify
from verify.systems import catalogue

F = Fraction


def any_ldp(eps0, share="0"):
    """The system of all (eps0, share)-private randomizers."""
    return catalogue.system("any_ldp", eps0=eps0, local_delta=share)


CLAIMS = [
    # eps0, local_delta, n, eps, delta, verdict
    ("4", "0", 10_000, "1/5", "11/10000", "PROVED"),
    ("4", "0", 10_000, "1/5", "1/1000", "REFUTED"),
    ("log(3)", "0", 12, "1/2", "1/20", "PROVED"),
    ("log(3)", "0", 12, "1/2", "1/45", "REFUTED"),
    ("log(3)", "1/1000", 12, "log(2)", "1/20", "PROVED"),
    ("log(3)", "1/100", 12, "log(2)", "1/50", "REFUTED"),
    ("log(3)", "1/100", 12, "log(3)", "1/100", "PROVED"),
    ("1", "1/100", 12, "2", "1/101", "REFUTED"),
    ("1", "1/100", 1, "1/2", "1/5", "REFUTED"),
    ("1", "0", 1, "1/2", "3/10", "PROVED"),
    ("1", "0", 12, "1", "0", "PROVED"),
    ("log(3)", "1/100", 12, "log(2)", "353/1000", "PROVED"),  # near the bound
    ("log(5)", "1/100", 5, "log(3/2)", "367/1000", "PROVED"),
    ("1", "0", 12, "log(2)", "67/10000", "PROVED"),
    ("1", "1/100", 5, "log(2)", "198/1000", "PROVED"),
    ("0", "0", 30, "0", "0", "PROVED"),
    ("8", "0", 50, "1", "1/10", "REFUTED"),
]


def small():
    """Small certificates as trees, both verdicts."""
    for eps0, share, n, eps, most, _ in CLAIMS:
        if n <= 12:
            yield json.loads(certify(any_ldp(eps0, share), n, eps, most).certificate_text())


def changes(tree):
    """What the tree becomes by one change of its claim or its evidence, with the change in words."""
    whole = json.dumps(tree)

    def again():
        return json.loads(whole)

    nearly = str(F(tree["claim"]["delta"]) * F(97, 100))
    for delta_text in (nearly, "0", "1/1000", "1/200", "1/100", "3/100", "1/10", "1/2", "1"):
        one = again()
        one["claim"]["delta"] = delta_text
        yield f"delta {delta_text}", one
    for key, values in {
        "local": ["0", "1/2", "1", "log(3)", "log(29/10)", "log(31/10)", "8", "-1", "log(1/2)", "2.5"],
        "local delta": ["0", "1/2000", "1/50", "1", "11/10", 0],
        "users": [1, 2, 11, 12, 13, 0, "12", 10**16],
        "view": ["any", "count"],
    }.items():
        for value in values:
            one = again()
            one["claim"]["mechanism"][key] = value
            yield f"{key} {value}", one
    for eps in ("0", "1/3", "1", "log(3)", "log(2)", "5", "10001"):
        one = again()
        one["claim"]["eps"] = eps
        yield f"eps {eps}", one
    for path, value in (
        ("version", 2),
        ("version", 4),
        ("verdict", "PROVED"),
        ("verdict", "REFUTED"),
        ("evidence", {}),
    ):
        one = again()
        one[path] = value
        yield f"{path} {value}", one
    if tree["verdict"] == "PROVED":
        for key, value in (("step", "0"), ("step", "100"), ("step", "1/7"), ("cells", 16), ("cells", 0), ("tilt", "1")):
            one = again()
            one["evidence"]["blanket"][key] = value
            yield f"{key} {value}", one
        return
    one = again()
    one["evidence"]["pair"] = {**one["evidence"]["pair"], "from": tree["evidence"]["pair"]["to"], "to": "0"}
    yield "reversed", one
    for above in ("-1", "0", "1", "100000000", "01"):
        one = again()
        one["evidence"]["threshold"]["above"] = above
        yield f"above {above}", one
    rows = tree["evidence"]["randomizer"]["rows"]
    for i, row in enumerate(rows):
        for j, output in enumerate(row["outputs"]):
            for share in ("1/100", "-1/100"):
                one = again()
                outputs = one["evidence"]["randomizer"]["rows"][i]["outputs"]
                other = outputs[j - 1]
                outputs[j]["p"], other["p"] = (str(F(x["p"]) + s * F(share)) for x, s in ((output, 1), (other, -1)))
                yield f"row {i}, output {j}, {share}", one
