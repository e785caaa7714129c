# Everything a developer needs. A fresh clone needs Python 3.11 to 3.13 and make, nothing else; the first target sets up .venv.

BIN := .venv/bin
ARGS ?=

.DEFAULT_GOAL := all
.PHONY: all check test serve format cover bench help

all: check test  ## check and test: what a change must pass

check: .venv/ready  ## format check, lint, types
	@$(BIN)/ruff format --check --quiet --output-format concise . || { echo "make format puts these files in order."; exit 1; }
	@$(BIN)/ruff check --quiet --output-format concise .
	@$(BIN)/mypy --no-error-summary

test: .venv/ready  ## run the tests; ARGS="-k catalog -x" goes to pytest
	@$(BIN)/pytest -q $(ARGS)

serve: .venv/ready  ## serve examples/ on http://127.0.0.1:8750; ARGS="--port 9000" goes to scriptool
	@exec $(BIN)/scriptool serve examples --no-shared $(ARGS)

format: .venv/ready  ## put files in order
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format --quiet .

cover: .venv/ready  ## tests with branch coverage
	@$(BIN)/coverage run -m pytest -q $(ARGS)
	@$(BIN)/coverage report

bench: .venv/ready .bench-venv/ready  ## measure beside the peers; writes bench/RESULTS.md
	@$(BIN)/python -m bench $(ARGS)
	@$(if $(ARGS),,$(BIN)/python -m bench.language)

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*##  *\(.*\)/make \1\t\2/p' Makefile | expand -t 16

# The first of these that is Python 3.11 to 3.13 and can make a virtual environment; PYTHON=... names another.
SUITABLE := import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))
FIND_PYTHON = for python in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
		if $$python -c '$(SUITABLE)' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
		echo "scriptool needs Python 3.11, 3.12 or 3.13 with its venv module, and none is on the PATH."; \
		echo "Debian, Ubuntu: apt install python3-venv. Elsewhere: make PYTHON=/path/to/python3.12"; \
		exit 1; \
	fi

# Older pips know no --group, so pip comes first. The stamp is older than pyproject.toml after every change of it.
.venv/ready: pyproject.toml constraints.txt
	@$(FIND_PYTHON); \
	if ! $(BIN)/python -c '$(SUITABLE)' 2>/dev/null; then \
		echo "Setting up .venv with $$($$found --version); this takes about a minute, once."; \
		$$found -m venv --clear .venv; \
	else \
		echo "Bringing .venv up to date."; \
	fi
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --upgrade pip --constraint constraints.txt
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable . --group dev --constraint constraints.txt
	@touch $@

.bench-venv/ready: bench/peers/requirements.txt
	@$(FIND_PYTHON); echo "Setting up .bench-venv for the peers."; $$found -m venv --clear .bench-venv
	@.bench-venv/bin/python -m pip install -qq --disable-pip-version-check --requirement $<
	@touch $@
