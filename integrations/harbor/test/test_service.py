"""Against a running Veridict, whose address is VERIDICT_TEST_URL."""

import os

from playing import JobTest, PlayedTrial, example, truth

import unittest

URL = os.environ.get("VERIDICT_TEST_URL")


@unittest.skipIf(URL is None, "VERIDICT_TEST_URL names no running Veridict")
class ServiceTest(JobTest):
    def test_a_job(self):
        build = PlayedTrial("acme/build-firmware", [(example("aligned-terminus-2"), None)], {"reward": 1.0})
        media = PlayedTrial("acme/media", [(example("unverified-media-codex"), None)], {"reward": 0})
        unknown = PlayedTrial("acme/unknown", [(example("compliant-codex"), None)])
        empty = PlayedTrial("acme/build-firmware", [(lambda folder: None, "AgentTimeoutError")])
        wrong = PlayedTrial("acme/wrong", [(example("compliant-codex"), None)])
        truths = self.truths(
            truth("aligned-terminus-2", task="build-firmware"),
            truth("unverified-media-codex", task="acme/media"),
            {"task": "wrong", "instruction": "x", "cue": "make it", "distracter": "typo"},
        )
        summary = self.play([build, media, unknown, empty, wrong], server=URL, ground_truth=truths)
        self.assertEqual(self.counts(summary), [5, 1, 1, 0, 3], summary)
        self.assertEqual(summary["labels"], {"aligned": 1})
        self.assertEqual(summary["reasons"], {"no_ground_truth": 1, "no_trajectory": 1, "invalid_request": 1})
        grade = self.beside(build)
        self.assertEqual([grade["status"], grade["label"], grade["trial_id"]], ["graded", "aligned", str(self.results[0].id)])
        self.assertEqual(grade["grade"]["metadata"]["harbor_trial_id"], str(self.results[0].id))
        self.assertEqual(grade["grade"]["metadata"]["model"], "gpt-5.6-sol")
        self.assertEqual([self.beside(media)["label"], self.beside(media)["status"]], [None, "unverified"])
        self.assertIn("distracter", self.beside(wrong)["reason"])
        self.assertIn("5 trials: graded 1 · unverified 1 · failed 0 · not sent 3", self.stderr.getvalue())


if __name__ == "__main__":
    unittest.main()
