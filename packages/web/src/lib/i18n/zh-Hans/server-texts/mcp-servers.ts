export const mcpServers = {
  'The sandbox hides {0} from the server "{1}".': '沙箱对服务器“{1}”隐藏了 {0}。',
  'Allow it in the settings of the server, or in mcp.json with "sandbox": {0} or "write".':
    '请在服务器的设置中允许，或在 mcp.json 以“sandbox”: {0} 或“write”允许。',
  'The sandbox hides {0}. Allow it in the settings of the server, or in mcp.json with "sandbox": {1} or "write".':
    '沙箱隐藏了 {0}。请在服务器的设置中允许，或在 mcp.json 以“sandbox”: {1} 或“write”允许。',
  'Toolyard is shutting down.': 'Toolyard 正在关闭。',
  'The test was cancelled.': '测试已取消。',
  'The server id "{0}" is empty.': '服务器识别码“{0}”是空的。',
  'The server id "{0}" contains a slash.': '服务器识别码“{0}”含有斜线。',
  'The server id "{0}" is used twice.': '服务器识别码“{0}”重复使用。',
  'Give every server a unique id without slashes.': '请为每个服务器指定不含斜线的唯一识别码。',
  'The server sent a message of more than {0} MB, which exceeds the limit.':
    '服务器发送超过 {0} MB 的消息，已超出上限。',
  'The server "{0}" is built into Toolyard, but no server "{1}" is registered here.':
    '服务器“{0}”内置于 Toolyard，但此处没有登录服务器“{1}”。',
  'The server "{0}" is a local server (stdio), which cannot be started here.':
    '服务器“{0}”是本地服务器（stdio），无法在此启动。',
  'Use Toolyard on Node to run it, or connect over HTTP.': '请在 Node 上使用 Toolyard 运行，或以 HTTP 连接。',
  'The URL of the server "{0}" is not {1}.': '服务器“{0}”的 URL 不是{1}。',
  'an http or https URL': 'http 或 https URL',
  'a ws or wss URL': 'ws 或 wss URL',
  'Use a complete URL, for example {0}.': '请使用完整的 URL，例如 {0}。',
  'Browsers cannot send headers with a WebSocket.': '浏览器无法在 WebSocket 中发送标头。',
  'Remove the headers from the configuration of the server, or let the Toolyard server connect to it.':
    '请从服务器的设置移除标头，或由 Toolyard 服务器连接。',
  'The server "{0}" uses a WebSocket, which is not supported here.': '服务器“{0}”使用 WebSocket，此处不支持。',
  'Use Node 22 or newer, or connect over HTTP.': '请使用 Node 22 或更新版本，或以 HTTP 连接。',
  'The server "{0}" requested input during the call: {1} The call has not finished.':
    '服务器“{0}”在调用期间要求输入：{1}调用尚未完成。',
  'it could not be answered.': '无法答复。',
  '{0} no longer has the server "{1}".': '{0} 不再有服务器“{1}”。',
  'The server "{0}" is a legacy plugin, which cannot be used here.': '服务器“{0}”是旧版插件，无法在这里使用。',
  'Add it to Toolyard on Node: its server calls the plugin.':
    '请将它添加到在 Node 上运行的 Toolyard：由其服务器调用插件。',
  '{0}: "auth" cannot be used: {1}.': '{0}：无法使用“auth”：{1}。',
  'Supported are none, bearer, basic, api_key, service_http and user_http.':
    '支持 none、bearer、basic、api_key、service_http 和 user_http。',
  'The plugin needs settings that are not set: {0}.': '插件需要尚未设置的项：{0}。',
  'Fill in the settings of the plugin: Settings > Tools.': '请填写插件的设置：设置 > 工具。',
  'The documents of the plugin could not be read within {0} s.': '无法在 {0} 秒内读取插件的文档。',
  'The document of the plugin at {0} cannot be reached ({1}).': '无法连接到插件位于 {0} 的文档（{1}）。',
  'Check the URL, and that the plugin is running.': '请检查 URL，并确认插件正在运行。',
  'The document of the plugin at {0} could not be read (HTTP {1}).': '无法读取插件位于 {0} 的文档（HTTP {1}）。',
  'Check the URL of the plugin.': '请检查插件的 URL。',
  'Use the URL of a plugin manifest (JSON) or of an OpenAPI 3 document (JSON or YAML).':
    '请使用插件清单（JSON）或 OpenAPI 3 文档（JSON 或 YAML）的 URL。',
  'The server "{0}" is not a legacy plugin.': '服务器“{0}”不是旧版插件。',
  'Settings of plugins cannot be stored here.': '这里无法保存插件的设置。',
  'Write them into "settings" of the entry in mcp.json.': '请将它们写入 mcp.json 中该条目的“settings”。',
  'The settings do not match their schema: {0}': '设置不符合其架构：{0}',
  'Reconnect to create another one.': '请重新连接以创建新的服务器。',
  'The server "{0}" was removed and deleted at {1}, but the mcp.json of this process still lists it.':
    '服务器“{0}”已在 {1} 移除并删除，但此进程的 mcp.json 仍列出它。',
  'Update the mcp.json of this process. To use the server again, add it again on the page, or save it there again.':
    '请更新此进程的 mcp.json。若要再次使用，请在页面重新添加，或在那里再次保存。',
  'The server "{0}" ({1}, hosted by {2}) requires a sign-in.': '服务器“{0}”（{1}，由 {2} 代管）需要登录。',
  'Sign in at {0}, then reconnect.': '请在 {0} 登录，然后重新连接。',
  'Open {0} and sign in, then reconnect.': '请打开 {0} 并登录，然后重新连接。',
  '{0} created the server "{1}" but returned no safe URL for it.': '{0} 创建了服务器“{1}”，但没有返回安全的 URL。',
  'Try again later. If it persists, the API of the service has changed.':
    '请稍后再试。若持续发生，表示该服务的 API 已更改。',
  '{0}, which hosts the server "{1}", cannot be reached at {2} ({3}).':
    '无法在 {2} 连接到代管服务器“{1}”的 {0}（{3}）。',
  'Check the Internet connection, and the URL of the service if you have set one.':
    '请检查互联网连接；若设置了该服务的 URL，也请检查。',
  'Wait a while, or check the limits of your account there.': '请稍候，或检查您在该服务的账户限制。',
  'Check "server": {0} may not offer one named "{1}".': '请检查“server”：{0} 可能没有名为“{1}”的服务器。',
  'Try again later.': '请稍后再试。',
  'The server "{0}" now names {1} as its authorization server, but its client was registered at {2} and is not sent to any other.':
    '服务器“{0}”现在指定 {1} 为授权服务器，但其客户端登录于 {2}，不会送往其他地方。',
  'If that is correct, set "issuer" of the server to the new one, and the client registered there.':
    '若正确，请将服务器的“issuer”设为新的授权服务器，并设置在那里登录的客户端。',
  '{0} did not register Toolyard as a client ({1}).': '{0} 没有将 Toolyard 登录为客户端（{1}）。',
  '{0} did not register Toolyard as a client.': '{0} 没有将 Toolyard 登录为客户端。',
  'Register a client there manually with the redirect URI {0}, and set its "clientId" in the configuration of "{1}".':
    '请在那里以重定向 URI {0} 手动登录客户端，并在“{1}”的设置中设置其“clientId”。',
  '"clientMetadataUrl" must be an https URL with a path.': '“clientMetadataUrl”必须是含有路径的 https URL。',
  'The authorization server of "{0}", {1}, accepts only clients that were registered manually.':
    '“{0}”的授权服务器 {1} 只接受手动登录的客户端。',
  'Register Toolyard there with the redirect URI {0}, and set "clientId" (and "clientSecret") under "oauth" of the server.':
    '请在那里以重定向 URI {0} 登录 Toolyard，并在服务器的“oauth”设置“clientId”（与“clientSecret”）。',
  'Register Toolyard there, and set "clientId" (and "clientSecret") under "oauth" of the server.':
    '请在那里登录 Toolyard，并在服务器的“oauth”设置“clientId”（与“clientSecret”）。',
  'The resource metadata of the server "{0}" names {1}, which is not its URL, so Toolyard does not sign in.':
    '服务器“{0}”的资源中继数据指定 {1}，并非其 URL，因此 Toolyard 不会登录。',
  'Check the URL of the server. If it is correct, its operator must correct the metadata.':
    '请检查服务器的 URL。若正确，须由其管理员修正中继数据。',
  'The server "{0}" names the authorization server {1}, but its configuration expects {2}.':
    '服务器“{0}”指定授权服务器 {1}，但其设置预期为 {2}。',
  'If the new one is correct, change "issuer" of the server.': '若新的正确，请更改服务器的“issuer”。',
  'The authorization server of "{0}" does not declare PKCE with S256, which protects sign-ins from being stolen.':
    '“{0}”的授权服务器未声明 PKCE S256，它可防止登录遭窃。',
  'If you know that it supports S256, set "assumePkce" of the server.':
    '若您确定它支持 S256，请设置服务器的“assumePkce”。',
  'Ask its operator to support S256.': '请要求其管理员支持 S256。',
  'Toolyard could not get a token for "{0}" ({1}).': 'Toolyard 无法获取“{0}”的令牌（{1}）。',
  'Toolyard could not get a token for "{0}".': 'Toolyard 无法获取“{0}”的令牌。',
  'Check "oauth" of the server.': '请检查服务器的“oauth”。',
  'Signing in failed: {0} failed ({1}).': '登录失败：{0} 失败（{1}）。',
  'Try again. If it keeps failing, the authorization server is down or unreachable from here.':
    '请再试一次。若持续失败，表示授权服务器停止运作或无法从此处连接到。',
  '"{0}" needs no sign-in: its configuration contains a grant with which Toolyard gets its tokens.':
    '“{0}”不需要登录：其设置含有 Toolyard 用来获取令牌的授权。',
  'Reconnect; if that fails, see its log.': '请重新连接；若失败，请查看其记录。',
  'The URL of "{0}" was changed during the sign-in, so the sign-in was discarded.':
    '“{0}”的 URL 在登录期间更改，因此放弃了登录。',
  'Toolyard does not use the {0} of the authorization server: it {1}.': 'Toolyard 不使用授权服务器的 {0}：{1}。',
  'The authorization server is misconfigured or malicious. Ask its operator.':
    '授权服务器设置错误或有恶意。请询问其管理员。',
  'Signing in is not possible on this page, because it was not loaded over https.':
    '此页面不是通过 https 加载，因此无法登录。',
  'Open Toolyard over https, or on the machine it runs on.': '请通过 https，或在运行 Toolyard 的机器上打开。',
  'It is not a remote HTTP server, has a token in its headers, or was removed.':
    '它不是远程 HTTP 服务器、标头中已有令牌，或已移除。',
  'This host does not support signing in to servers.': '此处不支持登录服务器。',
  'The sign-in to "{0}" could not be refreshed: the authorization server failed.':
    '无法更新“{0}”的登录：授权服务器失败。',
  'Try again; the log of the server shows its response.': '请再试一次；服务器的日志会显示其响应。',
  'The sign-in to "{0}" is being changed by several processes at once.': '多个进程正同时更改“{0}”的登录。',
  'The server "{0}" needs no approval.': '服务器“{0}”不需要批准。',
  '{0} The previous version stays in use.': '{0}继续使用先前的版本。',
  'Toolyard follows at most {0} resources at the same time.': 'Toolyard 最多同时追踪 {0} 个资源。',
  'Close pages that show resources.': '请关闭显示资源的页面。',
  'Enter its value, or use ${env:NAME} and set that variable in the environment of the server.':
    '请输入其值，或使用 ${env:NAME} 并在服务器的环境中设置该变量。',
};
