import type { ComponentChildren, VNode } from 'preact';
import { PictureView } from '#dump';
import { visibleText } from '#html';
import { say } from '#phrases';
import type { EditorLinker } from '../present/editor-link.js';
import { countExcerpts, shortenReport } from '../present/shorten-report.js';
import type { ErrorReport, ReportedChain, ReportedError } from '../report/error-report.js';
import { FrameList } from './frame-list.js';
import { OmittedNote, PageSection } from './page-parts.js';

/** Maximum rows of the index beside the errors: inner errors, a row that counts the ones in between, outer errors. */
const maxRows = 5;

interface ErrorChainProps {
  readonly report: ErrorReport;
  readonly editor: EditorLinker;
  /** The title of the page already names the error, if there is only one. */
  readonly isTitled?: boolean;
}

/**
 * The errors of a report, innermost first, with frames, code and local variables; several have an index beside them. Needs
 * `chainStyles` and `pictureStyles` on the page.
 */
export function ErrorChain({ report, editor, isTitled = false }: ErrorChainProps): VNode {
  const short = shortenReport(report);
  const { errors, more, origin } = short;
  const hidden = countExcerpts(report) - countExcerpts(short);
  const isOne = errors.length === 1;
  const isPlain = isOne && errors[0]?.children === undefined;
  const cards = (
    <div>
      {errors.map((error) => (
        <ErrorSection
          error={error}
          origin={origin}
          editor={editor}
          isOne={isOne}
          isTitled={isOne && isTitled}
        />
      ))}
    </div>
  );
  return (
    <PageSection id="errors" title={errors.length > 1 ? 'Errors, inner first' : 'Error'} isHidden>
      <OmittedNote n={more} phrase="… {n} more causes further inside, left out" />
      {isPlain ? (
        cards
      ) : (
        <div class="errs">
          <nav aria-label="Errors">
            <Index
              errors={errors}
              marked={
                errors.find(({ children }) => children)?.children?.[0]?.errors.at(-1)?.label ?? origin?.error
              }
            />
          </nav>
          {cards}
        </div>
      )}
      <OmittedNote
        n={hidden}
        phrase="The code of {n} more call is in the JSON form, and not on this page.|The code of {n} more calls is in the JSON form, and not on this page."
      />
    </PageSection>
  );
}

interface IndexProps {
  errors: readonly ReportedError[];
  /** Label of the error that is open. */
  marked: string | undefined;
}

function Index({ errors, marked }: IndexProps): VNode {
  const isLong = errors.length > maxRows;
  const first = isLong ? errors.slice(0, 2) : errors;
  const last = isLong ? errors.slice(-2) : [];
  return (
    <ol class="chain">
      {first.map((error) => (
        <ErrorLink error={error} marked={marked} />
      ))}
      {isLong && (
        <li>
          <a href={`#error-${errors[2]?.label ?? ''}`}>
            … {say('{n} errors between, each below', { n: errors.length - 4 })}
          </a>
        </li>
      )}
      {last.map((error) => (
        <ErrorLink error={error} marked={marked} />
      ))}
    </ol>
  );
}

function ErrorLink({ error, marked }: { error: ReportedError; marked: string | undefined }): VNode {
  const { label, message, isOuter, children = [], frames } = error;
  const own = frames.find(({ kind }) => kind === 'app');
  const facts = [
    visibleText(error.class),
    ...(own === undefined ? [] : [`${visibleText(own.file.split('/').at(-1) ?? '')}:${own.line}`]),
    ...(isOuter ? ['what the client saw'] : []),
  ];
  return (
    <li>
      <a href={`#error-${label}`} class={marked === label ? 'is-origin' : undefined}>
        <b>{message === '' ? visibleText(error.class) : visibleText(message.slice(0, 300))}</b>
        <small>{facts.join(' · ')}</small>
      </a>
      {children.length > 0 && (
        <ol>
          {children
            .flatMap((chain) => chain.errors.slice(-1))
            .map((child) => (
              <ErrorLink error={child} marked={marked} />
            ))}
        </ol>
      )}
    </li>
  );
}

