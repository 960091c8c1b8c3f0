import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ConversationSummary, Page, RunEvent, RunRecord } from '@toolyard/protocol';
import { eventually, reply, programArgs, startModelServer } from '@toolyard/testing';
import { Served, toolyard } from '../test-fixtures/served.ts';
import { BIN, ENV } from '../test-fixtures/terminal-chat.ts';

const ECHO = { odd: { tools: [{ name: 'echo', does: [{ do: 'echo' as const }] }] } };
const CALL = [{ name: 'echo', arguments: { message: 'hello' } }];

/** Words that take a while; with `held` half of them come only then. */
function slowly(words: number, held?: Promise<unknown>): ReturnType<typeof reply.text> {
  const text = Array.from({ length: words }, (_none, at) => `word${at}`).join(' ');
  return reply.text(`${text} end.`, {
    pieces: 8,
    delayMs: 10,
    ...(held === undefined ? {} : { hold: { until: held } }),
  });
}

const NEVER = new Promise(() => {});

describe('toolyard chat --server "question"', () => {
  it('lets the server of the data folder answer: text on stdout, the way on stderr, and it is in its list', async () => {
    await using served = await Served.start();
    const ran = await toolyard(['chat', '--server', '--data-dir', served.dataDir, 'What time is it in Tokyo?']);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/Tokyo.*\d{1,2}:\d{2}/);
    expect(ran.stderr).toContain(`server: ${served.url}`);
    expect(ran.stderr).toContain('model: demo');
    expect(ran.stderr).toContain('call date/get-date');
    const { items } = await served.get<Page<ConversationSummary>>('/api/conversations');
    expect(items).toMatchObject([{ title: 'What time is it in Tokyo?' }]);
    expect(ran.stderr).toContain(`conversation ${items[0]?.id ?? '-'}`);
  });

  it('goes on with a conversation, with the model and the instructions that were named', async () => {
    await using model = await startModelServer([reply.text('Four.'), reply.text('Five.')], {
      models: ['small', 'large'],
    });
    await using served = await Served.start({ model: model.url });
    const at = ['--server', served.url];
    const first = await toolyard(['chat', ...at, '--model', 'large', '--system', 'Be brief.', 'Two and two?']);
    expect(first.stdout).toBe('Four.\n');
    const id = /conversation (\S+)/.exec(first.stderr)?.[1] ?? '';
    const second = await toolyard(['chat', ...at, '--conversation', id, '-'], { input: 'And one?' });
    expect(second.stdout).toBe('Five.\n');
    const [, last] = model.requests.filter(({ path }) => path.endsWith('/chat/completions'));
    expect(last?.body).toMatchObject({
      model: 'large',
      messages: [
        { role: 'system', content: expect.stringContaining('Be brief.') },
        { role: 'user', content: 'Two and two?' },
        { role: 'assistant', content: 'Four.' },
        { role: 'user', content: 'And one?' },
      ],
    });
  });

  it('writes every event once with --json, also when the server dies in between and comes back', async () => {
    await using model = await startModelServer((_request, index) => slowly(60, index === 0 ? NEVER : undefined));
    await using served = await Served.start({ model: model.url });
    const at = ['--server', served.url, '--wait', '300'];
    const missed = Promise.withResolvers<void>();
    const onError = (said: string): void => void (said.includes('Trying again') && missed.resolve());
    const running = toolyard(['chat', ...at, '--model', 'scripted', '--json', 'Count'], { onError });
    const run = await served.answering();
    await served.end('SIGKILL');
    // A chat that is held up would else find a server that was never away.
    await missed.promise;
    await served.start();
    const ran = await running;
    expect(ran.stderr).toMatch(/Trying again for 300 seconds[^]*The server is back/);
    expect(ran.code).toBe(0);
    const events = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    expect(events.some(({ type }) => type === 'attempt_abandoned')).toBe(true);
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done', runId: run.id });
  });

  it('tells the answer once in a pipe where it was begun twice', async () => {
    await using model = await startModelServer((_request, index) => slowly(30, index === 0 ? NEVER : undefined));
    await using served = await Served.start({ model: model.url });
    const running = toolyard(['chat', '--server', served.url, '--wait', '300', '--model', 'scripted', 'Count']);
    await served.answering();
    await served.end('SIGKILL');
    await served.start();
    expect((await running).stdout).toMatch(/^word0 word1 [^\n]* end\.\n$/);
  });

  it('ends with 3 where the server is gone for good, and says how to see the rest', async () => {
    await using model = await startModelServer(() => slowly(60, NEVER));
    await using served = await Served.start({ model: model.url });
    const running = toolyard(['chat', '--server', served.url, '--model', 'scripted', '--wait', '1', 'Count']);
    await served.answering();
    await served.end('SIGKILL');
    const ran = await running;
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(`The Toolyard server at ${served.url} does not answer.`);
    expect(ran.stderr).toMatch(/toolyard chat --server \S+ --conversation \S+/);
    expect(ran.stderr).not.toMatch(/\n\s+at /);
  });

  it('refuses a call where nobody can be asked, and makes it with --allow', async () => {
    await using model = await startModelServer((_request, index) =>
      index % 2 === 0 ? reply.toolCalls(CALL) : reply.text('Done.'),
    );
    await using served = await Served.start({ model: model.url, mcp: ECHO });
    const at = ['chat', '--server', served.url, '--model', 'scripted'];
    const refused = await toolyard([...at, 'Echo']);
    expect(refused.stdout).toBe('Done.\n');
    expect(refused.stderr).toContain('--allow odd/echo allows it');
    expect(refused.stderr).not.toContain('ok: ');
    const allowed = await toolyard([...at, '--allow', 'odd/echo', 'Echo']);
    expect(allowed.stderr).toMatch(/ok: .*hello/);
  });

  it('stops the run at the server with SIGINT, and leaves it alone with SIGTERM', async () => {
    await using model = await startModelServer(() => slowly(60, NEVER));
    await using served = await Served.start({ model: model.url });
    for (const [signal, code, status] of [
      ['SIGINT', 130, 'cancelled'],
      ['SIGTERM', 143, 'running'],
    ] as const) {
      const args = [...programArgs(BIN), 'chat', '--server', served.url, '--model', 'scripted', 'Count'];
      const chat = spawn(process.execPath, args, { stdio: 'ignore', env: ENV });
      const ended = once(chat, 'exit');
      const run = await served.answering();
      chat.kill(signal);
      expect(await ended).toEqual([code, null]);
      const after = await eventually(async () => {
        const found = await served.get<RunRecord>(`/api/runs/${run.id}`);
        return found.status === status ? found : null;
      });
      expect(after.status).toBe(status);
    }
  });

  it('tells why a run failed, with the models there are', async () => {
    await using model = await startModelServer(() => reply.error(500, 'out of memory'));
    await using served = await Served.start({ model: model.url });
    const failed = await toolyard(['chat', '--server', served.url, '--model', 'scripted', 'Hi']);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain('out of memory');
    const missing = await toolyard(['chat', '--server', served.url, '--model', 'nope', 'Hi']);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toMatch(/no model "nope" at http[^]*On offer: .*scripted/);
  });

  it('asks for the token where one is needed', async () => {
    await using served = await Served.start({ args: ['--token', 'open-sesame'] });
    const without = await toolyard(['chat', '--server', served.url, 'Hi']);
    expect(without.code).toBe(1);
    expect(without.stderr).toContain('asks for a token');
    const wrong = await toolyard(['chat', '--server', served.url, '--token', 'guess', 'Hi']);
    expect(wrong.stderr).toContain('not the one of this server');
    for (const [args, env] of [
      [['--server', served.url, '--token', 'open-sesame'], {}],
      [['--server', served.url], { TOOLYARD_TOKEN: 'open-sesame' }],
      // The data folder tells its own.
      [['--server', '--data-dir', served.dataDir], {}],
    ] as const) {
      const ran = await toolyard(['chat', ...args, 'Hello'], { env });
      expect(ran.code, ran.stderr).toBe(0);
    }
  });

  it('says so where no server is, at an address or of a data folder, and where something else answers', async () => {
    await using served = await Served.start();
    await served.end('SIGTERM');
    const gone = await toolyard(['chat', '--server', served.url, 'Hi']);
    expect(gone.code).toBe(1);
    expect(gone.stderr).toContain(`The Toolyard server at ${served.url} does not answer.`);
    const none = await toolyard(['chat', '--server', '--data-dir', served.dataDir, 'Hi']);
    expect(none.stderr).toContain(`No Toolyard server has the data folder ${served.dataDir}`);
    await using other = await startModelServer([]);
    const elsewhere = await toolyard(['chat', '--server', other.origin, 'Hi']);
    expect(elsewhere.code).toBe(1);
    expect(elsewhere.stderr).toContain('is no Toolyard server');
  });

  it('does not put a second question into a conversation that is at work', async () => {
    await using model = await startModelServer(() => slowly(60, NEVER));
    await using served = await Served.start({ model: model.url });
    await served.post('/api/conversations', { id: 'c' });
    await served.post('/api/conversations/c/messages', { parts: [{ type: 'text', text: 'Count' }] });
    const ran = await toolyard(['chat', '--conversation', 'c', '--data-dir', served.dataDir, 'And?']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('An answer is being written already.');
  });

  it.each([
    [['--server', '--mcp', 'x', 'Hi'], /--mcp goes with a chat of its own/],
    [['--server', '--base-url', 'http://localhost:1', 'Hi'], /--base-url goes with/],
    [['--token', 'x', 'Hi'], /--token goes with --server/],
    [['--server', 'what is this', 'Hi'], /not an address/],
    [['--server', '  '], /empty/],
  ])('says what is wrong with %j', async (args, message) => {
    const ran = await toolyard(['chat', ...args]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(message);
  });

  it('works over a pipe, a line a message, in one conversation', async () => {
    await using served = await Served.start();
    const ran = await toolyard(['chat', '--server', served.url], {
      input: 'What time is it in Tokyo?\n/tools\n/model\n/history\n/clear\n/history\nWhat time is it in Paris?\n',
    });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/In Tokyo[^]*date\/get-date [^]*\* demo[^]*user: What time is it in Tokyo\?/);
    expect(ran.stdout).toMatch(/begins anew[^]*Nothing has been said yet[^]*In Paris/);
    const { items } = await served.get<Page<ConversationSummary>>('/api/conversations');
    expect(items).toHaveLength(2);
  });
});
