import type { WebhookEvent } from '@toolyard/protocol';
import { createConfigError } from '../errors.ts';
import { isLoopback } from '../config/server-options.ts';

/** Where and how e-mail is sent. */
export type EmailSettings = {
  host: string;
  port: number;
  /** `tls`: from the first byte. `starttls`: required. `off`: unencrypted. */
  encryption: 'tls' | 'starttls' | 'off';
  login: { user: string; password: string } | null;
  from: string;
  to: readonly string[];
  events: readonly WebhookEvent[];
  /** URL of the page, for links; null: messages have none. */
  pageUrl: string | null;
};

/** Settings in `config.json`; the environment has precedence. */
export type FileEmail = {
  smtpUrl?: string;
  from?: string;
  to?: readonly string[];
  events?: readonly WebhookEvent[];
  pageUrl?: string;
};

type Environment = Readonly<Record<string, string | undefined>>;

const EVENTS: readonly WebhookEvent[] = ['interrupt.opened', 'run.failed'];
const PORTS = { tls: 465, starttls: 587, off: 25 };

/**
 * Reads the settings of e-mail; null if no mail server is set.
 *
 * @throws ToolyardError `bad_config`
 */
export function readEmail(env: Environment, file: FileEmail | null): EmailSettings | null {
  const url = env['TOOLYARD_SMTP_URL'] || file?.smtpUrl;
  if (!url) return null;
  const from = env['TOOLYARD_EMAIL_FROM'] || file?.from;
  const to = env['TOOLYARD_EMAIL_TO'] ? env['TOOLYARD_EMAIL_TO'].split(',') : (file?.to ?? []);
  const recipients = to.map((address) => address.trim()).filter((address) => address !== '');
  if (!from || recipients.length === 0) {
    throw createConfigError(
      `A mail server is set, but not ${from ? 'who receives e-mail' : 'the sender of e-mail'}.`,
      'Set TOOLYARD_EMAIL_FROM and TOOLYARD_EMAIL_TO, or "from" and "to" of "email" in config.json.',
    );
  }
  for (const address of [from, ...recipients]) checkAddress(address);
  return {
    ...readServer(url),
    from,
    to: recipients,
    events: file?.events ?? EVENTS,
    pageUrl: file?.pageUrl === undefined ? null : readPageUrl(file.pageUrl),
  };
}

/** The URL may contain a password and is never repeated. */
function readServer(text: string): Pick<EmailSettings, 'host' | 'port' | 'encryption' | 'login'> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw createConfigError(
      'The URL of the mail server is invalid.',
      'Use a form such as smtps://user:password@smtp.example.com, or smtp:// for STARTTLS; percent-encode special characters.',
    );
  }
  const isOff = url.searchParams.get('tls') === 'off';
  const encryption = url.protocol === 'smtps:' ? 'tls' : isOff ? 'off' : 'starttls';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const login =
    url.username === '' ? null : { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  if (encryption === 'off' && login !== null && !isLoopback(host)) {
    throw createConfigError(
      `The password would be sent to the mail server ${host} without encryption.`,
      'Remove "tls=off" from the URL of the mail server.',
    );
  }
  return { host, port: url.port === '' ? PORTS[encryption] : Number(url.port), encryption, login };
}

function checkAddress(address: string): void {
  const bare = /<([^<>]*)>\s*$/.exec(address)?.[1] ?? address;
  if (/^[^\s@<>,"]+@[^\s@<>,"]+$/.test(bare) && !/[\r\n]/.test(address)) return;
  throw createConfigError(
    `"${address}" is not an e-mail address.`,
    'Use a form such as me@example.com or Name <me@example.com>.',
  );
}

function readPageUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return text.replace(/\/+$/, '');
  throw createConfigError(`"${text}" is not the URL of the page.`, 'Use a form such as https://toolyard.example.com.');
}
