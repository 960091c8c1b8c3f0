import { readFileSync } from 'node:fs';

const DECLARED = /^export (?:type|interface) (\w+)/gm;
const LISTED = /^export (type )?\{([^}]*)\}/gm;
const ALL_OF = /^export (?:type )?\* from '(\.[^']+)'/gm;

/**
 * The types and interfaces that a module exports, sorted: `export type *` shows none of them at run time. Reads formatted
 * sources without compiling them.
 *
 * @example expect(exportedTypes(new URL('index.ts', import.meta.url))).toEqual(['Clock', 'IdSource']);
 */
export function exportedTypes(module: URL): string[] {
  return [...new Set(typesIn(module))].sort();
}

function typesIn(module: URL): string[] {
  const source = readFileSync(module, 'utf8');
  const declared = [...source.matchAll(DECLARED)].map(([, name = '']) => name);
  const listed = [...source.matchAll(LISTED)].flatMap(([, onlyTypes, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && (onlyTypes !== undefined || name.startsWith('type ')))
      .map((name) => name.split(' ').at(-1) ?? ''),
  );
  const others = [...source.matchAll(ALL_OF)].flatMap(([, path = '']) => typesIn(new URL(path, module)));
  return [...declared, ...listed, ...others];
}
