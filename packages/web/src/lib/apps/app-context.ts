import type { JsonObject } from '@toolyard/protocol';

/** Style variables of the specification, and the tokens of this page they are made of. */
const TOKENS: Readonly<Record<string, string>> = {
  '--color-background-primary': '--page',
  '--color-background-secondary': '--side',
  '--color-background-tertiary': '--inset',
  '--color-background-inverse': '--ink',
  '--color-background-info': '--accent-soft',
  '--color-background-danger': '--danger-soft',
  '--color-background-success': '--ok-soft',
  '--color-background-warning': '--warn-soft',
  '--color-background-disabled': '--inset',
  '--color-text-primary': '--ink',
  '--color-text-secondary': '--muted',
  '--color-text-tertiary': '--faint',
  '--color-text-inverse': '--page',
  '--color-text-info': '--accent',
  '--color-text-danger': '--danger',
  '--color-text-success': '--ok',
  '--color-text-warning': '--warn',
  '--color-text-disabled': '--faint',
  '--color-border-primary': '--line-strong',
  '--color-border-secondary': '--line',
  '--color-border-tertiary': '--line',
  '--color-ring-primary': '--accent',
  '--color-ring-danger': '--danger',
  '--color-ring-success': '--ok',
  '--color-ring-warning': '--warn',
  '--font-sans': '--font-sans',
  '--font-mono': '--font-mono',
};

const FIXED: Readonly<Record<string, string>> = {
  '--font-weight-normal': '400',
  '--font-weight-medium': '500',
  '--font-weight-semibold': '600',
  '--font-weight-bold': '700',
  '--font-text-xs-size': '12px',
  '--font-text-sm-size': '14px',
  '--font-text-md-size': '16px',
  '--border-radius-sm': '6px',
  '--border-radius-md': '8px',
  '--border-radius-lg': '12px',
  '--border-radius-full': '9999px',
  '--border-width-regular': '1px',
};

/** The part of the host context that follows the theme: its name and the colours of the page. */
export function themeContext(
  theme: 'light' | 'dark',
  style: Pick<CSSStyleDeclaration, 'getPropertyValue'>,
): JsonObject {
  const variables: Record<string, string> = { ...FIXED };
  for (const [name, token] of Object.entries(TOKENS)) {
    const value = style.getPropertyValue(token).trim();
    if (value !== '') variables[name] = value;
  }
  return { theme, styles: { variables } };
}

/** The rest of the host context. */
export function hostContext(of: {
  tool: JsonObject;
  callId: string;
  locale: string;
  /** Mode and size. */
  display: JsonObject;
  touch: boolean;
}): JsonObject {
  return {
    toolInfo: { id: of.callId, tool: of.tool },
    ...of.display,
    locale: of.locale,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    platform: 'web',
    deviceCapabilities: { touch: of.touch, hover: !of.touch },
  };
}
