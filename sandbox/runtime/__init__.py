"""What surrounds a running script: its namespace, the guards and faces in it, and what becomes of its end."""
