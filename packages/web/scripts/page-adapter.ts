import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import adapter from '@sveltejs/adapter-static';
import type { Adapter } from '@sveltejs/kit';
import { chatScripts, readManifest } from './chat-files.ts';

type Options = { pages: string; fallback: string; precompress: boolean };

/**
 * The static adapter. Its page names the scripts of every route only; those of the chat, which nearly all visits begin
 * with, would be requested after the others were executed.
 */
export function pageAdapter({ pages, fallback, precompress }: Options): Adapter {
  const inner = adapter({ pages, fallback });
  return {
    name: 'page-adapter',
    async adapt(builder) {
      await inner.adapt(builder);
      const file = join(pages, fallback);
      writeFileSync(file, withPreloads(readFileSync(file, 'utf8'), chatFilesOf(builder.getClientDirectory())));
      if (precompress) await builder.compress(pages);
    },
  };
}

function chatFilesOf(client: string): string[] {
  return chatScripts(readManifest(client)).map(({ file }) => `/${file}`);
}

/** The page with a preload for each script that it does not name yet. */
export function withPreloads(html: string, scripts: readonly string[]): string {
  const links = scripts
    .filter((script) => !html.includes(`"${script}"`))
    .map((script) => `<link href="${script}" rel="modulepreload">\n`);
  const [before, after] = html.split('</head>');
  if (before === undefined || after === undefined) throw new Error('The page has no head.');
  return `${before}${links.join('')}</head>${after}`;
}
