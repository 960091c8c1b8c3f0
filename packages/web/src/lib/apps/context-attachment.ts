import type { ResourcePart } from '@toolyard/protocol';
import type { ComposerDraft } from '../composer/draft.svelte.ts';

/** Delay after which a changed context is written to the draft: an app may change it with every movement. */
const WRITE_AFTER_MS = 200;

/**
 * What an app adds for the model, as an attachment of the draft. It is recognized by the call of the app in its URI,
 * because attachments get other ids when the page is reloaded. If the user removed it, it returns with the next message.
 */
export class ContextAttachment {
  readonly #draft: () => ComposerDraft;
  readonly #part: ResourcePart & { name: string };
  #text: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(of: { draft: () => ComposerDraft; uri: string; callId: string; serverId: string; name: string }) {
    const { draft, uri, callId, serverId, name } = of;
    this.#draft = draft;
    const address = `${uri}#${encodeURIComponent(callId)}`;
    this.#part = { type: 'resource', uri: address, serverId, name, mimeType: 'text/plain' };
  }

  /** Replaces what the app added before; null removes it. */
  set(text: string | null): void {
    this.#text = text;
    this.#timer ??= setTimeout(() => this.flush(), WRITE_AFTER_MS);
  }

  /** Writes a change that waits. */
  flush(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#write(this.#text);
  }

  #write(text: string | null): void {
    const draft = this.#draft();
    const { uri, serverId, name } = this.#part;
    const known = draft.attachments.find(
      (each) =>
        each.state === 'ready' &&
        each.parts.some((part) => part.type === 'resource' && part.uri === uri && part.serverId === serverId),
    );
    if (text === null) {
      if (known !== undefined) draft.withdraw(known.id);
      return;
    }
    if (known === undefined && draft.hasRemoved(this.#part)) return;
    const attachment = { state: 'ready' as const, kind: 'resource' as const, name, parts: [{ ...this.#part, text }] };
    if (known === undefined) draft.attach(attachment);
    else draft.replace({ ...attachment, id: known.id });
  }
}