/** Props of `ErrorSection`. */
interface ErrorSectionProps {
  error: ReportedError;
  origin: ErrorReport['origin'];
  editor: EditorLinker;
  /** The only error of its chain. */
  isOne: boolean;
  /** A title above names it. */
  isTitled: boolean;
}

/** One error of the chain: message, class, gathered errors, frames with code, and own properties. */
function ErrorSection({ error, origin, editor, isOne, isTitled }: ErrorSectionProps): VNode {
  const { label, circularTo } = error;
  const open = error.frames.find(
    ({ kind, index, excerpt }) =>
      kind === 'app' && (origin?.error === label ? origin.frame === index : excerpt !== undefined),
  )?.index;
  return (
    <section class="error" id={`error-${label}`} aria-labelledby={`title-${label}`}>
      <Head error={error} isOne={isOne} isTitled={isTitled} />
      {circularTo !== undefined && (
        <p class="frame-note">
          <a href={`#error-${circularTo}`}>
            {say('Its cause is error {label} again: the chain is a circle.', { label: circularTo })}
          </a>
        </p>
      )}
      <AggregatedErrors error={error} editor={editor} />
      {(error.children === undefined || error.frames.length > 0) && (
        <FrameList stack={error} open={error.children === undefined ? open : undefined} editor={editor} />
      )}
      <Properties error={error} />
    </section>
  );
}

function Head({ error, isOne, isTitled }: Pick<ErrorSectionProps, 'error' | 'isOne' | 'isTitled'>): VNode {
  const { label, code, isOuter, message } = error;
  if (isTitled)
    return (
      <h3 class="visually-hidden" id={`title-${label}`}>
        {visibleText(error.class)}
      </h3>
    );
  return (
    <header class={isOne ? 'error-head is-lead' : 'error-head'}>
      <h3 id={`title-${label}`}>
        <LongText
          text={message}
          empty={say('{class} without a message', { class: visibleText(error.class) })}
        />
      </h3>
      <p>
        {!isOne && `${label}. `}
        <b>{visibleText(error.class)}</b>
        {code !== undefined && <code>{visibleText(code)}</code>}
        {!isOne && error.number === 1 && !isOuter && <span class="tag">where it began</span>}
        {!isOne && isOuter && <span class="tag">what the client saw</span>}
      </p>
    </header>
  );
}

function Properties({ error: { properties, isNoError } }: { error: ReportedError }): ComponentChildren {
  if (properties === undefined) return null;
  return (
    <div class="properties">
      <h4>{isNoError === true ? 'The thrown value' : 'Data of the error'}</h4>
      <PictureView picture={properties} open={isNoError === true ? 2 : 1} />
    </div>
  );
}

interface AggregatedErrorsProps {
  error: ReportedError;
  editor: EditorLinker;
}

function AggregatedErrors({ error, editor }: AggregatedErrorsProps): ComponentChildren {
  const { children = [], moreChildren } = error;
  if (children.length === 0 && moreChildren === undefined) return null;
  return (
    <div class="gathered">
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
  if (outer === undefined) return <p class="frame-note">An error shown above.</p>;
  return (
    <details open={open}>
      <summary>
        <b>
          <bdi>{visibleText(outer.message.slice(0, 200))}</bdi>
        </b>{' '}
        <small>
          {outer.label}. {visibleText(outer.class)}
        </small>
      </summary>
      {errors.map((error) => (
        <ErrorSection
          error={error}
          origin={undefined}
          editor={editor}
          isOne={errors.length === 1}
          isTitled={errors.length === 1}
        />
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
function LongText({ text, empty }: { text: string; empty: string }): ComponentChildren {
  const whole = visibleText(text);
  const head = headOf(whole);
  if (head.length === whole.length) return whole === '' ? empty : whole;
  return (
    <>
      {head}…
      <details>
        <summary>{say('Show all ({n} characters)', { n: whole.length })}</summary>
        {whole.slice(head.length)}
      </details>
    </>
  );
}
