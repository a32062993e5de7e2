"""The privacy blanket of a finite randomizer: attained pairs and a dominating pair for all datasets."""

from verify.errors import TooMuchWork
from verify.randomizer import Randomizer
from verify.reach import Reach


def reach_of(randomizer: Randomizer, n: int) -> Reach:
    raise TooMuchWork(f"n = {n}")
