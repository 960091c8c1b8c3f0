import { settingsAddress } from '../shell/addresses.ts';

/** The tabs of a server's page. */
const SERVER_TABS = ['tools', 'resources', 'prompts', 'tasks', 'about', 'log'] as const;
export type ServerTab = (typeof SERVER_TABS)[number];
/** `edit`: the page with the form of its entry open. */
export type ServerView = ServerTab | 'edit';

/** The path of one server's page, or of the list. */
export function serverAddress(id?: string, view?: ServerView): string {
  if (id === undefined) return settingsAddress('tools');
  return settingsAddress('tools', { server: id, ...(view === undefined || view === 'tools' ? {} : { view }) });
}

export function readServerView(text: string | null): ServerView {
  return text === 'edit' ? text : (SERVER_TABS.find((tab) => tab === text) ?? 'tools');
}
