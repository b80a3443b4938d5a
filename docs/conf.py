"""Settings of Sphinx: MyST pages, and links that are checked."""

from __future__ import annotations

import symoro

project = "symoro"
author = "The symoro developers"
copyright = "the symoro developers"
version = release = symoro.__version__
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3
html_theme = "alabaster"
html_title = "symoro"
html_theme_options = {
    "description": "Symbolic modelling of robots",
    "fixed_sidebar": True,
    "page_width": "1080px",
    "sidebar_width": "230px",
    "font_family": "system-ui, sans-serif",
}
html_sidebars = {"**": ["about.html", "searchfield.html", "navigation.html"]}
html_show_sourcelink = False
html_show_sphinx = False
nitpicky = True


def setup(app: object) -> None:
    """Tables of numbers are shown as they are."""
    from pygments.lexers.special import TextLexer
    from sphinx.highlighting import lexers

    lexers["csv"] = TextLexer()
