"""How Sphinx makes the site of what stage.py has put together. `-D version=` gives the version."""

project = "PAT"
html_title = "PAT"
root_doc = "README"

extensions = ["myst_parser"]
myst_heading_anchors = 6  # headings have the names that they have on GitHub
source_suffix = {".md": "markdown"}
include_patterns = ["*.md", "docs/**", "reference/**", "apps/*/README.md", "bench/cluster/README.md"]
templates_path = ["templates"]
html_additional_pages = {"index": "index.html"}  # leads to the first page

smartquotes = False

html_theme = "sphinx_rtd_theme"
html_static_path = ["static"]
html_css_files = ["pat.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
