"""compiled_together.py COMPILE_COMMANDS TARGET...: without ccache some files of a target are compiled together
(pat_compile_together), and which ones changes with every file that is added: so all files of such a target, read as
one in the order in which they are compiled, must be C++. What two of them keep to themselves must have different
names."""
import json
import re
import shlex
import subprocess
import sys
import tempfile


def files_of(path):
    """A file, or those that are compiled together in it."""
    if "/Unity/" not in path:
        return [path]
    with open(path) as file:
        return re.findall(r'^#include "(.*)"', file.read(), re.MULTILINE)


def place(command):
    """What CMake compiles together is numbered; it does not write the numbers in order."""
    number = re.search(r"/Unity/unity_(\d+)", command["file"])
    return int(number[1]) if number else 0


def of_target(commands, target):
    """Its files that have no options of their own, the options, and the compiler."""
    groups = {}
    for one in sorted(commands, key=place):
        words = shlex.split(one["command"])
        if f"/{target}.dir/" not in "/" + words[words.index("-o") + 1]:
            continue
        begin = next(i for i, word in enumerate(words) if word.startswith("-"))
        options = (words[begin - 1], *words[begin:words.index("-o")])
        groups.setdefault(options, []).extend(files_of(one["file"]))
    return max(groups.items(), key=lambda group: len(group[1]))


def main():
    path, *targets = sys.argv[1:]
    with open(path) as file:
        commands = json.load(file)
    wrong = False
    for target in targets:
        options, files = of_target(commands, target)
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as whole:
            whole.writelines(f'#include "{file}"\n' for file in files)
            whole.flush()
            run = subprocess.run([*options, "-w", "-fsyntax-only", whole.name], capture_output=True, text=True)
        print(f"{target}: {len(files)} files" + (" cannot be compiled together:" if run.returncode else ""))
        errors = [line for line in run.stderr.split("\n") if re.search(r"\berror:", line)]
        for line in errors[:20]:
            print("  " + line)
        wrong = wrong or run.returncode != 0
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
