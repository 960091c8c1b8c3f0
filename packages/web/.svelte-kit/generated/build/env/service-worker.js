globalThis.__sveltekit_1vzi1g = {
	base: location.pathname.split('/').slice(0, -1).join('/'),
	env: {
		// empty
	},
	version: "0.1.0"
};