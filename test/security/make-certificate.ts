import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** A certificate and its key, as PEM, and what signs others with it. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
  readonly name: Buffer;
  readonly privateKey: KeyObject;
}

export interface CertificateOptions {
  /** Who signs; default: it signs itself and is an authority. */
  readonly issuer?: TestCertificate;
  readonly email?: string;
  /** Default: in an hour. */
  readonly until?: Date;
}

// Object identifiers: ecdsa-with-SHA256, commonName, emailAddress, basicConstraints, subjectAltName.
const ecdsaSha256 = '06082a8648ce3d040302';
const commonNameOid = '0603550403';
const emailOid = '06092a864886f70d010901';
const basicConstraintsOid = '0603551d13';
const alternativeNameOid = '0603551d11';

/** An X.509 certificate (RFC 5280) on a fresh P-256 key, good for 127.0.0.1; DER by hand, as Node makes none. */
export function makeCertificate(commonName: string, options: CertificateOptions = {}): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { issuer, email, until = new Date(Date.now() + 3_600_000) } = options;
  const name = der(
    0x30,
    part(commonNameOid, der(0x0c, commonName)),
    ...(email === undefined ? [] : [part(emailOid, der(0x16, email))]),
  );
  const algorithm = der(0x30, hex(ecdsaSha256));
  const constraints = der(0x30, ...(issuer === undefined ? [hex('0101ff')] : []));
  const body = der(
    0x30,
    hex('a003020102'), // version 3
    der(0x02, Buffer.concat([hex('01'), randomBytes(8)])),
    algorithm,
    issuer?.name ?? name,
    der(0x30, time(new Date(until.getTime() - 7_200_000)), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      der(
        0x30,
        der(0x30, hex(basicConstraintsOid), hex('0101ff'), der(0x04, constraints)),
        der(0x30, hex(alternativeNameOid), der(0x04, der(0x30, hex('87047f000001')))),
      ),
    ),
  );
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey);
  const whole = der(0x30, body, algorithm, der(0x03, Buffer.concat([hex('00'), signature])));
  return {
    cert: pem('CERTIFICATE', whole),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    name,
    privateKey,
  };
}

/** As `openssl x509 -fingerprint -sha256` writes it. */
export function fingerprintOf({ cert }: TestCertificate): string {
  const bytes = Buffer.from(cert.replaceAll(/-----.*-----|\n/g, ''), 'base64');
  return createHash('sha256')
    .update(bytes)
    .digest('hex')
    .toUpperCase()
    .replaceAll(/..(?!$)/g, '$&:');
}

function part(type: string, value: Buffer): Buffer {
  return der(0x31, der(0x30, hex(type), value));
}

function time(date: Date): Buffer {
  return der(0x18, date.toISOString().replaceAll(/[-:T]|\.\d+/g, ''));
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}

function der(tag: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((one) => (typeof one === 'string' ? Buffer.from(one) : one)));
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content]);
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
