import { closeSync, openSync } from 'node:fs';
import { namesIn, readText, tryTo } from './system-files.ts';

/** `O_CLOEXEC` in the `flags` of `/proc/self/fdinfo`: the system closes the descriptor when another program starts. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * The descriptors above standard error that a child would inherit: those of the program that started this process. Node
 * opens its own with close-on-exec, and marks only the first of those it inherits. Empty on macOS and Windows, where
 * Node passes on only the listed ones.
 */
function inheritableDescriptors(): number[] {
  if (process.platform !== 'linux') return [];
  return namesIn('/proc/self/fdinfo')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInherited(descriptor));
}

/**
 * The rule: **a program that Toolyard starts gets the descriptors Toolyard names for it, and no other.** For the start of
 * a process that belongs to Toolyard alone; in the process of another program, see {@link withoutInherited}.
 *
 * @example
 * closeInheritedDescriptors();
 * await startServer();
 */
export function closeInheritedDescriptors(): void {
  // One may have been closed in the meantime.
  for (const descriptor of inheritableDescriptors()) tryTo(() => closeSync(descriptor), undefined);
}

type Stdio = 'pipe' | 'inherit' | 'ignore' | number;

/**
 * The same rule in the process of a program that uses our packages, whose descriptors must stay open: in the child,
 * each of them is the null device. Call `done` after the start.
 */
export function withoutInherited(listed: readonly Stdio[]): { stdio: Stdio[]; done: () => void } {
  const stdio = [...listed];
  const inherited = inheritableDescriptors().filter((descriptor) => descriptor >= listed.length);
  if (inherited.length === 0) return { stdio, done: () => undefined };
  const nothing = openSync('/dev/null', 'r+');
  for (const descriptor of inherited) {
    while (stdio.length < descriptor) stdio.push('ignore');
    stdio[descriptor] = nothing;
  }
  return { stdio, done: () => closeSync(nothing) };
}

function isInherited(descriptor: number): boolean {
  const info = readText(`/proc/self/fdinfo/${descriptor}`);
  // The descriptor with which the folder was listed.
  if (info === '') return false;
  const [, flags = ''] = /^flags:\s*([0-7]+)/m.exec(info) ?? [];
  return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
}
