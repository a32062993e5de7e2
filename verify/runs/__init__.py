"""Long runs that survive: journals, locks, blocks of work, executors, files that are written whole."""
