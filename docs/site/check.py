"""Checks every local link, picture and anchor of a site with its Javadoc, that nothing is loaded from elsewhere, and
that the search knows every page."""

import json
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


def check(file, page, target):
    """What is wrong with a link or something loaded, or None."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return f"{file.relative_to(html)} loads {target}" if target in page.loaded else None
    base = html if parts.path.startswith("/") else file.parent
    there = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else file
    if there.is_dir():
        there = there / "index.html"
    if not there.exists():
        return f"{file.relative_to(html)}: no file {target}"
    if file.name == "constant-values.html" and not parts.path:
        return None  # the contents of this page, by which the javadoc tool links packages it then leaves out
    if parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].ids:
        return f"{file.relative_to(html)}: no anchor {target}"
    return None


pages = {}
for file in html.rglob("*.html"):
    pages[file] = Page()
    pages[file].feed(file.read_text())

problems, count, outside, written = set(), 0, set(), 0
for file, page in pages.items():
    for target in page.links + page.loaded:
        count += 1
        if urlsplit(target).scheme in ("http", "https"):
            outside.add(target.split("#")[0])
        problem = check(file, page, target)
        if problem:
            problems.add(problem)

for version in html.glob("*/search/search_index.json"):
    root = version.parent.parent
    found = {entry["location"].split("#")[0] for entry in json.loads(version.read_text())["docs"]}
    for file in pages:
        if file.is_relative_to(root) and not file.is_relative_to(root / "api") and file.name != "404.html":
            written += 1
            if file.relative_to(root).as_posix() not in found:
                problems.add(f"the search does not know {file.relative_to(html)}")

for problem in sorted(problems):
    print(problem)
if problems or written < 40:
    sys.exit(f"{len(problems)} problems in {len(pages)} pages")
print(f"{written} pages, and {len(pages) - written} of Javadoc, menus and errors; {count} links and pictures: none is dead.")
print(f"Not followed: {len(outside)} addresses outside of the site.")
