import svelte from 'eslint-plugin-svelte';
import tseslint from 'typescript-eslint';

/**
 * Two rules are about danger, not taste: foreign JSON must go through a guarded parser, and an outgoing
 * address someone else chose must go through the fetch a room was handed.
 */
const isomorphicRooms = ['protocol', 'mcp-host', 'model-runtime', 'agent-runtime', 'agent-host'].map(
  (room) => `packages/${room}/src/**/*.ts`,
);

/** Workers are used for many files of tests, and load what these share once. */
const hookOutsideTests = {
  selector: 'Program > ExpressionStatement > CallExpression[callee.name=/^(before|after)(Each|All)$/]',
  message: 'Only the first file of tests in a worker would have this hook: put it into a function that tests call.',
};

const listenerInPlaceOfGlobals = {
  selector: "CallExpression[callee.name='getRequestListener'][arguments.length=1]",
  message:
    'It puts a Response of its own in the place of the global one, for the next file, too: overrideGlobalObjects: false.',
};

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '.cache/**',
      'bench/**',
      '**/*.mjs',
      '**/*.cjs',
      'packages/web/build/**',
      'packages/web/.svelte-kit/**',
    ],
  },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
        // The same for all files: with another list, all programs would be made anew.
        extraFileExtensions: ['.svelte'],
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'max-lines': ['error', { max: 500, skipBlankLines: false, skipComments: false }],
      'no-console': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  ...svelte.configs['flat/recommended'],
  {
    files: ['packages/web/**'],
    rules: {
      // All addresses of the page come from shell/addresses.ts, which resolves them.
      'svelte/no-navigation-without-resolve': 'off',
      // A Map or a Set that nothing on the screen reads is only made slower by being reactive.
      'svelte/prefer-svelte-reactivity': 'off',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
  },
  {
    // The types of markup only svelte-check sees; here they are all `any`.
    files: ['**/*.svelte'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: { 'no-restricted-syntax': ['error', hookOutsideTests] },
  },
  {
    files: isomorphicRooms,
    ignores: ['**/*.test.ts', '**/node/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'process', message: 'Isomorphic rooms have no process; take what you need as a parameter.' },
        { name: 'Buffer', message: 'Isomorphic rooms use Uint8Array.' },
        { name: 'fetch', message: 'Take a fetch from the owner, so that the guard can stand in front of it.' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.object.name='JSON'][callee.property.name='parse']",
          message: 'Foreign JSON goes through parseJson() of protocol, which never throws.',
        },
        hookOutsideTests,
      ],
    },
  },
  {
    files: ['**/*.ts'],
    ignores: ['testing/src/property.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { name: 'fast-check', message: 'Take fc from @toolyard/testing/property: it deals from the one seed.' },
      ],
    },
  },
  {
    files: ['**/*.test.ts'],
    rules: {
      'max-lines': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      'no-restricted-syntax': ['error', listenerInPlaceOfGlobals],
    },
  },
  { files: ['scripts/**', 'packages/web/scripts/**', 'packages/cli/src/**'], rules: { 'no-console': 'off' } },
);
