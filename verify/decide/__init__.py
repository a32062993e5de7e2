"""The worst over all neighbouring datasets: delta, eps, verdicts and certificates, profiles, trade-off functions."""
