import { say } from '@toolyard/protocol';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { FunctionTool } from '@toolyard/agent-host';
import { tool } from '@toolyard/agent-host';
import { lineDiff } from '@toolyard/protocol/text-diff';
import { replaceText } from './text-file.ts';
import type { Workspace } from './workspace-path.ts';
import { existingPath, isInside, openFile, peekText } from './workspace-path.ts';

const MAX_LENGTH = 1_000_000;

export function createWriteFile(open: (path: string | undefined) => Workspace): FunctionTool {
  return tool({
    name: 'write_file',
    title: say`Write file`.text,
    description:
      say`Creates a text file in the workspace, with its folders, or replaces all of its content. To change a part of a file, use edit_file.`
        .text,
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'Relative to the workspace.' },
        content: { type: 'string', maxLength: MAX_LENGTH },
      },
      required: ['path', 'content'],
    },
    annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    diff: ({ path, content }, ctx) => lineDiff(currentText(open, ctx.workspace, path), content),
    async execute({ path, content }, ctx) {
      const workspace = open(ctx.workspace);
      await makeFolder(workspace, dirname(path));
      await using handle = await openFile(workspace, path, 'create');
      await replaceText(handle, content);
      return `Written: ${path} (${content.split('\n').length} lines).`;
    },
  });
}

/** Creates missing folders one by one, so that none is created through a link that leads out. */
async function makeFolder(workspace: Workspace, path: string): Promise<void> {
  const whole = resolve(workspace.root, path);
  // Anything outside is refused when the file is opened.
  if (!isInside(whole, workspace.root)) return;
  let folder = workspace.root;
  for (const name of whole.slice(workspace.root.length).split(/[\\/]/).filter(Boolean)) {
    await mkdir(join(folder, name)).catch((thrown: unknown) => {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown;
    });
    folder = await existingPath(workspace, join(folder, name));
  }
}

/** The text of a file for a diff; nothing if it does not exist or cannot be read. */
export function currentText(
  open: (path: string | undefined) => Workspace,
  workspace: string | undefined,
  path: string,
): string {
  try {
    return peekText(open(workspace), path, MAX_LENGTH) ?? '';
  } catch {
    // Without a usable workspace the call fails.
    return '';
  }
}
