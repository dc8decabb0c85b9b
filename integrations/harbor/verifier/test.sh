#!/bin/sh
# The verifier of a task, as tests/test.sh. A reward is there only if this run wrote it: without python3 there is none, too.
rm -rf /logs/verifier/reward.json /logs/verifier/reward.txt /logs/verifier/judge
# Isolated: modules that the agent left beside the script, or named in PYTHONPATH, are not loaded.
exec python3 -I /tests/veridict_verifier.py "$@"
