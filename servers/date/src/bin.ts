#!/usr/bin/env node
import module from 'node:module';

// The compile cache applies only to modules loaded after this call, hence the dynamic import. Node 20 does not have it.
module.enableCompileCache?.();

const { main } = await import('./main.ts');
process.exitCode = await main(process.argv.slice(2));
