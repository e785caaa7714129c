"""The searched folders, live: the catalog made of them, and how it stays fresh."""
