import { createRequire } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { readVersion } from '../harness/version-of.ts';

/** Libraries that show Markdown, each in a reader of its own: a script that defines `createReader`. */
export const PEERS = ['marked', 'remark', 'streamdown'] as const;
export type Peer = (typeof PEERS)[number];

/** The version that the page uses. */
const MARKED = createRequire(new URL('../../packages/web/package.json', import.meta.url)).resolve('marked');

/** Bundles the script of a reader for the browser. */
export async function readerScript(peer: Peer): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'readers', `${peer}.ts`),
    platform: 'browser',
    resolve: { alias: { marked: MARKED } },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'iife', minify: true, codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

export function peerName(peer: Peer): string {
  switch (peer) {
    case 'marked':
      return 'marked, whole';
    case 'remark':
      return `remark (react-markdown ${readVersion('react-markdown')}), whole`;
    case 'streamdown':
      return `streamdown ${readVersion('streamdown')}`;
  }
}
