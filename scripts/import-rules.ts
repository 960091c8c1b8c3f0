import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import type { Node } from 'oxc-parser';
import { parseSync, Visitor } from 'oxc-parser';
import { ResolverFactory } from 'oxc-resolver';
import { ROOT } from './run.ts';

/** `to`: a path from the root, the name of a Node module, or an unresolved specifier. */
type Import = { from: string; to: string; kind: 'file' | 'builtin' | 'unresolved' };

const ISOMORPHIC = ['protocol', 'mcp-host', 'model-runtime', 'agent-runtime', 'agent-host'];

/** The packages that each package may import, see docs/architecture.md. Tests may import more. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  'mcp-host': ['protocol'],
  'model-runtime': ['protocol'],
  'agent-runtime': ['protocol'],
  'guarded-fetch': ['protocol'],
  storage: ['protocol'],
  'agent-host': ['protocol', 'mcp-host', 'model-runtime', 'agent-runtime'],
  server: [...ISOMORPHIC, 'storage', 'guarded-fetch'],
  web: ISOMORPHIC,
};

const OURS = /^(packages|servers|testing)\//;
const PUBLISHED = /^(packages|servers)\//;
const TESTS = /\.test\.ts$|\/test-fixtures\//;
const ISOMORPHIC_SOURCE = new RegExp(`^packages/(${ISOMORPHIC.join('|')})/src/`);
const INDEX = /^packages\/[^/]+\/src\/index\.ts$/;
const MAY_IMPORT_OWN_INDEX = /index\.test\.ts$|^packages\/cli\/src\/main\.ts$/;
/** SvelteKit generates these while it builds. */
const GENERATED = /^(\$(app|env)\/|\.\/\$types$)/;

/** The rules, each with the imports that break it. They include type imports. */
const RULES: Readonly<Record<string, (found: Import) => boolean>> = {
  ...Object.fromEntries(
    Object.entries(ALLOWED).map(([name, allowed]) => {
      const folders = [name, ...allowed].map((one) => `packages/${one}/`);
      const breaks = ({ from, to }: Import): boolean =>
        from.startsWith(`packages/${name}/`) &&
        !TESTS.test(from) &&
        OURS.test(to) &&
        !folders.some((folder) => to.startsWith(folder));
      return [`${name}-imports`, breaks];
    }),
  ),
  'published-never-imports-testing': ({ from, to }) =>
    PUBLISHED.test(from) && !TESTS.test(from) && to.startsWith('testing/'),
  'nothing-imports-e2e': ({ from, to }) => !from.startsWith('e2e/') && to.startsWith('e2e/'),
  'servers-import-no-other-package': ({ from, to }) =>
    from.startsWith('servers/') && !TESTS.test(from) && OURS.test(to) && findPackage(to) !== findPackage(from),
  'isomorphic-packages-have-no-node-builtins': ({ from, kind }) => isIsomorphic(from) && kind === 'builtin',
  'isomorphic-code-never-reaches-node-folders': ({ from, to }) => isIsomorphic(from) && to.includes('/src/node/'),
  'no-unresolvable': ({ to, kind }) => kind === 'unresolved' && !GENERATED.test(to),
  // Within a package, import the file; index.ts is for other packages.
  'index-is-for-others': ({ from, to }) =>
    INDEX.test(to) &&
    findPackage(from) === findPackage(to) &&
    /^packages\/[^/]+\/src\//.test(from) &&
    !MAY_IMPORT_OWN_INDEX.test(from),
};

/** Checks the import rules and finds circular imports. Returns the violations, one a line, or null. */
export function checkImports(root = ROOT): string | null {
  const imports = readImportGraph(root);
  const broken = imports.flatMap((found) =>
    Object.entries(RULES).flatMap(([name, breaks]) => (breaks(found) ? `${name}: ${found.from} → ${found.to}` : [])),
  );
  // A recursive component imports itself, as Svelte documents it.
  const files = imports.filter(({ kind, from, to }) => kind === 'file' && (from !== to || !from.endsWith('.svelte')));
  const wrong = [...broken, ...findCycles(files).map((cycle) => `no-circular: ${cycle.join(' → ')}`)];
  return wrong.length === 0 ? null : wrong.join('\n');
}

