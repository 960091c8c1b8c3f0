import { join } from 'node:path';
import type { Plugin } from 'vite';
import { build } from 'vite';

const FOLDER = join(import.meta.dirname, '..', 'src', 'frames');

/** Builds the scripts of the frame documents, which the server puts into their HTML: one file each, without imports. */
export function frameScripts(): Plugin {
  return {
    name: 'frame-scripts',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    async generateBundle() {
      for (const name of ['outer', 'content']) {
        const entry = join(FOLDER, `${name}.ts`);
        const built = await build({
          configFile: false,
          logLevel: 'warn',
          publicDir: false,
          build: { write: false, target: 'es2022', lib: { entry, formats: ['iife'], name: 'frame' } },
        });
        const [output] = Array.isArray(built) ? built : [built];
        const chunk = output !== undefined && 'output' in output ? output.output[0] : undefined;
        if (chunk === undefined) throw new Error(`The script of the frame document "${name}" was not built.`);
        // The end tag would end the element that contains the script.
        this.emitFile({ type: 'asset', fileName: `frames/${name}.js`, source: chunk.code.replaceAll('</', '<\\/') });
      }
    },
  };
}
