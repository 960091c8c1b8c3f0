import type { ApprovalInterrupt, Interrupt, InterruptAnswer } from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';
import { askBudget } from '../chat/ask-budget.ts';
import { askForm } from '../chat/ask-form.ts';
import type { TerminalPrompt, PromptReply } from '../chat/ask-user.ts';
import { askApproval, askInDoubt } from '../chat/ask-user.ts';
import { askPrompt, askSelection } from '../chat/ask-model-question.ts';
import { askForTab, askSampling, askSignIn, askUrl } from '../chat/ask-server-question.ts';
import type { TerminalLineReader, Terminal } from '../chat/terminal.ts';
import { shownLine } from '../sanitize.ts';
import type { AskUserAtTerminal } from './questions.ts';

/**
 * Who answers what a run of the server asks: for a tool of `allow` its list, else the person at the terminal. Where
 * there is none a call is refused, as it would be by a chat of its own; what is in doubt is left open.
 */
export function askAtTerminal(of: {
  terminal: Terminal;
  reader: TerminalLineReader;
  /** Tools that may run without asking, as `server/tool`. */
  allow: readonly string[];
  tell: (line: string) => void;
}): AskUserAtTerminal {
  const { terminal, reader, allow, tell } = of;
  return async (interrupt, signal) => {
    const asked = { terminal, reader, signal };
    if (interrupt.kind !== 'approval') {
      if (terminal.interactive) return askOther(interrupt, asked);
      return leaveToOthers(interrupt, tell);
    }
    const reference = formatToolReference(interrupt.tool);
    if (allow.includes(reference)) return { kind: 'said', answer: { decision: 'approve', scope: 'once' } };
    if (terminal.interactive) return askApproval(interrupt, { ...asked, remembers: true });
    tell(`${shownLine(reference)} is not called: nobody can be asked here. --allow ${shownLine(reference)} allows it.`);
    return { kind: 'said', answer: { decision: 'refuse', scope: 'once', reason: 'Nobody could be asked.' } };
  };
}

type Other = Exclude<Interrupt, ApprovalInterrupt>;

function askOther(interrupt: Other, asked: TerminalPrompt): Promise<PromptReply<InterruptAnswer>> {
  switch (interrupt.kind) {
    case 'in_doubt':
      return askInDoubt(interrupt, asked);
    case 'elicitation':
      return interrupt.mode === 'url' ? askUrl(interrupt, asked) : askForm(interrupt, asked);
    case 'sampling':
      return askSampling(interrupt, asked);
    case 'sign_in':
      return askSignIn(interrupt, asked);
    case 'prompt':
      return askPrompt(interrupt, asked);
    case 'selection':
      return askSelection(interrupt, asked);
    case 'budget':
      return askBudget(interrupt, asked);
    case 'tab':
      return askForTab(interrupt, asked);
  }
}

/** What a server asks is refused where nobody is; a doubt, a sign-in, a budget or a tab can wait for somebody. */
function leaveToOthers(interrupt: Other, tell: (line: string) => void): PromptReply<InterruptAnswer> {
  const { kind } = interrupt;
  if (kind === 'in_doubt' || kind === 'sign_in' || kind === 'budget' || kind === 'tab') return { kind: 'left' };
  const { tool } = interrupt;
  tell(`${shownLine(formatToolReference(tool))} asks for something, and nobody can be asked here.`);
  return { kind: 'said', answer: { decision: kind === 'elicitation' ? 'cancel' : 'decline' } };
}
