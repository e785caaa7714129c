"""Who runs what where: the zygote and its children, and the parent's end of each."""
