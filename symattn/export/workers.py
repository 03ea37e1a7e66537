"""Workers for a run: this process, processes of this machine, or a Dask cluster; whatever they do, parts come in order.

A pool that loses a process loses everything it was given. So a pool that broke is made anew and what was lost is asked
for again; a part that was lost twice is worked in halves, each in a pool of its own, until the candidate is found that
kills its worker. It is tried three times and then reported instead of a verdict.
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import suppress
from multiprocessing import connection
from threading import Thread
from typing import Any, Final, TypeAlias

from symattn.errors import MissingProgramError, SpecError
from symattn.export.parts import Parts

Call: TypeAlias = Callable[[int, int], bytes]
"""The lines of candidates first .. last - 1."""
Pool: TypeAlias = Callable[[int], Executor]
"""A pool of so many workers."""

CHUNK: Final = 50
_TRIES: Final = 3


def processes(jobs: int) -> Executor:
    """Processes of this machine."""
    kind = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context(kind), initializer=_end_with_parent)


def _end_with_parent() -> None:
    """A worker whose run was killed would wait for ever: nobody closes the queue that it reads, for it holds an end."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)


def cluster(address: str) -> tuple[Pool, int, Callable[[], None]]:
    """A Dask cluster as a pool, how many workers it has, and how to leave it."""
    try:
        from distributed import Client
    except ImportError:
        raise MissingProgramError(
            "--scheduler needs Dask, which is not installed", mend="pip install 'symattn[dask]'"
        ) from None
    try:
        client = Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise SpecError(f"no scheduler answers at {address}: {error}", mend="check the address") from None
    return (lambda _: client.get_executor(pure=False, retries=2)), max(len(client.nthreads()), 1), client.close


def in_order(call: Call, parts: Parts, pool: Pool | None, jobs: int, last: int | None) -> Iterator[bytes]:
    """The parts from the first on, each kept as soon as it is finished; without end where ``last`` is None."""
    if pool is None:
        yield from _alone(call, parts, last)
        return
    crew = _Crew(call, parts, pool, jobs, last)
    try:
        yield from crew.run()
    finally:
        crew.stop()


def _stretch(part: int, last: int | None) -> tuple[int, int]:
    first = part * CHUNK
    return first, first + CHUNK if last is None else min(first + CHUNK, last)


def _alone(call: Call, parts: Parts, last: int | None) -> Iterator[bytes]:
    part = 0
    while last is None or part * CHUNK < last:
        content = parts.get(part)
        if content is None:
            content = call(*_stretch(part, last))
            parts.put(part, content)
        yield content
        part += 1


class _Crew:
    """Workers that are kept busy a few parts ahead of the one that is wanted next."""

    def __init__(self, call: Call, parts: Parts, pool: Pool, jobs: int, last: int | None) -> None:
        self._call, self._parts, self._pool, self._jobs, self._last = call, parts, pool, jobs, last
        self._executor: Executor | None = None
        self._pending: dict[Future[bytes], int] = {}
        self._lost: Counter[int] = Counter()
        self._next = 0

    def run(self) -> Iterator[bytes]:
        """The parts in order."""
        wanted = 0
        while self._last is None or wanted * CHUNK < self._last:
            self._fill(wanted)
            content = self._parts.get(wanted)
            if content is None:
                self._collect()
                continue
            yield content
            wanted += 1

    def stop(self) -> None:
        """Let go of what is not wanted any more."""
        if self._executor is not None:
            for future in self._pending:
                future.cancel()
            self._executor.shutdown(wait=True)
            self._executor = None

    def _fill(self, wanted: int) -> None:
        while len(self._pending) < 2 * self._jobs and self._next < wanted + 8 * self._jobs:
            part, self._next = self._next, self._next + 1
            if self._last is not None and part * CHUNK >= self._last:
                return
            if self._parts.get(part) is None:
                self._submit(part)

    def _submit(self, part: int) -> None:
        if self._executor is None:
            self._executor = self._pool(self._jobs)
        self._pending[self._executor.submit(self._call, *_stretch(part, self._last))] = part

    def _collect(self) -> None:
        """Keep what is finished; ask again for what was lost."""
        done, _ = wait(self._pending, return_when=FIRST_COMPLETED)
        lost = [part for future in done if (part := self._keep(future)) is not None]
        if not lost:
            return
        lost += [part for future in list(self._pending) if (part := self._keep(future)) is not None]
        with suppress(Exception):
            self.stop()
        self._executor = None
        for part in sorted(lost):
            self._lost[part] += 1
            if self._lost[part] < 2:
                self._submit(part)
            else:
                self._parts.put(part, self._halved(*_stretch(part, self._last)))

    def _keep(self, future: Future[bytes]) -> int | None:
        """The part that a future stands for, if it is lost."""
        part = self._pending.pop(future)
        try:
            self._parts.put(part, future.result())
        except SpecError:
            raise
        except Exception:
            return part
        return None

    def _halved(self, first: int, last: int) -> bytes:
        """The lines of a stretch, worked in halves wherever a worker dies."""
        for _ in range(_TRIES if last - first == 1 else 1):
            with suppress(Exception), self._pool(1) as executor:
                return executor.submit(self._call, first, last).result()
        if last - first == 1:
            return line({"candidate": first, "why": "killed its worker"})
        middle = (first + last) // 2
        return self._halved(first, middle) + self._halved(middle, last)


def line(found: dict[str, Any]) -> bytes:
    """One candidate's line."""
    return (json.dumps(found, ensure_ascii=True, separators=(",", ":")) + "\n").encode()
