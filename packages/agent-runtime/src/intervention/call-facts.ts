import type { JsonObject, JsonValue, ToolReference } from '@toolyard/protocol';
import { defined, formatToolReference, isJsonObject, isPlainText, parseJson } from '@toolyard/protocol';
import type { ProtectedTargets } from './dangers.ts';
import { isPlainProse } from './plain-prose.ts';
import type { ResolvePath } from './resolved-path.ts';
import type { ReadOptions } from './shell-reader.ts';
import { MAX_SCRIPT_LENGTH, readShell, readWords } from './shell-reader.ts';
import type { ShellScript } from './shell-script.ts';
import { remembering } from './shell-text.ts';

/** The role of an argument, from its schema, name and value. */
type Role = 'command' | 'code' | 'query' | 'path' | 'folder' | 'url' | 'text' | 'unknown';

export type Field = {
  readonly name: string;
  readonly text: string;
  readonly role: Role;
  /** The working folder given in the same call. */
  readonly folder: string | undefined;
  /** The tool's schema declares it, and its name says that it is the content of something. */
  readonly isContent: boolean;
} & Cached;

/** What was computed about a text, see {@link CallFacts.getScript} and {@link CallFacts.isProse}. */
type Cached = { script?: ShellScript; isProse?: boolean };

/** A command whose program and arguments are separate values. */
export type SplitCommand = {
  readonly words: readonly string[];
  readonly isCertain: boolean;
  readonly folder: string | undefined;
} & Cached;

/** What is known of a tool and where it runs. */
export type CallContext = {
  inputSchema?: JsonObject | undefined;
  /** The working folder of the tool's server. */
  workingFolder?: string | undefined;
  resolvePath?: ResolvePath | undefined;
  own?: ProtectedTargets | undefined;
  work?: ReadOptions['work'];
};

const MAX_DEPTH = 64;
const MAX_VALUES = 20_000;
const MAX_CHARACTERS = 2_000_000;
const MAX_WORDS = 2_000;
/** Limit of texts that are parsed as scripts; a call with more is not analyzed completely. */
const MAX_SCRIPTS = 200;

/** Matches a name that contains one of the words, see {@link splitWords}. */
const namePattern = (list: string): RegExp => new RegExp(`(?:^|[_\\-.\\s/])(?:${list})(?:[_\\-.\\s/]|$)`);
/** Words in argument names that indicate a role; earlier rows take precedence. */
const ROLE_WORDS = {
  command:
    'command|commands|cmd|cmds|cmdline|commandline|shell|bash|sh|zsh|script|scripts|exec|execute|run|terminal|argv|line|entrypoint',
  code: 'code|python|javascript|js|node|eval|expression|snippet|source_code|program_text',
  query: 'sql|statement|statements',
  url: 'url|urls|uri|uris|href|endpoint|link|address',
  folder: 'cwd|workdir|dir|directory|folder|root|basedir|working_directory|working_dir',
  path: 'path|paths|file|files|filename|filepath|file_path|from|to|src|source|dest|destination|output|location',
} as const satisfies Partial<Record<Role, string>>;
const COMMAND = namePattern(ROLE_WORDS.command);
const FOLDER = namePattern(ROLE_WORDS.folder);
const ROLES = Object.entries(ROLE_WORDS).map(([role, words]) => [role as Role, namePattern(words)] as const);
const TEXT =
  /^(?:text|texts|content|contents|body|description|message|messages|title|subject|comment|comments|summary|reason|explanation|note|notes|prompt|question|answer|label|labels|query|search|insert|intent|purpose|old_?(?:text|string|str)|new_?(?:text|string|str)|replacement|markdown|html|caption|topic|language|author|name)$/;
/** Of these only what a server writes or sends as it is: a `title`, `name` or `query` may become a path. */
const CONTENT =
  /^(?:texts?|contents?|body|description|messages?|comments?|summary|reason|explanation|notes?|prompt|insert|(?:old|new)_?(?:text|string|str)|replacement|markdown|html|file_text|patch|diff)$/;
