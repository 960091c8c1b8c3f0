/** A command as it would run, with its words resolved as far as they are known. */
export type SimpleCommand = {
  /** The program as it is written, then its arguments. */
  readonly words: readonly string[];
  /** The base name of the program. */
  readonly program: string;
  readonly args: readonly string[];
  readonly redirects: readonly Redirection[];
  readonly assignments: readonly { readonly name: string; readonly value: string }[];
  /** The folder a `cd` before it went to; undefined where none did. */
  readonly folder: string | undefined;
  /** The commands whose output it reads through a pipe. */
  readonly sources: readonly SimpleCommand[];
  /** The command that reads its output, once it is known. */
  next: SimpleCommand | undefined;
  /** It does not stand in the text itself: it is run by another command, or by an expansion. */
  readonly isInner: boolean;
};

export type Redirection = { readonly operator: string; readonly target: string };

/** What is wrong with a text or a command. `unclearFinding`: what it does is not known. */
export type ScriptFinding = { readonly kind: 'danger' | 'unclear'; readonly why: string };

export type ShellScript = {
  readonly commands: readonly SimpleCommand[];
  /** Why the text is not understood completely; undefined where it is. */
  readonly fault: string | undefined;
  /** What expansions alone show, such as a variable that holds a secret. */
  readonly finding: ScriptFinding | undefined;
};

export function dangerFinding(why: string): ScriptFinding {
  return { kind: 'danger', why };
}

export function unclearFinding(why: string): ScriptFinding {
  return { kind: 'unclear', why };
}

/** The first danger; where there is none, the first doubt. Later findings are not computed once there is a danger. */
export function firstDanger(findings: Iterable<ScriptFinding | undefined>): ScriptFinding | undefined {
  let found: ScriptFinding | undefined;
  for (const finding of findings) {
    if (finding?.kind === 'danger') return finding;
    found ??= finding;
  }
  return found;
}

/** The text that a command reads as its input, undefined where it is not known. */
export function inputOf(command: SimpleCommand): string | undefined {
  const given = command.redirects.findLast(({ operator }) => operator.startsWith('<<'));
  if (given) return given.target;
  const [source, ...more] = command.sources;
  if (source === undefined || more.length > 0) return undefined;
  return printedBy(source);
}

/** What `echo` and `printf` print, where it stands in the command. */
export function printedBy({ program, args, redirects }: SimpleCommand): string | undefined {
  if (redirects.length > 0) return undefined;
  if (program === 'echo') {
    const from = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
    const text = (from === -1 ? [] : args.slice(from)).join(' ');
    return text.includes('\\') ? undefined : text;
  }
  if (program !== 'printf') return undefined;
  const [format = '', ...values] = args;
  if (/^-|\\(?![nt0])/.test(format)) return undefined;
  let at = 0;
  const text = format.replace(/%[sb]/g, () => values[at++] ?? '').replace(/\\n/g, '\n');
  if (/%/.test(format.replace(/%[sb]/g, '')) || at < values.length)
    return values.length < 50 ? [text, ...values.slice(at)].join(' ') : undefined;
  return text;
}
