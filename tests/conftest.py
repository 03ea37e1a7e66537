"""Settings of every test."""

from hypothesis import HealthCheck, settings

# A loaded machine is slow, not wrong; and every run draws the same examples.
settings.register_profile(
    "symattn",
    settings(),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("symattn")

collect_ignore_glob = ["vectors/make_*.py", "vectors/*/make_*.py"]  # they need torch and JAX, and are run by hand
