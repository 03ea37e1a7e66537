"""What a page says is given, and the problem that this is."""

from symattn.check.given.examples import Example, declared_example, examples

__all__ = ["Example", "declared_example", "examples"]
