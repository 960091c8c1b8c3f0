import type { SearchEngine } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { printJson, printLine, printNote } from '../output.ts';
import { plainLine } from '../sanitize.ts';
import type { ServerClient } from '../server/server-client.ts';
import { createConfigError } from '../errors.ts';

export type SetEngineFlags = { url?: string; keyStdin?: boolean };

const MAX_KEY = 1_000;

/** `toolyard search-engine show`. */
export async function showSearchEngine(
  io: CommandIo,
  client: ServerClient,
  { json }: { json?: boolean },
): Promise<void> {
  const { search } = await client.get('/api/tools/web');
  if (json === true) return printJson(io, search);
  if (search === null) return printLine(io, 'No search engine.');
  const url = search.url === undefined ? '' : ` at ${plainLine(search.url)}`;
  printLine(io, `${search.engine}${url}, ${search.hasKey ? 'with a key' : 'without a key'}`);
}

/** `toolyard search-engine set`: without a new key the stored one stays, unless engine or host change. */
export async function setSearchEngine(
  io: CommandIo,
  client: ServerClient,
  engine: SearchEngine,
  { url, keyStdin }: SetEngineFlags,
): Promise<void> {
  const key = keyStdin === true ? await readKey(io) : io.env['TOOLYARD_SEARCH_KEY']?.trim() || undefined;
  const { privateOrigins } = await client.get('/api/tools/web');
  await client.put('/api/tools/web', { body: { search: { engine, ...defined({ url, key }) }, privateOrigins } });
  printNote(io, `web_search uses ${engine}. Enable the server "web" to offer it to models.`);
}

/** `toolyard search-engine remove`. */
export async function removeSearchEngine(io: CommandIo, client: ServerClient): Promise<void> {
  const { privateOrigins } = await client.get('/api/tools/web');
  await client.put('/api/tools/web', { body: { search: null, privateOrigins } });
  printNote(io, 'removed the search engine.');
}

/** The key is not a flag: other users of the machine can read command lines. */
async function readKey({ stdin }: CommandIo): Promise<string> {
  let text = '';
  for await (const piece of stdin) {
    text += String(piece);
    if (text.length > MAX_KEY) break;
  }
  const key = text.trim();
  if (key !== '' && key.length <= MAX_KEY) return key;
  throw createConfigError(
    `--key-stdin: stdin must contain the key, of at most ${MAX_KEY} characters (got ${key.length}).`,
  );
}
