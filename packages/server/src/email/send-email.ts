import { createHash } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import type { Clock } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { EmailSettings } from './email-settings.ts';

export type EmailMessage = { id: string; subject: string; text: string };

export type SentEmail = { ok: true; rejected: number } | { ok: false; error: ToolyardError };

/** Time limit of all steps together; shorter than a delivery is reserved for a process. */
const SEND_TIMEOUT_MS = 40_000;
const STEP_MS = 15_000;

/**
 * Sends one message. Never throws for errors of the mail server, and repeats nothing that it says: its texts may contain
 * the login.
 *
 * @param tls of the connection, such as another certificate authority
 */
export async function sendEmail(
  { id, subject, text }: EmailMessage,
  { host, port, encryption, login, from, to }: EmailSettings,
  { clock, tls }: { clock: Clock; tls?: ConnectionOptions },
): Promise<SentEmail> {
  // Loaded for the first message.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'off',
    ...(login === null ? {} : { auth: { user: login.user, pass: login.password } }),
    ...(tls === undefined ? {} : { tls }),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const late = Promise.withResolvers<never>();
  const stop = clock.after(SEND_TIMEOUT_MS, () => late.reject(Object.assign(new Error('late'), { code: 'ETIMEDOUT' })));
  try {
    const sending = transport.sendMail({
      from,
      to: [...to],
      subject,
      text,
      // The same for each attempt, so that a mailbox can recognize a repeated message.
      messageId: `<${createHash('sha256').update(id).digest('hex').slice(0, 32)}@toolyard>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    const { rejected = [] } = await Promise.race([sending, late.promise]);
    return { ok: true, rejected: rejected.length };
  } catch (thrown) {
    return { ok: false, error: toSendError(thrown, host) };
  } finally {
    stop();
    transport.close();
  }
}

function toSendError(thrown: unknown, host: string): ToolyardError {
  const { code, responseCode } = thrown as { code?: unknown; responseCode?: unknown };
  const status = typeof responseCode === 'number' ? ` (${responseCode})` : '';
  const createSendError = (of: ConstructorParameters<typeof ToolyardError>[0]): ToolyardError => new ToolyardError(of);
  switch (code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return createSendError({
        code: 'unauthorized',
        message: `The mail server ${host} rejected the login${status}.`,
        hint: 'Check the user and the password in the URL of the mail server.',
      });
    case 'EENVELOPE':
    case 'EMESSAGE':
      return createSendError({
        code: 'server_refused',
        message: `The mail server ${host} rejected the message${status}.`,
      });
    case 'ETLS':
      return createSendError({
        code: 'network',
        message: `The connection to the mail server ${host} cannot be encrypted.`,
        hint: 'Check the port and the certificate of the mail server; NODE_EXTRA_CA_CERTS adds a certificate authority.',
      });
    case 'ETIMEDOUT':
      return createSendError({ code: 'timed_out', message: `The mail server ${host} did not respond in time.` });
    default:
      return createSendError({
        code: 'network',
        message: `The mail server ${host} is unreachable${status}.`,
        hint: 'Check the URL of the mail server, and whether its port is open.',
      });
  }
}
