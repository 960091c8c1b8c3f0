import { names } from './programs.ts';
import type { ScriptFinding } from './shell-script.ts';
import { dangerFinding } from './shell-script.ts';

/** A danger that is visible in the name of a program and its arguments. */
export type ArgumentDanger = {
  /** The programs that it concerns. */
  of: string;
  /** Matches the program's first two plain arguments, the subcommand. */
  does?: RegExp;
  /** Arguments that make it dangerous if all of these occur. */
  has?: readonly RegExp[];
  /** An argument that makes it harmless. */
  but?: RegExp;
  /** `{program}` and `{action}` are replaced by the first two words of the command. */
  why: string;
};

type Inspector = (name: string, args: readonly string[]) => ScriptFinding | undefined;

export function argumentDangers(rows: readonly ArgumentDanger[]): Inspector & { programs: ReadonlySet<string> } {
  const byProgram = new Map<string, ArgumentDanger[]>();
  for (const row of rows) for (const name of names(row.of)) byProgram.set(name, [...(byProgram.get(name) ?? []), row]);
  const inspector: Inspector = (name, args) => {
    const candidates = byProgram.get(name);
    if (!candidates) return undefined;
    const [action = '', object = ''] = plainArguments(args);
    const row = candidates.find(
      ({ does, has = [], but }) =>
        (!does || does.test(`${action} ${object}`)) &&
        has.every((pattern) => args.some((arg) => pattern.test(arg))) &&
        !args.some((arg) => but?.test(arg)),
    );
    return row && dangerFinding(row.why.replace('{program}', name).replace('{action}', action));
  };
  return Object.assign(inspector, { programs: new Set(byProgram.keys()) });
}

/** Arguments that are neither options, paths nor texts. */
export function plainArguments(args: readonly string[]): string[] {
  return args.filter((arg) => !arg.startsWith('-') && !/[\s/]/.test(arg));
}

const SHOWS_TOKEN = 'It shows a token.';
const READS_CLUSTER = 'It reads secrets of a cluster, or runs commands inside it.';
const NEEDED_PACKAGE = 'It removes a package that the system needs.';
const RAW_CONNECTION = 'nc opens or listens on a raw connection.';

