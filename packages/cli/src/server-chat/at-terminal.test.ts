import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConversationSummary, ConversationView, Page, RunRecord, StoredInterrupt } from '@toolyard/protocol';
import type { ModelScript } from '@toolyard/testing';
import { eventually, reply, startModelServer } from '@toolyard/testing';
import { Served } from '../test-fixtures/served.ts';
import { CTRL_C, CTRL_D, TerminalChat } from '../test-fixtures/terminal-chat.ts';

const ODD = {
  odd: {
    tools: [
      { name: 'echo', does: [{ do: 'echo' as const }] },
      { name: 'slow', does: [{ do: 'progress' as const, steps: 3, everyMs: 20 }] },
    ],
  },
};

/** Calls this tool for each message, and answers after its result. */
function calling(name: string): ModelScript {
  return ({ body }, index) => {
    const { messages } = body as { messages: { role: string }[] };
    return messages.at(-1)?.role === 'tool'
      ? reply.text(`Answer ${index}.`, { reasoning: 'It came back.' })
      : reply.toolCalls([{ name, arguments: { message: `m${index}\u001b[31m` } }]);
  };
}

async function opened(served: Served, ...more: string[]): Promise<TerminalChat> {
  const chat = new TerminalChat(['--server', served.url, ...more]);
  await chat.see('> ');
  return chat;
}

