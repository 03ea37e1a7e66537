"""Pages: views, printers and the one Jinja environment."""
