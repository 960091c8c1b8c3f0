/** A started sign-in: the URL on the server where it continues. */
export type StartedTabSignIn = {
  url: string;
  host: string;
  /** False if the browser blocked the tab. */
  opened: boolean;
};

/** Null for anything but an http(s) URL: `javascript:` would execute as this page. */
export function signInHost(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, host } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? host : null;
}

/**
 * Opens a tab during the click and navigates it once the URL is known, because browsers block tabs opened later. Null
 * if the browser blocks it anyway.
 */
export function openTab(): { goTo: (url: string) => void; close: () => void } | null {
  const tab = window.open('about:blank', '_blank');
  if (tab === null) return null;
  return {
    goTo: (url) => {
      // The opened page must not have access to this one.
      tab.opener = null;
      tab.location.replace(url);
    },
    close: () => tab.close(),
  };
}
