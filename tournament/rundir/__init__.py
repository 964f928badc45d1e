"""The run directory: its layout and files, its lock and manifest, and where a run stands."""
