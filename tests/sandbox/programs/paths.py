"""Paths."""

import os, os.path, pathlib
p = pathlib.PurePosixPath("data") / "a.tar.gz"
result = [str(p), p.suffix, p.stem, p.parent.name, os.path.join("a", "b"), os.path.splitext("x.py"), os.path.basename("/a/b"),
          os.sep, os.path.commonprefix(["abc", "abd"]), os.path.isabs("/a"), p.with_suffix(".zip"), os.environ.get("NOT_THERE_AT_ALL")]
