import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Browser, chromium } from 'playwright-core';

const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--font-render-hinting=none',
  '--headless=shell',
];

/** The headless shell has no windows, not even hidden ones, and needs a fifth of the CPU time of the system's Chromium. */
const isPackedHere = process.platform === 'linux' && process.arch === 'x64';

/** Longer than a busy machine needs; something that never happens still fails. */
const maxWaitMs = 60_000;

/** One browser per process: test files in one process share it, because starting one takes longer than testing most pages. */
let launched: Promise<Browser> | undefined;
after(async () => (await launched)?.close());

/** This test process's browser: `$CHROME_PATH`, the one that `npm ci` installed, or the system's Chromium. */
export function launchBrowser(): Promise<Browser> {
  return (launched ??= launchPatient());
}

async function launchPatient(): Promise<Browser> {
  const browser = await launchChromium();
  const newContext = browser.newContext.bind(browser); // `newPage` calls it too
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(maxWaitMs);
    return context;
  };
  return browser;
}

async function launchChromium(): Promise<Browser> {
  const installed = [process.env['CHROME_PATH'], isPackedHere ? undefined : '/usr/bin/chromium'].find(
    (path) => path !== undefined && path !== '' && existsSync(path),
  );
  if (installed !== undefined) return chromium.launch({ executablePath: installed, args: browserFlags });
  const folder = unpackedChromium();
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: browserFlags,
    env: {
      ...definedEnvironment(),
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_PATH: join(folder, 'fonts'),
    },
  });
}

/** Unpacks the packed browser once per version: elsewhere, and then moved as a whole, because test files run in parallel. */
function unpackedChromium(): string {
  const manifest = JSON.parse(readFileSync('node_modules/@sparticuz/chromium/package.json', 'utf8')) as {
    version: string;
  };
  const home = join(tmpdir(), `lookback-chromium-${manifest.version}-${process.getuid?.() ?? 0}`);
  if (existsSync(home)) return home;
  mkdirSync(tmpdir(), { recursive: true });
  const staging = mkdtempSync(`${home}-`);
  const script = "import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath());";
  execFileSync(process.execPath, ['-e', script], {
    env: { ...process.env, TMPDIR: staging, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' },
  });
  // The packed configuration knows only /tmp/fonts; the system's own fonts, if any, include a monospaced one.
  const folders = [join(home, 'fonts', 'fonts'), '/usr/share/fonts', '/usr/local/share/fonts'];
  writeFileSync(
    join(staging, 'fonts', 'fonts.conf'),
    `<?xml version="1.0"?><fontconfig>${folders.map((folder) => `<dir>${folder}</dir>`).join('')}` +
      `<cachedir>${join(home, 'fonts', 'cache')}</cachedir>` +
      '<alias><family>ui-monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>' +
      '<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias></fontconfig>\n',
  );
  try {
    renameSync(staging, home);
  } catch {
    rmSync(staging, { recursive: true, force: true }); // another process was faster
  }
  return home;
}

function definedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
