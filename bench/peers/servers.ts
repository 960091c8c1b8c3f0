import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePdf } from '@toolyard/testing';
import type { JsonObject } from '../../packages/protocol/src/index.ts';
import type { Stage } from './stage.ts';
import { PAGE_TEXT } from './stage.ts';

/** A third-party MCP server: its entry in `mcp.json`, and a call. Functions get the folder and the stage it uses. */
export type PeerServer = {
  id: string;
  command: 'npx' | 'uvx';
  /** Package with version. */
  package: string;
  /** Arguments after the package. */
  args?: (stage: Stage) => string[];
  /** Default `{}`. */
  sandbox?: (stage: Stage) => JsonObject;
  env?: (stage: Stage) => Record<string, string>;
  /** Creates the files that it needs. */
  prepare?: (stage: Stage) => void;
  /** Why it cannot be tested on this stage. */
  missing?: (stage: Stage) => string | null;
  tool: string;
  arguments?: (stage: Stage) => JsonObject;
  /** Expected text of the result. */
  expects: RegExp;
  /** Set if the call needs an API key or the internet. */
  needs?: string;
};

const SCOPE = '@modelcontextprotocol/server';
const STDIO = (): string[] => ['--stdio'];
const inPage = ({ pageUrl }: Stage): JsonObject => ({ url: pageUrl });
const toIndia = (): JsonObject => ({ source_timezone: 'Asia/Tokyo', time: '12:00', target_timezone: 'Asia/Kolkata' });

/** The entry names a browser of this machine; the profile makes it work with the browser's own sandbox. */
export const BROWSER: Pick<PeerServer, 'sandbox' | 'env' | 'missing'> = {
  sandbox: ({ chromium }) => ({
    profile: 'browser',
    read: chromium === null ? [] : [join(chromium.executablePath, '..')],
  }),
  env: ({ chromium }) => chromium?.env ?? {},
  missing: ({ chromium }) => (chromium === null ? 'no Chromium runs on this machine' : null),
};

