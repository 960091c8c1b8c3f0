import type { SearchEngine } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { plainLine } from '../sanitize.ts';
import type { ServerClient } from '../server/server-client.ts';

export type SetEngineFlags = { url?: string; keyStdin?: boolean };

const MAX_KEY = 1_000;

/** `toolyard search-engine show`. */
export async function showSearchEngine(
  io: CommandIo,
  client: ServerClient,
  { json }: { json?: boolean },
): Promise<void> {
  const { search } = await client.get('/api/tools/web');
  if (json === true) {
    io.stdout.write(`${JSON.stringify(search, null, 2)}\n`);
    return;
  }
  if (search === null) {
    io.stdout.write('No search engine.\n');
    return;
  }
  const url = search.url === undefined ? '' : ` at ${plainLine(search.url)}`;
  io.stdout.write(`${search.engine}${url}, ${search.hasKey ? 'with a key' : 'without a key'}\n`);
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
  io.stderr.write(`toolyard: web_search uses ${engine}. Enable the server "web" to offer it to models.\n`);
}

/** `toolyard search-engine remove`. */
export async function removeSearchEngine(io: CommandIo, client: ServerClient): Promise<void> {
  const { privateOrigins } = await client.get('/api/tools/web');
  await client.put('/api/tools/web', { body: { search: null, privateOrigins } });
  io.stderr.write('toolyard: removed the search engine.\n');
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
  throw new ToolyardError({
    code: 'bad_config',
    message: `--key-stdin: stdin must contain the key, of at most ${MAX_KEY} characters (got ${key.length}).`,
  });
}
