"""A sampler that is only run: lower bounds that hold at a stated confidence."""
