import { scryptSync } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Owner } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import { needs, UNIX } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Secrets } from './secrets.ts';
import { toSealingKey } from './sealing.ts';
import { createSecrets } from './secrets.ts';

const me: Owner = { ownerId: 'owner' };
let folder: string;
let storage: Storage;
let logged: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-secrets-'));
  storage = await openStorage({ folder, clock: systemClock });
  logged = [];
});
afterEach(() => {
  storage.close();
  rmSync(folder, { recursive: true });
});

/** Deriving a key at the default cost takes a tenth of a second per start. */
const CHEAP = { scryptCost: 2 ** 10 };

/** Creates them like a new start of the server. */
function secrets(env: Record<string, string> = {}, more: { scryptCost?: number } = CHEAP): Secrets {
  return createSecrets({
    repository: storage.secrets,
    clock: systemClock,
    folder,
    env,
    log: (line) => logged.push(line),
    ...more,
  });
}

const keyFile = (): string => join(folder, 'secret.key');
const readMode = (file: string): number => statSync(file).mode & 0o777;

describe('secrets with a key file', () => {
  it('survive a restart, encrypted in the data folder, with a private key file', async () => {
    await secrets().set(me, 'provider:a', 'sk-very-secret');
    expect(await secrets().get(me, 'provider:a')).toBe('sk-very-secret');
    expect(readMode(keyFile())).toBe(0o600);
    storage.close();
    for (const file of ['toolyard.db', 'secret.key']) {
      expect(readFileSync(join(folder, file)).includes('sk-very-secret'), file).toBe(false);
    }
    storage = await openStorage({ folder, clock: systemClock });
    expect(await secrets().get(me, 'provider:a')).toBe('sk-very-secret');
  });

  it('create no key before one is needed', async () => {
    expect(await secrets().get(me, 'provider:a')).toBeNull();
    expect(() => statSync(keyFile())).toThrow();
  });

  it('belong to their owner: the bytes cannot be decrypted for another one', async () => {
    await secrets().set(me, 'provider:a', 'mine');
    const sealed = await storage.secrets.get(me, 'provider:a');
    if (sealed === null) throw new Error('nothing was stored');
    const other = { ownerId: 'other' };
    expect(await secrets().get(other, 'provider:a')).toBeNull();
    await storage.secrets.set(other, 'provider:a', sealed, 0);
    await expect(secrets().get(other, 'provider:a')).rejects.toMatchObject({ code: 'bad_config' });
  });

  it('make a readable key file private, and log it', needs(UNIX), async () => {
    await secrets().set(me, 'a', 'x');
    chmodSync(keyFile(), 0o644);
    expect(await secrets().get(me, 'a')).toBe('x');
    expect(readMode(keyFile())).toBe(0o600);
    expect(logged).toEqual([expect.stringContaining('was readable by other users')]);
  });

  it('report the secrets of a lost key and what to do, and continue with a new key', async () => {
    await secrets().set(me, 'provider:a', 'x');
    await secrets().set(me, 'provider:b', 'y');
    rmSync(keyFile());
    const after = secrets();
    expect(await after.check(me)).toEqual(['provider:a', 'provider:b']);
    expect(logged.join('\n')).toMatch(/"provider:a" cannot be read.*another key[\s\S]*enter the secret again/);
    await after.set(me, 'provider:a', 'again');
    expect(await secrets().check(me)).toEqual(['provider:b']);
    expect(await secrets().get(me, 'provider:a')).toBe('again');
  });

  it('report a damaged key file without overwriting it, and work after it is restored', async () => {
    const all = secrets();
    await all.set(me, 'a', 'x');
    renameSync(keyFile(), join(folder, 'kept'));
    writeFileSync(keyFile(), 'half', { mode: 0o600 });
    const after = secrets();
    await expect(after.get(me, 'a')).rejects.toMatchObject({ code: 'bad_config', message: /damaged/ });
    expect(await after.check(me)).toEqual(['a']);
    expect(readFileSync(keyFile(), 'utf8')).toBe('half');
    renameSync(join(folder, 'kept'), keyFile());
    expect(await after.get(me, 'a')).toBe('x');
  });
});

describe('checking secrets', () => {
  it('never rejects, even if the data folder is closed meanwhile', async () => {
    await secrets().set(me, 'a', 'x');
    storage.close();
    expect(await secrets().check(me)).toEqual([]);
    expect(logged).toEqual([expect.stringContaining('could not check')]);
  });
});

