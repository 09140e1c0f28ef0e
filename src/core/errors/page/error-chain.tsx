import type { ComponentChildren, VNode } from 'preact';
import { SnapshotView } from '#core/dump';
import { visibleText } from '#core/html';
import { say } from '#core/phrases';
import type { EditorLinker } from '../present/editor-link.js';
import type { ErrorReport, ReportedChain, ReportedError } from '../report/error-report.js';
import { describeReplacement, mainFrame, shownProperties } from '../present/render-report.js';
import { isDeclaration } from '../present/lead-error.js';
import { FrameList } from './frame-list.js';
import { OmittedNote, PageSection } from './page-parts.js';

interface ErrorChainProps {
  readonly report: ErrorReport;
  readonly editor: EditorLinker;
  /** The page title already names the error, if there is only one. */
  readonly isTitled?: boolean;
  /** Shown between the only error's head and its calls. */
  readonly below?: ComponentChildren;
  /** Whether the only error's data is folded, because the page says more about it elsewhere. */
  readonly isDataFolded?: boolean;
}

/**
 * A report's errors, innermost first, with an index if there are several. Needs `chainStyles` and `snapshotStyles`
 * on the page.
 */
export function ErrorChain({
  report,
  editor,
  isTitled = false,
  below,
  isDataFolded = false,
}: ErrorChainProps): VNode {
  const { errors, more, origin } = report;
  const isOne = errors.length === 1;
  const head = isOne ? (isTitled ? 'titled' : 'lead') : 'numbered';
  const inner = errors.find(({ children }) => children)?.children?.[0]?.errors.at(-1);
  const cards = (
    <div>
      {errors.map((error) => (
        <ErrorSection
          error={error}
          origin={origin}
          editor={editor}
          head={head}
          below={isOne ? below : undefined}
          isDataFolded={isOne && isDataFolded}
        />
      ))}
    </div>
  );
  return (
    <PageSection id="errors" title={isOne ? 'Error' : 'Errors, innermost first'} isHidden>
      <OmittedNote n={more} phrase="… {n} deeper causes omitted" />
      {isOne && errors[0]?.children === undefined ? (
        cards
      ) : (
        <div class="errs">
          <nav aria-label="Errors">
            <ol class="chain">
              {errors.map((error) => (
                <ErrorLink error={error} marked={inner?.label ?? origin?.error} />
              ))}
            </ol>
          </nav>
          {cards}
        </div>
      )}
    </PageSection>
  );
}

