import type { VNode } from 'preact';
import { safeUrl } from '#html';
import type { Block } from '../../panels/blocks/block.js';
import { say } from '../../words/say.js';

const rowHeight = 20;

/** A flame graph with the outermost call on top. A table beside it has the same for readers who cannot see it. */
export function FlamesView({ block }: { block: Extract<Block, { kind: 'flames' }> }): VNode {
  const rows = 1 + Math.max(0, ...block.flames.map(({ depth }) => depth));
  return (
    <figure class="flames" dir="ltr">
      <figcaption class="flame-key">
        <span class="own">{say('The application')}</span>
        <span>{say('Libraries and Node.js')}</span>
      </figcaption>
      <svg height={rows * rowHeight} aria-hidden="true">
        {block.flames.map(({ label, depth, start, width, title, isOwn, href }) => (
          <a href={safeUrl(href)} tabIndex={-1} class={isOwn ? 'own' : undefined}>
            <title>{title}</title>
            <svg x={percent(start)} y={depth * rowHeight} width={percent(width)} height={rowHeight - 1}>
              <rect width="100%" height="100%" />
              {width > 0.02 && (
                <text x="4" y="13">
                  {label}
                </text>
              )}
            </svg>
          </a>
        ))}
      </svg>
    </figure>
  );
}

function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100}%`;
}
