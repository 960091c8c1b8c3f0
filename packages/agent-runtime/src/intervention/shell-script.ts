import type { AnyText, TranslatableText } from '@toolyard/protocol';
/** A command as it would run, with its words resolved as far as they are known. */
export type SimpleCommand = {
  /** The program as it is written, then its arguments. */
  readonly words: readonly string[];
  /** The base name of the program. */
  readonly program: string;
  readonly args: readonly string[];
  readonly redirects: readonly Redirection[];
  readonly assignments: readonly { readonly name: string; readonly value: string }[];
  /** The folder of a preceding `cd`; undefined without one. */
  readonly folder: string | undefined;
  /** The commands whose output it reads through a pipe. */
  readonly sources: readonly SimpleCommand[];
  /** The command that reads its output, once it is known. */
  next: SimpleCommand | undefined;
  /** It is not in the text itself: another command or an expansion runs it. */
  readonly isInner: boolean;
};

export type Redirection = { readonly operator: string; readonly target: string };

/** What is wrong with a text or a command. `unclear`: its effect is unknown. */
export type ScriptFinding = { readonly kind: 'danger' | 'unclear'; readonly why: TranslatableText };

export type ShellScript = {
  readonly commands: readonly SimpleCommand[];
  /** Why the text could not be analyzed completely; undefined if it was. */
  readonly fault: AnyText | undefined;
  /** A finding from expansions, such as a variable with a secret. */
  readonly finding: ScriptFinding | undefined;
};

export function dangerFinding(why: TranslatableText): ScriptFinding {
  return { kind: 'danger', why };
}

export function unclearFinding(why: TranslatableText): ScriptFinding {
  return { kind: 'unclear', why };
}

/** The first danger, otherwise the first unclear finding. Findings after a danger are not computed. */
export function firstDanger(findings: Iterable<ScriptFinding | undefined>): ScriptFinding | undefined {
  let found: ScriptFinding | undefined;
  for (const finding of findings) {
    if (finding?.kind === 'danger') return finding;
    found ??= finding;
  }
  return found;
}

/** The text that a command reads as its input; undefined if it is unknown. */
export function findInput(command: SimpleCommand): string | undefined {
  const hereDocument = command.redirects.findLast(({ operator }) => operator.startsWith('<<'));
  if (hereDocument) return hereDocument.target;
  const [source, ...more] = command.sources;
  if (source === undefined || more.length > 0) return undefined;
  return printedBy(source);
}

/** The text that `echo` and `printf` print, if it is in the command. */
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
