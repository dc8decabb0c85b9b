"""The Harbor plugin: grades each trial once it is over, beside the job, and never ends or changes one.

Interface: ``harbor.models.job.plugin.BaseJobPlugin``, entry point group ``harbor.plugins``.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harbor.models.job.plugin import BaseJobPlugin

from harbor_veridict.ended_trial import Asking, EndedTrial, ended_trial, request_for
from harbor_veridict.files import write_json
from harbor_veridict.outcome import NotSent, Outcome
from harbor_veridict.record import SUMMARY_FILE, Records, summary_line
from harbor_veridict.sender import Sender
from harbor_veridict.service import Service

if TYPE_CHECKING:
    from harbor.job import Job
    from harbor.models.job.result import JobResult
    from harbor.trial.hooks import TrialHookEvent

DEFAULT_SERVER = "http://127.0.0.1:8787"


class VeridictPlugin(BaseJobPlugin):
    """``harbor run … --plugin veridict --pk ground_truth=truths.jsonl``.

    server: where Veridict runs; else VERIDICT_SERVER, else http://127.0.0.1:8787. The key is VERIDICT_API_KEY, nowhere else.
    ground_truth: rows of JSON or JSON lines, for all trials; without it, `ground_truth.json` of the trial's or the job's folder.
    judge, rubric, samples, variant, allow_self: as of `veridict batch`.
    concurrency: questions at once. queue_size: trials that may wait. timeout_s: seconds for one answer.
    shutdown_s: seconds that the end of the job waits for answers.

    An option that is wrong or unknown never ends a job: it is told on stderr, and the trials are counted as not sent.
    """

    def __init__(
        self,
        *,
        server: str | None = None,
        ground_truth: str | None = None,
        judge: str | None = None,
        rubric: str | None = None,
        samples: int | None = None,
        variant: str | None = None,
        allow_self: bool = False,
        concurrency: int = 4,
        queue_size: int = 10_000,
        timeout_s: float = 600,
        shutdown_s: float = 120,
        **unknown: Any,
    ) -> None:
        super().__init__()
        self._records = Records()
        self._ended: dict[str, EndedTrial] = {}
        self._job_dir: Path | None = None
        self._fault: NotSent | None = None
        self._service: Service | None = None
        self._asking = Asking()
        self._timeout_s, self._shutdown_s = 600.0, 120.0
        threads, room = 4, 10_000
        try:
            if unknown:
                raise ValueError(f"there is no option {', '.join(sorted(unknown))}")
            key = os.environ.get("VERIDICT_API_KEY", "").strip() or None
            self._service = Service(str(server or os.environ.get("VERIDICT_SERVER") or DEFAULT_SERVER), key)
            truths = None if ground_truth is None else Path(ground_truth).absolute()
            self._asking = Asking(truths, judge, rubric, samples, variant, str(allow_self).lower() == "true")
            self._timeout_s, self._shutdown_s = float(timeout_s), max(0.0, float(shutdown_s))
            threads, room = min(64, max(1, int(concurrency))), max(1, int(queue_size))
        except (TypeError, ValueError) as error:
            self._fault = NotSent("plugin_options", f"the options of the plugin: {error}")
            _tell(f"Veridict: nothing will be graded: {self._fault}")
        self._sender = Sender(self._ask, self._records.add, threads, room)

    async def on_job_start(self, job: Job) -> None:
        try:
            self._job_dir = Path(job.job_dir).absolute()
            job.on_trial_ended(self._on_trial_ended)
        except Exception as error:
            _tell(f"Veridict: nothing will be graded: {type(error).__name__}: {error}")

    async def _on_trial_ended(self, event: TrialHookEvent) -> None:
        """Only remembers. Harbor removes secrets from the trial's folder, and runs a failed trial again, after this event: the trial is
        sent once the task that ran it is over, or at the end of the job."""
        try:
            trial = ended_trial(event, self._job_dir)
            self._ended[trial.name] = trial
            task = asyncio.current_task()
            if task is not None:
                task.add_done_callback(lambda _: self._send(trial))
        except Exception as error:
            _tell(f"Veridict: a trial is not graded: {type(error).__name__}: {error}")

    def _send(self, trial: EndedTrial) -> None:
        """Sends a trial once. Attempts of one trial share its name and have an id each: only the last attempt is sent."""
        if self._ended.get(trial.name) is trial:
            del self._ended[trial.name]
            self._sender.put(trial)

    def _ask(self, trial: EndedTrial) -> Outcome:
        if self._fault is not None or self._service is None:
            raise self._fault or NotSent("plugin_options", "there is no service")
        return self._service.grade(request_for(trial, self._asking), self._timeout_s)

    async def on_job_end(self, job_result: JobResult) -> None:
        """Waits for answers, at most ``shutdown_s`` seconds, and says on stderr what became of how many trials."""
        try:
            for trial in list(self._ended.values()):
                self._send(trial)
            end = time.monotonic() + self._shutdown_s
            while self._sender.open_count() > 0 and time.monotonic() < end:
                await asyncio.sleep(0.02)
            self._sender.close()
            if self._job_dir is None:
                return
            summary = self._records.summary(self._job_dir, getattr(job_result, "n_total_trials", None))
            write_json(self._job_dir / SUMMARY_FILE, summary)
            rest = summary["failed"] + summary["not_sent"]
            later = f"; what has no grade: veridict batch {self._job_dir}" if rest > 0 else ""
            _tell(f"{summary_line(summary)} → {self._job_dir / SUMMARY_FILE}{later}")
        except Exception as error:
            _tell(f"Veridict: no summary: {type(error).__name__}: {error}")


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
