import type { ModelReference, ModelsView, ModelView } from '@toolyard/protocol';
import { api as realApi, type Api } from '../api/client.ts';
import { isDemo, hasOnlyDemo, loadingFailure, sameModel } from '../models/model-list.ts';
import { live as realLive } from '../live/live.svelte.ts';
import { Loaded, type ResourceLive } from './loaded.svelte.ts';

type Deps = { api: Pick<Api, 'get'>; live: ResourceLive };

/** The available models. `refresh` makes the server query every provider again and look for local servers. */
export class ModelsState extends Loaded<ModelsView, { refresh?: true }> {
  constructor({ api, live }: Deps = { api: realApi, live: realLive }) {
    super((query = {}) => api.get('/api/models', { query }), { live, changes: ['providers', 'settings'] });
  }

  get view(): ModelsView | null {
    return this.data;
  }

  find(reference: ModelReference | null | undefined): ModelView | undefined {
    return this.view?.models.find((model) => sameModel(model, reference));
  }

  /** True once it is known that only the demo is available. */
  get onlyDemo(): boolean {
    return this.view !== null && hasOnlyDemo(this.view);
  }

  /** The model of conversations without an override. */
  get standard(): ModelReference | null {
    return this.view?.defaultModel ?? null;
  }

  /** The state of the server that is loading this model. */
  findLoading(reference: ModelReference | null): ModelsView['failures'][number] | undefined {
    return this.view === null ? undefined : loadingFailure(this.view, reference);
  }

  isDemo(reference: ModelReference | null | undefined): boolean {
    return reference != null && isDemo(reference);
  }
}

export const models = new ModelsState();
