import { cpus, loadavg } from 'node:os';

/** Prints to stderr; figures go to stdout. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** The machine of the figures. */
export function machine(): string {
  return `node ${process.versions.node}, ${String(cpus().length)} cores (${cpus()[0]?.model ?? 'unknown'})`;
}

/** Load of other processes, which distorts the figures. */
export function loadNow(): string {
  return `load of the machine, last minute: ${(loadavg()[0] ?? 0).toFixed(2)}`;
}
