"""Live objects: how they are named, read within bounds, and reached on their own thread. Standard library only."""
