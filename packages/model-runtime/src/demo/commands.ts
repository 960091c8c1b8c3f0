import { isJsonObject, parseJson, type ErrorCode, type ErrorInfo, type ToolDefinition } from '@toolyard/protocol';
import type { DemoAnswer, DemoCall } from './types.ts';
import { WORDING } from './wording.ts';

/** Error codes that `/fail` accepts. */
const FAILURES = [
  'invalid_key',
  'quota_exceeded',
  'rate_limited',
  'context_exceeded',
  'model_not_found',
  'overloaded',
  'network',
  'stream_broken',
  'refused',
  'timed_out',
  'bad_request',
  'bad_response',
  'not_a_model_server',
  'no_response',
  'empty_response',
] as const satisfies readonly ErrorCode[];

const RETRYABLE: readonly ErrorCode[] = [
  'rate_limited',
  'overloaded',
  'network',
  'stream_broken',
  'timed_out',
  'bad_response',
  'no_response',
];

const HELP = [
  'I am the demo provider, not a language model. I understand:',
  '',
  '- questions about the time or the date, in English or Chinese: "what time is it in Tokyo?", 「現在是幾點幾分？」, "Unix time"',
  '- `/call <tool> {"argument": "value"}` calls any available tool',
  '- `/slow [n]` writes n words slowly, to try out cancelling',
  '- `/fail [code]` fails like a provider, by default with "overloaded"',
  '- `/help` prints this list',
].join('\n');

/** Runs a slash command; null if the text is not a command. */
export function runCommand(text: string, tools: readonly ToolDefinition[], mayCall: boolean): DemoAnswer | null {
  const [, name = '', rest = ''] = /^\/([a-z]+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  switch (name) {
    case 'help':
      return { kind: 'say', text: HELP };
    case 'call':
      return call(rest, tools, mayCall);
    case 'slow':
      return slow(rest);
    case 'fail':
      return fail(rest);
    default:
      return null;
  }
}

function call(input: string, tools: readonly ToolDefinition[], mayCall: boolean): DemoAnswer {
  const [, toolName = '', argumentsText = ''] = /^(\S*)\s*([\s\S]*)$/.exec(input) ?? [];
  const offered = tools.map((tool) => tool.name).join(', ');
  if (toolName === '')
    return say(`Name a tool, for example \`/call get-date {"format":"iso"}\`. Available tools: ${offered || 'none'}.`);
  if (!mayCall) return say(`Tool calls are disabled for this turn, so ${toolName} was not called.`);

  const tool = findTool(toolName, tools);
  const request = readCall(tool?.name ?? toolName, argumentsText);
  const remarks = [];
  if (tool === undefined) remarks.push(`There is no tool named ${toolName} (available: ${offered || 'none'}).`);
  if (request.problem !== null) remarks.push(`The arguments are not a JSON object: ${request.problem}.`);
  const text =
    remarks.length === 0
      ? `Calling ${request.call.name}.`
      : `${remarks.join(' ')} I make the call anyway, to show how the error is handled.`;
  return { kind: 'call', text: text, calls: [request.call] };
}

function findTool(name: string, tools: readonly ToolDefinition[]): ToolDefinition | undefined {
  return (
    tools.find((tool) => tool.name === name) ??
    tools.find(({ tool }) => tool.name === name || `${tool.serverId}/${tool.name}` === name)
  );
}

function readCall(name: string, argumentsText: string): { call: DemoCall; problem: string | null } {
  const text = argumentsText.trim() === '' ? '{}' : argumentsText.trim();
  const parsed = parseJson(text);
  if (parsed.ok && isJsonObject(parsed.value))
    return { call: { name, arguments: parsed.value, argumentsText: text }, problem: null };
  const problem = parsed.ok ? 'it is a different kind of JSON value' : parsed.problem;
  return { call: { name, arguments: null, argumentsText: text }, problem };
}

function slow(input: string): DemoAnswer {
  const count = Number(input.trim() === '' ? '20' : input.trim());
  const wordCount = Number.isFinite(count) ? Math.min(Math.max(Math.round(count), 1), 1000) : 20;
  return { kind: 'slow', wordCount };
}

function fail(input: string): DemoAnswer {
  const name = input.trim() === '' ? 'overloaded' : input.trim();
  const code = FAILURES.find((known) => known === name);
  if (code === undefined) return say(`There is no failure with this name. Available: ${FAILURES.join(', ')}.`);
  const error: ErrorInfo = {
    code,
    message: `The demo provider failed on request: ${code}.`,
    hint: 'Nothing is broken. "/fail" shows what such an error looks like.',
    ...(RETRYABLE.includes(code) ? { retryable: true } : {}),
    ...(code === 'rate_limited' ? { retryAfterMs: 1000 } : {}),
  };
  return { kind: 'fail', error };
}

function say(text: string): DemoAnswer {
  return { kind: 'say', text: `${text}\n\n${WORDING.en.note}` };
}
