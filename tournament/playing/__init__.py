"""Playing a study: the run, the play loop, worker processes, and what is published of them."""
