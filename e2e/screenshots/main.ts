import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPage } from '../../scripts/build-page.ts';
import { ROOT } from '../../scripts/run.ts';
import { setup as bundlePrograms } from '../../scripts/test-programs.ts';
import { launchBrowser } from '../support/browser.ts';
import { whyNoBrowser } from '../support/unpack-browser.ts';
import { takeReadmePictures } from './readme-pictures.ts';
import { takeViewPictures, WIDTHS } from './view-pictures.ts';

const LOCALES = ['en', 'zh-Hant', 'zh-Hans'] as const;

const USAGE = `npm run docs -- screenshots --readme | --out FOLDER [--only TEXT] [--locale LOCALE] [--width PIXELS] [--light]

Takes pictures of the page, with a scripted model and scripted MCP servers.
  --readme      write docs/images/page-light.png and page-dark.png
  --out FOLDER  write pictures of every view in three widths and three languages, light and dark
  --only TEXT   only the views whose name contains it
  --locale L    only this language: ${LOCALES.join(', ')}
  --width N     only this width: ${WIDTHS.join(', ')}
  --light       no dark pictures`;

const { values } = parseArgs({
  options: {
    readme: { type: 'boolean' },
    out: { type: 'string' },
    only: { type: 'string' },
    locale: { type: 'string' },
    width: { type: 'string', multiple: true },
    light: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});

async function main(): Promise<void> {
  const missing = await whyNoBrowser();
  if (missing !== null) throw new Error(`No browser: ${missing}.`);
  const problem = await buildPage({ log: (line) => process.stderr.write(`${line}\n`) });
  if (problem !== null) throw new Error(problem);
  const endRun = await bundlePrograms();
  try {
    if (values.readme === true) await takeReadmePictures();
    if (values.out !== undefined) await takePicturesTo(resolve(process.env['INIT_CWD'] ?? '.', values.out));
  } finally {
    await (await launchBrowser()).close();
    endRun();
  }
}

async function takePicturesTo(out: string): Promise<void> {
  if (!relative(ROOT, out).startsWith('..')) throw new Error(`--out must be outside the repository (got ${out}).`);
  const locales = LOCALES.filter((locale) => values.locale === undefined || locale === values.locale);
  if (locales.length === 0)
    throw new Error(`--locale must be one of ${LOCALES.join(', ')} (got ${values.locale ?? ''}).`);
  const widths = values.width?.map(Number) ?? WIDTHS;
  const unknown = widths.find((width) => !WIDTHS.includes(width));
  if (unknown !== undefined) throw new Error(`--width must be one of ${WIDTHS.join(', ')} (got ${String(unknown)}).`);
  const dark = values.light !== true;
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const problems = await takeViewPictures({ out, only: values.only ?? '', locales, widths, dark, say });
  for (const problem of problems) process.stderr.write(`Not shown: ${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}

if (values.help === true || (values.readme !== true && values.out === undefined)) {
  process.stdout.write(`${USAGE}\n`);
  process.exitCode = values.help === true ? 0 : 2;
} else {
  try {
    await main();
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    process.exitCode = 1;
  }
}
