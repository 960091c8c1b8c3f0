import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FunctionTool, ToolContext } from '@toolyard/agent-host';
import { createUuidSource } from '@toolyard/agent-host';
import type { JsonObject, ToolResult } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import type { FakeClock } from '@toolyard/testing';
import { createFakeClock, sharedTmp } from '@toolyard/testing';

export const OWNER = { ownerId: 'owner' };

export type StorageOfTools = AsyncDisposable & {
  storage: Storage;
  clock: FakeClock;
  ids: ReturnType<typeof createUuidSource>;
  /** What was announced as changed. */
  changed: string[];
  hub: { changed: (ownerId: string | null, what: string, id?: string) => void };
};

/** A data folder with the conversations `c1` and `c2`, for tools that store something. */
export async function openStorageOfTools(): Promise<StorageOfTools> {
  const folder = mkdtempSync(join(sharedTmp(), 'toolyard-tools-'));
  const clock = createFakeClock();
  const storage = await openStorage({ folder: join(folder, 'data'), clock });
  for (const id of ['c1', 'c2']) await storage.conversations.create(OWNER, { id, title: `Chat ${id}`, at: 1 });
  const changed: string[] = [];
  return {
    storage,
    clock,
    ids: createUuidSource(),
    changed,
    hub: { changed: (_ownerId, what, id) => changed.push(id === undefined ? what : `${what} ${id}`) },
    [Symbol.asyncDispose]() {
      storage.close();
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

/** The context of a call in a run. */
export function callContext(callId: string, conversation = 'c1'): ToolContext {
  return {
    signal: new AbortController().signal,
    progress: () => undefined,
    ask: () => Promise.reject(new Error('not asked')),
    user: OWNER.ownerId,
    conversation,
    run: 'r1',
    callId,
  };
}

/** Text and structured content of a result; code and message of an error. */
export async function getOutcome(
  tool: FunctionTool | undefined,
  args: JsonObject,
  ctx: ToolContext,
): Promise<{ text: string; structured?: unknown; error?: string }> {
  if (tool === undefined) throw new Error('there is no such tool');
  try {
    const output = await tool.run(args, ctx);
    if (typeof output === 'string') return { text: output };
    const { content, structured } = output as ToolResult;
    const [part] = content;
    return { text: part?.type === 'text' ? part.text : '', structured };
  } catch (thrown) {
    if (!ToolyardError.isInstance(thrown)) throw thrown;
    return { text: thrown.message, error: thrown.code };
  }
}
