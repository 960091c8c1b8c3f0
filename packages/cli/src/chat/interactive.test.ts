import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ModelServer, ToolAction } from '@toolyard/testing';
import { reply, scriptedMcpCommand, startModelServer } from '@toolyard/testing';
import { runCommand } from '../test-fixtures/run-command.ts';
import { CTRL_C, CTRL_D, TerminalChat } from '../test-fixtures/terminal-chat.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolyard-chat-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** An mcp.json with a user's server, whose tool returns its arguments. */
function echoServer(): string {
  const path = join(folder, 'mcp.json');
  const odd = scriptedMcpCommand({ tools: [{ name: 'echo', does: [{ do: 'echo' }] }] });
  writeFileSync(path, JSON.stringify({ mcpServers: { odd } }));
  return path;
}

/** Its tool `slow` is allowed, reports progress when it starts, and ends with `finish`. */
function slowServer(name: string): { flags: string[]; finish: (chat: TerminalChat) => Promise<void> } {
  const [path, more, end] = [join(folder, `${name}.json`), join(folder, `${name}.more`), join(folder, `${name}.end`)];
  const does: ToolAction[] = [
    { do: 'progress', steps: 1, everyMs: 10 },
    { do: 'wait_for_file', file: more },
    { do: 'progress', steps: 2, everyMs: 10 },
    { do: 'wait_for_file', file: end },
  ];
  const odd = scriptedMcpCommand({ tools: [{ name: 'slow', does }] });
  writeFileSync(path, JSON.stringify({ mcpServers: { odd } }));
  return {
    flags: ['--mcp-config', path, '--allow', 'odd/slow'],
    async finish(chat) {
      writeFileSync(more, '');
      // By then even a slow chat has read the earlier input.
      await chat.see('2/2');
      writeFileSync(end, '');
    },
  };
}

/** Chat requests, without those for the list of models. */
function chatsAt(server: ModelServer): ModelServer['requests'] {
  return server.requests.filter(({ method }) => method === 'POST');
}

