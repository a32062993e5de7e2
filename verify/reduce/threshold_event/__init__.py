"""Events that tell neighbouring datasets apart: lower bounds of delta(eps) at any number of users."""
