"""Reports: pages, claims, tables, figures, and a real browser."""
