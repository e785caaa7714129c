# /// tool
# permissions = {net = ["*", "127.0.0.1"]}
# idempotency = "safe"
# ///
import re
from html.parser import HTMLParser

import httpx

from scriptool import ToolError

SILENT = {"script", "style", "template", "noscript", "svg", "head"}
BLOCKS = {"p", "div", "section", "article", "li", "tr", "br", "table", "ul", "ol", "pre", "h1", "h2", "h3", "h4"}


def main(url: str, most: int = 5000) -> dict:
    """Give the title and the text of a web page, without its markup, menus of scripts and styles.

    Args:
        url: Whole address of the page, as https://example.org/news.
        most: Most characters of text; longer pages are cut at a line.
    """
    try:
        answer = httpx.get(url, follow_redirects=True, headers={"Accept": "text/html"})
        answer.raise_for_status()
    except httpx.HTTPError as error:
        raise ToolError(f"the page cannot be had: {error}", url=url) from None
    page = Page()
    page.feed(answer.text)
    text = re.sub(r"\n\s*\n+", "\n\n", re.sub(r"[ \t]+", " ", "".join(page.text))).strip()
    cut = text if len(text) <= most else text[:most].rpartition("\n")[0] or text[:most]
    return {"url": answer.url, "title": page.title.strip(), "text": cut, "cut": len(cut) < len(text)}


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.title = ""
        self.text = []
        self._open = []

    def handle_starttag(self, tag, _attributes):
        if tag in BLOCKS:
            self.text.append("\n")
        if tag in SILENT or tag == "title":
            self._open.append(tag)

    def handle_endtag(self, tag):
        if tag in BLOCKS:
            self.text.append("\n")
        if tag in self._open:
            self._open = self._open[: self._open.index(tag)]

    def handle_data(self, data):
        if "title" in self._open:
            self.title += data
        elif not self._open:
            self.text.append(data)
