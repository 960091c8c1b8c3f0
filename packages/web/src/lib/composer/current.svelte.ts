import type { AgentConfiguration, ModelReference } from '@toolyard/protocol';
import { chat } from '../state/chat.svelte.ts';
import { models } from '../state/models.svelte.ts';
import { settings } from '../state/settings.svelte.ts';

/** What would answer the next message of the open chat; null where nothing could. */
export function currentModel(): ModelReference | null {
  return chat.configuration.model ?? chat.view?.resolved.model ?? settings.defaults.model ?? models.standard;
}

/** Which servers and tools the open chat uses: its own choices over those of the layers below. */
export function currentTools(): Required<Pick<AgentConfiguration, 'servers' | 'disabledTools'>> {
  const below = chat.view?.resolved ?? settings.defaults;
  return {
    servers: { ...below.servers, ...chat.configuration.servers },
    disabledTools: chat.configuration.disabledTools ?? below.disabledTools ?? [],
  };
}
