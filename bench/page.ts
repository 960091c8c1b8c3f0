// Cost of the page in a real browser: a first visit, a long conversation, switching, a long answer.
import { launchBrowser } from '../e2e/support/browser.ts';
import { whyNoBrowser } from '../e2e/support/unpack-browser.ts';
import { buildPage } from '../scripts/build-page.ts';
import { runBench } from './harness/bench.ts';
import { PROVIDER, startMockModel } from './mock-model/start.ts';
import { fillConversation } from './page/fill.ts';
import { measureExchange } from './page/exchange.ts';
import { measureLoad } from './page/load.ts';
import { measureAnswer, measureOpen } from './page/open.ts';
import { measureParse } from './page/parse.ts';
import { measureStream } from './page/stream.ts';
import { measureScroll, measureSwitch, measureType } from './page/use.ts';
import type { Context, Stored } from './page/visitor.ts';
import { createApi } from './harness/api.ts';
import { makeDataFolder, startServer } from './harness/server.ts';

const MESSAGES = 10_000;
const ANSWER = 60_000;

await runBench<Context>({
  name: 'page',
  parts: {
    load: measureLoad,
    open: measureOpen,
    answer: measureAnswer,
    scroll: measureScroll,
    type: measureType,
    switch: measureSwitch,
    parse: measureParse,
    stream: measureStream,
    exchange: measureExchange,
  },
  own: { switches: { kind: 'count', usage: 'switches between two chats (default 1000)' } },
  async *contexts(bench) {
    const wrong = (await whyNoBrowser()) ?? (await buildPage({ log: bench.say }));
    if (wrong !== null) throw new Error(wrong);
    using folder = makeDataFolder();
    bench.say(`filling a data folder with a conversation of ${String(MESSAGES)} messages`);
    const fill = async (title: string, messages: number, size: { answerSize?: number } = {}): Promise<Stored> => {
      const lastWords = `the last words of the ${title} conversation`;
      return { conversation: await fillConversation(folder.path, { title, messages, lastWords, ...size }), lastWords };
    };
    const ordinary = [await fill('first', 40), await fill('second', 40)] as const;
    const long = { ...(await fill('long', MESSAGES)), messages: MESSAGES };
    const answer = { ...(await fill('answer', 2, { answerSize: ANSWER })), size: ANSWER };
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
    const browser = await launchBrowser({ optimizes: true });
    stack.defer(() => browser.close());
    bench.say(`Chromium ${browser.version()}`);
    const { url } = server;
    yield { context: { ...bench, url, server, api: createApi(url), browser, long, answer, ordinary } };
  },
});
