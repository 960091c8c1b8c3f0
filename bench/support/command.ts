import { cpus, loadavg } from 'node:os';

/** For people; figures go to stdout. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** What the figures were taken on. */
export function machine(): string {
  return `node ${process.versions.node}, ${String(cpus().length)} cores (${cpus()[0]?.model ?? 'unknown'})`;
}

/** The others on this machine: without them the figures would be better. */
export function loadNow(): string {
  return `load of the machine, last minute: ${(loadavg()[0] ?? 0).toFixed(2)}`;
}

/** What the command line says; ends the process where it asks for help, or cannot be read. */
export function optionsOrExit<Options>(read: (args: string[]) => Options | null, usage: string): Options {
  try {
    const options = read(process.argv.slice(2));
    if (options !== null) return options;
    process.stdout.write(usage);
    process.exit(0);
  } catch (thrown) {
    say(`${thrown instanceof Error ? thrown.message : String(thrown)}\n\n${usage}`);
    process.exit(2);
  }
}
