"""The rng that a followed function gets: numbers that are not there yet, in the types of random and numpy."""
