import { describe, expect, it } from 'vitest';
import { argumentFields } from './argument-fields.ts';
import type { ArgumentField } from './argument-fields.ts';
import { ArgumentsDraft } from './arguments-draft.svelte.ts';
import { differencesBetween } from './differences.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    to: { type: 'string', title: 'To', format: 'email' },
    copies: { type: 'integer' },
    urgent: { type: 'boolean' },
    tone: { type: 'string', enum: ['plain', 'warm'] },
    body: { type: 'object', properties: { text: { type: 'string' } } },
  },
  required: ['to'],
};
const ASKED = { to: 'a@example.com', copies: 2, body: { text: 'Hi', lines: [1, 2] }, more: 'unknown to the schema' };

function field(name: string, values = ASKED): ArgumentField {
  const found = argumentFields(SCHEMA, values).find((one) => one.name === name);
  if (found === undefined) throw new Error(`no field ${name}`);
  return found;
}

describe('argument form', () => {
  it('has a field for every property of the schema and every additional argument', () => {
    expect(argumentFields(SCHEMA, ASKED).map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ['to', 'text', true],
      ['copies', 'integer', false],
      ['urgent', 'boolean', false],
      ['tone', 'choice', false],
      ['body', 'json', false],
      ['more', 'text', false],
    ]);
  });

  it('shows a value that does not fit its field by its own type', () => {
    const fields = argumentFields(SCHEMA, { copies: 'many', tone: 'cold', urgent: null });
    expect(fields.map(({ name, kind }) => `${name} ${kind}`)).toContain('copies text');
    expect(fields.find(({ name }) => name === 'tone')?.kind).toBe('text');
    expect(fields.find(({ name }) => name === 'urgent')?.kind).toBe('json');
  });

  it('works without a schema', () => {
    expect(argumentFields(null, { a: 'x', b: 1, c: [1] }).map(({ kind }) => kind)).toEqual(['text', 'number', 'json']);
    expect(argumentFields({ properties: 'broken' }, {})).toEqual([]);
  });
});

describe('edited arguments', () => {
  it('keep unchanged values character for character', () => {
    const draft = new ArgumentsDraft(ASKED);
    draft.type(field('copies'), '3');
    expect(draft.current).toEqual({ ...ASKED, copies: 3 });
    expect(draft.current['body']).toBe(ASKED.body);
    expect(draft.differences).toEqual([{ path: 'copies', before: '2', after: '3' }]);
  });

  it('are not sent while a field is invalid, and revert to the original', () => {
    const draft = new ArgumentsDraft(ASKED);
    draft.type(field('copies'), '3.5');
    expect([draft.faulty, draft.faults, draft.getText(field('copies'))]).toEqual([true, { copies: 'integer' }, '3.5']);
    expect(draft.current).toEqual(ASKED);
    draft.type(field('body'), '{"text":');
    expect(draft.faults).toEqual({ copies: 'integer', body: 'badJson' });
    draft.undo();
    expect([draft.faulty, draft.changed, draft.getText(field('copies'))]).toEqual([false, false, '2']);
  });

  it('omit an optional argument that is emptied', () => {
    const draft = new ArgumentsDraft(ASKED);
    draft.type(field('copies'), '');
    draft.type(field('to'), '');
    expect(draft.current).toEqual({ to: '', body: ASKED.body, more: ASKED.more });
    expect(draft.differences).toContainEqual({ path: 'copies', before: '2' });
  });

  it('are the same in the form and as JSON', () => {
    const draft = new ArgumentsDraft(ASKED);
    draft.type(field('tone'), 'warm');
    draft.show('json');
    expect(JSON.parse(draft.json)).toEqual({ ...ASKED, tone: 'warm' });
    draft.typeJson('{"to": "b@example.com"');
    expect([draft.faulty, draft.current['tone']]).toEqual([true, 'warm']);
    draft.show('form');
    expect(draft.faulty).toBe(false);
    // The incomplete text is still there.
    draft.show('json');
    expect([draft.faulty, draft.json]).toEqual([true, '{"to": "b@example.com"']);
    draft.typeJson('{"to": "b@example.com"}');
    draft.show('form');
    expect(draft.getText(field('to'))).toBe('b@example.com');
    expect(draft.current).toEqual({ to: 'b@example.com' });
  });

  it('must be a JSON object', () => {
    const draft = new ArgumentsDraft({});
    for (const text of ['[]', '1', 'null', '"x"', '']) {
      draft.show('json');
      draft.typeJson(text);
      expect(draft.faulty).toBe(true);
    }
    expect(draft.current).toEqual({});
  });
});

describe('argument differences', () => {
  it('names the smallest changed paths', () => {
    expect(
      differencesBetween(
        { a: { b: [1, 2], c: 'x' }, gone: null, same: [{}] },
        { a: { b: [1, 3, 4], c: 'x' }, same: [{}], constructor: 1 },
      ),
    ).toEqual([
      { path: 'a.b[1]', before: '2', after: '3' },
      { path: 'a.b[2]', after: '4' },
      { path: 'gone', before: 'null' },
      { path: 'constructor', after: '1' },
    ]);
  });

  it('ignores the order of keys', () => {
    expect(differencesBetween({ a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 })).toEqual([]);
  });
});
