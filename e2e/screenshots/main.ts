import { parseArgs } from 'node:util';
import { buildPage } from '../../scripts/build-page.ts';
import { setup as bundlePrograms } from '../../scripts/test-programs.ts';
import { launchBrowser } from '../support/browser.ts';
import { whyNoBrowser } from '../support/unpack-browser.ts';
import { takeReadmePictures } from './readme-pictures.ts';

const USAGE = `npm run screenshots -- --readme | --out FOLDER [--only TEXT]

Takes pictures of the page, with a scripted model and scripted MCP servers.
  --readme      write docs/images/page-light.png and page-dark.png
  --out FOLDER  write pictures of every view in three widths and three languages, light and dark
  --only TEXT   only the views whose name contains it`;

const { values } = parseArgs({
  options: {
    readme: { type: 'boolean' },
    out: { type: 'string' },
    only: { type: 'string' },
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
  } finally {
    await (await launchBrowser()).close();
    endRun();
  }
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
