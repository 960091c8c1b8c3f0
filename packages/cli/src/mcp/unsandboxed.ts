import type { UnsandboxedServers } from '@toolyard/protocol';
import { askYesNo } from '../ask-yes-no.ts';
import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';
import { shownLine } from '../sanitize.ts';
import type { ServerClient } from '../server/server-client.ts';
import { printNote, printLine, printJson } from '../output.ts';

export type UnsandboxedFlags = { confirmAuto?: boolean; yes?: boolean; json?: boolean };

/** `toolyard mcp unsandboxed`: lists the servers; with `--confirm-auto`, allows approval mode auto beside them. */
export async function listUnsandboxed(
  io: CommandIo,
  client: ServerClient,
  { confirmAuto, yes, json }: UnsandboxedFlags,
): Promise<number> {
  const found = await client.get('/api/mcp/unsandboxed-servers');
  if (json === true) printJson(io, found);
  else printServers(io, found);
  const { unconfirmed } = found;
  if (confirmAuto !== true || unconfirmed.length === 0) return EXIT.done;
  const question = 'Allow approval mode "auto" to run calls without asking while these servers are enabled?';
  const answer = yes === true ? 'yes' : await askYesNo(io, question);
  if (answer !== 'yes') {
    printNote(io, answer === 'no' ? 'Not confirmed.' : 'Not confirmed. Without a terminal, pass --yes.');
    return EXIT.failed;
  }
  await client.put('/api/mcp/unsandboxed-servers', { body: { servers: unconfirmed } });
  printNote(io, `Confirmed for ${unconfirmed.map((id) => shownLine(id)).join(', ')}.`);
  return EXIT.done;
}

function printServers(io: CommandIo, { servers, unconfirmed }: UnsandboxedServers): void {
  if (servers.length === 0) printNote(io, 'Every enabled local server runs in a sandbox.');
  for (const id of servers) {
    const note = unconfirmed.includes(id) ? 'mode auto is not confirmed' : 'mode auto is confirmed';
    printLine(io, `${shownLine(id)}  ${note}`);
  }
}
