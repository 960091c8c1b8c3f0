import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import adapter from '@sveltejs/adapter-static';
import type { Adapter } from '@sveltejs/kit';
import { chatScripts, readManifest } from './chat-files.ts';
import { compressFiles } from './compress-files.ts';
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
      const html = withPreloads(readFileSync(file, 'utf8'), listChatFiles(builder.getClientDirectory()));
      writeFileSync(
        file,
        withFirstPaint(html, (path) => readFileSync(join(pages, path), 'utf8')),
      );
      if (precompress) await compressFiles(pages);
    },
  };
}

function listChatFiles(client: string): string[] {
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

const START = 'import("/_app/immutable/entry/start';
const PLACE = '<!-- preloads: scripts/page-adapter.ts -->';
const PRELOAD = /<link href="([^"]+)" rel="modulepreload">\s*/g;
/** A hidden tab paints nothing. */
const PAINTED =
  'new Promise((painted) => { setTimeout(painted, 100); requestAnimationFrame(() => setTimeout(painted)); })';

/**
 * The page with what its first paint needs: the rules of the stylesheet that apply to it are in the HTML. The scripts are
 * requested once what is painted was parsed, because the browser would handle their responses before it lays out the page,
 * and executed after the first paint.
 */
export function withFirstPaint(html: string, read: (path: string) => string): string {
  const [link, path] = /<link href="([^"]+\.css)" rel="stylesheet">/.exec(html) ?? [];
  const root = '<div style="display: contents">';
  if (link === undefined || path === undefined) throw new Error('The page has no stylesheet.');
  if (!html.includes(PLACE)) throw new Error('The page has no place for preloads.');
  const preloads = [...html.matchAll(PRELOAD)].flatMap(([, file = '']) => file);
  const page = html
    .replaceAll(PRELOAD, '')
    .replace(link, () => `<style>${criticalCss(read(path), html)}</style>`)
    .replace(PLACE, () => preloadScript(preloads));
  const [before, after, ...more] = page.split(root);
  if (before === undefined || after === undefined || more.length > 0) throw new Error('The page has no root element.');
  const [open, script, ...others] = after.split(START);
  if (open === undefined || script === undefined || others.length > 0) throw new Error('The page imports no script.');
  const started = script.replace('").then(', '")).then(');
  return `${before}${link}\n    ${root}${open}${PAINTED}.then(() => ${START}${started}`;
}

function preloadScript(files: readonly string[]): string {
  return `<script>
      ${JSON.stringify(files)}.forEach(function (file) {
        var link = document.createElement('link');
        link.rel = 'modulepreload';
        link.href = file;
        document.head.append(link);
      });
    </script>`;
}
