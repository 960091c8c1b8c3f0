import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { isJsonObject, parseJson, ToolyardError } from '@toolyard/protocol';
import { Agent } from 'undici';
import { describe, expect, test } from 'vitest';
import { allowLoopback, createResolver, respondsWith, redirectsTo } from './test-fixtures/origins.ts';
import { createTestGuards } from './test-fixtures/test-guards.ts';
import { trustOrigins } from './trust.ts';

const { guard, origin, closing } = createTestGuards(() => false);

/** The refusal that a fetch rejects with; fails for any other result. */
async function waitForRefusal(pending: Promise<unknown>): Promise<ToolyardError> {
  const thrown: unknown = await pending.then(
    () => new Error('the request was made'),
    (error: unknown) => error,
  );
  if (!ToolyardError.isInstance(thrown)) throw thrown;
  expect(thrown.code).toBe('address_refused');
  return thrown;
}

describe('attack 5: SSRF by redirect', () => {
  test.each([301, 302, 303, 307, 308])(
    'does not follow a %i redirect from a trusted URL to this machine',
    async (status) => {
      const secret = await origin(respondsWith('secret'));
      const mine = await origin(redirectsTo(`${secret.origin}/admin`, status));
      const fetch = guard({ trust: trustOrigins([mine.origin]) });

      const refusal = await waitForRefusal(fetch(mine.origin, { method: 'POST', body: 'x' }));

      expect(refusal.message).toContain(secret.origin);
      expect(refusal.message).toContain('an address of this machine');
      expect(refusal.message).toContain(`redirect from ${mine.origin}`);
      expect(secret.seen).toEqual([]);
      expect(mine.seen).toHaveLength(1);
    },
  );

  test.each([
    ['http://169.254.169.254/latest/meta-data/', 'cloud'],
    ['http://127.0.0.2/', 'address of this machine'],
    ['http://localhost/', 'address of this machine'],
    ['http://localhost./', 'address of this machine'],
    ['http://db.localhost/', 'address of this machine'],
    ['http://inner.test/', '10.1.2.3'],
    ['//inner.test/', '10.1.2.3'],
    ['http://[fd00::1]/', 'private network'],
    ['file:///etc/passwd', 'file:'],
    ['data:text/plain,hello', 'data:'],
    ['javascript:1', 'javascript:'],
    ['gopher://127.0.0.1:6379/_INFO', 'gopher:'],
    ['http://user:pass@public.test/', 'user name or password'],
  ])('does not follow a redirect from a public page to %s', async (location, text) => {
    const page = await origin(redirectsTo(location));
    const { resolve } = createResolver({ 'public.test': ['127.0.0.1'], 'inner.test': ['10.1.2.3'] });
    const fetch = guard({ resolve, refuse: allowLoopback });

    const refusal = await waitForRefusal(fetch(`http://public.test:${page.port}/`));
    expect(refusal.message).toContain(text);
    expect(page.seen).toHaveLength(1);
  });

  test('checks the second of three hops like the first', async () => {
    const secret = await origin(respondsWith('secret'));
    const last = await origin(redirectsTo(`${secret.origin}/`));
    const middle = await origin(redirectsTo(`http://b.test:${last.port}/`));
    const first = await origin(redirectsTo(`http://a.test:${middle.port}/`));
    const { resolve } = createResolver({ 'a.test': ['127.0.0.1'], 'b.test': ['127.0.0.3'] });
    const fetch = guard({ trust: trustOrigins([first.origin]), resolve, refuse: allowLoopback });

    expect((await waitForRefusal(fetch(first.origin))).message).toContain('127.0.0.3');
    expect([first.seen.length, middle.seen.length, last.seen.length, secret.seen.length]).toEqual([1, 1, 0, 0]);
  });

  test('does not let a page use the trust in a local server by redirecting to it', async () => {
    const model = await origin(respondsWith('models'));
    const page = await origin(redirectsTo(`http://127.0.0.2:${model.port}/api/delete`));
    const { resolve } = createResolver({ 'public.test': ['127.0.0.1'] });
    const fetch = guard({
      trust: trustOrigins([`http://127.0.0.2:${model.port}`]),
      resolve,
      refuse: allowLoopback,
    });

    await waitForRefusal(fetch(`http://public.test:${page.port}/`));
    expect(model.seen).toEqual([]);
  });

  test('does not restore trust that was lost in a chain', async () => {
    // start (trusted) -> hop (a public page) -> back (trusted, but now chosen by a page)
    const back = await origin(respondsWith('secret'));
    const hop = await origin(redirectsTo(`http://mine.test:${back.port}/`));
    const start = await origin(redirectsTo(`http://public.test:${hop.port}/`));
    const { resolve } = createResolver({ 'public.test': ['127.0.0.1'], 'mine.test': ['127.0.0.2'] });
    const trust = trustOrigins([start.origin, `http://mine.test:${back.port}`]);

    await waitForRefusal(guard({ trust, resolve, refuse: allowLoopback })(start.origin));
    expect(hop.seen).toHaveLength(1);
    expect(back.seen).toEqual([]);
  });

  test('follows redirects between trusted URLs', async () => {
    const second = await origin(respondsWith('here'));
    const first = await origin(redirectsTo(`${second.origin}/there`));
    const response = await guard({ trust: trustOrigins([first.origin, second.origin]) })(first.origin);

    expect(await response.text()).toBe('here');
    expect(response.url).toBe(`${second.origin}/there`);
    expect(response.redirected).toBe(true);
  });
});

