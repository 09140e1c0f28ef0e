import type { VNode } from 'preact';
import { safeUrl } from '#core/html';
import { timeCategoryOf, categoryWords } from '../../model/time-breakdown.js';
import type { Block, Span, CombinedSpan } from '../../view/block.js';
import { formatMilliseconds } from '../../model/formatting.js';
import { AxisLabels, Legend, percentOf } from './request-bar.js';

type Timeline = Extract<Block, { kind: 'timeline' }>;

const rowHeight = 14;
/** Minimum bar width in per cent, about one pixel, so that a step without duration stays visible. */
const minWidth = 0.15;
/** Share of the axis below which a bar would vanish in a narrow window; the style sheet makes it two pixels wide. */
const hairShare = 0.003;
/** Up to this many parts of a row have their own bar; beyond it, adjacent ones are merged. */
const maxParts = 120;

/** A span table with a bar in each row, so that bars and figures cannot disagree. */
export function TimelineView({ block }: { block: Timeline }): VNode {
  const { breakdown } = block;
  const isWhole = breakdown !== undefined;
  const total = Math.max(block.total, ...block.spans.map((span) => span.start + span.duration), 0.001);
  const marks = marksOf(total);
  return (
    <div class={isWhole ? 'timeline is-whole' : 'timeline'}>
      {isWhole && <Minimap block={block} total={total} />}
      <div class="rows">
        <svg class="grid" aria-hidden="true">
          {[...marks, total].map((at) => (
            <line x1={percentOf(at / total)} x2={percentOf(at / total)} y2="100%" />
          ))}
        </svg>
        <table>
          <caption class="visually-hidden">{block.label}</caption>
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col" class="track">
                <span class="visually-hidden">Where the time went</span>
                <AxisLabels end={total} marks={marks} />
              </th>
              {isWhole && (
                <th scope="col" class="end">
                  Start
                </th>
              )}
              <th scope="col" class="end">
                Time
              </th>
            </tr>
          </thead>
          <tbody>
            {block.spans.map((span) => (
              <SpanRow span={span} total={total} hasStart={isWhole} />
            ))}
          </tbody>
        </table>
      </div>
      {isWhole && <Legend breakdown={breakdown} durationMs={block.total} />}
    </div>
  );
}

/** Returns label positions at round distances: two to five labels, leaving room for the one at the end. */
function marksOf(total: number): readonly number[] {
  const magnitude = 10 ** Math.floor(Math.log10(total / 2));
  const step = [5, 2.5, 2, 1].map((digit) => digit * magnitude).find((one) => total / one >= 2) ?? magnitude;
  return [0, 1, 2, 3, 4, 5].map((n) => n * step).filter((at) => at < total * 0.86);
}

/** The whole request: code at the top, waits below, log lines at the bottom. Screen readers use the table instead. */
function Minimap({ block, total }: { block: Timeline; total: number }): VNode {
  const parts = block.spans
    .slice(1)
    .flatMap(({ parts: all, start, duration, category = 'app' }) => all ?? [{ start, duration, category }]);
  return (
    <div class="map">
      <svg aria-hidden="true">
        {joined(parts, total).map((part) => {
          const [y, height] = mapLanes[timeCategoryOf(part.category)];
          return <Sliver part={part} total={total} y={y} height={height} />;
        })}
        {(block.marks ?? []).map(({ at, label, tone, href }) => (
          <a href={safeUrl(href)} tabIndex={-1}>
            <title>{label}</title>
            <rect
              class={`tick tone-${tone}`}
              x={percentOf(Math.min(at / total, 0.996))}
              y="23"
              width="3"
              height="6"
            />
          </a>
        ))}
      </svg>
    </div>
  );
}

/** Each category's top and height in the overview. */
const mapLanes = {
  framework: [0, 8],
  app: [0, 8],
  database: [10, 5],
  http: [10, 5],
  rendering: [17, 5],
  profiler: [0, 8],
  waiting: [10, 5],
  busy: [0, 8],
  unaccounted: [0, 8],
} as const;

function SpanRow(props: { span: Span; total: number; hasStart: boolean }): VNode {
  const { span, total, hasStart } = props;
  const { category = 'app', start, duration, parts, repeats, busy } = span;
  const isFold = parts !== undefined && repeats === undefined;
  const isCode = !isFold && !['stage', 'listener'].includes(category);
  const words = isFold ? '' : `, ${categoryWords[timeCategoryOf(category)]}`;
  const tip = span.detail === undefined ? span.label : `${span.label} · ${span.detail}`;
  return (
    <tr>
      <th scope="row" class={`depth-${Math.min(span.depth ?? 0, 6)}${isCode ? ' mono' : ''}`} title={tip}>
        {repeats !== undefined && <b class="chip is-warn">×{repeats}</b>}
        {span.href === undefined ? span.label : <a href={safeUrl(span.href)}>{span.label}</a>}
        <span class="visually-hidden">{words}</span>
        {span.detail !== undefined && <small> {span.detail}</small>}
      </th>
      <td class="track">
        <div class="lane">
          <svg class={repeats === undefined ? undefined : 'comb'} aria-hidden="true">
            {isFold && (
              <rect
                class="hull"
                x={percentOf(start / total)}
                y=".5"
                width={percentOf(Math.max(duration / total, minWidth / 100))}
                height={rowHeight - 1}
              />
            )}
            {joined(parts ?? [{ start, duration, category }], total).map((part) => (
              <Sliver part={part} total={total} height={rowHeight} />
            ))}
          </svg>
        </div>
      </td>
      {hasStart && <td class="end muted">{formatMilliseconds(start)}</td>}
      <td class="end">{formatMilliseconds(busy ?? duration)}</td>
    </tr>
  );
}

/** Merges parts of one category less than two pixels apart, if there are many. */
function joined(parts: readonly CombinedSpan[], total: number): readonly CombinedSpan[] {
  if (parts.length <= maxParts) return parts;
  const found: CombinedSpan[] = [];
  for (const part of parts) {
    const last = found.at(-1);
    const end = last === undefined ? 0 : last.start + last.duration;
    const isNear = last?.category === part.category && part.start - end < (total * minWidth) / 50;
    if (last !== undefined && isNear && part.start >= last.start)
      found[found.length - 1] = {
        ...last,
        duration: Math.max(end, part.start + part.duration) - last.start,
      };
    else found.push(part);
  }
  return found.slice(0, maxJoined);
}

const maxJoined = 200;

/** A span at its exact position and length, in its category's colour. */
function Sliver(props: { part: CombinedSpan; total: number; height: number; y?: number }): VNode {
  const { part, total, height, y } = props;
  return (
    <rect
      class={`c-${timeCategoryOf(part.category)}${part.duration / total < hairShare ? ' hair' : ''}`}
      x={percentOf(part.start / total)}
      y={y}
      width={percentOf(Math.max(part.duration / total, minWidth / 100))}
      height={height}
    />
  );
}
