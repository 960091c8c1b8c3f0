import type { TranslatableText } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
import { names } from './programs.ts';
import type { ScriptFinding } from './shell-script.ts';
import { dangerFinding } from './shell-script.ts';

/**
 * A danger that is visible in the name of a program and its arguments: the programs, a pattern of the arguments (each
 * preceded by a space), and the reason.
 */
export type ArgumentDanger = readonly [of: string, has: RegExp, why: TranslatableText | Reason];

type Reason = (program: string, action: string) => TranslatableText;

type Inspector = (name: string, args: readonly string[]) => ScriptFinding | undefined;

export function argumentDangers(rows: readonly ArgumentDanger[]): Inspector & { programs: ReadonlySet<string> } {
  const byProgram = new Map<string, ArgumentDanger[]>();
  for (const row of rows) for (const name of names(row[0])) byProgram.set(name, [...(byProgram.get(name) ?? []), row]);
  const inspector: Inspector = (name, args) => {
    const candidates = byProgram.get(name);
    if (!candidates) return undefined;
    const text = `${args.map((arg) => ` ${arg.slice(0, 500)}`).join('')} `;
    const [, , why] = candidates.find(([, has]) => has.test(text)) ?? [];
    if (why === undefined) return undefined;
    return dangerFinding(typeof why === 'function' ? why(name, plainArguments(args)[0] ?? '') : why);
  };
  return Object.assign(inspector, { programs: new Set(byProgram.keys()) });
}

/** Arguments that are neither options, paths nor texts. */
export function plainArguments(args: readonly string[]): string[] {
  return args.filter((arg) => !arg.startsWith('-') && !/[\s/]/.test(arg));
}

const RUNS: Reason = (program) => say`${program} runs other commands, or gives others access.`;
const SENDS = say`It sends data to another place.`;
const INSTALLS = say`It installs or runs code from another source.`;
const CHANGES: Reason = (program) => say`${program} changes the settings of the machine.`;
const DELETES: Reason = (program) => say`It deletes files (${program}).`;
const SHOWS: Reason = (program, action) => say`${program} ${action}: it may show or use a secret.`;
const MODES = say`It changes the permissions of everything.`;