describe('attack 6: SSRF by parser differential', () => {
  test.each([
    ['http://public.test\\@127.0.0.2/', 'public.test'],
    ['http://127.0.0.2\\@public.test/', '127.0.0.2'],
    ['http://public.test@127.0.0.2/', 'user name or password'],
    ['http://public.test:80@127.0.0.2/', 'user name or password'],
    ['http://127.0.0.2#@public.test/', '127.0.0.2'],
    ['http://127.0.0.2?@public.test/', '127.0.0.2'],
    ['http:/\\127.0.0.2/', '127.0.0.2'],
    ['http:127.0.0.2', '127.0.0.2'],
    ['http://127。0。0。2/', '127.0.0.2'],
    ['http://127.0.0.2/', '127.0.0.2'],
    ['http://①②⑦.0.0.②/', '127.0.0.2'],
    ['http://ℓocalhost/', 'localhost'],
    ['http://loc%61lhost/', 'localhost'],
    ['http://LOCALHOST./', 'localhost'],
    ['http://127\t.0\n.0.2/', '127.0.0.2'],
    [' \u0000http://127.0.0.2/ ', '127.0.0.2'],
    ['http://127.0.0.2./', '127.0.0.2'],
    ['http://127.0.0.2:0/', '127.0.0.2'],
    ['http://127.0.0.2:00080/', '127.0.0.2'],
  ])('%j', async (address, text) => {
    // Only the part before the backslash is the host, and that name has a private address.
    const { resolve } = createResolver({ 'public.test': ['10.0.0.9'] });
    const refusal = await waitForRefusal(guard({ resolve })(address));
    expect(refusal.message).toContain(text);
  });

  test.each([
    '',
    'http://',
    'http://[::1',
    'http://a b/',
    'http://1.2.3.256/',
    'http://public.test:99999/',
    '/etc/passwd',
  ])('%j is not a valid URL', async (address) => {
    expect((await waitForRefusal(guard({ trust: () => true })(address))).message).toContain('not a valid URL');
  });

  test('refuses a port of another protocol, trusted or not', async () => {
    const { resolve } = createResolver({ 'public.test': ['127.0.0.1'] });
    for (const trusted of [true, false]) {
      const fetch = guard({ trust: () => trusted, resolve, refuse: allowLoopback });
      expect((await waitForRefusal(fetch('http://public.test:6000/'))).message).toContain('Port 6000');
    }
  });

  test('refuses userinfo even for a trusted URL, and does not repeat it', async () => {
    const mine = await origin(respondsWith('hello'));
    const fetch = guard({ trust: trustOrigins([mine.origin]) });
    const refusal = await waitForRefusal(fetch(`http://me:hunter2@127.0.0.1:${mine.port}/?key=s3cret`));
    expect(JSON.stringify(refusal)).not.toMatch(/hunter2|s3cret/);
    expect(mine.seen).toEqual([]);
  });

  test('trusts scheme, host and port exactly', async () => {
    const trust = trustOrigins(['http://127.0.0.1:8080/v1', new URL('https://Example.com')]);
    const answers = [
      'http://127.0.0.1:8080/other',
      'http://127.1:8080/',
      'https://example.com:443/',
      'https://127.0.0.1:8080/',
      'http://127.0.0.1/',
      'http://localhost:8080/',
      'http://example.com/',
      'https://sub.example.com/',
      'https://example.com./',
      'blob:http://127.0.0.1:8080/x',
    ].map((address) => trust(new URL(address)));
    expect(answers).toEqual([true, true, true, false, false, false, false, false, false, false]);
    expect(() => trustOrigins(['localhost:8080'])).toThrow(ToolyardError);
    expect(() => trustOrigins(['nonsense'])).toThrow(ToolyardError);
  });
});

