import { say } from '#core/phrases';
import type { ComponentChildren, VNode } from 'preact';
import { SnapshotView } from '#core/dump';
import { ErrorChain, MarkedPart } from '#core/errors';
import { safeUrl } from '#core/html';
import type { Block, Finding, Metric, Tone, Value } from '../../view/block.js';
import { ActionForm, Icon, icons } from './controls.js';
import { formatCount, formatMilliseconds } from '../../model/formatting.js';
import { Legend, percentOf, RequestBar, Strip } from './request-bar.js';
import { TableView } from './table-view.js';
import { TimelineView } from './timeline-view.js';
import { SqlText, ValueView } from './value-view.js';
import { unknownKind } from '../../view/make-blocks.js';

/** Renders a panel's blocks in order; `level` is their heading level. */
export function BlockList({ blocks, level }: { blocks: readonly Block[]; level: 2 | 3 | 4 }): VNode {
  return (
    <>
      {blocks.map((block) => (
        <BlockView block={block} level={level} />
      ))}
    </>
  );
}

function BlockView({ block, level }: { block: Block; level: 2 | 3 | 4 }): VNode {
  switch (block.kind) {
    case 'metrics':
      return <Metrics metrics={block.metrics} />;
    case 'answer':
      return <Answer block={block} />;
    case 'findings':
      return <Findings findings={block.findings} />;
    case 'note':
      return <p class={`note note-${block.tone}`}>{block.text}</p>;
    case 'text':
      return <p class="muted">{block.text}</p>;
    case 'section':
      return <Section block={block} level={level} />;
    case 'table':
      return <TableView block={block} showDetail={(inner) => <BlockList blocks={inner} level={level} />} />;
    case 'pairs':
      return <Pairs block={block} />;
    case 'snapshot':
      return (
        <div class="value" role="group" aria-label={block.label}>
          <SnapshotView snapshot={block.snapshot} />
        </div>
      );
    case 'code':
      return <Code block={block} />;
    case 'timeline':
      return <TimelineView block={block} />;
    case 'flames':
      return <FlamesView block={block} />;
    case 'columns':
      return (
        <div class={block.isAside === true ? 'side-by-side aside' : 'side-by-side'}>
          {block.columns.map((column) => (
            <div>
              <BlockList blocks={column} level={level} />
            </div>
          ))}
        </div>
      );
    case 'document':
      return (
        <iframe class="document" sandbox="" src={safeUrl(block.href)} title={block.label} loading="lazy" />
      );
    case 'form':
      return /^\/(?!\/)/.test(block.action) ? (
        <ActionForm action={block.action} label={block.label} fields={block.fields} buttonClass="button" />
      ) : (
        <></>
      );
    case 'filters':
      return <Filters block={block} />;
    case 'errors':
      return (
        <ErrorChain
          report={block.report}
          editor={block.editor}
          below={block.lead && <BlockList blocks={block.lead} level={level} />}
          isDataFolded={block.lead !== undefined}
        />
      );
    default:
      throw unknownKind();
  }
}

function Section({ block, level }: { block: Extract<Block, { kind: 'section' }>; level: 2 | 3 | 4 }): VNode {
  const Heading = `h${level}` as const;
  const { title, count, hint, more } = block;
  const heading = (
    <Heading>
      {title} {count === undefined ? null : <span>{formatCount(count)}</span>}
    </Heading>
  );
  const blocks = <BlockList blocks={block.blocks} level={level === 2 ? 3 : 4} />;
  if (block.folded === true)
    return (
      <details class="section">
        <summary>{heading}</summary>
        {blocks}
      </details>
    );
  return (
    <section class="section">
      {hint === undefined && more === undefined ? (
        heading
      ) : (
        <div class="head">
          {heading}
          <span class="muted">{hint}</span>
          {more !== undefined && <a href={safeUrl(more.href)}>{more.label}</a>}
        </div>
      )}
      {blocks}
    </section>
  );
}

/** The time with the usual time, one sentence with its location as a link, and the bar with its legend. */
function Answer({ block }: { block: Extract<Block, { kind: 'answer' }> }): VNode {
  const { ms, usual, others, sentence, breakdown } = block;
  const { busy } = breakdown;
  return (
    <section class="hero" aria-label="Answer">
      <div class="figures">
        <Figure time={formatMilliseconds(ms)} usual={usual} />
        {others !== undefined && <Strip times={others} ms={ms} />}
      </div>
      <p class="answer">
        <Sentence finding={sentence} />
      </p>
      <RequestBar breakdown={breakdown} durationMs={ms} end={ms} />
      <Legend breakdown={breakdown} durationMs={ms} />
      {busy >= minBusyMs && busy >= ms * minBusyShare && (
        <p class="muted">
          Without the {formatMilliseconds(busy)} in which the process had no CPU:{' '}
          <strong>{formatMilliseconds(ms - busy)}</strong>. Only its length is known, so it is deducted from
          every part in proportion.
        </p>
      )}
    </section>
  );
}

/** Machine time from which it is explained, in milliseconds. */
const minBusyMs = 5;
const minBusyShare = 0.05;

/** A page's main figure: a time with its unit. */
export function Figure(props: { time: string; usual: string; tone?: string | undefined }): VNode {
  const [figure, unit] = props.time.split(' ');
  return (
    <p class="figure">
      <span class={props.tone}>
        {figure}
        <small>{unit}</small>
      </span>{' '}
      <span class="muted">{props.usual}</span>
    </p>
  );
}

