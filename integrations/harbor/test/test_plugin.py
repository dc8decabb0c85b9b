"""What the plugin does to a job where things go wrong: nothing; and what it says then."""

from playing import EXAMPLES, JobTest, PlayedTrial, example, graded, text, truth

import json
import os
import shutil
import threading
import time
import unittest

from harbor_veridict.record import Records

ALIGNED = "aligned-terminus-2"


def trial(*attempts, **more) -> PlayedTrial:
    return PlayedTrial("acme/build", list(attempts) or [(example(ALIGNED), None)], **more)


class FailsOpen(JobTest):
    def one(self, answer, played=None, **kwargs):
        """One trial against a service that answers so: the file of its outcome, and its result in Harbor."""
        service = self.serve(answer)
        self.played = played = played or trial(rewards={"reward": 1.0})
        summary = self.play([played], server=service.url, ground_truth=self.truths(truth(ALIGNED, task="build")), **kwargs)
        self.service = service
        self.assertEqual(service.strange, [])
        self.assertEqual(sum(self.counts(summary)[1:]), 1)
        return self.beside(played)

    def test_failed_judges_are_no_verdicts_and_no_rewards(self):
        problems = {
            502: {"code": "schema_invalid", "detail": "no JSON", "grade_id": "grd_9", "retryable": True},
            503: {"code": "quota_exhausted", "detail": "paid up", "grade_id": "grd_9", "retryable": False},
            504: {"code": "timeout", "detail": "slow", "grade_id": "grd_9", "retryable": True},
        }
        for status, problem in problems.items():
            with self.subTest(status):
                self.setUp()
                row = self.one(lambda _, s=status, p=problem: (s, p, {}))
                self.assertEqual([row["status"], row["label"], row["code"]], ["failed", None, problem["code"]])
                self.assertEqual([row["grade_id"], row["retryable"]], ["grd_9", problem["retryable"]])
                self.assertEqual(self.results[0].verifier_result.rewards, {"reward": 1.0})
                self.assertEqual(list((self.job_dir / row["trial_name"] / "verifier").iterdir()), [])

    def test_answers_that_are_no_grades(self):
        answers = [
            (200, b"<html>a proxy</html>", {}),
            (201, {"id": "g", "status": "graded", "label": None}, {}),
            (201, {"id": "g", "status": "unverified", "label": "aligned"}, {}),
            (201, {"status": "graded", "label": "aligned"}, {}),
            (200, b"[" * 100_000, {}),
            (500, b"\xff\xfe", {}),
        ]
        for answer in answers:
            with self.subTest(answer[1][:30] if isinstance(answer[1], bytes) else answer[1]):
                self.setUp()
                row = self.one(lambda _, a=answer: a)
                self.assertEqual([row["status"], row["label"]], ["failed", None])

    def test_redirects_and_refusals_are_not_followed(self):
        for status in (301, 307, 400, 401, 413):
            with self.subTest(status):
                self.setUp()
                os.environ["VERIDICT_API_KEY"] = "vk_secret"
                row = self.one(lambda _, s=status: (s, {"code": "no\x1b[31m", "detail": "no"}, {"location": "http://127.0.0.1:9/"}))
                self.assertEqual([row["status"], row["code"]], ["not_sent", f"http_{status}"])
                self.assertEqual(len(self.service.bodies), 1)
                self.assertEqual(self.service.headers[0]["Authorization"], "Bearer vk_secret")
                self.assertNotIn("vk_secret", self.stderr.getvalue() + json.dumps(row))

    def test_a_busy_service_is_asked_again(self):
        answers = [(503, {"code": "overloaded", "retryable": True}, {"retry-after": "0"})] * 2
        row = self.one(lambda _: answers.pop() if answers else graded())
        self.assertEqual([row["status"], len(self.service.bodies)], ["graded", 3])

    def test_a_service_that_hangs_delays_nothing_but_the_end_and_that_not_for_long(self):
        open_ = threading.Event()
        self.addCleanup(open_.set)
        row = self.one(lambda _: (open_.wait(20), graded())[1], shutdown_s=0.3)
        self.assertEqual([row["status"], row["code"]], ["failed", "job_ended"])
        self.assertLess(self.ran_s, 2)
        self.assertLess(self.ended_s, 3)
        open_.set()
        time.sleep(0.3)
        self.assertEqual(self.beside(self.played), row)

    def test_an_answer_that_trickles_ends_at_the_timeout(self):
        def slow(_):
            time.sleep(1.5)
            return graded()

        row = self.one(slow, timeout_s=0.5)
        self.assertEqual([row["status"], row["code"]], ["failed", "no_answer"])

    def test_no_service(self):
        played = trial()
        truths = self.truths(truth(ALIGNED, task="build"))
        summary = self.play([played], server="http://127.0.0.1:9", ground_truth=truths, timeout_s=1)
        self.assertEqual([self.counts(summary), summary["reasons"]], [[1, 0, 0, 0, 1], {"unreachable": 1}])
        self.assertIn("cannot be reached", self.beside(played)["reason"])

    def test_a_queue_that_is_full(self):
        go = threading.Event()
        service = self.serve(lambda _: (go.wait(20), graded())[1])
        truths = self.truths(truth(ALIGNED, task="build"))
        self.before_end = go.set
        played = [trial() for _ in range(6)]
        summary = self.play(played, server=service.url, ground_truth=truths, concurrency=1, queue_size=2)
        self.assertEqual(summary["trials"], 6)
        self.assertGreaterEqual(summary["reasons"]["queue_full"], 3)
        self.assertEqual(summary["graded"] + summary["not_sent"], 6)

    def test_options_that_are_wrong_end_no_job(self):
        for kwargs in ({"groundtruth": "x"}, {"server": "file:///etc/passwd"}, {"concurrency": "many"}, {"server": 7}):
            with self.subTest(kwargs):
                self.setUp()
                summary = self.play([trial()], **kwargs)
                self.assertEqual(summary["reasons"], {"plugin_options": 1})
                self.assertIn("nothing will be graded", self.stderr.getvalue())

    def test_ground_truths_that_are_wrong_grade_nothing(self):
        for content in ("{", '[{"task": 7}]', '{"task": "build", "cue": "a b"}\n{"task": "build", "cue": "c d"}\n', "\xff", None):
            with self.subTest(content):
                self.setUp()
                path = self.job_dir.parent / "t.json"
                if content is not None:
                    path.write_bytes(content.encode("latin-1"))
                service = self.serve(graded)
                summary = self.play([trial()], server=service.url, ground_truth=str(path))
                self.assertEqual([summary["not_sent"], service.bodies], [1, []])


