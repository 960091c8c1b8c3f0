import { matchesGlob } from '@toolyard/agent-host';
import type { ApprovalInterrupt, Interrupt, InterruptAnswer } from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';
import { askBudget } from '../chat/ask-budget.ts';
import { askForm } from '../chat/ask-form.ts';
import type { TerminalPrompt, PromptReply } from '../chat/ask-user.ts';
import { askApproval, askInDoubt } from '../chat/ask-user.ts';
import { askPrompt, askSelection } from '../chat/ask-model-interrupt.ts';
import { askForTab, askSampling, askSignIn, askUrl } from '../chat/ask-server-interrupt.ts';
import type { TerminalLineReader, Terminal } from '../chat/terminal.ts';
import { shownLine } from '../sanitize.ts';
import type { AskUserAtTerminal } from './interrupt-prompts.ts';

/**
 * Answers interrupts of a run: calls of `allow` are approved, others are prompt at the terminal. Without a terminal, calls
 * are denied, like in a chat without a server; interrupts that can wait stay open.
 */
export function askAtTerminal(of: {
  terminal: Terminal;
  reader: TerminalLineReader;
  /** Tools to allow without asking, as `server/tool`; `*` and `?` as in rules. */
  allow: readonly string[];
  print: (line: string) => void;
}): AskUserAtTerminal {
  const { terminal, reader, allow, print } = of;
  return async (interrupt, signal) => {
    const prompt = { terminal, reader, signal };
    if (interrupt.kind !== 'approval') {
      if (terminal.interactive) return askOther(interrupt, prompt);
      return answerWithoutTerminal(interrupt, print);
    }
    const reference = formatToolReference(interrupt.tool);
    const isAllowed = allow.some((pattern) => matchesGlob(pattern, reference));
    if (isAllowed && interrupt.danger === undefined)
      return { kind: 'answered', answer: { decision: 'approve', scope: 'once' } };
    if (terminal.interactive) return askApproval(interrupt, { ...prompt, canRemember: true });
    print(
      `denied ${shownLine(reference)}: no terminal to ask for approval. Allow it with --allow ${shownLine(reference)}.`,
    );
    return {
      kind: 'answered',
      answer: { decision: 'refuse', scope: 'once', reason: 'No user was available to approve the call.' },
    };
  };
}

type OtherInterrupt = Exclude<Interrupt, ApprovalInterrupt>;

function askOther(interrupt: OtherInterrupt, prompt: TerminalPrompt): Promise<PromptReply<InterruptAnswer>> {
  switch (interrupt.kind) {
    case 'in_doubt':
      return askInDoubt(interrupt, prompt);
    case 'elicitation':
      return interrupt.mode === 'url' ? askUrl(interrupt, prompt) : askForm(interrupt, prompt);
    case 'sampling':
      return askSampling(interrupt, prompt);
    case 'sign_in':
      return askSignIn(interrupt, prompt);
    case 'prompt':
      return askPrompt(interrupt, prompt);
    case 'selection':
      return askSelection(interrupt, prompt);
    case 'budget':
      return askBudget(interrupt, prompt);
    case 'tab':
      return askForTab(interrupt, prompt);
  }
}

/** Declines requests of servers and the model; leaves other interrupts open, for the Inbox. */
function answerWithoutTerminal(interrupt: OtherInterrupt, print: (line: string) => void): PromptReply<InterruptAnswer> {
  const { kind } = interrupt;
  if (kind === 'in_doubt' || kind === 'sign_in' || kind === 'budget' || kind === 'tab') return { kind: 'closed' };
  const { tool } = interrupt;
  print(`declined a request of ${shownLine(formatToolReference(tool))}: no terminal to ask for an answer.`);
  return { kind: 'answered', answer: { decision: kind === 'elicitation' ? 'cancel' : 'decline' } };
}
