import { settingsAddress } from '../shell/addresses.ts';

/** The skills of a chat, or of new ones. */
export function skillsAddress(conversation?: string | null): string {
  const path = settingsAddress('skills');
  return conversation == null ? path : `${path}?${new URLSearchParams({ conversation }).toString()}`;
}
