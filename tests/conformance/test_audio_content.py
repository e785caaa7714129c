"""Play a moment of silence."""

import base64

SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
return ctx.content.audio(base64.b64decode(SILENCE))
