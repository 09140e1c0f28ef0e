import { findSection } from '../../collectors/define-part.js';
import type { SecuritySection } from '../../collectors/create-security-collector.js';
import { queryAnchor } from '../../collectors/db-part.js';
import type { DbSection } from '../../collectors/db-section.js';
import { describeException } from '../../findings/outcome-findings.js';
import { answerOf, findingsOf, type RecordFinding } from '../../findings/findings-of.js';
import { findHeader, type ProfileRecord } from '../../model/profile-record.js';
import type { Panel } from '../../panels/panel.js';
import { breakdownOf } from '../../record/spans.js';
import { formatMilliseconds, type TimePart, timePartsOf } from '../../words/format.js';
import { statusLook } from '../blocks/status.js';
import { formatTerm } from '../../query/parse-query.js';
import { safely } from '../record/show-record.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { say } from '#phrases';

/** What opens above an entry: number, sentence, bar with legend, facts, and links. */
interface ToolbarCard {
  readonly number: string;
  readonly note?: string;
  readonly sentence?: { readonly text: string; readonly href: string } | undefined;
  readonly parts?: readonly TimePart[];
  readonly facts?: readonly (readonly [name: string, value: string])[];
  readonly links: readonly { readonly words: string; readonly href: string }[];
}

/** An entry of the toolbar: a link to its panel. */
interface ToolbarEntry {
  readonly id: string;
  readonly href: string;
  readonly words: string;
  readonly tone?: string;
  readonly chip?: { readonly words: string; readonly tone: string } | undefined;
  readonly parts?: readonly TimePart[];
  /** Dropped where there is little room. */
  readonly isMinor?: true;
  readonly isCode?: true;
  readonly card: ToolbarCard;
}

/** What the toolbar shows of a record; all texts are composed here. */
export interface ToolbarContent {
  readonly token: string;
  readonly state: string;
  readonly tone: string;
  readonly list: string;
  readonly entries: readonly ToolbarEntry[];
}

const signs: Readonly<Record<string, string>> = { ok: '✓', info: '↪', warn: '!', error: '✕', neutral: '…' };

/** Panels with entries of their own, and that of the profiler. */
const ownEntries: ReadonlySet<string> = new Set(
  'db logs time exception security routing request self'.split(' '),
);
const maxOthers = 4;

/** What the entries are made of: the record and the links into it. */
interface Shown {
  readonly site: ProfilerSite;
  readonly record: ProfileRecord;
  readonly link: (panel?: string, anchor?: string) => string;
}

/** Returns the content of the toolbar for a record; `usual`: what requests of its route take. */
export function toolbarContent(site: ProfilerSite, record: ProfileRecord, usual: string): ToolbarContent {
  const link: Shown['link'] = (panel, anchor) =>
    site.links.record(record.token, { panel }) + (anchor === undefined ? '' : `#${anchor}`);
  const shown = { site, record, link };
  return {
    token: record.token,
    state: record.state,
    tone: statusLook(record.response?.status ?? 0).tone,
    list: site.links.list(),
    entries: [
      statusEntry(shown),
      timeEntry(shown, usual),
      ...queriesEntry(shown),
      ...logsEntry(shown),
      ...otherEntries(shown),
      ...userEntry(shown),
      ...controllerEntry(shown),
      ...previousEntry(shown),
    ],
  };
}

function statusEntry(shown: Shown): ToolbarEntry {
  const { link, record } = shown;
  const { request, response, exception } = record;
  const status = response?.status ?? 0;
  const { tone, word } = statusLook(status);
  return {
    id: 'status',
    // The record opens with its default panel, which is the exception if one was thrown.
    href: link(),
    words: `${signs[tone] ?? ''} ${status === 0 ? word : status}`,
    tone,
    card: {
      number: status === 0 ? word : `${status} ${word}`,
      sentence:
        exception === null
          ? { text: `${request.method} ${request.target}`, href: link('request') }
          : { text: describeException(exception), href: link('exception') },
      links: [
        { words: 'Open record', href: link() },
        { words: 'Request', href: link('request') },
        { words: 'Requests of this page’s route', href: routeList(shown) },
      ],
    },
  };
}

function timeEntry({ site, record, link }: Shown, usual: string): ToolbarEntry {
  const parts = timePartsOf(breakdownOf(record));
  const words = formatMilliseconds(record.durationMs);
  const links = [
    { words: 'Open record', href: link() },
    { words: 'All steps', href: link('time') },
    { words: 'Compare with the last good one', href: site.links.compare(record.token, 'last-good') },
  ];
  const card = { number: words, note: usual, sentence: sentenceOf(answerOf(record), link), parts, links };
  return { id: 'time', href: link('time'), words, parts, card };
}

