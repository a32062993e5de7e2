"""Changes of a certificate's form: digits, ways of writing, kinds, keys and bytes."""

from tests.certificate_seeds import Pairs


def _places(tree, kinds):
    """(holder, key) of every node of these kinds below the root."""
    found = []
    for key, value in list(tree.items() if isinstance(tree, dict) else enumerate(tree)):
        found += [(tree, key)] if isinstance(value, kinds) else []
        found += _places(value, kinds) if isinstance(value, dict | list) else []
    return found


def digit(rng, tree):
    """Change, drop or add one digit in a number or a string of digits."""
    places = [(h, k) for h, k in _places(tree, (int, str)) if any(c in "0123456789" for c in str(h[k]))]
    holder, key = rng.choice(places)
    text = str(holder[key])
    at = rng.choice([i for i, c in enumerate(text) if c in "0123456789"])
    new = text[:at] + rng.choice(["", *"0123456789", text[at] + "0"]) + text[at + 1 :]
    holder[key] = (new or "0",) if isinstance(holder[key], int) else new


def writing(rng, tree):
    """A number or rational in a writing that the format does not (or just) allow."""
    holder, key = rng.choice(_places(tree, int if rng.random() < 0.3 else str))
    text = str(holder[key])
    if isinstance(holder[key], int):
        holder[key] = (
            rng.choice([f"{text}.0", f"{text}e0", f"-{text}", f"0{text}", "true", f'"{text}"', "-0", "NaN"]),
        )
    else:
        new = [
            f" {text}",
            f"{text}\n",
            f"+{text}",
            f"-{text}",
            f"{text}.",
            f".{text}",
            f"{text}/0",
            f"{text}/1",
            "",
            "٣",
        ]
        new += [f"0{text}", f"log({text})", f"{text}e-1", f"{text}e-100001", f"{text}E-1", f"{text}e1", "1_0/2_0", "½"]
        holder[key] = rng.choice([*new, text + "0" * 1001, text.upper(), text.replace("1", "１")])


def kind(rng, tree):
    """A value of another type."""
    holder, key = rng.choice(_places(tree, (int, str, dict, list)))
    holder[key] = rng.choice([None, True, False, 1, 0, "1", "", [], {}, [holder[key]], {"1": holder[key]}, (".5",)])


def key_changed(rng, tree):
    """Delete, rename, add or repeat a key; or drop or repeat an element of a list."""
    holder, name = rng.choice([*_places(tree, (dict, list)), ({"": tree}, "")])
    node, what = holder[name], rng.choice(["delete", "rename", "add", "repeat", "repeat"])
    if isinstance(node, list):
        at = rng.randrange(len(node))
        node[at : at + 1] = [] if what in ("delete", "rename") else [node[at], node[at]]
        return None
    key = rng.choice(list(node))
    if what == "delete":
        del node[key]
    elif what == "rename":
        node[rng.choice([key.upper(), key + " ", "x", key[:-1]])] = node.pop(key)
    elif what == "add":
        node[rng.choice(["extra", "note", "others", "0", "1"])] = rng.choice([1, "1", {}, None])
    else:
        again = Pairs([*node.items(), (key, rng.choice([node[key], 1, "0"]))])
        if node is tree:
            return again
        holder[name] = again
    return None


def constant(rng, tree):
    """Another format, version, adjacency, datasets, view, verdict or note."""
    new = {"format": ["shufflecert", "Shufflecert certificate"], "version": [0, 2, (("1.0"),), "1", True]}
    new |= {"verdict": ["proved", "UNDECIDED", "REFUTED", "PROVED"]}
    new |= {"note": ["", "x", {}, {"a": {"a": []}}, {"from": None}, None, [], 1, Pairs([("a", "b"), ("a", "b")])]}
    inner = {"adjacency": ["add", "", "Replace"], "datasets": ["some", ["all"]], "view": ["central", "Local", None]}
    key = rng.choice([*new, "note", "note", *inner])
    holder = tree if key in new else tree["claim"]
    holder[key] = rng.choice((new | inner)[key])


FORM = [digit, digit, digit, writing, writing, kind, key_changed, key_changed, constant]


def bytes_changed(rng, data):
    """Delete, insert or flip a byte, or truncate."""
    at = rng.randrange(len(data))
    new = [
        data[:at] + data[at + 1 :],
        data[:at] + bytes([rng.choice(b'0123456789"{}[],:/. -e\\\xff\xc3\x00')]) + data[at:],
    ]
    new += [data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :], data[:at]]
    return rng.choices(new, weights=[3, 3, 6, 1])[0]
