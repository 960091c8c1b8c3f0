import { expect, test } from 'vitest';
import { reply, startScriptedMcp } from '@toolyard/testing';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';
import { back, lostNetwork, pausingModel, reload, walkThroughRun } from './support/walk-through-run.ts';

describePage('a page in the middle of an answer', (stages) => {
  test('shows the text so far after reload, Back and a lost network, in two browsers', async () => {
    const { script, pauseBehind } = pausingModel();
    const stage = await stages.set(script);
    const pages = [await stage.open(), await stage.open('/', {})];
    await walkThroughRun(stage, pages, { moments: [40], disturbances: [reload, back, lostNetwork] }, pauseBehind);
  });

  test('says that a stream was rejected, asks the server once, and reconnects on request', async () => {
    const { script, pauseBehind } = pausingModel();
    const release = pauseBehind(40);
    const { open } = await stages.set(script);
    const page = await open();
    const chat = chatPage(page);
    await chat.send('Go on.');
    await chat.reads(/word20\./);
    await chat.path();
    let rejected = 0;
    await page.route('**/api/runs/*/events*', async (route) => {
      rejected += 1;
      const json = { code: 'forbidden', status: 403, title: 'Forbidden', detail: 'Not with this key.' };
      await route.fulfill({ status: 403, contentType: 'application/problem+json', json });
    });
    // A live stream that works sends the answer from its start.
    await page.route('**/api/events*', (route) => route.abort());
    await page.reload();
    const alert = page.getByRole('alert').filter({ hasText: 'The answer in progress could not be loaded' });
    await alert.getByText('Not with this key.').waitFor();
    expect(rejected).toBe(1);
    // Not the live stream yet: it would load the answer before the button is pressed.
    await page.unroute('**/api/runs/*/events*');
    await alert.getByRole('button', { name: 'Reconnect' }).press('Enter');
    await chat.reads(/word20\./);
    await page.unrouteAll({ behavior: 'wait' });
    release();
    await chat.reads(/word99\./);
    await chat.waitUntilIdle();
  });

  test('does not keep an approval at "Sending" if the events of the run do not arrive', async () => {
    await using mcp = await startScriptedMcp({ tools: [{ name: 'send_mail', does: [{ do: 'never' }] }] });
    const { open, line } = await stages.set(() => reply.toolCalls([{ name: 'send_mail', arguments: {} }]), {
      args: ['--mcp', `mail=${mcp.url}`],
    });
    const page = await open();
    const chat = chatPage(page);
    await chat.send('Write a mail.');
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    await page.route('**/api/runs/*/events*', (route) => route.fulfill({ status: 403, body: '' }));
    await page.route('**/api/events*', (route) => route.abort());
    line.cut();
    await page.getByText('Connection to the server lost').first().waitFor();
    line.mend();
    await page.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('Your answer was received.').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });
});
