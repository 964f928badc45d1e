"""Tables of a report: one model, rendered as HTML, CSV, Markdown and LaTeX."""
