import type {
  ElicitationAnswer,
  FormInterrupt,
  SamplingContent,
  SamplingDecision,
  SamplingInterrupt,
  SignInAnswer,
  SignInInterrupt,
  TabAnswer,
  TabInterrupt,
  UrlInterrupt,
} from '@toolyard/protocol';
import { formatToolReference, showHidden } from '@toolyard/protocol';
import type { TerminalPrompt, PromptReply } from './ask-user.ts';
import { choose } from './ask-user.ts';
import type { Terminal } from './terminal.ts';

type AskedForCall = FormInterrupt | UrlInterrupt | SamplingInterrupt | SignInInterrupt | TabInterrupt;

/** Who asks is said by us and comes first: all that follows are the server's own words. */
export function printRequester(interrupt: AskedForCall, what: string, { err }: Terminal): void {
  err.write(`\n${requesterName(interrupt, what)}:\n`);
}

/** Who asks, and for which call; where the server did not say that, for which conversations it may be. */
export function requesterName(interrupt: AskedForCall, what: string): string {
  const { tool } = interrupt;
  const asks = `The server ${showHidden(tool.serverId)} ${what}`;
  const conversations = 'mayBelongTo' in interrupt ? (interrupt.mayBelongTo ?? []) : [];
  if (conversations.length === 0) return `${asks} (called as ${showHidden(formatToolReference(tool))})`;
  const listed = conversations.map((id) => showHidden(id)).join(', ');
  return `${asks}. It did not say for which call; it may be for one of these conversations, and the first answer counts: ${listed}`;
}

/** Asks whether an address may be opened; it is shown in full, and opened by the person and by nobody else. */
export async function askUrl(interrupt: UrlInterrupt, asked: TerminalPrompt): Promise<PromptReply<ElicitationAnswer>> {
  const { err } = asked.terminal;
  printRequester(interrupt, 'wants you to open a page', asked.terminal);
  const host = URL.canParse(interrupt.url) ? new URL(interrupt.url).host : '';
  err.write(`${showHidden(interrupt.message)}\n  ${showHidden(interrupt.url)}\nThe page is at: ${showHidden(host)}\n`);
  return choose(
    'Open it in your browser, if you trust that place. Did you?',
    [
      { words: ['y', 'yes'], shown: '[y]es', answer: { decision: 'accept' } },
      { words: ['n', 'no', 'd', 'decline'], shown: '[n]o', answer: { decision: 'decline' } },
      { words: ['c', 'cancel'], shown: '[c]ancel', answer: { decision: 'cancel' } },
    ],
    asked,
  );
}

/** Asks whether the model of this conversation may be asked something for a server, and with which words. */
export async function askSampling(
  interrupt: SamplingInterrupt,
  asked: TerminalPrompt,
): Promise<PromptReply<SamplingDecision>> {
  const { err } = asked.terminal;
  const { systemPrompt, messages, tools, modelHints, maxTokens, model } = interrupt;
  printRequester(interrupt, `wants an answer of ${showHidden(model)}, at your cost`, asked.terminal);
  if (systemPrompt !== undefined) err.write(`system: ${showHidden(systemPrompt)}\n`);
  for (const { role, content } of messages) err.write(`${role}: ${showHidden(content.map(told).join(' '))}\n`);
  if (tools.length > 0) err.write(`tools of its own: ${showHidden(tools.map(({ name }) => name).join(', '))}\n`);
  if (modelHints.length > 0) err.write(`it would like: ${showHidden(modelHints.join(', '))}\n`);
  err.write(`at most ${maxTokens} tokens\n`);
  const reply = await choose(
    'Allow it?',
    [
      { words: ['y', 'yes'], shown: '[y]es', answer: 'allow' },
      { words: ['e', 'edit'], shown: '[e]dit it first', answer: 'edit' },
      { words: ['n', 'no', 'd', 'decline'], shown: '[n]o', answer: 'decline' },
    ] as const,
    asked,
  );
  if (reply.kind !== 'said') return reply;
  if (reply.answer !== 'edit') return { kind: 'said', answer: { decision: reply.answer } };
  const texts: string[] = [];
  for (const block of messages.flatMap(({ content }) => content)) {
    if (block.type !== 'text') continue;
    const line = await asked.reader.ask(`Instead of "${showHidden(block.text)}" (empty keeps it): `, asked.signal);
    if (line.kind !== 'line') return { kind: line.kind === 'end' ? 'left' : 'interrupted' };
    texts.push(line.text.trim() === '' ? block.text : line.text);
  }
  return { kind: 'said', answer: { decision: 'allow', texts } };
}

/** Tells that a server wants to know who is there, and waits until the person has signed in elsewhere. */
export async function askSignIn(interrupt: SignInInterrupt, asked: TerminalPrompt): Promise<PromptReply<SignInAnswer>> {
  printRequester(interrupt, 'wants you to sign in', asked.terminal);
  asked.terminal.err.write(`Sign in with: toolyard mcp auth ${showHidden(interrupt.tool.serverId)}\n`);
  return choose(
    'Go on?',
    [
      { words: ['s', 'y', 'yes'], shown: 'I have [s]igned in', answer: { decision: 'signed_in' } },
      { words: ['n', 'no', 'd', 'decline'], shown: '[n]o', answer: { decision: 'decline' } },
    ],
    asked,
  );
}

/** Tells that a call waits for a tab that is not open; the person may give up waiting. */
export async function askForTab(interrupt: TabInterrupt, asked: TerminalPrompt): Promise<PromptReply<TabAnswer>> {
  printRequester(interrupt, 'is reached from a tab of the page, and none that has it is open', asked.terminal);
  asked.terminal.err.write('Open this conversation in that browser and it goes on by itself.\n');
  return choose(
    'Go on?',
    [
      { words: ['o', 'y', 'yes'], shown: 'it is [o]pen now', answer: { decision: 'tab_here' } },
      { words: ['n', 'no', 'd', 'decline'], shown: '[n]o, go on without', answer: { decision: 'decline' } },
    ],
    asked,
  );
}

function told(block: SamplingContent): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'media':
      return `[${block.mimeType}, ${block.bytes} bytes]`;
    case 'tool_use':
      return `[calls ${block.name} ${JSON.stringify(block.arguments)}]`;
    case 'tool_result':
      return `[result: ${block.text}]`;
  }
}
