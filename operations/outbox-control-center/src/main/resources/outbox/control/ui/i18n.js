const zh = {
  'Overview': '概览', 'Refresh': '刷新', 'Back': '上一页', 'Error groups': '错误分组', 'Operations': '批量操作', 'Handlers': '处理器与目标', 'Nodes': '节点', 'Alerts': '告警', 'Settings': '设置', 'Menu': '菜单', 'select the row': '选择该行', 'retry what is selected, or the event': '重试所选或当前事件', 'Events': '事件', 'Audit': '审计', 'Users and tokens': '用户与令牌', 'Application': '应用',
  'Log in': '登录', 'Log out': '退出', 'Name': '名称', 'Password': '密码', 'Language': '语言', 'Theme': '主题',
  'Light': '浅色', 'Dark': '深色', 'Control center': '控制中心', 'Welcome': '欢迎',
  'First administrator': '首位管理员', 'The token printed when the control center started': '控制中心启动时打印的令牌',
  'Create': '创建', 'At least 12 characters': '至少 12 个字符',
  'Oldest undelivered event': '最久未投递的事件', 'nothing is waiting': '没有等待的事件', 'Written': '已写入', 'delivered from the database’s log': '由数据库日志投递',
  'Events are delivered from the database’s log; the table does not say which were.': '事件由数据库日志投递，表中不记录是否已投递。', 'has been due for this long': '已到期这么久',
  'Waiting': '等待投递', 'Retrying': '等待重试', 'Dead': '死信', 'Delivered': '已投递', 'New': '新建',
  'Events per minute': '每分钟事件数', 'written': '写入', 'delivered': '投递', 'failed': '失败',
  'Time from creation to delivery': '从创建到投递的时间', 'Undelivered': '未投递', 'waiting': '等待', 'retrying': '重试', 'dead': '死信',
  'live': '实时', 'paused': '已暂停', 'not recorded': '未记录', 'last 24 minutes': '最近 24 分钟',
  'All': '全部', 'State': '状态', 'Type': '类型', 'Aggregate': '聚合', 'Aggregate id': '聚合 ID', 'Tenant': '租户', 'Error': '错误', 'Event id': '事件 ID',
  'Created': '创建时间', 'Attempts': '尝试次数', 'Age': '时间范围', 'age': '已等待', 'any time': '不限时间', 'last 15 minutes': '最近 15 分钟', 'last hour': '最近 1 小时', 'last day': '最近 1 天', 'last week': '最近 7 天',
  'Newest first': '最新在前', 'Oldest first': '最旧在前', 'Order': '排序', 'Clear': '清除', 'More': '更多', 'Continue searching': '继续搜索',
  'Searched part of the table, back to': '已搜索表的一部分，直到', 'Searched part of the table': '已搜索表的一部分',
  'No events match.': '没有符合条件的事件。', 'No dead events.': '这里没有失败。', 'Loading…': '加载中…',
  'Retry': '重试', 'Skip': '跳过', 'Park': '搁置', 'Delete': '删除', 'Cancel': '取消', 'Reason': '原因', 'optional, recorded in the audit log': '可选，记入审计日志',
  'Retry this event?': '重试这个事件？', 'Skip this event?': '跳过这个事件？', 'Park this event?': '搁置这个事件？', 'Delete this event?': '删除这个事件？',
  'It will be delivered again as soon as possible.': '它会尽快被再次投递。',
  'It is marked as delivered without being delivered.': '它不会被投递，但会被视为已投递。',
  'It is set aside as dead; events behind it are delivered.': '它作为死信被搁置，后面的事件继续投递。',
  'The row is deleted. This cannot be undone.': '该行将被永久删除，无法撤销。',
  'Timeline': '时间线', 'Payload': '负载', 'Show the payload': '显示负载', 'Viewing the payload is recorded in the audit log.': '查看会写入审计日志。',
  'You may not read payloads.': '你无权查看负载。', 'Tree': '树', 'Raw': '原文', 'Headers': '消息头', 'none': '无', 'Facts': '信息',
  'Same aggregate': '同一聚合', 'Blocked by': '被阻塞于', 'this event': '本事件', 'Last error': '最近的错误', 'Trace': '链路追踪', 'Copy as curl': '复制为 curl', 'Copied.': '已复制。',
  'Due': '到期时间', 'Done': '完成时间', 'Leased by': '持有节点', 'Size': '大小', 'Sequence': '序号', 'parked': '已搁置',
  'attempt': '第几次尝试', 'given up': '放弃', 'will be retried': '将重试', 'stack trace': '堆栈', 'node': '节点',
  'This application does not record attempts; only the last error is known.': '该应用未记录每次尝试，只知道最近的错误。',
  'Done: retry': '已重试', 'Done: skip': '已跳过', 'Done: park': '已搁置', 'Done: delete': '已删除',
  'When': '时间', 'Who': '操作者', 'What': '操作', 'Target': '对象', 'Outcome': '结果', 'Detail': '详情', 'Address': '地址',
  'Verify': '校验', 'The audit log is intact.': '日志与写入时一致。', 'entries': '条记录', 'The log was changed:': '日志被改动：',
  'Users': '用户', 'Tokens': '令牌', 'Role': '角色', 'Roles': '角色', 'Payloads': '负载', 'yes': '是', 'no': '否', 'disabled': '已停用', 'Disable': '停用', 'Enable': '启用', 'New user': '新用户', 'New token': '新令牌',
  'Days until it expires': '有效天数', 'Expires': '到期', 'End': '吊销', 'May read payloads': '可查看负载', 'everywhere': '所有应用',
  'Shown only once. Copy it now.': '只显示这一次，请立即保存。', 'Keyboard': '键盘', 'search': '搜索', 'next row': '下一行', 'previous row': '上一行', 'open': '打开', 'retry the event': '重试事件', 'this help': '本帮助', 'Close': '关闭', 'back': '返回',
  'Not found': '未找到', 'You are not logged in.': '尚未登录。', 'This application gave you no access to the control center.': '应用未授予你访问控制中心的权限。', 'Just now': '刚刚', 'Skip to content': '跳到内容', 'read-only': '只读',
};

let language = localStorage.getItem('outbox.language') ?? (navigator.language?.startsWith('zh') ? 'zh' : 'en');
document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';

export const t = (text) => (language === 'zh' ? zh[text] ?? text : text);
/** A page's own words: { English: Chinese }. */
export const words = (more) => { Object.assign(zh, more); };
export const current = () => language;
export function use(next) {
  language = next;
  localStorage.setItem('outbox.language', next);
  document.documentElement.lang = next === 'zh' ? 'zh-CN' : 'en';
}

export const number = (n) => (n === null || n === undefined ? '–' : n > 10000 ? '10 000+' : new Intl.NumberFormat(language).format(n));
export const rate = (n) => (n === null || n === undefined ? '–' : new Intl.NumberFormat(language, { maximumFractionDigits: n < 10 ? 1 : 0 }).format(n));
export const time = (iso) => (iso ? new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(iso)) : '–');
export function duration(seconds) {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}
