import type { Component } from 'svelte';
import Bot from '@lucide/svelte/icons/bot';
import Braces from '@lucide/svelte/icons/braces';
import FileText from '@lucide/svelte/icons/file-text';
import MessageSquareQuote from '@lucide/svelte/icons/message-square-quote';
import Paperclip from '@lucide/svelte/icons/paperclip';
import type { AgentReference, AgentView, McpPromptView, McpResourceView, McpTemplateView } from '@toolyard/protocol';
import { defined, showHidden } from '@toolyard/protocol';
import { agentName } from '../../agents/agent-name.ts';
import { t } from '../../i18n/i18n.svelte.ts';
import type { ServerOffers } from '../../resources/offers.svelte.ts';
import type { Command } from './commands.ts';

type Choice =
  | { kind: 'command'; command: Command }
  | { kind: 'prompt'; server: ServerOffers; prompt: McpPromptView }
  | { kind: 'resource'; server: ServerOffers; resource: McpResourceView }
  | { kind: 'template'; server: ServerOffers; template: McpTemplateView }
  | { kind: 'agent'; agent: AgentReference }
  | { kind: 'file' };

export type MenuEntry = {
  key: string;
  group: string;
  title: string;
  /** Hidden characters are shown: servers choose these texts. */
  detail: string;
  note: string;
  icon: Component<{ size?: number | string; 'aria-hidden'?: 'true'; class?: string }>;
  /** Shown in place of the icon. */
  emoji?: string | undefined;
  /** Everything it is found by. */
  search: string;
  /** Its titles and names. */
  names: string;
  choice: Choice;
};

/** The entries of the `/` menu: the prompts by server, then commands. */
export function promptEntries(servers: readonly ServerOffers[], commands: readonly Command[]): MenuEntry[] {
  const prompts = servers.flatMap((server) =>
    server.prompts.map((prompt): MenuEntry => {
      const { name, title, description = '' } = prompt;
      const count = prompt.arguments.length;
      const texts = { title: title ?? name, detail: description };
      const note = count === 0 ? '' : t('offers.arguments', { count });
      return entry(server, { ...texts, note, name, icon: MessageSquareQuote }, { kind: 'prompt', server, prompt });
    }),
  );
  const own = commands.map((command): MenuEntry => {
    const { name, label, icon } = command;
    return {
      key: `command ${name}`,
      group: t('offers.commands'),
      title: label,
      detail: '',
      note: `/${name}`,
      icon,
      search: `${name} ${label}`,
      names: `${name} ${label}`,
      choice: { kind: 'command', command },
    };
  });
  return [...prompts, ...own];
}

/** The agents that can answer the message, in the `@` menu. */
export function agentEntries(agents: readonly AgentView[]): MenuEntry[] {
  return agents.map(({ id, title, profile }): MenuEntry => {
    const agent: AgentReference = { id, title, ...defined({ avatar: profile.avatar }) };
    const { description = '', tags = [] } = profile;
    return {
      key: `agent ${id}`,
      group: t('agents.title'),
      title: showHidden(agentName(agent)),
      detail: showHidden(description),
      note: '',
      icon: Bot,
      emoji: profile.avatar,
      search: [agentName(agent), description, ...tags].join(' '),
      names: title,
      choice: { kind: 'agent', agent },
    };
  });
}

/** The entries of the `@` menu after the agents: files, then resources and templates by server. */
export function resourceEntries(servers: readonly ServerOffers[]): MenuEntry[] {
  const file: MenuEntry = {
    key: 'file',
    group: t('offers.files'),
    title: t('composer.attach'),
    detail: '',
    note: '',
    icon: Paperclip,
    search: `file ${t('composer.attach')}`,
    names: t('composer.attach'),
    choice: { kind: 'file' },
  };
  const offered = servers.flatMap((server) => [
    ...server.templates.map((template): MenuEntry => {
      const { name, title, uriTemplate } = template;
      const texts = { title: title ?? name, detail: uriTemplate, note: t('offers.template') };
      return entry(server, { ...texts, name, icon: Braces }, { kind: 'template', server, template });
    }),
    ...server.resources.map((resource): MenuEntry => {
      const { name, title, uri, mimeType = '' } = resource;
      const texts = { title: title ?? name, detail: uri, note: mimeType };
      return entry(server, { ...texts, name, icon: FileText }, { kind: 'resource', server, resource });
    }),
  ]);
  return [file, ...offered];
}

function entry(
  { place, serverId, label }: ServerOffers,
  { title, detail, note, name, icon }: Pick<MenuEntry, 'title' | 'detail' | 'note' | 'icon'> & { name: string },
  choice: Choice,
): MenuEntry {
  return {
    key: `${place}/${serverId} ${choice.kind} ${choice.kind === 'prompt' ? name : detail}`,
    group: label,
    title: showHidden(title),
    detail: showHidden(detail),
    note: showHidden(note),
    icon,
    search: `${title} ${name === title ? '' : name} ${detail} ${label}`,
    names: `${title} ${name}`,
    choice,
  };
}
