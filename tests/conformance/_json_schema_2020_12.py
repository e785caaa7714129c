return args
