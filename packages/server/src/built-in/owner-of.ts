import type { ToolContext } from '@toolyard/agent-host';
import type { Owner } from '@toolyard/protocol';

/** The user for whom a tool is executed; `owner` if the call names none. */
export function getOwner({ user }: ToolContext, owner: Owner): Owner {
  return user === undefined ? owner : { ownerId: user };
}
