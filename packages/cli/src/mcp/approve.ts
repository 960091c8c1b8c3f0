import type { McpEntryApproval } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { askYesNo } from '../ask-yes-no.ts';
import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';
import type { McpContext } from './mcp-source.ts';
import { printNote, printLine } from '../output.ts';

export type ApproveFlags = { hash?: string };

/**
 * `toolyard mcp approve`: prints the entry, and approves exactly this text. Without a terminal, `--hash` names the text.
 */
export async function approveServer(
  { io, source, signal }: McpContext,
  id: string,
  { hash }: ApproveFlags,
): Promise<number> {
  const entry = await source.api.get('/api/mcp/servers/{id}/approval', { params: { id } });
  if (hash !== undefined && hash !== entry.hash) throw createHashMismatchError(entry);
  if (hash === undefined) {
    printEntry(io, entry);
    const answer = await askYesNo(io, 'Allow Toolyard to start or contact this server?', signal);
    if (answer === 'cannot') {
      printNote(io, `Approve it with: toolyard mcp approve ${id} --hash ${entry.hash}`);
      return EXIT.failed;
    }
    if (answer === 'no') {
      printNote(io, 'Not approved.');
      return EXIT.failed;
    }
  }
  await source.api.post('/api/mcp/servers/{id}/approval', { params: { id }, body: { hash: entry.hash } });
  printNote(io, `Approved "${id}".`);
  return EXIT.done;
}

function printEntry(io: CommandIo, entry: McpEntryApproval): void {
  const { id, file, line, text, isNew, contacts, variables } = entry;
  printNote(io, `${file}, line ${line}: the server "${id}" was ${isNew ? 'added' : 'changed'} outside Toolyard.`);
  if (contacts.length > 0) printNote(io, `It contacts ${contacts.join(', ')}.`);
  if (variables.length > 0) printNote(io, `It receives these variables of Toolyard: ${variables.join(', ')}.`);
  printLine(io, text);
}

function createHashMismatchError({ id, file }: McpEntryApproval): ToolyardError {
  return new ToolyardError({
    code: 'conflict',
    message: `The entry "${id}" in ${file} does not have this hash; it was not approved.`,
    hint: `Review the current entry with: toolyard mcp approve ${id}`,
  });
}
