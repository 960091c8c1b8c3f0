import { globSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { ResolverFactory } from 'oxc-resolver';
import { readImports } from './read-imports.ts';

type ImportKind = 'file' | 'builtin' | 'unresolved';

/** `to`: a path from the root, the name of a Node module, or an unresolved specifier. */
export type Import = { from: string; to: string; kind: ImportKind };

const FOLDERS = ['packages', 'servers', 'testing', 'e2e', 'examples', 'scripts'];
const NOT_SOURCES = ['**/node_modules', '**/{dist,build,.svelte-kit}'];

/** The imports of all source files below `root`, sorted by path. */
export function readImportGraph(root: string): Import[] {
  const resolver = new ResolverFactory({
    conditionNames: ['toolyard-src', 'svelte', 'import', 'node', 'default'],
    extensions: ['.ts', '.js', '.json'],
  });
  // Some modules consist of types only.
  const typesResolver = resolver.cloneWithOptions({ conditionNames: ['types'], extensions: ['.d.ts'] });
  const files = globSync(`{${FOLDERS.join(',')}}/**/*.{ts,js,mjs,cjs,svelte}`, { cwd: root, exclude: NOT_SOURCES });
  return files.toSorted().flatMap((path) =>
    readImports(join(root, path)).map((specifier) => ({
      from: path.replaceAll(sep, '/'),
      ...resolve(path, specifier),
    })),
  );

  function resolve(from: string, specifier: string): Omit<Import, 'from'> {
    if (isBuiltin(specifier)) return { to: specifier.replace(/^node:/, ''), kind: 'builtin' };
    // Queries such as `?raw` are instructions for Vite.
    const [request = ''] = specifier.split('?');
    const folder = dirname(join(root, from));
    const path = resolver.sync(folder, request).path ?? typesResolver.sync(folder, request).path;
    return path === undefined
      ? { to: specifier, kind: 'unresolved' }
      : { to: relative(root, path).replaceAll(sep, '/'), kind: 'file' };
  }
}
