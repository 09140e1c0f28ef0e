import { findSection } from '../../collectors/find-section.js';
import type { SecuritySection } from '../../collectors/create-security-collector.js';
import { queryAnchor } from '../../collectors/db-part.js';
import type { DbSection } from '../../collectors/db-section.js';
import { describeException } from '../../findings/outcome-findings.js';
import { answerOf, findingsOf, type RecordFinding } from '../../findings/findings-of.js';
import { findHeader, type ProfileRecord } from '../../model/profile-record.js';
import type { TimePart } from '../../model/recording.js';
import type { Panel } from '../../panels/panel.js';
import { breakdownOf } from '../../record/time-breakdown.js';
import { formatMilliseconds, timePartsOf } from '../../words/format.js';
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

/** Panels with entries of their own. */
const ownEntries: ReadonlySet<string> = new Set('db logs time exception security routing request'.split(' '));
const maxOthers = 4;

/** Returns the content of the toolbar for a record; `usual`: what requests of its route take. */
export function toolbarContent(site: ProfilerSite, record: ProfileRecord, usual: string): ToolbarContent {
  const entries = new EntryMaker(site, record);
  return {
    token: record.token,
    state: record.state,
    tone: statusLook(record.response?.status ?? 0).tone,
    list: site.links.list(),
    entries: [
      entries.status(),
      entries.time(usual),
      ...entries.queries(),
      ...entries.logs(),
      ...entries.others(),
      ...entries.user(),
      ...entries.controller(),
      ...entries.previous(),
    ],
  };
}

class EntryMaker {
  readonly #site: ProfilerSite;
  readonly #record: ProfileRecord;

  constructor(site: ProfilerSite, record: ProfileRecord) {
    this.#site = site;
    this.#record = record;
  }

