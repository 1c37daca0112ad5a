// Places orders and shows the board that the server sends whenever it has changed.

import { applyWords, t, toggleLanguage } from './i18n.js';

const LANES = ['placed', 'paid', 'mailed'];
const ITEMS = ['lamp', 'chair', 'kettle', 'clock', 'rug', 'vase'];
const FIRST_LINES = 12;
const DATABASES = { h2: 'H2', postgresql: 'PostgreSQL', mysql: 'MySQL', mariadb: 'MariaDB' };

const $ = id => document.getElementById(id);
let board = null;
let shownLines = FIRST_LINES;

// --- talking to the shop

async function send(method, path, body, headers = {}) {
  const response = await fetch(path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  const answer = text ? JSON.parse(text) : null;
  if (!response.ok) {
    throw new Error(answer?.detail ?? response.statusText);
  }
  return answer;
}

function placeOrder(kind, key = crypto.randomUUID()) {
  const poison = kind === 'POISON';
  return send('POST', 'api/orders', {
    item: ITEMS[Math.floor(Math.random() * ITEMS.length)],
    cents: 990 + Math.floor(Math.random() * 9000),
    card: poison ? 'GOOD' : kind,
    email: poison ? 'nobody@poison.example' : 'ada@mail.example',
  }, { 'Idempotency-Key': key });
}

async function sameOrderTwice() {
  const key = crypto.randomUUID();
  const order = { item: 'lamp', cents: 4900, card: 'GOOD', email: 'ada@mail.example' };
  const headers = { 'Idempotency-Key': key };
  const [first, second] = await Promise.all([1, 2].map(() => send('POST', 'api/orders', order, headers)));
  if (first.orderId !== second.orderId) {
    throw new Error(`${first.orderId} / ${second.orderId}`);
  }
  return first;
}

function act(button, work, words) {
  button.disabled = true;
  work()
    .then(answer => say(words(answer)))
    .catch(failure => say(t('failed', failure.message)))
    .finally(() => { button.disabled = false; });
}

function say(text) {
  $('said').textContent = text;
}

const shortId = id => '…' + id.slice(-6);

function millis(value) {
  if (value === null || value === undefined) {
    return '';
  }
  if (value >= 1000) {
    return `${(value / 1000).toFixed(1)} s`;
  }
  return value >= 10 ? `${Math.round(value)} ms` : `${Number(value).toFixed(1)} ms`;
}

// --- drawing

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) {
    made.className = className;
  }
  if (text !== undefined) {
    made.textContent = text;
  }
  return made;
}

const stateOf = step => step ? step.status : 'NONE';

function drawFigures() {
  for (const status of ['NEW', 'RETRY', 'DEAD', 'DONE']) {
    $('count-' + status).textContent = board.counts[status] ?? 0;
  }
  $('pick-up').textContent = millis(board.medianPickUpMillis) || '–';
  $('database').textContent = DATABASES[board.database] ?? board.database;
  const link = $('control-center');
  link.hidden = !board.controlCenter;
  if (board.controlCenter) {
    link.href = board.controlCenter;
  }
  $('bank').setAttribute('aria-checked', String(!board.bankOut));
  $('bank-text').textContent = t(board.bankOut ? 'bankOut' : 'bankBack');
}

function drawLane(name) {
  const lane = document.querySelector(`[data-lane="${name}"]`);
  const dots = lane.querySelector('.dots');
  while (dots.childElementCount < board.orders.length) {
    dots.append(element('i'));
  }
  while (dots.childElementCount > board.orders.length) {
    dots.lastElementChild.remove();
  }
  const counts = { NONE: 0, NEW: 0, RETRY: 0, DEAD: 0, DONE: 0 };
  board.orders.forEach((line, index) => {
    const state = stateOf(line[name]);
    counts[state]++;
    const dot = dots.children[index];
    dot.className = 'dot ' + state.toLowerCase();
    dot.title = `${line.order.item} ${shortId(line.order.id)}: ${t(state)}`;
  });
  const all = board.orders.length - counts.NONE;
  const sum = all ? t('sum', counts.DONE, all, counts.RETRY, counts.DEAD) : t('nothing');
  lane.querySelector('.sum').textContent = sum;
  dots.setAttribute('aria-label', sum);
}

function drawStep(lane, line) {
  const step = line[lane];
  const cell = element('div', 'step');
  const state = stateOf(step);
  const refused = step?.type === 'payment.refused' && state === 'DONE';
  const name = lane === 'placed' ? 'orders' : lane === 'paid' ? 'payments' : 'mail';
  cell.append(element('span', 'pill ' + state.toLowerCase(), `${t(name)}: ${t(refused ? 'refused' : state)}`));
  if (step) {
    if (step.attempts > 0) {
      cell.append(element('small', '', t('tries', step.attempts)));
    }
    const times = t('picked', millis(step.pickUpMillis), millis(step.totalMillis));
    if (times) {
      cell.append(element('small', '', times));
    }
  }
  return cell;
}

