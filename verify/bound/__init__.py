"""From a table of laws to a bound on delta over all neighbouring datasets: one lemma, one search."""