const PROGRAM = /^(?:program|command|cmd|exe|executable|binary|bin)$/i;
/** Names of environment variables. */
export const VARIABLE = /^[A-Z][A-Z_\d]+$|^npm_config_/;
const ARGUMENTS = /^(?:args?|arguments|argv|parameters|params|options|flags)$/i;
/** What the names of a server and its tool say about the tool: it runs its input, as a shell or as code, and so on. */
const TOOL_WORDS = {
  runs: 'sh|bash|zsh|shell|exec|execute|cmd|command|commands|terminal|run|spawn|process|tmux|console|subprocess|pty|tty|term',
  evaluates: 'eval|evaluate|python|javascript|js|code|interpreter|repl|notebook|jupyter',
  removes: 'chmod|chown|permissions|delete|remove|rm|rmdir|unlink|erase|wipe|trash|destroy|purge',
  writes: 'write|append|create|edit|apply|move|save|put|update|insert|upload|set|patch|replace|copy|rename|add',
  queries: 'sql|pg|postgres|postgresql|mysql|mariadb|sqlite|database|db|mongo|mongodb|redis|duckdb',
  looks: 'search|find|get|list|read|review|format|lint|view|show|stat',
  contains: '\\S*(?:docker|podman|container|compose)\\S*',
} as const;
type ToolTraits = Readonly<Record<keyof typeof TOOL_WORDS, boolean>>;
const TOOL_PATTERNS = Object.entries(TOOL_WORDS).map(([trait, words]) => [trait, namePattern(words)] as const);
/** Words in names of tools that say only that something is called. */
const CALLS = /^(?:run|exec|execute|call|cli|cmd|command|invoke)$/;
const traitsOf = remembering((reference) => {
  const called = splitWords(reference);
  const traits = Object.fromEntries(
    TOOL_PATTERNS.map(([trait, pattern]) => [trait, pattern.test(called)]),
  ) as ToolTraits;
  return { ...traits, evaluates: traits.evaluates && !traits.looks };
});

type At = { name: string; schema: JsonObject | undefined; depth: number; folder: string | undefined };

/** The parsed form of a call: rules, blacklist and page use nothing else. */
export class CallFacts {
  readonly reference: string;
  readonly callContext: CallContext;
  readonly tool: ToolTraits;
  readonly fields: Field[] = [];
  readonly wordLists: SplitCommand[] = [];
  /** All names and values as texts. */
  readonly all: string[] = [];
  readonly names: string[] = [];
  /** Switches that are on, as `name=true`. */
  readonly settings: string[] = [];
  /** The call is too large to be analyzed completely. */
  isTooLarge = false;
  /** A tool that is called like a program takes its arguments. */
  readonly #program: string | undefined;
  readonly #subcommand: readonly string[];
  #scripts = 0;
  #isPlain: boolean | undefined;
  #allWords: readonly string[] | undefined;
  #valueCount = 0;
  #characterCount = 0;

  constructor(tool: ToolReference, args: JsonObject, callContext: CallContext = {}) {
    this.reference = formatToolReference(tool);
    this.callContext = callContext;
    this.tool = traitsOf(this.reference);
    this.#program = [tool.serverId, tool.name]
      .map((name) => name.replace(/^(?:k8s|kubernetes)$/, 'kubectl').replace(/^(?=compose$)/, 'docker '))
      .find((name) => KNOWN_PROGRAM.test(name));
    this.#subcommand = tool.name.split('_').filter((word) => word !== this.#program && !CALLS.test(word));
    this.#value(args, { name: '', schema: callContext.inputSchema, depth: 0, folder: undefined });
  }

  /** The commands in a field or list. Each is parsed once. */
  getScript(source: Field | SplitCommand): ShellScript {
    return (source.script ??= ++this.#scripts > MAX_SCRIPTS ? TOO_MANY : this.#read(source));
  }

  #read(source: Field | SplitCommand): ShellScript {
    const { work, workingFolder } = this.callContext;
    const options = { folder: source.folder ?? workingFolder, ...defined({ work }) };
    if ('words' in source) return readWords(source.words, options);
    // A terminal takes a carriage return for the end of a line.
    return readShell(source.role === 'command' ? source.text : source.text.replaceAll('\r', '\n'), options);
  }

  /** True for text without meaning for a shell, see {@link isPlainProse}. Each text is checked once. */
  isProse(field: Field): boolean {
    return (field.isProse ??= isPlainProse(field.text));
  }

  /** What a forbidding rule looks at: names, values, and the words that a shell makes of them. */
  get words(): readonly string[] {
    return (this.#allWords ??= [
      ...this.all,
      ...this.fields.filter(isQuoted).flatMap((field) => this.#shellWords(field)),
    ]);
  }

  /** True if all texts are plain, see {@link isPlainText}: most are. */
  get isPlain(): boolean {
    return (this.#isPlain ??= this.all.every(isPlainText));
  }

  #shellWords(field: Field): string[] {
    if (field.role === 'unknown' && (!/\s/.test(field.text) || this.isProse(field))) return [];
    return this.getScript(field).commands.map(({ words, redirects }) =>
      [...words, ...redirects.map(({ target }) => target)].join(' '),
    );
  }

