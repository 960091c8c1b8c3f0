/**
 * The scripted MCP server as a process over stdin and stdout. Its first argument is the behaviour as JSON; see
 * `scriptedMcpCommand`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseJson } from '@toolyard/protocol';
import { COUNT_FILE_VARIABLE, LOG_FILE_VARIABLE, type McpBehaviour } from './behaviour.ts';
import { createEngine } from './engine.ts';

const STDOUT = 1;
const STDERR = 2;
const STUBBORN_FOR_MS = 180_000;

const parsed = parseJson(process.argv[2] ?? '{}');
if (!parsed.ok) throw new Error(`The behaviour is not valid JSON: ${parsed.problem}`);
const behaviour = parsed.value as McpBehaviour;
const logFile = process.env[LOG_FILE_VARIABLE];

if (behaviour.stubborn === true) beStubborn();
if (behaviour.stubbornChild !== undefined) await startStubbornChild(behaviour.stubbornChild === 'detached');
if (behaviour.atStart !== undefined) start(behaviour.atStart);
if (behaviour.endlessLine !== undefined) write(STDOUT, 'x'.repeat(behaviour.endlessLine.bytes));

const engine = createEngine(behaviour, {
  exit(code, stderr) {
    write(STDERR, stderr);
    process.exit(code);
  },
  noise: (line) => write(STDOUT, `${line}\n`),
  broadcast: sendLine,
  countFile: process.env[COUNT_FILE_VARIABLE],
});

const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
lines.on('line', (line) => {
  if (logFile !== undefined) appendFileSync(logFile, `${line}\n`);
  const message = parseJson(line);
  if (message.ok) engine.receive(message.value, sendLine, 'stdio');
});
lines.on('close', () => engine.stop());

function sendLine(message: object): void {
  for (const line of behaviour.noise ?? []) write(STDOUT, `${line}\n`);
  write(STDOUT, `${JSON.stringify(message)}\n`);
}

function start(atStart: NonNullable<McpBehaviour['atStart']>): void {
  for (const line of atStart.stdout ?? []) write(STDOUT, `${line}\n`);
  if (atStart.stderr !== undefined) write(STDERR, atStart.stderr);
  if (atStart.exitCode !== undefined) process.exit(atStart.exitCode);
}

/** Writes synchronously to the descriptor, so that an exit in the next line does not lose it. */
function write(descriptor: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      // A full non-blocking pipe: the reader needs a moment. A closed one: there is no reader.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function beStubborn(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  // Keeps running after stdin has ended, but not forever: a test that fails to kill it must not leave it behind.
  setTimeout(() => process.exit(99), STUBBORN_FOR_MS);
}

/** Resolves once the child ignores SIGTERM: a test that ends it sooner would prove nothing. */
async function startStubbornChild(detached: boolean): Promise<void> {
  const script = `
    process.on('SIGTERM', () => {});
    setTimeout(() => process.exit(99), ${STUBBORN_FOR_MS});
    process.disconnect();
  `;
  const output = detached ? 'ignore' : 'inherit';
  const child = spawn(process.execPath, ['-e', script], { detached, stdio: ['ignore', output, output, 'ipc'] });
  await once(child, 'disconnect');
  child.unref();
}
