import root from '../oxlint.config.ts';

/** The rules of the repository, without its list of what is not linted: bench/ is on it, as its packages are not there. */
export default { ...root, jsPlugins: ['../scripts/lint-plugin.ts'], ignorePatterns: ['node_modules'] };
