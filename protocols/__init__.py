"""Shuffle-model protocols, one system per file: parameters, randomizer, reduction, analyzer."""

_METRIC = """metric privacy, where what is lost may grow with the distance of two inputs: expected neighbours of any two
inputs. What can be asked: any_ldp with eps0 = the largest distance of two inputs; laplace, for numbers, with eps0 = the
width of their range over the scale of the noise; a file.toml with the inputs and outputs that matter, as a table"""
_UNBOUNDED = """inputs without bounds: a user may be so far away that no crowd hides it, and no eps has a delta below 1:
expected a range of inputs. What can be asked: laplace, with eps0 = the width of the range over the scale, or gaussian,
with sigma = the standard deviation over the width: numbers are clipped to the range and brought to [0, 1] first"""
REFUSED = {
    **dict.fromkeys(("planar_laplace", "geo_indistinguishability", "witchhat", "witch_hat", "metric_laplace"), _METRIC),
    **dict.fromkeys(("metric_privacy", "metric_dp", "metric_ldp", "d_privacy"), _METRIC),
    **dict.fromkeys(("unbounded_laplace", "unbounded_gaussian", "laplace_on_reals", "gaussian_on_reals"), _UNBOUNDED),
}  # what others have by these names and there is no system of, and why
