
import error from './shared/error-template.js';

export const options = {
	app_template_contains_nonce: false,
	csp: {"mode":"auto","directives":{"upgrade-insecure-requests":false,"block-all-mixed-content":false},"reportOnly":{"upgrade-insecure-requests":false,"block-all-mixed-content":false}},
	csrf_trusted_origins: [],
	service_worker_options: undefined,
	templates: {
		app: ({ head, body, assets, nonce, env }) => "<!doctype html>\n<html lang=\"en\" data-theme=\"light\">\n  <head>\n    <meta charset=\"utf-8\" />\n    <meta\n      name=\"viewport\"\n      content=\"width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content\"\n    />\n    <meta name=\"color-scheme\" content=\"light dark\" />\n    <meta name=\"referrer\" content=\"no-referrer\" />\n    <meta name=\"robots\" content=\"noindex\" />\n    <title>Toolyard</title>\n    <link rel=\"icon\" href=\"" + assets + "/icon.svg\" type=\"image/svg+xml\" />\n    <script>\n      // Before the first paint, so that a dark page never flashes white. The page itself reads the same key.\n      (function () {\n        var choice = 'system';\n        try {\n          choice = JSON.parse(localStorage.getItem('toolyard:theme:1')) || choice;\n        } catch (e) {}\n        var dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);\n        document.documentElement.dataset.theme = dark ? 'dark' : 'light';\n      })();\n    </script>\n    " + head + "\n  </head>\n  <body>\n    <div style=\"display: contents\">" + body + "</div>\n    <noscript>Toolyard needs JavaScript.</noscript>\n  </body>\n</html>\n",
		error
	}
};

export async function get_hooks() {
	let handle;
	let handleFetch;
	let handleError;
	let init;
	

	let reroute;
	let transport;
	

	return {
		handle,
		handleFetch,
		handleError,
		init,
		reroute,
		transport
	};
}
