import { formatToolReference } from '@toolyard/protocol';
import { askApproval, askInDoubt } from '../chat/ask-person.ts';
import type { LineReader, Terminal } from '../chat/terminal.ts';
import { plainLine } from '../plain.ts';
import type { AskPerson } from './questions.ts';

/**
 * Who answers what a run of the server asks: for a tool of `allow` its list, else the person at the terminal. Where
 * there is none a call is refused, as it would be by a chat of its own; what is in doubt is left open.
 */
export function askAtTerminal(of: {
  terminal: Terminal;
  reader: LineReader;
  /** Tools that may run without asking, as `server/tool`. */
  allow: readonly string[];
  tell: (line: string) => void;
}): AskPerson {
  const { terminal, reader, allow, tell } = of;
  return async (interrupt, signal) => {
    const asked = { terminal, reader, signal };
    if (interrupt.kind === 'in_doubt') return terminal.interactive ? askInDoubt(interrupt, asked) : { kind: 'left' };
    const reference = formatToolReference(interrupt.tool);
    if (allow.includes(reference)) return { kind: 'said', answer: { decision: 'approve', scope: 'once' } };
    if (terminal.interactive) return askApproval(interrupt, { ...asked, remembers: true });
    tell(`${plainLine(reference)} is not called: nobody can be asked here. --allow ${plainLine(reference)} allows it.`);
    return { kind: 'said', answer: { decision: 'refuse', scope: 'once', reason: 'Nobody could be asked.' } };
  };
}
