import type { CodeBlock } from '../markdown/blocks.ts';
import type { ArtifactLink } from './artifact-link.ts';

/** A code block whose preview the user opened. `row`: key of the row that shows it. */
type BlockTarget = { block: CodeBlock; row: string | null };
/** A document that a tool created. */
export type ArtifactTarget = { artifact: ArtifactLink; conversationId: string };
export type PreviewTarget = BlockTarget | ArtifactTarget;

/** The panel beside the chat: whether it is open, and where. Its content is loaded when it is opened. */
class PreviewPanelState {
  target: PreviewTarget | null = $state.raw(null);
  /** It covers the page, which is inert meanwhile. */
  covers = $state(false);
  #opener: Element | null = null;

  open(target: PreviewTarget): void {
    if (this.target === null) this.#opener = document.activeElement;
    this.target = target;
  }

  /** @returns the button that opened it, if it is still in the page */
  close(): HTMLElement | null {
    const opener = this.#opener;
    this.target = null;
    this.covers = false;
    this.#opener = null;
    return opener instanceof HTMLElement && opener.isConnected ? opener : null;
  }
}

export const previewPanel = new PreviewPanelState();
