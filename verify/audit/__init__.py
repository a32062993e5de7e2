"""All that can be said of one randomizer: a table, a function that draws, or a box that is only run."""
