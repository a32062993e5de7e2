"""multi-freq-ldpy: all of its clients; one attribute, several, and reports over time."""

from typing import Any

import numpy

from tests.field.mechanism import Mechanism, followed_through

ROOT = "multi_freq_ldpy."
ONE, SEVERAL, TIME = "pure_frequency_oracles", "mdim_freq_est", "long_freq_est"
PAIRS = tuple((a, b) for a in range(2) for b in range(3))
APART = ((0, 0), (1, 1))  # users who differ in both: enough to show what there is
ORDER = (
    "**bug**: the user's own value is sent first (`sub_set[0]`), and the array is not shuffled: a value that is second "
    "is not the user's. The subset itself, without its order, keeps the claim"
)
AMPLIFIED = (
    "**bug**: eps is taken to be amplified to log(d (e^eps - 1) + 1) by drawing one attribute of d. Where users differ "
    "in all attributes, whichever is drawn differs"
)
APART_IN_ONE = "; users who differ in one attribute alone are {} apart"


def client(
    name: str,
    draws: str,
    arguments: tuple[Any, ...],
    inputs: Any,
    claimed: Any = 1,
    shown: str = "",
    **said: Any,
) -> Mechanism:
    """`name` is folder.module.function, `draws` the modules whose numpy it sees."""
    from importlib import import_module

    folder, module, function = name.split(".")
    held = import_module(f"{ROOT}{folder}.{module}")

    def call(x: Any) -> Any:
        return getattr(held, function)(x, *arguments)  # looked up at every call: it may be run as its Python

    patches = " ".join(f"{ROOT}{draw}.np.random" for draw in draws.split())
    listed = range(inputs) if isinstance(inputs, int) else inputs
    title = f"{function}{', ' if shown else ''}{shown}"
    return followed_through("multi-freq-ldpy", title, call, patches, claimed, listed, **said)


GRR, UE, SS, LH = (f"{ONE}.{name}" for name in ("GRR", "UE", "SS", "LH"))


def one_attribute() -> list[Mechanism]:
    e = float(numpy.exp(1.0))
    p, sue = e / (e + 2), float(numpy.exp(0.5) / (numpy.exp(0.5) + 1))
    both = "optimal=True"
    return [
        client(f"{ONE}.GRR.GRR_Client", GRR, (3, 1.0), 3, shown="k = 3", holds=f"p = {p!r}"),
        client(f"{ONE}.UE.UE_Client", UE, (3, 1.0, False), 3, shown="k = 3, optimal=False", holds=f"p = {sue!r}"),
        client(f"{ONE}.UE.UE_Client", UE, (3, 1.0), 3, shown=f"k = 3, {both}", holds=f"q = {1 / (e + 1)!r}"),
        client(f"{ONE}.LH.LH_Client", f"{LH} {GRR}", (3, 1.0, False), 3, shown="k = 3, g = 2", seeds=True),
        client(f"{ONE}.LH.LH_Client", f"{LH} {GRR}", (3, 1.0), 3, shown="k = 3, g = 4", seeds=True),
        client(f"{ONE}.SS.SS_Client", SS, (3, 1.0), 3, shown="k = 3, subsets of 1"),
        client(f"{ONE}.SS.SS_Client", SS, (6, 1.0), 6, shown="k = 6, subsets of 2", remark=ORDER),
        client(f"{ONE}.ADP.ADP_Client", f"{GRR} {UE}", (3, 1.0), 3, shown="k = 3 (takes GRR)"),
        client(f"{ONE}.ADP.ADP_Client", f"{GRR} {UE}", (6, 0.125), 6, "1/8", shown="k = 6 (takes UE)"),
    ]


