import type { Client } from '@modelcontextprotocol/client';
import { ProtocolError } from '@modelcontextprotocol/client';
import { defined, isJsonObject } from '@toolyard/protocol';
import { anyResult, getRaw } from '../transports/raw-result-transport.ts';
import type { SkippedItem } from '../types.ts';
import { cut, SERVER_LIMITS, sizeUpTo } from '../values/server-limits.ts';

const MAX_PAGES = 200;
const MAX_ITEMS = 10_000;
const MAX_SKIPPED = 100;
const METHOD_NOT_FOUND = -32_601;

/** One list entry, read; or the reason why it is skipped. */
export type ReadItem<Item> = { item: Item } | { skipped: SkippedItem };

/** One kind of list. */
export type ListKind<Item> = {
  method: 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list';
  /** The member of a page that holds the entries. */
  key: 'tools' | 'resources' | 'resourceTemplates' | 'prompts';
  /** For messages: `tool`. */
  word: string;
  capability: 'tools' | 'resources' | 'prompts';
  read(raw: unknown, position: number): ReadItem<Item>;
  /** Of two items with the same identity the first is kept. */
  getIdentity(item: Item): string;
};

export type Listing<Item> = {
  items: Item[];
  /** The characters of the items. */
  size: number;
  skipped: SkippedItem[];
  /** Faults of the list as a whole; everything readable is kept. */
  warnings: string[];
};

/**
 * Lists all entries of one kind; empty if the server does not offer that kind.
 *
 * @throws what a failed request throws
 */
export async function fetchList<Item>(
  client: Client,
  kind: ListKind<Item>,
  options: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<Listing<Item>> {
  const nothing: Listing<Item> = { items: [], size: 0, skipped: [], warnings: [] };
  if (client.getServerCapabilities()?.[kind.capability] === undefined) return nothing;
  const { signal, timeoutMs } = options;
  const requestOptions = {
    ...defined({ signal, timeout: timeoutMs }),
  };
  const fetchPage = async (cursor: string | undefined): Promise<unknown> => {
    const request = { method: kind.method, params: cursor === undefined ? {} : { cursor } };
    return getRaw(await client.request(request, anyResult, requestOptions));
  };
  try {
    return await listItems(kind, fetchPage);
  } catch (thrown) {
    if (!(thrown instanceof ProtocolError) || thrown.code !== METHOD_NOT_FOUND) throw thrown;
    // Templates have no capability of their own; many servers with resources have none.
    if (kind.method === 'resources/templates/list') return nothing;
    return {
      ...nothing,
      warnings: [`The server declares the ${kind.word}s capability but does not implement the list request.`],
    };
  }
}

/**
 * Reads every page of a list. The content of a page never makes it fail: an unreadable or repeated entry is skipped
 * with its reason, and an endless list is cut.
 *
 * @param fetchPage sends one request and returns its raw result; its errors are passed on
 */
async function listItems<Item>(
  kind: ListKind<Item>,
  fetchPage: (cursor: string | undefined) => Promise<unknown>,
): Promise<Listing<Item>> {
  const { word } = kind;
  const listing: Listing<Item> = { items: [], size: 0, skipped: [], warnings: [] };
  const known = new Set<string>();
  const cursors = new Set<string>();
  let cursor: string | undefined;

  for (let page = 0; ; page++) {
    const raw = await fetchPage(cursor);
    const entries = isJsonObject(raw) ? raw[kind.key] : undefined;
    if (!Array.isArray(entries)) {
      listing.warnings.push(`A page of the ${word} list contains no ${word}s array.`);
      return listing;
    }
    for (const [position, entry] of entries.entries()) addEntry(listing, kind, known, entry, position);
    if (listing.items.length >= MAX_ITEMS) {
      listing.warnings.push(`The server lists more than ${MAX_ITEMS} ${word}s; the rest is ignored.`);
      return listing;
    }

    if (listing.size > SERVER_LIMITS.list) {
      listing.warnings.push(`The ${word} list has more than ${SERVER_LIMITS.list} characters; the rest is ignored.`);
      return listing;
    }

    const next = isJsonObject(raw) ? raw['nextCursor'] : undefined;
    if (typeof next !== 'string' || next === '') return listing;
    if (next.length > SERVER_LIMITS.cursor) {
      listing.warnings.push(`The ${word} list returned a cursor of ${next.length} characters; the rest is ignored.`);
      return listing;
    }
    if (cursors.has(next)) {
      listing.warnings.push(`The ${word} list is circular: it returned a cursor a second time.`);
      return listing;
    }
    if (page + 1 >= MAX_PAGES) {
      listing.warnings.push(`The ${word} list has more than ${MAX_PAGES} pages; the rest is ignored.`);
      return listing;
    }
    cursors.add(next);
    cursor = next;
  }
}

function addEntry<Item>(
  listing: Listing<Item>,
  kind: ListKind<Item>,
  known: Set<string>,
  entry: unknown,
  position: number,
): void {
  if (listing.items.length >= MAX_ITEMS || listing.size > SERVER_LIMITS.list) return;
  const size = sizeUpTo(SERVER_LIMITS.listItem, entry);
  if (size > SERVER_LIMITS.listItem) {
    const name = isJsonObject(entry) && typeof entry['name'] === 'string' ? entry['name'] : `#${position + 1}`;
    return skip(listing, { name, reason: `It has more than ${SERVER_LIMITS.listItem} characters.` });
  }
  const read = kind.read(entry, position);
  if ('skipped' in read) return skip(listing, read.skipped);
  const identity = kind.getIdentity(read.item);
  if (known.has(identity)) {
    return skip(listing, { name: identity, reason: `Another ${kind.word} of this server has the same name.` });
  }
  known.add(identity);
  listing.size += size;
  listing.items.push(read.item);
}

function skip(listing: Listing<unknown>, { name, reason }: SkippedItem): void {
  const skipped = { name: cut(name, SERVER_LIMITS.name), reason };
  if (listing.skipped.length < MAX_SKIPPED) listing.skipped.push(skipped);
}
