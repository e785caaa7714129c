"""What a server has beside tools, put to use: prompts filled in, resources read, arguments completed."""
