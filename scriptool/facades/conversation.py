"""Conversation: a call of the newer MCP era that goes on over several requests, since it asks its caller meanwhile.

Its process waits, paused, from one request to the next. The request state, which the client gives back, names the call
that waits; it is sealed on the wire.
"""

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from scriptool.app import App
from scriptool.call import Call, Listener, Result, unheard
from scriptool.facades.asking import Exchange
from scriptool.jobs import Job
from scriptool.questions import answer_expired


@dataclass(frozen=True)
class _Talk:
    """One call at work and its questions."""

    job: Job
    exchange: Exchange

    async def settled(self, seconds: float) -> None:
        """Wait until the call has ended or asks something, at most *seconds*."""
        assert self.job.task is not None
        asked = asyncio.create_task(self.exchange.asked.wait())
        try:
            await asyncio.wait([self.job.task, asked], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            asked.cancel()


class Conversations:
    """All calls that wait for the next request of their caller. Lives as long as the server."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._waiting: dict[str, _Talk] = {}

    async def begin(
        self, call: Call, abilities: Mapping[str, Any], early: Mapping[str, Any], listener: Listener, seconds: float
    ) -> Result | Job | dict[str, Any]:
        """Run *call* until it ends, asks, or has taken *seconds*: its result, an input request, or the job it is now.

        *early* are answers that its caller gives unasked. Cancelling the caller ends the call.
        """
        exchange = Exchange(abilities, early)
        run = partial(self._app.dispatcher.call, respondent=exchange)
        job = self._app.jobs.start(call, exchange.hear, run)
        return await self._round(_Talk(job, exchange), listener, seconds)

    async def go_on(
        self, state: str, answers: Mapping[str, Any], listener: Listener, seconds: float
    ) -> Result | Job | dict[str, Any]:
        """Give *answers* to the call that waits under *state* and let it go on, else as `begin`."""
        talk = self._waiting.pop(state, None)
        if talk is None:
            return Result(secrets.token_hex(8), 0.0, error=answer_expired().to_json())
        talk.exchange.hand_in(answers)
        return await self._round(talk, listener, seconds)

    async def _round(self, talk: _Talk, listener: Listener, seconds: float) -> Result | Job | dict[str, Any]:
        jobs, job = self._app.jobs, talk.job
        talk.exchange.listener = listener
        try:
            await talk.settled(seconds)
        except asyncio.CancelledError:
            # Nobody has heard of this job, so nobody else could ever end it.
            await jobs.cancel(job)
            raise
        finally:
            talk.exchange.listener = unheard
        if job.ended is not None:
            jobs.forget(job)
            return job.outcome()
        if not talk.exchange.asked.is_set():
            talk.exchange.close()
            return job
        return {"resultType": "input_required", "inputRequests": talk.exchange.requests()} | self._paused(talk)

    def _paused(self, talk: _Talk) -> dict[str, Any]:
        """Keep a call that waits; it is gone when it ends, at the latest when its question is not answered in time."""
        state = secrets.token_hex(16)
        self._waiting[state] = talk
        assert talk.job.task is not None
        talk.job.task.add_done_callback(lambda _: self._left(state, talk))
        return {"requestState": state}

    def _left(self, state: str, talk: _Talk) -> None:
        if self._waiting.pop(state, None) is not None:
            self._app.jobs.forget(talk.job)
