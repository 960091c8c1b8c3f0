import { names, SHELLS } from './programs.ts';
import { UNKNOWN } from './shell-text.ts';

/** Programs that run other programs: the inner command, as words or as the text of a script. */

export type InnerCommand = { words: readonly string[] } | { script: string };

/** Programs that run the words after their options: `+1`, after one more argument; `:ab`, `-a` and `-b` have a value. */
const WRAPPERS: ReadonlyMap<string, { skip: number; letters: string }> = new Map(
  [
    ...names(`
    sudo:ugphCDRTrtU doas:uCa pkexec run0:ugD env:uCPS nice:n ionice:cnt time:fo stdbuf:ioe exec:a caffeinate:tw
    xvfb-run:nspef proot:rbwq bwrap nsenter:t strace:eopPsu ltrace:eopsu systemd-run:pEHMu xargs:IdEaLnPsJR
    parallel:jSIaNnLd watch:nq sshpass:pfd eval npx:p uvx:p dotenv:e cross-env nohup setsid unbuffer command builtin
    noglob nocorrect busybox toybox dbus-run-session dbus-launch fakeroot firejail unshare setpriv prlimit valgrind
    gdb rlwrap systemd-inhibit entr bunx:p pnpx:p arch linux32 linux64 wsl:e chrt+1:TPD taskset+1 timeout+1:ks
    chroot+1 perf+1 flock+1:wE ssh+1:bcDEeFIiJLlmOopQRSWw dotenvx+1 direnv+2`),
  ].map((each) => {
    const [, name = '', skip = '0', letters = ''] = /^([\w-]+)(?:\+(\d))?(?::(\w+))?$/.exec(each) ?? [];
    return [name, { skip: Number(skip), letters }] as const;
  }),
);

/** `npm exec`, `uv run` and others run the words after the subcommand. */
const RUNNERS =
  /^(?:(?:npm|pnpm|yarn|bun|mise|bundle|asdf) (?:exec|x|dlx)|(?:uv|poetry|pipenv|pdm|hatch|op|doppler|conda) run|corepack \w+)$/;

export const CONTAINERS = /^(?:docker|podman|nerdctl|kubectl|oc|docker-compose)$/;

/**
 * The commands that a command runs, as words or as the text of a script. Scripts in other arguments are found by their
 * form, see `inspectGiven`.
 */
export function innerCommands(program: string, args: readonly string[]): InnerCommand[] {
  if (SHELLS.has(program)) return scriptAfter(args, /^[-+][A-Za-z]*c[A-Za-z]*$/);
  if (/^(?:find|fd|fdfind)$/.test(program)) return executedBy(args);
  if (CONTAINERS.test(program)) return containerInner(args);
  if (program === 'git') return gitInners(args);
  if (program === 'trap') return args.slice(0, 1).map((script) => ({ script }));
  if (/^python3?$/.test(program) && args.includes('-m')) return wordsAfter(args, args.indexOf('-m') + 1);
  if (/^(?:python3?|php|ruby|bundle)$/.test(program)) {
    const script = args.findIndex((arg) => /(?:^|\/)(?:manage\.py|artisan|rails|rake)$/.test(arg));
    if (script !== -1) return [{ words: args.slice(script) }];
  }
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  if (RUNNERS.test(`${program} ${args[at] ?? ''}`)) return wordsAfter(args, at + 1);
  const wrapper = WRAPPERS.get(program);
  return wrapper ? wordsAfter(args, 0, { ...wrapper, joins: /^(?:watch|ssh|eval)$/.test(program) }) : [];
}

/**
 * The words after options and `skip` arguments. A word after a long option may be its value: both readings count.
 * `joins`: the words are joined and parsed as a script.
 */
