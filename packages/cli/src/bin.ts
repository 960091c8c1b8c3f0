#!/usr/bin/env node
import module from 'node:module';

// The compile cache covers only modules imported after this call. Node 20 does not have it.
module.enableCompileCache?.();

const { closeInheritedDescriptors } = await import('@toolyard/mcp-host/node');
closeInheritedDescriptors();

const [{ main }, { processIo }] = await Promise.all([import('./main.ts'), import('./process-io.ts')]);
process.exitCode = await main(process.argv.slice(2), processIo());
