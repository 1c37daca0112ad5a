// The words of the page, in both languages.

const WORDS = {
  en: {
    title: 'Outbox shop',
    subtitle: 'Every step is written in its own transaction and brought to the next one by the outbox.',
    controlCenter: 'Control center',
    endpoint: 'Endpoint',
    offline: 'The shop does not answer. This page goes on by itself when it is back.',
    place: 'Place orders',
    one: 'One order',
    burst: 'A burst of 100',
    twice: 'The same order twice',
    flaky: 'Flaky card',
    declined: 'Declined card',
    bankOutCard: 'Bank is out',
    poison: 'Bad address',
    bankOut: 'Bank: out of service',
    bankBack: 'Bank: in service',
    figures: 'Figures',
    waiting: 'waiting',
    retrying: 'to be retried',
    deadCount: 'dead',
    delivered: 'delivered',
    pickUp: 'insert to handler, median',
    lanes: 'The way of the events',
    orders: 'Orders',
    payments: 'Payments',
    mail: 'Mail',
    legendNone: 'not yet',
    legendNew: 'on its way',
    legendRetry: 'failed, will be retried',
    legendDead: 'dead',
    legendDone: 'delivered',
    deadLetters: 'Dead letters',
    deadHint: 'Nothing is lost: remove the cause, then replay. Handlers that have already done their part are not called again.',
    replay: 'Replay',
    replayAll: 'Replay all',
    correct: 'Correct and replay',
    address: 'New address',
    latest: 'Latest orders',
    empty: 'No order yet.',
    more: 'Show more',
    dark: 'Dark',
    light: 'Light',
    NONE: 'not yet',
    NEW: 'on its way',
    RETRY: 'retry',
    DEAD: 'dead',
    DONE: 'delivered',
    refused: 'refused',
    tries: n => n === 1 ? '1 failed attempt' : `${n} failed attempts`,
    sum: (done, all, retry, dead) =>
      `${done} of ${all} delivered` + (retry ? ` · ${retry} to be retried` : '') + (dead ? ` · ${dead} dead` : ''),
    nothing: 'nothing yet',
    picked: (wait, total) => (wait ? `handler after ${wait}` : '') + (wait && total ? ' · ' : '') + (total ? `done after ${total}` : ''),
    saidOne: id => `Order ${id} is placed.`,
    saidBurst: n => `${n} orders are placed, each in a transaction of its own.`,
    saidTwice: id => `Sent twice with one key: both answers are order ${id}.`,
    saidReplay: n => n === 1 ? 'One event is on its way again.' : `${n} events are on their way again.`,
    failed: why => `That did not work: ${why}`,
  },
  zh: {
    title: 'Outbox 商店',
    subtitle: '每一步都在自己的事务中写入事件，由 outbox 送到下一步。',
    controlCenter: '控制中心',
    endpoint: '端点',
    offline: '商店没有响应。恢复后本页会自动继续。',
    place: '下单',
    one: '下一单',
    burst: '连下 100 单',
    twice: '同一单提交两次',
    flaky: '不稳定的卡',
    declined: '被拒的卡',
    bankOutCard: '银行停机',
    poison: '错误的邮箱',
    bankOut: '银行：停机',
    bankBack: '银行：正常',
    figures: '数字',
    waiting: '等待投递',
    retrying: '等待重试',
    deadCount: '死信',
    delivered: '已投递',
    pickUp: '写入到处理（中位数）',
    lanes: '事件的路径',
    orders: '订单',
    payments: '支付',
    mail: '邮件',
    legendNone: '尚未产生',
    legendNew: '投递中',
    legendRetry: '失败，将重试',
    legendDead: '死信',
    legendDone: '已投递',
    deadLetters: '死信',
    deadHint: '什么都没有丢：消除原因后重放即可。已完成的处理器不会再次被调用。',
    replay: '重放',
    replayAll: '全部重放',
    correct: '更正并重放',
    address: '新邮箱',
    latest: '最新订单',
    empty: '还没有订单。',
    more: '显示更多',
    dark: '深色',
    light: '浅色',
    NONE: '尚未产生',
    NEW: '投递中',
    RETRY: '待重试',
    DEAD: '死信',
    DONE: '已投递',
    refused: '已拒绝',
    tries: n => `失败 ${n} 次`,
    sum: (done, all, retry, dead) =>
      `已投递 ${done}/${all}` + (retry ? ` · 待重试 ${retry}` : '') + (dead ? ` · 死信 ${dead}` : ''),
    nothing: '暂无',
    picked: (wait, total) => (wait ? `${wait} 后开始处理` : '') + (wait && total ? ' · ' : '') + (total ? `${total} 后完成` : ''),
    saidOne: id => `订单 ${id} 已提交。`,
    saidBurst: n => `已提交 ${n} 个订单，每个都在自己的事务中。`,
    saidTwice: id => `用同一个键提交了两次：两次都得到订单 ${id}。`,
    saidReplay: n => `${n} 个事件已重新投递。`,
    failed: why => `操作失败：${why}`,
  },
};

let language = localStorage.getItem('language') ?? (navigator.language.startsWith('zh') ? 'zh' : 'en');

export function t(key, ...values) {
  const word = WORDS[language][key];
  return typeof word === 'function' ? word(...values) : word;
}

export function toggleLanguage() {
  language = language === 'en' ? 'zh' : 'en';
  localStorage.setItem('language', language);
  applyWords();
}

export function applyWords() {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  document.title = t('title');
  for (const element of document.querySelectorAll('[data-text]')) {
    element.textContent = t(element.dataset.text);
  }
  document.getElementById('language').textContent = language === 'en' ? '中文' : 'English';
}
