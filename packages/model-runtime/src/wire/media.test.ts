import { mediaTypeOf, textOfSource } from '@toolyard/protocol';
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
  ['as a data: URL that does not say it', { data: `data:image/png,${PNG}` }],
  ['as a data: URL that says it first', { data: `data:image/png;base64;charset=utf-8,${PNG}` }],
  ['as a data: URL in capitals', { data: `DATA:IMAGE/PNG;BASE64, ${PNG}` }],
  ['as a data: URL with a name', { data: `data:image/png;name=a,b.png;base64,${PNG}` }],
  ['as a data: URL in a data: URL', { data: `data:image/png;base64,data:image/png;base64,${PNG}` }],
  ['after the end of a data: URL', { data: `image/png;base64,${PNG}` }],
  ['as bytes of Python', { data: `b'${PNG}'` }],
  ['in quotes', { data: `"${PNG}"` }],
  ['with escaped line breaks', { data: PNG.replace(/.{20}/g, '$&\\n') }],
  ['of base64', { data: btoa(PNG) }],
  ['of a data: URL', { data: btoa(`data:image/png;base64,${PNG}`) }],
  ['as the URL', { url: `data:image/png;base64,${PNG}` }],
])('base64 %s', (_, source) => {
  expect(readMedia(source, 'image/gif')).toEqual({ mimeType: 'image/png', data: PNG });
});

test.each([
  ['nothing', { data: '' }, 'empty'],
  ['an empty data: URL', { data: 'data:image/png;base64,' }, 'empty'],
  ['other characters', { data: `${PNG}*` }, 'damaged'],
  ['an impossible length', { data: 'AAAAA' }, 'damaged'],
  ['text', { data: 'Could not take a screenshot.' }, 'damaged'],
  ['other bytes', { data: btoa('Not Found') }, 'not image/png'],
  ['a file of this machine', { url: 'file:///etc/hostname' }, 'URL'],
  ['a file that was not loaded', { blob: 'sha' }, 'not available'],
])('%s cannot be sent', (_, source, problem) => {
  expect(readMedia(source, 'image/png')).toEqual({ problem: expect.stringContaining(problem) });
});

const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';

test.each([
  ['a percent-encoded data: URL', { url: `data:image/svg+xml,${encodeURIComponent(svg)}` }],
  ['a data: URL without escapes', { data: `data:image/svg+xml;utf8,${svg}` }],
  ['text in place of base64', { data: svg }],
])('%s is read', (_, source) => {
  expect(readMedia(source, 'image/png')).toEqual({ mimeType: 'image/svg+xml', data: btoa(svg) });
});

test.each([{ url: 'https://example.org/a' }, { data: ' HTTPS://example.org/a\n' }])(
  'the web URL %j is kept',
  (source) => {
    expect(readMedia(source, 'image/png')).toEqual({ url: expect.stringMatching(/^https:\/\/example.org\/a$/i) });
  },
);

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
  ['%PDF-1.4 is a version', 'text/plain', 'text/plain'],
  ['BM is a name', 'text/markdown; charset=utf-8', 'text/markdown'],
  ['PK\x03\x04', 'application/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.text'],
  ['%PDF-1.4\n\0\x01', 'text/plain', 'application/pdf'],
  ['BM is a name', 'application/octet-stream', 'text/plain'],
  ['BM\x1a\0\0\0', '', 'image/bmp'],
  ['\xff\xfeh\0i\0', 'text/plain', 'text/plain'],
  ['\xff\xfeh\0i\0', 'audio/mpeg', null],
  ['\xc4\xe3\xba\xc3', 'text/plain; charset=gbk', 'text/plain'],
  ['PK\x03\x04\x14\0', 'text/plain', null],
  ['PK\x03\x04\x14\0', 'application/octet-stream', 'application/octet-stream'],
  ['{"a": 1}', 'application/octet-stream', 'text/plain'],
  ['\xe4\xbd\xa0\xe5', '', 'text/plain'],
  ['\xc4\xe3\xba\xc3', '', null],
  ['\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf', 'image/png', 'image/avif'],
  ['\0\0\0\x1cftypmif1\0\0\0\0mif1heic', 'image/jpeg', 'image/heic'],
  ['\0\0\0\x1cftypM4B ', 'application/octet-stream', 'audio/mp4'],
  ['\0\0\0\x1cftypmp42', 'audio/*', 'video/mp4'],
  ['RIFF\x10\0\0\0AVI LIST', 'image/webp', 'video/x-msvideo'],
  ['unknown', 'audio/wav', null],
  ['unknown', 'image/*', null],
])('the type of %j labelled %s', (head, label, type) => {
  expect(mediaTypeOf(head, label)).toBe(type);
});

test.each([
  ['\xff\xfe\x60\x4f', 'text/plain', '你'],
  ['\xfe\xff\x4f\x60', 'application/octet-stream', '你'],
  ['\xc4\xe3\xba\xc3', 'text/csv; charset=gb18030', '你好'],
  ['caf\xe9', 'text/plain;charset="iso-8859-1"', 'café'],
  ['\xef\xbb\xbfa: 1', 'application/toml', 'a: 1'],
  ['select 1', 'application/x-unknown-to-us', 'select 1'],
  ['a', 'text/plain; charset=no-such', 'a'],
  ['PK\x03\x04\x14\0', 'text/plain', null],
  ['\x89PNG\r\n\x1a\n', 'text/plain', null],
  ['%PDF-1.4', 'application/pdf', null],
  ['\xd0\xcf\x11\xe0', 'application/msword', null],
])('the text of %j labelled %s', (bytes, label, text) => {
  expect(textOfSource({ data: btoa(bytes) }, label)).toBe(text);
});
