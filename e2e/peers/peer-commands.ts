import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import type { TransportConfig } from '@toolyard/mcp-host';
import { eventually, registerProcess, within } from '@toolyard/testing';

/** The path of a program of an installed package, by its name in package.json. */
export function getProgram(packageName: string, program?: string): string {
  const manifest = findPackageJSON(packageName, import.meta.url);
  if (manifest === undefined) throw new Error(`${packageName} is not installed: run npm ci`);
  const parsed = parseJson(readFileSync(manifest, 'utf8'));
  const programs = parsed.ok && isJsonObject(parsed.value) ? parsed.value['bin'] : undefined;
  const path = isJsonObject(programs)
    ? program === undefined
      ? Object.values(programs)[0]
      : programs[program]
    : programs;
  if (typeof path !== 'string') throw new Error(`${packageName} has no program ${program ?? ''}`);
  return join(dirname(manifest), path);
}

/** Command that starts the program of a package as a server. */
export function overStdio(
  packageName: string,
  args: string[] = [],
  env: Record<string, string> = {},
): Extract<TransportConfig, { type: 'stdio' }> {
  return { type: 'stdio', command: process.execPath, args: [getProgram(packageName), ...args], env };
}

export type Running = { stop: () => Promise<void>; said: () => string };

/**
 * Starts a server that listens on a port, and waits until it responds. It leads a process group, so that its children
 * are killed with it.
 */
export async function startOnPort(args: string[], port: number, env: Record<string, string> = {}): Promise<Running> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  registerProcess(child, 'server of others');
  let said = '';
  const hear = (chunk: Buffer): void => void (said += chunk.toString('utf8'));
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      if (process.platform === 'win32') child.kill();
      else process.kill(-child.pid, 'SIGKILL');
    }
    await within(gone, { what: `the exit of the server on port ${port}` });
  };
  try {
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error(`it exited: ${said}`);
        await fetch(`http://127.0.0.1:${port}/`).then((response) => response.body?.cancel());
        return true;
      },
      { what: `an answer on port ${port}` },
    );
  } catch (thrown) {
    await stop();
    throw new Error(`nothing answers on port ${port}: ${said}`, { cause: thrown });
  }
  return { stop, said: () => said };
}
