import type { FunctionTool } from '@toolyard/agent-host';
import { tool } from '@toolyard/agent-host';
import { readText } from './text-file.ts';
import type { Workspace } from './workspace-path.ts';
import { openFile } from './workspace-path.ts';

const MAX_LINES = 2_000;
const MAX_LENGTH = 60_000;

export function createReadFile(open: (path: string | undefined) => Workspace): FunctionTool {
  return tool({
    name: 'read_file',
    title: 'Read file',
    description: 'Reads a text file of the workspace, or a part of it by line numbers.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'Relative to the workspace.' },
        line: { type: 'integer', minimum: 1, description: 'The first line; default 1.' },
        lines: { type: 'integer', minimum: 1, maximum: MAX_LINES, description: 'How many lines; default 2000.' },
      },
      required: ['path'],
    },
    annotations: { readOnly: true, openWorld: false },
    async execute({ path, line = 1, lines = MAX_LINES }, ctx) {
      await using handle = await openFile(open(ctx.workspace), path, 'read');
      const all = (await readText(handle, path)).split('\n');
      const part = all.slice(line - 1, line - 1 + lines).join('\n');
      const text = part.slice(0, MAX_LENGTH);
      const last = line - 1 + text.split('\n').length;
      const more = last < all.length || text.length < part.length ? `\n[up to line ${last} of ${all.length}]` : '';
      return text === '' ? `${path} has no text at line ${line} (${all.length} lines).` : text + more;
    },
  });
}
