import { test } from 'vitest';
import { expectPage } from './page-servers.ts';

test('server-system-monitor over stdio and HTTP: calls its tool and reads its UI resource', async () => {
  await expectPage(
    '@modelcontextprotocol/server-system-monitor',
    'get-system-info',
    'ui://system-monitor/mcp-app.html',
  );
});
