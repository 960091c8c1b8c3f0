import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { McpBehaviour, ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { axeFinds } from './axe.ts';
import { chatPage } from './chat-page.ts';
import type { Stages } from './page-stage.ts';
import { describePage } from './page-stage.ts';

type Era = 'legacy' | 'modern';
type FormLocale = 'zh-TW' | 'zh-CN';

const LOCALES = [
  ['zh-TW', '請您填寫表單', '送出', '必填。'],
  ['zh-CN', '请您填写表单', '发送', '必填。'],
] as const;

type Asked = { messages: { role: string; content: unknown }[] };

/** Calls every tool there is, and then says what came of it. A server that asks something itself gets "Sampled". */
export const callsAll: ModelScript = ({ body }) => {
  const { messages, tools = [] } = body as Asked & { tools?: { function: { name: string } }[] };
  const last = messages.at(-1);
  if (JSON.stringify(last?.content).includes('Say hi')) return reply.text('Sampled');
  const wanted = tools.map(({ function: { name } }) => name).filter((name) => name.startsWith('book'));
  if (last?.role !== 'tool') return reply.toolCalls(wanted.map((name) => ({ name, arguments: {} })));
  return reply.text(
    `It said: ${JSON.stringify(messages.filter(({ role }) => role === 'tool').map((one) => one.content))}`,
  );
};

export const FORM = {
  mode: 'form',
  message: 'Where to?',
  requestedSchema: {
    type: 'object',
    properties: {
      city: { type: 'string', title: 'City', minLength: 2 },
      mail: { type: 'string', title: 'Mail', format: 'email' },
      nights: { type: 'integer', title: 'Nights', minimum: 1, maximum: 9, default: 2 },
      late: { type: 'boolean', title: 'Late arrival' },
      room: { type: 'string', title: 'Room', enum: ['s', 'd'], enumNames: ['Single', 'Double'] },
      extras: {
        type: 'array',
        title: 'Extras',
        items: {
          anyOf: [
            { const: 'wifi', title: 'Wi-Fi' },
            { const: 'tea', title: 'Tea' },
          ],
        },
      },
    },
    required: ['city', 'nights', 'room'],
  },
};
/** A server with one tool that asks this, in the way of its era. */
export function asking(era: Era, method: string, params: object, name = 'book'): McpBehaviour {
  const asks = { method, params: params as never };
  if (era === 'legacy') return { tools: [{ name, does: [{ do: 'request', ...asks }, { do: 'tell_answers' }] }] };
  return {
    era,
    tools: [{ name, does: [{ do: 'ask', inputRequests: { q: asks }, requestState: 's1' }, { do: 'echo_input' }] }],
  };
}

/** Up to where the server asks: its tool has been allowed. */
export async function untilAsked(
  stages: Stages,
  behaviour: McpBehaviour,
  locale = 'en-US',
): Promise<{ page: Page; chat: ReturnType<typeof chatPage>; card: Locator }> {
  const stage = await stages.set(callsAll, { servers: { hotel: { behaviour } } });
  const page = await stage.open('/', { locale });
  const chat = chatPage(page);
  await page.getByRole('textbox').last().fill('Book.');
  await page.getByRole('textbox').last().press('Enter');
  const card = page.locator('[data-tool-card]');
  await card.getByRole('button', { name: /^(Allow once|允許一次|允许一次)$/ }).click();
  return { page, chat, card };
}

/** Tests of one form in each of these eras and languages. */
export function describeForms({ eras, locales }: { eras: readonly Era[]; locales: readonly FormLocale[] }): void {
  describePage('forms of servers', (stages) => {
    test.each(eras)('a form of a %s server is filled in, and its faults are told', async (era) => {
      const { page, chat, card } = await untilAsked(stages, asking(era, 'elicitation/create', FORM));
      await card.getByText('asks you to fill in a form').waitFor();
      await card.getByLabel('Nights').fill('12');
      await card.getByLabel(/^Mail/).fill('nobody');
      await card.getByRole('button', { name: 'Send' }).click();
      await card.getByText('It must be at most 9.').waitFor();
      expect(await card.getByText('This is needed.').count()).toBe(2);
      expect(await card.getByText('Write an e-mail address').count()).toBe(1);
      // The first field at fault has the focus, and says so to a screen reader.
      await page.locator(':focus[aria-invalid=true]').waitFor();
      expect(await axeFinds(page, { within: '[data-tool-card]' })).toEqual([]);

      await card.getByLabel('City').fill('Taipei');
      await card.getByLabel(/^Mail/).fill('');
      await card.getByLabel('Nights').fill('3');
      await card.getByLabel('Room').selectOption('Double');
      await card.getByLabel('Wi-Fi').check();
      await card.getByRole('button', { name: 'Send' }).click();
      await chat.reads(/It said:/);
      await chat.rests();
      for (const piece of ['Taipei', '"nights\\\\\\":3', '"room\\\\\\":\\\\\\"d', 'wifi', 'accept']) {
        expect((await chat.text()).replaceAll('\\', '')).toContain(piece.replaceAll('\\', ''));
      }
      expect(await chat.text()).not.toContain('mail');
    });

    test.each(LOCALES.filter(([locale]) => locales.includes(locale)))('in %s', async (locale, title, send, needed) => {
      const { card } = await untilAsked(stages, asking('legacy', 'elicitation/create', FORM), locale);
      await card.getByText(title).waitFor();
      await card.getByRole('button', { name: send }).click();
      await card.getByText(needed).first().waitFor();
    });
  });
}
