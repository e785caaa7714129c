"""What a schema says of a value is found out in bounded time, and without asking anybody, whatever the schema says."""

import json
import random
import re
from typing import Any

import pytest

from sandbox import Fault
from scriptool.arguments import fit
from scriptool.metaschema import schema_problems
from scriptool.questions import MAX_FORM, read_questions
from scriptool.schema import Schema
from scriptool.vocabulary.pattern import NoPattern, Pattern

ENDLESS = [{"path": "", "message": "takes too long to be held against the schema"}]

PARTS = [
    *(
        "a",
        "b",
        ".",
        r"\d",
        "[ab]",
        "[^a]",
        "[^\\W\\d]",
        r"\w",
        r"\b",
        r"\B",
        "^",
        "$",
        r"\A",
        r"\Z",
        "(a|b)",
        "(?:ab|a)",
    ),
    *(
        "a*",
        "b+",
        "a?",
        "(a*)*",
        "(a|b)*?",
        "a{2}",
        "(ab){1,2}",
        r"\s",
        r"\n",
        "(?=a)",
        "(?!b)",
        "(?=.*b)",
        "x",
        "A",
        "_",
    ),
]


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def without_hints(problems: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in problem.items() if key != "hint"} for problem in problems]


def test_a_pattern_finds_what_python_finds() -> None:
    chance = random.Random(1)
    for _ in range(1500):
        text = "".join(chance.choices(PARTS, k=chance.randint(1, 5)))
        text = chance.choice(["", "", "(?i)", "(?m)", "(?s)"]) + chance.choice(
            [text, f"(?:{text})*", f"(?:{text}){{0,2}}"]
        )
        expected, pattern = re.compile(text), Pattern(text)
        for _ in range(8):
            searched = "".join(chance.choices("abAB1_ \n", k=chance.randint(1, 7)))
            assert pattern.found_in(searched) == bool(expected.search(searched)), (text, searched)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(", "is no regular expression: missing ), unterminated subpattern at position 0"),
        (r"(a)\1", "uses groupref, which is not available here"),
        ("(?<=a)b", "uses assert, which is not available here"),
        ("(?>a)", "uses atomic_group, which is not available here"),
        ("((a{50}){50}){50}", "is too large once its repetitions are written out"),
        ("(?a)x", "may have the flags i, m, s and x only"),
        ("(?i:a)", "uses subpattern, which is not available here"),
    ],
)
def test_a_pattern_that_cannot_be_searched_for_in_bounded_time_is_a_problem_of_the_schema(
    text: str, reason: str
) -> None:
    with pytest.raises(NoPattern, match=re.escape(reason)):
        Pattern(text)
    problems = schema_problems({"properties": {"pattern": {"pattern": text}, "enum": {"enum": [{"pattern": "("}]}}})
    assert problems == [
        {"path": "/properties/pattern/pattern", "message": f"the pattern {json.dumps(text)} {reason}"},
    ]


def test_nothing_repeated_without_end_is_nothing() -> None:
    assert Pattern("^(){1000000000}(){0,1000}a$").found_in("a")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+$", "a" * 5000 + "!"),
        (r"\s+$", " " * 20_000 + "!"),
        ("^(a|a)*$", "a" * 5000 + "!"),
        ("(.*,){12}x", "," * 3000),
    ],
)
def test_a_pattern_that_takes_python_forever_is_answered(pattern: str, text: str) -> None:
    assert schema_problems({"pattern": pattern}) == []
    assert len(Schema({"pattern": pattern}).problems(text)) == 1
    assert len(Schema({"patternProperties": {pattern: False}, "additionalProperties": False}).problems({text: 1})) == 1


