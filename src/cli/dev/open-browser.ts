import { spawn } from 'node:child_process';

/** Opens a URL in the person's browser, if this machine has one. */
export function openBrowser(url: string): void {
  const browser = process.env['BROWSER'];
  const program = browser || (process.platform === 'darwin' ? 'open' : 'xdg-open');
  const child = spawn(program, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined); // the URL was printed
  child.unref();
}
