"""What the definitions of each kind become: tools with a way to run, prompts and resources."""
