import { say } from '@toolyard/protocol';
import type { FunctionTool } from '@toolyard/agent-host';
import { tool } from '@toolyard/agent-host';
import { lineDiff } from '@toolyard/protocol/text-diff';
import { readText, replaceText } from './text-file.ts';
import type { Workspace } from './workspace-path.ts';
import { createToolFailedError, openFile } from './workspace-path.ts';
import { currentText } from './write-file.ts';

export function createEditFile(open: (path: string | undefined) => Workspace): FunctionTool {
  return tool({
    name: 'edit_file',
    title: say`Edit file`.text,
    description:
      say`Replaces a text in a file of the workspace. The old text must occur exactly once, with its white space; include lines around it if it is not unique.`
        .text,
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'Relative to the workspace.' },
        old_text: { type: 'string', minLength: 1 },
        new_text: { type: 'string' },
      },
      required: ['path', 'old_text', 'new_text'],
    },
    annotations: { readOnly: false, destructive: true, openWorld: false },
    diff({ path, old_text: oldText, new_text: newText }, ctx) {
      const before = currentText(open, ctx.workspace, path);
      return before.includes(oldText)
        ? lineDiff(before, replaced(before, oldText, newText))
        : lineDiff(oldText, newText);
    },
    async execute({ path, old_text: oldText, new_text: newText }, ctx) {
      await using handle = await openFile(open(ctx.workspace), path, 'write');
      const before = await readText(handle, path);
      const count = before.split(oldText).length - 1;
      if (count !== 1)
        throw createToolFailedError(`The old text occurs ${count} times in ${path}, and nothing was changed.`);
      await replaceText(handle, replaced(before, oldText, newText));
      return `Changed: ${path}.`;
    },
  });
}

/** Without the meaning that `replace` gives to `$`. */
function replaced(text: string, oldText: string, newText: string): string {
  return text.replace(oldText, () => newText);
}
