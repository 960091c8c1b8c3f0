import { describe, expect, it } from 'vitest';
import { problemFrom } from './error.ts';

describe('API errors', () => {
  it('keep code, detail, hint and issues', () => {
    const body = JSON.stringify({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      code: 'bad_request',
      detail: 'The body does not fit.',
      hint: 'Look at parts.',
      issues: [{ path: 'parts.0', message: 'expected an object' }, 'nonsense'],
    });
    expect(problemFrom(400, body)).toMatchObject({
      code: 'bad_request',
      status: 400,
      message: 'The body does not fit.',
      hint: 'Look at parts.',
      issues: [{ path: 'parts.0', message: 'expected an object' }],
    });
  });

  it.each(['', '<html>502 Bad Gateway</html>', 'null', '{"detail":7}'])(
    'are not read from another body (%j)',
    (body) => {
      expect(problemFrom(502, body)).toBeNull();
    },
  );
});
