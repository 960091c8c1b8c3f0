import type { McpEntryApproval } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';
import type { EntryApprovals } from './entry-approvals.ts';
import { approvalView, needsApproval } from './entry-approvals.ts';
import type { ServerList } from './server-list.ts';
import type { PlannedEntry } from './mcp-json-editor.ts';

/** Approves entries, and guards actions on entries that need approval. */
export class EntryGate {
  readonly #approvals: EntryApprovals;
  readonly #book: Pick<ServerList, 'find' | 'all'>;

  constructor(approvals: EntryApprovals, book: Pick<ServerList, 'find' | 'all'>) {
    this.#approvals = approvals;
    this.#book = book;
  }

  /** The entries that need approval, by id. */
  waiting: EntryApprovals['waiting'] = (entries, isWhole) => this.#approvals.waiting(entries, isWhole);

  get isAnyWaiting(): boolean {
    return this.#book.all.some(({ waiting }) => waiting !== undefined);
  }

  /** The entry to approve. @throws ToolyardError `conflict` if it needs no approval */
  view(id: string): McpEntryApproval {
    const { entry, waiting } = this.#book.find(id) ?? {};
    if (entry !== undefined && waiting !== undefined) return approvalView(id, entry.line, waiting);
    throw new ToolyardError({ code: 'conflict', message: say`The server "${id}" needs no approval.` });
  }

  /** @throws ToolyardError `conflict` if the hash of the entry has changed */
  async approve(id: string, hash: string): Promise<void> {
    if (this.view(id).hash !== hash) {
      throw new ToolyardError({
        code: 'conflict',
        message: say`The entry of "${id}" in mcp.json has changed since it was shown. Nothing was approved.`,
        hint: say`Read the entry again and repeat the approval.`,
      });
    }
    await this.#approvals.approve(id, hash);
  }

  /** @throws ToolyardError `conflict`: an entry that the user has not seen is neither started nor saved by an edit */
  check(id: string): void {
    const { entry, waiting } = this.#book.find(id) ?? {};
    if (entry !== undefined && waiting !== undefined) throw needsApproval(id, entry.line, waiting);
  }

  /** What the user writes here is approved; if the file cannot be written, it is not. */
  async write(id: string, { launch, write }: PlannedEntry): Promise<void> {
    const isApproved = (await this.#approvals.approved(id)).includes(launch.hash);
    await this.#approvals.approve(id, launch.hash);
    try {
      write();
    } catch (thrown) {
      if (!isApproved) await this.#approvals.withdraw(id, launch.hash);
      throw thrown;
    }
  }

  /** Withdraws the approvals of a removed server: if another program writes the same entry again, it needs approval. */
  async forget(id: string): Promise<void> {
    if ((await this.#approvals.approved(id)).length > 0) await this.#approvals.withdraw(id);
  }
}
