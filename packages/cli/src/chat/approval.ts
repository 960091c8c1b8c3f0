import type { InterruptHandlers, AskApproval, AskUser } from '@toolyard/agent-host';
import { ToolyardError } from '@toolyard/protocol';
import { askForm } from './ask-form.ts';
import { askPrompt, askSelection } from './ask-model-interrupt.ts';
import type { PromptReply } from './ask-user.ts';
import { askApproval } from './ask-user.ts';
import { askSampling, askUrl } from './ask-server-interrupt.ts';
import type { TerminalLineReader, Terminal } from './terminal.ts';

type TerminalContext = {
  terminal: Terminal;
  reader: TerminalLineReader;
  /** Called if the user presses Ctrl-C instead of answering. */
  onInterrupt: () => void;
};

/** Answers requests of MCP servers (forms, URLs, sampling) at the terminal. */
export function createTerminalInterruptHandlers({ terminal, reader, onInterrupt }: TerminalContext): InterruptHandlers {
  const toAnswer = <Answer>(reply: PromptReply<Answer>): Answer => {
    if (reply.kind === 'answered') return reply.answer;
    if (reply.kind === 'interrupted') onInterrupt();
    throw new ToolyardError({ code: 'refused', message: 'The user did not answer.' });
  };
  return {
    form: async (asked, { signal }) => toAnswer(await askForm(asked, { terminal, reader, signal })),
    url: async (asked, { signal }) => toAnswer(await askUrl(asked, { terminal, reader, signal })),
    sampling: async (asked, { signal }) => toAnswer(await askSampling(asked, { terminal, reader, signal })),
  };
}

/** Answers interrupts of the model at the terminal. */
export function createTerminalAskUser({ terminal, reader, onInterrupt }: TerminalContext): AskUser {
  return async (asked, { signal }) => {
    const at = { terminal, reader, signal };
    const reply = asked.kind === 'prompt' ? await askPrompt(asked, at) : await askSelection(asked, at);
    if (reply.kind === 'answered') return reply.answer;
    if (reply.kind === 'interrupted') onInterrupt();
    return { decision: 'decline' };
  };
}

/** Asks at the terminal whether to allow a call of a run in this process, which does not store permissions. */
export function createTerminalApproval(of: TerminalContext): AskApproval {
  const { terminal, reader, onInterrupt } = of;
  return async (interrupt, { signal }) => {
    const reply = await askApproval(interrupt, { terminal, reader, signal, canRemember: false });
    if (reply.kind === 'answered') return reply.answer;
    if (reply.kind === 'interrupted') onInterrupt();
    return { decision: 'refuse' };
  };
}
