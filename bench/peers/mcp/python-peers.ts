import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer, Stage } from './peer.ts';
import { uvx } from './peer.ts';

/** Servers from PyPI, started by `uvx`. Versions are pinned here. */
export const PYTHON_PEERS: readonly Peer[] = [
  {
    id: 'time',
    package: 'mcp-server-time@2026.10.19',
    from: 'PyPI',
    entry: () => ({ ...uvx('mcp-server-time@2026.10.19'), sandbox: {} }),
    call: {
      tool: 'convert_time',
      arguments: () => ({ source_timezone: 'Asia/Tokyo', time: '12:00', target_timezone: 'Asia/Kolkata' }),
      expects: /"-3\.5h"/,
    },
  },
  {
    id: 'git',
    package: 'mcp-server-git@2026.10.19',
    from: 'PyPI',
    entry: ({ folder }) => ({
      ...uvx('mcp-server-git@2026.10.19', '--repository', folder),
      sandbox: { write: [folder] },
    }),
    prepare: makeRepository,
    call: {
      tool: 'git_log',
      arguments: ({ folder }) => ({ repo_path: folder }),
      expects: /note the tide/,
    },
  },
  {
    id: 'fetch',
    package: 'mcp-server-fetch@2026.10.24',
    from: 'PyPI',
    entry: () => ({ ...uvx('mcp-server-fetch@2026.10.24', '--ignore-robots-txt', '--allow-private-ips'), sandbox: {} }),
    call: { tool: 'fetch', arguments: ({ pageUrl }) => ({ url: pageUrl }), expects: /A page of this machine/ },
  },
  {
    id: 'fastmcp',
    package: 'fastmcp-sample-server==0.4.1',
    from: 'PyPI',
    entry: () => ({
      ...uvx('--from', 'fastmcp-sample-server==0.4.1', 'sample-mcp-server', '--transport', 'stdio'),
      sandbox: {},
    }),
    call: { tool: 'calculate', arguments: () => ({ expression: '19 + 23' }), expects: /\b42\b/ },
  },
  {
    id: 'mcp-proxy',
    package: 'mcp-proxy@0.13.0',
    from: 'PyPI',
    entry: ({ proxiedUrl }) => ({ ...uvx('mcp-proxy@0.13.0', proxiedUrl ?? ''), sandbox: {} }),
    missing: ({ proxiedUrl }) => (proxiedUrl === null ? 'the server behind mcp-proxy did not start' : null),
    call: {
      tool: 'convert_time',
      arguments: () => ({ source_timezone: 'Asia/Tokyo', time: '12:00', target_timezone: 'Asia/Kolkata' }),
      expects: /"-3\.5h"/,
    },
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
