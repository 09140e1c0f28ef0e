import type { VNode } from 'preact';
import { HttpResponse } from '#http';
import { protectResponse } from './access/protect-response.js';
import type { Miss } from './lookup/get-record.js';
import { renderShell } from './shell/shell.js';
import type { ProfilerLinks } from './site/links.js';
import type { ProfilerSite } from './site/profiler-site.js';
import { missStyles } from './styles/profiler-styles.js';

/** Renders a miss as a page, or as a problem document (RFC 9457) if data was requested. */
export function renderMiss(site: ProfilerSite, miss: Miss, form: 'page' | 'data'): HttpResponse {
  return form === 'page' ? pageOf(site, miss) : problemOf(miss);
}

function pageOf({ links }: ProfilerSite, miss: Miss): HttpResponse {
  const { title, status } = miss;
  return renderShell(<MissPage miss={miss} links={links} />, { title, links, status, styles: [missStyles] });
}

function problemOf({ kind, title, status, detail, more }: Miss): HttpResponse {
  const data = { type: `urn:lookback:profiler:${kind}`, title, status, detail, ...more };
  const headers = { 'Content-Type': 'application/problem+json' };
  return protectResponse(HttpResponse.json(data, { status, headers }));
}

/** The page for a missing record or panel, or a refused action. */
function MissPage({ miss, links }: { miss: Miss; links: ProfilerLinks }): VNode {
  return (
    <div class="miss">
      <p class="muted">{miss.status}</p>
      <h1>{miss.title}</h1>
      <p>{miss.detail}</p>
      {miss.choices !== undefined && (
        <ul aria-label="What there is">
          {miss.choices.map((choice) => (
            <li>
              <a class="button" href={choice.href}>
                {choice.label}
              </a>
            </li>
          ))}
        </ul>
      )}
      <p class="actions">
        <a class="button primary" href={links.list()}>
          All requests
        </a>
        <a class="button" href={links.record('latest')}>
          Latest request
        </a>
      </p>
    </div>
  );
}
