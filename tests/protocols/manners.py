#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Ctrl-C, as a person presses it: exit status 130, and what was found so far is kept.
usage: manners.py KELSO"""
import os
import signal
import subprocess
import sys
import tempfile
import time

KELSO = os.path.abspath(sys.argv[1])
PATIENCE = 120  # seconds, on a busy machine
FEN = "B:W21-32:B1-12"


class Job:
    """A command that runs, and what it has written so far."""

    def __init__(self, *args, stdin=subprocess.DEVNULL):
        self.process = subprocess.Popen([KELSO, *args], stdin=stdin, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, bufsize=0)

    def read_until(self, stream, words):
        """Read a stream up to these words."""
        text, end = b"", time.monotonic() + PATIENCE
        while words not in text:
            byte = stream.read(1)
            assert byte, f"ended before {words!r}: {text!r}"
            assert time.monotonic() < end, f"no {words!r} in {text!r}"
            text += byte
        return text

    def interrupt(self):
        """Ctrl-C; returns status, output and errors that were still to come."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out.decode(), err.decode()


def games_in(path):
    checked = subprocess.run([KELSO, "pdn", "check", path], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    return int(checked.stdout.split(": ")[1].split(" game")[0])


def test_match():
    """The games that were finished are in the file."""
    with tempfile.TemporaryDirectory() as dir:
        pdn = os.path.join(dir, "match.pdn")
        job = Job("match", "--games", "100000", "--a", "nodes=300", "--b", "nodes=300",
                  "--no-tables", "--pdn", pdn, "--progress", "plain")
        job.read_until(job.process.stderr, b"\n")
        status, out, err = job.interrupt()
        assert status == 130, (status, out, err)
        assert games_in(pdn) >= 1, open(pdn).read()


def test_play():
    """The game as far as it went is in the file."""
    with tempfile.TemporaryDirectory() as dir:
        pdn = os.path.join(dir, "play.pdn")
        job = Job("play", "--depth", "3", "--no-tables", "--pdn", pdn, stdin=subprocess.PIPE)
        job.read_until(job.process.stdout, b"Black> ")
        job.process.stdin.write(b"11-15\n")
        job.read_until(job.process.stdout, b"Black> ")
        time.sleep(0.3)  # it waits for a move again
        status, out, err = job.interrupt()
        assert status == 130, (status, out, err)
        assert games_in(pdn) == 1
        text = open(pdn).read()
        assert "1. 11-15 " in text and text.rstrip().endswith("*"), text


def test_analyze():
    """The lines of a position, or the moves of a game, that were found are printed."""
    job = Job("analyze", FEN, "--time", "1h", "--no-tables")
    job.read_until(job.process.stdout, b"11-15")
    status, out, err = job.interrupt()
    assert status == 130, (status, out, err)
    with tempfile.TemporaryDirectory() as dir:
        pdn = os.path.join(dir, "game.pdn")
        with open(pdn, "w") as f:
            f.write("1. 11-15 23-19 2. 8-11 22-17 3. 4-8 25-22 4. 9-13 27-23 5. 6-9 *\n")
        job = Job("analyze", pdn, "--time", "1s", "--no-tables", "--progress", "none")
        job.read_until(job.process.stdout, b"11-15")
        status, out, err = job.interrupt()
        assert status == 130, (status, out, err)


def test_soon():
    """Work that takes hours ends at once, whatever it has found."""
    with tempfile.TemporaryDirectory() as dir:
        subprocess.run([KELSO, "build", "--pieces", "3", "--kinds", "wld", "--dir", dir,
                        "--progress", "none"], check=True, stdout=subprocess.DEVNULL)
        for args, words in [
                (("solve", FEN, "--dir", dir, "--time", "1h", "--threads", "2"), "unknown"),
                (("bench", "--depth", "60"), ""),
                (("perft", "19"), "")]:
            job = Job(*args, "--progress", "bar")
            job.read_until(job.process.stderr, b"\r")  # it has begun
            used = os.times().children_user
            status, out, err = job.interrupt()
            assert status == 130, (args, status, out, err)
            assert words in out, (args, out)
            print(f"# {args[0]}: {os.times().children_user - used:.2f} s of CPU in all")


def test_two_threads():
    """Two threads take about the processor time of one for as many positions."""
    def processor_seconds(threads):
        before = os.times()
        solved = subprocess.run([KELSO, "solve", FEN, "--dir", dir, "--nodes", "100000", "--threads",
                                 threads, "--progress", "none"], stdout=subprocess.DEVNULL)
        assert solved.returncode == 1, solved  # not decided
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    with tempfile.TemporaryDirectory() as dir:
        subprocess.run([KELSO, "build", "--pieces", "3", "--kinds", "wld", "--dir", dir,
                        "--progress", "none"], check=True, stdout=subprocess.DEVNULL)
        one, two = processor_seconds("1"), processor_seconds("2")
        print(f"# 100,000 positions: {one:.2f} s on one thread, {two:.2f} s on two")
        assert two < 3 * one + 1, (one, two)  # neither spins while the other is not running


def test_serve():
    """The server too ends with 130; as a service, stopped by SIGTERM, with 0."""
    with tempfile.TemporaryDirectory() as dir:
        for sent, expected in [(signal.SIGINT, 130), (signal.SIGTERM, 0)]:
            job = Job("serve", "--listen", "127.0.0.1:0", "--dir", dir)
            job.read_until(job.process.stdout, b"Ctrl-C stops it")
            job.process.send_signal(sent)
            job.process.communicate(timeout=PATIENCE)
            assert job.process.returncode == expected, (sent, job.process.returncode)


def test_everywhere():
    """Every other command that may take long ends with 130."""
    fen = "B:WK9,K21,12:BK4,1,8"  # an ending that takes seconds on demand
    with tempfile.TemporaryDirectory() as dir:
        for args in [
                ("build", "--pieces", "7", "--dir", dir),
                ("census", "--plies", "19", "--dir", dir),
                ("shortest", "--plies", "20"),
                ("probe", "--on-demand", fen),
                ("line", "--on-demand", fen),
                ("duel", "--on-demand", fen),
                ("tune", "--games", "100000", "--data", os.path.join(dir, "samples")),
                ("papers", "run", "census", "--upto", "1h", "--dir", dir)]:
            job = Job(*args, "--progress", "bar")
            job.read_until(job.process.stderr, b"\r")  # it has begun
            status, out, err = job.interrupt()
            assert status == 130, (args, status, out, err)


def test_time_left():
    """solve says how much of its time is left."""
    with tempfile.TemporaryDirectory() as dir:
        subprocess.run([KELSO, "build", "--pieces", "2", "--kinds", "wld", "--dir", dir,
                        "--progress", "none"], check=True, stdout=subprocess.DEVNULL)
        job = Job("solve", FEN, "--dir", dir, "--time", "1h", "--progress", "bar")
        job.read_until(job.process.stderr, b"at most 59:5")
        assert job.interrupt()[0] == 130


tests = [value for name, value in sorted(globals().items()) if name.startswith("test_")]
print(f"1..{len(tests)}")
for number, test in enumerate(tests, 1):
    test()
    print(f"ok {number} - {test.__doc__.splitlines()[0]}", flush=True)
