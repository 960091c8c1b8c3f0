/** The release this is; `npm test` holds it to the package.json files. */
export const VERSION = '0.1.0';
