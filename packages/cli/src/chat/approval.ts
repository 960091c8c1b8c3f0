import type { AskApproval } from '@toolyard/agent-host';
import { formatToolReference } from '@toolyard/protocol';
import { plain } from '../plain.ts';
import type { LineReader, Terminal } from './terminal.ts';

/** Asks the person at the terminal about a call; the arguments shown are those that will run. */
export function createTerminalApproval(of: {
  terminal: Terminal;
  reader: LineReader;
  /** Called when the person presses Ctrl-C instead of answering. */
  onInterrupt: () => void;
}): AskApproval {
  const { terminal, reader, onInterrupt } = of;
  return async (interrupt, { signal }) => {
    const reference = formatToolReference(interrupt.tool);
    terminal.err.write(
      `\n${plain(reference)} wants to run with\n${plain(JSON.stringify(interrupt.arguments, null, 2))}\n`,
    );
    for (;;) {
      const line = await reader.ask('Allow it? [y]es, [a]lways in this conversation, [n]o: ', signal);
      if (line.kind !== 'line') {
        if (line.kind === 'interrupt') onInterrupt();
        return { decision: 'refuse' };
      }
      switch (line.text.trim().toLowerCase()) {
        case 'y':
        case 'yes':
          return { decision: 'approve', scope: 'once' };
        case 'a':
        case 'always':
          return { decision: 'approve', scope: 'conversation' };
        case 'n':
        case 'no':
          return { decision: 'refuse' };
      }
    }
  };
}
