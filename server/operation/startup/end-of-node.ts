/** The last day on which a version of Node gets security fixes. */
const lastDays: Readonly<Record<string, string>> = { 20: '2026-04-30', 22: '2027-04-30', 24: '2028-04-30' };

/** A warning for a Node version without security fixes; undefined for a supported one. */
export const endOfNode = (version: string, now: Date) => {
  const major = version.replace(/^v/, '').split('.')[0] ?? '';
  const lastDay = lastDays[major];
  if (lastDay === undefined || now <= new Date(`${lastDay}T23:59:59Z`)) return undefined;
  return `Node ${major} has had no security fixes since ${lastDay}. Posthorn runs on it; Node 24 is the better choice.`;
};
