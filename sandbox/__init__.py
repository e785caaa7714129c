"""Sandbox: compiles and runs scripts in confined processes. Bytes of source and JSON in, JSON or a Fault out."""

from sandbox.errors import Fault
from sandbox.execution import Ask, Outcome, Tell
from sandbox.limits import Limits
from sandbox.pool import Sandbox
from sandbox.program import Program

__all__ = ["Ask", "Fault", "Limits", "Outcome", "Program", "Sandbox", "Tell"]
