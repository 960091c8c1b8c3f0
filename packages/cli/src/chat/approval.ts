import type { AgentQuestions, AskApproval, AskUser } from '@toolyard/agent-host';
import { ToolyardError } from '@toolyard/protocol';
import { askForm } from './ask-form.ts';
import { askPrompt, askSelection } from './ask-model-question.ts';
import type { PromptReply } from './ask-user.ts';
import { askApproval } from './ask-user.ts';
import { askSampling, askUrl } from './ask-server-question.ts';
import type { TerminalLineReader, Terminal } from './terminal.ts';

type AtTerminal = {
  terminal: Terminal;
  reader: TerminalLineReader;
  /** Called when the person presses Ctrl-C instead of answering. */
  onInterrupt: () => void;
};

/** Puts what servers ask in the middle of a call to the person at the terminal. */
export function createTerminalQuestions({ terminal, reader, onInterrupt }: AtTerminal): AgentQuestions {
  const said = <Answer>(reply: PromptReply<Answer>): Answer => {
    if (reply.kind === 'said') return reply.answer;
    if (reply.kind === 'interrupted') onInterrupt();
    throw new ToolyardError({ code: 'refused', message: 'The person did not answer.' });
  };
  return {
    form: async (asked, { signal }) => said(await askForm(asked, { terminal, reader, signal })),
    url: async (asked, { signal }) => said(await askUrl(asked, { terminal, reader, signal })),
    sampling: async (asked, { signal }) => said(await askSampling(asked, { terminal, reader, signal })),
  };
}

/** Puts what the model asks to the person at the terminal. */
export function createTerminalAskUser({ terminal, reader, onInterrupt }: AtTerminal): AskUser {
  return async (asked, { signal }) => {
    const at = { terminal, reader, signal };
    const reply = asked.kind === 'prompt' ? await askPrompt(asked, at) : await askSelection(asked, at);
    if (reply.kind === 'said') return reply.answer;
    if (reply.kind === 'interrupted') onInterrupt();
    return { decision: 'decline' };
  };
}

/** Asks the person at the terminal about a call of the loop in this process, which keeps no decision for later. */
export function createTerminalApproval(of: AtTerminal): AskApproval {
  const { terminal, reader, onInterrupt } = of;
  return async (interrupt, { signal }) => {
    const reply = await askApproval(interrupt, { terminal, reader, signal, remembers: false });
    if (reply.kind === 'said') return reply.answer;
    if (reply.kind === 'interrupted') onInterrupt();
    return { decision: 'refuse' };
  };
}
