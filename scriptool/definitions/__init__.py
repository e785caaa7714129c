"""What authors write: files as last read, the definitions in them, and everything that can be wrong with those."""
