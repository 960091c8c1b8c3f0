import type { JsonObject, UserPart } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import type { CommandIo } from '../../command-io.ts';
import { EXIT } from '../../exit.ts';
import { exitOnClosedPipe } from '../../closed-pipe.ts';
import { readBytes, readMedia, readText } from './files.ts';
import type { AbilityFlags, ObjectFlags } from './flags.ts';
import { createUnsupportedError, openModel } from './open-model.ts';
import { createRequestError } from '../../errors.ts';

/** `toolyard model object`: prints JSON that matches the schema. */
export async function objectCommand(
  io: CommandIo,
  argument: string | undefined,
  flags: AbilityFlags & ObjectFlags,
): Promise<number> {
  exitOnClosedPipe(io);
  const { name = 'answer' } = flags;
  const schema = await readSchema(io, flags.schema);
  const text = await readText(io, argument);
  const media = await Promise.all(flags.from.map((file) => mediaPart(io, file)));
  await using opened = await openModel(io, flags);
  const { runtime, model } = opened;
  if (runtime.generateObject === undefined) throw createUnsupportedError(runtime, 'generate objects');
  const parts: UserPart[] = [{ type: 'text', text }, ...media];
  const messages = [{ id: 'message', parentId: null, createdAt: 0, role: 'user' as const, parts }];
  const response = await runtime.generateObject({ model, messages, name, schema });
  io.stdout.write(`${JSON.stringify(flags.json ? { model, ...response } : response.object, null, 2)}\n`);
  return EXIT.done;
}

/** Parses inline JSON, or the JSON of a file. @throws ToolyardError for anything but an object */
async function readSchema(io: CommandIo, value: string): Promise<JsonObject> {
  const isInline = value.trimStart().startsWith('{');
  const parsed = parseJson(isInline ? value : (await readBytes(io, value)).toString('utf8'));
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  throw createRequestError(
    `--schema${isInline ? '' : ` ${value}`}: invalid JSON Schema: ${parsed.ok ? 'not an object' : parsed.problem}.`,
  );
}

async function mediaPart(io: CommandIo, file: string): Promise<UserPart> {
  const { mimeType, data } = await readMedia(io, file);
  const source = { data: Buffer.from(data).toString('base64') };
  return mimeType.startsWith('image/') ? { type: 'image', mimeType, source } : { type: 'audio', mimeType, source };
}
