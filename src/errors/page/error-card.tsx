import type { ComponentChildren, VNode } from 'preact';
import { PictureView } from '#dump';
import { visibleText } from '#html';
import type { EditorLinker } from '../present/editor-link.js';
import type { ErrorReport, ReportedChain, ReportedError } from '../report/error-report.js';
import { FrameList } from './frame-list.js';
import { pageText } from './error-page-text.js';
import { OmittedNote } from './page-parts.js';

/** Props of `ErrorCard`. */
export interface ErrorCardProps {
  error: ReportedError;
  origin: ErrorReport['origin'];
  editor: EditorLinker;
  /** Number of errors in the chain. */
  count: number;
}

/** One error of the chain: number, class, message, frames with code, own properties, and aggregated errors. */
export function ErrorCard({ error, origin, editor, count }: ErrorCardProps): VNode {
  const { label, circularTo } = error;
  const open = error.frames.find(
    ({ kind, index, excerpt }) =>
      kind === 'app' && (origin?.error === label ? origin.frame === index : excerpt !== undefined),
  )?.index;
  return (
    <section
      class={error.isOuter ? 'card error outer' : 'card error'}
      id={`error-${label}`}
      aria-labelledby={`title-${label}`}
    >
      <Head error={error} count={count} />
      <LongText text={error.message} empty={pageText('No message was given.')} />
      {circularTo !== undefined && (
        <p class="frame-note">
          <a href={`#error-${circularTo}`}>
            {pageText('Its cause is error {label} again: the chain is a circle.', { label: circularTo })}
          </a>
        </p>
      )}
      <FrameList stack={error} open={open} editor={editor} />
      <Properties error={error} />
      <AggregatedErrors error={error} editor={editor} />
    </section>
  );
}

function Head({ error, count }: { error: ReportedError; count: number }): VNode {
  const { label, code, isOuter } = error;
  return (
    <header class="error-head">
      <h3 id={`title-${label}`}>
        <span class="number">{label}</span> <span class="class">{visibleText(error.class)}</span>
      </h3>
      {code !== undefined && <code class="chip">{visibleText(code)}</code>}
      {count > 1 && error.number === 1 && !isOuter && <span class="tag">{pageText('where it began')}</span>}
      {isOuter && <span class="tag seen">{pageText('what the client saw')}</span>}
    </header>
  );
}

function Properties({ error: { properties, isNoError } }: { error: ReportedError }): ComponentChildren {
  if (properties === undefined) return null;
  return (
    <div class="properties">
      <h4>{pageText(isNoError === true ? 'The thrown value' : 'Data of the error')}</h4>
      <PictureView picture={properties} open={isNoError === true ? 2 : 1} />
    </div>
  );
}

function AggregatedErrors({
  error,
  editor,
}: {
  error: ReportedError;
  editor: EditorLinker;
}): ComponentChildren {
  const { children = [], moreChildren } = error;
  if (children.length === 0 && moreChildren === undefined) return null;
  return (
    <div class="gathered">
      <h4>{pageText('Errors gathered here')}</h4>
      <ol>
        {children.map((chain, index) => (
          <li>
            <AggregatedChain chain={chain} editor={editor} open={index === 0} />
          </li>
        ))}
      </ol>
      <OmittedNote n={moreChildren} phrase="… {n} more, left out" />
    </div>
  );
}

interface AggregatedChainProps {
  chain: ReportedChain;
  editor: EditorLinker;
  open: boolean;
}

function AggregatedChain({ chain: { errors }, editor, open }: AggregatedChainProps): VNode {
  const outer = errors.at(-1);
  if (outer === undefined) return <p class="frame-note">{pageText('An error shown above.')}</p>;
  return (
    <details open={open}>
      <summary>
        <span class="number">{outer.label}</span> <b>{visibleText(outer.class)}</b>{' '}
        {visibleText(outer.message.slice(0, 200))}
      </summary>
      {errors.map((error) => (
        <ErrorCard error={error} origin={undefined} editor={editor} count={errors.length} />
      ))}
    </details>
  );
}

/** Lines and characters of a message that are shown before the rest is folded. */
const headLines = 12;
const headCharacters = 700;

/** Returns the beginning of a text that is shown unfolded. */
export function headOf(text: string): string {
  return text.split('\n', headLines).join('\n').slice(0, headCharacters);
}

/** A message with its line breaks. A long one is folded after its beginning; no space is added between the two parts. */
function LongText({ text, empty }: { text: string; empty: string }): VNode {
  const whole = visibleText(text);
  if (whole === '') return <p class="message none">{empty}</p>;
  const head = headOf(whole);
  if (head.length === whole.length) return <p class="message">{whole}</p>;
  return (
    <div class="message">
      {head}…
      <details>
        <summary>{pageText('Show all ({n} characters)', { n: whole.length })}</summary>
        {whole.slice(head.length)}
      </details>
    </div>
  );
}
