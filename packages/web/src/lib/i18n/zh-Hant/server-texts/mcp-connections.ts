export const mcpConnections = {
  'Skipped: {0}': '已略過：{0}',
  '{0} more findings are not shown.': '另有 {0} 項未顯示。',
  'Listing the tools took {0}.': '列出工具花了 {0}。',
  'Connecting took {0}.': '連線花了 {0}。',
  'The server uses MCP 2024-11-05, the oldest version.': '伺服器使用最舊的 MCP 2024-11-05 版本。',
  'The instructions contain invisible characters, which may hide instructions from you.':
    '說明含有不可見字元，可能對您隱藏指示。',
  'The definition contains invisible characters, which may hide instructions from you.':
    '定義含有不可見字元，可能對您隱藏指示。',
  'The server offers no tools, resources or prompts.': '伺服器沒有提供工具、資源或提示。',
  'The server offers {0} tools; some providers accept {1} in all. Disable some.':
    '伺服器提供 {0} 個工具；有些供應商總共只接受 {1} 個。請停用一部分。',
  'The tools add about {0} tokens to every request. Disable those you do not use.':
    '這些工具讓每個請求增加約 {0} 個詞元。請停用您不使用的工具。',
  'Providers do not accept this name; models see it as "{0}".': '供應商不接受此名稱；模型看到的是「{0}」。',
  'The tool has no description; a model can only go by its name.': '工具沒有描述；模型只能依名稱判斷。',
  'The description has {0} characters.': '描述有 {0} 個字元。',
  'The definition adds about {0} tokens to every request.': '定義讓每個請求增加約 {0} 個詞元。',
  'The annotations say both read-only and destructive.': '註解同時宣告唯讀與破壞性。',
  'No description for "{0}".': '「{0}」沒有描述。',
  'No description for {0}.': '{0} 沒有描述。',
  'The names {0} are easily confused.': '名稱 {0} 容易混淆。',
  'No tool has annotations: Toolyard treats them as possibly destructive.':
    '沒有工具具有註解：Toolyard 視其為可能具破壞性。',
  '{0} tools have no annotations: Toolyard treats them as possibly destructive.':
    '{0} 個工具沒有註解：Toolyard 視其為可能具破壞性。',
  'No sandbox is available for {0}.': '{0} 沒有可用的沙箱。',
  'Use Linux, macOS, WSL 2 or Docker.': '請使用 Linux、macOS、WSL 2 或 Docker。',
  'bubblewrap does not work here: {0}': 'bubblewrap 在此無法運作：{0}',
  'bubblewrap is not installed.': '未安裝 bubblewrap。',
  'Install the package "bubblewrap" (apt, dnf, pacman, zypper or apk), then restart Toolyard.':
    '請安裝套件「bubblewrap」（apt、dnf、pacman、zypper 或 apk），然後重新啟動 Toolyard。',
  '{0}. Toolyard runs in a container that does not allow user namespaces.':
    '{0}。Toolyard 在不允許使用者命名空間的容器中執行。',
  'The container isolates local servers from the machine, but not from Toolyard or one another. To allow namespaces, start it with a seccomp profile that permits unshare, mount and pivot_root (Docker: {0}).':
    '容器會將本機伺服器與主機隔離，但不會與 Toolyard 或彼此隔離。若要允許命名空間，請以允許 unshare、mount 與 pivot_root 的 seccomp 設定檔啟動容器（Docker：{0}）。',
  '{0}. AppArmor denies user namespaces to programs without a profile (Ubuntu 23.10 and newer).':
    '{0}。AppArmor 拒絕沒有設定檔的程式使用使用者命名空間（Ubuntu 23.10 以上）。',
  'Give bubblewrap a profile: write {0} to /etc/apparmor.d/bwrap, run {1}, then restart Toolyard.':
    '請為 bubblewrap 建立設定檔：將 {0} 寫入 /etc/apparmor.d/bwrap，執行 {1}，然後重新啟動 Toolyard。',
  'The system seems to deny user namespaces to this user. Check SELinux or AppArmor (journalctl -k) and the limits in /proc/sys/user, then restart Toolyard.':
    '系統似乎拒絕此使用者使用使用者命名空間。請檢查 SELinux 或 AppArmor（journalctl -k）與 /proc/sys/user 的限制，然後重新啟動 Toolyard。',
  '{0}. The kernel setting {1} is 0, which denies user namespaces.': '{0}。核心設定 {1} 為 0，會拒絕使用者命名空間。',
  'Run {0} and {1}, then restart Toolyard.': '請執行 {0} 與 {1}，然後重新啟動 Toolyard。',
  '{0} It was reached by a redirect from {1}.': '{0}這是由 {1} 重新導向而來。',
  'This link is not a valid URL.': '此連結不是有效的 URL。',
  'This link has a user name before its host, which can disguise where it leads.':
    '此連結的主機前有使用者名稱，可能掩飾其去向。',
  'This link uses http:// and leads to another machine.': '此連結使用 http:// 並通往另一台機器。',
  'Links that begin with "{0}" are not opened.': '不會開啟以「{0}」開頭的連結。',
  'Only https:// links are opened, and http:// links on this machine.':
    '只會開啟 https:// 連結，以及這台機器上的 http:// 連結。',
  'This is not a valid URL.': '這不是有效的 URL。',
  'A valid URL looks like {0}.': '有效的 URL 形式如 {0}。',
  'URLs that begin with {0} are not fetched.': '不會擷取以 {0} 開頭的 URL。',
  'Use a URL that begins with https:// or http://.': '請使用以 https:// 或 http:// 開頭的 URL。',
  '{0} is not encrypted, and only https:// is accepted here.': '{0} 未加密，此處只接受 https://。',
  'Use a URL that begins with https://.': '請使用以 https:// 開頭的 URL。',
  'The URL at {0} contains a user name or password.': '{0} 的 URL 含有使用者名稱或密碼。',
  'Remove the part between // and @; put credentials in a header or in the settings.':
    '請移除 // 與 @ 之間的部分，並將憑證放在標頭或設定中。',
  '{0} is not on the list of allowed URLs.': '{0} 不在允許的 URL 清單中。',
  'The operator of this server maintains the list.': '此清單由這個伺服器的管理者維護。',
  'Port {0} is blocked for HTTP requests.': '連接埠 {0} 不允許 HTTP 請求。',
  'It is reserved for another protocol; check the port in the URL.': '它保留給其他通訊協定；請檢查 URL 中的連接埠。',
  '{0}, and is not configured in Toolyard.': '{0}，且未在 Toolyard 中設定。',
  'URLs from models, pages, servers and redirects may only lead to the public internet. To use this URL, enter it in the settings.':
    '來自模型、頁面、伺服器與重新導向的 URL 只能通往公開的網際網路。若要使用此 URL，請在設定中輸入。',
  '{0} redirects more than {1} times.': '{0} 重新導向超過 {1} 次。',
  'Use the URL at which the redirects end.': '請使用重新導向結束的 URL。',
  '{0} redirects in a loop.': '{0} 循環重新導向。',
  'Fix the redirects of this server.': '請修正此伺服器的重新導向。',
  '{0} redirects, and redirects are not allowed here.': '{0} 會重新導向，而此處不允許。',
  'Use the URL it redirects to, if you trust it.': '若您信任它，請使用重新導向後的 URL。',
  'A redirect to {0} requires sending the body again, which was a stream and is consumed.':
    '重新導向到 {0} 需要再次傳送內容，但內容是已讀完的串流。',
  'Use the URL of the redirect.': '請使用重新導向的 URL。',
  'A redirect to {0} would send the body without encryption.': '重新導向到 {0} 會在未加密的情況下傳送內容。',
  'Use a URL whose redirects stay with https://.': '請使用重新導向後仍為 https:// 的 URL。',
  'The server "{0}" cannot be started: the command "{1}" was not found.': '無法啟動伺服器「{0}」：找不到指令「{1}」。',
  'Install it, or use its absolute path. Applications started from a desktop often have a shorter PATH than a terminal.':
    '請安裝它，或使用絕對路徑。從桌面啟動的應用程式，其 PATH 通常比終端機短。',
  'The server "{0}" cannot be started: "{1}" is not executable.': '無法啟動伺服器「{0}」：「{1}」無法執行。',
  'Make the file executable, or use the interpreter as the command and the file as its argument.':
    '請將檔案設為可執行，或以直譯器為指令、以檔案為引數。',
  'The server "{0}" cannot be started: its working folder "{1}" does not exist.':
    '無法啟動伺服器「{0}」：工作資料夾「{1}」不存在。',
  'Correct "cwd" of the server.': '請修正伺服器的「cwd」。',
  'The server "{0}" cannot be started ({1}).': '無法啟動伺服器「{0}」（{1}）。',
  'Run its command in a terminal to see the cause.': '請在終端機執行其指令以查看原因。',
  'The server "{0}" exited with code {1} while {2}. It wrote nothing to standard error.':
    '伺服器「{0}」在{2}時結束，代碼 {1}。標準錯誤沒有輸出。',
  'The server "{0}" exited with code {1} while {2}. Its last lines on standard error:{3}':
    '伺服器「{0}」在{2}時結束，代碼 {1}。標準錯誤的最後幾行：{3}',
  'The server "{0}" was killed by {1} while {2}. It wrote nothing to standard error.':
    '伺服器「{0}」在{2}時被 {1} 終止。標準錯誤沒有輸出。',
  'The server "{0}" was killed by {1} while {2}. Its last lines on standard error:{3}':
    '伺服器「{0}」在{2}時被 {1} 終止。標準錯誤的最後幾行：{3}',
  'Run its command in a terminal to see what is missing: arguments, environment variables, packages.':
    '請在終端機執行其指令，查看缺少什麼：引數、環境變數或套件。',
  starting: '啟動',
  initializing: '初始化',
  'listing its tools': '列出工具',
  connected: '連線中',
  disconnecting: '中斷連線',
  'The server "{0}" was stopped while {1}: it {2}.': '伺服器「{0}」在{1}時被停止：{2}。',
  'used more than its limit of {0} MB of memory': '記憶體用量超過上限 {0} MB',
  'started more than its limit of {0} processes': '行程數超過上限 {0} 個',
  'wrote more than its limit of {0} MB to disk within five minutes': '五分鐘內寫入磁碟超過上限 {0} MB',
  'wrote a file larger than its limit of {0} MB': '寫入的檔案超過上限 {0} MB',
  'If it needs more, raise "sandbox.limits.{0}" of its entry in mcp.json.':
    '若需要更多，請提高 mcp.json 中其項目的「sandbox.limits.{0}」。',
  'The server "{0}" sent a line longer than {1} MB while {2} and was stopped.':
    '伺服器「{0}」在{2}時送出超過 {1} MB 的一行，已將其停止。',
  'It is not an MCP server, or one of its results is too large.': '它不是 MCP 伺服器，或某個結果過大。',
  'The server "{0}" closed the connection while {1} ({2}).': '伺服器「{0}」在{1}時關閉了連線（{2}）。',
  'The server "{0}" closed the connection while {1}.': '伺服器「{0}」在{1}時關閉了連線。',
  'The server "{0}" cannot be reached at {1} ({2}).': '無法在 {1} 連上伺服器「{0}」（{2}）。',
  'The server "{0}" cannot be reached ({1}).': '無法連上伺服器「{0}」（{1}）。',
  'Check that the server runs and that host and port are correct.':
    '請檢查伺服器是否正在執行，以及主機與連接埠是否正確。',
  'Check that the server runs and that its URL is correct.': '請檢查伺服器是否正在執行，以及其 URL 是否正確。',
  'Check that the server runs.': '請檢查伺服器是否正在執行。',
  'The server "{0}" was not ready within {1}; it stopped responding while {2}. Its last lines on standard error:{3}':
    '伺服器「{0}」在 {1} 內未就緒；它在{2}時停止回應。標準錯誤的最後幾行：{3}',
  'The server "{0}" was not ready within {1}; it stopped responding while {2}.':
    '伺服器「{0}」在 {1} 內未就緒；它在{2}時停止回應。',
  'It printed {0} line(s) that are not MCP messages: check that the command starts an MCP server.':
    '它輸出了 {0} 行不是 MCP 訊息的內容：請檢查指令是否會啟動 MCP 伺服器。',
  'The server may still be starting: set a longer connect timeout.': '伺服器可能仍在啟動：請延長連線逾時。',
  '{0} may still be downloading: set a longer connect timeout, or run the command once in a terminal.':
    '{0} 可能仍在下載：請延長連線逾時，或先在終端機執行一次指令。',
  'The server "{0}" denied access (HTTP 403) while {1}.': '伺服器「{0}」在{1}時拒絕存取（HTTP 403）。',
  'Check the token, and whether the server allows this client.': '請檢查權杖，以及伺服器是否允許此用戶端。',
  'The server "{0}" is unavailable (HTTP {1}).': '伺服器「{0}」無法使用（HTTP {1}）。',
  'The answer comes from a proxy or gateway; check that the server itself runs.':
    '回應來自代理伺服器或閘道；請檢查伺服器本身是否正在執行。',
  'The server "{0}" failed (HTTP {1}) while {2}.': '伺服器「{0}」在{2}時失敗（HTTP {1}）。',
  'See the log of the server.': '請查看伺服器的紀錄。',
  'The server "{0}" redirected to another URL (HTTP {1}), which Toolyard does not follow while {2}.':
    '伺服器「{0}」在{2}時重新導向到另一個 URL（HTTP {1}），Toolyard 不會跟隨。',
  'If the new URL is correct, use it in the configuration.': '如果新的 URL 正確，請在設定中使用。',
  'The server "{0}" rejected the request (HTTP {1}) while {2}.': '伺服器「{0}」在{2}時拒絕請求（HTTP {1}）。',
  'The server "{0}" accepts no requests at the moment (HTTP {1}) while {2}.':
    '伺服器「{0}」在{2}時暫不接受請求（HTTP {1}）。',
  '{0} The server says: "{1}"': '{0}伺服器的說明：「{1}」',
  'The server "{0}" answered with an error: {1} ({2}) while {3}.': '伺服器「{0}」在{3}時回應錯誤：{1}（{2}）。',
  'The server "{0}" uses protocol version {1}, which Toolyard does not support.':
    '伺服器「{0}」使用 Toolyard 不支援的協定版本 {1}。',
  'Update Toolyard, or use a version of the server that supports an older protocol version.':
    '請更新 Toolyard，或使用支援較舊協定版本的伺服器版本。',
  '"{0}" at {1} is not an MCP server: {2} while {3}.': '{1} 的「{0}」不是 MCP 伺服器：{3}時{2}。',
  'the response is not an MCP message': '回應不是 MCP 訊息',
  'Check that the command starts an MCP server that uses standard input and output.':
    '請檢查指令是否會啟動使用標準輸入與輸出的 MCP 伺服器。',
  'Check the path of the URL: it often ends in /mcp, or in /sse for older servers.':
    '請檢查 URL 的路徑：通常以 /mcp 結尾，較舊的伺服器則以 /sse 結尾。',
  'Check the configuration of the server against its documentation.': '請對照伺服器的說明文件檢查其設定。',
  'Likely cause: the program does not trust a certificate, as behind a corporate proxy. Set NODE_EXTRA_CA_CERTS (npx), SSL_CERT_FILE (uvx) or REQUESTS_CA_BUNDLE (pipx) to the certificate file in the environment of Toolyard.':
    '可能原因：程式不信任某個憑證，例如位於公司代理伺服器後方。請在 Toolyard 的環境中，將 NODE_EXTRA_CA_CERTS（npx）、SSL_CERT_FILE（uvx）或 REQUESTS_CA_BUNDLE（pipx）設為憑證檔案。',
  'Likely cause: the proxy rejected the request. Check HTTPS_PROXY; if it needs a password, set it in "env" of the server.':
    '可能原因：代理伺服器拒絕請求。請檢查 HTTPS_PROXY；若需要密碼，請在伺服器的「env」中設定。',
  'Likely cause: Docker is not running, or DOCKER_HOST is missing in "env" of the server.':
    '可能原因：Docker 未執行，或伺服器的「env」缺少 DOCKER_HOST。',
  'Likely cause: the name of a download server cannot be resolved. Check the network, and HTTPS_PROXY if there is a proxy.':
    '可能原因：無法解析下載伺服器的名稱。請檢查網路，若有代理伺服器也請檢查 HTTPS_PROXY。',
  'Likely cause: a download server cannot be reached. Check the network, and HTTPS_PROXY if there is a proxy.':
    '可能原因：無法連上下載伺服器。請檢查網路，若有代理伺服器也請檢查 HTTPS_PROXY。',
  'Likely cause: the package or image does not exist. Check its name and version in the arguments.':
    '可能原因：套件或映像檔不存在。請檢查引數中的名稱與版本。',
  'Likely cause: the disk is full.': '可能原因：磁碟空間已滿。',
  'Likely cause: the server requires another version of Node or Python.':
    '可能原因：伺服器需要其他版本的 Node 或 Python。',
  'Likely cause: the program is not permitted to read or write a file it needs.':
    '可能原因：程式沒有讀寫所需檔案的權限。',
  'Likely cause: a package that the server imports is missing.': '可能原因：缺少伺服器匯入的套件。',
  'The server "{0}" is closed.': '伺服器「{0}」已關閉。',
  'The connection to the server "{0}" is closed.': '與伺服器「{0}」的連線已關閉。',
  'The server "{0}" ended the session; it was probably restarted.': '伺服器「{0}」結束了工作階段，可能已重新啟動。',
  'Reconnect to it.': '請重新連線。',
  'The server "{0}" is no longer reachable ({1}).': '無法再連上伺服器「{0}」（{1}）。',
  'The server "{0}" is turned off.': '伺服器「{0}」已停用。',
  'The server "{0}" is not connected.': '伺服器「{0}」未連線。',
  'The server "{0}" is still connecting.': '伺服器「{0}」仍在連線。',
  'The server "{0}" is still reconnecting.': '伺服器「{0}」仍在重新連線。',
  'The server "{0}" requires a sign-in (HTTP 401).': '伺服器「{0}」需要登入（HTTP 401）。',
  'The server "{0}" requires a sign-in: {1}.': '伺服器「{0}」需要登入：{1}。',
  'The server "{0}" requires a sign-in.': '伺服器「{0}」需要登入。',
  'it rejected the token': '它拒絕了權杖',
  'the last one has expired': '上次的登入已過期',
  'the last one is no longer valid': '上次的登入不再有效',
  'Sign in, or set a valid token in the headers of the server.': '請登入，或在伺服器的標頭中設定有效的權杖。',
  'The server "{0}" requires more scopes for this: {1}.': '伺服器「{0}」需要更多權限範圍：{1}。',
  'Sign in again; the sign-in page asks you to grant them.': '請再次登入；登入頁面會請您授權。',
  'The server "{0}" does not support signing in.': '伺服器「{0}」不支援登入。',
  'This sign-in is unknown, already finished, or expired.': '此登入不存在、已完成或已過期。',
  'Start it again.': '請重新開始。',
  'Sign in again.': '請再次登入。',
  'If the authorization server does not support "resource" (RFC 8707), set it to false under "oauth" of the server.':
    '如果授權伺服器不支援「resource」（RFC 8707），請在伺服器的「oauth」中將它設為 false。',
  'Start it again to allow access.': '請重新開始以允許存取。',
  'The server "{0}" denies this for insufficient scope, although all scopes it asked for were granted.':
    '雖已授予所要求的全部權限範圍，伺服器「{0}」仍以權限不足為由拒絕。',
  'Ask the operator of the server to give your account access.': '請向伺服器的管理者要求為您的帳戶開放存取。',
  'The sign-in to "{0}" failed: {1}.': '登入「{0}」失敗：{1}。',
  'Signing in to "{0}" is not possible: {1}.': '無法登入「{0}」：{1}。',
  'The server may expect a token in its headers instead; see its documentation.':
    '伺服器可能改為要求標頭中的權杖；請參閱其說明文件。',
  'it was declined': '已拒絕',
  'There is no server "{0}".': '沒有伺服器「{0}」。',
  'The server "{0}" already exists.': '伺服器「{0}」已存在。',
  'Choose another name, or change the existing server.': '請選擇其他名稱，或修改現有的伺服器。',
  'The server "{0}" is disabled.': '伺服器「{0}」已停用。',
  'Enable it first; it then connects by itself.': '請先啟用；之後會自動連線。',
  'The server "{0}" is set on the command line and cannot be changed here.':
    '伺服器「{0}」由命令列設定，無法在此變更。',
  'The server "{0}" ships with Toolyard and cannot be changed.': '伺服器「{0}」隨 Toolyard 提供，無法變更。',
  'You can disable it; a server of the same name in mcp.json replaces it.':
    '您可以停用它；mcp.json 中同名的伺服器會取代它。',
  'Only the owner of this server can enable, disable or change MCP servers.':
    '只有此伺服器的擁有者可以啟用、停用或變更 MCP 伺服器。',
  'In a conversation you can still choose which servers it uses.': '您仍可在對話中選擇要使用的伺服器。',
  'mcp.json, line {0}: the server "{1}" was added outside Toolyard and has not been approved.':
    'mcp.json 第 {0} 行：伺服器「{1}」在 Toolyard 之外新增，尚未核准。',
  'mcp.json, line {0}: the server "{1}" was changed outside Toolyard and has not been approved.':
    'mcp.json 第 {0} 行：伺服器「{1}」在 Toolyard 之外變更，尚未核准。',
  'It is neither started nor contacted until you approve its exact text: on its page, or with "toolyard mcp approve".':
    '在您核准其完整內容之前不會啟動或連線：請在其頁面，或以「toolyard mcp approve」核准。',
  'The entry of "{0}" in mcp.json has changed since it was shown. Nothing was approved.':
    'mcp.json 中「{0}」的項目在顯示後已變更。未核准任何項目。',
  'Read the entry again and repeat the approval.': '請重新查看項目，再次核准。',
  'No value is stored for "{0}" at this URL.': '此 URL 沒有儲存「{0}」的值。',
  'is not a valid URL': '不是有效的 URL',
  'contains a user name or a password': '含有使用者名稱或密碼',
  'neither uses https nor is on this machine': '既未使用 https，也不在這台機器上',
  'is on this machine, but the authorization server is not': '位於這台機器上，但授權伺服器不在這台機器上',
  'Start it again; the log of the server shows its requests.': '請重新開始；伺服器的紀錄會顯示其請求。',
  'The server "{0}" is not started: its network is limited, but no sandbox is available. {1}':
    '未啟動伺服器「{0}」：它的網路受限，但沒有可用的沙箱。{1}',
  'No type for {0}: any value is accepted.': '{0} 沒有類型：會接受任何值。',
  'Required but not defined: {0}.': '必填但未定義：{0}。',
  'The schema refers to an external document, which Toolyard never fetches.':
    '結構描述參照外部文件，Toolyard 一律不擷取。',
};
