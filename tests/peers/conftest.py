"""These tests need PyTorch and JAX: ``make test-peers`` installs both, and says so in the environment."""

import os

if not os.environ.get("SYMATTN_PEERS"):
    collect_ignore_glob = ["test_*.py"]
