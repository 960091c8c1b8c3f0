import type { McpPromptView, McpTemplateView } from '@toolyard/protocol';
import { showHidden } from '@toolyard/protocol';
import type { ComposerDraft } from '../composer/draft.svelte.ts';
import { t } from '../i18n/i18n.svelte.ts';
import type { FailureText } from '../servers/attempt.svelte.ts';
import { chat } from '../chat/state/chat.svelte.ts';
import { conversations } from '../sidebar/conversations.svelte.ts';
import { attachPrompt, attachResource } from './attach.ts';
import type { ServerOffers } from './offers.svelte.ts';
import type { ServerRef } from './server-requests.ts';
import { completeArgument } from './server-requests.ts';
import { expandTemplate, templateVariables } from './template-variables.ts';

type ArgumentField = { name: string; label: string; hint: string; required: boolean; initial?: string };

/** A form with one text field per argument. */
export type FormOfArguments = {
  title: string;
  description: string;
  action: string;
  fields: ArgumentField[];
  error: FailureText | null;
  /** Suggestions for a field; null if its server has none. `others` are the fields filled in so far. */
  complete:
    | ((name: string, value: string, others: Record<string, string>, signal: AbortSignal) => Promise<string[]>)
    | null;
  submit: (values: Record<string, string>) => Promise<void>;
};

export function promptForm(draft: ComposerDraft, server: ServerOffers, prompt: McpPromptView): FormOfArguments {
  return {
    title: showHidden(prompt.title ?? prompt.name),
    description: [t('offers.from', { server: server.label }), showHidden(prompt.description ?? '')]
      .filter((text) => text !== '')
      .join(' · '),
    action: t('offers.usePrompt'),
    fields: promptFields(prompt),
    error: null,
    complete: completion(server, { prompt: prompt.name }),
    submit: (values) => attachPrompt(draft, server, prompt, filled(values)),
  };
}

export function templateForm(draft: ComposerDraft, server: ServerOffers, template: McpTemplateView): FormOfArguments {
  const { uriTemplate, title, name, description = '' } = template;
  return {
    title: showHidden(title ?? name),
    description: [t('offers.from', { server: server.label }), showHidden(description), showHidden(uriTemplate)]
      .filter((text) => text !== '')
      .join(' · '),
    action: t('offers.attach'),
    fields: templateFields(uriTemplate),
    error: null,
    complete: completion(server, { uriTemplate }),
    submit: async (values) => {
      const uri = expandTemplate(uriTemplate, values);
      attachResource(draft, server, { uri, name: uri });
    },
  };
}

export function promptFields(prompt: McpPromptView): ArgumentField[] {
  return prompt.arguments.map(({ name, title, description = '', required }) => ({
    name,
    label: showHidden(title ?? name),
    hint: showHidden(description),
    required,
  }));
}

/** Query parameters are optional by convention (RFC 6570, 3.2.8). */
export function templateFields(uriTemplate: string): ArgumentField[] {
  return templateVariables(uriTemplate).map((variable) => ({
    name: variable,
    label: showHidden(variable),
    hint: '',
    required: !new RegExp(`\\{[?&][^{}]*\\b${variable.replace(/\W/g, '\\$&')}\\b`).test(uriTemplate),
  }));
}

/** Renames the open chat. */
export function renameForm(): FormOfArguments {
  const { view } = chat;
  return {
    title: t('sidebar.rename'),
    description: '',
    action: t('common.save'),
    fields: [{ name: 'title', label: t('offers.chatTitle'), hint: '', required: true, initial: view?.title ?? '' }],
    error: null,
    complete: null,
    submit: async ({ title = '' }) => {
      if (view !== null) await conversations.update(view.id, { title });
    },
  };
}

/** Suggestions of a server for the fields of a form. */
export function completion(
  server: ServerRef & Pick<ServerOffers, 'completes'>,
  target: { prompt: string } | { uriTemplate: string },
): FormOfArguments['complete'] {
  if (!server.completes) return null;
  return async (name, value, others, signal) => {
    const request = { target, argument: { name, value }, filledArguments: filled(others) };
    return (await completeArgument(server, request, signal)).values;
  };
}

/** An argument that was left empty is not sent: the server applies its default. */
export function filled(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}
