import type { AssistantPart, Message, SentRequest, ToolResultPart, UserPart } from '@toolyard/protocol';
import { showHidden, ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { pluralize, printLine, printJson, partLines } from '../output.ts';
import { plainLine, shownLine } from '../sanitize.ts';
import { toSecond } from '../utc-time.ts';
import type { ServerClient } from './server-client.ts';
import { createRequestError } from '../errors.ts';

/** `toolyard runs request`: the request of a step, by default of the last step with a model request. */
export async function showRequest(
  io: CommandIo,
  client: ServerClient,
  id: string,
  step: string | undefined,
  options: { json?: boolean },
): Promise<void> {
  const stepNumber = step === undefined ? await lastRequestStep(client, id) : parseStep(step, id);
  const sent = await client.get('/api/runs/{id}/steps/{step}/request', { params: { id, step: String(stepNumber) } });
  if (options.json === true) return printJson(io, sent);
  printHeader(io, stepNumber, sent);
  for (const [index, message] of sent.messages.entries()) {
    printLine(
      io,
      `\n${getHeading(message)}${sent.continues && index === sent.messages.length - 1 ? ', to be continued' : ''}:`,
    );
    for (const part of message.parts) printIndented(io, textOfPart(part));
  }
  printTools(io, sent.tools);
}

function parseStep(text: string, id: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw createRequestError(`Invalid step number "${text}".`, `List steps with "toolyard runs steps ${id}".`);
}

async function lastRequestStep(client: ServerClient, id: string): Promise<number> {
  const { items } = await client.get('/api/runs/{id}/steps', { params: { id } });
  const last = items.findLast(({ model }) => model?.request !== undefined);
  if (last) return last.step;
  throw new ToolyardError({
    code: 'not_found',
    message: 'This run made no model request.',
    hint: `List its steps with "toolyard runs steps ${id}".`,
  });
}

function printHeader(
  io: CommandIo,
  step: number,
  { model, at, fill, parameters, toolMode, toolChoice }: SentRequest,
): void {
  printLine(io, `step ${step}  ${plainLine(model)}  ${toSecond(at)}`);
  const assumed = fill.assumed ? ' (assumed: the provider does not report it)' : '';
  printLine(io, `about ${fill.tokens} tokens of a context window of ${fill.window}${assumed}`);
  if (Object.keys(parameters).length > 0) printLine(io, `parameters: ${plainLine(JSON.stringify(parameters), 500)}`);
  if (toolMode === 'text') printLine(io, 'tools are described in the prompt');
  if (toolChoice === 'none') printLine(io, 'tool calls are disabled');
}

function getHeading(message: Message): string {
  switch (message.role) {
    case 'system':
      return 'instructions';
    case 'user':
      return 'user';
    case 'assistant':
      return 'model';
    case 'tool':
      return `result of ${shownLine(message.name)}${message.parts[0].result.isError ? ', failed' : ''}`;
  }
}

function textOfPart(part: UserPart | AssistantPart | ToolResultPart): string {
  switch (part.type) {
    case 'reasoning':
      return `(reasoning) ${part.text}`;
    case 'tool_call':
      return `[${shownLine(part.name)} ${JSON.stringify(part.arguments)}]`;
    case 'malformed_tool_call':
      return part.raw;
    case 'tool_result': {
      const { content, structured } = part.result;
      const lines = content.map(partLines);
      // Providers send structured content as text if there is no other text.
      if (structured !== undefined && !content.some(({ type }) => type === 'text'))
        lines.push(JSON.stringify(structured));
      return lines.join('\n');
    }
    default:
      return partLines(part);
  }
}

/** Indented, so that untrusted text cannot imitate a heading. */
function printIndented(io: CommandIo, text: string): void {
  for (const line of showHidden(text).split('\n')) printLine(io, line === '' ? '' : `    ${line}`);
}

function printTools(io: CommandIo, tools: SentRequest['tools']): void {
  if (tools === null) return printLine(io, '\nThe tools of this request were not stored.');
  printLine(io, `\n${pluralize(tools.length, 'tool')}${tools.length === 0 ? '' : ':'}`);
  for (const { name, description = '' } of tools) {
    printLine(io, `    ${shownLine(name)}${description === '' ? '' : `: ${shownLine(description, 150)}`}`);
  }
}
