import { isDevice, isEverything, isSomebodys } from './sensitive-paths.ts';
import { DISK_TOOLS, POWER } from './shell-names.ts';
import { UNKNOWN } from './word-text.ts';

/**
 * - `forbidden`: it is known what it does, and nobody wants that unasked
 * - `unreadable`: it cannot be told what it does
 */
export type Finding = { kind: 'forbidden' | 'unreadable'; why: string };

/** How sure it is that a name is meant as a command. */
export type Place = 'command' | 'argument';

type Check = (args: readonly string[], place: Place, name: string) => Finding | undefined;

/** What one command does by its name and arguments; undefined for nothing that is feared. */
export function checkCommand(name: string, args: readonly string[], place: Place): Finding | undefined {
  const check =
    CHECKS.get(name) ??
    (DISK_TOOLS.has(name) || name.startsWith('mkfs.') ? diskTool : POWER.has(name) ? power : undefined);
  return check?.(args, place, name);
}

/** True for a name that has to be looked at wherever it stands. */
export function isFeared(name: string): boolean {
  return FEARED.has(name) || name.startsWith('mkfs.');
}

const CHECKS = new Map<string, Check>([
  ['rm', remove],
  ['srm', remove],
  ['rimraf', (args) => removal(args)],
  ...['del', 'erase', 'rd', 'rmdir', 'remove-item', 'ri'].map((name): [string, Check] => [name, removeOnWindows]),
  ['format', (args) => (args.some((arg) => /^[a-z]:$/i.test(arg)) ? forbidden('It empties a disk.') : undefined)],
  ['dd', copyDisk],
  ['find', findAndDelete],
  ['mv', moveAway],
  ['rsync', mirror],
  ['chmod', changeMode],
  ['chown', changeOwner],
  ['chgrp', changeOwner],
  ['chattr', changeOwner],
  ['setfacl', changeOwner],
  ['setcap', (args, place) => (place === 'command' && args.length > 1 ? OTHER_RIGHTS : undefined)],
  ['install', (args) => (args.some(isModeOfOther) ? OTHER_RIGHTS : undefined)],
  ...['apt', 'apt-get', 'aptitude', 'dnf', 'yum', 'zypper', 'pacman', 'rpm', 'dpkg', 'apk'].map(
    (name): [string, Check] => [name, removePackage],
  ),
  ...['nc', 'ncat', 'netcat', 'socat'].map((name): [string, Check] => [name, handOver]),
  ['kill', killAll],
  ['killall5', () => forbidden('It ends every program of the machine.')],
  ['systemctl', systemctl],
  ['loginctl', systemctl],
  ['sysctl', (args) => (args.some((arg) => arg === '-w' || arg.includes('=')) ? KERNEL : undefined)],
  ['insmod', kernelModule],
  ['rmmod', kernelModule],
  ['modprobe', kernelModule],
  ...['passwd', 'chpasswd', 'visudo', 'vipw', 'vigr', 'useradd', 'adduser', 'usermod', 'userdel', 'deluser'].map(
    (name): [string, Check] => [name, changeAccounts],
  ),
  ['at', runLater],
  ['launchctl', (args) => (/^(?:load|bootstrap|enable|submit)$/.test(args[0] ?? '') ? LATER : undefined)],
  ['schtasks', (args) => (args.some((arg) => /^\/(?:create|change)$/i.test(arg)) ? LATER : undefined)],
  ['update-rc.d', (args) => (args.some((arg) => /^(?:defaults|enable)$/.test(arg)) ? LATER : undefined)],
  ['chkconfig', (args) => (args.some((arg) => /^(?:on|--add)$/.test(arg)) ? LATER : undefined)],
  ['pfctl', (args) => (args.some((arg) => /^-[a-zA-Z]*[dF]/.test(arg)) ? FIREWALL : undefined)],
  ['ufw', (args) => (args.includes('disable') || args.includes('reset') ? FIREWALL : undefined)],
  ['iptables', flushRules],
  ['ip6tables', flushRules],
  ['nft', (args) => (args.includes('flush') ? FIREWALL : undefined)],
  ['setenforce', (args) => (args.some((arg) => /^(?:0|permissive)$/i.test(arg)) ? FIREWALL : undefined)],
  ['crontab', (args, place) => (place === 'command' && !args.includes('-l') ? LATER : undefined)],
  ['docker', opensContainer],
  ['podman', opensContainer],
]);

/** All that are feared but `mkfs.` and what follows it. */
export const FEARED: ReadonlySet<string> = new Set([...CHECKS.keys(), ...POWER, ...DISK_TOOLS]);

/** @internal */
export function forbidden(why: string): Finding {
  return { kind: 'forbidden', why };
}

/** @internal */
export function unreadable(why: string): Finding {
  return { kind: 'unreadable', why };
}

