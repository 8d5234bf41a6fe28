"""The sources of the site, beside each other in one folder, for sphinx-build.

    stage.py SOURCE STAGED

STAGED gets links to what Markdown of the repository may lead to, the first page with the list of all pages, and the
reference of the C interface, from the comments of its headers.
"""

import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "man"))
from header import has_collectives, headers_in, summary  # noqa: E402

PAGES = {
    "Use it": ["docs/first-program", "docs/installation", "docs/commands", "docs/examples/README", "docs/languages", "docs/preload",
               "docs/tune", "docs/report", "docs/top", "docs/watchdog", "docs/viewers", "docs/reproducible"],
    "Look it up": ["reference/index", "reference/cpp", "docs/tables"],
    "What it does": ["docs/auto", "docs/prediction", "docs/scatter-gather", "docs/collectives", "docs/allgather",
                     "docs/clairvoyant", "docs/local-redirect", "docs/non-clairvoyant"],
    "What it gains": ["docs/real-programs", "docs/regret", "docs/reproduction", "docs/simgrid", "docs/simulate",
                      "docs/measurements", "apps/fft/README", "apps/helsim-mini/README", "bench/cluster/README"],
    "Inside": ["docs/architecture", "CONTRIBUTING", "CHANGELOG"],
}


def link_sources(source, staged):
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir(parents=True)
    for entry in source.iterdir():
        if not entry.name.startswith(".") and entry.name not in ("build", "shared", "README.md"):
            (staged / entry.name).symlink_to(entry)


def toctree(caption, pages, *options):
    lines = [":caption: " + caption] if caption else []
    return "\n".join(["```{toctree}", *lines, *options, "", *pages, "```", ""])


def first_page(source):
    """The README, and unseen below it the pages for the list at the side."""
    lists = [toctree(caption, pages, ":hidden:") for caption, pages in PAGES.items()]
    return "\n".join([(source / "README.md").read_text(), *lists])


def markdown(text):
    """A comment's text: stars in it are C's, code is what is indented."""
    return "\n".join(line if line.startswith("    ") else line.replace("*", "\\*") for line in text.split("\n"))


def functions(header, entry):
    comment, declarations, group = entry
    if comment in ("@{", ""):
        comment = header.groups.get(group, "")
    signatures = [" ".join(declaration.split()).rstrip(";") for _, declaration in declarations]
    alone = [f"````{{c:function}} {signature}\n````" for signature in signatures[:-1]]
    return "\n".join([*alone, "````{c:function} " + signatures[-1], "", markdown(comment), "````", ""])


def header_page(header):
    out = [f"# {header.name}", "", markdown(header.about), ""]
    told = set()
    for entry in header.entries:
        group = entry[2]
        if group and group not in told:
            told.add(group)
            out += [f"## {group}", "", markdown(header.groups[group]), ""]
        out.append(functions(header, entry))
    if header.name == "pat.h":  # of the functions that are in headers of their own
        out += ["## Collectives", "", markdown(header.groups["Collectives"]), ""]
    return "\n".join(out)


def reference(source, folder):
    folder.mkdir()
    headers = [header for header in headers_in(source / "libpat/include/pat") if header.name != "refuse.h"]
    headers.sort(key=lambda header: (header.name != "pat.h", has_collectives(header), header.name))
    rows = ["| header | functions | |", "|---|---|---|"]
    for header in headers:
        (folder / f"{header.name}.md").write_text(header_page(header))
        names = [f"{{c:func}}`{entry[1][0][0]}`" for entry in header.entries]
        idea = summary(header, header.about) if has_collectives(header) else ""
        rows.append(f"| [{header.name}]({header.name}.md) | {', '.join(names)} | {idea} |")
    title = "# The C interface\n\nPrograms include `pat/pat.h`, which includes the others.\n"
    (folder / "index.md").write_text("\n".join(
        [title, *rows, "", toctree("", [header.name for header in headers], ":hidden:")]))
    (folder / "cpp.md").write_text(
        "# The C++ interface\n\n`pat/pat.hpp`, for C++17 and later. [Languages](../docs/languages.md) explains it.\n\n"
        "```{literalinclude} ../libpat/include/pat/pat.hpp\n:language: cpp\n```\n")


def main():
    source, staged = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    link_sources(source, staged)
    (staged / "README.md").write_text(first_page(source))
    reference(source, staged / "reference")


main()
