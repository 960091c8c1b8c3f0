import { builtinRules } from 'eslint/use-at-your-own-risk';
import { FUNCTION_NAMES, functionNames } from './lint-function-names.ts';

/** Makes an ESLint rule that oxlint lacks available as `core/no-restricted-syntax`, and adds our own. */
const NAME = 'no-restricted-syntax';

export default { meta: { name: 'core' }, rules: { [NAME]: builtinRules.get(NAME), [FUNCTION_NAMES]: functionNames } };
