import type {
  AgentConfiguration,
  CreateProvider,
  ModelsView,
  ModelView,
  ProviderView,
  RunEvent,
} from '../../../packages/protocol/src/index.ts';
import { createApi } from '../../support/api.ts';

export type Toolyard = {
  models(): Promise<ModelView[]>;
  providers(): Promise<ProviderView[]>;
  /** Sends a message in a new conversation and reads the run to its end. `onEvent` may cancel the run. */
  ask(configuration: AgentConfiguration, text: string, onEvent?: (event: RunEvent) => void): Promise<RunEvent[]>;
  cancel(runId: string): Promise<void>;
  /** Stored in the settings. */
  addProvider(provider: CreateProvider): Promise<void>;
};

/** A running server of Toolyard, over its HTTP API. */
export function openToolyard(url: string): Toolyard {
  const api = createApi(url);
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(url + path);
    if (!response.ok) throw new Error(`GET ${path}: ${response.status}`);
    return (await response.json()) as T;
  };
  const post = async (path: string, body?: object): Promise<void> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  };
  return {
    models: async () => (await get<ModelsView>('/api/models?refresh=true')).models,
    providers: async () => (await get<{ items: ProviderView[] }>('/api/providers')).items,
    async ask(configuration, text, onEvent) {
      const conversation = await api.createConversation(configuration);
      const runId = await api.send(conversation, text);
      const events: RunEvent[] = [];
      await api.read(runId, (read) => {
        for (const event of read) {
          events.push(event);
          onEvent?.(event);
        }
      });
      return events;
    },
    cancel: (runId) => post(`/api/runs/${runId}/cancel`),
    addProvider: (provider) => post('/api/providers', provider),
  };
}

/** The last event of a run. */
export function endOf(events: readonly RunEvent[]): Extract<RunEvent, { type: 'run_finished' }> {
  const end = events.at(-1);
  if (end?.type !== 'run_finished') throw new Error('the run has no end');
  return end;
}

/** Status and error of the run, for the report. */
export function inWords(events: readonly RunEvent[]): string {
  const { status, error } = endOf(events);
  return error === undefined ? status : `${status}: ${error.code}, ${error.message} ${error.hint ?? ''}`.trim();
}

export function textDeltas(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []));
}
