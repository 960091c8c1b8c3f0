export const mcpConnections = {
  'Skipped: {0}': '已略过：{0}',
  '{0} more findings are not shown.': '另有 {0} 项未显示。',
  'Listing the tools took {0}.': '列出工具花了 {0}。',
  'Connecting took {0}.': '连接花了 {0}。',
  'The server uses MCP 2024-11-05, the oldest version.': '服务器使用最旧的 MCP 2024-11-05 版本。',
  'The instructions contain invisible characters, which may hide instructions from you.':
    '说明含有不可见字符，可能对您隐藏指示。',
  'The definition contains invisible characters, which may hide instructions from you.':
    '定义含有不可见字符，可能对您隐藏指示。',
  'The server offers no tools, resources or prompts.': '服务器没有提供工具、资源或提示。',
  'The server offers {0} tools; some providers accept {1} in all. Disable some.':
    '服务器提供 {0} 个工具；有些提供商总共只接受 {1} 个。请停用一部分。',
  'The tools add about {0} tokens to every request. Disable those you do not use.':
    '这些工具让每个请求增加约 {0} 个词元。请停用您不使用的工具。',
  'Providers do not accept this name; models see it as "{0}".': '提供商不接受此名称；模型看到的是“{0}”。',
  'The tool has no description; a model can only go by its name.': '工具没有描述；模型只能依名称判断。',
  'The description has {0} characters.': '描述有 {0} 个字符。',
  'The definition adds about {0} tokens to every request.': '定义让每个请求增加约 {0} 个词元。',
  'The annotations say both read-only and destructive.': '注解同时声明只读与破坏性。',
  'No description for "{0}".': '“{0}”没有描述。',
  'No description for {0}.': '{0} 没有描述。',
  'The names {0} are easily confused.': '名称 {0} 容易混淆。',
  'No tool has annotations: Toolyard treats them as possibly destructive.':
    '没有工具具有注解：Toolyard 视其为可能具破坏性。',
  '{0} tools have no annotations: Toolyard treats them as possibly destructive.':
    '{0} 个工具没有注解：Toolyard 视其为可能具破坏性。',
  'No sandbox is available for {0}.': '{0} 没有可用的沙箱。',
  'Use Linux, macOS, WSL 2 or Docker.': '请使用 Linux、macOS、WSL 2 或 Docker。',
  'bubblewrap does not work here: {0}': 'bubblewrap 在此无法运作：{0}',
  'bubblewrap is not installed.': '未安装 bubblewrap。',
  'Install the package "bubblewrap" (apt, dnf, pacman, zypper or apk), then restart Toolyard.':
    '请安装软件包“bubblewrap”（apt、dnf、pacman、zypper 或 apk），然后重新启动 Toolyard。',
  '{0}. Toolyard runs in a container that does not allow user namespaces.':
    '{0}。Toolyard 在不允许用户命名空间的容器中运行。',
  'The container isolates local servers from the machine, but not from Toolyard or one another. To allow namespaces, start it with a seccomp profile that permits unshare, mount and pivot_root (Docker: {0}).':
    '容器会将本地服务器与主机隔离，但不会与 Toolyard 或彼此隔离。若要允许命名空间，请以允许 unshare、mount 与 pivot_root 的 seccomp 配置文件启动容器（Docker：{0}）。',
  '{0}. AppArmor denies user namespaces to programs without a profile (Ubuntu 23.10 and newer).':
    '{0}。AppArmor 拒绝没有配置文件的程序使用用户命名空间（Ubuntu 23.10 以上）。',
  'Give bubblewrap a profile: write {0} to /etc/apparmor.d/bwrap, run {1}, then restart Toolyard.':
    '请为 bubblewrap 创建配置文件：将 {0} 写入 /etc/apparmor.d/bwrap，运行 {1}，然后重新启动 Toolyard。',
  'The system seems to deny user namespaces to this user. Check SELinux or AppArmor (journalctl -k) and the limits in /proc/sys/user, then restart Toolyard.':
    '系统似乎拒绝此用户使用用户命名空间。请检查 SELinux 或 AppArmor（journalctl -k）与 /proc/sys/user 的限制，然后重新启动 Toolyard。',
  '{0}. The kernel setting {1} is 0, which denies user namespaces.': '{0}。内核设置 {1} 为 0，会拒绝用户命名空间。',
  'Run {0} and {1}, then restart Toolyard.': '请运行 {0} 与 {1}，然后重新启动 Toolyard。',
  '{0} It was reached by a redirect from {1}.': '{0}这是由 {1} 重定向而来。',
  'This link is not a valid URL.': '此链接不是有效的 URL。',
  'This link has a user name before its host, which can disguise where it leads.':
    '此链接的主机前有用户名，可能掩饰其去向。',
  'This link uses http:// and leads to another machine.': '此链接使用 http:// 并通往另一台机器。',
  'Links that begin with "{0}" are not opened.': '不会打开以“{0}”开头的链接。',
  'Only https:// links are opened, and http:// links on this machine.':
    '只会打开 https:// 链接，以及这台机器上的 http:// 链接。',
  'This is not a valid URL.': '这不是有效的 URL。',
  'A valid URL looks like {0}.': '有效的 URL 形式如 {0}。',
  'URLs that begin with {0} are not fetched.': '不会截取以 {0} 开头的 URL。',
  'Use a URL that begins with https:// or http://.': '请使用以 https:// 或 http:// 开头的 URL。',
  '{0} is not encrypted, and only https:// is accepted here.': '{0} 未加密，此处只接受 https://。',
  'Use a URL that begins with https://.': '请使用以 https:// 开头的 URL。',
  'The URL at {0} contains a user name or password.': '{0} 的 URL 含有用户名或密码。',
  'Remove the part between // and @; put credentials in a header or in the settings.':
    '请移除 // 与 @ 之间的部分，并将凭据放在标头或设置中。',
  '{0} is not on the list of allowed URLs.': '{0} 不在允许的 URL 列表中。',
  'The operator of this server maintains the list.': '此列表由这个服务器的管理员维护。',
  'Port {0} is blocked for HTTP requests.': '端口 {0} 不允许 HTTP 请求。',
  'It is reserved for another protocol; check the port in the URL.': '它保留给其他通信协定；请检查 URL 中的端口。',
  '{0}, and is not configured in Toolyard.': '{0}，且未在 Toolyard 中设置。',
  'URLs from models, pages, servers and redirects may only lead to the public internet. To use this URL, enter it in the settings.':
    '来自模型、页面、服务器与重定向的 URL 只能通往公开的互联网。若要使用此 URL，请在设置中输入。',
  '{0} redirects more than {1} times.': '{0} 重定向超过 {1} 次。',
  'Use the URL at which the redirects end.': '请使用重定向结束的 URL。',
  '{0} redirects in a loop.': '{0} 循环重定向。',
  'Fix the redirects of this server.': '请修正此服务器的重定向。',
  '{0} redirects, and redirects are not allowed here.': '{0} 会重定向，而此处不允许。',
  'Use the URL it redirects to, if you trust it.': '若您信任它，请使用重定向后的 URL。',
  'A redirect to {0} requires sending the body again, which was a stream and is consumed.':
    '重定向到 {0} 需要再次发送内容，但内容是已读完的串流。',
  'Use the URL of the redirect.': '请使用重定向的 URL。',
  'A redirect to {0} would send the body without encryption.': '重定向到 {0} 会在未加密的情况下发送内容。',
  'Use a URL whose redirects stay with https://.': '请使用重定向后仍为 https:// 的 URL。',
  'The server "{0}" cannot be started: the command "{1}" was not found.': '无法启动服务器“{0}”：找不到命令“{1}”。',
  'Install it, or use its absolute path. Applications started from a desktop often have a shorter PATH than a terminal.':
    '请安装它，或使用绝对路径。从桌面启动的应用程序，其 PATH 通常比终端短。',
  'The server "{0}" cannot be started: "{1}" is not executable.': '无法启动服务器“{0}”：“{1}”无法运行。',
  'Make the file executable, or use the interpreter as the command and the file as its argument.':
    '请将文件设为可运行，或以解释器为命令、以文件为参数。',
  'The server "{0}" cannot be started: its working folder "{1}" does not exist.':
    '无法启动服务器“{0}”：工作文件夹“{1}”不存在。',
  'Correct "cwd" of the server.': '请修正服务器的“cwd”。',
  'The server "{0}" cannot be started ({1}).': '无法启动服务器“{0}”（{1}）。',
  'Run its command in a terminal to see the cause.': '请在终端运行其命令以查看原因。',
  'The server "{0}" exited with code {1} while {2}. It wrote nothing to standard error.':
    '服务器“{0}”在{2}时结束，代码 {1}。标准错误没有输出。',
  'The server "{0}" exited with code {1} while {2}. Its last lines on standard error:{3}':
    '服务器“{0}”在{2}时结束，代码 {1}。标准错误的最后几行：{3}',
  'The server "{0}" was killed by {1} while {2}. It wrote nothing to standard error.':
    '服务器“{0}”在{2}时被 {1} 终止。标准错误没有输出。',
  'The server "{0}" was killed by {1} while {2}. Its last lines on standard error:{3}':
    '服务器“{0}”在{2}时被 {1} 终止。标准错误的最后几行：{3}',
  'Run its command in a terminal to see what is missing: arguments, environment variables, packages.':
    '请在终端运行其命令，查看缺少什么：参数、环境变量或软件包。',
  starting: '启动',
  initializing: '初始化',
  'listing its tools': '列出工具',
  connected: '连接中',
  disconnecting: '断开连接',
  'The server "{0}" was stopped while {1}: it {2}.': '服务器“{0}”在{1}时被停止：{2}。',
  'used more than its limit of {0} MB of memory': '内存用量超过上限 {0} MB',
  'started more than its limit of {0} processes': '进程数超过上限 {0} 个',
  'wrote more than its limit of {0} MB to disk within five minutes': '五分钟内写入磁盘超过上限 {0} MB',
  'wrote a file larger than its limit of {0} MB': '写入的文件超过上限 {0} MB',
  'If it needs more, raise "sandbox.limits.{0}" of its entry in mcp.json.':
    '若需要更多，请提高 mcp.json 中其条目的“sandbox.limits.{0}”。',
  'The server "{0}" sent a line longer than {1} MB while {2} and was stopped.':
    '服务器“{0}”在{2}时发送超过 {1} MB 的一行，已将其停止。',
  'It is not an MCP server, or one of its results is too large.': '它不是 MCP 服务器，或某个结果过大。',
  'The server "{0}" closed the connection while {1} ({2}).': '服务器“{0}”在{1}时关闭了连接（{2}）。',
  'The server "{0}" closed the connection while {1}.': '服务器“{0}”在{1}时关闭了连接。',
  'The server "{0}" cannot be reached at {1} ({2}).': '无法通过 {1} 连接到服务器“{0}”（{2}）。',
  'The server "{0}" cannot be reached ({1}).': '无法连接到服务器“{0}”（{1}）。',
  'Check that the server runs and that host and port are correct.':
    '请检查服务器是否正在运行，以及主机与端口是否正确。',
  'Check that the server runs and that its URL is correct.': '请检查服务器是否正在运行，以及其 URL 是否正确。',
  'Check that the server runs.': '请检查服务器是否正在运行。',
  'The server "{0}" was not ready within {1}; it stopped responding while {2}. Its last lines on standard error:{3}':
    '服务器“{0}”在 {1} 内未就绪；它在{2}时停止响应。标准错误的最后几行：{3}',
  'The server "{0}" was not ready within {1}; it stopped responding while {2}.':
    '服务器“{0}”在 {1} 内未就绪；它在{2}时停止响应。',
  'It printed {0} line(s) that are not MCP messages: check that the command starts an MCP server.':
    '它输出了 {0} 行不是 MCP 消息的内容：请检查命令是否会启动 MCP 服务器。',
  'The server may still be starting: set a longer connect timeout.': '服务器可能仍在启动：请延长连接超时。',
  '{0} may still be downloading: set a longer connect timeout, or run the command once in a terminal.':
    '{0} 可能仍在下载：请延长连接超时，或先在终端运行一次命令。',
  'The server "{0}" denied access (HTTP 403) while {1}.': '服务器“{0}”在{1}时拒绝访问（HTTP 403）。',
  'Check the token, and whether the server allows this client.': '请检查令牌，以及服务器是否允许此客户端。',
  'The server "{0}" is unavailable (HTTP {1}).': '服务器“{0}”无法使用（HTTP {1}）。',
  'The answer comes from a proxy or gateway; check that the server itself runs.':
    '响应来自代理服务器或网关；请检查服务器本身是否正在运行。',
  'The server "{0}" failed (HTTP {1}) while {2}.': '服务器“{0}”在{2}时失败（HTTP {1}）。',
  'See the log of the server.': '请查看服务器的日志。',
  'The server "{0}" redirected to another URL (HTTP {1}), which Toolyard does not follow while {2}.':
    '服务器“{0}”在{2}时重定向到另一个 URL（HTTP {1}），Toolyard 不会跟随。',
  'If the new URL is correct, use it in the configuration.': '如果新的 URL 正确，请在设置中使用。',
  'The server "{0}" rejected the request (HTTP {1}) while {2}.': '服务器“{0}”在{2}时拒绝请求（HTTP {1}）。',
  'The server "{0}" accepts no requests at the moment (HTTP {1}) while {2}.':
    '服务器“{0}”在{2}时暂不接受请求（HTTP {1}）。',
  '{0} The server says: "{1}"': '{0}服务器的说明：“{1}”',
  'The server "{0}" answered with an error: {1} ({2}) while {3}.': '服务器“{0}”在{3}时返回错误：{1}（{2}）。',
  'The server "{0}" uses protocol version {1}, which Toolyard does not support.':
    '服务器“{0}”使用 Toolyard 不支持的协议版本 {1}。',
  'Update Toolyard, or use a version of the server that supports an older protocol version.':
    '请更新 Toolyard，或使用支持较旧协议版本的服务器版本。',
  '"{0}" at {1} is not an MCP server: {2} while {3}.': '{1} 的“{0}”不是 MCP 服务器：{3}时{2}。',
  'the response is not an MCP message': '响应不是 MCP 消息',
  'Check that the command starts an MCP server that uses standard input and output.':
    '请检查命令是否会启动使用标准输入与输出的 MCP 服务器。',
  'Check the path of the URL: it often ends in /mcp, or in /sse for older servers.':
    '请检查 URL 的路径：通常以 /mcp 结尾，较旧的服务器则以 /sse 结尾。',
  'Check the configuration of the server against its documentation.': '请对照服务器的说明文档检查其设置。',
  'Likely cause: the program does not trust a certificate, as behind a corporate proxy. Set NODE_EXTRA_CA_CERTS (npx), SSL_CERT_FILE (uvx) or REQUESTS_CA_BUNDLE (pipx) to the certificate file in the environment of Toolyard.':
    '可能原因：程序不信任某个证书，例如位于公司代理服务器后方。请在 Toolyard 的环境中，将 NODE_EXTRA_CA_CERTS（npx）、SSL_CERT_FILE（uvx）或 REQUESTS_CA_BUNDLE（pipx）设为证书文件。',
  'Likely cause: the proxy rejected the request. Check HTTPS_PROXY; if it needs a password, set it in "env" of the server.':
    '可能原因：代理服务器拒绝请求。请检查 HTTPS_PROXY；若需要密码，请在服务器的“env”中设置。',
  'Likely cause: Docker is not running, or DOCKER_HOST is missing in "env" of the server.':
    '可能原因：Docker 未运行，或服务器的“env”缺少 DOCKER_HOST。',
  'Likely cause: the name of a download server cannot be resolved. Check the network, and HTTPS_PROXY if there is a proxy.':
    '可能原因：无法解析下载服务器的名称。请检查网络，若有代理服务器也请检查 HTTPS_PROXY。',
  'Likely cause: a download server cannot be reached. Check the network, and HTTPS_PROXY if there is a proxy.':
    '可能原因：无法连接到下载服务器。请检查网络，若有代理服务器也请检查 HTTPS_PROXY。',
  'Likely cause: the package or image does not exist. Check its name and version in the arguments.':
    '可能原因：软件包或镜像不存在。请检查参数中的名称与版本。',
  'Likely cause: the disk is full.': '可能原因：磁盘空间已满。',
  'Likely cause: the server requires another version of Node or Python.':
    '可能原因：服务器需要其他版本的 Node 或 Python。',
  'Likely cause: the program is not permitted to read or write a file it needs.':
    '可能原因：程序没有读写所需文件的权限。',
  'Likely cause: a package that the server imports is missing.': '可能原因：缺少服务器导入的软件包。',
  'The server "{0}" is closed.': '服务器“{0}”已关闭。',
  'The connection to the server "{0}" is closed.': '与服务器“{0}”的连接已关闭。',
  'The server "{0}" ended the session; it was probably restarted.': '服务器“{0}”结束了会话，可能已重新启动。',
  'Reconnect to it.': '请重新连接。',
  'The server "{0}" is no longer reachable ({1}).': '无法再连接到服务器“{0}”（{1}）。',
  'The server "{0}" is turned off.': '服务器“{0}”已停用。',
  'The server "{0}" is not connected.': '服务器“{0}”未连接。',
  'The server "{0}" is still connecting.': '服务器“{0}”仍在连接。',
  'The server "{0}" is still reconnecting.': '服务器“{0}”仍在重新连接。',
  'The server "{0}" requires a sign-in (HTTP 401).': '服务器“{0}”需要登录（HTTP 401）。',
  'The server "{0}" requires a sign-in: {1}.': '服务器“{0}”需要登录：{1}。',
  'The server "{0}" requires a sign-in.': '服务器“{0}”需要登录。',
  'it rejected the token': '它拒绝了令牌',
  'the last one has expired': '上次的登录已过期',
  'the last one is no longer valid': '上次的登录不再有效',
  'Sign in, or set a valid token in the headers of the server.': '请登录，或在服务器的标头中设置有效的令牌。',
  'The server "{0}" requires more scopes for this: {1}.': '服务器“{0}”需要更多权限范围：{1}。',
  'Sign in again; the sign-in page asks you to grant them.': '请再次登录；登录页面会请您授权。',
  'The server "{0}" does not support signing in.': '服务器“{0}”不支持登录。',
  'This sign-in is unknown, already finished, or expired.': '此登录不存在、已完成或已过期。',
  'Start it again.': '请重新开始。',
  'Sign in again.': '请再次登录。',
  'If the authorization server does not support "resource" (RFC 8707), set it to false under "oauth" of the server.':
    '如果授权服务器不支持“resource”（RFC 8707），请在服务器的“oauth”中将它设为 false。',
  'Start it again to allow access.': '请重新开始以允许访问。',
  'The server "{0}" denies this for insufficient scope, although all scopes it asked for were granted.':
    '虽已授予所要求的全部权限范围，服务器“{0}”仍以权限不足为由拒绝。',
  'Ask the operator of the server to give your account access.': '请向服务器的管理员要求为您的账户开放访问。',
  'The sign-in to "{0}" failed: {1}.': '登录“{0}”失败：{1}。',
  'Signing in to "{0}" is not possible: {1}.': '无法登录“{0}”：{1}。',
  'The server may expect a token in its headers instead; see its documentation.':
    '服务器可能改为要求标头中的令牌；请参阅其说明文档。',
  'it was declined': '已拒绝',
  'There is no server "{0}".': '没有服务器“{0}”。',
  'The server "{0}" already exists.': '服务器“{0}”已存在。',
  'Choose another name, or change the existing server.': '请选择其他名称，或修改现有的服务器。',
  'The server "{0}" is disabled.': '服务器“{0}”已停用。',
  'Enable it first; it then connects by itself.': '请先启用；之后会自动连接。',
  'The server "{0}" is set on the command line and cannot be changed here.': '服务器“{0}”由命令行设置，无法在此更改。',
  'The server "{0}" ships with Toolyard and cannot be changed.': '服务器“{0}”随 Toolyard 提供，无法更改。',
  'You can disable it; a server of the same name in mcp.json replaces it.':
    '您可以停用它；mcp.json 中同名的服务器会取代它。',
  'Only the owner of this server can enable, disable or change MCP servers.':
    '只有此服务器的拥有者可以启用、停用或更改 MCP 服务器。',
  'In a conversation you can still choose which servers it uses.': '您仍可在对话中选择要使用的服务器。',
  'mcp.json, line {0}: the server "{1}" was added outside Toolyard and has not been approved.':
    'mcp.json 第 {0} 行：服务器“{1}”在 Toolyard 之外添加，尚未批准。',
  'mcp.json, line {0}: the server "{1}" was changed outside Toolyard and has not been approved.':
    'mcp.json 第 {0} 行：服务器“{1}”在 Toolyard 之外更改，尚未批准。',
  'It is neither started nor contacted until you approve its exact text: on its page, or with "toolyard mcp approve".':
    '在您批准其完整内容之前不会启动或连接：请在其页面，或以“toolyard mcp approve”批准。',
  'The entry of "{0}" in mcp.json has changed since it was shown. Nothing was approved.':
    'mcp.json 中“{0}”的项目在显示后已更改。未批准任何条目。',
  'Read the entry again and repeat the approval.': '请重新查看条目，再次批准。',
  'No value is stored for "{0}" at this URL.': '此 URL 没有保存“{0}”的值。',
  'is not a valid URL': '不是有效的 URL',
  'contains a user name or a password': '含有用户名或密码',
  'neither uses https nor is on this machine': '既未使用 https，也不在这台机器上',
  'is on this machine, but the authorization server is not': '位于这台机器上，但授权服务器不在这台机器上',
  'Start it again; the log of the server shows its requests.': '请重新开始；服务器的日志会显示其请求。',
  'The server "{0}" is not started: its network is limited, but no sandbox is available. {1}':
    '未启动服务器“{0}”：它的网络受限，但没有可用的沙箱。{1}',
  'No type for {0}: any value is accepted.': '{0} 没有类型：会接受任何值。',
  'Required but not defined: {0}.': '必填但未定义：{0}。',
  'The schema refers to an external document, which Toolyard never fetches.': '架构引用了外部文档，Toolyard 从不获取。',
};
