import { ToolyardError } from '@toolyard/protocol';
import { reportFailure } from '../failure.ts';
import { plainLine, shownLine } from '../sanitize.ts';
import type { ServerSummary } from './chat-backend.ts';
import type { Terminal } from './terminal.ts';
import { dim } from './terminal.ts';

/** One line about a tool. */
export function toolLine(tool: { reference: string; needsApproval: boolean; description: string }): string {
  // The model reads hidden characters of a description, so show them.
  const description = shownLine(tool.description, 100);
  return `${shownLine(tool.reference)}${tool.needsApproval ? ' (needs approval)' : ''}  ${description}`;
}

/** Prints the servers. An unavailable one is reported but not fatal. */
export function printServers(servers: readonly ServerSummary[], terminal: Terminal): void {
  const { err } = terminal;
  for (const { id, state, tools, skipped, error } of servers) {
    if (state === 'ready') {
      err.write(dim(`server ${shownLine(id)}: ${tools} ${tools === 1 ? 'tool' : 'tools'}\n`, terminal));
      for (const { name, reason } of skipped) {
        err.write(dim(`  skipped ${shownLine(name)}: ${plainLine(reason)}\n`, terminal));
      }
    } else {
      reportFailure(new ToolyardError(error ?? { code: 'internal', message: `${id} is ${state}.` }), terminal.io);
    }
  }
}
