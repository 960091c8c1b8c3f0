#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// The cache counts only for modules loaded after this call, hence the import below it.
enableCompileCache?.();
const { main } = await import('./main.ts');
await main(process.argv.slice(2));
