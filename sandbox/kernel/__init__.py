"""The layers below the language: what a process may still do once its script has left the language."""
