"""The verified checker as plain Python: made from its proof in Coq, with a reader, hints and words around it."""
