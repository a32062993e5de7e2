"""ldp-toolbox, ldp-hierarchical-mechanism, insurance-fairness-ldp, privadjust and trasgoDP."""

import random
from typing import Any

import numpy

from tests.field.mechanism import Mechanism, followed_through
from tests.field.of_pure_ldp import pure_ldp

FREQUENCY = "ldp_toolbox.protocols.frequency."


def of_ldp_toolbox() -> list[Mechanism]:
    from ldp_toolbox.protocols.frequency import grr, lh, ss, ue

    def row(name: str, protocol: Any, module: str, holds: str, **said: Any) -> Mechanism:
        patches = f"{FREQUENCY}{module}.np.random"
        return followed_through("ldp-toolbox", name, protocol.obfuscate, patches, 1, range(protocol.k), holds, **said)

    krr = grr.GeneralizedRandomizedResponse(3, 1.0)
    sue, oue = ue.UnaryEncoding(3, 1.0, optimal=False), ue.UnaryEncoding(3, 1.0)
    blh, olh = lh.LocalHashing(3, 1.0, optimal=False), lh.LocalHashing(3, 1.0)
    subset = ss.SubsetSelection(6, 1.0)
    return [
        row("GeneralizedRandomizedResponse, k = 3", krr, "grr", f"p = {float(krr.p)!r}"),
        row("UnaryEncoding (SUE), k = 3", sue, "ue", f"p = {float(sue.p)!r}"),
        row("UnaryEncoding (OUE), k = 3", oue, "ue", f"q = {float(oue.q)!r}"),
        row("LocalHashing (BLH), k = 3", blh, "lh", f"p = {float(blh.p)!r}", seeds=True),
        row("LocalHashing (OLH), k = 3", olh, "lh", f"p = {float(olh.p)!r}", seeds=True),
        row("SubsetSelection, k = 6, subsets of 2", subset, "ss", f"p = {float(subset.p)!r}"),
    ]


# ldp-hierarchical-mechanism -------------------------------------------------------------------------------------------


class Server:
    """What the tree hands to a server of pure-ldp: the report itself, kept."""

    def __init__(self, reports: list[Any], level: int) -> None:
        self.reports, self.level = reports, level

    def aggregate(self, report: Any) -> None:
        self.reports.append((self.level, report))


SHIFTED = "**bug**: the tree counts intervals from 0, pure-ldp's clients values from 1: the first interval becomes -1, "
REMARKS = {
    "direct_encoding": f"{SHIFTED}which is sent as it is with probability p, and never by any other",
    "hadamard_response": f"{SHIFTED}for which the client raises an UnboundLocalError, and for no other",
}


def of_hierarchical() -> list[Mechanism]:
    """One user's reports, at all levels of a tree of 4 leaves or at one that is drawn."""
    at = pure_ldp()
    from hierarchical_mechanism_LDP.mechanism import Private_TreeBary

    module = "hierarchical_mechanism_LDP.mechanism.np.random"
    draws = {
        "unary_encoding": ("ue_client.random", "ue_client.np.random"),
        "direct_encoding": ("de_client.random",),
        "local_hashing": ("lh_client.random", "lh_client.np.random"),
        "hadamard_response": ("k2k_hadamard.random", "k2k_hadamard.np.random"),
    }
    listed = list[Mechanism]()
    for protocol, sources in draws.items():
        for everywhere in (True, False):
            tree = Private_TreeBary(4, 2, 1.0, protocol, on_all_levels=everywhere)
            clients = tree.clients

            def reports(x: int, _tree: Any = tree, _clients: Any = clients) -> Any:
                sent = list[Any]()
                _tree.clients, _tree.servers = _clients, [Server(sent, level) for level in (1, 2)]
                try:
                    _tree.update_tree([x])
                except UnboundLocalError as error:
                    sent.append(type(error).__name__)
                return sent

            names = [f"{at[name.partition('.')[0]].__name__}.{name.partition('.')[2]}" for name in sources]
            levels = "all levels" if everywhere else "one level"
            listed.append(
                followed_through(
                    "ldp-hierarchical-mechanism",
                    f"Private_TreeBary, {protocol}, B = 4, b = 2, {levels}",
                    reports,
                    " ".join([module, *names] if not everywhere else names),
                    int(tree.get_privacy()),
                    range(4),
                    seeds=protocol == "local_hashing",
                    remark=REMARKS.get(protocol, ""),
                    says="get_privacy()",
                    last=(3, 11) if protocol == "hadamard_response" else None,  # pure-ldp's calls randint(0, 7.0)
                )
            )
    return listed


