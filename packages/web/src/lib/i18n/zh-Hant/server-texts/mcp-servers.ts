export const mcpServers = {
  'The sandbox hides {0} from the server "{1}".': '沙箱對伺服器「{1}」隱藏了 {0}。',
  'Allow it in the settings of the server, or in mcp.json with "sandbox": {0} or "write".':
    '請在伺服器的設定中允許，或在 mcp.json 以「sandbox」: {0} 或「write」允許。',
  'The sandbox hides {0}. Allow it in the settings of the server, or in mcp.json with "sandbox": {1} or "write".':
    '沙箱隱藏了 {0}。請在伺服器的設定中允許，或在 mcp.json 以「sandbox」: {1} 或「write」允許。',
  'Toolyard is shutting down.': 'Toolyard 正在關閉。',
  'The test was cancelled.': '測試已取消。',
  'The server id "{0}" is empty.': '伺服器識別碼「{0}」是空的。',
  'The server id "{0}" contains a slash.': '伺服器識別碼「{0}」含有斜線。',
  'The server id "{0}" is used twice.': '伺服器識別碼「{0}」重複使用。',
  'Give every server a unique id without slashes.': '請為每個伺服器指定不含斜線的唯一識別碼。',
  'The server sent a message of more than {0} MB, which exceeds the limit.':
    '伺服器送出超過 {0} MB 的訊息，已超出上限。',
  'The server "{0}" is built into Toolyard, but no server "{1}" is registered here.':
    '伺服器「{0}」內建於 Toolyard，但此處沒有登錄伺服器「{1}」。',
  'The server "{0}" is a local server (stdio), which cannot be started here.':
    '伺服器「{0}」是本機伺服器（stdio），無法在此啟動。',
  'Use Toolyard on Node to run it, or connect over HTTP.': '請在 Node 上使用 Toolyard 執行，或以 HTTP 連線。',
  'The URL of the server "{0}" is not {1}.': '伺服器「{0}」的 URL 不是{1}。',
  'an http or https URL': 'http 或 https URL',
  'a ws or wss URL': 'ws 或 wss URL',
  'Use a complete URL, for example {0}.': '請使用完整的 URL，例如 {0}。',
  'Browsers cannot send headers with a WebSocket.': '瀏覽器無法在 WebSocket 中傳送標頭。',
  'Remove the headers from the configuration of the server, or let the Toolyard server connect to it.':
    '請從伺服器的設定移除標頭，或由 Toolyard 伺服器連線。',
  'The server "{0}" uses a WebSocket, which is not supported here.': '伺服器「{0}」使用 WebSocket，此處不支援。',
  'Use Node 22 or newer, or connect over HTTP.': '請使用 Node 22 或更新版本，或以 HTTP 連線。',
  'The server "{0}" requested input during the call: {1} The call has not finished.':
    '伺服器「{0}」在呼叫期間要求輸入：{1}呼叫尚未完成。',
  'it could not be answered.': '無法回覆。',
  '{0} no longer has the server "{1}".': '{0} 不再有伺服器「{1}」。',
  'The server "{0}" is a legacy plugin, which cannot be used here.': '伺服器「{0}」是舊版外掛，無法在這裡使用。',
  'Add it to Toolyard on Node: its server calls the plugin.':
    '請將它新增到在 Node 上執行的 Toolyard：由其伺服器呼叫外掛。',
  '{0}: "auth" cannot be used: {1}.': '{0}：無法使用「auth」：{1}。',
  'Supported are none, bearer, basic, api_key, service_http and user_http.':
    '支援 none、bearer、basic、api_key、service_http 和 user_http。',
  'The plugin needs settings that are not set: {0}.': '外掛需要尚未設定的項目：{0}。',
  'Fill in the settings of the plugin: Settings > Tools.': '請填寫外掛的設定：設定 > 工具。',
  'The documents of the plugin could not be read within {0} s.': '無法在 {0} 秒內讀取外掛的文件。',
  'The document of the plugin at {0} cannot be reached ({1}).': '無法連線到外掛位於 {0} 的文件（{1}）。',
  'Check the URL, and that the plugin is running.': '請檢查 URL，並確認外掛正在執行。',
  'The document of the plugin at {0} could not be read (HTTP {1}).': '無法讀取外掛位於 {0} 的文件（HTTP {1}）。',
  'Check the URL of the plugin.': '請檢查外掛的 URL。',
  'Use the URL of a plugin manifest (JSON) or of an OpenAPI 3 document (JSON or YAML).':
    '請使用外掛資訊清單（JSON）或 OpenAPI 3 文件（JSON 或 YAML）的 URL。',
  'The server "{0}" is not a legacy plugin.': '伺服器「{0}」不是舊版外掛。',
  'Settings of plugins cannot be stored here.': '這裡無法儲存外掛的設定。',
  'Write them into "settings" of the entry in mcp.json.': '請將它們寫入 mcp.json 中該項目的「settings」。',
  'The settings do not match their schema: {0}': '設定不符合其結構描述：{0}',
  'Reconnect to create another one.': '請重新連線以建立新的伺服器。',
  'The server "{0}" was removed and deleted at {1}, but the mcp.json of this process still lists it.':
    '伺服器「{0}」已在 {1} 移除並刪除，但此處理程序的 mcp.json 仍列出它。',
  'Update the mcp.json of this process. To use the server again, add it again on the page, or save it there again.':
    '請更新此處理程序的 mcp.json。若要再次使用，請在頁面重新新增，或在那裡再次儲存。',
  'The server "{0}" ({1}, hosted by {2}) requires a sign-in.': '伺服器「{0}」（{1}，由 {2} 代管）需要登入。',
  'Sign in at {0}, then reconnect.': '請在 {0} 登入，然後重新連線。',
  'Open {0} and sign in, then reconnect.': '請開啟 {0} 並登入，然後重新連線。',
  '{0} created the server "{1}" but returned no safe URL for it.': '{0} 建立了伺服器「{1}」，但沒有傳回安全的 URL。',
  'Try again later. If it persists, the API of the service has changed.':
    '請稍後再試。若持續發生，表示該服務的 API 已變更。',
  '{0}, which hosts the server "{1}", cannot be reached at {2} ({3}).':
    '無法在 {2} 連上代管伺服器「{1}」的 {0}（{3}）。',
  'Check the Internet connection, and the URL of the service if you have set one.':
    '請檢查網際網路連線；若設定了該服務的 URL，也請檢查。',
  'Wait a while, or check the limits of your account there.': '請稍候，或檢查您在該服務的帳戶限制。',
  'Check "server": {0} may not offer one named "{1}".': '請檢查「server」：{0} 可能沒有名為「{1}」的伺服器。',
  'Try again later.': '請稍後再試。',
  'The server "{0}" now names {1} as its authorization server, but its client was registered at {2} and is not sent to any other.':
    '伺服器「{0}」現在指定 {1} 為授權伺服器，但其用戶端登錄於 {2}，不會送往其他地方。',
  'If that is correct, set "issuer" of the server to the new one, and the client registered there.':
    '若正確，請將伺服器的「issuer」設為新的授權伺服器，並設定在那裡登錄的用戶端。',
  '{0} did not register Toolyard as a client ({1}).': '{0} 沒有將 Toolyard 登錄為用戶端（{1}）。',
  '{0} did not register Toolyard as a client.': '{0} 沒有將 Toolyard 登錄為用戶端。',
  'Register a client there manually with the redirect URI {0}, and set its "clientId" in the configuration of "{1}".':
    '請在那裡以重新導向 URI {0} 手動登錄用戶端，並在「{1}」的設定中設定其「clientId」。',
  '"clientMetadataUrl" must be an https URL with a path.': '「clientMetadataUrl」必須是含有路徑的 https URL。',
  'The authorization server of "{0}", {1}, accepts only clients that were registered manually.':
    '「{0}」的授權伺服器 {1} 只接受手動登錄的用戶端。',
  'Register Toolyard there with the redirect URI {0}, and set "clientId" (and "clientSecret") under "oauth" of the server.':
    '請在那裡以重新導向 URI {0} 登錄 Toolyard，並在伺服器的「oauth」設定「clientId」（與「clientSecret」）。',
  'Register Toolyard there, and set "clientId" (and "clientSecret") under "oauth" of the server.':
    '請在那裡登錄 Toolyard，並在伺服器的「oauth」設定「clientId」（與「clientSecret」）。',
  'The resource metadata of the server "{0}" names {1}, which is not its URL, so Toolyard does not sign in.':
    '伺服器「{0}」的資源中繼資料指定 {1}，並非其 URL，因此 Toolyard 不會登入。',
  'Check the URL of the server. If it is correct, its operator must correct the metadata.':
    '請檢查伺服器的 URL。若正確，須由其管理者修正中繼資料。',
  'The server "{0}" names the authorization server {1}, but its configuration expects {2}.':
    '伺服器「{0}」指定授權伺服器 {1}，但其設定預期為 {2}。',
  'If the new one is correct, change "issuer" of the server.': '若新的正確，請變更伺服器的「issuer」。',
  'The authorization server of "{0}" does not declare PKCE with S256, which protects sign-ins from being stolen.':
    '「{0}」的授權伺服器未宣告 PKCE S256，它可防止登入遭竊。',
  'If you know that it supports S256, set "assumePkce" of the server.':
    '若您確定它支援 S256，請設定伺服器的「assumePkce」。',
  'Ask its operator to support S256.': '請要求其管理者支援 S256。',
  'Toolyard could not get a token for "{0}" ({1}).': 'Toolyard 無法取得「{0}」的權杖（{1}）。',
  'Toolyard could not get a token for "{0}".': 'Toolyard 無法取得「{0}」的權杖。',
  'Check "oauth" of the server.': '請檢查伺服器的「oauth」。',
  'Signing in failed: {0} failed ({1}).': '登入失敗：{0} 失敗（{1}）。',
  'Try again. If it keeps failing, the authorization server is down or unreachable from here.':
    '請再試一次。若持續失敗，表示授權伺服器停止運作或無法從此處連上。',
  '"{0}" needs no sign-in: its configuration contains a grant with which Toolyard gets its tokens.':
    '「{0}」不需要登入：其設定含有 Toolyard 用來取得權杖的授權。',
  'Reconnect; if that fails, see its log.': '請重新連線；若失敗，請查看其紀錄。',
  'The URL of "{0}" was changed during the sign-in, so the sign-in was discarded.':
    '「{0}」的 URL 在登入期間變更，因此捨棄了登入。',
  'Toolyard does not use the {0} of the authorization server: it {1}.': 'Toolyard 不使用授權伺服器的 {0}：{1}。',
  'The authorization server is misconfigured or malicious. Ask its operator.':
    '授權伺服器設定錯誤或有惡意。請詢問其管理者。',
  'Signing in is not possible on this page, because it was not loaded over https.':
    '此頁面不是透過 https 載入，因此無法登入。',
  'Open Toolyard over https, or on the machine it runs on.': '請透過 https，或在執行 Toolyard 的機器上開啟。',
  'It is not a remote HTTP server, has a token in its headers, or was removed.':
    '它不是遠端 HTTP 伺服器、標頭中已有權杖，或已移除。',
  'This host does not support signing in to servers.': '此處不支援登入伺服器。',
  'The sign-in to "{0}" could not be refreshed: the authorization server failed.':
    '無法更新「{0}」的登入：授權伺服器失敗。',
  'Try again; the log of the server shows its response.': '請再試一次；伺服器的紀錄會顯示其回應。',
  'The sign-in to "{0}" is being changed by several processes at once.': '多個處理程序正同時變更「{0}」的登入。',
  'The server "{0}" needs no approval.': '伺服器「{0}」不需要核准。',
  '{0} The previous version stays in use.': '{0}繼續使用先前的版本。',
  'Toolyard follows at most {0} resources at the same time.': 'Toolyard 最多同時追蹤 {0} 個資源。',
  'Close pages that show resources.': '請關閉顯示資源的頁面。',
  'Enter its value, or use ${env:NAME} and set that variable in the environment of the server.':
    '請輸入其值，或使用 ${env:NAME} 並在伺服器的環境中設定該變數。',
};
