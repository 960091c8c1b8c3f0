import { t as i18n } from "../../chunks/i18n.svelte.js";
// src/routes/+layout.ts
var ssr = false;
var prerender = false;
var load = () => i18n.start();
export { load, prerender, ssr };

//# sourceMappingURL=_layout.ts.js.map