import type { VNode } from 'preact';
import { visibleText } from '#html';
import type { EditorLinker } from '../present/editor-link.js';
import type { ErrorReport, ReportedError } from '../report/error-report.js';
import { countExcerpts, shortenReport } from '../present/shorten-report.js';
import { ErrorCard } from './error-card.js';
import { pageText } from './error-page-text.js';
import { OmittedNote, PageSection } from './page-parts.js';

/** Maximum rows of the index above the cards: inner errors, a row that counts the ones in between, outer errors. */
const maxRows = 5;

/** The errors of a report, innermost first, with frames and code. Needs `chainStyles` and `pictureStyles` on the page. */
export function ErrorChain({ report, editor }: { report: ErrorReport; editor: EditorLinker }): VNode {
  const short = shortenReport(report);
  const { errors, more, origin } = short;
  const hidden = countExcerpts(report) - countExcerpts(short);
  return (
    <PageSection
      id="errors"
      title={pageText(errors.length > 1 ? 'Errors, inner first' : 'Error')}
      count={errors.length + (more ?? 0)}
    >
      <OmittedNote n={more} phrase="… {n} more causes further inside, left out" />
      {errors.length > 1 && <Index errors={errors} />}
      {errors.map((error) => (
        <ErrorCard error={error} origin={origin} editor={editor} count={errors.length} />
      ))}
      <OmittedNote
        n={hidden}
        phrase="The code of {n} more calls is in the JSON form, and not on this page."
      />
    </PageSection>
  );
}

function Index({ errors }: { errors: readonly ReportedError[] }): VNode {
  const isLong = errors.length > maxRows;
  const first = isLong ? errors.slice(0, 2) : errors;
  const last = isLong ? errors.slice(-2) : [];
  return (
    <ol class="chain card">
      {first.map((error) => (
        <ErrorLink error={error} />
      ))}
      {isLong && (
        <li>
          <a href={`#error-${errors[2]?.label ?? ''}`}>
            <span class="number">…</span>{' '}
            <span>{pageText('{n} errors between, each below', { n: errors.length - 4 })}</span>
          </a>
        </li>
      )}
      {last.map((error) => (
        <ErrorLink error={error} />
      ))}
    </ol>
  );
}

function ErrorLink({ error }: { error: ReportedError }): VNode {
  return (
    <li>
      <a href={`#error-${error.label}`} class={error.isOuter ? 'is-outer' : ''}>
        <span class="number">{error.label}</span>{' '}
        <span>
          <b>{visibleText(error.class)}</b>{' '}
          {error.isOuter && <span class="tag seen">{pageText('what the client saw')}</span>}
        </span>{' '}
        <span class="text">{visibleText(error.message.slice(0, 300))}</span>
      </a>
    </li>
  );
}
