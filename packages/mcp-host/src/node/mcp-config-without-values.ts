import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { displayArguments } from '../log/redact.ts';
import { mayBeSecret } from '../values/secret-name.ts';
import { parseJsonFile } from './json-file.ts';

/** Members below which every value may be a secret, besides those whose name announces one. */
const VALUES = /^(?:env\w*|environment\w*|\w*headers|settings|oauth|auth|default)$/i;
/** A path, or names of variables. */
const NO_VALUES = /^(?:envFile|env_?(?:vars|file))$/i;
/** The members of these are named by the user. */
const LISTS = ['mcpServers', 'servers', 'context_servers'];
/** A server with it reports that the variable is not set, and what to do. */
const LEFT_OUT = '${env:LEFT_OUT_OF_BACKUP}';

/**
 * An `mcp.json` without values that may be secret, for a copy that leaves the machine. The rule: **a backup without keys
 * contains no key, in whichever file it was**. References to variables stay; comments do not, because they may quote
 * anything.
 *
 * @throws ToolyardError `bad_config` for invalid JSON
 * @example
 * const copy = mcpConfigWithoutValues(await readFile('mcp.json', 'utf8'));
 */
export function mcpConfigWithoutValues(text: string): string {
  if (text.trim() === '') return '';
  return `${JSON.stringify(without(parseJsonFile(text, 'mcp.json').value, { isSecret: false }), null, 2)}\n`;
}

/** `isNamed`: the members have names of the user's, which announce nothing. */
type Within = { isSecret: boolean; isNamed?: boolean };

function without(value: JsonValue, { isSecret, isNamed = false }: Within): JsonValue {
  if (Array.isArray(value)) return isSecret ? value.map((one) => without(one, { isSecret })) : listWithout(value);
  if (isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => {
        const isOwn = isNamed || NO_VALUES.test(name);
        const isHidden = isSecret || (!isOwn && (VALUES.test(name) || mayBeSecret(name)));
        return [name, without(one, { isSecret: isHidden, isNamed: !isHidden && LISTS.includes(name) })];
      }),
    );
  }
  if (typeof value === 'boolean' || value === null) return value;
  if (!isSecret) return typeof value === 'string' ? (displayArguments([value], LEFT_OUT)[0] ?? value) : value;
  const text = String(value);
  return /^(?:\$\{[^}]*\}|\s|Bearer|Basic|Token)*$/i.test(text) && text.includes('${') ? text : LEFT_OUT;
}

/** An element may be the value of the option before it. */
function listWithout(values: readonly JsonValue[]): JsonValue[] {
  const texts = displayArguments(values.map(toText), LEFT_OUT);
  return values.map((one, at) => {
    if (typeof one === 'object' && one !== null) return without(one, { isSecret: false });
    return texts[at] === toText(one) ? one : (texts[at] ?? LEFT_OUT);
  });
}

function toText(value: JsonValue): string {
  return typeof value === 'object' && value !== null ? '' : String(value);
}
