"""Recorded conversations for a reader: the audit trace, its redaction, the history of private files."""
