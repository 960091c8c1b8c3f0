import type { ApprovalAnswer, ApprovalInterrupt, InDoubtAnswer, InDoubtInterrupt } from '@toolyard/protocol';
import { formatToolReference, isOnceOnly, showHidden, showName } from '@toolyard/protocol';
import { sanitize } from '../sanitize.ts';
import { askedByNote, textCallNote } from './interrupt-notes.ts';
import type { TerminalLineReader, Terminal } from './terminal.ts';
import { toSecond } from '../utc-time.ts';

/** Maximum number of lines of a diff. */
const MAX_DIFF_LINES = 200;

/** `signal` aborts when the interrupt is answered elsewhere. */
export type TerminalPrompt = { terminal: Terminal; reader: TerminalLineReader; signal: AbortSignal };

/** `interrupted`: Ctrl-C, or the signal. `closed`: the input has ended. */
export type PromptReply<Answer> = { kind: 'answered'; answer: Answer } | { kind: 'interrupted' | 'closed' };

export type PromptChoice<Answer> = { words: readonly string[]; shown: string; answer: Answer };

const ONCE: PromptChoice<ApprovalAnswer> = {
  words: ['y', 'yes', 'once'],
  shown: '[y]es',
  answer: { decision: 'approve', scope: 'once' },
};
const CONVERSATION: PromptChoice<ApprovalAnswer> = {
  words: ['c', 'conversation'],
  shown: 'in this [c]onversation',
  answer: { decision: 'approve', scope: 'conversation' },
};
const ALWAYS: PromptChoice<ApprovalAnswer> = {
  words: ['a', 'always'],
  shown: '[a]lways',
  answer: { decision: 'approve', scope: 'always' },
};
const NO: PromptChoice<ApprovalAnswer> = {
  words: ['n', 'no', 'deny'],
  shown: '[n]o',
  answer: { decision: 'refuse', scope: 'once' },
};
const NEVER: PromptChoice<ApprovalAnswer> = {
  words: ['v', 'never'],
  shown: 'ne[v]er',
  answer: { decision: 'refuse', scope: 'always' },
};
const STOP: PromptChoice<ApprovalAnswer> = {
  words: ['s', 'stop'],
  shown: '[s]top',
  answer: { decision: 'refuse', scope: 'once', stops: true },
};

/**
 * Asks whether to allow a call, with exactly the arguments shown. Offers "always" and "never" only if `canRemember`.
 */
export function askApproval(
  interrupt: ApprovalInterrupt,
  prompt: TerminalPrompt & { canRemember: boolean },
): Promise<PromptReply<ApprovalAnswer>> {
  printCall(interrupt, 'needs your approval. Arguments:', prompt.terminal);
  printToolNotes(interrupt, prompt.terminal);
  const later = isOnceOnly(interrupt) ? [] : prompt.canRemember ? [CONVERSATION, ALWAYS] : [CONVERSATION];
  const choices = [ONCE, ...later, NO, ...(prompt.canRemember ? [NEVER] : []), STOP];
  return choose('Allow it?', choices, prompt);
}

/** Asks for the outcome of a call that was in progress when the server was killed. */
export async function askInDoubt(
  interrupt: InDoubtInterrupt,
  prompt: TerminalPrompt,
): Promise<PromptReply<InDoubtAnswer>> {
  const { terminal, reader, signal } = prompt;
  printCall(interrupt, 'was called with these arguments:', terminal);
  const at = toSecond(interrupt.sentAt);
  terminal.err.write(`Sent at ${at} UTC. The server stopped before the result arrived, so the outcome is unknown.\n`);
  const reply = await choose(
    'What should happen?',
    [
      { words: ['r', 'repeat'], shown: '[r]epeat the call', answer: 'repeat' as const },
      { words: ['f', 'failed'], shown: 'mark as [f]ailed', answer: 'failed' as const },
      { words: ['t', 'text', 'result'], shown: 'enter the result as [t]ext', answer: 'result' as const },
    ],
    prompt,
  );
  if (reply.kind !== 'answered') return reply;
  if (reply.answer !== 'result') return { kind: 'answered', answer: { decision: reply.answer } };
  const line = await reader.ask('Result: ', signal);
  if (line.kind !== 'line') return { kind: line.kind === 'end' ? 'closed' : 'interrupted' };
  return { kind: 'answered', answer: { decision: 'result', text: line.text } };
}

/** Prints the description of a tool if it contains hidden characters, and what changed since its approval. */
function printToolNotes(interrupt: ApprovalInterrupt, { err }: Terminal): void {
  const { description = '', changed, danger, byRule, textCall, autoUnconfirmed, diff = '' } = interrupt;
  if (textCall !== undefined) err.write(`${sanitize(textCallNote(textCall))}\n`);
  if (danger !== undefined)
    err.write(`Flagged as dangerous: ${sanitize(danger)} Your answer applies to this call only.\n`);
  if (byRule === true) err.write('One of your rules asks before every such call.\n');
  if (autoUnconfirmed !== undefined) err.write(unconfirmedText(autoUnconfirmed));
  if (diff !== '') err.write(`It would change:\n${shownDiff(diff)}\n`);
  const shown = showHidden(description);
  if (shown !== description) err.write(`Its description contains hidden characters:\n${shown}\n`);
  if (changed === undefined) return;
  err.write('This tool has changed since you approved it.\n');
  if (changed.hasMoved) err.write('  The command or URL of its server has changed.\n');
  for (const { path, before, after } of changed.differences) {
    err.write(`  ${showHidden(path)}\n`);
    if (before !== undefined) err.write(`  - ${showHidden(before)}\n`);
    if (after !== undefined) err.write(`  + ${showHidden(after)}\n`);
  }
}

/** The changes of a file, as far as a user can review them in a terminal. */
function shownDiff(diff: string): string {
  const lines = diff.split('\n');
  const shown = lines.slice(0, MAX_DIFF_LINES).map((line) => `  ${showHidden(line)}`);
  const hidden = lines.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`  [${hidden} more lines]`] : [])].join('\n');
}

function unconfirmedText(servers: readonly string[]): string {
  const names = servers.map((id) => sanitize(showName(id))).join(', ');
  return (
    `Approval mode "auto" is not confirmed for these servers, which run without a sandbox: ${names}. ` +
    'Confirm it with "toolyard mcp unsandboxed --confirm-auto".\n'
  );
}

function printCall(
  { tool, arguments: args, askedBy }: ApprovalInterrupt | InDoubtInterrupt,
  heading: string,
  to: Terminal,
): void {
  const name = showName(formatToolReference(tool));
  if (askedBy) to.err.write(`\n${sanitize(askedByNote(askedBy))}`);
  to.err.write(`\n${name} ${heading}\n${showHidden(JSON.stringify(args, null, 2))}\n`);
}

/** Repeats the prompt until the input matches a choice. */
export async function choose<Answer>(
  question: string,
  choices: readonly PromptChoice<Answer>[],
  { reader, signal }: TerminalPrompt,
): Promise<PromptReply<Answer>> {
  const text = `${question} ${choices.map(({ shown }) => shown).join(', ')}: `;
  for (;;) {
    const line = await reader.ask(text, signal);
    if (line.kind !== 'line') return { kind: line.kind === 'end' ? 'closed' : 'interrupted' };
    const word = line.text.trim().toLowerCase();
    const choice = choices.find(({ words }) => words.includes(word));
    if (choice) return { kind: 'answered', answer: choice.answer };
  }
}
