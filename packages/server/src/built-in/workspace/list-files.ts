import { say } from '@toolyard/protocol';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FunctionTool } from '@toolyard/agent-host';
import { tool } from '@toolyard/agent-host';
import type { Workspace } from './workspace-path.ts';
import { existingPath, shownPath } from './workspace-path.ts';

const MAX_ENTRIES = 1_000;
const MAX_DEPTH = 8;
/** Folders whose content is rarely meant. */
export const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', '__pycache__']);

export function createListFiles(open: (path: string | undefined) => Workspace): FunctionTool {
  return tool({
    name: 'list_files',
    title: say`List files`.text,
    description: say`Lists files and folders of the workspace. Folders end with "/"; links are shown and not followed.`
      .text,
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'A folder, relative to the workspace; default: the workspace itself.' },
        depth: { type: 'integer', minimum: 1, maximum: MAX_DEPTH, description: 'Levels of folders; default 2.' },
      },
    },
    annotations: { readOnly: true, openWorld: false },
    async execute({ path = '.', depth = 2 }, ctx) {
      const workspace = open(ctx.workspace);
      const lines: string[] = [];
      await list(workspace, await existingPath(workspace, path), depth, lines, ctx.signal);
      if (lines.length === 0) return 'The folder is empty.';
      const more = lines.length > MAX_ENTRIES ? `\n[only the first ${MAX_ENTRIES}]` : '';
      return lines.slice(0, MAX_ENTRIES).join('\n') + more;
    },
  });
}

async function list(
  workspace: Workspace,
  folder: string,
  depth: number,
  lines: string[],
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (lines.length > MAX_ENTRIES) return;
    const path = join(folder, entry.name);
    const shown = shownPath(workspace, path);
    lines.push(entry.isDirectory() ? `${shown}/` : entry.isSymbolicLink() ? `${shown} (link)` : shown);
    if (entry.isDirectory() && depth > 1 && !SKIPPED.has(entry.name)) {
      await list(workspace, path, depth - 1, lines, signal);
    }
  }
}
