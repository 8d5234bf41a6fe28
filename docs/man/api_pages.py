"""Manual pages of the C interface, from the comments of its headers.

    api_pages.py VERSION INCLUDE_FOLDER OUTPUT_FOLDER

One page a comment: pat.3 tells of the whole, PAT_Reduce.3 has PAT_Reduce and its forms, and
PAT_Ireduce.3 leads there.
"""

import sys
from pathlib import Path

from header import first_sentence, has_collectives, headers_in, summary

def roff(text):
    """Paragraphs as they are, what is indented word for word, '-' at the beginning as a list."""
    out, plain = [], True
    for line in text.split("\n"):
        code = line.startswith("    ")
        if code == plain:
            out.append(".EE" if plain is False else ".EX")
            plain = not code
        line = line if code else line.strip()
        escaped = line.replace("\\", "\\e").replace("-", "\\-")
        if not code and line == "":
            out.append(".P")
        elif not code and line.startswith("- "):
            out += [".IP \\(bu 2", escaped[3:]]
        else:
            out.append(("\\&" if escaped[:1] in (".", "'") else "") + escaped)
    if not plain:
        out.append(".EE")
    return "\n".join(out)


def page(version, header, entry, collectives, seen_by):
    comment, declarations, group = entry
    names = [name for name, _ in declarations]
    if comment in ("@{", ""):
        comment = header.groups.get(group, "")
    title = (summary(header, comment) or first_sentence(group)).replace("-", "\\-")
    out = [f'.TH {names[0]} 3 "" "PAT {version}" "PAT"', ".SH NAME",
           ", ".join(names) + " \\- " + title, ".SH SYNOPSIS", ".nf", "#include <pat/pat.h>", ".P"]
    out += [declaration.replace("-", "\\-") for _, declaration in declarations]
    out += [".fi", ".SH DESCRIPTION"]
    if collectives:
        out += [roff(header.about.split("\nIncluded by")[0]), ".P"]
    out += [roff(comment)]
    if collectives:
        out += [".SH COLLECTIVES", roff(collectives)]
    elif group and header.groups[group].strip() and comment != header.groups[group]:
        out += [".SH " + group.upper(), roff(header.groups[group])]
    out += [".SH RETURN VALUE",
            "MPI_SUCCESS, or an MPI error code; PAT_Error_string() has the sentence."
            if names[0] != "PAT_Error_string" else "A text that ends with a null byte."]
    others = [other for other in seen_by if other not in names]
    out += [".SH SEE ALSO", ",\n".join(f".BR {other} (3)" for other in ["pat"] + others)]
    return "\n".join(out) + "\n"


def main():
    version, include, output = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    output.mkdir(parents=True, exist_ok=True)
    headers = headers_in(include)
    whole = next(header for header in headers if header.name == "pat.h")
    collectives = whole.groups["Collectives"]
    index = []
    for header in headers:
        firsts = [entry[1][0][0] for entry in header.entries]
        for entry in header.entries:
            names = [name for name, _ in entry[1]]
            text = page(version, header, entry, collectives if has_collectives(header) else "", firsts)
            (output / f"{names[0]}.3").write_text(text)
            for name in names[1:]:
                (output / f"{name}.3").write_text(f".so man3/{names[0]}.3\n")
            index.append((names[0], summary(header, entry[0]).replace("-", "\\-")))
    out = [f'.TH PAT 3 "" "PAT {version}" "PAT"', ".SH NAME",
           "pat \\- process arrival times and collectives of MPI that follow them",
           ".SH SYNOPSIS", ".nf", "#include <pat/pat.h>", ".P", "mpicc program.c $(pkg\\-config --cflags --libs pat)",
           ".fi", ".SH DESCRIPTION", roff(whole.about), ".SH FUNCTIONS"]
    for name, idea in sorted(index):
        out += [".TP", f".BR {name} (3)", idea]
    out += [".SH SEE ALSO", ".BR pat (1)"]
    (output / "pat.3").write_text("\n".join(out) + "\n")


main()
