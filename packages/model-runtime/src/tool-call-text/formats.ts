import { TextCallDialect } from './dialect.ts';
import type { Family } from './core/family.ts';
import type { Opening } from './core/opening.ts';
import { bareCalls, code, fencedCalls, lastFencedCalls } from './families/bare.ts';
import { commandR7b, commandRPlus } from './families/cohere.ts';
import { deepseekV3, deepseekV31 } from './families/deepseek.ts';
import { functionaryV32, functionaryV32Calls } from './families/functionary-v32.ts';
import { functionGemma, gemma4 } from './families/gemma.ts';
import { gigachat3 } from './families/gigachat.ts';
import { glm45, glm47, hunyuanV3, longcat } from './families/glm.ts';
import { gptme } from './families/gptme.ts';
import { harmony, harmonyText } from './families/harmony.ts';
import { hermes } from './families/hermes.ts';
import { inkling } from './families/inkling.ts';
import { internlm } from './families/internlm.ts';
import { anthropicXml, deepseekV32, deepseekV4, dots, minimaxM2, step3 } from './families/invoke.ts';
import {
  apertus,
  functools,
  granite,
  granite20bFc,
  minimaxM1,
  nemotronNanoV2,
  toolCallsList,
} from './families/json-lists.ts';
import { lfm2, olmo3 } from './families/lfm2.ts';
import { llama3, llama4, pythonic } from './families/llama.ts';
import { lmStudio } from './families/lmstudio.ts';
import { minicpm5 } from './families/minicpm.ts';
import { mistral, mistralV11 } from './families/mistral.ts';
import { functionaryV31, qwenXml, seedOss } from './families/qwen-xml.ts';
import { strayMarkers } from './families/stray-markers.ts';
import { kimiK2 } from './families/kimi.ts';

/**
 * The families of each format: its own first, then the fallbacks of its models. To add one, write a module and add a
 * line here.
 */
const FORMATS = {
  hermes: [hermes],
  llama3_json: [llama3, bareCalls],
  pythonic: [pythonic],
  llama4_pythonic: [llama4],
  mistral: [mistral],
  mistral_v11: [mistralV11],
  deepseek_v3: [deepseekV3, hermes],
  deepseek_v31: [deepseekV31],
  deepseek_v32: [deepseekV32],
  deepseek_v4: [deepseekV4],
  qwen3_coder_xml: [qwenXml, hermes],
  nemotron3_nano_xml: [qwenXml],
  step3p5_xml: [qwenXml],
  kimi_k2: [kimiK2],
  glm45: [glm45],
  glm47: [glm47],
  minimax_m1: [minimaxM1],
  minimax_m2: [minimaxM2],
  anthropic_xml: [anthropicXml],
  dots: [dots],
  granite: [granite, hermes],
  granite_20b_fc: [granite20bFc],
  granite4: [hermes],
  command_r7b: [commandR7b],
  command_r_plus: [commandRPlus],
  functionary_v31: [functionaryV31],
  functionary_v32: [functionaryV32],
  firefunction: [functools],
  phi4: [functools],
  gpt_oss_harmony: [harmony],
  xlam: [fencedCalls, bareCalls, hermes, mistral],
  json_generic: [bareCalls, lastFencedCalls, hermes, qwenXml],
  plain: [harmonyText],
  internlm: [internlm],
  jamba: [toolCallsList],
  hunyuan_a13b: [toolCallsList],
  hunyuan_v3: [hunyuanV3],
  apriel: [toolCallsList],
  nemotron_nano_v2: [nemotronNanoV2],
  ernie45: [hermes],
  seed_oss: [seedOss],
  step3: [step3],
  gemma4: [gemma4],
  functiongemma: [functionGemma],
  lfm2: [lfm2, pythonic],
  lfm2_bare: [pythonic, lfm2],
  olmo3: [olmo3],
  longcat: [longcat],
  apertus: [apertus],
  gigachat3: [gigachat3],
  inkling: [inkling],
  minicpm5_xml: [minicpm5],
  lmstudio_default: [lmStudio],
  gptme_at: [gptme],
} as const satisfies Record<string, readonly [Family, ...Family[]]>;

/** A family of models that share a call format. */
export type ToolCallFamilyName = keyof typeof FORMATS;

/** A family by name, or `auto`: detected by its markers. */
export type ToolCallFormat = 'auto' | ToolCallFamilyName;

/** All families by name. */
export const TOOL_CALL_FAMILIES = Object.keys(FORMATS) as readonly ToolCallFamilyName[];

/** The writer of a format. */
export function getWriter(format: ToolCallFamilyName): Family['write'] {
  return FORMATS[format][0].write;
}

/** The dialect that a parser for `format` uses. */
export function getDialect(format: ToolCallFormat): TextCallDialect {
  const known = dialects.get(format);
  if (known !== undefined) return known;
  const dialect = makeDialect(format);
  dialects.set(format, dialect);
  return dialect;
}

const dialects = new Map<ToolCallFormat, TextCallDialect>();

function makeDialect(format: ToolCallFormat): TextCallDialect {
  const families: readonly Family[] = format === 'auto' ? AUTO : FORMATS[format];
  // Order matters: the fences of a family that writes calls in them precede all others.
  const openings = new Set<Opening>([...families.flatMap((family) => family.openings), ...code]);
  const first = families.find((family) => family.first !== undefined)?.first;
  return new TextCallDialect([...openings, ...strayMarkers], first);
}

/** Families that are not detected, because another one reads their calls, or decides more carefully what is a call. */
const NOT_DETECTED: readonly Family[] = [functionaryV31, functionaryV32, fencedCalls, harmonyText];

/** Families that differ only by name have the same openings, which are searched for once. */
const AUTO: readonly Family[] = [...Object.values(FORMATS).flat(), functionaryV32Calls].filter(
  (family) => !NOT_DETECTED.includes(family),
);
