#!/usr/bin/env node
import module from 'node:module';

// The cache counts only for modules loaded after this call, hence the import below it. Node 20 has none.
module.enableCompileCache?.();

const { main } = await import('./main.ts');
await main(process.argv.slice(2));
