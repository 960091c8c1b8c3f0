#!/usr/bin/env node
import module from 'node:module';

// The cache counts only for modules loaded after this call, hence the imports below it. Node 20 has none.
module.enableCompileCache?.();

const [{ main }, { processIo }] = await Promise.all([import('./main.ts'), import('./process-io.ts')]);
process.exitCode = await main(process.argv.slice(2), processIo());
