"""Shuffle-model protocols, one system per file: parameters, randomizer, reduction, analyzer."""