describe('attack 7: SSRF by another spelling of an IP address', () => {
  test.each([
    'http://[::ffff:a9fe:a9fe]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[0:0:0:0:0:ffff:a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://[2002:7f00:1::]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[64:ff9b::10.0.0.1]/',
    'http://[64:ff9b:1::10.0.0.1]/',
    'http://[2001:0:a9fe:a9fe::]/',
    'http://[::127.0.0.1]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[::]/',
    'http://[::1]/',
    'http://[0000::0001]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://2130706433/',
    'http://017700000001/',
    'http://0x7f000001/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.01/',
    'http://127.1/',
    'http://2852039166/',
    'http://0xa9.0xfe.0xa9.0xfe/',
    'http://0/',
    'http://0.0.0.0/',
    'http://255.255.255.255/',
    'http://100.100.100.200/',
    'http://192.168.1.1:65535/',
  ])('%s', async (address) => {
    // These are not names: the resolver must not be called.
    const { resolve, asked } = createResolver({});
    const refusal = await waitForRefusal(guard({ resolve })(address));
    expect(refusal.message).toContain('is not configured in Toolyard');
    expect(asked).toEqual([]);
  });

  test.each(['10.0.0.1', '::ffff:a9fe:a9fe', 'fd00:ec2::254', '::1', '0.0.0.0', '2002:7f00:1::', '0x7f.1', ''])(
    'a name that resolves to %j',
    async (answer) => {
      const { resolve } = createResolver({ 'rebind.test': [answer] });
      await waitForRefusal(guard({ resolve })('http://rebind.test/'));
    },
  );

  test('refuses a name with one private address among public ones', async () => {
    const target = await origin(respondsWith('hello'));
    const { resolve } = createResolver({ 'mixed.test': [['127.0.0.1', '10.0.0.7']] });
    const fetch = guard({ resolve, refuse: allowLoopback });
    expect((await waitForRefusal(fetch(`http://mixed.test:${target.port}/`))).message).toContain('10.0.0.7');
    expect(target.seen).toEqual([]);
  });
});

