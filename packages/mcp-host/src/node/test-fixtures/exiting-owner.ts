// Starts the server given as its argument, waits until it runs, prints its processes, and
// exits without closing it.
import { parseJson, systemClock } from '@toolyard/protocol';
import { listProcessTree } from '@toolyard/testing';
import type { TransportConfig } from '../../types.ts';
import { killAllStdioChildren } from '../process-group.ts';
import { createStdioTransport } from '../stdio-transport.ts';

const parsed = parseJson(process.argv[2] ?? '');
if (!parsed.ok) throw new Error(parsed.problem);
const config = parsed.value as Extract<TransportConfig, { type: 'stdio' }>;
const transport = createStdioTransport(config, { serverId: 'x', clock: systemClock, log: () => undefined });
process.on('exit', killAllStdioChildren);
transport.onmessage = () => {
  process.stdout.write(JSON.stringify(listProcessTree(process.pid)), () => process.exit(5));
};
await transport.start();
await transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
