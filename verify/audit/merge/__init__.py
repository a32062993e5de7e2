"""Paths that come to equal states are added up, and loops are closed by solving for their masses."""
