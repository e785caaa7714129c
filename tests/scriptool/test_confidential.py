"""Secrets among the arguments are found wherever a schema marks them, and are not shown in any form."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scriptool.app import App
from scriptool.call import Call, Caller
from scriptool.confidential import MOST_SECRETS, mask_of
from scriptool.mask import EVERYTHING
from scriptool.schema import Schema
from tests.granting import allowing
from tests.secrecy import secret

WriteTool = Callable[[str, str], Path]

PASSWORD = secret("correct-horse-battery")
MARK = {"type": "string", "format": "password"}


def test_arguments_marked_secret_are_found_nested_and_behind_references() -> None:
    schema = Schema(
        {
            "type": "object",
            "properties": {
                "key": {"type": "string", "format": "password"},
                "login": {"$ref": "#/$defs/login"},
                "pins": {"type": "array", "items": {"type": "integer", "writeOnly": True}},
                "plain": {"type": "string"},
            },
            "$defs": {"login": {"type": "object", "properties": {"pass": {"type": "string", "writeOnly": True}}}},
        }
    )
    sent = {"key": "aaaa", "login": {"pass": "bbbb", "user": "uuuu"}, "pins": [12345], "plain": "shown"}
    shown = {"key": "***", "login": {"pass": "***", "user": "uuuu"}, "pins": ["***"], "plain": "shown"}
    assert mask_of(schema, sent).value(sent) == shown


INNER = {"properties": {"pw": MARK}}
KEYWORDS: list[tuple[dict[str, Any], Any]] = [
    ({"$ref": "#/$defs/text", "writeOnly": True}, PASSWORD),
    ({"$ref": "#text", "writeOnly": True}, PASSWORD),
    ({"$ref": "#marked"}, PASSWORD),
    ({"prefixItems": [{}, MARK]}, [1, PASSWORD]),
    ({"prefixItems": [{}], "items": MARK}, [1, 2, PASSWORD]),
    ({"contains": MARK}, [1, PASSWORD]),
    ({"patternProperties": {"^p": MARK}}, {"pw": PASSWORD}),
    ({"additionalProperties": MARK}, {"any": PASSWORD}),
    ({"propertyNames": MARK}, {PASSWORD: 1}),
    ({"if": {"required": ["pw"]}, "then": INNER}, {"pw": PASSWORD}),
    ({"if": False, "else": INNER}, {"pw": PASSWORD}),
    ({"if": INNER}, {"pw": PASSWORD}),
    ({"not": {"not": INNER}}, {"pw": PASSWORD}),
    ({"dependentSchemas": {"pw": INNER}}, {"pw": PASSWORD}),
    ({"allOf": [{"anyOf": [{"oneOf": [INNER]}]}]}, {"pw": PASSWORD}),
    ({"writeOnly": True}, {"deep": [{"down": PASSWORD}]}),
    ({"writeOnly": True, "properties": {"pw": {"type": "string"}}}, {"pw": PASSWORD}),
    (INNER, json.dumps({"pw": PASSWORD})),
]


@pytest.mark.parametrize(("marked", "value"), KEYWORDS)
def test_whatever_keyword_a_mark_stands_behind_it_counts(marked: dict[str, Any], value: Any) -> None:
    definitions = {"text": {"type": "string", "$anchor": "text"}, "marked": {"$anchor": "marked", **MARK}}
    schema = Schema({"properties": {"x": marked}, "$defs": definitions})
    assert PASSWORD not in json.dumps(mask_of(schema, {"x": value}).value({"x": value, "same": PASSWORD}))


def test_what_is_not_marked_stays() -> None:
    schema = Schema({"properties": {"pw": MARK, "items": {"patternProperties": {"^p": MARK}}}})
    assert mask_of(schema, {"pw": "aaaa", "items": {"other": "shown"}}).text("aaaa shown") == "*** shown"


def test_of_a_call_with_more_secrets_than_are_told_apart_nothing_is_shown() -> None:
    schema = Schema({"properties": {"keys": {"type": "array", "items": MARK}}})
    many = {"keys": [f"key-{number}" for number in range(MOST_SECRETS)]}
    assert mask_of(schema, many).text("key-7 shown") == "*** shown"
    assert mask_of(schema, many | {"keys": [*many["keys"], "one more"]}) is EVERYTHING
    assert mask_of(schema, {"keys": ["x" * 100_000]}) is EVERYTHING
    assert EVERYTHING.value({"shown": 1}) == "***"
    assert EVERYTHING.error({"code": "tool_error", "message": "key-7", "details": {"a": "key-8"}}) == {
        "code": "tool_error",
        "message": "The call holds so many secrets that nothing is shown of how it failed.",
    }


def define(write_tool: WriteTool, name: str, script: str, **fields: Any) -> None:
    stated = {"name": name, "description": "x", "kind": "script", "file": f"{name}.py", **fields}
    write_tool(f"{name}.json", json.dumps(stated))
    write_tool(f"{name}.py", script)


async def test_a_flood_of_secrets_is_answered_and_hidden(app: App, call: Any, write_tool: WriteTool) -> None:
    keys = {"type": "array", "items": MARK}
    script = (
        "print(args['keys'][0])\nif args.get('fail'):\n    raise ValueError(args['keys'][1])\nreturn len(args['keys'])"
    )
    define(write_tool, "login", script, inputSchema={"type": "object", "properties": {"keys": keys}})
    many = [f"{PASSWORD}-{number}" for number in range(16_000)]
    result = await call("login", keys=many)
    assert (result.value, result.output) == (16_000, "***")
    failed = await call("login", keys=many, fail=True)
    assert failed.error["code"] == "script_runtime_error"
    assert PASSWORD not in json.dumps([failed.to_json(), app.history.recent()])


@pytest.mark.parametrize("sent", ["  12345678 ", 12345678.0, "+12345678", "1.2345678e7"])
async def test_a_secret_is_hidden_as_sent_and_as_taken(app: App, call: Any, write_tool: WriteTool, sent: Any) -> None:
    schema = {"type": "object", "properties": {"pin": {"type": "integer", "format": "password"}}}
    define(write_tool, "unlock", "print(args['pin'])\nreturn 'open'", inputSchema=schema)
    result = await call("unlock", pin=sent)
    assert (result.value, result.output) == ("open", "***\n")
    assert "12345678" not in json.dumps([result.warnings, app.history.recent()])


async def test_what_lies_in_json_text_is_hidden_once_it_is_read(app: App, call: Any, write_tool: WriteTool) -> None:
    schema = {"type": "object", "properties": {"login": {"type": "object", "writeOnly": True}}}
    define(write_tool, "enter", "print(args['login']['pw'])\nreturn 'in'", inputSchema=schema)
    result = await call("enter", login=json.dumps({"pw": PASSWORD}))
    assert (result.value, result.output) == ("in", "***\n")
    assert PASSWORD not in json.dumps(app.history.recent())


@pytest.mark.parametrize("word", ["code", "message", "level", "info", "details"])
async def test_a_secret_that_is_a_word_of_ours_leaves_answers_whole(
    app: App, call: Any, write_tool: WriteTool, word: str
) -> None:
    schema = {"type": "object", "properties": {"key": MARK}}
    define(write_tool, "odd", "ctx.log.info('x')\nraise ToolError('failed', a=1)", inputSchema=schema)
    result = await call("odd", key=word)
    assert (result.error["code"], result.error["message"]) == ("tool_error", "failed")
    assert app.history.recent()[0]["error"]["code"] == "tool_error"
    assert app.history.recent()[0]["log"][0]["message"] == "x"


EITHER = {"anyOf": [{"$ref": "#/$defs/node"}, {"$ref": "#/$defs/node"}]}
TREE = {
    "type": "object",
    "properties": {"tree": {"$ref": "#/$defs/node"}, "key": MARK},
    "$defs": {"node": {"type": "object", "properties": {"a": EITHER}}},
}


async def test_a_schema_of_many_ways_is_walked_once_for_each_value(app: App, call: Any, write_tool: WriteTool) -> None:
    define(write_tool, "tree", "print(args['key'])\nreturn 1", inputSchema=TREE)
    tree: Any = {}
    for _ in range(60):
        tree = {"a": tree}
    result = await call("tree", tree=tree, key=PASSWORD)
    assert (result.value, result.output) == (1, "***\n")


async def test_a_schema_without_end_is_answered_and_what_it_marks_is_hidden(
    app: App, call: Any, write_tool: WriteTool
) -> None:
    schema = {"type": "object", "properties": {"key": MARK}, "anyOf": [{"$ref": "#"}]}
    define(write_tool, "endless", "return 1", inputSchema=schema)
    result = await call("endless", key=PASSWORD)
    assert result.error["code"] == "invalid_params"
    assert result.error["problems"][0]["message"] == "takes too long to be held against the schema"
    assert PASSWORD not in json.dumps([result.to_json(), app.history.recent()])


async def test_a_value_as_deep_as_json_may_be_is_answered(app: App, call: Any, write_tool: WriteTool) -> None:
    node = {"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}, "key": MARK}}
    define(write_tool, "deep", "return 1", inputSchema={**node, "$defs": {"node": node}})
    deep: dict[str, Any] = {"key": PASSWORD}
    for _ in range(195):
        deep = {"a": deep}
    result = await call("deep", **deep)
    assert result.error["problems"][0]["message"] == "takes too long to be held against the schema"
    assert PASSWORD not in json.dumps([result.to_json(), app.history.recent()])


async def test_arguments_that_were_never_held_against_a_schema_are_not_kept(app: App, call: Any) -> None:
    await call("nobody_has_this", key=PASSWORD)
    assert app.history.recent()[0]["args"] == "***"


async def test_secrets_of_a_called_tool_are_hidden_in_what_is_kept_of_its_caller(
    app: App, call: Any, write_tool: WriteTool
) -> None:
    schema = {"type": "object", "properties": {"key": MARK}}
    define(write_tool, "child", "return {'echo': args['key']}", inputSchema=schema)
    block = "# /// tool\n# permissions = {tools = ['child']}\n# ///\n"
    write_tool("parent.py", f"{block}print(ctx.call('child', key=args['k']))\nraise ValueError(args['k'])\n")
    steps = [{"id": "one", "tool": "child", "arguments": {"key": "{k}"}}]
    fields = {"name": "chain", "kind": "sequence", "description": "x", "inputs": {"k": {"type": "string"}}}
    write_tool("chain.json", json.dumps({**fields, "steps": steps}))
    settings = allowing(app.settings, "tools=child")
    async with App(settings) as allowed:
        failed = await allowed.dispatcher.call(Call("parent", {"k": PASSWORD}, Caller("test")))
        assert (failed.output, failed.error and failed.error["message"]) == ("{'echo': '***'}\n", "ValueError: ***")
        chained = await allowed.dispatcher.call(Call("chain", {"k": PASSWORD}, Caller("test")))
        assert chained.value["steps"][0]["result"] == {"echo": PASSWORD}
        assert PASSWORD not in json.dumps([failed.to_json(), allowed.history.recent()])


async def test_what_job_status_gives_is_kept_without_secrets_and_ids(
    app: App, call: Any, write_tool: WriteTool
) -> None:
    schema = {"type": "object", "properties": {"key": MARK}}
    define(write_tool, "slow", "return {'echo': args['key']}", inputSchema=schema)
    job = app.jobs.start(Call("slow", {"key": PASSWORD}, Caller("test")))
    answer = (await call("job_status", job_id=job.id, wait=20)).value
    assert answer["answer"]["result"] == {"echo": PASSWORD}
    await call("job_cancel", job_id=job.id)
    kept = json.dumps(app.history.recent())
    assert PASSWORD not in kept and job.id not in kept


async def test_what_is_printed_in_pieces_is_told_without_secrets(app: App, write_tool: WriteTool) -> None:
    schema = {"type": "object", "properties": {"key": MARK}}
    script = "for part in (args['key'][:9], args['key'][9:], ' end'):\n    print(part, end='', flush=True)\nreturn 1"
    define(write_tool, "pieces", script, inputSchema=schema)
    heard: list[str] = []
    call = Call("pieces", {"key": PASSWORD}, Caller("test"))
    result = await app.dispatcher.call(call, lambda _kind, text: heard.append(text))
    assert ("".join(heard), result.output) == ("*** end", "*** end")


CUTS = {
    "output": "print('x' * (256 * 1024 - 10) + args['key'])",
    "output at the bound of a line": "print('x' * (65536 - 10), end='')\nprint(args['key'] + 'y' * 70000 * 4)",
    "error": "raise ValueError('y' * 3980 + args['key'])",
    "note": "error = ValueError('x')\nerror.add_note('y' * 3980 + args['key'])\nraise error",
    "own failure": "raise ToolError('y' * 3980 + args['key'])",
    "exit": "raise SystemExit('y' * 3980 + args['key'])",
    "warning": "import warnings\nwarnings.warn('y' * 960 + args['key'])",
    "log": "ctx.log.info('text', odd={1: object(), 'a': 'y' * 960 + args['key']})",
    "call": "ctx.call('z' * 190 + args['key'])",
    "file": "open('data/' + args['key'] + '/deep/er')",
    "url": "ctx.http.get('http://u:' + args['key'] + '/x@127.0.0.1/')",
    "timeout": "print(args['key'][:12], end='', flush=True)\nwhile True: pass",
}


@pytest.mark.parametrize("script", CUTS.values(), ids=CUTS.keys())
async def test_a_secret_is_hidden_where_a_text_was_cut_in_it(
    app: App, write_tool: WriteTool, call: Any, script: str
) -> None:
    schema = {"type": "object", "properties": {"key": MARK}}
    permissions = {"tools": ["*"], "net": ["127.0.0.1"]}
    define(write_tool, "cut", script, inputSchema=schema, limits={"seconds": 1}, permissions=permissions)
    heard: list[str] = []
    settings = allowing(app.settings, "tools=*", "net=127.0.0.1")
    async with App(settings) as allowed:
        wish = Call("cut", {"key": PASSWORD}, Caller("test"))
        result = await allowed.dispatcher.call(wish, lambda _kind, told: heard.append(json.dumps(told)))
        said = json.dumps([heard, result.to_json(), allowed.history.recent()])
    for size in range(8, len(PASSWORD)):
        assert PASSWORD[:size] not in said


@pytest.mark.parametrize("length", [20, 90, 400])
async def test_a_secret_argument_that_does_not_fit_is_hidden_in_the_complaint(
    app: App, write_tool: WriteTool, call: Any, length: int
) -> None:
    schema = {"type": "object", "properties": {"key": {**MARK, "maxLength": 8, "pattern": "^x", "enum": ["x"]}}}
    define(write_tool, "fits", "return 1", inputSchema=schema)
    result = await call("fits", key=(PASSWORD * 20)[:length])
    assert result.error["code"] == "invalid_params"
    assert PASSWORD[:8] not in json.dumps([result.to_json(), app.history.recent()])
