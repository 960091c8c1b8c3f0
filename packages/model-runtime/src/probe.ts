import { isAbortError, parseJson, type Clock, type Fetch } from '@toolyard/protocol';
import { LOCAL_SERVERS, type LocalServerRecord } from './local-servers-data.ts';
import { serverOfModels, withModelDetails } from './model-details.ts';
import type { ModelInfo } from './types.ts';
import { CallGuard, Deadline } from './wire/call-guard.ts';
import { readBounded } from './wire/endpoint.ts';
import { readProviderError } from './wire/error-body.ts';
import { isLoading } from './wire/loading.ts';
import { readModels } from './wire/model-list.ts';

/** Options of `findLocalServers`. */
export type FindLocalServersOptions = {
  fetch: Fetch;
  clock: Clock;
  /** Timeout in milliseconds for each port, default 400. */
  timeoutMs?: number;
  /** Default: the default ports of the known servers. */
  ports?: readonly number[];
  signal?: AbortSignal;
};

/**
 * A detected model server. `label` is a guess from its port and its model list. `isLoading`: it lists no model until its
 * model is loaded.
 */
export type LocalServer = { label: string; baseUrl: string; models: ModelInfo[]; isLoading?: true };

/** Maximum length of a model list, in characters. */
const MAX_LIST = 4_000_000;

/** Requests the model list from a port of this machine; null if no model server answers. Throws only AbortError. */
export async function probe(port: number, options: FindLocalServersOptions): Promise<LocalServer | null> {
  const { fetch, clock, timeoutMs = 400, signal } = options;
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  // The timeout covers the whole response, not only its start.
  const deadline = new Deadline(clock, timeoutMs, signal);
  const guard = new CallGuard({ clock, idleTimeoutMs: timeoutMs, signal: deadline.signal });
  try {
    // A redirect could lead to another machine.
    const init: RequestInit = { headers: { accept: 'application/json' }, redirect: 'error', signal: guard.signal };
    const response = await guard.wait(fetch(`${baseUrl}/models`, init));
    const body = await readBounded(response, guard, MAX_LIST);
    if (!response.ok && isLoading(response.status, readProviderError(body))) {
      return { label: getLoadingLabel(port, response), baseUrl, models: [], isLoading: true };
    }
    const parsed = response.ok ? parseJson(body) : null;
    const models = parsed?.ok === true && !Array.isArray(parsed.value) ? readModels(parsed.value) : null;
    if (models === null) return null;
    const server = serverOfModels(models);
    const record =
      server === undefined ? models : await withModelDetails(models, server, { baseUrl, fetch, clock, signal });
    return { label: getLabel(port, models), baseUrl, models: record };
  } catch (thrown) {
    if (isAbortError(thrown) && signal?.aborted === true) throw thrown;
    return null;
  } finally {
    guard.dispose();
    deadline.dispose();
  }
}

function getLoadingLabel(port: number, { headers }: Response): string {
  return /^llama\.cpp\b/i.test(headers.get('server') ?? '') ? 'llama.cpp' : getLabel(port, []);
}

function getLabel(port: number, models: readonly ModelInfo[]): string {
  const owners = new Set(models.map((model) => model.ownedBy));
  const matchesOwner = (record: LocalServerRecord): boolean =>
    record.ownedBy !== undefined && owners.has(record.ownedBy);
  const atPort = LOCAL_SERVERS.find((record) => record.port === port);
  if (atPort !== undefined && matchesOwner(atPort)) return atPort.label;
  return LOCAL_SERVERS.find(matchesOwner)?.label ?? atPort?.label ?? `Model server on port ${port}`;
}
