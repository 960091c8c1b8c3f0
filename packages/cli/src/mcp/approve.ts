import type { McpEntryApproval } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { askYesNo } from '../ask-yes-no.ts';
import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';
import type { McpSource } from './mcp-source.ts';
import { printNote, printLine } from './output.ts';

export type ApproveFlags = { hash?: string };

/**
 * `toolyard mcp approve`: prints what the entry starts, and approves exactly that. Without a terminal the hash that was
 * printed says which text was read.
 */
export async function approveServer(
  io: CommandIo,
  source: McpSource,
  { id, signal }: { id: string; signal: AbortSignal },
  { hash }: ApproveFlags,
): Promise<number> {
  const shown = await source.approval(id);
  if (hash !== undefined && hash !== shown.hash) throw changed(shown);
  if (hash === undefined) {
    tell(io, shown);
    const answer = await askYesNo(io, 'Allow Toolyard to start this?', signal);
    if (answer === 'cannot') {
      printNote(io, `Approve it with: toolyard mcp approve ${id} --hash ${shown.hash}`);
      return EXIT.failed;
    }
    if (answer === 'no') {
      printNote(io, 'Not approved.');
      return EXIT.failed;
    }
  }
  await source.approveEntry(id, { hash: shown.hash });
  printNote(io, `Approved "${id}": it may be started.`);
  return EXIT.done;
}

function tell(io: CommandIo, { id, file, line, text, isNew }: McpEntryApproval): void {
  printNote(io, `${file}, line ${line}: the local server "${id}" was ${isNew ? 'added' : 'changed'} outside Toolyard.`);
  printLine(io, text);
}

function changed({ id, file }: McpEntryApproval): ToolyardError {
  return new ToolyardError({
    code: 'conflict',
    message: `The entry of "${id}" in ${file} does not have this hash. Nothing was approved.`,
    hint: `Read it again: toolyard mcp approve ${id}`,
  });
}
