"""What several systems share: counts, columns of bits, occupancy, accuracy of columns."""
