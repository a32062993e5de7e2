"""Events that tell neighbouring datasets apart: lower ends of delta(eps) at any number of users."""
