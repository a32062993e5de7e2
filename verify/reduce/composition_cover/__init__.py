"""The worst over all compositions of others, between real ones and boxes that cover them all: delta and eps."""