  #value(value: JsonValue, at: At): void {
    if (at.depth > MAX_DEPTH || ++this.#valueCount > MAX_VALUES) {
      this.isTooLarge = true;
      return;
    }
    if (typeof value === 'string') this.#text(value, at);
    else if (Array.isArray(value)) this.#list(value, at);
    else if (isJsonObject(value)) this.#object(value, at);
    else if (value !== null) {
      this.all.push(String(value));
      if (value === true) this.settings.push(`${at.name}=true`);
    }
  }

  #text(text: string, at: At): void {
    this.#characterCount += text.length;
    if (this.#characterCount > MAX_CHARACTERS) this.isTooLarge = true;
    this.all.push(text);
    const found = getRole(at, text, this.tool.runs);
    const role = this.tool.evaluates && found !== 'command' && /[(=]/.test(text) ? 'code' : found;
    const isContent = role === 'text' && at.schema !== undefined && CONTENT.test(splitWords(at.name));
    this.fields.push({ name: at.name, text, role, folder: at.folder, isContent });
    if (role === 'command' && text.length > MAX_SCRIPT_LENGTH) this.isTooLarge = true;
    // Arguments of another tool as JSON text.
    if (
      (role !== 'text' || !/^(?:text|content)/.test(at.name)) &&
      text.length < 65_536 &&
      /^\s*[[{]/.test(text) &&
      /[\]}]\s*$/.test(text)
    ) {
      const inner = parseJson(text);
      if (inner.ok && typeof inner.value === 'object') this.#value(inner.value, { ...at, depth: at.depth + 1 });
    }
  }

  #list(list: readonly JsonValue[], at: At): void {
    const schema = objectIn(at.schema, 'items');
    const texts = list.filter((each) => typeof each === 'string');
    const isCommand = COMMAND.test(splitWords(at.name));
    if (texts.length > 1 && texts.length === list.length && !TEXT.test(at.name))
      this.#words(texts, (isCommand && !/s$/i.test(at.name)) || /argv/i.test(at.name), at.folder);
    for (const each of list) this.#value(each, { ...at, schema, depth: at.depth + 1 });
  }

  #object(fields: JsonObject, at: At): void {
    const entries = Object.entries(fields);
    const properties = objectIn(at.schema, 'properties');
    const folder = folderAmong(entries) ?? at.folder;
    this.#pieces(entries, folder);
    for (const [name, each] of entries) {
      this.names.push(name);
      this.all.push(name);
      this.#value(each, { name, schema: objectIn(properties, name), depth: at.depth + 1, folder });
    }
  }

  /** A command may be split: program and arguments in separate values. */
  #pieces(entries: readonly [string, JsonValue][], folder: string | undefined): void {
    const program =
      entries.find(([name, value]) => PROGRAM.test(name) && typeof value === 'string')?.[1] ?? this.#program;
    const operands = entries.find(
      ([name, value]) => ARGUMENTS.test(name) && (typeof value === 'string' || Array.isArray(value)),
    )?.[1];
    // A tool that is called like a program may take its subcommand by its own name, or beside the options.
    const own = this.#program === undefined ? [] : [...this.#program.split(' '), ...this.#subcommand];
    if (typeof program === 'string' && operands !== undefined) {
      const others = entries.flatMap(([name, value]) =>
        typeof value === 'string' && isWord(name, value) ? [value] : [],
      );
      const first = program === this.#program ? [...own, ...others] : program.trim().split(/\s+/);
      if (typeof operands === 'string') this.#command(`${first.join(' ')} ${operands}`, folder);
      else this.#words([...first, ...textsIn(operands)], true, folder);
      return;
    }
    if (this.#program !== undefined && entries.length <= 12) {
      const options = entries.flatMap(([name, value]) => {
        const option = `--${splitWords(name)
          .replace(/_mode$/, '')
          .replaceAll('_', '-')}`;
        if (
          CONTENT.test(name) ||
          VARIABLE.test(name) ||
          !(typeof value === 'string' || value === true || Array.isArray(value))
        )
          return [];
        if (typeof value === 'string') return PROGRAM.test(name) ? value.split(/\s+/) : [`${option}=${value}`, value];
        return [option, ...textsIn(value)];
      });
      this.#words([...own, ...options], false, folder);
    }
    if (entries.length < 2 || entries.length > 12) return;
    const named = entries.find(
      ([name, value]) =>
        !TEXT.test(name) && KNOWN_PROGRAM.test(typeof value === 'string' ? value : (textsIn(value)[0] ?? '')),
    );
    if (!named) return;
    const others = entries.filter(
      (entry) => entry !== named && !TEXT.test(entry[0]) && !FOLDER.test(splitWords(entry[0])),
    );
    // Alone it is a field or a list.
    if (others.length === 0) return;
    const words = [named, ...others].flatMap(([, value]) =>
      typeof value === 'string' ? value.trim().split(/\s+/) : textsIn(value),
    );
    this.#words(words, false, folder);
  }

  #command(text: string, folder: string | undefined): void {
    this.fields.push({ name: 'command', text, role: 'command', folder, isContent: false });
  }

  #words(words: readonly string[], isCertain: boolean, folder: string | undefined): void {
    if (words.length > MAX_WORDS) {
      if (isCertain) this.isTooLarge = true;
      return;
    }
    const isKnown = KNOWN_PROGRAM.test(words[0] ?? '');
    if (words.length < 2 || !(isCertain || isKnown)) return;
    this.wordLists.push({ words, isCertain: isCertain || this.tool.runs, folder });
  }
}

