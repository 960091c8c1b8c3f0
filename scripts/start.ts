import { buildPage } from './build-page.ts';
import { toolyard } from './toolyard.ts';

/** `npm start`: the server with its page, each built first where its sources have changed. */
const wrong = await buildPage({ tell: (line) => console.error(`toolyard: ${line}`) });
if (wrong === null) {
  await toolyard(['serve', ...process.argv.slice(2)]);
} else {
  console.error(`${wrong.trimEnd()}\ntoolyard: the page could not be built; the lines above say why.`);
  process.exitCode = 1;
}
