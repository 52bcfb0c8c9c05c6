#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A peer of the DamExchange protocol that shares nothing with the engine: each message, and what
peers send that they should not.  usage: dxp.py KELSO"""
import socket
import subprocess
import sys
import threading
import time

PATIENCE = 60  # seconds, on a busy machine
END = b"\0"


class Engine:
    def __init__(self, kelso, *args):
        with socket.socket() as s:  # a port that is free now
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.out = []
        self.process = subprocess.Popen(
            [kelso, "engine", "--dxp", f"127.0.0.1:{self.port}", "--no-tables", "--hash", "1",
             "--think", "0.01", *args],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.out.append(line.rstrip("\n"))

    def expect_result(self, n, text):
        """Among the results behind the n-th, one with that text."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if any(text in line for line in self.out[n:]):
                return
            time.sleep(0.02)
        raise AssertionError(f"expected {text}, found {self.out[n:]}")

    def end(self):
        self.process.terminate()
        self.process.wait(PATIENCE)


class Peer:
    def __init__(self, engine=None, connection=None):
        until = time.monotonic() + PATIENCE
        self.held = b""
        self.socket = connection
        while not self.socket:
            try:
                self.socket = socket.create_connection(("127.0.0.1", engine.port), PATIENCE)
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
        self.socket.settimeout(PATIENCE)

    def send(self, *messages):
        self.socket.sendall(b"".join(m.encode() + END for m in messages))

    def receive(self):
        while END not in self.held:
            more = self.socket.recv(4096)
            if not more:
                return None
            self.held += more
        message, self.held = self.held.split(END, 1)
        return message.decode()

    def expect(self, begin):
        message = self.receive()
        assert message is not None and message.startswith(begin), f"expected {begin}, found {message!r}"
        return message


def request(colour="W", minutes="005", moves="075", start="A", version="01"):
    """`colour` is the follower's: the engine's."""
    return f"R{version}{'a peer':32}{colour}{minutes}{moves}{start}"


def board(turn, **pieces):
    squares = ["e"] * 32
    for letter, numbers in pieces.items():
        for n in numbers:
            squares[n - 1] = letter
    return f"B{turn}{''.join(squares)}"


def accepted(engine, **asked):
    """A peer whose request for a game was accepted."""
    p = Peer(engine)
    p.send(request(**asked))
    p.expect("A")
    return p


def test_request(engine):
    p = Peer(engine)
    p.send(request())
    answer = p.expect("A")
    assert len(answer) == 34 and answer[-1] == "0", answer
    p.send("M0001111500")  # 11-15
    move = p.expect("M")
    assert len(move) >= 11 and move[5:].isdigit()
    p.send("E00")
    p.expect("E0")
    p.socket.close()


def test_engine_begins(engine):
    p = accepted(engine, colour="Z")
    p.expect("M")
    p.socket.close()


def test_request_that_cannot_be_read(engine):
    p = Peer(engine)
    for wrong in ("R", "R01short", request(colour="X"), request(minutes="abc"), request(start="C"),
                  request(start="BW" + "e" * 20), request(start="BZ" + "z" * 20 + "e" * 10 + "w" * 20)):
        p.send(wrong)
        answer = p.expect("A")
        assert answer[-1] == "2", (wrong, answer)
    p.send(request())  # the same connection goes on
    assert p.expect("A")[-1] == "0"
    p.socket.close()


def test_version(engine):
    p = Peer(engine)
    p.send(request(version="02"))
    assert p.expect("A")[-1] == "1"
    p.socket.close()


def test_second_request(engine):
    p = accepted(engine)
    p.send(request())
    assert p.expect("A")[-1] == "2"
    p.socket.close()


def test_no_clock(engine):
    p = accepted(engine, colour="Z", minutes="000")
    p.expect("M")
    p.socket.close()


def test_capture(engine):
    n = len(engine.out)
    p = accepted(engine, colour="Z", start=board("Z", z=[1], w=[6]))  # 1x10 wins
    assert p.expect("M")[5:] == "01100106"
    p.send("E00")  # the loser does not say who has won
    p.expect("E")
    engine.expect_result(n, "1-0")
    p.socket.close()


def test_loser_hangs_up(engine):
    n = len(engine.out)
    p = accepted(engine, colour="Z", start=board("Z", z=[1], w=[6]))
    p.expect("M")
    p.socket.close()
    engine.expect_result(n, "1-0 (no piece left)")


def test_loser_claims_a_win(engine):
    n = len(engine.out)
    p = accepted(engine, colour="Z", start=board("Z", z=[1], w=[6]))
    p.expect("M")
    p.send("E30")
    p.expect("E")
    engine.expect_result(n, "1-0 (no piece left)")
    p.socket.close()


def test_peer_resigns(engine):
    n = len(engine.out)
    p = accepted(engine)
    p.send("E10")
    p.expect("E")
    engine.expect_result(n, "0-1 (as the peer says)")
    p.socket.close()


def test_peer_takes_the_last_piece(engine):
    n = len(engine.out)
    p = accepted(engine, colour="Z", start=board("W", z=[6], w=[10]))  # 10x1: Black has nothing left
    p.send("M000110010106")
    p.expect("E1")  # the engine says that it has lost
    engine.expect_result(n, "0-1")
    p.socket.close()


def test_illegal_move(engine):
    p = accepted(engine)
    p.send("M0001112300")
    p.expect("E0")
    p.socket.close()


def test_back_and_chat(engine):
    p = accepted(engine)
    p.send("Cgood luck", "B001Z")
    p.expect("K")
    p.socket.close()


def test_garbage(engine):
    p = Peer(engine)
    p.send("Qxyz")
    while p.receive() is not None:
        pass
    p = Peer(engine)  # the next caller is served
    p.send(request())
    p.expect("A")
    p.socket.close()


def test_split_messages(engine):
    p = Peer(engine)
    for byte in request().encode() + END + b"M0001111500" + END:
        p.socket.sendall(bytes([byte]))
        time.sleep(0.001)
    p.expect("A")
    p.expect("M")
    p.socket.close()


def call_test(kelso):
    """The engine calls and asks for a game."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen(1)
        s.settimeout(PATIENCE)
        engine = subprocess.Popen(
            [kelso, "engine", "--dxp", f"127.0.0.1:{s.getsockname()[1]}", "--call", "--games", "1",
             "--no-tables", "--hash", "1", "--think", "0.01"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        p = Peer(connection=s.accept()[0])
        asked = p.expect("R01")
        assert asked[3:35].startswith("Kelso") and asked[35] == "W" and asked[-1] == "A", asked
        p.send(f"A{'a peer':32}0")
        p.expect("M")
        p.send("E11")  # I lose, and no further game
        out, _ = engine.communicate(timeout=PATIENCE)
        assert "1-0" in out, out
        p.socket.close()


def main():
    tests = [(n, f) for n, f in globals().items() if n.startswith("test_")]
    print(f"1..{len(tests) + 1}", flush=True)
    engine = Engine(sys.argv[1])
    failed = 0
    for i, (name, run) in enumerate(tests + [("call", lambda _: call_test(sys.argv[1]))], 1):
        try:
            run(engine)
            print(f"ok {i} - {name}", flush=True)
        except Exception as error:
            failed += 1
            print(f"not ok {i} - {name}\n# {type(error).__name__}: {error}", flush=True)
    engine.end()
    sys.exit(failed != 0)


main()
