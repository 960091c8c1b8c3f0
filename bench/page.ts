// Cost of the page in a real browser: a first visit, a long conversation, a long answer.
import { launchBrowser } from '../e2e/support/browser.ts';
import { whyNoBrowser } from '../e2e/support/unpack-browser.ts';
import { buildPage } from '../scripts/build-page.ts';
import { runBench } from './harness/bench.ts';
import { PROVIDER, startMockModel } from './mock-model/start.ts';
import { fillConversation } from './page/fill.ts';
import { measureLoad } from './page/load.ts';
import { measureOpen } from './page/open.ts';
import { measureStream } from './page/stream.ts';
import type { Context } from './page/visitor.ts';
import { createApi } from './support/api.ts';
import { makeDataFolder, startServer } from './support/server.ts';

const MESSAGES = 10_000;

await runBench<Context>({
  name: 'page',
  parts: { load: measureLoad, open: measureOpen, stream: measureStream },
  async *contexts(bench) {
    const wrong = (await whyNoBrowser()) ?? (await buildPage({ log: bench.say }));
    if (wrong !== null) throw new Error(wrong);
    using folder = makeDataFolder();
    bench.say(`filling a data folder with a conversation of ${String(MESSAGES)} messages`);
    const conversation = await fillConversation(folder.path, MESSAGES);
    await using stack = new AsyncDisposableStack();
    const mock = stack.use(await startMockModel());
    const { profile } = bench.options;
    const server = stack.use(
      await startServer({
        dataFolder: folder.path,
        providers: { [PROVIDER]: mock.baseUrl },
        profile: profile === null ? null : { folder: profile, name: 'page' },
      }),
    );
    const browser = await launchBrowser();
    stack.defer(() => browser.close());
    bench.say(`Chromium ${browser.version()}`);
    const { url } = server;
    yield { context: { ...bench, url, api: createApi(url), browser, long: { conversation, messages: MESSAGES } } };
  },
});
