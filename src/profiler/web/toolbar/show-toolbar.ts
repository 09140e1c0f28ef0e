import { readFileSync } from 'node:fs';
import { visibleText } from '#html';
import { type HttpRequest, HttpResponse } from '#http';
import { findingsOf } from '../../findings/findings-of.js';
import { breakdownOf } from '../../form/time-breakdown.js';
import { findHeader } from '../../model/recorded-message.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { timeCategories } from '../../model/time-breakdown.js';
import { formatMilliseconds } from '../../words/format.js';
import type { Panel } from '../../panels/panel.js';
import { protectResponse } from '../access/protect-response.js';
import { categoryWords } from '../blocks/breakdown-bar.js';
import { statusLook } from '../blocks/status.js';
import { getRecord } from '../lookup/get-record.js';
import { safely } from '../record/show-record.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { say, sayKnown } from '../../words/say.js';

/** Files of the script, in order. */
const scriptParts = ['toolbar-styles', 'follow-requests', 'toolbar'];

const script = `(() => {\n${scriptParts.map(readPart).join('')}})();\n`;

function readPart(name: string): string {
  const text = readFileSync(new URL(`./browser/${name}.js`, import.meta.url), 'utf8');
  return text.replace(/^"use strict";\n|\n\/\/# sourceMappingURL=.*\n?$/g, '\n');
}

/** `GET /_profiler/toolbar.js`: compiled from `browser/`. */
export function showToolbarScript(): HttpResponse {
  const headers = { 'Content-Type': 'text/javascript; charset=utf-8' };
  return protectResponse(new HttpResponse(script, { headers }));
}

/** `GET /_profiler/{token}/toolbar`: content of the toolbar as JSON; all texts are composed and made visible here. */
export async function showToolbar(
  site: ProfilerSite,
  request: HttpRequest,
  token: string,
): Promise<HttpResponse> {
  const summary = summarize(site, await getRecord(site, request, token));
  const headers = { 'Content-Type': 'application/json' };
  return protectResponse(new HttpResponse(visibleText(JSON.stringify(summary)), { headers }));
}

function summarize(site: ProfilerSite, record: ProfileRecord): object {
  const { token, request, durationMs, state } = record;
  const status = record.response?.status ?? 0;
  const { tone, word } = statusLook(status);
  return {
    token,
    state,
    status,
    word,
    tone,
    request: `${request.method} ${request.target}`,
    duration: formatMilliseconds(durationMs),
    href: site.links.record(token),
    // An error opens the record's default panel, which is the exception if one was thrown.
    statusHref: site.links.record(token, status >= 400 ? {} : { panel: 'request' }),
    timeHref: site.links.record(token, { panel: 'time' }),
    parts: partsOf(record),
    items: [...findingItems(site, record), ...site.panels.flatMap((panel) => panelItem(site, panel, record))],
    facts: factsOf(site, record),
    previous: previousOf(site, record),
    words: {
      list: say('Requests of this page'),
      hide: say('Hide the toolbar'),
      show: say('Show the toolbar'),
      from: say('Redirected from'),
      open: say('Open the record'),
      calls: [say('1 request'), say('{n} requests', { n: '{n}' }), say('{n} failed', { n: '{n}' })],
    },
  };
}

/** Returns every kind of work in a fixed order, which determines the colours in the script. */
function partsOf(record: ProfileRecord): readonly object[] {
  const breakdown = breakdownOf(record);
  return timeCategories.map((category) => ({
    words: `${say(categoryWords[category])} ${formatMilliseconds(breakdown[category])}`,
    ms: breakdown[category],
  }));
}

function findingItems(site: ProfilerSite, record: ProfileRecord): readonly object[] {
  const found = findingsOf(record).filter(({ level }) => level !== 'info');
  const [worst] = found;
  if (worst === undefined) return [];
  const title = found.map(({ text }) => text).join('\n');
  return [
    {
      title,
      words: say('{n} finding|{n} findings', { n: found.length }),
      tone: worst.level,
      href: site.links.record(record.token),
    },
  ];
}

function panelItem(site: ProfilerSite, panel: Panel, record: ProfileRecord): readonly object[] {
  const badge = safely(() => panel.badge(record), undefined); // the panel's own page reports the failure
  if (badge === undefined || badge === 'plain') return [];
  const { tone, words } = badge;
  if (panel.inToolbar === false && tone === 'neutral') return [];
  return [
    { title: sayKnown(panel.title), words, tone, href: site.links.record(record.token, { panel: panel.id }) },
  ];
}

function factsOf(site: ProfilerSite, { route, request }: ProfileRecord): readonly object[] {
  const facts: object[] = [];
  const name = route?.name ?? undefined;
  if (name !== undefined)
    facts.push({ name: say('Route'), text: name, href: site.links.list({ route: name }) });
  const { user } = request;
  if (user !== null) facts.push({ name: say('User'), text: user, href: site.links.list({ user }) });
  return facts;
}

function previousOf(site: ProfilerSite, { response }: ProfileRecord): object | null {
  const token = findHeader(response?.headers ?? [], 'x-previous-debug-token');
  return token === undefined ? null : { token, words: token, href: site.links.record(token) };
}
