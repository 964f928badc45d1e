"""The eight-firm market ceo_arena@1."""