TREE = {"type": "array", "items": {"$ref": "#/$defs/node"}}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"$ref": "#/$defs/node", "$defs": {"node": {"anyOf": [TREE, TREE]}}}, nested(100)),
        ({"allOf": [{"$ref": "#"}]}, {}),
        ({"pattern": "(?=(.*b.*)*$)x"}, "a" * 5000),
    ],
)
def test_a_schema_that_would_never_end_is_given_up(schema: dict[str, Any], value: Any) -> None:
    assert schema_problems(schema) == []
    assert without_hints(Schema(schema).problems(value)) == ENDLESS
    whole = {"properties": {"x": schema}} | ({"$defs": schema["$defs"]} if "$defs" in schema else {})
    assert without_hints(fit(Schema(whole), {"x": value}).problems) in (ENDLESS, [])


def test_unique_items_are_compared_by_value() -> None:
    unique = Schema({"uniqueItems": True})
    for twice in ([1, 1.0], [{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}], [[True], [True]], ["a", "a"]):
        assert len(unique.problems(twice)) == 1, twice
    assert unique.problems([1, True, "1", None, [1], {"a": 1}, {"a": True}, 0, False, ""]) == []
    assert unique.problems([{"a": number} for number in range(3000)]) == []


def test_a_flood_of_unknown_arguments_and_of_changed_values_is_told_in_part() -> None:
    closed = Schema({"type": "object", "properties": {"prop_number": {}}, "additionalProperties": False})
    assert len(fit(closed, {f"prop_numbr{number}": 0 for number in range(50_000)}).problems) == 100
    numbers = Schema({"properties": {"x": {"type": "array", "items": {"type": "integer"}}}})
    fitted = fit(numbers, {"x": ["1"] * 5000})
    assert (len(fitted.warnings), fitted.warnings[-1]) == (101, "and 4900 more values were changed")
    assert fitted.value == {"x": [1] * 5000}


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ({"type": "string", "$ref": "http://127.0.0.1:9/x"}, "the reference 'http://127.0.0.1:9/x' leads nowhere"),
        ({"type": "string", "$dynamicRef": "file:///etc/passwd"}, "$dynamicRef is not available"),
        ({"type": "string", "pattern": "("}, 'the pattern "(" is no regular expression'),
        ({"type": "string", "minLength": -1}, "-1 is less than the minimum of 0"),
    ],
)
def test_a_form_that_a_script_made_up_is_refused_before_anyone_is_asked(field: dict[str, Any], message: str) -> None:
    form = {"type": "object", "properties": {"x": field}}
    with pytest.raises(Fault) as refusal:
        read_questions({"question": {"kind": "elicitation", "message": "?", "schema": form}})
    assert refusal.value.code == "bad_request"
    assert message in refusal.value.message


def test_a_form_may_not_be_huge() -> None:
    form = {"type": "object", "properties": {str(number): {"type": "string"} for number in range(MAX_FORM)}}
    with pytest.raises(Fault, match=f"more than {MAX_FORM} parts"):
        read_questions({"question": {"kind": "elicitation", "message": "?", "schema": form}})


def test_no_schema_is_fetched() -> None:
    for word in ("$ref", "$dynamicRef"):
        problems = Schema({word: "http://127.0.0.1:9/x"}).problems(1)
        assert [problem["message"] for problem in problems] == [
            "cannot be held against the schema: Unresolvable: http://127.0.0.1:9/x"
        ]


def test_advice_is_given_within_bounds() -> None:
    names = [f"name_{number}" for number in range(3_000)]
    schema = Schema({"properties": {"l": {"items": {"enum": names}}}})
    problems = schema.problems({"l": ["nane_7"] * 100})
    assert [one.get("hint") for one in problems] == ['Did you mean "name_7"?'] + [None] * 99
    shown = ", ".join(f'"name_{number}"' for number in range(20))
    assert problems[0]["message"].startswith(f'"nane_7" is not one of {shown}'[:240])
    closed = Schema({"properties": dict.fromkeys(names, True), "additionalProperties": False})
    problems = closed.problems({f"nane_{number}": 1 for number in range(100)})
    assert len(problems) == 100
    assert problems[1]["message"].endswith(" and 2980 more")
    assert len(json.dumps(problems)) < 100_000


