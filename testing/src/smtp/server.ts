import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import { TEST_CERTIFICATE } from './certificate.ts';

type ReceivedMail = {
  from: string;
  to: string[];
  /** The message as it was sent, with its headers. */
  source: string;
  /** The user of AUTH PLAIN and its password; null without a login. */
  login: { user: string; password: string } | null;
  encrypted: boolean;
};

export type SmtpServerOptions = {
  /** Offers STARTTLS; default true. */
  startTls?: boolean;
  /** Replies instead of the usual ones, by command: the next one of `MAIL`, such as `451 try later`. `''`: no reply. */
  replies?: Record<string, string[]>;
};

export type SmtpServer = AsyncDisposable & {
  port: number;
  mails: ReceivedMail[];
  /** Commands of all connections, without the texts of messages. */
  commands: string[];
  close(): Promise<void>;
};

/** An SMTP server (RFC 5321) on the loopback with STARTTLS and AUTH PLAIN, which accepts every message. */
export async function startSmtpServer({ startTls = true, replies = {} }: SmtpServerOptions = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.write('220 scripted ESMTP\r\n');
    serve(socket, { startTls, replies, mails, commands, encrypted: false });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port: (server.address() as AddressInfo).port, mails, commands, close, [Symbol.asyncDispose]: close };
}

type Session = Required<SmtpServerOptions> & { mails: ReceivedMail[]; commands: string[]; encrypted: boolean };

function serve(socket: Socket, session: Session): void {
  const { startTls, replies, mails, commands, encrypted } = session;
  let rest = '';
  let data: string | null = null;
  let mail: ReceivedMail = { from: '', to: [], source: '', login: null, encrypted };
  const reply = (command: string, usual: string): void => {
    const text = replies[command]?.shift() ?? usual;
    if (text !== '') socket.write(`${text}\r\n`);
  };

  const take = (line: string): void => {
    const command = line.split(/[ :]/)[0]?.toUpperCase() ?? '';
    commands.push(command === 'AUTH' ? 'AUTH' : line);
    switch (command) {
      case 'EHLO': {
        const offers = ['scripted', ...(startTls && !encrypted ? ['STARTTLS'] : []), 'AUTH PLAIN'];
        const lines = offers.map((offer, at) => `250${at === offers.length - 1 ? ' ' : '-'}${offer}`);
        return reply(command, lines.join('\r\n'));
      }
      case 'STARTTLS': {
        if (!startTls) return reply(command, '502 unknown');
        socket.removeAllListeners('data');
        socket.write('220 go ahead\r\n');
        const secure = new TLSSocket(socket, { isServer: true, ...TEST_CERTIFICATE });
        secure.on('error', () => undefined);
        return serve(secure, { ...session, encrypted: true });
      }
      case 'AUTH': {
        const [, user = '', password = ''] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
          .toString()
          .split('\0');
        mail.login = { user, password };
        return reply(command, '235 welcome');
      }
      case 'MAIL':
        mail = { ...mail, from: addressIn(line), to: [] };
        return reply(command, '250 ok');
      case 'RCPT':
        mail.to.push(addressIn(line));
        return reply(command, '250 ok');
      case 'DATA':
        data = '';
        return reply(command, '354 go ahead');
      case 'QUIT':
        socket.end('221 bye\r\n');
        return;
      default:
        return reply(command, '250 ok');
    }
  };

  socket.on('data', (chunk: Buffer) => {
    rest += chunk.toString('utf8');
    for (let end = rest.indexOf('\r\n'); end !== -1; end = rest.indexOf('\r\n')) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 2);
      if (data === null) {
        take(line);
        continue;
      }
      if (line !== '.') {
        data += `${line.replace(/^\./, '')}\r\n`;
        continue;
      }
      const accepted = { ...mail, source: data };
      data = null;
      const refusal = replies['.']?.shift();
      if (refusal === undefined) mails.push(accepted);
      socket.write(`${refusal ?? '250 accepted'}\r\n`);
    }
  });
}

function addressIn(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? '';
}
