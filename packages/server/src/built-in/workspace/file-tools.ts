import { say } from '@toolyard/protocol';
import type { FunctionToolGroup } from '@toolyard/agent-host';
import { createEditFile } from './edit-file.ts';
import { createListFiles } from './list-files.ts';
import { createReadFile } from './read-file.ts';
import { createSearchFiles } from './search-files.ts';
import { openWorkspace } from './workspace-path.ts';
import { createWriteFile } from './write-file.ts';

/** Tools for the files of the folder that the user chose for a conversation. */
export function createFileTools(hidden: readonly string[]): FunctionToolGroup {
  const open = (path: string | undefined) => openWorkspace(path, hidden);
  return {
    id: 'files',
    title: say`Files of the workspace`.text,
    enabled: false,
    needsWorkspace: true,
    tools: [
      createListFiles(open),
      createReadFile(open),
      createSearchFiles(open),
      createWriteFile(open),
      createEditFile(open),
    ],
  };
}