def test_what_repeats_a_large_value_in_many_words_is_given_up() -> None:
    schema = Schema({"anyOf": [{"maxItems": number} for number in range(500)]})
    problems = schema.problems(list(range(20_000)))
    assert problems[0]["message"] == "takes too long to be held against the schema"


ROUND = {"oneOf": [{"type": ["string", "integer"]}, {"$ref": "#/$defs/r"}], "type": ["object", "string"]}
IN_CIRCLES: list[dict[str, Any]] = [
    {"type": "object", "patternProperties": {"a": {"$ref": "#/$defs/r"}}, "$defs": {"r": ROUND}},
    {"anyOf": [{"type": ["array"]}, {"$ref": "#"}]},
    {"not": {"$ref": "#"}},
    {"if": {"$ref": "#"}, "then": True},
    {
        "additionalProperties": {"$ref": "#"},
        "propertyNames": {"type": "string"},
        "dependentSchemas": {"a": {"$ref": "#"}},
    },
]


@pytest.mark.parametrize("schema", IN_CIRCLES)
def test_however_deep_the_stack_is_already_a_schema_without_end_is_given_up(schema: dict[str, Any]) -> None:
    def below(frames: int) -> Any:
        return below(frames - 1) if frames else fit(Schema(schema), {"a": {"a": "x"}}).problems

    for frames in range(0, 60):
        for problem in below(frames):
            assert problem["message"] == "takes too long to be held against the schema"


NO_SCHEMAS: list[tuple[dict[str, Any], str]] = [
    ({"properties": {"a": {"$ref": "#/type"}}, "type": "object"}, "the reference '#/type' leads nowhere"),
    ({"$defs": {"x": {"enum": [{"a": 1}]}}, "allOf": [{"$ref": "#/$defs/x/enum/0"}]}, "leads nowhere"),
    ({"$defs": {"x": {}}, "allOf": [{"$ref": "#/$defs"}]}, "leads nowhere"),
    ({"properties": {"a": {"$id": "x", "$schema": "http://[::1"}}}, "may stand at the top only"),
    ({"properties": {"a": {"$schema": "http://json-schema.org/draft-07/schema#"}}}, "may stand at the top only"),
]


@pytest.mark.parametrize(("schema", "message"), NO_SCHEMAS)
def test_what_is_no_schema_inside_a_schema_is_a_problem_of_it(schema: dict[str, Any], message: str) -> None:
    assert any(message in problem["message"] for problem in schema_problems(schema))
    for value in ({"a": "x"}, {}, "x"):
        assert Schema(schema).admits(value) is (Schema(schema).problems(value) == [])


@pytest.mark.parametrize(
    "dialect", ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-04/schema"]
)
def test_a_schema_that_names_its_dialect_is_bounded_as_well(dialect: str) -> None:
    schema = {"$schema": dialect, "anyOf": [{"type": "array"}, {"$ref": "#"}]}
    assert without_hints(Schema(schema).problems({})) == ENDLESS


@pytest.mark.parametrize(
    "reference", ["#", "#/properties/a", "#/$defs/b", "#/$defs/yes", "#named", "#/items/0", "#/allOf/0"]
)
def test_references_to_schemas_are_good(reference: str) -> None:
    definitions = {"b": {"type": "string"}, "yes": True, "c": {"$anchor": "named"}}
    parts = {
        "properties": {"a": {"type": "object"}},
        "allOf": [{"type": "object"}],
        "prefixItems": [{}],
        "items": {"0": 1},
    }
    schema = {"$defs": definitions, **parts, "not": {"not": {"$ref": reference}}}
    bad = [one["message"] for one in schema_problems(schema)]
    assert bad == ([f"the reference {reference!r} leads nowhere"] if reference == "#/items/0" else [])
