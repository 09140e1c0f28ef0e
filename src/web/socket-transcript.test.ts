import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noteMessage, type SocketTranscript } from './socket-transcript.js';

const made = (): SocketTranscript => ({ messages: [], more: 0, received: 0, sent: 0, closeCode: null });
const note = (
  transcript: SocketTranscript | undefined,
  data: string | Uint8Array,
  direction: 'in' | 'out' = 'in',
): void => noteMessage(transcript, data, { direction, since: performance.now() - 5 });

describe('the messages of a connection', () => {
  it('are kept with their direction, kind, size and time; all are counted', () => {
    const transcript = made();
    note(transcript, 'né');
    note(transcript, new Uint8Array(7), 'out');
    assert.deepEqual([transcript.received, transcript.sent], [1, 1]);
    const [first, second] = transcript.messages;
    assert.deepEqual([first?.direction, first?.kind, first?.bytes, first?.excerpt], ['in', 'text', 3, 'né']);
    assert.deepEqual(
      [second?.direction, second?.kind, second?.bytes, second?.excerpt],
      ['out', 'binary', 7, ''],
    );
    assert.ok((first?.at ?? 0) >= 5);
  });

  it('beyond two hundred are counted only', () => {
    const transcript = made();
    for (let count = 0; count < 250; count++) note(transcript, String(count));
    assert.deepEqual([transcript.messages.length, transcript.more, transcript.received], [200, 50, 250]);
    assert.equal(transcript.messages.at(-1)?.excerpt, '199', 'the first are kept');
  });

  it('are cut, and hide secrets before that, also one that lies across the cut', () => {
    const transcript = made();
    note(transcript, 'x'.repeat(500));
    assert.deepEqual([transcript.messages[0]?.excerpt.length, transcript.messages[0]?.bytes], [201, 500]);
    for (const place of [0, 100, 190, 198]) {
      note(transcript, `${'y'.repeat(place)} password=hunter2hunter2 `);
      assert.doesNotMatch(transcript.messages.at(-1)?.excerpt ?? '', /hunter/);
    }
  });

  it('without a transcript nothing is kept', () => {
    note(undefined, 'x');
  });
});
