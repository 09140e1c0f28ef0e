import type { ComponentChildren, VNode } from 'preact';
import { safely } from '#core/coded-error';
import { BrandMark } from '#core/html';
import { findSection } from '../../sections/define-section.js';
import type { SecuritySection } from '../../sections/security/section.js';
import { queryAnchor } from '../../sections/database/section.js';
import type { DbSection } from '../../sections/database/queries.js';
import { describeException } from '../../sections/exception/findings.js';
import { answerOf, findingsOf, type RecordFinding } from '../../sections/findings-of.js';
import { findHeader, type ProfileRecord } from '../../model/profile-record.js';
import type { PanelBadge } from '../../view/block.js';
import { compact } from '../../view/make-blocks.js';
import type { Panel } from '../../sections/panel.js';
import { breakdownOf } from '../../model/time-breakdown.js';
import { formatMilliseconds } from '../../model/formatting.js';
import { Hatches, Legend, RequestBar } from '../blocks/request-bar.js';
import { statusLook, statusSigns } from '../blocks/status.js';
import { formatTerm } from '../../search/parse-query.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { say } from '#core/phrases';

/** A toolbar entry, which links to its panel, and the card that opens above it with facts and links. */
interface Entry {
  readonly id: string;
  readonly href: string;
  readonly words: string;
  readonly tone?: string;
  readonly chip?: PanelBadge | undefined;
  /** The record whose time is drawn, in the entry and on its card. */
  readonly timeOf?: ProfileRecord;
  /** Hidden if there is little room. */
  readonly isMinor?: true;
  readonly isCode?: true;
  readonly title?: string;
  readonly note?: string;
  readonly sentence?: { readonly text: string; readonly href: string } | undefined;
  readonly facts?: readonly (readonly [name: string, value: string])[];
  readonly links: readonly (readonly [words: string, href: string])[];
}

/** A record's toolbar. `usual` describes its route's typical time. */
export function RecordToolbar(props: { site: ProfilerSite; record: ProfileRecord; usual: string }): VNode {
  const { site, record, usual } = props;
  const link: Shown['link'] = (panel, anchor) =>
    site.links.record(record.token, { panel }) + (anchor === undefined ? '' : `#${anchor}`);
  const shown = { site, record, link };
  const entries = compact(
    statusEntry(shown),
    timeEntry(shown, usual),
    queriesEntry(shown),
    logsEntry(shown),
    ...otherEntries(shown),
    userEntry(shown),
    controllerEntry(shown),
    previousEntry(shown),
  );
  return (
    <Toolbar state={record.state} list={site.links.list()}>
      {entries.map((entry) => (
        <EntryItem entry={entry} />
      ))}
    </Toolbar>
  );
}

/** The toolbar if there is no record to show. */
export function EmptyToolbar({ site, token }: { site: ProfilerSite; token: string }): VNode {
  return (
    <Toolbar state="unfinished" list={site.links.list()}>
      <li>
        <a class="entry" href={site.links.record(token)}>
          <span class="muted">The record could not be read</span>
          <span class="code">{token}</span>
        </a>
      </li>
    </Toolbar>
  );
}

/** The strip, and the tab that remains when it is hidden. The script fills in the page's requests. */
function Toolbar(props: { state: string; list: string; children: ComponentChildren }): VNode {
  return (
    <>
      <section class="strip" aria-label="lookback" dir="ltr" data-state={props.state}>
        <ul class="entries">
          <li>
            <a class="entry" href={props.list} aria-label="lookback: all requests" title="lookback">
              <BrandMark />
            </a>
          </li>
          {props.children}
        </ul>
        <div class="fetches">
          <button type="button" aria-expanded="false" />
          <div class="card calls" hidden>
            <div class="sheet" role="region" aria-label="Requests of this page" tabIndex={0} />
          </div>
        </div>
        <button type="button" class="close" aria-label="Hide the toolbar" title="Close">
          ×
        </button>
      </section>
      <button type="button" class="tab" aria-label="Show the toolbar" title="lookback">
        <BrandMark />
      </button>
      <Hatches />
    </>
  );
}

