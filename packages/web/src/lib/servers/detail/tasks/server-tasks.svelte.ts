import { SvelteMap } from 'svelte/reactivity';
import type { McpTaskView, ToolResult } from '@toolyard/protocol';
import { api } from '../../../api/client.ts';
import { mcpStore } from '../../../mcp/mcp-store.svelte.ts';
import type { ServerRef } from '../../../resources/server-requests.ts';
import type { FailureText } from '../../attempt.svelte.ts';
import { failureText } from '../../attempt.svelte.ts';

/** How often the tasks are listed while one of them works, in milliseconds. */
const EVERY_MS = 2_000;

export type TaskRequests = {
  list(): Promise<readonly McpTaskView[]>;
  result(taskId: string): Promise<ToolResult>;
  cancel(taskId: string): Promise<unknown>;
};

/** The same requests for servers of both places. */
export function taskRequests({ place, serverId: id }: ServerRef): TaskRequests {
  const params = { id };
  if (place === 'tab') {
    return {
      list: async () => (await mcpStore.host()).tasks(id),
      result: async (taskId) => (await mcpStore.host()).taskResult(id, taskId),
      cancel: async (taskId) => (await mcpStore.host()).cancelTask(id, taskId),
    };
  }
  return {
    list: async () => (await api.get('/api/mcp/servers/{id}/tasks', { params })).items,
    result: (taskId) => api.post('/api/mcp/servers/{id}/tasks/result', { params, body: { taskId } }),
    cancel: (taskId) => api.post('/api/mcp/servers/{id}/tasks/cancel', { params, body: { taskId } }),
  };
}

export function isWorking({ status }: Pick<McpTaskView, 'status'>): boolean {
  return status === 'working' || status === 'input_required';
}

/** The tasks of a server, and the results that the user asked for. */
export class ServerTasks {
  items: readonly McpTaskView[] | null = $state.raw(null);
  error: FailureText | null = $state.raw(null);
  readonly results = new SvelteMap<string, ToolResult | FailureText>();
  readonly #requests: TaskRequests;

  constructor(requests: TaskRequests) {
    this.#requests = requests;
  }

  /** Lists them until the returned function is called: again and again while one works. */
  start(everyMs = EVERY_MS): () => void {
    const turn = (): void => {
      const isIdle = this.items !== null && !this.items.some(isWorking);
      if (!isIdle && document.visibilityState === 'visible') void this.load();
    };
    void this.load();
    const timer = setInterval(turn, everyMs);
    return () => clearInterval(timer);
  }

  async load(): Promise<void> {
    try {
      this.items = await this.#requests.list();
      this.error = null;
    } catch (thrown) {
      this.error = failureText(thrown);
    }
  }

  async cancel(taskId: string): Promise<void> {
    try {
      await this.#requests.cancel(taskId);
      await this.load();
    } catch (thrown) {
      this.error = failureText(thrown);
    }
  }

  async showResult(taskId: string): Promise<void> {
    try {
      this.results.set(taskId, await this.#requests.result(taskId));
    } catch (thrown) {
      this.results.set(taskId, failureText(thrown));
    }
  }
}
