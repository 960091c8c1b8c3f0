import { i18n } from './i18n.svelte.ts';
import { createTextMatcher } from './match-text.ts';
import { formatMessage } from './message.ts';

/** An error of the server or of the page; `status` 0 marks one of the page, whose text is translated. */
type ShownError = { code?: unknown; status?: unknown; message: string; hint?: string | undefined };

/** A text as it is shown, and its language if that is not the page's. */
export type ShownText = { text: string; lang: 'en' | undefined };

/** `title` says in the language of the page what an error means whose text is not translated. */
export type ExplainedError = { title: string | undefined; message: ShownText; hint: ShownText | undefined };

/** A value may be a sentence of the server as well, such as the advice before a base URL. */
const MAX_DEPTH = 3;

let match: ReturnType<typeof createTextMatcher> | null = null;
let loading: Promise<void> | null = null;

/** Loads the translations of server texts. Without them the English texts are shown. */
export function loadServerTexts(): Promise<void> {
  if (i18n.locale === 'en') return Promise.resolve();
  loading ??= load().catch(() => {
    loading = null;
  });
  return loading;
}

async function load(): Promise<void> {
  const [{ dangers }, { serverTexts }, { connectionTexts }, { scheduleTexts }] = await Promise.all([
    import('./en/dangers.ts'),
    import('./en/server-texts.ts'),
    import('./en/connection-texts.ts'),
    import('./en/schedule-texts.ts'),
  ]);
  const texts = Object.entries<Readonly<Record<string, string>>>({
    dangers,
    serverTexts,
    connectionTexts,
    scheduleTexts,
  });
  const byKey = texts.flatMap(([namespace, all]) =>
    Object.entries(all).map(([key, text]) => [`${namespace}.${key}`, text] as const),
  );
  match = createTextMatcher(Object.fromEntries(byKey));
  await i18n.need('problems', 'dangers', 'serverTexts', 'connectionTexts', 'scheduleTexts');
}

/** A text that the server sends in English, in the language of the page if it has a translation. Reactive. */
export function serverText(text: string): ShownText {
  if (i18n.locale === 'en') return { text, lang: undefined };
  void loadServerTexts();
  // Always reads the loaded texts: what is shown in English until then must be rendered again.
  const isLoaded = i18n.text('serverTexts.internal') !== undefined;
  const translated = isLoaded ? translate(text, MAX_DEPTH) : undefined;
  return translated === undefined ? { text, lang: 'en' } : { text: translated, lang: undefined };
}

function translate(text: string, depth: number): string | undefined {
  const found = match?.(text);
  const message = found === undefined ? undefined : i18n.text(found.key);
  if (found === undefined || message === undefined) return undefined;
  const values = Object.entries(found.values).map(
    ([name, value]) => [name, (depth > 0 ? translate(value, depth - 1) : undefined) ?? value] as const,
  );
  return formatMessage(message, Object.fromEntries(values), i18n.locale);
}

/** An error in the language of the page, as far as possible. Reactive. */
export function explainError({ code, status, message, hint }: ShownError): ExplainedError {
  const isOfPage = i18n.locale === 'en' || status === 0 || code === undefined;
  if (isOfPage) {
    return { title: undefined, message: ownText(message), hint: hint === undefined ? undefined : ownText(hint) };
  }
  const shown = serverText(message);
  return {
    title: shown.lang === undefined ? undefined : titleOf(code),
    message: shown,
    hint: hint === undefined ? undefined : serverText(hint),
  };
}

/** An explained error in one line. */
export function errorLine(error: ShownError): string {
  const { title, message, hint } = explainError(error);
  return [title, message.text, hint?.text].filter(Boolean).join(' ');
}

function ownText(text: string): ShownText {
  return { text, lang: undefined };
}

function titleOf(code: unknown): string | undefined {
  const text = typeof code === 'string' ? i18n.text(`problems.${code}`) : undefined;
  return typeof text === 'string' ? text : undefined;
}
