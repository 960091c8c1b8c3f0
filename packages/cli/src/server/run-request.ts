import type { AssistantPart, Message, SentRequest, ToolResultPart, UserPart } from '@toolyard/protocol';
import { showHidden, ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { pluralize, printLine, printJson, partLines } from '../mcp/output.ts';
import { plainLine, shownLine } from '../sanitize.ts';
import type { ServerClient } from './server-client.ts';

/** `toolyard runs request`: of the last step that asked a model, where none is named. */
export async function showRequest(
  io: CommandIo,
  client: ServerClient,
  { id, step }: { id: string; step: string | undefined },
  options: { json?: boolean },
): Promise<void> {
  const which = step === undefined ? await lastAsking(client, id) : stepFrom(step, id);
  const sent = await client.get('/api/runs/{id}/steps/{step}/request', { params: { id, step: String(which) } });
  if (options.json === true) return printJson(io, sent);
  sayHead(io, which, sent);
  for (const [index, message] of sent.messages.entries()) {
    printLine(
      io,
      `\n${nameOf(message)}${sent.continues && index === sent.messages.length - 1 ? ', to be gone on with' : ''}:`,
    );
    for (const part of message.parts) sayIndented(io, wordsOf(part));
  }
  sayTools(io, sent.tools);
}

function stepFrom(given: string, id: string): number {
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new ToolyardError({
    code: 'bad_request',
    message: `"${given}" is no step: steps are numbered.`,
    hint: `"toolyard runs steps ${id}" tells their numbers.`,
  });
}

async function lastAsking(client: ServerClient, id: string): Promise<number> {
  const { items } = await client.get('/api/runs/{id}/steps', { params: { id } });
  const last = items.findLast(({ model }) => model?.request !== undefined);
  if (last) return last.step;
  throw new ToolyardError({
    code: 'not_found',
    message: 'In this run no model was asked.',
    hint: `"toolyard runs steps ${id}" tells what it did.`,
  });
}

function sayHead(
  io: CommandIo,
  step: number,
  { model, at, fill, parameters, toolMode, toolChoice }: SentRequest,
): void {
  printLine(io, `step ${step}  ${plainLine(model)}  ${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}`);
  const assumed = fill.assumed ? ' (assumed: nobody says how much it takes)' : '';
  printLine(io, `about ${fill.tokens} tokens, for a window of ${fill.window}${assumed}`);
  if (Object.keys(parameters).length > 0) printLine(io, `parameters: ${plainLine(JSON.stringify(parameters), 500)}`);
  if (toolMode === 'text') printLine(io, 'tools are written as text');
  if (toolChoice === 'none') printLine(io, 'no tool may be called');
}

function nameOf(message: Message): string {
  switch (message.role) {
    case 'system':
      return 'instructions';
    case 'user':
      return 'person';
    case 'assistant':
      return 'model';
    case 'tool':
      return `result of ${shownLine(message.name)}${message.parts[0].result.isError ? ', failed' : ''}`;
  }
}

function wordsOf(part: UserPart | AssistantPart | ToolResultPart): string {
  switch (part.type) {
    case 'reasoning':
      return `(thinking) ${part.text}`;
    case 'tool_call':
      return `[${shownLine(part.name)} ${JSON.stringify(part.arguments)}]`;
    case 'malformed_tool_call':
      return part.raw;
    case 'tool_result': {
      const { content, structured } = part.result;
      const words = content.map(partLines);
      // As a model gets it: in the place of text.
      if (structured !== undefined && !content.some(({ type }) => type === 'text'))
        words.push(JSON.stringify(structured));
      return words.join('\n');
    }
    default:
      return partLines(part);
  }
}

/** So that no text can look like a heading of ours. */
function sayIndented(io: CommandIo, text: string): void {
  for (const line of showHidden(text).split('\n')) printLine(io, line === '' ? '' : `    ${line}`);
}

function sayTools(io: CommandIo, tools: SentRequest['tools']): void {
  if (tools === null) return printLine(io, '\nThe tools it was offered were not kept.');
  printLine(io, `\n${pluralize(tools.length, 'tool was', 'tools were')} offered${tools.length === 0 ? '.' : ':'}`);
  for (const { name, description = '' } of tools) {
    printLine(io, `    ${shownLine(name)}${description === '' ? '' : `: ${shownLine(description, 150)}`}`);
  }
}
