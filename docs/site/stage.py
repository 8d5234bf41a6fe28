"""The sources of the site, beside each other in one folder, for sphinx-build.

    stage.py SOURCE GENERATED STAGED

STAGED gets links to what Markdown of the repository may lead to, the first page with the list of all pages, and the
reference: of the C interface from the comments of its headers, of the C++ interfaces the headers themselves. GENERATED has
the headers that the build makes.
"""

import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "man"))
from header import first_sentence, has_collectives, headers_in, summary  # noqa: E402

PAGES = {
    "Use it": ["docs/first-program", "docs/installation", "docs/commands", "docs/examples/README", "docs/languages", "docs/preload",
               "docs/tune", "docs/report", "docs/top", "docs/watchdog", "docs/viewers", "docs/reproducible"],
    "Look it up": ["reference/index", "reference/cpp", "reference/cxx/index", "docs/tables"],
    "What it does": ["docs/auto", "docs/prediction", "docs/scatter-gather", "docs/collectives", "docs/allgather",
                     "docs/clairvoyant", "docs/local-redirect", "docs/non-clairvoyant"],
    "What it gains": ["docs/real-programs", "docs/regret", "docs/reproduction", "docs/simgrid", "docs/simulate",
                      "docs/measurements", "apps/fft/README", "apps/helsim-mini/README", "bench/cluster/README"],
    "Inside": ["docs/architecture", "CONTRIBUTING", "CHANGELOG"],
}


# The folders of headers that are installed for C++ programs without MPI, and the component of find_package.
COMPONENTS = {
    "collectives": ("schedules", "Operations, algorithms, schedules, what they cost, and the checks of them."),
    "predictors": ("predictors", "Models of computing times."),
    "core": ("core", "What both are made of: patterns, traces, settings, errors. It comes with either."),
}
# Headers that the build makes.
GENERATED = ["collectives/operation_list.hpp", "pat/calls.hpp"]


def link_sources(source, generated, staged):
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir(parents=True)
    for entry in source.iterdir():
        if not entry.name.startswith(".") and entry.name not in ("build", "shared", "README.md"):
            (staged / entry.name).symlink_to(entry)
    (staged / "generated").symlink_to(generated)


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
    headers = headers_in(source / "libpat/include/pat")
    headers.sort(key=lambda header: (header.name != "pat.h", has_collectives(header), header.name))
    rows = ["| header | functions | |", "|---|---|---|"]
    for header in headers:
        (folder / f"{header.name}.md").write_text(header_page(header))
        names = [f"{{c:func}}`{entry[1][0][0]}`" for entry in header.entries]
        idea = summary(header, header.about) if has_collectives(header) else ""
        rows.append(f"| [{header.name}]({header.name}.md) | {', '.join(names)} | {idea} |")
    title = "# The C interface\n\nPrograms include `pat/pat.h`, which includes the others but `refuse.h`.\n"
    (folder / "index.md").write_text("\n".join(
        [title, *rows, "", toctree("", [header.name for header in headers], ":hidden:")]))
    (folder / "cpp.md").write_text(
        "# The C++ interface\n\n`pat/pat.hpp`, for C++17 and later. [Languages](../docs/languages.md) explains it.\n\n"
        "```{literalinclude} ../libpat/include/pat/pat.hpp\n:language: cpp\n```\n\n"
        "## pat/calls.hpp\n\nThe collectives, which it includes; the build makes them of the table of calls.\n\n"
        "```{literalinclude} ../generated/pat/calls.hpp\n:language: cpp\n```\n")


def idea_of(header):
    """What the first comment of a C++ header says, for a cell of a table."""
    comment = re.search(r"^ *///.*(?:\n *///.*)*", header.read_text(), re.MULTILINE)
    text = re.sub(r"^ *///<? ?", "", comment.group(), flags=re.MULTILINE) if comment else ""
    return re.sub(r"([*|<\[\]])", r"\\\1", first_sentence(text))


def cxx_page(name, component, place):
    return (f"# {name}\n\n`#include <{name}>`, of the component `{component}`.\n\n"
            f"```{{literalinclude}} /{place}\n:language: cpp\n```\n")


def cxx_reference(staged, folder):
    """A page a header, and one with the list of them."""
    out = ["# C++ without MPI", "", "Schedules and models are C++20 libraries of their own, for programs without MPI: "
           "[Languages](../../docs/languages.md#c) says how to find them."]
    for part, (component, idea) in COMPONENTS.items():
        headers = {path.relative_to(staged).as_posix(): path for path in (staged / part).rglob("*.hpp")}
        headers |= {name: staged / "generated" / name for name in GENERATED if name.startswith(part + "/")}
        out += ["", f"## pat::{component}", "", idea, "", "| header | |", "|---|---|"]
        for name, path in sorted(headers.items()):
            page = folder / f"{name}.md"
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(cxx_page(name, component, path.relative_to(staged).as_posix()))
            out.append(f"| [{name}]({name}.md) | {idea_of(path)} |")
        out += ["", toctree("", sorted(headers), ":hidden:")]
    (folder / "index.md").write_text("\n".join(out))


def main():
    source, generated, staged = (Path(argument).resolve() for argument in sys.argv[1:])
    for name in GENERATED:
        if not (generated / name).exists():
            sys.exit(f"{generated / name} is not there yet, build it first: target pat_calls_header")
    link_sources(source, generated, staged)
    (staged / "README.md").write_text(first_page(source))
    reference(source, staged / "reference")
    cxx_reference(staged, staged / "reference/cxx")


main()
