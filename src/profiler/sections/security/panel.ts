import type { SecurityDecision, SecurityFirewall, SecuritySection } from './section.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block, Value } from '../../view/block.js';
import { formatMilliseconds } from '../../model/formatting.js';
import { compact, furtherItems, note, section } from '../../view/make-blocks.js';
import { pairsOf } from '../../view/make-facts.js';
import { column, table, tableSection } from '../../view/make-tables.js';
import { mono, locationValue, styledText } from '../../view/make-values.js';
import type { Panel, PanelContext } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';

/** The user, how the user was authenticated, and the access decisions with their votes. */
export const securityPanel: Panel = createSectionPanel<SecuritySection>({
  id: 'security',
  title: 'Security',
  group: 'request',
  fields: ['firewall', 'user', 'decisions', 'uses'],
  badge: (_section, record) =>
    isRefused(record) ? { count: 1, tone: 'warn', words: 'access denied' } : 'plain',
  none: 'No lookback firewall or access check ran; those of other libraries are not recorded.',
  show: (data, record, context) => [
    userBlock(data.user),
    data.firewall && firewallSection(data.firewall),
    decisionSection(data.decisions, refusingDecision(record, data), context),
    sessionSection(data, context),
    furtherItems(data.more, 'Left out: {n} further fact.|Left out: {n} further facts.'),
  ],
});

/**
 * Returns whether the request was refused. A denied decision alone does not mean that, because the application may only
 * have asked.
 */
function isRefused({ exception }: ProfileRecord): boolean {
  return exception?.errors.some((error) => error.class === 'AccessDeniedError') === true;
}

/** Returns the decision that refused the request: the last denial, which ended the handling. */
function refusingDecision(record: ProfileRecord, section: SecuritySection): SecurityDecision | undefined {
  return isRefused(record) ? section.decisions.findLast((decision) => !decision.granted) : undefined;
}

function userBlock(user: SecuritySection['user']): Block {
  if (user === null) return note('No user was signed in.');
  return pairsOf('User', [
    ['User', mono(user.identifier)],
    ['Roles', mono(user.roles.join(', '))],
    ['Inherited roles', styledText(user.inheritedRoles?.join(', ') ?? '')],
    ['Authenticated by', `${user.authenticator}, ${user.strength}`],
    ['Acting for this user', styledText(user.impersonator)],
  ]);
}

function firewallSection(firewall: SecurityFirewall): Block {
  const secured = firewall.isSecured ? 'secured' : 'open to all';
  const kind = `${secured}, ${firewall.isStateless ? 'stateless' : 'with a session'}`;
  return section('Firewall', [
    pairsOf('Firewall', [
      ['Name', mono(firewall.name)],
      ['Kind', kind],
      ['User provider', mono(firewall.provider)],
      ['Entry point', mono(firewall.entryPoint || '–')],
    ]),
    table('Authenticators, in their order', firewall.attempts, {
      columns: [
        column.plain('Authenticator', ({ authenticator }) => mono(authenticator)),
        column.plain('Outcome', ({ status }) => status),
        column.number('Time', ({ durationMs }) => formatMilliseconds(durationMs)),
        column.wide(
          'Why',
          ({ detail, badges }) =>
            [detail.replace(/\.$/, ''), ...badges].filter((text) => text !== '').join('; ') || '–',
        ),
      ],
      row: ({ status }) => ({ tone: status === 'failure' ? 'warn' : 'neutral' }),
      empty: `No authenticator ran (${firewall.authenticators.join(', ') || '–'}).`,
    }),
  ]);
}

function decisionSection(
  decisions: readonly SecurityDecision[],
  refusing: SecurityDecision | undefined,
  { editor }: PanelContext,
): Block {
  const keys = decisions.map((decision) => (decision === refusing ? '' : JSON.stringify(decision)));
  // Equal decisions, for example from a loop, share a row; the refusing one has its own.
  const rows = decisions.filter((_, at) => keys.indexOf(keys[at] ?? '') === at);
  const timesOf = (decision: SecurityDecision): number => {
    const own = keys[decisions.indexOf(decision)];
    return keys.filter((key) => key === own).length;
  };
  return tableSection('Access decisions', rows, {
    caption: 'Access decisions, in order',
    columns: [
      column.plain('Outcome', (decision) => outcomeOf(decision, refusing, timesOf(decision))),
      column.plain('Attribute', ({ attribute }) => mono(attribute)),
      column.plain('Subject', ({ subject }) => mono(subject)),
      column.minor('Strategy', ({ strategy }) => strategy),
      column.wide('Votes', ({ votes }) => votesText(votes)),
      column.wide('Asked by', ({ by = '', location }) =>
        location === undefined
          ? by || '–'
          : locationValue(
              {
                ...location,
                name: compact(by !== '' && by, location.name !== '' && location.name).join(' in '),
              },
              editor,
            ),
      ),
    ],
    row: (decision) => ({ tone: decision === refusing ? 'warn' : 'neutral' }),
    empty: 'No access decision.',
  });
}

function votesText(votes: SecurityDecision['votes']): string {
  const lines = votes.map(
    ({ voter, verdict, reason }) => `${voter}: ${verdict}${reason === '' ? '' : ` (${reason})`}`,
  );
  return lines.join('\n') || 'no voter voted';
}

function outcomeOf(decision: SecurityDecision, refusing: SecurityDecision | undefined, count: number): Value {
  const times = count > 1 ? ` ×${count}` : '';
  if (decision.granted) return { text: `granted${times}`, tone: 'ok' };
  return decision === refusing ? { text: 'refused', tone: 'warn' } : `denied${times}`;
}

function sessionSection({ uses }: SecuritySection, context: PanelContext): Block {
  return tableSection('Session values used and changed', uses, {
    columns: [
      column.plain('Use', ({ operation }) => operation),
      column.plain('Key', ({ key }) =>
        key === '' ? '–' : key.startsWith('_security') ? 'the signed-in user' : mono(key),
      ),
      column.number('Times', ({ count }) => count),
      column.wide('From', (use) => (use.file === '' ? 'security' : locationValue(use, context.editor))),
    ],
    empty: 'The application used no session values.',
  });
}
