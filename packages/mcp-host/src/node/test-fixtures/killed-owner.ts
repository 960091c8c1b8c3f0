// Starts the server given as its argument, waits for its first answer, prints it, and then only waits.
import { parseJson, systemClock } from '@toolyard/protocol';
import { createStdioTransport } from '../stdio-transport.ts';
import type { StdioConfig } from '../sandbox/sandboxed-command.ts';

const parsed = parseJson(process.argv[2] ?? '');
if (!parsed.ok) throw new Error(parsed.problem);
const { config, stateFolder, ask } = parsed.value as { config: StdioConfig; stateFolder: string; ask: object };
const context = { serverId: 'hostile', clock: systemClock, log: () => undefined };
const transport = createStdioTransport(config, context, { sandbox: { stateFolder } });
transport.onmessage = () => void process.stdout.write('answered\n');
await transport.start();
await transport.send({ jsonrpc: '2.0', id: 1, method: 'escape', params: { at: { ...ask } } });
