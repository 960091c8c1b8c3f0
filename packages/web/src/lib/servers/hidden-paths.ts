import type { McpIsolation } from '@toolyard/protocol';

/** What the sandbox of a server hid or denied, each once: a path inside a listed folder needs no entry of its own. */
export function refusedAccess(isolation: McpIsolation | undefined): { kind: 'path' | 'host'; target: string }[] {
  if (isolation?.kind !== 'sandboxed') return [];
  const paths = [
    ...isolation.proposed,
    ...isolation.blocked.filter(({ kind }) => kind === 'path').map(({ target }) => target),
  ];
  const outermost = paths.filter(
    (path, at) =>
      paths.indexOf(path) === at &&
      !isolation.proposed.some((folder) => path.startsWith(`${folder.replace(/\/$/, '')}/`)),
  );
  return [
    ...outermost.map((target) => ({ kind: 'path' as const, target })),
    ...isolation.blocked.filter(({ kind }) => kind === 'host'),
  ];
}

/** Files and folders in the arguments of a server that its sandbox hides: the likely cause of a failure. */
export function hiddenPaths(isolation: McpIsolation | undefined): readonly string[] {
  return isolation?.kind === 'sandboxed' ? isolation.proposed : [];
}

/** What every sandbox shows of the machine. Not `/tmp`: each has one of its own. */
const VISIBLE = ['/usr', '/opt', '/nix', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/dev', '/proc'];
const SCRIPT = /\.([cm]?[jt]s|py|rb)$/;

/**
 * The absolute paths in the arguments of a new server that its sandbox will hide; of a script its folder, where its
 * other files are.
 *
 * @param allowed folders that the form already lists
 */
export function pathsToAllow(args: readonly string[], allowed: readonly string[]): string[] {
  const isShown = (path: string): boolean =>
    [...VISIBLE, ...allowed.map((folder) => folder.replace(/(?<=.)\/+$/, ''))].some(
      (folder) => folder !== '' && (path === folder || path.startsWith(`${folder}/`)),
    );
  const paths = args.flatMap((arg) => {
    const path = /^--?[\w-]+=(.*)$/s.exec(arg)?.[1] ?? arg;
    if (!/^(~\/|\/)[^/]/.test(path) || path.includes('${') || path.split('/').includes('..')) return [];
    const folder = SCRIPT.test(path) ? path.replace(/\/[^/]*$/, '') : path.replace(/\/+$/, '');
    // Not a home folder as a whole.
    const isDeep = folder.split('/').length > (folder.startsWith('~') ? 1 : 3);
    const proposed = isDeep || !SCRIPT.test(path) ? folder : path;
    return isShown(proposed) ? [] : [proposed];
  });
  return [...new Set(paths)];
}
