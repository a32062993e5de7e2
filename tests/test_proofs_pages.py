"""RESULTS.md and QUESTIONS.md are what their modules make of MAP.md, constants.csv, SEARCHES.md and the engine."""

from collections import Counter

from shufflecert.proofs import questions, refutations, results
from shufflecert.proofs.ledger import statements

NAMES = {one.name for one in statements()}


def test_the_page_of_results_is_current():
    assert results.FILE.read_text(encoding="utf-8") == results.page(), "run: python -m shufflecert.proofs.results"


def test_the_page_of_questions_is_current():
    assert questions.FILE.read_text(encoding="utf-8") == questions.page(), "run: python -m shufflecert.proofs.questions"


def test_results_know_every_statement_and_every_refutation():
    assert set(results.verdicts()) == NAMES
    assert {one.name for one in results.refuted()} == set(refutations.WITNESSES)
    assert {one.name for one in results.SHARPER} <= NAMES
    text = results.page()
    assert all(f"`shufflecert claims {one.name}`" in text for one in results.refuted())
    assert sum(Counter(verdict for verdict, _ in results.verdicts().values()).values()) == len(NAMES)


def test_results_list_every_search():
    assert [run for run, *_ in results.searched()] == [f"search {run}" for run in results.searches.RUNS]


def test_questions_name_statements():
    assert all(name in NAMES for one in questions.QUESTIONS for name in one.names)
