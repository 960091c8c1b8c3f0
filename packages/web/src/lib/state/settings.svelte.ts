import type { AgentConfiguration, JsonValue, PropsView, SettingsView } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import type { ConfigurationChange } from '../chat/state/configuration-change.ts';
import { withChange } from '../chat/state/configuration-change.ts';
import { live } from '../live/live.svelte.ts';
import { Loaded } from './loaded.svelte.ts';

type Stored = { view: SettingsView; props: PropsView };

/** The settings of the user on the server: the defaults of every conversation, and those of the page. */
class Settings extends Loaded<Stored> {
  readonly defaults: AgentConfiguration = $derived(this.data?.view.defaults ?? {});

  constructor() {
    const read = async (): Promise<Stored> => {
      const [view, props] = await Promise.all([api.get('/api/settings'), api.get('/props')]);
      return { view, props };
    };
    super(read, { live, changes: ['settings'] });
  }

  get view(): SettingsView | null {
    return this.data?.view ?? null;
  }

  /** Set by the operator at the start of the server. */
  get props(): PropsView | null {
    return this.data?.props ?? null;
  }

  /** The configuration of a new conversation. Fields absent from `change` stay; undefined removes one. */
  changeDefaults(change: ConfigurationChange): Promise<void> {
    return this.#put('defaults', withChange(this.defaults, change));
  }

  store(key: string, value: JsonValue): Promise<void> {
    return this.#put(key, value);
  }

  async #put(key: string, value: JsonValue | AgentConfiguration): Promise<void> {
    const put = () => api.put('/api/settings/{key}', { params: { key }, body: value });
    if (this.data === null) await put();
    else await this.optimistic({ ...this.data, view: { ...this.data.view, [key]: value } }, put);
  }
}

export const settings = new Settings();
