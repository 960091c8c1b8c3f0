import { createElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';

/** Parses the whole text with remark, and updates the document by comparing React elements. */
Object.assign(globalThis, {
  createReader: (content: Element) => {
    const root = createRoot(content);
    return (text: string) =>
      flushSync(() => root.render(createElement(Markdown, { remarkPlugins: [remarkGfm] }, text)));
  },
});
