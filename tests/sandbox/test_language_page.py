"""docs/language.md says what the policy does."""

from tests.sandbox.language_page import PAGE, filled


def test_the_tables_of_the_page_are_those_of_the_policy() -> None:
    page = PAGE.read_text()

    assert filled(page) == page, "run python -m tests.sandbox.language_page"
