"""The commands from Python: one function for each, with the options' names and defaults, and the same answer."""
