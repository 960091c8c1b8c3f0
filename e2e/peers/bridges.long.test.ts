import { test } from 'vitest';
import { expectPage } from './page-servers.ts';

test('server-system-monitor over stdio and HTTP: its tool is called, its page is there to read', async () => {
  await expectPage(
    '@modelcontextprotocol/server-system-monitor',
    'get-system-info',
    'ui://system-monitor/mcp-app.html',
  );
});
