"""Bad input of every command: one line that says what was wrong, status 2, before any work, and no file touched."""

import json
import os
import shlex

import pytest

from tests.helpers import call, is_one_line

BAD = {  # what is typed, by its first words: what the line that refuses it holds
    "certify rr -p flip=1/4 --n 2 --eps 1 --delta 0": {
        "--view server": "view: 'server' is unknown",
        "--nosuch": "No such option: --nosuch",
        "more": "unexpected extra argument",
        "--max-work 0": "--max-work: 0",
    },
    "certify": {
        "nosuch --n 2 --eps 1 --delta 0": "nosuch",
        "rr -p flop=1/4 --n 2 --eps 1 --delta 0": "flop",
        "rr --n 2 --eps 1 --delta 0": "flip",
        "rr -p flip=1/4 -p flip=1/4 --n 2 --eps 1 --delta 0": "flip is given twice",
        "rr -p flip --n 2 --eps 1 --delta 0": "expected NAME=VALUE",
        "rr -p flip=abc --n 2 --eps 1 --delta 0": "flip: 'abc' is not an exact number",
        "rr -p flip=3/4 --n 2 --eps 1 --delta 0": "flip: 3/4",
        "rr -p flip=1/4 --eps 1 --delta 0": "--n: missing",
        "rr -p flip=1/4 --n 2": "--eps or --delta: missing",
        "rr flip=1/4 --n 2 --eps 1 --delta 0": "expected parameters as -p NAME=VALUE",
        "r_gap --n 2 --view preshuffle --eps 1 --delta 0 --max-work 1": "--max-work allows more",
        "missing.toml --n 2 --eps 1 --delta 0": "missing.toml: no such file",
        "missing.py:Mine --n 2 --eps 1 --delta 0": "missing.py: no such file",
        "./nowhere --n 2 --eps 1 --delta 0": "no such file",
        "torn.toml --n 2 --eps 1 --delta 0": "torn.toml: not TOML",
        "short.toml --n 2 --eps 1 --delta 0": "1 - 1/1000000000000000000000000000000:",
        "short.toml -p k=3 --n 2 --eps 1 --delta 0": "a randomizer file has no parameters",
        "huge.toml --n 2 --eps 1 --delta 0": "1073741824 bytes",
        "rr -p flip=1/4 --n 0 --eps 1 --delta 0": "n: ",
        "rr -p flip=1/4 --n 1e16 --eps 1 --delta 0": "n: ",
        "rr -p flip=1/4 --n 2 --eps -1 --delta 0": "eps: ",
        "rr -p flip=1/4 --n 2 --eps 'log(0)' --delta 0": "eps: ",
        "rr -p flip=1/4 --n 2 --eps 'log(1/2)' --delta 0": "eps: ",
        "rr -p flip=1/4 --n 2 --eps 1 --delta -1": "delta: ",
        "rr -p flip=1/4 --n 2 --eps 1 --delta 1e999999999": "delta: ",
        "rr -p flip=1/4 --n 3": ["--eps or --delta", "the smallest", "of the other"],
    },
    "profile rr -p flip=1/4 --n 3": {
        "--eps 4:0:5": "--eps: '4:0:5': expected LOW:HIGH:COUNT with LOW below HIGH",
        "--eps 1:1:5": "--eps: '1:1:5'",
        "--eps 0:4:0": "COUNT: 0",
        "--eps 0:4:-1": "COUNT: -1",
        "--eps 0:4": "expected LOW:HIGH:COUNT",
        "--eps 1,,2": "--eps: ''",
        "--eps=": "--eps: ''",
        "--eps 0:10001:2": "--eps: 10001",
        "--plot a.gif": "a.gif: suffix .gif: expected .png, .svg, .pdf",
        "--plot a": "a: suffix missing",
        "--plot there.png": "there.png: exists: expected a new file, or --force",
        "--csv there.csv": "there.csv: exists: expected a new file, or --force",
        "--csv absent/a.csv": "is not a directory",
        "--csv a.png --plot a.png": "--csv and --plot are one file",
        "--csv .": "not a regular file",
        "--trade-off --renyi 2": "expected one of them",
        "--alpha 1/2": "there is no --trade-off",
        "--trade-off --alpha 1/2,3/2": "alpha: 3/2",
        "--trade-off --alpha 0:1": "--alpha: '0:1'",
        "--renyi 1": "order 1",
        "--renyi 5:2:3": "--renyi: '5:2:3'",
        "--renyi x": "--renyi: 'x'",
        "--paper": "--for EPS:DELTA: expected both",
        "--for 1:1e-6": "--for EPS:DELTA: expected both",
        "--paper --for 1": "--for: '1': expected EPS:DELTA",
        "--paper --for 1:2": "--for, delta: 2",
        "--paper --for x:1e-6": "--for, eps: 'x'",
        "--renyi ''": "--renyi: ''",
        "--trade-off --alpha ''": "--alpha: ''",
        "--view server": "'server'",
        "--max-work 0": "--max-work: 0",
        "-p flop=1": "-p flop",
    },
    "profile": {
        "nosuch --n 2": "'nosuch' is unknown",
        "rr,nosuch -p flip=1/4 --n 2": "'nosuch' is unknown",
        "rr -p flip=1/4": "--n: missing",
        "rr, --n 2": "'rr,': expected names of systems",
        "": "Missing argument 'SYSTEM",
        "krr,rr -p gama=1/2 --n 3 --eps 1": "did you mean gamma?",
    },
    "compose rr -p flip=1/4": {
        "--eps 1": "expected",
        "--n 2": "expected",
        "--n 2 --eps 1 --delta 1/10": "expected",
        "--n 2 --eps -1": "expected",
        "--n 2 --delta 2": "expected",
        "--n 2 --eps 1 --times 0": "expected",
        "--n 2 --eps 1 --times 1,2": "expected",
        "--n 2,x --eps 1": "expected",
        "--n 2 --eps 1 --data old": "expected",
        "--n 2 --eps 1 --group 3": "expected",
        "--n 2 --eps 1 --group 2 --parallel": "expected",
        "--n 2 --eps 1 --digits 0": "expected",
        "--n 2 --eps 1 --points 1": "expected",
        "--n 2 --eps 1 --max-work 0": "expected",
        "--n 2 --eps 1 --paper-for 1": "expected",
    },
    "compose": {
        "rr --n 2 --eps 1": "expected",
        "poisson --n 2 --eps 1 --paper-for 1,0": "expected",
        "poisson,zsum --n 2000,3000 --eps 1 --paper-for 1,1e-6": "expected",
        "nosuch --n 2 --eps 1": "expected",
        "rr, -p flip=1/4 --n 2 --eps 1": "expected",
        "zsum -p p=1/2 --n 30 --eps 1 --group 2 --adjacency add-remove --honest 20 --take-part 2/3": [
            "group: 2: with adjacency",
            "add-remove",
        ],
    },
    "calibrate zsum --n 10 --eps 1 --delta 1/10": {
        "--over q": "--over q: not a parameter of zsum: expected p, n",
        "--over p -p p=3/4": "--over p: it is given as well: expected one of the two",
        "--over=": "--over : not a parameter of zsum",
        "--objective speed": "--objective speed: expected one of rmse, messages, bits, failure",
        "--objective failure": "--alpha: expected with --objective failure, and only there",
        "--alpha 1/10": "--alpha: expected with --objective failure, and only there",
        "--objective failure --alpha -1": "alpha: -1: expected a rational of at least 0",
        "--max-rmse 0": "--max-rmse 0: expected a rational above 0",
        "--max-messages -1": "--max-messages -1: expected a rational above 0",
        "--max-rmse 1": "zsum: no value is shown to satisfy (eps, delta) within the limits: p = 0.",
        "--rmse-slack x": "rmse-slack: 'x' is not an exact number",
        "--range 3/4:1/2": "range: 3/4:1/2 is reversed: expected LOW:HIGH",
        "--range 1/4:3/4": "range: 1/4:3/4: expected p of at least 1/2 and at most 1, where less is noise",
        "--range 3/4": "--range 3/4: expected LOW:HIGH",
        "--range :1": "--range: '' is not an exact number",
        "--range 2/3:2/3": "p: no multiple of 1/18446744073709551616 in the range",
        "--step 0": "--step 0: expected a rational above 0",
        "--step -1/8": "--step -1/8: expected a rational above 0",
        "--step 2": "p: no multiple of 2 in the range: expected a smaller step or more room",
        "--step x": "step: 'x' is not an exact number",
        "--max-work 0": "--max-work: 0",
        "-o beside.json": "beside.fails.json: exists: expected a new file, or --force to write over it",
        "-o .": "not a regular file",
        "-o /": "not a regular file",
        "-o circle.py": "circle.py: ",
    },
    "calibrate": {
        "zsum --n 10 --eps 1/10 --delta 1e-9": "zsum: no value is shown to satisfy (eps, delta): the most noise that",
        "zsum --n 10 --eps 1/10 --delta 1e-9 --step 1/32": [
            "zsum: no value satisfies (eps, delta): the most noise that was tried is 0.5, which",
            "fails: delta(eps) is in [0.2",
        ],
        "zsum --n 10 --eps 1 --delta 0": "zsum: no value is shown to satisfy (eps, delta)",
        "poisson --n 10 --eps 1 --delta 0": "poisson: no value is shown to satisfy (eps, delta)",
        "rr -p flip=1/4 --over n --eps 1/2 --delta 0": "rr, n: no value is shown to satisfy (eps, delta)",
        "rr -p flip=0 --over n --eps 1 --delta 1e-3": "rr, n: no value satisfies (eps, delta)",
        "krr -p k=4 --n 40 --eps 1 --delta 1e-3 --range 0:1/4": [
            "krr: no value satisfies (eps, delta): the most noise that was tried is 0.25, which",
            "fails: delta(eps) is in [0.0446",
        ],
        "zsum -p p=3/4 --n 10 --eps 1 --delta 1/10": "zsum: nothing to choose: expected --over with one of n",
        "zsum -p p=3/4 --over p,n --eps 1 --delta 1/10": "--over p: it is given as well",
        "zsum -p p=3/4 --over n --n 10 --eps 1 --delta 1/10": [
            "--over n: it is given as well: expected one",
            "of the two",
        ],
        "rr --over n --eps 1 --delta 1/10": "rr: no value for flip",
        "rr --over n,flip --eps 1 --delta 1/10": "--over n: expected n alone, with all parameters given",
        "poisson -p lam=5 --over n --eps 1 --delta 1/10": "--over n: it carries no noise: expected sensitivity",
        "pointer_chasing -p l=3 --over k --n 9 --eps 1 --delta 1/10": "--over k: it carries no noise: expected p, n",
        "support_identification -p h=4 -p p=0.999 --over d --n 1000 --eps 1/2 --delta 1e-6": [
            "h: 4: expected",
            "at most d",
        ],
        "krr -p k=3 -p gama=1/2 --n 9 --eps 1 --delta 1/10": "krr: 'gama' is not a parameter",
        "hist --n 9 --eps 1 --delta 1/10": "hist: no value for d",
        "r_gap --n 9 --eps 1 --delta 1/10": "r_gap: nothing to choose: expected --over with one of n",
        "nosuch --n 9 --eps 1 --delta 1/10": "system: 'nosuch' is unknown",
        "my.toml --n 9 --eps 1 --delta 1/10": [
            "my.toml: a table does not say what its noise is: expected a",
            "system by name",
        ],
        "my.py:Mine --n 9 --eps 1 --delta 1/10": "my.py:Mine: NameError: name 'before' is not defined",
        "rr --n 9 --eps 0 --delta 1/10 --rmse-slack 6/5": "eps: 0: expected eps > 0 to compare",
        "pointer_chasing -p k=1 -p l=1 --n 100 --eps 1 --delta 1/10 --max-rmse 5": "this system does not count users",
        "negative_binomial --n 9 --eps 1 --delta 1/10 --max-messages 1": [
            "no values are shown to satisfy (eps,",
            "delta) w",
        ],
        "krr -p gamma=1/2 --over k --n 9 --eps 1 --delta 1/10 --step 1/2": "step: 1/2: expected a positive integer",
        "correlated --n 9 --eps 1 --delta 1/10 --step 1/8": [
            "--step, --range: for one parameter, but q, r, p",
            "are to be",
        ],
        "zsum --n 10 --eps -1 --delta 1/10": "eps: -1: expected",
        "zsum --n 10 --eps 1 --delta 2": "delta: 2 is not a probability",
        "zsum --n 0 --eps 1 --delta 1/10": "n: 0: expected",
        "zsum --eps 1 --delta 1/10": "--n: missing",
        "zsum --n 10 --delta 1/10": "Missing option '--eps'",
        "zsum --n 10 --eps 1": "Missing option '--delta'",
        "rr -p flip=1/4 --over n --eps 1 --delta 0.1 --honest 3": "--over n: with",
        "krr --n 3 --eps 1 --delta 1e-3": ["shufflecert: krr: no value for k", "as in -p k=4"],
        "rr --eps 1 --delta 1e-6": ["--n: missing", "--over n"],
    },
    "table t.csv --n 1000": {
        "--systems rappor": "'rappor': has no rows in the table",
        "--n 1000,,": "users: '1000,,'",
        "--n 0": "n: 0: expected",
        "--eps -1": "eps: -1: expected",
        "--delta 0": "delta: 0: expected",
        "--certificates .": "--certificates: expected with --check",
        "--dask nowhere": "dask nowhere: not an address",
        "--max-work 5": "--check",
        "--certificates kept": "--check",
        "--journal circle.py": "circle.py",
    },
    "table": {
        "pipe.csv --check": "pipe.csv: not a file",
    },
    "check absent.json": {
        f"{limit} {value}": limit for limit in ("--max-bits", "--max-work") for value in ("0", "-5", "many")
    },
    "report": {
        "none.json": "none.json: no such file",
        "pipe.json": "pipe.json: not a file",
        ".": "not a file",
        "here.json -o no/r.html": "is not a directory",
        "here.json -o .": "not a regular file",
    },
    "compare sum": {
        "--systems hist --n 9 --eps 1 --delta 1e-6": [
            "--systems 'hist': does not serve this task: expected some of",
            "discrete_laplace, ",
        ],
        "--sort delta --n 9 --eps 1 --delta 1e-6": "--sort delta: expected one of rmse, messages, bits",
        "--workers 0 --n 9 --eps 1 --delta 1e-6": "--workers: 0: expected an integer from 1 to 1024",
        "--seconds x --n 9 --eps 1 --delta 1e-6": "--seconds: 'x' is not an exact number: expected an integer from 1",
        "--plot bars.txt --n 9 --eps 1 --delta 1e-6": "bars.txt: suffix .txt: expected .png, .svg, .pdf",
        "--csv no/such/place.csv --n 9 --eps 1 --delta 1e-6": "no/such/place.csv: ",
    },
    "compare": {
        "histogram --n 9 --eps 1 --delta 1e-6": "buckets: missing: expected a number of buckets",
    },
    "export poisson -p lam=34 --n 1000": {
        "--to autodp -o a.json": "--to autodp: expected one of dp-accounting, opendp, csv",
        "--to opendp --optimistic -o a.json": "--optimistic",
        "--to csv -o here.json": "here.json: exists",
        "--to csv -o no/where.csv": "is not a directory",
        "--to csv --interval 1e-4 --eps-max 2 -o a.csv": "20001 lines",
        "--to csv --interval -1 -o a.csv": "interval: -1",
        "--to dp-accounting --interval 1e-7 -o a.json": "expected at most 524288",
        "--to dp-accounting --spare 1.5 -o a.json": "spare",
    },
    "export": {
        "rr -p flip=1/4 --n 9 --to opendp": ["Missing option '-o'", "For example: shufflecert export", "-o curve.json"],
    },
    "search variation-ratio-krr -p": {
        "k=1": "k: 1",
        "n=1": "n: 1",
        "n=101": "n: 101",
        "ratios=1,2": "ratios: 1",
        "ratios=2,x": "ratios",
        "k=201": "k: 201",
    },
    "search --claim 'delta(n, 0) < 1' --workers 1": {
        "--sends 2:1": "sends: 2:1",
        "--sends 9": "sends: 9",
        "--n 4:2": "n: 4:2",
        "--n 1:2:3": "n: 1:2:3",
        "--n x": "n: 'x'",
        "--inputs 1": "inputs: 1",
        "--messages 30": "messages: 30",
        "--adjacency other": "adjacency: other",
        "--max-messages 2": "--max-messages: with a claim expected --sends",
        "-p k=2": "-p: expected the name of a system",
        "--reference 1": "reference: ",
        "nosystem": "'nosystem'",
        "krr -p k=3 -p gamma=1/2:1/8:1/8": "gamma: 1/2:1/8:1/8",
        "status": "expected the journal",
        "--plot a.txt": "a.txt: suffix .txt",
        "--denominator 20000": "--max-work",
        "--messages 3 --denominator 2 --inputs 6 --n 60": "274482432 pairs of datasets",
        "--messages 3 --denominator 2 --n 64 --sends 6": "sends: 28 outputs",
        "--n 2 --denominator 2 --journal circle.py": "circle.py",
        "--n 2 --denominator 2 -o circle.py": "circle.py",
    },
    "search preshuffle-gap": {
        "-p denominater=3": "did you mean denominator?",
        "--n x": "n = x: expected an integer",
        "-p k=2": "no parameter k",
        "--n 3 -p n=3": "--n: given with -p n as well",
        "--max-messages 12 --denominator 40": "--max-work",
        "-o torn.toml/folder": "torn.toml is not a directory",
        "torn.toml": "torn.toml: expected --journal FILE",
        "--journal torn.toml": "torn.toml: no journal",
    },
    "search": {
        "": "--claim",
        "claim-18 --sends 2": "--sends: expected only with --claim",
        "claim-18 --supports": "--supports: expected only with --claim",
        "preshuffle-gaps": "did you mean preshuffle-gap?",
        "my.py:MINE": "my.py:MINE: NameError",
        "number.py:MINE": "number.py:MINE: ",
        "none.py:MINE": "none.py: no such file",
        "circle.py:mine": "circle.py",
        "status": "expected the journal",
        "status torn.toml": "torn.toml: no journal",
        "status circle.py": "circle.py",
        "resume none.journal": "none.journal: no such file",
        "resume circle.py": "circle.py",
    },
    "delta zsum -p p=1/2 --n 30 --eps 1": {
        "--honest 31": "honest: 31: expected at most the n = 30 users",
        "--reference 0": "reference: given without deletion",
        "--adjacency deletion --reference 2": "reference: '2' is no input",
        "--adjacency deletion --reference 0=1,0=0": "every input once",
    },
    "delta rr -p flip=1/4": {
        "--n 50k --eps 1": ["n: '50k'", "write 50000"],
        "--n 5e --eps 1": "n: '5e' is not an exact number: expected an integer",
        "--n 1,5 --eps 1": "n: '1,5' is not an exact number: expected an integer",
        "--n 3 --eps 0,5": ["eps: '0,5'", "write 0.5"],
        "--n 3 --eps 1,500": ["eps: '1,500'", "write 1500 or 1.500"],
        "--n 3 --eps ln3": ["eps: 'ln3'", "write log(3)"],
        "--n 3 --eps log2": "write log(2)",
        "--n 3 --eps 'ln(3)/2'": ["is not an exact number", "log(3/2)"],
        "--n 3": ["Missing option '--eps'", "--eps 1"],
        "--eps 1": "--n: missing: expected the number of users",
        "--eps 0 --n ''": "n: ''",
    },
    "delta": {
        "poisson -p lam=9 --n 9 --eps 1 --take-part 1/2": "so no randomizer is written out: --take-part needs one",
        "poisson_hist -p lam=9 -p buckets=3 --n 9 --eps 1 --adjacency add-remove": [
            "so no randomizer is written out: --adjacency add-remove",
            "needs one",
        ],
        "correlated -p q=1/2 -p r=1 -p p=1/2 --n 9 --eps 2 --honest 8": "expected all users to be honest",
        "krr -p K=4 -p eps0=1.5 --n 3 --eps 1": ["'K' is not a parameter", "did you mean k?"],
        "krr -p k=4 -p gama=1/2 --n 3 --eps 1": ["'gama' is not a parameter", "did you mean gamma?"],
        "krr -p k=4 -p eps=1.5 --n 3 --eps 1": ["'eps' is not a parameter", "did you mean eps0?", "local eps"],
        "krr -p k=4 -p epsilon=1.5 --n 3 --eps 1": "did you mean eps0?",
        "krr -p k=4 -p eps0= --n 3 --eps 1": ["eps0: ''", "such as 1/2"],
        "krr -p k=4 --n 3 --eps 1": ["no value for gamma", "as in -p gamma=1/4, or eps0"],
        "krr --n 3 --eps 1": ["krr: no value for k: expected number of values", "as in -p k=4"],
        "": ["Missing argument", "For example: shufflecert delta krr -p k=4"],
        "zsum -p eps=1 --n 3 --eps 1": ["'eps' is not a parameter", "expected p"],
        "binomial_noise -p coins=0 --n 5 --eps 1": "coins: 0",
        "binomial_noise -p coins=5 -p modulo=1 --n 5 --eps 1": "modulo: 1",
        "discrete_gaussian -p variance=1e30 --n 5 --eps 1": "a window of",
        "sample_and_threshold -p p=0 -p k=3 --n 5 --eps 1": "p: expected above 0",
        "sample_and_threshold -p 'p=1/10^9' -p k=3 --n 5 --eps 1": "p: ",
        "augmented_shuffle -p d=3 -p beta=1/2 -p coins=3 -p q=1/2 --n 5 --eps 1": "both given",
        "augmented_shuffle -p d=2 -p beta=1/2 --n 5 --eps 1": "d: 2",
        "discrete_gaussian -p variance=4 --n 5 --eps 1 --view local": "shuffled view",
        "sample_and_threshold -p p=1/2 -p k=3 --n 5 --eps 1 --view local": "shuffled view",
        "any_ldp -p eps0=101 --n 5 --eps 1": "eps0: 101: expected at most 100",
        "any_ldp -p eps0=-1 --n 5 --eps 1": "eps0: -1: expected",
        "any_ldp -p eps0=1 --n 5 --eps 1 --view local": "all randomizers at once",
        "any_ldp -p eps0=1 -p local_delta=2 --n 5 --eps 1": "local_delta: 2",
        "rr -p eps0=1 -p flip=1/4 --n 5 --eps 1": "eps0: flip is given as well",
        "krr -p eps0=1 --n 5 --eps 1": "k: missing",
        "blanket_sum -p eps0=1 --n 5 --eps 1": "k: missing",
        "zsum -p eps0=1 --n 5 --eps 1": "'eps0' is not a parameter",
        "rr -p eps0=-1 --n 5 --eps 1": "eps0: -1: expected",
        "marked.toml --n 2 --eps 1": "byte order mark",
        "pipe.toml --n 2 --eps 1": "pipe.toml: not a file",
        "escapes.toml --n 1 --eps 0": "x1b",
        "leaves.py:Mine --n 1 --eps 0": "leaves.py:Mine: ",
    },
    "epsilon rr -p flip=1/4 --n 3": {
        "--delta '10^-6'": ["delta: '10^-6'", "write 1e-6"],
        "--delta '10**-6'": "write 1e-6",
        "--delta '2*10^-6'": "write 2e-6",
        "--delta '2^-20'": "write 9.5367431640625e-7",
        "--delta 25%": ["delta: '25%'", "write 0.25"],
        "--delta 0.1%": "write 0.001",
        "--delta 'log(3)'": ["delta: 'log(3)'", "logarithm", "eps alone"],
        "": ["Missing option '--delta'", "--delta 1e-6"],
    },
    "epsilon": {
        "laws.csv --n 3 --delta 1e-6": "shufflecert import laws.csv -o laws.toml",
        "words.txt --n 3 --delta 1e-6": ["words.txt", ".toml"],
        "--system krr --n 3 --delta 1e-6": ["--system", "the system is the first argument", "epsilon krr"],
    },
    "import": {
        "laws.csv": ["Missing option '-o'", "shufflecert import pair.csv -o pair.toml"],
        "pipe.csv -o t.toml": "pipe.csv: not a file",
    },
    "accuracy": {
        "binomial_noise -p coins=5 -p modulo=8 --n 5": "expected 0",
        "any_ldp -p eps0=1 --n 5": "no analyzer",
    },
    "audit": {
        "my_sampler.py": ["a Python file", "my_sampler.py:FUNCTION to audit"],
    },
    "": {
        "krr --n 3": ["No such command 'krr'", "krr is a system", "shufflecert epsilon krr"],
    },
}

