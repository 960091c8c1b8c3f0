#!/usr/bin/env node
// The command of the package. npm links it when it installs, also in a clone, where nothing is compiled then: there it runs
// from the sources, as `npm run toolyard` does.
import { existsSync } from 'node:fs';

if (existsSync(new URL('src/bin.ts', import.meta.url))) {
  process.argv.splice(2, 0, 'toolyard');
  await import('../../scripts/bootstrap.mjs');
} else {
  // Not a literal: nothing is compiled in a clone.
  await import(new URL('dist/bin.js', import.meta.url).href);
}