  status(): ToolbarEntry {
    const { request, response, exception } = this.#record;
    const status = response?.status ?? 0;
    const { tone, word } = statusLook(status);
    return {
      id: 'status',
      // The record opens with its default panel, which is the exception if one was thrown.
      href: this.#link(),
      words: `${signs[tone] ?? ''} ${status === 0 ? word : status}`,
      tone,
      card: {
        number: status === 0 ? word : `${status} ${word}`,
        sentence:
          exception === null
            ? { text: `${request.method} ${request.target}`, href: this.#link('request') }
            : { text: describeException(exception), href: this.#link('exception') },
        links: [
          { words: 'Open record', href: this.#link() },
          { words: 'Request', href: this.#link('request') },
          { words: 'Requests of this page’s route', href: this.#routeList() },
        ],
      },
    };
  }

  time(usual: string): ToolbarEntry {
    const { durationMs, token } = this.#record;
    const parts = timePartsOf(breakdownOf(this.#record));
    return {
      id: 'time',
      href: this.#link('time'),
      words: formatMilliseconds(durationMs),
      parts,
      card: {
        number: formatMilliseconds(durationMs),
        note: usual,
        sentence: this.#sentence(answerOf(this.#record)),
        parts,
        links: [
          { words: 'Open record', href: this.#link() },
          { words: 'All steps', href: this.#link('time') },
          { words: 'Compare with the last good one', href: this.#site.links.compare(token, 'last-good') },
        ],
      },
    };
  }

  queries(): readonly ToolbarEntry[] {
    const section = findSection<DbSection>(this.#record, 'db', ['queries', 'totals']);
    if (section === undefined || section.totals.queries === 0) return [];
    const { queries, totals } = section;
    const words = say('{n} query|{n} queries', { n: totals.queries });
    const longest = Math.max(...queries.map(({ durationMs }) => durationMs));
    const at = queries.findIndex(({ durationMs }) => durationMs === longest);
    const slowest = queries[at];
    const href = slowest === undefined ? this.#link('db') : `${this.#link('db')}#${queryAnchor(at)}`;
    return [
      {
        id: 'db',
        href: this.#link('db'),
        words,
        chip: this.#chip('db', words),
        card: {
          number: formatMilliseconds(totals.durationMs),
          note: words,
          sentence: this.#sentence(findingsOf(this.#record).find(({ target }) => target?.panel === 'db')),
          facts:
            slowest === undefined
              ? []
              : [[say('Slowest, {time}', { time: formatMilliseconds(longest) }), slowest.sql.slice(0, 200)]],
          links: [
            { words: 'All queries', href: this.#link('db') },
            { words: 'Slowest query', href },
            { words: 'All steps', href: this.#link('time') },
          ],
        },
      },
    ];
  }

  logs(): readonly ToolbarEntry[] {
    const { total } = this.#record.logTotals;
    if (total === 0) return [];
    const words = say('{n} log line|{n} log lines', { n: total });
    const last = this.#record.logs
      .slice(-3)
      .map(({ level, message }) => [level, message.slice(0, 200)] as const);
    const links = [
      { words: 'All log lines', href: this.#link('logs') },
      { words: 'Open record', href: this.#link() },
    ];
    const card = { number: words, facts: last, links };
    return [
      { id: 'logs', href: this.#link('logs'), words, chip: this.#chip('logs', words), isMinor: true, card },
    ];
  }

  /** The badges of the other panels that warn of something. */
  others(): readonly ToolbarEntry[] {
    return this.#site.panels
      .flatMap((panel): readonly ToolbarEntry[] => {
        const badge = this.#badge(panel);
        if (ownEntries.has(panel.id) || badge === undefined) return [];
        if (panel.inToolbar === false || badge.tone === 'neutral') return [];
        const href = this.#link(panel.id);
        const card = {
          number: panel.title,
          sentence: { text: badge.words, href },
          links: [{ words: 'Open panel', href }],
        };
        return [{ id: panel.id, href, words: '', chip: badge, isMinor: true, card }];
      })
      .slice(0, maxOthers);
  }

  user(): readonly ToolbarEntry[] {
    const { user } = this.#record.request;
    if (user === null) return [];
    const roles = findSection<SecuritySection>(this.#record, 'security', ['user'])?.user?.roles ?? [];
    return [
      {
        id: 'user',
        href: this.#link('security'),
        words: user,
        isMinor: true,
        card: {
          number: user,
          facts:
            roles.length === 0
              ? []
              : [[say('role|roles', { n: roles.length }), roles.slice(0, 20).join(', ')]],
          links: [
            { words: 'Security', href: this.#link('security') },
            { words: 'Requests of this user', href: this.#site.links.list({ q: formatTerm('user', user) }) },
          ],
        },
      },
    ];
  }

  controller(): readonly ToolbarEntry[] {
    const { controller, route } = this.#record;
    const words = controller?.name ?? route?.name ?? undefined;
    if (words === undefined || words === '') return [];
    const facts: (readonly [string, string])[] = [];
    if (typeof route?.name === 'string') facts.push(['route', route.name]);
    if (typeof route?.path === 'string') facts.push(['path', route.path]);
    const links = [
      { words: 'Routing', href: this.#link('routing') },
      { words: 'Requests of this route', href: this.#routeList() },
    ];
    return [
      {
        id: 'route',
        href: this.#link('routing'),
        words,
        isMinor: true,
        isCode: true,
        card: { number: words, facts, links },
      },
    ];
  }

  previous(): readonly ToolbarEntry[] {
    const token = findHeader(this.#record.response?.headers ?? [], 'x-previous-debug-token');
    if (token === undefined) return [];
    const href = this.#site.links.record(token);
    const card = {
      number: token,
      sentence: { text: 'Redirected from', href },
      links: [{ words: 'Open record', href }],
    };
    return [{ id: 'previous', href, words: `↪ ${token}`, isCode: true, card }];
  }

  #link(panel?: string): string {
    return this.#site.links.record(this.#record.token, panel === undefined ? {} : { panel });
  }

  #routeList(): string {
    const name = this.#record.route?.name ?? null;
    return this.#site.links.list(name === null ? {} : { q: formatTerm('route', name) });
  }

  #sentence(finding: RecordFinding | undefined): ToolbarCard['sentence'] {
    if (finding === undefined) return undefined;
    const { text, target } = finding;
    const href = this.#link(target?.panel);
    return { text, href: target?.anchor === undefined ? href : `${href}#${target.anchor}` };
  }

  /** The badge of a panel, if it says more than the entry's own words. */
  #chip(id: string, words: string): ToolbarEntry['chip'] {
    const panel = this.#site.panels.find((one) => one.id === id);
    const badge = panel === undefined ? undefined : this.#badge(panel);
    return badge === undefined || badge.tone === 'neutral' || badge.words === words ? undefined : badge;
  }

  #badge(panel: Panel): { readonly words: string; readonly tone: string } | undefined {
    const badge = safely(() => panel.badge(this.#record), undefined); // the panel's own page reports the failure
    return badge === 'plain' || badge === undefined ? undefined : { words: badge.words, tone: badge.tone };
  }
}
