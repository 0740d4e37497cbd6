"""Sphinx's settings for the documentation site. tools/site.sh makes the pages that it reads."""

import os

project = "ndsim"
author = "the authors of ndsim"
copyright = "the authors of ndsim, Apache License 2.0"
version = release = os.environ.get("NDSIM_VERSION", "")

extensions = ["myst_parser", "breathe", "sphinx_copybutton"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["source/**/*.txt"]
# A block that does not say what it is is text, such as formulas in the comments of headers.
highlight_language = "text"
# Warnings are errors. JSON with an ellipsis in it is shown, not read; pages of a forge may skip a level of headings.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]

myst_heading_anchors = 6
# Two hyphens begin an option.
smartquotes = False
breathe_projects = {"ndsim": os.environ.get("NDSIM_DOXYGEN_XML", "")}
breathe_default_project = "ndsim"
breathe_show_include = False
cpp_maximum_signature_line_length = 100

html_theme = "furo"
html_title = f"ndsim {version}"
html_static_path = ["static"]
html_css_files = ["ndsim.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1b5fa7", "color-brand-content": "#1b5fa7"},
    "dark_css_variables": {"color-brand-primary": "#7fb8f0", "color-brand-content": "#7fb8f0"},
}
pygments_style = "friendly"
pygments_dark_style = "native"

# Only typed lines are copied from a console block.
copybutton_prompt_text = "$ "
copybutton_line_continuation_character = "\\"
