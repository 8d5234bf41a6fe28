"""links.py FOLDER: every relative link, picture, script and style of the pages in FOLDER is there, and so is every place in
a page that a link leads to."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.places, self.links, self.pictures = set(), [], 0
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name"):
                self.places.add(value)
            elif name in ("href", "src"):
                self.links.append(value or "")
                self.pictures += tag == "img"


def wrong_links(folder, pages):
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            to = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if folder not in to.parents or not to.exists():
                yield f"{path.relative_to(folder)}: '{link}' is not there"
            elif parts.fragment and to in pages and unquote(parts.fragment) not in pages[to].places:
                yield f"{path.relative_to(folder)}: '{link}' leads to no place of that page"


def main():
    folder = Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    links = sum(len(page.links) for page in pages.values())
    pictures = sum(page.pictures for page in pages.values())
    wrong = list(wrong_links(folder, pages))
    for one in wrong:
        print("FAILED:", one)
    if len(pages) < 40 or pictures < 20:
        sys.exit(f"FAILED: {len(pages)} pages with {pictures} pictures are too few to be the site")
    print(f"{len(pages)} pages, {links} links, {pictures} pictures; {len(wrong)} are wrong")
    sys.exit(bool(wrong))


main()