# A name that is wrong is told before what is missing beside it.
ALONE = ("delta {}", "epsilon {}", "certify {}", "profile {}", "calibrate {}", "accuracy {}", "delta {} --eps 1")
ALONE += ("compose zsum,{} --eps 1", "profile zsum,{}", "export {} --to csv -o a.csv")
WRONG = {"zsumm": "did you mean zsum?", "none.toml": "none.toml: no such file", "none.py:Mine": "none.py: no such file"}

TYPED = {f"{first} {rest}".strip(): said for first, rows in BAD.items() for rest, said in rows.items()}
TYPED |= {asked.format(name): said for asked in ALONE for name, said in WRONG.items()}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with some files in it, most of them bad."""
    monkeypatch.chdir(tmp_path)
    for name in ("there.png", "there.csv", "here.json", "beside.fails.json", "my.toml", "my.py"):
        (tmp_path / name).write_text("before")
    (tmp_path / "torn.toml").write_text("[[rows]\n")
    (tmp_path / "short.toml").write_text(f"rows = [{{input = 0, outputs = [{{send = [], p = '0.{'9' * 30}'}}]}}]")
    with (tmp_path / "huge.toml").open("wb") as file:
        file.truncate(2**30)
    (tmp_path / "marked.toml").write_bytes(b"\xef\xbb\xbfname = 'a'\n")
    (tmp_path / "escapes.toml").write_text('"a\\u001b[31m\\u0007" = 1\n')
    (tmp_path / "number.py").write_text("MINE = 1\n")
    (tmp_path / "leaves.py").write_text("raise SystemExit(0)")
    (tmp_path / "circle.py").symlink_to("circle.py")
    for suffix in ("json", "csv", "toml"):
        os.mkfifo(tmp_path / f"pipe.{suffix}")
    return tmp_path


def files(folder):
    """Names, sizes and times of change."""
    return {(path.name, path.lstat().st_size, path.lstat().st_mtime_ns) for path in folder.iterdir()}


@pytest.mark.parametrize("command", sorted({typed.partition(" ")[0] for typed in TYPED}))
def test_bad_input_is_one_line_status_2_and_no_file(capsys, folder, command):
    before = files(folder)
    for typed, said in TYPED.items():
        if typed.partition(" ")[0] != command:
            continue
        output = ["-o", "c.json"] if typed.startswith(("certify", "calibrate")) and " -o " not in typed else []
        status, out, err = call(capsys, *shlex.split(typed), *output)
        assert (status, out) == (2, "") and is_one_line(err), (typed, err)
        assert all(words in err for words in ([said] if isinstance(said, str) else said)), (typed, err)
        if typed.startswith("certify"):
            status, out, again = call(capsys, *shlex.split(typed), "--json")
            told = {"kind": "bad input", "message": err.removeprefix("shufflecert: ").strip(), "status": 2}
            assert (status, again) == (2, err) and json.loads(out)["error"] == told, typed
        assert files(folder) == before, typed
