import { describe, expect, it } from 'vitest';
import { problemFrom } from './error.ts';

const words = { unreadable: 'not understood' };

describe('a refusal of the server', () => {
  it('keeps its code, its words, its hint and where the fault is', () => {
    const body = JSON.stringify({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      code: 'bad_request',
      detail: 'The body does not fit.',
      hint: 'Look at parts.',
      issues: [{ path: 'parts.0', message: 'expected an object' }, 'nonsense'],
    });
    expect(problemFrom(400, body, words)).toMatchObject({
      code: 'bad_request',
      status: 400,
      message: 'The body does not fit.',
      hint: 'Look at parts.',
      issues: [{ path: 'parts.0', message: 'expected an object' }],
    });
  });

  it.each(['', '<html>502 Bad Gateway</html>', 'null', '{"detail":7}'])(
    'in another form (%j) is told by its status',
    (body) => {
      expect(problemFrom(502, body, words)).toMatchObject({
        code: 'bad_response',
        status: 502,
        message: 'not understood',
      });
    },
  );
});
