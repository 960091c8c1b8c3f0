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
import { formatToolReference, showHidden, showName } from '@toolyard/protocol';
import type { TerminalPrompt, PromptReply } from './ask-user.ts';
import { choose } from './ask-user.ts';
import type { Terminal } from './terminal.ts';

type ServerInterrupt = FormInterrupt | UrlInterrupt | SamplingInterrupt | SignInInterrupt | TabInterrupt;

/** Prints the name of the server first, because the server controls all text after it. */
export function printRequester(interrupt: ServerInterrupt, what: string, { err }: Terminal): void {
  err.write(`\n${requesterName(interrupt, what)}:\n`);
}

/** The server and the call of a request; if the server did not name the call, the conversations it may belong to. */
export function requesterName(interrupt: ServerInterrupt, what: string): string {
  const { tool } = interrupt;
  const asks = `The server ${showName(tool.serverId)} ${what}`;
  const conversations = 'mayBelongTo' in interrupt ? (interrupt.mayBelongTo ?? []) : [];
  if (conversations.length === 0) return `${asks} (called as ${showName(formatToolReference(tool))})`;
  const listed = conversations.map((id) => showHidden(id)).join(', ');
  return `${asks}. It did not name the call, which may belong to one of these conversations; the first answer wins: ${listed}`;
}

/** Shows a URL in full, for the user to open; Toolyard never opens it. */
export async function askUrl(interrupt: UrlInterrupt, prompt: TerminalPrompt): Promise<PromptReply<ElicitationAnswer>> {
  const { err } = prompt.terminal;
  printRequester(interrupt, 'asks you to open a URL', prompt.terminal);
  const host = URL.canParse(interrupt.url) ? new URL(interrupt.url).host : '';
  err.write(`${showHidden(interrupt.message)}\n  ${showHidden(interrupt.url)}\nHost: ${showHidden(host)}\n`);
  return choose(
    'Open it in your browser only if you trust this host. Did you open it?',
    [
      { words: ['y', 'yes'], shown: '[y]es', answer: { decision: 'accept' } },
      { words: ['n', 'no', 'd', 'decline'], shown: '[n]o', answer: { decision: 'decline' } },
      { words: ['c', 'cancel'], shown: '[c]ancel', answer: { decision: 'cancel' } },
    ],
    prompt,
  );
}

/** Asks whether a server may sample the model of this conversation, and lets the user edit the prompt. */
export async function askSampling(
  interrupt: SamplingInterrupt,
  prompt: TerminalPrompt,
): Promise<PromptReply<SamplingDecision>> {
  const { err } = prompt.terminal;
  const { systemPrompt, messages, tools, modelHints, maxTokens, model } = interrupt;
  printRequester(interrupt, `requests an answer from ${showHidden(model)}, at your cost`, prompt.terminal);
  if (systemPrompt !== undefined) err.write(`system: ${showHidden(systemPrompt)}\n`);
  for (const { role, content } of messages) err.write(`${role}: ${showHidden(content.map(toText).join(' '))}\n`);
  if (tools.length > 0) err.write(`its tools: ${showHidden(tools.map(({ name }) => name).join(', '))}\n`);
  if (modelHints.length > 0) err.write(`preferred models: ${showHidden(modelHints.join(', '))}\n`);
  err.write(`max output tokens: ${maxTokens}\n`);
  const reply = await choose(
    'Allow it?',
    [
      { words: ['y', 'yes'], shown: '[y]es', answer: 'allow' },
      { words: ['e', 'edit'], shown: '[e]dit first', answer: 'edit' },
      { words: ['n', 'no', 'd', 'decline'], shown: '[n]o', answer: 'decline' },
    ] as const,
    prompt,
  );
  if (reply.kind !== 'answered') return reply;
  if (reply.answer !== 'edit') return { kind: 'answered', answer: { decision: reply.answer } };
  const texts: string[] = [];
  for (const block of messages.flatMap(({ content }) => content)) {
    if (block.type !== 'text') continue;
    const line = await prompt.reader.ask(`Replace "${showHidden(block.text)}" with (empty keeps it): `, prompt.signal);
    if (line.kind !== 'line') return { kind: line.kind === 'end' ? 'closed' : 'interrupted' };
    texts.push(line.text.trim() === '' ? block.text : line.text);
  }
  return { kind: 'answered', answer: { decision: 'allow', texts } };
}

/** Waits until the user has signed in to a server with another command. */
export async function askSignIn(
  interrupt: SignInInterrupt,
  prompt: TerminalPrompt,
): Promise<PromptReply<SignInAnswer>> {
  printRequester(interrupt, 'requires you to sign in', prompt.terminal);
  prompt.terminal.err.write(`Sign in with: toolyard mcp auth ${showName(interrupt.tool.serverId)}\n`);
  return choose(
    'Continue?',
    [
      { words: ['s', 'y', 'yes'], shown: '[s]igned in', answer: { decision: 'signed_in' } },
      { words: ['n', 'no', 'd', 'decline'], shown: '[n]o', answer: { decision: 'decline' } },
    ],
    prompt,
  );
}

/** Waits for the browser tab that provides a tool. */
export async function askForTab(interrupt: TabInterrupt, prompt: TerminalPrompt): Promise<PromptReply<TabAnswer>> {
  printRequester(interrupt, 'runs in a browser tab that is not open', prompt.terminal);
  prompt.terminal.err.write('Open this conversation in that browser; the call then continues by itself.\n');
  return choose(
    'Continue?',
    [
      { words: ['o', 'y', 'yes'], shown: 'the tab is [o]pen', answer: { decision: 'tab_here' } },
      { words: ['n', 'no', 'd', 'decline'], shown: '[n]o, skip the call', answer: { decision: 'decline' } },
    ],
    prompt,
  );
}

function toText(block: SamplingContent): string {
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
