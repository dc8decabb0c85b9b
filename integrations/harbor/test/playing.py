"""Jobs of Harbor itself with a scripted agent and verifier, and a service that answers as a test tells it."""

import paths  # first: the package is imported from its source

import asyncio
import contextlib
import io
import json
import os
import shutil
import tempfile
import threading
import time
import unittest
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest import mock

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # Harbor imports LiteLLM, which else asks the network for prices
os.environ["HARBOR_TELEMETRY"] = "off"

from harbor.agents.base import BaseAgent
from harbor.cli.job_plugins import PluginConfig, attach_job_plugins, finalize_job_plugins
from harbor.job import Job
from harbor.models.job.config import JobConfig, RetryConfig
from harbor.models.trial.config import AgentConfig, EnvironmentConfig, TaskConfig, VerifierConfig
from harbor.models.verifier.result import VerifierResult
from harbor.verifier.base import BaseVerifier

EXAMPLES = paths.REPOSITORY / "examples"


def example(name: str):
    """Writes a trial's folder with the trajectory of a bundled example."""

    def write(folder: Path) -> None:
        shutil.copy(EXAMPLES / name / "trajectory.json", folder / "agent" / "trajectory.json")

    return write


def text(content: str):
    def write(folder: Path) -> None:
        (folder / "agent" / "trajectory.json").write_text(content)

    return write


@dataclass
class PlayedTrial:
    """A task with one trial. ``attempts``: for each, the writer of the trial's folder, and the exception with which the agent ends."""

    task_name: str
    attempts: list[tuple[Callable[[Path], None], str | None]]
    rewards: dict[str, float | int] | None = None
    instruction: str = "go"
    late: Callable[[Path], None] = lambda folder: None
    """Writes the trial's folder during verification: Harbor 0.23 and newer read the trajectory when the agent ends, and wait for a pipe."""
    name: str = ""
    """Harbor's name of the trial, once the job is made."""
    begun: int = 0


PLAYED: dict[str, PlayedTrial] = {}
"""The trials of the jobs of this process by Harbor's names."""


class ScriptedAgent(BaseAgent):
    @staticmethod
    def name() -> str:
        return "scripted"

    def version(self) -> str:
        return "1"

    async def setup(self, environment) -> None:
        pass

    async def run(self, instruction, environment, context) -> None:
        folder = self.logs_dir.parent
        played = PLAYED[folder.name]
        write, exception = played.attempts[played.begun]
        played.begun += 1
        write(folder)
        if exception is not None:
            raise type(exception, (Exception,), {})()


class ScriptedVerifier(BaseVerifier):
    async def verify(self) -> VerifierResult:
        folder = self.trial_paths.trial_dir
        played = PLAYED[folder.name]
        played.late(folder)
        return VerifierResult(rewards=played.rewards)


def truth(name: str, **names: str) -> dict:
    return {**names, **json.loads((EXAMPLES / name / "ground-truth.json").read_text())}


class FakeService:
    """Answers each POST by ``answer(body)``: a status, a body, headers. Anything else than POST /v1/grades fails the test."""

    def __init__(self, answer) -> None:
        self.bodies: list[dict] = []
        self.headers: list[dict] = []
        self.strange: list[str] = []
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                if self.path != "/v1/grades":
                    fake.strange.append(self.path)
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                fake.bodies.append(body)
                fake.headers.append(dict(self.headers))
                status, answered, headers = answer(body)
                data = answered if isinstance(answered, bytes) else json.dumps(answered).encode()
                with contextlib.suppress(OSError):
                    self.send_response(status)
                    for name, value in {"content-length": str(len(data)), **headers}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(data)

            def do_GET(self):
                fake.strange.append(self.path)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def graded(_body=None, label="aligned"):
    return 201, {"id": "grd_1", "status": "graded", "label": label, "confidence": {"reported": "high"}}, {}


class JobTest(unittest.TestCase):
    before_end: Callable[[], object] = staticmethod(lambda: None)
    """Called when the trials of a job are over, before Harbor ends its plugins."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.job_dir = Path(folder.name) / "jobs" / "2026-11-22__10-00-00"
        self.job_dir.mkdir(parents=True)
        self.stderr = io.StringIO()
        env = {key: value for key, value in os.environ.items() if not key.startswith("VERIDICT_")}
        patch = mock.patch.dict(os.environ, env, clear=True)
        patch.start()
        self.addCleanup(patch.stop)

    def serve(self, answer) -> FakeService:
        service = FakeService(answer)
        self.addCleanup(service.close)
        return service

    def truths(self, *rows: dict) -> str:
        path = self.job_dir.parent / "truths.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return str(path)

    def job(self, trials: list[PlayedTrial], secrets: dict[str, str]) -> JobConfig:
        tasks = []
        for number, trial in enumerate(trials):
            task = self.job_dir.parent.parent / "tasks" / str(number) / trial.task_name.split("/")[-1]
            for folder in ("environment", "tests"):
                (task / folder).mkdir(parents=True, exist_ok=True)
            (task / "task.toml").write_text(f'version = "1.0"\n[task]\nname = "{trial.task_name}"\n')
            (task / "instruction.md").write_text(f"{trial.instruction}\n")
            (task / "tests" / "test.sh").write_text("exit 1\n")
            tasks.append(TaskConfig(path=task))
        return JobConfig(
            job_name=self.job_dir.name,
            jobs_dir=self.job_dir.parent,
            n_concurrent_trials=8,
            quiet=True,
            retry=RetryConfig(max_retries=max(len(trial.attempts) for trial in trials) - 1, min_wait_sec=0),
            agents=[AgentConfig(import_path="playing:ScriptedAgent", model_name="openai/gpt-5.6-sol", env=secrets)],
            environment=EnvironmentConfig(import_path="local_environment:LocalEnvironment"),
            verifier=VerifierConfig(import_path="playing:ScriptedVerifier"),
            tasks=tasks,
        )

    def play(self, trials: list[PlayedTrial], rows=None, secrets=None, **kwargs) -> dict:
        """Runs a job with the plugin, attached and finalized by Harbor; answers the summary. ``rows``: ground truths of these trials, by
        their names. Sets ``ran_s``, the seconds of the job without its end, and ``ended_s``, those of its end."""

        async def run() -> None:
            job = await Job.create(self.job(trials, secrets or {}))
            for trial, config in zip(trials, job._trial_configs, strict=True):
                trial.name = config.trial_name
                PLAYED[trial.name] = trial
            options = kwargs if rows is None else {**kwargs, "ground_truth": self.truths(*rows())}
            plugins = await attach_job_plugins(job, [PluginConfig(import_path="harbor_veridict:VeridictPlugin", kwargs=options)])
            begun = time.monotonic()
            result = await job.run()
            self.ran_s = time.monotonic() - begun
            self.results = result.trial_results
            self.before_end()
            begun = time.monotonic()
            await finalize_job_plugins(plugins, result)
            self.ended_s = time.monotonic() - begun

        with contextlib.redirect_stderr(self.stderr), contextlib.redirect_stdout(io.StringIO()):
            asyncio.run(run())
        return json.loads((self.job_dir / "veridict-summary.json").read_text())

    def beside(self, trial) -> dict:
        """The one file that stands in `judge/`, whose name must fit its status."""
        [file] = (self.job_dir / trial.name / "judge").iterdir()
        document = json.loads(file.read_text())
        self.assertEqual(file.name, "verdict.json" if document["status"] in ("graded", "unverified") else "judge_error.json")
        return document

    def counts(self, summary: dict) -> list[int]:
        return [summary[key] for key in ("trials", "graded", "unverified", "failed", "not_sent")]
