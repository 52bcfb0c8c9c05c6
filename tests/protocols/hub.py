#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A client of the Hub protocol that shares nothing with the engine: each message, and the edges
that real clients find.  usage: hub.py KELSO"""
import subprocess
import sys
import threading
import time
from queue import Empty, Queue

START = "B" + "b" * 12 + "e" * 8 + "w" * 12
PATIENCE = 60  # seconds, on a busy machine


class Engine:
    def __init__(self, kelso, *args):
        self.process = subprocess.Popen(
            [kelso, "engine", *args, "--no-tables", "--hash", "1"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.lines = Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def send(self, *lines):
        for line in lines:
            self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def line(self, patience=PATIENCE):
        return self.lines.get(timeout=patience)

    def until(self, command):
        """The lines up to the one that begins with the command."""
        got = []
        while True:
            line = self.line()
            assert line is not None, f"the engine ended before {command}: {got}"
            got.append(line)
            if line.split(" ")[0] == command:
                return got

    def silent(self, seconds=0.4):
        try:
            raise AssertionError(f"expected nothing, found {self.line(seconds)!r}")
        except Empty:
            pass

    def pong(self):
        """Everything before has been handled; returns what came on the way."""
        self.send("ping")
        return self.until("pong")[:-1]

    def end(self, command="quit"):
        if command is not None:
            self.send(command)
        else:
            self.process.stdin.close()
        assert self.process.wait(PATIENCE) == 0, "exit status"


def begun(kelso):
    e = Engine(kelso)
    e.send("hub")
    e.until("wait")
    e.send("init")
    assert e.until("ready") == ["ready"]
    return e


def done(e):
    """The move of the one `done`; no second one follows."""
    line = e.until("done")[-1]
    assert not [x for x in e.pong() if x.startswith("done")], "one done for one go"
    return line.split("move=")[1].split(" ")[0]


def test_handshake(kelso):
    e = Engine(kelso, "hub")  # as other engines are started
    e.send("hub")
    lines = e.until("wait")
    assert lines[0].startswith("id name=")
    params = {x.split("name=")[1].split(" ")[0] for x in lines if x.startswith("param ")}
    assert {"variant", "threads", "hash", "tables", "ponder"} <= params, params
    e.send("set-param name=ponder value=true", "set-param name=hash value=2", "init")
    assert e.until("ready") == ["ready"]
    e.end()


def test_parameters(kelso):
    e = begun(kelso)
    e.send("set-param name=threads value=0", "set-param name=nonsense value=1", "set-param")
    assert sum(x.startswith("error ") for x in e.pong()) == 3
    e.end()


def test_think(kelso):
    e = begun(kelso)
    e.send("new-game", f"pos pos={START}", "level depth=5", "go think")
    lines = e.until("done")
    depths = [int(x.split("depth=")[1].split(" ")[0]) for x in lines if x.startswith("info ")]
    assert depths == sorted(depths) and depths[-1] == 5, depths
    for part in ("score=", "nodes=", "time=", "nps=", 'pv="'):
        assert part in lines[-2], lines[-2]
    e.send(f'pos pos={START} moves="11-15 22-18"', "go think")
    assert done(e) == "15x22x18"
    e.end()


def test_levels(kelso):
    e = begun(kelso)
    for level in ("move-time=0.05", "time=0.2 inc=0.01", "moves=3 time=0.3", "nodes=2000", "depth=1"):
        e.send("pos", f"level {level}", "go think")
        done(e)
    e.end()


def test_negative_clock(kelso):
    e = begun(kelso)
    for level in ("time=-0.5 inc=1", "time=0 inc=2", "move-time=-1", "time=-100"):
        e.send("pos", f"level {level}", "go think")
        begin = time.monotonic()
        done(e)
        assert time.monotonic() - begin < 20, level  # at once, also where the machine is busy
    e.send("level time=x")
    assert any(x.startswith("error ") for x in e.pong())
    e.end()


def test_infinite(kelso):
    e = begun(kelso)
    e.send("pos", "level infinite", "go analyze")
    time.sleep(0.2)
    assert not [x for x in e.pong() if x.startswith("done")]
    e.send("stop")
    done(e)
    e.send("stop")  # nothing to stop
    assert e.pong() == []
    e.end()


def test_ponder(kelso):
    e = begun(kelso)
    e.send("pos", "level depth=4", "go ponder")
    time.sleep(0.2)
    assert not [x for x in e.pong() if x.startswith("done")], "done before ponder-hit"
    e.send("ponder-hit")
    done(e)
    e.send("go ponder", "stop")
    done(e)
    e.send("ponder-hit")
    assert any(x.startswith("error ") for x in e.pong())
    e.end()


def test_ponder_that_ends_by_itself(kelso):
    e = begun(kelso)
    for word in ("ponder-hit", "stop"):
        # one piece each: Black jumps and has won; the search is over in no time
        e.send("pos pos=B" + "b" + "e" * 4 + "w" + "e" * 26, "level infinite", "go ponder")
        time.sleep(0.5)
        assert not [x for x in e.pong() if x.startswith("done")], "done before " + word
        e.send(word)
        assert done(e) == "1x10x6"
    e.end()


def test_win_scores(kelso):
    e = begun(kelso)
    e.send("pos pos=B" + "b" + "e" * 4 + "w" + "e" * 26, "level depth=3", "go think")
    lines = e.until("done")
    score = float([x for x in lines if x.startswith("info ")][-1].split("score=")[1].split(" ")[0])
    assert 99 <= score < 100, score
    e.end()


def test_refused_position(kelso):
    e = begun(kelso)
    e.send("pos", "level depth=2")
    for wrong in ("pos pos=Bxx", 'pos moves="11-18"', "pos pos=W" + "e" * 32):
        e.send(wrong, "go think")
        lines = e.pong()
        assert sum(x.startswith("error ") for x in lines) == 2, lines
        assert not [x for x in lines if x.startswith("done")], lines
    e.send("pos", "go think")
    done(e)
    e.end()


def test_no_move(kelso):
    e = begun(kelso)
    e.send("pos pos=B" + "e" * 31 + "w", "go think")
    assert any(x.startswith("error ") for x in e.pong())
    e.end()


def test_unknown(kelso):
    e = begun(kelso)
    e.send("what is=this", "", "   ", "HUB", "info depth=3")
    assert e.pong() == []
    e.end()


def test_quit(kelso):
    for word in ("quit", "  quit", "quit now", "quit\r", None):
        begun(kelso).end(word)
    e = begun(kelso)
    e.send("pos", "level infinite", "go think")
    e.end()


def main():
    tests = [(n, f) for n, f in sorted(globals().items()) if n.startswith("test_")]
    print(f"1..{len(tests)}", flush=True)
    failed = 0
    for i, (name, run) in enumerate(tests, 1):
        try:
            run(sys.argv[1])
            print(f"ok {i} - {name}", flush=True)
        except Exception as error:
            failed += 1
            print(f"not ok {i} - {name}\n# {type(error).__name__}: {error}", flush=True)
    sys.exit(failed != 0)


main()
