export const manifest = (() => {
function __memo(fn) {
	let value;
	return () => value ??= (value = fn());
}

return {
	app_dir: "_app",
	app_path: "_app",
	assets: new Set(["icon.svg"]),
	mime_types: {".svg":"image/svg+xml"},
	client: {start:"_app/immutable/entry/start.BbwgRMaC.js",app:"_app/immutable/entry/app.BlSJYQCi.js",imports:["_app/immutable/entry/start.BbwgRMaC.js","_app/immutable/entry/payload.DSmR2FwN.js","_app/immutable/chunks/DclECHGd.js","_app/immutable/chunks/CbqTseAC.js","_app/immutable/chunks/CygfACu0.js","_app/immutable/chunks/DKsqVP0b.js","_app/immutable/entry/app.BlSJYQCi.js"],stylesheets:[],fonts:[],uses_env_dynamic_public:false},
	
	nodes: [
		__memo(() => import('./nodes/0.js')),
		__memo(() => import('./nodes/1.js')),
		__memo(() => import('./nodes/2.js')),
		__memo(() => import('./nodes/3.js')),
		__memo(() => import('./nodes/4.js'))
	],
	remotes: {
		
	},
	routes: [
		{
			id: "/",
			pattern: /^\/$/,
			params: [],
			page: { layouts: [0,], errors: [1,], leaf: 2 },
			endpoint: null
		},
		{
			id: "/c/[id]",
			pattern: /^\/c\/([^/]+?)\/?$/,
			params: [{"name":"id","optional":false,"rest":false,"chained":false}],
			page: { layouts: [0,], errors: [1,], leaf: 3 },
			endpoint: null
		},
		{
			id: "/settings/[[section]]",
			pattern: /^\/settings(?:\/([^/]+))?\/?$/,
			params: [{"name":"section","optional":true,"rest":false,"chained":true}],
			page: { layouts: [0,], errors: [1,], leaf: 4 },
			endpoint: null
		}
	],
	prerendered_routes: new Set([]),
	matchers: async () => {
		return {};
	},
	server_assets: {}
}
})();
