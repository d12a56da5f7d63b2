/** The logo; same colours in both themes. */
export const Mark = ({ size = 28 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" style={{ flex: 'none' }}>
    <rect width="32" height="32" rx="8" fill="#F5B90A" />
    <g fill="none" stroke="#14171F" strokeWidth="2.8" strokeLinecap="round" strokeLinejoin="round">
      <circle cx="13.5" cy="18.4" r="6.6" />
      <path d="M4.5 11.8H19M4.5 9.8v4" />
      <path d="M18.5 11.8c4 0 7-2 9-6v12c-2-4-5-6-9-6Z" fill="#14171F" strokeWidth="1.5" />
    </g>
  </svg>
);
