"""Strategy CEOs: operating doctrines as short model-free policies."""
