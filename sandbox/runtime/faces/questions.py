"""`ctx.ask`, `ctx.sample`, `ctx.roots` and `ctx.client` for scripts: what a call may ask of whoever made it."""

from collections.abc import Callable, Mapping
from typing import Any

from sandbox.runtime.asking import Asking
from sandbox.runtime.faces.content import Block
from sandbox.values import to_json

MAX_TOKENS = 1000
"""How long a model's answer may be, unless the script says otherwise."""


class Answer(dict[str, Any]):
    """What a person filled in; true if they agreed, also to a question without a form.

    `action` is `accept`, `decline` (they said no) or `cancel` (they closed the question).
    """

    action: str

    def __init__(self, action: str, content: Mapping[str, Any]) -> None:
        super().__init__(content)
        self.action = action

    def __bool__(self) -> bool:
        return self.action == "accept"

    def __repr__(self) -> str:
        return dict.__repr__(self) if self else f"<{self.action}>"


class Client:
    """`ctx.client`: who called, and what it can do."""

    __slots__ = ("can_ask", "can_list_roots", "can_sample", "facade", "name", "version")

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.can_ask = bool(told.get("elicitation"))
        self.can_sample = bool(told.get("sampling"))
        self.can_list_roots = bool(told.get("roots"))
        self.facade: str = told.get("facade", "")
        self.name: str | None = told.get("name")
        self.version: str | None = told.get("version")

    def __repr__(self) -> str:
        return f"<client {self.name or 'without a name'} over {self.facade}>"


class Questions:
    """Asks the caller of this call; every method gives a coroutine where an event loop runs."""

    __slots__ = ("_asking",)

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    def one(self, question: dict[str, Any]) -> Any:
        """Ask one question and give its answer."""
        return self._asking.either("ask", {"question": question}, lambda told: _opened(told["question"]))

    def all(self, questions: Any) -> Any:
        """Ask several at once and give the answers under the same names."""
        if not isinstance(questions, Mapping) or not questions:
            raise TypeError("ctx.ask_all() takes a dict of questions by name")
        asked = {_name(name): _question(question) for name, question in questions.items()}
        return self._asking.either("ask", asked, _all_opened)

    def client(self) -> Client:
        """Give who called."""
        return Client(self._asking.now("client", None))


def form(message: Any, schema: Any = None) -> dict[str, Any]:
    """Give the question that a person answers in a form."""
    fields = {} if schema is None else to_json(schema)
    if not isinstance(fields, dict):
        raise TypeError(f"a question's schema is a dict, not {type(schema).__name__}")
    if fields.get("type") != "object" or not isinstance(fields.get("properties"), dict):
        required = [name for name, field in fields.items() if isinstance(field, dict) and "default" not in field]
        fields = {"type": "object", "properties": fields} | ({"required": required} if required else {})
    for name, field in fields["properties"].items():
        if not isinstance(field, dict) or field.get("type") not in ("string", "number", "integer", "boolean", "array"):
            raise ValueError(f"the field {name!r} of a question must have a type a form can show, not {field!r}")
    return {"kind": "elicitation", "message": str(message), "schema": fields}


def sample(
    prompt: Any,
    *,
    max_tokens: int = MAX_TOKENS,
    system: Any = None,
    temperature: Any = None,
    stop: Any = None,
    preferences: Any = None,
) -> dict[str, Any]:
    """Give the question that the client's model answers; *prompt* is a text or a list of `{role, content}`."""
    messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str | Block) else list(prompt)
    asked = {"messages": [_message(one) for one in messages], "maxTokens": int(max_tokens)}
    more = {
        "systemPrompt": system,
        "temperature": temperature,
        "stopSequences": stop,
        "modelPreferences": preferences,
    }
    return {
        "kind": "sampling",
        "request": asked | {name: to_json(one) for name, one in more.items() if one is not None},
    }


def roots() -> dict[str, Any]:
    """Give the question which folders the client works in."""
    return {"kind": "roots"}


def _roots(wanted: Any) -> dict[str, Any]:
    if wanted is not True:
        raise ValueError("a question for the roots is {'roots': True}")
    return roots()


_SAMPLE_OPTIONS = {"max_tokens", "system", "temperature", "stop", "preferences"}

_MAKERS: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "ask": lambda given: form(given.pop("ask"), given.pop("schema", None)),
    "sample": lambda given: sample(
        given.pop("sample"), **{name: given.pop(name) for name in _SAMPLE_OPTIONS & given.keys()}
    ),
    "roots": lambda given: _roots(given.pop("roots")),
}


def _question(given: Any) -> dict[str, Any]:
    """Read one question of `ctx.ask_all`: a text, or `{ask, schema}`, `{sample, ...}`, `{roots: True}`."""
    if isinstance(given, str):
        return form(given)
    kinds = [kind for kind in _MAKERS if isinstance(given, Mapping) and kind in given]
    if len(kinds) != 1:
        raise ValueError("a question is a text, or a dict with one of 'ask', 'sample' and 'roots'")
    parts = dict(given)
    question = _MAKERS[kinds[0]](parts)
    if parts:
        raise ValueError(f"a question with {kinds[0]!r} takes no {sorted(map(str, parts))[0]!r}")
    return question


def _message(given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping) or given.get("role") not in ("user", "assistant") or "content" not in given:
        raise ValueError("a message is {'role': 'user' or 'assistant', 'content': a text or a block}")
    content = given["content"]
    block = {"type": "text", "text": str.__str__(content)} if isinstance(content, str) else to_json(content)
    return {"role": str(given["role"]), "content": block}


def _name(name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise TypeError(f"questions go by name, not by {name!r}")
    return str.__str__(name)


def _all_opened(told: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _opened(answer) for name, answer in told.items()}


def _opened(told: Mapping[str, Any]) -> Any:
    """Give an answer as scripts know it."""
    if "action" in told:
        return Answer(told["action"], told.get("content") or {})
    if "roots" in told:
        return told["roots"]
    content = told["content"]
    blocks = content if isinstance(content, list) else [content]
    if all(block.get("type") == "text" for block in blocks):
        return "".join(block["text"] for block in blocks)
    return [Block(block) for block in blocks] if isinstance(content, list) else Block(content)
