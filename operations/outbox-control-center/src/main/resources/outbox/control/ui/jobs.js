import { h, Fragment, useState, Top, When, Note, Dialog } from './parts.js';
import { get, post, app as path } from './api.js';
import { words, duration } from './i18n.js';
import { usePulse } from './nodes.js';

const t = words({
  'Job': '任务',
  'Schedule': '调度',
  'every': '每',
  'Author': '负责人',
  'Last run': '最近执行',
  'Next run': '下次执行',
  'started': '运行中',
  'stopped': '已停止',
  'Start': '启动',
  'Stop': '停止',
  'Run once': '执行一次',
  'Stop this job?': '停止这个任务？',
  'XXL-Job no longer runs it until someone starts it again. A run that has begun goes on.':
    '在重新启动之前，XXL-Job 不再执行它。已经开始的执行会继续完成。',
  'The job is started.': '任务已启动。',
  'The job is stopped.': '任务已停止。',
  'The job was triggered.': '任务已触发。',
  'The XXL-Job admin has no outbox jobs of this application.': 'XXL-Job 调度中心没有该应用的 outbox 任务。',
});

const DONE = { start: 'The job is started.', stop: 'The job is stopped.', trigger: 'The job was triggered.' };

/** A fixed rate is in seconds; anything else stands as it is. */
function schedule(text) {
  const rate = /^FIX_RATE (\d+)$/.exec(text);
  return rate ? `${t('every')} ${duration(Number(rate[1]))}` : h('code', null, text);
}

/** The outbox's jobs at the XXL-Job admin of an application. */
export function Jobs({ app, rights, toast }) {
  const state = usePulse((signal) => get(`${path(app)}/jobs`, signal), app);
  const [stopping, setStopping] = useState(null);
  const jobs = state.value?.jobs ?? [];
  const act = (job, action, body) =>
    post(`${path(app)}/jobs/${encodeURIComponent(job.id)}/${action}`, body).then(
      () => {
        setStopping(null);
        toast(t(DONE[action]));
        state.reload();
      },
      (error) => toast(error.message),
    );
  const buttons = (job) =>
    h(
      'div',
      { class: 'row' },
      job.started
        ? h('button', { type: 'button', onClick: () => setStopping(job) }, t('Stop'))
        : h('button', { type: 'button', onClick: () => act(job, 'start') }, t('Start')),
      h('button', { type: 'button', onClick: () => act(job, 'trigger') }, t('Run once')),
    );
  return h(
    Fragment,
    null,
    h(Top, { title: t('Scheduled jobs'), note: 'XXL-Job' }),
    state.error ? h(Note, { kind: 'bad' }, state.error.message) : null,
    h(
      'section',
      { 'class': 'card scroll', 'aria-busy': String(!state.value && !state.error) },
      jobs.length
        ? h(
            'table',
            { class: 'table cards still' },
            h(
              'thead',
              null,
              h(
                'tr',
                null,
                ['Job', 'State', 'Schedule', 'Last run', 'Next run', 'Author'].map((name) =>
                  h('th', { scope: 'col' }, t(name)),
                ),
                h('th', { scope: 'col' }, h('span', { class: 'visually-hidden' }, t('Action'))),
              ),
            ),
            h(
              'tbody',
              null,
              jobs.map((job) => h(Line, { job, key: job.id }, rights.act ? buttons(job) : null)),
            ),
          )
        : h(
            'div',
            { class: 'empty' },
            state.error
              ? null
              : t(state.value ? 'The XXL-Job admin has no outbox jobs of this application.' : 'Loading…'),
          ),
    ),
    stopping
      ? h(StopQuestion, {
          job: stopping,
          onCancel: () => setStopping(null),
          onSend: (body) => act(stopping, 'stop', body),
        })
      : null,
  );
}

const Line = ({ job, children }) =>
  h(
    'tr',
    null,
    h('td', null, h('b', null, job.handler), h('div', { class: 'label' }, job.description)),
    h(
      'td',
      { 'data-label': t('State') },
      h('span', { class: 'badge ' + (job.started ? 'done' : 'retry') }, t(job.started ? 'started' : 'stopped')),
    ),
    h('td', { 'class': 'nowrap', 'data-label': t('Schedule') }, schedule(job.schedule)),
    h('td', { 'data-label': t('Last run') }, h(When, { at: job.lastRun })),
    h('td', { 'data-label': t('Next run') }, h(When, { at: job.nextRun })),
    h('td', { 'data-label': t('Author') }, job.author),
    h('td', null, children),
  );

function StopQuestion({ job, onCancel, onSend }) {
  return h(
    Dialog,
    { label: t('Stop this job?'), onClose: onCancel },
    h(
      'form',
      {
        class: 'stack',
        onSubmit: (e) => {
          e.preventDefault();
          onSend({ reason: new FormData(e.target).get('reason') || undefined });
        },
      },
      h('h2', null, t('Stop this job?')),
      h('p', null, h('b', null, job.handler)),
      h(
        'p',
        { class: 'label' },
        t('XXL-Job no longer runs it until someone starts it again. A run that has begun goes on.'),
      ),
      h('label', { class: 'label' }, t('Reason'), h('textarea', { name: 'reason', maxLength: 500 })),
      h(
        'div',
        { class: 'row' },
        h('button', { type: 'button', onClick: onCancel }, t('Cancel')),
        h('button', { class: 'primary' }, t('Stop')),
      ),
    ),
  );
}