describe('attack 8: SSRF by a stored address and by a changing DNS answer', () => {
  test('connects to the address that was checked', async () => {
    const target = await origin(respondsWith('hello'));
    const { resolve, asked } = createResolver({ 'rebind.test': [['127.0.0.1'], ['127.0.0.2']] });
    const response = await guard({ resolve, refuse: allowLoopback })(`http://rebind.test:${target.port}/`);

    expect(await response.text()).toBe('hello');
    expect(asked).toEqual(['rebind.test']);
  });

  test('checks a saved URL again on every connection', async () => {
    const target = await origin((_request, response) => {
      response.writeHead(200, { connection: 'close' }).end('hello');
    });
    const { resolve } = createResolver({ 'rebind.test': [['127.0.0.1'], ['192.168.0.1']] });
    const fetch = guard({ resolve, refuse: allowLoopback });

    expect(await (await fetch(`http://rebind.test:${target.port}/`)).text()).toBe('hello');
    expect((await waitForRefusal(fetch(`http://rebind.test:${target.port}/`))).message).toContain('192.168.0.1');
    expect(target.seen).toHaveLength(1);
  });

  test('does not reuse a trusted connection without trust', async () => {
    const target = await origin(respondsWith('hello'));
    const { resolve } = createResolver({ 'mine.test': ['127.0.0.1'] });
    let trusted = true;
    const fetch = guard({ trust: () => trusted, resolve });

    expect(await (await fetch(`http://mine.test:${target.port}/`)).text()).toBe('hello');
    trusted = false;
    await waitForRefusal(fetch(`http://mine.test:${target.port}/`));
    expect(target.seen).toHaveLength(1);
  });

  test('refuses both of two concurrent requests to a refused name', async () => {
    const { resolve } = createResolver({ 'inner.test': ['10.0.0.1'] });
    const fetch = guard({ resolve });
    await Promise.all([waitForRefusal(fetch('http://inner.test/a')), waitForRefusal(fetch('http://inner.test/b'))]);
  });

  test('keeps the name in the Host header of a pinned request, whatever the caller sends', async () => {
    const target = await origin(respondsWith('hello'));
    const { resolve } = createResolver({ 'public.test': ['127.0.0.1'] });
    const fetch = guard({ resolve, refuse: allowLoopback });
    await (await fetch(`http://public.test:${target.port}/`, { headers: { host: 'admin.internal' } })).text();
    expect(target.seen[0]?.headers.host).toBe(`public.test:${target.port}`);
  });

  test('sends the name in TLS for a pinned request', async () => {
    const hellos: string[] = [];
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (hello) => {
        hellos.push(hello.toString('latin1'));
        socket.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing({ close: () => new Promise((resolve) => server.close(() => resolve())) });
    const { port } = server.address() as AddressInfo;
    const { resolve } = createResolver({ 'public.test': ['127.0.0.1'] });

    await expect(guard({ resolve, refuse: allowLoopback })(`https://public.test:${port}/`)).rejects.toThrow(TypeError);
    expect(hellos.some((hello) => hello.includes('public.test'))).toBe(true);
  });

  test('ignores a dispatcher among the options', async () => {
    const target = await origin(respondsWith('secret'));
    const dispatcher = new Agent({
      connect: { lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) },
    });
    closing({ close: () => dispatcher.destroy() });
    const { resolve } = createResolver({ 'inner.test': ['10.0.0.1'] });
    const init = { dispatcher } as unknown as RequestInit;

    await waitForRefusal(guard({ resolve })(`http://inner.test:${target.port}/`, init));
    expect(target.seen).toEqual([]);
  });
});

describe('attack 9: SSRF inside OAuth discovery and through base URLs', () => {
  test('checks URLs in the metadata of a server, even if the server is trusted', async () => {
    const inside = await origin(respondsWith('{"access_token":"x"}'));
    const metadata = {
      resource_metadata: `${inside.origin}/meta`,
      authorization_server: 'http://169.254.169.254/latest/meta-data/iam',
      token_endpoint: `http://[::ffff:7f00:1]:${inside.port}/token`,
      registration_endpoint: `http://inner.test:${inside.port}/register`,
      jwks_uri: 'file:///etc/passwd',
      base_url: 'http://public.test:80@127.0.0.1/',
      insecure_endpoint: 'http://public.test/token',
    };
    const server = await origin(respondsWith(JSON.stringify(metadata)));
    const { resolve } = createResolver({ 'inner.test': ['127.0.0.1'], 'public.test': ['1.1.1.1'] });
    const fetch = guard({ trust: trustOrigins([`${server.origin}/mcp`]), resolve, httpsOnly: true });

    const read = parseJson(await (await fetch(`${server.origin}/.well-known/oauth-protected-resource`)).text());
    const named =
      read.ok && isJsonObject(read.value) ? Object.values(read.value).filter((value) => typeof value === 'string') : [];
    expect(named).toHaveLength(7);
    for (const address of named) {
      await waitForRefusal(fetch(address, { method: 'POST', body: 'grant_type=refresh_token' }));
    }
    // Not refused only because of the missing https.
    const lenient = guard({ trust: trustOrigins([server.origin]), resolve });
    for (const address of named.slice(0, -1)) await waitForRefusal(lenient(address));
    expect(inside.seen).toEqual([]);
  });

  test('says in the error what was refused, why, and what to do', async () => {
    const { resolve } = createResolver({ 'inner.test': ['10.0.0.7'] });
    const refusal = await waitForRefusal(guard({ resolve })('http://inner.test:8080/secret-path?token=s3cret'));
    expect(refusal.toJSON()).toMatchObject({
      code: 'address_refused',
      message:
        'http://inner.test:8080 resolves to 10.0.0.7, an address in a private network, and is not configured in Toolyard.',
      hint: 'URLs from models, pages, servers and redirects may only lead to the public internet. To use this URL, enter it in the settings.',
    });
  });
});
