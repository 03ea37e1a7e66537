# From a fresh machine: `make page` writes the napkin's pages, `make test` runs every test.
# Everything is installed into .venv and node_modules; a target with ## is listed by `make help`.

PYTHON ?= python3
LOCK := requirements-dev.lock
# For its schema alone, without what the program itself needs.
PRETEXT := pretext==2.56.1
BIN := .venv/bin
GALLERY := output/gallery

# What tests run or typeset with, each with the Debian package that has it.
PROGRAMS := pdflatex=texlive-latex-base lualatex=texlive-luatex pandoc=pandoc cmark-gfm=cmark-gfm \
	pdftotext=poppler-utils rsvg-convert=librsvg2-bin node=nodejs npm=npm maxima=maxima
TEX_FILES := booktabs.sty=texlive-latex-recommended standalone.cls=texlive-latex-extra \
	pzdr.tfm=texlive-fonts-recommended lmodern.sty=lmodern tikz.sty=texlive-pictures

# Installs $(1) where this is root on Debian; elsewhere says what to install, and is false.
debian = if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo installing $(1); \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
			apt-get install -qq --yes --no-install-recommends -o DPkg::Lock::Timeout=120 $(1) >/dev/null; \
	else echo on Debian: apt-get install $(1); false; fi

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help page test test-peers check ruff mypy layers gallery current wheel bench soak lock clean programs

help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

page: .venv/package ## Work the built-in napkin into output/
	@$(BIN)/symattn solve --out output
	@echo "the pages are in $(CURDIR)/output"

test: .venv/tools programs node_modules/.package-lock.json ## Run every test
	$(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4

test-peers: .venv/peers ## Compare with PyTorch and JAX, live
	SYMATTN_PEERS=1 $(BIN)/python -m pytest tests/peers

check: ruff mypy layers test test-peers current wheel ## Do all that CI does

ruff: .venv/tools ## Look for slips and for unformatted lines
	$(BIN)/ruff check
	$(BIN)/ruff format --check

mypy: .venv/tools ## Check the types
	$(BIN)/mypy

layers: .venv/tools ## Check which module imports which
	$(BIN)/lint-imports

gallery: .venv/tools ## Write output/gallery anew
	rm -rf $(GALLERY)
	$(BIN)/python tools/gallery.py

current: gallery ## Write output/gallery anew and fail if that changed it
	@git ls-files $(GALLERY) | grep -q . || { echo "$(GALLERY) holds no page that git knows"; exit 1; }
	@git diff --exit-code --stat -- $(GALLERY) && test -z "$$(git ls-files --others --exclude-standard -- $(GALLERY))" \
		|| { echo "$(GALLERY) was not current, and is now: git add it"; git status --short -- $(GALLERY); exit 1; }

wheel: .venv/tools ## Build the source archive and, from it, the wheel
	rm -rf dist
	$(BIN)/python -m build --no-isolation

soak: .venv/tools ## Try every shipped recipe at length; hours
	$(BIN)/python -m tests.exercises.soak
	$(BIN)/python -m tests.formats.soak
	$(BIN)/python -m tests.check.soak

bench: .venv/tools ## Run the benchmarks
	$(BIN)/python benchmarks/run.py

lock: ## Pin the newest versions of what tests and CI run with
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && $(PYTHON) -m venv "$$folder" \
		&& "$$folder/bin/pip" install -qq '.[dev]' \
		&& pins=$$("$$folder/bin/pip" freeze --exclude symattn) \
		&& printf '%s\n' '# What tests and CI run with. Made by `make lock`, with the oldest Python we support.' "$$pins" >$(LOCK)

clean: ## Remove the environments, caches and archives; pages stay
	rm -rf .venv node_modules dist build .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/package: pyproject.toml $(LOCK)
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: make PYTHON=...")'
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { $(call debian,python3-venv); }
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install -qq --constraint $(LOCK) --editable .
	@touch $@

.venv/tools: .venv/package
	$(BIN)/python -m pip install -qq --requirement $(LOCK)
	$(BIN)/python -m pip install -qq --no-deps $(PRETEXT)
	@touch $@

.venv/peers: .venv/tools
	$(BIN)/python -m pip install -qq --constraint $(LOCK) --editable '.[peers]'
	@touch $@

node_modules/.package-lock.json: package.json package-lock.json | programs
	@if command -v npm >/dev/null; then npm ci --no-audit --no-fund && touch $@; fi

programs:
	@packages=; \
	for pair in $(PROGRAMS); do command -v "$${pair%%=*}" >/dev/null || packages="$$packages $${pair#*=}"; done; \
	for pair in $(TEX_FILES); do kpsewhich "$${pair%%=*}" >/dev/null 2>&1 || packages="$$packages $${pair#*=}"; done; \
	[ -z "$$packages" ] || { $(call debian,$$packages); } || echo "tests that need them are skipped"
