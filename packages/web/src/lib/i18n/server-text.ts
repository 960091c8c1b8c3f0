import type { TextTemplate, TextTemplates } from '@toolyard/protocol';
import { fillTemplate } from '@toolyard/protocol';
import { i18n } from './i18n.svelte.ts';
import { formatMessage } from './message.ts';

/** An error of the server or of the page; `status` 0 marks one of the page, whose text is translated. */
type ShownError = {
  code?: unknown;
  status?: unknown;
  message: string;
  hint?: string | undefined;
  templates?: TextTemplates | undefined;
};

/** A text as it is shown, and its language if that is not the page's. */
export type ShownText = { text: string; lang: 'en' | undefined };

/** `title` says in the language of the page what an error means whose text is not translated. */
export type ErrorExplanation = { title: string | undefined; message: ShownText; hint: ShownText | undefined };

let loading: Promise<void> | null = null;

/** Loads the translations of server texts. Without them the English texts are shown. */
export function loadServerTexts(): Promise<void> {
  if (i18n.locale === 'en') return Promise.resolve();
  loading ??= i18n.need('problems', 'serverTexts').catch(() => {
    loading = null;
  });
  return loading;
}

/**
 * A text that the server sends in English, in the language of the page if its template has a translation. Reactive.
 *
 * A template counts only if it results in the very text: one from elsewhere cannot show anything else.
 */
export function serverText(text: string, template: TextTemplate | undefined): ShownText {
  if (i18n.locale === 'en') return ownText(text);
  void loadServerTexts();
  const isOfText = template !== undefined && fillTemplate(template) === text;
  const translated = isOfText ? translate(template) : undefined;
  return translated === undefined ? { text, lang: 'en' } : ownText(translated);
}

/** A title or description of Toolyard's own servers and tools, which has no values: it is its own template. */
export function builtInText(text: string): ShownText {
  return serverText(text, { template: text });
}

function translate({ template, values = [] }: TextTemplate): string | undefined {
  const message = i18n.text(`serverTexts.${template}`);
  if (message === undefined) return undefined;
  const shown = values.map((value) => (typeof value === 'string' ? value : (translate(value) ?? fillTemplate(value))));
  return formatMessage(message, Object.fromEntries(shown.entries()), i18n.locale);
}

/** An error in the language of the page, as far as possible. Reactive. */
export function explainError({ code, status, message, hint, templates = {} }: ShownError): ErrorExplanation {
  const isOfPage = i18n.locale === 'en' || status === 0 || code === undefined;
  if (isOfPage) {
    return { title: undefined, message: ownText(message), hint: hint === undefined ? undefined : ownText(hint) };
  }
  const shown = serverText(message, templates['message']);
  return {
    title: shown.lang === undefined ? undefined : findTitle(code),
    message: shown,
    hint: hint === undefined ? undefined : serverText(hint, templates['hint']),
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

function findTitle(code: unknown): string | undefined {
  const text = typeof code === 'string' ? i18n.text(`problems.${code}`) : undefined;
  return typeof text === 'string' ? text : undefined;
}
