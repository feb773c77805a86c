# Two commands do everything on a fresh machine with Python 3.11 or newer: `make demo` and `make test`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: demo test kernels bare wheel lint docs pictures bench reproduce lock clean

demo: $(READY)  ## the main job on built-in data; says where the report is
	$(BIN)/discreet demo

test: $(READY)  ## everything that must hold; a process for each core, whose libraries start no threads
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal

kernels: $(READY)  ## compile beforehand what methods compile when they are first used
	$(BIN)/discreet cache

bare: $(READY)  ## the wheel in a clean environment: commands and tests as another user, without home, PATH, browser, data
	$(BIN)/python tests/bare.py

wheel: $(READY)  ## what is handed out: dist/*.whl and dist/*.tar.gz
	$(BIN)/python -m hatchling build -d dist

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(READY)
	$(BIN)/sphinx-build -W -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

pictures: $(READY)  ## the pictures of promises, methods and attacks, and of a real report (which needs a Chromium)
	$(BIN)/python -m benchmarks.drawings
	$(BIN)/python -m benchmarks.pages.pictures

bench: $(READY)  ## speed, as ratios against named rivals in one run
	$(BIN)/python -m benchmarks.speed

reproduce: $(READY)  ## audits of privacy claims, then the papers' tables beside ours: hours, goes on where stopped
	$(BIN)/python -m benchmarks.audits
	$(BIN)/python -m benchmarks.reproduce all

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "discreet needs Python 3.11 or newer; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

lock:  ## renew requirements.lock (needs uv)
	uv pip compile pyproject.toml --extra all --extra dev --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --no-header --no-annotate -o requirements.lock

clean:
	rm -rf $(VENV) docs/_build
