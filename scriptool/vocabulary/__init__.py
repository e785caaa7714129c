"""Vocabulary: the keywords of JSON Schema, each judged in bounded time whatever a schema says."""
