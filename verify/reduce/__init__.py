"""From all datasets to few pairs: real datasets below; blankets, boxes of compositions and groups above."""
