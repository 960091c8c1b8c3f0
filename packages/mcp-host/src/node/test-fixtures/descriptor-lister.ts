// Prints what descriptors above 2 its children see: a sandboxed server, one without a sandbox, and a command.
// With `close` it first closes what it inherited, as the CLI does.
import { systemClock } from '@toolyard/protocol';
import { closeInheritedDescriptors } from '../open-descriptors.ts';
import { runSandboxed } from '../run-sandboxed.ts';
import { createStdioTransport } from '../stdio-transport.ts';

const [, , folder = '', mode] = process.argv;
if (mode === 'close') closeInheritedDescriptors();

const LIST = 'exec ls -l /proc/self/fd >&2';
const found: Record<string, string[]> = {};

for (const [name, sandbox] of [
  ['sandboxed', {}],
  ['unsandboxed', false],
] as const) {
  const lines: string[] = (found[name] = []);
  const context = { serverId: name, clock: systemClock, log: (_level: string, line: string) => void lines.push(line) };
  const transport = createStdioTransport({ type: 'stdio', command: 'sh', args: ['-c', LIST], sandbox }, context, {
    sandbox: { stateFolder: folder },
  });
  const exited = new Promise<void>((resolve) => (transport.onclose = resolve));
  await transport.start();
  await exited;
}
const { output } = await runSandboxed({
  ...{ id: 'command', command: 'sh', args: ['-c', LIST], input: '', folder, timeoutMs: 30_000 },
  ...{ maxOutputLength: 100_000, signal: new AbortController().signal, clock: systemClock },
  sandbox: { stateFolder: `${folder}/state` },
});
found['command'] = output.split('\n');
process.stdout.write(JSON.stringify(Object.entries(found)));
