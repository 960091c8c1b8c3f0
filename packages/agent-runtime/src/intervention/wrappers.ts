import { UNKNOWN } from './shell-text.ts';
import { byName, names, SHELLS } from './programs.ts';

/** Programs that run other programs: the inner command, as words or as the text of a script. */

export type InnerCommand = { words: readonly string[] } | { script: string };

/**
 * Programs that run the words after them. `-abc` and `--name`: their options with a value; `+1`: number of arguments
 * before the program; `=`: assignments may precede it; `!`: the words are joined and parsed as a script.
 */
const WRAPPERS = new Map<string, readonly string[]>(
  `
    sudo = -ugphCDRTrtU --user --group --prompt --host --chdir --role --type --close-from --other-user
    doas -uCa
    pkexec --user
    run0 -ugD --user --group --chdir --unit --property
    env = -uCP --unset --chdir
    nice -n --adjustment
    ionice -cnt --class --classdata
    chrt +1 -TPD
    taskset +1
    timeout +1 -ks --kill-after --signal
    time -fo --format --output
    stdbuf -ioe --input --output --error
    exec -a
    caffeinate -tw
    xvfb-run -nspef
    chroot +1 --userspec --groups
    proot -rbwq
    bwrap --ro-bind --bind --dev --proc --tmpfs --chdir --setenv --unsetenv
    nsenter -t --target
    strace -eopPsu
    ltrace -eopsu
    perf +1
    systemd-run -pEHMu --property --unit --uid --gid --slice --working-directory
    xargs -IdEaLnPsJR --delimiter --max-args --max-procs --replace --arg-file --max-lines --max-chars --process-slot-var
    parallel -jSIaNnLd --jobs --joblog --sshlogin --delay --timeout --tmpdir --colsep
    watch ! -nq --interval
    flock +1 -wE
    ssh ! +1 -bcDEeFIiJLlmOopQRSWw
    sshpass -pfd
    eval !
    npx -p --package --workspace
    uvx --from --with --python
    direnv +2
    dotenv -e
    dotenvx +1
    cross-env =
`
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' '))
    .map(([name = '', ...rest]) => [name, rest]),
);
for (const name of names(`
  nohup setsid unbuffer command builtin noglob nocorrect busybox toybox dbus-run-session dbus-launch fakeroot
  firejail unshare setpriv prlimit valgrind gdb rlwrap systemd-inhibit entr bunx pnpx arch linux32 linux64 wsl`))
  WRAPPERS.set(name, []);

/** True for an option with a value in the next word. A value attached to its option letter is not a separate word. */
function takesNext(option: string, wrapper: readonly string[]): boolean {
  if (option.startsWith('--')) return wrapper.includes(option);
  const letters = wrapper.find((each) => /^-[^-]/.test(each))?.slice(1) ?? '';
  return [...option].findIndex((letter, at) => at > 0 && letters.includes(letter)) === option.length - 1;
}

/** `npm exec`, `uv run` and others run the words after the subcommand. */
const RUNNERS =
  /^(?:(?:npm|pnpm|yarn|bun|mise|bundle|asdf) (?:exec|x|dlx)|(?:uv|poetry|pipenv|pdm|hatch|op|doppler|conda) run|corepack \w+)$/;

export const CONTAINERS = /^(?:docker|podman|nerdctl|kubectl|oc|docker-compose)$/;

/** Options of container tools with a value; the image or container follows the options. */
const CONTAINER_VALUES =
  /^(?:-[a-zA-Z]*[ehilmnpuvwacp]|--(?:name|env|volume|publish|user|workdir|network|net|entrypoint|mount|env-file|platform|label|memory|cpus|hostname|add-host|cap-add|cap-drop|device|gpus|restart|pid|ipc|security-opt|tmpfs|index|container|namespace|context|cluster|kubeconfig))$/;

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
  if (/^python3?$/.test(program) && args.includes('-m'))
    return wordsAfter(args, args.indexOf('-m') + 1, WRAPPERS.get('npx'));
  const script = args.findIndex((arg) => /(?:^|\/)(?:manage\.py|artisan|rails|rake)$/.test(arg));
  if (script !== -1 && /^(?:python3?|php|ruby|bundle)$/.test(program)) return [{ words: args.slice(script) }];
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  if (RUNNERS.test(`${program} ${args[at] ?? ''}`)) return wordsAfter(args, at + 1, WRAPPERS.get('npx'));
  return wordsAfter(args, 0, WRAPPERS.get(program));
}

function wordsAfter(args: readonly string[], start: number, wrapper: readonly string[] | undefined): InnerCommand[] {
  if (!wrapper) return [];
  let at = start;
  let left = Number(wrapper.find((each) => each.startsWith('+')) ?? 0);
  for (; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      at++;
      break;
    }
    if (arg.startsWith('-') && arg.length > 1) {
      if (takesNext(arg, wrapper)) at++;
    } else if (wrapper.includes('=') && /^[^=\s/]+=/.test(arg)) continue;
    else if (left > 0) left--;
    else break;
  }
  const end = args.findIndex((arg, index) => index >= at && /^:::+$/.test(arg));
  const words = args.slice(at + (args[at] === '--' ? 1 : 0), end === -1 ? undefined : end);
  if (words.length === 0) return [];
  // For these, a single word with spaces is a command line.
  const isScript = wrapper.includes('!') || (words.length === 1 && /\s/.test(words[0] ?? ''));
  return isScript ? [{ script: words.join(' ') }] : [{ words }];
}

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
  const at = args.findIndex((arg) => /^(?:run|exec|debug)$/.test(arg));
  if (at === -1) return [];
  const dashes = args.indexOf('--', at);
  if (dashes !== -1) return [{ words: args.slice(dashes + 1) }];
  let entry: string | undefined;
  for (let index = at + 1; index < args.length; index++) {
    const arg = args[index] ?? '';
    if (arg === '--entrypoint') entry = args[index + 1];
    if (arg.startsWith('--entrypoint=')) entry = arg.slice('--entrypoint='.length);
    if (arg.startsWith('-')) {
      if (CONTAINER_VALUES.test(arg) && !/^-[itdP]+$/.test(arg)) index++;
      continue;
    }
    const words = args.slice(index + 1);
    return [{ words: entry === undefined ? words : [entry, ...words] }];
  }
  return [];
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
