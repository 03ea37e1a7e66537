"""Sheets for students and keys for teachers, as pages."""
