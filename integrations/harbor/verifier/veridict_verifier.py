#!/usr/bin/env python3
"""Grades the run inside of a Harbor verifier, and writes the reward that the label is worth; where there is no label, none.

Harbor takes a verifier that leaves neither `reward.json` nor `reward.txt` for an error of the trial (`RewardFileNotFoundError`),
whatever its exit code is. A judge that failed is such an error, and no reward of 0.

Variables (`[verifier.env]` of task.toml): VERIDICT_SERVER; VERIDICT_API_KEY; VERIDICT_REWARDS, a JSON object of numbers by label, where
null means no reward; VERIDICT_JUDGE, VERIDICT_RUBRIC; VERIDICT_TIMEOUT_S (300). Standard library only, Python 3.8 or newer.

Exit codes: 0 a reward was written; 2 the variables or files cannot be used; 3 no answer, or a failed judge; 4 no label, or none with
a reward.
"""

import argparse
import http.client
import json
import math
import os
import shutil
import socket
import sys
import time
from urllib.parse import urlsplit

MOST_BYTES = 64 * 1024 * 1024
OWN_FILES = ("reward.json", "reward.txt", "judge")


class NoReward(Exception):
    """Why there is none; `code` is the exit code."""

    def __init__(self, code, reason):
        super().__init__(reason)
        self.code = code


def main(args):
    options = parse(args)
    try:
        # First of all: what stands there now is not of this run; the agent may have written it.
        clear(options.out)
        rewards = read_rewards(os.environ.get("VERIDICT_REWARDS", ""))
        trajectory = read_object(options.trajectory)
        if trajectory.get("continued_trajectory_ref") is not None:
            raise NoReward(2, "the run goes on in another file: a part of it gets no reward")
        request = {"trajectory": trajectory, "ground_truth": read_object(options.ground_truth)}
        for name in ("judge", "rubric"):
            if os.environ.get("VERIDICT_" + name.upper()):
                request[name] = os.environ["VERIDICT_" + name.upper()]
        status, grade = ask(request)
        judge = os.path.join(options.out, "judge")
        os.mkdir(judge)
        try:
            label = label_of(status, grade)
        except NoReward:
            write(os.path.join(judge, "judge_error.json"), grade)
            raise
        write(os.path.join(judge, "verdict.json"), grade)
        if label is None:
            raise NoReward(4, "unverified: the evidence does not hold, or the judge could not tell")
        reward = rewards.get(label)
        if reward is None:
            raise NoReward(4, "the label %r has no reward in VERIDICT_REWARDS" % label)
        write(os.path.join(options.out, "reward.json"), {"reward": reward})
        print("veridict: %s, reward %s (%s)" % (label, reward, grade.get("id")))
        return 0
    except NoReward as error:
        print("veridict: no reward: %s" % error)
        return error.code
    except OSError as error:
        print("veridict: no reward: %s" % error)
        return 2


def parse(args):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trajectory", default="/logs/agent/trajectory.json", help="default: %(default)s")
    parser.add_argument("--ground-truth", default="/tests/ground_truth.json", help="default: %(default)s")
    parser.add_argument("--out", default="/logs/verifier", help="where reward.json goes; default: %(default)s")
    return parser.parse_args(args)


def clear(folder):
    for name in OWN_FILES:
        path = os.path.join(folder, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.unlink(path)


def read_rewards(text):
    try:
        rewards = json.loads(text, parse_constant=refuse)
    except ValueError:
        rewards = None
    if not isinstance(rewards, dict) or not rewards:
        raise NoReward(2, 'VERIDICT_REWARDS must say what labels are worth, like {"aligned": 1, "compliant": 0}')
    for label, reward in rewards.items():
        is_number = isinstance(reward, (int, float)) and not isinstance(reward, bool)
        if reward is not None and not (is_number and math.isfinite(reward)):
            raise NoReward(2, "VERIDICT_REWARDS: the reward of %s is neither a number nor null" % label)
    return rewards


def refuse(constant):
    raise ValueError(constant)


def read_object(path):
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
        value = json.loads(data, parse_constant=refuse) if len(data) <= MOST_BYTES else None
    except (OSError, ValueError, RecursionError) as error:
        raise NoReward(2, "%s cannot be read: %s" % (path, type(error).__name__))
    if not isinstance(value, dict):
        raise NoReward(2, "%s is no JSON object, or has more than %d bytes" % (path, MOST_BYTES))
    return value


def ask(request):
    """The status and the JSON object that POST /v1/grades answers; no redirect is followed."""
    url = os.environ.get("VERIDICT_SERVER", "")
    key = os.environ.get("VERIDICT_API_KEY", "").strip()
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
            raise ValueError
        timeout = float(os.environ.get("VERIDICT_TIMEOUT_S") or 300)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname, parts.port, timeout=timeout)
    except ValueError:
        raise NoReward(2, "VERIDICT_SERVER is no address like http://veridict:8787, or VERIDICT_TIMEOUT_S no number")
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = "Bearer " + key
    end = time.monotonic() + timeout
    try:
        body = json.dumps(request).encode()
        connection.request("POST", parts.path.rstrip("/") + "/v1/grades", body, headers)
        response = connection.getresponse()
        data = b""
        while len(data) <= MOST_BYTES:
            chunk = response.read1(1 << 20)
            if not chunk:
                break
            data += chunk
            if time.monotonic() > end:
                raise socket.timeout("timed out")
        answer = json.loads(data)
    except (OSError, http.client.HTTPException, ValueError, RecursionError) as error:
        raise NoReward(3, "no answer of %s: %s" % (url, type(error).__name__))
    finally:
        connection.close()
    if not isinstance(answer, dict):
        raise NoReward(3, "the answer is no grade")
    return response.status, answer


def label_of(status, grade):
    """The label of a grade, None of an unverified grade; NoReward where the answer is no grade."""
    if status not in (200, 201):
        code, detail = str(grade.get("code"))[:60], str(grade.get("detail"))[:500]
        raise NoReward(3 if status >= 500 else 2, "%d %s: %s" % (status, code, detail))
    if grade.get("status") == "unverified" and grade.get("label") is None:
        return None
    if grade.get("status") != "graded" or not isinstance(grade.get("label"), str):
        raise NoReward(3, "the answer is no grade")
    return grade["label"]


def write(path, value):
    """There whole, or not at all."""
    temporary = "%s.%d.tmp" % (path, os.getpid())
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    with os.fdopen(descriptor, "w") as file:
        json.dump(value, file)
        file.write("\n")
    os.replace(temporary, path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
