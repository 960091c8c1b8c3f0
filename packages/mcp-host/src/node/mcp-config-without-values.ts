import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { displayArguments } from '../log/redact.ts';
import { parseJsonFile } from './json-file.ts';

/** Keys of an entry below which every value may be a secret. */
const VALUES = ['env', 'headers', 'settings', 'apiKey', 'oauth', 'auth'];
/** A server with it reports that the variable is not set, and what to do. */
const LEFT_OUT = '${env:LEFT_OUT_OF_BACKUP}';

/**
 * An `mcp.json` without values that may be secret, for a copy that leaves the machine. The rule: **a backup without keys
 * contains no key, in whichever file it was**. References to variables stay; comments do not, because they may quote
 * anything.
 *
 * @throws ToolyardError `bad_config` for invalid JSON
 */
export function mcpConfigWithoutValues(text: string): string {
  return text.trim() === ''
    ? ''
    : `${JSON.stringify(without(parseJsonFile(text, 'mcp.json').value, false), null, 2)}\n`;
}

function without(value: JsonValue, isSecret: boolean): JsonValue {
  if (Array.isArray(value)) {
    const texts = value.filter((one) => typeof one === 'string');
    const isText = texts.length === value.length && !isSecret;
    return isText ? displayArguments(texts) : value.map((one) => without(one, isSecret));
  }
  if (isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, without(one, isSecret || VALUES.includes(name))]),
    );
  }
  if (typeof value !== 'string') return value;
  if (!isSecret) return displayArguments([value])[0] ?? value;
  return /^(?:\$\{[^}]*\}|\s|Bearer|Basic|Token)*$/i.test(value) && value.includes('${') ? value : LEFT_OUT;
}
