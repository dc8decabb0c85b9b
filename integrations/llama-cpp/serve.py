"""Serves a GGUF model by llama.cpp's own server, which the package xllamacpp holds: serve.py MODEL PORT CONTEXT."""

import signal
import sys

import xllamacpp

SLOTS = 2


def main() -> None:
    path, port, context = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_parallel = SLOTS
    params.n_ctx = context * SLOTS
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 2
    params.endpoint_slots = True
    server = xllamacpp.Server(params)
    print("llama.cpp listens at", server.listening_address, flush=True)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})


main()
