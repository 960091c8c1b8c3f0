import type { FramePolicy, JsonValue } from '@toolyard/protocol';
import { isJsonObject, NO_NETWORK } from '@toolyard/protocol';
import { SvelteMap } from 'svelte/reactivity';
import { browserValueFamily } from '../browser-storage.ts';
import type { PreviewDocument } from './document.ts';
import { isStoredKey } from './document.ts';

/** A host that the user allowed to the document with these versions. */
type Grant = { source: string; versions: string[] };

/** Conversations whose allowed hosts are stored. */
const MAX_CONVERSATIONS = 100;
/** Allowed hosts of a conversation; the oldest are forgotten. */
const MAX_GRANTS = 100;

/** Grants by conversation, in this browser only: another user of the server decides again. */
export class HostGrants {
  readonly #stored = browserValueFamily<Grant[]>('preview-hosts', {
    version: 1,
    read: readGrants,
    fallback: [],
    keep: MAX_CONVERSATIONS,
  });
  /** What has changed since the page was loaded, also what cannot be stored. */
  readonly #changed = new SvelteMap<string, readonly Grant[]>();

  of(conversation: string): readonly Grant[] {
    return this.#changed.get(conversation) ?? this.#stored.get(conversation);
  }

  /** Nothing is stored of a new conversation, whose id is empty. */
  change(conversation: string, grants: readonly Grant[]): void {
    const kept = grants.slice(-MAX_GRANTS);
    this.#changed.set(conversation, kept);
    if (conversation === '') return;
    const stored = kept.map(({ source, versions }) => ({ source, versions: versions.filter(isStoredKey) }));
    this.#stored.set(
      conversation,
      stored.filter(({ versions }) => versions.length > 0),
    );
  }
}

const hostGrants = new HostGrants();

/** The hosts that a document of a conversation may reach. */
export class AllowedHosts {
  readonly #conversation: string;
  readonly #document: () => PreviewDocument;
  readonly #grants: HostGrants;

  constructor(conversation: string | null, document: () => PreviewDocument, grants = hostGrants) {
    this.#conversation = conversation ?? '';
    this.#document = document;
    this.#grants = grants;
  }

  get sources(): readonly string[] {
    const grants = this.#grants.of(this.#conversation).filter((grant) => this.#applies(grant));
    return [...new Set(grants.map(({ source }) => source))];
  }

  allow(source: string): void {
    if (this.sources.includes(source)) return;
    this.#grants.change(this.#conversation, [
      ...this.#grants.of(this.#conversation),
      { source, versions: this.#document().versions.map(({ key }) => key) },
    ]);
  }

  /** Also for versions in messages that are not loaded. */
  revoke(source: string): void {
    this.#grants.change(
      this.#conversation,
      this.#grants.of(this.#conversation).filter((grant) => grant.source !== source || !this.#applies(grant)),
    );
  }

  /** Versions that are added later are versions of the same document. */
  #applies({ versions }: Grant): boolean {
    return this.#document().versions.some(({ key }) => versions.includes(key));
  }
}

/** Frames inside the document are never allowed: they would have what was removed from it. */
export function policyWith(sources: readonly string[]): FramePolicy {
  if (sources.length === 0) return NO_NETWORK;
  return { ...NO_NETWORK, connect: sources, resources: sources.filter((source) => source.startsWith('http')) };
}

function readGrants(value: JsonValue): Grant[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((one): Grant[] => {
    if (!isJsonObject(one)) return [];
    const { source, versions } = one;
    if (typeof source !== 'string' || !Array.isArray(versions)) return [];
    return [{ source, versions: versions.filter((key) => typeof key === 'string') }];
  });
}
