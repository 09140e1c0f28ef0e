import { say } from '#core/phrases';
import { type RecordedValidation, sourceOf, type ValidationSection } from './section.js';
import type { Block } from '../../view/block.js';
import { furtherItems, line, snapshotBlock, section } from '../../view/make-blocks.js';
import { badgeOf } from '../../view/make-facts.js';
import { column, table } from '../../view/make-tables.js';
import { mono, muted, snapshotValue } from '../../view/make-values.js';
import type { Panel } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';

/** What schemas rejected: fields, values and messages, in order; accepted values in one line. */
export const validationPanel: Panel = createSectionPanel<ValidationSection>({
  id: 'validation',
  title: 'Validation',
  group: 'request',
  fields: ['validations', 'more'],
  badge: ({ validations }) =>
    badgeOf(
      validations.reduce((sum, { violations, more }) => sum + violations.length + more, 0),
      '{n} violation|{n} violations',
      { tone: 'warn' },
    ) ?? 'plain',
  none: 'Nothing was validated. withSchemas, requestBody, readForm and validateValue are observed without setup.',
  show({ validations, more }) {
    const accepted = validations.filter(({ violations }) => violations.length === 0);
    return [
      ...validations.filter(({ violations }) => violations.length > 0).map(refusedSection),
      accepted.length > 0 && line(`Accepted: ${accepted.map(sourceOf).join(', ')}`),
      furtherItems(more, '{n} further validation was left out.|{n} further validations were left out.'),
    ];
  },
});

function refusedSection(validation: RecordedValidation): Block {
  const { violations, more, values } = validation;
  const count = violations.length + more;
  return section(
    `${sourceOf(validation)}: refused`,
    [
      table(say('{n} violation|{n} violations', { n: count }), violations, {
        more,
        columns: [
          column.plain('Field', ({ path }) => (path === '' ? muted('the whole') : mono(path))),
          column.wide('Message', ({ message }) => message),
          column.plain('Value', ({ value }) => (value === null ? muted('none') : snapshotValue(value))),
          column.minor('Code', ({ code }) => muted(code)),
        ],
        row: () => ({ tone: 'warn' }),
      }),
      values !== null && snapshotBlock('Values', values),
    ],
    { count },
  );
}
