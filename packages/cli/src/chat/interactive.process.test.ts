import { describe, expect, it } from 'vitest';
import { isAlive, needs } from '@toolyard/testing';
import { PtyChat, TERMINAL } from '../test-fixtures/pty-chat.ts';
import { CTRL_C, CTRL_D } from '../test-fixtures/terminal-chat.ts';

describe('toolyard chat at a pseudo-terminal', needs(TERMINAL), () => {
  it('prints the model, streams the answer, keeps the history, and exits on Ctrl-D', async () => {
    await using chat = new PtyChat(['--model', 'demo']);
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
    const running = chat.processes();
    chat.type(CTRL_D);
    expect((await chat.ended)[0]).toBe(0);
    expect(running.filter(isAlive)).toEqual([]);
  });

  it('cancels the answer on Ctrl-C, continues, and exits on a second one', async () => {
    await using chat = new PtyChat(['--model', 'demo']);
    await chat.see('> ');
    chat.line('/slow 500');
    await chat.see('word 3');
    const running = chat.processes();
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
    expect((await chat.ended)[0]).toBe(130);
    expect(running.filter(isAlive)).toEqual([]);
  });
});
