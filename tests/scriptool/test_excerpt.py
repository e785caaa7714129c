"""An error as lines for people."""

import pytest

from scriptool.excerpt import excerpt, one_line, story


def diagnostic(source: str, column: int, end: int) -> dict[str, object]:
    place = {"file": "a.py", "rule": "syntax", "line": 1, "column": column, "end_line": 1, "end_column": end}
    return place | {"message": "wrong", "source": source, "hint": "mend it"}


@pytest.mark.parametrize(
    ("source", "column", "end", "marks"),
    [
        ("return x + y", 8, 9, "       ^"),
        ("return x + y", 8, 13, "       ^^^^^"),
        ("\treturn x", 9, 10, "\t       ^"),
        ('t = "日本" + x', 12, 13, "             ^"),
        ("x", 2, 2, " ^"),
    ],
)
def test_the_marks_stand_under_what_is_wrong(source: str, column: int, end: int, marks: str) -> None:
    error = {"code": "script_compile_error", "message": "m", "diagnostics": [diagnostic(source, column, end)]}
    assert excerpt(error) == [f"a.py:1:{column}: syntax: wrong", f"    {source}", f"    {marks}", "    mend it"]


def test_each_problem_has_its_pointer_and_an_error_without_places_its_message() -> None:
    problems = [{"path": "/a", "message": "is required"}, {"path": "/b", "message": "unknown", "hint": "Drop it."}]
    error = {"code": "invalid_params", "message": "do not fit", "hint": "Drop it.", "problems": problems}
    assert excerpt(error) == [
        "invalid_params: /a: is required",
        "invalid_params: /b: unknown",
        "    Drop it.",
    ]
    assert story(error)[0] == "invalid_params: do not fit"
    assert story({"code": "timeout", "message": "Too slow.", "hint": "Less."}) == ["timeout: Too slow.", "    Less."]


def test_one_line_is_one_line() -> None:
    assert one_line({"message": "a\n  b", "hint": "c\td"}) == "a b c d"
