"""What the headers of the C interface say: comments, declarations, groups. For its manual pages and its site."""

import re
from pathlib import Path

COMMENT = re.compile(r"/\*\*(.*?)\*/", re.DOTALL)
DECLARATION = re.compile(r"^(?:int|const char\*) (PAT_\w+)\([^;]*\);", re.MULTILINE)


def body(comment):
    """The comment's text without its stars, indentation kept."""
    lines = [re.sub(r"^ ?\* ?", "", line.strip("\n").lstrip() if line.lstrip().startswith("*") else line)
             for line in comment.split("\n")]
    lines[0] = lines[0].strip()
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def first_sentence(text):
    sentence = re.split(r"[.:;(](?:\s|$)", " ".join(text.split()), maxsplit=1)[0]
    return sentence.strip()


class Header:
    """What one header says: its own comment, its groups, and comments with their declarations."""

    def __init__(self, path):
        self.name, self.about, self.entries = path.name, "", []
        self.group, self.groups, self.last_group = "", {}, ""
        text = path.read_text()
        comments = list(COMMENT.finditer(text))
        for comment, after in zip(comments, comments[1:] + [None]):
            code = text[comment.end():after.start() if after else len(text)]
            self.take(body(comment.group(1)), code)

    def take(self, comment, code):
        if comment.startswith("\\file"):
            self.about = comment.removeprefix("\\file").strip("\n ")
        elif comment.startswith("\\name"):
            self.last_group, _, text = comment.removeprefix("\\name ").partition("\n")
            self.groups[self.last_group] = text
        elif comment == "@{":
            self.group = self.last_group
        elif comment == "@}":
            self.group = ""
        found = [(match.group(1), match.group(0)) for match in DECLARATION.finditer(code)]
        large = [one for one in found if one[0].endswith("_c")]
        found = [one for one in found if one not in large]
        if found:
            self.entries.append((comment, found, self.group))
        for name, declaration in large:  # beside the form with int
            self.beside(name, declaration)

    def beside(self, name, declaration):
        for _, declarations, _ in self.entries:
            if any(name == other + "_c" for other, _ in declarations):
                declarations.append((name, declaration))


def headers_in(include):
    """All of a folder, in the order of their names."""
    return [Header(path) for path in sorted(Path(include).glob("*.h"))]


def has_collectives(header):
    return header.name not in ("pat.h", "request.h", "refuse.h")


def summary(header, comment):
    """One line; the headers of collectives begin with it: "Gather: the root receives ..."."""
    return first_sentence(header.about.partition(": ")[2] if has_collectives(header) else comment)