/** A finding's sentence, linked to its subject, with a separate link for the source location. */
export function Sentence({ finding: { title, href, location } }: { finding: Finding }): VNode {
  const link = (text: string): ComponentChildren =>
    href === undefined || text.trim() === '' ? text : <a href={safeUrl(href)}>{text}</a>;
  const at = location === undefined ? -1 : title.indexOf(location.text);
  if (location === undefined || at === -1) return <>{link(title)}</>;
  const after = title.slice(at + location.text.length);
  return (
    <>
      {at > 0 && [link(title.slice(0, at).trimEnd()), ' ']}
      <span class="place">
        <ValueView value={{ ...location, mono: true }} />
      </span>
      {at > 0 ? after : [' ', link(after.trimStart())]}
    </>
  );
}

function Metrics({ metrics }: { metrics: readonly Metric[] }): VNode {
  return (
    <dl class="metrics">
      {metrics.map((metric) => (
        <div class={metric.tone === undefined ? undefined : `tone-${metric.tone}`}>
          <dt>{metric.label}</dt>
          <dd>{typeof metric.value === 'number' ? formatCount(metric.value) : metric.value}</dd>
        </div>
      ))}
    </dl>
  );
}

const tones: Readonly<Record<Tone, readonly [icon: string, word: string]>> = {
  neutral: [icons.pending, 'Note'],
  ok: [icons.ok, 'Good'],
  info: [icons.info, 'Note'],
  warn: [icons.warn, 'Warning'],
  error: [icons.error, 'Problem'],
};

function Findings({ findings }: { findings: readonly Finding[] }): VNode {
  return (
    <ul class="findings">
      {findings.map((finding) => (
        <li class={`note-${finding.tone}`}>
          {finding.kind === undefined ? (
            <Icon path={tones[finding.tone][0]} />
          ) : (
            <span class={`chip is-${finding.tone}`}>{finding.kind}</span>
          )}
          <div>
            <strong>
              <span class="visually-hidden">{tones[finding.tone][1]}: </span>
              <Sentence finding={finding} />
            </strong>
            {finding.detail !== undefined && <p>{finding.detail}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Pairs({ block }: { block: Extract<Block, { kind: 'pairs' }> }): VNode {
  if (block.pairs.length === 0) return <p class="empty">{block.empty}</p>;
  return (
    <dl class="facts" aria-label={block.label}>
      {block.pairs.map(([key, value]) => (
        <div class={isWide(value) ? 'wide' : undefined}>
          <dt>{key}</dt>
          <dd>
            <ValueView value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Returns whether a value needs the full width: a tree, or a long text. */
function isWide(value: Value): boolean {
  if (typeof value !== 'object') return String(value).length > narrowCharacters;
  return value.snapshot !== undefined || value.text.length > narrowCharacters;
}

const narrowCharacters = 60;
const maxCodeLength = 20_000;

function Code({ block }: { block: Extract<Block, { kind: 'code' }> }): VNode {
  const rest = block.text.length - maxCodeLength;
  return (
    <figure class="listing">
      <figcaption>
        {block.label}
        <button type="button" class="copy" data-copy-block="" hidden>
          Copy
        </button>
      </figcaption>
      <pre tabIndex={0} aria-label={block.label}>
        <code>{markedText(block)}</code>
      </pre>
      {rest > 0 && (
        <p class="muted">
          {say(
            '{n} more character is in the JSON form, and is not copied.|{n} more characters are in the JSON form, and are not copied.',
            { n: rest },
          )}
        </p>
      )}
    </figure>
  );
}

function markedText({
  text,
  mark,
  markValue,
  language,
}: Extract<Block, { kind: 'code' }>): ComponentChildren {
  const shown = text.slice(0, maxCodeLength);
  const highlight = (part: string): ComponentChildren => (language === 'sql' ? <SqlText sql={part} /> : part);
  if (mark === undefined) return highlight(shown);
  const [from, to] = mark;
  return (
    <>
      {highlight(shown.slice(0, from))}
      <MarkedPart text={shown.slice(from, to)} value={markValue} />
      {highlight(shown.slice(to))}
    </>
  );
}

function Filters({ block }: { block: Extract<Block, { kind: 'filters' }> }): VNode {
  const links = block.filters.map((filter) => (
    <a href={safeUrl(filter.href)} aria-current={filter.chosen ? 'true' : undefined}>
      {filter.label} {filter.count !== undefined && <span class="count">{formatCount(filter.count)}</span>}
    </a>
  ));
  // Page links appear above and below their table. Landmarks need unique names, so these are groups.
  return block.isTitled === true ? (
    <div class="filters" role="group" aria-label={block.label}>
      <span class="muted">{block.label}</span>
      {links}
    </div>
  ) : (
    <nav class="filters" aria-label={block.label}>
      {links}
    </nav>
  );
}

const rowHeight = 20;

/**
 * A flame graph with the outermost call on top. Hidden from screen readers, because a table next to it has the same
 * data.
 */
function FlamesView({ block }: { block: Extract<Block, { kind: 'flames' }> }): VNode {
  const rows = 1 + Math.max(0, ...block.flames.map(({ depth }) => depth));
  return (
    <figure class="flames" dir="ltr">
      <figcaption class="flame-key">
        <span class="own">The application</span>
        <span>Libraries and Node.js</span>
      </figcaption>
      <svg height={rows * rowHeight} aria-hidden="true">
        {block.flames.map(({ label, depth, start, width, title, isOwn, href }) => (
          <a href={safeUrl(href)} tabIndex={-1} class={isOwn ? 'own' : undefined}>
            <title>{title}</title>
            <svg x={percentOf(start)} y={depth * rowHeight} width={percentOf(width)} height={rowHeight - 1}>
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
