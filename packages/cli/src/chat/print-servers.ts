import { ToolyardError } from '@toolyard/protocol';
import { reportFailure } from '../failure.ts';
import { plainLine, shownLine } from '../sanitize.ts';
import type { ServerSummary } from './chat-backend.ts';
import type { Terminal } from './terminal.ts';
import { dim } from './terminal.ts';

/** A tool in a list of them. */
export function toolLine(tool: { reference: string; asksFirst: boolean; about: string }): string {
  // What hides in a description is read by the model all the same.
  const about = shownLine(tool.about, 100);
  return `${shownLine(tool.reference)}${tool.asksFirst ? ' (asks first)' : ''}  ${about}`;
}

/** A server that is not there is told, not fatal: the others work. */
export function printServers(servers: readonly ServerSummary[], terminal: Terminal): void {
  const { err } = terminal;
  for (const { id, state, tools, skipped, error } of servers) {
    if (state === 'ready') {
      err.write(dim(`server ${shownLine(id)}: ${tools} ${tools === 1 ? 'tool' : 'tools'}\n`, terminal));
      for (const { name, reason } of skipped) {
        err.write(dim(`  left out ${shownLine(name)}: ${plainLine(reason)}\n`, terminal));
      }
    } else {
      reportFailure(new ToolyardError(error ?? { code: 'internal', message: `${id} is ${state}.` }), terminal.io);
    }
  }
}
