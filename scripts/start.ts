import { buildPage } from './build-page.ts';
import { bundled, COMMAND } from './programs.ts';
import { toolyard } from './toolyard.ts';

/** `npm start`: the server with its page, each built first if its sources have changed. */
const [wrong] = await Promise.all([
  buildPage({ tell: (line) => console.error(`toolyard: ${line}`) }),
  // `toolyard` reports what is wrong with it.
  bundled(COMMAND).catch(() => null),
]);
if (wrong === null) {
  await toolyard(['serve', ...process.argv.slice(2)]);
} else {
  console.error(`${wrong.trimEnd()}\ntoolyard: The page could not be built; the reason is above.`);
  process.exitCode = 1;
}
