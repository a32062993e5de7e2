"""What a followed function may reach: what is not known to be always the same is kept from it."""
