"""What a failed request is: its class, its wording, and what may be told of it."""
