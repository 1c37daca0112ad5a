"""Checks every local link, picture and anchor of a site, and that nothing is loaded from elsewhere."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

html = Path(sys.argv[1]).resolve()


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            self.ids.add(values["id"])
        if tag == "a" and values.get("name"):
            self.ids.add(values["name"])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag in ("img", "script") and values.get("src"):
            self.loaded.append(values["src"])
        if tag == "link" and values.get("rel") in ("stylesheet", "icon") and values.get("href"):
            self.loaded.append(values["href"])


pages = {}
for file in html.rglob("*.html"):
    if (html / "api") in file.parents:
        continue
    pages[file] = Page()
    pages[file].feed(file.read_text())

problems, count = [], 0
for file, page in pages.items():
    for target in page.links + page.loaded:
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            if target in page.loaded:
                problems.append(f"{file.relative_to(html)} loads {target}")
            continue
        count += 1
        base = html if parts.path.startswith("/") else file.parent
        there = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else file
        if there.is_dir():
            there = there / "index.html"
        if not there.exists():
            problems.append(f"{file.relative_to(html)}: no file {target}")
        elif parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].ids:
            problems.append(f"{file.relative_to(html)}: no anchor {target}")
for problem in sorted(set(problems)):
    print(problem)
if problems or len(pages) < 40:
    sys.exit(f"{len(set(problems))} dead links in {len(pages)} pages")
print(f"{len(pages)} pages, {count} links and pictures: none is dead")
