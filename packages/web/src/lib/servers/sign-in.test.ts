import { expect, it } from 'vitest';
import { signInHost } from './sign-in.ts';

it.each([
  ['https://accounts.example:8443/authorize?x=1', 'accounts.example:8443'],
  ['http://127.0.0.1:9/authorize', '127.0.0.1:9'],
  // Would execute as this page, expose parts of it, or ask the operating system.
  ['javascript:alert(1)//https://accounts.example', null],
  ['data:text/html,x', null],
  ['file:///etc/passwd', null],
  ['/authorize', null],
  ['', null],
])('opens http(s) URLs only: %s', (url, host) => {
  expect(signInHost(url)).toBe(host);
});
