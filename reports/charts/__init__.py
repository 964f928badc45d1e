"""Charts of a report: each a specification that gives SVG, PNG and PDF alike."""
