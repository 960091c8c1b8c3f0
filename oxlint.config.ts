import { defineConfig } from 'oxlint';
import { PAGE_EXCEPTIONS, PAGE_GLOBALS, PAGE_MEMBERS } from './scripts/lint-page-requests.ts';

/**
 * The lint rules of all TypeScript files, type-aware ones included. ESLint keeps what oxlint cannot parse: `.svelte`
 * files and the rules about runes (eslint.config.ts).
 *
 * Two rules are about security, not taste: untrusted JSON must go through a guarded parser, and an isomorphic package
 * sends requests only through the `fetch` it was given.
 */
const ISOMORPHIC = ['protocol', 'mcp-host', 'model-runtime', 'agent-runtime', 'agent-host'].map(
  (name) => `packages/${name}/src/**/*.ts`,
);

/** Test files of one worker share their modules, so that only the first of them would run such a hook. */
const HOOK_OUTSIDE_TESTS = {
  selector: 'Program > ExpressionStatement > CallExpression[callee.name=/^(before|after)(Each|All)$/]',
  message: 'Only the first test file of a worker would run this hook: put it into a function that tests call.',
};

const LISTENER_REPLACES_GLOBALS = {
  selector: "CallExpression[callee.name='getRequestListener'][arguments.length=1]",
  message:
    'It replaces the global Response for all later test files of the worker: pass { overrideGlobalObjects: false }.',
};

const SKIPPED_TEST = {
  selector: 'MemberExpression[object.name=/^(it|test|describe)$/][property.name=/^(only|skip|skipIf|runIf|todo)$/]',
  message: 'Skip a test by needs() of @toolyard/testing, which gives the reason.',
};

const BARE_JSON_PARSE = {
  selector: "CallExpression[callee.object.name='JSON'][callee.property.name='parse']",
  message: 'Parse untrusted JSON with parseJson() of protocol, which never throws.',
};

/** Functions that packages export keep their names. */
const EXPORTED_FUNCTIONS = [
  'approvalOf',
  'base64Of',
  'configOf',
  'continuationOf',
  'costOf',
  'dangerOf',
  'groupResultOf',
  'imageTypeOf',
  'labelOf',
  'mediaTypeOf',
  'messageIdOf',
  'messageOf',
  'offersOf',
  'openChildrenOf',
  'pathOf',
  'pinOf',
  'refusalOf',
  'roundsOf',
  'textOf',
];

/** The rule sets `eslint-recommended` and `recommended-type-checked` of typescript-eslint. */
const RECOMMENDED = {
  'no-array-constructor': 'error',
  'no-unused-expressions': 'error',
  'no-var': 'error',
  'prefer-const': 'error',
  'prefer-rest-params': 'error',
  'prefer-spread': 'error',
  'typescript/await-thenable': 'error',
  'typescript/ban-ts-comment': 'error',
  'typescript/no-array-delete': 'error',
  'typescript/no-base-to-string': 'error',
  'typescript/no-duplicate-enum-values': 'error',
  'typescript/no-duplicate-type-constituents': 'error',
  'typescript/no-empty-object-type': 'error',
  'typescript/no-explicit-any': 'error',
  'typescript/no-extra-non-null-assertion': 'error',
  'typescript/no-floating-promises': 'error',
  'typescript/no-for-in-array': 'error',
  'typescript/no-implied-eval': 'error',
  'typescript/no-misused-new': 'error',
  'typescript/no-misused-promises': 'error',
  'typescript/no-namespace': 'error',
  'typescript/no-non-null-asserted-optional-chain': 'error',
  'typescript/no-redundant-type-constituents': 'error',
  'typescript/no-require-imports': 'error',
  'typescript/no-this-alias': 'error',
  'typescript/no-unnecessary-type-assertion': 'error',
  'typescript/no-unnecessary-type-constraint': 'error',
  'typescript/no-unsafe-argument': 'error',
  'typescript/no-unsafe-assignment': 'error',
  'typescript/no-unsafe-call': 'error',
  'typescript/no-unsafe-declaration-merging': 'error',
  'typescript/no-unsafe-enum-comparison': 'error',
  'typescript/no-unsafe-function-type': 'error',
  'typescript/no-unsafe-member-access': 'error',
  'typescript/no-unsafe-return': 'error',
  'typescript/no-unsafe-unary-minus': 'error',
  'typescript/no-wrapper-object-types': 'error',
  'typescript/only-throw-error': 'error',
  'typescript/prefer-as-const': 'error',
  'typescript/prefer-namespace-keyword': 'error',
  'typescript/prefer-promise-reject-errors': 'error',
  'typescript/restrict-plus-operands': 'error',
  'typescript/restrict-template-expressions': 'error',
  'typescript/triple-slash-reference': 'error',
  'typescript/unbound-method': 'error',
} as const;

export default defineConfig({
  plugins: ['eslint', 'typescript'],
  // The rules of ESLint itself that oxlint lacks, run by oxlint.
  jsPlugins: ['./scripts/lint-plugin.ts'],
  categories: { correctness: 'off' },
  options: { typeAware: true, reportUnusedDisableDirectives: 'deny' },
  ignorePatterns: [
    '**/*.mjs',
    '**/*.cjs',
    '**/*.js',
    '**/*.svelte',
    '**/node_modules',
    '**/dist/**',
    'packages/web/build/**',
    'bench/**',
  ],
  rules: {
    ...RECOMMENDED,
    'typescript/no-non-null-assertion': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/consistent-type-imports': 'error',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    'max-lines': ['error', { max: 500, skipBlankLines: false, skipComments: false }],
    'no-console': 'error',
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'no-restricted-imports': [
      'error',
      {
        paths: [
          { name: 'fast-check', message: 'Import fc from @toolyard/testing/property: it uses the seed of all tests.' },
        ],
      },
    ],
    'core/no-restricted-syntax': ['error', HOOK_OUTSIDE_TESTS],
    'core/function-names': ['error', { exported: EXPORTED_FUNCTIONS }],
  },
  overrides: [
    {
      files: ISOMORPHIC,
      excludeFiles: ['**/*.test.ts', '**/node/**'],
      rules: {
        'no-restricted-globals': [
          'error',
          { name: 'process', message: 'Isomorphic packages have no process; take what you need as a parameter.' },
          { name: 'Buffer', message: 'Isomorphic packages use Uint8Array.' },
          { name: 'fetch', message: 'Take a fetch from the caller, so that it can be the guarded one.' },
        ],
        'core/no-restricted-syntax': ['error', BARE_JSON_PARSE, HOOK_OUTSIDE_TESTS],
      },
    },
    {
      files: ['packages/web/src/**/*.ts'],
      excludeFiles: PAGE_EXCEPTIONS,
      rules: {
        'no-restricted-globals': ['error', ...PAGE_GLOBALS],
        'core/no-restricted-syntax': ['error', HOOK_OUTSIDE_TESTS, PAGE_MEMBERS],
      },
    },
    { files: ['testing/src/property.ts'], rules: { 'no-restricted-imports': 'off' } },
    {
      files: ['**/*.test.ts'],
      rules: {
        'max-lines': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'core/no-restricted-syntax': ['error', LISTENER_REPLACES_GLOBALS, SKIPPED_TEST],
      },
    },
    {
      files: ['scripts/**', 'examples/**', 'packages/web/scripts/**', 'packages/cli/src/**'],
      rules: { 'no-console': 'off' },
    },
  ],
});
