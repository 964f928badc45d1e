"""Tables, figures and pages for a reader, built from a run's files."""
