import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import adapter from '@sveltejs/adapter-static';
import type { Adapter } from '@sveltejs/kit';
import { chatScripts, readManifest } from './chat-files.ts';
import { criticalCss } from './critical-css.ts';

type Options = { pages: string; fallback: string; precompress: boolean };

/**
 * The static adapter. Its page names the scripts of every route only; those of the chat, which nearly all visits begin
 * with, would be requested after the others were executed. Its first paint would wait for the stylesheet, and on a slow
 * CPU for the scripts.
 */
export function pageAdapter({ pages, fallback, precompress }: Options): Adapter {
  const inner = adapter({ pages, fallback });
  return {
    name: 'page-adapter',
    async adapt(builder) {
      await inner.adapt(builder);
      const file = join(pages, fallback);
      const html = withPreloads(readFileSync(file, 'utf8'), chatFilesOf(builder.getClientDirectory()));
      writeFileSync(
        file,
        withFirstPaint(html, (path) => readFileSync(join(pages, path), 'utf8')),
      );
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

const START = 'import("';
/** A hidden tab paints nothing. */
const PAINTED =
  'new Promise((painted) => { setTimeout(painted, 100); requestAnimationFrame(() => setTimeout(painted)); })';

/**
 * The page with what its first paint needs: the rules of the stylesheet that apply to it are in the HTML, the stylesheet
 * itself is requested behind what is painted, and the scripts are executed after that.
 */
export function withFirstPaint(html: string, read: (path: string) => string): string {
  const [link, path] = /<link href="([^"]+\.css)" rel="stylesheet">/.exec(html) ?? [];
  const root = '<div style="display: contents">';
  if (link === undefined || path === undefined) throw new Error('The page has no stylesheet.');
  const [before, after, ...more] = html.replace(link, () => `<style>${criticalCss(read(path), html)}</style>`).split(root);
  if (before === undefined || after === undefined || more.length > 0) throw new Error('The page has no root element.');
  if (!after.includes(START)) throw new Error('The page imports no script.');
  return `${before}${link}\n    ${root}${after.replace(START, () => `${PAINTED}.then(() => ${START}`).replace('.js").then(', '.js")).then(')}`;
}