function EntryItem({ entry }: { entry: Entry }): VNode {
  const { id, href, words, tone = '', chip, timeOf, isCode, isMinor } = entry;
  const { title = words, note, sentence, facts = [], links } = entry;
  const isFigure = /^\d/.test(title) && title.length <= 16;
  return (
    <li class={isMinor && 'minor'}>
      <a class={`entry ${tone}`} href={href} data-entry={id}>
        {words !== '' && <span class={isCode && 'code'}>{words}</span>}
        {timeOf !== undefined && <RequestBar {...timeProps(timeOf)} />}
        {chip !== undefined && <span class={`chip ${chip.tone}`}>{chip.words}</span>}
      </a>
      <div class="card" role="group" aria-label={title} hidden>
        <div class="sheet">
          <span class={isFigure ? 'number' : 'number small'}>{title}</span>{' '}
          {note !== undefined && <span class="muted note">{note}</span>}
          {sentence !== undefined && (
            <p class="sentence">
              <a href={sentence.href}>{sentence.text}</a>
            </p>
          )}
          {timeOf !== undefined && [<RequestBar {...timeProps(timeOf)} />, <Legend {...timeProps(timeOf)} />]}
          {facts.length > 0 && (
            <dl class="facts">{facts.map(([name, value]) => [<dt>{name}</dt>, <dd>{value}</dd>])}</dl>
          )}
          <div class="links">
            {links.map(([name, to]) => (
              <a href={to}>{name}</a>
            ))}
          </div>
        </div>
      </div>
    </li>
  );
}

function timeProps(record: ProfileRecord): Parameters<typeof RequestBar>[0] {
  const { durationMs } = record;
  return { breakdown: breakdownOf(record), durationMs, end: durationMs };
}

/** Panels with their own entries, including the profiler's. */
const ownEntries: ReadonlySet<string> = new Set(
  'db logs time exception security routing request self'.split(' '),
);
const maxOthers = 4;

/** Input for the entries: the record and links into it. */
interface Shown {
  readonly site: ProfilerSite;
  readonly record: ProfileRecord;
  readonly link: (panel?: string, anchor?: string) => string;
}

function statusEntry(shown: Shown): Entry {
  const { link, record } = shown;
  const { request, response, exception } = record;
  const status = response?.status ?? 0;
  const { tone, word } = statusLook(status);
  const failure = status >= 400 && status < 500 ? findingsOf(record)[0] : undefined;
  return {
    id: 'status',
    // The record opens with its default panel, which is the exception if one was thrown.
    href: link(),
    words: `${statusSigns[tone]} ${status === 0 ? word : status}`,
    tone,
    title: status === 0 ? word : `${status} ${word}`,
    sentence:
      failure !== undefined
        ? sentenceOf(failure, link)
        : exception === null
          ? { text: `${request.method} ${request.target}`, href: link('request') }
          : { text: describeException(record), href: link('exception') },
    links: [
      ['Open record', link()],
      ['Request', link('request')],
      ['Requests of this page’s route', routeList(shown)],
    ],
  };
}

function timeEntry({ site, record, link }: Shown, usual: string): Entry {
  const words = formatMilliseconds(record.durationMs);
  return {
    id: 'time',
    href: link('time'),
    words,
    timeOf: record,
    note: usual,
    sentence: sentenceOf(answerOf(record), link),
    links: [
      ['Open record', link()],
      ['All steps', link('time')],
      ['Compare with the last successful request', site.links.compare(record.token, 'last-good')],
    ],
  };
}

function queriesEntry(shown: Shown): Entry | undefined {
  const { record, link } = shown;
  const section = findSection<DbSection>(record, 'db', ['queries', 'totals']);
  if (section === undefined || section.totals.queries === 0) return undefined;
  const { queries, totals } = section;
  const words = say('{n} query|{n} queries', { n: totals.queries });
  const longest = Math.max(...queries.map(({ durationMs }) => durationMs));
  const at = queries.findIndex(({ durationMs }) => durationMs === longest);
  const slowest = `Slowest, ${formatMilliseconds(longest)}`;
  const finding = findingsOf(record).find(({ target }) => target?.panel === 'db');
  return {
    id: 'db',
    href: link('db'),
    words,
    chip: chipOf(shown, 'db', words),
    title: formatMilliseconds(totals.durationMs),
    note: words,
    sentence: finding && sentenceOf(finding, link),
    facts: queries.slice(at, at + 1).map(({ sql }) => [slowest, sql.slice(0, 200)]),
    links: [
      ['All queries', link('db')],
      ['Slowest query', link('db', at === -1 ? undefined : queryAnchor(at))],
      ['All steps', link('time')],
    ],
  };
}