describe('secrets with TOOLYARD_SECRET', () => {
  const ONE = 'correct horse battery';
  const TWO = 'another staple of hay';
  const checkFile = (): string => join(folder, 'secret.check');

  it('survive a restart without a key file', async () => {
    await secrets({ TOOLYARD_SECRET: ONE }).set(me, 'a', 'x');
    expect(await secrets({ TOOLYARD_SECRET: ONE }).get(me, 'a')).toBe('x');
    expect(() => statSync(keyFile())).toThrow();
  });

  it('use a key derived by scrypt with N = 2^15 by default', async () => {
    await secrets({ TOOLYARD_SECRET: ONE }, {}).claim();
    const salt = Buffer.from(readFileSync(join(folder, 'secret.salt'), 'utf8'), 'base64url');
    const derived = scryptSync(ONE, salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 });
    expect(readFileSync(checkFile(), 'utf8').trim()).toBe(toSealingKey(derived).id.toString('hex'));
  });

  it('cannot be decrypted with another one', async () => {
    await secrets({ TOOLYARD_SECRET: ONE }).set(me, 'a', 'x');
    const wrong = secrets({ TOOLYARD_SECRET: TWO });
    await expect(wrong.get(me, 'a')).rejects.toMatchObject({ code: 'bad_config', hint: /TOOLYARD_SECRET_OLD/ });
  });

  it('change to a new one if the old one is set once', async () => {
    await secrets({ TOOLYARD_SECRET: ONE }).set(me, 'a', 'x');
    expect(await secrets({ TOOLYARD_SECRET: TWO, TOOLYARD_SECRET_OLD: ONE }).check(me)).toEqual([]);
    expect(await secrets({ TOOLYARD_SECRET: TWO }).get(me, 'a')).toBe('x');
  });

  it('change from the key file automatically', async () => {
    await secrets().set(me, 'a', 'x');
    const passphrase = secrets({ TOOLYARD_SECRET: ONE });
    await passphrase.claim();
    expect(await passphrase.check(me)).toEqual([]);
    rmSync(keyFile());
    await secrets({ TOOLYARD_SECRET: ONE }).claim();
    expect(await secrets({ TOOLYARD_SECRET: ONE }).get(me, 'a')).toBe('x');
  });

  it('reject a short one, but accept it as the former one', async () => {
    await expect(secrets({ TOOLYARD_SECRET: 'fifteen letters' }).set(me, 'a', 'x')).rejects.toMatchObject({
      code: 'bad_config',
      message: /has 15 characters/,
      hint: /16 characters or more; "openssl rand -base64 24" generates them/,
    });
    await expect(secrets({ TOOLYARD_SECRET: 'fifteen letters' }).claim()).rejects.toThrow('has 15 characters');
    await secrets({ TOOLYARD_SECRET: TWO, TOOLYARD_SECRET_OLD: 'short' }).claim();
  });

  describe('a start', () => {
    it('reject another one, explain the mistake, and change nothing', async () => {
      await secrets({ TOOLYARD_SECRET: ONE }).claim();
      await expect(secrets({ TOOLYARD_SECRET: TWO }).claim()).rejects.toMatchObject({
        code: 'bad_config',
        message: `TOOLYARD_SECRET differs from the secret of the data folder ${folder}: stored secrets could not be decrypted.`,
        hint: /Start with the previous value/,
      });
      await expect(secrets().claim()).rejects.toMatchObject({ code: 'bad_config', message: /is not set/ });
      expect(() => statSync(keyFile())).toThrow();
      await secrets({ TOOLYARD_SECRET: ONE }).claim();
      expect(readMode(checkFile())).toBe(0o600);
    });

    it('change with the former one set as well, in both directions', async () => {
      await secrets({ TOOLYARD_SECRET: ONE }).claim();
      await secrets({ TOOLYARD_SECRET: TWO, TOOLYARD_SECRET_OLD: ONE }).claim();
      await expect(secrets({ TOOLYARD_SECRET: ONE }).claim()).rejects.toMatchObject({ code: 'bad_config' });
      await secrets({ TOOLYARD_SECRET_OLD: TWO }).claim();
      await secrets().claim();
      expect(() => statSync(checkFile())).toThrow();
    });

    it('in a folder without a fingerprint accept the secret that decrypts, including sign-ins', async () => {
      const sealing = secrets({ TOOLYARD_SECRET: ONE });
      const sealed = Buffer.from(await sealing.seal(me, 'sign-in:x', '{}'), 'base64');
      await storage.signIns.put(me, 'x', { sealed, expected: null, expiresAt: null, at: 1 });
      // Unreadable secrets are reported, and no fingerprint is stored.
      await secrets({ TOOLYARD_SECRET: TWO }).claim();
      await secrets({ TOOLYARD_SECRET: ONE }).claim();
      await expect(secrets({ TOOLYARD_SECRET: TWO }).claim()).rejects.toMatchObject({ code: 'bad_config' });
    });

    it('in a backup without keys accept any, and report what is unreadable', async () => {
      await secrets({ TOOLYARD_SECRET: ONE }).claim();
      await secrets({ TOOLYARD_SECRET: ONE }).set(me, 'a', 'x');
      for (const name of ['secret.salt', 'secret.check']) {
        renameSync(join(folder, name), join(folder, `${name}.kept`));
      }
      const restored = secrets({ TOOLYARD_SECRET: TWO });
      await restored.claim();
      expect(await restored.check(me)).toEqual(['a']);
      await restored.set(me, 'a', 'again');
      await secrets({ TOOLYARD_SECRET: TWO }).claim();
      await expect(secrets({ TOOLYARD_SECRET: ONE }).claim()).rejects.toMatchObject({ code: 'bad_config' });
      for (const name of ['secret.salt', 'secret.check']) {
        renameSync(join(folder, `${name}.kept`), join(folder, name));
      }
      await secrets({ TOOLYARD_SECRET: ONE }).claim();
    });

    it('store nothing that reveals more about the key than every encrypted text', async () => {
      const of = secrets({ TOOLYARD_SECRET: ONE });
      await of.claim();
      await of.set(me, 'a', 'x');
      const head = Buffer.from((await storage.secrets.get(me, 'a')) ?? []).subarray(1, 5);
      expect(readFileSync(checkFile(), 'utf8').trim()).toBe(head.toString('hex'));
    });
  });

  it('authenticate with either key while the secret is being changed', async () => {
    const before = await secrets({ TOOLYARD_SECRET: ONE, TOOLYARD_SECRET_OLD: TWO }).tokens('processes');
    const after = await secrets({ TOOLYARD_SECRET: TWO, TOOLYARD_SECRET_OLD: ONE }).tokens('processes');
    expect(after).toEqual(before.toReversed());
    expect(new Set(after).size).toBe(2);
  });
});
