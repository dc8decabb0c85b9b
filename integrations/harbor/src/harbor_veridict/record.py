"""Files of the plugin: `judge/verdict.json` or `judge/judge_error.json` in each trial's folder, `veridict-summary.json` in the job's folder."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from harbor_veridict.ended_trial import EndedTrial
from harbor_veridict.files import read_json, write_json
from harbor_veridict.outcome import STATUSES, NotSent, Outcome

logger = logging.getLogger(__name__)

VERDICT_FILE = "judge/verdict.json"
"""Holds an answer of the judge: a label whose evidence holds, or an unverified grade, which has no label."""
ERROR_FILE = "judge/judge_error.json"
"""Holds the reason why a trial has no answer of a judge. A trial has one of the two files."""
SUMMARY_FILE = "veridict-summary.json"
_MOST_BYTES = 64 * 1024 * 1024


class Records:
    """Outcomes by the name of their trial, in the order in which they came: a later attempt takes the place of the earlier attempt."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Any]] = {}

    def add(self, trial: EndedTrial, outcome: Outcome) -> None:
        """Never raises: a file that cannot be written is a warning, and the outcome is counted."""
        row = {"trial_id": trial.id, "trial_name": trial.name, "task_name": trial.tasks[0] if trial.tasks else None}
        said = asdict(outcome)
        grade = said.pop("grade")
        self.rows[trial.name] = {**row, **said}
        try:
            _write(trial.folder, outcome, {"veridict": 1, **row, **said, "grade": grade})
        except OSError as error:
            logger.warning("Veridict: the outcome of trial %s cannot be written: %s", trial.name, error)

    def summary(self, job_dir: Path, planned: int | None) -> dict[str, Any]:
        """Counts of all trials of the job, those included that ended before a resumed run and those that nobody told of.

        ``planned``: how many Harbor meant to run; a trial that never began has no folder, and is only counted there.
        """
        rows = list(self.rows.values())
        seen = {row["trial_name"] for row in rows}
        rows += [_earlier(folder) for folder in _trial_folders(job_dir) if folder.name not in seen]
        counts = Counter(row["status"] for row in rows)
        labels = Counter(row["label"] for row in rows if row["status"] == "graded")
        return {
            "veridict": 1,
            "job": job_dir.name,
            "planned": planned,
            "trials": len(rows),
            **{status: counts[status] for status in STATUSES},
            "labels": dict(sorted(labels.items())),
            "reasons": dict(Counter(row["code"] for row in rows if row["code"] is not None).most_common()),
            "items": rows,
        }


def _write(folder: Path, outcome: Outcome, document: dict[str, Any]) -> None:
    """Writes one of the two files and removes the other first: a crash between the two leaves neither."""
    judge = folder / "judge"
    if judge.is_symlink():
        judge.unlink()
    judge.mkdir(exist_ok=True)
    has_answer = outcome.status in ("graded", "unverified")
    written, other = (VERDICT_FILE, ERROR_FILE) if has_answer else (ERROR_FILE, VERDICT_FILE)
    (folder / other).unlink(missing_ok=True)
    write_json(folder / written, document)


def summary_line(summary: dict[str, Any]) -> str:
    counts = " · ".join(f"{status.replace('_', ' ')} {summary[status]}" for status in STATUSES)
    why = ", ".join(f"{code} {n}" for code, n in summary["reasons"].items())
    planned = summary["planned"]
    of = f" of {planned} planned" if planned not in (None, summary["trials"]) else ""
    return f"Veridict: {summary['trials']} trials{of}: {counts}{f' ({why})' if why else ''}"


def _trial_folders(job_dir: Path) -> list[Path]:
    """Folders that Harbor says are trials: those with a `result.json`."""
    return sorted(one for one in job_dir.iterdir() if not one.is_symlink() and one.is_dir() and (one / "result.json").is_file())


def _earlier(folder: Path) -> dict[str, Any]:
    """What an earlier run of this job wrote of a trial, if it is of the attempt that stands there."""
    row: dict[str, Any] = {"trial_id": None, "trial_name": folder.name, "task_name": None}
    try:
        result = read_json(folder / "result.json", _MOST_BYTES)
        ours = read_json(folder / VERDICT_FILE, _MOST_BYTES) or read_json(folder / ERROR_FILE, _MOST_BYTES)
    except NotSent:
        result, ours = None, None
    if isinstance(result, dict):
        row.update(trial_id=result.get("id"), task_name=result.get("task_name"))
    is_same = isinstance(ours, dict) and ours.get("trial_id") == row["trial_id"] and ours.get("status") in STATUSES
    if is_same and (ours["status"] != "graded" or isinstance(ours.get("label"), str)):
        said = {key: ours.get(key) for key in asdict(Outcome("")) if key != "grade"}
        return {**row, **said}
    outcome = asdict(NotSent("not_seen", "its end was not seen in this run of the job, and no grade stands beside it").outcome())
    outcome.pop("grade")
    return {**row, **outcome}
