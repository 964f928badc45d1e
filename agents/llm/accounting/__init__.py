"""What model seats cost: dollar caps while a study runs, and usage tables of what was recorded."""