/** True outside of `node/` folders. */
function isIsomorphic(path: string): boolean {
  return ISOMORPHIC_SOURCE.test(path) && !path.includes('/node/') && !TESTS.test(path);
}

function findPackage(path: string): string | undefined {
  return /^(packages|servers)\/[^/]+\//.exec(path)?.[0];
}

/** The cycles that a depth-first search meets; each starts and ends with the same file. */
function findCycles(imports: readonly Import[]): string[][] {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const cycles: string[][] = [];
  const done = new Set<string>();
  const path = new Set<string>();
  const visit = (file: string): void => {
    path.add(file);
    for (const { to } of targets.get(file) ?? []) {
      if (path.has(to)) cycles.push([...[...path].slice([...path].indexOf(to)), to]);
      else if (!done.has(to)) visit(to);
    }
    path.delete(file);
    done.add(file);
  };
  for (const file of targets.keys()) if (!done.has(file)) visit(file);
  return cycles;
}

/** The imports of all source files below `root`, sorted by path. */
function readImportGraph(root: string): Import[] {
  const resolver = new ResolverFactory({
    conditionNames: ['toolyard-src', 'svelte', 'import', 'node', 'default'],
    extensions: ['.ts', '.js', '.json'],
  });
  // Some modules consist of types only.
  const typesResolver = resolver.cloneWithOptions({ conditionNames: ['types'], extensions: ['.d.ts'] });
  const files = globSync('{packages,servers,testing,e2e,scripts,examples}/**/*.{ts,js,mjs,cjs,svelte}', {
    cwd: root,
    exclude: ['**/node_modules', '**/{dist,build,.svelte-kit}'],
  });
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

const SCRIPT = /<script\b[^>]*>([\s\S]*?)<\/script>/g;
const IMPORT_IN_MARKUP = /\bimport\(\s*(['"`])(.+?)\1/g;
/** The parser lists only top-level imports; nested ones require the syntax tree. */
const MAY_IMPORT_ELSEWHERE = /\b(?:import|require)\s*\(|\bimport\s+(?:type\s+)?\w+\s*=/;

/** The specifiers of values and types, static and dynamic. Ignores syntax errors, which the type check reports. */
function readImports(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  if (!path.endsWith('.svelte')) return [...new Set(listImports(path, text))];
  const scripts = [...text.matchAll(SCRIPT)].flatMap(([, code = '']) => listImports(`${path}.ts`, code));
  const markup = [...text.replace(SCRIPT, '').matchAll(IMPORT_IN_MARKUP)].map(([, , specifier = '']) => specifier);
  return [...new Set([...scripts, ...markup])];
}

function listImports(path: string, code: string): string[] {
  const { module, program } = parseSync(path, code);
  const found = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.flatMap((entry) => entry.moduleRequest?.value ?? [])),
  ];
  if (!MAY_IMPORT_ELSEWHERE.test(code)) return found;
  const add = (source: Node | undefined): void => {
    if (source?.type === 'Literal' && typeof source.value === 'string') found.push(source.value);
    if (source?.type === 'TemplateLiteral' && source.expressions.length === 0)
      found.push(source.quasis[0]?.value.cooked ?? '');
  };
  new Visitor({
    ImportExpression: ({ source }) => add(source),
    TSImportType: ({ source }) => add(source),
    TSExternalModuleReference: ({ expression }) => add(expression),
    CallExpression: ({ callee, arguments: [first] }) => {
      if (callee.type === 'Identifier' && callee.name === 'require') add(first);
    },
  }).visit(program);
  return found;
}
