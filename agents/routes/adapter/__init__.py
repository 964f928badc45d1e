"""One request through litellm and what came back: the wires, their messages, usage and replies."""
