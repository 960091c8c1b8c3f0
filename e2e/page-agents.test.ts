import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentView } from '@toolyard/protocol';
import type { Page } from 'playwright-core';
import { eventually, reply } from '@toolyard/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describeInBrowser } from './support/page-stage.ts';
import type { Stage } from './support/stage.ts';
import { setStage } from './support/stage.ts';

/** Answers of the preset tasks, by a word of their prompt. */
const SUGGESTIONS: readonly [prompt: string, answer: string][] = [
  ['emoji as the picture', '{"emoji":"🧮"}'],
  ['You name assistants', 'Sum Helper'],
  ['You describe assistants', 'Adds numbers and explains each step'],
  ['You tag assistants', '{"tags":["math","school"]}'],
];

describeInBrowser('agents', () => {
  let stage: Stage;
  let page: Page;
  let chat: ReturnType<typeof chatPage>;
  /** Holds the answer of one task. */
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));

  beforeAll(async () => {
    stage = await setStage(async ({ body }) => {
      // The instructions only: later messages quote earlier answers.
      const [prompt = ''] = JSON.stringify(body).split('"role":"user"', 1);
      const suggestion = SUGGESTIONS.find(([words]) => prompt.includes(words));
      if (suggestion?.[0] === 'You name assistants') await held;
      if (suggestion) return reply.text(suggestion[1]);
      const who = ['Counts only.', 'Rhymes only.'].find((instructions) => prompt.includes(instructions));
      return reply.text(`Answer of ${who ?? 'nobody'}`);
    });
    page = await stage.open('/');
    chat = chatPage(page);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await stage.screenshot(task.name);
    expect(stage.complaints).toEqual([]);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const stored = async (): Promise<AgentView[]> =>
    (await call<{ items: AgentView[] }>(stage.server.url, 'GET', '/api/agents')).items;

  test('an agent is created with suggestions for its empty fields, and tried out before it is saved', async () => {
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByText('No agents yet').waitFor();
    await page.getByRole('link', { name: 'New agent' }).click();
    await field('Instructions').fill('Counts only.');
    await field('Opening message').fill('Give me **numbers**.');
    await field('Opening questions').fill('What is 1 + 1?\nCount to three');
    await field('Input template').fill('Please:');
    await page.getByText('The template must contain {{text}}').waitFor();
    expect(await button('Save').isDisabled()).toBe(true);
    await field('Input template').fill('<<{{text}}>>');

    await page.getByRole('region', { name: 'Test chat' }).getByRole('button', { name: 'What is 1 + 1?' }).click();
    await chat.reads('Answer of Counts only.');
    expect(JSON.stringify(stage.model.requests.at(-1)?.body)).toContain('<<What is 1 + 1?>>');
    expect(await stored()).toEqual([]);
    expect((await call<{ items: unknown[] }>(stage.server.url, 'GET', '/api/conversations')).items).toEqual([]);

    await button('Save').click();
    // The field that waits shows it; the others are filled in.
    const name = page.locator('[aria-busy=true]');
    await eventually(async () => (await name.count()) === 1 && (await field('Avatar').inputValue()) === '🧮');
    expect(await name.getByRole('textbox').getAttribute('placeholder')).toBe('Suggesting…');
    await field('Description').fill('My own words');
    release();
    await eventually(async () => (await field('Name').inputValue()) === 'Sum Helper');
    expect(await field('Tags').inputValue()).toBe('math, school');
    await eventually(async () => {
      const [agent] = await stored();
      return agent?.title === 'Sum Helper' && agent.profile.tags?.length === 2 && agent.profile.avatar === '🧮';
    });
    // What the user writes is stored when it is saved, and is never overwritten.
    await button('Suggest: Description').click();
    await button('Use “Adds numbers and explains each step”').waitFor();
    expect(await field('Description').inputValue()).toBe('My own words');
    await button('Save').click();
    await eventually(async () => (await stored())[0]?.profile.description === 'My own words');
    expect(await axeFinds(page)).toEqual([]);
  });

  test('a chat with it begins with its opening; another agent answers a message that mentions it', async () => {
    const [first] = await stored();
    if (first === undefined) throw new Error('no agent');
    const rhymer = { title: 'Rhymer', profile: { avatar: '🎶' }, configuration: { instructions: 'Rhymes only.' } };
    const other = await call<AgentView>(stage.server.url, 'POST', '/api/agents', rhymer);
    await page.getByRole('link', { name: 'Start chat', exact: true }).click();
    await page.getByRole('heading', { name: 'Sum Helper' }).waitFor();
    await page.getByText('numbers', { exact: true }).waitFor();
    await button('Count to three').click();
    await chat.reads('Answer of Counts only.');
    await chat.path();
    await page.getByRole('article', { name: 'Answer from Sum Helper' }).waitFor();

    await chat.composer.pressSequentially('@rhy');
    await page.getByRole('option', { name: /Rhymer/ }).waitFor();
    await chat.composer.press('Enter');
    await page.getByText('Rhymer answers this message').waitFor();
    await chat.send('and you?');
    await chat.reads('Answer of Rhymes only.');
    await page.getByRole('article', { name: 'Answer from Rhymer' }).waitFor();
    await page.reload();
    await page.getByRole('article', { name: 'Answer from Rhymer' }).waitFor();
    await chat.send('again');
    await eventually(async () => (await page.getByRole('article', { name: 'Answer from Sum Helper' }).count()) === 2);

    // Editing an agent suggests what is empty, too.
    await page.goto(new URL(`/agents/${other.id}`, page.url()).href);
    await field('Instructions').fill('Rhymes only. Briefly.');
    await button('Save').click();
    await eventually(async () => (await field('Tags').inputValue()) === 'math, school');
    expect(await field('Name').inputValue()).toBe('Rhymer');
    await eventually(async () => (await stored()).some(({ id, profile }) => id === other.id && profile.tags));
  });

  test('agents are exported, imported, duplicated and deleted; an invalid file changes nothing', async () => {
    await page.getByRole('link', { name: 'Agents' }).click();
    const menu = async (agent: string, item: string): Promise<void> => {
      await button(`Actions for “${agent}”`).first().click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    const download = page.waitForEvent('download');
    await menu('Rhymer', 'Export (Toolyard)');
    const file = join(stage.server.dataDir, 'exported.json');
    await (await download).saveAs(file);
    await menu('Rhymer', 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('“Rhymer” was deleted.').waitFor();

    const content = JSON.parse(readFileSync(file, 'utf8')) as { agent: { configuration: object } };
    content.agent.configuration = { ...content.agent.configuration, servers: { shell: true } };
    writeFileSync(file, JSON.stringify(content));
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('1 agent was imported.').waitFor();
    await page.getByText('Not imported: tools (switch on those you want).').waitFor();
    const imported = (await stored()).find(({ title }) => title === 'Rhymer');
    expect(imported?.configuration).toEqual({ instructions: 'Rhymes only. Briefly.' });

    writeFileSync(file, '{"format":"toolyard-agent","version":1,"exportedAt":0,"agent":{"title":5}}');
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('"agent.title"').waitFor();
    await menu('Rhymer', 'Duplicate');
    await page.getByRole('link', { name: /^Rhymer \(copy\)/ }).waitFor();
    expect(await stored()).toHaveLength(3);
    expect(await axeFinds(page)).toEqual([]);

    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole('link', { name: /^Rhymer \(copy\)/ }).click();
    await page.getByText('Test chat', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Message to the agent' }).fill('hi');
    await page.getByRole('textbox', { name: 'Message to the agent' }).press('Enter');
    await chat.reads('Answer of Rhymes only.');
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  });
});
