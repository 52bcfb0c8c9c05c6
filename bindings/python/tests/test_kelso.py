# SPDX-License-Identifier: MIT
"""The Python package: test_kelso.py TABLES, a directory of tables of four pieces, all kinds."""

import doctest
import importlib.util
import inspect
import os
import random
import subprocess
import sys
import tempfile
import threading
import unittest
from array import array

import kelso

TABLES = ""


def random_position(r, pieces):
    """A legal position with this many pieces, drawn by rejection."""
    while True:
        squares = r.sample(range(32), pieces)
        sets = [0, 0, 0, 0]
        for n in squares:
            sets[r.randrange(4)] |= 1 << n
        try:
            return kelso.Position.from_bits(*sets, kelso.Side(r.randrange(2)))
        except kelso.Error:
            continue


class Positions(unittest.TestCase):
    def test_text_and_back(self):
        p = kelso.Position("B:W21,22,K30:BK1,12")
        self.assertEqual(p.fen, "B:W21,22,K30:BK1,12")
        self.assertEqual(kelso.Position.from_bits(*p.bits), p)
        self.assertEqual(hash(kelso.Position(p.fen)), hash(p))
        self.assertEqual((p.turn, p.pieces), (kelso.Side.BLACK, 5))

    def test_moves(self):
        start = kelso.Position.start()
        self.assertEqual({str(m) for m in start.moves()},
                         {"9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16"})
        self.assertEqual(start.play("11-15").play("22-18").play("15x22").fen,
                         "W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,22")
        double = kelso.Position("B:W6,14:B1").moves()[0]
        self.assertEqual((str(double), double.captured), ("1x10x17", frozenset({6, 14})))

    def test_refusals(self):
        for fen in ("", "B", "B:W40:B1", "B:W1:B1"):
            with self.assertRaises(kelso.Error) as caught:
                kelso.Position(fen)
            self.assertEqual(caught.exception.status, 2)
        with self.assertRaises(kelso.Error):
            kelso.Position.start().play("11-20")
        with self.assertRaises(kelso.Error):
            kelso.Position.start().play(kelso.Move((11, 99)))
        with self.assertRaises(kelso.Error):
            kelso.Position.from_bits(1, 1, 2, 0)

    def test_documentation(self):
        self.assertEqual(doctest.testmod(kelso).failed, 0)


class Probes(unittest.TestCase):
    def setUp(self):
        self.tables = kelso.Tables(TABLES)

    def test_what_is_there(self):
        slices = self.tables.slices()
        self.assertEqual(self.tables.pieces, 4)
        self.assertIn("2K-1K1C", [s.name for s in slices])
        self.assertEqual(slices[0].kinds, {"wld", "dtc", "dtw"})

    def test_answers(self):
        p = kelso.Position("B:WK31:B25,K18")
        self.assertEqual(str(self.tables.probe(p, "dtw")), "win in 3 plies")
        self.assertEqual(self.tables.probe(p).plies, None)
        self.assertEqual(self.tables.at_hand(p), kelso.Value.WIN)
        self.assertEqual(str(self.tables.moves(p)[0].move), "18-23")
        line = self.tables.line(p)
        self.assertEqual(([str(m) for m in line], line.end), (["18-23", "31-27", "23x32"], "lost"))
        with self.assertRaises(kelso.Missing):
            self.tables.probe(kelso.Position.start())

    def test_values_follow_from_moves(self):
        """A value is the best of what the moves leave to the other side."""
        r = random.Random(SEED)
        for _ in range(300):
            p = random_position(r, 4)
            best = max((2 - self.tables.probe(p.play(m)).value for m in p.moves()), default=0)
            self.assertEqual(self.tables.probe(p).value, best, p)

    def test_batch(self):
        r = random.Random(SEED)
        some = [random_position(r, 4) for _ in range(1000)] + [kelso.Position.start()]
        values = self.tables.batch(some)
        self.assertEqual(values[:-1], [self.tables.probe(p).value for p in some[:-1]])
        self.assertIsNone(values[-1])
        bad = array("I", [1, 1, 0, 0, 0] + [1, 0, 1 << 31, 0, 7])
        self.assertEqual(self.tables.batch_bits(bad), b"\xff\xff")
        with self.assertRaises(ValueError):
            self.tables.batch_bits(array("I", [1, 2, 3]))

    def test_threads(self):
        r = random.Random(SEED)
        some = [random_position(r, 4) for _ in range(500)]
        wanted, found = self.tables.batch(some), []

        def ask():
            found.append([self.tables.probe(p).value for p in some])

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(found, [wanted] * 4)

    def test_check_and_close(self):
        shares = []
        self.tables.check(progress=lambda share: shares.append(share))
        self.assertEqual(shares[-1], 1.0)
        self.tables.close()
        with self.assertRaises(ValueError):
            self.tables.pieces
        with self.assertRaises(kelso.Error):
            kelso.Tables("/nonexistent")


