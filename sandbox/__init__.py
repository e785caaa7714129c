"""Sandbox: compiles and runs scripts in confined processes. Bytes of source and JSON in, JSON or a Fault out."""

from sandbox.errors import Fault
from sandbox.limits import Limits, Spent
from sandbox.pool import Sandbox
from sandbox.process.execution import Ask, Outcome, Tell
from sandbox.process.program import Program
from sandbox.runtime.additions import check_additions

__all__ = ["Ask", "Fault", "Limits", "Outcome", "Program", "Sandbox", "Spent", "Tell", "check_additions"]
