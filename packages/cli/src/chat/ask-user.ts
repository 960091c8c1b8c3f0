import type { ApprovalAnswer, ApprovalInterrupt, InDoubtAnswer, InDoubtInterrupt } from '@toolyard/protocol';
import { formatToolReference, showHidden } from '@toolyard/protocol';
import { sanitize } from '../sanitize.ts';
import type { TerminalLineReader, Terminal } from './terminal.ts';

/** The person at the terminal, and the signal that tells that the question is settled elsewhere. */
export type TerminalPrompt = { terminal: Terminal; reader: TerminalLineReader; signal: AbortSignal };

/** `interrupted`: Ctrl-C instead of an answer, or the signal. `left`: the input has ended. */
export type PromptReply<Answer> = { kind: 'said'; answer: Answer } | { kind: 'interrupted' | 'left' };

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
  words: ['n', 'no', 'refuse'],
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
 * Asks about a call; the arguments shown are those that will run. What counts for always is offered only where it is
 * kept.
 */
export function askApproval(
  interrupt: ApprovalInterrupt,
  asked: TerminalPrompt & { remembers: boolean },
): Promise<PromptReply<ApprovalAnswer>> {
  tellCall(interrupt, 'wants to run with', asked.terminal);
  tellTool(interrupt, asked.terminal);
  // Such a call is allowed once, and nothing is allowed along with it.
  const isForOne = interrupt.danger !== undefined || interrupt.byRule === true;
  const later = isForOne ? [] : asked.remembers ? [CONVERSATION, ALWAYS] : [CONVERSATION];
  const choices = [ONCE, ...later, NO, ...(asked.remembers ? [NEVER] : []), STOP];
  return choose('Allow it?', choices, asked);
}

/** Asks what became of a call that was sent when the server died. */
export async function askInDoubt(
  interrupt: InDoubtInterrupt,
  asked: TerminalPrompt,
): Promise<PromptReply<InDoubtAnswer>> {
  const { terminal, reader, signal } = asked;
  tellCall(interrupt, 'was called with', terminal);
  const at = new Date(interrupt.sentAt).toISOString().slice(0, 19).replace('T', ' ');
  terminal.err.write(`at ${at} UTC, and the server died before the answer came: it may have taken effect.\n`);
  const reply = await choose(
    'What now?',
    [
      { words: ['r', 'repeat'], shown: '[r]epeat it', answer: 'repeat' as const },
      { words: ['f', 'failed'], shown: 'it [f]ailed', answer: 'failed' as const },
      { words: ['t', 'tell'], shown: '[t]ell what came of it', answer: 'result' as const },
    ],
    asked,
  );
  if (reply.kind !== 'said') return reply;
  if (reply.answer !== 'result') return { kind: 'said', answer: { decision: reply.answer } };
  const line = await reader.ask('What came of it: ', signal);
  if (line.kind !== 'line') return { kind: line.kind === 'end' ? 'left' : 'interrupted' };
  return { kind: 'said', answer: { decision: 'result', text: line.text } };
}

/** What a server says of its tool is shown where it hides something, or has changed. */
function tellTool(interrupt: ApprovalInterrupt, { err }: Terminal): void {
  const { description = '', changed, danger, byRule, autoUnconfirmed } = interrupt;
  if (danger !== undefined) err.write(`Look closely: ${sanitize(danger)} Only this one call would be allowed.\n`);
  if (byRule === true) err.write('One of your rules asks before every call like this one.\n');
  if (autoUnconfirmed !== undefined) err.write(unconfirmedText(autoUnconfirmed));
  const shown = showHidden(description);
  if (shown !== description) err.write(`Its description hides characters:\n${shown}\n`);
  if (changed === undefined) return;
  err.write('This tool is not what you approved before.\n');
  if (changed.hasMoved) err.write('  Its server is reached in another way now: another command, or another address.\n');
  for (const { path, before, after } of changed.differences) {
    err.write(`  ${showHidden(path)}\n`);
    if (before !== undefined) err.write(`  - ${showHidden(before)}\n`);
    if (after !== undefined) err.write(`  + ${showHidden(after)}\n`);
  }
}

function unconfirmedText(servers: readonly string[]): string {
  const names = servers.map((id) => sanitize(showHidden(id))).join(', ');
  return (
    `Approval mode "auto" is not confirmed beside these servers, which run without a sandbox: ${names}. ` +
    'Confirm it with "toolyard mcp unsandboxed --confirm-auto".\n'
  );
}

function tellCall({ tool, arguments: given }: ApprovalInterrupt | InDoubtInterrupt, what: string, to: Terminal): void {
  const name = showHidden(formatToolReference(tool));
  to.err.write(`\n${name} ${what}\n${showHidden(JSON.stringify(given, null, 2))}\n`);
}

/** Asks until one of the words is said. */
export async function choose<Answer>(
  question: string,
  choices: readonly PromptChoice<Answer>[],
  { reader, signal }: TerminalPrompt,
): Promise<PromptReply<Answer>> {
  const prompt = `${question} ${choices.map(({ shown }) => shown).join(', ')}: `;
  for (;;) {
    const line = await reader.ask(prompt, signal);
    if (line.kind !== 'line') return { kind: line.kind === 'end' ? 'left' : 'interrupted' };
    const word = line.text.trim().toLowerCase();
    const choice = choices.find(({ words }) => words.includes(word));
    if (choice) return { kind: 'said', answer: choice.answer };
  }
}
