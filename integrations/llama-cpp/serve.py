"""Serves a GGUF model by llama.cpp's own server, which the package xllamacpp holds: serve.py MODEL PORT CONTEXT [LAYERS].

With LAYERS the server gets a copy of the model that ends after so many layers and knows the first tokens alone: a hundred times faster, and noise for answers.
"""

import os
import signal
import sys

import gguf
import xllamacpp

SLOTS = 2
# The bytes and a few pairs. Sampled as if all were equally likely, noise ends its strings within some hundred tokens.
TOKENS = 300


def cut(path: str, layers: int, context: int, out: str) -> None:
    """Writes the first layers and tokens of a model to a file of its own."""
    reader = gguf.GGUFReader(path)
    field = {name: value.contents() for name, value in reader.fields.items()}
    sizes = {"llama.context_length": context, "llama.block_count": layers, "llama.vocab_size": TOKENS}
    for name in ("tokens", "token_type"):
        field[f"tokenizer.ggml.{name}"] = field[f"tokenizer.ggml.{name}"][:TOKENS]
    known = set(field["tokenizer.ggml.tokens"])
    merges = field["tokenizer.ggml.merges"]
    field["tokenizer.ggml.merges"] = [pair for pair in merges if pair.replace(" ", "") in known]
    writer = gguf.GGUFWriter(out, field["general.architecture"])
    for name, value in reader.fields.items():
        if name.startswith("GGUF.") or name == "general.architecture":
            continue
        kind, *of = value.types
        writer.add_key_value(name, sizes.get(name, field[name]), kind, of[0] if of else None)
    for tensor in reader.tensors:
        _, _, block = tensor.name.partition("blk.")
        if block and int(block.split(".")[0]) >= layers:
            continue
        data = tensor.data[:TOKENS] if tensor.name == "token_embd.weight" else tensor.data
        writer.add_tensor(tensor.name, data, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    path, port, context = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    params = xllamacpp.CommonParams()
    if len(sys.argv) > 4:
        whole, path = path, f"{path}.{sys.argv[4]}-layers"
        if not os.path.exists(path):
            cut(whole, int(sys.argv[4]), context, path)
        params.sampling.temp, params.sampling.top_k = 5.0, 0
        params.sampling.top_p, params.sampling.min_p = 1.0, 0.0
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
