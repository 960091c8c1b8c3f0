import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ProviderRecord } from '@toolyard/model-runtime';
import { isJsonObject, parseJson } from '@toolyard/protocol';

type Environment = Readonly<Record<string, string | undefined>>;

/** Maximum size of a file with credentials, in bytes. */
const MAX_FILE = 64_000;

/** The hosts that credentials of the environment are used for. A provider at another URL needs a key of its own. */
const HOSTS = { aws: /\.amazonaws\.com(\.cn)?$/, google: /\.googleapis\.com$/ };

/**
 * The credentials of this machine for a provider of a cloud, in the form of its key; undefined if there are none. AWS: the
 * variables of its CLI. Google: application default credentials, which are the file that
 * `GOOGLE_APPLICATION_CREDENTIALS` names, or that of the gcloud CLI.
 *
 * @example
 * const apiKey = cloudCredentials({ cloud: 'aws' }, 'https://bedrock-runtime.us-east-1.amazonaws.com', process.env);
 */
export function cloudCredentials(
  { cloud }: Pick<ProviderRecord, 'cloud'>,
  baseUrl: string,
  env: Environment,
): string | undefined {
  if (cloud === undefined || !URL.canParse(baseUrl)) return undefined;
  const { hostname, protocol } = new URL(baseUrl);
  if (protocol !== 'https:' || !HOSTS[cloud].test(hostname)) return undefined;
  return cloud === 'aws' ? ofAws(env) : ofGoogle(env);
}

function ofAws(env: Environment): string | undefined {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = env;
  if (!id?.trim() || !secret?.trim()) return undefined;
  return [id, secret, ...(token?.trim() ? [token] : [])].map((part) => part.trim()).join(':');
}

function ofGoogle(env: Environment): string | undefined {
  const named = env['GOOGLE_APPLICATION_CREDENTIALS']?.trim();
  if (named) return jsonIn(named);
  const folder =
    env['CLOUDSDK_CONFIG']?.trim() ||
    (process.platform === 'win32'
      ? join(env['APPDATA'] ?? homedir(), 'gcloud')
      : join(env['HOME'] ?? homedir(), '.config', 'gcloud'));
  return jsonIn(join(folder, 'application_default_credentials.json'));
}

/** A JSON object in a file, on one line; undefined if it contains no object. */
function jsonIn(path: string): string | undefined {
  try {
    if (!statSync(path).isFile() || statSync(path).size > MAX_FILE) return undefined;
    const parsed = parseJson(readFileSync(path, 'utf8'));
    return parsed.ok && isJsonObject(parsed.value) ? JSON.stringify(parsed.value) : undefined;
  } catch {
    return undefined;
  }
}
