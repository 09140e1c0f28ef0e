import type { VNode } from 'preact';
import { PictureView } from '#dump';
import { visibleText } from '#html';
import type { EditorLinker } from '../editor-link.js';
import type { ErrorReport, ReportedChain, ReportedError } from '../error-report.js';
import { FrameList } from './frame-list.js';
import { LongText } from './long-text.js';

interface ErrorCardProps {
  error: ReportedError;
  origin: ErrorReport['origin'];
  editor: EditorLinker;
  /** How many errors stand in the chain. */
  count: number;
}

/** One error of the chain: number, class, message, calls with code, own data, and the errors it gathered. */
export function ErrorCard({ error, origin, editor, count }: ErrorCardProps): VNode {
  const isOrigin = origin?.error === error.label;
  const open = isOrigin ? origin.frame : error.frames.find((frame) => frame.excerpt !== undefined)?.index;
  return (
    <section
      class={error.isOuter ? 'card error outer' : 'card error'}
      id={`error-${error.label}`}
      aria-labelledby={`title-${error.label}`}
    >
      <header class="error-head">
        <h3 id={`title-${error.label}`}>
          <span class="number">{error.label}</span>
          <span class="class">{visibleText(error.class)}</span>
        </h3>
        {error.code !== undefined && <code class="chip">{visibleText(error.code)}</code>}
        {count > 1 && error.number === 1 && !error.isOuter && <span class="tag">where it began</span>}
        {error.isOuter && <span class="tag seen">what the client saw</span>}
      </header>
      <LongText text={error.message} empty="No message was given." />
      {error.circularTo !== undefined && (
        <p class="frame-note">
          Its cause is <a href={`#error-${error.circularTo}`}>error {error.circularTo}</a> again: the chain is
          a circle.
        </p>
      )}
      <FrameList error={error} open={open} editor={editor} />
      {error.properties !== undefined && (
        <div class="properties">
          <h4>{error.isNoError === true ? 'The thrown value' : 'Data of the error'}</h4>
          <PictureView picture={error.properties} open={error.isNoError === true ? 2 : 1} />
        </div>
      )}
      <Gathered error={error} editor={editor} />
    </section>
  );
}

function Gathered({ error, editor }: { error: ReportedError; editor: EditorLinker }): VNode | null {
  const children = error.children ?? [];
  if (children.length === 0 && error.moreChildren === undefined) return null;
  return (
    <div class="gathered">
      <h4>Errors gathered here</h4>
      <ol>
        {children.map((chain, index) => (
          <li>
            <GatheredChain chain={chain} editor={editor} open={index === 0} />
          </li>
        ))}
      </ol>
      {error.moreChildren !== undefined && <p class="frame-note">… {error.moreChildren} more, left out</p>}
    </div>
  );
}

function GatheredChain({
  chain,
  editor,
  open,
}: {
  chain: ReportedChain;
  editor: EditorLinker;
  open: boolean;
}): VNode {
  const outer = chain.errors.at(-1);
  if (outer === undefined) return <p class="frame-note">An error shown above.</p>;
  return (
    <details open={open}>
      <summary>
        <span class="number">{outer.label}</span> <b>{visibleText(outer.class)}</b>{' '}
        {visibleText(outer.message.slice(0, 200))}
      </summary>
      {chain.errors.map((error) => (
        <ErrorCard error={error} origin={undefined} editor={editor} count={chain.errors.length} />
      ))}
    </details>
  );
}
