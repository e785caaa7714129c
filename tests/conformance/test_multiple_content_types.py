"""Hand over a text, an image and a document at once."""

import base64

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
return [
    "Multiple content types test:",
    ctx.content.image(base64.b64decode(PIXEL)),
    ctx.content.resource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
]
