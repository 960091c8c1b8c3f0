import root from '../oxlint.config.ts';

/** The rules of the repository without its ignore list, which contains bench/ because its packages may be missing. */
export default { ...root, jsPlugins: ['../scripts/lint-plugin.ts'], ignorePatterns: ['node_modules'] };
