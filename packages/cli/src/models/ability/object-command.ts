import type { JsonObject, UserPart } from '@toolyard/protocol';
import { isJsonObject, parseJson, ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../../command-io.ts';
import { EXIT } from '../../exit.ts';
import { exitOnClosedPipe } from '../../closed-pipe.ts';
import { readBytes, readMedia, readText } from './files.ts';
import type { AbilityFlags, ObjectFlags } from './flags.ts';
import { cannot, openModel } from './open-model.ts';

/** `toolyard model object`: JSON that fits the schema on stdout. */
export async function objectCommand(
  io: CommandIo,
  argument: string | undefined,
  flags: AbilityFlags & ObjectFlags,
): Promise<number> {
  exitOnClosedPipe(io);
  const { name = 'answer' } = flags;
  const schema = await readSchema(io, flags.schema);
  const text = await readText(io, argument);
  const attached = await Promise.all(flags.from.map((file) => asPart(io, file)));
  await using opened = await openModel(io, flags);
  const { runtime, model } = opened;
  if (runtime.generateObject === undefined) throw cannot(runtime, 'answer with objects');
  const parts: UserPart[] = [{ type: 'text', text }, ...attached];
  const messages = [{ id: 'question', parentId: null, createdAt: 0, role: 'user' as const, parts }];
  const made = await runtime.generateObject({ model, messages, name, schema });
  io.stdout.write(`${JSON.stringify(flags.json ? { model, ...made } : made.object, null, 2)}\n`);
  return EXIT.done;
}

/** JSON as it stands, or the name of a file that holds it. @throws ToolyardError for what is neither */
async function readSchema(io: CommandIo, given: string): Promise<JsonObject> {
  const inPlace = given.trimStart().startsWith('{');
  const parsed = parseJson(inPlace ? given : (await readBytes(io, given)).toString('utf8'));
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  throw new ToolyardError({
    code: 'bad_request',
    message: `${inPlace ? 'What --schema says' : given} is no JSON Schema: ${parsed.ok ? 'it is no object' : parsed.problem}.`,
  });
}

async function asPart(io: CommandIo, file: string): Promise<UserPart> {
  const { mimeType, data } = await readMedia(io, file);
  const source = { data: Buffer.from(data).toString('base64') };
  return mimeType.startsWith('image/') ? { type: 'image', mimeType, source } : { type: 'audio', mimeType, source };
}
