export const immutable = __SVELTEKIT_MANIFEST_IMMUTABLE__;
export const assets = __SVELTEKIT_MANIFEST_ASSETS__;
export const prerendered = __SVELTEKIT_MANIFEST_PRERENDERED__;
export const routes = __SVELTEKIT_MANIFEST_ROUTES__;