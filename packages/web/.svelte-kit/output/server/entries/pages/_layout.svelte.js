import "../../chunks/server.js";
// src/lib/ui/Tooltips.svelte
function Tooltips($$renderer) {
	$$renderer.push("<!--[-1-->");
	$$renderer.push(`<!--]-->`);
}
// src/routes/+layout.svelte
function _layout($$renderer, $$props) {
	let { children } = $$props;
	children($$renderer);
	$$renderer.push(`<!----> `);
	Tooltips($$renderer, {});
	$$renderer.push(`<!---->`);
}
export { _layout as default };

//# sourceMappingURL=_layout.svelte.js.map