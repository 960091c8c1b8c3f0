import { parseTemplate } from 'url-template';

/** The variables of a URI template (RFC 6570), in order, without modifiers. */
export function templateVariables(template: string): string[] {
  const found = [...template.matchAll(/\{[+#./;?&]?([^{}]+)\}/g)].flatMap(([, list = '']) =>
    list.split(',').map((name) => name.replace(/\*$|:\d+$/, '').trim()),
  );
  return [...new Set(found.filter((name) => name !== ''))];
}

/** The URI with these values; a variable without a value is left out, as the RFC says. */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return parseTemplate(template).expand(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')));
}
