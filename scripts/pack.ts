import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countChild } from './cost/by-owner.ts';
import { PAGE, PUBLISHED } from './packages.ts';
import type { Ran } from './run.ts';
import { runFolder } from '../testing/src/test-run.ts';
import { ROOT, run, runNpm } from './run.ts';

/**
 * Packs the published packages, installs the tarballs in an empty folder, and uses them there with the pinned Node and
 * the Node of the machine. Returns the error, or null.
 */
export async function packAndUse(): Promise<string | null> {
  const folder = mkdtempSync(join(runFolder() ?? tmpdir(), 'toolyard-pack-'));
  try {
    const workspaces = [...PUBLISHED, PAGE].map((workspace) => `--workspace=${workspace}`);
    const packed = await runNpm(['pack', '--silent', '--pack-destination', folder, ...workspaces], { quiet: true });
    if (packed.code !== 0) return `npm pack failed:\n${packed.output}`;
    const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    writeFileSync(join(folder, 'package.json'), '{ "name": "user", "private": true, "type": "module" }');
    // Prefer the npm cache, so that a temporary failure of the registry does not fail the test.
    const installed = await runNpm(
      [
        'install',
        '--prefer-offline',
        '--no-audit',
        '--no-fund',
        '--loglevel=error',
        ...tarballs.map((name) => `./${name}`),
      ],
      { cwd: folder, quiet: true },
    );
    if (installed.code !== 0) return `cannot install the tarballs:\n${installed.output}`;

    const nodes = new Set([process.execPath, process.env['TOOLYARD_SYSTEM_NODE'] ?? process.execPath]);
    for (const node of nodes) {
      const wrong =
        (await useCommand(folder, node)) ?? (await useServer(folder, node)) ?? (await useLibrary(folder, node));
      if (wrong !== null) return `on ${node}: ${wrong}`;
    }
    return await usePage(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function useCommand(folder: string, node: string): Promise<string | null> {
  const bin = join(folder, 'node_modules', 'toolyard', 'dist', 'bin.js');
  const ran = await run(node, [bin, 'chat', '--model', 'demo', 'What time is it in Tokyo?'], {
    cwd: folder,
    quiet: true,
  });
  return expectOutput('toolyard chat', ran, /Tokyo|\+09:00/);
}

async function useServer(folder: string, node: string): Promise<string | null> {
  const ran = await run(node, [join(folder, 'node_modules', '@toolyard', 'server-date', 'dist', 'bin.js'), '--help'], {
    cwd: folder,
    quiet: true,
  });
  return expectOutput('toolyard-server-date --help', ran, /--http/);
}

/** Opens the page from the packages; the server needs the pinned Node. */
async function usePage(folder: string): Promise<string | null> {
  const bin = join(folder, 'node_modules', 'toolyard', 'dist', 'bin.js');
  const args = [bin, 'serve', '--port', '0', '--data-dir', join(folder, 'data')];
  const child = countChild(spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }));
  const ended = once(child, 'exit');
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  try {
    const url = await new Promise<string | null>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const found = /http:\/\/\S+/.exec(text)?.[0];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', () => resolve(null));
    });
    if (url === null) return `toolyard serve ended with ${String(child.exitCode)} and printed:\n${output}`;
    const html = await (await fetch(url)).text();
    const script = /"(?:\.?)(\/_app\/immutable\/entry\/start[^"]+)"/.exec(html)?.[1];
    const works = script !== undefined && (await fetch(new URL(script, url))).ok;
    return works ? null : `the page of toolyard serve is not the built one:\n${html.slice(0, 500)}`;
  } finally {
    child.kill();
    await ended;
  }
}

/** Runs the example of the README. */
async function useLibrary(folder: string, node: string): Promise<string | null> {
  const example = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))?.[1];
  if (example === undefined) return 'the README has no example in a ts block';
  const file = join(folder, 'example.mjs');
  writeFileSync(file, example.replaceAll('await using ', 'const '));
  const ran = await run(node, [file], { cwd: folder, quiet: true });
  return expectOutput('the example of the README', ran, /\d/);
}

function expectOutput(what: string, { code, output }: Ran, pattern: RegExp): string | null {
  if (code === 0 && pattern.test(output)) return null;
  return `${what} ended with ${code} and printed:\n${output}`;
}

if (import.meta.main) {
  const wrong = await packAndUse();
  console.log(wrong ?? 'packed, installed and used');
  process.exitCode = wrong === null ? 0 : 1;
}
