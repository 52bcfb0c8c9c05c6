# SPDX-License-Identifier: MIT
"""Makes the wheel of the package (PEP 517), so that pip can install it from the source tree:

    pip install ./bindings/python

The module is built by `make python` in the top directory; a wheel is that and its metadata."""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))


def _read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def _version():
    return re.search(r"^VERSION\s*:=\s*(\S+)", _read(TOP, "Makefile"), re.M).group(1)


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def _metadata():
    return "\n".join([
        "Metadata-Version: 2.1", "Name: kelso", f"Version: {_version()}",
        "Summary: Exact answers to endgames of English draughts (American checkers)",
        "License: MIT", "Requires-Python: >=3.9", "Description-Content-Type: text/markdown", "",
        _read(HERE, "README.md")])


def _record(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Called by pip; returns the name of the wheel."""
    subprocess.run(["make", "--no-print-directory", f"-j{os.cpu_count()}", "python", f"PYTHON={sys.executable}"],
                   cwd=TOP, check=True)
    info, built = f"kelso-{_version()}.dist-info", os.path.join(TOP, "build", "python", "kelso")
    files = {f"{info}/METADATA": _metadata().encode(),
             f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: build_kelso\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode(),
             f"{info}/LICENSE": _read(TOP, "LICENSE").encode()}
    for name in ("__init__.py", "py.typed", "_kelso.so"):
        with open(os.path.join(built, name), "rb") as f:
            files[f"kelso/{name}"] = f.read()
    files[f"{info}/RECORD"] = ("".join(_record(n, c) for n, c in files.items()) + f"{info}/RECORD,,\n").encode()
    wheel = f"kelso-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as z:
        for name, content in files.items():
            z.writestr(name, content)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    """The package is part of the source tree of kelso: `make dist` makes its release."""
    raise RuntimeError("install from the source tree of kelso: pip install ./bindings/python")
