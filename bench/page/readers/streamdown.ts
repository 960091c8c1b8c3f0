import { createElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { Streamdown } from 'streamdown';

/** Splits the text into blocks and renders changed blocks with remark; without its plugin for highlighting. */
Object.assign(globalThis, {
  createReader: (content: Element) => {
    const root = createRoot(content);
    return (text: string) => flushSync(() => root.render(createElement(Streamdown, { isAnimating: true }, text)));
  },
});
