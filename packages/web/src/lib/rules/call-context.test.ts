import type { JsonObject, McpServerConfiguration, McpServerView } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { expect, it } from 'vitest';
import { testTool } from '../servers/test-fixtures/test-servers.ts';
import { callContextOfTool } from './call-context.ts';
import { explainCall } from './explain-call.ts';

const SCHEMA: JsonObject = { properties: { what: { type: 'string', description: 'Shell command to run' } } };
const STDIO: McpServerView['transport'] = { type: 'stdio', command: 'x' };

function api(cwd: string | undefined) {
  const transport = { type: 'stdio' as const, command: 'x', ...defined({ cwd }) };
  const configuration: McpServerConfiguration = {
    ...{ id: 'desk', enabled: true, disabledTools: [], callTimeoutMs: null, connectTimeoutMs: null },
    ...{ processes: null, maxConcurrentCalls: null },
    transport,
  };
  return {
    tools: () => Promise.resolve([{ ...testTool('desk', 'do'), inputSchema: SCHEMA }]),
    configuration: () => Promise.resolve(configuration),
  };
}

async function tried(args: JsonObject, cwd?: string) {
  const known = await callContextOfTool(api(cwd), { id: 'desk', editable: true, transport: STDIO }, 'do');
  return explainCall({
    tool: { serverId: 'desk', name: 'do' },
    args,
    mode: 'allow-list',
    rules: [{ decision: 'allow', inside: '/srv/notes' }],
    lostRules: false,
    permission: undefined,
    judged: { builtIn: false, readOnly: false, callContext: () => known },
  });
}

it('"Try a call" checks the call by the tool\'s schema, like a real call', async () => {
  // Only the schema says that this is a command, and a command that cannot be parsed needs approval.
  expect(await tried({ what: 'mytool "$X"; $X' })).toMatchObject({ decision: 'ask', by: { kind: 'danger' } });
});

it('resolves relative paths in the working directory of the server', async () => {
  expect(await tried({ path: 'a.md' }, '/srv/notes')).toMatchObject({ decision: 'run', by: { kind: 'rules' } });
  expect(await tried({ path: 'a.md' }, '/srv')).toMatchObject({ decision: 'ask', by: { kind: 'mode' } });
  expect(await tried({ path: 'a.md' }, '${env:HOME}')).toMatchObject({ decision: 'ask', by: { kind: 'mode' } });
});
