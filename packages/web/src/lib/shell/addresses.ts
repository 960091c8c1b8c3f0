import { resolve } from '$app/paths';

/** A new chat. */
export function newChatAddress(): string {
  return resolve('/(chat)');
}

export function conversationAddress(id: string): string {
  return resolve('/(chat)/c/[id]', { id });
}

/** The inbox. */
export function inboxAddress(): string {
  return resolve('/inbox');
}

export function settingsAddress(section?: string): string {
  return resolve('/settings/[[section]]', section === undefined ? {} : { section });
}
