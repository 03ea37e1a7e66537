"""From a recipe to fair variants with keys, and marks for what students hand in."""