const KERNEL = forbidden('It changes how the kernel works.');
const FIREWALL = forbidden('It switches a protection of the machine off.');
const OTHER_RIGHTS = forbidden('It lets a program run with the rights of another account.');
const ACCOUNTS = forbidden('It changes who may sign in, or with which rights.');
const LATER = forbidden('It changes what runs later by itself.');

function remove(args: readonly string[]): Finding | undefined {
  if (args.includes('--no-preserve-root')) return removes('/');
  return hasFlag(args, /[rR]/, '--recursive') ? removal(args) : undefined;
}

function removal(args: readonly string[]): Finding | undefined {
  const paths = pathsOf(args);
  // What is not known may be nothing: "$DIR/" is then the root.
  const whole = paths
    .map((path) => path.replaceAll(UNKNOWN, ''))
    .find((path) => isEverything(path) || isSomebodys(path));
  if (whole !== undefined) return removes(whole);
  return paths.some((path) => path.startsWith(UNKNOWN))
    ? unreadable('It removes a folder, and it cannot be told which.')
    : undefined;
}

function removeOnWindows(args: readonly string[]): Finding | undefined {
  if (hasFlag(args, /[rR]/, '--recursive')) return removal(args);
  return args.some((arg) => /^(?:\/s|-r\w*)$/i.test(arg))
    ? removal(args.filter((arg) => !/^\/.$/.test(arg)))
    : undefined;
}

const NEEDED =
  /^(?:lib(?:c6?|gcc)|glibc|musl|systemd|init|linux(?:-|$)|kernel|sudo|bash|dash|coreutils|util-linux|openssh|dpkg|apt|rpm|dnf|pacman|grub|base(?:-files|system)?(?:$|:))/;

function removePackage(args: readonly string[]): Finding | undefined {
  if (
    !args.some((arg) => /^(?:(?:auto)?remove|purge|erase|del|rm|-R\w*|-[eP]|-r|--(?:erase|remove|purge))$/.test(arg))
  ) {
    return undefined;
  }
  const needed = args.find((arg) => NEEDED.test(arg));
  return needed === undefined ? undefined : forbidden(`It removes ${shown(needed)}, which the system needs.`);
}

function handOver(args: readonly string[]): Finding | undefined {
  return args.some((arg) => /^-[a-z]*[ec]$|^--(?:sh-)?exec|^(?:exec|system):/i.test(arg))
    ? forbidden('It lets somebody elsewhere run programs here.')
    : undefined;
}

