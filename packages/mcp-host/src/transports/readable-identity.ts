import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { readIcons } from '../catalogue/read-icons.ts';
import { acceptedVersion } from '../connection/version-choice.ts';
import { cut, SERVER_LIMITS } from '../values/server-limits.ts';
import { withoutNull } from './received-messages.ts';

/** Members of capabilities that are true or false; all others are objects. */
const FLAGS = new Set(['listChanged', 'subscribe']);
/** Their members are named and defined by others. */
const OPEN = new Set(['experimental', 'extensions']);

/**
 * What a server says about itself when it is initialized, in the specified form. What has another type is left out, so
 * that one odd member does not lose the connection: `true` for an object declares it, `null` or `false` does not, and an
 * empty array is an empty object. A legacy server that declares nothing readable is asked for tools.
 *
 * @param offered the protocol version that `initialize` offered; absent for a modern server
 */
export function readableIdentity(result: JsonValue, offered?: string): JsonValue {
  if (!isJsonObject(result)) return result;
  const { capabilities, serverInfo, instructions, _meta, ...rest } = withoutNull(result);
  const version = rest['protocolVersion'];
  return {
    ...rest,
    ...(offered === undefined ? {} : { protocolVersion: acceptedVersion(version, offered) }),
    capabilities:
      isJsonObject(capabilities) || offered === undefined ? (declared(capabilities ?? {}) ?? {}) : { tools: {} },
    ...(serverInfo === undefined && offered === undefined && version === undefined
      ? {}
      : { serverInfo: readableInfo(serverInfo) }),
    ...(typeof instructions === 'string' ? { instructions: cut(instructions, SERVER_LIMITS.instructions) } : {}),
    ...(isJsonObject(_meta) ? { _meta } : {}),
  };
}

function declared(value: JsonValue): JsonObject | undefined {
  if (value === true || (Array.isArray(value) && value.length === 0)) return {};
  if (!isJsonObject(value)) return undefined;
  const kept = Object.entries(value).flatMap(([name, member]): [string, JsonValue][] => {
    if (FLAGS.has(name)) return typeof member === 'boolean' ? [[name, member]] : [];
    const readable = OPEN.has(name) ? openMembers(member) : declared(member);
    return readable === undefined ? [] : [[name, readable]];
  });
  return Object.fromEntries(kept);
}

function openMembers(value: JsonValue): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const kept = Object.entries(value).flatMap(([name, member]): [string, JsonValue][] =>
    isJsonObject(member) ? [[name, member]] : member === true ? [[name, {}]] : [],
  );
  return Object.fromEntries(kept);
}

function readableInfo(raw: JsonValue | undefined): JsonObject {
  const info = isJsonObject(raw) ? raw : {};
  const texts = ['title', 'description', 'websiteUrl'].flatMap((name): [string, JsonValue][] =>
    typeof info[name] === 'string' ? [[name, cut(info[name], SERVER_LIMITS.identity)]] : [],
  );
  const icons = readIcons(info['icons']);
  return {
    name: readText(info['name']) ?? 'unnamed',
    version: readText(info['version']) ?? '',
    ...Object.fromEntries(texts),
    ...(icons === undefined ? {} : { icons }),
  };
}

function readText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? cut(value, SERVER_LIMITS.identity) : undefined;
}