describe('toolyard chat --server at a terminal', () => {
  it('streams text, reasoning and tool progress, and asks for approval: no, once, in this conversation', async () => {
    await using model = await startModelServer(calling('slow'));
    await using served = await Served.start({ model: model.url, mcp: ODD });
    await using chat = await opened(served, '--model', 'scripted');
    chat.line('One');
    const prompt = await chat.see(/odd\/slow needs your approval[^]*Allow it\?[^:]*: /);
    expect(prompt).toContain('m0');
    expect(prompt).not.toContain('\u001b[31m');
    chat.line('n');
    await chat.see('denied');
    await chat.see('It came back.');
    await chat.see('Answer 1.');
    await chat.see('> ');
    chat.line('Two');
    await chat.see(/Allow it\?[^:]*: /);
    chat.line('y');
    await chat.see(/1\/3[^]*3\/3[^]*ok: done/);
    await chat.see('Answer 3.');
    await chat.see('> ');
    chat.line('Three');
    await chat.see(/Allow it\?[^:]*: /);
    chat.line('c');
    await chat.see('Answer 5.');
    await chat.see('> ');
    chat.line('Four');
    expect(await chat.see('Answer 7.')).not.toContain('Allow it?');
    await chat.see('> ');
    chat.line('/clear');
    await chat.see('> ');
    chat.line('Five');
    await chat.see(/Allow it\?[^:]*: /);
  });

  it.each([
    ['a', 'ok: '],
    ['v', 'denied'],
  ])('stores "%s" for other conversations', async (letter, shown) => {
    await using model = await startModelServer(calling('echo'));
    await using served = await Served.start({ model: model.url, mcp: ODD });
    await using chat = await opened(served, '--model', 'scripted');
    chat.line('One');
    await chat.see(/Allow it\?[^:]*: /);
    chat.line(letter);
    await chat.see(shown);
    await chat.see('Answer 1.');
    await chat.see('> ');
    chat.line('/clear');
    await chat.see('> ');
    chat.line('Two');
    expect(await chat.see('Answer 3.')).not.toContain('Allow it?');
  });

  it('removes the prompt if the interrupt is answered in the web UI', async () => {
    await using model = await startModelServer(calling('echo'));
    await using served = await Served.start({ model: model.url, mcp: ODD });
    await using chat = await opened(served, '--model', 'scripted');
    chat.line('One');
    await chat.see(/Allow it\?[^:]*: /);
    const { items } = await served.get<Page<StoredInterrupt>>('/api/interrupts');
    await served.post(`/api/interrupts/${encodeURIComponent(items[0]?.id ?? '')}/answer`, {
      answer: { decision: 'approve', scope: 'once' },
    });
    await chat.see(/ok: .*m0/);
    await chat.see('Answer 1.');
    await chat.see('> ');
    chat.line('/history');
    await chat.see('assistant: (reasoning: It came back.) Answer 1.');
  });

  it('cancels the run on Ctrl-C, also at a prompt, continues, and exits on a second one', async () => {
    await using model = await startModelServer(({ body }, index) =>
      (body as { messages: { content: string }[] }).messages.at(-1)?.content === 'Call'
        ? reply.toolCalls([{ name: 'echo', arguments: {} }])
        : reply.text(`Answer ${index} ${'and on '.repeat(40)}`, { pieces: 7, hold: { until: new Promise(() => {}) } }),
    );
    await using served = await Served.start({ model: model.url, mcp: ODD });
    await using chat = await opened(served, '--model', 'scripted');
    chat.line('One');
    await chat.see('and on and on');
    chat.type(CTRL_C);
    await chat.see('cancelled');
    await chat.see('> ');
    chat.line('Call');
    await chat.see(/Allow it\?[^:]*: /);
    chat.type(CTRL_C);
    await chat.see('cancelled');
    await chat.see('> ');
    chat.type(CTRL_C);
    expect(await chat.ended).toBe(130);
    const { items } = await served.get<Page<RunRecord>>('/api/runs');
    expect(items.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });

  it('steers the run with typed text; undelivered text is answered next', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await using model = await startModelServer(({ body }, index) =>
      (body as { messages: { content: string }[] }).messages.at(-1)?.content === 'Call'
        ? reply.toolCalls([{ name: 'slow', arguments: {} }])
        : reply.text(`Answer ${index} ${'and on '.repeat(60)}`, {
            pieces: 40,
            ...(index === 2 ? { hold: { until: held } } : {}),
          }),
    );
    const asked = () => model.requests.filter(({ method }) => method === 'POST');
    const folder = mkdtempSync(join(tmpdir(), 'toolyard-steered-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const does = [
      { do: 'progress' as const, steps: 1, everyMs: 10 },
      { do: 'wait_for_file' as const, file: join(folder, 'go-on') },
    ];
    const slow = { tools: [{ name: 'slow', does }] };
    await using served = await Served.start({ model: model.url, mcp: { odd: slow } });
    const chatWith = (...turns: string[]) => opened(served, '--model', 'scripted', '--allow', 'odd/slow', ...turns);
    {
      await using chat = await chatWith();
      chat.line('Call');
      await chat.see('1/1');
      chat.line('in German');
      await eventually(async () => (await queued(served)) === 1, { what: 'the queued message' });
      writeFileSync(join(folder, 'go-on'), '');
      await chat.see('received: in German');
      await chat.see('Answer 1');
      await chat.see('> ');
      const { messages } = asked()[1]?.body as { messages: { role: string }[] };
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    }
    await using chat = await chatWith('--max-turns', '1');
    chat.line('Two');
    await chat.see('and on');
    chat.line('and then?');
    await eventually(async () => (await queued(served)) === 1, { what: 'the queued message' });
    release();
    await chat.see('Answer 3');
    await chat.see('> ');
    chat.line('/history');
    await chat.see(/user: and then\?\s+assistant: Answer 3/);
    expect(asked()).toHaveLength(4);
  });

  it('continues a cut-off answer with /continue, and rejects it otherwise', async () => {
    await using model = await startModelServer([reply.text('One,', { finish: 'length' }), reply.text('two.')]);
    await using served = await Served.start({ model: model.url });
    await using chat = await opened(served, '--model', 'scripted');
    chat.line('/continue');
    await chat.see('no messages yet');
    await chat.see('> ');
    chat.line('Count');
    await chat.see('cut off');
    await chat.see('> ');
    chat.line('/continue');
    await chat.see('two.');
    await chat.see('> ');
    chat.line('/continue');
    await chat.see('The last answer is complete');
  });

  it('leaves an interrupt open on exit, and prompts for it again after joining', async () => {
    await using model = await startModelServer(calling('echo'));
    await using served = await Served.start({ model: model.url, mcp: ODD });
    const conversation = await conversationLeftAt(served, /Allow it\?[^:]*: /);
    await using again = new TerminalChat(['--server', served.url, '--conversation', conversation.id]);
    await again.see('answer in progress to: One');
    await again.see(/Allow it\?[^:]*: /);
    again.line('y');
    await again.see('Answer 1.');
  });
});

/** The number of queued messages in the latest conversation. */
async function queued(served: Served): Promise<number> {
  const [conversation] = (await served.get<Page<ConversationSummary>>('/api/conversations')).items;
  return (await served.get<ConversationView>(`/api/conversations/${conversation?.id ?? ''}`)).queue.length;
}

/** The conversation of a chat that exits on Ctrl-D at this prompt. */
async function conversationLeftAt(served: Served, prompt: RegExp): Promise<ConversationSummary> {
  await using chat = await opened(served, '--model', 'scripted');
  chat.line('One');
  await chat.see(prompt);
  chat.type(CTRL_D);
  await chat.see('waits for an answer');
  await chat.see('> ');
  chat.type(CTRL_D);
  expect(await chat.ended).toBe(0);
  const [conversation] = (await served.get<Page<ConversationSummary>>('/api/conversations')).items;
  if (!conversation) throw new Error('no conversation');
  return conversation;
}
