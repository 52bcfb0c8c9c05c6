#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The schemas of docs/json.md: what they mean, and whether a JSON text agrees with one.

    tests/json_schema.py SCHEMA JSON    exit status 0 if JSON agrees with SCHEMA

A schema looks like the JSON it describes, with types in place of values: text, int, number, bool,
value ("win", "draw" or "loss"), plies (an int, 0 or more), fen. `"a"|"b"` is one of these words, T? is T
or null, [T] a list, {"name": T} an object with exactly these fields; a field marked `"name"?:` may be
absent. {move: T} has moves as names, {text: T} any."""

import json
import re
import sys

TOKEN = re.compile(r'\s*("[^"]*"|[a-z]+|[{}\[\]:,?|])')
VALUES = ("win", "draw", "loss")
TYPES = {
    "text": lambda v: isinstance(v, str),
    "fen": lambda v: isinstance(v, str) and re.fullmatch(r"[BW]:W[K0-9,]*:B[K0-9,]*", v),
    "int": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "plies": lambda v: isinstance(v, int) and not isinstance(v, bool) and v >= 0,
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "bool": lambda v: isinstance(v, bool),
    "value": lambda v: v in VALUES,
}
MOVE = re.compile(r"\d+(-\d+|(x\d+)+)")


class Schema:
    """A schema that has been read; `check` says what is wrong with a value, or None."""

    def __init__(self, text):
        self.tokens, at, text = [], 0, text.rstrip()
        while at < len(text):
            m = TOKEN.match(text, at)
            if not m:
                raise ValueError(f"column {at + 1}: no schema: {text[at:at + 20]!r}")
            self.tokens.append(m.group(1))
            at = m.end()
        self.tokens.reverse()
        self.check = self.read()
        if self.tokens:
            raise ValueError(f"something follows the schema: {self.tokens[-1]}")

    def take(self, *wanted):
        token = self.tokens.pop() if self.tokens else "the end"
        if wanted and token not in wanted:
            raise ValueError(f"expected {' or '.join(wanted)}, found {token}")
        return token

    def next_is(self, token):
        return bool(self.tokens) and self.tokens[-1] == token and bool(self.tokens.pop())

    def read(self):
        token = self.take()
        if token == "{":
            check = self.read_object()
        elif token == "[":
            check = self.read_list()
        elif token.startswith('"'):
            words = [token[1:-1]]
            while self.next_is("|"):
                words.append(self.take()[1:-1])
            check = self.simple(lambda v: v in words, " or ".join(words))
        elif token in TYPES:
            check = self.simple(TYPES[token], token)
        else:
            raise ValueError(f"no type: {token}")
        if self.next_is("?"):
            inner = check
            check = lambda v, where: None if v is None else inner(v, where)
        return check

    @staticmethod
    def simple(good, name):
        return lambda v, where="": None if good(v) else f"{where or 'the whole'}: expected {name}, found {v!r}"

    def read_list(self):
        each = self.read()
        self.take("]")

        def check(v, where=""):
            if not isinstance(v, list):
                return f"{where}: expected a list, found {v!r}"
            return next((e for i, x in enumerate(v) if (e := each(x, f"{where}[{i}]"))), None)

        return check

    def read_map(self, name):
        self.take(":")
        each = self.read()
        self.take("}")

        def check(v, where=""):
            if not isinstance(v, dict) or not all(name == "text" or MOVE.fullmatch(k) for k in v):
                return f"{where}: expected each name a {name}, found {v!r}"
            return next((e for k, x in v.items() if (e := each(x, f"{where}.{k}"))), None)

        return check

    def read_object(self):
        fields, optional = {}, set()
        if self.tokens and self.tokens[-1] in ("move", "text"):
            return self.read_map(self.take())
        while not self.next_is("}"):
            name = self.take()[1:-1]
            if self.next_is("?"):
                optional.add(name)
            self.take(":")
            fields[name] = self.read()
            self.next_is(",")

        def check(v, where=""):
            if not isinstance(v, dict):
                return f"{where or 'the whole'}: expected an object, found {v!r}"
            for name in v:
                if name not in fields:
                    return f"{where}.{name}: not in the schema"
            for name, each in fields.items():
                if name not in v and name not in optional:
                    return f"{where}.{name}: absent"
                if name in v and (e := each(v[name], f"{where}.{name}")):
                    return e
            return None

        return check


def fault(schemas, text):
    """What is wrong with a JSON text that should agree with one of several schemas; None: nothing."""
    try:
        value = json.loads(text)
    except ValueError as e:
        return f"no JSON: {e}"
    faults = [s.check(value, "") for s in schemas]
    return None if None in faults else " / ".join(faults) or "there is no schema"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    found = fault([Schema(sys.argv[1])], sys.argv[2])
    if found:
        sys.exit(found)