function logsEntry(shown: Shown): Entry | undefined {
  const { site, record, link } = shown;
  const { logs, logTotals } = record;
  if (logTotals.total === 0) return undefined;
  const words = say('{n} log line|{n} log lines', { n: logTotals.total });
  return {
    id: 'logs',
    href: link('logs'),
    words,
    chip: chipOf(shown, 'logs', words),
    isMinor: true,
    facts: logs.slice(-3).map(({ level, message }) => [level, message.slice(0, 200)]),
    links: [
      ['All log lines', link('logs')],
      ['Open record', link()],
      ['Requests with warnings', site.links.list({ q: 'has:warning' })],
    ],
  };
}

/** Badges of other panels with a warning. */
function otherEntries({ site, record, link }: Shown): readonly Entry[] {
  return site.panels
    .flatMap((panel): readonly Entry[] => {
      const chip = badgeOf(panel, record);
      if (ownEntries.has(panel.id) || chip === undefined || chip.tone === 'neutral') return [];
      const href = link(panel.id);
      const card = {
        title: panel.title,
        sentence: { text: chip.words, href },
        links: [['Open panel', href]],
      } as const;
      return [{ id: panel.id, href, words: '', chip, isMinor: true, ...card }];
    })
    .slice(0, maxOthers);
}

function userEntry({ site, record, link }: Shown): Entry | undefined {
  const { user } = record.request;
  if (user === null) return undefined;
  const roles = findSection<SecuritySection>(record, 'security', ['user'])?.user?.roles ?? [];
  return {
    id: 'user',
    href: link('security'),
    words: user,
    isMinor: true,
    facts:
      roles.length === 0 ? [] : [[say('role|roles', { n: roles.length }), roles.slice(0, 20).join(', ')]],
    links: [
      ['Security', link('security')],
      ['Requests of this user', site.links.list({ q: formatTerm('user', user) })],
      ['Open record', link()],
    ],
  };
}

function controllerEntry(shown: Shown): Entry | undefined {
  const { link, record } = shown;
  const { name = null, path = null } = record.route ?? {};
  const words = record.controller?.name ?? name ?? '';
  if (words === '') return undefined;
  return {
    id: 'route',
    href: link('routing'),
    words,
    isMinor: true,
    isCode: true,
    facts: compact(name !== null && ['route', name], path !== null && ['path', path]),
    links: [
      ['Routing', link('routing')],
      ['Requests of this route', routeList(shown)],
      ['Open record', link()],
    ],
  };
}

/** The redirect that led to the request. */
function previousEntry({ site, record }: Shown): Entry | undefined {
  const token = findHeader(record.response?.headers ?? [], 'x-previous-debug-token');
  if (token === undefined) return undefined;
  const href = site.links.record(token);
  const card = {
    title: token,
    sentence: { text: 'Redirected from', href },
    links: [['Open record', href]],
  } as const;
  return { id: 'previous', href, words: `↪ ${token}`, isCode: true, ...card };
}

function routeList({ site, record: { route } }: Shown): string {
  const name = route?.name ?? null;
  return site.links.list(name === null ? {} : { q: formatTerm('route', name) });
}

function sentenceOf({ text, target }: RecordFinding, link: Shown['link']): Entry['sentence'] {
  return { text, href: link(target?.panel, target?.anchor) };
}

/** Returns a panel's badge, if it says more than the entry's own text. */
function chipOf({ site, record }: Shown, id: string, words: string): PanelBadge | undefined {
  const panel = site.panels.find((one) => one.id === id);
  const badge = panel && badgeOf(panel, record);
  return badge?.tone === 'neutral' || badge?.words === words ? undefined : badge;
}

function badgeOf(panel: Panel, record: ProfileRecord): PanelBadge | undefined {
  const badge = safely(() => panel.badge(record), undefined); // the panel's own page reports the failure
  return badge === 'plain' ? undefined : badge;
}