# insurance-fairness-ldp -----------------------------------------------------------------------------------------------


def of_insurance() -> list[Mechanism]:
    from insurance_fairness_ldp import KaryRandomisedResponse

    listed = list[Mechanism]()
    for categories in ("ab", "abcd"):
        response = KaryRandomisedResponse(1.0, list(categories))

        def respond(x: str, _response: Any = response) -> Any:
            return _response.privatise([x])

        name = f"KaryRandomisedResponse, {response.k} categories"
        patches, holds = "insurance_fairness_ldp.mechanisms.np.random", f"pi = {response.pi!r}"
        listed.append(followed_through("insurance-fairness-ldp", name, respond, patches, 1, categories, holds))
    return listed


# privadjust -----------------------------------------------------------------------------------------------------------


def of_privadjust() -> list[Mechanism]:
    """Its clients draw their hash functions when they are made: here by Python's source, seeded, for one prime."""
    import pandas
    from privadjust.count_mean import private_cms_client
    from privadjust.hadamard_count_mean import private_hcms_client

    def seeded(module: Any, kind: str) -> Any:
        kept, primes = random.getstate(), module.primerange  # which lists half a million of them
        random.seed(2)
        module.primerange = lambda low, high: [1_000_003]
        try:
            return getattr(module, kind)(1.0, 2, 4, pandas.DataFrame({"value": [1, 2, 3, 4]}))
        finally:
            module.primerange = primes
            random.setstate(kept)

    cms = seeded(private_cms_client, "privateCMSClient")
    hcms = seeded(private_hcms_client, "privateHCMSClient")

    def reports(client: Any) -> Any:
        def report(x: int) -> Any:
            client.client_matrix.clear()  # where it keeps all reports
            return client.client(x)

        return report

    one, other = "privadjust.count_mean.private_cms_client", "privadjust.hadamard_count_mean.private_hcms_client"
    half, whole = float(numpy.exp(0.5) / (numpy.exp(0.5) + 1)), float(numpy.exp(1.0) / (numpy.exp(1.0) + 1))
    return [
        followed_through(
            "privadjust", "privateCMSClient, m = 4, k = 2", reports(cms), f"{one}.random {one}.np.random", 1,
            range(1, 5), f"p = {half!r}",
        ),
        followed_through(
            "privadjust", "privateHCMSClient, m = 4, k = 2", reports(hcms), f"{other}.random", 1, range(1, 5),
            f"p = {whole!r}",
        ),
    ]  # fmt: skip


# trasgoDP -------------------------------------------------------------------------------------------------------------

OCCURRING = (
    "**bug**: the categories are those that occur in the column. A value that one user alone has is never sent without "
    "that user"
)


HALF = "half of eps is kept"


def of_trasgodp() -> list[Mechanism]:
    """One user's report, of a column in which others have all values; and a column in which one user's may be new."""
    from trasgodp import categorical

    numpys = " ".join(f"trasgodp.categorical.{name}.np.random" for name in ("_randomized_response", "_exponential"))
    response, exponential = numpys.split()

    def first(function: Any, others: str) -> Any:
        return lambda x: function([x, *others], 1.0)[0]

    def column(function: Any, others: str) -> Any:
        return lambda x: function([x, *others], 1.0)

    binary, kary = categorical.dp_randomized_response_binary_array, categorical.dp_randomized_response_kary_array
    exponential_array = categorical.dp_exponential_array
    made = [
        ("dp_randomized_response_binary_array", first(binary, "ab"), response, "ab", ""),
        ("dp_randomized_response_kary_array, 3 categories", first(kary, "abc"), response, "abc", ""),
        ("dp_exponential_array, 3 categories", first(exponential_array, "abc"), exponential, "abc", HALF),
        ("dp_randomized_response_kary_array, the column x, a, b, c", column(kary, "abc"), response, "ad", OCCURRING),
    ]  # fmt: skip
    return [
        followed_through("trasgodp", name, call, patches, 1, inputs, remark=remark)
        for name, call, patches, inputs, remark in made
    ]