function findAndDelete(all: readonly string[]): Finding | undefined {
  const from = all.findIndex((arg) => !/^-(?:[HLP]|O\d)$/.test(arg));
  const args = all.slice(Math.max(from, 0));
  const end = args.findIndex((arg) => /^[-(!]/.test(arg));
  const starts = end === -1 ? args : args.slice(0, end);
  const isDeleting = args.some(
    (arg, index) =>
      arg === '-delete' || (/^-(?:exec|ok)/.test(arg) && /(?:^|\/)(?:rm|shred|unlink)$/.test(args[index + 1] ?? '')),
  );
  const whole = isDeleting ? starts.find(isEverything) : undefined;
  // Below the working folder it is usual, and asked about only where the folder is somebody's whole.
  return whole === undefined || whole === '.' || whole === './' ? undefined : removes(whole);
}

function copyDisk(args: readonly string[]): Finding | undefined {
  const of = args.find((arg) => /^[io]f=/.test(arg) && isDevice(arg.slice(3)));
  return of === undefined ? undefined : forbidden(`It works on the device ${of.slice(3)}.`);
}

function diskTool(args: readonly string[], place: Place, name: string): Finding | undefined {
  const device = args.find(isDevice);
  if (device !== undefined) return isHarmlessLook(args) ? undefined : forbidden(`It works on the device ${device}.`);
  if (name === 'shred' || name === 'truncate') {
    const whole = pathsOf(args).find(isEverything);
    return whole === undefined ? undefined : removes(whole);
  }
  return place === 'command' && args.length > 0 && !isHarmlessLook(args)
    ? forbidden(`"${name}" changes disks.`)
    : undefined;
}

function power(args: readonly string[], place: Place, name: string): Finding | undefined {
  const takesLevel = name === 'init' || name === 'telinit';
  const fits = takesLevel ? /^[016sS]$/ : /^(?:-.*|now|\+?\d+|\d\d:\d\d)$/;
  if (takesLevel ? !args.some((arg) => fits.test(arg)) : !args.every((arg) => fits.test(arg)) && place === 'argument') {
    return undefined;
  }
  return forbidden('It stops the machine.');
}

function systemctl(args: readonly string[]): Finding | undefined {
  if (args.some((arg) => /^(?:poweroff|reboot|halt|kexec|rescue|emergency|suspend|hibernate)$/.test(arg))) {
    return forbidden('It stops the machine.');
  }
  if (args.some((arg) => /^(?:enable|reenable|link|add-wants|add-requires)$/.test(arg))) return LATER;
  const stops = args.some((arg) => /^(?:stop|disable|mask)$/.test(arg));
  return stops && args.some((arg) => /^(?:firewalld|ufw|nftables|iptables|auditd|apparmor)(?:\.service)?$/.test(arg))
    ? FIREWALL
    : undefined;
}

function moveAway(args: readonly string[]): Finding | undefined {
  const whole = pathsOf(args)
    .slice(0, -1)
    .find((path) => isEverything(path) && !/^(?:\*|\.)/.test(path));
  return whole === undefined ? undefined : forbidden(`It moves ${shown(whole)} away.`);
}

function mirror(args: readonly string[]): Finding | undefined {
  const to = pathsOf(args).at(-1);
  if (to === undefined || !isEverything(to) || !args.some((arg) => arg.startsWith('--del'))) return undefined;
  return /^\.\.?\/?$/.test(to) ? undefined : removes(to);
}

function changeMode(args: readonly string[]): Finding | undefined {
  const mode = args.find((arg) => /^[0-7]{3,5}$|^[ugoa]*[+=]/.test(arg)) ?? '';
  return isModeOfOther(mode) ? OTHER_RIGHTS : changeOwner(args);
}

function isModeOfOther(mode: string): boolean {
  return /^(?:-m|--mode=)?0?[4-7][0-7]{3}$|^(?:-m|--mode=)?[ugoa]*[+=][rwxXt]*s/.test(mode);
}

function changeOwner(args: readonly string[]): Finding | undefined {
  if (!hasFlag(args, /R/, '--recursive')) return undefined;
  const whole = pathsOf(args).find((path) => isEverything(path) && !/^(?:\*|\.)/.test(path));
  return whole === undefined ? undefined : forbidden(`It changes who may use ${shown(whole)}.`);
}

function killAll(args: readonly string[]): Finding | undefined {
  const last = args.length > 1 ? args.at(-1) : undefined;
  return last === '-1' || last === '1' ? forbidden('It ends every program of the machine.') : undefined;
}

function kernelModule(args: readonly string[], place: Place): Finding | undefined {
  return place === 'command' && args.length > 0 ? KERNEL : undefined;
}

function flushRules(args: readonly string[]): Finding | undefined {
  const policy = args.findIndex((arg) => arg === '-P' || arg === '--policy');
  const opens = policy !== -1 && args.slice(policy + 1).some((arg) => arg.toUpperCase() === 'ACCEPT');
  return opens || args.some((arg) => arg === '-F' || arg === '--flush') ? FIREWALL : undefined;
}

function opensContainer(args: readonly string[]): Finding | undefined {
  if (args.some((arg) => /^--privileged(?:=(?:true|1))?$/.test(arg))) {
    return forbidden('It gives a container the rights of the whole machine.');
  }
  const mounted = args
    .map((arg) => /^(?:(?:-v|--volume)=?)?([/~][^:]*):|(?:^|[,=])(?:source|src)=([/~][^,]*)/.exec(arg))
    .map((found) => found?.[1] ?? found?.[2] ?? '')
    .find((path) => path !== '' && isEverything(path) && !/^\/(?:srv|opt|run|volumes)\/?$/i.test(path));
  if (mounted === undefined) return undefined;
  return forbidden(
    mounted === '/' ? 'It gives a container the whole disk.' : `It gives a container ${shown(mounted)}.`,
  );
}

function changeAccounts(args: readonly string[], place: Place): Finding | undefined {
  const onlyLooks = args.some((arg) => /^(?:-S|--status|-c|--check|-h|--help|-V|--version)$/.test(arg));
  return place === 'command' && !onlyLooks ? ACCOUNTS : undefined;
}

/** `at` reads what it is to run from its input. */
function runLater(args: readonly string[], place: Place): Finding | undefined {
  const isTime = /^(?:now|midnight|noon|teatime|today|tomorrow|\d{1,2}(?::?\d\d)?(?:am|pm)?|-[ft].*)$/i;
  return place === 'command' && args.some((arg) => isTime.test(arg)) ? LATER : undefined;
}

function removes(path: string): Finding {
  return forbidden(`It removes ${shown(path)} and all that is in it.`);
}

function shown(path: string): string {
  return path.length > 80 ? `${path.slice(0, 80)}...` : path;
}

function isHarmlessLook(args: readonly string[]): boolean {
  return args.some((arg) => /^(?:-l|--list|-h|--help|-V|--version|print|list|info|smart-log)$/.test(arg));
}

/** One letter among others behind a dash, or the long name. */
function hasFlag(args: readonly string[], letter: RegExp, long: string): boolean {
  return args
    .map((arg) => arg.replaceAll(UNKNOWN, ''))
    .some(
      (arg) =>
        (/^-[A-Za-z]+$/.test(arg) && letter.test(arg)) ||
        (arg.length > 3 && arg.startsWith('--') && long.startsWith(arg)),
    );
}

function pathsOf(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  return args.filter((arg, index) => (end !== -1 && index > end) || !arg.startsWith('-'));
}
