import type { VNode } from 'preact';
import type { Block, Span } from '../../panels/blocks/block.js';
import { formatMilliseconds } from '../../panels/blocks/format.js';

const COLOURS = 6;

/** A table of spans in which each row carries its bar, so that the picture and its words cannot differ. */
export function TimelineView({ block }: { block: Extract<Block, { kind: 'timeline' }> }): VNode {
  const total = Math.max(block.total, ...block.spans.map((span) => span.start + span.duration), 0.001);
  const categories = [...new Set(block.spans.map((span) => span.category ?? 'other'))];
  return (
    <div class="timeline">
      <ul class="legend" aria-label="Colours of the bars">
        {categories.map((category, index) => (
          <li>
            <svg width="12" height="12" aria-hidden="true">
              <rect width="12" height="12" rx="3" class={`bar bar-${index % COLOURS}`} />
            </svg>
            {category}
          </li>
        ))}
      </ul>
      <table>
        <caption class="visually-hidden">{block.label}</caption>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col" class="track-head">
              <Scale total={total} />
            </th>
            <th scope="col" class="end">
              Start
            </th>
            <th scope="col" class="end">
              Duration
            </th>
          </tr>
        </thead>
        <tbody>
          {block.spans.map((span) => (
            <SpanRow
              span={span}
              total={total}
              colour={categories.indexOf(span.category ?? 'other') % COLOURS}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SpanRow({ span, total, colour }: { span: Span; total: number; colour: number }): VNode {
  const left = clampPercent((span.start / total) * 100);
  const width = Math.min(clampPercent((span.duration / total) * 100), 100 - left);
  return (
    <tr>
      <th scope="row" class={`depth-${Math.min(span.depth ?? 0, 5)}`}>
        {span.label}
        {span.detail !== undefined && <small class="muted">{span.detail}</small>}
      </th>
      <td class="track">
        <svg width="100%" height="14" aria-hidden="true">
          <line x1="25%" x2="25%" y1="0" y2="14" class="tick" />
          <line x1="50%" x2="50%" y1="0" y2="14" class="tick" />
          <line x1="75%" x2="75%" y1="0" y2="14" class="tick" />
          <rect
            x={`${left.toFixed(2)}%`}
            y="1"
            width={`${Math.max(width, 0.4).toFixed(2)}%`}
            height="12"
            rx="2"
            class={`bar bar-${colour}`}
          />
        </svg>
      </td>
      <td class="end mono">{formatMilliseconds(span.start)}</td>
      <td class="end mono">{formatMilliseconds(span.duration)}</td>
    </tr>
  );
}

function Scale({ total }: { total: number }): VNode {
  return (
    <span class="scale">
      <span>0</span>
      <span>{formatMilliseconds(total / 2)}</span>
      <span>{formatMilliseconds(total)}</span>
    </span>
  );
}

function clampPercent(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(value, 0), 99.6) : 0;
}
