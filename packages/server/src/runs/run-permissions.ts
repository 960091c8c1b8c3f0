import type { Owner, PermissionView, ToolReference } from '@toolyard/protocol';
import { decisionAbout } from '@toolyard/protocol';
import type { PermissionRepository } from '@toolyard/storage';

/** What the owner decided about tools, as it counts in one conversation. A decision made while a run works counts. */
export class RunPermissions {
  readonly #repository: Pick<PermissionRepository, 'list'>;
  readonly #principal: Owner;
  readonly #conversationId: string;
  #decided: readonly PermissionView[] = [];

  constructor(repository: Pick<PermissionRepository, 'list'>, principal: Owner, conversationId: string) {
    this.#repository = repository;
    this.#principal = principal;
    this.#conversationId = conversationId;
  }

  /** As it was when it was refreshed last. */
  of(tool: ToolReference): PermissionView['decision'] | undefined {
    return decisionAbout(tool, this.#decided);
  }

  async refresh(): Promise<void> {
    this.#decided = await this.#repository.list(this.#principal, { conversationId: this.#conversationId });
  }
}
