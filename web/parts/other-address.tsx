import { otherAddress } from '#web/base/other-address.ts';
import { Banner } from './banner.tsx';

/** Warns on sign-in pages: cookies and OAuth redirects work only at the configured address. */
export const OtherAddress = ({ address }: { address: string }) => {
  const there = otherAddress(location.href, address);
  if (there === undefined) return null;
  return (
    <div style={{ marginTop: 16 }}>
      <Banner tone="orange" title="This is not the address of Posthorn">
        You opened it at {location.origin}. Signing in may fail here: open <a href={there}>{there}</a>. If that is
        wrong, its operator sets BASE_URL to the address that people use.
      </Banner>
    </div>
  );
};
