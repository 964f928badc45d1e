"""The turn loop of a decision window, its records, their grammar, and the state folded from them."""
