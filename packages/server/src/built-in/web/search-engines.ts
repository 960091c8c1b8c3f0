import type { SearchEngine } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';

export type SearchResult = { title: string; url: string; snippet: string; published?: string };

type EngineRequest = { url: string; method?: 'POST'; headers?: Record<string, string>; body?: object };

type Engine = {
  /** Where requests go if the settings name no URL; absent: a URL is required. */
  url?: string;
  request(of: { base: string; query: string; limit: number; key: string | null }): EngineRequest;
  /** The list of results in an answer, and the names of their fields. */
  list(answer: unknown): unknown;
  snippet: readonly string[];
  published: string;
};

const SNIPPET_LENGTH = 500;

/** What differs between search engines. */
export const ENGINES: Readonly<Record<SearchEngine, Engine>> = {
  searxng: {
    request: ({ base, query, key }) => ({
      url: `${withoutSlash(base)}/search?${new URLSearchParams({ q: query, format: 'json' }).toString()}`,
      headers: bearer(key),
    }),
    list: (answer) => field(answer, 'results'),
    snippet: ['content'],
    published: 'publishedDate',
  },
  brave: {
    url: 'https://api.search.brave.com',
    request: ({ base, query, limit, key }) => ({
      url: `${withoutSlash(base)}/res/v1/web/search?${new URLSearchParams({ q: query, count: String(limit) }).toString()}`,
      headers: { 'x-subscription-token': key ?? '' },
    }),
    list: (answer) => field(field(answer, 'web'), 'results'),
    snippet: ['description'],
    published: 'age',
  },
  tavily: {
    url: 'https://api.tavily.com',
    request: ({ base, query, limit, key }) => ({
      url: `${withoutSlash(base)}/search`,
      method: 'POST',
      headers: bearer(key),
      body: { query, max_results: limit },
    }),
    list: (answer) => field(answer, 'results'),
    snippet: ['content'],
    published: 'published_date',
  },
  exa: {
    url: 'https://api.exa.ai',
    request: ({ base, query, limit, key }) => ({
      url: `${withoutSlash(base)}/search`,
      method: 'POST',
      headers: { 'x-api-key': key ?? '' },
      body: { query, numResults: limit, contents: { text: { maxCharacters: SNIPPET_LENGTH } } },
    }),
    list: (answer) => field(answer, 'results'),
    snippet: ['text', 'summary'],
    published: 'publishedDate',
  },
  custom: {
    request: ({ base, query, limit, key }) => ({
      url: base
        .replaceAll('{query}', encodeURIComponent(query))
        .replaceAll('{limit}', encodeURIComponent(String(limit))),
      headers: bearer(key),
    }),
    list: (answer) => (Array.isArray(answer) ? answer : field(answer, 'results')),
    snippet: ['snippet', 'description', 'content', 'text'],
    published: 'published',
  },
};

/** The results in an answer that have a title and an HTTP URL; null if it has no list. */
export function readResults(engine: SearchEngine, answer: unknown, limit: number): SearchResult[] | null {
  const of = ENGINES[engine];
  const found = of.list(answer);
  if (!Array.isArray(found)) return null;
  return found.flatMap((each: unknown) => readResult(each, of.snippet, of.published)).slice(0, limit);
}

function readResult(each: unknown, snippetNames: readonly string[], publishedName: string): SearchResult[] {
  const url = textIn(each, 'url');
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return [];
  const snippet = snippetNames.map((name) => textIn(each, name)).find((text) => text !== '') ?? '';
  const published = textIn(each, publishedName);
  return [
    {
      title: plain(textIn(each, 'title')).slice(0, 300) || url,
      url,
      snippet: plain(snippet).slice(0, SNIPPET_LENGTH),
      ...(published === '' ? {} : { published: published.slice(0, 50) }),
    },
  ];
}

/** Engines mark the words that were found with tags. */
function plain(text: string): string {
  return text
    .replace(/<\/?[a-z][^>]*>/gi, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function field(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}

function textIn(value: unknown, name: string): string {
  const text = field(value, name);
  return typeof text === 'string' ? text : '';
}

function bearer(key: string | null): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

function withoutSlash(base: string): string {
  return base.replace(/\/+$/, '');
}