/** In the order of the report. Versions are pinned here. */
export const PEER_SERVERS: readonly PeerServer[] = [
  {
    id: 'filesystem',
    command: 'npx',
    package: `${SCOPE}-filesystem@2026.8.31`,
    args: ({ folder }) => [folder],
    sandbox: ({ folder }) => ({ write: [folder] }),
    prepare: ({ folder }) => writeFileSync(join(folder, 'note.txt'), 'low tide at six'),
    tool: 'read_text_file',
    arguments: ({ folder }) => ({ path: join(folder, 'note.txt') }),
    expects: /low tide at six/,
  },
  {
    id: 'memory',
    command: 'npx',
    package: `${SCOPE}-memory@2026.8.31`,
    tool: 'create_entities',
    arguments: () => ({ entities: [{ name: `tide-${Date.now()}`, entityType: 'event', observations: ['low'] }] }),
    expects: /"entityType": "event"/,
  },
  {
    id: 'sequential-thinking',
    command: 'npx',
    package: `${SCOPE}-sequential-thinking@2026.8.31`,
    sandbox: () => ({ network: 'on' }),
    tool: 'sequentialthinking',
    arguments: () => ({ thought: 'One.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }),
    expects: /"thoughtHistoryLength": 1/,
  },
  {
    id: 'everything',
    command: 'npx',
    package: `${SCOPE}-everything@2026.8.31`,
    tool: 'get-sum',
    arguments: () => ({ a: 19, b: 23 }),
    expects: /\b42\b/,
  },
  {
    id: 'pdf',
    command: 'npx',
    package: `${SCOPE}-pdf@2.0.4`,
    args: ({ folder }) => ['--stdio', join(folder, 'tides.pdf')],
    sandbox: ({ folder }) => ({ read: [folder] }),
    prepare: ({ folder }) => writePdf(join(folder, 'tides.pdf'), PAGE_TEXT),
    tool: 'list_pdfs',
    expects: /tides\.pdf/,
  },
  {
    id: 'github',
    command: 'npx',
    package: `${SCOPE}-github@2025.4.8`,
    tool: 'search_repositories',
    arguments: () => ({ query: 'bubblewrap' }),
    expects: /total_count/,
    needs: 'the internet, and GITHUB_PERSONAL_ACCESS_TOKEN (an API key) for most tools; none is set',
  },
  {
    id: 'context7',
    command: 'npx',
    package: '@upstash/context7-mcp@4.1.1',
    tool: 'resolve-library-id',
    arguments: () => ({ query: 'How do I start a server?', libraryName: 'hono' }),
    expects: /\/honojs\//,
    needs: 'the service of Context7 on the internet (an API key is optional)',
  },
  {
    id: 'basic-vanillajs',
    command: 'npx',
    package: `${SCOPE}-basic-vanillajs@2.0.3`,
    args: STDIO,
    tool: 'get-time',
    expects: /20\d\d-\d\d-\d\dT/,
  },
  {
    id: 'budget-allocator',
    command: 'npx',
    package: `${SCOPE}-budget-allocator@2.0.3`,
    args: STDIO,
    tool: 'get-budget-data',
    expects: /budget/i,
  },
  {
    id: 'map',
    command: 'npx',
    package: `${SCOPE}-map@2.0.3`,
    args: STDIO,
    tool: 'show-map',
    arguments: () => ({ west: 5.9, south: 45.8, east: 10.5, north: 47.8, label: 'Tides' }),
    expects: /5\.9|Tides/,
  },
  {
    id: 'threejs',
    command: 'npx',
    package: `${SCOPE}-threejs@2.0.3`,
    args: STDIO,
    tool: 'learn_threejs',
    expects: /THREE\.|Three\.js/,
  },
  {
    id: 'sqlite',
    command: 'npx',
    package: 'mcp-server-sqlite-npx@0.8.0',
    args: ({ folder }) => [join(folder, 'tides.db')],
    sandbox: ({ folder }) => ({ write: [folder] }),
    tool: 'read_query',
    arguments: () => ({ query: 'SELECT 19 + 23 AS sum' }),
    expects: /42/,
    needs: 'a binary that its package sqlite3 downloads from outside of npm, or the headers of Node to compile it',
  },
  {
    id: 'fetch-npm',
    command: 'npx',
    package: 'mcp-fetch-server@1.1.2',
    tool: 'fetch_txt',
    arguments: inPage,
    expects: new RegExp(PAGE_TEXT),
    needs: 'a page on the internet: it refuses addresses of this machine',
  },
  {
    id: 'playwright',
    command: 'npx',
    package: '@playwright/mcp@0.0.83',
    args: ({ chromium }) => ['--browser=chromium', `--executable-path=${chromium?.executablePath ?? ''}`, '--isolated'],
    ...BROWSER,
    tool: 'browser_navigate',
    arguments: inPage,
    expects: new RegExp(PAGE_TEXT),
  },
  {
    id: 'chrome-devtools',
    command: 'npx',
    package: 'chrome-devtools-mcp@1.11.0',
    args: ({ chromium }) => ['--headless', '--isolated', `--executablePath=${chromium?.executablePath ?? ''}`],
    ...BROWSER,
    tool: 'new_page',
    arguments: inPage,
    expects: /tides\.html/,
  },
  {
    id: 'time',
    command: 'uvx',
    package: 'mcp-server-time@2026.10.19',
    tool: 'convert_time',
    arguments: toIndia,
    expects: /"-3\.5h"/,
  },
  {
    id: 'git',
    command: 'uvx',
    package: 'mcp-server-git@2026.10.19',
    args: ({ folder }) => ['--repository', folder],
    sandbox: ({ folder }) => ({ write: [folder] }),
    prepare: makeRepository,
    tool: 'git_log',
    arguments: ({ folder }) => ({ repo_path: folder }),
    expects: /note the tide/,
  },
  {
    id: 'fetch',
    command: 'uvx',
    package: 'mcp-server-fetch@2026.10.24',
    args: () => ['--ignore-robots-txt', '--allow-private-ips'],
    tool: 'fetch',
    arguments: inPage,
    expects: /A page of this machine/,
  },
  {
    id: 'fastmcp',
    command: 'uvx',
    package: '--from=fastmcp-sample-server==0.4.1',
    args: () => ['sample-mcp-server', '--transport', 'stdio'],
    tool: 'calculate',
    arguments: () => ({ expression: '19 + 23' }),
    expects: /\b42\b/,
  },
  {
    id: 'mcp-proxy',
    command: 'uvx',
    package: 'mcp-proxy@0.13.0',
    args: ({ proxiedUrl }) => [proxiedUrl ?? ''],
    missing: ({ proxiedUrl }) => (proxiedUrl === null ? 'the server behind mcp-proxy did not start' : null),
    tool: 'convert_time',
    arguments: toIndia,
    expects: /"-3\.5h"/,
  },
];

function makeRepository({ folder }: Stage): void {
  if (existsSync(join(folder, '.git'))) return;
  const git = (...args: readonly string[]): void => void execFileSync('git', ['-C', folder, ...args]);
  git('init', '--quiet');
  writeFileSync(join(folder, 'tide.txt'), 'low');
  git('add', '.');
  git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', 'commit', '--quiet', '-m', 'note the tide');
}
