// What the page costs in a real browser: a first visit, a long conversation, a long answer. JSON lines on stdout, a
// table for people on stderr.
import { launchBrowser } from '../e2e/support/browser.ts';
import { whyNoBrowser } from '../e2e/support/unpack-browser.ts';
import { buildPage } from '../scripts/build-page.ts';
import type { Context } from './page/context.ts';
import { fillConversation } from './page/fill.ts';
import { measureLoad } from './page/load.ts';
import { measureOpen } from './page/open.ts';
import type { Options, Part } from './page/options.ts';
import { readOptions, USAGE } from './page/options.ts';
import { measureStream } from './page/stream.ts';
import { createApi } from './support/api.ts';
import { loadNow, machine, optionsOrExit, say } from './support/command.ts';
import type { Finding } from './support/finding.ts';
import { table } from './support/finding.ts';
import { makeDataFolder, startServer } from './support/server.ts';
import { PROVIDER, startUpstream } from './support/start-upstream.ts';

const MEASURES: Readonly<Record<Part, (context: Context) => Promise<Finding[]>>> = {
  load: measureLoad,
  open: measureOpen,
  stream: measureStream,
};

const MESSAGES = 10_000;

async function main(options: Options): Promise<Finding[]> {
  const wrong = (await whyNoBrowser()) ?? (await buildPage({ tell: say }));
  if (wrong !== null) throw new Error(wrong);
  using folder = makeDataFolder();
  say(`filling a data folder with a conversation of ${String(MESSAGES)} messages`);
  const conversation = await fillConversation(folder.path, MESSAGES);
  const upstream = await startUpstream();
  const findings: Finding[] = [];
  try {
    const server = await startServer({
      dataFolder: folder.path,
      providers: { [PROVIDER]: upstream.baseUrl },
      profile: null,
    });
    try {
      const browser = await launchBrowser();
      say(`${machine()}, Chromium ${browser.version()}; ${loadNow()}`);
      const { url } = server;
      const long = { conversation, messages: MESSAGES };
      for (const part of options.only) {
        const context = {
          options,
          url,
          api: createApi(url),
          browser,
          long,
          say: (text: string) => say(`${part}: ${text}`),
        };
        const found = await MEASURES[part](context);
        for (const finding of found) process.stdout.write(`${JSON.stringify({ bench: 'page', ...finding })}\n`);
        findings.push(...found);
        say(`${part} is measured; ${loadNow()}`);
      }
    } finally {
      await (await launchBrowser()).close();
      await server.end();
    }
  } finally {
    await upstream.end();
  }
  return findings;
}

say(`\n${table(await main(optionsOrExit(readOptions, USAGE)))}`);
// Connections kept open would keep the process too.
process.exit();
