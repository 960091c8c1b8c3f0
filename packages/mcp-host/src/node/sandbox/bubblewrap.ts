import type { Mount, SandboxProfile } from './profile.ts';

/** The file descriptor from which bubblewrap reads the system call filter. */
export const SECCOMP_FD = 3;

export type BubblewrapFeatures = {
  /** A system call filter is passed over {@link SECCOMP_FD}. */
  filtered: boolean;
  /** This version can disable further user namespaces (0.8 and newer). */
  disablesUserns: boolean;
  /** Toolyard runs as root. */
  isRoot: boolean;
  /** How much its temporary folder, which is in memory, may contain; absent: half of the memory. */
  tempMb?: number;
};

/**
 * The arguments of `bwrap` for a profile, up to the command. The file system starts empty; processes, IPC and users
 * have their own namespaces, and everything inside is killed when bubblewrap or its parent exits.
 */
export function bubblewrapArguments(
  profile: SandboxProfile,
  { filtered, disablesUserns, isRoot, tempMb }: BubblewrapFeatures,
): string[] {
  const { system, hidden, programs, read, write, hiddenInside, home, temp, cwd, network, browser } = profile;
  return [
    '--die-with-parent',
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network === 'on' ? [] : ['--unshare-net']),
    // A browser has its own sandbox, which needs user namespaces.
    ...(browser || !disablesUserns ? [] : ['--disable-userns']),
    // Chrome does not start as root. Outside, the files still belong to the user of Toolyard.
    ...(browser && isRoot ? ['--uid', NOBODY, '--gid', NOBODY] : []),
    ...['--cap-drop', 'ALL'],
    ...(filtered ? ['--seccomp', String(SECCOMP_FD)] : []),
    ...(tempMb === undefined || !disablesUserns ? [] : ['--size', String(tempMb * 1_048_576)]),
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

/** This user exists on every system, so that programs find a name for it. */
const NOBODY = '65534';

/** Kernel settings: if Toolyard runs as root, they belong to the user of the sandbox too. */
const KERNEL = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi'].map((name) => `/proc/${name}`);

function readOnly({ path, source }: Mount): string[] {
  return ['--ro-bind', source, path];
}
