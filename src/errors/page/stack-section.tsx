import { html, renderFragment, type SafeHtml, visibleText } from '#html';
import type { ErrorReport } from '../report/error-report.js';
import { keepWithFrames } from '../present/keep-with-frames.js';
import { placeOf } from './frame-list.js';

/** Every stack in full as numbered text, to read at a glance and to copy. */
export function renderStackSection(report: ErrorReport): SafeHtml {
  const stacks = report.errors.map((error) => {
    const message = visibleText(error.message.split('\n', 1).join('').slice(0, 300));
    const title = `[${error.label}] ${visibleText(error.class)}: ${message}\n`;
    return [html`<h3>${title}</h3>`, renderCalls(error)];
  });
  return html`<section id="stack" aria-labelledby="stack-title">
    <h2 id="stack-title">Stack trace</h2>
    <div class="card trace" id="stack-text">${stacks}</div>
  </section>`;
}

const renderCalls = keepWithFrames(({ frames, moreFrames }): SafeHtml =>
  renderFragment(
    <>
      <ol>
        {frames.map((frame) => (
          <li class={frame.kind === 'app' ? '' : 'lib'}>
            <span class="trace-no">{frame.index}. </span>
            <span>
              {frame.async && 'await '}
              {frame.function !== '' && `${visibleText(frame.function)} `}({placeOf(frame)}){'\n'}
            </span>
          </li>
        ))}
      </ol>
      {frames.length === 0 && <p class="empty">No stack was recorded.</p>}
      {moreFrames !== undefined && <p class="empty">… {moreFrames} more calls, left out</p>}
    </>,
  ),
);
