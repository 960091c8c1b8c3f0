import * as universal from "../../../../../src/routes/+layout.ts";
export { universal };
export { default as component } from "../../../../../src/routes/+layout.svelte";