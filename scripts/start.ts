import { buildPage } from './build-page.ts';
import { bundled, COMMAND } from './programs.ts';
import { toolyard } from './toolyard.ts';

/** `npm start`: runs the server with its page; builds each first if its sources have changed. */
const [wrong] = await Promise.all([
  buildPage({ log: (line) => console.error(`toolyard: ${line}`) }),
  // `toolyard` reports its own errors.
  bundled(COMMAND).catch(() => null),
]);
if (wrong === null) {
  await toolyard(['serve', ...process.argv.slice(2)]);
} else {
  console.error(`${wrong.trimEnd()}\ntoolyard: Cannot build the page; see the error above.`);
  process.exitCode = 1;
}
