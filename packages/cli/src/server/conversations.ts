import type { ConversationView, Message } from '@toolyard/protocol';
import { showHidden, textOf } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { printJson, printLine } from '../output.ts';
import { sanitize, shownLine } from '../sanitize.ts';
import { toMinute } from '../utc-time.ts';
import { saveOrPrint } from './save-or-print.ts';
import type { ServerClient } from './server-client.ts';

/** `toolyard conversations list`: pinned conversations first, then the latest. */
export async function listConversations(
  io: CommandIo,
  client: ServerClient,
  options: { limit: string; search?: string; json?: boolean },
): Promise<void> {
  const query = { limit: options.limit, ...(options.search ? { q: options.search } : {}) };
  const { items } = await client.get('/api/conversations', { query });
  if (options.json) return printJson(io, items);
  for (const { id, title, updatedAt, pinned, activeRun } of items) {
    const marks = [pinned ? 'pinned' : '', activeRun ? activeRun.status : ''].filter((mark) => mark !== '').join(', ');
    printLine(
      io,
      `${id}  ${toMinute(updatedAt)}  ${sanitize(title) || '(untitled)'}${marks === '' ? '' : `  [${marks}]`}`,
    );
  }
  if (items.length === 0) io.stderr.write('No conversations.\n');
}

/** `toolyard conversations show`: all messages of the current branch. */
export async function showConversation(
  io: CommandIo,
  client: ServerClient,
  id: string,
  options: { json?: boolean },
): Promise<void> {
  const view = await client.get('/api/conversations/{id}', { params: { id } });
  const messages = await wholeBranch(client, view);
  if (options.json) return printJson(io, { ...view, page: { ...view.page, messages } });
  printLine(io, `${sanitize(view.title) || '(untitled)'}\n`);
  for (const message of messages) for (const line of formatLines(message)) printLine(io, line);
  if (view.activeRun) printLine(io, `(a run is ${view.activeRun.status})`);
}

/** All messages of the current branch, oldest first. */
export async function wholeBranch(client: ServerClient, view: ConversationView): Promise<Message[]> {
  let { messages, earlier } = view.page;
  while (earlier && messages[0]) {
    const query = { before: messages[0].id, limit: 500 };
    const page = await client.get('/api/conversations/{id}/messages', { params: { id: view.id }, query });
    messages = [...page.messages, ...messages];
    earlier = page.earlier && page.messages.length > 0;
  }
  return messages;
}

function formatLines(message: Message): string[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return [`> ${sanitize(textOf(message))}`, ''];
    case 'assistant': {
      const calls = message.parts.flatMap((part) =>
        part.type === 'tool_call' ? [`[${shownLine(part.name)} ${showHidden(JSON.stringify(part.arguments))}]`] : [],
      );
      const text = sanitize(textOf(message));
      return [...(text === '' ? [] : [text, '']), ...calls];
    }
    case 'tool': {
      const { content, isError } = message.parts[0].result;
      const text = content.map((part) => ('text' in part && part.text !== undefined ? part.text : `(${part.type})`));
      return [`[${isError ? 'failed' : 'result'}: ${sanitize(text.join(' ')).slice(0, 400)}]`, ''];
    }
  }
}

/** `toolyard conversations export`: to stdout, or to a new file. */
export async function exportConversation(
  io: CommandIo,
  client: ServerClient,
  id: string,
  options: { format: 'json' | 'markdown'; output?: string },
): Promise<void> {
  const path = `/api/conversations/${encodeURIComponent(id)}/export?format=${options.format}`;
  await saveOrPrint(io, await client.open(path), options.output);
}
