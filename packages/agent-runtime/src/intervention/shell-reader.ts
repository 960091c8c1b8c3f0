import { endOfLine, readHereDocument } from './here-documents.ts';
import { ScriptBuilder } from './script-builder.ts';
import type { Script } from './shell-script.ts';
import { ShellVariables } from './shell-variables.ts';
import {
  AT_START,
  CLOSE,
  closingQuote,
  COMMA,
  decodeAnsi,
  means,
  OPEN,
  QUOTED,
  UNKNOWN,
  UNQUOTED,
} from './word-text.ts';

/**
 * Reads what a POSIX shell (or bash) would make of a text, as far as it can be told without running it: commands with
 * their words and redirections, also those within substitutions and subshells. It leaves nothing out: where it cannot
 * follow, it says so in `faults`, and goes on.
 */
export function readShell(text: string): Script {
  const script: Script = { commands: [], faults: [] };
  new ShellReader(text, script, new ShellVariables(), 0).read('');
  return script;
}

const DEEPEST = 12;

/** What stands behind a dollar: a name, something in braces, or a single character. */
const VARIABLE = /(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}|\{[^}]*\}|[0-9@*#?$!-])/y;

const ANGLES = /<<<|<<-?|<>|<&|<|>>|>\||>&|>/y;

/** Reads one text; what it finds is added to the script. */
class ShellReader {
  readonly #text: string;
  readonly #script: Script;
  readonly #variables: ShellVariables;
  readonly #builder: ScriptBuilder;
  readonly #depth: number;
  #at: number;

  constructor(text: string, script: Script, variables: ShellVariables, depth: number, at = 0) {
    this.#text = text;
    this.#script = script;
    this.#variables = variables;
    this.#builder = new ScriptBuilder(script, variables);
    this.#depth = depth;
    this.#at = at;
  }

  /** Up to an unquoted `)` where that is the end, else to the end of the text; tells where it stopped. */
  read(end: ')' | ''): number {
    const text = this.#text;
    const builder = this.#builder;
    let open = 0;
    while (this.#at < text.length) {
      if (!means(text.charCodeAt(this.#at), AT_START)) {
        this.#pushPlain(UNQUOTED);
        continue;
      }
      const char = text.charAt(this.#at);
      switch (char) {
        case ' ':
        case '\t':
        case '\r':
          builder.endWord();
          this.#at++;
          break;
        case '\n':
          builder.endCommand();
          this.#at++;
          this.#readHereDocuments();
          break;
        case ';':
          builder.endCommand();
          this.#at++;
          break;
        case '(':
          open++;
          builder.endCommand();
          this.#at++;
          break;
        case ')':
          builder.endCommand();
          if (open === 0 && end === ')') {
            this.#readHereDocuments();
            return this.#at;
          }
          if (open > 0) open--;
          this.#at++;
          break;
        case '&':
          this.#readAmpersand();
          break;
        case '|':
          this.#readBar();
          break;
        case '<':
        case '>':
          this.#readAngle(char);
          break;
        case '#':
          if (builder.isInWord) this.#pushPlain(UNQUOTED);
          else this.#at = endOfLine(text, this.#at);
          break;
        default:
          this.#readInWord(char);
      }
    }
    builder.endCommand();
    this.#readHereDocuments();
    return this.#at;
  }

  #readAmpersand(): void {
    const text = this.#text;
    if (text.charAt(this.#at + 1) === '>') return this.#startRedirect(text.startsWith('&>>', this.#at) ? '&>>' : '&>');
    this.#builder.endCommand();
    this.#at++;
  }

  #readBar(): void {
    const next = this.#text.charAt(this.#at + 1);
    if (next === '|') this.#builder.endCommand();
    else this.#builder.pipe();
    this.#at += next === '|' || next === '&' ? 2 : 1;
  }

  #readAngle(char: '<' | '>'): void {
    if (this.#text.charAt(this.#at + 1) === '(') return this.#substitute(this.#at + 2);
    ANGLES.lastIndex = this.#at;
    this.#startRedirect(ANGLES.exec(this.#text)?.[0] ?? char);
  }

  #startRedirect(operator: string): void {
    this.#builder.startRedirect(operator);
    this.#at += operator.length;
  }

  #readInWord(char: string): void {
    switch (char) {
      case '\\':
        return this.#readEscaped('');
      case "'":
        return this.#readSingleQuoted();
      case '"':
        return this.#readDoubleQuoted();
      case '$':
        return this.#readDollar(false);
      case '`':
        return this.#readBackticks();
      case '{':
        return this.#add(OPEN);
      case ',':
        return this.#add(COMMA);
      case '}':
        return this.#add(CLOSE);
      default:
        this.#pushPlain(UNQUOTED);
    }
  }

  /** @param kept stands before what needs no escape */
  #readEscaped(kept: '' | '\\'): void {
    const next = this.#text.charAt(this.#at + 1);
    if (next !== '\n') this.#builder.push(kept === '' || '$`"\\'.includes(next) ? next : kept + next);
    this.#at += 2;
  }

  #readSingleQuoted(): void {
    const close = this.#text.indexOf("'", this.#at + 1);
    if (close === -1) return this.#openQuote("'");
    this.#builder.push(this.#text.slice(this.#at + 1, close));
    this.#at = close + 1;
  }

  #readDoubleQuoted(): void {
    const text = this.#text;
    if (closingQuote(text, this.#at + 1) === -1) return this.#openQuote('"');
    this.#builder.push('');
    this.#at++;
    while (this.#at < text.length) {
      switch (text.charAt(this.#at)) {
        case '"':
          this.#at++;
          return;
        case '\\':
          this.#readEscaped('\\');
          break;
        case '$':
          this.#readDollar(true);
          break;
        case '`':
          this.#readBackticks();
          break;
        default:
          this.#pushPlain(QUOTED);
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
    VARIABLE.lastIndex = this.#at + 1;
    const found = VARIABLE.exec(text);
    if (!found) return this.#add('$');
    const [inside, bare, braced] = found;
    this.#at += 1 + inside.length;
    // A default may hold commands of its own.
    if (inside.includes('$(') || inside.includes('`')) this.#readNested(inside);
    const name = bare ?? braced ?? (inside.startsWith('{IFS') ? 'IFS' : undefined);
    this.#pushValue(name === undefined ? null : this.#variables.valueOf(name), quoted);
  }

  #pushValue(value: string | null, quoted: boolean): void {
    if (value === null) return this.#builder.push(UNKNOWN);
    if (quoted) return this.#builder.push(value);
    for (const [index, part] of value.split(/\s+/).entries()) {
      if (index > 0) this.#builder.endWord();
      if (part !== '') this.#builder.push(part);
    }
  }

  #readAnsi(): void {
    const close = closingQuote(this.#text, this.#at + 2, "'");
    if (close === -1) {
      this.#at++;
      return this.#openQuote("'");
    }
    this.#builder.push(decodeAnsi(this.#text.slice(this.#at + 2, close)));
    this.#at = close + 1;
  }

  #readBackticks(): void {
    const close = closingQuote(this.#text, this.#at + 1, '`');
    if (close === -1) return this.#openQuote('`');
    const body = this.#text.slice(this.#at + 1, close).replace(/\\([$`\\])/g, '$1');
    const before = this.#script.commands.length;
    this.#readNested(body);
    this.#builder.push(UNKNOWN);
    this.#builder.pushCommandsSince(before);
    this.#at = close + 1;
  }

  #substitute(from: number): void {
    this.#builder.push(UNKNOWN);
    if (this.#depth >= DEEPEST) {
      this.#script.faults.push('too deep');
      this.#at = from;
      return;
    }
    const before = this.#script.commands.length;
    const reader = new ShellReader(this.#text, this.#script, this.#variables, this.#depth + 1, from);
    this.#at = reader.read(')') + 1;
    this.#builder.pushCommandsSince(before);
  }

  #readNested(text: string): void {
    if (this.#depth >= DEEPEST) this.#script.faults.push('too deep');
    else new ShellReader(text, this.#script, this.#variables, this.#depth + 1).read('');
  }

  #readHereDocuments(): void {
    for (const document of this.#builder.takeHereDocuments()) {
      this.#at = readHereDocument(document, this.#text, this.#at);
    }
  }

  #openQuote(quote: string): void {
    this.#script.faults.push('open quote');
    this.#add(quote);
  }

  /** One character, as it is or as what it means. */
  #add(piece: string): void {
    this.#builder.push(piece);
    this.#at++;
  }

  /** All up to the next character that means something; the first means nothing here. */
  #pushPlain(meaning: number): void {
    const text = this.#text;
    let to = this.#at + 1;
    while (to < text.length && !means(text.charCodeAt(to), meaning)) to++;
    this.#builder.push(text.slice(this.#at, to));
    this.#at = to;
  }
}
