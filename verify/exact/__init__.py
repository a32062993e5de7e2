"""What is finite, exactly: rationals, eps, laws, randomizers and their views, one pair, all neighbouring datasets."""
