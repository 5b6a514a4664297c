"""The exact search: its arrays, and how it is driven, stopped and resumed.

cost(S) = |S| + the least, over all guesses, of the sum of cost(part) over the parts that the guess
cuts the set S of codes into, leaving out the code that it finds. :class:`Engine` proves it by
depth-first branch and bound with these ingredients:

* guesses are tried in the order of a lower bound, and each part of a cut gets the budget that the
  bounds of the other parts leave;
* sets are relabelled before they are looked up in the memo (:mod:`._canonical`), and of guesses
  that differ by an exchange of two colours or positions of the set one is tried (:mod:`._scan`);
* small sets that one of their own codes tells apart are settled at once (:mod:`._cut`);
* lower bounds of parts come from how well the best guesses cut the whole set (:mod:`._scan`);
* the memo keeps costs and lower bounds, whichever a search has proved (fail-soft).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qmastermind.errors import TooLargeError
from qmastermind.game import Rules
from qmastermind_classical.exact.arrays import (
    answer_table,
    deeper_stack,
    larger_memo,
    new_memo,
    new_stack,
)
from qmastermind_classical.exact.errors import SetLimitError
from qmastermind_classical.exact.method import METHODS, Best, Effort, Method, Watcher, check_size
from qmastermind_classical.kernels import encode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qmastermind_classical.exact.arrays import Ints, Stack

_MAX_NUMBERS = 1 << 24
_MAX_COST = 1 << 20
_SLICE_SECONDS = 0.05
_FIRST_DEPTH = 24
_FIRST_MEMO = 1 << 14
_MEMO_LOAD = 0.6
_PAIR_COST = 3


class Engine:
    """Exact costs of sets of codes of one game. What it has proved serves later calls.

    Importing numba and compiling the search happens when the first engine is made.

    Args:
        rules: The rules of the game.
        codes: Lexical indices, increasing, of all codes that any set will have; default: every
            code. With some codes only, the table of answers is smaller, but sets are not
            relabelled.
        consistent: Whether only codes of a set may be guessed in it.
        method: How to search.

    Raises:
        TooLargeError: See :func:`check_size`.
    """

    def __init__(
        self,
        rules: Rules,
        codes: NDArray[np.integer[Any]] | None = None,
        *,
        consistent: bool = False,
        method: Method = METHODS["main"],
    ) -> None:
        check_size(rules, None if codes is None else len(codes))
        numbers = rules.colours**rules.positions
        tight_above = method.tight_above
        if tight_above is None:
            tight_above = 50 if rules.num_codes <= 2000 else 0
        self.rules = rules
        self.consistent = consistent
        self.method = replace(
            method,
            relabel=method.relabel and codes is None and numbers <= _MAX_NUMBERS,
            exchange=method.exchange and numbers <= _MAX_NUMBERS,
            tight_above=tight_above,
        )
        self.pegs = rules.code_array()
        self.codes = np.arange(rules.num_codes) if codes is None else np.asarray(codes)
        self._row_pegs = np.ascontiguousarray(self.pegs[self.codes])
        self._column_of = self.codes.astype(np.int32)
        self._table = answer_table(encode(self._row_pegs, rules), encode(self.pegs, rules))
        self._powers = rules.colours ** np.arange(rules.positions - 1, -1, -1)
        self._index_of = np.full(min(numbers, _MAX_NUMBERS), -1, dtype=np.int32)
        if numbers <= _MAX_NUMBERS:
            self._index_of[self._numbers(self._row_pegs)] = np.arange(len(self.codes))

        from qmastermind_classical.exact import _memo, _search

        self._kernels = _search
        self._answers = len(rules.feedbacks())
        self._settings = np.zeros(_memo.SETTING_WORDS, dtype=np.int64)
        used = self.method
        for word, value in (
            (_memo.COLOURS, rules.colours),
            (_memo.REPEATS, rules.repeats),
            (_memo.CONSISTENT, consistent),
            (_memo.ANSWERS, self._answers),
            (_memo.SALT, used.salt),
            (_memo.RELABEL, used.relabel),
            (_memo.EXCHANGE, used.exchange),
            (_memo.SIEVE, used.sieve),
            (_memo.TIGHT_ABOVE, tight_above),
            (_memo.REVERSE, used.large_first),
        ):
            self._settings[word] = value
        self._mark = np.zeros(len(self.codes), dtype=np.int32)
        self._hist = np.zeros((rules.num_codes, self._answers), dtype=np.uint16)
        self._seen = np.zeros(rules.num_codes, dtype=np.uint64)
        self._memo = new_memo(_FIRST_MEMO)
        self._stack = self._new_stack(_FIRST_DEPTH)
        self._control = np.zeros(_search.CONTROL_WORDS, dtype=np.int64)
        self._seconds = 0.0
        self._asked: tuple[tuple[int, ...], int] | None = None  # what the stack is about

    @property
    def effort(self) -> Effort:
        """What has been done so far, over all calls."""
        k, c = self._kernels, self._control
        return Effort(
            int(c[k.EXPANDED]), int(c[k.SETTLED]), int(c[k.CUTS]), int(c[k.MEMO_USED]),
            self._seconds,
        )  # fmt: skip

    def solve(
        self,
        codes: NDArray[np.integer[Any]],
        guesses_left: int | None = None,
        *,
        set_limit: int | None = None,
        watch: Watcher | None = None,
    ) -> Best:
        """Finds the least cost of a set of codes.

        May be interrupted, by Ctrl-C or by ``watch`` raising an error: what is proved is kept, and
        the same call goes on where it stopped.

        Args:
            codes: Lexical indices of at least one code, among those of the engine.
            guesses_left: The most guesses for any code, or None.
            set_limit: The most sets to expand.
            watch: Told how it goes.

        Raises:
            SetLimitError: If the limit is reached.
        """
        from qmastermind_classical.exact._cut import settle
        from qmastermind_classical.exact._memo import UNLIMITED, look_up

        left = UNLIMITED if guesses_left is None else guesses_left
        rows = np.searchsorted(self.codes, codes).astype(np.int32)
        if len(rows) <= 2:
            cost = 1 if len(rows) == 1 else _PAIR_COST
            return Best(cost, int(codes[0])) if left >= len(rows) else Best(None, -1)
        scratch = np.zeros(3, dtype=np.int64)
        if len(rows) <= self._answers:
            cost = settle(
                rows, self._table, self._column_of, left, self._answers, self.consistent, scratch
            )
            if cost:
                return Best(cost, int(scratch[0])) if left >= 2 else Best(None, -1)
        labels = (
            np.arange(self.rules.positions, dtype=np.int64),
            np.arange(self.rules.colours, dtype=np.int64),
        )
        key = np.zeros(2, dtype=np.uint64)
        asked = (tuple(rows.tolist()), left)
        value = look_up(
            rows, self._row_pegs, self._index_of, self._settings, left, 0, *self._memo, key,
            *labels, scratch,
        )  # fmt: skip
        guess = int(scratch[0])
        if not value & 1 and value >> 1 <= self._budget(len(rows)):
            if self._asked != asked:
                self._asked = None  # an interruption must not leave half a stack to go on with
                self._enter(rows, key, left)
                self._asked = asked
            value, guess = self._search(set_limit, watch)
            self._asked = None
        if not value & 1:
            if guesses_left is None:
                raise TooLargeError(f"some strategy costs are past {_MAX_COST:,} for {self.rules}")
            return Best(None, -1)
        return Best(value >> 1, self._original(guess, *labels))

    def parts(
        self, codes: NDArray[np.integer[Any]], guess: int
    ) -> list[tuple[int, NDArray[np.integer[Any]]]]:
        """The parts that a guess cuts a set into: answer index, codes; the winning one last."""
        answers = self._table[np.searchsorted(self.codes, codes), guess]
        return [(int(a), codes[answers == a]) for a in np.unique(answers)]

    def state(self) -> dict[str, NDArray[Any]]:
        """All that is proved and where the search stands, for :meth:`restore`."""
        used = (self._memo[0] != 0).any(axis=1)
        state: dict[str, NDArray[Any]] = {
            "memo_keys": self._memo[0][used],
            "memo_values": self._memo[1][used],
            "control": self._control.copy(),
            "seconds": np.array(self._seconds),
        }
        if self._asked is not None:
            rows, left = self._asked
            state["asked"] = np.array([left, *rows])
            depth = int(self._control[self._kernels.DEPTH]) + 2
            state.update((name, part[:depth]) for name, part in self._stack._asdict().items())
        return state

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Takes up the state of an engine with the same rules, codes, options and method."""
        from qmastermind_classical.exact._memo import memo_copy

        size = _FIRST_MEMO
        while len(state["memo_keys"]) >= _MEMO_LOAD * size:
            size *= 4
        self._memo = new_memo(size)
        memo_copy(
            np.ascontiguousarray(state["memo_keys"]),
            np.ascontiguousarray(state["memo_values"]),
            *self._memo,
        )
        self._control[:] = state["control"]
        self._mark[:] = 0
        self._seconds = float(state["seconds"])
        self._asked = None
        if "asked" in state:
            left, *rows = state["asked"].tolist()
            self._asked = (tuple(rows), left)
            self._stack = self._new_stack(max(_FIRST_DEPTH, len(state["frames"])))
            for name, part in self._stack._asdict().items():
                part[: len(state[name])] = state[name]

    def _original(self, guess: int, position_order: Ints, colour_order: Ints) -> int:
        """The guess for a set as it was before it was relabelled."""
        if not self.method.relabel:
            return guess
        pegs = np.empty(self.rules.positions, dtype=np.int64)
        pegs[position_order] = colour_order[self.pegs[guess]]
        return int(self._index_of[self._numbers(pegs)])

    def _numbers(self, pegs: NDArray[np.integer[Any]]) -> Ints:
        """Codes as numbers in base ``colours``."""
        numbers: Ints = pegs.astype(np.int64) @ self._powers
        return numbers

    def _budget(self, size: int) -> int:
        """Any guess that cuts shortens the set, so that no code needs more than ``size``."""
        return min(size * size, _MAX_COST)

    def _enter(self, rows: NDArray[np.int32], key: NDArray[np.uint64], left: int) -> None:
        """Puts a set at the bottom of the stack."""
        k = self._kernels
        size = len(rows)
        self._stack.codes[0, :size] = rows
        self._stack.frame_keys[0] = key
        frame = self._stack.frames[0]
        frame[[k.START, k.SIZE, k.LEFT, k.BUDGET]] = 0, size, left, self._budget(size)
        # of a perfect tree: one code at its root, and answers - 1 times as many a level
        level = 1
        members = others = 0
        for depth in range(self._stack.caps.shape[2]):
            members = min(members + level, size)
            self._stack.caps[0, :, depth] = members, others
            level = min(level * (self._answers - 1), size)
            others = min(others + level, size)
        self._control[[k.DEPTH, k.PHASE]] = 0, k.ENTER

    def _search(self, set_limit: int | None, watch: Watcher | None) -> tuple[int, int]:
        """Runs the compiled search in slices, so that Ctrl-C is heard and progress shown."""
        k = self._kernels
        control = self._control
        stop = None if set_limit is None else int(control[k.EXPANDED]) + set_limit
        step = 32
        while True:
            control[k.MEMO_LIMIT] = int(_MEMO_LOAD * len(self._memo[0]))
            control[k.STOP_AT] = control[k.EXPANDED] + step
            if stop is not None:
                control[k.STOP_AT] = min(int(control[k.STOP_AT]), stop)
            started = time.thread_time()
            reason = k.run(
                *self._stack, self._table, self._row_pegs, self.pegs, self._index_of,
                self._column_of, self._settings, control, self._mark, self._hist, self._seen,
                *self._memo,
            )  # fmt: skip
            seconds = time.thread_time() - started
            self._seconds += seconds
            if reason == k.DONE:
                return int(control[k.VALUE]), int(control[k.GUESS])
            if reason == k.MEMO_FULL:
                self._memo = larger_memo(self._memo)
            elif reason == k.TOO_DEEP:
                self._stack = deeper_stack(
                    self._stack, self._new_stack(2 * len(self._stack.frames))
                )
            elif stop is not None and control[k.EXPANDED] >= stop:
                raise SetLimitError(f"not finished within {set_limit:,} sets")
            elif seconds < _SLICE_SECONDS / 2:
                step *= 2
            elif seconds > _SLICE_SECONDS * 2:
                step = max(1, step // 2)
            if watch is not None:
                bottom = self._stack.frames[0]
                found = bottom[k.BEST_GUESS] >= 0
                watch(self.effort, int(bottom[k.BEST]) if found else None, int(bottom[k.HEAP]))

    def _new_stack(self, depth: int) -> Stack:
        return new_stack(depth, len(self.codes), len(self.pegs), self._answers)
