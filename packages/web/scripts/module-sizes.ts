import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A module of a bundled file: its share of the minified text, and its share of the compressed file. */
export type ModuleSize = { module: string; bytes: number; gzip: number };

const INTERNAL = 'code of the bundler';

/**
 * Splits a bundled file by the modules it was made of, using its source map. The compressed size of the file is divided
 * in proportion to what each module compresses to alone, because gzip finds repetitions across modules.
 *
 * @param file a minified script with a `.map` file beside it (`vite build --sourcemap hidden`)
 * @param root names of modules are relative to it
 */
export function moduleSizes(file: string, root: string): ModuleSize[] {
  const code = readFileSync(file, 'utf8');
  const compressed = gzipSync(code).length;
  // Files that the bundler wrote without a module have none.
  if (!existsSync(`${file}.map`)) return [{ module: INTERNAL, bytes: code.length, gzip: compressed }];
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload);
  const texts = new Map<string, string>();
  for (const [line, text] of code.split('\n').entries()) {
    let from = 0;
    let module = INTERNAL;
    const add = (until: number) => {
      if (until > from) texts.set(module, (texts.get(module) ?? '') + text.slice(from, until));
      from = until;
    };
    for (let column = 0; column < text.length; column++) {
      const entry = map.findEntry(line, column);
      const source = 'originalSource' in entry ? (entry.originalSource as string | undefined) : undefined;
      const found = source === undefined ? INTERNAL : getName(source);
      if (found === module) continue;
      add(column);
      module = found;
    }
    add(text.length);
  }

  function getName(source: string): string {
    const path = join(dirname(file), source);
    const packaged = path.lastIndexOf('/node_modules/');
    return packaged === -1 ? relative(root, path) : path.slice(packaged + '/node_modules/'.length);
  }

  const alone = [...texts].map(([module, text]) => ({ module, bytes: text.length, gzip: gzipSync(text).length }));
  const ratio = compressed / alone.reduce((sum, { gzip }) => sum + gzip, 0);
  return alone.map(({ module, bytes, gzip }) => ({ module, bytes, gzip: gzip * ratio }));
}
