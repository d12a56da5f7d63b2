/** Where a number would stand. */
export const NoNumber = ({ reason }: { reason: string }) => (
  <span title={reason}>
    <span className="hidden">{reason}</span>
    <span aria-hidden="true">—</span>
  </span>
);
