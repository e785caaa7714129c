class E(ToolError):
    def __getattribute__(self, name):
        raise KeyboardInterrupt


raise E("x")
