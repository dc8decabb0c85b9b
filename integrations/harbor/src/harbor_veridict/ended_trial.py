"""A trial that has ended: what Harbor's event says of it, and the request that asks Veridict about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harbor_veridict.files import MOST_BYTES, read_file, read_json
from harbor_veridict.ground_truth import GroundTruths, load
from harbor_veridict.outcome import NotSent

_MOST_NAME = 300
DEFAULT_RUBRIC = "tab-behavior"


@dataclass(frozen=True, eq=False)
class EndedTrial:
    """Taken from the event at once: Harbor goes on changing what the event refers to.

    ``tasks``: names that a row of ground truth may use, the fullest first. ``resolved``: None where there is no reward.
    """

    id: str
    name: str
    folder: Path
    tasks: tuple[str, ...]
    task_folder: Path | None
    resolved: bool | None
    metadata: dict[str, Any]


@dataclass(frozen=True)
class Asking:
    """What the plugin was told to ask. ``ground_truth``: a file; None: one beside the trial, or in the job's folder."""

    ground_truth: Path | None = None
    judge: str | None = None
    rubric: str | None = None
    samples: int | None = None
    variant: str | None = None
    allow_self: bool = False


def ended_trial(event: Any, job_dir: Path | None) -> EndedTrial:
    """From a ``TrialHookEvent``: ``result`` is a ``TrialResult``, ``config`` a ``TrialConfig``."""
    result, config = event.result, event.config
    name = str(result.trial_name)
    task = getattr(config, "task", None)
    path = getattr(task, "path", None)
    rewards = getattr(getattr(result, "verifier_result", None), "rewards", None) or {}
    reward = rewards.get("reward")
    is_number = isinstance(reward, (int, float)) and not isinstance(reward, bool)
    # Harbor 0.25 and newer leave rewards of trials that a provider's or sandbox's failure ended out of their own counts.
    reward = reward if is_number and getattr(result, "reward_valid", True) else None
    info = getattr(result, "agent_info", None)
    model = getattr(info, "model_info", None)
    folder = Path(job_dir or config.trials_dir) / name
    said = {
        "agent": getattr(info, "name", None),
        "model": getattr(model, "name", None),
        "task": result.task_name,
        "trial": name,
        "harbor_trial_id": str(result.id),
        "job": folder.parent.name,
        "dataset": getattr(result, "source", None),
        "agent_version": getattr(info, "version", None),
        "provider": getattr(model, "provider", None),
        "exception": getattr(getattr(result, "exception_info", None), "exception_type", None),
    }
    metadata: dict[str, Any] = {key: str(value)[:_MOST_NAME] for key, value in said.items() if value not in (None, "")}
    if reward is not None:
        metadata["reward"] = reward
    names = [result.task_name, _last(result.task_name), getattr(task, "name", None), _last(path), _task_of_folder(name)]
    return EndedTrial(
        id=str(result.id),
        name=name,
        folder=folder,
        tasks=tuple(dict.fromkeys(str(one) for one in names if one not in (None, ""))),
        task_folder=None if path is None else Path(path),
        resolved=None if reward is None else reward >= 1,
        metadata=metadata,
    )


def _last(path: Any) -> str | None:
    parts = [part for part in str(path or "").split("/") if part != ""]
    return parts[-1] if parts else None


def _task_of_folder(name: str) -> str | None:
    """`<task, cut to 32>__<7 characters>`: as good as the whole name only where nothing was cut."""
    at = name.rfind("__")
    return name[:at] if 0 < at < 32 and len(name) - at == 9 else None


def request_for(trial: EndedTrial, asking: Asking) -> dict[str, Any]:
    """The body of POST /v1/grades. Reads the trial's folder; raises NotSent where nothing can be asked."""
    _check_attempt(trial)
    trajectory = _trajectory_of(trial.folder)
    truth, metadata = _truth_of(trial, asking)
    given = {"judge": asking.judge, "rubric": asking.rubric, "samples": asking.samples}
    given["allow_self"] = asking.allow_self or None
    return {
        "trajectory": trajectory,
        "ground_truth": truth,
        **{key: value for key, value in given.items() if value is not None},
        "metadata": {**metadata, **trial.metadata},
    }


def _check_attempt(trial: EndedTrial) -> None:
    """Harbor runs a trial again in the same folder: what stands there must be of the attempt that ended."""
    result = read_json(trial.folder / "result.json", 16 * 1024 * 1024)
    if not isinstance(result, dict) or result.get("id") != trial.id:
        raise NotSent("other_attempt", "the trial's folder is gone, or of another attempt")


def _trajectory_of(folder: Path) -> dict[str, Any]:
    if (folder / "agent").is_symlink():
        raise NotSent("unreadable", "agent is a link")
    trajectory = read_json(folder / "agent" / "trajectory.json", MOST_BYTES)
    if trajectory is None:
        several = " (a trial of several steps)" if (folder / "steps").is_dir() else ""
        raise NotSent("no_trajectory", f"there is no agent/trajectory.json{several}; `veridict batch` reads other logs")
    if not isinstance(trajectory, dict):
        raise NotSent("unreadable", "agent/trajectory.json is no object")
    if trajectory.get("continued_trajectory_ref") is not None:
        raise NotSent("several_files", "the run goes on in another file; `veridict batch` reads it with the first")
    return trajectory


def _truth_of(trial: EndedTrial, asking: Asking) -> tuple[dict[str, Any], dict[str, Any]]:
    """The ground truth and what its row adds to the metadata."""
    variant = {} if asking.variant is None else {"variant": asking.variant}
    row = None
    for truths in _truths_for(trial, asking):
        row = truths.find(trial.name, trial.tasks, asking.variant)
        if row is not None:
            break
    is_default = (asking.rubric or DEFAULT_RUBRIC).split("@")[0] == DEFAULT_RUBRIC
    if row is None and is_default:
        raise NotSent("no_ground_truth", f"nothing is known of trial {trial.name} or task {' or '.join(trial.tasks[:2])}")
    truth = dict(row.truth) if row is not None else {}
    truth.setdefault("instruction", _instruction_of(trial))
    if truth["instruction"] is None:
        if is_default:
            raise NotSent("no_ground_truth", f"nobody says what the user asked in task {trial.tasks[0]}")
        del truth["instruction"]
    if is_default and trial.resolved is not None:
        said = truth.get("signals", {})
        # What is said of this very trial comes over what was measured, and that over what is said of its task.
        measured = {"resolved": trial.resolved}
        truth["signals"] = {**measured, **said} if row is not None and row.trial is not None else {**said, **measured}
    if row is not None and row.variant is not None and not variant:
        variant = {"variant": row.variant}
    return truth, {**(row.metadata if row is not None else {}), **variant}


def _truths_for(trial: EndedTrial, asking: Asking) -> list[GroundTruths]:
    if asking.ground_truth is not None:
        given = load(asking.ground_truth)
        if given is None:
            raise NotSent("ground_truth", f"there is no file {asking.ground_truth}")
        return [given]
    files = [folder / "ground_truth.json" for folder in (trial.folder, trial.folder.parent)]
    return [truths for truths in map(load, files) if truths is not None]


def _instruction_of(trial: EndedTrial) -> str | None:
    """What the task's own folder says that the user asked; a trial's folder does not."""
    data = None if trial.task_folder is None else read_file(trial.task_folder / "instruction.md", 400_000)
    text = None if data is None else data.decode("utf-8", "replace").strip()
    return text or None
