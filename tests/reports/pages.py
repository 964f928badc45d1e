"""Reading a page as a test needs it: its text, its links, the texts of elements of a kind."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

BLOCKS = frozenset(
    {"dt", "dd", "li", "p", "td", "th", "tr", "div", "summary", "h1", "h2", "h3", "h4", "option"}
)
VOID = frozenset({"meta", "link", "img", "input", "br"})


class Page(HTMLParser):
    """A page's visible text by element, its links, and every tag that it has."""

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[tuple[str, str, list[str]]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.attributes += list(given.items())
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag not in VOID:
            self._open.append((tag, given.get("class", ""), []))

    def handle_endtag(self, tag: str) -> None:
        while self._open:
            name, kind, pieces = self._open.pop()
            text = " ".join("".join(pieces).split())
            for key in (name, *(f".{part}" for part in kind.split())):
                self.texts.setdefault(key, []).append(text)
            if self._open and name not in ("script", "style"):
                self._open[-1][2].extend([*pieces, *([" "] if name in BLOCKS else [])])
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open[-1][2].append(data)

    def all(self, key: str) -> list[str]:
        """Return the texts of all elements of a tag, or of a class with a dot in front."""
        return self.texts.get(key, [])

    @property
    def text(self) -> str:
        return self.all("body")[0]
