import { parse } from 'jsonc-parser';
import type { JsonObject } from '@toolyard/protocol';
import { defined, isJsonObject } from '@toolyard/protocol';
import { nameFor } from './command-line.ts';

/** Flags of `mcp add` that take a value, by the field they set. */
const VALUE_FLAGS: Readonly<Record<string, 'transport' | 'env' | 'header' | 'other'>> = {
  '-t': 'transport',
  '--transport': 'transport',
  '--type': 'transport',
  '-e': 'env',
  '--env': 'env',
  '-H': 'header',
  '--header': 'header',
  '-s': 'other',
  '--scope': 'other',
  '--description': 'other',
  '--timeout': 'other',
};

export type AddedServer = { id: string; entry: JsonObject };

/**
 * The server that a command of another client would add: `claude mcp add`, `claude mcp add-json`, those of Codex,
 * Gemini and Toolyard, and `code --add-mcp`. Null for any other command line.
 */
export function readAddCommand(words: readonly string[]): AddedServer | null {
  const json = words.indexOf('--add-mcp');
  if (json > 0) return readJson(words[json + 1] ?? '', undefined);
  const at = words.findIndex(
    (word, index) => index <= 2 && word === 'mcp' && /^add(?:-json)?$/.test(words[index + 1] ?? ''),
  );
  if (at < 1) return null;
  const rest = words.slice(at + 2);
  if (words[at + 1] === 'add-json') {
    const [name, text = ''] = rest.filter((word) => !word.startsWith('-'));
    return readJson(text, name);
  }
  return readAdd(rest);
}

function readJson(text: string, name: string | undefined): AddedServer | null {
  const value: unknown = parse(text);
  if (!isJsonObject(value)) return null;
  const { name: own, ...entry } = value;
  const id = name ?? (typeof own === 'string' ? own : '');
  return { id, entry };
}

function readAdd(words: readonly string[]): AddedServer | null {
  const env: Record<string, string> = {};
  const headers: Record<string, string> = {};
  const plain: string[] = [];
  let type: string | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    // The name is followed by the command, which has flags of its own.
    if (word === '--') {
      plain.push(...words.slice(at + 1));
      break;
    }
    const [flag = '', inline] = /^--?[\w-]+=/.test(word) ? splitOnce(word, '=') : [word];
    const meaning = VALUE_FLAGS[flag];
    if (meaning === undefined) {
      if (plain.length > 1 || !word.startsWith('-')) plain.push(word);
      continue;
    }
    const value = inline ?? words[(at += 1)] ?? '';
    if (meaning === 'transport') type = value;
    if (meaning === 'env') put(env, value, '=');
    if (meaning === 'header') put(headers, value, ':');
  }
  const [first = '', second, ...args] = plain;
  const [id, target] = second === undefined ? [nameFor([first]), first] : [first, second];
  if (target === '') return null;
  if (/^(?:https?|wss?):\/\//i.test(target)) {
    return { id, entry: { url: target, headers, ...defined({ type }) } };
  }
  return { id, entry: { command: target, args, env } };
}

function put(into: Record<string, string>, text: string, mark: string): void {
  const [name = '', value = ''] = splitOnce(text, mark);
  if (name.trim() !== '') into[name.trim()] = value.trim();
}

function splitOnce(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}
