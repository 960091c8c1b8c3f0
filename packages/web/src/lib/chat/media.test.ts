import { expect, it } from 'vitest';
import { placeOfMedia } from './media.ts';

const fileUrl = (sha256: string) => `/api/files/${sha256}`;

it('loads only content of the message and files of this server', () => {
  expect(placeOfMedia({ blob: 'abc' }, 'image/png', fileUrl)).toEqual({ type: 'here', address: '/api/files/abc' });
  expect(placeOfMedia({ data: 'AAAA' }, 'image/png', fileUrl)).toEqual({
    type: 'here',
    address: 'data:image/png;base64,AAAA',
  });
  expect(placeOfMedia({ url: 'https://evil.example/p.png?who=me' }, 'image/png', fileUrl)).toEqual({
    type: 'remote',
    address: 'https://evil.example/p.png?who=me',
    host: 'evil.example',
  });
});

it('returns no URL for invalid input', () => {
  expect(placeOfMedia({ url: 'javascript:alert(1)' }, 'image/png', fileUrl)).toBeNull();
  expect(placeOfMedia({ url: 'not an address' }, 'image/png', fileUrl)).toBeNull();
  expect(placeOfMedia({ data: 'AAAA' }, 'text/html,<script>;x', fileUrl)).toBeNull();
});
