import { i as escape_html } from "../../../../chunks/server.js";
import { n as t } from "../../../../chunks/i18n.svelte.js";
// src/routes/settings/[[section]]/+page.svelte
function _page($$renderer, $$props) {
	$$renderer.component(($$renderer) => {
		$$renderer.push(`<h1>${escape_html(t("common.newChat"))}</h1>`);
	});
}
export { _page as default };

//# sourceMappingURL=_page.svelte.js.map