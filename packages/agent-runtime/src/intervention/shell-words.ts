import {
  CLOSE,
  closingQuote,
  COMMA,
  decodeAnsi,
  expandBraces,
  isAssignment,
  isPlain,
  OPEN,
  UNKNOWN,
} from './word-text.ts';

/**
 * Reads what a POSIX shell (or bash) would make of a text, as far as it can be told without running it: commands with
 * their words and redirections, also those within substitutions and subshells. It leaves nothing out: where it cannot
 * follow, it says so in `faults`, and goes on.
 */

export type Word = {
  /** Without quotes; {@link UNKNOWN} stands where only the running shell knows. */
  text: string;
  /** The commands whose output is part of the word. */
  inner: Command[];
};

type Redirect = { operator: string; target: Word; /** Of a here-document. */ body?: string };

export type Command = {
  words: Word[];
  assignments: Word[];
  redirects: Redirect[];
  /** Something before it in the same script is piped on. */
  piped: boolean;
};

type Fault = 'open quote' | 'too deep';

export type Script = { commands: Command[]; faults: Fault[] };

const DEEPEST = 12;

/** Words that only lead to the next command. */
export const LEADING: ReadonlySet<string> = new Set([
  'if',
  'then',
  'else',
  'elif',
  'while',
  'until',
  'do',
  '!',
  '{',
  '}',
  'time',
  'coproc',
]);
/** Commands that give variables values nobody can foretell. */
const SETTING = new Set(['read', 'for', 'select', 'printf', 'getopts', 'mapfile', 'readarray', 'let', 'unset']);
const DECLARING = new Set(['export', 'declare', 'local', 'typeset', 'readonly']);

/** @param variables what is known of variables: null where one may have several values */
export function readShell(text: string, variables = new Map<string, string | null>()): Script {
  const script: Script = { commands: [], faults: [] };
  new ShellReader(text, script, variables, 0).read('');
  return script;
}

/** Reads a text as {@link readShell} does; what is read is not to be changed. */
export type ReadShell = (text: string) => Script;

/** Reads each text once: blacklist and rules look at the same ones. */
export function readOnce(): ReadShell {
  const known = new Map<string, Script>();
  return (text) => {
    const before = known.get(text);
    if (before) return before;
    const script = readShell(text);
    known.set(text, script);
    return script;
  };
}

/** Reads one text; what it finds is added to the script. */
class ShellReader {
  readonly #text: string;
  readonly #script: Script;
  readonly #variables: Map<string, string | null>;
  readonly #depth: number;
  #at = 0;
  #piped = false;
  #command: Command = { words: [], assignments: [], redirects: [], piped: false };
  #word: { text: string; inner: Command[] } | null = null;
  #redirect: string | null = null;
  #hereDocuments: Redirect[] = [];

  constructor(text: string, script: Script, variables: Map<string, string | null>, depth: number, at = 0) {
    this.#text = text;
    this.#script = script;
    this.#variables = variables;
    this.#depth = depth;
    this.#at = at;
  }

