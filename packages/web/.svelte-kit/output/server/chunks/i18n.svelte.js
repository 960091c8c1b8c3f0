import "./server.js";
// ../protocol/dist/json.js
/**
* Reads JSON that someone else wrote. Never throws.
*
* @example
* const parsed = parseJson('{"a":1}');
* if (parsed.ok && isJsonObject(parsed.value)) use(parsed.value);
*/
function parseJson(text) {
	try {
		return {
			ok: true,
			value: JSON.parse(text)
		};
	} catch (error) {
		return {
			ok: false,
			problem: error instanceof Error ? error.message : "not JSON"
		};
	}
}
// src/lib/browser-storage.ts
/** One datum of the page, kept in this browser. */
function stored(name, options) {
	const area = () => openArea(options.area ?? "local");
	const key = keyOf(name, options.version);
	return {
		get: () => readUpToDate(area(), name, options) ?? options.fallback,
		set: (value) => write(area(), key, JSON.stringify(value) === JSON.stringify(options.fallback) ? null : value),
		watch: (listener) => {
			const heard = (event) => {
				if (event.key !== key) return;
				listener(readText(event.newValue, options.read) ?? options.fallback);
			};
			addEventListener("storage", heard);
			return () => removeEventListener("storage", heard);
		}
	};
}
function readUpToDate(area, name, options) {
	const current = readText(area?.getItem(keyOf(name, options.version)) ?? null, options.read);
	if (current !== void 0 || area === null) return current;
	for (let version = options.version - 1; version > 0; version -= 1) {
		const text = area.getItem(keyOf(name, version));
		if (text === null) continue;
		area.removeItem(keyOf(name, version));
		const value = migrate(text, version, options);
		if (value === void 0) return void 0;
		write(area, keyOf(name, options.version), value);
		return options.read(value);
	}
}
function migrate(text, from, options) {
	const parsed = parseJson(text);
	let value = parsed.ok ? parsed.value : void 0;
	for (let version = from; version < options.version && value !== void 0; version += 1) value = options.migrations?.[version]?.(value);
	return value;
}
function readText(text, read) {
	if (text === null) return void 0;
	const parsed = parseJson(text);
	return parsed.ok ? read(parsed.value) : void 0;
}
function write(area, key, value) {
	try {
		if (value === null) area?.removeItem(key);
		else area?.setItem(key, JSON.stringify(value));
	} catch {}
}
function openArea(area) {
	try {
		return area === "local" ? localStorage : sessionStorage;
	} catch {
		return null;
	}
}
function keyOf(name, version) {
	return `toolyard:${name}:${String(version)}`;
}
// src/lib/i18n/catalogue.ts
/** The text of a key; English where a language lacks it, which only a faulty build can bring about. */
function lookUp(catalogue, key) {
	const dot = key.indexOf(".");
	return catalogue[key.slice(0, dot)]?.[key.slice(dot + 1)];
}
// src/lib/i18n/en/index.ts
var messages = {
	chat: {},
	common: {
		appName: "Toolyard",
		loading: "Loading",
		close: "Close",
		cancel: "Cancel",
		save: "Save",
		remove: "Remove",
		delete: "Delete",
		rename: "Rename",
		retry: "Try again",
		undo: "Undo",
		copy: "Copy",
		copied: "Copied",
		back: "Back",
		more: "More",
		settings: "Settings",
		newChat: "New chat",
		search: "Search",
		skipToContent: "Skip to the conversation",
		theme: "Appearance",
		themeSystem: "Like the system",
		themeLight: "Light",
		themeDark: "Dark",
		language: "Language",
		languageSystem: "Like the browser",
		shortcuts: "Keyboard shortcuts",
		shortcutSend: "Send",
		shortcutNewline: "New line",
		shortcutStop: "Stop the answer, or close what is open",
		shortcutNewChat: "New chat",
		shortcutSearch: "Search conversations",
		shortcutSidebar: "Show or hide the sidebar",
		shortcutHelp: "Show these shortcuts",
		connectionConnecting: "Connecting …",
		connectionLost: "The connection to the server is lost. Trying again …",
		connectionBack: "Connected again",
		connectionLostShort: "Not connected",
		notifications: "Notifications",
		tokenTitle: "This Toolyard asks for its token",
		tokenText: "It was printed where the server was started. Open the printed address, or paste the token here.",
		tokenLabel: "Token",
		tokenSubmit: "Continue",
		tokenWrong: "This is not the token of this server.",
		offlineTitle: "The server does not answer",
		offlineText: "Start it again with “toolyard serve”; this page goes on by itself."
	},
	composer: {},
	errors: {
		network: "The server could not be reached.",
		networkHint: "Is Toolyard still running? The page tries again by itself.",
		unreadable: "The server gave an answer this page does not understand (HTTP {status}).",
		pageTitle: "There is no such page",
		pageText: "The address {path} leads nowhere.",
		conversationTitle: "This conversation is not there",
		conversationText: "It may have been deleted, or the address is not complete.",
		brokenTitle: "Something went wrong in the page",
		brokenText: "Nothing of your conversations is lost: they are kept by the server. Loading the page again usually helps.",
		toNewChat: "To a new chat",
		reload: "Load again"
	},
	servers: {},
	settings: {},
	setup: {},
	sidebar: {
		label: "Conversations",
		show: "Show sidebar",
		hide: "Hide sidebar",
		searchLabel: "Search conversations",
		searchPlaceholder: "Search",
		clearSearch: "Clear search",
		pinned: "Pinned",
		today: "Today",
		yesterday: "Yesterday",
		week: "Previous 7 days",
		older: "Older",
		untitled: "New chat",
		empty: "Conversations will appear here.",
		nothingFound: "Nothing was found for “{query}”.",
		found: {
			one: "{count} conversation found",
			other: "{count} conversations found"
		},
		running: "Answering",
		waiting: "Waits for you",
		menu: "Options for “{title}”",
		rename: "Rename",
		renameLabel: "Title of the conversation",
		pin: "Pin",
		unpin: "Unpin",
		exportJson: "Export as JSON",
		exportMarkdown: "Export as Markdown",
		delete: "Delete",
		deleted: "“{title}” was deleted.",
		restored: "“{title}” is back.",
		failed: "The list could not be loaded.",
		loadingMore: "Loading more conversations"
	}
};
// src/lib/i18n/locale.ts
/** The languages of the page, each by its own name. */
var LOCALES = {
	en: "English",
	"zh-Hant": "繁體中文",
	"zh-Hans": "简体中文"
};
function isLocale(value) {
	return typeof value === "string" && Object.hasOwn(LOCALES, value);
}
/** The first language of the person's that the page has; English where it has none. */
function chooseLocale(wanted) {
	for (const tag of wanted) {
		const found = match(tag);
		if (found !== null) return found;
	}
	return "en";
}
function match(tag) {
	const parts = tag.toLowerCase().split(/[-_]/);
	if (parts[0] === "en") return "en";
	if (parts[0] === "yue") return parts.includes("hans") ? "zh-Hans" : "zh-Hant";
	if (parts[0] !== "zh") return null;
	if (parts.includes("hant")) return "zh-Hant";
	if (parts.includes("hans")) return "zh-Hans";
	return parts.some((part) => part === "tw" || part === "hk" || part === "mo") ? "zh-Hant" : "zh-Hans";
}
// src/lib/i18n/message.ts
/** Puts the values in their places; numbers are written as the language writes them. */
function formatMessage(text, values, locale) {
	return pick(text, values, locale).replace(/\{(\w+)\}/g, (whole, name) => {
		const value = values[name];
		if (value === void 0) return whole;
		return typeof value === "number" ? new Intl.NumberFormat(locale).format(value) : value;
	});
}
function pick(text, values, locale) {
	if (typeof text === "string") return text;
	const count = Number(values["count"] ?? 0);
	return new Intl.PluralRules(locale).select(count) === "one" ? text.one ?? text.other : text.other;
}
// src/lib/i18n/i18n.svelte.ts
var choice = stored("language", {
	version: 1,
	read: (value) => value === "system" || isLocale(value) ? value : void 0,
	fallback: "system"
});
var loaders = {
	en: async () => messages,
	"zh-Hant": async () => (await import("./zh-Hant.js")).messages,
	"zh-Hans": async () => (await import("./zh-Hans.js")).messages
};
var I18n = class {
	/** What the person chose; `system` follows the browser. */
	choice = "system";
	/** What the page is shown in. */
	locale = "en";
	#catalogue = messages;
	/** To be awaited before the first paint, so that the page never changes its language before one's eyes. */
	async start() {
		choice.watch((changed) => void this.#show(changed));
		await this.#show(choice.get());
	}
	async choose(wanted) {
		choice.set(wanted);
		await this.#show(wanted);
	}
	text(key) {
		return lookUp(this.#catalogue, key);
	}
	async #show(wanted) {
		const locale = wanted === "system" ? chooseLocale(navigator.languages) : wanted;
		const catalogue = await loaders[locale]();
		this.choice = wanted;
		this.locale = locale;
		this.#catalogue = catalogue;
		document.documentElement.lang = locale;
	}
};
var i18n = new I18n();
/**
* The text of a key in the language of the page, with its values in place. Read in a template it follows the language.
*
* @example
* t('chat.stop')
* t('chat.tools', { count: 3 })
*/
function t(key, ...values) {
	const text = i18n.text(key);
	return text === void 0 ? key : formatMessage(text, values[0] ?? {}, i18n.locale);
}
export { t as n, i18n as t };

//# sourceMappingURL=i18n.svelte.js.map