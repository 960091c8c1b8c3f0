/** Reads what it is given as commands. */
export const SHELLS = new Set([
  'sh',
  'bash',
  'zsh',
  'dash',
  'ash',
  'ksh',
  'mksh',
  'fish',
  'csh',
  'tcsh',
  'rbash',
  'pwsh',
  'powershell',
  'iex',
  'invoke-expression',
]);

/** Runs programs of its own language, from a text among its arguments or from its input. */
const LANGUAGES = new Set([
  ...['python', 'pypy', 'perl', 'ruby', 'node', 'nodejs', 'deno', 'bun', 'php', 'lua', 'luajit', 'osascript', 'tclsh'],
]);

/** @param name may end in a version: `python3.12` */
export function isInterpreter(name: string): boolean {
  return LANGUAGES.has(name) || (isVersioned(name) && LANGUAGES.has(name.replace(/[\d.]+$/, '')));
}

/** It may end in a version: begins with a letter, ends in a digit. */
export function isVersioned(name: string): boolean {
  const last = name.charCodeAt(name.length - 1);
  return last >= 48 && last <= 57 && name.charCodeAt(0) > 57;
}

/** Programs that read a language of their own, which may run commands. */
export const CODE_TOOLS = new Set(['awk', 'gawk', 'mawk', 'nawk', 'sed', 'psql', 'mysql', 'sqlite3']);

/** Reads a text among its arguments, or its input, as a program. */
export const RUNS_TEXT: ReadonlySet<string> = new Set([
  ...SHELLS,
  ...LANGUAGES,
  ...CODE_TOOLS,
  ...['eval', 'source', '.'],
]);

/** @param name as {@link baseName} gives it */
export function runsText(name: string): boolean {
  return RUNS_TEXT.has(name) || isInterpreter(name);
}

/** The name of a program, without where it lies. */
export function baseName(text: string): string {
  const from = text.lastIndexOf('/');
  const name = from === -1 || text === '/' ? text : text.slice(from + 1);
  return name.endsWith('.exe') ? name.slice(0, -4).toLowerCase() : name.toLowerCase();
}

/** Takes a command with its arguments, and runs it. */
export const WRAPPERS = new Set([
  ...['sudo', 'doas', 'su', 'env', 'nohup', 'xargs', 'parallel', 'timeout', 'gtimeout', 'nice', 'ionice', 'setsid'],
  ...['stdbuf', 'time', 'command', 'builtin', 'exec', 'busybox', 'toybox', 'watch', 'chroot', 'unshare', 'nsenter'],
  ...['flock', 'strace', 'ltrace', 'script', 'ssh', 'docker', 'podman', 'kubectl', 'systemd-run', 'caffeinate', 'find'],
  ...['runuser', 'pkexec', 'chrt', 'taskset', 'unbuffer', 'expect', 'trap', 'eval', 'proot', 'wsl', 'fakeroot', 'fd'],
]);

/** Its arguments are text to it: what they say is not done. */
export const TEXT_ONLY = new Set([
  ...['echo', 'printf', 'grep', 'egrep', 'fgrep', 'rg', 'ag', 'ack', 'which', 'whatis', 'whereis', 'type'],
  ...['apropos', 'info', 'tldr', 'gh', 'say', 'logger', 'notify-send', 'test', '['],
]);

/** Prints what is in the environment, where it is given no command. */
export const PRINTS_ENVIRONMENT: ReadonlySet<string> = new Set(['env', 'printenv']);

/** Prints names of files. */
export const LISTERS = new Set(['ls', 'dir', 'find', 'fd']);

/** Lets only some lines through. */
export const FILTERS = new Set(['grep', 'egrep', 'fgrep', 'rg']);

/** Prints its arguments and nothing else. */
export const PRINTERS = new Set(['echo', 'printf']);

/** Reads files, and changes none. */
export const READERS = new Set([
  ...['cat', 'bat', 'less', 'more', 'head', 'tail', 'grep', 'egrep', 'rg', 'ls', 'll', 'stat', 'file', 'wc', 'diff'],
  ...['cmp', 'source', '.', 'test', '[', '[[', 'echo', 'printf', 'md5sum', 'sha256sum', 'realpath', 'readlink', 'du'],
]);

