import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plain } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { eventFinders } from './findings.js';

describe('a listener that threw', () => {
  const listener = { priority: 0, startMs: 0, durationMs: 0, stopped: false, failed: true };
  const dispatch = (event: string, name: string): ProfileRecord['events'][number] => ({
    event,
    startMs: 0,
    durationMs: 0,
    listeners: [{ name, ...listener }],
  });
  const events = [
    dispatch('request', 'firewall'),
    { ...dispatch('exception', 'own'), listeners: [] },
    dispatch('terminate', 'audit'),
  ];
  const denial = { granted: false, attribute: 'ROLE_ADMIN', subject: '', strategy: 'affirmative', votes: [] };
  const anna = { identifier: 'anna', roles: [], authenticator: 'form', strength: 'full', impersonator: '' };
  const named = (status: number, security: object): string[] => {
    const response = plain.response === null ? null : { ...plain.response, status };
    const record = { ...plain, exception: null, events, response, sections: { security } };
    return eventFinders.flatMap((find) => find(record, () => undefined) ?? []).map(({ text }) => text);
  };
  const [firewall, audit] = ['The listener “firewall” threw', 'The listener “audit” threw'];

  it('is no finding if it denied access to a visitor who was redirected to the login; later ones are', () => {
    assert.deepEqual(named(302, { user: null, decisions: [denial] }), [audit]);
    const remembered = { ...anna, strength: 'remembered' };
    assert.deepEqual(named(302, { user: remembered, decisions: [denial] }), [audit]);
  });

  it('is one if access was granted, or the user is known, or the response is no redirect', () => {
    assert.deepEqual(named(302, { user: null, decisions: [{ ...denial, granted: true }] }), [
      firewall,
      audit,
    ]);
    assert.deepEqual(named(302, { user: anna, decisions: [denial] }), [firewall, audit]);
    assert.deepEqual(named(200, { user: null, decisions: [denial] }), [firewall, audit]);
  });
});
