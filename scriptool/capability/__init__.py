"""Capabilities: what scripts reach the world through. They ask; what is here checks, acts, bounds and answers."""
