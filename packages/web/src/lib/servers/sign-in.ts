/** A sign-in that has begun: the page of the server's own that it goes on at. */
export type StartedTabSignIn = {
  url: string;
  host: string;
  /** False where the browser let no other tab be opened. */
  opened: boolean;
};

/** Null for what is no address of the web: `javascript:` would run as this page. */
export function signInHost(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, host } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? host : null;
}

/**
 * Opens another tab while the press of a button still counts, and leads it on once it is known where to: browsers
 * block what is opened later. Null where this one blocks it all the same.
 */
export function openTab(): { goTo: (url: string) => void; close: () => void } | null {
  const tab = window.open('about:blank', '_blank');
  if (tab === null) return null;
  return {
    goTo: (url) => {
      // What is opened must not reach back to this page.
      tab.opener = null;
      tab.location.replace(url);
    },
    close: () => tab.close(),
  };
}
