import type { ProviderView } from '@toolyard/protocol';
import type { BrandName } from './brand-names.ts';
import { BRAND_NAMES } from './brand-names.ts';

/** Families of models, by the beginning of a word of their id. */
const MODELS: readonly (readonly [start: RegExp, brand: BrandName])[] = [
  [/^(claude|anthropic)/, 'claude'],
  [/^(gpt|chatgpt|o[134]|davinci|dall|whisper|sora|codex|openai)/, 'openai'],
  [/^(gemma|codegemma)/, 'gemma'],
  [/^(gemini|learnlm)/, 'gemini'],
  [/^(llama|codellama|meta)/, 'meta'],
  [/^(qwen|qwq|qvq)/, 'qwen'],
  [/^deepseek/, 'deepseek'],
  [/^(mistral|ministral|mixtral|codestral|devstral|magistral|pixtral|voxtral)/, 'mistral'],
  [/^(grok|xai)/, 'grok'],
  [/^(command|aya|cohere|c4ai)/, 'cohere'],
  [/^(glm|chatglm|codegeex|cogview)/, 'chatglm'],
  [/^kimi/, 'kimi'],
  [/^moonshot/, 'moonshot'],
  [/^(minimax|abab)/, 'minimax'],
  [/^(phi|wizardlm|microsoft)/, 'microsoft'],
  [/^(nemotron|nvidia)/, 'nvidia'],
  [/^(granite|ibm)/, 'ibm'],
  [/^(olmo|tulu|molmo)/, 'ai2'],
  [/^(smollm|smolvlm|starcoder|huggingface)/, 'huggingface'],
  [/^(ernie|wenxin)/, 'wenxin'],
  [/^(doubao|seed)/, 'doubao'],
  [/^hunyuan/, 'hunyuan'],
  [/^yi$/, 'yi'],
  [/^baichuan/, 'baichuan'],
  [/^(internlm|internvl)/, 'internlm'],
  [/^step$/, 'stepfun'],
  [/^jamba/, 'ai21'],
  [/^(sonar|perplexity)/, 'perplexity'],
  [/^(solar|upstage)/, 'upstage'],
  [/^mimo/, 'xiaomimimo'],
  [/^longcat/, 'longcat'],
  [/^v0$/, 'v0'],
];

/** Provider presets whose id is not the name of their icon. */
const PROVIDERS = new Map<string, BrandName>([
  ['bailiancodingplan', 'bailian'],
  ['bedrockconverse', 'bedrock'],
  ['fireworksai', 'fireworks'],
  ['glmcodingplan', 'zhipu'],
  ['infiniai', 'infinigence'],
  ['kimicodingplan', 'kimi'],
  ['minimaxcodingplan', 'minimax'],
  ['ollamacloud', 'ollama'],
  ['opencodecodingplan', 'opencode'],
  ['opencodezen', 'opencode'],
  ['togetherai', 'together'],
  ['vercelaigateway', 'vercel'],
  ['vertexclaude', 'vertexai'],
  ['volcenginecodingplan', 'volcengine'],
]);

/** Hosts of providers that were entered without a preset. */
const HOSTS = new Map<string, BrandName>([
  ['api.anthropic.com', 'anthropic'],
  ['api.openai.com', 'openai'],
  ['generativelanguage.googleapis.com', 'google'],
  ['openrouter.ai', 'openrouter'],
]);

/** Products that users name their MCP servers after. */
const SERVERS: readonly BrandName[] = ['cloudflare', 'figma', 'github', 'huggingface', 'notion', 'obsidian', 'vercel'];

const isBrand = (name: string): name is BrandName => BRAND_NAMES.some((brand) => brand === name);

/** The family of a model by its id, such as `meta-llama/Llama-3.3-70B` or a file path; null if it is not known. */
export function brandOfModel(modelId: string): BrandName | null {
  // The last segment of a path names the model, those before it who hosts or publishes it.
  for (const segment of modelId.toLowerCase().split(/[/\\]/).reverse()) {
    for (const word of segment.match(/[a-z]+\d*/g) ?? []) {
      const found = MODELS.find(([start]) => start.test(word));
      if (found !== undefined) return found[1];
    }
  }
  return null;
}

/** The icon of a provider, by its preset, or the host of its base URL; never by its label, which anyone may choose. */
export function brandOfProvider({
  id,
  known,
  baseUrl,
}: Pick<ProviderView, 'id' | 'known' | 'baseUrl'>): BrandName | null {
  return brandOfPreset(known ?? id) ?? (baseUrl === null ? null : (HOSTS.get(getHost(baseUrl)) ?? null));
}

export function brandOfPreset(id: string): BrandName | null {
  return PROVIDERS.get(id) ?? (isBrand(id) ? id : null);
}

/** The icon of an MCP server by the name the user gave it; never by the title that the server gives itself. */
export function brandOfServer(name: string): BrandName | null {
  const words = name.toLowerCase().split(/[^a-z]+/);
  return SERVERS.find((brand) => words.includes(brand)) ?? null;
}

function getHost(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}
