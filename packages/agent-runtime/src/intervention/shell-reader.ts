import type { AnyText } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
import type * as Bash from 'unbash';
import { forEachChild, parse } from 'unbash';
import { names } from './programs.ts';
import type { ScriptFinding, Redirection, ShellScript, SimpleCommand } from './shell-script.ts';
import { dangerFinding, findInput, printedBy } from './shell-script.ts';
import { baseName, combine, expandBraces, hasUnknown } from './shell-text.ts';
import { LISTED, PROCESS_OUTPUT, removeMatch, SPLIT, UNKNOWN } from './shell-text.ts';
import {
  HARMLESS_VARIABLES,
  inFolder,
  listsOnly,
  placeholderIn,
  readsScript,
  SECRET_VARIABLES,
} from './shell-values.ts';
import { ShellVariables } from './shell-variables.ts';
import { innerCommands } from './wrappers.ts';

/** A longer text is not parsed and needs approval. */
export const MAX_SCRIPT_LENGTH = 32_768;
const MAX_COMMANDS = 3_000;
const MAX_STEPS = 30_000;
const MAX_DEPTH = 16;

/** Cost of the last call, for tests of the budget. */
type Work = { parsed: number; steps: number };

export type ReadOptions = { folder?: string | undefined; work?: Work };

/** Parses a text as bash does. Never throws: anything it cannot analyze is a fault of the script. */
export function readShell(text: string, options: ReadOptions = {}): ShellScript {
  return read(options, (reader) => reader.script(text, 0));
}

/** The same for a command that is already split into words. */
export function readWords(words: readonly string[], options: ReadOptions = {}): ShellScript {
  return read(options, (reader) => reader.words(words));
}

function read(options: ReadOptions, run: (reader: Reader) => void): ShellScript {
  let volatile: ReadonlySet<string> = new Set();
  for (let pass = 0; ; pass++) {
    const reader = new Reader(options, volatile);
    try {
      run(reader);
    } catch {
      // The parser is third-party code; whatever it throws, the text needs approval.
      reader.fail(say`it cannot be parsed`);
    }
    if (reader.changed.size === 0 || pass === 2) return reader.result();
    volatile = new Set([...volatile, ...reader.changed]);
  }
}

type Scope = { folder: string | undefined; depth: number; isInner: boolean };

/** The context of a command besides its words. */
type Around = Pick<SimpleCommand, 'redirects' | 'assignments' | 'sources'>;

/** Nodes that only contain others. */
const HOLDS_OTHERS =
  /^(?:Statement|AndOr|CompoundList|BraceGroup|If|Elif|While|Case|CaseItem|ArithmeticFor|Negation|Test\w*|Arithmetic(?!Expansion)\w*)$/;

/** Nodes that are not counted as a step. */
const COUNTS_NOTHING = names('Statement CompoundList Elif CaseItem Word');

const BUILTINS = names('cd pushd popd read mapfile readarray getopts let printf declare typeset local');

class Reader {
  readonly #commands: SimpleCommand[] = [];
  readonly #variables: ShellVariables;
  readonly #work: Work;
  readonly #start: string | undefined;
  #fault: AnyText | undefined;
  #finding: ScriptFinding | undefined;
  #steps = 0;

  constructor({ folder, work }: ReadOptions, volatile: ReadonlySet<string>) {
    this.#start = folder;
    this.#work = work ?? { parsed: 0, steps: 0 };
    this.#variables = new ShellVariables(volatile);
  }

  /** Variables that were assigned again after use, see ShellVariables. */
  get changed(): ReadonlySet<string> {
    return this.#variables.changed;
  }

