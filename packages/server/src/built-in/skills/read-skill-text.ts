import type { AnyText } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
import { SkillFault } from './skill-fault.ts';

/** The frontmatter of a `SKILL.md`. */
export type SkillHead = {
  name: string;
  description: string;
  license?: string;
  compatibility?: string;
  metadata: Record<string, string>;
  allowedTools: string[];
};

/** Limits in characters. The lengths of name, description and compatibility are those of the specification. */
const MAX_TEXT = 256 * 1024;
const MAX_HEAD = 16 * 1024;
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;
const MAX_COMPATIBILITY = 500;
const MAX_OTHER = 2_000;
const MAX_ENTRIES = 100;

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * Reads a `SKILL.md` (https://agentskills.io/specification).
 *
 * @param folder the name of its folder, which the skill must have
 * @throws SkillFault with the line
 */
export async function readSkillText(bytes: Uint8Array, folder: string): Promise<SkillHead> {
  const text = decode(bytes);
  if (text.length > MAX_TEXT)
    throw new SkillFault(say`SKILL.md has ${text.length} characters; at most ${MAX_TEXT} are allowed.`);
  const { yaml } = split(text);
  const { parse, findLine } = await parseYaml(yaml);
  return readHead(parse, folder, findLine);
}

/** @throws SkillFault for invalid UTF-8 */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SkillFault(say`SKILL.md is not UTF-8 text.`);
  }
}

function split(text: string): { yaml: string } {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines[0]?.trimEnd() !== '---') throw new SkillFault(say`SKILL.md must begin with frontmatter: a line "---".`, 1);
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  if (end < 0) throw new SkillFault(say`The frontmatter of SKILL.md has no closing line "---".`, 1);
  const yaml = lines.slice(1, end).join('\n');
  if (yaml.length > MAX_HEAD) {
    throw new SkillFault(say`The frontmatter has ${yaml.length} characters; at most ${MAX_HEAD} are allowed.`, 1);
  }
  return { yaml };
}

/** Levels of a frontmatter; the specification has two. The time of the parser grows with their square. */
const MAX_LEVELS = 50;

function isDeep(yaml: string): boolean {
  let level = 0;
  for (const character of yaml) {
    if (character === '[' || character === '{') level++;
    else if (character === ']' || character === '}') level = Math.max(0, level - 1);
    if (level > MAX_LEVELS) return true;
  }
  return /(?:[-?:][ \t]+){50}/.test(yaml);
}

/** The frontmatter begins at the second line of the file. */
const FIRST_LINE = 2;

type Parsed = { parse: unknown; findLine: (key: string) => number | undefined };

async function parseYaml(yaml: string): Promise<Parsed> {
  if (isDeep(yaml)) throw tooDeep();
  const { isMap, isScalar, LineCounter, parseDocument, visit } = await import('yaml');
  const lines = new LineCounter();
  const lineAt = (offset: number): number => lines.linePos(offset).line - 1 + FIRST_LINE;
  try {
    const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
    const [error] = document.errors;
    if (error) {
      throw new SkillFault(say`Invalid YAML: ${error.message.slice(0, 200)}`, lineAt(error.pos[0]));
    }
    visit(document, {
      // A few nested aliases expand to gigabytes, and no skill needs them.
      Node(_key, node) {
        if ('anchor' in node && node.anchor !== undefined) throw aliases(lineAt(node.range?.[0] ?? 0));
      },
      Alias(_key, node) {
        throw aliases(lineAt(node.range?.[0] ?? 0));
      },
    });
    const { contents } = document;
    if (!isMap(contents))
      throw new SkillFault(say`The frontmatter must have the fields "name" and "description".`, FIRST_LINE);
    const findLine = (key: string): number | undefined => {
      const found = contents.items.find(({ key: each }) => isScalar(each) && each.value === key)?.key;
      return isScalar(found) && found.range ? lineAt(found.range[0]) : undefined;
    };
    return { parse: document.toJS({ maxAliasCount: 0 }), findLine };
  } catch (thrown) {
    if (thrown instanceof SkillFault) throw thrown;
    // A parser that runs out of stack.
    throw tooDeep();
  }
}

function tooDeep(): SkillFault {
  return new SkillFault(say`The frontmatter is nested too deeply.`, FIRST_LINE);
}

function aliases(line: number): SkillFault {
  return new SkillFault(say`YAML anchors and aliases are not allowed in the frontmatter.`, line);
}

/**
 * Validates frontmatter that was parsed, here or by a server.
 *
 * @throws SkillFault
 */
export function readHead(
  value: unknown,
  folder: string,
  findLine: (key: string) => number | undefined = () => undefined,
): SkillHead {
  const fields = new Map<string, unknown>(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  const fail = (key: string, reason: AnyText): SkillFault => new SkillFault(reason, findLine(key));
  const text = (key: string, most: number): string | undefined => {
    const found = fields.get(key);
    if (found === undefined || found === null) return undefined;
    if (typeof found !== 'string') throw fail(key, say`"${key}" must be text.`);
    const trimmed = found.trim();
    if (trimmed === '') throw fail(key, say`"${key}" is empty.`);
    if (trimmed.length > most) {
      throw fail(key, say`"${key}" has ${trimmed.length} characters; at most ${most} are allowed.`);
    }
    return trimmed;
  };
  const name = text('name', MAX_NAME);
  if (name === undefined) throw new SkillFault(say`The frontmatter has no "${'name'}".`, FIRST_LINE);
  if (!NAME.test(name)) {
    throw fail('name', say`"name" must have lowercase letters, digits and single hyphens only (got "${name}").`);
  }
  if (name !== folder) throw fail('name', say`"name" must be that of the folder: "${folder}" (got "${name}").`);
  const description = text('description', MAX_DESCRIPTION);
  if (description === undefined) throw new SkillFault(say`The frontmatter has no "${'description'}".`, FIRST_LINE);
  const license = text('license', MAX_OTHER);
  const compatibility = text('compatibility', MAX_COMPATIBILITY);
  return {
    name,
    description,
    ...(license === undefined ? {} : { license }),
    ...(compatibility === undefined ? {} : { compatibility }),
    metadata: readMetadata(fields.get('metadata'), (reason) => fail('metadata', reason)),
    allowedTools: readAllowedTools(fields.get('allowed-tools'), (reason) => fail('allowed-tools', reason)),
  };
}

function readMetadata(value: unknown, fail: (reason: AnyText) => SkillFault): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw fail(say`"metadata" must be a list of names with values.`);
  const entries = Object.entries(value);
  if (entries.length > MAX_ENTRIES) throw fail(`"metadata" has more than ${MAX_ENTRIES} entries.`);
  return Object.fromEntries(
    entries.map(([key, each]) => {
      const text = typeof each === 'string' ? each : (JSON.stringify(each) ?? '');
      return [key.slice(0, MAX_NAME), text.slice(0, MAX_OTHER)];
    }),
  );
}

/** Text with spaces between the tools, or a list. A space in parentheses belongs to its tool: `Bash(git add:*)`. */
function readAllowedTools(value: unknown, fail: (reason: AnyText) => SkillFault): string[] {
  if (value === undefined || value === null) return [];
  const found = typeof value === 'string' ? (value.match(/[^\s(]+(\([^)]*\))?/g) ?? []) : value;
  if (!Array.isArray(found) || !found.every((each) => typeof each === 'string')) {
    throw fail(say`"allowed-tools" must be text or a list of texts.`);
  }
  return found.slice(0, MAX_ENTRIES).map((each) => each.slice(0, 200));
}
