import type { McpEntryApproval } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { EntryApprovals } from './entry-approvals.ts';
import { approvalView, needsApproval } from './entry-approvals.ts';
import type { ServerList } from './server-list.ts';
import type { PlannedEntry } from './mcp-json-editor.ts';

/** What users do about entries that need approval, and what is done with others only. */
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

  /** The entry a user is to approve. @throws ToolyardError `conflict` if it needs no approval */
  view(id: string): McpEntryApproval {
    const { entry, waiting } = this.#book.find(id) ?? {};
    if (entry !== undefined && waiting !== undefined) return approvalView(id, entry.line, waiting);
    throw new ToolyardError({ code: 'conflict', message: `The server "${id}" needs no approval.` });
  }

  /** @throws ToolyardError `conflict` if the entry has another hash by now */
  async approve(id: string, hash: string): Promise<void> {
    if (this.view(id).hash !== hash) {
      throw new ToolyardError({
        code: 'conflict',
        message: `The entry of "${id}" in mcp.json has changed since it was shown. Nothing was approved.`,
        hint: 'Read it again.',
      });
    }
    await this.#approvals.approve(id, hash);
  }

  /** @throws ToolyardError `conflict`: what nobody has seen is neither started nor kept by an edit */
  check(id: string): void {
    const { entry, waiting } = this.#book.find(id) ?? {};
    if (entry !== undefined && waiting !== undefined) throw needsApproval(id, entry.line, waiting);
  }

  /** What the user writes here counts as approved; if it cannot be written, what was approved before still does. */
  async write(id: string, { launch, write }: PlannedEntry): Promise<void> {
    if (launch === null) return write();
    const before = await this.#approvals.approved(id);
    await this.#approvals.approve(id, launch.hash);
    try {
      write();
    } catch (thrown) {
      await this.#approvals.approve(id, before);
      throw thrown;
    }
  }

  /** It was removed here: if another program writes the same entry again, it needs approval. */
  async forget(id: string): Promise<void> {
    if ((await this.#approvals.approved(id)) !== null) await this.#approvals.approve(id, null);
  }
}