/** An error in the index, with its aggregated errors. `marked` is the label of the expanded one. */
function ErrorLink({ error, marked }: { error: ReportedError; marked: string | undefined }): VNode {
  const { label, message, isOuter, replaced, children = [], frames } = error;
  const own = frames.find(({ kind }) => kind === 'app');
  const facts = [
    visibleText(error.class),
    ...(own === undefined ? [] : [`${visibleText(own.file.split('/').at(-1) ?? '')}:${own.line}`]),
    ...(isOuter ? ['what the client saw'] : []),
    ...(replaced === undefined ? [] : [visibleText(describeReplacement(replaced))]),
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

interface ErrorSectionProps {
  error: ReportedError;
  origin?: ErrorReport['origin'];
  editor: EditorLinker;
  /** `titled` if a title above names the error, `lead` if it is the only one, otherwise with its number. */
  head: 'titled' | 'lead' | 'numbered';
  below?: ComponentChildren;
  isDataFolded?: boolean;
}

/** One error of the chain: message, class, aggregated errors, frames with code, and own properties. */
function ErrorSection({
  error,
  origin,
  editor,
  head,
  below,
  isDataFolded = false,
}: ErrorSectionProps): VNode {
  const { label, circularTo } = error;
  const originFrame =
    origin?.error === label
      ? error.frames.find(({ index, kind }) => kind === 'app' && origin.frame === index)
      : undefined;
  const open = (originFrame ?? mainFrame(error.frames))?.index;
  return (
    <section class="error" id={`error-${label}`} aria-labelledby={`title-${label}`}>
      <Head error={error} head={head} />
      {below}
      {circularTo !== undefined && (
        <p class="frame-note">
          <a href={`#error-${circularTo}`}>
            {say('Its cause is error {label} again: the chain is circular.', { label: circularTo })}
          </a>
        </p>
      )}
      <AggregatedErrors error={error} editor={editor} />
      {(error.children === undefined || error.frames.length > 0) && (
        <FrameList
          stack={error}
          open={error.children === undefined ? open : undefined}
          editor={editor}
          isDeclaration={isDeclaration(error)}
        />
      )}
      <Properties error={error} isFolded={isDataFolded} />
    </section>
  );
}

function Head({ error, head }: Pick<ErrorSectionProps, 'error' | 'head'>): VNode {
  const { label, code, isOuter, message, replaced } = error;
  if (head === 'titled')
    return (
      <h3 class="visually-hidden" id={`title-${label}`}>
        {visibleText(error.class)}
      </h3>
    );
  return (
    <header class={head === 'lead' ? 'error-head is-lead' : 'error-head'}>
      <h3 id={`title-${label}`}>
        <LongText
          text={message}
          empty={say('{class} without a message', { class: visibleText(error.class) })}
        />
      </h3>
      <p>
        {head === 'numbered' && `${label}. `}
        <b>{visibleText(error.class)}</b>
        {code !== undefined && <code>{visibleText(code)}</code>}
        {head === 'numbered' && (isOuter || error.number === 1) && (
          <span class="tag">{isOuter ? 'what the client saw' : 'where it began'}</span>
        )}
        {replaced !== undefined && <span class="tag">{visibleText(describeReplacement(replaced))}</span>}
      </p>
    </header>
  );
}

function Properties({ error, isFolded }: { error: ReportedError; isFolded: boolean }): ComponentChildren {
  const { isNoError } = error;
  const { shown, hidden } = shownProperties(error);
  if (shown === undefined) return null;
  if (isFolded)
    return (
      <details class="properties">
        <summary>
          {say('The only field of the error|All {n} fields of the error', { n: shown.entries?.length ?? 0 })}
          {hidden > 0 && say(' and {n} that is undefined| and {n} that are undefined', { n: hidden })}
        </summary>
        <SnapshotView snapshot={shown} />
      </details>
    );
  return (
    <div class="properties">
      <h4>
        {isNoError === true ? 'The thrown value' : 'Data of the error'}
        {hidden > 0 && say(' ({n} undefined field left out)| ({n} undefined fields left out)', { n: hidden })}
      </h4>
      <SnapshotView snapshot={shown} open={isNoError === true ? 2 : 1} />
    </div>
  );
}

function AggregatedErrors({ error, editor }: Pick<ErrorSectionProps, 'error' | 'editor'>): ComponentChildren {
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
      <OmittedNote n={moreChildren} phrase="… {n} more omitted" />
    </div>
  );
}

function AggregatedChain(props: { chain: ReportedChain; editor: EditorLinker; open: boolean }): VNode {
  const { errors } = props.chain;
  const outer = errors.at(-1);
  if (outer === undefined) return <p class="frame-note">An error shown above.</p>;
  return (
    <details open={props.open}>
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
          editor={props.editor}
          head={errors.length === 1 ? 'titled' : 'numbered'}
        />
      ))}
    </details>
  );
}

/** Lines and characters of a message that are shown before the rest is folded. */
const headLines = 12;
const headCharacters = 700;

/** Returns the beginning of a text that `LongText` shows unfolded. */
export function headOf(text: string): string {
  return text.split('\n', headLines).join('\n').slice(0, headCharacters);
}

/** A message with its line breaks. A long one is folded after its beginning; no space is added between the two parts. */
export function LongText({ text, empty }: { text: string; empty: string }): ComponentChildren {
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
