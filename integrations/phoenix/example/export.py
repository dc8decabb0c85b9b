"""Writes each trace of Phoenix's project `default` as a file of its spans, named by the trace's id: export.py FOLDER. PHOENIX_HOST names the server."""

import json
import os
import sys

from phoenix.client import Client

client = Client(base_url=os.environ.get("PHOENIX_HOST", "http://localhost:6006"))
traces: dict[str, list] = {}
for span in client.spans.get_spans(project_identifier="default", limit=10_000):
    traces.setdefault(span["context"]["trace_id"], []).append(span)
os.makedirs(sys.argv[1], exist_ok=True)
for trace, spans in traces.items():
    with open(os.path.join(sys.argv[1], f"{trace}.json"), "w") as file:
        json.dump(spans, file)
print(f"{len(traces)} traces")
