#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The Node client of docs/api.md does what the page says: node.py KELSO"""
import os
import re
import signal
import subprocess
import sys
import tempfile

KELSO = os.path.abspath(sys.argv[1])

with open("docs/api.md") as f:
    script, expected = re.search(r"```js\n(.*?)```\n\n```\n(.*?)```", f.read(), re.S).groups()
pattern = re.escape(expected).replace(re.escape("..."), "[^\n]+")
with tempfile.TemporaryDirectory() as dir:
    path = os.path.join(dir, "ask.mjs")
    with open(path, "w") as f:
        f.write(script)
    subprocess.run([KELSO, "build", "--pieces", "3", "--dir", dir, "--progress", "none"], check=True,
                   stdout=subprocess.DEVNULL)
    server = subprocess.Popen([KELSO, "serve", "--listen", "127.0.0.1:0", "--dir", dir],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    address = re.search(r"http://[0-9.:]+", server.stdout.readline()).group()
    asked = subprocess.run(["node", path], env=dict(os.environ, KELSO=address), capture_output=True, text=True)
    server.send_signal(signal.SIGTERM)
    server.communicate()
assert asked.returncode == 0, asked.stderr
assert re.fullmatch(pattern, asked.stdout), f"expected\n{expected}\nfound\n{asked.stdout}"
