"""Prepares the pages for mkdocs: copies them, adapts links, and writes mkdocs.yml with the navigation of docs/README.md.

The Markdown in the repository is written for people who read it there; only the copies are changed.
"""

import html
import re
import shutil
import sys
import textwrap
from pathlib import Path

root, site, version = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
with_api = "--api" in sys.argv
docs, pages = root / "docs", site / "pages"

# Pages that are not in docs, or that have another place in the site.
MOVED = {
    docs / "site/index.md": "index.md",
    docs / "README.md": "pages.md",
    root / "README.md": "readme.md",
    root / "README.zh-CN.md": "readme.zh-CN.md",
    root / "CHANGELOG.md": "changelog.md",
    root / "CONTRIBUTING.md": "contributing.md",
    root / "LICENSE": "license.txt",
}
LINK = re.compile(r"(!?\[(?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*\])\(([^)\s]+)\)")
CODE = [r"^    @Transactional\n.*?^    }", r"^    @EventHandler\n.*?^    }"]
CODE_BLOCK = re.compile(r"(^ *```.*?^ *```$)", re.DOTALL | re.MULTILINE)
LIST_ITEM = re.compile(r"^( *)([-*]|\d+\.) +")


def place(file):
    """Where a file of the repository is in the site, or None."""
    if file in MOVED:
        return MOVED[file]
    if file.is_file() and docs in file.parents and not {docs / "site", docs / "snippets"} & set(file.parents):
        return file.relative_to(docs).as_posix()
    return None


def adapt(text, file, here):
    """Links lead to the places in the site; links to source code become text. Code blocks stay as they are."""
    parts = CODE_BLOCK.split(text)
    return "".join(part if i % 2 else adapt_prose(part, file, here) for i, part in enumerate(parts))


def adapt_prose(prose, file, here):
    def change(match):
        text, target = adapt_prose(match.group(1), file, here), match.group(2)
        if re.match(r"[a-z]+:|#", target):
            return f"{text}({target})"
        path, _, anchor = target.partition("#")
        there = place((file.parent / path).resolve())
        if there is None:
            return text[1:-1]
        up = "../" * here.count("/")
        return f"{text}({up}{there}{'#' + anchor if anchor else ''})"

    return LINK.sub(change, prose)


def normal(text):
    """What GitHub takes for a list is one for mkdocs too: a blank line before it, and four spaces inside it."""
    out, fence, item = [], None, []
    for line in text.split("\n"):
        bare = line.lstrip()
        indent = len(line) - len(bare)
        if fence is None and bare and not LIST_ITEM.match(line):
            while item and indent < item[-1]:
                item.pop()
        opened = re.match(r"(```+)", bare)
        level = len(item)
        if fence is not None:
            if bare.startswith(fence):
                fence = None
            inner = line[item[-1] :] if item else line
            out.append("    " * level + inner if inner.strip() else "")
            continue
        if opened:
            fence = opened.group(1)
            out.append("    " * level + bare)
            continue
        start = LIST_ITEM.match(line)
        if start:
            while item and indent < item[-1]:
                item.pop()
            if not item and out and out[-1].strip() and not LIST_ITEM.match(out[-1].lstrip()):
                out.append("")
            out.append("    " * len(item) + bare)
            item.append(start.end())
        else:
            out.append("    " * level + bare if bare else "")
    return "\n".join(out)


def table_of(file, heading):
    """The first table below a heading."""
    part = file.read_text().split(f"\n## {heading}\n", 1)[1]
    lines = part.split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("|"))
    last = next(i for i in range(first, len(lines)) if not lines[i].startswith("|"))
    return "\n".join(lines[first:last])


def code():
    """What an application writes, from the program in README.md that is compiled and run by a test."""
    program = (root / "README.md").read_text()
    parts = [re.search(pattern, program, re.DOTALL | re.MULTILINE).group() for pattern in CODE]
    return "```java\n" + "\n\n".join(textwrap.dedent(part) for part in parts) + "\n```\n"


