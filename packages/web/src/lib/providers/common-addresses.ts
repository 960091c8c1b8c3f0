/** Addresses people begin with, offered while the address is typed; where each is documented stands beside it. */
export const COMMON_ADDRESSES: readonly { label: string; baseUrl: string; source: string }[] = [
  { label: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', source: 'https://docs.ollama.com/faq' },
  {
    label: 'llama.cpp',
    baseUrl: 'http://127.0.0.1:8080/v1',
    source: 'https://github.com/ggml-org/llama.cpp/tree/master/tools/server',
  },
  {
    label: 'LM Studio',
    baseUrl: 'http://127.0.0.1:1234/v1',
    source: 'https://lmstudio.ai/docs/developer/openai-compat',
  },
  { label: 'OpenAI', baseUrl: 'https://api.openai.com/v1', source: 'https://platform.openai.com/docs/api-reference' },
  { label: 'OpenRouter', baseUrl: 'https://openrouter.ai/api/v1', source: 'https://openrouter.ai/docs/quickstart' },
];
