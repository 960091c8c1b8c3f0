import type { Peer, Stage } from './peer.ts';
import { npx, PAGE_TEXT } from './peer.ts';

const missing = ({ chromium }: Stage): string | null => (chromium === null ? 'no Chromium runs on this machine' : null);

/** The entry names a browser of this machine; the profile makes it work with the browser's own sandbox. */
function withBrowser({ chromium }: Stage, name: string, ...args: readonly string[]) {
  const { executablePath, env, folders } = chromium ?? { executablePath: '', env: {}, folders: [] };
  const sandbox = { profile: 'browser', read: folders };
  return { ...npx(name, ...args.map((arg) => arg.replace('BROWSER', executablePath))), env, sandbox };
}

export const BROWSER_PEERS: readonly Peer[] = [
  {
    id: 'playwright',
    package: '@playwright/mcp@0.0.83',
    from: 'npm',
    entry: (stage) =>
      withBrowser(
        stage,
        '@playwright/mcp@0.0.83',
        '--browser',
        'chromium',
        '--executable-path',
        'BROWSER',
        '--isolated',
      ),
    missing,
    call: {
      tool: 'browser_navigate',
      arguments: ({ pageUrl }) => ({ url: pageUrl }),
      expects: new RegExp(PAGE_TEXT),
    },
  },
  {
    id: 'chrome-devtools',
    package: 'chrome-devtools-mcp@1.11.0',
    from: 'npm',
    entry: (stage) =>
      withBrowser(stage, 'chrome-devtools-mcp@1.11.0', '--headless', '--isolated', '--executablePath', 'BROWSER'),
    missing,
    call: { tool: 'new_page', arguments: ({ pageUrl }) => ({ url: pageUrl }), expects: /tides\.html/ },
  },
];
