"""Random samplers f(x, rng) with loops, branches, lists, aliases, closures and iterators, as the text of a module."""

import random

ATOMS = ("a", "b", "c", "x", "0", "1", "2", "len(items)", "len(other)", "items[-1]", "other[0]")
RANGES = ("range(2)", "range(3)", "range(len(other))", "items[:2]", "(0, 1, 1)", "[b, a]", "enumerate((1, 0))", "other")


class Writer:
    """Writes one function; every loop that asks ends, or ends with probability 1."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.asked = 0
        self.serial = 0

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def name(self) -> str:
        return self.rng.choice("abc")

    def value(self) -> str:
        one, two = self.rng.choice(ATOMS), self.rng.choice(ATOMS)
        return self.rng.choice((one, one, f"({one} + {two}) % 3", f"({one} * 2 + {two}) % 4", f"int({one} < {two})"))

    def coin(self) -> str:
        self.asked += 1
        return self.rng.choice(
            (
                "rng.random() < 0.5",
                "rng.random() < 0.25",
                "rng.getrandbits(1)",
                "rng.randrange(3) == a",
                "coin(rng)",
                "tilted(rng, (a + 1) / 4)",
                "flip()",
                "int(3 * rng.random()) == b",
                "(u := rng.random()) < 0.5",
            )
        )

    def question(self) -> str:
        self.asked += 1
        return self.rng.choice(
            (
                "rng.randrange(2)",
                "rng.randrange(3)",
                "int(rng.random() < 0.25)",
                "rng.choice((0, 1, 1))",
                "rng.choice(other)",
                "int(2 * rng.random())",
                f"{self.name()} + rng.getrandbits(1)",
                "2 * a + rng.getrandbits(1)",
                "rng.getrandbits(1) + b",
                "sum(rng.getrandbits(1) for _ in range(3))",
                "sum(rng.random() < 0.5 for item in items[:2])",
                "int(any(rng.getrandbits(1) for _ in range(3)))",
                "int(all(rng.random() < 0.5 for _ in other[:2]))",
                "max(rng.getrandbits(1) for _ in range(2))",
                "sorted([0, 1], key=lambda _: rng.getrandbits(1))[0]",
                "[rng.getrandbits(1) for _ in range(2)][1]",
            )
        )

    def block(self, depth: int, budget: int, loop: bool) -> None:
        for _ in range(self.rng.randint(1, 3)):
            self.statement(depth, budget, loop)

    def statement(self, depth: int, budget: int, loop: bool) -> None:
        kind = self.rng.randrange(16)
        if self.asked > 5:
            kind %= 5
        if kind == 0:
            self.line(depth, f"{self.name()} = {self.value()}")
        elif kind == 1:
            self.line(depth, self.rng.choice(self.mutations()))
        elif kind == 2 and loop:
            self.line(depth, f"if {self.value()}: {self.rng.choice(('break', 'continue', 'pass'))}")
        elif kind <= 4:
            self.line(depth, f"{self.name()} = ({self.name()} + {self.value()}) % 3")
        elif kind <= 6:
            self.line(depth, f"{self.name()} = ({self.question()}) % 4")
        elif kind <= 8 or budget == 0:
            self.line(depth, f"if {self.coin()}:")
            self.block(depth + 1, 0, loop)
            if self.rng.random() < 0.5:
                self.line(depth, "else:")
                self.block(depth + 1, 0, loop)
        elif kind <= 11:
            self.loop(depth, budget)
        elif kind == 12:
            self.reject(depth)
        elif kind == 13:
            self.line(depth, "try:")
            self.block(depth + 1, budget - 1, loop)
            self.line(depth, "finally:")
            self.line(depth + 1, f"{self.name()} = {self.value()}")
        elif kind == 14:
            self.serial += 1
            it = f"it{self.serial}"
            self.line(depth, f"{it} = iter({self.rng.choice(('items', 'other', '(2, 0, 1, 1)'))})")
            self.line(depth, f"while {self.coin()}:")
            self.line(depth + 1, f"{self.name()} = next({it}, 5) % 4")
            self.line(depth + 1, f"if next({it}, None) is None: break")
        else:
            self.line(depth, "try:")
            self.line(depth + 1, f"if {self.coin()}: raise ValueError")
            self.line(depth, "except ValueError:")
            self.line(depth + 1, f"{self.name()} = ({self.question()}) % 3")

    def mutations(self) -> tuple[str, ...]:
        return (
            f"items.append({self.value()}) if len(items) < 5 else None",
            f"items[0] = {self.value()}",
            "other = items",
            "other = list(items)",
            f"other[-1] = {self.value()}",
            "items, other = other, items",
            "items.pop() if len(items) > 2 else None",
            f"table[a] = {self.value()}",
            "a = table.get(b, 1)",
        )

    def loop(self, depth: int, budget: int) -> None:
        target = self.rng.choice(RANGES)
        variable = "(a, b)" if target.startswith("enumerate") else self.rng.choice(("i", "i", "a", "b", "_"))
        self.line(depth, f"for {variable} in {target}:")
        self.line(depth + 1, f"if len(items) > 6: items = items[:3]; other = [{self.value()}]")
        self.block(depth + 1, budget - 1, True)
        if self.rng.random() < 0.3:
            self.line(depth + 1, f"if {self.coin()}: break")
            self.line(depth, "else:")
            self.line(depth + 1, f"{self.name()} = {self.value()}")

    def reject(self, depth: int) -> None:
        self.line(depth, "while True:")
        self.line(depth + 1, f"{self.name()} = ({self.question()}) % 3")
        self.line(depth + 1, "if rng.random() < 0.5: break")
        if self.rng.random() < 0.5:
            self.line(depth + 1, "if items[0] and a: break")


HEAD = '''"""Written by tests/merging_programs.py."""


def coin(rng):
    for _ in range(2):
        if rng.random() < 0.5:
            return True
    return False


def tilted(rng, p):
    return rng.random() < p


'''


def module(seeds: range) -> str:
    """A module with one function f0, f1, ... for each seed."""
    text = [HEAD]
    for seed in seeds:
        writer = Writer(seed)
        writer.line(0, f"def f{seed}(x, rng):")
        writer.line(1, "a, b, c, u = x, 1, 0, 0")
        writer.line(1, "items, other, table = [x, 1], [0, 1], {}")
        writer.line(1, "def flip():")
        writer.line(2, "return rng.random() < 0.25")
        writer.block(1, 2, False)
        writer.block(1, 1, False)
        writer.line(1, "items[0] = items[0] + 7")  # seen in both if they are one list
        writer.line(1, "return (a, b, c, len(items), tuple(items[:3]), tuple(other[:3]))")
        text.append("\n".join(writer.lines) + "\n\n\n")
    return "".join(text)
