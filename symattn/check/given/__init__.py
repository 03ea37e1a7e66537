"""What a page says is given, and the problem that this is."""

from symattn.check.given.example import Example
from symattn.check.given.examples import declared_examples, examples

__all__ = ["Example", "declared_examples", "examples"]
