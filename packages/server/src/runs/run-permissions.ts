import type { PermissionView, Owner, ToolReference } from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';
import type { PermissionRepository } from '@toolyard/storage';

/** What the owner decided about tools, as it counts in one conversation. A decision made while a run works counts. */
export class RunPermissions {
  readonly #repository: Pick<PermissionRepository, 'list'>;
  readonly #principal: Owner;
  readonly #conversationId: string;
  #decided = new Map<string, PermissionView['decision']>();

  constructor(repository: Pick<PermissionRepository, 'list'>, principal: Owner, conversationId: string) {
    this.#repository = repository;
    this.#principal = principal;
    this.#conversationId = conversationId;
  }

  /** As it was when it was refreshed last. */
  of(tool: ToolReference): PermissionView['decision'] | undefined {
    return this.#decided.get(formatToolReference(tool));
  }

  /** Of two decisions about one tool a "never" wins, wherever it was given. */
  async refresh(): Promise<void> {
    const decided = new Map<string, PermissionView['decision']>();
    for (const { tool, decision } of await this.#repository.list(this.#principal, {
      conversationId: this.#conversationId,
    })) {
      const reference = formatToolReference(tool);
      if (decided.get(reference) !== 'never') decided.set(reference, decision);
    }
    this.#decided = decided;
  }
}
