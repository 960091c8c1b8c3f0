import { ToolyardError } from '@toolyard/protocol';
import { fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { checkUrl } from './check-url.ts';

describe('links that are opened', () => {
  test.each([
    ['https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
    ['  HTTPS://Example.COM', 'https://example.com/'],
    ['http://localhost:3000/callback', 'http://localhost:3000/callback'],
    ['http://app.localhost/', 'http://app.localhost/'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080/'],
    ['http://127.9.9.9/', 'http://127.9.9.9/'],
    ['http://[::1]:8080/', 'http://[::1]:8080/'],
    ['https://10.0.0.1/', 'https://10.0.0.1/'],
  ])('%s', (link, href) => {
    expect(checkUrl(link).href).toBe(href);
  });
});

describe('attacks 1 and 2: links that never reach a browser or shell', () => {
  test.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' \tjava\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'vbscript:msgbox',
    'blob:https://example.com/1',
    'view-source:https://example.com',
    'filesystem:https://example.com/x',
    'ms-msdt:/id',
    'ftp://example.com/',
    'ws://localhost/',
    'http://example.com/',
    'http://192.168.0.1/',
    'http://localhost.example.com/',
    'http://localhost@example.com/',
    'http://127.0.0.1.example.com/',
    'https://bank.example@evil.example/',
    'https://:secret@evil.example/',
    '--gpu-launcher=calc',
    '-a Calculator',
    '$(calc)',
    '/relative',
    '//example.com/',
    '',
  ])('%j', (link) => {
    expect(() => checkUrl(link)).toThrow(expect.objectContaining({ code: 'address_refused' }));
  });

  test('accepts only https, or http on this machine', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          fc.string(),
          fc.string().map((rest) => `https://${rest}`),
        ),
        (link) => {
          try {
            const { href, username, password } = checkUrl(link);
            expect(href).toMatch(/^https:\/\/|^http:\/\/(localhost|127\.|\[::1\])/);
            expect(username + password).toBe('');
          } catch (thrown) {
            if (!ToolyardError.isInstance(thrown)) throw thrown;
          }
        },
      ),
    );
  });

  test('does not repeat the link in the error', () => {
    expect(() => checkUrl('https://me:hunter2@evil.example/?token=s3cret')).toThrow(
      expect.not.objectContaining({ message: expect.stringMatching(/hunter2|s3cret/) as string }),
    );
  });
});
