import { builtinRules } from 'eslint/use-at-your-own-risk';

/** Makes a rule of ESLint that oxlint does not have available to it, as `core/no-restricted-syntax`. */
const NAME = 'no-restricted-syntax';

export default { meta: { name: 'core' }, rules: { [NAME]: builtinRules.get(NAME) } };