describe('toolyard chat at a terminal', () => {
  it('prints the model, streams the answer, keeps the history, and exits on Ctrl-D', async () => {
    await using chat = new TerminalChat(['--model', 'demo']);
    await chat.see('no language model');
    await chat.see('server date: 1 tool');
    await chat.see('> ');
    chat.line('現在是幾點幾分？');
    await chat.see('call date/get-date');
    await chat.see(/現在是 .*\d/);
    await chat.see('> ');
    chat.line('/tools');
    await chat.see('date/get-date');
    await chat.see('> ');
    chat.line('/history');
    const history = await chat.see(/assistant: 現在是[^\n]*/);
    expect(history).toMatch(/user: 現在是幾點幾分？\s+assistant: \(calls get-date/);
    await chat.see('> ');
    chat.line('/clear');
    await chat.see('new conversation');
    chat.line('/history');
    await chat.see('No messages yet');
    // Pressed before the prompt, it would be lost.
    await chat.see('> ');
    chat.type(CTRL_D);
    expect(await chat.ended).toBe(0);
  });

  it('cancels the answer on Ctrl-C, continues, and exits on a second one', async () => {
    await using chat = new TerminalChat(['--model', 'demo']);
    await chat.see('> ');
    chat.line('/slow 500');
    await chat.see('word 3');
    chat.type(CTRL_C);
    await chat.see('cancelled');
    await chat.see('> ');
    chat.line('What time is it in Tokyo?');
    await chat.see(/In Tokyo.*\d/);
    await chat.see('> ');
    chat.type(CTRL_C);
    await chat.see('Ctrl-C again to exit');
    await chat.see('> ');
    chat.type(CTRL_C);
    expect(await chat.ended).toBe(130);
  });

  it('asks for approval with the arguments: no, yes, in this conversation', async () => {
    await using server = await startModelServer((_request, index) =>
      index % 2 === 0
        ? reply.toolCalls([{ name: 'echo', arguments: { message: `m${index}\u001b[31m\u202e\u200b` } }])
        : reply.text(`Answer ${index}.`),
    );
    await using chat = new TerminalChat(['--base-url', server.url, '--mcp-config', echoServer()]);
    await chat.see('> ');
    chat.line('One');
    const prompt = await chat.see(/needs your approval[\s\S]*Allow it\?[^:]*: /);
    expect(prompt).toContain('m0');
    expect(prompt).not.toContain('\u001b[31m');
    // The prompt shows exactly the arguments that are sent, with hidden characters made visible.
    expect(prompt).toContain('\\u001b[31m⟨U+202E⟩⟨U+200B⟩');
    chat.line('n');
    await chat.see('denied');
    await chat.see('Answer 1.');
    chat.line('Two');
    await chat.see(/Allow it\?[^:]*: /);
    chat.line('what?');
    await chat.see(/Allow it\?[^:]*: /);
    chat.line('y');
    await chat.see(/ok: .*m2/);
    await chat.see('Answer 3.');
    chat.line('Three');
    await chat.see(/Allow it\?[^:]*: /);
    chat.line('c');
    await chat.see('Answer 5.');
    chat.line('Four');
    const last = await chat.see('Answer 7.');
    expect(last).not.toContain('Allow it?');
    expect(last).toMatch(/ok: .*m6/);
  });

  it('allows a dangerous call only once', async () => {
    await using server = await startModelServer([
      reply.toolCalls([{ name: 'echo', arguments: { message: 'rm -rf /' } }]),
      reply.text('Done.'),
    ]);
    await using chat = new TerminalChat(['--base-url', server.url, '--mcp-config', echoServer()]);
    await chat.see('> ');
    chat.line('One');
    const prompt = await chat.see(/Flagged as dangerous:[\s\S]*Allow it\?[^:]*: /);
    expect(prompt).toContain('[y]es');
    expect(prompt).not.toContain('[c]');
    chat.line('c');
    await chat.see(/Allow it\?[^:]*: /);
    chat.line('y');
    await chat.see('Done.');
  });

  it('ends the answer if a call is denied with "stop"', async () => {
    await using server = await startModelServer([
      reply.toolCalls([{ name: 'echo', arguments: {} }]),
      reply.text('Here.'),
    ]);
    await using chat = new TerminalChat(['--base-url', server.url, '--mcp-config', echoServer()]);
    await chat.see('> ');
    chat.line('Ask');
    await chat.see(/Allow it\?[^:]*\[s\]top[^:]*: /);
    chat.line('s');
    await chat.see('> ');
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    chat.line('Go on');
    await chat.see('Here.');
  });

  it('denies the call and cancels the answer on Ctrl-C at an approval prompt', async () => {
    await using server = await startModelServer([
      reply.toolCalls([{ name: 'echo', arguments: {} }]),
      reply.text('Here.'),
    ]);
    await using chat = new TerminalChat(['--base-url', server.url, '--mcp-config', echoServer()]);
    await chat.see('> ');
    chat.line('One');
    await chat.see(/Allow it\?[^:]*: /);
    chat.type(CTRL_C);
    await chat.see('cancelled');
    await chat.see('> ');
    chat.line('Two');
    await chat.see('Here.');
  });

  it('steers the current answer with typed text, and defers commands', async () => {
    await using server = await startModelServer((_request, index) =>
      index === 0 ? reply.toolCalls([{ name: 'slow', arguments: {} }]) : reply.text(`Answer ${index}.`),
    );
    const { flags, finish } = slowServer('steered');
    await using chat = new TerminalChat(['--base-url', server.url, '--no-date', ...flags]);
    await chat.see('> ');
    chat.line('One');
    await chat.see('1/1');
    chat.line('in German, please');
    chat.line('/history');
    await chat.see('/history');
    await finish(chat);
    await chat.see('received: in German, please');
    await chat.see('Answer 1.');
    await chat.see('> /history');
    await chat.see(/user: One[^]*tool slow: [^]*user: in German, please\s+assistant: Answer 1\./);
    await chat.see('> ');
    const { messages } = chatsAt(server)[1]?.body as { messages: { role: string }[] };
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    chat.line('Two');
    await chat.see('Answer 2.');
  });

  it('sends undelivered text as the next message', async () => {
    const typed = Promise.withResolvers<void>();
    await using server = await startModelServer((_request, index) =>
      reply.text(`Answer ${index} ${index === 0 ? 'and on '.repeat(100) : ''}`, {
        ...{ pieces: 60, delayMs: 10, hold: { until: typed.promise } },
      }),
    );
    await using chat = new TerminalChat(['--base-url', server.url, '--no-date', '--max-turns', '1']);
    await chat.see('> ');
    chat.line('One');
    await chat.see('and on');
    chat.line('and then?');
    await chat.see('and then?');
    typed.resolve();
    // A slow chat reads it at its prompt.
    await chat.see(/> (\u001b\[\d+G)?and then\?/);
    await chat.see('Answer 1');
    await chat.see('> ');
    chat.line('/history');
    await chat.see(/user: and then\?\s+assistant: Answer 1/);
  });

  it('prints undelivered text after a cancelled answer', async () => {
    await using chat = new TerminalChat(['--model', 'demo']);
    await chat.see('> ');
    chat.line('/slow 500');
    await chat.see('word 3');
    chat.line('faster');
    await chat.see('faster');
    await chat.see(/word \d+ of 500, word/);
    chat.type(CTRL_C);
    await chat.see('cancelled');
    await chat.see('not sent: faster');
    await chat.see('> ');
  });

  it('exits after the answer if Ctrl-D was pressed during it', async () => {
    await using server = await startModelServer([
      reply.toolCalls([{ name: 'slow', arguments: {} }]),
      reply.text('Answer.'),
    ]);
    const { flags, finish } = slowServer('left');
    await using chat = new TerminalChat(['--base-url', server.url, '--no-date', ...flags]);
    await chat.see('> ');
    chat.line('One');
    await chat.see('1/1');
    chat.type(`/history\r${CTRL_D}`);
    // The terminal does not echo Ctrl-D, only the text before it.
    await chat.see('/history');
    await finish(chat);
    await chat.see('Answer.');
    expect(await chat.ended).toBe(0);
  });

  it('continues a cut-off answer with /continue, and rejects it otherwise', async () => {
    await using server = await startModelServer([reply.text('One,', { finish: 'length' }), reply.text('two.')]);
    await using chat = new TerminalChat(['--base-url', server.url, '--no-date']);
    await chat.see('> ');
    chat.line('/continue');
    await chat.see('The conversation is empty');
    await chat.see('> ');
    chat.line('Count');
    await chat.see('cut off');
    await chat.see('> ');
    chat.line('/continue');
    await chat.see('two.');
    await chat.see('> ');
    chat.line('/continue');
    await chat.see('The last answer is complete');
    await chat.see('> ');
    expect(chatsAt(server)).toHaveLength(2);
  });

  it('stays usable after an error, and changes the model', async () => {
    await using server = await startModelServer(
      (request) =>
        (request.body as { model: string }).model === 'good' ? reply.text('Good.') : reply.error(500, 'out of memory'),
      { models: ['bad', 'good'] },
    );
    await using chat = new TerminalChat(['--base-url', server.url, '--no-date']);
    await chat.see('> ');
    chat.line('Hi');
    await chat.see('out of memory');
    await chat.see('> ');
    chat.line('/model');
    await chat.see(/\* bad\s+good/);
    await chat.see('> ');
    chat.line('/model nope');
    await chat.see('Available: bad, good');
    await chat.see('> ');
    chat.line('/model good');
    await chat.see('Model: good');
    await chat.see('> ');
    chat.line('Hi');
    await chat.see('Good.');
  });
});

describe('toolyard chat over a pipe', () => {
  it('reads one message per line, supports commands, and exits at the end of input', async () => {
    const ran = await runCommand(['chat', '--model', 'demo'], {
      input: 'What time is it in Tokyo?\n/history\n/nonsense\n',
    });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/In Tokyo/);
    expect(ran.stdout).toMatch(/user: What time is it in Tokyo\?/);
  });

  it('exits with 1 if an answer failed, and answers the rest', async () => {
    const ran = await runCommand(['chat', '--model', 'demo'], {
      input: '/fail\nWhat time is it in Tokyo?',
    });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/In Tokyo/);
  });
});
