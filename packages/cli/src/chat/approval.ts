import type { AskApproval } from '@toolyard/agent-host';
import { askApproval } from './ask-person.ts';
import type { LineReader, Terminal } from './terminal.ts';

/** Asks the person at the terminal about a call of the loop in this process, which keeps no decision for later. */
export function createTerminalApproval(of: {
  terminal: Terminal;
  reader: LineReader;
  /** Called when the person presses Ctrl-C instead of answering. */
  onInterrupt: () => void;
}): AskApproval {
  const { terminal, reader, onInterrupt } = of;
  return async (interrupt, { signal }) => {
    const reply = await askApproval(interrupt, { terminal, reader, signal, remembers: false });
    if (reply.kind === 'said') return reply.answer;
    if (reply.kind === 'interrupted') onInterrupt();
    return { decision: 'refuse' };
  };
}
