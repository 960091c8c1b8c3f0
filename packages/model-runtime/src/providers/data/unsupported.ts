import type { UnsupportedProvider } from '../types.ts';

const OWN_API = 'It makes pictures or films and no text, over an API of its own.';
const SIGN_IN = 'It is a subscription one signs in to with a browser, meant for its own programs; it gives no keys.';

/** Names other workbenches know, and why there is no record of them here. */
export const UNSUPPORTED_PROVIDERS: readonly UnsupportedProvider[] = [
  { id: 'bfl', why: OWN_API },
  { id: 'comfyui', why: OWN_API },
  { id: 'fal', why: OWN_API },
  { id: 'replicate', why: 'Every model there has an API of its own, made of predictions that are waited for.' },
  { id: 'chatgpt', why: SIGN_IN },
  { id: 'supergrok', why: SIGN_IN },
  { id: 'githubcopilot', why: SIGN_IN },
  { id: 'lobehub', why: "It is LobeHub's own service for its own users." },
  { id: 'router', why: 'Another name of newapi, which is here.' },
  { id: 'freeaiapikey', why: 'It stands in no released version of anything, and documents nothing.' },
  {
    id: 'straico',
    why: 'Its documents do not say that its answers stream. It may be entered as a provider of your own.',
  },
  {
    id: 'vertexai',
    why: 'Its requests are signed with tokens of Google Cloud that last an hour. Gemini itself is here as google.',
  },
];
