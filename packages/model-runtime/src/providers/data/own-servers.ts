import type { ProviderData } from '../types.ts';

/** Self-hosted model servers, at their default base URL. */
export const OWN_SERVERS: readonly ProviderData[] = [
  {
    id: 'ollama',
    label: 'Ollama',
    place: 'own',
    baseUrl: 'http://127.0.0.1:11434/v1',
    source: 'https://docs.ollama.com/openai',
  },
  {
    id: 'llamacpp',
    label: 'llama.cpp',
    place: 'own',
    quirks: { reasoning: 'chat_template_kwargs', continuing: 'last_message' },
    baseUrl: 'http://127.0.0.1:8080/v1',
    source: 'https://github.com/ggml-org/llama.cpp/tree/master/tools/server',
  },
  {
    id: 'lmstudio',
    label: 'LM Studio',
    place: 'own',
    baseUrl: 'http://127.0.0.1:1234/v1',
    source: 'https://lmstudio.ai/docs/developer/openai-compat',
  },
  {
    id: 'vllm',
    label: 'vLLM',
    place: 'own',
    quirks: { reasoning: 'chat_template_kwargs', continuing: 'continue_final_message' },
    baseUrl: 'http://127.0.0.1:8000/v1',
    keyVariables: ['VLLM_API_KEY'],
    source: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
  },
  {
    id: 'jan',
    label: 'Jan',
    place: 'own',
    baseUrl: 'http://127.0.0.1:1337/v1',
    source: 'https://jan.ai/docs/local-api',
  },
  {
    id: 'koboldcpp',
    label: 'KoboldCpp',
    place: 'own',
    baseUrl: 'http://127.0.0.1:5001/v1',
    source: 'https://github.com/LostRuins/koboldcpp/wiki',
  },
  {
    id: 'textgenerationwebui',
    label: 'text-generation-webui',
    place: 'own',
    baseUrl: 'http://127.0.0.1:5000/v1',
    source: 'https://github.com/oobabooga/text-generation-webui/wiki/12-%E2%80%90-OpenAI-API',
  },
  {
    id: 'xinference',
    label: 'Xinference',
    place: 'own',
    quirks: { reasoning: 'chat_template_kwargs' },
    baseUrl: 'http://127.0.0.1:9997/v1',
    keyVariables: ['XINFERENCE_API_KEY'],
    source: 'https://inference.readthedocs.io/en/latest/getting_started/using_xinference.html',
  },
  {
    id: 'unsloth',
    label: 'Unsloth Studio',
    place: 'own',
    baseUrl: 'http://127.0.0.1:8888/v1',
    source: 'https://unsloth.ai/docs',
  },
];
