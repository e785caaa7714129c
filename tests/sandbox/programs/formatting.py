"""Formatting."""

width, value = 8, 3.14159
result = [f"{value:>{width}.2f}|{value!r:.4}|{'x' * 3!s:^7}|{1000000:,}", "{} {name[k]} {0.real}".format(5, name={"k": "v"}) if False else
          "{0} {name[k]} {0.real}".format(5, name={"k": "v"}), "{a}".format_map({"a": 1}), "%s %05.1f %(x)s" % () if False else "%s %05.1f" % ("a", 2.25),
          f"{value=:.1f}", "{:{w}}|".format("a", w=4), str.format("{}-{}", 1, 2), list(map("{:02d}".format, [1, 2]))]
