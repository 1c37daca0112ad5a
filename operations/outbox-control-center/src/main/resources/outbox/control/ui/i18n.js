const zh = {
  'Overview': '概览',
  'Refresh': '刷新',
  'Back': '上一页',
  'Error groups': '错误分组',
  'Operations': '批量操作',
  'Handlers': '处理器与目标',
  'Nodes': '节点',
  'Scheduled jobs': '调度任务',
  'Alerts': '告警',
  'Runbook': '处理手册',
  'Settings': '设置',
  'Menu': '菜单',
  'select row': '选择该行',
  'retry the selected events': '重试所选事件',
  'Events': '事件',
  'Audit': '审计',
  'Users and tokens': '用户与令牌',
  'Application': '应用',
  'Log in': '登录',
  'Log out': '退出',
  'Name': '名称',
  'Password': '密码',
  'Language': '语言',
  'Theme': '主题',
  'Light': '浅色',
  'Dark': '深色',
  'Control center': '控制中心',
  'Welcome': '欢迎',
  'First administrator': '首位管理员',
  'The setup token from the startup log': '启动日志中打印的初始令牌',
  'Create': '创建',
  'At least 12 characters': '至少 12 个字符',
  'Oldest undelivered event': '最久未投递事件',
  'nothing is waiting': '没有等待的事件',
  'Written': '已写入',
  'delivered by CDC': '由 CDC 投递',
  'Events are delivered by CDC from the database log; the table does not show which were delivered.':
    '事件由 CDC 从数据库日志投递，表中不记录是否已投递。',
  'time since it became due': '到期后已等待',
  'Waiting': '待投递',
  'Retrying': '待重试',
  'Dead': '死信',
  'Delivered': '已投递',
  'New': '待投递',
  'Scheduled': '定时',
  'Held back': '已暂缓',
  'Applications': '全部应用',
  'ago': '前',
  'Events per minute': '每分钟事件数',
  'written': '写入',
  'delivered': '投递',
  'failed': '失败',
  'Time from creation to delivery': '从创建到投递的时间',
  'Undelivered': '未投递',
  'waiting': '等待',
  'retrying': '重试',
  'dead': '死信',
  'live': '实时',
  'active': '运行中',
  'paused': '已暂停',
  'not recorded': '未记录',
  'All': '全部',
  'State': '状态',
  'Type': '类型',
  'Aggregate': '聚合',
  'Aggregate id': '聚合 ID',
  'Tenant': '租户',
  'Error': '错误',
  'Event id': '事件 ID',
  'Created': '创建时间',
  'Attempts': '尝试次数',
  'Age': '时间范围',
  'age': '已等待',
  'any time': '不限时间',
  'last 15 minutes': '最近 15 分钟',
  'last hour': '最近 1 小时',
  'last day': '最近 1 天',
  'last week': '最近 7 天',
  'Newest first': '最新在前',
  'Oldest first': '最旧在前',
  'Order': '排序',
  'Clear': '清除',
  'More': '更多',
  'Continue searching': '继续搜索',
  'Searched part of the table, back to': '已搜索表的一部分，直到',
  'Searched part of the table': '已搜索表的一部分',
  'No events match.': '没有符合条件的事件。',
  'No dead events.': '没有死信。',
  'Loading…': '加载中…',
  'Retry': '重试',
  'Skip': '跳过',
  'Park': '搁置',
  'Delete': '删除',
  'Cancel': '取消',
  'Reason': '原因',
  'optional, recorded in the audit log': '可选，记入审计日志',
  'Retry this event?': '重试这个事件？',
  'Skip this event?': '跳过这个事件？',
  'Park this event?': '搁置这个事件？',
  'Delete this event?': '删除这个事件？',
  'It will be delivered again as soon as possible.': '它会尽快被再次投递。',
  'It is marked as delivered without being delivered.': '它不会被投递，但会被视为已投递。',
  'It is set aside as dead; events behind it are delivered.': '它作为死信被搁置，后面的事件继续投递。',
  'The row is deleted. This cannot be undone.': '该行将被永久删除，无法撤销。',
  'Timeline': '时间线',
  'Payload': '消息体',
  'Show the payload': '显示消息体',
  'Viewing the payload is recorded in the audit log.': '查看消息体会记入审计日志。',
  'You are not allowed to read payloads.': '你无权查看消息体。',
  'Tree': '树',
  'Raw': '原文',
  'Headers': '消息头',
  'none': '无',
  'Details': '详情',
  'Same aggregate': '同一聚合',
  'Blocked by': '被阻塞于',
  'this event': '本事件',
  'Last error': '最近的错误',
  'Trace': '链路追踪',
  'Copy as curl': '复制为 curl',
  'Copied.': '已复制。',
  'Due': '到期时间',
  'Done': '完成时间',
  'Leased by': '持有节点',
  'Size': '大小',
  'Payload stored in': '负载存放于',
  'Sequence': '序号',
  'parked': '已搁置',
  'attempt': '第几次尝试',
  'dead letter': '成为死信',
  'will be retried': '将重试',
  'stack trace': '堆栈',
  'node': '节点',
  'This application does not record attempts; only the last error is known.':
    '该应用未记录每次尝试，只知道最近的错误。',
  'Done: retry': '已重试',
  'Done: skip': '已跳过',
  'Done: park': '已搁置',
  'Done: delete': '已删除',
  'Time': '时间',
  'User': '用户',
  'Action': '操作',
  'Target': '对象',
  'Outcome': '结果',
  'Detail': '详情',
  'Address': '地址',
  'Verify': '校验',
  'The audit log is intact.': '审计日志完整。',
  'entries': '条记录',
  'The audit log was modified:': '审计日志被篡改：',
  'Users': '用户',
  'Tokens': '令牌',
  'Role': '角色',
  'Roles': '角色',
  'Payloads': '消息体',
  'yes': '是',
  'no': '否',
  'disabled': '已停用',
  'Disable': '停用',
  'Enable': '启用',
  'New user': '新用户',
  'New token': '新令牌',
  'Days until it expires': '有效天数',
  'Expires': '到期',
  'Revoke': '吊销',
  'everywhere': '所有应用',
  'Shown only once. Copy it now.': '只显示这一次，请立即保存。',
  'Keyboard': '键盘',
  'search': '搜索',
  'next row': '下一行',
  'previous row': '上一行',
  'open': '打开',
  'retry the event': '重试事件',
  'this help': '本帮助',
  'Close': '关闭',
  'back': '返回',
  'Not found': '未找到',
  'You are not logged in.': '尚未登录。',
  'You do not have access to this control center.': '你没有访问此控制中心的权限。',
  'now': '刚刚',
  'Skip to content': '跳到内容',
  'read-only': '只读',
};