  /** Up to an unquoted `)` where that is the end, else to the end of the text; tells where it stopped. */
  read(end: ')' | ''): number {
    const text = this.#text;
    let open = 0;
    while (this.#at < text.length) {
      const char = text.charAt(this.#at);
      if (char === ')' && end === ')' && open === 0) break;
      switch (char) {
        case ' ':
        case '\t':
        case '\r':
          this.#endWord();
          this.#at++;
          break;
        case '\n':
          this.#endCommand();
          this.#at++;
          this.#readHereDocuments();
          break;
        case ';':
          this.#endCommand();
          this.#at++;
          break;
        case '(':
        case ')':
          open += char === '(' ? 1 : open > 0 ? -1 : 0;
          this.#endCommand();
          this.#at++;
          break;
        case '&':
          if (text.charAt(this.#at + 1) === '>') this.#startRedirect(text.startsWith('&>>', this.#at) ? '&>>' : '&>');
          else {
            this.#endCommand();
            this.#at++;
          }
          break;
        case '|':
          this.#endCommand();
          if (text.charAt(this.#at + 1) === '|') this.#at += 2;
          else {
            this.#piped = true;
            this.#at += text.charAt(this.#at + 1) === '&' ? 2 : 1;
          }
          break;
        case '<':
        case '>':
          this.#readAngle(char);
          break;
        case '#':
          if (this.#word === null) this.#at = this.#endOfLine();
          else this.#add(char);
          break;
        default:
          this.#readInWord(char);
      }
    }
    this.#endCommand();
    this.#readHereDocuments();
    return this.#at;
  }

  #readInWord(char: string): void {
    const text = this.#text;
    switch (char) {
      case '\\': {
        const next = text.charAt(this.#at + 1);
        if (next !== '\n') this.#push(next);
        this.#at += 2;
        break;
      }
      case "'": {
        const close = text.indexOf("'", this.#at + 1);
        if (close === -1) return this.#openQuote(char);
        this.#push(text.slice(this.#at + 1, close));
        this.#at = close + 1;
        break;
      }
      case '"':
        this.#readDoubleQuoted();
        break;
      case '$':
        this.#readDollar(false);
        break;
      case '`':
        this.#readBackticks();
        break;
      case '{':
        this.#add(OPEN, 1);
        break;
      case ',':
        this.#add(COMMA, 1);
        break;
      case '}':
        this.#add(CLOSE, 1);
        break;
      default: {
        let to = this.#at + 1;
        while (to < text.length && isPlain(text.charCodeAt(to))) to++;
        this.#push(text.slice(this.#at, to));
        this.#at = to;
      }
    }
  }

  #readDoubleQuoted(): void {
    const text = this.#text;
    const close = closingQuote(text, this.#at + 1);
    if (close === -1) return this.#openQuote('"');
    this.#push('');
    this.#at++;
    while (this.#at < text.length) {
      const char = text.charAt(this.#at);
      if (char === '"') {
        this.#at++;
        return;
      }
      if (char === '\\') {
        const next = text.charAt(this.#at + 1);
        if (next !== '\n') this.#push('$`"\\'.includes(next) ? next : `\\${next}`);
        this.#at += 2;
      } else if (char === '$') this.#readDollar(true);
      else if (char === '`') this.#readBackticks();
      else {
        let to = this.#at + 1;
        while (to < text.length && !'"\\$`'.includes(text.charAt(to))) to++;
        this.#push(text.slice(this.#at, to));
        this.#at = to;
      }
    }
    this.#script.faults.push('open quote');
  }

  #readDollar(quoted: boolean): void {
    const text = this.#text;
    const next = text.charAt(this.#at + 1);
    // `$((` may as well begin with a subshell: it is read as one.
    if (next === '(') return this.#substitute(this.#at + 2);
    if (!quoted && next === "'") return this.#readAnsi();
    if (!quoted && next === '"') {
      this.#at++;
      return;
    }
    const named = /(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}|\{[^}]*\}|[0-9@*#?$!-])/y;
    named.lastIndex = this.#at + 1;
    const found = named.exec(text);
    if (!found) {
      this.#push('$');
      this.#at++;
      return;
    }
    const inside = found[0];
    this.#at = named.lastIndex;
    // A default may hold commands of its own.
    if (inside.includes('$(') || inside.includes('`')) this.#readNested(inside);
    const name = found[1] ?? found[2] ?? (inside.startsWith('{IFS') ? 'IFS' : undefined);
    const value = name === undefined ? null : this.#valueOf(name);
    if (value === null) return this.#push(UNKNOWN);
    if (quoted) return this.#push(value);
    const parts = value.split(/\s+/);
    for (const [index, part] of parts.entries()) {
      if (index > 0) this.#endWord();
      if (part !== '') this.#push(part);
    }
  }

  #valueOf(name: string): string | null {
    const known = this.#variables.get(name);
    if (known !== undefined) return known;
    if (name === 'HOME') return '~';
    return name === 'IFS' ? ' ' : null;
  }

  #readAnsi(): void {
    const close = closingQuote(this.#text, this.#at + 2, "'");
    if (close === -1) {
      this.#at++;
      return this.#openQuote("'");
    }
    this.#push(decodeAnsi(this.#text.slice(this.#at + 2, close)));
    this.#at = close + 1;
  }

  #readBackticks(): void {
    const close = closingQuote(this.#text, this.#at + 1, '`');
    if (close === -1) return this.#openQuote('`');
    const body = this.#text.slice(this.#at + 1, close).replace(/\\([$`\\])/g, '$1');
    const before = this.#script.commands.length;
    this.#readNested(body);
    this.#push(UNKNOWN);
    this.#word?.inner.push(...this.#script.commands.slice(before));
    this.#at = close + 1;
  }

  #substitute(from: number): void {
    this.#push(UNKNOWN);
    if (this.#depth >= DEEPEST) {
      this.#script.faults.push('too deep');
      this.#at = from;
      return;
    }
    const before = this.#script.commands.length;
    const reader = new ShellReader(this.#text, this.#script, this.#variables, this.#depth + 1, from);
    this.#at = reader.read(')') + 1;
    this.#word?.inner.push(...this.#script.commands.slice(before));
  }

  #readNested(text: string): void {
    if (this.#depth >= DEEPEST) this.#script.faults.push('too deep');
    else new ShellReader(text, this.#script, this.#variables, this.#depth + 1).read('');
  }

  #readAngle(char: '<' | '>'): void {
    if (this.#text.charAt(this.#at + 1) === '(') {
      this.#substitute(this.#at + 2);
      return;
    }
    const operator = /<<<|<<-?|<>|<&|<|>>|>\||>&|>/y;
    operator.lastIndex = this.#at;
    this.#startRedirect(operator.exec(this.#text)?.[0] ?? char);
  }

  #startRedirect(operator: string): void {
    // A number right before it is a file descriptor.
    if (this.#word && /^\d+$/.test(this.#word.text)) this.#word = null;
    this.#endWord();
    this.#redirect = operator;
    this.#at += operator.length;
  }

  #readHereDocuments(): void {
    for (const document of this.#hereDocuments.splice(0)) {
      const delimiter = document.target.text;
      const lines: string[] = [];
      while (this.#at < this.#text.length) {
        const to = this.#endOfLine();
        const line = this.#text.slice(this.#at, to);
        this.#at = to + 1;
        if ((document.operator === '<<-' ? line.replace(/^\t+/, '') : line) === delimiter) break;
        lines.push(line);
      }
      document.body = lines.join('\n');
    }
  }

  #endOfLine(): number {
    const end = this.#text.indexOf('\n', this.#at);
    return end === -1 ? this.#text.length : end;
  }

  #openQuote(quote: string): void {
    this.#script.faults.push('open quote');
    this.#add(quote);
  }

  #add(text: string, length = text.length): void {
    this.#push(text);
    this.#at += length;
  }

  #push(text: string): void {
    this.#word ??= { text: '', inner: [] };
    this.#word.text += text;
  }

  #endWord(): void {
    const word = this.#word;
    this.#word = null;
    if (!word) return;
    for (const text of expandBraces(word.text)) this.#take({ text, inner: word.inner });
  }

  #take(word: Word): void {
    const command = this.#command;
    if (this.#redirect !== null) {
      const redirect: Redirect = { operator: this.#redirect, target: word };
      this.#redirect = null;
      command.redirects.push(redirect);
      if (redirect.operator === '<<' || redirect.operator === '<<-') this.#hereDocuments.push(redirect);
    } else if (command.words.length === 0 && isAssignment(word.text)) command.assignments.push(word);
    else if (command.words.length > 0 || !LEADING.has(word.text)) command.words.push(word);
  }

  #endCommand(): void {
    this.#endWord();
    this.#redirect = null;
    const command = this.#command;
    if (command.words.length + command.assignments.length + command.redirects.length === 0) return;
    command.piped = this.#piped;
    this.#script.commands.push(command);
    this.#command = { words: [], assignments: [], redirects: [], piped: false };
    this.#learn(command);
  }

  /** A variable that was given two values counts as unknown: which one holds depends on the way taken. */
  #learn({ words, assignments }: Command): void {
    const name = words[0]?.text ?? '';
    const given = name === '' ? assignments : DECLARING.has(name) ? words.filter(({ text }) => isAssignment(text)) : [];
    for (const { text } of given) {
      const at = text.indexOf('=');
      const variable = text.slice(0, at).replace(/\+$/, '');
      const value = text.slice(at + 1);
      const isSure = !value.includes(UNKNOWN) && text.charAt(at - 1) !== '+';
      const before = this.#variables.get(variable);
      this.#variables.set(variable, isSure && (before === undefined || before === value) ? value : null);
    }
    if (SETTING.has(name)) for (const { text } of words.slice(1)) this.#variables.set(text, null);
  }
}
