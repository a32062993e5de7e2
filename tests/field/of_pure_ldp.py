"""pure-ldp: every client that can be followed."""

import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from inspect import getsource
from re import search
from types import ModuleType
from typing import Any

from tests.field.mechanism import Mechanism, followed_through


@cache
def pure_ldp() -> dict[str, ModuleType]:
    """Its modules by name. Its RAPPOR server imports statsmodels, and uses nothing of it."""
    stood_in = [] if find_spec("statsmodels") else ["statsmodels", "statsmodels.api"]
    sys.modules.update({name: ModuleType(name) for name in stood_in})
    try:
        import_module("pure_ldp.frequency_oracles")
        import_module("pure_ldp.heavy_hitters")
    finally:
        for name in stood_in:
            del sys.modules[name]
    found = {name: module for name, module in sys.modules.items() if name.startswith("pure_ldp.")}
    return {name.rpartition(".")[2]: module for name, module in found.items()}


def drawn(module: ModuleType) -> list[str]:
    """Which of the two sources its code draws from."""
    code = getsource(module)
    return [
        name for name, use in (("random", r"(?<![.\w])random\."), ("np.random", r"\bnp\.random\.")) if search(use, code)
    ]


def ldp(
    client: Any, modules: str, name: str, claimed: Any, inputs: int | tuple[Any, ...], holds: str = "", **said: Any
) -> Mechanism:
    """`modules` are those that draw; the inputs are 1..k where nothing else is said."""
    at = pure_ldp()
    patches = " ".join(f"{at[module].__name__}.{name}" for module in modules.split() for name in drawn(at[module]))
    listed = tuple(range(1, inputs + 1)) if isinstance(inputs, int) else inputs
    return followed_through("pure-ldp", name, client.privatise, patches, claimed, listed, holds, **said)


def mechanisms() -> list[Mechanism]:
    at = pure_ldp()
    fo = at["frequency_oracles"]
    hashes = at["core"].generate_hash_funcs
    pairs = list(zip(hashes(2, 4), hashes(4, 2)[2:], strict=True))
    de, sue, oue = fo.DEClient(1, 4), fo.UEClient(1, 3), fo.UEClient(1, 3, use_oue=True)
    blh, olh, flh = fo.LHClient(1, 4), fo.LHClient(1, 4, use_olh=True), fo.FastLHClient(1, 4, 6, use_olh=True)
    cms, hcms = fo.CMSClient(1, hashes(2, 4), 4), fo.CMSClient(1, hashes(2, 4), 4, is_hadamard=True)
    low, high = fo.HadamardResponseClient(1, 5, None), fo.HadamardResponseClient(2, 5, range(5))
    mechanism, sketch = fo.HadamardMechClient(1, 4, 2), fo.PCSClient(1, 2, 4, pairs)
    response = fo.SketchResponseClient(1, 4, hashes(2, 4), lh_k=3, index_mapper=lambda x: x)
    rappor = fo.RAPPORClient(0.5, 4, [hashes(1, 4), hashes(2, 4)[1:]], 2)
    eps = rappor.convert_f_to_eps(0.5, 1)
    hadamard = "hr_client k2k_hadamard"
    lh = "lh_client fast_lh_client"
    words = ("00", "01", "10", "11")
    sfp = at["heavy_hitters"].SFPClient(1, 1, 2, fo_client=fo.CMSClient(1, hashes(1, 4), 4))
    gap, sfp_p = response.client.p - response.client.q, sfp.word_client.prob
    tree = at["heavy_hitters"].TreeHistClient(1, 1, 2, fo_client=fo.CMSClient(1, hashes(1, 4), 4))
    return [
        ldp(de, "de_client", "DEClient, d = 4", 1, 4, f"p = {de.p!r}"),
        ldp(sue, "ue_client", "UEClient (SUE), d = 3", 1, 3, f"p = {sue.p!r}, q = {sue.q!r}"),
        ldp(oue, "ue_client", "UEClient (OUE), d = 3", 1, 3, f"p = {oue.p!r}, q = {oue.q!r}"),
        ldp(blh, "lh_client", "LHClient (BLH), g = 2", 1, 4, f"p - q = {blh.p - blh.q!r}", seeds=True),
        ldp(olh, "lh_client", f"LHClient (OLH), g = {olh.g}", 1, 4, f"p - q = {olh.p - olh.q!r}", seeds=True),
        ldp(flh, lh, f"FastLHClient, g = {flh.g}, k = 6", 1, 4, f"p - q = {flh.p - flh.q!r}"),
        ldp(cms, "cms_client", "CMSClient, m = 4, k = 2", 1, 4, f"p = {cms.prob!r}"),
        ldp(hcms, "cms_client", "CMSClient (HCMS), m = 4, k = 2", 1, 4, f"p = {hcms.prob!r}"),
        ldp(
            low,
            hadamard,
            "HadamardResponseClient, d = 5",
            1,
            5,
            f"p = {low.hr.pri_para!r}",
            remark="calls random.randint(0, 7.0): a TypeError from Python 3.12 on",
            last=(3, 11),
        ),
        ldp(high, hadamard, "HadamardResponseClient, d = 5", 2, 5, f"e^eps = {high.hr.exp!r}", last=(3, 11)),
        ldp(mechanism, "hadamard_mechanism_client", "HadamardMechClient, d = 4, t = 2", 1, 4, f"p = {mechanism.p!r}"),
        ldp(sketch, "pcs_client", "PCSClient, l = 2, w = 4", 1, 4, f"p = {sketch.bias!r}"),
        ldp(response, f"sketch_response_client {lh}", "SketchResponseClient, m = 4, k = 2", 1, 4, f"p - q = {gap!r}"),
        ldp(sfp, "sfp_client cms_client", "SFPClient over CMSClient, strings of 2 bits", 1, words, f"p = {sfp_p!r}"),
        ldp(
            tree,
            "treehist_client cms_client",
            "TreeHistClient over CMSClient, strings of 2 bits",
            1,
            words,
            f"p = {tree.client.prob!r}",
        ),
        ldp(
            rappor,
            "rappor_client",
            "RAPPORClient, f = 1/2, m = 4, k = 1",
            "log(9)",
            4,
            f"f = {rappor.f!r}",
            says=f"convert_f_to_eps: {eps!r}",
            remark="**bug**: a 1 of the Bloom filter is always sent as 1, since `_perturb` sets bits and clears none; "
            "delta(log 9) is 3/4",
        ),
    ]
