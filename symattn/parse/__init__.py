"""Text, files and plain Python data to a Problem, or an error that says what is wrong, where, and how to mend it."""
