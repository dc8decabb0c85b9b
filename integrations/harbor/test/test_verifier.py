"""The verifier's program: a reward where there is a label with one, and in every other case none."""

from playing import EXAMPLES, JobTest, graded

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

import paths

SCRIPT = paths.ROOT / "verifier" / "veridict_verifier.py"
REWARDS = '{"aligned": 1, "compliant": 0.5, "not_observed": null}'
URL = os.environ.get("VERIDICT_TEST_URL")


def rewards_as_harbor_reads(folder: Path) -> dict | None:
    """Harbor: `reward.json`, of which only numbers count, else `reward.txt`; None: RewardFileNotFoundError. It never sees the exit code."""
    if (folder / "reward.json").exists():
        value = json.loads((folder / "reward.json").read_text())
        return {key: one for key, one in value.items() if isinstance(one, (int, float)) and not isinstance(one, bool)}
    return {"reward": float((folder / "reward.txt").read_text())} if (folder / "reward.txt").exists() else None


class VerifierTest(JobTest):
    def verify(self, url: str, rewards: str = REWARDS, example: str = "aligned-terminus-2", **env: str):
        out = self.job_dir / "verifier"
        out.mkdir()
        # Of an agent that hopes for a verifier that fails.
        (out / "reward.json").write_text('{"reward": 1}')
        (out / "reward.txt").mkdir()
        (out / "judge").symlink_to(self.job_dir.parent)
        (out / "reward.txt" / "x").write_text("1")
        folder = EXAMPLES / example
        args = ["--trajectory", folder / "trajectory.json", "--ground-truth", folder / "ground-truth.json", "--out", out]
        variables = {"PATH": os.environ["PATH"], "VERIDICT_SERVER": url, "VERIDICT_REWARDS": rewards, **env}
        ran = subprocess.run([sys.executable, SCRIPT, *args], env=variables, capture_output=True, text=True, timeout=20)
        self.assertEqual(ran.stderr, "")
        self.written = [file.name for file in (out / "judge").iterdir()] if (out / "judge").is_dir() else []
        return ran.returncode, rewards_as_harbor_reads(out), ran.stdout

    def test_a_label_with_a_reward(self):
        code, rewards, said = self.verify(self.serve(graded).url)
        self.assertEqual([code, rewards, self.written], [0, {"reward": 1}, ["verdict.json"]], said)

    def test_no_reward_without_a_label_that_has_one(self):
        failed = {"code": "timeout", "detail": "slow", "grade_id": "g"}
        cases = [
            ((504, failed, {}), 3, "504 timeout"),
            ((502, b"<html>", {}), 3, "no answer"),
            ((301, {}, {"location": "http://127.0.0.1:9"}), 2, "301"),
            ((400, {"code": "invalid_request", "detail": "no cue"}, {}), 2, "no cue"),
            ((201, {"status": "unverified", "label": None}, {}), 4, "unverified"),
            ((201, {"status": "graded", "label": 1}, {}), 3, "no grade"),
            ((201, {"status": "unverified", "label": "aligned"}, {}), 3, "no grade"),
            (graded(label="ignored"), 4, "'ignored' has no reward"),
            (graded(label="not_observed"), 4, "no reward"),
        ]
        for answer, exit_code, said in cases:
            with self.subTest(said):
                self.setUp()
                code, rewards, printed = self.verify(self.serve(lambda _, a=answer: a).url)
                self.assertEqual([code, rewards], [exit_code, None])
                no_file, file = "no answer" in said, "verdict.json" if exit_code == 4 else "judge_error.json"
                self.assertEqual(self.written, [] if no_file else [file])
                self.assertIn(said, printed)

    def test_no_reward_with_variables_that_are_wrong(self):
        for rewards in ("", "[]", '{"aligned": true}', '{"aligned": NaN}', '{"aligned": "1"}', '{"aligned": 1e999}'):
            with self.subTest(rewards):
                self.setUp()
                self.assertEqual(self.verify("http://127.0.0.1:9", rewards)[:2], (2, None))
        for url in ("", "file:///etc/passwd", "http://user@127.0.0.1/", "http://127.0.0.1:port/"):
            with self.subTest(url):
                self.setUp()
                self.assertEqual(self.verify(url)[:2], (2, None))

    def test_no_reward_for_a_part_of_a_run(self):
        part = self.job_dir / "trajectory.json"
        whole = json.loads((EXAMPLES / "aligned-terminus-2" / "trajectory.json").read_text())
        part.write_text(json.dumps({**whole, "continued_trajectory_ref": "trajectory.cont-1.json"}))
        args = ["--trajectory", part, "--ground-truth", EXAMPLES / "aligned-terminus-2" / "ground-truth.json", "--out", self.job_dir]
        variables = {"PATH": os.environ["PATH"], "VERIDICT_SERVER": self.serve(graded).url, "VERIDICT_REWARDS": REWARDS}
        ran = subprocess.run([sys.executable, SCRIPT, *args], env=variables, capture_output=True, text=True, timeout=20)
        self.assertEqual([ran.returncode, rewards_as_harbor_reads(self.job_dir)], [2, None], ran.stdout)

    def test_modules_that_the_agent_left_are_not_loaded(self):
        tests = self.job_dir / "tests"
        tests.mkdir()
        (tests / "veridict_verifier.py").write_bytes(SCRIPT.read_bytes())
        (tests / "json.py").write_text("import sys\nsys.exit(9)\n")
        script = (paths.ROOT / "verifier" / "test.sh").read_text().replace("/logs/verifier", str(self.job_dir)).replace("/tests/", f"{tests}/")
        ran = subprocess.run(["/bin/sh", "-c", f"set -- --help\n{script}"], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_no_reward_without_a_service(self):
        self.assertEqual(self.verify("http://127.0.0.1:9")[:2], (3, None))

    def test_a_shell_without_python_leaves_no_reward(self):
        script = (paths.ROOT / "verifier" / "test.sh").read_text().replace("/logs/verifier", str(self.job_dir))
        (self.job_dir / "reward.json").write_text('{"reward": 1}')
        self.assertEqual(subprocess.run(["/bin/sh", "-c", script.replace("python3", "no-such-python")], capture_output=True).returncode, 127)
        self.assertFalse((self.job_dir / "reward.json").exists())

    @unittest.skipIf(URL is None, "VERIDICT_TEST_URL names no running Veridict")
    def test_against_a_running_service(self):
        self.assertEqual(self.verify(URL or "")[:2], (0, {"reward": 1}))
        self.setUp()
        self.assertEqual(self.verify(URL or "", example="unverified-media-codex")[:2], (4, None))


if __name__ == "__main__":
    unittest.main()
