"""Settings of every test."""

from hypothesis import settings

# A loaded machine is slow, not wrong. The rest is Hypothesis's own default, which in CI draws the same each time.
settings.register_profile("symattn", settings(), deadline=None)
settings.load_profile("symattn")
