import type { ToolCallFormat } from './formats.ts';

/** Call formats by model name. The first match counts, so specific patterns precede general ones. */
const MODELS: readonly (readonly [RegExp, ToolCallFormat])[] = [
  [/gpt-?oss/, 'gpt_oss_harmony'],
  [/qwen-?3-?coder|qwen-?3\.[5-9]/, 'qwen3_coder_xml'],
  [/nemotron-?3|nemotron-nano-3/, 'nemotron3_nano_xml'],
  [/nemotron-nano.*v2|nemotron-nano-(9b|12b)/, 'nemotron_nano_v2'],
  [/step-?3\.5|step-?3p5/, 'step3p5_xml'],
  [/step-?3(\D|$)/, 'step3'],
  [/deepseek.*distill/, 'deepseek_v3'],
  [/deepseek.*v4/, 'deepseek_v4'],
  [/deepseek.*v3\.2/, 'deepseek_v32'],
  [/deepseek.*v3\.1/, 'deepseek_v31'],
  [/deepseek.*(v3|r1)|cogito/, 'deepseek_v3'],
  [/kimi-?k2/, 'kimi_k2'],
  [/glm-?(4\.7|[5-9])/, 'glm47'],
  [/glm-?4/, 'glm45'],
  [/minimax-?m2/, 'minimax_m2'],
  [/minimax-?m1/, 'minimax_m1'],
  [/dots[.-]?(llm|\d)/, 'dots'],
  [/granite-?20b.*function/, 'granite_20b_fc'],
  [/granite-?4/, 'granite4'],
  [/granite-?3/, 'granite'],
  [/command-?(r7b|a)(\W|$)|command-?a-|north-/, 'command_r7b'],
  [/command-?r/, 'command_r_plus'],
  [/functionary.*v?3\.1/, 'functionary_v31'],
  [/functionary.*v?3\.2/, 'functionary_v32'],
  [/firefunction/, 'firefunction'],
  [/phi-?4-?mini/, 'phi4'],
  [/xlam/, 'xlam'],
  [/toolace/, 'pythonic'],
  [/intern-?(lm|s1)/, 'internlm'],
  [/jamba/, 'jamba'],
  [/hunyuan-?a13b/, 'hunyuan_a13b'],
  [/hunyuan-?v?3|hy-?v3/, 'hunyuan_v3'],
  [/apriel/, 'apriel'],
  [/ernie-?4\.5/, 'ernie45'],
  [/seed-?oss/, 'seed_oss'],
  [/function-?gemma/, 'functiongemma'],
  [/gemma-?4/, 'gemma4'],
  [/lfm-?2\.5/, 'lfm2_bare'],
  [/lfm-?2/, 'lfm2'],
  [/olmo-?3/, 'olmo3'],
  [/longcat/, 'longcat'],
  [/apertus/, 'apertus'],
  [/gigachat-?3/, 'gigachat3'],
  [/inkling/, 'inkling'],
  [/minicpm-?5/, 'minicpm5_xml'],
  [/llama-?4/, 'llama4_pythonic'],
  [/(hermes|qwen-?(2\.5|3)|qwq|mimo|reka)/, 'hermes'],
  [/llama-?3\.[1-3]/, 'llama3_json'],
  [
    /ministral-?3|devstral|magistral|mistral-small-?(3\.[1-9]|250[3-9])|mistral-medium-?3|mistral-large-?3/,
    'mistral_v11',
  ],
  [/mistral|mixtral/, 'mistral'],
];

/**
 * The call format of a model, derived from its id; `auto` if unknown.
 *
 * @example
 * const format = toolCallFormatForModel('qwen3-coder');
 * const parser = createToolCallTextParser({ format, tools });
 */
export function toolCallFormatForModel(modelId: string): ToolCallFormat {
  const id = modelId.toLowerCase().replace(/[\s_:]+/g, '-');
  return MODELS.find(([pattern]) => pattern.test(id))?.[1] ?? 'auto';
}
