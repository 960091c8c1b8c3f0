import type { Page } from '@toolyard/protocol';
import type { ServerClient } from './server-client.ts';

const MOST_A_PAGE = 500;

/** What a list of the server holds, read page by page. */
export async function allPages<T>(
  client: ServerClient,
  path: string,
  query: Record<string, string> = {},
): Promise<T[]> {
  return firstOf<T>(client, path, query, Infinity);
}

/** The first so many of it. */
export async function firstOf<T>(
  client: ServerClient,
  path: string,
  query: Record<string, string>,
  most: number,
): Promise<T[]> {
  const items: T[] = [];
  let after: string | undefined;
  do {
    const limit = String(Math.min(MOST_A_PAGE, most - items.length));
    const words = new URLSearchParams({ ...query, limit, ...(after === undefined ? {} : { after }) });
    const page = await client.get<Page<T>>(`${path}?${words.toString()}`);
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined && items.length < most);
  return items;
}
