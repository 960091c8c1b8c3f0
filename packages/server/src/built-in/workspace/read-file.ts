import { say } from '@toolyard/protocol';
import type { FunctionTool } from '@toolyard/agent-host';
import { tool } from '@toolyard/agent-host';
import { formatLines, MAX_LINES, readText } from './text-file.ts';
import type { Workspace } from './workspace-path.ts';
import { openFile } from './workspace-path.ts';

export function createReadFile(open: (path: string | undefined) => Workspace): FunctionTool {
  return tool({
    name: 'read_file',
    title: say`Read file`.text,
    description: say`Reads a text file of the workspace, or a part of it by line numbers.`.text,
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
    async execute({ path, line, lines }, ctx) {
      await using handle = await openFile(open(ctx.workspace), path, 'read');
      return formatLines(await readText(handle, path), path, line, lines);
    },
  });
}
