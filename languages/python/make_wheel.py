"""Packs the package into a wheel: make_wheel.py VERSION TAG FOLDER OUTPUT FILE...

FOLDER has the package as it is imported; FILE are its files. The wheel is the same to the byte for equal
files.
"""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

NAME = "pat_mpi"

METADATA = """Metadata-Version: 2.1
Name: pat-mpi
Version: {version}
Summary: Prediction of process arrival times, and MPI collectives that follow them
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: mpi4py>=3.1
Requires-Dist: numpy
"""

WHEEL = """Wheel-Version: 1.0
Generator: pat
Root-Is-Purelib: false
Tag: {tag}
"""


def main():
    version, tag, folder, output = sys.argv[1:5]
    info = f"{NAME}-{version}.dist-info"
    contents = {name: (Path(folder) / name).read_bytes() for name in sorted(sys.argv[5:])}
    contents = {f"pat/{name}": data for name, data in contents.items()}
    contents[f"{info}/METADATA"] = METADATA.format(version=version).encode()
    contents[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
        for name, data in contents.items())
    contents[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    with zipfile.ZipFile(Path(output) / f"{NAME}-{version}-{tag}.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)


main()
