/** The version of this release; `npm test` compares it with the package.json files. */
export const VERSION = '0.1.0';
