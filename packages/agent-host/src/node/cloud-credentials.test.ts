import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { cloudCredentials } from './cloud-credentials.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolyard-cloud-'));
afterAll(() => rmSync(folder, { recursive: true }));

const BEDROCK = 'https://bedrock-runtime.eu-central-1.amazonaws.com';
const VERTEX = 'https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4/publishers/google';

describe('credentials of AWS', () => {
  const env = { AWS_ACCESS_KEY_ID: ' ID ', AWS_SECRET_ACCESS_KEY: 'SECRET' };

  test('are its variables', () => {
    expect(cloudCredentials({ cloud: 'aws' }, BEDROCK, env)).toBe('ID:SECRET');
    expect(cloudCredentials({ cloud: 'aws' }, BEDROCK, { ...env, AWS_SESSION_TOKEN: 'T' })).toBe('ID:SECRET:T');
    expect(cloudCredentials({ cloud: 'aws' }, BEDROCK, { AWS_ACCESS_KEY_ID: 'ID' })).toBeUndefined();
  });

  test.each([
    'https://amazonaws.com.example.org',
    'http://bedrock-runtime.x.amazonaws.com',
    'https://evilamazonaws.com',
    'x',
  ])('are not used for %s', (url) => {
    expect(cloudCredentials({ cloud: 'aws' }, url, env)).toBeUndefined();
  });

  test('are not used for other providers', () => {
    expect(cloudCredentials({}, BEDROCK, env)).toBeUndefined();
    expect(cloudCredentials({ cloud: 'google' }, BEDROCK, env)).toBeUndefined();
  });
});

describe('credentials of Google', () => {
  test('are a named file, or that of gcloud in the home folder', () => {
    const path = join(folder, 'key.json');
    writeFileSync(path, '{\n  "type": "service_account"\n}');
    const named = { GOOGLE_APPLICATION_CREDENTIALS: path, HOME: folder };
    expect(cloudCredentials({ cloud: 'google' }, VERTEX, named)).toBe('{"type":"service_account"}');
    expect(cloudCredentials({ cloud: 'google' }, VERTEX, { HOME: folder })).toBeUndefined();
    mkdirSync(join(folder, '.config', 'gcloud'), { recursive: true });
    const gcloud = join(folder, '.config', 'gcloud', 'application_default_credentials.json');
    writeFileSync(gcloud, '{"type":"authorized_user"}');
    expect(cloudCredentials({ cloud: 'google' }, VERTEX, { HOME: folder })).toBe('{"type":"authorized_user"}');
    expect(cloudCredentials({ cloud: 'google' }, 'https://example.org', { HOME: folder })).toBeUndefined();
  });

  test('that are no JSON object, or missing, are none', () => {
    const path = join(folder, 'bad.json');
    writeFileSync(path, 'not JSON');
    for (const file of [path, join(folder, 'missing.json'), folder]) {
      expect(cloudCredentials({ cloud: 'google' }, VERTEX, { GOOGLE_APPLICATION_CREDENTIALS: file })).toBeUndefined();
    }
  });
});