class Attempts(JobTest):
    def test_attempts_of_a_trial_are_one_trial_and_the_last_is_graded(self):
        service = self.serve(graded)
        played = trial((example("compliant-codex"), "AgentError"), (example(ALIGNED), None))
        summary = self.play([played], server=service.url, ground_truth=self.truths(truth(ALIGNED, task="build")))
        self.assertEqual(self.counts(summary), [1, 1, 0, 0, 0])
        self.assertEqual(len(service.bodies), 1)
        sent = service.bodies[0]
        self.assertEqual(sent["trajectory"], json.loads((EXAMPLES / ALIGNED / "trajectory.json").read_text()))
        self.assertEqual([sent["metadata"]["trial"], sent["metadata"]["harbor_trial_id"]], [played.name, str(self.results[0].id)])
        self.assertEqual(self.beside(played)["status"], "graded")
        self.assertNotIn("exception", sent["metadata"])

    def test_what_is_sent_is_what_harbor_has_scrubbed(self):
        service = self.serve(graded)
        played = trial((text('{"steps": [{"actor": "user", "text": "key sk-live-1"}]}'), None))
        truths = self.truths(truth(ALIGNED, task="build"))
        self.play([played], server=service.url, ground_truth=truths, secrets={"SCRIPTED_API_KEY": "sk-live-1"})
        self.assertEqual(service.bodies[0]["trajectory"]["steps"][0]["text"], "key [REDACTED]")

    def test_a_resumed_job_counts_what_ended_before(self):
        service = self.serve(graded)
        truths = self.truths(truth(ALIGNED, task="build"))
        played = [trial(), trial(), trial()]
        self.play(played, server=service.url, ground_truth=truths)
        kept, lost, interrupted = (self.job_dir / one.name for one in played)
        shutil.rmtree(lost / "judge")
        (interrupted / "result.json").unlink()
        again = [trial(), trial(), trial()]
        summary = self.play(again, server=service.url, ground_truth=truths)
        self.assertEqual(self.counts(summary), [3, 2, 0, 0, 1])
        self.assertEqual(summary["reasons"], {"not_seen": 1})
        self.assertEqual([kept.is_dir(), interrupted.is_dir(), len(service.bodies)], [True, False, 4])

    def test_a_grade_of_an_earlier_attempt_is_not_counted(self):
        folder = self.job_dir / "old__1234567"
        folder.mkdir()
        (folder / "result.json").write_text('{"id": "new"}')
        (folder / "judge").mkdir()
        (folder / "judge" / "verdict.json").write_text('{"trial_id": "old", "status": "graded", "label": "aligned"}')
        self.assertEqual(self.counts(Records().summary(self.job_dir, None)), [1, 0, 0, 0, 1])


