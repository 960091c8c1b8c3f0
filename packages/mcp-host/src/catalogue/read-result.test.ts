import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import { readToolResult } from './read-result.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = { type: 'image', mimeType: 'image/png', source: { data: PNG } };
const resource = { type: 'resource', uri: 'a://b', mimeType: 'image/png', source: { data: PNG } };

test.each<[string, JsonObject, object]>([
  ['as specified', { type: 'image', mimeType: 'image/png', data: PNG }, image],
  ['with a wrong type', { type: 'image', mimeType: 'image/jpeg', data: PNG }, image],
  ['without a type', { type: 'image', data: PNG }, image],
  ['with an empty type', { type: 'image', mimeType: ' ', data: PNG }, image],
  ['as a data: URL', { type: 'image', mimeType: 'image/png', data: `data:image/jpg;base64,${PNG}` }, image],
  ['as a buffer', { type: 'image', data: { type: 'Buffer', data: [...Buffer.from(PNG, 'base64')] } }, image],
  [
    'as a URL',
    { type: 'image', data: 'https://example.org/a.png' },
    { ...image, mimeType: 'image/*', source: { url: 'https://example.org/a.png' } },
  ],
  [
    'of an unknown type',
    { type: 'audio', data: 'AAAA' },
    { type: 'audio', mimeType: 'audio/*', source: { data: 'AAAA' } },
  ],
  ['that is damaged', { type: 'image', mimeType: 'image/png', data: '*' }, { ...image, source: { data: '*' } }],
  ['in a resource', { type: 'resource', resource: { uri: 'a://b', blob: `data:;base64,${PNG}` } }, resource],
  [
    'in a resource labelled as bytes',
    { type: 'resource', resource: { uri: 'a://b', mimeType: 'application/octet-stream', blob: PNG } },
    resource,
  ],
  [
    'in a resource that is text',
    { type: 'resource', resource: { uri: 'a://b', blob: btoa('hi') } },
    { ...resource, mimeType: 'text/plain', source: { data: btoa('hi') } },
  ],
])('reads media %s', (_, block, part) => {
  expect(readToolResult({ content: [block] }).content).toEqual([part]);
});

test.each<[string, JsonValue]>([
  ['one block', { type: 'text', text: 'went' }],
  ['a string', 'went'],
  ['a list of strings', ['went']],
])('reads content that is %s', (_, content) => {
  expect(readToolResult({ content }).content).toEqual([{ type: 'text', text: 'went' }]);
});
