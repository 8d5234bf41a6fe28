"""compiled_alone.py COMPILE_COMMANDS: a build that precompiles headers and reads some files together does not see
whether a file includes what it uses; a build without either (with ccache, or from another build system) fails then.
So each file, read by itself, must be C++, without a warning that the compiler gives while it reads."""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

from compiled_together import files_of

FROM_TOGETHER = {"-Winvalid-pch", "-Wno-shadow", "-Wno-subobject-linkage", "-Wno-array-bounds"}


def options_alone(words):
    """What the compiler is told, without what was precompiled and what it keeps silent of for that reason."""
    end = words.index("-o")
    options = []
    skipped = False
    for word, following in zip(words[:end], words[1:end] + [""]):
        skips = word == "-include" and "cmake_pch" in following
        if not (skips or skipped or word in FROM_TOGETHER):
            options.append(word)
        skipped = skips
    return options


def alone(commands):
    """Each file once, with its options."""
    found = {}
    for one in commands:
        words = shlex.split(one["command"])
        for file in files_of(one["file"]):
            if file.endswith(".cpp"):
                found.setdefault(file, (options_alone(words), one["directory"]))
    return sorted((file, *how) for file, how in found.items())


def complaints(job):
    file, options, folder = job
    run = subprocess.run([*options, "-Werror", "-fsyntax-only", file], cwd=folder, capture_output=True, text=True)
    lines = [line for line in run.stderr.split("\n") if re.search(r"\berror:", line)]
    return file, (lines or [run.stderr]) if run.returncode else []


def main():
    with open(sys.argv[1]) as file:
        jobs = alone(json.load(file))
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, lines in pool.map(complaints, jobs):
            wrong += bool(lines)
            for line in lines[:3]:
                print(line, flush=True)
    print(f"{len(jobs)} files, {wrong} cannot be compiled alone")
    sys.exit(1 if wrong or not jobs else 0)


main()
