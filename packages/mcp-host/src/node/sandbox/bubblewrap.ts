import type { Mount, SandboxProfile } from './profile.ts';

/** The file descriptor over which bubblewrap reads the filter of system calls. */
export const SECCOMP_FD = 3;

export type BubblewrapFeatures = {
  /** A filter of system calls comes over {@link SECCOMP_FD}. */
  filtered: boolean;
  /** This version can forbid further user namespaces (0.8 and newer). */
  disablesUserns: boolean;
  /** Toolyard runs as root. */
  isRoot: boolean;
};

/**
 * The arguments of `bwrap` for a profile, up to the command. The file system begins empty; processes, IPC and users
 * have namespaces of their own, and everything in them is killed when bubblewrap or its parent ends.
 */
export function bubblewrapArguments(
  profile: SandboxProfile,
  { filtered, disablesUserns, isRoot }: BubblewrapFeatures,
): string[] {
  const { system, hidden, programs, read, write, hiddenInside, home, temp, cwd, network, browser } = profile;
  return [
    '--die-with-parent',
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network === 'on' ? [] : ['--unshare-net']),
    // A browser has a sandbox of its own, which needs user namespaces.
    ...(browser || !disablesUserns ? [] : ['--disable-userns']),
    // Chrome refuses to start as root. Outside, the files still belong to the user of Toolyard.
    ...(browser && isRoot ? ['--uid', NOBODY, '--gid', NOBODY] : []),
    ...['--cap-drop', 'ALL'],
    ...(filtered ? ['--seccomp', String(SECCOMP_FD)] : []),
    ...['--tmpfs', temp],
    ...system.flatMap(readOnly),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...KERNEL.flatMap((path) => ['--ro-bind-try', path, path]),
    ...hidden.flatMap((path) => ['--tmpfs', path]),
    ...programs.flatMap(readOnly),
    ...read.flatMap(readOnly),
    ...write.flatMap(({ path, source }) => ['--bind', source, path]),
    ...hiddenInside.flatMap((path) => ['--tmpfs', path]),
    ...['--bind', home, home],
    ...['--chdir', cwd],
    '--',
  ];
}

/** Every system has this user, so that programs find a name for it. */
const NOBODY = '65534';

/** Settings of the whole machine: where Toolyard runs as root, they belong to the user of the sandbox too. */
const KERNEL = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi'].map((name) => `/proc/${name}`);

function readOnly({ path, source }: Mount): string[] {
  return ['--ro-bind', source, path];
}
