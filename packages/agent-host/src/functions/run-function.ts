import type { JsonValue, ToolContentPart, ToolOutcome, ToolResult, ErrorInit } from '@toolyard/protocol';
import { isJsonObject, isMediaType, ToolyardError, say, createErrorInfo } from '@toolyard/protocol';
import type { FunctionTool, ToolContext, ToolOutput } from './tool.ts';

/** Executes a function tool. Never throws: an exception becomes a failed result without a stack. */
export async function runFunction(
  tool: FunctionTool,
  args: Parameters<FunctionTool['run']>[0],
  ctx: ToolContext,
): Promise<ToolResult> {
  try {
    return toResult(await tool.run(args, ctx));
  } catch (thrown) {
    return toFailure(tool.name, thrown);
  }
}

/** The result of a function that had not returned when the run was stopped. */
export function stoppedFunction(name: string): ToolResult {
  const message = say`The call of "${name}" was cancelled during its execution; its outcome is unknown.`;
  return failed({ code: 'cancelled', message }, 'unknown');
}

function toResult(output: ToolOutput): ToolResult {
  if (output === undefined) return done([{ type: 'text', text: 'Done.' }]);
  if (typeof output === 'string') return done([{ type: 'text', text: output }]);
  if (isToolResult(output)) return output;
  if (isContent(output)) return done(output);
  return { ...done([{ type: 'text', text: JSON.stringify(output) }]), structured: output };
}

function done(content: ToolContentPart[]): ToolResult {
  return { content, isError: false, outcome: 'done' };
}

const OUTCOMES: ReadonlySet<unknown> = new Set<ToolOutcome>(['done', 'not_sent', 'unknown']);

function isToolResult(output: JsonValue | ToolContentPart[] | ToolResult): output is ToolResult {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return false;
  return Array.isArray(output['content']) && typeof output['isError'] === 'boolean' && OUTCOMES.has(output['outcome']);
}

function isContent(output: JsonValue | ToolContentPart[]): output is ToolContentPart[] {
  return Array.isArray(output) && output.length > 0 && output.every((part) => isJsonObject(part) && isPart(part));
}

function isPart(part: Readonly<Record<string, unknown>>): boolean {
  const { type } = part;
  if (type === 'text') return typeof part['text'] === 'string';
  return (type === 'resource' || isMediaType(type)) && ('source' in part || typeof part['uri'] === 'string');
}

/** Errors after which nothing has happened, so that the call may be made again. */
const NOTHING_HAPPENED: ReadonlySet<string> = new Set(['invalid_arguments', 'tool_refused']);

function toFailure(name: string, thrown: unknown): ToolResult {
  if (ToolyardError.isInstance(thrown)) {
    return failed(thrown.toJSON(), NOTHING_HAPPENED.has(thrown.code) ? 'not_sent' : 'done');
  }
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return failed({ code: 'tool_failed', message: `"${name}" failed: ${why}` }, 'done');
}

function failed(error: ErrorInit, outcome: ToolOutcome): ToolResult {
  const info = createErrorInfo(error);
  return { content: [{ type: 'text', text: info.message }], isError: true, outcome, error: info };
}