class Endings(unittest.TestCase):
    def test_against_tables(self):
        p = kelso.Position("B:WK31,30:BK18,25")
        ending = kelso.Ending(p, conversions=True).solve()
        with kelso.Tables(TABLES) as tables:
            for m in p.moves():
                after = p.play(m)
                for kind in ("wld", "dtc", "dtw"):
                    self.assertEqual(ending.probe(after, kind), tables.probe(after, kind))
        with self.assertRaises(kelso.Missing):
            ending.probe(kelso.Position("B:W30,K31:B13,K18"))

    def test_cancel_and_exceptions(self):
        p = kelso.Position("B:WK9,K21,12:BK4,1,8,10")
        ending = kelso.Ending(p)
        self.assertGreater(ending.values(), 10**9)
        with self.assertRaises(kelso.Error):
            ending.solve(memory=1)
        with self.assertRaises(kelso.Error):
            ending.solve(progress=lambda share: False)
        with self.assertRaises(ZeroDivisionError):
            kelso.Ending(p).solve(progress=lambda share: 1 / 0)


class Solvers(unittest.TestCase):
    HARD = kelso.Position("B:W9,23:B7,15,16")  # five pieces, solved with tables of four

    def test_solve_line_proof(self):
        tables = kelso.Tables(TABLES)
        solver = kelso.Solver(tables, threads=2)
        with self.assertRaises(kelso.Missing):
            solver.line()
        solution = solver.solve(self.HARD, seconds=600)
        self.assertEqual((solution.value, str(solution)), (kelso.Value.WIN, "win"))
        self.assertGreater(solution.nodes, 0)
        p = self.HARD
        for move in solver.line():
            p = p.play(move)
        self.assertNotEqual(p, self.HARD)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "win.proof")
            solver.write_proof(path)
            self.assertEqual(kelso.check_proof(tables, path),
                             (self.HARD, kelso.Value.WIN, kelso.Value.WIN))
            os.truncate(path, 100)
            with self.assertRaises(kelso.Error):
                kelso.check_proof(tables, path)

    def test_solve_stops(self):
        tables = kelso.Tables(TABLES)
        solver = kelso.Solver(tables)
        tables.close()  # the solver still needs them
        start = kelso.Position.start()
        solution = solver.solve(start, nodes=1000)
        self.assertIsNone(solution.value)
        self.assertEqual(str(solution), "loss to win")
        self.assertTrue(solver.solve(start, seconds=3600, progress=lambda share: False).cancelled)
        with self.assertRaises(ZeroDivisionError):
            solver.solve(start, seconds=3600, progress=lambda share: 1 / 0)
        with self.assertRaises(kelso.Error):
            solver.solve(start)  # no limit

    def test_search(self):
        p = kelso.Position("B:WK31:B25,K18")
        found = kelso.Search(kelso.Tables(TABLES)).run(p, depth=9)
        self.assertEqual((found.value, str(found.move)), (kelso.Value.WIN, "18-23"))
        search = kelso.Search(memory=1 << 20)
        found = search.run(kelso.Position.start(), depth=6)
        self.assertIsNone(found.value)
        self.assertIn(found.move, kelso.Position.start().moves())
        found = search.run(kelso.Position("B:W5,6,10:B1"), depth=3)  # no move
        self.assertEqual((found.move, found.value, found.plies), (None, kelso.Value.LOSS, 0))


class Package(unittest.TestCase):
    def functions(self):
        """The public functions and methods, by name."""
        for name in kelso.__all__:
            thing = getattr(kelso, name)
            if inspect.isfunction(thing):
                yield name, thing
            for key, member in vars(thing).items() if inspect.isclass(thing) else ():
                member = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
                if inspect.isfunction(member) and member.__module__ == "kelso" and not key.startswith("_"):
                    yield f"{name}.{key}", member

    def test_typed_and_documented(self):
        checked = 0
        for name, f in self.functions():
            signature = inspect.signature(f)
            self.assertTrue(f.__doc__, name)
            self.assertIsNot(signature.return_annotation, signature.empty, name)
            for p in signature.parameters.values():
                self.assertTrue(p.name in ("self", "cls") or p.annotation is not p.empty, (name, p.name))
            checked += 1
        self.assertGreater(checked, 20)
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(kelso.__file__), "py.typed")))

    def example(self, *args):
        script = os.path.join(os.path.dirname(__file__), "..", "examples", "distances.py")
        run = subprocess.run([sys.executable, script, TABLES, *args], capture_output=True, text=True)
        return run.returncode, run.stdout, run.stderr

    def test_example(self):
        status, out, err = self.example("2K-1K1C")
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"^2K-1K1C: 20000 positions, \d+ draws, longest \d+ plies\n$")
        self.assertNotEqual(self.example("2X")[0], 0)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib")
    def test_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.png")
            status, out, err = self.example("2K-1K1C", path)
            self.assertEqual(status, 0, err)
            with open(path, "rb") as f:
                self.assertEqual(f.read(8), b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    TABLES = sys.argv.pop(1)
    SEED = random.randrange(1 << 30)
    print(f"# seed {SEED}")
    unittest.main(verbosity=2)