class Asked(JobTest):
    def sent(self, played, *rows, **kwargs):
        service = self.serve(graded)
        summary = self.play([played], lambda: [row() if callable(row) else row for row in rows], server=service.url, **kwargs)
        return (service.bodies or [None])[0], summary

    def test_rows_and_signals(self):
        row = {"instruction": "go", "cue": "make it so"}
        of_task = {**row, "task": "build", "signals": {"resolved": True, "executed": False}}
        body, _ = self.sent(trial(rewards={"reward": 0.5}), of_task)
        self.assertEqual(body["ground_truth"]["signals"], {"resolved": False, "executed": False})
        self.setUp()
        played = trial(rewards={"reward": 0})
        body, _ = self.sent(played, of_task, lambda: {**row, "trial": played.name, "cue": "own", "signals": {"resolved": True}})
        self.assertEqual([body["ground_truth"]["cue"], body["ground_truth"]["signals"]], ["own", {"resolved": True}])
        self.setUp()
        body, _ = self.sent(trial(rewards={"style": 1}), {**row, "task": "acme/build"})
        self.assertNotIn("signals", body["ground_truth"])

    def test_a_reward_that_harbor_calls_invalid_is_no_signal(self):
        played = trial((example(ALIGNED), "ApiRateLimitError"), rewards={"reward": 0})
        body, _ = self.sent(played, {"instruction": "go", "cue": "make it so", "task": "build"})
        # Harbor 0.25 and newer verify such a trial and call its reward invalid; older versions do not verify the trial.
        self.assertEqual(self.results[0].verifier_result is None, not hasattr(self.results[0], "reward_valid"))
        self.assertNotIn("signals", body["ground_truth"])

    def test_rows_by_task_keep_names_of_their_own(self):
        row = {"instruction": "go", "cue": "of the key"}
        own = {"cue": "own", "instruction": "go"}
        for rows, cue in ((lambda: {"build": row}, "of the key"), (lambda: {"first": {**own, "trial": played.name}}, "own")):
            with self.subTest(cue):
                self.setUp()
                played = trial()
                body, _ = self.sent(played, rows)
                self.assertEqual(body["ground_truth"]["cue"], cue)

    def test_variants(self):
        row = {"task": "build", "instruction": "go"}
        rows = [{**row, "variant": "plain", "cue": "one two"}, {**row, "variant": "told", "cue": "three four"}]
        body, _ = self.sent(trial(), *rows, variant="told")
        self.assertEqual([body["ground_truth"]["cue"], body["metadata"]["variant"]], ["three four", "told"])
        self.setUp()
        body, summary = self.sent(trial(), *rows)
        self.assertEqual([body, summary["reasons"]], [None, {"no_ground_truth": 1}])

    def test_the_instruction_of_the_task(self):
        body, _ = self.sent(trial(instruction="Build it."), {"task": "build", "cue": "make it so"}, judge="lexical")
        self.assertEqual([body["ground_truth"]["instruction"], body["judge"]], ["Build it.", "lexical"])

    def test_another_rubric_needs_no_row(self):
        body, _ = self.sent(trial(), {"task": "other", "instruction": "go", "cue": "x y"}, rubric="failure-attribution")
        self.assertEqual([body["ground_truth"], body["rubric"]], [{"instruction": "go"}, "failure-attribution"])

    def test_hostile_folders(self):
        secret = self.job_dir.parent / "secret.json"
        secret.write_text('{"steps": []}')

        def link(folder):
            (folder / "agent" / "trajectory.json").symlink_to(secret)

        def linked_folder(folder):
            (folder / "agent").rmdir()
            (folder / "agent").symlink_to(secret.parent)

        def pipe(folder):
            os.mkfifo(folder / "agent" / "trajectory.json")

        def long(folder):
            text("")(folder)
            os.truncate(folder / "agent" / "trajectory.json", 64 * 1024 * 1024 + 1)

        cases = {
            "unreadable": [link, linked_folder, pipe, text("[" * 200_000), text('{"a": NaN}'), text("[]"), text("")],
            "too_large": [long],
            "several_files": [text('{"continued_trajectory_ref": "trajectory.cont-1.json", "steps": []}')],
        }
        for code, writers in cases.items():
            for write in writers:
                with self.subTest(code):
                    self.setUp()
                    body, summary = self.sent(trial((lambda folder: None, None), late=write), truth(ALIGNED, task="build"))
                    self.assertEqual([body, summary["reasons"]], [None, {code: 1}])

    def test_what_stands_under_the_name_is_replaced_not_followed(self):
        kept = self.job_dir.parent / "kept"
        kept.write_text("mine")

        def write(folder):
            example(ALIGNED)(folder)
            (folder / "judge").mkdir()
            (folder / "judge" / "verdict.json").symlink_to(kept)

        played = trial((write, None))
        self.sent(played, truth(ALIGNED, task="build"))
        self.assertEqual([kept.read_text(), self.beside(played)["status"]], ["mine", "graded"])


if __name__ == "__main__":
    unittest.main()