let language = localStorage.getItem('outbox.language') ?? (navigator.language?.startsWith('zh') ? 'zh' : 'en');
document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';

export const t = (text) => (language === 'zh' ? (zh[text] ?? text) : text);
/**
 * Adds the translations of a module: { English: Chinese }. The same English may mean something else elsewhere, so
 * the module gets a function that looks among its own words first.
 */
export function words(own) {
  for (const [english, chinese] of Object.entries(own)) zh[english] ??= chinese;
  return (text) => (language === 'zh' ? (own[text] ?? zh[text] ?? text) : text);
}
export const current = () => language;
export function use(next) {
  language = next;
  localStorage.setItem('outbox.language', next);
  document.documentElement.lang = next === 'zh' ? 'zh-CN' : 'en';
}

const locale = () => (language === 'zh' ? 'zh-CN' : 'en-GB');
const format = (n, options) => new Intl.NumberFormat(language, options).format(n);

/** Counts of the server end at 10 000; with `cut`, there may be more anyway. */
export function number(n, cut) {
  if (n === null || n === undefined) return '–';
  return n > 10_000 ? format(10_000) + '+' : format(n) + (cut ? '+' : '');
}
export const rate = (n) => (n === null || n === undefined ? '–' : format(n, { maximumFractionDigits: n < 10 ? 1 : 0 }));
/** 99.97 %, and never 100 % while something failed. */
export const percent = (n) =>
  n === null || n === undefined ? '–' : format(Math.floor(n * 100) / 100, { maximumFractionDigits: 2 }) + ' %';
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];
export function bytes(n) {
  if (n === null || n === undefined) return '–';
  const unit = n < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(n) / 10));
  return `${format(n / 1024 ** unit, { maximumFractionDigits: unit ? 1 : 0 })} ${UNITS[unit]}`;
}
export const time = (iso) =>
  iso ? new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(iso)) : '–';
