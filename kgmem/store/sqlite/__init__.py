"""The embedded engine: one SQLite file. `engine` is the way in; the other modules are its parts."""
