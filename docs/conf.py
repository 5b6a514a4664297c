"""Sphinx configuration."""

project = "qmastermind"
copyright = "The qmastermind developers"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "qmastermind"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_mock_imports = []
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # attributes of dataclasses and named tuples are documented once
suppress_warnings = ["ref.python"]


def _escape_kets(app, what, name, obj, options, lines):
    """Kets in docstrings are prose: keep reStructuredText from reading ``|x>`` as markup."""
    for i, line in enumerate(lines):
        parts = line.split("``")
        parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
        lines[i] = "``".join(parts)


def setup(app):
    """Sphinx's hook."""
    app.connect("autodoc-process-docstring", _escape_kets)
