// Writes the results of a process started by scripts/test.mjs, one JSON line per event, to the file in $TEST_EVENTS: immediately,
// because a process may end before a stream is flushed.
import { appendFileSync } from 'node:fs';
import { inspect } from 'node:util';

const cancelled = new Set(['cancelledByParent', 'testAborted', 'testTimeoutFailure']);

// oxlint-disable-next-line require-yield -- A reporter is a generator; this one writes to a file.
export default async function* report(events) {
  const path = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') {
      path.length = data.nesting;
      path.push(data.name);
    } else if (type === 'test:pass' || type === 'test:fail') {
      path.length = data.nesting;
      note({ outcome: outcomeOf(type, data), ...reasonOf(type, data, path) });
    } else if (type === 'test:plan' && data.nesting === 0) note({ outcome: 'end' });
  }
}

function note(found) {
  appendFileSync(process.env.TEST_EVENTS, `${JSON.stringify(found)}\n`);
}

function outcomeOf(type, { details, skip, todo }) {
  if (details.type === 'suite') return type === 'test:fail' ? 'failed suite' : 'suites';
  if (skip !== undefined) return 'skipped';
  if (todo !== undefined) return 'todo';
  if (type === 'test:pass') return 'pass';
  return cancelled.has(details.error?.failureType) ? 'cancelled' : 'fail';
}

function reasonOf(type, { name, file, skip, todo, details: { error } }, path) {
  if (typeof skip === 'string' && skip !== '') return { skip };
  // A suite fails because of its tests, which are recorded individually.
  if (type === 'test:pass' || todo !== undefined || error?.failureType === 'subtestsFailed') return {};
  const cause = error?.cause ?? error;
  const why = typeof cause === 'string' ? cause : inspect(cause, { depth: 4, breakLength: 120 });
  return { title: [...path, name].join(' > '), file, why };
}
