import type { Import } from './graph.ts';

/** The import rules, see docs/architecture.md. They include type imports. */
export type ImportRule = { name: string; breaks: (found: Import) => boolean };

const ISOMORPHIC = ['protocol', 'mcp-host', 'model-runtime', 'agent-runtime', 'agent-host'];

/** The packages that each package may import. Tests may import more. */
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

export const IMPORT_RULES: readonly ImportRule[] = [
  ...Object.entries(ALLOWED).map(([name, allowed]) => onlyMayImport(name, allowed)),
  {
    name: 'published-never-imports-testing',
    breaks: ({ from, to }) => PUBLISHED.test(from) && !TESTS.test(from) && to.startsWith('testing/'),
  },
  { name: 'nothing-imports-e2e', breaks: ({ from, to }) => !from.startsWith('e2e/') && to.startsWith('e2e/') },
  {
    name: 'servers-import-no-other-package',
    breaks: ({ from, to }) =>
      from.startsWith('servers/') && !TESTS.test(from) && OURS.test(to) && packageOf(to) !== packageOf(from),
  },
  {
    name: 'isomorphic-packages-have-no-node-builtins',
    breaks: ({ from, kind }) => isIsomorphic(from) && kind === 'builtin',
  },
  {
    name: 'isomorphic-code-never-reaches-node-folders',
    breaks: ({ from, to }) => isIsomorphic(from) && to.includes('/src/node/'),
  },
  { name: 'no-unresolvable', breaks: ({ to, kind }) => kind === 'unresolved' && !GENERATED.test(to) },
  {
    // Within a package, import the file; index.ts is for other packages.
    name: 'index-is-for-others',
    breaks: ({ from, to }) => INDEX.test(to) && packageOf(from) === packageOf(to) && isInSource(from),
  },
];

function onlyMayImport(name: string, allowed: readonly string[]): ImportRule {
  const folders = [name, ...allowed].map((one) => `packages/${one}/`);
  return {
    name: `${name}-imports`,
    breaks: ({ from, to }) =>
      from.startsWith(`packages/${name}/`) &&
      !TESTS.test(from) &&
      OURS.test(to) &&
      !folders.some((folder) => to.startsWith(folder)),
  };
}

/** True outside of `node/` folders. */
function isIsomorphic(path: string): boolean {
  return ISOMORPHIC_SOURCE.test(path) && !path.includes('/node/') && !TESTS.test(path);
}

function isInSource(path: string): boolean {
  return /^packages\/[^/]+\/src\//.test(path) && !MAY_IMPORT_OWN_INDEX.test(path);
}

function packageOf(path: string): string | undefined {
  return /^(packages|servers)\/[^/]+\//.exec(path)?.[0];
}
