# SPDX-License-Identifier: MIT
"""Exact answers to endgames of English draughts (American checkers, 8x8).

    >>> import kelso
    >>> p = kelso.Position("B:WK31:B25,K18")
    >>> sorted(str(m) for m in p.moves())
    ['18-14', '18-15', '18-22', '18-23', '25-29', '25-30']
    >>> with kelso.Tables("tables") as tables:           # doctest: +SKIP
    ...     print(tables.probe(p, "dtw"))
    win in 3 plies

Values are those of the side to move; distances are in plies. Without tables, an `Ending` solves
one position, and everything that play can reach from it, in memory.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Callable, Iterable, Iterator, Literal, Optional, Union

from . import _kelso

__all__ = [
    "Answer", "Ending", "Error", "Found", "Line", "Missing", "Move", "Position", "RankedMove",
    "Search", "Side", "Slice", "Solution", "Solver", "Tables", "Value", "check_proof", "version",
]

Kind = Literal["wld", "dtc", "dtw"]
Buffer = Union[bytes, bytearray, memoryview, "array[int]", Any]  # any buffer of whole numbers, as numpy's
Progress = Callable[[float], Optional[bool]]

_KINDS = {"wld": 0, "dtc": 1, "dtw": 2}
_MISSING = 1
_ENDS = ("lost", "repeats", "long")


def version() -> str:
    """The version of the library."""
    return _kelso.version()


class Error(Exception):
    """What the library reports: `status` is the number of kelso.h, the text names the place."""

    def __new__(cls, status: int, text: str) -> "Error":
        return super().__new__(Missing if status == _MISSING else cls, status, text)

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Missing(Error, LookupError):
    """The position is outside the tables, or outside the ending."""


_kelso.set_error(Error)


class Side(IntEnum):
    """Who is to move."""

    BLACK = 0
    WHITE = 1


class Value(IntEnum):
    """What a position is worth to the side to move, or a move to the side that makes it."""

    LOSS = 0
    DRAW = 1
    WIN = 2

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True)
class Answer:
    """A value and, where it was asked for, the plies to the end or to the next conversion."""

    value: Value
    plies: Optional[int] = None

    def __str__(self) -> str:
        return str(self.value) if self.plies is None else f"{self.value} in {self.plies} plies"


@dataclass(frozen=True)
class Move:
    """The path of a piece in square numbers, 1 to 32, and the squares of what it captures."""

    path: tuple[int, ...]
    captured: frozenset[int] = frozenset()
    crowns: bool = False

    def __str__(self) -> str:
        return ("x" if self.captured else "-").join(map(str, self.path))


def _squares(bits: int) -> frozenset[int]:
    return frozenset(n for n in range(1, 33) if bits >> (n - 1) & 1)


def _move(raw: tuple) -> Move:
    path, captured, crowns = raw
    return Move(path, _squares(captured), crowns)


class Position:
    """A position; it never changes. Made from a FEN, `Position.start()` or `Position.from_bits`."""

    __slots__ = ("_bits",)

    def __init__(self, fen: str) -> None:
        self._bits: tuple[int, int, int, int, int] = _kelso.parse(fen)

    @classmethod
    def from_bits(cls, black_men: int, black_kings: int, white_men: int, white_kings: int,
                  turn: Side = Side.BLACK) -> "Position":
        """From sets of squares: bit n - 1 is square n."""
        p = cls.__new__(cls)
        p._bits = (black_men, black_kings, white_men, white_kings, int(turn))
        _kelso.moves(p._bits)  # refuses what is no position
        return p

    @classmethod
    def start(cls) -> "Position":
        """The start of the game."""
        return cls("B:W21-32:B1-12")

    @property
    def bits(self) -> tuple[int, int, int, int, int]:
        """Black's men and kings, White's men and kings, and the side to move."""
        return self._bits

    @property
    def fen(self) -> str:
        """The position as PDN files have it: "B:W21,K30:BK1,12"."""
        return _kelso.format(self._bits)

    @property
    def turn(self) -> Side:
        """The side to move."""
        return Side(self._bits[4])

    @property
    def pieces(self) -> int:
        """How many pieces are on the board."""
        return sum(bin(b).count("1") for b in self._bits[:4])

    def moves(self) -> list[Move]:
        """All legal moves; none where the side to move has lost."""
        return [_move(m) for m in _kelso.moves(self._bits)]

    def move(self, text: str) -> Move:
        """The legal move that a text such as 11-15, 15x22 or 1x10x17 names."""
        return _move(_kelso.move_parse(self._bits, text))

    def play(self, move: Union[Move, str]) -> "Position":
        """The position after a legal move."""
        if isinstance(move, str):
            move = self.move(move)
        after = type(self).__new__(type(self))
        after._bits = _kelso.play(self._bits, move.path)
        return after

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._bits == other._bits

    def __hash__(self) -> int:
        return hash(self._bits)

    def __repr__(self) -> str:
        return f"Position({self.fen!r})"


@dataclass(frozen=True)
class RankedMove:
    """A move with what it gives to the side that makes it; plies from the position before it."""

    move: Move
    value: Value
    dtw: Optional[int]
    dtc: Optional[int]


@dataclass(frozen=True)
class Line:
    """Perfect play. `end` is "lost" (the last side to move has lost), "repeats" or "long"."""

    moves: tuple[Move, ...]
    end: str

    def __iter__(self) -> Iterator[Move]:
        return iter(self.moves)

    def __len__(self) -> int:
        return len(self.moves)


@dataclass(frozen=True)
class Slice:
    """A material distribution and the kinds of tables that are there for it."""

    name: str
    kings: int
    men: int
    other_kings: int
    other_men: int
    kinds: frozenset[str]


class Tables:
    """A directory of endgame tables, made by `kelso build`. Any number of threads may ask."""

    def __init__(self, directory: Optional[str] = None, cache: int = 0) -> None:
        """`directory`: None for the usual one. `cache`: bytes for decoded pages, 0 for 64 MiB."""
        self._handle = _kelso.open(directory, cache)

    def close(self) -> None:
        """Forget the handle; the files are closed when no call uses them any more."""
        self._handle = None

    def __enter__(self) -> "Tables":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self):
        if self._handle is None:
            raise ValueError("the tables are closed")
        return self._handle

    @property
    def pieces(self) -> int:
        """Up to how many pieces all win/loss/draw tables are there."""
        return _kelso.pieces(self._open())

    def slices(self) -> list[Slice]:
        """What is there, fewest pieces first."""
        return [Slice(name, *numbers[:4], frozenset(k for k, n in _KINDS.items() if numbers[4] >> n & 1))
                for name, *numbers in _kelso.slices(self._open())]

    def probe(self, position: Position, kind: Kind = "wld") -> Answer:
        """The exact answer. Raises `Missing` outside the tables."""
        value, plies = _kelso.probe(self._open(), position.bits, _KINDS[kind])
        return Answer(Value(value), plies)

    def at_hand(self, position: Position) -> Optional[Value]:
        """The value if it takes no waiting, else None."""
        value = _kelso.at_hand(self._open(), position.bits)
        return None if value is None else Value(value)

    def batch(self, positions: Iterable[Position]) -> list[Optional[Value]]:
        """The values of many positions; None where the tables do not know."""
        flat = array("I", (n for p in positions for n in p.bits))
        return [None if v > 2 else Value(v) for v in self.batch_bits(flat)]

    def batch_bits(self, bits: Buffer) -> bytearray:
        """The same on a buffer of 32-bit integers, five a position as in `Position.bits` (an
        `array("I")` or a numpy array of uint32): 0, 1 or 2 for each, 255 where not known."""
        return _kelso.probe_batch(self._open(), bits)

    def moves(self, position: Position) -> list[RankedMove]:
        """Every legal move with what it gives, best first."""
        return [RankedMove(_move(m), Value(v), dtw, dtc)
                for m, v, dtw, dtc in _kelso.ranked(self._open(), position.bits)]

    def line(self, position: Position, kind: Kind = "dtw") -> Line:
        """Perfect play from the position."""
        moves, end = _kelso.line(self._open(), position.bits, _KINDS[kind])
        return Line(tuple(map(_move, moves)), _ENDS[end])

    def check(self, threads: int = 1, progress: Optional[Progress] = None) -> None:
        """Check every byte against its checksum; raises `Error` for the first fault."""
        _kelso.check(self._open(), threads, progress)


class Ending:
    """One ending, solved in memory without tables; it answers for all that play can reach."""

    def __init__(self, position: Position, conversions: bool = False) -> None:
        """With `conversions`, distances to conversion are solved as well."""
        self._handle = _kelso.ending_open(position.bits, conversions)

    def values(self) -> int:
        """How many values there are to solve."""
        return _kelso.ending_size(self._handle, 1)[0]

    def bytes(self, threads: int = 1) -> int:
        """How much memory it takes."""
        return _kelso.ending_size(self._handle, threads)[1]

    def solve(self, threads: int = 1, memory: int = 0, progress: Optional[Progress] = None) -> "Ending":
        """Solve within `memory` bytes (0: no limit). `progress(share)` returns False to cancel."""
        _kelso.ending_solve(self._handle, threads, memory, progress)
        return self

    def probe(self, position: Position, kind: Kind = "dtw") -> Answer:
        """The exact answer. Raises `Missing` where play does not lead."""
        by = "dtw" if kind == "wld" else kind
        value, plies = _kelso.ending_probe(self._handle, position.bits, _KINDS[by])
        return Answer(Value(value), None if kind == "wld" else plies)


@dataclass(frozen=True)
class Solution:
    """What a solver has proven: `lower` <= value <= `upper` for the side to move."""

    lower: Value
    upper: Value
    nodes: int
    probes: int
    seconds: float
    cancelled: bool = False

    @property
    def value(self) -> Optional[Value]:
        """The value, or None as long as it is open."""
        return self.lower if self.lower == self.upper else None

    def __str__(self) -> str:
        return str(self.lower) if self.value is not None else f"{self.lower} to {self.upper}"


class Solver:
    """Proves what positions are worth, by search down into tables. One thread at a time."""

    def __init__(self, tables: Tables, memory: int = 0, threads: int = 1) -> None:
        """`memory`: bytes for what the search knows, 0 for 256 MiB."""
        self._handle = _kelso.solver_open(tables._open(), memory, threads)

    def solve(self, position: Position, seconds: float = 0, nodes: int = 0,
              progress: Optional[Progress] = None) -> Solution:
        """Solve within `seconds` or `nodes`; asked again, it goes on. `progress(share)` returns
        False to stop: then the solution is `cancelled`."""
        lower, upper, *rest = _kelso.solver_solve(self._handle, position.bits, seconds, nodes, progress)
        return Solution(Value(lower), Value(upper), *rest)

    def line(self) -> tuple[Move, ...]:
        """Play that keeps the value just solved. Raises `Missing` if nothing is."""
        return tuple(map(_move, _kelso.solver_line(self._handle)))

    def write_proof(self, path: str) -> None:
        """Write down why, for `check_proof` and `kelso proof check`."""
        _kelso.solver_write_proof(self._handle, path)


def check_proof(tables: Tables, path: str) -> tuple[Position, Value, Value]:
    """Check a proof by the rules and the tables alone: the position and its bounds. Raises `Error`
    that names the first claim that does not stand."""
    bits, lower, upper = _kelso.proof_check(tables._open(), path)
    return Position.from_bits(*bits[:4], Side(bits[4])), Value(lower), Value(upper)


@dataclass(frozen=True)
class Found:
    """What a search has found. `score` is an estimate in hundredths of a man; `value` is None
    unless it is proven."""

    score: int
    value: Optional[Value]
    plies: Optional[int]
    depth: int
    nodes: int
    seconds: float
    line: tuple[Move, ...]

    @property
    def move(self) -> Optional[Move]:
        """The best move; None where there is none, and the side to move has lost."""
        return self.line[0] if self.line else None


class Search:
    """The player: finds good moves, with tables or without. One thread at a time."""

    def __init__(self, tables: Optional[Tables] = None, memory: int = 0, threads: int = 1) -> None:
        """`memory`: bytes of its transposition table, 0 for 64 MiB."""
        self._handle = _kelso.search_open(tables._open() if tables else None, memory, threads)

    def run(self, position: Position, seconds: float = 0, nodes: int = 0, depth: int = 0,
            progress: Optional[Progress] = None) -> Found:
        """Search until a limit is reached, or `progress(share)` returns False."""
        *numbers, line = _kelso.search_run(self._handle, position.bits, seconds, nodes, depth, progress)
        score, value, *rest = numbers
        return Found(score, None if value is None else Value(value), *rest, tuple(map(_move, line)))
