import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { chatPage } from '../support/chat-page.ts';
import { setStage } from '../support/stage.ts';
import { savePicture } from './save-picture.ts';

const FOLDER = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const WINDOW = { width: 1280, height: 800 };
const MODEL = 'qwen3-32b';

const USER_MESSAGE = 'What time is it in Tokyo and in London?';
/** Listed in the sidebar. */
const EARLIER = ['Summarize the open pull requests', 'Plan a quiet weekend in Taipei', 'Why is the build slow?'];
const CITIES = { Tokyo: 'Asia/Tokyo', London: 'Europe/London' };

/** Writes `docs/images/page-light.png` and `page-dark.png`: a chat with two tool calls and an answer. */
export async function takeReadmePictures(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await using stage = await setStage(script, { date: true, models: [MODEL] });
  const page = await stage.open('/', { viewport: WINDOW });
  const chat = chatPage(page);
  for (const text of EARLIER) {
    await chat.send(text);
    await chat.reads('Understood.');
    await chat.waitUntilIdle();
    await chat.anew();
  }
  await chat.send(USER_MESSAGE);
  await chat.reads('ahead of London');
  await chat.waitUntilIdle();

  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await savePicture(page, join(FOLDER, `page-${colorScheme}.png`));
  }
}

type Body = { messages: { role: string; content: unknown }[] };

const script: ModelScript = ({ body }) => {
  const last = (body as Body).messages.at(-1);
  if (last?.role === 'tool') return reply.text(answer(Date.now()));
  if (!JSON.stringify(last?.content).includes(USER_MESSAGE)) return reply.text('Understood.');
  return reply.toolCalls(
    Object.values(CITIES).map((timezone) => ({ name: 'get-date', arguments: { timezone } })),
    { reasoning: 'Two time zones: I call the tool once for each.' },
  );
};

function answer(now: number): string {
  const rows = Object.entries(CITIES).map(([city, timeZone]) => {
    const local = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'short', timeZone }).format(now);
    return `| ${city} | ${local} |`;
  });
  const hours = Math.round((wallClock('Asia/Tokyo', now) - wallClock('Europe/London', now)) / 3_600_000);
  return ['| City | Local time |', '|---|---|', ...rows, '', `Tokyo is **${hours} hours** ahead of London.`].join('\n');
}

/** The local time of a zone as if it were UTC, in milliseconds. */
function wallClock(timeZone: string, now: number): number {
  return Date.parse(`${new Date(now).toLocaleString('sv', { timeZone })}Z`);
}
