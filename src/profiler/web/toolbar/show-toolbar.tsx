import { readFileSync } from 'node:fs';
import type { VNode } from 'preact';
import { renderFragment, visiblePage } from '#core/html';
import { HttpResponse } from '#core/http';
import { protectResponse } from '../access/protect-response.js';
import { overviewPanel, usualTime } from '../../sections/overview/panel.js';
import { Missing, getRecord } from '../record/get-record.js';
import { findRelated } from '../record/show-record.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { EmptyToolbar, RecordToolbar } from './toolbar-view.js';

const scriptParts = ['toolbar-styles', 'follow-requests', 'watch-page', 'toolbar'].map((name) =>
  readFileSync(new URL(`./browser/${name}.js`, import.meta.url), 'utf8'),
);
const script = `(() => {\n${scriptParts.join('')}})();\n`;

/** `GET /_profiler/toolbar.js`: compiled from `browser/`. */
export function showToolbarScript(): HttpResponse {
  const headers = { 'Content-Type': 'text/javascript; charset=utf-8' };
  return protectResponse(new HttpResponse(script, { headers }));
}

/** `GET /_profiler/{token}/toolbar`: the toolbar, which its script inserts into the page. */
export async function showToolbar(site: ProfilerSite, token: string): Promise<HttpResponse> {
  try {
    const record = await getRecord(site, token);
    const usual = usualTime(record, { related: await findRelated(site, overviewPanel, record) });
    return toolbarResponse(<RecordToolbar site={site} record={record} usual={usual} />);
  } catch (error) {
    const miss = Missing.of(error);
    if (miss === undefined) throw error;
    return toolbarResponse(<EmptyToolbar site={site} token={token} />, miss.status);
  }
}

function toolbarResponse(toolbar: VNode, status = 200): HttpResponse {
  const html = visiblePage(renderFragment(toolbar).toString());
  return protectResponse(HttpResponse.html(html, { status }));
}
