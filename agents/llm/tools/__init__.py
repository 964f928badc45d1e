"""What a tool call is, takes and does."""
