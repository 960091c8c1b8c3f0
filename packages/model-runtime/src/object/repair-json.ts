import { parseJson, type JsonValue } from '@toolyard/protocol';

/** Parses the JSON value in a model's answer and repairs common mistakes; undefined if no value is found. */
export function readLooseJson(text: string): JsonValue | undefined {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)```/i.exec(text)?.[1];
  for (const candidate of fenced === undefined ? [text] : [fenced, text]) {
    const direct = parseJson(candidate.trim());
    if (direct.ok) return direct.value;
    const begin = candidate.search(/[{[]/);
    if (begin === -1) continue;
    const repaired = parseJson(repair(candidate.slice(begin)));
    if (repaired.ok) return repaired.value;
  }
  return undefined;
}

/**
 * One pass over a text that starts as an object or array: removes comments and trailing commas, escapes raw newlines in
 * strings, translates Python literals, and closes what is open at the end. Text after the value is ignored.
 */
function repair(text: string): string {
  const open: string[] = [];
  let out = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') {
      const { json, next } = readString(text, at);
      out += json;
      at = next - 1;
    } else if (char === '/' && (text.charAt(at + 1) === '/' || text.charAt(at + 1) === '*')) {
      at = endOfComment(text, at) - 1;
    } else if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']');
      out += char;
    } else if (char === '}' || char === ']') {
      out = withoutComma(out) + char;
      if (open.at(-1) === char) open.pop();
      if (open.length === 0) return out;
    } else {
      const word = /^(True|False|None|NaN|undefined)\b/.exec(text.slice(at, at + 10))?.[1];
      if (word === undefined || /\w/.test(text.charAt(at - 1))) out += char;
      else {
        out += word === 'True' ? 'true' : word === 'False' ? 'false' : 'null';
        at += word.length - 1;
      }
    }
  }
  const isDangling = /:\s*$/.test(out);
  return (isDangling ? `${out}null` : withoutComma(out)) + open.reverse().join('');
}

function readString(text: string, from: number): { json: string; next: number } {
  let json = '"';
  for (let at = from + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') return { json: `${json}"`, next: at + 1 };
    if (char === '\\') {
      if (at + 1 === text.length) break;
      const next = text.charAt(at + 1);
      // JSON has no escape for a single quote, and it needs none.
      json += next === "'" ? next : char + next;
      at += 1;
    } else json += char === '\n' ? '\\n' : char === '\r' ? '\\r' : char === '\t' ? '\\t' : char;
  }
  return { json: `${json}"`, next: text.length };
}

function endOfComment(text: string, from: number): number {
  const mark = text.charAt(from + 1) === '/' ? '\n' : '*/';
  const end = text.indexOf(mark, from + 2);
  return end === -1 ? text.length : end + mark.length;
}

function withoutComma(text: string): string {
  return text.replace(/,\s*$/, '');
}
