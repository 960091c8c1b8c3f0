import { isJsonObject } from '@toolyard/protocol';
import type { ListedTool, SkippedTool } from './read-tool.ts';
import { readTool } from './read-tool.ts';

const MAX_PAGES = 200;
const MAX_TOOLS = 10_000;
const SKIPPED_KEPT = 100;

export type ToolListing = {
  tools: ListedTool[];
  skipped: SkippedTool[];
  /** What was wrong with the list as a whole; what could be read of it is kept. */
  warnings: string[];
};

/**
 * Reads every page of a server's tools. Never fails for what stands in a page: a tool that cannot be read, or whose
 * name was there before, is set aside with its reason; a list that never ends is cut.
 *
 * @param fetchPage one `tools/list` request; its result as the server sent it. What it throws is passed on.
 */
export async function listTools(fetchPage: (cursor: string | undefined) => Promise<unknown>): Promise<ToolListing> {
  const listing: ToolListing = { tools: [], skipped: [], warnings: [] };
  const names = new Set<string>();
  const cursors = new Set<string>();
  let cursor: string | undefined;

  for (let page = 0; ; page++) {
    const raw = await fetchPage(cursor);
    const entries = isJsonObject(raw) ? raw['tools'] : undefined;
    if (!Array.isArray(entries)) {
      listing.warnings.push('A page of the tool list holds no list of tools.');
      return listing;
    }
    for (const [position, entry] of entries.entries()) addEntry(listing, names, entry, position);
    if (listing.tools.length >= MAX_TOOLS) {
      listing.warnings.push(`The server offers more than ${MAX_TOOLS} tools; the rest is left out.`);
      return listing;
    }

    const next = isJsonObject(raw) ? raw['nextCursor'] : undefined;
    if (typeof next !== 'string') return listing;
    if (cursors.has(next)) {
      listing.warnings.push('The tool list runs in a circle: a page already seen was named as the next.');
      return listing;
    }
    if (page + 1 >= MAX_PAGES) {
      listing.warnings.push(`The tool list has more than ${MAX_PAGES} pages; the rest is left out.`);
      return listing;
    }
    cursors.add(next);
    cursor = next;
  }
}

function addEntry(listing: ToolListing, names: Set<string>, entry: unknown, position: number): void {
  const read = readTool(entry, position);
  if ('skipped' in read) return setAside(listing, read.skipped);
  const { tool } = read;
  if (names.has(tool.name)) {
    return setAside(listing, { name: tool.name, reason: 'Another tool of this server has the same name.' });
  }
  names.add(tool.name);
  listing.tools.push(tool);
}

function setAside(listing: ToolListing, skipped: SkippedTool): void {
  if (listing.skipped.length < SKIPPED_KEPT) listing.skipped.push(skipped);
}