/** True for a text whose words a shell may change. */
function isQuoted({ role, text }: Field): boolean {
  return (role === 'command' || role === 'unknown') && text.length <= MAX_SCRIPT_LENGTH && /["'\\$`{]/.test(text);
}

const TOO_MANY: ShellScript = {
  commands: [],
  fault: 'the call contains too many texts that may be commands',
  finding: undefined,
};

/** Programs by which a list of words is recognized as a command, whatever its name. */
export const KNOWN_PROGRAM =
  /^(?:\S*\/)?(?:sudo|doas|su|env|(?:ba|z|da|k)?sh|rm|dd|cat|cp|mv|curl|wget|nc|ssh|scp|find|xargs|chmod|chown|mkfs\S*|python\d?|node|perl|ruby|php|docker|kubectl|git|npm|npx|tee|base64|gh|aws|gcloud|crontab|systemctl|shred|truncate|tar|eval|nohup|timeout|cargo|make|pip\d?|pnpm|yarn|uv|helm|terraform|toolyard)(?:\s|$)/;

function objectIn(schema: JsonObject | undefined, name: string): JsonObject | undefined {
  const value = schema?.[name] ?? null;
  return isJsonObject(value) ? value : undefined;
}

function isWord(name: string, value: string): boolean {
  return /^[\w-]+$/.test(value) && ![TEXT, PROGRAM, ARGUMENTS].some((pattern) => pattern.test(name));
}

function textsIn(value: JsonValue): string[] {
  return Array.isArray(value) && value.length <= MAX_WORDS ? value.filter((each) => typeof each === 'string') : [];
}

function folderAmong(entries: readonly [string, JsonValue][]): string | undefined {
  const found = entries.find(
    ([name, value]) => typeof value === 'string' && value.length < 4_096 && FOLDER.test(splitWords(name)),
  );
  return found?.[1] as string | undefined;
}

function getRole({ name, schema }: At, text: string, runs: boolean): Role {
  const called = splitWords(name);
  const described = schema === undefined ? undefined : roleInSchema(schema);
  const byName = runs ? roleInTerminal(called) : roleByName(called);
  // A schema can only add a role to what the name says.
  const role = byName === 'text' || byName === 'unknown' ? (described ?? byName) : byName;
  return role === 'unknown' && /^[a-z][a-z0-9+.-]*:\/\/\S*$/i.test(text) ? 'url' : role;
}

const roleByName = remembering((called): Role => {
  for (const [role, pattern] of ROLES) if (pattern.test(called)) return role;
  return TEXT.test(called) ? 'text' : 'unknown';
});

/** Text that is sent to a terminal is run. */
function roleInTerminal(called: string): Role {
  return /^(?:text|content|body|insert|query|message)$/.test(called) ? 'command' : roleByName(called);
}

function roleInSchema(schema: JsonObject): Role | undefined {
  const { format, description } = schema;
  if (format === 'uri' || format === 'url' || format === 'uri-reference') return 'url';
  if (format === 'path' || format === 'file-path') return 'path';
  if (typeof description !== 'string') return undefined;
  const excerpt = description.slice(0, 400);
  if (/\b(?:shell|bash|terminal) (?:command|script)|\bcommands? to (?:run|execute)/i.test(excerpt)) return 'command';
  if (/\bSQL\b/.test(excerpt)) return 'query';
  if (/\b(?:code|script) to (?:run|execute|evaluate)/i.test(excerpt)) return 'code';
  if (/\bworking (?:directory|folder)\b/i.test(excerpt)) return 'folder';
  return /\b(?:path (?:to|of)|file ?path|absolute path|relative path)\b/i.test(excerpt) ? 'path' : undefined;
}

/** Splits `runCommand` and `run_command` into the same words. */
export function splitWords(name: string): string {
  if (!/[^ -@[-~]/.test(name)) return name;
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}
