import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer } from './peer.ts';
import { npx, PAGE_TEXT } from './peer.ts';
import { writePdf } from '@toolyard/testing';

const SCOPE = '@modelcontextprotocol/server';

/** Servers from npm that start without a browser. Versions are pinned here. */
export const NPM_PEERS: readonly Peer[] = [
  {
    id: 'filesystem',
    package: `${SCOPE}-filesystem@2026.8.31`,
    from: 'npm',
    entry: ({ folder }) => ({ ...npx(`${SCOPE}-filesystem@2026.8.31`, folder), sandbox: { write: [folder] } }),
    prepare: ({ folder }) => writeFileSync(join(folder, 'note.txt'), 'low tide at six'),
    call: {
      tool: 'read_text_file',
      arguments: ({ folder }) => ({ path: join(folder, 'note.txt') }),
      expects: /low tide at six/,
    },
  },
  {
    id: 'memory',
    package: `${SCOPE}-memory@2026.8.31`,
    from: 'npm',
    entry: () => ({ ...npx(`${SCOPE}-memory@2026.8.31`), sandbox: {} }),
    call: {
      tool: 'create_entities',
      arguments: () => ({ entities: [{ name: `tide-${Date.now()}`, entityType: 'event', observations: ['low'] }] }),
      expects: /"entityType": "event"/,
    },
  },
  {
    id: 'sequential-thinking',
    package: `${SCOPE}-sequential-thinking@2026.8.31`,
    from: 'npm',
    entry: () => ({ ...npx(`${SCOPE}-sequential-thinking@2026.8.31`), sandbox: { network: 'on' } }),
    call: {
      tool: 'sequentialthinking',
      arguments: () => ({ thought: 'One.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }),
      expects: /"thoughtHistoryLength": 1/,
    },
  },
  {
    id: 'everything',
    package: `${SCOPE}-everything@2026.8.31`,
    from: 'npm',
    entry: () => ({ ...npx(`${SCOPE}-everything@2026.8.31`), sandbox: {} }),
    call: { tool: 'get-sum', arguments: () => ({ a: 19, b: 23 }), expects: /\b42\b/ },
  },
  {
    id: 'pdf',
    package: `${SCOPE}-pdf@2.0.4`,
    from: 'npm',
    entry: ({ folder }) => ({
      ...npx(`${SCOPE}-pdf@2.0.4`, '--stdio', join(folder, 'tides.pdf')),
      sandbox: { read: [folder] },
    }),
    prepare: ({ folder }) => writePdf(join(folder, 'tides.pdf'), PAGE_TEXT),
    call: { tool: 'list_pdfs', arguments: () => ({}), expects: /tides\.pdf/ },
  },
  {
    id: 'github',
    package: `${SCOPE}-github@2025.4.8`,
    from: 'npm',
    entry: () => ({ ...npx(`${SCOPE}-github@2025.4.8`), sandbox: {} }),
    call: {
      tool: 'search_repositories',
      arguments: () => ({ query: 'bubblewrap' }),
      expects: /total_count/,
      needs: 'the internet, and GITHUB_PERSONAL_ACCESS_TOKEN (an API key) for most tools; none is set',
    },
  },
  {
    id: 'context7',
    package: '@upstash/context7-mcp@4.1.1',
    from: 'npm',
    entry: () => ({ ...npx('@upstash/context7-mcp@4.1.1'), sandbox: {} }),
    call: {
      tool: 'resolve-library-id',
      arguments: () => ({ query: 'How do I start a server?', libraryName: 'hono' }),
      expects: /\/honojs\//,
      needs: 'the service of Context7 on the internet (an API key is optional)',
    },
  },
  {
    id: 'basic-vanillajs',
    package: `${SCOPE}-basic-vanillajs@2.0.3`,
    from: 'npm',
    entry: () => ({ ...npx(`${SCOPE}-basic-vanillajs@2.0.3`, '--stdio'), sandbox: {} }),
    call: { tool: 'get-time', arguments: () => ({}), expects: /20\d\d-\d\d-\d\dT/ },
  },
  {
    id: 'budget-allocator',
    package: `${SCOPE}-budget-allocator@2.0.3`,
    from: 'npm',
    entry: () => ({ ...npx(`${SCOPE}-budget-allocator@2.0.3`, '--stdio'), sandbox: {} }),
    call: { tool: 'get-budget-data', arguments: () => ({}), expects: /budget/i },
  },
  {
    id: 'map',
    package: `${SCOPE}-map@2.0.3`,
    from: 'npm',
    entry: () => ({ ...npx(`${SCOPE}-map@2.0.3`, '--stdio'), sandbox: {} }),
    call: {
      tool: 'show-map',
      arguments: () => ({ west: 5.9, south: 45.8, east: 10.5, north: 47.8, label: 'Tides' }),
      expects: /5\.9|Tides/,
    },
  },
  {
    id: 'threejs',
    package: `${SCOPE}-threejs@2.0.3`,
    from: 'npm',
    entry: () => ({ ...npx(`${SCOPE}-threejs@2.0.3`, '--stdio'), sandbox: {} }),
    call: { tool: 'learn_threejs', arguments: () => ({}), expects: /THREE\.|Three\.js/ },
  },
  {
    id: 'sqlite',
    package: 'mcp-server-sqlite-npx@0.8.0',
    from: 'npm',
    entry: ({ folder }) => ({
      ...npx('mcp-server-sqlite-npx@0.8.0', join(folder, 'tides.db')),
      sandbox: { write: [folder] },
    }),
    call: {
      tool: 'read_query',
      arguments: () => ({ query: 'SELECT 19 + 23 AS sum' }),
      expects: /42/,
      needs: 'a binary that its package sqlite3 downloads from outside of npm, or the headers of Node to compile it',
    },
  },
  {
    id: 'fetch-npm',
    package: 'mcp-fetch-server@1.1.2',
    from: 'npm',
    entry: () => ({ ...npx('mcp-fetch-server@1.1.2'), sandbox: {} }),
    call: {
      tool: 'fetch_txt',
      arguments: ({ pageUrl }) => ({ url: pageUrl }),
      expects: new RegExp(PAGE_TEXT),
      needs: 'a page on the internet: it refuses addresses of this machine',
    },
  },
];
