import { builtinRules } from 'eslint/use-at-your-own-risk';

/** Makes an ESLint rule that oxlint lacks available as `core/no-restricted-syntax`. */
const NAME = 'no-restricted-syntax';

export default { meta: { name: 'core' }, rules: { [NAME]: builtinRules.get(NAME) } };
