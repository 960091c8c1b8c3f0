/** What an API format accepts in the parameters of a tool. The normalizer reads nothing else about a format. */
export type SchemaRules = {
  /** Accepted property keys; null: any. Others are sent under safe names. */
  keys: RegExp | null;
  /** Constraints it rejects: they are written into the description instead. */
  described: ReadonlySet<string>;
  /** Accepted values of `format`; null: any. Others are written into the description. */
  formats: ReadonlySet<string> | null;
  /** `$ref` to `$defs`; false: definitions are written in their place. */
  references: boolean;
  /** `anyOf`, and several types for one value. */
  choices: boolean;
  /** `default`, `examples`, `additionalProperties`, `uniqueItems`. */
  extras: boolean;
  /** `properties: {}`, which some require in every object and others reject. */
  emptyProperties: boolean;
  /** Values of an enum: all scalars, or only numbers and non-empty strings. */
  enums: 'scalars' | 'words';
  /** Objects and arrays below this depth are sent without their content. */
  maxDepth: number;
  /** Longest description of a tool in characters; the rest is sent with its parameters. */
  maxDescription: number;
};

/** The rules of an API format, those for a server that rejected the first, and the largest number of tools. */
export type ToolRules = { normal: SchemaRules; plain: SchemaRules; maxTools?: number };

const NOTHING: ReadonlySet<string> = new Set();

/**
 * OpenAI and its compatible servers, of which the strictest decides. OpenAI requires `items` and `properties`, and
 * limits descriptions to 1,024 characters:
 * https://platform.openai.com/docs/guides/function-calling, https://github.com/getsentry/sentry-mcp/issues/106.
 * llama.cpp converts schemas to a grammar, which cannot express most regular expressions, untyped values and long
 * repetitions: https://github.com/ggml-org/llama.cpp/blob/master/common/json-schema-to-grammar.cpp. The normalizer
 * observes the latter for every format: https://github.com/ggml-org/llama.cpp/issues/19716,
 * https://github.com/containers/kubernetes-mcp-server/issues/758.
 */
const OPENAI: SchemaRules = {
  keys: null,
  described: NOTHING,
  formats: null,
  references: true,
  choices: true,
  extras: true,
  emptyProperties: true,
  enums: 'scalars',
  maxDepth: 20,
  maxDescription: 1024,
};

const SAFE_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * Anthropic validates against JSON Schema draft 2020-12 and restricts property keys, nested ones too:
 * https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use,
 * https://github.com/anthropics/claude-code/issues/34771.
 */
const ANTHROPIC: SchemaRules = { ...OPENAI, keys: SAFE_KEY, maxDescription: Number.POSITIVE_INFINITY };

/**
 * Gemini supports a list of keywords: https://ai.google.dev/gemini-api/docs/structured-output. It rejects other string
 * formats (https://github.com/google-gemini/gemini-cli/issues/3178), empty strings in an enum, and empty `properties`
 * of nested objects.
 */
const GEMINI: SchemaRules = {
  keys: /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/,
  described: new Set([
    ...['pattern', 'minLength', 'maxLength', 'exclusiveMinimum', 'exclusiveMaximum'],
    ...['multipleOf', 'minProperties', 'maxProperties'],
  ]),
  formats: new Set(['date-time', 'date', 'time', 'enum', 'int32', 'int64', 'float', 'double']),
  references: false,
  choices: true,
  extras: false,
  emptyProperties: false,
  enums: 'words',
  maxDepth: 12,
  maxDescription: Number.POSITIVE_INFINITY,
};

/**
 * Bedrock passes schemas on to models of several vendors: those of Anthropic restrict property keys, Nova supports few
 * keywords. https://docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html
 */
const BEDROCK: SchemaRules = {
  ...ANTHROPIC,
  described: new Set(['pattern', 'multipleOf', 'minProperties', 'maxProperties']),
  references: false,
  maxDepth: 12,
};

/** What every known server accepts: one type for each value, objects, lists and enums. */
const PLAIN: SchemaRules = {
  keys: GEMINI.keys,
  described: new Set([
    ...['pattern', 'format', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
    ...['multipleOf', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
  ]),
  formats: NOTHING,
  references: false,
  choices: false,
  extras: false,
  emptyProperties: true,
  enums: 'words',
  maxDepth: 5,
  maxDescription: 1024,
};

/** `maxTools` of OpenAI: https://github.com/anomalyco/opencode/issues/4909 */
export const OPENAI_MAX_TOOLS = 128;

export const OPENAI_TOOLS: ToolRules = { normal: OPENAI, plain: PLAIN };
export const ANTHROPIC_TOOLS: ToolRules = { normal: ANTHROPIC, plain: PLAIN };
export const GEMINI_TOOLS: ToolRules = { normal: GEMINI, plain: { ...PLAIN, emptyProperties: false } };
export const BEDROCK_TOOLS: ToolRules = { normal: BEDROCK, plain: PLAIN };
