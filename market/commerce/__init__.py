"""The market `commerce@1`: cross-border commerce among sixty scripted sellers."""
