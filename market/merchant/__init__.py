"""The market `merchant@1`: stores on one platform resell a catalogue, hour by hour, for a year."""
