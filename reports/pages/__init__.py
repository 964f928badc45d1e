"""Pages of a report: the index, a page a world and a page a contestant."""
