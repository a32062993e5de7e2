"""The least noise that keeps a promise: one parameter, several, all systems for a task, tables of parameters."""
