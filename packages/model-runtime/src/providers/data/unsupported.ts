import type { UnsupportedProvider } from '../types.ts';

const OWN_API = 'It generates images or video instead of text, over an API of its own.';
const SIGN_IN = 'It is a subscription with a browser sign-in, meant for its own clients; it has no API keys.';

/** Providers that other products list, and why they have no record here. */
export const UNSUPPORTED_PROVIDERS: readonly UnsupportedProvider[] = [
  { id: 'bfl', why: OWN_API },
  { id: 'comfyui', why: OWN_API },
  { id: 'fal', why: OWN_API },
  { id: 'replicate', why: 'Every model there has an API of its own, based on predictions that are polled.' },
  { id: 'chatgpt', why: SIGN_IN },
  { id: 'supergrok', why: SIGN_IN },
  { id: 'githubcopilot', why: SIGN_IN },
  { id: 'lobehub', why: "It is LobeHub's own service for its own users." },
  { id: 'router', why: 'Another name of newapi, which is supported.' },
  { id: 'freeaiapikey', why: 'It is in no released version of any product and has no documentation.' },
  {
    id: 'straico',
    why: 'Its documentation does not say whether it streams. Add it as a custom provider.',
  },
];
