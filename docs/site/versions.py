"""Lists the versions of a site: versions.json, which the pages read for their menu, and an index.html that leads to the newest release."""

import json
import re
import sys
from pathlib import Path

html = Path(sys.argv[1])


def age(version):
    """What to sort by: a release is newer than its snapshots."""
    return [int(part) for part in re.findall(r"\d+", version)], not version.endswith("-SNAPSHOT")


versions = sorted((page.parent.name for page in html.glob("*/index.html")), key=age, reverse=True)
releases = [version for version in versions if not version.endswith("-SNAPSHOT")]
newest = (releases or versions)[0]
entries = [{"version": version, "title": version, "aliases": []} for version in versions]
(html / "versions.json").write_text(json.dumps(entries, indent=2) + "\n")
(html / "index.html").write_text(
    f"""<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="refresh" content="0; url={newest}/index.html">
    <title>outbox</title>
  </head>
  <body><a href="{newest}/index.html">outbox {newest}</a></body>
</html>
"""
)
print(f"versions: {', '.join(versions)}; the site opens with {newest}")
