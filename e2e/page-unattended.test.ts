import { eventually, reply, startModelServer } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { expect, test } from 'vitest';
import { launchBrowser } from './support/browser.ts';
import { chatPage } from './support/chat-page.ts';
import { describeInBrowser } from './support/page-stage.ts';
import { startServerProcess } from './support/server.ts';

describeOnPostgres('an answer nobody works on', (cluster) => {
  describeInBrowser('in the page', () => {
    test('says so in plain words until a worker is there', async () => {
      let letGoOn = (): void => {};
      const goOn = new Promise<void>((resolve) => (letGoOn = resolve));
      let asked = 0;
      await using model = await startModelServer(async () => {
        if (asked++ > 0) await goOn;
        return reply.text('Here I am.');
      });
      const env = {
        DATABASE_URL: await cluster().createDatabase(),
        TOOLYARD_SECRET: 'a secret of the test',
        OPENAI_BASE_URL: model.url,
        OPENAI_API_KEY: 'sk-test',
      };
      await using web = await startServerProcess({ args: ['--role', 'web'], env });
      await using context = await (await launchBrowser()).newContext({ locale: 'en-US', reducedMotion: 'reduce' });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      await page.goto(web.url);
      const chat = chatPage(page);
      await chat.send('Is anybody there?');
      const told = page.getByText('No process is there to work on this answer.');
      await told.waitFor();
      expect(await told.textContent()).toContain('toolyard serve --role worker');

      await using _worker = await startServerProcess({ args: ['--role', 'worker'], env });
      await chat.reads('Here I am.');
      await chat.rests();
      await eventually(async () => (await told.count()) === 0);

      // Of an answer whose call waits for a program: what the server says is tested over real ones (roles-mcp).
      const waitsFor = { role: 'tools', message: 'No process of the role "tools" is running.' };
      await page.route('**/api/runs/*', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...((await response.json()) as object), waitsFor } });
      });
      await chat.send('And now?');
      const held = page.getByText('no process is there to run it');
      await held.waitFor();
      expect(await held.textContent()).toContain('toolyard serve --role tools');
      letGoOn();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    });
  });
});
