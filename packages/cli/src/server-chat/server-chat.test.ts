import { describe, expect, it } from 'vitest';
import type { ConversationSummary, Page } from '@toolyard/protocol';
import { reply, startModelServer } from '@toolyard/testing';
import { NEVER, slowly } from '../test-fixtures/slow-reply.ts';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';

const ECHO = { odd: { tools: [{ name: 'echo', does: [{ do: 'echo' as const }] }] } };
const CALL = [{ name: 'echo', arguments: { message: 'hello' } }];

describe('toolyard chat --server "question"', () => {
  it('answers with the server of the data folder: answer on stdout, the rest on stderr, stored as a conversation', async () => {
    await using served = await Served.start({ date: true });
    const ran = await runCommand(['chat', '--server', '--data-dir', served.dataDir, 'What time is it in Tokyo?']);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/Tokyo.*\d{1,2}:\d{2}/);
    expect(ran.stderr).toContain(`server: ${served.url}`);
    expect(ran.stderr).toContain('model: demo');
    expect(ran.stderr).toContain('call date/get-date');
    const { items } = await served.get<Page<ConversationSummary>>('/api/conversations');
    expect(items).toMatchObject([{ title: 'What time is it in Tokyo?' }]);
    expect(ran.stderr).toContain(`conversation ${items[0]?.id ?? '-'}`);
  });

  it('continues a conversation with the given model and instructions', async () => {
    await using model = await startModelServer([reply.text('Four.'), reply.text('Five.')], {
      models: ['small', 'large'],
    });
    await using served = await Served.start({ model: model.url });
    const at = ['--server', served.url];
    const first = await runCommand(['chat', ...at, '--model', 'large', '--system', 'Be brief.', 'Two and two?']);
    expect(first.stdout).toBe('Four.\n');
    const id = /conversation (\S+)/.exec(first.stderr)?.[1] ?? '';
    const second = await runCommand(['chat', ...at, '--conversation', id, '-'], { input: 'And one?' });
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

  it('denies a call without a terminal, and runs it with --allow', async () => {
    await using model = await startModelServer((_request, index) =>
      index % 2 === 0 ? reply.toolCalls(CALL) : reply.text('Done.'),
    );
    await using served = await Served.start({ model: model.url, mcp: ECHO });
    const at = ['chat', '--server', served.url, '--model', 'scripted'];
    const refused = await runCommand([...at, 'Echo']);
    expect(refused.stdout).toBe('Done.\n');
    expect(refused.stderr).toContain('Allow it with --allow odd/echo');
    expect(refused.stderr).not.toContain('ok: ');
    for (const pattern of ['odd/echo', 'odd/*']) {
      const allowed = await runCommand([...at, '--allow', pattern, 'Echo']);
      expect(allowed.stderr).toMatch(/ok: .*hello/);
    }
    const unknown = await runCommand([...at, '--allow', 'even/*', 'Echo']);
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain('--allow even/* matches no tool of this chat.');
  });

  it('reports why a run failed, with the available models', async () => {
    await using model = await startModelServer(() => reply.error(500, 'out of memory'));
    await using served = await Served.start({ model: model.url });
    const failed = await runCommand(['chat', '--server', served.url, '--model', 'scripted', 'Hi']);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain('out of memory');
    const missing = await runCommand(['chat', '--server', served.url, '--model', 'nope', 'Hi']);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toMatch(/Model "nope" not found at http[^]*Available: .*scripted/);
  });

  it('reports a missing token', async () => {
    await using served = await Served.start({ args: ['--token', 'open-sesame-open-sesame'] });
    const without = await runCommand(['chat', '--server', served.url, 'Hi']);
    expect(without.code).toBe(1);
    expect(without.stderr).toContain('requires an access token');
    const wrong = await runCommand(['chat', '--server', served.url, '--token', 'guess', 'Hi']);
    expect(wrong.stderr).toContain('neither the access token of this server');
    for (const [args, env] of [
      [['--server', served.url, '--token', 'open-sesame-open-sesame'], {}],
      [['--server', served.url], { TOOLYARD_TOKEN: 'open-sesame-open-sesame' }],
      // The data folder contains the token of its server.
      [['--server', '--data-dir', served.dataDir], {}],
    ] as const) {
      const ran = await runCommand(['chat', ...args, 'Hello'], { env });
      expect(ran.code, ran.stderr).toBe(0);
    }
  });

  it('reports a missing server, at a URL or of a data folder, and a different kind of server', async () => {
    await using served = await Served.start();
    await served.stop();
    const gone = await runCommand(['chat', '--server', served.url, 'Hi']);
    expect(gone.code).toBe(1);
    expect(gone.stderr).toContain(`The Toolyard server at ${served.url} does not answer.`);
    const none = await runCommand(['chat', '--server', '--data-dir', served.dataDir, 'Hi']);
    expect(none.stderr).toContain(`No Toolyard server is running with the data folder ${served.dataDir}`);
    await using other = await startModelServer([]);
    const elsewhere = await runCommand(['chat', '--server', other.origin, 'Hi']);
    expect(elsewhere.code).toBe(1);
    expect(elsewhere.stderr).toContain('is not a Toolyard server');
  });

  it('does not queue a second message in a conversation with a run in progress', async () => {
    await using model = await startModelServer(() => slowly(60, NEVER));
    await using served = await Served.start({ model: model.url });
    await served.post('/api/conversations', { id: 'c' });
    await served.post('/api/conversations/c/messages', { parts: [{ type: 'text', text: 'Count' }] });
    const ran = await runCommand(['chat', '--conversation', 'c', '--data-dir', served.dataDir, 'And?']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('An answer is in progress.');
  });

  it.each([
    [['--server', '--mcp', 'x', 'Hi'], /--mcp cannot be combined with --server/],
    [['--server', '--base-url', 'http://localhost:1', 'Hi'], /--base-url cannot be combined/],
    [['--server', '--no-date', 'Hi'], /--no-date cannot .*: the server has its own models and MCP servers\./],
    [['--token', 'x', 'Hi'], /--token requires --server/],
    [['--server', 'what is this', 'Hi'], /invalid URL/],
    [['--server', '  '], /empty/],
  ])('rejects %j', async (args, message) => {
    const ran = await runCommand(['chat', ...args]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(message);
  });

  it('reads one message per line from a pipe, in one conversation', async () => {
    await using served = await Served.start({ date: true });
    const ran = await runCommand(['chat', '--server', served.url], {
      input: 'What time is it in Tokyo?\n/tools\n/model\n/history\n/clear\n/history\nWhat time is it in Paris?\n',
    });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/In Tokyo[^]*date\/get-date [^]*\* demo[^]*user: What time is it in Tokyo\?/);
    expect(ran.stdout).toMatch(/new conversation[^]*No messages yet[^]*In Paris/);
    const { items } = await served.get<Page<ConversationSummary>>('/api/conversations');
    expect(items).toHaveLength(2);
  });
});
