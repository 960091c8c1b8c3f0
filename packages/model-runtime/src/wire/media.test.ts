import { mediaTypeOf } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import { readMedia } from './media.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const urlSafe = PNG.replaceAll('+', '-').replaceAll('/', '_');

test.each([
  ['as it should be', { data: PNG }],
  ['with line breaks', { data: PNG.replace(/.{20}/g, '$&\r\n') }],
  ['of the URL-safe alphabet, without padding', { data: urlSafe.replace(/=+$/, '') }],
  ['as a data: URL', { data: `data:image/jpeg;base64,${PNG}` }],
  ['as a data: URL without a type', { data: `data:;base64,${PNG}` }],
  ['as a data: URL with escapes', { data: `data:image/png;charset=utf-8;base64,${encodeURIComponent(PNG)}` }],
  ['as the URL', { url: `data:image/png;base64,${PNG}` }],
])('base64 %s', (_, source) => {
  expect(readMedia(source, 'image/gif')).toEqual({ mimeType: 'image/png', data: PNG });
});

test.each([
  ['nothing', { data: '' }, 'empty'],
  ['an empty data: URL', { data: 'data:image/png;base64,' }, 'empty'],
  ['other characters', { data: `${PNG}*` }, 'damaged'],
  ['an impossible length', { data: 'AAAAA' }, 'damaged'],
  ['other bytes', { data: btoa('Not Found') }, 'not image/png'],
  ['a file of this machine', { url: 'file:///etc/hostname' }, 'URL'],
  ['a file that was not loaded', { blob: 'sha' }, 'not available'],
])('%s cannot be sent', (_, source, problem) => {
  expect(readMedia(source, 'image/png')).toEqual({ problem: expect.stringContaining(problem) });
});

test('a percent-encoded data: URL is read', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const source = { url: `data:image/svg+xml,${encodeURIComponent(svg)}` };
  expect(readMedia(source, 'image/png')).toEqual({ mimeType: 'image/svg+xml', data: btoa(svg) });
});

test('a web URL is kept', () => {
  expect(readMedia({ url: 'https://example.org/a' }, 'image/png')).toEqual({ url: 'https://example.org/a' });
});

test.each([
  ['\xff\xd8\xff\xe0', 'image/png', 'image/jpeg'],
  ['RIFF\x10\0\0\0WEBPVP8X', 'image/jpg', 'image/webp'],
  ['RIFF\x10\0\0\0WAVEfmt ', 'image/webp', 'audio/wav'],
  ['\xef\xbb\xbf<?xml version="1.0"?>\n<!-- made by hand -->\n<!DOCTYPE svg><svg>', 'image/png', 'image/svg+xml'],
  ['<!doctype html><html>', 'image/png', 'text/html'],
  ['\0\0\0\x1cftypavif', 'image/png', 'image/avif'],
  ['\0\0\0\x1cftypM4A ', 'audio/x-m4a', 'audio/mp4'],
  ['OggS\0\x02', 'video/ogg', 'video/ogg'],
  ['\x1aE\xdf\xa3', 'audio/webm', 'audio/webm'],
  ['junk before %PDF-1.4', 'application/octet-stream', 'application/pdf'],
  ['%PDF-1.4', 'text/plain', 'text/plain'],
  ['BM is a name', 'text/markdown; charset=utf-8', 'text/markdown'],
  ['PK\x03\x04', 'application/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.text'],
  ['unknown', 'audio/wav', null],
  ['unknown', 'image/*', null],
])('the type of %j labelled %s', (head, label, type) => {
  expect(mediaTypeOf(head, label)).toBe(type);
});
