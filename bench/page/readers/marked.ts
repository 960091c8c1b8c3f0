import { marked } from 'marked';

/** Parses the whole text, and sets it as HTML without sanitizing. */
Object.assign(globalThis, {
  createReader: (content: Element) => (text: string) => {
    content.innerHTML = marked.parse(text, { async: false });
  },
});