function queriesEntry(shown: Shown): readonly ToolbarEntry[] {
  const { record, link } = shown;
  const section = findSection<DbSection>(record, 'db', ['queries', 'totals']);
  if (section === undefined || section.totals.queries === 0) return [];
  const { queries, totals } = section;
  const words = say('{n} query|{n} queries', { n: totals.queries });
  const longest = Math.max(...queries.map(({ durationMs }) => durationMs));
  const at = queries.findIndex(({ durationMs }) => durationMs === longest);
  const slowest = say('Slowest, {time}', { time: formatMilliseconds(longest) });
  const finding = findingsOf(record).find(({ target }) => target?.panel === 'db');
  const card = {
    number: formatMilliseconds(totals.durationMs),
    note: words,
    sentence: finding && sentenceOf(finding, link),
    facts: queries.slice(at, at + 1).map(({ sql }) => [slowest, sql.slice(0, 200)] as const),
    links: [
      { words: 'All queries', href: link('db') },
      { words: 'Slowest query', href: link('db', at === -1 ? undefined : queryAnchor(at)) },
      { words: 'All steps', href: link('time') },
    ],
  };
  return [{ id: 'db', href: link('db'), words, chip: chipOf(shown, 'db', words), card }];
}

function logsEntry(shown: Shown): readonly ToolbarEntry[] {
  const { site, record, link } = shown;
  const { logs, logTotals } = record;
  if (logTotals.total === 0) return [];
  const words = say('{n} log line|{n} log lines', { n: logTotals.total });
  const facts = logs.slice(-3).map(({ level, message }) => [level, message.slice(0, 200)] as const);
  const links = [
    { words: 'All log lines', href: link('logs') },
    { words: 'Open record', href: link() },
    { words: 'Requests with warnings', href: site.links.list({ q: 'has:warning' }) },
  ];
  const chip = chipOf(shown, 'logs', words);
  return [
    { id: 'logs', href: link('logs'), words, chip, isMinor: true, card: { number: words, facts, links } },
  ];
}

/** The badges of the other panels that warn of something. */
function otherEntries({ site, record, link }: Shown): readonly ToolbarEntry[] {
  return site.panels
    .flatMap((panel): readonly ToolbarEntry[] => {
      const chip = badgeOf(panel, record);
      if (ownEntries.has(panel.id) || chip === undefined || chip.tone === 'neutral') return [];
      const href = link(panel.id);
      const sentence = { text: chip.words, href };
      const card = { number: panel.title, sentence, links: [{ words: 'Open panel', href }] };
      return [{ id: panel.id, href, words: '', chip, isMinor: true, card }];
    })
    .slice(0, maxOthers);
}

function userEntry({ site, record, link }: Shown): readonly ToolbarEntry[] {
  const { user } = record.request;
  if (user === null) return [];
  const roles = findSection<SecuritySection>(record, 'security', ['user'])?.user?.roles ?? [];
  const facts = [[say('role|roles', { n: roles.length }), roles.slice(0, 20).join(', ')] as const];
  const links = [
    { words: 'Security', href: link('security') },
    { words: 'Requests of this user', href: site.links.list({ q: formatTerm('user', user) }) },
    { words: 'Open record', href: link() },
  ];
  const card = { number: user, facts: roles.length === 0 ? [] : facts, links };
  return [{ id: 'user', href: link('security'), words: user, isMinor: true, card }];
}

function controllerEntry(shown: Shown): readonly ToolbarEntry[] {
  const { record, link } = shown;
  const { controller, route } = record;
  const words = controller?.name ?? route?.name ?? '';
  if (words === '') return [];
  const known = [['route', route?.name ?? null] as const, ['path', route?.path ?? null] as const];
  const facts = known.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  const links = [
    { words: 'Routing', href: link('routing') },
    { words: 'Requests of this route', href: routeList(shown) },
    { words: 'Open record', href: link() },
  ];
  const card = { number: words, facts, links };
  return [{ id: 'route', href: link('routing'), words, isMinor: true, isCode: true, card }];
}

/** The redirect that led to the request. */
function previousEntry({ site, record }: Shown): readonly ToolbarEntry[] {
  const token = findHeader(record.response?.headers ?? [], 'x-previous-debug-token');
  if (token === undefined) return [];
  const href = site.links.record(token);
  const links = [{ words: 'Open record', href }];
  const card = { number: token, sentence: { text: 'Redirected from', href }, links };
  return [{ id: 'previous', href, words: `↪ ${token}`, isCode: true, card }];
}

function routeList({ site, record: { route } }: Shown): string {
  const name = route?.name ?? null;
  return site.links.list(name === null ? {} : { q: formatTerm('route', name) });
}

function sentenceOf({ text, target }: RecordFinding, link: Shown['link']): ToolbarCard['sentence'] {
  return { text, href: link(target?.panel, target?.anchor) };
}

/** The badge of a panel, if it says more than the entry's own words. */
function chipOf({ site, record }: Shown, id: string, words: string): ToolbarEntry['chip'] {
  const panel = site.panels.find((one) => one.id === id);
  const badge = panel && badgeOf(panel, record);
  return badge === undefined || badge.tone === 'neutral' || badge.words === words ? undefined : badge;
}

function badgeOf(panel: Panel, record: ProfileRecord): ToolbarEntry['chip'] {
  const badge = safely(() => panel.badge(record), undefined); // the panel's own page reports the failure
  return badge === 'plain' || badge === undefined ? undefined : { words: badge.words, tone: badge.tone };
}
