import svelte from 'eslint-plugin-svelte';
import tseslint from 'typescript-eslint';
import { FUNCTION_NAMES, functionNames } from './scripts/lint-function-names.ts';
import { PAGE_GLOBALS, PAGE_LINKS, PAGE_MEMBERS } from './scripts/lint-page-requests.ts';

/**
 * ESLint lints what oxlint cannot: components, and the rules about runes in `.svelte.ts` files. The rules of all other
 * TypeScript, and those of `.svelte.ts` that are not about Svelte, are in oxlint.config.ts.
 */
const RUNES = '**/*.svelte.ts';

export default tseslint.config(
  { ignores: ['**/*.js', '**/*.mjs', '**/*.cjs', 'packages/web/.svelte-kit/**'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  ...tseslint.configs.recommended
    .filter(({ name }) => name !== 'typescript-eslint/eslint-recommended')
    .map((config) => ({ ...config, files: ['**/*.svelte'] })),
  ...svelte.configs['flat/recommended'],
  {
    rules: {
      // All addresses of the page come from shell/addresses.ts, which resolves them.
      'svelte/no-navigation-without-resolve': 'off',
      // A Map or a Set that nothing on the screen reads is only made slower by being reactive.
      'svelte/prefer-svelte-reactivity': 'off',
      // It compiles every component again, which is half of the time of all rules.
      'svelte/no-unused-svelte-ignore': 'off',
    },
  },
  { files: ['**/*.svelte', RUNES], languageOptions: { parserOptions: { parser: tseslint.parser } } },
  {
    files: ['**/*.svelte'],
    plugins: { core: { rules: { [FUNCTION_NAMES]: functionNames } } },
    rules: {
      [`core/${FUNCTION_NAMES}`]: 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'max-lines': ['error', { max: 500, skipBlankLines: false, skipComments: false }],
      'no-console': 'error',
      'no-restricted-globals': ['error', ...PAGE_GLOBALS],
      'no-restricted-syntax': ['error', PAGE_MEMBERS, ...PAGE_LINKS],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
);
