globalThis.__sveltekit_1f3juia = {
	base: location.pathname.split('/').slice(0, -1).join('/'),
	env: {
		// empty
	},
	version: "1795270937621"
};