import type { AgentReference, ResourcePart, SaveDraft, UserPart } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { ApiError } from '../api/error.ts';
import { MAX_ATTACHMENTS, toUserParts, type Attachment, type PreparedFile } from './attachments.ts';
import {
  fromStoredAttachments,
  readChoices,
  toStoredAttachments,
  type DraftChoices,
  type DraftStorage,
} from './draft-storage.ts';

export type DraftDeps = {
  storage: DraftStorage;
  prepare(file: File): Promise<PreparedFile>;
  /** Loads a resource that is attached; it replaces the attachment when it is there. */
  load?(draft: ComposerDraft, attachment: Attachment): void;
};

/** Why a draft cannot be sent. */
export type SendBlocker = 'empty' | 'reading' | 'failed';

type Deliver = (parts: UserPart[], mention: AgentReference | null) => Promise<void>;

type DraftContent = { text: string; attachments: Attachment[]; choices: DraftChoices };

/** A message that the server has not accepted yet. */
type Outgoing = { content: DraftContent; isShown: () => boolean; work: () => Promise<void> };

const EMPTY: DraftContent = { text: '', attachments: [], choices: {} };

/** Delay until a keystroke is stored, in milliseconds. */
const KEEP_AFTER_MS = 300;

/**
 * The message being written in one conversation. It survives a reload and is deleted from the browser's storage only
 * after the server has stored the message.
 */
export class ComposerDraft {
  text = $state('');
  attachments: Attachment[] = $state.raw([]);
  /** True from sending until the server has accepted or rejected the message. */
  sending = $state(false);
  /** Why the server rejected it last. */
  error: ApiError | null = $state.raw(null);
  /** Called after every change of the user; replaced by what stores the draft on the server. */
  changed: () => void = () => undefined;
  #key = $state('');
  readonly #deps: DraftDeps;
  readonly #files = new Map<string, File>();
  /** `removed`: resources that the user removed since the last message was sent. */
  #choices: DraftChoices = $state.raw({});
  #outgoing: Outgoing[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastId = 0;

