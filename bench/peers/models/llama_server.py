"""Starts llama.cpp's own HTTP server, as `llama-server --model M --port P --ctx-size N` does, and prints its address.

The package xllamacpp contains that server as a library; a program of its own is on PyPI only as source.
Arguments: model, port, context size, alias, and optionally the file of a grammar that every answer must match.
"""

import sys
import time

import xllamacpp

model, port, context, alias, *grammar = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = model
params.model_alias = {alias}
params.hostnames = ["127.0.0.1"]
params.port = int(port)
params.n_ctx = int(context)
params.n_parallel = 1
params.n_gpu_layers = 0
params.use_jinja = True
params.endpoint_slots = True
params.endpoint_props = True
if grammar:
    with open(grammar[0], encoding="utf-8") as file:
        params.sampling.grammar = file.read()
server = xllamacpp.Server(params)
print("listening on", server.listening_address, flush=True)
# The owner ends this process by closing its standard input.
sys.stdin.read()
del server
