"""The least noise that satisfies (eps, delta): one parameter, several, all systems for a task, tables of parameters."""
