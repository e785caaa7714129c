"""What a script may say: bytes of source become code and an outline, or diagnostics. Nothing here runs a script."""
