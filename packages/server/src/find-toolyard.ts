import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import { StorageError } from '@toolyard/storage';

/** File in the data folder with the URL and process of its running server, for other commands. */
export const ADDRESS_FILE = 'server.json';

/** Long enough for a process that is suspended for a few seconds. */
const WAIT_MS = 5_000;
const MOST_CHARACTERS = 10_000;

/** The URL and process of the server that last opened this data folder; null if the file is missing or invalid. */
function readServer(dataDir: string): { url: string; pid: number } | null {
  let text: string;
  try {
    text = readFileSync(join(dataDir, ADDRESS_FILE), 'utf8');
  } catch {
    return null;
  }
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  const { url, pid } = parsed.value;
  return typeof url === 'string' && typeof pid === 'number' ? { url, pid } : null;
}

/** If the data folder is locked, an error that names the process holding it; any other error is returned unchanged. */
export async function describeLockHolder(thrown: unknown, dataDir: string): Promise<unknown> {
  if (!StorageError.isInstance(thrown) || thrown.problem !== 'in_use') return thrown;
  const other = readServer(dataDir);
  if (!other || (await findToolyard(other.url)) === null) return thrown;
  return new StorageError(
    'in_use',
    {
      message: `${dataDir} is in use by the Toolyard server at ${other.url} (process ${other.pid}).`,
      hint: 'Use that server, stop it first, or choose another data folder with --data-dir.',
    },
    { cause: thrown },
  );
}

/** The version of the Toolyard server at a local URL; null if nothing or something else answers. */
export function findToolyard(url: string): Promise<string | null> {
  return new Promise((resolve) => {
    const request = get(`${url}/health`, { timeout: WAIT_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
        if (text.length > MOST_CHARACTERS) response.destroy();
      });
      response.on('end', () => resolve(versionIn(text)));
      response.on('close', () => resolve(null));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(null));
  });
}

function versionIn(text: string): string | null {
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  const { status, version } = parsed.value;
  return status === 'ok' && typeof version === 'string' && /^[\w.+-]{1,40}$/.test(version) ? version : null;
}
