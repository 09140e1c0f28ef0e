import { Readable } from 'node:stream';
import { createEditorLinker, createSourceLoader } from '#core/errors';
import { renderFragment } from '#core/html';
import { HttpRequest, type HttpResponse } from '#core/http';
import { BlockList } from '../../src/profiler/web/blocks/block-view.js';
import type { Panel, PanelContext } from '../../src/profiler/sections/panel.js';
import { contextWith, plain as plainRecord } from './plain-record.js';
import { Missing } from '../../src/profiler/web/record/get-record.js';
import { builtinPanels } from '../../src/profiler/web/open-profiler-pages.js';
import { ProfilerLinks } from '../../src/profiler/web/site/links.js';
import type { ProfilerSite } from '../../src/profiler/web/site/profiler-site.js';
import { createMorePanel } from '../../src/profiler/sections/section-panel.js';
import type { ProfileRecord } from '../../src/profiler/model/profile-record.js';
import { createSampleReader } from './sample-reader.js';

/** Classes that carry meaning; all others only affect appearance. */
const states =
  /^(?:ok|warn|error|err|bad|muted|minor|narrow|opt|plate|pinned|query|number|small|end|is-.*|.*-time)$/;
/** Elements that an outline omits unless they have attributes. */
const plain = /^(?:div|span|ul|li|p|tbody|thead|tr|td|dl|dd|dt|svg|section|nav|header|main|b|code|wbr)$/;

/**
 * Returns a page's outline: one line per meaningful element, with its attributes and indented by nesting, and one per text. It contains
 * states and the classes in `also`, but nothing else about appearance.
 */
export function outlineOf(html: string, also: RegExp = /(?!)/): string {
  const lines: string[] = [];
  const open: boolean[] = [];
  const indent = (): string => '  '.repeat(open.filter(Boolean).length);
  const content = html
    .replace(/^[^]*?<main[^>]*>/, '')
    .replace(/<\/main>[^]*/, '')
    .replace(/<svg[^>]*class="mark"[^]*?<\/svg>/g, '')
    .replace(/(<rect[^>]*)\/>/g, '$1></rect>');
  for (const [, end, name = '', attributes = '', text = ''] of content.matchAll(
    /<(\/?)([a-z][a-z0-9-]*)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*\/?>|([^<]+)/gi,
  )) {
    if (name === '') {
      if (text.trim() !== '') lines.push(`${indent()}| ${text.trim().replace(/\s+/g, ' ')}`);
    } else if (end === '/') open.pop();
    else {
      const shown = [...attributes.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].flatMap(([, key = '', value]) => {
        if (key !== 'class') return [value === undefined || value === '' ? key : `${key}=${value}`];
        return (value ?? '')
          .split(' ')
          .flatMap((one) => (states.test(one) || also.test(one) ? [`.${one}`] : []));
      });
      const isShown = shown.length > 0 || !plain.test(name);
      if (isShown) lines.push(`${indent()}${[name, ...shown].join(' ')}`);
      if (!/^(?:input|wbr|br|img|meta|link)$/.test(name)) open.push(isShown);
    }
  }
  // An element that contains only text shares a line with it.
  return `\n${lines.join('\n')}\n`.replace(/^( *)([^ |\n].*)\n\1 {2}\| (.*)(?=\n(?!\1 {2}))/gm, '$1$2: $3');
}

/** The outline of a panel for a record, with the tones of rows and values. */
export function panelOutline(
  panel: Panel,
  changes: Partial<ProfileRecord>,
  query: Readonly<Record<string, string>> = {},
  more: Partial<PanelContext> = {},
): string {
  const blocks = panel.show({ ...plainRecord, ...changes }, contextWith(query, more));
  const html = renderFragment(<BlockList blocks={blocks} level={3} />);
  return outlineOf(String(html), /^(?:tone|row|note)-/);
}

/** The dependencies of the profiler pages, with these records; `more` replaces some of them. */
export function siteOf(records: readonly ProfileRecord[], more: Partial<ProfilerSite> = {}): ProfilerSite {
  return {
    reader: createSampleReader(records),
    links: new ProfilerLinks('/_profiler'),
    panels: [...builtinPanels, createMorePanel(builtinPanels)],
    editor: createEditorLinker(undefined),
    sources: createSourceLoader(),
    now: () => 60_000,
    ...more,
  };
}

/** A browser's request for the pages, from this machine. */
export function pageRequest(
  target: string,
  given: { readonly method?: string; readonly headers?: readonly string[]; readonly form?: string } = {},
): HttpRequest {
  const { method = given.form === undefined ? 'GET' : 'POST', headers = [], form } = given;
  const ofForm = ['Origin', 'http://localhost', 'Content-Type', 'application/x-www-form-urlencoded'];
  return new HttpRequest({
    method,
    target,
    rawHeaders: ['Host', 'localhost', ...(form === undefined ? [] : ofForm), ...headers],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 50_000, encrypted: false },
    ...(form === undefined ? {} : { body: { chunks: () => Readable.from([Buffer.from(form)]) } }),
  });
}

/** The status of a response or its redirect target, or why there is none, in one line. */
export async function outcomeOf(answer: Promise<HttpResponse>): Promise<string | number> {
  try {
    const { status, headers } = await answer;
    return headers.get('location') ?? status;
  } catch (error) {
    const miss = Missing.of(error);
    if (miss === undefined) throw error;
    return `${miss.status} ${miss.kind}: ${miss.title}. ${miss.detail}`;
  }
}
