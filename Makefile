# `make demo` and `make test` are all the set-up there is.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-long bench docs coq coqchk lint clean

.venv/ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "shufflecert needs Python 3.11 or newer; make PYTHON=...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/tests-ready: .venv/ready tests/field/requirements.txt
	$(BIN)/python -m pip install --quiet --editable '.[tests]'
	$(BIN)/python -m pip install --quiet --no-deps --requirement tests/field/requirements.txt
	touch $@

# Balcer & Cheu's binary sum for 2000 users, with a twentieth of the noise that the paper prescribes: certify, re-check.
demo: .venv/ready
	$(BIN)/shufflecert certify zsum -p p=0.982 --n 2000 --eps 1 --delta 1e-6 -o demo-certificate.json --force
	$(PYTHON) -I -S verify/kernel.py demo-certificate.json

# Tools that read the sources without running them find the packages as the wheel has them.
.typed:
	mkdir -p .typed/shufflecert
	ln -s $(foreach name,__init__.py __init__.pyi __main__.py py.typed,../../shufflecert/$(name)) \
		$(foreach name,verify protocols proofs,../../$(name)) .typed/shufflecert

lint: .venv/tests-ready .typed
	$(BIN)/ruff check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# The pages of docs/ as a site of static files: site/index.html.
docs: .venv/tests-ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# All tests, the long ones among them, with more random cases than in `make test`.
test-long: .venv/tests-ready
	RANDOM_CASES=all $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m ''

# The peers that the figures stand beside; where one cannot be installed, the tables say so.
.venv/bench-ready: .venv/tests-ready
	$(BIN)/python -m pip install --quiet --editable '.[tests,bench]' || echo 'make: not all peers could be installed'
	touch $@

bench: .venv/bench-ready
	$(BIN)/python -m tests.bench

# The kernel with a proof: the theorem is compiled, its axioms are printed, and the binary of `check --verified` is built.
coq:
	@command -v coqc ocamlfind >/dev/null || { echo 'make: coqc and ocamlfind are wanted: apt-get install coq ocaml-nox ocaml-findlib libzarith-ocaml-dev'; exit 1; }
	$(MAKE) -C proofs/coq

coqchk: coq
	$(MAKE) -C proofs/coq check

clean:
	$(MAKE) -C proofs/coq clean
	rm -rf site .typed demo-certificate.json .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
