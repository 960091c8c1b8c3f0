import type {
  AnsweredInterrupts,
  AnswerInterrupts,
  Interrupt,
  InterruptAnswer,
  StoredInterrupt,
} from '@toolyard/protocol';
import { decisionsFor, defined } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import type { Terminal } from '../chat/terminal.ts';
import { createTerminalLineReader, createTerminal } from '../chat/terminal.ts';
import { EXIT } from '../exit.ts';
import { pluralize, printJson, printLine, printNote, printProblem } from '../output.ts';
import { askAtTerminal } from '../server-chat/ask-at-terminal.ts';
import { allPages } from '../server/all-pages.ts';
import type { ServerClient } from '../server/server-client.ts';
import type { AnswerFlags } from './answer-from-flags.ts';
import { answerFromFlags } from './answer-from-flags.ts';
import { summarize } from './list-interrupts.ts';
import { createRequestError } from '../errors.ts';

type AnswerItem = AnswerInterrupts['answers'][number];

/** Maximum answers per request of the API. */
const BATCH_SIZE = 200;

/** `toolyard interrupts answer`. Returns 1 if any answer was rejected. */
export async function answerCommand(
  io: CommandIo,
  client: ServerClient,
  ids: readonly string[],
  flags: AnswerFlags,
): Promise<number> {
  const answer = answerFromFlags(flags);
  const open = await allPages((query) => client.get('/api/interrupts', { query }));
  const selected = selectInterrupts(open, ids, { all: flags.all === true, answer });
  const selectedAnswers = answer
    ? selected.map((asked): AnswerItem => ({ id: asked.id, answer, ...shown(asked.interrupt) }))
    : await askEach(selected, createTerminal(io));
  // Send answers for interrupts that are no longer open, too: the server reports what happened to them.
  const gone = answer ? ids.filter((id) => !open.some((asked) => asked.id === id)) : [];
  const answers = [...selectedAnswers, ...(answer ? gone.map((id): AnswerItem => ({ id, answer })) : [])];
  const items: AnsweredInterrupts['items'] = [];
  for (let at = 0; at < answers.length; at += BATCH_SIZE) {
    const body: AnswerInterrupts = { answers: answers.slice(at, at + BATCH_SIZE) };
    items.push(...(await client.post('/api/interrupts/answers', { body })).items);
  }
  if (flags.json === true) printJson(io, items);
  else for (const item of items) printOutcome(io, item);
  if (items.length === 0) printNote(io, 'No interrupt was answered.');
  return items.some(({ outcome }) => outcome === 'refused') ? EXIT.failed : EXIT.done;
}

function selectInterrupts(
  open: StoredInterrupt[],
  ids: readonly string[],
  { all, answer }: { all: boolean; answer: InterruptAnswer | null },
): StoredInterrupt[] {
  if (all && ids.length > 0) throw createRequestError('--all cannot be combined with IDs.', 'Pass IDs, or --all.');
  if (ids.length > 0) return open.filter(({ id }) => ids.includes(id));
  if (!all && answer) throw createRequestError('No interrupt was named.', 'Pass its ID, or --all.');
  if (answer?.decision === 'approve' && answer.arguments) {
    throw createRequestError('--arguments cannot be combined with --all.', 'Pass the ID of one interrupt.');
  }
  return answer ? open.filter(({ interrupt }) => decisionsFor(interrupt.kind).includes(answer.decision)) : open;
}

/** What the user approved; the server rejects the answer if it has changed since. */
function shown(interrupt: Interrupt): Pick<AnswerItem, 'shown'> {
  if (interrupt.kind !== 'approval') return {};
  const { arguments: args, definition } = interrupt;
  return { shown: { arguments: args, ...defined({ definition }) } };
}

async function askEach(selected: readonly StoredInterrupt[], terminal: Terminal): Promise<AnswerItem[]> {
  const { io } = terminal;
  if (!terminal.interactive) {
    throw createRequestError(
      'No answer was given, and stdin is not a terminal.',
      'Pass --approve, --deny, or another answer.',
    );
  }
  const reader = createTerminalLineReader(terminal);
  const ask = askAtTerminal({ terminal, reader, allow: [], print: (line) => printNote(io, line) });
  const items: AnswerItem[] = [];
  try {
    for (const [at, { id, interrupt }] of selected.entries()) {
      printNote(io, `${at + 1} of ${pluralize(selected.length, 'interrupt')}: ${summarize(interrupt)}`);
      const reply = await ask(interrupt, new AbortController().signal);
      if (reply.kind === 'interrupted') break;
      if (reply.kind === 'answered') items.push({ id, answer: reply.answer, ...shown(interrupt) });
    }
  } finally {
    reader.close();
  }
  return items;
}

function printOutcome(io: CommandIo, item: AnsweredInterrupts['items'][number]): void {
  if (item.outcome === 'answered') return printLine(io, `${item.id}: ${item.interrupt.answer?.decision ?? 'answered'}`);
  printProblem(io, { message: `${item.id}: ${item.error.message}`, hint: item.error.hint });
}