function drawLine(line) {
  const item = element('li');
  const who = element('div', 'who');
  const name = element('span');
  name.append(element('b', '', line.order.item), ` ${(line.order.cents / 100).toFixed(2)} €`);
  who.append(name, element('div', 'id', line.order.id));
  item.append(who, ...LANES.map(lane => drawStep(lane, line)));
  for (const step of LANES.map(lane => line[lane])) {
    if (step?.error && step.status !== 'DONE') {
      item.append(element('p', step.status === 'RETRY' ? 'error retry-error' : 'error', step.error));
    }
  }
  return item;
}

function drawLines() {
  $('empty').hidden = board.orders.length > 0;
  $('lines').replaceChildren(...board.orders.slice(0, shownLines).map(drawLine));
  $('more').hidden = board.orders.length <= shownLines;
}

function replayed(answer) {
  return t('saidReplay', answer.replayed);
}

function deadLetter(letter) {
  const item = element('li');
  item.dataset.event = letter.eventId;
  const what = element('div', 'what');
  what.append(
    element('div', 'error', letter.error),
    element('div', 'of', `${letter.type} · ${letter.orderId} · ${t('tries', letter.attempts)}`));
  const form = element('form');
  const replay = element('button', '', t(letter.badAddress ? 'correct' : 'replay'));
  const input = letter.badAddress ? element('input') : null;
  if (input) {
    input.type = 'email';
    input.required = true;
    input.value = 'somebody@mail.example';
    input.setAttribute('aria-label', t('address'));
    form.append(input);
  }
  form.append(replay);
  form.addEventListener('submit', event => {
    event.preventDefault();
    act(replay, async () => {
      if (input) {
        await send('PUT', `api/orders/${encodeURIComponent(letter.orderId)}/address`, { address: input.value });
      }
      return send('POST', `api/dead/${encodeURIComponent(letter.eventId)}/replay`);
    }, replayed);
  });
  item.append(what, form);
  return item;
}

let shownDead = '';

/** Only when it has changed: somebody may be writing into one of its fields. */
function drawDead() {
  $('dead-panel').hidden = board.dead.length === 0;
  const now = JSON.stringify(board.dead) + document.documentElement.lang;
  if (now !== shownDead) {
    shownDead = now;
    $('dead').replaceChildren(...board.dead.map(deadLetter));
  }
}

function draw() {
  if (board) {
    drawFigures();
    LANES.forEach(drawLane);
    drawDead();
    drawLines();
  }
}

// --- theme

const dark = () => (document.documentElement.dataset.theme
  ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';

function nameTheme() {
  $('theme').textContent = t(dark() ? 'light' : 'dark');
}

const wanted = localStorage.getItem('theme');
if (wanted) {
  document.documentElement.dataset.theme = wanted;
}
$('theme').addEventListener('click', () => {
  document.documentElement.dataset.theme = dark() ? 'light' : 'dark';
  localStorage.setItem('theme', document.documentElement.dataset.theme);
  nameTheme();
});

// --- what a person does

for (const button of document.querySelectorAll('[data-order]')) {
  button.addEventListener('click', () =>
    act(button, () => placeOrder(button.dataset.order), order => t('saidOne', order.orderId)));
}
$('burst').addEventListener('click', event =>
  act(event.currentTarget, () => send('POST', 'api/orders/burst', { count: 100 }), answer => t('saidBurst', answer.placed)));
$('twice').addEventListener('click', event =>
  act(event.currentTarget, sameOrderTwice, order => t('saidTwice', order.orderId)));
$('bank').addEventListener('click', event =>
  act(event.currentTarget, () => send('PUT', 'api/bank', { out: !board?.bankOut }), answer => t(answer.out ? 'bankOut' : 'bankBack')));
$('replay-all').addEventListener('click', event =>
  act(event.currentTarget, () => send('POST', 'api/dead/replay'), replayed));
$('more').addEventListener('click', () => {
  shownLines = Infinity;
  draw();
});
$('language').addEventListener('click', () => {
  toggleLanguage();
  nameTheme();
  say('');
  draw();
});

applyWords();
nameTheme();

const live = new EventSource('api/board/live');
live.addEventListener('board', message => {
  board = JSON.parse(message.data);
  $('offline').hidden = true;
  draw();
});
live.addEventListener('error', () => {
  $('offline').hidden = false; // the browser connects again by itself
});
