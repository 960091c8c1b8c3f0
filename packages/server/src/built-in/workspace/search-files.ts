import { say } from '@toolyard/protocol';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FunctionTool } from '@toolyard/agent-host';
import { tool } from '@toolyard/agent-host';
import { SKIPPED } from './list-files.ts';
import { readText } from './text-file.ts';
import type { Workspace } from './workspace-path.ts';
import { existingPath, openFile, shownPath } from './workspace-path.ts';

const MAX_FILES = 20_000;
const MAX_MATCHES = 100;
const MAX_LINE_LENGTH = 300;

export function createSearchFiles(open: (path: string | undefined) => Workspace): FunctionTool {
  return tool({
    name: 'search_files',
    title: say`Search files`.text,
    description:
      say`Finds a text in the files of the workspace and returns the lines with their numbers, and the files whose names contain it. Not a regular expression; case does not matter.`
        .text,
    inputSchema: {
      type: 'object',
      properties: {
        text: { type: 'string', minLength: 1, maxLength: 500 },
        path: { type: 'string', description: 'Only in this folder, relative to the workspace.' },
        extension: { type: 'string', maxLength: 20, description: 'Only in files that end so, for example "ts".' },
      },
      required: ['text'],
    },
    annotations: { readOnly: true, openWorld: false },
    async execute({ text, path = '.', extension }, ctx) {
      const workspace = open(ctx.workspace);
      const wanted = text.toLowerCase();
      const matches: string[] = [];
      let files = 0;
      for await (const file of filesIn(await existingPath(workspace, path), ctx.signal)) {
        if (++files > MAX_FILES || matches.length >= MAX_MATCHES) break;
        const shown = shownPath(workspace, file);
        if (extension !== undefined && !shown.endsWith(`.${extension.replace(/^\./, '')}`)) continue;
        if (shown.toLowerCase().includes(wanted)) matches.push(shown);
        matches.push(...(await linesWith(workspace, shown, wanted)));
      }
      if (matches.length === 0) return `"${text}" is in none of ${files} files.`;
      const more = matches.length > MAX_MATCHES ? `\n[only the first ${MAX_MATCHES}]` : '';
      return matches.slice(0, MAX_MATCHES).join('\n') + more;
    },
  });
}

/** Regular files below a folder; links are not followed. */
async function* filesIn(folder: string, signal: AbortSignal): AsyncGenerator<string> {
  signal.throwIfAborted();
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* filesIn(path, signal);
  }
}

/** Files that are large, not text or not readable have none. */
async function linesWith(workspace: Workspace, path: string, wanted: string): Promise<string[]> {
  try {
    await using handle = await openFile(workspace, path, 'read');
    const lines = (await readText(handle, path)).split('\n');
    return lines.flatMap((line, at) =>
      line.toLowerCase().includes(wanted) ? [`${path}:${at + 1}: ${line.trim().slice(0, MAX_LINE_LENGTH)}`] : [],
    );
  } catch {
    return [];
  }
}
