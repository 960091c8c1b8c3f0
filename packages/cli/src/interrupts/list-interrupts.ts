import type { Interrupt } from '@toolyard/protocol';
import { formatAmount, formatToolReference, budgetPhrase, showHidden, showName } from '@toolyard/protocol';
import { askedByNote, textCallNote } from '../chat/interrupt-notes.ts';
import type { CommandIo } from '../command-io.ts';
import { printJson, printNote, printTable } from '../output.ts';
import { allPages } from '../server/all-pages.ts';
import { toMinute } from '../utc-time.ts';
import type { ServerClient } from '../server/server-client.ts';

export type ListFlags = { status: string; run?: string; conversation?: string; limit?: number; json?: boolean };

/** `toolyard interrupts list`, oldest first. */
export async function listInterrupts(io: CommandIo, client: ServerClient, flags: ListFlags): Promise<void> {
  const { status, run, conversation, limit } = flags;
  const query = { status, ...(run ? { run } : {}), ...(conversation ? { conversation } : {}) };
  const items = await allPages((page) => client.get('/api/interrupts', { query: { ...query, ...page } }), limit);
  if (flags.json === true) return printJson(io, items);
  const rows = items.map(({ id, openedAt, interrupt, answer }) => [
    id,
    toMinute(openedAt),
    interrupt.kind,
    ...(status === 'open' ? [] : [answer?.decision ?? '']),
    summarize(interrupt),
  ]);
  printTable(io, rows);
  if (items.length === 0) printNote(io, status === 'open' ? 'No open interrupts.' : 'No interrupts found.');
}

/** One line about the interrupt. */
export function summarize(interrupt: Interrupt): string {
  const tool = 'tool' in interrupt ? showName(formatToolReference(interrupt.tool)) : '';
  const program = interrupt.askedBy ? `${askedByNote(interrupt.askedBy)} ` : '';
  return showHidden(program + [tool, details(interrupt)].filter((text) => text !== '').join(': '));
}

function details(interrupt: Interrupt): string {
  switch (interrupt.kind) {
    case 'approval': {
      const danger = interrupt.danger === undefined ? '' : ` (${interrupt.danger})`;
      const written = interrupt.textCall === undefined ? '' : ` (${textCallNote(interrupt.textCall)})`;
      return `${JSON.stringify(interrupt.arguments)}${danger}${written}`;
    }
    case 'in_doubt':
      return `${JSON.stringify(interrupt.arguments)}, outcome unknown`;
    case 'elicitation':
      return interrupt.mode === 'url' ? interrupt.url : interrupt.message;
    case 'sampling':
      return `requests an answer from ${interrupt.model}`;
    case 'sign_in':
      return 'requires a sign-in';
    case 'tab':
      return 'waits for a browser tab that provides it';
    case 'prompt':
      return interrupt.question;
    case 'budget': {
      const { budget, measure, spent } = interrupt;
      const limit = formatAmount(measure, budget[measure] ?? 0);
      return `${budgetPhrase(budget)}: ${formatAmount(measure, spent[measure])} of ${limit} used`;
    }
    case 'selection':
      return `${interrupt.question} (${interrupt.choices.join(', ')})`;
  }
}