const HOST_ACCESS = say`The container has full access to the machine.`;
/** The same in the settings of a container or pod. */
export const HOST_SETTINGS = /\b(?:host_?(?:pid|network|ipc)|privileged)["']?\s*[:=]\s*true\b/i;
const HOST_RIGHTS = new RegExp(
  ` --(?:privileged|(?:pid|ipc|userns|net|network|cgroupns)[= ]host|cap-add\\S*|device\\S*|security-opt\\S*) |${HOST_SETTINGS.source}`,
  'i',
);
const CONTAINERS = 'docker podman nerdctl docker-compose kubectl oc';

const SERVICES =
  / (?:enable|link|(?:un)?mask|preset|edit|set-\w+|poweroff|reboot|halt|kexec|isolate|rescue|emergency|hibernate|suspend|show-environment|disable|revert|add-wants) | stop (?:firewalld|ufw|auditd|apparmor|rsyslog) /;
const NEEDED =
  / purge | (?:remove|autoremove|erase) .*(?:libc6|bash|coreutils|sudo|systemd|linux-\S+|openssh\S*|apt|dpkg|--allow-remove-essential) /;
const PACKAGE =
  / (?:\.{0,2}\/|~)\S+ |\.(?:deb|rpm|snap|flatpak|apk|zst) | --(?:dangerous|allow-un\w+|no-?gpg\S*|force-yes) /;
const UPLOADS =
  / (?:-[a-zA-Z]*T|--upload-file|--(?:post|body)-file)|(?:-F|--form\S*) ?\S*=[@<]| (?:-d|--data\S*)[ =]?@[^- ]\S*(?<!\.(?:json|txt|xml|ya?ml|csv)) /;
const SETTINGS = / (?:add|del\w*|set\w*|-set\w*|mod\w*|write|replace|change|flush|reset|dns|load) /;
const REGISTRY = / (?:publish|unpublish|push|upload|yank|token|login|adduser|owner|access|deprecate) /;
const NPM = / (?:config|c|set|get) .*(?:auth|token|path |plugin|script-shell|ignore-scripts|registry|git )/i;

export const inspectArguments = argumentDangers([
  ['nc', / -[a-z]*[el]|^(?!.* -[a-z]*z)/, say`nc opens or listens on a raw connection.`],
  ['ssh', / -[a-zA-Z]*[RLDwWF]|(?:Proxy|Local|KnownHosts)Command|PermitLocal/i, RUNS],
  ['tmux screen xterm xhost', / (?:-S|run-shell|run|if-shell|pipe-pane|-X|-display) | \+/, RUNS],
  [
    'curl wget',
    / (?:--unix-socket|--abstract-unix|-K|--config|file:)/i,
    (program) => say`${program} reads a local file.`,
  ],
  ['curl wget http', UPLOADS, SENDS],
  ['mail mailx mutt swaks sendmail', / -[aA] /, SENDS],
  ['rclone', / (?:copy|sync|move|copyto|moveto|bisync|mount|serve) /, SENDS],
  ['php ruby', / (?:-S|-run) /, say`It serves files, or runs code.`],
  ['ansible', / (?:shell|command|raw|script) /, RUNS],
  ['find', / -f(?:print\w*|ls) /, (program) => say`${program} runs a command or writes a file.`],
  ['code codium cursor', / --install-extension| tunnel /, INSTALLS],
  ['jq npm', /\.scripts\b.*=| pkg set .*scripts/, say`It changes what npm runs.`],
  [
    'npm yarn pnpm cargo gem poetry uv twine flit hatch dotnet',
    REGISTRY,
    (program, action) => say`${program} ${action} changes the registry or the account.`,
  ],
  ['pip pip3', / config (?:set|edit)| --trusted-host/, INSTALLS],
  ['ip resolvectl nmcli networksetup scutil hostnamectl timedatectl localectl gsettings dconf', SETTINGS, CHANGES],
  ['service', / (?:stop|disable) /, CHANGES],
  ['journalctl', / --(?:vacuum|rotate|flush)/, DELETES],
  ['terraform tofu pulumi', / (?:output|state (?:pull|show)|stack export) /, SHOWS],
  ['npm yarn pnpm', NPM, say`It reads or changes the configuration of npm.`],
  ['systemctl', SERVICES, (_program, action) => say`systemctl ${action} changes the services of the machine.`],
  ['dpkg rpm apt apt-get dnf yum zypper pacman apk snap flatpak brew guix', PACKAGE, INSTALLS],
  ['go cargo', / (?:install|run) .*(?:\w\.\w+\/\S*@| --git )/, INSTALLS],
  ['kubectl helm terraform', / (?:apply|create|replace|install|upgrade|\S*module\S*) .*:\/\//, INSTALLS],
  [CONTAINERS, / (?:-H|--host)[ =]/, say`It opens a connection.`],
  [CONTAINERS, HOST_RIGHTS, HOST_ACCESS],
  [CONTAINERS, / down .*(?:-v|--volumes) /, say`It deletes the volumes of containers.`],
  [CONTAINERS, /\.Config\.Env|\{\{\s*json\s*\.Config/, say`It prints the environment of a container.`],
  ['lxc incus', / config .*(?:device|security|raw)/, HOST_ACCESS],
  ['apt apt-get dnf yum', NEEDED, say`It removes a package that the system needs.`],
  ['pkill killall', / (?:-[uU]|--e?user|--uid)| \.\*? /, say`It kills every process of a user.`],
  ['open xdg-open start', /\.(?:command|desktop|sh|scpt|terminal|exe|bat) /, RUNS],
  ['claude codex gemini', / mcp (?:add|install)/, INSTALLS],
  ['chown', / (?:root|0)[ :]/, MODES],
  ['chmod', / (?:0?000|a-\S+|-x) /, MODES],
  ['xclip', / -o/, say`xclip reads the clipboard.`],
  ['heroku', / (?:config|pg:credentials|run) /, SHOWS],
  ['docker podman nerdctl', / (?:load|import|login) /, INSTALLS],
  ['kubectl', /[ ,]secrets?[ ,/]| (?:debug|cp|drain|proxy) | --as[ =]/, SHOWS],
  ['gh', / auth (?:token|login|refresh|.*-t |.*--show-token)/, SHOWS],
  ['gh', / gist create | (?:secret|variable|ssh-key|gpg-key) (?:set|add) | api .*(?:-X|--method)[ =]?[DP]/, SENDS],
  ['perl ruby', / -\w*i.* -?\w*e {2}/, DELETES],
  ['robocopy', / \/(?:mir|purge|move?) /i, DELETES],
  ['flatpak', / override /, CHANGES],
  ['getent', / g?shadow /, SHOWS],
  ['helm', / get (?:values|all) /, SHOWS],
  ['zip 7z 7za rar', / (?:-[a-zA-Z]*m|-sdel|-df|m)/, DELETES],
  ['manage.py', / (?:flush|reset_db|dbshell|shell|sqlflush|zero) /, say`It empties a database, or runs code.`],
]);