  /** @param key the id of the conversation, or the placeholder of a new one */
  constructor(key: string, deps: DraftDeps) {
    this.#key = key;
    this.#deps = deps;
    this.text = deps.storage.text.get(key);
    this.attachments = fromStoredAttachments(deps.storage.files.get(key), () => this.#nextId());
    this.#choices = readChoices(deps.storage.choices.get(key));
    this.#loadMissing();
  }

  /** The id of the conversation, or the placeholder of a new one. */
  get key(): string {
    return this.#key;
  }

  /** The agent that answers this message, instead of the conversation's. */
  get mention(): AgentReference | null {
    return this.#choices.mention ?? null;
  }

  mentionAgent(agent: AgentReference | null): void {
    const { removed } = this.#choices;
    this.#choices = defined({ mention: agent ?? undefined, removed });
    this.#keepFiles();
  }

  /** The conversation got its id: the draft stays the same, also in the browser's storage. */
  rename(key: string): void {
    const { text, files, choices } = this.#deps.storage;
    text.set(key, text.get(this.#key));
    files.set(key, files.get(this.#key));
    choices.set(key, choices.get(this.#key));
    text.set(this.#key, '');
    files.set(this.#key, []);
    choices.set(this.#key, {});
    this.#key = key;
    this.changed();
  }

  get empty(): boolean {
    return this.text.trim() === '' && this.attachments.length === 0;
  }

  /** The first reason why it cannot be sent; null if it can. */
  get blocker(): SendBlocker | null {
    if (this.attachments.some((attachment) => attachment.state === 'reading')) return 'reading';
    if (this.attachments.some((attachment) => attachment.state === 'failed')) return 'failed';
    return this.empty ? 'empty' : null;
  }

  write(text: string): void {
    this.text = text;
    this.changed();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.keepText(), KEEP_AFTER_MS);
  }

  /** Also called when the page is hidden or closed. */
  keepText(): void {
    clearTimeout(this.#timer);
    this.#deps.storage.text.set(this.#key, this.#withUnsent().text);
  }

  /** As it is stored on the server. */
  get content(): SaveDraft {
    return { text: this.text, attachments: toStoredAttachments(this.attachments), ...this.#choices };
  }

  /** Shows the draft as it is stored on the server; files that are still being read stay. */
  show({ text, attachments, mention, removed }: SaveDraft): void {
    const own = this.attachments.filter(({ state, origin }) => state !== 'ready' && origin === undefined);
    this.text = text;
    this.attachments = [...fromStoredAttachments(attachments, () => this.#nextId()), ...own];
    this.#choices = defined({ mention, removed });
    this.keepText();
    this.#storeFiles();
    this.#loadMissing();
  }

  /** Attaches a resource or prompt; a resource that is attached already stays as it is. */
  attach(
    attachment: Omit<Attachment & { state: 'reading' }, 'id'> | Omit<Attachment & { state: 'ready' }, 'id'>,
  ): string {
    const { origin } = attachment;
    const known = this.attachments.find(
      (one) => origin?.uri !== undefined && JSON.stringify(one.origin) === JSON.stringify(origin),
    );
    if (known !== undefined) return known.id;
    const added: Attachment = { ...attachment, id: this.#nextId() };
    this.attachments = [...this.attachments, added];
    this.#keepFiles();
    if (added.state === 'reading') this.#deps.load?.(this, added);
    return added.id;
  }

  /** One that was removed meanwhile stays removed. */
  replace(attachment: Attachment): void {
    this.attachments = this.attachments.map((one) => (one.id === attachment.id ? attachment : one));
    this.#keepFiles();
  }

  /**
   * Newer contents of an attached resource. They stay in this tab: every tab reads them itself, and a tab that stored
   * them could bring back a draft that was sent meanwhile.
   */
  refresh(attachment: Attachment): void {
    this.attachments = this.attachments.map((one) => (one.id === attachment.id ? attachment : one));
    this.#storeFiles();
  }

  async add(files: readonly File[]): Promise<void> {
    const added = files.map((file): Attachment => {
      const attachment = { id: this.#nextId(), name: file.name, size: file.size, state: 'reading' } as const;
      this.#files.set(attachment.id, file);
      return attachment;
    });
    const all = [...this.attachments, ...added];
    this.attachments = all.map((attachment, index) =>
      index < MAX_ATTACHMENTS ? attachment : failed(attachment, { ok: false, problem: 'too_many' }),
    );
    await Promise.all(
      added.slice(0, Math.max(0, MAX_ATTACHMENTS - all.length + added.length)).map((one) => this.#read(one)),
    );
  }

  /** Reads or uploads a failed file again. */
  async retry(id: string): Promise<void> {
    const attachment = this.attachments.find((one) => one.id === id);
    if (attachment === undefined || !this.canRetry(attachment)) return;
    const { name, size, origin } = attachment;
    const again: Attachment = { id, name, state: 'reading', ...defined({ size, origin }) };
    this.replace(again);
    if (origin === undefined) await this.#read(again);
    else this.#deps.load?.(this, again);
  }

  canRetry(attachment: Attachment): boolean {
    if (attachment.origin?.uri !== undefined) return attachment.state === 'failed';
    const isTransient = attachment.state === 'failed' && ['upload_failed', 'unreadable'].includes(attachment.problem);
    return isTransient && this.#files.has(attachment.id);
  }

  /** The user removes an attachment: what an app attached stays removed until the message is sent. */
  remove(id: string): void {
    const { removed = [] } = this.#choices;
    const more = listAddresses(this.attachments.filter((one) => one.id === id && one.origin === undefined));
    if (more.length > 0) this.#choices = { ...this.#choices, removed: [...removed, ...more].slice(-MAX_ATTACHMENTS) };
    this.withdraw(id);
  }

  /** Whether the user removed this resource from the message being written. */
  hasRemoved(part: Pick<ResourcePart, 'uri' | 'serverId'>): boolean {
    const { removed = [] } = this.#choices;
    return removed.some(({ uri, serverId }) => uri === part.uri && serverId === part.serverId);
  }

  /** Removes an attachment for what attached it, which may attach it again. */
  withdraw(id: string): void {
    this.attachments = this.attachments.filter((attachment) => attachment.id !== id);
    this.#files.delete(id);
    this.#keepFiles();
  }

  /**
   * Passes the draft to `deliver` and empties it at once, so that the user can write on. A draft that is sent meanwhile
   * is delivered after it, if `isShown` says that its conversation is still the one shown. What cannot be delivered is
   * restored before whatever was written meanwhile, and `error` has the reason.
   */
  send(deliver: Deliver, isShown: () => boolean = () => true): Promise<void> {
    const { text, attachments, mention } = this;
    const content = { text, attachments, choices: this.#choices };
    this.text = '';
    this.attachments = [];
    this.#choices = {};
    return this.#deliver({ content, isShown, work: () => deliver(toUserParts(text, attachments), mention) });
  }

  /** Sends something other than the draft, which stays; errors are shown here as well. */
  async sendOther(deliver: (parts: UserPart[]) => Promise<void>, parts: UserPart[]): Promise<void> {
    if (this.sending) return;
    await this.#deliver({ content: EMPTY, isShown: () => true, work: () => deliver(parts) });
  }

  /** Messages are delivered one after the other, in the order in which they were sent. */
  async #deliver(message: Outgoing): Promise<void> {
    const isFirst = !this.sending;
    this.#outgoing.push(message);
    this.sending = true;
    this.error = null;
    this.#keep();
    if (!isFirst) return;
    try {
      for (let next = this.#outgoing[0]; next !== undefined && next.isShown(); next = this.#outgoing[0]) {
        await next.work();
        this.#outgoing.shift();
        this.#keep();
      }
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      this.error = thrown;
    } finally {
      const { text, attachments, choices } = this.#withUnsent();
      this.#outgoing = [];
      this.text = text;
      this.attachments = attachments;
      this.#choices = choices;
      this.sending = false;
      this.#keep();
    }
  }

  /** The draft behind the messages that the server has not accepted yet. */
  #withUnsent(): DraftContent {
    const { text, attachments } = this;
    const all = [...this.#outgoing.map(({ content }) => content), { text, attachments, choices: this.#choices }];
    const texts = all.map((content) => content.text);
    return {
      text: all.length === 1 ? text : texts.filter((part) => part.trim() !== '').join('\n\n'),
      attachments: all.flatMap((content) => content.attachments),
      choices: Object.assign({}, ...all.map((content) => content.choices)) as DraftChoices,
    };
  }

  /** The server is reachable again: removes the error that said it was not. */
  reconnected(): void {
    if (this.error?.code === 'network') this.error = null;
  }

  async #read(attachment: Attachment): Promise<void> {
    const file = this.#files.get(attachment.id);
    if (file === undefined) return;
    const prepared = await this.#deps.prepare(file);
    if (prepared.ok) {
      const { id, name, size } = attachment;
      this.#files.delete(id);
      const { kind, part } = prepared;
      this.replace({ id, name, ...defined({ size }), state: 'ready', kind, parts: [part] });
    } else this.replace(failed(attachment, prepared));
  }

  #loadMissing(): void {
    for (const one of this.attachments) if (one.state === 'reading' && one.origin) this.#deps.load?.(this, one);
  }

  #keep(): void {
    this.keepText();
    this.#keepFiles();
  }

  #keepFiles(): void {
    this.#storeFiles();
    this.changed();
  }

  #storeFiles(): void {
    const { storage } = this.#deps;
    const { attachments, choices } = this.#withUnsent();
    storage.files.set(this.#key, toStoredAttachments(attachments));
    storage.choices.set(this.#key, choices);
  }

  #nextId(): string {
    this.#lastId += 1;
    return `file-${String(this.#lastId)}`;
  }
}

function failed(attachment: Attachment, why: Extract<PreparedFile, { ok: false }>): Attachment {
  const { id, name, size } = attachment;
  const { problem, detail } = why;
  return { id, name, state: 'failed', problem, ...defined({ size, detail }) };
}

function listAddresses(attachments: readonly Attachment[]): NonNullable<DraftChoices['removed']> {
  const parts = attachments.flatMap((one) => (one.state === 'ready' ? one.parts : []));
  return parts.flatMap((part) => {
    if (part.type !== 'resource' || part.serverId === undefined) return [];
    return [{ serverId: part.serverId, uri: part.uri }];
  });
}
