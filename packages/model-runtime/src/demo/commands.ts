import { isJsonObject, parseJson, type ErrorCode, type ErrorInfo, type ToolDefinition } from '@toolyard/protocol';
import type { DemoAnswer, DemoCall } from './types.ts';
import { WORDING } from './wording.ts';

/** What a model call can fail with. */
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
  'I am the demo provider, no language model. What I understand:',
  '',
  '- questions for the time or the date, in English or Chinese: "what time is it in Tokyo?", 「現在是幾點幾分？」, "Unix time"',
  '- `/call <tool> {"argument": "value"}` calls any tool that is on offer',
  '- `/slow [n]` writes n words slowly, so that cancelling can be tried',
  '- `/fail [code]` fails as a provider would, by default with "overloaded"',
  '- `/help` shows this',
].join('\n');

/** Carries out what begins with a slash; null where it is no command. */
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

function call(rest: string, tools: readonly ToolDefinition[], mayCall: boolean): DemoAnswer {
  const [, asked = '', argumentsText = ''] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? [];
  const offered = tools.map((tool) => tool.name).join(', ');
  if (asked === '')
    return say(`Say which tool, for example \`/call get-date {"format":"iso"}\`. On offer: ${offered || 'none'}.`);
  if (!mayCall) return say(`No tool may be called in this turn, so ${asked} was not called.`);

  const tool = findTool(asked, tools);
  const request = readCall(tool?.name ?? asked, argumentsText);
  const remarks = [];
  if (tool === undefined) remarks.push(`No tool named ${asked} is on offer (there are: ${offered || 'none'}).`);
  if (request.problem !== null) remarks.push(`The arguments are no JSON object: ${request.problem}.`);
  const why =
    remarks.length === 0
      ? `Calling ${request.call.name} as you asked.`
      : `${remarks.join(' ')} I make the call as asked, so that you see how the error is handled.`;
  return { kind: 'call', text: why, calls: [request.call] };
}

function findTool(asked: string, tools: readonly ToolDefinition[]): ToolDefinition | undefined {
  return (
    tools.find((tool) => tool.name === asked) ??
    tools.find(({ tool }) => tool.name === asked || `${tool.serverId}/${tool.name}` === asked)
  );
}

function readCall(name: string, argumentsText: string): { call: DemoCall; problem: string | null } {
  const text = argumentsText.trim() === '' ? '{}' : argumentsText.trim();
  const parsed = parseJson(text);
  if (parsed.ok && isJsonObject(parsed.value))
    return { call: { name, arguments: parsed.value, argumentsText: text }, problem: null };
  const problem = parsed.ok ? 'it is JSON of another kind' : parsed.problem;
  return { call: { name, arguments: null, argumentsText: text }, problem };
}

function slow(rest: string): DemoAnswer {
  const asked = Number(rest.trim() === '' ? '20' : rest.trim());
  const words = Number.isFinite(asked) ? Math.min(Math.max(Math.round(asked), 1), 1000) : 20;
  return { kind: 'slow', words };
}

function fail(rest: string): DemoAnswer {
  const asked = rest.trim() === '' ? 'overloaded' : rest.trim();
  const code = FAILURES.find((known) => known === asked);
  if (code === undefined) return say(`There is no failure of that name. There are: ${FAILURES.join(', ')}.`);
  const error: ErrorInfo = {
    code,
    message: `The demo provider failed as you asked: ${code}.`,
    hint: 'Nothing is broken. This shows how such an error looks.',
    ...(RETRYABLE.includes(code) ? { retryable: true } : {}),
    ...(code === 'rate_limited' ? { retryAfterMs: 1000 } : {}),
  };
  return { kind: 'fail', error };
}

function say(text: string): DemoAnswer {
  return { kind: 'say', text: `${text}\n\n${WORDING.en.note}` };
}