export const inspectArguments = argumentDangers([
  // Connections
  { of: 'nc', has: [/^-[a-z]*[el]/], why: RAW_CONNECTION },
  { of: 'nc', but: /^-[a-z]*z/, why: RAW_CONNECTION },
  {
    of: 'ssh',
    has: [/^-[a-zA-Z]*[RLDwW]|^-o.*(?:ProxyCommand|LocalCommand|PermitLocal)|ProxyCommand=/i],
    why: 'ssh opens a tunnel or runs a command.',
  },
  { of: 'xterm xhost', has: [/^-display$|^\+/], why: '{program} gives others access to the screen.' },
  {
    of: 'tmux screen',
    has: [/^(?:-S|run-shell|run|if-shell|pipe-pane|-X)$/],
    why: '{program} runs other commands, or gives others access.',
  },
  { of: 'dig nslookup host', has: [/\0/], why: 'It sends data in a DNS name.' },
  {
    of: 'curl wget',
    has: [/^--unix-socket|^--abstract-unix|^-K$|^--config/],
    why: '{program} connects to a local service.',
  },
  { of: 'curl wget', has: [/^file:/i], why: '{program} reads a local file.' },
  { of: 'curl', has: [/^-[a-zA-Z]*T|^--upload-file/], why: 'curl sends a file.' },
  { of: 'ansible', has: [/^(?:shell|command|raw|script)$/], why: 'ansible runs commands on other machines.' },
  { of: 'find', has: [/^-f(?:print\w*|ls)$/], why: 'find writes a file.' },
  { of: 'code codium cursor', has: [/^--install-extension/], why: 'It installs an extension.' },
  { of: 'getent', has: [/^g?shadow$/], why: 'It shows passwords.' },
  { of: 'helm', does: /^get (?:values|all)$/, why: 'It may show a secret.' },
  { of: 'zip', has: [/^-[a-zA-Z]*m/], why: 'zip deletes the files that it packs.' },
  { of: 'pkill', has: [/^\.\*?$/], why: 'It kills every process.' },
  // Code
  {
    of: 'tar',
    has: [/^--(?:to-command|checkpoint-action|use-compress-program|rsh-command|info-script|new-volume-script)|^-I$/],
    why: 'tar runs a command.',
  },
  { of: 'man', has: [/^(?:-P|--pager|-H|--html)/], why: 'man runs another program.' },
  { of: 'npm', does: /^pkg (?:set|fix)$/, has: [/^scripts/], why: 'It changes what npm runs.' },
  { of: 'jq', has: [/\.scripts\b.*=/], why: 'It changes what npm runs.' },
  // Permissions and the system
  {
    of: 'systemctl',
    does: /^(?:(?:enable|link|mask|unmask|preset|edit|set-default|poweroff|reboot|halt|kexec|isolate|rescue|emergency|hibernate|suspend|set-property|show-environment|set-environment|disable|revert|add-wants) |stop (?:firewalld|ufw|auditd|apparmor|rsyslog)$)/,
    why: 'systemctl {action} changes the services of the machine.',
  },
  {
    of: 'npm',
    does: /^(?:publish|unpublish|token|login|adduser|owner|access|deprecate) /,
    why: 'npm {action} changes the registry or the account.',
  },
  {
    of: 'npm yarn pnpm',
    does: /^(?:config|c|set|get) /,
    has: [/auth|token|path$|plugin|script-shell|ignore-scripts|registry|git$/i],
    why: 'It reads or changes the configuration of npm.',
  },
  { of: 'dpkg rpm apt apt-get dnf yum', has: [/\.(?:deb|rpm)$/], why: 'It installs a package from a file.' },
  { of: 'apt apt-get dnf yum', has: [/^(?:--)?purge$/], why: NEEDED_PACKAGE },
  {
    of: 'apt apt-get dnf yum',
    has: [
      /^(?:remove|autoremove|erase)$/,
      /^(?:libc6|bash|coreutils|sudo|systemd|linux-\S+|openssh\S*|apt|dpkg|--allow-remove-essential)$/,
    ],
    why: NEEDED_PACKAGE,
  },
  { of: 'pkill killall', has: [/^(?:-[uU]|--e?user|--uid)/], why: 'It kills every process of a user.' },
  // Secrets
  { of: 'xclip', has: [/^-o/], why: 'xclip reads the clipboard.' },
  { of: 'heroku', does: /^(?:config|pg:credentials|run)/, why: 'It shows the configuration of an app.' },
  { of: 'kubectl', has: [/^secrets?(?:\/|$)/], why: READS_CLUSTER },
  { of: 'kubectl', does: /^(?:debug|cp|drain) /, why: READS_CLUSTER },
  { of: 'gh', does: /^auth token$/, why: SHOWS_TOKEN },
  { of: 'gh', does: /^auth /, has: [/^(?:-t|--show-token)$/], why: SHOWS_TOKEN },
  { of: 'nmcli', has: [/psk|secret|^-s$/], why: 'It shows a password.' },
  // Loss of data
  {
    of: 'rsync tar bsdtar rclone aws gsutil zip robocopy',
    has: [/^--(?:remove-files|remove-source-files|del(?:ete)?(?:-\w+)?|zap-all|purge-all|force-delete)$/],
    but: /^-[a-zA-Z]*n|^--dry-?run$/,
    why: 'It deletes files ({program}).',
  },
  { of: 'tar', has: [/^--overwrite$|^--unlink-first$/, /^\/$/], why: 'It overwrites the system files.' },
  { of: 'gh', does: /^repo delete$/, why: 'It deletes a repository.' },
  { of: 'prisma', has: [/^(?:reset|--force-reset|--accept-data-loss)$/], why: 'It empties a database.' },
  {
    of: 'manage.py',
    has: [/^(?:flush|reset_db|dbshell|shell|sqlflush|zero)$/],
    why: 'It empties a database, or runs code.',
  },
]);
