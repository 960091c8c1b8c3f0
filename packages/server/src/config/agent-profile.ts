import type { AgentProfile } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { agentProfile } from '@toolyard/protocol/schemas';

/** Reads a profile stored by any version; fields that cannot be read are dropped. */
export function readStoredProfile(stored: unknown): AgentProfile {
  const fields = isJsonObject(stored) ? Object.entries(stored) : [];
  const readable = fields.filter(([name, value]) => agentProfile.safeParse({ [name]: value }).success);
  return agentProfile.parse(Object.fromEntries(readable));
}
