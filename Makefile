# Everything a fresh machine needs is set up on first use; `make demo` and `make test` are the two to know.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
DEMO   := .demo

.PHONY: help demo test lint serve neo4j bench lock clean

help:
	@echo "make demo   set up, ingest the sample corpus, answer a two-hop question with its path"
	@echo "make test   set up, run all tests"
	@echo "make serve  serve the GraphQL API over the demo's store"
	@echo "make neo4j  run a Neo4j with its Browser, to look around in; see docs/neo4j.md"
	@echo "make lint   style and types"
	@echo "make bench  the benchmarks that need no data of others; see benchmarks/README.md"

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "kgmem needs Python 3.11 or newer: make PYTHON=/path/to/python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the locked packages into $(VENV) (torch is large; the first time takes some minutes) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

demo: $(STAMP)
	@mkdir -p $(DEMO)
	$(BIN)/kgmem ingest examples/corpus --store sqlite:///$(DEMO)/kgmem.db
	$(BIN)/kgmem search "$$(cat examples/demo-question.txt)" --explain --first 3 --store sqlite:///$(DEMO)/kgmem.db

test: $(STAMP)
	$(BIN)/python -m pytest

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy -p kgmem

serve: $(STAMP)
	@mkdir -p $(DEMO)
	$(BIN)/kgmem serve --store sqlite:///$(DEMO)/kgmem.db

# Needs no packages, so it does not wait for them.
neo4j:
	@$(if $(wildcard $(BIN)/python),$(BIN)/python,$(PYTHON)) tests/neo4j/server.py

bench: $(STAMP)
	$(BIN)/python benchmarks/latency.py

# Versions and hashes for every platform; names no package host. Needs uv.
lock:
	uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --extra dev pyproject.toml -o requirements.lock
	uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --extra dev --extra bench pyproject.toml \
		-o benchmarks/requirements.lock

clean:
	rm -rf $(VENV) $(DEMO) .neo4j .pytest_cache .mypy_cache .ruff_cache
