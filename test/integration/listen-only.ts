/**
 * A program for tests: an application that listens without `serve`. `own` handles SIGTERM itself and continues. `polite` ends the process
 * only if nothing else handles the signal, like the package `signal-exit`.
 */
import { createApp } from 'lookback';

const app = createApp();
app.get('/', () => 'ok');
app.get('/hang', () => new Promise(() => {}));
app.get('/throw-later', () => {
  setTimeout(() => {
    throw new Error('thrown in a timer');
  }, 50);
  return 'ok';
});
const mode = process.argv[2];
if (mode === 'own') process.on('SIGTERM', () => process.stdout.write('heard\n'));
if (mode === 'polite') {
  const onSignal = (): void => {
    if (process.listenerCount('SIGTERM') > 1) return;
    process.off('SIGTERM', onSignal);
    process.kill(process.pid, 'SIGTERM');
  };
  process.on('SIGTERM', onSignal);
}
const { url } = await app.listen({ port: 0 });
process.stdout.write(`${url}\n`);