  result(): ShellScript {
    this.#work.steps += this.#steps;
    return { commands: this.#commands, fault: this.#fault, finding: this.#finding };
  }

  fail(why: AnyText): void {
    this.#fault ??= why;
  }

  script(text: string, depth: number, scope?: Scope): void {
    if (text.length > MAX_SCRIPT_LENGTH) return this.fail(say`it is longer than ${MAX_SCRIPT_LENGTH} characters`);
    if (text.includes('\r')) this.fail(say`it contains a carriage return`);
    // Unassigned and private-use characters are used as markers.
    if (/[\0\u0001\ue000]/.test(text) && depth === 0) this.fail(say`it contains control characters`);
    this.#work.parsed++;
    this.#block(parse(text), scope ?? { folder: this.#start, depth, isInner: depth > 0 });
  }

  words(words: readonly string[]): void {
    const scope = { folder: this.#start, depth: 0, isInner: false };
    this.#add([...words], { redirects: [], assignments: [], sources: [] }, scope);
  }

  #block(script: Bash.ParsedScript, scope: Scope): void {
    const [error] = script.errors ?? [];
    if (error) this.fail(say`it cannot be parsed (${error.message})`);
    for (const { command } of script.commands) this.#node(command, scope, []);
  }

  #step(scope: Scope): boolean {
    if (scope.depth > MAX_DEPTH) this.fail(say`commands are nested too deeply`);
    else if (++this.#steps > MAX_STEPS || this.#commands.length > MAX_COMMANDS) this.fail(say`it is too long`);
    else return true;
    return false;
  }

  #node(node: Bash.SyntaxNode, scope: Scope, sources: readonly SimpleCommand[]): void {
    if (!COUNTS_NOTHING.has(node.type) && !this.#step(scope)) return;
    const inside: Scope = { ...scope, depth: scope.depth + 1 };
    switch (node.type) {
      case 'Command':
        return this.#command(node, scope, sources);
      case 'Pipeline':
        return this.#pipeline(node, inside);
      case 'Redirected': {
        const redirects = this.#redirects(node.redirects, scope);
        this.#push([''], { redirects, assignments: [], sources }, scope);
        return this.#node(node.command, scope, sources);
      }
      case 'Subshell':
      case 'Coproc':
        return this.#node(node.body, inside, sources);
      case 'For':
      case 'Select': {
        const values = node.wordlist?.flatMap((word) => this.#word(word, scope));
        this.#variables.assign(node.name.value, values ?? [UNKNOWN]);
        return this.#node(node.body, scope, sources);
      }
      case 'Function':
        return this.#function(node, inside);
      case 'Word':
        return void this.#word(node, scope);
      case 'ArithmeticCommandExpansion':
        return void this.#substitution(node.script, scope);
      default:
        // An arithmetic comparison evaluates its operands.
        if (node.type === 'TestBinary' && /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator))
          if (/'[^']*[$`]/.test(node.left.text + node.right.text)) this.fail(say`a comparison runs commands`);
        if (HOLDS_OTHERS.test(node.type)) forEachChild(node, (child) => this.#node(child, scope, sources));
        else this.#part(node as Bash.WordPart, scope, true);
    }
  }

  #function({ name, body }: Bash.Function, scope: Scope): void {
    const from = this.#commands.length;
    this.#node(body, scope, []);
    const own = this.#commands.slice(from);
    const called = baseName(name.text);
    if (own.some(({ program, sources }) => program === called && sources.some((source) => source.program === called))) {
      this.#finding ??= dangerFinding(say`It starts itself endlessly (fork bomb).`);
    }
  }

  #pipeline({ commands }: Bash.Pipeline, scope: Scope): void {
    const from = this.#commands.length;
    let before = from;
    for (const command of commands) {
      const here = this.#commands.length;
      // Limits the list of sources of a long pipeline.
      const sources = this.#commands.slice(Math.max(from, here - 30), here);
      this.#node(command, { ...scope }, sources);
      const reader = this.#commands[here];
      for (let at = before; at < here; at++) {
        const source = this.#commands[at];
        if (source) source.next ??= reader;
      }
      before = here;
    }
  }

  #command(node: Bash.Command, scope: Scope, sources: readonly SimpleCommand[]): void {
    const assignments = node.prefix.flatMap((each) =>
      each.type === 'Assignment' ? this.#assignment(each, scope) : [],
    );
    const redirects = this.#redirects(node.redirects, scope);
    const more: string[] = [];
    for (const arg of node.args) {
      if (arg.type === 'Word') more.push(...this.#word(arg, scope).flatMap((text) => text.split(SPLIT)));
      else for (const { name, value } of this.#assignment(arg, scope)) more.push(`${name}=${value}`);
      if (more.length > MAX_STEPS) return this.fail(say`it is too long`);
    }
    const around = { redirects, assignments, sources };
    if (!node.name) return void this.#push(['', ...more], around, scope);
    const programs = this.#word(node.name, scope);
    const isSequence = programs.length > 1 && node.name.parts?.some(({ type }) => type === 'BraceExpansion') === true;
    if (isSequence) return this.#add([...programs, ...more], around, scope);
    for (const name of programs.slice(0, 8)) this.#add([...name.split(SPLIT), ...more], around, scope);
  }

  /** Adds a command and everything that it runs. */
  #add(words: string[], around: Around, scope: Scope): void {
    while (words.length > 1 && words[0] === '') words.shift();
    const command = this.#push(words, around, scope);
    const { program, args } = command;
    const inner: Scope = { ...scope, depth: scope.depth + 1, isInner: true };
    this.#builtin(command, scope);
    if (!this.#step(inner)) return;
    const placeholder = placeholderIn(program, args);
    const innerArgs = placeholder === undefined ? args : args.map((arg) => arg.replaceAll(placeholder, UNKNOWN));
    for (const each of innerCommands(program, innerArgs)) {
      if ('words' in each) this.#add([...each.words], { ...around, assignments: [] }, inner);
      else if (!hasUnknown(each.script)) this.script(each.script, inner.depth, inner);
      else if (/[\s;&|]/.test(each.script.trim()))
        this.script(each.script.replace(/[\0\u0001]/g, '_'), inner.depth, inner);
    }
    const input = readsScript(command) ? findInput(command) : undefined;
    if (input === undefined || hasUnknown(input)) return;
    const script = program === 'make' ? input.replace(/^(?!\t).*$/gm, '').replace(/^\t[@-]*/gm, '') : input;
    this.script(script, inner.depth, inner);
  }

  #push(words: string[], around: Around, scope: Scope): SimpleCommand {
    const [first = '', ...args] = words;
    const { folder, isInner } = scope;
    const command = { words, program: baseName(first), args, ...around, folder, isInner, next: undefined };
    this.#commands.push(command);
    return command;
  }

  /** Shell builtins that change the meaning of later words. */
  #builtin({ program, args }: SimpleCommand, scope: Scope): void {
    if (!BUILTINS.has(program)) return;
    if (/^(?:cd|pushd)$/.test(program)) {
      const to = args.find((arg) => !/^-[LPe@]*$/.test(arg)) ?? '~';
      const isKnown = !args.includes('-') && (scope.folder ?? '').length <= 1_000;
      scope.folder = isKnown ? inFolder(to, scope.folder) : UNKNOWN;
    } else if (program === 'popd') scope.folder = UNKNOWN;
    // A nameref is another name for a variable.
    const isNameref = /^(?:declare|typeset|local)$/.test(program) && args.some((arg) => /^-\w*n/.test(arg));
    const sets = /^(?:read|mapfile|readarray|getopts|let)$/.test(program) || isNameref;
    const names = sets ? args : program === 'printf' && args[0] === '-v' ? args.slice(1, 2) : [];
    for (const arg of names) this.#variables.assign(/^\w*/.exec(arg)?.[0] ?? '', [UNKNOWN]);
  }

  #assignment({ name, value, append, index }: Bash.Assignment, scope: Scope): { name: string; value: string }[] {
    if (index) this.#word(index, scope);
    const values =
      value.type === 'Word'
        ? this.#word(value, scope)
        : value.elements.flatMap((element) => this.#word(element, scope).flatMap((text) => text.split(SPLIT)));
    if (value.type === 'ArrayValue' && !append) this.#variables.set(name, values);
    else this.#variables.assign(name, append ? [UNKNOWN] : values);
    return values.map((each) => ({ name, value: each }));
  }

  #redirects(redirects: readonly Bash.Redirection[], scope: Scope): Redirection[] {
    return redirects.flatMap((redirect): Redirection[] => {
      const { operator } = redirect;
      if (redirect.type === 'HereDoc') {
        const { body, delimiter, closing } = redirect;
        if (delimiter && /[$`\\\n]/.test(delimiter.text))
          this.fail(say`the delimiter of a here-document is not literal`);
        if (!closing) this.fail(say`a here-document is not terminated`);
        const isLiteral = delimiter?.quoted === true;
        return (isLiteral ? [body.text] : this.#parts(body.parts, body.text, scope, true)).map((target) => ({
          operator,
          target,
        }));
      }
      const { target } = redirect;
      return (target ? this.#word(target, scope) : [UNKNOWN]).map((text) => ({ operator, target: text }));
    });
  }

  /** The possible values of a word: several if a variable or braces expand to several. */
  #word(word: Bash.Word, scope: Scope): string[] {
    if (!this.#step(scope)) return [UNKNOWN];
    const texts = this.#parts(word.parts, word.value, scope, false);
    const [text = ''] = texts;
    return texts.length === 1 ? [text.replace(/\\\n/g, '')] : texts;
  }

  #parts(parts: readonly Bash.WordPart[] | undefined, value: string, scope: Scope, quoted: boolean): string[] {
    if (parts === undefined) return [value];
    let all: string[] = [''];
    for (const part of parts) all = combine(all, this.#part(part, scope, quoted));
    return all;
  }

  #part(part: Bash.WordPart, scope: Scope, quoted: boolean): string[] {
    const unquoted = (texts: string[]): string[] =>
      quoted ? texts : texts.map((text) => text.replace(/[ \t\n]+/g, SPLIT));
    switch (part.type) {
      case 'Literal':
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        return [part.value];
      case 'Glob':
      case 'ExtendedGlob':
      case 'BraceExpansion':
        this.#parts(part.parts, '', scope, true);
        if (part.type === 'BraceExpansion') return expandBraces(part.text);
        return part.type === 'Glob' ? [part.text.replace(/["'\\]/g, '')] : ['*'];
      case 'DoubleQuoted':
      case 'LocaleString':
        return this.#parts(part.parts, '', scope, true);
      case 'SimpleExpansion':
        return unquoted(this.#variable(part.text.slice(1), scope));
      case 'ParameterExpansion':
        return unquoted(this.#parameter(part, scope));
      case 'CommandExpansion':
        return unquoted([this.#substitution(part.script, scope)]);
      case 'ProcessSubstitution':
        this.#substitution(part.script, scope);
        return [PROCESS_OUTPUT];
      case 'ArithmeticExpansion':
        if (part.expression) this.#node(part.expression, scope, []);
        return [LISTED];
      default:
        this.fail(say`it contains unsupported syntax`);
        return [UNKNOWN];
    }
  }

  #variable(name: string, scope: Scope): string[] {
    const known = this.#variables.get(name);
    if (known) {
      this.#variables.use(name);
      return [...known];
    }
    if (name === 'HOME') return ['~'];
    if (name === 'PWD') return [scope.folder ?? '.'];
    if (name === 'TMPDIR') return ['/tmp'];
    if (name === 'IFS') return [' '];
    if (HARMLESS_VARIABLES.test(name)) return [LISTED];
    this.#useSecret(name);
    this.#variables.use(name);
    return [UNKNOWN];
  }

  #useSecret(name: string): void {
    if (SECRET_VARIABLES.test(name))
      this.#finding ??= dangerFinding(say`It uses the variable ${name}, which may contain a secret.`);
  }

  #parameter({ parameter, prefix, index, operation }: Bash.ParameterExpansionPart, scope: Scope): string[] {
    const indices = index ? this.#word(index, scope) : [];
    const operands = operation ? this.#operands(operation, scope) : [];
    if (prefix === '#') return [LISTED];
    if (parameter === 'IFS') return [' '];
    const values = this.#variable(parameter, scope);
    if (prefix === '!') {
      for (const value of values) this.#useSecret(value);
      return indices.length > 0 ? [LISTED] : [UNKNOWN];
    }
    if (indices.includes('@')) return operation ? [UNKNOWN] : [values.join(SPLIT)];
    if (indices.includes('*'))
      return operation ? [UNKNOWN] : [values.join(this.#variable('IFS', scope)[0]?.[0] ?? ' ')];
    switch (operation?.type) {
      case undefined:
        return values;
      case 'Default':
        return [...values, ...(operands[0] ?? [])];
      case 'Remove': {
        const [pattern = UNKNOWN] = operands[0] ?? [];
        return values.map((value) => removeMatch(value, operation.operator, pattern));
      }
      default:
        return [UNKNOWN];
    }
  }

  #operands(operation: Bash.ParameterOperation, scope: Scope): string[][] {
    const operands: string[][] = [];
    forEachChild(operation, (child) => {
      if (child.type === 'Word') operands.push(this.#word(child, scope));
    });
    return operands;
  }

  /** The value of a substitution. */
  #substitution(script: Bash.ParsedScript | undefined, scope: Scope): string {
    if (!script) {
      this.fail(say`a substitution cannot be parsed`);
      return UNKNOWN;
    }
    if (!this.#step(scope)) return UNKNOWN;
    const from = this.#commands.length;
    this.#block(script, { ...scope, depth: scope.depth + 1, isInner: true });
    const commands = this.#commands.slice(from);
    const [only] = commands;
    if (only && commands.length === 1) {
      const { program, args } = only;
      const printed = printedBy(only);
      if (printed !== undefined) return printed;
      if (program === 'pwd') return scope.folder ?? '.';
      if (program === 'which' || (program === 'command' && args[0] === '-v')) return args.at(-1) ?? UNKNOWN;
      if (program === 'type' && args[0] === '-p') return args[1] ?? UNKNOWN;
    }
    return commands.length > 0 && commands.every(listsOnly) ? LISTED : UNKNOWN;
  }
}
