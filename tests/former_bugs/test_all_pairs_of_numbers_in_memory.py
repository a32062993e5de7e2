"""`compare histogram --buckets 64 --n 20000` wanted gigabytes: all pairs of numbers of others were listed at once."""

from itertools import islice

from shufflecert.verify.systems import catalogue


def test_the_numbers_of_others_come_one_by_one():
    """There are 2 * 10^12 pairs of a million others."""
    columns = catalogue.load("fragmented_rappor", {"d": "64", "flip": "1/100"}).reach(2 * 10**6).attained
    assert list(islice(columns.states(), 3)) == [(0, 0), (0, 1), (0, 2)]


def test_of_few_others_they_are_all_there():
    columns = catalogue.load("fragmented_rappor", {"d": "3", "flip": "1/100"}).reach(4).attained
    assert sorted(columns.states()) == [(i, j) for i in range(4) for j in range(i, 4)]
