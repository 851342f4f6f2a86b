PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
TORCH  ?= torch==2.13.0

unexport PYTHONDONTWRITEBYTECODE  # the suite starts many processes, and each would compile every module again

.PHONY: demo test test-torch test-docs campaign lint bench docs clean

demo: $(VENV)/demo.stamp          ## learn from candidate sets, print a table, draw a picture
	$(BIN)/python examples/demo.py

test: $(VENV)/test.stamp          ## the whole suite; what numba compiles is compiled while types are checked
	$(BIN)/python tests/compiled.py & \
	$(BIN)/ruff check src tests examples benchmarks && $(BIN)/mypy; status=$$?; wait; exit $$status
	$(BIN)/pytest -n 2 --dist worksteal --ignore=tests/torch_modules --ignore=src/infimum/torch

test-torch: $(VENV)/torch.stamp   ## the losses for PyTorch, which is installed beside the rest
	$(BIN)/pytest tests/torch_modules tests/data/test_array_api.py src/infimum/torch

campaign: $(VENV)/test.stamp      ## 100,000 hostile inputs, 1,000 failed writes, 1,000 requests, all compositions; summary in campaign.md
	cd tests && ../$(BIN)/python -m fuzz --cases 100000 --out ../campaign.md
	INFIMUM_TEAM_TURNS=200 $(BIN)/python -m pytest -q tests/active/studio/test_browser.py -k team
	INFIMUM_CAMPAIGN=500 $(BIN)/pytest -q tests/fuzz tests/cli/test_faults.py tests/solvers/test_compositions.py --deselect tests/fuzz/test_groups.py

lint: $(VENV)/test.stamp
	$(BIN)/ruff check src tests examples benchmarks
	$(BIN)/mypy

bench: $(VENV)/bench.stamp        ## every benchmark that 18 minutes allow: benchmarks/results/bench.md and bench.json
	$(BIN)/python -m benchmarks

docs: $(VENV)/docs.stamp          ## docs/_build/html/index.html, warnings are errors
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

test-docs: docs $(VENV)/site.stamp   ## the built site in a browser: widths, themes, links, formulas without a network
	$(BIN)/pytest -q tests/docs/check_site.py

$(VENV)/demo.stamp: EXTRA = plot
$(VENV)/test.stamp: EXTRA = test
$(VENV)/bench.stamp: EXTRA = bench
$(VENV)/docs.stamp: EXTRA = docs
$(VENV)/site.stamp: EXTRA = site

$(VENV)/%.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable ".[$(EXTRA)]"
	touch $@

$(VENV)/torch.stamp: $(VENV)/test.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(TORCH) "skorch>=1.1"
	touch $@

clean:
	rm -rf $(VENV) docs/_build docs/auto_examples docs/api/generated .pytest_cache .mypy_cache .ruff_cache
