/** The import rules of DESIGN.md section 2, as a check. */
const TESTS = '(\\.test\\.ts$|/test-fixtures/)';
const room = (name) => `^packages/${name}/`;
const onlyMayImport = (from, allowed) => ({
  name: `${from}-imports`,
  comment: `${from} may import only: ${allowed.join(', ') || 'nothing of ours'}`,
  severity: 'error',
  from: { path: room(from), pathNot: TESTS },
  to: { path: '^(packages|servers|testing)/', pathNot: [room(from), ...allowed.map(room)] },
});

module.exports = {
  forbidden: [
    onlyMayImport('protocol', []),
    onlyMayImport('mcp-host', ['protocol']),
    onlyMayImport('model-runtime', ['protocol']),
    onlyMayImport('agent-runtime', ['protocol']),
    onlyMayImport('guarded-fetch', ['protocol']),
    onlyMayImport('storage', ['protocol']),
    onlyMayImport('agent-host', ['protocol', 'mcp-host', 'model-runtime', 'agent-runtime']),
    onlyMayImport('server', [
      'protocol',
      'mcp-host',
      'model-runtime',
      'agent-runtime',
      'agent-host',
      'storage',
      'guarded-fetch',
    ]),
    onlyMayImport('web', ['protocol', 'mcp-host', 'model-runtime', 'agent-runtime', 'agent-host']),
    {
      name: 'published-never-imports-testing',
      severity: 'error',
      from: { path: '^(packages|servers)/', pathNot: TESTS },
      to: { path: '^testing/' },
    },
    {
      name: 'nothing-imports-e2e',
      severity: 'error',
      from: { pathNot: '^e2e/' },
      to: { path: '^e2e/' },
    },
    {
      name: 'servers-import-nothing-of-ours',
      severity: 'error',
      from: { path: '^servers/([^/]+)/', pathNot: TESTS },
      to: { path: '^(packages|servers|testing)/', pathNot: '^servers/$1/' },
    },
    {
      name: 'isomorphic-rooms-have-no-node-builtins',
      comment: 'node: is allowed only under a folder called node/',
      severity: 'error',
      from: {
        path: '^packages/(protocol|mcp-host|model-runtime|agent-runtime|agent-host)/src/',
        pathNot: ['/node/', TESTS],
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'isomorphic-code-never-reaches-node-folders',
      severity: 'error',
      from: {
        path: '^packages/(protocol|mcp-host|model-runtime|agent-runtime|agent-host)/src/',
        pathNot: ['/node/', TESTS],
      },
      to: { path: '/src/node/' },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-unresolvable',
      comment: 'What begins with $ SvelteKit makes while it builds.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^([$](app|env)/|[.]/[$]types$)' },
    },
    {
      name: 'index-is-for-others',
      comment: 'Inside a room import the file itself; index.ts only lists what others may use.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/', pathNot: '(index\\.test\\.ts$|^packages/cli/src/main\\.ts$)' },
      to: { path: '^packages/$1/src/index\\.ts$' },
    },
  ],
  options: {
    // What a build leaves behind is no source.
    exclude: { path: '(^|/)(dist|build|[.]svelte-kit)/' },
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['toolyard-src', 'import', 'node', 'default'],
    },
  },
};
