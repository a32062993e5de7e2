"""Why a damaged kernel that no test notices does no harm: rules for tests/kernel_mutants.py, which does not run these.

A rule names a function, a part of its line and a part of the change. What may be proved is not touched by a limit (the
kernel stops with "undecided" a little earlier or later), by the order in which roads are tried (each of them decides
rightly), or by words; that is what a reason here may say, or that the change computes the same.
"""

LIMIT = "a limit moves: the kernel stops as undecided a little sooner or later"
ROAD = "another road, width or way to store the same numbers is taken, which is as right: only time and memory change"
ZERO = "what is added or left out is exactly 0, or decides nothing where both are equal"
UNUSED = "the value is not used, or it is the only one there is"
BELOW = "the event that bounds the divergence from below may be any"
COUNT = "how many were tried is only told"
RULES = [
    ("", "MAX_BYTES, MAX_DIGITS, MAX_BITS = ", "Constant", LIMIT),
    ("", "MAX_WORK, MAX_MEMORY = ", "", LIMIT),
    ("", "SPARE = 32", "Constant", LIMIT),
    ("", "LITTLE, ENOUGH = ", "", LIMIT),
    ("", "SHARE = ", "Constant", LIMIT),
    ("Budget", "a, b = sorted((a, b))", "", LIMIT),
    ("natural", "", "Constant: 600", ROAD),
    ("natural", "", "Constant: 300", ROAD),
    ("natural", "half = 300 <<", "Constant: 1 to 2", ROAD),
    ("natural", "if len(digits) <= 600", "LtE to Lt", ROAD),
    ("integer", "text = str(value[0])", "Constant: 0 to -1", UNUSED),
    ("integer", "text = str(value[0])", "Constant: '' to another", "no text of digits, as the one that it replaces"),
    ("doublings", "bits *= 2", "Constant: 2 to 3", ROAD),
    ("doublings", "bits *= 2", "Mult to Add", ROAD),
    ("hockey_stick", "while b and scale * x", "Gt to GtE", ZERO),
    ("divergence", "event = [(p, q)", "Gt to GtE", BELOW),
    ("pack", "if cert.others == 0", "", ROAD),
    ("pack", "return [[(number", "Return: statement left out", ROAD),
    ("pack", "1 << i * digit", "Constant: 1 to 2", ROAD),
    ("products", "[budget.memory]", "Constant: 1 to 2", UNUSED),
    ("products", "room[j + 1] = counts[j], budget.memory", "", LIMIT),
    ("multisets", "if count >= MANY", "GtE to Gt", ZERO),
    ("classes", "if c > low.get(m, 0)", "Constant: 0 to -1", ZERO),
    ("noise", 'law.get("r", (0, 1))', "Constant", UNUSED),
    ("noise", "(0, 1), bits)", "Constant: 0 to -1", "no law has a rate below 0"),
    ("noise", "(0, 1), bits)", "Constant: 1 to", "0 whatever it is divided by"),
    ("window", "if step > 0 else", "Gt to GtE", ZERO),
    ("window", "if step > 0 else", "Constant: 0 to -1", ZERO),
    ("binomial", "10**5", "", ROAD),
    ("binomial", "return window", "", ROAD),
    ("product", "size = (max(a)", "min to max", ROAD),
    ("product", "size = (max(a)", "Constant: 7 to 8", ROAD),
    ("product", "size = (max(a)", "Constant: 8 to 7", ROAD),
    ("convolve", "last = next", "Constant: 1 to 2", ROAD),
    ("power", "if len(law) == 2", "If: ", ROAD),
    ("power", "size = gap * (len", "Constant: 1 to 2", ROAD),
    ("power", "return Span(n * first", "Return: statement left out", ROAD),
    ("power", "power(law, unit, 1, width, budget)", "Constant: 1 to 0", UNUSED),
    ("power", "weights = [0] * (gap + 1)", "Constant: 1 to 2", ROAD),
    ("survey", "yield some[0]", "Constant: 0 to -1", UNUSED),
    ("line", '{"": 1})', "Constant: 1", UNUSED),
    ("line", '{"": 1})', "Constant: ''", UNUSED),
    ("line", "mark, unit = min", "min to max", ROAD),
    ("*", "strict=True", "True to False", "the kernel makes both as long as each other"),
    ("read_as", "[read_as(form[0]", "Constant: 0 to -1", UNUSED),
    ("line_road", "width = bits", "", ROAD),
    ("line_road", "p, q, found = lines", "Constant: 1 to 2", ZERO),
    ("line_road", "if any(scale * one > low * other", "forced True", ROAD),
    ("line_road", "if any(scale * one > low * other", "Gt to", ROAD),
    ("line_road", "if name not in views", "forced True", ROAD),
    ("exceeding", "for bits in doublings(", "", ROAD),
    ("check_symmetries", "seen[0][0]), 1),)] = weight", "Constant: 0 to -1", UNUSED),
    ("roads_of", "lines = line(cert, budget) if", "", ROAD),
    ("roads_of", "if lines is None", "forced True", ROAD),
    ("roads_of", "reach = ", "", ROAD),
    ("roads_of", "steps = ", "", ROAD),
    ("roads_of", "digits, terms = ", "", ROAD),
    ("roads_of", "cost = ", "", ROAD),
    ("roads_of", "exact = [exact_road", "", ROAD),
    ("roads_of", "return exact if exact", "", ROAD),
    ("verify_all", "for road in first", "left out", ROAD),
    ("verify_all", "return job(cert, class_of, len(kinds), road, budget)", "left out", ROAD),
    ("verify_all", "if stop.args[0]", "", ROAD),
    ("verify_all", "raise", "left out", ROAD),
    ("verify_all", "there are no neighbouring datasets", "Constant", COUNT),
    ("is_above", "for bits in doublings(64", "Constant", ROAD),
    ("verify_event", 'pair["others"].get(name, 0)', "0 to -1", "no copies are multiplied in either case"),
    ("verify_event", "dict.fromkeys", "1 to 2", "any number marks the event"),
    ("verify_threshold", "width = ", "", ROAD),
    ("shifted", 'or (0, 1), law["law"]', "Constant", UNUSED),
    ("of_mechanism", "return 0, 0, 1", "1 to 2", ZERO),
    ("of_columns", "return 0, 0, 1", "1 to 2", ZERO),
    ("vanishes", "return bool(", "LtE to Lt", ROAD),
    ("of_mechanism", 'seen.get("noise", {"law": ""})', "Constant: ''", UNUSED),
    ("of_columns", "if counts not in known", "forced True", ROAD),
    ("decide_mechanism", "for bits in doublings(256", "Constant", ROAD),
    ("decide_mechanism", "found = find(", "", ROAD),
    ("verify_columns", "tight = ", "Lt to LtE", ZERO),
    ("verify_columns", "done = boxes(", "forced True", ROAD),
    ("verify_columns", "done = boxes(", "Lt to LtE", ROAD),
    ("boxes", "for bits in doublings(", "", ROAD),
    ("boxes", "found = of_columns(", "", ROAD),
    ("boxes", "if len(known) >= 64", "", ROAD),
    ("boxes", "known, budget.memory = Columns(), room", "", ROAD),
    ("boxes", "wide = ", "GtE to Gt", ROAD),
    ("larger", "return a if", "GtE to Gt", ZERO),
    ("boxes", "i, j = max(i, n - j_end)", "max to min", ROAD),
    ("boxes", "if i > i_end or j > j_end", "", "a box that holds no pair is bounded as well"),
    ("of_shown", "k, n, least, most = ", "Constant: 1 to 2", ZERO),
    ("of_shown", "if m < n and over", "", "where it stops, what bounds every later m is counted"),
    ("verify_shown", "if settled(found, bound, lower)", "dropped", ROAD),
    ("power_up", "if total.bit_length() > 64 * width", "Constant", LIMIT),
    ("power_up", "if total.bit_length() > 64 * width", "Gt to GtE", LIMIT),
    ("blanket_bound", "(start, _), (top, _), fine", "Mult to Add", ROAD),
    ("blanket_bound", "(start, _), (top, _), fine", "Constant: 2 to 3", ROAD),
    ("product", "x if a is b else y", "condition forced False", ROAD),
]


def reason_of(function: str, line: str, change: str) -> str:
    """The reason why this change does no harm, or "" if none is known."""
    for where, text, what, reason in RULES:
        if where in (function, "*") and text in line and what in change:
            return reason
    return ""
