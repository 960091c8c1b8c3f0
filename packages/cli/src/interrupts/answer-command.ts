import type {
  AnsweredInterrupts,
  AnswerInterrupts,
  Interrupt,
  InterruptAnswer,
  StoredInterrupt,
} from '@toolyard/protocol';
import { decisionsFor, defined, ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import type { Terminal } from '../chat/terminal.ts';
import { createTerminalLineReader, terminalOf } from '../chat/terminal.ts';
import { EXIT } from '../exit.ts';
import { pluralize, printNote, printLine, printJson } from '../mcp/output.ts';
import { askAtTerminal } from '../server-chat/ask-at-terminal.ts';
import { allPages } from '../server/all-pages.ts';
import type { ServerClient } from '../server/server-client.ts';
import type { AnswerFlags } from './answer-from-flags.ts';
import { answerFromFlags } from './answer-from-flags.ts';
import { gist } from './list-interrupts.ts';

type Given = AnswerInterrupts['answers'][number];

const MOST_AT_ONCE = 200;

/** `toolyard interrupts answer`: 1 where one of them was not answered. */
export async function answerCommand(
  io: CommandIo,
  client: ServerClient,
  ids: readonly string[],
  flags: AnswerFlags,
): Promise<number> {
  const answer = answerFromFlags(flags);
  const open = await allPages((query) => client.get('/api/interrupts', { query }));
  const meant = meantBy(open, ids, { all: flags.all === true, answer });
  const given = answer
    ? meant.map((asked): Given => ({ id: asked.id, answer, ...shown(asked.interrupt) }))
    : await askEach(meant, terminalOf(io));
  // One that is not open any more is sent as well: the server says what became of it.
  const gone = answer ? ids.filter((id) => !open.some((asked) => asked.id === id)) : [];
  const answers = [...given, ...(answer ? gone.map((id): Given => ({ id, answer })) : [])];
  const items: AnsweredInterrupts['items'] = [];
  for (let at = 0; at < answers.length; at += MOST_AT_ONCE) {
    const body: AnswerInterrupts = { answers: answers.slice(at, at + MOST_AT_ONCE) };
    items.push(...(await client.post('/api/interrupts/answers', { body })).items);
  }
  if (flags.json === true) printJson(io, items);
  else for (const item of items) tell(io, item);
  if (items.length === 0) printNote(io, 'Nothing was answered.');
  return items.some(({ outcome }) => outcome === 'refused') ? EXIT.failed : EXIT.done;
}

function meantBy(
  open: StoredInterrupt[],
  ids: readonly string[],
  { all, answer }: { all: boolean; answer: InterruptAnswer | null },
): StoredInterrupt[] {
  if (all && ids.length > 0) throw wrong('--all and ids of questions are given.', 'Give one of the two.');
  if (ids.length > 0) return open.filter(({ id }) => ids.includes(id));
  if (!all && answer) throw wrong('It is not said which question is answered.', 'Name it, or give --all.');
  if (answer?.decision === 'approve' && answer.arguments) {
    throw wrong('Arguments are those of one call.', 'Name the question.');
  }
  return answer ? open.filter(({ interrupt }) => decisionsFor(interrupt.kind).includes(answer.decision)) : open;
}

/** What is answered is what was listed, and nothing that has come in its place. */
function shown(interrupt: Interrupt): Pick<Given, 'shown'> {
  if (interrupt.kind !== 'approval') return {};
  const { arguments: args, definition } = interrupt;
  return { shown: { arguments: args, ...defined({ definition }) } };
}

async function askEach(meant: readonly StoredInterrupt[], terminal: Terminal): Promise<Given[]> {
  const { io } = terminal;
  if (!terminal.interactive) {
    throw wrong('There is no answer, and nobody can be asked here.', 'Say --approve, --refuse, or another answer.');
  }
  const reader = createTerminalLineReader(terminal);
  const ask = askAtTerminal({ terminal, reader, allow: [], tell: (line) => printNote(io, line) });
  const given: Given[] = [];
  try {
    for (const [at, { id, interrupt }] of meant.entries()) {
      printNote(io, `${at + 1} of ${pluralize(meant.length, 'question')}: ${gist(interrupt)}`);
      const reply = await ask(interrupt, new AbortController().signal);
      if (reply.kind === 'interrupted') break;
      if (reply.kind === 'said') given.push({ id, answer: reply.answer, ...shown(interrupt) });
    }
  } finally {
    reader.close();
  }
  return given;
}

function tell(io: CommandIo, item: AnsweredInterrupts['items'][number]): void {
  if (item.outcome === 'answered') return printLine(io, `${item.id}: ${item.interrupt.answer?.decision ?? 'answered'}`);
  printNote(io, `${item.id}: ${item.error.message}`);
  if (item.error.hint !== undefined) printNote(io, `  ${item.error.hint}`);
}

function wrong(message: string, hint: string): ToolyardError {
  return new ToolyardError({ code: 'bad_request', message, hint });
}
