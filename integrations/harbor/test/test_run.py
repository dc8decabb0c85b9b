"""`harbor run` itself, with its oracle, its verifier and the installed plugin, against a running Veridict (VERIDICT_TEST_URL)."""

import paths

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from importlib.metadata import version
from pathlib import Path

URL = os.environ.get("VERIDICT_TEST_URL")
EXAMPLES = paths.REPOSITORY / "examples"
SOLVE = "#!/bin/bash\ncp /solution/trajectory.json /logs/agent/\ntouch /app/firmware.elf\n"
TEST = "#!/bin/bash\ntest -e /app/firmware.elf && echo 0.75 > /logs/verifier/reward.txt\n"


@unittest.skipIf(URL is None, "VERIDICT_TEST_URL names no running Veridict")
class HarborRun(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        """Installs the plugin as users do, from a copy: pip builds in the folder that it is given."""
        print(f"Harbor {version('harbor')}, Python {sys.version.split()[0]}")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        copy, cls.installed = Path(folder.name) / "harbor", Path(folder.name) / "installed"
        shutil.copytree(paths.ROOT, copy)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--target", cls.installed, copy]
        subprocess.run(pip, check=True)

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def task(self, name: str, example: str, test: str = TEST, config: str = "") -> Path:
        """Writes a task whose oracle leaves the trajectory of a bundled example."""
        task = self.folder / "tasks" / name
        for inner in ("environment", "solution", "tests"):
            (task / inner).mkdir(parents=True)
        (task / "task.toml").write_text(f'version = "1.0"\n[task]\nname = "acme/{name}"\n{config}')
        (task / "instruction.md").write_text(json.loads((EXAMPLES / example / "ground-truth.json").read_text())["instruction"])
        (task / "environment" / "Dockerfile").write_text("FROM scratch\n")
        shutil.copy(EXAMPLES / example / "trajectory.json", task / "solution")
        (task / "solution" / "solve.sh").write_text(SOLVE)
        (task / "tests" / "test.sh").write_text(test)
        return task

    def harbor(self, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
        variables = {
            **{key: value for key, value in os.environ.items() if not key.startswith("VERIDICT_")},
            "PYTHONPATH": f"{self.installed}{os.pathsep}{paths.HERE}",
            "HARBOR_TELEMETRY": "off",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "VERIDICT_SERVER": URL or "",
            **env,
        }
        program = Path(sys.executable).parent / "harbor"
        return subprocess.run([program, *args], cwd=self.folder, env=variables, capture_output=True, text=True, timeout=300)

    def run_job(self, *args: str, **env: str) -> str:
        """Runs all tasks by the oracle, without a container; answers the printed lines."""
        given = ("-p", "tasks", "-a", "oracle", "--env", "local_environment:LocalEnvironment", "--yes", "--job-name", "job")
        ran = self.harbor("run", *given, *args, **env)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        return ran.stdout + ran.stderr

    def trial(self, task: str) -> Path:
        [folder] = (self.folder / "jobs" / "job").glob(f"{task}__*")
        return folder

    def rewards(self, task: str) -> dict | None:
        result = json.loads((self.trial(task) / "result.json").read_text())
        return (result["verifier_result"] or {}).get("rewards")

    def beside(self, task: str) -> tuple[str, dict]:
        [file] = (self.trial(task) / "judge").iterdir()
        return file.name, json.loads(file.read_text())

    def test_a_job_ends_with_its_rewards_and_verdicts_beside_them(self):
        truths = []
        for name, example in (("build-firmware", "aligned-terminus-2"), ("media", "unverified-media-codex")):
            self.task(name, example)
            truths.append({"task": name, **json.loads((EXAMPLES / example / "ground-truth.json").read_text())})
        self.task("unknown", "compliant-codex")
        (self.folder / "truths.json").write_text(json.dumps(truths))
        printed = self.run_job("--plugin", "veridict", "--pk", "ground_truth=truths.json")
        self.assertIn("Veridict: 3 trials: graded 1 · unverified 1 · failed 0 · not sent 1 (no_ground_truth 1)", printed)
        found = {task: (name, document["status"], document["label"]) for task in self.tasks() for name, document in [self.beside(task)]}
        self.assertEqual(
            found,
            {
                "build-firmware": ("verdict.json", "graded", "aligned"),
                "media": ("verdict.json", "unverified", None),
                "unknown": ("judge_error.json", "not_sent", None),
            },
        )
        for task in self.tasks():
            self.assertEqual(self.rewards(task), {"reward": 0.75})
            self.assertEqual([file.name for file in sorted((self.trial(task) / "verifier").iterdir())], ["reward.txt", "test-stdout.txt"])

    def tasks(self) -> list[str]:
        return sorted(folder.name for folder in (self.folder / "tasks").iterdir())

    def test_a_failed_judge_is_an_error_beside_the_reward(self):
        self.task("build-firmware", "aligned-terminus-2")
        shutil.copy(EXAMPLES / "aligned-terminus-2" / "ground-truth.json", self.folder / "truth.json")
        truths = {"build-firmware": json.loads((self.folder / "truth.json").read_text())}
        (self.folder / "truths.json").write_text(json.dumps(truths))
        printed = self.run_job("--plugin", "veridict", "--pk", "ground_truth=truths.json", "--pk", "judge=broken")
        self.assertIn("Veridict: 1 trials: graded 0 · unverified 0 · failed 1 · not sent 0", printed)
        name, document = self.beside("build-firmware")
        self.assertEqual([name, document["status"], document["label"]], ["judge_error.json", "failed", None])
        self.assertEqual(self.rewards("build-firmware"), {"reward": 0.75})

    def test_the_verifier_gives_the_reward_of_a_label_and_none_without_a_label(self):
        variables = f'[verifier.env]\nVERIDICT_SERVER = "{URL}"\nVERIDICT_REWARDS = \'{{"aligned": 0.5}}\'\n'
        for name, example in (("build-firmware", "aligned-terminus-2"), ("media", "unverified-media-codex")):
            task = self.task(name, example, config=variables)
            for file in ("test.sh", "veridict_verifier.py"):
                shutil.copy(paths.ROOT / "verifier" / file, task / "tests")
            shutil.copy(EXAMPLES / example / "ground-truth.json", task / "tests" / "ground_truth.json")
        self.assertIn("RewardFileNotFoundError", self.run_job())
        self.assertEqual([self.rewards("build-firmware"), self.rewards("media")], [{"reward": 0.5}, None])
        verdicts = [json.loads((self.trial(task) / "verifier/judge/verdict.json").read_text()) for task in ("build-firmware", "media")]
        self.assertEqual([verdict["label"] for verdict in verdicts], ["aligned", None])

    def test_harbor_lists_the_plugin(self):
        self.assertRegex(self.harbor("plugins", "list").stdout, r"veridict\W+harbor_veridict:VeridictPlugin")


if __name__ == "__main__":
    unittest.main()
