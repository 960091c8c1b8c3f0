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
  ['dig nslookup host ping', /[\0\u0001]/, 'It sends data in a DNS name.'],
  ['curl wget', / (?:--unix-socket|--abstract-unix|-K|--config|file:)/i, '{program} reads a local file.'],
  [
    'curl wget http',
    / (?:-[a-zA-Z]*T|--upload-file|--(?:post|body)-file)|(?:-F|--form\S*) ?\S*=[@<]| (?:-d|--data\S*)[ =]?@[^- ]\S*(?<!\.(?:json|txt|xml|ya?ml|csv)) /,
    'It sends data to another place.',
  ],
  ['mail mailx mutt swaks sendmail', / -[aA] /, 'It sends data to another place.'],
  ['rclone', / (?:copy|sync|move|copyto|moveto|bisync|mount|serve) /, 'It sends data to another place.'],
  ['php ruby', / (?:-S|-run) /, 'It serves files, or runs code.'],
  ['code', / (?:tunnel|--user-data-dir|--extensions-dir)/, '{program} runs other commands, or gives others access.'],
  [
    'ffmpeg',
    / -f (?:x11grab|avfoundation|pulse|alsa|v4l2|gdigrab|dshow|kmsgrab) /,
    '{program} reads a secret store, the clipboard, the screen or the keyboard.',
  ],
  ['ansible', / (?:shell|command|raw|script) /, '{program} runs other commands, or gives others access.'],
  [
    'tar',
    / --(?:to-command|checkpoint-action|use-comp\S*-prog|rsh-command|info-script|new-volume-script)/,
    'tar runs a command.',
  ],
  ['find', / -f(?:print\w*|ls) /, '{program} runs a command or writes a file.'],
  ['code codium cursor', / --install-extension/, 'It installs or runs code from another source.'],
  ['npm', / pkg (?:set|fix) .*scripts/, 'It changes what npm runs.'],
  ['jq', /\.scripts\b.*=/, 'It changes what npm runs.'],
  [
    'npm yarn pnpm cargo gem poetry uv twine flit hatch dotnet',
    / (?:publish|unpublish|push|upload|yank|token|login|adduser|owner|access|deprecate) /,
    '{program} {action} changes the registry or the account.',
  ],
  ['pip pip3', / config (?:set|edit)| --trusted-host/, 'It installs or runs code from another source.'],
  [
    'ip resolvectl nmcli networksetup scutil hostnamectl timedatectl localectl gsettings dconf',
    / (?:add|del\w*|set\w*|-set\w*|mod\w*|write|replace|change|flush|reset|dns|load) /,
    '{program} changes the settings of the machine.',
  ],
  ['service', / (?:stop|disable) /, '{program} changes the settings of the machine.'],
  ['journalctl', / --(?:vacuum|rotate|flush)/, 'It deletes files.'],
  ['lxc incus', / config .*(?:device|security|raw)/, 'The container has full access to the machine.'],
  [
    'terraform tofu pulumi',
    / (?:output|state (?:pull|show)|stack export) /,
    '{program} {action}: it may show or use a secret.',
  ],
  ['7z 7za rar', / (?:-sdel|-df|m) /, 'It deletes files ({program}).'],
  [
    'npm yarn pnpm',
    / (?:config|c|set|get) .*(?:auth|token|path |plugin|script-shell|ignore-scripts|registry|git )/i,
    'It reads or changes the configuration of npm.',
  ],
  ['systemctl', SERVICES, 'systemctl {action} changes the services of the machine.'],
  ['dpkg rpm apt apt-get dnf yum', /\.(?:deb|rpm) /, 'It installs a package from a file.'],
  ['apt apt-get dnf yum', NEEDED, 'It removes a package that the system needs.'],
  ['pkill killall', / (?:-[uU]|--e?user|--uid)| \.\*? /, 'It kills every process of a user.'],
  [
    'open xdg-open start',
    /\.(?:command|desktop|sh|scpt|terminal|exe|bat) /,
    '{program} runs other commands, or gives others access.',
  ],
  ['node', / --inspect\S*=0/, '{program} runs other commands, or gives others access.'],
  ['claude codex gemini', / mcp (?:add|install)/, 'It installs or runs code from another source.'],
  ['chown', / (?:root|0)[ :]/, 'It changes the permissions of everything.'],
  ['chmod', / (?:0?000|a-\S+|-x) /, 'It changes the permissions of everything.'],
  ['perl', / -\w*i\S* .*-n/, 'It overwrites a file with empty content.'],
  ['xclip', / -o/, 'xclip reads the clipboard.'],
  ['heroku', / (?:config|pg:credentials|run) /, 'It shows the configuration of an app.'],
  [
    'docker podman nerdctl',
    / (?:load|import|login) |security\.insecure/,
    'It installs or runs code from another source.',
  ],
  [
    'kubectl',
    /[ ,]secrets?[ ,/]| (?:debug|cp|drain|proxy) | --as[ =]/,
    'It reads secrets of a cluster, or runs commands inside it.',
  ],
  ['gh', / auth (?:token|login|refresh|.*-t |.*--show-token)/, 'It shows a token.'],
  [
    'gh',
    / (?:gist create|(?:secret|variable|ssh-key|gpg-key) (?:set|add|delete)|api .*(?:-X|--method)[ =]?[DP])/,
    'It sends data to another place.',
  ],
  ['gh', / repo delete /, 'It deletes a repository.'],
  ['getent', / g?shadow /, 'It shows a password.'],
  ['helm', / get (?:values|all) /, '{program} {action}: it may show or use a secret.'],
  ['nmcli npm', /psk|secret| -s | config (?:ls|list)/, 'It shows a password.'],
  [
    'rsync tar bsdtar rclone aws gsutil zip robocopy',
    new RegExp(`^(?!.* (?:-[a-zA-Z]*n|--dry-?run) ).*${DELETES.source}`),
    'It deletes files ({program}).',
  ],
  ['zip', / -[a-zA-Z]*m/, 'It deletes files ({program}).'],
  ['tar', / (?:--overwrite|--unlink-first) .* \/ /, 'It overwrites the system files.'],
  ['prisma', / (?:reset|--force-reset|--accept-data-loss) /, 'It empties a database.'],
  ['manage.py', / (?:flush|reset_db|dbshell|shell|sqlflush|zero) /, 'It empties a database, or runs code.'],
]);
