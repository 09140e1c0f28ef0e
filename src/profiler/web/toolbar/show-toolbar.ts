import { readFileSync } from 'node:fs';
import { visibleText } from '#html';
import { HttpResponse } from '#http';
import { protectResponse } from '../access/protect-response.js';
import { overviewPanel, usualTime } from '../../panels/overview-panel.js';
import { getRecord } from '../lookup/get-record.js';
import { findRelated } from '../record/show-record.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { toolbarContent } from './toolbar-content.js';

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
export async function showToolbar(site: ProfilerSite, token: string): Promise<HttpResponse> {
  const record = await getRecord(site, token);
  const related = await findRelated(site, overviewPanel, record);
  const content = toolbarContent(site, record, usualTime(record, { related }));
  const headers = { 'Content-Type': 'application/json' };
  return protectResponse(new HttpResponse(visibleText(JSON.stringify(content)), { headers }));
}
