class A:
    def m(self, cls):
        return super().__new__(cls)


made = A().m(type(ctx.log))
return "PWNED " + repr(made)
