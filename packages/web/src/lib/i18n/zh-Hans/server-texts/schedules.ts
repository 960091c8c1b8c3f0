export const schedules = {
  'There is no schedule {0}.': '没有计划任务 {0}。',
  'This schedule was changed by another request.': '这个计划任务已被另一个请求更改。',
  'The schedule was deleted by another request.': '这个计划任务已被另一个请求删除。',
  'The stored definition of this schedule cannot be read.': '无法读取这个计划任务保存的定义。',
  'The stored definition of the schedule cannot be read.': '无法读取计划任务保存的定义。',
  'Update Toolyard, or delete the schedule.': '请更新 Toolyard，或删除这个计划任务。',
  'A schedule that continues a conversation uses the agent of that conversation.':
    '继续对话的计划任务使用该对话的智能体。',
  'Tools can be allowed in advance only for new conversations.': '只有新建对话时才能预先允许工具。',
  'Allow the tools in the conversation that the schedule continues.': '请在计划任务继续的对话中允许这些工具。',
  '{0} is a tool of a browser tab and cannot be used by a schedule.': '{0} 是浏览器标签页的工具，计划任务无法使用。',
  'The schedule has already run {0} times, which is its maximum.': '这个计划任务已运行 {0} 次，达到上限。',
  'Raise the maximum, or create another schedule.': '请提高上限，或新建另一个计划任务。',
  'The schedule has no future time.': '这个计划任务没有未来的时间。',
  'Check the date, the days and the hours.': '请检查日期、星期和时段。',
  'The schedule would run again after {0} s; the shortest interval is {1} s.':
    '此计划会在 {0} 秒后再次运行；最短间隔为 {1} 秒。',
  'Choose a longer interval, or a cron expression with five fields.':
    '请选择更长的间隔，或使用五个字段的 Cron 表达式。',
  'The cron expression "{0}" has {1} fields; it must have 5 (minute hour day month weekday), or 6 with the second first.':
    'Cron 表达式“{0}”有 {1} 个字段；必须有 5 个（分、时、日、月、星期），或以秒开头的 6 个。',
  'The cron expression "{0}" is invalid: {1}': 'Cron 表达式“{0}”无效：{1}',
  'There is no time zone "{0}".': '没有时区“{0}”。',
  'Use an IANA name, such as Europe/Berlin or Asia/Taipei.': '请使用 IANA 名称，例如 Europe/Berlin 或 Asia/Shanghai。',
  'Toolyard was not running at this time and at any others before the next one.':
    '从这个时间到下一个时间之前，Toolyard 没有运行。',
  'Toolyard was not running; one run makes up for all missed times.':
    'Toolyard 当时没有运行；所有错过的时间由一次运行补上。',
  'Toolyard was not running, and the limit of missed times was reached.': 'Toolyard 当时没有运行，且已达补运行的上限。',
  'The run of the previous time is still active.': '上一次的运行还没有结束。',
  'An earlier time already waits for the active run.': '已有更早的时间在等待当前的运行结束。',
  'It waits until the run of the previous time has ended.': '等待上一次的运行结束。',
  'The agent "{0}" of the schedule does not exist any more.': '计划任务的智能体“{0}”已不存在。',
  'Set exactly one of cron, at and every_seconds.': 'cron、at 和 every_seconds 必须恰好设置一个。',
  '"at" must be a time with its offset, such as 2027-01-15T09:00:00+01:00 (got "{0}").':
    '"at" 必须是带时差的时间，例如 2027-01-15T09:00:00+01:00（收到“{0}”）。',
  'The user has not yet resumed or deleted {0} schedules of models.': '用户尚未恢复或删除模型创建的 {0} 个计划任务。',
  'The user can do so under Settings, Schedules.': '用户可以在“设置”的“计划任务”中处理。',
  Schedules: '计划任务',
  'Create schedule': '新建计划任务',
  'Creates a task that runs at given times, each time in a new conversation. It starts paused: the user checks and resumes it under Settings, Schedules. Set exactly one of cron, at and every_seconds. Describe the task completely: its runs do not know this conversation.':
    '创建在指定时间运行的任务，每次都在新对话中运行。创建后为暂停状态，由您在“设置”的“计划任务”中检查并恢复。',
  'List schedules': '列出计划任务',
  'Lists the schedules of the user with their times and tasks.': '列出您的计划任务，包括时间和消息。',
};