/** With milliseconds and the time zone, for tooltips. */
export const exactTime = (iso) =>
  new Intl.DateTimeFormat(locale(), {
    year: 'numeric',
    month: 'short',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    timeZoneName: 'short',
  }).format(new Date(iso));
/** The label of a time axis: a day for long ranges, otherwise the time of day. */
export const clock = (at, span) =>
  new Intl.DateTimeFormat(
    locale(),
    span > 2 * 86_400_000 ? { month: 'short', day: 'numeric' } : { hour: '2-digit', minute: '2-digit' },
  ).format(new Date(at));
const CHINESE_UNITS = { ms: '毫秒', s: '秒', min: '分钟', h: '小时', d: '天' };
const unit = (name) => (language === 'zh' ? CHINESE_UNITS[name] : name);
/** 25 min 59 s ago, for a number of seconds. */
export const ago = (seconds) => (language === 'zh' ? duration(seconds, true) + '前' : duration(seconds, true) + ' ago');
/** How long ago, or in how long, in one unit: 5 s ago, 3 min ago, in 2 h. */
export function relative(iso, now) {
  const seconds = (now - Date.parse(iso)) / 1000;
  const size = Math.abs(seconds);
  if (size < 1) return t('now');
  const [n, name] =
    size < 60
      ? [Math.floor(size), 's']
      : size < 3600
        ? [Math.floor(size / 60), 'min']
        : size < 172_800
          ? [Math.floor(size / 3600), 'h']
          : [Math.floor(size / 86_400), 'd'];
  const text = `${n} ${unit(name)}`;
  if (language === 'zh') return seconds >= 0 ? text + '前' : text + '后';
  return seconds >= 0 ? text + ' ago' : 'in ' + text;
}
/** One unit, for axes: 30 s, 2.5 min, 1 h. */
export function axisDuration(seconds) {
  const [n, name] =
    seconds < 1
      ? [seconds * 1000, 'ms']
      : seconds < 60
        ? [seconds, 's']
        : seconds < 3600
          ? [seconds / 60, 'min']
          : seconds < 86400
            ? [seconds / 3600, 'h']
            : [seconds / 86400, 'd'];
  return seconds === 0 ? '0' : `${format(n, { maximumFractionDigits: 1 })} ${unit(name)}`;
}
/** With two units, such as 25 min 59 s; `short` leaves out a second unit that is zero, and fractions. */
export function duration(seconds, short) {
  const two = (n, name, m, lower) => (short && !m ? `${n} ${unit(name)}` : `${n} ${unit(name)} ${m} ${unit(lower)}`);
  if (seconds === 0) return `0 ${unit('s')}`;
  if (seconds < 1) return `${Math.round(seconds * 1000)} ${unit('ms')}`;
  if (seconds < 60) {
    const fraction = seconds < 10 && !(short && seconds % 1 === 0);
    return `${fraction ? seconds.toFixed(1) : Math.floor(seconds)} ${unit('s')}`;
  }
  if (seconds < 3600) return two(Math.floor(seconds / 60), 'min', Math.floor(seconds % 60), 's');
  if (seconds < 86400) return two(Math.floor(seconds / 3600), 'h', Math.floor((seconds % 3600) / 60), 'min');
  return two(Math.floor(seconds / 86400), 'd', Math.floor((seconds % 86400) / 3600), 'h');
}