def several_attributes() -> list[Mechanism]:
    """Two attributes of 2 and 3 values, for users who may differ in both."""
    listed, sizes = list[Mechanism](), [2, 3]
    for kind, solution in (("SMP", "SMP_solution"), ("SPL", "SPL_solution")):
        at, own = f"{SEVERAL}.{solution}", f"{SEVERAL}.{solution} " if kind == "SMP" else ""
        listed += [
            client(f"{at}.{kind}_GRR_Client", f"{own}{GRR}", (sizes, 2, 1.0), PAIRS, shown="k = 2, 3"),
            client(f"{at}.{kind}_UE_Client", f"{own}{UE}", (sizes, 2, 1.0), PAIRS, shown="k = 2, 3"),
            client(f"{at}.{kind}_LH_Client", f"{own}{LH} {GRR}", (sizes, 2, 1.0), APART, shown="k = 2, 3", seeds=True),
            client(f"{at}.{kind}_SS_Client", f"{own}{SS}", ([6, 6], 2, 1.0), APART, shown="k = 6, 6", remark=ORDER),
            client(f"{at}.{kind}_ADP_Client", f"{own}{GRR} {UE}", (sizes, 2, 1.0), PAIRS, shown="k = 2, 3"),
        ]
    at = f"{SEVERAL}.RSpFD_solution"
    said: dict[str, Any] = {"shown": "k = 2, 3", "remark": AMPLIFIED + APART_IN_ONE.format("1.072")}
    zero: dict[str, Any] = {"shown": "k = 2, 3", "remark": AMPLIFIED + APART_IN_ONE.format("1.000")}
    return [
        *listed,
        client(f"{at}.RSpFD_GRR_Client", f"{at} {GRR}", (sizes, 2, 1.0), PAIRS, **said),
        client(f"{at}.RSpFD_UE_zero_Client", f"{at} {UE}", (sizes, 2, 1.0), PAIRS, **zero),
        client(f"{at}.RSpFD_UE_rnd_Client", f"{at} {UE}", (sizes, 2, 1.0), PAIRS, **said),
        client(f"{at}.RSpFD_ADP_Client", f"{at} {GRR} {UE}", (sizes, 2, 1.0), PAIRS, **said),
    ]


def over_time() -> list[Mechanism]:
    """One report, of eps_1 = 1, where eps_perm = 2 is for all reports of one value."""
    at, said = TIME, {"says": "eps_1; eps_perm = 2"}
    return [
        client(f"{at}.L_GRR.L_GRR_Client", GRR, (3, 2.0, 1.0), 3, shown="k = 3", **said),
        client(f"{at}.L_SUE.L_SUE_Client", f"{at}.L_SUE", (3, 2.0, 1.0), 3, shown="k = 3", **said),
        client(f"{at}.L_SOUE.L_SOUE_Client", f"{at}.L_SOUE", (3, 2.0, 1.0), 3, shown="k = 3", **said),
        client(f"{at}.L_OUE.L_OUE_Client", f"{at}.L_OUE", (3, 2.0, 1.0), 3, shown="k = 3", **said),
        client(f"{at}.L_OSUE.L_OSUE_Client", f"{at}.L_OSUE", (3, 2.0, 1.0), 3, shown="k = 3", **said),
        client(
            f"{at}.L_LH.L_LH_Client",
            f"{at}.L_LH {GRR}",
            (3, 2.0, 1.0, False),
            3,
            shown="k = 3, g = 2",
            seeds=True,
            **said,
        ),
        client(f"{at}.L_LH.L_LH_Client", f"{at}.L_LH {GRR}", (3, 2.0, 1.0), 3, shown="k = 3", seeds=True, **said),
        client(f"{at}.L_ADP.L_ADP_Client", f"{at}.L_OSUE {GRR}", (3, 2.0, 1.0), 3, shown="k = 3", **said),
        client(
            f"{at}.dBitFlipPM.dBitFlipPM_Client",
            f"{at}.dBitFlipPM",
            (4, 4, 2, 1.0),
            4,
            says="eps_perm",
            shown="b = 4, d = 2",
        ),
    ]


def mechanisms() -> list[Mechanism]:
    return [*one_attribute(), *several_attributes(), *over_time()]
