"""What the commands of the command line are made of, but for serving, calling, listing and checking."""
