import { goto } from '$app/navigation';
import Copy from '@lucide/svelte/icons/copy';
import Download from '@lucide/svelte/icons/download';
import MessageSquare from '@lucide/svelte/icons/message-square';
import Pencil from '@lucide/svelte/icons/pencil';
import Trash2 from '@lucide/svelte/icons/trash-2';
import type { AgentFormat, AgentView } from '@toolyard/protocol';
import { t } from '../i18n/i18n.svelte.ts';
import { agentsAddress, newAgentChatAddress } from '../shell/addresses.ts';
import { agents } from './agents.svelte.ts';
import { toasts } from '../state/toasts.svelte.ts';
import type { MenuEntry } from '../ui/Menu.svelte';
import { agentName } from './agent-name.ts';

/** What can be done with an agent. */
export function agentMenu(agent: AgentView, remove: () => void): MenuEntry[] {
  return [
    { label: t('agents.chat'), icon: MessageSquare, onselect: () => void goto(newAgentChatAddress(agent.id)) },
    { label: t('agents.edit'), icon: Pencil, onselect: () => void goto(agentsAddress(agent.id)) },
    { label: t('agents.duplicate'), icon: Copy, onselect: () => void report(duplicate(agent)) },
    'line',
    ...(['toolyard', 'lobehub', 'character-card'] as const).map((format) => ({
      label: t(`agents.export_${format}`),
      icon: Download,
      onselect: () => void report(exportAgent(agent, format)),
    })),
    'line',
    { label: t('agents.remove'), icon: Trash2, danger: true, onselect: remove },
  ];
}

async function duplicate(agent: AgentView): Promise<void> {
  const { profile, configuration } = agent;
  const title = t('agents.copyOf', { agent: agentName(agent) });
  await agents.create({ title, profile, configuration });
}

/** The server names the file. */
async function exportAgent({ id }: AgentView, format: AgentFormat): Promise<void> {
  const { saveFrom } = await import('../api/save-from.ts');
  await saveFrom(`/api/agents/${encodeURIComponent(id)}/export?format=${format}`, 'agent.json');
}

function report(work: Promise<void>): Promise<void> {
  return work.catch((error: unknown) => toasts.problem(error));
}
