import { names } from './programs.ts';
import type { ScriptFinding } from './shell-script.ts';
import { dangerFinding } from './shell-script.ts';

/**
 * A danger that is visible in the name of a program and its arguments: the programs, a pattern of the arguments (each
 * preceded by a space), and the reason, in which `{program}` and `{action}` are replaced.
 */
export type ArgumentDanger = readonly [of: string, has: RegExp, why: string];

type Inspector = (name: string, args: readonly string[]) => ScriptFinding | undefined;

export function argumentDangers(rows: readonly ArgumentDanger[]): Inspector & { programs: ReadonlySet<string> } {
  const byProgram = new Map<string, ArgumentDanger[]>();
  for (const row of rows) for (const name of names(row[0])) byProgram.set(name, [...(byProgram.get(name) ?? []), row]);
  const inspector: Inspector = (name, args) => {
    const candidates = byProgram.get(name);
    if (!candidates) return undefined;
    const text = `${args.map((arg) => ` ${arg.slice(0, 500)}`).join('')} `;
    const [, , why] = candidates.find(([, has]) => has.test(text)) ?? [];
    const action = (): string => plainArguments(args)[0] ?? '';
    return why === undefined ? undefined : dangerFinding(why.replace('{program}', name).replace('{action}', action));
  };
  return Object.assign(inspector, { programs: new Set(byProgram.keys()) });
}

/** Arguments that are neither options, paths nor texts. */
export function plainArguments(args: readonly string[]): string[] {
  return args.filter((arg) => !arg.startsWith('-') && !/[\s/]/.test(arg));
}

const SERVICES =
  / (?:enable|link|mask|unmask|preset|edit|set-default|poweroff|reboot|halt|kexec|isolate|rescue|emergency|hibernate|suspend|set-property|show-environment|set-environment|disable|revert|add-wants) | stop (?:firewalld|ufw|auditd|apparmor|rsyslog) /;
const DELETES = / --(?:remove-files|remove-source-files|del(?:ete)?(?:-\w+)?|zap-all|purge-all|force-delete) /;
const NEEDED =
  / purge | (?:remove|autoremove|erase) .*(?:libc6|bash|coreutils|sudo|systemd|linux-\S+|openssh\S*|apt|dpkg|--allow-remove-essential) /;

export const inspectArguments = argumentDangers([
  ['nc', / -[a-z]*[el]|^(?!.* -[a-z]*z)/, 'nc opens or listens on a raw connection.'],
  [
    'ssh',
    / -[a-zA-Z]*[RLDwWF]|(?:Proxy|Local|KnownHosts)Command|PermitLocal/i,
    'ssh opens a tunnel or runs a command.',
  ],
  ['xterm xhost', / -display | \+/, '{program} gives others access to the screen.'],
  [
    'tmux screen',
    / (?:-S|run-shell|run|if-shell|pipe-pane|-X) /,
    '{program} runs other commands, or gives others access.',
  ],
  ['dig nslookup host', /\0/, 'It sends data in a DNS name.'],
  ['curl wget', / (?:--unix-socket|--abstract-unix|-K|--config|file:)/i, '{program} reads a local file or service.'],
  ['curl', / (?:-[a-zA-Z]*T|--upload-file)/, 'curl sends a file.'],
  ['ansible', / (?:shell|command|raw|script) /, 'ansible runs commands on other machines.'],
  [
    'tar',
    / --(?:to-command|checkpoint-action|use-comp\S*-prog|rsh-command|info-script|new-volume-script)/,
    'tar runs a command.',
  ],
  ['find', / -f(?:print\w*|ls) /, 'find writes a file.'],
  ['code codium cursor', / --install-extension/, 'It installs an extension.'],
  ['npm', / pkg (?:set|fix) .*scripts/, 'It changes what npm runs.'],
  ['jq', /\.scripts\b.*=/, 'It changes what npm runs.'],
  [
    'npm',
    / (?:publish|unpublish|token|login|adduser|owner|access|deprecate) /,
    'npm {action} changes the registry or the account.',
  ],
  [
    'npm yarn pnpm',
    / (?:config|c|set|get) .*(?:auth|token|path |plugin|script-shell|ignore-scripts|registry|git )/i,
    'It reads or changes the configuration of npm.',
  ],
  ['systemctl', SERVICES, 'systemctl {action} changes the services of the machine.'],
  ['dpkg rpm apt apt-get dnf yum', /\.(?:deb|rpm) /, 'It installs a package from a file.'],
  ['apt apt-get dnf yum', NEEDED, 'It removes a package that the system needs.'],
  ['pkill killall', / (?:-[uU]|--e?user|--uid)| \.\*? /, 'It kills every process of a user.'],
  ['xclip', / -o/, 'xclip reads the clipboard.'],
  ['heroku', / (?:config|pg:credentials|run) /, 'It shows the configuration of an app.'],
  ['kubectl', / secrets?[ /]| (?:debug|cp|drain) /, 'It reads secrets of a cluster, or runs commands inside it.'],
  ['gh', / auth (?:token|.*-t |.*--show-token)/, 'It shows a token.'],
  ['gh', / repo delete /, 'It deletes a repository.'],
  ['getent', / g?shadow /, 'It shows passwords.'],
  ['helm', / get (?:values|all) /, 'It may show a secret.'],
  ['nmcli', /psk|secret| -s /, 'It shows a password.'],
  [
    'rsync tar bsdtar rclone aws gsutil zip robocopy',
    new RegExp(`^(?!.* (?:-[a-zA-Z]*n|--dry-?run) ).*${DELETES.source}`),
    'It deletes files ({program}).',
  ],
  ['zip', / -[a-zA-Z]*m/, 'zip deletes the files that it packs.'],
  ['tar', / (?:--overwrite|--unlink-first) .* \/ /, 'It overwrites the system files.'],
  ['prisma', / (?:reset|--force-reset|--accept-data-loss) /, 'It empties a database.'],
  ['manage.py', / (?:flush|reset_db|dbshell|shell|sqlflush|zero) /, 'It empties a database, or runs code.'],
]);
