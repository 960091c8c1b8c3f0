import type { AgentConfiguration, ModelReference } from '@toolyard/protocol';
import { chat } from '../chat/state/chat.svelte.ts';
import { models } from '../state/models.svelte.ts';
import { settings } from '../state/settings.svelte.ts';

/** The model or agent that answers the next message of the open chat; null without one. */
export function currentModel(): ModelReference | null {
  const ofAgent = chat.newAgent?.configuration.model;
  return chat.configuration.model ?? ofAgent ?? chat.view?.resolved.model ?? settings.defaults.model ?? models.standard;
}

/** The servers and tools the open chat uses: its own overrides on top of the inherited ones. */
export function currentTools(): Required<Pick<AgentConfiguration, 'servers' | 'disabledTools'>> {
  const below = chat.view?.resolved ?? settings.defaults;
  const agent = chat.newAgent?.configuration ?? {};
  return {
    servers: { ...below.servers, ...agent.servers, ...chat.configuration.servers },
    disabledTools: chat.configuration.disabledTools ?? agent.disabledTools ?? below.disabledTools ?? [],
  };
}
