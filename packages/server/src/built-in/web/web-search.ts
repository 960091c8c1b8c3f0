import type { FunctionTool } from '@toolyard/agent-host';
import { tool } from '@toolyard/agent-host';
import { fenced } from '@toolyard/agent-runtime';
import { readBody } from '@toolyard/guarded-fetch';
import type { Fetch, SearchEngine } from '@toolyard/protocol';
import { parseJson, ToolyardError, say } from '@toolyard/protocol';
import type { SearchResult } from './search-engines.ts';
import { ENGINES, readResults } from './search-engines.ts';
import { UNTRUSTED } from './web-fetch.ts';

const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 20;
const TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** The configured engine, with a fetch that reaches its URL. */
export type ConfiguredSearch = { engine: SearchEngine; url: string; key: string | null; fetch: Fetch };

/** Searches with the engine of the settings; `configured` returns null without one. */
export function createWebSearch(configured: () => Promise<ConfiguredSearch | null>): FunctionTool {
  return tool({
    name: 'web_search',
    title: say`Search the web`.text,
    description:
      say`Searches the web and returns titles, URLs and short texts of pages. Read a page with web_fetch before you rely on it. In your answer, cite each page that you use as a Markdown link: [title](url).`
        .text,
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          minLength: 1,
          maxLength: 400,
          description: 'What to search for, as typed into a search engine.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_LIMIT,
          description: 'At most this many results; default 5.',
        },
      },
      required: ['query'],
    },
    annotations: { readOnly: true, openWorld: true },
    async execute({ query, limit = DEFAULT_LIMIT }, { signal }) {
      const search = await configured();
      if (search === null) throw NOT_CONFIGURED;
      const results = await find(search, query, limit, signal);
      const text =
        results.length === 0 ? 'Nothing was found.' : fenced('search-results', { query }, formatList(results));
      return {
        content: [{ type: 'text', text: `${UNTRUSTED}\n${text}` }],
        structured: { query, results, untrusted: true },
        isError: false,
        outcome: 'done',
      };
    },
  });
}

const NOT_CONFIGURED = new ToolyardError({
  code: 'tool_failed',
  message: 'No search engine is configured.',
  hint: 'The user can choose one under Settings, Tools, Web search.',
});

async function find(
  search: ConfiguredSearch,
  query: string,
  limit: number,
  signal: AbortSignal,
): Promise<SearchResult[]> {
  const { engine, url: base, key, fetch } = search;
  const { url, method = 'GET', headers, body } = ENGINES[engine].request({ base, query, limit, key });
  const stop = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  let status: number;
  let text: string;
  try {
    const response = await fetch(url, {
      method,
      signal: stop,
      redirect: 'error',
      headers: { accept: 'application/json', ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    ({ status } = response);
    const answer = await readBody(response, MAX_ANSWER_BYTES);
    if (answer === null) throw createSearchError('its answer is too large');
    text = new TextDecoder().decode(answer);
  } catch (thrown) {
    if (signal.aborted || ToolyardError.isInstance(thrown)) throw thrown;
    throw createSearchError(
      stop.aborted ? `it did not answer within ${TIMEOUT_MS / 1000} s` : 'it could not be reached',
    );
  }
  if (status === 401 || status === 403)
    throw createSearchError(`it refused the request (status ${status}); check its key`);
  if (status === 429) throw createSearchError('its limit of requests is reached (status 429)');
  if (status < 200 || status > 299) throw createSearchError(`it answered with status ${status}`);
  const parsed = parseJson(text);
  const results = parsed.ok ? readResults(engine, parsed.value, limit) : null;
  if (results === null) throw createSearchError('its answer is not a list of results in JSON');
  return results;
}

function formatList(results: readonly SearchResult[]): string {
  return results
    .map(({ title, url, snippet, published }, at) => {
      const date = published === undefined ? '' : ` (${published})`;
      return `${at + 1}. ${title}${date}\n   ${url}\n   ${snippet}`;
    })
    .join('\n');
}

function createSearchError(why: string): ToolyardError {
  return new ToolyardError({ code: 'tool_failed', message: `The search engine failed: ${why}.` });
}
