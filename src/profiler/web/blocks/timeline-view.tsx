import type { VNode } from 'preact';
import { safeUrl } from '#html';
import { timeCategoryOf } from '../../form/time-breakdown.js';
import type { Block, Mark, Span } from '../../panels/blocks/block.js';
import { formatMilliseconds } from '../../words/format.js';
import { categoryWords } from './breakdown-bar.js';
import { say } from '../../words/say.js';

type Timeline = Extract<Block, { kind: 'timeline' }>;

/** Width of a track in units of its SVG view box. */
const timelineWidth = 1000;

/** A table of spans with a bar in each row, so that bars and figures cannot differ. */
export function TimelineView({ block }: { block: Timeline }): VNode {
  const total = Math.max(block.total, ...block.spans.map((span) => span.start + span.duration), 0.001);
  return (
    <div class="timeline" data-timeline={total}>
      <table>
        <caption class="visually-hidden">{block.label}</caption>
        <thead>
          <tr>
            <th scope="col">
              {say('Step')}
              <ZoomButtons />
            </th>
            <th scope="col" class="track">
              <span class="scale" dir="ltr" data-scale="">
                <span>0</span>
                <span>{formatMilliseconds(total / 2)}</span>
                <span>{formatMilliseconds(total)}</span>
              </span>
              {block.marks !== undefined && block.marks.length > 0 && (
                <Marks marks={block.marks} total={total} />
              )}
            </th>
            <th scope="col" class="end">
              {say('Start')}
            </th>
            <th scope="col" class="end">
              {say('Duration')}
            </th>
          </tr>
        </thead>
        <tbody>
          {block.spans.map((span) => (
            <SpanRow span={span} total={total} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const zoomButtons = [
  ['in', '+', 'Zoom in'],
  ['out', '−', 'Zoom out'],
  ['left', '‹', 'Earlier'],
  ['right', '›', 'Later'],
] as const;

/** Zoom buttons, shown by the page's script; dragging over the bars zooms too. */
function ZoomButtons(): VNode {
  return (
    <span class="zoom" data-scripted="" hidden>
      {zoomButtons.map(([zoom, sign, words]) => (
        <button type="button" data-zoom={zoom} title={say(words)} aria-label={say(words)}>
          {sign}
        </button>
      ))}
    </span>
  );
}

function SpanRow({ span, total }: { span: Span; total: number }): VNode {
  const category = timeCategoryOf(span.category ?? 'app');
  const x = unitsOf(span.start, total);
  const width = Math.min(unitsOf(span.duration, total), timelineWidth - x);
  const depth = Math.min(span.depth ?? 0, 5);
  return (
    <tr>
      <th scope="row" class={depth === 0 ? undefined : `depth-${depth}`}>
        {span.href === undefined ? span.label : <a href={safeUrl(span.href)}>{span.label}</a>}
        <span class="visually-hidden">, {say(categoryWords[category])}</span>
        {span.detail !== undefined && <small>{span.detail}</small>}
      </th>
      <td class="track">
        <Track>
          <path class={`c-${category}`} d={`M${round(x)} 1h${round(width)}v12H${round(x)}z`} />
        </Track>
      </td>
      <td class="end">{formatMilliseconds(span.start)}</td>
      <td class="end">{formatMilliseconds(span.busy ?? span.duration)}</td>
    </tr>
  );
}

/** Log entries on the axis. Hidden from screen readers, since the logs panel has all of them. */
function Marks({ marks, total }: { marks: readonly Mark[]; total: number }): VNode {
  return (
    <Track>
      {marks.map(({ at, label, tone, href }) => (
        <a href={safeUrl(href)} tabIndex={-1}>
          <title>{label}</title>
          <path
            class={`tick tone-${tone}`}
            d={`M${round(Math.min(unitsOf(at, total), timelineWidth - 1))} 0v14`}
          />
        </a>
      ))}
    </Track>
  );
}

/** The SVG of a track. Time runs from left to right in every language. */
function Track({ children }: { children: VNode | VNode[] }): VNode {
  return (
    <svg viewBox={`0 0 ${timelineWidth} 14`} preserveAspectRatio="none" aria-hidden="true">
      {children}
    </svg>
  );
}

function unitsOf(ms: number, total: number): number {
  return Number.isFinite(ms) ? Math.min(Math.max((ms / total) * timelineWidth, 0), timelineWidth) : 0;
}

function round(units: number): number {
  return Math.round(units * 10) / 10;
}
