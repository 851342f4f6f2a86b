"""Sphinx: pydata theme, numpydoc, sphinx-gallery; warnings are errors (make docs)."""

import re
from pathlib import Path

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
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "_templates", "_tables", "bench", "auto_examples/**/*.ipynb", "auto_examples/**/*.py.md5"]
autosummary_generate = True
autosummary_filename_map = {  # a class and a function of one name, for file systems that do not tell them apart
    "infimum.diagnostics.Audit": "infimum.diagnostics.Audit-class",
    "infimum.diagnostics.Identifiability": "infimum.diagnostics.Identifiability-class",
    "infimum.paper.theory.Calibration": "infimum.paper.theory.Calibration-class",
}
numpydoc_show_class_members = False
suppress_warnings = ["config.cache"]

SECTIONS = ["tutorials", "labels", "tags", "orders", "numbers", "several", "cleaning", "choosing", "asking", "trusting", "scale", "paper"]
EXAMPLES = Path(__file__).parent.parent / "examples"

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"demo\.py",
    "subsection_order": [f"../examples/{name}" for name in SECTIONS if (EXAMPLES / name).is_dir()],
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "show_memory": False,
    "write_computation_times": False,  # its table would ask the network for scripts
    "download_all_examples": False,
    "thumbnail_size": (480, 336),
    "reference_url": {"infimum": None},
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["infimum.css"]
html_favicon = "_static/favicon.svg"
html_theme_options = {
    "logo": {"image_light": "_static/logo.svg", "image_dark": "_static/logo.svg", "text": "infimum"},
    "show_nav_level": 2,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 5,
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_title = "infimum"
html_show_sourcelink = False
html_sidebars = {"index": [], "start": [], "auto_examples/**": [], "api": [], "api/**": []}

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


def _of_others(app, what, name, obj, skip, options):
    """Methods that scikit-learn adds to every estimator are on its pages."""
    return True if re.fullmatch(r"get_metadata_routing|set_output|set_\w+_request", name) else None


def setup(app):
    app.connect("autodoc-skip-member", _of_others)
    app.connect("autodoc-process-docstring", _as_it_stands, priority=100)  # before numpydoc
