/** A dash in place of an unknown number, with the reason on hover and for screen readers. */
export const NoNumber = ({ reason }: { reason: string }) => (
  <span title={reason}>
    <span className="hidden">{reason}</span>
    <span aria-hidden="true">—</span>
  </span>
);
