import { resolve } from '$app/paths';

/** A new chat. */
export function newChatAddress(): string {
  return resolve('/(chat)');
}

export function conversationAddress(id: string): string {
  return resolve('/(chat)/c/[id]', { id });
}

/** A new chat with an agent. */
export function newAgentChatAddress(agentId: string): string {
  return `${newChatAddress()}?agent=${encodeURIComponent(agentId)}`;
}

/** The agents, one of them, or (`new`) a new one. */
export function agentsAddress(id?: string): string {
  return resolve('/agents/[[id]]', id === undefined ? {} : { id });
}

/** A group, or (`new`) a new one. */
export function groupsAddress(id: string): string {
  return resolve('/groups/[id]', { id });
}

/** All runs, with a query of filters, or one of them. */
export function runsAddress(id?: string, query = ''): string {
  const path = resolve('/runs/[[id]]', id === undefined ? {} : { id });
  return query === '' ? path : `${path}?${query}`;
}

/** The inbox. */
export function inboxAddress(): string {
  return resolve('/inbox');
}

/** A section of the settings, with what it shows in the query. */
export function settingsAddress(section?: string, query?: Record<string, string>): string {
  const path = resolve('/settings/[[section]]', section === undefined ? {} : { section });
  return query === undefined ? path : `${path}?${new URLSearchParams(query).toString()}`;
}
