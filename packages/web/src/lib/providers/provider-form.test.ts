import { expect, it } from 'vitest';
import type { ProviderView } from '@toolyard/protocol';
import { fieldsOf, needsKeyAgain, problemsOf, toChange, toCreate, toTest } from './provider-form.ts';

const stored: ProviderView = {
  id: 'p1',
  label: 'Office',
  origin: 'settings',
  baseUrl: 'https://models.example.org/v1',
  hasKey: true,
};

it('says which field lacks what', () => {
  expect(problemsOf(fieldsOf(null))).toEqual({ label: 'missing', baseUrl: 'address' });
  expect(problemsOf({ ...fieldsOf(stored), baseUrl: 'models.example.org' })).toEqual({ baseUrl: 'address' });
  expect(problemsOf({ ...fieldsOf(stored), baseUrl: 'file:///etc/passwd' })).toEqual({ baseUrl: 'address' });
  expect(problemsOf(fieldsOf(stored))).toEqual({});
});

it('keeps the stored key when nothing was typed, replaces it by what was, and removes it when told', () => {
  expect(toChange(fieldsOf(stored))).toEqual({ label: 'Office', baseUrl: 'https://models.example.org/v1' });
  expect(toChange({ ...fieldsOf(stored), apiKey: ' new ' }).apiKey).toBe('new');
  expect(toChange({ ...fieldsOf(stored), removeKey: true }).apiKey).toBeNull();
  expect(toCreate({ label: ' A ', baseUrl: ' http://127.0.0.1:1/v1 ', apiKey: '', removeKey: false })).toEqual({
    label: 'A',
    baseUrl: 'http://127.0.0.1:1/v1',
  });
});

it('asks for the key again where the address changes its host, and does not test with the stored one there', () => {
  const moved = { ...fieldsOf(stored), baseUrl: 'https://elsewhere.example.org/v1' };
  expect(needsKeyAgain(stored, moved)).toBe(true);
  expect(toTest(stored, moved)).toEqual({ baseUrl: moved.baseUrl });
  expect(needsKeyAgain(stored, { ...moved, apiKey: 'k' })).toBe(false);
  expect(needsKeyAgain(stored, { ...fieldsOf(stored), baseUrl: 'https://models.example.org/other/v1' })).toBe(false);
  expect(toTest(stored, fieldsOf(stored))).toEqual({ id: 'p1', baseUrl: stored.baseUrl });
  expect(toTest(stored, { ...fieldsOf(stored), removeKey: true })).toEqual({ baseUrl: stored.baseUrl });
});
