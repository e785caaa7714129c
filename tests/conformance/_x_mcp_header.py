return args["region"]
