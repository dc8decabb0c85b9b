"""Threads that ask Veridict beside the job: nothing here waits for a trial, and no trial waits for it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from harbor_veridict.ended_trial import EndedTrial
from harbor_veridict.outcome import NotSent, Outcome

Ask = Callable[[EndedTrial], Outcome]
Record = Callable[[EndedTrial, Outcome], None]


class Sender:
    """At most ``threads`` questions at once and ``room`` trials that wait. ``record`` is called once a trial, one at a time.

    The threads are daemons: a process that ends takes them with it.
    """

    def __init__(self, ask: Ask, record: Record, threads: int, room: int) -> None:
        self._ask, self._record, self._most_threads = ask, record, threads
        self._waiting: queue.Queue[EndedTrial] = queue.Queue(room)
        self._lock = threading.Lock()
        self._open: dict[str, EndedTrial] = {}
        self._threads: list[threading.Thread] = []
        self._closed = False

    def put(self, trial: EndedTrial) -> None:
        """Never waits: where there is no room the trial ends `not_sent`. A later attempt takes the earlier attempt's place."""
        with self._lock:
            if self._closed:
                return
            self._open[trial.name] = trial
        try:
            self._waiting.put_nowait(trial)
        except queue.Full:
            self._end(trial, NotSent("queue_full", "more trials waited than the queue holds").outcome())
            return
        if len(self._threads) < self._most_threads:
            thread = threading.Thread(target=self._work, name="veridict", daemon=True)
            self._threads.append(thread)
            thread.start()

    def open_count(self) -> int:
        with self._lock:
            return len(self._open)

    def close(self) -> None:
        """Ends what is open without an answer. What answers later is not recorded."""
        with self._lock:
            self._closed = True
            rest = list(self._open.values())
            self._open.clear()
        queued: set[EndedTrial] = set()
        while True:
            try:
                queued.add(self._waiting.get_nowait())
            except queue.Empty:
                break
        for trial in rest:
            if trial in queued:
                self._record(trial, NotSent("job_ended", "the job ended before its turn came").outcome())
            else:
                reason = "the job ended before the answer came"
                self._record(trial, Outcome("failed", code="job_ended", reason=reason, retryable=True))

    def _work(self) -> None:
        while not self._closed:
            try:
                trial = self._waiting.get(timeout=0.2)
            except queue.Empty:
                continue
            if self._is_current(trial):
                self._end(trial, self._outcome(trial))

    def _outcome(self, trial: EndedTrial) -> Outcome:
        try:
            return self._ask(trial)
        except NotSent as error:
            return error.outcome()
        except Exception as error:  # A trial of which we cannot even say this would be missing from the counts.
            return Outcome("failed", code="internal", reason=f"{type(error).__name__}: {error}"[:500], retryable=False)

    def _is_current(self, trial: EndedTrial) -> bool:
        with self._lock:
            return self._open.get(trial.name) is trial

    def _end(self, trial: EndedTrial, outcome: Outcome) -> None:
        with self._lock:
            if self._closed or self._open.get(trial.name) is not trial:
                return
            self._record(trial, outcome)
            del self._open[trial.name]
