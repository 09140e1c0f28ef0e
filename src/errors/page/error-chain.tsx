import type { VNode } from 'preact';
import { visibleText } from '#html';
import type { EditorLinker } from '../present/editor-link.js';
import type { ErrorReport, ReportedError } from '../report/error-report.js';
import { ErrorCard } from './error-card.js';

/** Errors that the list above the cards links to. */
const maxLinks = 50;

/** The errors of a report, inner first, each with its calls and code. Needs `chainStyles` and `pictureStyles` on the page. */
export function ErrorChain({ report, editor }: { report: ErrorReport; editor: EditorLinker }): VNode {
  const { errors, more, origin } = report;
  return (
    <section id="errors" aria-labelledby="errors-title">
      <h2 id="errors-title">
        {errors.length > 1 ? 'Errors, inner first' : 'Error'}{' '}
        <span class="count">{errors.length + (more ?? 0)}</span>
      </h2>
      {more !== undefined && <p class="frame-note">… {more} more causes further inside, left out</p>}
      {errors.length > 1 && (
        <ol class="chain card">
          {errors.slice(0, maxLinks).map((error) => (
            <ErrorLink error={error} />
          ))}
        </ol>
      )}
      {errors.map((error) => (
        <ErrorCard error={error} origin={origin} editor={editor} count={errors.length} />
      ))}
    </section>
  );
}

function ErrorLink({ error }: { error: ReportedError }): VNode {
  return (
    <li>
      <a href={`#error-${error.label}`} class={error.isOuter ? 'is-outer' : ''}>
        <span class="number">{error.label}</span>{' '}
        <span>
          <b>{visibleText(error.class)}</b>{' '}
          {error.isOuter && <span class="tag seen">what the client saw</span>}
        </span>{' '}
        <span class="text">{visibleText(error.message.slice(0, 300))}</span>
      </a>
    </li>
  );
}
