import { open, readFile, rename } from 'node:fs/promises';
import type { AgentStore } from '../agent-store.ts';

/**
 * Stores an agent in one file that only the user may read. The file is replaced as a whole, so that it is complete even
 * after a crash. Its methods throw errors of the file system.
 *
 * @example
 * await using agent = await createAgent({ model: { demo: true }, store: createFileStore('agent.json') });
 * const run = agent.isInterrupted ? agent.continue() : agent.run('What time is it?');
 */
export function createFileStore(path: string): AgentStore {
  return {
    load: () =>
      readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      }),
    async save(text) {
      const temporary = `${path}.tmp`;
      const file = await open(temporary, 'w', 0o600);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, path);
    },
  };
}
