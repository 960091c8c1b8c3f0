/** A local model server and its default port. */
export type LocalServerRecord = {
  label: string;
  port: number;
  /** Its `owned_by` value, which identifies it on a port that another server usually uses. */
  ownedBy?: string;
  /** Where the port is documented. */
  source: string;
};

/** The default ports, in the order in which detected servers are listed. */
export const LOCAL_SERVERS: readonly LocalServerRecord[] = [
  { label: 'Ollama', port: 11434, source: 'https://docs.ollama.com/faq' },
  {
    label: 'llama.cpp',
    port: 8080,
    ownedBy: 'llamacpp',
    source: 'https://github.com/ggml-org/llama.cpp/tree/master/tools/server',
  },
  {
    label: 'llama.cpp',
    port: 9931,
    ownedBy: 'llamacpp',
    source: 'https://github.com/ggml-org/llama.cpp/tree/master/tools/server',
  },
  {
    label: 'vLLM',
    port: 8000,
    ownedBy: 'vllm',
    source: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
  },
  {
    label: 'LM Studio',
    port: 1234,
    source: 'https://lmstudio.ai/docs/developer/openai-compat',
  },
  { label: 'Jan', port: 1337, source: 'https://jan.ai/docs/local-api' },
  { label: 'KoboldCpp', port: 5001, source: 'https://github.com/LostRuins/koboldcpp/blob/concedo/koboldcpp.py' },
  {
    label: 'text-generation-webui',
    port: 5000,
    source: 'https://github.com/oobabooga/text-generation-webui/wiki/12-%E2%80%90-OpenAI-API',
  },
];
