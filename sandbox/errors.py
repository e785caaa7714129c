"""Fault: the one exception for failures that were foreseen.

Codes the sandbox raises itself:

    script_compile_error     the text is not a script under the policy; carries `diagnostics`, `digest`
    script_runtime_error     the script raised; carries `type`, `frames`, `diagnostics`
    tool_error               the script raised ToolError; carries `details`
    permission_denied        the script asked for what it was not granted; carries `permission`, `grant`
    timeout                  the parent's clock ran out; carries `limit`
    memory_limit             the child's memory ran out; carries `limit`
    result_too_large         the result is over `result_kb`; carries `limit`, `size`
    result_not_serializable  the result holds something that is not JSON; carries `path`
    worker_lost              the child died or broke the protocol
    overloaded               too many calls wait already; carries `retry_after`
    shutting_down            the sandbox is closing
    sandbox_unavailable      a layer without which scripts do not run is missing; carries `missing`
"""

from typing import Any


class Fault(Exception):
    """A failure with a *code* from the table, a *message* that names what and where, and a *hint* how to mend it.

    *details* are JSON values and go to the caller beside the message.
    """

    def __init__(self, code: str, message: str, *, hint: str = "", **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.details = details

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fault) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash((self.code, self.message))

    def to_json(self) -> dict[str, Any]:
        """Give `{code, message, hint?, ...details}` as it stands in an answer."""
        return {"code": self.code, "message": self.message} | ({"hint": self.hint} if self.hint else {}) | self.details
