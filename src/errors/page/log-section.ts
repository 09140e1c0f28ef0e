import { html, type SafeHtml, visibleText } from '#html';
import type { PageLogEntry } from '../report/error-page-context.js';

const mostEntries = 300;
const errorLevels = new Set(['error', 'critical', 'alert', 'emergency', 'fatal']);
const warningLevels = new Set(['warning', 'warn']);

/** What was logged during the request, oldest first. */
export function renderLogSection(logs: readonly PageLogEntry[], more = 0): SafeHtml {
  const left = more + Math.max(0, logs.length - mostEntries);
  const list =
    logs.length === 0
      ? html`<p class="card pad empty">Nothing was logged during this request.</p>`
      : html`<ol class="card logs">
          ${logs.slice(0, mostEntries).map(renderEntry)}
        </ol>`;
  return html`<section id="log" aria-labelledby="log-title">
    <h2 id="log-title">Log <span class="count">${logs.length + more}</span></h2>
    ${list} ${left > 0 && html`<p class="frame-note">… ${left} more entries, left out</p>`}
  </section>`;
}

/** What breaks lines in it is shown as it stands, so there is no space between its parts but what is meant. */
function renderEntry(entry: PageLogEntry): SafeHtml {
  const level = entry.level.toLowerCase();
  const tone = errorLevels.has(level) ? 'err' : warningLevels.has(level) ? 'warn' : '';
  const time = typeof entry.time === 'number' ? `${entry.time.toFixed(1)} ms` : visibleText(entry.time);
  const channel = html`<span class="log-channel">${visibleText(entry.channel)}</span>`;
  const text = [channel, ' ', visibleText(entry.message), renderData(entry.context ?? '')];
  return html`<li class="log ${tone}">
    <span class="log-time">${time}</span>
    <span class="chip ${tone}">${visibleText(entry.level)}</span>
    <div class="log-text">${text}</div>
  </li>`;
}

function renderData(context: string): SafeHtml | null {
  if (context === '') return null;
  const text = html`<pre class="plain" tabindex="0" role="group" aria-label="Data of the log entry">
${visibleText(context)}</pre>`;
  return html`<details>${summary}${text}</details>`;
}

const summary = html`<summary>data</summary>`;