def figures():
    """The rates of the benchmark page as bars, this project first; a line from the smallest to the largest round."""
    rows = []
    for line in (docs / "benchmarks.md").read_text().split("\n"):
        row = re.match(r"\| `(\w+)-hot`: (.+?): 8 writers[^|]*\| rate \| ([\d ]+?) events/s \| ([^|]+) \|", line)
        if row and not any(row.group(1) == known[0] for known in rows) and row.group(1) != "raw":
            rows.append(row.groups())
    peers = {"outbox", "gruelbox", "namastack", "modulith"}
    rows = [row for row in rows if row[0] in peers]
    if {row[0] for row in rows} != peers:
        sys.exit(f"docs/benchmarks.md has no rates of {peers - {row[0] for row in rows}}")
    rows.sort(key=lambda row: (row[0] != "outbox", -number(row[2])))
    largest = max(number(row[3].split("–")[1]) for row in rows)
    bars = []
    for name, title, rate, spread in rows:
        title = "this project" if name == "outbox" else title
        low, high = (number(part) / largest * 100 for part in spread.split("–"))
        bars.append(
            f'<p><span>{html.escape(title)}</span> <span><b>{rate}</b> ({spread.strip()})</span></p>'
            f'<svg aria-hidden="true"><rect class="{"ours" if name == "outbox" else "peer"}" width="{number(rate) / largest * 100:.1f}%"/>'
            f'<line x1="{low:.1f}%" x2="{high:.1f}%" y1="7" y2="7"/></svg>'
        )
    return '<div class="figures">' + "".join(bars) + "</div>\n"


def number(text):
    return int(re.sub(r"\D", "", text))


def navigation():
    """The tables of docs/README.md: their titles are the sections, their links the pages."""
    sections, current = [], None
    for line in (docs / "README.md").read_text().split("\n"):
        head = re.match(r"\| ([a-z][^|\[]*) \| \|$", line)
        if head:
            current = (head.group(1).capitalize(), [])
            sections.append(current)
        elif current and line.startswith("| ["):
            for text, target in re.findall(r"\[([^\]]+)\]\(([^)]+)\)", line.split("|")[1]):
                current[1].append((text, place((docs / target).resolve())))
    return sections


def modules():
    """A page with the Javadoc of each published module that has classes."""
    lines = ["# Javadoc", "", "| module | |", "| --- | --- |"]
    for module in re.findall(r"<module>(.*?)</module>", (root / "pom.xml").read_text()):
        directory = root / module
        if module.split("/")[0] in ("samples", "docs", "verification") or not (directory / "src/main/java").is_dir():
            continue
        pom = re.sub(r"<parent>.*?</parent>", "", (directory / "pom.xml").read_text(), flags=re.DOTALL)
        artifact, description = (
            " ".join(re.search(f"<{tag}>(.*?)</{tag}>", pom, re.DOTALL).group(1).split()) for tag in ("artifactId", "description")
        )
        lines.append(f"| [`{artifact}`](api/{artifact}/index.html) | {description} |")
    return "\n".join(lines) + "\n"


def folder(name):
    """The other pages of a folder, by their titles."""
    return [
        (file.read_text().split("\n", 1)[0].lstrip("# ").split(":")[0], f"{name}/{file.name}")
        for file in sorted((docs / name).glob("*.md"))
        if file.name != "README.md"
    ]


def quote(text):
    return "'" + text.replace("'", "''") + "'"


def main():
    files = [file for file in docs.rglob("*") if place(file)] + [file for file in MOVED if root in file.parents]
    for file in dict.fromkeys(files):
        here = place(file)
        target = pages / here
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix != ".md":
            shutil.copy(file, target)
            continue
        text = normal(adapt(file.read_text(), file, here))
        if here == "index.md":
            text = text.replace("<!-- guarantees -->", table_of(root / "README.md", "Guarantees"))
            text = text.replace("<!-- figures -->", figures())
            text = text.replace("<!-- code -->", code())
        target.write_text(text)
    shutil.copy(docs / "site/site.css", pages / "site.css")

    nav = ["  - Home: index.md"]
    for title, links in navigation():
        nav.append(f"  - {quote(title)}:")
        for text, target in links:
            nav.append(f"    - {quote(text)}: {target}")
            if target in ("runbooks/README.md", "decisions/README.md"):
                nav.pop()
                nav.append(f"    - {quote(text)}:")
                nav.append(f"      - {quote('All of them')}: {target}")
                nav += [f"      - {quote(t)}: {p}" for t, p in folder(target.split("/")[0])]
    nav.append("  - 'The project':")
    for text, target in [
        ("README", "readme.md"),
        ("中文", "readme.zh-CN.md"),
        ("All pages", "pages.md"),
        ("Changelog", "changelog.md"),
        ("Contributing", "contributing.md"),
    ]:
        nav.append(f"    - {quote(text)}: {target}")
    if with_api:
        nav.append("    - Javadoc: javadoc.md")
        (pages / "javadoc.md").write_text(modules())
    config = (docs / "site/mkdocs.yml").read_text().replace("VERSION", version)
    (site / "mkdocs.yml").write_text(config + "nav:\n" + "\n".join(nav) + "\n")


main()
