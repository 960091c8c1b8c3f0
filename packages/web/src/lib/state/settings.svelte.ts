import type { AgentConfiguration, JsonValue, PropsView, SettingsView } from '@toolyard/protocol';
import type { ApiError } from '../api/client.ts';
import { api } from '../api/client.ts';
import type { ConfigurationChange } from './configuration-change.ts';
import { withChange } from './configuration-change.ts';
import { live } from './live.svelte.ts';

/** What the server keeps of the person's choices: the defaults of every conversation, and the page's own. */
class Settings {
  view: SettingsView | null = $state.raw(null);
  /** What the owner set at the start of the server. */
  props: PropsView | null = $state.raw(null);
  error: ApiError | null = $state.raw(null);
  readonly defaults: AgentConfiguration = $derived(this.view?.defaults ?? {});

  start(): void {
    live.onHello(() => void this.load());
    live.onChanged(({ what }) => {
      if (what === 'settings') void this.load();
    });
  }

  async load(): Promise<void> {
    try {
      [this.view, this.props] = await Promise.all([
        api.get<SettingsView>('/api/settings'),
        api.get<PropsView>('/props'),
      ]);
      this.error = null;
    } catch (error) {
      this.error = error as ApiError;
    }
  }

  /** What a new conversation starts with; what `change` does not name stays. A key given as undefined is taken away. */
  async changeDefaults(change: ConfigurationChange): Promise<void> {
    const defaults = withChange(this.defaults, change);
    await api.put('/api/settings/defaults', defaults);
    if (this.view !== null) this.view = { ...this.view, defaults };
  }

  async set(key: string, value: JsonValue): Promise<void> {
    await api.put(`/api/settings/${encodeURIComponent(key)}`, value);
    if (this.view !== null) this.view = { ...this.view, [key]: value };
  }
}

export const settings = new Settings();
