"""Asking: the questions of a running call on their way to an MCP client and back, in the manner of each era."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

from sandbox import Fault
from scriptool.call import Listener, unheard
from scriptool.questions import Question, cannot_ask

_TRIES: Final = 3
_MOST_SAID: Final = 500
"""How often a client of the older era is asked again after an answer that does not fit."""

_Request = types.ElicitRequest | types.CreateMessageRequest | types.ListRootsRequest

_RESULTS: Final[Mapping[str, type[types.ElicitResult | types.CreateMessageResult | types.ListRootsResult]]] = {
    "elicitation": types.ElicitResult,
    "sampling": types.CreateMessageResult,
    "roots": types.ListRootsResult,
}


def abilities(request: ServerRequestContext[Any, Any]) -> dict[str, Any]:
    """Give what the client of this request can answer, and what it calls itself."""
    session = request.session
    declared = session.client_capabilities or types.ClientCapabilities()
    elicitation, about = declared.elicitation, session.client_params
    return {
        # Before there were two modes of asking, an empty object stood for the form.
        "elicitation": elicitation is not None and (elicitation.form is not None or elicitation.url is None),
        "sampling": declared.sampling is not None,
        "roots": declared.roots is not None,
        "name": about.client_info.name if about is not None else None,
        "version": about.client_info.version if about is not None else None,
    }


class BackChannel:
    """Asks a client of the older era, on the stream of the call that asks. Lives as long as that call's request."""

    def __init__(self, request: ServerRequestContext[Any, Any]) -> None:
        self._request = request
        self._over = False
        self._asked = 0
        self.abilities = abilities(request)

    @property
    def asking(self) -> bool:
        """Say whether the client still owes an answer."""
        return self._asked > 0

    def close(self) -> None:
        """Ask no more, as the request is answered."""
        self._over = True

    async def answer(self, questions: Mapping[str, Question]) -> Mapping[str, Any]:
        """Ask one question after the other. Raises Fault `cannot_ask`, `bad_request`."""
        self._asked += 1
        try:
            return {name: await self._answer(question) for name, question in questions.items()}
        finally:
            self._asked -= 1

    async def _answer(self, question: Question) -> dict[str, Any]:
        for _ in range(_TRIES):
            if self._over:
                raise _too_late(question)
            answer = question.fitted(await self._sent(question))
            if answer is not None:
                return answer
        raise cannot_ask(question.kind, f"The client answered {_TRIES} times with what does not fit the question.")

    async def _sent(self, question: Question) -> Any:
        wish = _request_of(question)
        about = ServerMessageMetadata(related_request_id=self._request.request_id)
        try:
            result = await self._request.session.send_request(wish, _RESULTS[question.kind], metadata=about)
        except MCPError as error:
            said = error.error.message
            said = said if len(said) <= _MOST_SAID else f"{said[:_MOST_SAID]}..."
            raise cannot_ask(question.kind, f"The client did not answer: {said}") from None
        except ValueError:
            return None
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)


class Exchange:
    """Asks a client of the newer era: questions go out with the answer to one request and come back with the next.

    Lives as long as the call. *early* are answers that came with the first request; *listener* hears the call while a
    request is open.
    """

    def __init__(self, abilities: Mapping[str, Any], early: Mapping[str, Any]) -> None:
        self.abilities = abilities
        self.listener: Listener = unheard
        self.asked = asyncio.Event()
        self._early = dict(early)
        self._open: dict[str, tuple[Question, asyncio.Future[dict[str, Any]]]] = {}
        self._over = False

    def hear(self, kind: str, payload: Any) -> None:
        """Pass on what the call tells."""
        self.listener(kind, payload)

    def close(self) -> None:
        """Ask no more, as no further request will come."""
        self._over = True

    async def answer(self, questions: Mapping[str, Question]) -> Mapping[str, Any]:
        """Put the questions and wait for a request that answers them. Raises Fault `cannot_ask`, `bad_request`."""
        for question in questions.values():
            _request_of(question)  # what cannot be put ends here, before anything is waited for
            if self._over:
                raise _too_late(question)
        answers = {name: self._put(name, question) for name, question in questions.items()}
        try:
            return {name: await answer for name, answer in answers.items()}
        except asyncio.CancelledError:
            self._over = True  # nobody came back in time, so nobody will for the next question
            raise
        finally:
            mine = set(map(id, answers.values()))
            self._keep({name: one for name, one in self._open.items() if id(one[1]) not in mine})

    def requests(self) -> dict[str, Any]:
        """Give the open questions as the protocol's input requests."""
        wishes = {name: _request_of(question) for name, (question, _) in self._open.items()}
        return {name: wish.model_dump(mode="json", by_alias=True, exclude_none=True) for name, wish in wishes.items()}

    def hand_in(self, answers: Mapping[str, Any]) -> None:
        """Take *answers* to open questions; those that do not fit, or are to none, count as not given."""
        for name, (question, answer) in self._open.items():
            fitted = question.fitted(answers.get(name))
            if fitted is not None and not answer.done():
                answer.set_result(fitted)
        self._keep({name: one for name, one in self._open.items() if not one[1].done()})

    def _put(self, name: str, question: Question) -> "asyncio.Future[dict[str, Any]]":
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        early = question.fitted(self._early.pop(name, None))
        if early is not None:
            answer.set_result(early)
            return answer
        # Tasks of one script may ask at the same time, under the same name.
        number = next(number for number in range(1, len(self._open) + 2) if _numbered(name, number) not in self._open)
        self._keep(self._open | {_numbered(name, number): (question, answer)})
        return answer

    def _keep(self, questions: "dict[str, tuple[Question, asyncio.Future[dict[str, Any]]]]") -> None:
        self._open = questions
        if questions:
            self.asked.set()
        else:
            self.asked.clear()


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}_{number}"


def _too_late(question: Question) -> Fault:
    return cannot_ask(question.kind, "This call runs on as a job; nobody waits for it who could be asked.")


def _request_of(question: Question) -> _Request:
    """Give the request a question becomes. Raises Fault `bad_request` where the protocol has no such request."""
    try:
        if question.kind == "elicitation":
            form = {"message": question.message, "requestedSchema": dict(question.schema)}
            return types.ElicitRequest(params=types.ElicitRequestFormParams.model_validate(form))
        if question.kind == "sampling":
            return types.CreateMessageRequest(
                params=types.CreateMessageRequestParams.model_validate(dict(question.request))
            )
        return types.ListRootsRequest()
    except ValueError as error:
        reason = str(error).splitlines()[:3]
        raise Fault("bad_request", f"The client cannot be asked this: {' '.join(reason)}") from None
