export const schedules = {
  'There is no schedule {0}.': '沒有排程 {0}。',
  'This schedule was changed by another request.': '這個排程已由另一個請求變更。',
  'The schedule was deleted by another request.': '這個排程已由另一個請求刪除。',
  'The stored definition of this schedule cannot be read.': '無法讀取這個排程儲存的定義。',
  'The stored definition of the schedule cannot be read.': '無法讀取排程儲存的定義。',
  'Update Toolyard, or delete the schedule.': '請更新 Toolyard，或刪除這個排程。',
  'A schedule that continues a conversation uses the agent of that conversation.': '接續對話的排程會使用該對話的代理。',
  'Tools can be allowed in advance only for new conversations.': '只有建立新對話時才能預先允許工具。',
  'Allow the tools in the conversation that the schedule continues.': '請在排程接續的對話中允許這些工具。',
  '{0} is a tool of a browser tab and cannot be used by a schedule.': '{0} 是瀏覽器分頁的工具，排程無法使用。',
  'The schedule has already run {0} times, which is its maximum.': '這個排程已執行 {0} 次，達到上限。',
  'Raise the maximum, or create another schedule.': '請提高上限，或建立另一個排程。',
  'The schedule has no future time.': '這個排程沒有未來的時間。',
  'Check the date, the days and the hours.': '請檢查日期、星期和時段。',
  'The schedule would run again after {0} s; the shortest interval is {1} s.':
    '這個排程會在 {0} 秒後再次執行；最短間隔是 {1} 秒。',
  'Choose a longer interval, or a cron expression with five fields.':
    '請選擇較長的間隔，或使用五個欄位的 Cron 運算式。',
  'The cron expression "{0}" has {1} fields; it must have 5 (minute hour day month weekday), or 6 with the second first.':
    'Cron 運算式「{0}」有 {1} 個欄位；必須有 5 個（分、時、日、月、星期），或以秒開頭的 6 個。',
  'The cron expression "{0}" is invalid: {1}': 'Cron 運算式「{0}」無效：{1}',
  'There is no time zone "{0}".': '沒有時區「{0}」。',
  'Use an IANA name, such as Europe/Berlin or Asia/Taipei.': '請使用 IANA 名稱，例如 Europe/Berlin 或 Asia/Taipei。',
  'Toolyard was not running at this time and at any others before the next one.':
    '從這個時間到下一個時間之前，Toolyard 沒有執行。',
  'Toolyard was not running; one run makes up for all missed times.':
    'Toolyard 當時沒有執行；所有錯過的時間由一次執行補上。',
  'Toolyard was not running, and the limit of missed times was reached.': 'Toolyard 當時沒有執行，且已達補執行的上限。',
  'The run of the previous time is still active.': '上一次的執行還沒有結束。',
  'An earlier time already waits for the active run.': '已有更早的時間在等待目前的執行結束。',
  'It waits until the run of the previous time has ended.': '等待上一次的執行結束。',
  'The agent "{0}" of the schedule does not exist any more.': '排程的代理「{0}」已不存在。',
  'Set exactly one of cron, at and every_seconds.': 'cron、at 和 every_seconds 必須恰好設定一個。',
  '"at" must be a time with its offset, such as 2027-01-15T09:00:00+01:00 (got "{0}").':
    '"at" 必須是含時差的時間，例如 2027-01-15T09:00:00+01:00（收到「{0}」）。',
  'The user has not yet resumed or deleted {0} schedules of models.': '使用者尚未恢復或刪除模型建立的 {0} 個排程。',
  'The user can do so under Settings, Schedules.': '使用者可以在「設定」的「排程」中處理。',
  Schedules: '排程',
  'Create schedule': '建立排程',
  'Creates a task that runs at given times, each time in a new conversation. It starts paused: the user checks and resumes it under Settings, Schedules. Set exactly one of cron, at and every_seconds. Describe the task completely: its runs do not know this conversation.':
    '建立在指定時間執行的工作，每次都在新對話中執行。建立後為暫停狀態，由您在「設定」的「排程」中確認並恢復。',
  'List schedules': '列出排程',
  'Lists the schedules of the user with their times and tasks.': '列出您的排程，包括時間和訊息。',
};