function wordsAfter(
  args: readonly string[],
  from: number,
  { skip = 0, letters = 'p', joins = false } = {},
): InnerCommand[] {
  const end = args.findIndex((arg, at) => at >= from && /^:::+$/.test(arg));
  const all = args.slice(from, end === -1 ? undefined : end);
  const found: InnerCommand[] = [];
  const isOption = (at: number): boolean => /^-.|^[^=\s/]+=/.test(all[at] ?? '');
  for (let at = 0; at < all.length; at++) {
    const option = all[at - 1] ?? '';
    const isLast = all[at] === '--';
    if ((isOption(at) && !isLast) || hasValue(option, letters)) continue;
    let start = isLast ? at + 1 : at;
    for (let left = skip; left > 0; left--)
      do start++;
      while (isOption(start) || hasValue(all[start - 1] ?? '', letters));
    const words = all.slice(start);
    const [first = ''] = words;
    const mayBeValue = /^--[^=]+$/.test(option);
    // A single word with spaces is a command line.
    if (words.length > 0 && !(mayBeValue && NO_PROGRAM.test(first)))
      found.push(joins || (words.length === 1 && /\s/.test(first)) ? { script: words.join(' ') } : { words });
    if (!mayBeValue) break;
  }
  return found;
}

/** A value attached to its option letter is not a separate word. */
function hasValue(option: string, letters: string): boolean {
  if (!/^-[^-]/.test(option)) return false;
  return [...option].findIndex((letter, at) => at > 0 && letters.includes(letter)) === option.length - 1;
}

const NO_PROGRAM = /^\d+$|[^\w./+~\s-]/;

function scriptAfter(args: readonly string[], option: RegExp): InnerCommand[] {
  const at = args.findIndex((arg) => option.test(arg));
  if (at === -1) return [];
  const script = args.slice(at + 1).find((arg) => !/^[-+][A-Za-z]/.test(arg));
  return script === undefined ? [] : [{ script }];
}

function executedBy(args: readonly string[]): InnerCommand[] {
  const found: InnerCommand[] = [];
  for (let at = 0; at < args.length; at++) {
    if (!/^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(args[at] ?? '')) continue;
    const rest = args.slice(at + 1);
    const end = rest.findIndex((arg, index) => arg === ';' || (arg === '+' && rest[index - 1] === '{}'));
    const words = end === -1 ? rest : rest.slice(0, end);
    found.push({ words: words[0] === '{}' ? [UNKNOWN] : words });
    at += end === -1 ? rest.length : end + 1;
  }
  return found;
}

function gitInners(args: readonly string[]): InnerCommand[] {
  return args.flatMap((arg, at): InnerCommand[] => {
    const option = `${args[at - 1] ?? ''} ${arg}`;
    if (/^(?:bisect run|submodule foreach)$/.test(option)) return [{ words: args.slice(at + 1) }];
    const set = /^(?:-c [\w.-]+=!?|(?:-x|--exec|--\w+-filter) |.* --(?:exec|\w+-filter)=)(.*)$/s.exec(option)?.[1];
    return set === undefined ? [] : [{ script: set }];
  });
}

function containerInner(args: readonly string[]): InnerCommand[] {
  const from = args.findIndex((arg) => /^(?:run|exec|debug)$/.test(arg)) + 1;
  if (from === 0) return [];
  const dashes = args.indexOf('--', from);
  if (dashes !== -1) return [{ words: args.slice(dashes + 1) }];
  const entry = / --entrypoint[ =](\S+)/.exec(` ${args.join(' ')}`)?.[1];
  const found = wordsAfter(args, from, { skip: 1, letters: 'ehlmnpuvwac' });
  if (entry === undefined) return found;
  return found.map((each) =>
    'words' in each ? { words: [entry, ...each.words] } : { script: `${entry} ${each.script}` },
  );
}

/** All programs for which {@link innerCommands} may find something. */
export const WRAPPING_PROGRAMS: readonly string[] = [
  ...WRAPPERS.keys(),
  ...SHELLS,
  ...'trap find fd fdfind git docker podman nerdctl kubectl oc env python npm pnpm yarn bun mise uv poetry conda'.split(
    ' ',
  ),
];

/** True for a program that runs the words after it. */
export function isWrapper(program: string): boolean {
  return WRAPPERS.has(program) || SHELLS.has(program);
}
