import type { RunPoint } from '@toolyard/agent-runtime';
import { STATE_SCHEMA_VERSION } from '@toolyard/agent-runtime';
import type { JsonValue, LeasedRun, ModelReference, ResolvedAgentConfiguration } from '@toolyard/protocol';
import { isJsonObject, ToolyardError } from '@toolyard/protocol';
import { RunLost } from './run-lost.ts';

/** What a run is started with: resolved once, when the person sends. */
export type RunConfiguration = ResolvedAgentConfiguration & { model: ModelReference };

/** What is stored of a run with each step. */
export type StoredRun = {
  point: RunPoint;
  /** The end of the run's own branch, whatever branch the person looks at. */
  leafId: string;
  /** What the page shows at that end: a placeholder while the first answer is being written, else `leafId`. */
  shownId: string;
};

/**
 * @throws RunLost `newer` for a state a newer version wrote: that one can go on with it.
 * @throws ToolyardError for anything else that is no state of ours: nothing can be made of it.
 */
export function readStoredRun(run: LeasedRun): StoredRun & { configuration: RunConfiguration } {
  const { state: stored, configuration } = run;
  const version = versionOf(stored);
  if (version !== null && version > STATE_SCHEMA_VERSION) {
    const known = `its state has version ${version}, and this one knows ${STATE_SCHEMA_VERSION}`;
    throw new RunLost('newer', `it was begun by a newer Toolyard (${known}) and is left to that one`);
  }
  if (!isStoredRun(stored) || !isJsonObject(configuration) || !isJsonObject(configuration['model'])) {
    throw new ToolyardError({
      code: 'internal',
      message: 'This run was begun by another version of Toolyard and cannot be taken up.',
      hint: 'Ask again: the conversation is whole.',
    });
  }
  // Only this room writes these columns, and the version says in what form. The rules came later than the rest.
  const whole = { interventionRules: [], ...configuration } as unknown as RunConfiguration;
  return { ...(stored as unknown as StoredRun), configuration: whole };
}

function isStoredRun(stored: JsonValue | null): boolean {
  if (!isJsonObject(stored) || typeof stored['leafId'] !== 'string' || typeof stored['shownId'] !== 'string') {
    return false;
  }
  return isJsonObject(stored['point']) && isJsonObject(stored['point']['context']) && versionOf(stored) !== null;
}

/** Null where there is none. */
function versionOf(stored: JsonValue | null): number | null {
  const point = isJsonObject(stored) ? stored['point'] : null;
  const state = isJsonObject(point) ? point['state'] : null;
  const version = isJsonObject(state) ? state['schemaVersion'] : null;
  return typeof version === 'number' && version >= 1 ? version : null;
}

/** The answer that is yet to be written: it shows where it will stand. */
export function placeholder(of: { id: string; parentId: string; runId: string; model: string; createdAt: number }): {
  role: 'assistant';
  parts: [];
  finishReason: 'pending';
  id: string;
  parentId: string;
  runId: string;
  model: string;
  createdAt: number;
} {
  return { ...of, role: 'assistant', parts: [], finishReason: 'pending' };
}