/** Writes to what it is given, whatever lies there. */
export const WRITERS = new Set(['tee', 'cp', 'mv', 'install', 'ln', 'sponge', 'sudo', 'doas']);

/** Fetches something from elsewhere. */
export const DOWNLOADERS = new Set([
  ...[
    'curl',
    'wget',
    'fetch',
    'aria2c',
    'http',
    'https',
    'lynx',
    'nc',
    'ncat',
    'netcat',
    'socat',
    'telnet',
    'ftp',
    'tftp',
  ],
  ...['scp', 'sftp', 'iwr', 'irm', 'invoke-webrequest', 'invoke-restmethod'],
]);

/** Makes something readable that was not. */
export const DECODERS = new Set([
  ...['base64', 'base32', 'basenc', 'openssl', 'xxd', 'uudecode', 'gunzip', 'zcat', 'gzip', 'bunzip2', 'bzcat', 'xz'],
  ...['xzcat', 'rev', 'tr', 'gpg', 'od', 'hexdump'],
]);

/** Names people hardly begin a sentence with: a text that begins with one is taken for a command. */
export const USUAL = new Set([
  ...['cat', 'cp', 'mv', 'rm', 'ls', 'dd', 'tee', 'sed', 'awk', 'grep', 'egrep', 'rg', 'find', 'xargs', 'head', 'tail'],
  ...[
    'less',
    'base64',
    'base32',
    'xxd',
    'od',
    'strings',
    'tar',
    'zip',
    'unzip',
    'gzip',
    'curl',
    'wget',
    'scp',
    'rsync',
  ],
  ...['ssh', 'sftp', 'nc', 'git', 'npm', 'npx', 'pnpm', 'yarn', 'pip', 'pip3', 'make', 'cargo', 'go', 'node', 'deno'],
  ...[
    'bun',
    'python',
    'python3',
    'perl',
    'ruby',
    'php',
    'sh',
    'bash',
    'zsh',
    'dash',
    'fish',
    'sudo',
    'doas',
    'su',
    'env',
  ],
  ...[
    'export',
    'eval',
    'exec',
    'source',
    '.',
    'cd',
    'echo',
    'printf',
    'chmod',
    'chown',
    'chgrp',
    'ln',
    'mkdir',
    'touch',
  ],
  ...['mkfs', 'fdisk', 'parted', 'mount', 'umount', 'docker', 'podman', 'kubectl', 'systemctl', 'service', 'crontab'],
  ...[
    'kill',
    'killall',
    'pkill',
    'nohup',
    'timeout',
    'nice',
    'setsid',
    'busybox',
    'openssl',
    'gpg',
    'vi',
    'vim',
    'nano',
  ],
  ...[
    'apt',
    'apt-get',
    'dnf',
    'yum',
    'brew',
    'install',
    'shred',
    'truncate',
    'wipefs',
    'diff',
    'cmp',
    'sort',
    'cut',
    'jq',
  ],
]);

/** Works on whole disks. */
export const DISK_TOOLS = new Set([
  ...['mkfs', 'mke2fs', 'mkswap', 'fdisk', 'sfdisk', 'cfdisk', 'gdisk', 'sgdisk', 'parted', 'wipefs', 'blkdiscard'],
  ...['badblocks', 'shred', 'hdparm', 'nvme', 'diskutil', 'cryptsetup', 'mdadm', 'vgremove', 'lvremove', 'pvremove'],
  ...['zpool', 'truncate'],
]);

/** Ends the work of the whole machine. */
export const POWER = new Set(['shutdown', 'reboot', 'halt', 'poweroff', 'telinit', 'init', 'kexec']);

/** What is named without a path after it lies in the folder it goes to. */
export const CHANGES_FOLDER = new Set(['cd', 'pushd', 'chdir']);

/** How long the name is that a text is given to: that of an option or a variable, `-Srm x`, `--do=rm x`, `alias.x=!rm x`. */
export function givenTo(text: string): number {
  return /^(?:[\w.-]+\+?=)+!?|^-[A-Za-z](?=\w)|^:?!/.exec(text)?.[0].length ?? 0;
}
