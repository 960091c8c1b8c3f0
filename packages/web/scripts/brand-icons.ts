import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';
import { BRAND_NAMES } from '../src/lib/brands/brand-names.ts';

const ICONS = join(dirname(createRequire(import.meta.url).resolve('@lobehub/icons-static-svg/package.json')), 'icons');
const PREFIX = '/_app/immutable/brands/';

/**
 * Writes the icons of `BRAND_NAMES` as files into a folder that their content names, since browsers keep them forever.
 * The page knows the folder as `BRAND_FOLDER`; an icon is requested when it is shown.
 */
export function brandIcons(): Plugin {
  const icons = BRAND_NAMES.map((name) => ({ name, source: readFileSync(join(ICONS, `${name}.svg`)) }));
  const hash = createHash('sha256');
  for (const { name, source } of icons) hash.update(name).update(source);
  const folder = `${PREFIX}${hash.digest('base64url').slice(0, 8)}/`;
  return {
    name: 'brand-icons',
    config: () => ({ define: { BRAND_FOLDER: JSON.stringify(folder) } }),
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const icon = icons.find(({ name }) => request.url === `${folder}${name}.svg`);
        if (icon === undefined) return next();
        response.setHeader('content-type', 'image/svg+xml').end(icon.source);
      });
    },
    generateBundle() {
      if (this.environment.name !== 'client') return;
      for (const { name, source } of icons) {
        this.emitFile({ type: 'asset', fileName: `${folder.slice(1)}${name}.svg`, source });
      }
    },
  };
}
