"""Sphinx: pydata theme, numpydoc, sphinx-gallery; warnings are errors (make docs)."""

import re

import infimum

project = "infimum"
author = "The infimum developers"
copyright = "2026, the infimum developers"
release = infimum.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx-mathjax-offline",  # formulas without a network
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "auto_examples/**/*.ipynb", "auto_examples/**/*.py.md5"]
autosummary_generate = True
autosummary_filename_map = {  # a class and a function of one name, for file systems that do not tell them apart
    "infimum.diagnostics.Ambiguity": "infimum.diagnostics.Ambiguity-class",
    "infimum.diagnostics.Audit": "infimum.diagnostics.Audit-class",
    "infimum.diagnostics.Identifiability": "infimum.diagnostics.Identifiability-class",
    "infimum.diagnostics.Calibration": "infimum.diagnostics.Calibration-class",
}
numpydoc_show_class_members = False
suppress_warnings = ["config.cache"]

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"demo\.py",
    "abort_on_example_error": True,
    "show_memory": False,
    "download_all_examples": False,
}

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_theme_options = {
    "show_nav_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 5,
    "secondary_sidebar_items": ["page-toc"],
}
html_title = "infimum"
html_sidebars = {"**": []}

# Docstrings are plain mathematics: |z - y|, (q, *z), classes_. Outside code, their signs mean themselves.
_CODE = re.compile(r"(``[^`]*``|`[^`]*`)")
_SIGNS = re.compile(r"([|*]|(?<=\w)_(?!\w))")
_FIELD = re.compile(r"\w[\w, *]* : |\w[\w, *]*$")


def _as_it_stands(app, what, name, obj, options, lines):
    example = False
    for k, line in enumerate(lines):
        text = line.strip()
        example = text.startswith(">>>") or (example and bool(text))
        if not example and not _FIELD.match(line):
            parts = _CODE.split(line)
            parts[::2] = [_SIGNS.sub(r"\\\1", part) for part in parts[::2]]
            lines[k] = "".join(parts)


def setup(app):
    app.connect("autodoc-process-docstring", _as_it_stands, priority=100)  # before numpydoc
